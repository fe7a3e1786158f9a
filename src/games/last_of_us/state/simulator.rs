//! The simulator: plays an action on the clickers of one loaded state, and takes it back.

use super::board::{Board, Clicker, Crowd, NOTHING, Site, State, clicker_key, ellie_key};
use super::fields::Fields;
use super::known_steps::Steps;
use super::moves::Move;
use super::steps::first_free_near;
use crate::board::Cell;
use crate::games::last_of_us::format::{HEARING_RANGE, HEARING_SIDE};
use smallvec::SmallVec;
use std::ops::Deref;

/// What an action led to.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum Played {
    /// The rules refuse the action: blocked, occupied, no brick. Nothing has changed.
    Illegal,
    /// A clicker beside Ellie grabs her. Nothing has changed.
    Killed,
    /// Ellie is on the exit. Nothing has changed but her cell.
    Won,
    /// The game goes on; [`Simulator::undo`] takes it back.
    On(After),
}

/// The parts of a child that are known before it is built.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub struct After {
    /// Ellie's cell.
    pub ellie: Site,
    /// Bricks left.
    pub bricks: u8,
}

/// How a clicker acted.
#[derive(Clone, Copy, Debug)]
pub struct Acted {
    /// Where it stood, and what it traced.
    pub before: Clicker,
    /// Where it stands, and what it traces.
    pub after: Clicker,
}

/// One thread's working memory: the clickers of one loaded state as bits, on a board that is borrowed or shared.
#[derive(Clone)]
pub struct Simulator<B: Deref<Target = Board>> {
    pub(super) board: B,
    pub(super) clickers: Crowd,
    /// The clickers of the loaded state that trace something, in order.
    awake: Vec<Clicker>,
    /// The steps that each of them may take, where they were asked for.
    steps: Vec<Option<Steps>>,
    pub(super) ellie: Site,
    bricks: u8,
    clickers_key: u64,
    /// What the last played action made clickers do.
    acted: Vec<Acted>,
    /// Clickers that [`Simulator::assume_arrived`] has put elsewhere.
    assumed: Vec<Clicker>,
    fields: Fields,
}

impl<'a> Simulator<&'a Board> {
    /// The board it works on.
    pub fn board(&self) -> &'a Board {
        self.board
    }
}

impl<B: Deref<Target = Board>> Simulator<B> {
    /// Working memory whose cached distance fields hold at most `field_bytes` bytes.
    pub fn new(board: B, field_bytes: usize) -> Self {
        Simulator {
            clickers: board.homes_crowd.clone(),
            awake: Vec::new(),
            steps: Vec::new(),
            ellie: board.ellie,
            bricks: board.bricks,
            clickers_key: board.home_key,
            acted: Vec::new(),
            assumed: Vec::new(),
            fields: Fields::new(board.sites(), field_bytes),
            board,
        }
    }

    /// Takes a state up. [`Simulator::unload`] the one before first.
    pub fn load(&mut self, state: &State) {
        for &home in &state.empty_homes {
            self.clickers.remove(home);
        }
        self.awake.clear();
        self.steps.clear();
        for &clicker in &state.away {
            self.clickers.insert(clicker.site);
            if clicker.target != NOTHING {
                self.awake.push(clicker);
            }
        }
        self.ellie = state.ellie;
        self.bricks = state.bricks;
        self.clickers_key = state.clickers_key;
    }

    /// Puts the state back that was loaded last.
    pub fn unload(&mut self, state: &State) {
        for clicker in &state.away {
            self.clickers.remove(clicker.site);
        }
        for &home in &state.empty_homes {
            self.clickers.insert(home);
        }
        for clicker in &state.away {
            if self.board.home.contains(Cell(clicker.site)) {
                self.clickers.insert(clicker.site);
            }
        }
    }

    /// Whether a clicker stands there now.
    #[inline]
    pub fn is_clicker(&self, site: Site) -> bool {
        self.clickers.contains(site)
    }

    /// The clickers within hearing of a cell: bit `5 * (row difference + 2) + column difference + 2`.
    #[inline]
    pub fn hearing(&self, site: Site) -> u32 {
        self.clickers.hearing(site, self.board.stride)
    }

    /// Ellie's cell in the loaded state.
    #[inline]
    pub fn ellie(&self) -> Site {
        self.ellie
    }

    /// The bricks left in the loaded state.
    #[inline]
    pub fn bricks(&self) -> u8 {
        self.bricks
    }

    /// The clickers of the loaded state that trace something, in order.
    pub fn awake(&self) -> &[Clicker] {
        &self.awake
    }

    /// What the last played action made clickers do: those that moved or whose trace changed.
    pub fn acted(&self) -> &[Acted] {
        &self.acted
    }

    /// Bits of the cells of a row of length `count` (5 to 57) where a clicker stands.
    #[inline]
    pub fn clicker_window(&self, from: Site, count: u32) -> u64 {
        self.clickers.window(from, count)
    }

    /// Plays an action on the loaded state. After [`Played::On`] the clickers have acted:
    /// [`Simulator::undo`] before the next one.
    pub fn play(&mut self, action: Move) -> Played {
        self.acted.clear();
        let (drow, dcol) = action.delta();
        let sound = self.board.offset(self.ellie, drow, dcol);
        let mut after = After { ellie: self.ellie, bricks: self.bricks };
        let heard = if action.is_throw() {
            if self.bricks == 0 || !self.board.is_floor(sound) || self.is_clicker(sound) {
                return Played::Illegal;
            }
            if self.hearing(self.ellie) & ADJACENT != 0 {
                return Played::Killed;
            }
            after.bricks -= 1;
            self.hearing(sound)
        } else {
            if sound == self.board.exit {
                return Played::Won;
            }
            if !self.board.is_floor(sound) || self.is_clicker(sound) {
                return Played::Illegal;
            }
            let heard = self.hearing(sound);
            if heard & ADJACENT != 0 {
                return Played::Killed;
            }
            after.ellie = sound;
            heard
        };
        if heard != 0 || !self.awake.is_empty() {
            self.clickers_act(sound, heard, NOTHING);
        }
        Played::On(after)
    }

    /// After [`Simulator::play`] answered `Killed`: lets those clickers act whose turn comes before that of
    /// the one that kills. Ellie stands where she died, and nothing can be played any more.
    pub fn die(&mut self, action: Move) {
        let (drow, dcol) = action.delta();
        let sound = self.board.offset(self.ellie, drow, dcol);
        if !action.is_throw() {
            self.ellie = sound;
        }
        let beside = (self.hearing(self.ellie) & ADJACENT).trailing_zeros() as i32;
        let (row, col) = (beside / HEARING_SIDE, beside % HEARING_SIDE);
        let killer = self.board.offset(self.ellie, row - HEARING_RANGE, col - HEARING_RANGE);
        self.clickers_act(sound, self.hearing(sound), killer);
    }

    /// After [`Simulator::play`] answered `On(after)`: the Zobrist key of the child.
    pub fn key(&self, after: After) -> u64 {
        self.key_of_clickers() ^ ellie_key(after.ellie, after.bricks)
    }

    /// The key of the clickers alone after the last played action.
    fn key_of_clickers(&self) -> u64 {
        self.acted.iter().fold(self.clickers_key, |key, Acted { before, after }| {
            key ^ clicker_key(before.site, before.target) ^ clicker_key(after.site, after.target)
        })
    }

    /// Lets the clickers that stand before the cell `end` act after a sound that those in `heard` hear.
    fn clickers_act(&mut self, sound: Site, mut heard: u32, end: Site) {
        let Simulator { board, clickers, awake, steps, fields, acted, .. } = self;
        let board: &Board = board;
        if steps.len() < awake.len() {
            steps.resize(awake.len(), None);
        }
        // Merge by position: those that hear now, and those that trace an older sound.
        let mut old = 0;
        loop {
            let bit = heard.trailing_zeros() as usize;
            let hearer = match board.hearing_offsets.get(bit) {
                Some(&offset) => sound.wrapping_add_signed(offset),
                None => NOTHING,
            };
            let before = match awake.get(old) {
                Some(&tracer) if tracer.site <= hearer => {
                    old += 1;
                    tracer
                }
                _ if hearer == NOTHING => break,
                _ => Clicker { site: hearer, target: NOTHING },
            };
            if before.site >= end {
                break;
            }
            let mut after = before;
            if before.site == hearer {
                heard &= heard - 1;
                after = match first_free_near(board, clickers, hearer, bit) {
                    Some(site) => Clicker { site, target: sound },
                    None => fields.step_far(board, clickers, hearer, sound),
                };
            } else {
                let Clicker { site, target } = before;
                let steps = steps[old - 1].get_or_insert_with(|| fields.steps(board, site, target));
                after.site = steps.first_free(board, clickers, site);
            }
            if after.site != before.site {
                clickers.remove(before.site);
                clickers.insert(after.site);
            }
            if after.site == after.target {
                after.target = NOTHING;
            }
            acted.push(Acted { before, after });
        }
    }

    /// Takes the clickers' last acts back.
    pub fn undo(&mut self) {
        for act in self.acted.iter().rev() {
            if act.after.site != act.before.site {
                self.clickers.remove(act.after.site);
                self.clickers.insert(act.before.site);
            }
        }
        self.acted.clear();
    }

    /// Puts the clickers that trace a brick (a sound not at Ellie's cell) where they are bound, for
    /// looking ahead; [`Simulator::resume`] before anything else.
    pub fn assume_arrived(&mut self, ellie: Site) {
        for act in &self.acted {
            let Clicker { site, target } = act.after;
            if target != NOTHING && target != ellie && !self.clickers.contains(target) {
                self.clickers.remove(site);
                self.clickers.insert(target);
                self.assumed.push(act.after);
            }
        }
    }

    /// Takes [`Simulator::assume_arrived`] back.
    pub fn resume(&mut self) {
        while let Some(Clicker { site, target }) = self.assumed.pop() {
            self.clickers.remove(target);
            self.clickers.insert(site);
        }
    }

    /// Makes the state after [`Simulator::play`] answered `On(after)` the loaded one, which cannot be
    /// taken back or unloaded then: the way of a game that only goes on.
    pub fn commit(&mut self, after: After) {
        self.clickers_key = self.key_of_clickers();
        (self.ellie, self.bricks) = (after.ellie, after.bricks);
        // Whoever traces something has acted.
        self.awake.clear();
        let tracers = self.acted.iter().map(|act| act.after);
        self.awake.extend(tracers.filter(|clicker| clicker.target != NOTHING));
        self.awake.sort_unstable();
        self.steps.clear();
    }

    /// Builds the child after [`Simulator::play`] answered `On(after)`, before the undo.
    pub fn build(&self, state: &State, after: After) -> State {
        let mut child = State {
            ellie: after.ellie,
            bricks: after.bricks,
            clickers_key: self.key_of_clickers(),
            empty_homes: state.empty_homes.clone(),
            away: SmallVec::new(),
        };
        if self.acted.is_empty() {
            child.away = state.away.clone();
            return child;
        }
        // Those that did not act stay; those that acted are put in again.
        let board = &*self.board;
        let is_home = |site: Site| board.home.contains(Cell(site));
        let mut acted = self.acted.iter().peekable();
        for &clicker in &state.away {
            while acted.peek().is_some_and(|a| a.before.site < clicker.site) {
                acted.next();
            }
            if acted.peek().is_none_or(|a| a.before.site != clicker.site) {
                child.away.push(clicker);
            }
        }
        let mut moved = false;
        for act in &self.acted {
            if act.after.site != act.before.site {
                moved = true;
            }
            if act.after.target != NOTHING || !is_home(act.after.site) {
                child.away.push(act.after);
            }
        }
        child.away.sort_unstable();
        if moved {
            // A home changes only where a clicker left or came.
            for act in &self.acted {
                for site in [act.before.site, act.after.site] {
                    if !is_home(site) {
                        continue;
                    }
                    match (child.empty_homes.binary_search(&site), self.is_clicker(site)) {
                        (Ok(index), true) => {
                            child.empty_homes.remove(index);
                        }
                        (Err(index), false) => child.empty_homes.insert(index, site),
                        _ => {}
                    }
                }
            }
        }
        child
    }

    /// Loads a state, plays one action and unloads: the slow and simple way, for replays.
    pub fn after(&mut self, state: &State, action: Move) -> (Played, Option<State>) {
        self.load(state);
        let played = self.play(action);
        let child = match played {
            Played::On(after) => Some(self.build(state, after)),
            Played::Won => {
                let mut child = state.clone();
                child.ellie = self.board.exit;
                Some(child)
            }
            _ => None,
        };
        self.undo();
        self.unload(state);
        (played, child)
    }

    /// Bytes held, those of the cached distance fields included.
    pub fn bytes(&self) -> usize {
        self.clickers.bytes() + self.fields.bytes()
    }
}

/// The nine middle cells of a [`Simulator::hearing`] window: those beside its centre.
pub const ADJACENT: u32 = 0b01110 << 5 | 0b01110 << 10 | 0b01110 << 15;
