//! Pairs of boxes that cannot both go straight home: what they add to the matching bound.
//!
//! Two boxes in a line in a passage, or one in the only way of another, cost more together than
//! each alone ("linear conflicts", after Hansson, Mayer and Yung for the sliding-tile puzzle, and
//! Junghanns and Schaeffer for Sokoban). Rather than by its shape, a conflict is found by search: a
//! pair of poses *clashes* where with these two boxes alone on the board no sequence of pushes
//! brings both to different targets such that each push brings its box nearer to its target.
//!
//! Why the sum stays a bound: take any solution, and the target that each box goes to in it. Its
//! pushes of two boxes are a solution for the two alone, so for a pair that clashes there are more
//! of them than the two distances say, and since each push changes the colour of its box's square
//! as on a chessboard, at least two more. The pairs counted have no box in common, so the whole
//! costs at least the distances, which the matching bounds, and two for each pair.

use crate::games::sokoban::board::region::{Flood, Occupied};
use crate::games::sokoban::board::{Board, Square};
use crate::games::sokoban::planner::analysis::level::FAR;
use crate::games::sokoban::planner::analysis::push_distance::PushDistances;
use ahash::{AHashMap, AHashSet};
use smallvec::SmallVec;

/// Pairs of poses that a table holds at most; a board with more has none.
const PAIRS: usize = 1 << 20;
/// Targets, and boxes, that are dealt with at most: they are sets in a word.
const MOST: usize = 64;
/// Positions that the search of one pair looks at before it gives up, and finds no clash.
const POSITIONS: usize = 800;
/// Pushes that a clash costs.
pub const PRICE: u32 = 2;

/// Pairs with sets of targets that are kept; then all are forgotten.
const PAIRS_WITHIN: usize = 1 << 17;

const UNKNOWN: u8 = 0;
const FINE: u8 = 1;
const CLASH: u8 = 2;

/// Which pairs of poses of a board clash, as far as it was asked for.
#[derive(Debug, Default)]
pub struct KnownConflicts {
    /// By first pose times the number of poses plus second; empty where the board is too large.
    table: Vec<u8>,
    /// Whether two poses clash where their boxes may only go to some of the targets.
    within: AHashMap<PairWithin, bool>,
}

impl KnownConflicts {
    /// Bytes held.
    pub fn memory(&self) -> usize {
        self.table.len() + self.within.capacity() * (size_of::<(PairWithin, bool)>() + 1)
    }
}

/// Which pairs of poses clash, found out when first asked for.
pub struct Conflicts<'a> {
    board: &'a Board,
    known: KnownConflicts,
    flood: Flood,
    occupied: Occupied,
    seen: AHashSet<Pair>,
    /// The poses of the positions in `seen`, each with the place of those before.
    back_pointers: Vec<([u32; 2], usize)>,
    /// Boxes that each box of the position clashes with.
    clashes: Vec<u64>,
    /// Boxes that each box clashes with where each may only go to some of the targets.
    clashes_within: Vec<u64>,
}

/// Two poses, the smaller number first, and the targets that their boxes may go to.
type PairWithin = ([u32; 2], [u64; 2]);

/// Two boxes and the player, and the targets that each has come nearer to with every push.
#[derive(Clone, Copy, PartialEq, Eq, Hash)]
struct Pair {
    poses: [u32; 2],
    targets: [u64; 2],
    player: Square,
}

impl<'a> Conflicts<'a> {
    /// The conflicts of a board, none of them found out yet.
    pub fn new(board: &'a Board, distances: &PushDistances) -> Self {
        Self::with(board, distances, KnownConflicts::default())
    }

    /// The conflicts of a board of which some are known. What is added to the cost of a target does not change them.
    pub fn with(board: &'a Board, distances: &PushDistances, mut known: KnownConflicts) -> Self {
        let pairs = distances.len().saturating_mul(distances.len());
        let fits = pairs <= PAIRS && board.targets.len() <= MOST;
        known.table.resize(if fits { pairs } else { 0 }, UNKNOWN);
        Conflicts { known, ..Self::none(board) }
    }

    /// Takes out the conflicts that are known, for another table of the same board.
    pub fn take_known(&mut self) -> KnownConflicts {
        std::mem::take(&mut self.known)
    }

    /// A table in which nothing clashes.
    pub fn none(board: &'a Board) -> Self {
        Conflicts {
            board,
            known: KnownConflicts::default(),
            flood: Flood::new(&board.layout),
            occupied: Occupied::new(&board.layout),
            seen: AHashSet::new(),
            back_pointers: Vec::new(),
            clashes: Vec::new(),
            clashes_within: Vec::new(),
        }
    }

    /// Bytes held.
    pub fn memory(&self) -> usize {
        let back_pointers = self.back_pointers.capacity() * size_of::<([u32; 2], usize)>();
        self.known.memory() + back_pointers + self.seen.capacity() * (size_of::<Pair>() + 2)
    }

    /// Looks at a position's boxes. What they add to the bound.
    pub fn place(&mut self, distances: &PushDistances, boxes: &[u32]) -> u32 {
        self.clashes.clear();
        let boxes = on_board(distances, boxes);
        if self.known.table.is_empty() {
            return 0;
        }
        self.clashes.resize(boxes.len(), 0);
        for i in 1..boxes.len() {
            for j in 0..i {
                if self.clash(distances, boxes[i], boxes[j]) {
                    self.clashes[i] |= 1 << j;
                    self.clashes[j] |= 1 << i;
                }
            }
        }
        PRICE * disjoint(&mut self.clashes.iter().copied(), usize::MAX, 0)
    }

    /// What they add with box `i` in another pose.
    pub fn after(&mut self, distances: &PushDistances, boxes: &[u32], i: usize, pose: u32) -> u32 {
        if self.known.table.is_empty() {
            return 0;
        }
        let boxes = on_board(distances, boxes);
        let mut mine = 0;
        for (j, &other) in boxes.iter().enumerate() {
            if j != i && self.clash(distances, pose, other) {
                mine |= 1 << j;
            }
        }
        PRICE * disjoint(&mut self.clashes.iter().copied(), i, mine)
    }

    /// Whether nothing ever clashes.
    pub fn is_none(&self) -> bool {
        self.known.table.is_empty()
    }

    /// What the boxes of the position that was placed last add where each may only go to the targets
    /// of its set.
    pub fn place_within(&mut self, distances: &PushDistances, boxes: &[u32], sets: &[u64]) -> u32 {
        let boxes = on_board(distances, boxes);
        let mut clashes = std::mem::take(&mut self.clashes_within);
        clashes.clear();
        clashes.extend(&self.clashes);
        for i in 1..boxes.len() {
            for j in 0..i {
                if clashes[i] >> j & 1 == 0
                    && self.clash_within(distances, [boxes[i], boxes[j]], [sets[i], sets[j]])
                {
                    clashes[i] |= 1 << j;
                    clashes[j] |= 1 << i;
                }
            }
        }
        let more = PRICE * disjoint(&mut clashes.iter().copied(), usize::MAX, 0);
        self.clashes_within = clashes;
        more
    }

    /// Whether two poses clash where their boxes may only go to these targets.
    fn clash_within(
        &mut self,
        distances: &PushDistances,
        [a, b]: [u32; 2],
        [of_a, of_b]: [u64; 2],
    ) -> bool {
        let (poses, sets) = if a < b { ([a, b], [of_a, of_b]) } else { ([b, a], [of_b, of_a]) };
        if let Some(&known) = self.known.within.get(&(poses, sets)) {
            return known;
        }
        if self.known.within.len() >= PAIRS_WITHIN {
            self.known.within.clear();
        }
        let clash = !self.go_straight(distances, poses, sets);
        self.known.within.insert((poses, sets), clash);
        clash
    }

    /// Whether two poses clash.
    fn clash(&mut self, distances: &PushDistances, a: u32, b: u32) -> bool {
        let index = place(distances, [a, b]);
        if self.known.table[index] == UNKNOWN {
            let poses = [a.min(b), a.max(b)];
            let fine =
                self.go_straight(distances, poses, poses.map(|pose| reached(distances, pose)));
            self.known.table[index] = if fine { FINE } else { CLASH };
        }
        self.known.table[index] == CLASH
    }

    /// Whether two boxes alone on the board may go straight home, each to a target of its set, with
    /// the player in any part of the board that the poses allow. If so, all pairs of poses that they
    /// come through may too.
    fn go_straight(
        &mut self,
        distances: &PushDistances,
        [a, b]: [u32; 2],
        targets: [u64; 2],
    ) -> bool {
        let squares = [distances.square(a), distances.square(b)];
        self.seen.clear();
        self.back_pointers.clear();
        let mut stack = Vec::new();
        for player in squares.iter().flat_map(|&s| self.board.next[s as usize]) {
            let is_free = player as usize != self.board.squares() && !squares.contains(&player);
            if is_free
                && distances.of(self.board, squares[0], player) == a
                && distances.of(self.board, squares[1], player) == b
            {
                stack.push((Pair { poses: [a, b], targets, player }, 0));
            }
        }
        while let Some((mut pair, before)) = stack.pop() {
            if at_home(self.board, distances, &pair) {
                let mut at = before;
                while at != 0 {
                    let (pair, before) = self.back_pointers[at];
                    self.known.table[place(distances, pair)] = FINE;
                    at = before;
                }
                return true;
            }
            if self.seen.len() >= POSITIONS {
                return true;
            }
            let squares = pair.poses.map(|pose| distances.square(pose));
            self.occupied.set_all(&squares, true);
            self.flood.fill(&self.occupied, pair.player);
            pair.player = self.flood.least();
            if self.seen.insert(pair) {
                let at = self.back_pointers.len();
                self.back_pointers.push((pair.poses, before));
                self.expand(distances, (&pair, at), squares, &mut stack);
            }
            self.occupied.set_all(&squares, false);
        }
        false
    }

    /// Puts on the stack the pushes of a pair that bring the pushed box nearer to some target it is
    /// on its way to. The boxes are on the board, and `flood` has the player's region.
    fn expand(
        &mut self,
        distances: &PushDistances,
        (pair, at): (&Pair, usize),
        squares: [Square; 2],
        stack: &mut Vec<(Pair, usize)>,
    ) {
        for (which, &square) in squares.iter().enumerate() {
            let next = self.board.next[square as usize];
            for d in 0..4 {
                let (to, behind) = (next[d], next[d ^ 2]);
                if !self.flood.contains(behind) || self.occupied[to as usize] {
                    continue;
                }
                let pose = distances.beside(to, d ^ 2);
                let mut successor = *pair;
                successor.poses[which] = pose;
                successor.targets[which] &= nearer(distances, pair.poses[which], pose);
                successor.player = square;
                if can_part(successor.targets) {
                    stack.push((successor, at));
                }
            }
        }
    }
}

/// The poses of boxes that are on the board, which come first.
fn on_board<'p>(distances: &PushDistances, boxes: &'p [u32]) -> &'p [u32] {
    &boxes[..boxes.partition_point(|&pose| (pose as usize) < distances.len())]
}

/// The targets that a box in a pose reaches.
fn reached(distances: &PushDistances, pose: u32) -> u64 {
    let costs = distances.costs(pose).iter().enumerate();
    costs.fold(0, |set, (t, &cost)| set | u64::from(cost != FAR) << t)
}

/// Where a table has a pair of poses.
fn place(distances: &PushDistances, [a, b]: [u32; 2]) -> usize {
    a.min(b) as usize * distances.len() + a.max(b) as usize
}

/// The targets that are one push nearer from one pose than from another.
fn nearer(distances: &PushDistances, before: u32, after: u32) -> u64 {
    let pairs = distances.costs(before).iter().zip(distances.costs(after));
    pairs.enumerate().fold(0, |set, (t, (&before, &after))| {
        set | u64::from(before != FAR && after != FAR && after + 1 == before) << t
    })
}

/// Whether two boxes can have different targets of these sets.
fn can_part([a, b]: [u64; 2]) -> bool {
    a != 0 && b != 0 && (a | b).count_ones() > 1
}

/// Whether both boxes are on targets that they were on their way to.
fn at_home(board: &Board, distances: &PushDistances, pair: &Pair) -> bool {
    let here = |which: usize| {
        let square = distances.square(pair.poses[which]);
        let mut targets = board.targets.iter().enumerate();
        targets.any(|(t, &target)| target == square && pair.targets[which] >> t & 1 == 1)
    };
    here(0) && here(1)
}

/// How many pairs can be formed of boxes that clash, no box in two: taken greedily, boxes of few
/// clashes first come first. Box `i` clashes with `mine` instead of what the list says.
fn disjoint(clashes: &mut impl Iterator<Item = u64>, i: usize, mine: u64) -> u32 {
    let mut sets: SmallVec<[(usize, u64); MOST]> = SmallVec::new();
    for (j, set) in clashes.enumerate() {
        let set = if i >= MOST {
            set
        } else if j == i {
            mine
        } else {
            set & !(1 << i) | (mine >> j & 1) << i
        };
        if set != 0 {
            sets.push((j, set));
        }
    }
    if sets.len() < 2 {
        return 0;
    }
    sets.sort_unstable_by_key(|&(j, set)| (set.count_ones(), j));
    let mut free = sets.iter().fold(0u64, |free, &(j, _)| free | 1 << j);
    let mut pairs = 0;
    for (at, &(j, set)) in sets.iter().enumerate() {
        if free >> j & 1 == 0 {
            continue;
        }
        let partner = sets[at + 1..].iter().find(|&&(k, _)| (set & free) >> k & 1 == 1);
        if let Some(&(k, _)) = partner {
            free &= !(1 << j | 1 << k);
            pairs += 1;
        }
    }
    pairs
}
