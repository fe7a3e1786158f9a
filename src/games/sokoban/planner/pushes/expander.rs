//! Expanding positions of best-first search: what one thread needs to find the successors of one
//! position after the other.
//!
//! An expander reads the search's positions and changes none. What it finds new, or at less cost, it
//! offers; the search takes the offers over when all expanders are done. So several expanders can
//! work on one search at a time.

use super::Measure;
use super::position_table::{self, PositionTable, narrow};
use crate::games::sokoban::board::region::{Flood, Occupied};
use crate::games::sokoban::board::square_set::{put, take};
use crate::games::sokoban::board::{Board, Push, Square};
use crate::games::sokoban::planner::analysis::Prepared;
use crate::games::sokoban::planner::analysis::level::LevelAnalysis;
use crate::games::sokoban::planner::analysis::push_distance::PushDistances;
use crate::games::sokoban::planner::analysis::symmetry::Symmetry;
use crate::games::sokoban::planner::bound::LowerBound;
use crate::games::sokoban::planner::deadlock::Deadlocks;
use crate::games::sokoban::planner::deadlock::corral::Corrals;
use crate::search::Clock;
use smallvec::SmallVec;
use std::sync::Arc;

/// Boxes of one position between two looks at the clock.
const POLL_BOXES: usize = 32;

/// How a position was reached.
#[derive(Clone, Copy, Debug)]
pub(super) struct PushedPosition {
    pub(super) parent: u32,
    pub(super) cost: u32,
    pub(super) bound: u16,
    /// The player: least square of the region, or the square itself where moves count.
    pub(super) player: Square,
    /// The push that led here, in the parent's frame.
    pub(super) from: Square,
    pub(super) direction: u8,
    /// Which symmetry laid the successor of that push onto this node.
    pub(super) turn: u8,
    pub(super) closed: bool,
}

/// A position about to be looked up, in the frame that makes it least.
#[derive(Clone, Debug, Default)]
struct Candidate {
    boxes: Vec<Square>,
    player: Square,
    turn: u8,
    image: Vec<Square>,
}

/// What an expander may read of the search.
pub(super) struct Known<'a> {
    pub(super) positions: &'a PositionTable<PushedPosition>,
    /// Plans of this cost or more are of no use.
    pub(super) cost: u32,
    /// Whether positions that were expanded are looked at again when they are reached at less cost.
    pub(super) reopens: bool,
}

impl Known<'_> {
    /// Whether this cost is of use for a position that was reached before.
    #[inline]
    pub(super) fn is_better(&self, node: PushedPosition, cost: u32) -> bool {
        node.cost > cost && (self.reopens || !node.closed)
    }
}

/// Working state of one thread.
pub(super) struct Expander<'a> {
    board: &'a Board,
    analysis: &'a LevelAnalysis,
    distances: Arc<PushDistances>,
    symmetry: Symmetry,
    measure: Measure,
    /// Deadlock tests.
    pub(super) deadlocks: Deadlocks<'a>,
    bound: LowerBound<'a>,
    corrals: Corrals,
    occupied: Occupied,
    bits: Vec<u64>,
    flood: Flood,
    inner: Flood,
    here: Vec<Square>,
    here_poses: Vec<u32>,
    candidate: Candidate,
    /// Least image of the player's region at the node being expanded, by symmetry.
    least: Vec<Square>,
    walk: Vec<u32>,
    /// Successors generated.
    pub(super) generated: u64,
    /// What was found: keys and nodes.
    pub(super) offers: Vec<(u64, PushedPosition)>,
    /// The boxes of each.
    pub(super) offered: Vec<Square>,
    /// Positions that were not expanded, since they have a greater bound, which is given.
    pub(super) raised: Vec<(u32, u16)>,
}

impl<'a> Expander<'a> {
    /// An expander of a level; each position earns `earned` positions of corral searches.
    pub(super) fn new(
        level: Prepared<'a>,
        measure: Measure,
        is_exact: bool,
        earned: usize,
    ) -> Self {
        let Prepared { board, analysis, distances, .. } = level;
        Expander {
            board,
            analysis,
            symmetry: Symmetry::new(board),
            measure,
            deadlocks: Deadlocks::new(board, &analysis.live, earned),
            bound: if is_exact {
                LowerBound::new(board, distances)
            } else {
                LowerBound::of_matching(board)
            },
            corrals: Corrals::new(board),
            distances: distances.clone(),
            occupied: Occupied::new(&board.layout),
            bits: vec![0; analysis.words],
            flood: Flood::new(&board.layout),
            inner: Flood::new(&board.layout),
            here: Vec::new(),
            here_poses: Vec::new(),
            candidate: Candidate::default(),
            least: Vec::new(),
            walk: vec![0; board.squares() + 1],
            generated: 0,
            offers: Vec::new(),
            offered: Vec::new(),
            raised: Vec::new(),
        }
    }

    /// Tells mirror images apart from now on.
    pub(super) fn tell_images_apart(&mut self) {
        self.symmetry = Symmetry::none(self.board);
    }

    /// Offers the position in which the search begins, where it has a bound.
    pub(super) fn offer_start(&mut self, boxes: &[Square], player: Square) {
        self.here.clear();
        self.here.extend_from_slice(boxes);
        self.distances.read(self.board, &self.here, player, &mut self.here_poses);
        let Some(bound) = self.bound.place(&self.distances, &self.here_poses) else { return };
        self.set(true);
        self.flood.fill(&self.occupied, player);
        self.set(false);
        self.candidate.boxes.clear();
        self.candidate.boxes.extend_from_slice(boxes);
        self.measure_region();
        let key = self.settle(player, &self.least.clone());
        let bound = narrow(bound);
        let node = PushedPosition { bound, ..self.new_node(0, Push { from: 0, direction: 0 }, 0) };
        self.offers.push((key, node));
        self.offered.extend_from_slice(&self.candidate.boxes);
    }

    /// Whether the player, who stands on a square, reaches another when all boxes are on targets.
    pub(super) fn reaches_in_the_end(&mut self, player: Square, end: Square) -> bool {
        self.occupied.set_all(&self.board.targets, true);
        self.flood.fill(&self.occupied, player);
        self.occupied.set_all(&self.board.targets, false);
        self.flood.contains(end)
    }

    /// Bytes held.
    pub(super) fn memory(&self) -> usize {
        self.bound.memory() + self.deadlocks.memory()
    }

    /// Puts the boxes of `here` on the board, or takes them off.
    fn set(&mut self, value: bool) {
        self.occupied.set_all(&self.here, value);
        for &s in &self.here {
            if value { put(&mut self.bits, s) } else { take(&mut self.bits, s) }
        }
    }

    /// Least image of the region in `flood` by each symmetry.
    fn measure_region(&mut self) {
        self.least.clear();
        self.least.extend(self.symmetry.least_images(&self.flood));
    }

    /// Brings the candidate, whose boxes are set, into the frame that makes it least; its key.
    /// `player` is where the player stands; where pushes count, `least` holds the least squares
    /// of its region.
    fn settle(&mut self, player: Square, least: &[Square]) -> u64 {
        let place = |number: usize, map: &[Square]| match self.measure {
            Measure::Moves => map[player as usize],
            Measure::Pushes => least[number],
        };
        let Candidate { boxes, player: chosen, turn, image } = &mut self.candidate;
        boxes.sort_unstable();
        let maps = self.symmetry.maps();
        (*turn, *chosen) = (0, place(0, &maps[0]));
        if self.symmetry.is_any() {
            let plain = boxes.clone();
            for (number, map) in maps.iter().enumerate().skip(1) {
                image.clear();
                image.extend(plain.iter().map(|&s| map[s as usize]));
                image.sort_unstable();
                let player = place(number, map);
                if (&*image, player) < (&*boxes, *chosen) {
                    std::mem::swap(image, boxes);
                    (*chosen, *turn) = (player, number as u8);
                }
            }
        }
        let Candidate { boxes, player, .. } = &self.candidate;
        position_table::key(self.board, boxes, *player)
    }

    /// The candidate as a node, its bound still to be found.
    fn new_node(&self, parent: u32, push: Push, cost: u32) -> PushedPosition {
        let Candidate { player, turn, .. } = self.candidate;
        let Push { from, direction } = push;
        PushedPosition { parent, cost, bound: 0, player, from, direction, turn, closed: false }
    }

    /// Expands a position: what it comes to is offered.
    pub(super) fn expand(&mut self, index: u32, known: &Known<'_>, clock: &Clock) {
        let node = known.positions.node(index);
        self.here.clear();
        self.here.extend_from_slice(known.positions.boxes(index));
        if index != 0 && self.deadlocks.is_cut_off(&self.here) {
            return;
        }
        self.set(true);
        self.flood.fill(&self.occupied, node.player);
        self.corrals.find(self.board, &self.occupied, self.here.len(), &self.flood);
        let dead = index != 0
            && self.corrals.all().iter().any(|corral| {
                self.deadlocks.is_dead_corral(&corral.area, &corral.boxes, node.player)
            });
        if !dead {
            self.push_all(index, node, known, clock);
        }
        self.set(false);
    }

    /// The successors of a node whose boxes are on the board and whose region is in `flood`.
    fn push_all(&mut self, index: u32, node: PushedPosition, known: &Known<'_>, clock: &Clock) {
        self.distances.read(self.board, &self.here, node.player, &mut self.here_poses);
        self.bound.place(&self.distances, &self.here_poses);
        let raised = self.bound.raised(&self.distances, &self.here_poses, node.bound.into());
        if narrow(raised) > node.bound {
            self.raised.push((index, narrow(raised)));
            return;
        }
        if self.measure == Measure::Moves {
            self.flood.measure(&self.board.next, &mut self.walk);
        }
        let here = std::mem::take(&mut self.here);
        let first = match self.measure {
            Measure::Pushes => self
                .corrals
                .first_to_play(
                    self.board,
                    &self.analysis.live,
                    &self.occupied,
                    &self.flood,
                    here.len() == self.board.targets.len(),
                )
                .map(<[Square]>::to_vec),
            Measure::Moves => None,
        };
        self.measure_region();
        std::mem::swap(&mut self.flood, &mut self.inner);
        for i in 0..here.len() {
            // Time that is over stays over: what is left out here is not missed.
            if i % POLL_BOXES == POLL_BOXES - 1 && clock.should_stop(0, 0).is_some() {
                break;
            }
            if first.as_ref().is_none_or(|members| members.contains(&here[i])) {
                self.push_box((index, node), &here, i, known);
            }
        }
        self.here = here;
    }

    /// The successors that push one box. `inner` holds the player's region.
    fn push_box(
        &mut self,
        (index, node): (u32, PushedPosition),
        here: &[Square],
        i: usize,
        known: &Known<'_>,
    ) {
        let from = here[i];
        let next = self.board.next[from as usize];
        for d in 0..4u8 {
            let (to, behind) = (next[d as usize], next[d as usize ^ 2]);
            if !self.inner.contains(behind)
                || self.occupied[to as usize]
                || !self.distances.is_live(self.distances.beside(to, d as usize ^ 2))
            {
                continue;
            }
            self.generated += 1;
            let walk = match self.measure {
                Measure::Pushes => 0,
                Measure::Moves => self.walk[behind as usize],
            };
            self.slide(from, to);
            if !self.deadlocks.is_dead_quickly(&self.occupied, &self.bits, to, from) {
                self.candidate.boxes.clear();
                self.candidate.boxes.extend_from_slice(here);
                self.candidate.boxes[i] = to;
                let push = Push { from, direction: d };
                self.offer(index, (i, push), node.cost + 1 + walk, known);
            }
            self.slide(to, from);
        }
    }

    /// Moves a box of the board.
    fn slide(&mut self, from: Square, to: Square) {
        self.occupied.slide(from, to);
        take(&mut self.bits, from);
        put(&mut self.bits, to);
    }

    /// Offers a successor, the candidate, unless it is known at no greater cost or cannot lead to a
    /// plan that is wanted.
    fn offer(&mut self, parent: u32, (i, push): (usize, Push), cost: u32, known: &Known<'_>) {
        let least = self.region_after(push);
        let key = self.settle(push.from, &least);
        let Candidate { boxes, player, .. } = &self.candidate;
        let found = known.positions.find(key, boxes, |node| node.player == *player);
        let bound = match found {
            Ok(at) => {
                let node = known.positions.node(at);
                if !known.is_better(node, cost) {
                    return;
                }
                node.bound
            }
            Err(_) => match self.bound_after(i, push) {
                Some(bound) if cost.saturating_add(bound) < known.cost => narrow(bound),
                _ => return,
            },
        };
        let node = PushedPosition { bound, ..self.new_node(parent, push, cost) };
        self.offers.push((key, node));
        self.offered.extend_from_slice(&self.candidate.boxes);
    }

    /// Least images of the player's region after a push that has been done on the board. `inner`
    /// holds the region before: where the push parts nothing of it and opens nothing to it, which
    /// the squares around tell, only the pushed box's two squares matter.
    fn region_after(&mut self, push: Push) -> SmallVec<[Square; 8]> {
        let mut least: SmallVec<[Square; 8]> = SmallVec::from_slice(&self.least);
        if self.measure == Measure::Moves {
            return least;
        }
        let to = self.board.next[push.from as usize][push.direction as usize];
        let maps = self.symmetry.maps();
        let lost = maps.iter().zip(&least).any(|(map, &least)| map[to as usize] == least);
        if lost || !self.hangs_together(push, to) {
            self.flood.fill(&self.occupied, push.from);
            least.clear();
            least.extend(self.symmetry.least_images(&self.flood));
        } else {
            for (least, map) in least.iter_mut().zip(maps) {
                *least = (*least).min(map[push.from as usize]);
            }
        }
        least
    }

    /// Whether the squares around a pushed box show that the player's region is what it was, but
    /// for the two squares of the box.
    fn hangs_together(&self, push: Push, to: Square) -> bool {
        let (next, d) = (&self.board.next, push.direction as usize);
        let ahead = next[to as usize][d];
        let mut reaches_ahead = !self.inner.contains(ahead);
        for side in [d ^ 1, d ^ 3] {
            let near = next[push.from as usize][side];
            let open = !self.occupied[near as usize];
            if open && !self.inner.contains(near) {
                return false;
            }
            let beside = next[to as usize][side];
            if self.inner.contains(beside) {
                if !open {
                    return false;
                }
                let corner = next[beside as usize][d];
                reaches_ahead |= !self.occupied[corner as usize];
            }
        }
        reaches_ahead
    }

    /// The bound with box `i` pushed.
    fn bound_after(&mut self, i: usize, push: Push) -> Option<u32> {
        let d = push.direction as usize;
        let to = self.board.next[push.from as usize][d];
        let pose = self.distances.beside(to, d ^ 2);
        self.bound.after(&self.distances, &self.here_poses, i, pose)
    }
}
