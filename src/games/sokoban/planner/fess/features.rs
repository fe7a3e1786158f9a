//! Features of a position, what breaks ties between equal ones, and how both are counted.
//!
//! The [`Evaluator`] holds one position on a board. While a box is lifted it counts what all places
//! for that box have in common once ([`super::stationary`], [`super::mobility`]), and each place
//! adds its part.

use super::Style;
use super::mobility::{Mobility, Pushes};
use super::stationary::Stationary;
use crate::board::mix;
use crate::games::sokoban::board::region::{Flood, Occupied};
use crate::games::sokoban::board::square_set::{SquareSet, has, put, take, without};
use crate::games::sokoban::board::{Board, Square};
use crate::games::sokoban::planner::analysis::Prepared;
use crate::games::sokoban::planner::analysis::level::LevelAnalysis;
use crate::games::sokoban::planner::analysis::macro_moves::{
    MacroMoveGenerator, Motion, Placement,
};
use crate::games::sokoban::planner::packing::Packing;
use crate::games::sokoban::planner::packing::any_order::AnyOrder;
use crate::games::sokoban::planner::packing::obstacles::{Delivery, ObstacleSearch};
use std::sync::Arc;

/// Obstacles of a step to which there is no way.
const MANY: u16 = 256;

/// A position's features; less is better, compared from the first.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub(super) struct Features {
    /// Steps of the packing plan that are not yet done, with the weight of boxes out of plan.
    pub(super) burden: u16,
    /// Steps of the packing plan that are not yet done.
    pub(super) unpacked: u16,
    /// Boxes that are neither packed nor in the basin of the next step.
    pub(super) out_of_plan: u16,
    /// Boxes in the way of the next step; found when the position is expanded, before that its
    /// parent's.
    pub(super) obstacles: u16,
    /// Regions of the player.
    pub(super) regions: u16,
    /// Broken links between rooms.
    pub(super) broken: u16,
}

impl Features {
    /// Steps that are not done, and boxes that are not where a step can use them.
    pub(super) fn left(&self) -> u16 {
        self.unpacked.saturating_add(self.out_of_plan)
    }
}

/// What breaks ties between positions of equal features; less is better.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, PartialOrd, Ord)]
pub(super) struct Ties {
    /// Boxes that stand in the way of others.
    pub(super) hotspots: u16,
    /// Pushes that the player cannot do, of four a box.
    pub(super) immobility: u16,
    /// Sum over the boxes of the pushes to the nearest target.
    pub(super) distance: u16,
}

impl Ties {
    /// The same ties with some noise; none where the seed is 0.
    pub(super) fn noisy(self, key: u64, seed: u64) -> Ties {
        if seed == 0 {
            return self;
        }
        let noise = mix(key ^ seed);
        Ties {
            hotspots: self.hotspots + (noise & 3) as u16,
            immobility: self.immobility + (noise >> 2 & 7) as u16,
            ..self
        }
    }
}

/// What a place for the lifted box is worth.
pub(super) struct Evaluation {
    pub(super) features: Features,
    pub(super) ties: Ties,
    /// Pushes of other boxes that the player could not do before.
    pub(super) opens: u16,
}

/// A box that is taken off the board, with what all places for it have in common.
#[derive(Clone, Copy, Default)]
struct Lifted {
    /// Broken links without it.
    broken: u16,
    /// Pushes of the other boxes to their nearest targets.
    away: u32,
}

/// A position on a board, and working memory to count its features.
pub(super) struct Evaluator<'a> {
    board: &'a Board,
    analysis: &'a LevelAnalysis,
    packing: Arc<Packing>,
    style: Style,
    /// The boxes of the position that is on the board, and which squares they occupy.
    pub(super) boxes: Vec<Square>,
    pub(super) occupied: Occupied,
    pub(super) bits: SquareSet,
    /// The player's region.
    pub(super) region: Flood,
    /// Macro moves of the lifted box.
    pub(super) generator: MacroMoveGenerator,
    lifted: Lifted,
    /// The player's region with the box set down, where it is parted.
    parted: SquareSet,
    /// The free squares around the box that is lifted, as the player can walk them.
    whole: SquareSet,
    /// Broken links by passage while a box is lifted; `u16::MAX` where not counted yet.
    loose: Vec<u16>,
    mobility: Mobility,
    /// What the boxes that stay count for while one is lifted, by steps done.
    stationary: Vec<(usize, Stationary)>,
    any_order: AnyOrder,
    obstacle_search: ObstacleSearch,
    /// Boxes on the way of the next step; `None` where there is no way.
    pub(super) obstacles: Option<u8>,
    /// All squares.
    everywhere: SquareSet,
    scratch: Vec<Square>,
}

/// A packing plan and how it is followed.
struct Plan<'a> {
    packing: &'a Packing,
    style: Style,
    /// All squares.
    everywhere: &'a [u64],
}

impl<'a> Plan<'a> {
    /// The delivery of the next step, where boxes are on `bits` and `unpacked` steps are not done.
    fn next_delivery(
        &self,
        board: &Board,
        (bits, any_order): (&[u64], &AnyOrder),
        unpacked: usize,
    ) -> Option<Delivery<'a>> {
        let packing = self.packing;
        if !self.style.any_order {
            let done = packing.to.len().checked_sub(unpacked)?;
            return packing.delivery(done, bits, self.style.schedule);
        }
        let both = |(a, b): (&u64, &u64)| a & b;
        let packed: SquareSet = bits.iter().zip(any_order.targets()).map(both).collect();
        let origins = without(bits, &packed);
        let empty = |&s: &Square| board.is_target[s as usize] && !has(&packed, s);
        let target = packing.to.iter().copied().find(empty)?;
        Some(Delivery { target, origins, side: self.everywhere, packed })
    }
}

impl<'a> Evaluator<'a> {
    /// An evaluator whose board is empty.
    pub(super) fn new(level: Prepared<'a>, packing: Arc<Packing>, style: Style) -> Self {
        let Prepared { board, analysis, .. } = level;
        Evaluator {
            board,
            analysis,
            packing,
            style,
            boxes: Vec::new(),
            occupied: Occupied::new(&board.layout),
            bits: vec![0; analysis.words],
            region: Flood::new(&board.layout),
            generator: MacroMoveGenerator::new(board),
            lifted: Lifted::default(),
            parted: vec![0; analysis.words],
            whole: vec![0; analysis.words],
            loose: vec![u16::MAX; analysis.passages()],
            mobility: Mobility::new(board),
            stationary: Vec::new(),
            any_order: AnyOrder::new(board, analysis),
            obstacle_search: ObstacleSearch::new(board),
            obstacles: None,
            everywhere: vec![u64::MAX; analysis.words],
            scratch: Vec::new(),
        }
    }

    /// Bytes held in tables that grow.
    pub(super) fn memory(&self) -> usize {
        self.any_order.memory()
    }

    /// Puts a position on the empty board.
    pub(super) fn place(&mut self, boxes: &[Square], player: Square) {
        self.boxes.clear();
        self.boxes.extend_from_slice(boxes);
        self.occupied.set_all(boxes, true);
        boxes.iter().for_each(|&s| put(&mut self.bits, s));
        self.region.fill(&self.occupied, player);
    }

    /// Empties the board.
    pub(super) fn clear(&mut self) {
        self.occupied.set_all(&self.boxes, false);
        self.boxes.iter().for_each(|&s| take(&mut self.bits, s));
    }

    /// Features and ties of the position on the board, with the player on a square.
    pub(super) fn evaluate(&mut self, player: Square) -> (Features, Ties) {
        self.generator.analyse(self.board, &self.occupied);
        let regions = self.generator.regions() as u16;
        let broken = self.analysis.broken_links(self.board, &self.occupied, &mut self.scratch);
        let features = self.features((None, player), regions, broken as u16);
        self.generator.component(player, &mut self.parted);
        let around = (&self.parted[..], &self.region);
        self.mobility.count(self.board, self.boxes.iter().copied(), &self.occupied, around);
        let pushes = self.mobility.total();
        let ties = self.ties(None, &features, (pushes, self.distance()));
        (features, ties)
    }

    /// Looks for the boxes in the way of the next step, where `unpacked` steps are not done.
    pub(super) fn find_obstacles(&mut self, unpacked: usize) -> u16 {
        let Evaluator { board, occupied, region, obstacle_search, .. } = self;
        let plan = Plan { packing: &self.packing, style: self.style, everywhere: &self.everywhere };
        self.obstacles = plan
            .next_delivery(board, (&self.bits, &self.any_order), unpacked)
            .and_then(|delivery| obstacle_search.find(board, occupied, region, &delivery));
        self.obstacles.map_or(MANY, u16::from)
    }

    /// The squares of the way of the next step.
    pub(super) fn way(&self) -> &[u64] {
        &self.obstacle_search.squares
    }

    /// Whether the player can push the box at all.
    pub(super) fn can_push(&self, square: Square) -> bool {
        let next = self.board.next[square as usize];
        (0..4).any(|d| {
            let to = next[d] as usize;
            self.region.contains(next[d ^ 2]) && !self.occupied[to] && self.analysis.live[to]
        })
    }

    /// Takes a box off the board and finds where it can go. The position has the features of
    /// `parent`, and the player stands on `player`.
    pub(super) fn lift(&mut self, from: Square, player: Square, parent: &Features) {
        let board = self.board;
        self.occupied.set(from, false);
        take(&mut self.bits, from);
        let regions = u32::from(parent.regions);
        self.generator.analyse_around(board, &self.occupied, (from, regions));
        let live = &self.analysis.live;
        self.generator.reach(board, from, Some(player), Motion::Push, |s| live[s as usize]);
        self.generator.component(from, &mut self.whole);
        self.loose.fill(u16::MAX);
        self.stationary.clear();
        let broken = self.broken_without(from, parent.broken);
        let stay = self.boxes.iter().copied().filter(|&s| s != from);
        self.mobility.count(board, stay, &self.occupied, (&self.whole, &self.region));
        let away = self.distance() - u32::from(self.analysis.nearest[from as usize]);
        self.lifted = Lifted { broken, away };
    }

    /// Sets the lifted box down on a square.
    pub(super) fn set_down(&mut self, to: Square) {
        self.occupied.set(to, true);
        put(&mut self.bits, to);
    }

    /// Takes the lifted box up again.
    pub(super) fn take_up(&mut self, to: Square) {
        self.occupied.set(to, false);
        take(&mut self.bits, to);
    }

    /// What a place is worth, on which the lifted box was set down.
    pub(super) fn evaluate_placement(&mut self, placement: &Placement) -> Evaluation {
        let (board, to) = (self.board, placement.square);
        let beside = board.next[to as usize][placement.side as usize];
        let broken = self.broken_with(to, self.lifted.broken);
        let regions = self.generator.regions_with(to);
        let features = self.features((Some(to), beside), regions as u16, broken);
        let parted = regions > self.generator.regions();
        if parted {
            self.generator.region(board, (to, beside), &self.whole, &mut self.parted);
        }
        let region = if parted { &self.parted } else { &self.whole };
        let pushes = self.mobility.with(board, &self.occupied, to, (region, parted));
        let distance = self.lifted.away + u32::from(self.analysis.nearest[to as usize]);
        let ties = self.ties(Some(to), &features, (pushes, distance));
        let opens = if self.style.explorer { pushes.new } else { 0 };
        Evaluation { features, ties, opens }
    }

    /// The features of the position on the board; `moved` is the square on which a lifted box was
    /// set down, and the player stands on `player`.
    fn features(
        &mut self,
        (moved, player): (Option<Square>, Square),
        regions: u16,
        broken: u16,
    ) -> Features {
        if self.style.any_order {
            let (away, lost) = self.any_order.count(self.board, &self.bits);
            let unpacked = away + lost;
            let burden = unpacked;
            return Features { burden, unpacked, out_of_plan: lost, obstacles: 0, regions, broken };
        }
        let done = self.packing.done(&self.bits, player);
        let out: u32 = if self.style.schedule {
            let at = self.stationary(done, moved);
            self.stationary[at].1.unscheduled(&self.packing, done, moved)
        } else {
            let Packing { filled, basin, .. } = &*self.packing;
            (self.bits.iter().zip(&filled[done]).zip(&basin[done]))
                .map(|((b, f), n)| (b & !f & !n).count_ones())
                .sum()
        };
        let (unpacked, out_of_plan) = ((self.packing.to.len() - done) as u16, out as u16);
        let burden = unpacked + self.style.lost_weight * out_of_plan;
        Features { burden, unpacked, out_of_plan, obstacles: 0, regions, broken }
    }

    /// The squares of boxes that count as packed where `done` steps are done.
    fn filled(&self, done: usize) -> &[u64] {
        if self.style.any_order { self.any_order.targets() } else { &self.packing.filled[done] }
    }

    /// The index in `stationary` of what boxes but for the one on `moved` count for where `done`
    /// steps are done.
    fn stationary(&mut self, done: usize, moved: Option<Square>) -> usize {
        if let Some(known) = self.stationary.iter().position(|&(other, _)| other == done) {
            return known;
        }
        moved.iter().for_each(|&s| take(&mut self.bits, s));
        let is_scheduled = self.style.schedule && !self.style.any_order;
        let plan = is_scheduled.then_some((&*self.packing, done));
        let stationary = Stationary::new(self.analysis, &self.bits, self.filled(done), plan);
        moved.iter().for_each(|&s| put(&mut self.bits, s));
        self.stationary.push((done, stationary));
        self.stationary.len() - 1
    }

    /// What breaks ties for the position on the board. `moved` is the square on which a lifted box
    /// was set down, `pushes` counts what the player can push, and `distance` is the sum over the
    /// boxes of the pushes to the nearest target.
    fn ties(
        &mut self,
        moved: Option<Square>,
        features: &Features,
        (pushes, distance): (Pushes, u32),
    ) -> Ties {
        let done = match self.style.any_order {
            true => 0,
            false => self.packing.filled.len() - 1 - features.unpacked as usize,
        };
        let loose = moved.filter(|&s| !has(self.filled(done), s));
        let at = self.stationary(done, moved);
        let stationary = &self.stationary[at].1;
        Ties {
            hotspots: stationary.hotspots(self.analysis, loose, self.style.graded),
            immobility: 4 * self.board.boxes.len() as u16 - pushes.possible,
            distance: distance.min(u32::from(u16::MAX)) as u16,
        }
    }

    /// The sum over the boxes of the position of the pushes to the nearest target.
    fn distance(&self) -> u32 {
        self.boxes.iter().map(|&s| u32::from(self.analysis.nearest[s as usize])).sum()
    }

    /// Broken links with the box on `from` lifted, which it is.
    fn broken_without(&mut self, from: Square, broken: u16) -> u16 {
        let passage = self.analysis.passage[from as usize];
        if passage == u16::MAX {
            return broken;
        }
        let (board, analysis) = (self.board, self.analysis);
        let without = analysis.broken_in(board, &self.occupied, passage, &mut self.scratch);
        self.occupied.set(from, true);
        let with = analysis.broken_in(board, &self.occupied, passage, &mut self.scratch);
        self.occupied.set(from, false);
        broken + without as u16 - with as u16
    }

    /// Broken links with the lifted box set down on `to`, where it stands.
    fn broken_with(&mut self, to: Square, base: u16) -> u16 {
        let passage = self.analysis.passage[to as usize];
        if passage == u16::MAX {
            return base;
        }
        let (board, analysis) = (self.board, self.analysis);
        if self.loose[passage as usize] == u16::MAX {
            self.occupied.set(to, false);
            let without = analysis.broken_in(board, &self.occupied, passage, &mut self.scratch);
            self.occupied.set(to, true);
            self.loose[passage as usize] = without as u16;
        }
        let with = analysis.broken_in(board, &self.occupied, passage, &mut self.scratch);
        base + with as u16 - self.loose[passage as usize]
    }
}
