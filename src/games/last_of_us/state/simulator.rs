//! The simulator: plays an action on the clickers of one loaded state, and takes it back.

use super::board::{Board, Clicker, Crowd, NOTHING, Site, State, clicker_key, ellie_key};
use super::fields::{FAR, Fields};
use super::moves::Move;
use crate::board::{Cell, Direction};
use crate::games::last_of_us::format::HEARING_RANGE;
use smallvec::SmallVec;

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
    /// Zobrist key of the child.
    pub key: u64,
}

/// How a clicker acted.
#[derive(Clone, Copy, Debug)]
pub struct Acted {
    /// Where it stood, and what it traced.
    pub before: Clicker,
    /// Where it stands, and what it traces.
    pub after: Clicker,
}

/// One thread's working memory: the clickers of one loaded state as bits.
pub struct Simulator<'a> {
    pub(super) board: &'a Board,
    pub(super) clickers: Crowd,
    /// The clickers of the loaded state that trace something, in order.
    awake: Vec<Clicker>,
    pub(super) ellie: Site,
    bricks: u8,
    clickers_key: u64,
    /// What the last played action made clickers do.
    acted: Vec<Acted>,
    /// Clickers that [`Simulator::assume_arrived`] has put elsewhere.
    assumed: Vec<Clicker>,
    fields: Fields,
}

impl<'a> Simulator<'a> {
    /// Working memory whose cached distance fields hold at most `field_bytes` bytes.
    pub fn new(board: &'a Board, field_bytes: usize) -> Self {
        Simulator {
            board,
            clickers: board.homes_crowd.clone(),
            awake: Vec::new(),
            ellie: board.ellie,
            bricks: board.bricks,
            clickers_key: board.home_key,
            acted: Vec::new(),
            assumed: Vec::new(),
            fields: Fields::new(board.sites(), field_bytes),
        }
    }

    /// The board it works on.
    pub fn board(&self) -> &'a Board {
        self.board
    }

    /// Takes a state up. [`Simulator::unload`] the one before first.
    pub fn load(&mut self, state: &State) {
        for &home in &state.empty_homes {
            self.clickers.remove(home);
        }
        self.awake.clear();
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

    /// The clickers of the loaded state that trace something, in order.
    pub fn awake(&self) -> &[Clicker] {
        &self.awake
    }

    /// What the last played action made clickers do: those that moved or whose trace changed.
    pub fn acted(&self) -> &[Acted] {
        &self.acted
    }

    /// Bits of the cells of a row of length `count` (at most 57) where a clicker stands.
    #[inline]
    pub fn clicker_window(&self, from: Site, count: u32) -> u64 {
        self.clickers.bits.window(from as usize, count)
    }

    /// Plays an action on the loaded state. After [`Played::On`] the clickers have acted:
    /// [`Simulator::undo`] before the next one.
    pub fn play(&mut self, action: Move) -> Played {
        self.acted.clear();
        let (drow, dcol) = action.delta();
        let sound = self.board.offset(self.ellie, drow, dcol);
        let mut after = After { ellie: self.ellie, bricks: self.bricks, key: 0 };
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
        let key = if heard == 0 && self.awake.is_empty() {
            self.clickers_key
        } else {
            self.clickers_act(sound, heard)
        };
        after.key = key ^ ellie_key(after.ellie, after.bricks);
        Played::On(after)
    }

    /// Lets the clickers act after a sound that those in `heard` hear; the new clickers key.
    fn clickers_act(&mut self, sound: Site, mut heard: u32) -> u64 {
        // Merge by position: those that hear now, and those that trace an older sound.
        let mut old = 0;
        loop {
            let hearer = if heard == 0 {
                NOTHING
            } else {
                let bit = heard.trailing_zeros() as i32;
                self.board.offset(sound, bit / 5 - HEARING_RANGE, bit % 5 - HEARING_RANGE)
            };
            let tracer = self.awake.get(old).copied();
            let before = match tracer {
                Some(tracer) if tracer.site <= hearer => {
                    old += 1;
                    tracer
                }
                _ if hearer == NOTHING => break,
                _ => Clicker { site: hearer, target: NOTHING },
            };
            let mut after = before;
            if before.site == hearer {
                heard &= heard - 1;
                let component = &self.board.component;
                let way = component[hearer as usize] == component[sound as usize];
                after.target = if way { sound } else { NOTHING };
            }
            self.acted.push(Acted { before, after });
        }
        let mut key = self.clickers_key;
        for index in 0..self.acted.len() {
            let Acted { before, mut after } = self.acted[index];
            if after.target != NOTHING {
                let next = self.next_site(after.site, after.target);
                if next != after.site {
                    self.clickers.remove(after.site);
                    self.clickers.insert(next);
                    after.site = next;
                }
                if next == after.target {
                    after.target = NOTHING;
                }
            }
            self.acted[index].after = after;
            key ^= clicker_key(before.site, before.target) ^ clicker_key(after.site, after.target);
        }
        key
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

    /// Where a clicker on `site` that traces `target` steps to; `site` itself where all is occupied.
    #[inline]
    fn next_site(&mut self, site: Site, target: Site) -> Site {
        let board = self.board;
        let (row, col) = board.place(site);
        let (target_row, target_col) = board.place(target);
        let (drow, dcol) = (target_row - row, target_col - col);
        if drow.abs() <= 1 && dcol.abs() <= 1 {
            return if self.is_clicker(target) { site } else { target };
        }
        if drow.abs() <= 2 && dcol.abs() <= 2 {
            let near = &NEAR[((drow + 2) * 5 + dcol + 2) as usize];
            let open = board.open_directions(site);
            if open & near.mask != 0 {
                for &direction in &near.order[..near.count as usize] {
                    if open >> direction & 1 == 1 {
                        let next = site.wrapping_add_signed(board.steps[direction as usize]);
                        if !self.is_clicker(next) {
                            return next;
                        }
                    }
                }
                return site;
            }
        }
        self.next_site_far(site, target)
    }

    /// The same by a distance field, for a way that is not straight.
    fn next_site_far(&mut self, site: Site, target: Site) -> Site {
        let board = self.board;
        let field = self.fields.of(board, target, site);
        let wanted = match field.get(site) {
            0 => FAR - 1,
            steps => steps - 1,
        };
        let (target_row, target_col) = board.place(target);
        let mut best = (u32::MAX, site);
        for direction in 0..8 {
            if board.open_directions(site) >> direction & 1 == 0 {
                continue;
            }
            let next = site.wrapping_add_signed(board.steps[direction]);
            if field.get(next) == wanted && !self.clickers.contains(next) {
                let (row, col) = board.place(next);
                let offset = row.abs_diff(target_row) + col.abs_diff(target_col);
                if offset < best.0 {
                    best = (offset, next);
                }
            }
        }
        best.1
    }

    /// Builds the child after [`Simulator::play`] answered `On(after)`, before the undo.
    pub fn build(&self, state: &State, after: After) -> State {
        let mut child = State {
            ellie: after.ellie,
            bricks: after.bricks,
            clickers_key: after.key ^ ellie_key(after.ellie, after.bricks),
            empty_homes: state.empty_homes.clone(),
            away: SmallVec::new(),
        };
        if self.acted.is_empty() {
            child.away = state.away.clone();
            return child;
        }
        // Those that did not act stay; those that acted are put in anew.
        let board = self.board;
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

    /// Bytes held by the cached distance fields.
    pub fn field_bytes(&self) -> usize {
        self.fields.held
    }
}

/// The nine middle cells of a [`Simulator::hearing`] window: those beside its centre.
pub const ADJACENT: u32 = 0b01110 << 5 | 0b01110 << 10 | 0b01110 << 15;

/// First steps of a two-step way to a cell at distance 2, in the order clickers prefer them.
#[derive(Clone, Copy)]
struct Near {
    mask: u8,
    count: u8,
    order: [u8; 3],
}

/// By (row difference + 2) * 5 + column difference + 2.
static NEAR: [Near; 25] = near_table();

const fn near_table() -> [Near; 25] {
    let mut table = [Near { mask: 0, count: 0, order: [0; 3] }; 25];
    let mut index = 0;
    while index < 25 {
        let (drow, dcol) = (index as i32 / 5 - 2, index as i32 % 5 - 2);
        if drow.abs() == 2 || dcol.abs() == 2 {
            // Offsets run from 1 to 4: first the directions that leave the least, then clockwise.
            let mut offset = 0;
            while offset <= 4 {
                let mut direction = 0;
                while direction < 8 {
                    let d = Direction::ALL[direction];
                    let (row, col) = (drow - d.drow(), dcol - d.dcol());
                    if row.abs() <= 1 && col.abs() <= 1 && row.abs() + col.abs() == offset {
                        let near = &mut table[index];
                        near.mask |= 1 << direction;
                        near.order[near.count as usize] = direction as u8;
                        near.count += 1;
                    }
                    direction += 1;
                }
                offset += 1;
            }
        }
        index += 1;
    }
    table
}

/// The first step of a clicker on `site` toward `target` two steps away, where no cell is occupied;
/// `None` where the way is longer than two steps.
pub fn first_step_of_two(board: &Board, site: Site, target: Site) -> Option<Site> {
    let ((row, col), (target_row, target_col)) = (board.place(site), board.place(target));
    let near = &NEAR[((target_row - row + 2) * 5 + target_col - col + 2) as usize];
    let open = board.open_directions(site);
    let mut order = near.order[..near.count as usize].iter();
    let direction = order.find(|&&d| open >> d & 1 == 1)?;
    Some(site.wrapping_add_signed(board.steps[*direction as usize]))
}
