//! The level as a space: five keys, the fast state, distances to the way out as the bound.

use crate::board::Cell;
use crate::games::monsters::format::{Key, Level};
use crate::games::monsters::state::{After, Board, Packed};
use crate::search::{Portable, Space, Successor};

use super::bound::Bounds;

/// A level, to be searched for the shortest way out.
pub struct Escape<'a> {
    level: &'a Level,
    /// Bytes that the bounds of a thread may take.
    bound_bytes: usize,
}

/// Working memory of expansions: a board to play on, and the bounds of the fabrics met so far.
pub struct Scratch {
    board: Board,
    bounds: Bounds,
}

impl<'a> Escape<'a> {
    /// The space of a level.
    pub fn new(level: &'a Level) -> Self {
        Escape::within(level, usize::MAX)
    }

    /// The space of a level, in which bounds of a thread take at most `bound_bytes` bytes.
    pub fn within(level: &'a Level, bound_bytes: usize) -> Self {
        Escape { level, bound_bytes }
    }

    fn loaded(&self, state: &Packed) -> Board {
        let mut board = Board::new(self.level);
        board.load(state);
        board
    }
}

impl Space for Escape<'_> {
    type State = Packed;
    type Action = Key;
    type Scratch = Scratch;

    fn start(&self) -> Packed {
        Board::new(self.level).pack()
    }

    fn key(&self, state: &Packed) -> u64 {
        state.key()
    }

    fn bound(&self, state: &Packed) -> u32 {
        Bounds::default().bound(&self.loaded(state))
    }

    fn is_goal(&self, state: &Packed) -> bool {
        self.loaded(state).standing() == After::Won
    }

    fn scratch(&self) -> Scratch {
        let board = Board::new(self.level);
        let bounds = Bounds::within(self.bound_bytes, board.shape().cells());
        Scratch { board, bounds }
    }

    fn expand(
        &self,
        state: &Packed,
        scratch: &mut Scratch,
        visit: &mut impl FnMut(Successor<Key>),
    ) {
        let Scratch { board, bounds } = scratch;
        board.load(state);
        for key in Key::ALL {
            // A key that does not move the hero is waiting.
            if key != Key::Wait && !board.moves_hero(key) {
                continue;
            }
            let after = board.act(key);
            if after != After::Lost {
                let bound = bounds.bound(board);
                visit(Successor {
                    action: key,
                    cost: 1,
                    key: board.key(),
                    bound,
                    estimate: bound,
                    goal: after == After::Won,
                    class: board.hero().map_or(0, |Cell(cell)| cell),
                });
            }
            board.undo();
        }
    }

    fn child(&self, state: &Packed, action: Key, scratch: &mut Scratch) -> Packed {
        scratch.board.load(state);
        scratch.board.act(action);
        scratch.board.pack()
    }

    fn heap_bytes(&self, state: &Packed) -> usize {
        state.heap_bytes()
    }

    fn scratch_bytes(&self, scratch: &Scratch) -> usize {
        size_of::<Scratch>() + scratch.bounds.bytes()
    }
}

impl Portable for Escape<'_> {
    fn pack(&self, state: &Packed, words: &mut Vec<u64>) {
        state.write_words(words);
    }

    fn unpack(&self, words: &[u64]) -> Option<Packed> {
        Packed::from_words(words)
    }

    fn action_word(action: Key) -> u64 {
        action as u64
    }

    fn action_of(word: u64) -> Option<Key> {
        Key::ALL.into_iter().find(|&key| key as u64 == word)
    }
}
