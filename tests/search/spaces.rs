//! Spaces that searches are tested and measured on.
#![allow(dead_code)] // each of the tests and benches uses some

use outwit::board::{mix, zobrist};
use outwit::search::{Due, Portable, Space, Successor};

/// A row of random words.
pub struct Random(pub u64);

impl Random {
    /// A number below `below`.
    pub fn below(&mut self, below: u64) -> u64 {
        self.0 = mix(self.0);
        ((u128::from(self.0) * u128::from(below)) >> 64) as u64
    }
}

/// Distances to the goals of a graph given by its edges `(from, to, cost)`; by relaxation until
/// nothing changes (Bellman, Ford), which has nothing in common with what is tested.
fn distances(nodes: usize, edges: &[(u32, u32, u32)], goals: &[bool]) -> Vec<u32> {
    let mut distance: Vec<u32> =
        goals.iter().map(|&goal| if goal { 0 } else { u32::MAX }).collect();
    assert_eq!(nodes, goals.len());
    loop {
        let mut changed = false;
        for &(from, to, cost) in edges {
            let through = distance[to as usize].saturating_add(cost);
            if through < distance[from as usize] {
                distance[from as usize] = through;
                changed = true;
            }
        }
        if !changed {
            return distance;
        }
    }
}

/// [`Space::expand_due`] of a space that scores children as fast as it could guess.
#[inline]
fn hold_back<S: Space>(
    space: &S,
    state: &S::State,
    due: Due,
    scratch: &mut S::Scratch,
    visit: &mut impl FnMut(Successor<S::Action>),
) -> u32 {
    let mut later = u32::MAX;
    space.expand(state, scratch, &mut |child| {
        if due.is_due(child.cost + child.bound, &mut later) {
            visit(child);
        }
    });
    later
}

/// A random directed graph; an action is the number of an edge.
pub struct Graph {
    /// Out-edges of each node: where to, and at what cost.
    pub edges: Vec<Vec<(u32, u32)>>,
    pub goals: Vec<bool>,
    /// Least cost to a goal, `u32::MAX` where there is no way.
    pub distance: Vec<u32>,
    /// Admissible, and as a rule inconsistent.
    pub bounds: Vec<u32>,
    /// Keys are node numbers modulo this.
    pub keys: u64,
}

impl Graph {
    /// A graph of `nodes` nodes with `degree` edges each, of costs from 0 or 1 to `cost`.
    pub fn random(seed: u64, nodes: usize, degree: usize, zero: bool, cost: u32) -> Graph {
        let mut random = Random(seed);
        let least = if zero { 0 } else { 1 };
        let edges: Vec<Vec<(u32, u32)>> = (0..nodes)
            .map(|_| {
                let edge = |random: &mut Random| {
                    let to = random.below(nodes as u64) as u32;
                    (to, least + random.below(u64::from(cost + 1 - least)) as u32)
                };
                (0..random.below(degree as u64 + 1)).map(|_| edge(&mut random)).collect()
            })
            .collect();
        let mut goals = vec![false; nodes];
        for _ in 0..=random.below(2) {
            goals[random.below(nodes as u64) as usize] = true;
        }
        let flat: Vec<_> = (0u32..)
            .zip(&edges)
            .flat_map(|(from, out)| out.iter().map(move |&(to, cost)| (from, to, cost)))
            .collect();
        let distance = distances(nodes, &flat, &goals);
        let bounds = distance
            .iter()
            .map(|&d| match d {
                u32::MAX if random.below(2) == 0 => u32::MAX,
                u32::MAX => random.below(9) as u32,
                d => random.below(u64::from(d) + 1) as u32,
            })
            .collect();
        Graph { edges, goals, distance, bounds, keys: u64::MAX }
    }
}

impl Space for Graph {
    type State = u32;
    type Action = u16;
    type Scratch = ();
    fn start(&self) -> u32 {
        0
    }
    fn key(&self, state: &u32) -> u64 {
        u64::from(*state) % self.keys
    }
    fn bound(&self, state: &u32) -> u32 {
        self.bounds[*state as usize]
    }
    fn is_goal(&self, state: &u32) -> bool {
        self.goals[*state as usize]
    }
    fn scratch(&self) {}
    fn expand(&self, state: &u32, _: &mut (), visit: &mut impl FnMut(Successor<u16>)) {
        for (action, &(to, cost)) in (0..).zip(&self.edges[*state as usize]) {
            visit(Successor {
                action,
                cost,
                key: self.key(&to),
                bound: self.bound(&to),
                estimate: self.bound(&to),
                goal: self.is_goal(&to),
                class: to % 16,
            });
        }
    }
    /// By a guess of what a child is worth that is up to 2 too low, for every other state.
    fn expand_due(
        &self,
        state: &u32,
        due: Due,
        scratch: &mut (),
        visit: &mut impl FnMut(Successor<u16>),
    ) -> u32 {
        let mut later = u32::MAX;
        self.expand(state, scratch, &mut |child| {
            let low = child.bound.saturating_sub(child.bound % 3).saturating_add(child.cost);
            if state.is_multiple_of(2) || child.bound != u32::MAX && due.is_due(low, &mut later) {
                visit(child);
            }
        });
        later
    }
    fn child(&self, state: &u32, action: u16, _: &mut ()) -> u32 {
        self.edges[*state as usize][usize::from(action)].0
    }
}

impl Portable for Graph {
    fn pack(&self, state: &u32, words: &mut Vec<u64>) {
        words.push(u64::from(*state));
    }
    fn unpack(&self, words: &[u64]) -> Option<u32> {
        let [word] = *words else { return None };
        u32::try_from(word).ok().filter(|&node| (node as usize) < self.edges.len())
    }
    fn action_word(action: u16) -> u64 {
        u64::from(action)
    }
    fn action_of(word: u64) -> Option<u16> {
        u16::try_from(word).ok()
    }
}

/// A walk on a grid in eight directions, around walls, from one corner to the other. A state has few
/// children and each is scored in no time, so all are visited at once.
pub struct Grid {
    pub side: u32,
    pub wall: Vec<bool>,
}

impl Grid {
    /// A square with `percent` of its cells walls.
    pub fn random(seed: u64, side: u32, percent: u64) -> Grid {
        let mut random = Random(seed);
        let mut wall: Vec<bool> = (0..side * side).map(|_| random.below(100) < percent).collect();
        wall[0] = false;
        wall[(side * side - 1) as usize] = false;
        Grid { side, wall }
    }

    /// The neighbour in direction 0 to 7.
    #[inline]
    pub fn step(&self, cell: u32, direction: u8) -> Option<u32> {
        const STEPS: [(i32, i32); 8] =
            [(1, 1), (1, 0), (0, 1), (1, -1), (-1, 1), (0, -1), (-1, 0), (-1, -1)];
        let (down, right) = STEPS[usize::from(direction)];
        let row = (cell / self.side).wrapping_add_signed(down);
        let col = (cell % self.side).wrapping_add_signed(right);
        let to = row.wrapping_mul(self.side).wrapping_add(col);
        (row < self.side && col < self.side && !self.wall[to as usize]).then_some(to)
    }

    /// Chebyshev's distance to the far corner.
    #[inline]
    pub fn distance(&self, cell: u32) -> u32 {
        (self.side - 1 - cell / self.side).max(self.side - 1 - cell % self.side)
    }
}

impl Space for Grid {
    type State = u32;
    type Action = u8;
    type Scratch = ();
    const KEYS_ARE_EXACT: bool = true;
    fn start(&self) -> u32 {
        0
    }
    fn key(&self, state: &u32) -> u64 {
        u64::from(*state)
    }
    fn bound(&self, state: &u32) -> u32 {
        self.distance(*state)
    }
    fn is_goal(&self, state: &u32) -> bool {
        *state == self.side * self.side - 1
    }
    fn scratch(&self) {}
    fn expand(&self, state: &u32, _: &mut (), visit: &mut impl FnMut(Successor<u8>)) {
        for action in 0..8 {
            if let Some(to) = self.step(*state, action) {
                let bound = self.distance(to);
                visit(Successor {
                    action,
                    cost: 1,
                    key: u64::from(to),
                    bound,
                    estimate: bound,
                    goal: bound == 0,
                    class: to % self.side,
                });
            }
        }
    }
    fn child(&self, state: &u32, action: u8, _: &mut ()) -> u32 {
        self.step(*state, action).expect("an action of expand")
    }
}

/// The sliding-tile puzzle of `SIDE` by `SIDE`, one tile a nibble, row by row from the low end; 0 is
/// the gap, and its place is kept too.
pub struct Sliding<const SIDE: u32> {
    pub start: Tiles,
}

/// A board of [`Sliding`].
#[derive(Clone, Copy, PartialEq, Eq, Hash, Debug)]
pub struct Tiles {
    pub tiles: u64,
    pub gap: u8,
    /// Sum of the tiles' distances from home.
    pub away: u16,
}

impl<const SIDE: u32> Sliding<SIDE> {
    /// The goal, with `moves` random moves done.
    pub fn scrambled(seed: u64, moves: u32) -> Self {
        let solved = (0..u64::from(SIDE * SIDE)).fold(0, |tiles, at| tiles | at << (4 * at));
        let mut tiles = Tiles { tiles: solved, gap: 0, away: 0 };
        let mut random = Random(seed);
        for _ in 0..moves {
            let direction = random.below(4) as u8;
            tiles = Self::slide(tiles, direction).unwrap_or(tiles);
        }
        Sliding { start: tiles }
    }

    /// The same with two tiles swapped, which no moves can mend.
    pub fn swapped(self) -> Self {
        let Tiles { tiles, gap, .. } = self.start;
        let [a, b] = [1u32, 2].map(|n| if u32::from(gap) == n { 3 } else { n });
        let [at_a, at_b] = [a, b].map(|at| tiles >> (4 * at) & 15);
        let both = at_a ^ at_b;
        let tiles = tiles ^ both << (4 * a) ^ both << (4 * b);
        let away = (0..SIDE * SIDE).map(|at| Self::distance(tiles >> (4 * at) & 15, at)).sum();
        Sliding { start: Tiles { tiles, gap, away } }
    }

    /// How far `tile` is from home at `at`.
    #[inline]
    fn distance(tile: u64, at: u32) -> u16 {
        let home = tile as u32;
        if home == 0 {
            return 0;
        }
        ((home / SIDE).abs_diff(at / SIDE) + (home % SIDE).abs_diff(at % SIDE)) as u16
    }

    /// Moves the gap in direction 0 to 3.
    #[inline]
    pub fn slide(board: Tiles, direction: u8) -> Option<Tiles> {
        let gap = u32::from(board.gap);
        let to = match direction {
            0 if gap >= SIDE => gap - SIDE,
            1 if !gap.is_multiple_of(SIDE) => gap - 1,
            2 if gap % SIDE + 1 < SIDE => gap + 1,
            3 if gap + SIDE < SIDE * SIDE => gap + SIDE,
            _ => return None,
        };
        let tile = board.tiles >> (4 * to) & 15;
        let tiles = board.tiles ^ tile << (4 * to) ^ tile << (4 * gap);
        let away = board.away + Self::distance(tile, gap) - Self::distance(tile, to);
        Some(Tiles { tiles, gap: to as u8, away })
    }
}

impl<const SIDE: u32> Space for Sliding<SIDE> {
    type State = Tiles;
    type Action = u8;
    type Scratch = ();
    const KEYS_ARE_EXACT: bool = true;
    fn start(&self) -> Tiles {
        self.start
    }
    fn key(&self, state: &Tiles) -> u64 {
        state.tiles
    }
    fn bound(&self, state: &Tiles) -> u32 {
        u32::from(state.away)
    }
    fn is_goal(&self, state: &Tiles) -> bool {
        state.away == 0
    }
    fn scratch(&self) {}
    fn expand(&self, state: &Tiles, _: &mut (), visit: &mut impl FnMut(Successor<u8>)) {
        for action in 0..4 {
            if let Some(child) = Self::slide(*state, action) {
                visit(Successor {
                    action,
                    cost: 1,
                    key: child.tiles,
                    bound: u32::from(child.away),
                    estimate: u32::from(child.away),
                    goal: child.away == 0,
                    class: u32::from(child.gap),
                });
            }
        }
    }
    fn expand_due(
        &self,
        state: &Tiles,
        due: Due,
        scratch: &mut (),
        visit: &mut impl FnMut(Successor<u8>),
    ) -> u32 {
        hold_back(self, state, due, scratch, visit)
    }
    fn child(&self, state: &Tiles, action: u8, _: &mut ()) -> Tiles {
        Self::slide(*state, action).expect("an action of expand")
    }
}

impl<const SIDE: u32> Portable for Sliding<SIDE> {
    fn pack(&self, state: &Tiles, words: &mut Vec<u64>) {
        words.extend([state.tiles, u64::from(state.gap) | u64::from(state.away) << 8]);
    }
    fn unpack(&self, words: &[u64]) -> Option<Tiles> {
        let [tiles, rest] = *words else { return None };
        Some(Tiles { tiles, gap: rest as u8, away: (rest >> 8) as u16 })
    }
    fn action_word(action: u8) -> u64 {
        u64::from(action)
    }
    fn action_of(word: u64) -> Option<u8> {
        u8::try_from(word).ok()
    }
}

/// A walk on a grid where walls can be broken, as many as there are hammers; some cells have one
/// more.
pub struct Hammers {
    pub grid: Grid,
    pub hammers: u8,
    /// Cells that give a hammer, by bit of [`Walker::taken`].
    pub gifts: [u32; 4],
}

/// A state of [`Hammers`].
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub struct Walker {
    pub cell: u32,
    pub hammers: u8,
    pub taken: u8,
}

impl Hammers {
    fn go(&self, from: &Walker, direction: u8) -> Option<Walker> {
        let side = self.grid.side;
        let (row, col) = (from.cell / side, from.cell % side);
        let cell = match direction {
            0 if row > 0 => from.cell - side,
            1 if col > 0 => from.cell - 1,
            2 if col + 1 < side => from.cell + 1,
            3 if row + 1 < side => from.cell + side,
            _ => return None,
        };
        let broken = u8::from(self.grid.wall[cell as usize]);
        let mut to = Walker { cell, hammers: from.hammers.checked_sub(broken)?, taken: from.taken };
        for (bit, &gift) in self.gifts.iter().enumerate() {
            if gift == cell && to.taken >> bit & 1 == 0 {
                to.taken |= 1 << bit;
                to.hammers += 1;
            }
        }
        Some(to)
    }
}

impl Portable for Hammers {
    fn pack(&self, state: &Walker, words: &mut Vec<u64>) {
        let Walker { cell, hammers, taken } = *state;
        words.push(u64::from(cell) | u64::from(hammers) << 32 | u64::from(taken) << 40);
    }
    fn unpack(&self, words: &[u64]) -> Option<Walker> {
        let [word] = *words else { return None };
        Some(Walker { cell: word as u32, hammers: (word >> 32) as u8, taken: (word >> 40) as u8 })
    }
    fn action_word(action: u8) -> u64 {
        u64::from(action)
    }
    fn action_of(word: u64) -> Option<u8> {
        u8::try_from(word).ok()
    }
}

impl Space for Hammers {
    type State = Walker;
    type Action = u8;
    type Scratch = ();
    fn start(&self) -> Walker {
        Walker { cell: 0, hammers: self.hammers, taken: 0 }
    }
    fn key(&self, state: &Walker) -> u64 {
        u64::from(state.cell) << 16 | u64::from(state.hammers) << 8 | u64::from(state.taken)
    }
    fn bound(&self, state: &Walker) -> u32 {
        let (row, col) = (state.cell / self.grid.side, state.cell % self.grid.side);
        2 * (self.grid.side - 1) - row - col
    }
    fn is_goal(&self, state: &Walker) -> bool {
        self.bound(state) == 0
    }
    fn scratch(&self) {}
    fn expand(&self, state: &Walker, _: &mut (), visit: &mut impl FnMut(Successor<u8>)) {
        for action in 0..4 {
            if let Some(child) = self.go(state, action) {
                let bound = self.bound(&child);
                visit(Successor {
                    action,
                    cost: 1,
                    key: self.key(&child),
                    bound,
                    estimate: bound,
                    goal: bound == 0,
                    class: child.cell,
                });
            }
        }
    }
    fn child(&self, state: &Walker, action: u8, _: &mut ()) -> Walker {
        self.go(state, action).expect("an action of expand")
    }
}

/// Side of a [`Wide`] puzzle.
pub const SIDE: usize = 24;

/// The sliding puzzle on a board of 24 by 24: states of more than a kilobyte, as games on real boards
/// have them, with key and estimate kept up to date.
pub struct Wide {
    pub start: Board,
}

/// A state of [`Wide`].
#[derive(Clone, PartialEq, Eq, Hash, Debug)]
pub struct Board {
    /// The tile on each cell; 0 is the hole, and its home the first cell.
    pub tiles: [u16; SIDE * SIDE],
    pub hole: u16,
    /// Sum of the tiles' Manhattan distances from home.
    pub away: u32,
    /// Xor of the words of all tiles (Zobrist).
    pub key: u64,
}

/// What a move does: the cell that becomes the hole, the distance and the key then.
pub struct Slide {
    pub from: usize,
    pub away: u32,
    pub key: u64,
}

impl Wide {
    /// The solved board after a random walk that never turns back.
    pub fn scrambled(seed: u64, moves: u32) -> Wide {
        let mut random = Random(seed);
        let mut start = Board { tiles: [0; SIDE * SIDE], hole: 0, away: 0, key: 0 };
        for (cell, tile) in start.tiles.iter_mut().enumerate() {
            *tile = cell as u16;
            start.key ^= zobrist(tile.to_owned().into(), cell as u64);
        }
        let mut last = 4;
        for _ in 0..moves {
            let direction = random.below(4) as u8;
            let forward = direction + last != 3 || last == 4;
            if let Some(slide) = Self::slide(&start, direction).filter(|_| forward) {
                start = Self::after(&start, &slide);
                last = direction;
            }
        }
        Wide { start }
    }

    /// What a move of the hole does: up, left, right, down.
    #[inline]
    pub fn slide(board: &Board, direction: u8) -> Option<Slide> {
        let hole = board.hole as usize;
        let from = match direction {
            0 if hole >= SIDE => hole - SIDE,
            1 if !hole.is_multiple_of(SIDE) => hole - 1,
            2 if hole % SIDE + 1 < SIDE => hole + 1,
            3 if hole + SIDE < SIDE * SIDE => hole + SIDE,
            _ => return None,
        };
        let tile = board.tiles[from] as usize;
        let distance = |cell: usize| {
            ((cell / SIDE).abs_diff(tile / SIDE) + (cell % SIDE).abs_diff(tile % SIDE)) as u32
        };
        let away = board.away + distance(hole) - distance(from);
        let word = |tile: usize, cell: usize| zobrist(tile as u32, cell as u64);
        let key = board.key ^ word(tile, from) ^ word(tile, hole) ^ word(0, hole) ^ word(0, from);
        Some(Slide { from, away, key })
    }

    /// The board after a move.
    #[inline]
    pub fn after(board: &Board, slide: &Slide) -> Board {
        let mut next = Board { away: slide.away, key: slide.key, ..board.clone() };
        next.tiles.swap(board.hole as usize, slide.from);
        next.hole = slide.from as u16;
        next
    }
}

impl Space for Wide {
    type State = Board;
    type Action = u8;
    type Scratch = ();
    fn start(&self) -> Board {
        self.start.clone()
    }
    fn key(&self, state: &Board) -> u64 {
        state.key
    }
    fn bound(&self, state: &Board) -> u32 {
        state.away
    }
    fn is_goal(&self, state: &Board) -> bool {
        state.away == 0
    }
    fn scratch(&self) {}
    fn expand(&self, state: &Board, _: &mut (), visit: &mut impl FnMut(Successor<u8>)) {
        for action in 0..4 {
            if let Some(slide) = Self::slide(state, action) {
                visit(Successor {
                    action,
                    cost: 1,
                    key: slide.key,
                    bound: slide.away,
                    estimate: slide.away,
                    goal: slide.away == 0,
                    class: slide.from as u32,
                });
            }
        }
    }
    fn expand_due(
        &self,
        state: &Board,
        due: Due,
        scratch: &mut (),
        visit: &mut impl FnMut(Successor<u8>),
    ) -> u32 {
        hold_back(self, state, due, scratch, visit)
    }
    fn child(&self, state: &Board, action: u8, _: &mut ()) -> Board {
        let slide = Self::slide(state, action).expect("an action of expand");
        Self::after(state, &slide)
    }
    fn leads_to(&self, state: &Board, action: u8, candidate: &Board, _: &mut ()) -> bool {
        let Some(slide) = Self::slide(state, action) else { return false };
        let (hole, from) = (state.hole as usize, slide.from);
        let (low, high) = (hole.min(from), hole.max(from));
        let (old, new) = (&state.tiles, &candidate.tiles);
        new[hole] == old[from]
            && new[from] == 0
            && old[..low] == new[..low]
            && old[low + 1..high] == new[low + 1..high]
            && old[high + 1..] == new[high + 1..]
    }
}

/// The 15-puzzle with an estimate that costs what estimates of real games cost: distances and
/// linear conflicts, from scratch for each child (Hansson, Mayer, Yung, 1992).
pub struct Conflicts(pub Sliding<4>);

/// Pairs of tiles of one line that are both in it at home, and in the wrong order.
fn conflicts(tiles: u64) -> u32 {
    let tile = |row: u32, col: u32| (tiles >> (4 * (4 * row + col)) & 15) as u32;
    let mut pairs = 0;
    for line in 0..4 {
        for a in 0..3 {
            for b in a + 1..4 {
                let (x, y) = (tile(line, a), tile(line, b));
                pairs += u32::from(x != 0 && y != 0 && x / 4 == line && y / 4 == line && x > y);
                let (x, y) = (tile(a, line), tile(b, line));
                pairs += u32::from(x != 0 && y != 0 && x % 4 == line && y % 4 == line && x > y);
            }
        }
    }
    pairs
}

impl Space for Conflicts {
    type State = Tiles;
    type Action = u8;
    type Scratch = ();
    fn start(&self) -> Tiles {
        self.0.start
    }
    fn key(&self, state: &Tiles) -> u64 {
        state.tiles
    }
    fn bound(&self, state: &Tiles) -> u32 {
        self.0.bound(state)
    }
    fn is_goal(&self, state: &Tiles) -> bool {
        self.0.is_goal(state)
    }
    fn scratch(&self) {}
    fn expand(&self, state: &Tiles, scratch: &mut (), visit: &mut impl FnMut(Successor<u8>)) {
        self.0.expand(state, scratch, &mut |child| {
            let estimate = child.bound + 2 * conflicts(child.key);
            visit(Successor { estimate, ..child });
        });
    }
    fn child(&self, state: &Tiles, action: u8, scratch: &mut ()) -> Tiles {
        self.0.child(state, action, scratch)
    }
}

/// Carts on a floor with walls, each with a place to go; one moves at a time. Many children of which
/// few are of use, and states of some size: what searches of real games meet.
pub struct Fleet<const CARTS: usize> {
    pub start: Carts<CARTS>,
    side: u32,
    /// For each cart and cell, the steps to the cart's place as if it were alone.
    steps: Vec<Vec<u16>>,
}

/// A state of [`Fleet`].
#[derive(Clone, Copy, PartialEq, Eq, Hash, Debug)]
pub struct Carts<const CARTS: usize> {
    /// The cell of each cart.
    pub cells: [u16; CARTS],
    /// Sum of their steps to go.
    pub away: u32,
}

impl<const CARTS: usize> Fleet<CARTS> {
    /// Carts in the left half with places in the right half, of a square with `percent` walls.
    pub fn random(seed: u64, side: u32, percent: u64) -> Self {
        let mut random = Random(seed);
        loop {
            let wall: Vec<bool> = (0..side * side).map(|_| random.below(100) < percent).collect();
            if let Some(fleet) = Self::draw(&mut random, side, &wall) {
                return fleet;
            }
        }
    }

    /// A fleet among these walls, all carts and places in one part of the square; none where the
    /// first cart's part has too little room.
    fn draw(random: &mut Random, side: u32, wall: &[bool]) -> Option<Self> {
        const TRIES: u32 = 10_000;
        let mut part: Option<Vec<u16>> = None;
        let mut taken = Vec::new();
        let mut cell_from = |left: u32| {
            (0..TRIES).find_map(|_| {
                let (row, col) = (random.below(side.into()), random.below(u64::from(side / 2)));
                let cell = (row as u32 * side + left + col as u32) as u16;
                let at = usize::from(cell);
                let joined = part.as_ref().is_none_or(|part| part[at] != u16::MAX);
                let free = !wall[at] && joined && !taken.contains(&cell);
                free.then(|| {
                    part.get_or_insert_with(|| walk(side, wall, cell));
                    taken.push(cell);
                    cell
                })
            })
        };
        let mut cells = [0; CARTS];
        let mut steps = Vec::new();
        for cell in &mut cells {
            *cell = cell_from(0)?;
            steps.push(walk(side, wall, cell_from(side - side / 2)?));
        }
        let away = cells.iter().zip(&steps).map(|(&c, s)| u32::from(s[usize::from(c)])).sum();
        Some(Fleet { start: Carts { cells, away }, side, steps })
    }

    /// Where cart and direction lead: the cell, and the sum of steps then.
    #[inline]
    pub fn roll(&self, state: &Carts<CARTS>, cart: usize, direction: u8) -> Option<(u16, u32)> {
        let from = u32::from(state.cells[cart]);
        let to = match direction {
            0 if from >= self.side => from - self.side,
            1 if !from.is_multiple_of(self.side) => from - 1,
            2 if from % self.side + 1 < self.side => from + 1,
            3 if from + self.side < self.side * self.side => from + self.side,
            _ => return None,
        } as u16;
        let steps = &self.steps[cart];
        let (before, after) = (steps[from as usize], steps[usize::from(to)]);
        let away = || state.away + u32::from(after) - u32::from(before);
        let free = after != u16::MAX && !state.cells.contains(&to);
        free.then(|| (to, away()))
    }

    /// The state after a cart has come to a cell.
    #[inline]
    pub fn after(state: &Carts<CARTS>, cart: usize, to: u16, away: u32) -> Carts<CARTS> {
        let mut next = Carts { away, ..*state };
        next.cells[cart] = to;
        next
    }
}

/// Steps to a cell of a square, in four directions.
fn walk(side: u32, wall: &[bool], goal: u16) -> Vec<u16> {
    let mut steps = vec![u16::MAX; wall.len()];
    if wall[usize::from(goal)] {
        return steps;
    }
    steps[usize::from(goal)] = 0;
    let mut queue = std::collections::VecDeque::from([u32::from(goal)]);
    while let Some(cell) = queue.pop_front() {
        let (row, col) = (cell / side, cell % side);
        let around = [
            (row.wrapping_sub(1), col),
            (row, col.wrapping_sub(1)),
            (row, col + 1),
            (row + 1, col),
        ];
        for (row, col) in around {
            let next = row.wrapping_mul(side).wrapping_add(col) as usize;
            if row < side && col < side && !wall[next] && steps[next] == u16::MAX {
                steps[next] = steps[cell as usize] + 1;
                queue.push_back(next as u32);
            }
        }
    }
    steps
}

impl<const CARTS: usize> Space for Fleet<CARTS> {
    type State = Carts<CARTS>;
    type Action = (u8, u8);
    type Scratch = ();
    fn start(&self) -> Carts<CARTS> {
        self.start
    }
    fn key(&self, state: &Carts<CARTS>) -> u64 {
        (0..).zip(&state.cells).fold(0, |key, (cart, &cell)| key ^ zobrist(cart, cell.into()))
    }
    fn bound(&self, state: &Carts<CARTS>) -> u32 {
        state.away
    }
    fn is_goal(&self, state: &Carts<CARTS>) -> bool {
        state.away == 0
    }
    fn scratch(&self) {}
    fn expand(
        &self,
        state: &Carts<CARTS>,
        scratch: &mut (),
        visit: &mut impl FnMut(Successor<(u8, u8)>),
    ) {
        self.expand_due(state, Due { least: 0, most: u32::MAX }, scratch, visit);
    }
    fn expand_due(
        &self,
        state: &Carts<CARTS>,
        due: Due,
        _: &mut (),
        visit: &mut impl FnMut(Successor<(u8, u8)>),
    ) -> u32 {
        let key = self.key(state);
        let mut later = u32::MAX;
        for cart in 0..CARTS {
            for direction in 0..4 {
                let Some((to, away)) = self.roll(state, cart, direction) else { continue };
                if !due.is_due(1 + away, &mut later) {
                    continue;
                }
                let word = |cell: u16| zobrist(cart as u32, cell.into());
                visit(Successor {
                    action: (cart as u8, direction),
                    cost: 1,
                    key: key ^ word(state.cells[cart]) ^ word(to),
                    bound: away,
                    estimate: away,
                    goal: away == 0,
                    class: cart as u32,
                });
            }
        }
        later
    }
    fn child(&self, state: &Carts<CARTS>, (cart, direction): (u8, u8), _: &mut ()) -> Carts<CARTS> {
        let cart = usize::from(cart);
        let (to, away) = self.roll(state, cart, direction).expect("an action of expand");
        Self::after(state, cart, to, away)
    }
    fn leads_to(
        &self,
        state: &Carts<CARTS>,
        (cart, direction): (u8, u8),
        candidate: &Carts<CARTS>,
        scratch: &mut (),
    ) -> bool {
        self.child(state, (cart, direction), scratch).cells == candidate.cells
    }
}
