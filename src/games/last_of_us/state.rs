//! The fast simulator: what the planner walks on.
//!
//! A [`State`] says only what differs from the start: Ellie, her bricks, the homes (starting cells
//! of clickers) that stand empty, and the clickers that are away from home or trace a sound. A
//! [`Simulator`] is one thread's working memory: it holds the clickers of one state as bits, plays
//! an action on them, and takes it back. Only clickers that trace something are touched.
//!
//! Cells here are indices into a board that is padded by [`PAD`] blocked cells on each side, so that
//! no window and no throw needs a bounds check. Keys are Zobrist keys over (cell, traced cell) of
//! all clickers, so that identities of clickers do not matter.
//!
//! Apply and undo won over copies: a step touches a handful of bits of a board of up to 32 KiB, and
//! nine in ten children of a beam are scored and thrown away without ever being built.
//!
//! A clicker that has reached what it traced, or has no way to it, behaves like one that traces
//! nothing; both are stored as tracing nothing.

use super::format::{Action, HEARING_RANGE, Map, THROW_RANGE};
use crate::board::{BitBoard, Cell, Direction, Shape, zobrist};
use smallvec::SmallVec;

/// Blocked cells added on each side of the map.
pub const PAD: u32 = 8;

/// A cell of the padded board.
pub type Site = u32;

/// Traced cell of a clicker that traces nothing.
pub const NOTHING: Site = u32::MAX;

/// An action in one byte: 0 to 7 walk in the [`Direction`] of that number, 8 stays, 9 and up throw.
#[derive(Clone, Copy, PartialEq, Eq, Hash, Debug, PartialOrd, Ord)]
pub struct Move(pub u8);

/// All throws.
pub const THROWS: [Move; (SIDE * SIDE) as usize] = {
    let mut throws = [Move(0); (SIDE * SIDE) as usize];
    let mut index = 0;
    while index < throws.len() {
        throws[index] = Move(9 + index as u8);
        index += 1;
    }
    throws
};

const SIDE: i32 = 2 * THROW_RANGE + 1;

impl Move {
    /// Standing still (`w 0 0`).
    pub const STAY: Move = Move(8);

    /// A throw by row and column difference, each from -7 to 7.
    #[inline]
    pub fn throw(drow: i32, dcol: i32) -> Move {
        debug_assert!(drow.abs() <= THROW_RANGE && dcol.abs() <= THROW_RANGE);
        Move((9 + (drow + THROW_RANGE) * SIDE + dcol + THROW_RANGE) as u8)
    }

    /// Whether this is a throw.
    #[inline]
    pub fn is_throw(self) -> bool {
        self.0 > 8
    }

    /// Row and column difference of the cell that the action makes a sound at.
    #[inline]
    pub fn delta(self) -> (i32, i32) {
        match self.0 {
            walk @ 0..8 => {
                let direction = Direction::ALL[walk as usize];
                (direction.drow(), direction.dcol())
            }
            8 => (0, 0),
            throw => {
                let index = throw as i32 - 9;
                (index / SIDE - THROW_RANGE, index % SIDE - THROW_RANGE)
            }
        }
    }

    /// The action in the plan's terms.
    pub fn action(self) -> Action {
        let (drow, dcol) = self.delta();
        if self.is_throw() {
            Action::Throw { drow: drow as i8, dcol: dcol as i8 }
        } else {
            Action::Walk(Direction::from_delta(drow, dcol))
        }
    }
}

impl From<Action> for Move {
    fn from(action: Action) -> Move {
        match action {
            Action::Walk(None) => Move::STAY,
            Action::Walk(Some(direction)) => Move(direction as u8),
            Action::Throw { drow, dcol } => Move::throw(drow as i32, dcol as i32),
        }
    }
}

/// What never changes in an area, laid out for speed.
pub struct Board {
    /// Rows and columns of the map, without padding.
    pub shape: Shape,
    /// Cells from one row of the padded board to the next.
    pub stride: u32,
    /// Ellie's cell at the start.
    pub ellie: Site,
    /// The exit.
    pub exit: Site,
    /// Bricks at the start.
    pub bricks: u8,
    /// Offset of a step in each direction.
    pub steps: [i32; 8],
    /// Cells that clickers walk on and bricks land on: neither blocked nor the exit.
    pub floor: BitBoard,
    /// Cells where a clicker stands at the start.
    pub home: BitBoard,
    /// The clickers at the start, in order.
    pub homes: Vec<Site>,
    /// For each cell, bit d is set where the neighbour in direction d is floor.
    around: Vec<u8>,
    /// For each floor cell, the number of its component of the floor.
    component: Vec<u32>,
    /// The clickers at the start.
    homes_crowd: Crowd,
    /// Key of all clickers at home.
    home_key: u64,
}

impl Board {
    /// Lays a map out.
    pub fn new(map: &Map) -> Board {
        let shape = map.shape;
        let stride = shape.cols + 2 * PAD;
        let cells = (stride * (shape.rows + 2 * PAD)) as usize;
        let site =
            |cell: Cell| (shape.row(cell) as u32 + PAD) * stride + shape.col(cell) as u32 + PAD;
        let mut floor = BitBoard::new(cells);
        for cell in shape.iter() {
            if !map.blocked.contains(cell) && cell != map.exit {
                floor.insert(Cell(site(cell)));
            }
        }
        let steps = Direction::ALL.map(|d| d.drow() * stride as i32 + d.dcol());
        let mut home = BitBoard::new(cells);
        let homes: Vec<Site> = map.clickers.iter().map(|&c| site(c)).collect();
        let mut home_key = 0;
        let mut homes_crowd = Crowd::new(cells);
        for &h in &homes {
            home.insert(Cell(h));
            homes_crowd.insert(h);
            home_key ^= clicker_key(h, NOTHING);
        }
        let mut around = vec![0u8; cells];
        for cell in shape.iter() {
            let s = site(cell);
            for (d, step) in steps.iter().enumerate() {
                if floor.contains(Cell(s.wrapping_add_signed(*step))) {
                    around[s as usize] |= 1 << d;
                }
            }
        }
        let component = components(&floor, cells, &steps);
        Board {
            shape,
            stride,
            ellie: site(map.ellie),
            exit: site(map.exit),
            bricks: map.bricks as u8,
            steps,
            floor,
            home,
            homes,
            around,
            component,
            homes_crowd,
            home_key,
        }
    }

    /// Number of cells of the padded board.
    pub fn sites(&self) -> usize {
        self.around.len()
    }

    /// Row and column on the padded board.
    #[inline]
    pub fn place(&self, site: Site) -> (i32, i32) {
        ((site / self.stride) as i32, (site % self.stride) as i32)
    }

    /// The cell of the map.
    pub fn cell(&self, site: Site) -> Cell {
        let (row, col) = self.place(site);
        self.shape.cell(row as u32 - PAD, col as u32 - PAD)
    }

    /// The padded cell of a cell of the map.
    pub fn site(&self, cell: Cell) -> Site {
        let (row, col) = (self.shape.row(cell) as u32, self.shape.col(cell) as u32);
        (row + PAD) * self.stride + col + PAD
    }

    /// The cell at a difference of rows and columns.
    #[inline]
    pub fn offset(&self, site: Site, drow: i32, dcol: i32) -> Site {
        site.wrapping_add_signed(drow * self.stride as i32 + dcol)
    }

    /// Chebyshev distance.
    #[inline]
    pub fn chebyshev(&self, a: Site, b: Site) -> u32 {
        let ((ar, ac), (br, bc)) = (self.place(a), self.place(b));
        ar.abs_diff(br).max(ac.abs_diff(bc))
    }

    /// Whether clickers walk there and bricks land there.
    #[inline]
    pub fn is_floor(&self, site: Site) -> bool {
        self.floor.contains(Cell(site))
    }

    /// The clickers at the start that hear a cell, laid out as in [`Simulator::hearing`].
    #[inline]
    pub fn hearing_at_start(&self, site: Site) -> u32 {
        self.homes_crowd.hearing(site, self.stride)
    }

    /// Directions in which the neighbour is floor, as bits.
    #[inline]
    pub fn open_directions(&self, site: Site) -> u8 {
        self.around[site as usize]
    }

    /// The state at the start.
    pub fn start(&self) -> State {
        State {
            ellie: self.ellie,
            bricks: self.bricks,
            clickers_key: self.home_key,
            empty_homes: SmallVec::new(),
            away: SmallVec::new(),
        }
    }
}

/// Numbers the 8-connected components of the floor.
fn components(floor: &BitBoard, cells: usize, steps: &[i32; 8]) -> Vec<u32> {
    let mut component = vec![0u32; cells];
    let mut count = 0;
    let mut stack = Vec::new();
    for seed in floor.iter() {
        if component[seed.index()] != 0 {
            continue;
        }
        count += 1;
        component[seed.index()] = count;
        stack.push(seed.0);
        while let Some(site) = stack.pop() {
            for step in steps {
                let next = site.wrapping_add_signed(*step);
                if floor.contains(Cell(next)) && component[next as usize] == 0 {
                    component[next as usize] = count;
                    stack.push(next);
                }
            }
        }
    }
    component
}

#[inline]
fn clicker_key(site: Site, target: Site) -> u64 {
    zobrist(1, site as u64 | (target as u64) << 24 & 0x00ff_ffff_ff00_0000)
}

#[inline]
fn ellie_key(site: Site, bricks: u8) -> u64 {
    zobrist(2, site as u64 | (bricks as u64) << 32)
}

/// A clicker that is away from home or traces something.
#[derive(Clone, Copy, PartialEq, Eq, Debug, PartialOrd, Ord, Hash)]
pub struct Clicker {
    /// Where it stands.
    pub site: Site,
    /// What it traces, or [`NOTHING`].
    pub target: Site,
}

/// A state: what differs from the start. Equal positions are equal values.
#[derive(Clone, PartialEq, Eq, Debug, Hash)]
pub struct State {
    /// Ellie's cell.
    pub ellie: Site,
    /// Bricks left.
    pub bricks: u8,
    /// Key of the clickers alone.
    pub clickers_key: u64,
    /// Homes where no clicker stands now, in order.
    pub empty_homes: SmallVec<[Site; 6]>,
    /// Clickers that do not sleep at a home, in order.
    pub away: SmallVec<[Clicker; 4]>,
}

impl State {
    /// Zobrist key of the whole state.
    #[inline]
    pub fn key(&self) -> u64 {
        self.clickers_key ^ ellie_key(self.ellie, self.bricks)
    }

    /// Heap bytes beyond the value itself.
    pub fn heap_bytes(&self) -> usize {
        let homes = if self.empty_homes.spilled() { self.empty_homes.capacity() * 4 } else { 0 };
        let away = if self.away.spilled() { self.away.capacity() * 8 } else { 0 };
        homes + away
    }

    /// All clickers, each with what it traces, in order: for comparing with the reference. Slow.
    pub fn clickers(&self, board: &Board) -> Vec<(Cell, Option<Cell>)> {
        let mut all: Vec<(Cell, Option<Cell>)> = board
            .homes
            .iter()
            .filter(|h| {
                self.empty_homes.binary_search(h).is_err()
                    && self.away.binary_search_by_key(*h, |c| c.site).is_err()
            })
            .map(|&h| (board.cell(h), None))
            .collect();
        all.extend(
            self.away
                .iter()
                .map(|c| (board.cell(c.site), (c.target != NOTHING).then(|| board.cell(c.target)))),
        );
        all.sort();
        all
    }
}

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

/// Where clickers stand, laid out for windows: bits, and for each cell the five of them around it in
/// its row, so that a window of 25 is five loads.
#[derive(Clone)]
struct Crowd {
    bits: BitBoard,
    /// Bit d of a cell's mask is set where a clicker stands at column difference d - 2.
    rows: Vec<u8>,
}

impl Crowd {
    fn new(sites: usize) -> Crowd {
        Crowd { bits: BitBoard::new(sites), rows: vec![0; sites] }
    }

    #[inline]
    fn contains(&self, site: Site) -> bool {
        self.rows[site as usize] & 0b00100 != 0
    }

    #[inline]
    fn insert(&mut self, site: Site) {
        self.bits.insert(Cell(site));
        let row = &mut self.rows[site as usize - 2..site as usize + 3];
        for (cell, bit) in row.iter_mut().zip([16, 8, 4, 2, 1]) {
            *cell |= bit;
        }
    }

    #[inline]
    fn remove(&mut self, site: Site) {
        self.bits.remove(Cell(site));
        let row = &mut self.rows[site as usize - 2..site as usize + 3];
        for (cell, bit) in row.iter_mut().zip([16, 8, 4, 2, 1]) {
            *cell &= !bit;
        }
    }

    /// Bit `5 * (row difference + 2) + column difference + 2` for each clicker within distance 2.
    #[inline]
    fn hearing(&self, site: Site, stride: u32) -> u32 {
        let first = (site - 2 * stride) as usize;
        let stride = stride as usize;
        let rows = &self.rows[first..first + 4 * stride + 1];
        rows[0] as u32
            | (rows[stride] as u32) << 5
            | (rows[2 * stride] as u32) << 10
            | (rows[3 * stride] as u32) << 15
            | (rows[4 * stride] as u32) << 20
    }
}

/// One thread's working memory: the clickers of one loaded state as bits.
pub struct Simulator<'a> {
    board: &'a Board,
    clickers: Crowd,
    /// The clickers of the loaded state that trace something, in order.
    awake: Vec<Clicker>,
    ellie: Site,
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

/// Where a brick may land, among the cells within reach.
pub struct Targets {
    ellie: Site,
    stride: u32,
    /// For each row from 7 above Ellie, bit 7 + column difference: floor where a clicker hears it.
    heard: TargetRows,
    /// The same where none does.
    unheard: TargetRows,
}

/// Cells within reach of a throw: for each row from 7 above Ellie, bit 7 + column difference.
pub type TargetRows = [u32; SIDE as usize];

impl Targets {
    /// The throws that a clicker hears, and where they land, row by row.
    pub fn heard(&self) -> impl Iterator<Item = (Move, Site)> {
        throws_at(self.heard).map(|throw| (throw, self.site(throw)))
    }

    /// The throws that none hears.
    pub fn unheard(&self) -> impl Iterator<Item = (Move, Site)> {
        throws_at(self.unheard).map(|throw| (throw, self.site(throw)))
    }

    fn site(&self, throw: Move) -> Site {
        let (drow, dcol) = throw.delta();
        self.ellie.wrapping_add_signed(drow * self.stride as i32 + dcol)
    }
}

/// The throws at some cells, row by row.
pub fn throws_at(rows: TargetRows) -> impl Iterator<Item = Move> {
    (-THROW_RANGE..=THROW_RANGE).zip(rows).flat_map(|(drow, row)| {
        let rests = std::iter::successors(Some(row), |rest| Some(rest & rest.wrapping_sub(1)));
        let cols = rests.take_while(|&rest| rest != 0).map(u32::trailing_zeros);
        cols.map(move |col| Move::throw(drow, col as i32 - THROW_RANGE))
    })
}

/// Where the loaded state's Ellie may throw a brick, if she has one; cells that a clicker stands on
/// are among those that are heard.
pub fn throw_targets(sim: &Simulator<'_>) -> Targets {
    const ROWS: usize = SIDE as usize;
    const HEARD_ROWS: usize = ROWS + 2 * HEARING_RANGE as usize;
    const REACH: i32 = THROW_RANGE + HEARING_RANGE;
    let (board, ellie) = (sim.board, sim.ellie);
    // The rows where some clicker is within hearing along the row.
    let mut along = [0u32; HEARD_ROWS];
    for (row, drow) in along.iter_mut().zip(-REACH..) {
        // Rows and columns past the padding wrap around to cells where nobody stands.
        let from = board.offset(ellie, drow, -REACH) as i32 as isize as usize;
        let bits = sim.clickers.bits.window(from, SIDE as u32 + 2 * HEARING_RANGE as u32) as u32;
        *row = bits | bits >> 1 | bits >> 2 | bits >> 3 | bits >> 4;
    }
    let (mut heard, mut unheard) = (TargetRows::default(), TargetRows::default());
    for (row, drow) in (0..ROWS).zip(-THROW_RANGE..) {
        let from = board.offset(ellie, drow, -THROW_RANGE) as usize;
        let floor = board.floor.window(from, SIDE as u32) as u32;
        let hearing = along[row..row + 5].iter().fold(0, |all, row| all | row);
        heard[row] = floor & hearing;
        unheard[row] = floor & !hearing;
    }
    Targets { ellie, stride: board.stride, heard, unheard }
}

/// The cells within a Chebyshev distance of at most [`PAD`], row by row.
pub fn sites_within(board: &Board, centre: Site, reach: i32) -> impl Iterator<Item = Site> {
    let stride = board.stride as i32;
    (-reach..=reach).flat_map(move |drow| {
        (-reach..=reach).map(move |dcol| centre.wrapping_add_signed(drow * stride + dcol))
    })
}

/// Distances to one cell, as far out as they were asked for, in their bounding box.
///
/// They are kept modulo [`FAR`]: neighbours differ by at most 1, so that is enough to descend.
struct Field {
    first_row: u32,
    first_col: u32,
    cols: u32,
    stride: u32,
    steps: Box<[u16]>,
}

const FAR: u16 = u16::MAX;

impl Field {
    #[inline]
    fn get(&self, site: Site) -> u16 {
        let (row, col) = (site / self.stride, site % self.stride);
        let (row, col) = (row.wrapping_sub(self.first_row), col.wrapping_sub(self.first_col));
        if col >= self.cols {
            return FAR;
        }
        self.steps
            .get((row as usize).wrapping_mul(self.cols as usize) + col as usize)
            .copied()
            .unwrap_or(FAR)
    }
}

/// Distance fields around sounds, cached within a bound of memory.
struct Fields {
    known: ahash::HashMap<Site, Field>,
    held: usize,
    limit: usize,
    /// Working memory of the breadth-first search: distance of a cell, FAR between searches.
    steps: Vec<u16>,
    queue: Vec<Site>,
}

impl Fields {
    fn new(sites: usize, limit: usize) -> Self {
        Fields {
            known: Default::default(),
            held: 0,
            limit,
            steps: vec![FAR; sites],
            queue: Vec::new(),
        }
    }

    /// The field around `target`, out to `site` at least. There is a way between the two.
    fn of(&mut self, board: &Board, target: Site, site: Site) -> &Field {
        let reached = self.known.get(&target).is_some_and(|field| field.get(site) != FAR);
        if !reached {
            let field = self.search(board, target, site);
            if self.held + field.steps.len() * 2 > self.limit {
                self.known.clear();
                self.held = 0;
            }
            self.held += field.steps.len() * 2 + 64;
            if let Some(old) = self.known.insert(target, field) {
                self.held -= old.steps.len() * 2 + 64;
            }
        }
        &self.known[&target]
    }

    /// Breadth-first search from `target` until `site` is reached.
    fn search(&mut self, board: &Board, target: Site, site: Site) -> Field {
        self.queue.clear();
        self.queue.push(target);
        self.steps[target as usize] = 0;
        let mut head = 0;
        'search: while let Some(&at) = self.queue.get(head) {
            head += 1;
            let steps = self.steps[at as usize];
            let mut open = board.open_directions(at);
            while open != 0 {
                let next = at.wrapping_add_signed(board.steps[open.trailing_zeros() as usize]);
                open &= open - 1;
                if self.steps[next as usize] == FAR {
                    self.steps[next as usize] = if steps == FAR - 1 { 0 } else { steps + 1 };
                    self.queue.push(next);
                    if next == site {
                        break 'search;
                    }
                }
            }
        }
        let rows = self.queue.iter().map(|s| s / board.stride);
        let (first_row, last_row) = (rows.clone().min().unwrap_or(0), rows.max().unwrap_or(0));
        let cols = self.queue.iter().map(|s| s % board.stride);
        let (first_col, last_col) = (cols.clone().min().unwrap_or(0), cols.max().unwrap_or(0));
        let cols = last_col - first_col + 1;
        let mut field = Field {
            first_row,
            first_col,
            cols,
            stride: board.stride,
            steps: vec![FAR; ((last_row - first_row + 1) * cols) as usize].into_boxed_slice(),
        };
        for &at in &self.queue {
            let index = (at / board.stride - first_row) * cols + at % board.stride - first_col;
            field.steps[index as usize] = self.steps[at as usize];
            self.steps[at as usize] = FAR;
        }
        field
    }
}
