//! Positions that cannot be solved any more, cheap tests first.
//!
//! Dead squares are in [`Terrain`]. Here: freeze deadlocks, targets that frozen boxes cut off
//! (bipartite deadlocks), and corrals: parts of the board that the player cannot reach, searched
//! alone with the boxes around them (Virkkala, "Solving Sokoban", 2011). A box that leaves the
//! corral is taken off the board and the rest is searched on: stopping at the first box that gets
//! out missed most deadlocks of crowded rooms (XSokoban: 13, 21, 28, 76 and others were solved by
//! this change alone). Searching clusters of touching boxes in the same way, without walls around
//! them, found next to nothing and is not done. What a corral search proves is kept as a pattern: some boxes and a region of the player that are dead whatever else
//! stands on the board.

use super::lift::{Lift, Way};
use super::terrain::{Bits, Terrain, has, put};
use crate::board::mix;
use crate::games::sokoban::state::{Board, Flood, Square};
use ahash::{AHashMap, AHashSet};
use smallvec::SmallVec;

/// Positions that one corral search looks at before it gives up.
const CORRAL_POSITIONS: usize = 400;
/// Positions of corral searches that each position tested earns; what is not spent is saved.
const EARNED_POSITIONS: usize = 150;
/// The most positions that are saved.
const SAVED_POSITIONS: usize = 20_000;
/// The most boxes of a corral that is searched.
const CORRAL_BOXES: usize = 14;
/// Patterns kept for one square.
const PATTERNS_A_SQUARE: usize = 400;
/// Sets of frozen boxes whose reach is kept.
const FROZEN_SETS: usize = 4096;
/// Corral verdicts kept.
const VERDICTS: usize = 1 << 21;

/// Finds boxes that can never move again.
#[derive(Clone, Debug)]
pub struct Freeze {
    frozen: Vec<bool>,
    cluster: Vec<Square>,
}

impl Freeze {
    /// Working memory for a board.
    pub fn new(board: &Board) -> Self {
        Freeze { frozen: vec![false; board.squares() + 1], cluster: Vec::new() }
    }

    /// Whether the box on `square` is frozen together with a box that is not on a target.
    ///
    /// A box is frozen where on both axes a neighbour is a wall or a frozen box, or both are dead
    /// squares. The frozen boxes among those that touch each other are the greatest fixed point
    /// of that rule: the first of them to move would need two free neighbours.
    pub fn is_dead(
        &mut self,
        board: &Board,
        terrain: &Terrain,
        occupied: &[bool],
        square: Square,
    ) -> bool {
        if self.loose_at_once(board, terrain, occupied, square) {
            return false;
        }
        self.gather(board, occupied, square);
        self.thaw(board, terrain);
        let dead = self.frozen[square as usize]
            && (self.cluster.iter())
                .any(|&s| self.frozen[s as usize] && !board.is_target[s as usize]);
        self.clear();
        dead
    }

    /// All frozen boxes of a position, in order.
    pub fn all(
        &mut self,
        board: &Board,
        terrain: &Terrain,
        boxes: &[Square],
        frozen: &mut Vec<Square>,
    ) {
        self.cluster.clear();
        self.cluster.extend_from_slice(boxes);
        self.cluster.iter().for_each(|&s| self.frozen[s as usize] = true);
        self.thaw(board, terrain);
        frozen.clear();
        frozen.extend(boxes.iter().filter(|&&s| self.frozen[s as usize]));
        self.clear();
    }

    fn clear(&mut self) {
        for &s in &self.cluster {
            self.frozen[s as usize] = false;
        }
        self.cluster.clear();
    }

    /// Whether on some axis both neighbours are free and not both dead: the common case.
    #[inline]
    fn loose_at_once(
        &self,
        board: &Board,
        terrain: &Terrain,
        occupied: &[bool],
        square: Square,
    ) -> bool {
        let next = board.next[square as usize];
        (0..2).any(|axis| {
            let (a, b) = (next[axis] as usize, next[axis + 2] as usize);
            !occupied[a] && !occupied[b] && (terrain.live[a] || terrain.live[b])
        })
    }

    /// The boxes that hang together with the one on `square`, all taken for frozen at first.
    fn gather(&mut self, board: &Board, occupied: &[bool], square: Square) {
        self.cluster.clear();
        self.cluster.push(square);
        self.frozen[square as usize] = true;
        let mut head = 0;
        while let Some(&s) = self.cluster.get(head) {
            head += 1;
            for next in board.next[s as usize] {
                let i = next as usize;
                if i != board.squares() && occupied[i] && !self.frozen[i] {
                    self.frozen[i] = true;
                    self.cluster.push(next);
                }
            }
        }
    }

    /// Thaws boxes that can move on some axis until none is left to thaw.
    fn thaw(&mut self, board: &Board, terrain: &Terrain) {
        let wall = board.squares();
        let stuck = |frozen: &[bool], s: Square| {
            (0..2).all(|axis| {
                let next = board.next[s as usize];
                let (a, b) = (next[axis] as usize, next[axis + 2] as usize);
                a == wall
                    || b == wall
                    || frozen[a]
                    || frozen[b]
                    || (!terrain.live[a] && !terrain.live[b])
            })
        };
        loop {
            let mut changed = false;
            for i in 0..self.cluster.len() {
                let s = self.cluster[i];
                if self.frozen[s as usize] && !stuck(&self.frozen, s) {
                    self.frozen[s as usize] = false;
                    changed = true;
                }
            }
            if !changed {
                return;
            }
        }
    }
}

/// Boxes that are dead together while the player is in a region.
#[derive(Clone, Debug)]
struct Pattern {
    boxes: Bits,
    region: Bits,
}

/// For each target that no frozen box holds, the squares from which a box reaches it.
#[derive(Debug)]
struct Reach {
    targets: Vec<Bits>,
}

/// Everything that proves a position dead.
pub struct Deadlocks<'a> {
    board: &'a Board,
    terrain: &'a Terrain,
    freeze: Freeze,
    flood: Flood,
    inner: Flood,
    lift: Lift,
    occupied: Vec<bool>,
    /// The area of the corral being searched.
    area: Vec<bool>,
    frozen: Vec<Square>,
    reach: AHashMap<u64, Reach>,
    verdicts: AHashMap<u64, bool>,
    patterns: Vec<Pattern>,
    patterns_at: Vec<Vec<u32>>,
    /// Positions that corral searches looked at.
    pub corral_positions: u64,
    /// Positions that corral searches may still look at.
    saved: usize,
}

/// What a corral search found.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
enum Corral {
    Dead,
    Open,
    TooLong,
}

/// The boxes of a corral.
type Members = SmallVec<[Square; 16]>;

/// The positions that one corral search has looked at.
struct Tries {
    seen: AHashSet<u64>,
    positions: usize,
    most: usize,
}

impl<'a> Deadlocks<'a> {
    /// For a board.
    pub fn new(board: &'a Board, terrain: &'a Terrain) -> Self {
        let mut occupied = vec![false; board.squares() + 1];
        occupied[board.squares()] = true;
        Deadlocks {
            board,
            terrain,
            freeze: Freeze::new(board),
            flood: Flood::new(board),
            inner: Flood::new(board),
            lift: Lift::new(board),
            area: vec![false; board.squares() + 1],
            occupied,
            frozen: Vec::new(),
            reach: AHashMap::new(),
            verdicts: AHashMap::new(),
            patterns: Vec::new(),
            patterns_at: vec![Vec::new(); board.squares() + 1],
            corral_positions: 0,
            saved: SAVED_POSITIONS,
        }
    }

    /// Patterns learned.
    pub fn patterns(&self) -> usize {
        self.patterns.len()
    }

    /// Bytes held, about.
    pub fn memory(&self) -> usize {
        self.verdicts.capacity() * 18
            + self.patterns.len() * (self.terrain.words * 16 + 80)
            + self.reach.len() * self.board.targets.len() * (self.terrain.words * 8 + 24)
    }

    /// The quick test of a push or haul that has just put a box on `square`.
    pub fn is_dead_quickly(
        &mut self,
        occupied: &[bool],
        bits: &[u64],
        square: Square,
        player: Square,
    ) -> bool {
        self.freeze.is_dead(self.board, self.terrain, occupied, square)
            || self.matches_pattern(bits, square, player)
    }

    fn matches_pattern(&self, bits: &[u64], square: Square, player: Square) -> bool {
        self.patterns_at[square as usize].iter().any(|&i| {
            let pattern = &self.patterns[i as usize];
            has(&pattern.region, player) && pattern.boxes.iter().zip(bits).all(|(p, b)| p & !b == 0)
        })
    }

    /// The thorough test: boxes that frozen ones cut off from the targets, and corrals.
    pub fn is_dead(&mut self, boxes: &[Square], player: Square) -> bool {
        self.is_cut_off(boxes) || self.has_dead_corral(boxes, player)
    }

    /// Whether the boxes cannot all be matched with targets, past those that are frozen.
    pub fn is_cut_off(&mut self, boxes: &[Square]) -> bool {
        self.saved = (self.saved + EARNED_POSITIONS).min(SAVED_POSITIONS);
        let mut frozen = std::mem::take(&mut self.frozen);
        self.freeze.all(self.board, self.terrain, boxes, &mut frozen);
        let off = frozen.iter().any(|&s| !self.board.is_target[s as usize]);
        let dead = off || !self.can_match(boxes, &frozen);
        self.frozen = frozen;
        dead
    }

    fn can_match(&mut self, boxes: &[Square], frozen: &[Square]) -> bool {
        let key = frozen.iter().fold(0, |key, &s| key ^ self.board.box_keys[s as usize]);
        if self.reach.len() >= FROZEN_SETS && !self.reach.contains_key(&key) {
            self.reach.clear();
        }
        if !self.reach.contains_key(&key) {
            let reach = self.find_reach(frozen);
            self.reach.insert(key, reach);
        }
        let targets = &self.reach[&key].targets;
        let movable: Vec<Square> = boxes.iter().copied().filter(|s| !frozen.contains(s)).collect();
        let mut owner: Vec<Option<usize>> = vec![None; targets.len()];
        (0..movable.len()).all(|i| {
            let mut tried = vec![false; targets.len()];
            augment(i, &movable, targets, &mut owner, &mut tried)
        })
    }

    fn find_reach(&mut self, frozen: &[Square]) -> Reach {
        for &s in frozen {
            self.occupied[s as usize] = true;
        }
        self.lift.analyse(self.board, &self.occupied);
        let free: Vec<Square> =
            (self.board.targets.iter().copied()).filter(|&t| !self.occupied[t as usize]).collect();
        let targets = free
            .into_iter()
            .map(|target| {
                let mut bits = vec![0; self.terrain.words];
                for stop in self.lift.walk(self.board, target, None, Way::Pull, |_| true) {
                    put(&mut bits, stop.square);
                }
                bits
            })
            .collect();
        for &s in frozen {
            self.occupied[s as usize] = false;
        }
        Reach { targets }
    }

    /// Looks at each part of the board that the player cannot reach.
    fn has_dead_corral(&mut self, boxes: &[Square], player: Square) -> bool {
        self.set(boxes, true);
        self.flood.fill(self.board, &self.occupied, player);
        let corrals = self.corrals(&self.flood, boxes);
        self.set(boxes, false);
        corrals.iter().any(|(area, members)| self.is_dead_corral(area, members, player))
    }

    fn set(&mut self, boxes: &[Square], value: bool) {
        for &s in boxes {
            self.occupied[s as usize] = value;
        }
    }

    /// Areas that the player cannot reach, each with the boxes in and around it: first each part
    /// of free squares with the boxes beside it, then what hangs together through boxes.
    fn corrals(&self, flood: &Flood, boxes: &[Square]) -> Vec<(Vec<Square>, Vec<Square>)> {
        let wall = self.board.squares() as Square;
        let mut corrals: Vec<(Vec<Square>, Vec<Square>)> = Vec::new();
        for through_boxes in [false, true] {
            let mut seen = vec![false; wall as usize + 1];
            for start in 0..wall {
                let i = start as usize;
                if seen[i] || self.occupied[i] || flood.contains(start) {
                    continue;
                }
                let mut area = vec![start];
                let mut head = 0;
                seen[i] = true;
                while let Some(&s) = area.get(head) {
                    head += 1;
                    if self.occupied[s as usize] && !through_boxes {
                        continue;
                    }
                    for next in self.board.next[s as usize] {
                        let j = next as usize;
                        let inside = next != wall && !flood.contains(next);
                        if inside && !seen[j] {
                            seen[j] = true;
                            area.push(next);
                        }
                    }
                }
                let members: Vec<Square> =
                    area.iter().copied().filter(|&s| self.occupied[s as usize]).collect();
                if !through_boxes {
                    members.iter().for_each(|&s| seen[s as usize] = false);
                }
                let known = corrals.iter().any(|(_, other)| same_members(other, &members));
                if members.len() <= CORRAL_BOXES.min(boxes.len()) && !(through_boxes && known) {
                    corrals.push((area, members));
                }
            }
        }
        corrals
    }

    /// Whether the boxes of an area that the player cannot reach are dead among themselves.
    pub fn is_dead_corral(&mut self, area: &[Square], members: &[Square], player: Square) -> bool {
        if members.len() > CORRAL_BOXES {
            return false;
        }
        let settled = members.iter().all(|&s| self.board.is_target[s as usize]);
        if settled {
            // Nothing in it needs to move, unless a target inside wants a box.
            return false;
        }
        if self.search_corral(area, members, player) != Corral::Dead {
            return false;
        }
        let mut core = members.to_vec();
        let mut i = 0;
        while i < core.len() && core.len() > 1 {
            let square = core.remove(i);
            let settled = core.iter().all(|&s| self.board.is_target[s as usize]);
            if settled || self.search_corral(area, &core, player) != Corral::Dead {
                core.insert(i, square);
                i += 1;
            }
        }
        self.learn(&core, player);
        true
    }

    /// Keeps a proven deadlock.
    fn learn(&mut self, boxes: &[Square], player: Square) {
        self.set(boxes, true);
        self.inner.fill(self.board, &self.occupied, player);
        self.set(boxes, false);
        let mut pattern =
            Pattern { boxes: vec![0; self.terrain.words], region: vec![0; self.terrain.words] };
        boxes.iter().for_each(|&s| put(&mut pattern.boxes, s));
        self.inner.reached.iter().for_each(|&s| put(&mut pattern.region, s));
        let number = self.patterns.len() as u32;
        for &s in boxes {
            let list = &mut self.patterns_at[s as usize];
            if list.len() < PATTERNS_A_SQUARE {
                list.push(number);
            }
        }
        self.patterns.push(pattern);
    }

    /// Searches the boxes of a corral alone, on a board without the others. A box that leaves the
    /// area is taken off the board: that can only help the rest, so where it is possible it is done
    /// at once and nothing else is tried. The boxes are dead if from no position that can be reached
    /// all those left stand on targets.
    fn search_corral(&mut self, area: &[Square], members: &[Square], player: Square) -> Corral {
        self.set(members, true);
        self.inner.fill(self.board, &self.occupied, player);
        let boxes_key = members.iter().fold(0, |k, &s| k ^ self.board.box_keys[s as usize]);
        let key = boxes_key ^ region_hash(self.board, &self.inner);
        let area_key =
            mix(area.iter().fold(0, |k, &s| k ^ self.board.region_keys[s as usize]) ^ 0x5bd1);
        if let Some(&dead) = self.verdicts.get(&(key ^ area_key)) {
            self.set(members, false);
            return if dead { Corral::Dead } else { Corral::Open };
        }
        area.iter().for_each(|&s| self.area[s as usize] = true);
        let most = self.saved.min(CORRAL_POSITIONS);
        let mut tries = Tries { seen: AHashSet::new(), positions: 0, most };
        let verdict = self.explore(Members::from_slice(members), player, &mut tries);
        area.iter().for_each(|&s| self.area[s as usize] = false);
        self.corral_positions += tries.positions as u64;
        self.saved = self.saved.saturating_sub(tries.positions);
        if self.verdicts.len() >= VERDICTS {
            self.verdicts.clear();
        }
        self.verdicts.insert(key ^ area_key, verdict == Corral::Dead);
        verdict
    }

    /// Depth-first search of a corral; `boxes` are on the board of `occupied`, and are off it after.
    fn explore(&mut self, mut boxes: Members, mut player: Square, tries: &mut Tries) -> Corral {
        let mut pushes: SmallVec<[(usize, Square); 24]> = SmallVec::new();
        loop {
            if boxes.iter().all(|&s| self.board.is_target[s as usize]) {
                self.set(&boxes, false);
                return Corral::Open;
            }
            self.inner.fill(self.board, &self.occupied, player);
            pushes.clear();
            let Some(i) = self.find_exit(&boxes, &mut pushes) else { break };
            player = boxes.swap_remove(i);
            self.occupied[player as usize] = false;
        }
        let boxes_key = boxes.iter().fold(0, |k, &s| k ^ self.board.box_keys[s as usize]);
        if !tries.seen.insert(boxes_key ^ region_hash(self.board, &self.inner)) {
            self.set(&boxes, false);
            return Corral::Dead;
        }
        tries.positions += 1;
        if tries.positions > tries.most {
            self.set(&boxes, false);
            return Corral::TooLong;
        }
        for (i, to) in pushes {
            let from = boxes[i];
            self.occupied[from as usize] = false;
            self.occupied[to as usize] = true;
            if self.freeze.is_dead(self.board, self.terrain, &self.occupied, to) {
                self.occupied[to as usize] = false;
                self.occupied[from as usize] = true;
                continue;
            }
            let mut after = boxes.clone();
            after[i] = to;
            let verdict = self.explore(after, from, tries);
            if verdict != Corral::Dead {
                self.set(&boxes, false);
                return verdict;
            }
            self.set(&boxes, true);
        }
        self.set(&boxes, false);
        Corral::Dead
    }

    /// A box that can leave the area, or else all pushes that stay in it. `inner` holds the
    /// player's region.
    fn find_exit(
        &mut self,
        boxes: &Members,
        pushes: &mut SmallVec<[(usize, Square); 24]>,
    ) -> Option<usize> {
        for (i, &from) in boxes.iter().enumerate() {
            let next = self.board.next[from as usize];
            for d in 0..4 {
                let (to, behind) = (next[d], next[d ^ 2]);
                if !self.inner.contains(behind)
                    || self.occupied[to as usize]
                    || !self.terrain.live[to as usize]
                {
                    continue;
                }
                if self.area[to as usize] {
                    pushes.push((i, to));
                    continue;
                }
                self.occupied[from as usize] = false;
                self.occupied[to as usize] = true;
                let dead = self.freeze.is_dead(self.board, self.terrain, &self.occupied, to);
                self.occupied[to as usize] = false;
                self.occupied[from as usize] = true;
                if !dead {
                    return Some(i);
                }
            }
        }
        None
    }
}

/// Whether two corrals have the same boxes, in whatever order.
fn same_members(a: &[Square], b: &[Square]) -> bool {
    a.len() == b.len() && a.iter().all(|s| b.contains(s))
}

fn region_hash(board: &Board, flood: &Flood) -> u64 {
    mix(flood.reached.iter().fold(0, |key, &s| key ^ board.region_keys[s as usize]))
}

/// Finds a target for box `i`, moving others to other targets where needed (Kuhn's algorithm).
fn augment(
    i: usize,
    boxes: &[Square],
    targets: &[Bits],
    owner: &mut [Option<usize>],
    tried: &mut [bool],
) -> bool {
    for t in 0..targets.len() {
        if tried[t] || !has(&targets[t], boxes[i]) {
            continue;
        }
        tried[t] = true;
        if owner[t].is_none_or(|other| augment(other, boxes, targets, owner, tried)) {
            owner[t] = Some(i);
            return true;
        }
    }
    false
}
