//! Spaces that searches are tested and measured on.
#![allow(dead_code)] // each of the tests and benches uses some

use outwit::board::{mix, zobrist};
use outwit::search::{Child, Space};

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
    fn expand(&self, state: &u32, _: &mut (), visit: &mut impl FnMut(Child<u16>)) {
        for (action, &(to, cost)) in (0..).zip(&self.edges[*state as usize]) {
            visit(Child {
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
    fn child(&self, state: &u32, action: u16, _: &mut ()) -> u32 {
        self.edges[*state as usize][usize::from(action)].0
    }
}

/// A walk on a grid in eight directions, around walls, from one corner to the other.
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
    fn expand(&self, state: &u32, _: &mut (), visit: &mut impl FnMut(Child<u8>)) {
        for action in 0..8 {
            if let Some(to) = self.step(*state, action) {
                let bound = self.distance(to);
                visit(Child {
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
    fn leads_to(&self, _: &u32, _: u8, _: &u32, _: &mut ()) -> bool {
        true // the key is the cell
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
    fn expand(&self, state: &Tiles, _: &mut (), visit: &mut impl FnMut(Child<u8>)) {
        for action in 0..4 {
            if let Some(child) = Self::slide(*state, action) {
                visit(Child {
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
    fn child(&self, state: &Tiles, action: u8, _: &mut ()) -> Tiles {
        Self::slide(*state, action).expect("an action of expand")
    }
    fn leads_to(&self, _: &Tiles, _: u8, _: &Tiles, _: &mut ()) -> bool {
        true // the key is the board
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
    fn expand(&self, state: &Walker, _: &mut (), visit: &mut impl FnMut(Child<u8>)) {
        for action in 0..4 {
            if let Some(child) = self.go(state, action) {
                let bound = self.bound(&child);
                visit(Child {
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

/// A walker who pushes crates out of its way to the far corner: a state as planners have them, with
/// a board of its own (2 KiB) and a key that is kept up to date.
pub struct Warehouse {
    pub start: Floor,
}

/// Side of a [`Warehouse`].
pub const FLOOR: u32 = 128;

/// A state of [`Warehouse`].
#[derive(Clone, PartialEq, Eq, Hash, Debug)]
pub struct Floor {
    /// One bit a cell, one word a row.
    pub crates: [u128; FLOOR as usize],
    pub walker: u16,
    /// Xor of the words of all crates and of the walker (Zobrist).
    pub key: u64,
}

impl Floor {
    fn has(&self, cell: u32) -> bool {
        self.crates[(cell / FLOOR) as usize] >> (cell % FLOOR) & 1 != 0
    }

    fn flip(&mut self, cell: u32) {
        self.crates[(cell / FLOOR) as usize] ^= 1u128 << (cell % FLOOR);
    }
}

/// The cell beside another.
fn beside(cell: u32, direction: u8) -> Option<u32> {
    match direction {
        0 if cell >= FLOOR => Some(cell - FLOOR),
        1 if !cell.is_multiple_of(FLOOR) => Some(cell - 1),
        2 if cell % FLOOR + 1 < FLOOR => Some(cell + 1),
        3 if cell + FLOOR < FLOOR * FLOOR => Some(cell + FLOOR),
        _ => None,
    }
}

impl Warehouse {
    /// A floor with `percent` of its cells taken by crates.
    pub fn random(seed: u64, percent: u64) -> Warehouse {
        let mut random = Random(seed);
        let mut start = Floor { crates: [0; FLOOR as usize], walker: 0, key: zobrist(1, 0) };
        for cell in 1..FLOOR * FLOOR - 1 {
            if random.below(100) < percent {
                start.flip(cell);
                start.key ^= zobrist(0, u64::from(cell));
            }
        }
        Warehouse { start }
    }

    /// Manhattan distance to the far corner.
    pub fn distance(walker: u32) -> u32 {
        2 * (FLOOR - 1) - walker / FLOOR - walker % FLOOR
    }

    /// Where the walker and the crate before it go, and the key then.
    #[inline]
    pub fn step(floor: &Floor, direction: u8) -> Option<(u32, Option<u32>, u64)> {
        let to = beside(u32::from(floor.walker), direction)?;
        let key = floor.key ^ zobrist(1, u64::from(floor.walker)) ^ zobrist(1, u64::from(to));
        if !floor.has(to) {
            return Some((to, None, key));
        }
        let on = beside(to, direction).filter(|&on| !floor.has(on))?;
        Some((to, Some(on), key ^ zobrist(0, u64::from(to)) ^ zobrist(0, u64::from(on))))
    }

    /// The floor after a step.
    #[inline]
    pub fn walk(floor: &Floor, direction: u8) -> Option<Floor> {
        let (to, on, key) = Self::step(floor, direction)?;
        let mut next = Floor { walker: to as u16, key, ..floor.clone() };
        if let Some(on) = on {
            next.flip(to);
            next.flip(on);
        }
        Some(next)
    }
}

impl Space for Warehouse {
    type State = Floor;
    type Action = u8;
    type Scratch = ();
    fn start(&self) -> Floor {
        self.start.clone()
    }
    fn key(&self, state: &Floor) -> u64 {
        state.key
    }
    fn bound(&self, state: &Floor) -> u32 {
        Self::distance(u32::from(state.walker))
    }
    fn is_goal(&self, state: &Floor) -> bool {
        self.bound(state) == 0
    }
    fn scratch(&self) {}
    fn expand(&self, state: &Floor, _: &mut (), visit: &mut impl FnMut(Child<u8>)) {
        for action in 0..4 {
            if let Some((to, _, key)) = Self::step(state, action) {
                let bound = Self::distance(to);
                visit(Child {
                    action,
                    cost: 1,
                    key,
                    bound,
                    estimate: bound,
                    goal: bound == 0,
                    class: to,
                });
            }
        }
    }
    fn child(&self, state: &Floor, action: u8, _: &mut ()) -> Floor {
        Self::walk(state, action).expect("an action of expand")
    }
    fn leads_to(&self, state: &Floor, action: u8, candidate: &Floor, _: &mut ()) -> bool {
        let Some((to, on, key)) = Self::step(state, action) else { return false };
        let moved: u128 = on.map_or(0, |on| 1 << (on / FLOOR) | 1 << (to / FLOOR));
        let same_row =
            |row: usize| state.crates[row] == candidate.crates[row] || moved >> row & 1 == 1;
        candidate.key == key
            && u32::from(candidate.walker) == to
            && (0..FLOOR as usize).all(same_row)
            && (moved == 0 || Self::walk(state, action).as_ref() == Some(candidate))
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
    fn expand(&self, state: &Tiles, scratch: &mut (), visit: &mut impl FnMut(Child<u8>)) {
        self.0.expand(state, scratch, &mut |child| {
            let estimate = child.bound + 2 * conflicts(child.key);
            visit(Child { estimate, ..child });
        });
    }
    fn child(&self, state: &Tiles, action: u8, scratch: &mut ()) -> Tiles {
        self.0.child(state, action, scratch)
    }
}
