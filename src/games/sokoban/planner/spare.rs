//! Plain search for levels with more targets than boxes: every box must come home, and some target
//! stays empty.
//!
//! The other searches of the planner know which box goes to which target, which does not hold here.
//! This one is A* of [`crate::search`] over positions, with the pushes that each box needs at least
//! to its nearest target as its bound.

use super::pushes::Measure;
use crate::board::zobrist;
use crate::games::planning::Task;
use crate::games::sokoban::board::{Board, Push, Square};
use crate::search::astar::AStar;
use crate::search::{Clock, Outcome, Space, Successor};

/// The kind of the keys of boxes.
const BOX_KEYS: u32 = 3;
/// The kind of the keys of the player.
const PLAYER_KEYS: u32 = 4;
/// Steps to a square that cannot be reached.
const FAR: u32 = u32::MAX;

/// A plan of least pushes or moves, or the proof that there is none; of those that are shorter than
/// the known one, where there is one.
pub(super) fn solve(
    board: &Board,
    measure: Measure,
    task: Task<'_, Push>,
    clock: &Clock,
) -> Outcome<Push> {
    let space = Positions::new(board, measure);
    let desk = measure.desk(board, task, clock);
    let mut search = AStar::new(&space, clock.clone(), desk.known().cost).named("plain");
    clock.limits.install(|| desk.alone(&mut search))
}

/// Where the boxes are, in order, and the player: as he stands, or the first square that he can walk
/// to where walking costs nothing.
#[derive(Clone, Debug, PartialEq, Eq)]
struct Position {
    boxes: Vec<Square>,
    player: Square,
}

/// The positions of a level, and the pushes between them.
struct Positions<'a> {
    board: &'a Board,
    measure: Measure,
    /// The least pushes from each square to a target on the empty board.
    pushes_home: Vec<u32>,
}

/// Working memory of an expansion.
struct Scratch {
    is_box: Vec<bool>,
    /// Steps of the player to each square.
    steps: Vec<u32>,
    queue: Vec<Square>,
}

impl<'a> Positions<'a> {
    fn new(board: &'a Board, measure: Measure) -> Self {
        Positions { board, measure, pushes_home: pushes_home(board) }
    }

    fn is_square(&self, square: Square) -> bool {
        (square as usize) < self.board.squares()
    }

    /// Measures the player's steps from his square past the boxes.
    fn walk(&self, boxes: &[Square], player: Square, scratch: &mut Scratch) {
        let Scratch { is_box, steps, queue } = scratch;
        is_box.fill(false);
        boxes.iter().for_each(|&at| is_box[at as usize] = true);
        steps.fill(FAR);
        steps[player as usize] = 0;
        queue.clear();
        queue.push(player);
        let mut head = 0;
        while let Some(&at) = queue.get(head) {
            head += 1;
            for next in self.board.next[at as usize] {
                let is_new =
                    self.is_square(next) && !is_box[next as usize] && steps[next as usize] == FAR;
                if is_new {
                    steps[next as usize] = steps[at as usize] + 1;
                    queue.push(next);
                }
            }
        }
    }

    /// The position with the player where equal ones have him.
    fn settled(&self, mut position: Position, scratch: &mut Scratch) -> Position {
        position.boxes.sort_unstable();
        if self.measure == Measure::Pushes {
            self.walk(&position.boxes, position.player, scratch);
            position.player = scratch.queue.iter().copied().min().unwrap_or(position.player);
        }
        position
    }

    fn after(&self, position: &Position, push: Push, scratch: &mut Scratch) -> Position {
        let to = self.board.next[push.from as usize][push.direction as usize];
        let moved = |&at: &Square| if at == push.from { to } else { at };
        let boxes = position.boxes.iter().map(moved).collect();
        self.settled(Position { boxes, player: push.from }, scratch)
    }

    /// The pushes that can be done, each with what it costs.
    fn pushes(&self, position: &Position, scratch: &mut Scratch) -> Vec<(Push, u32)> {
        self.walk(&position.boxes, position.player, scratch);
        let mut pushes = Vec::new();
        for &from in &position.boxes {
            for direction in 0..4u8 {
                let next = self.board.next[from as usize];
                let (to, behind) = (next[direction as usize], next[direction as usize ^ 2]);
                let is_free = |at: Square| self.is_square(at) && !scratch.is_box[at as usize];
                if !is_free(to) || !is_free(behind) || scratch.steps[behind as usize] == FAR {
                    continue;
                }
                let cost = match self.measure {
                    Measure::Pushes => 1,
                    Measure::Moves => scratch.steps[behind as usize] + 1,
                };
                pushes.push((Push { from, direction }, cost));
            }
        }
        pushes
    }
}

/// The least pushes from each square to a target, other boxes left out; [`FAR`] where there is no way.
fn pushes_home(board: &Board) -> Vec<u32> {
    let wall = board.squares();
    let mut pushes = vec![FAR; wall];
    let mut queue = board.targets.clone();
    queue.iter().for_each(|&target| pushes[target as usize] = 0);
    let mut head = 0;
    while let Some(&to) = queue.get(head) {
        head += 1;
        for direction in 0..4 {
            // Pushed to here, the box came from the other side, and the player from one farther.
            let from = board.next[to as usize][direction];
            let player = board.next[from as usize][direction];
            let is_way = (from as usize) < wall && (player as usize) < wall;
            if is_way && pushes[from as usize] == FAR {
                pushes[from as usize] = pushes[to as usize] + 1;
                queue.push(from);
            }
        }
    }
    pushes
}

impl Space for Positions<'_> {
    type State = Position;
    type Action = Push;
    type Scratch = Scratch;

    fn start(&self) -> Position {
        let (boxes, player) = (self.board.boxes.clone(), self.board.player);
        self.settled(Position { boxes, player }, &mut self.scratch())
    }

    fn key(&self, position: &Position) -> u64 {
        let boxes = position.boxes.iter().map(|&at| zobrist(BOX_KEYS, u64::from(at)));
        boxes.fold(zobrist(PLAYER_KEYS, u64::from(position.player)), |key, word| key ^ word)
    }

    fn bound(&self, position: &Position) -> u32 {
        let pushes = position.boxes.iter().map(|&at| self.pushes_home[at as usize]);
        pushes.fold(0, u32::saturating_add)
    }

    fn is_goal(&self, position: &Position) -> bool {
        position.boxes.iter().all(|&at| self.board.is_target[at as usize])
    }

    fn scratch(&self) -> Scratch {
        let squares = self.board.squares();
        Scratch { is_box: vec![false; squares], steps: vec![FAR; squares], queue: Vec::new() }
    }

    fn expand(
        &self,
        position: &Position,
        scratch: &mut Scratch,
        visit: &mut impl FnMut(Successor<Push>),
    ) {
        for (action, cost) in self.pushes(position, scratch) {
            let child = self.after(position, action, scratch);
            visit(Successor::of(self, (action, cost), &child));
        }
    }

    fn child(&self, position: &Position, push: Push, scratch: &mut Scratch) -> Position {
        self.after(position, push, scratch)
    }

    fn heap_bytes(&self, position: &Position) -> usize {
        position.boxes.capacity() * size_of::<Square>()
    }

    fn scratch_bytes(&self, scratch: &Scratch) -> usize {
        let Scratch { is_box, steps, queue } = scratch;
        size_of::<Scratch>()
            + is_box.capacity()
            + steps.capacity() * size_of::<u32>()
            + queue.capacity() * size_of::<Square>()
    }
}
