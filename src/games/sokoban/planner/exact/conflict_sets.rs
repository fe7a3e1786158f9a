//! Sets of boxes that cannot all go straight home: what they add to the bound of the start.
//!
//! The matching bound is the sum of its prices: one for each box, one for each target, and no lone
//! box is brought to a target for less than the two prices together. Take a few boxes and forget the
//! others. What these cost at least on the board by themselves, each target's price taken off for
//! the box that ends there, may be more than the prices of the boxes. By this difference every plan
//! of the whole level costs more: its pushes of these boxes are a plan for them alone, and those of
//! each other box cost no less than that box's price and its target's. For sets that have no box in
//! common, all that they cost more adds up, since a push counts for one of them only. (Sharing the
//! cost of a problem out among parts of it, so that bounds of the parts add up, is cost partitioning:
//! Katz and Domshlak, AIJ 2010; here the prices of the assignment share it out.)
//!
//! Most levels that a bound falls short of by two pushes have a few boxes somewhere of which one must
//! step aside. Which ones is found as in abstraction refinement (Clarke and others, "Counterexample-
//! guided abstraction refinement", JACM 2003; for planning Seipp and Helmert, JAIR 2018): a few boxes
//! are brought home as cheaply as is not ruled out yet, the plan is tried with all others in their
//! places, and what stands in the way joins the few. That ends where no such plan is left, so that
//! they cost two pushes more, or where they are too many to be searched. Sets that meet become one
//! and keep what is known of each. Which boxes join depends on the plan that is tried, one of many of the same cost. So
//! when no set alone raises the bound any more, any two of them are searched as one.
//!
//! The searches of sets know the penalties of fewer boxes ([`penalties`](super::penalties)), and long ones study
//! positions on their way as A* does ([`study`](super::study)).
//!
//! The search rests between the searches of two sets of boxes, also while a set grows: short turns come
//! to the same sets and expansions as a long one.

use super::penalties::KnownSet;
use super::prices::Prices;
use super::subproblems::{Answer, Subproblem, Subproblems, subproblems};
use crate::board::Cell;
use crate::certificate::{Part, Parts};
use crate::games::sokoban::board::region::Occupied;
use crate::games::sokoban::board::{Board, Push, Square};
use crate::games::sokoban::format::Level;
use crate::games::sokoban::planner::analysis::Prepared;
use crate::games::sokoban::planner::pushes::{self, known_cost};
use crate::games::sokoban::planner::tuning;
use crate::search::{Allowance, Clock, Ended, Known, Progress, Search, Spent, StopReason, Turn};
use ahash::AHashSet;
use std::collections::VecDeque;
use std::sync::Arc;

/// Pushes by which a set costs more, at least, where it has no plan of the cost looked for: the
/// prices are made such that all plans of a set differ by even numbers.
pub(super) const STEP: u32 = 2;

/// Boxes, by number, in order, and what they cost more than their prices.
#[derive(Clone, Debug)]
struct ConflictSet {
    boxes: Vec<usize>,
    more: u32,
    /// The sets that it was made of, of those that cost more.
    parts: Vec<ConflictSet>,
}

/// What a few boxes come to by themselves.
enum Alone {
    /// They cost more than was allowed.
    Dearer,
    /// They do not cost more: this is their plan.
    Plan(Vec<Push>),
    /// The search has not found out whether they do.
    Unknown,
}

/// A set on its way, between two searches.
enum Growth {
    /// The set may not cost more yet: boxes that are in the way of its plan join it.
    Outward(ConflictSet),
    /// The set costs more: the last of the parts that are to be tried may be left out.
    Inward(ConflictSet, Vec<ConflictSet>),
}

/// The sets of a level's boxes that are known, and what it takes to find more.
pub(in super::super) struct ConflictSets<'a> {
    level: Prepared<'a>,
    /// Solves sets of boxes alone on the board.
    subproblems: Box<dyn Subproblems>,
    /// The prices of targets, and of boxes wherever they are.
    prices: Arc<Prices>,
    /// The price of each box at the start, surcharge included.
    of_boxes: Vec<u32>,
    /// The bound by the prices.
    priced: u32,
    /// Each box is in one of them, at first by itself.
    sets: Vec<ConflictSet>,
    /// The next pair to look at, by its greater and its smaller number; then rounds begin.
    pair: (usize, usize),
    /// The set that the search begins with next.
    seed: usize,
    /// The next two sets to be searched as one, by the greater and the smaller number.
    join: (usize, usize),
    /// The set that it goes on with, where one is on its way.
    growth: Option<Growth>,
    /// Expansions that the search of one set may take in this round.
    limit: u64,
    /// Factor of these expansions from one round to the next.
    limit_grows: u64,
    /// Sets that were looked at in this round.
    tried: AHashSet<Vec<usize>>,
    /// Whether in this round a set was found, and whether one was not searched to the end.
    found: bool,
    unknown: bool,
    /// Expansions when the round began.
    round_began: u64,
    /// Expansions when the bound last rose.
    risen_at: u64,
    /// Expansions so far, and successors.
    pub(super) expanded: u64,
    pub(super) generated: u64,
}

impl<'a> ConflictSets<'a> {
    /// The sets of single boxes; `None` where the level has no matching, or prices beyond all
    /// bounds.
    pub(in super::super) fn new(level: Prepared<'a>) -> Option<Self> {
        let prices = Arc::new(Prices::new(level)?);
        let solver = subproblems(level, &prices);
        Some(Self::solved_by(level, prices, solver))
    }

    /// The sets of single boxes with these prices, and a solver of subproblems with them.
    pub(super) fn solved_by(
        level: Prepared<'a>,
        prices: Arc<Prices>,
        solver: Box<dyn Subproblems>,
    ) -> Self {
        let tuning::ConflictSets { first_limit, .. } = level.tuning.conflict_sets;
        let unpaid = prices.charged;
        Self::with(level, prices, solver, (first_limit, unpaid))
    }

    /// The sets of single boxes with these prices. The search of one set may take `limit` expansions in the first round.
    /// `unpaid` is the sum of the surcharges that the prices include and no plan pays.
    fn with(
        level: Prepared<'a>,
        prices: Arc<Prices>,
        subproblems: Box<dyn Subproblems>,
        (limit, unpaid): (u64, u32),
    ) -> Self {
        let board = level.board;
        let mut poses = Vec::new();
        prices.distances.read(board, &board.boxes, board.player, &mut poses);
        ConflictSets {
            level,
            subproblems,
            of_boxes: poses.iter().map(|&pose| prices.of(pose)).collect(),
            priced: prices.sum(&poses).saturating_sub(unpaid),
            prices,
            sets: single_boxes(board.boxes.len()),
            pair: (1, 0),
            seed: 0,
            join: (1, 0),
            growth: None,
            limit,
            limit_grows: level.tuning.conflict_sets.limit_grows,
            tried: AHashSet::new(),
            found: false,
            unknown: false,
            round_began: 0,
            risen_at: 0,
            expanded: 0,
            generated: 0,
        }
    }

    /// The sets of a position whose boxes are those of the level's board, of which some are known. Pairs are not looked at
    /// first. The search of one set may take `limit` expansions. `unpaid` is the sum of the surcharges that the prices
    /// include and no plan pays.
    pub(super) fn of_position(
        level: Prepared<'a>,
        prices: Arc<Prices>,
        subproblems: Box<dyn Subproblems>,
        (known, limit, unpaid): (&[KnownSet], u64, u32),
    ) -> Self {
        let mut sets = Self::with(level, prices, subproblems, (limit, unpaid));
        known.iter().for_each(|set| sets.put(set));
        sets.pair = (level.board.boxes.len(), 0);
        sets
    }

    /// Replaces its sets by those of another search if the latter cost more together.
    pub(in super::super) fn hear(&mut self, known: &[KnownSet]) {
        let theirs: u32 = known.iter().map(|set| set.more).sum();
        if theirs > self.sets.iter().map(|set| set.more).sum() {
            self.sets = single_boxes(self.level.board.boxes.len());
            known.iter().for_each(|set| self.put(set));
            (self.seed, self.join, self.growth) = (0, (1, 0), None);
        }
    }

    /// Keeps a set that another search has found, given by squares.
    fn put(&mut self, KnownSet { squares, more }: &KnownSet) {
        let number = |square: &Square| self.level.board.boxes.iter().position(|at| at == square);
        let mut boxes: Vec<usize> = squares.iter().filter_map(number).collect();
        boxes.sort_unstable();
        self.keep(ConflictSet { boxes, more: *more, parts: Vec::new() });
    }

    /// The sets that cost more than their prices, and those that they were made of.
    pub(in super::super) fn known(&self) -> Vec<KnownSet> {
        let mut known = Vec::new();
        let mut left: Vec<&ConflictSet> = self.sets.iter().filter(|set| set.more > 0).collect();
        while let Some(set) = left.pop() {
            known.push(self.on_squares(set));
            left.extend(&set.parts);
        }
        known
    }

    /// How many boxes the sets have that cost more than their prices.
    #[cfg(test)]
    pub(in super::super) fn sizes(&self) -> Vec<usize> {
        self.sets.iter().filter(|set| set.more > 0).map(|set| set.boxes.len()).collect()
    }

    /// No plan of the level has fewer pushes.
    pub(in super::super) fn bound(&self) -> u32 {
        self.priced + self.sets.iter().map(|set| set.more).sum::<u32>()
    }

    /// The sets and their lower bounds as parts for a certificate of the level. A box that never moves is a wall of the
    /// board, and a part of its own.
    pub(in super::super) fn parts(&self, level: &Level) -> Parts {
        let board = self.level.board;
        let cell = |square: Square| board.cells[square as usize];
        let number = |cell| level.boxes.iter().take_while(|&other| other != cell).count();
        let part = |set: &ConflictSet| {
            let members = set.boxes.iter().map(|&i| number(cell(board.boxes[i])));
            let mut members: Vec<usize> = members.collect();
            members.sort_unstable();
            Part { members, cost: (self.prices_of(&set.boxes) + set.more).into() }
        };
        let moves = |at: &Cell| board.boxes.iter().any(|&square| cell(square) == *at);
        let walls = level.boxes.iter().filter(|at| !moves(at));
        let walls = walls.map(|at| Part { members: vec![number(at)], cost: 0 });
        let mut parts: Vec<Part> = self.sets.iter().map(part).chain(walls).collect();
        parts.sort_unstable_by(|one, other| one.members.cmp(&other.members));
        let surcharge = |at| {
            let target = board.targets.iter().position(|&square| cell(square) == at);
            target.map_or(0, |target| self.prices.surcharges[target].into())
        };
        Parts { surcharges: level.targets.iter().map(surcharge).collect(), parts }
    }

    /// Number of its expansions in all turns at which a turn ends. It is that of the other searches, `besides`, as long as
    /// the bound may rise soon, and a part of it after that.
    pub(super) fn share(&self, besides: u64) -> u64 {
        let tuning::ConflictSets { patience, least_patience, part, .. } =
            self.level.tuning.conflict_sets;
        let patient = self.risen_at.saturating_mul(patience).max(least_patience);
        besides.min(patient.max(besides / part))
    }

    /// Looks for sets, pairs first, until the bound is `enough` or the allowance is spent, whose memory
    /// is that of each search of a set. How that ended.
    fn search(&mut self, enough: u32, allowance: &Allowance<'_>) -> Ended {
        let &Allowance { clock, share, nodes, memory, .. } = allowance;
        // The search of one set bounds the cost of that set alone, surcharges included. This is no bound of the level,
        // so these searches report nothing.
        let quiet = &clock.clone().quiet();
        loop {
            self.report(clock);
            // A set that has begun to grow is completed even where time or nodes are spent.
            if self.growth.is_none() {
                if self.bound() >= enough {
                    return Ended::Proven;
                }
                if let Some(stop) = clock.should_stop(0, 0) {
                    return Ended::Stopped(stop);
                }
                if self.expanded >= nodes {
                    return Ended::Stopped(StopReason::Nodes);
                }
            }
            if self.expanded >= share && self.expanded < nodes {
                return Ended::Resting;
            }
            let limits = (nodes, memory);
            if let Some(growth) = self.growth.take() {
                self.growth = self.grow(growth, limits, quiet);
            } else if self.pair.0 < self.level.board.boxes.len() {
                self.look_at_pair(limits, quiet);
            } else if !self.begin_set() {
                return Ended::Exhausted;
            }
        }
    }

    /// Reports the bound of the level and the expansions so far.
    fn report(&self, clock: &Clock) {
        let bound = self.bound().into();
        clock.tell_bound(bound);
        let (phase, nodes) = ("conflict sets".into(), self.expanded);
        clock.tell(&Progress { phase, nodes, bound, ..Progress::default() });
    }

    /// The next two sets as one, of which at least one costs more than its prices. `None` after the last two.
    fn next_join(&mut self) -> Option<ConflictSet> {
        loop {
            let (i, j) = self.join;
            if i >= self.sets.len() {
                return None;
            }
            self.join = if j + 1 < i { (i, j + 1) } else { (i + 1, 0) };
            let [one, other] = [&self.sets[i], &self.sets[j]];
            if one.more + other.more > 0 {
                return Some(self.joined(&[one.boxes[0], other.boxes[0]]));
            }
        }
    }

    /// Begins with the next set; after the last one with the next two as one, and after the last two a new round. `false`
    /// if there is nothing more to find.
    fn begin_set(&mut self) -> bool {
        if let Some(seed) = self.sets.get(self.seed).cloned() {
            self.seed += 1;
            self.growth = self.outward(seed);
            return true;
        }
        if !self.found
            && let Some(join) = self.next_join()
        {
            self.growth = self.outward(join);
            return true;
        }
        // Where there is no room for a single position, another round finds no more.
        let is_stuck = !self.unknown || self.expanded == self.round_began;
        if !self.found && is_stuck {
            return false;
        }
        if !self.found {
            self.limit = self.limit.saturating_mul(self.limit_grows);
            self.tried.clear();
        }
        (self.seed, self.found, self.unknown) = (0, false, false);
        self.join = (1, 0);
        self.round_began = self.expanded;
        true
    }

    /// Looks at the next pair of boxes.
    fn look_at_pair(&mut self, limits: (u64, usize), clock: &Clock) {
        let (i, j) = self.pair;
        self.pair = if j + 1 < i { (i, j + 1) } else { (i + 1, 0) };
        let is_free = |i| self.sets.iter().any(|set| set.boxes == [i]);
        if is_free(i) && is_free(j) {
            let pair = ConflictSet { boxes: vec![j, i], more: 0, parts: Vec::new() };
            if matches!(self.alone(&pair, limits, clock), Alone::Dearer) {
                self.keep_found(ConflictSet { more: STEP, ..pair });
            }
        }
    }

    /// A set with the squares of its boxes.
    fn on_squares(&self, set: &ConflictSet) -> KnownSet {
        let squares = set.boxes.iter().map(|&i| self.level.board.boxes[i]).collect();
        KnownSet { squares, more: set.more }
    }

    /// Keeps a set that was found, and gives it to the solver for later searches.
    fn keep_found(&mut self, set: ConflictSet) {
        self.subproblems.hear(self.level.board, &self.on_squares(&set));
        self.keep(set);
    }

    /// Keeps a set; those that it is made of become its parts.
    fn keep(&mut self, mut set: ConflictSet) {
        let is_part = |other: &mut ConflictSet| set.boxes.contains(&other.boxes[0]);
        set.parts = self.sets.extract_if(.., is_part).filter(|part| part.more > 0).collect();
        self.sets.push(set);
        self.risen_at = self.expanded;
    }

    /// These boxes and all of their sets.
    fn joined(&self, boxes: &[usize]) -> ConflictSet {
        let of = self.sets.iter().filter(|set| set.boxes.iter().any(|i| boxes.contains(i)));
        let mut joined = ConflictSet { boxes: Vec::new(), more: 0, parts: Vec::new() };
        for set in of {
            joined.boxes.extend(&set.boxes);
            joined.more += set.more;
        }
        joined.boxes.sort_unstable();
        joined
    }

    /// A set that is to be searched, unless it was in this round, or is all boxes: these are the level
    /// itself.
    fn outward(&mut self, set: ConflictSet) -> Option<Growth> {
        let is_part = set.boxes.len() < self.level.board.boxes.len();
        let is_new = is_part && self.tried.insert(set.boxes.clone());
        is_new.then_some(Growth::Outward(set))
    }

    /// Goes on with a set by one search; none where it has come to its end.
    fn grow(&mut self, growth: Growth, limits: (u64, usize), clock: &Clock) -> Option<Growth> {
        match growth {
            Growth::Outward(mut set) => match self.alone(&set, limits, clock) {
                Alone::Dearer => {
                    set.more += STEP;
                    let is_in = |part: &&ConflictSet| set.boxes.contains(&part.boxes[0]);
                    let parts = self.sets.iter().rev().filter(is_in).cloned().collect();
                    Some(Growth::Inward(set, parts))
                }
                Alone::Unknown => {
                    self.unknown = true;
                    None
                }
                Alone::Plan(plan) => {
                    let mut more = self.in_the_way(&set.boxes, &plan);
                    if more.is_empty() {
                        more.extend((0..).find(|i| !set.boxes.contains(i)));
                    }
                    more.extend(&set.boxes);
                    let joined = self.joined(&more);
                    self.outward(joined)
                }
            },
            Growth::Inward(set, mut parts) => match parts.pop() {
                Some(part) => Some(Growth::Inward(self.without(set, &part, limits, clock), parts)),
                None => {
                    self.found = true;
                    self.keep_found(set);
                    None
                }
            },
        }
    }

    /// The set without a part of it, where the others cost as much more all the same.
    fn without(
        &mut self,
        set: ConflictSet,
        part: &ConflictSet,
        limits: (u64, usize),
        clock: &Clock,
    ) -> ConflictSet {
        let mut rest = set.clone();
        rest.boxes.retain(|i| !part.boxes.contains(i));
        rest.more -= part.more + STEP;
        if rest.boxes.len() > 1 && matches!(self.alone(&rest, limits, clock), Alone::Dearer) {
            return ConflictSet { more: rest.more + STEP, ..rest };
        }
        set
    }

    /// The prices of some boxes together.
    fn prices_of(&self, boxes: &[usize]) -> u32 {
        boxes.iter().map(|&i| self.of_boxes[i]).sum()
    }

    /// Whether a set's boxes, alone on the board, can be brought home for no more than is known to
    /// be needed.
    fn alone(
        &mut self,
        set: &ConflictSet,
        (expansions, memory): (u64, usize),
        clock: &Clock,
    ) -> Alone {
        let board = self.level.board;
        let boxes: Vec<Square> = set.boxes.iter().map(|&i| board.boxes[i]).collect();
        let subproblem = Subproblem {
            level: Prepared { distances: &self.prices.distances, ..self.level },
            boxes: &boxes,
            added: &self.prices.surcharges,
            below: self.prices_of(&set.boxes) + set.more + 1,
            expansions: self.limit.min(expansions.saturating_sub(self.expanded)),
            memory,
        };
        let Answer { ended, expanded, generated } = self.subproblems.solve(subproblem, clock);
        self.expanded += expanded;
        self.generated += generated;
        match ended {
            pushes::Ended::Solved(plan) => Alone::Plan(plan),
            pushes::Ended::Impossible => Alone::Dearer,
            pushes::Ended::Exhausted | pushes::Ended::Stopped(_) => Alone::Unknown,
        }
    }

    /// The first boxes that are in the way of a plan for a set's boxes alone.
    fn in_the_way(&self, set: &[usize], plan: &[Push]) -> Vec<usize> {
        let board = self.level.board;
        let others: Vec<usize> = (0..board.boxes.len()).filter(|i| !set.contains(i)).collect();
        let box_at = |s: Square| others.iter().copied().find(|&i| board.boxes[i] == s);
        let mut occupied = Occupied::new(&board.layout);
        set.iter().for_each(|&i| occupied.set(board.boxes[i], true));
        let mut player = board.player;
        for push in plan {
            let next = board.next[push.from as usize];
            let (to, behind) = (next[push.direction as usize], next[push.direction as usize ^ 2]);
            let mut met =
                cheapest_walk(board, &occupied, (player, behind), |s| box_at(s).is_some());
            met.push(to);
            let met: Vec<usize> = met.into_iter().filter_map(box_at).collect();
            if !met.is_empty() {
                return met;
            }
            occupied.slide(push.from, to);
            player = push.from;
        }
        Vec::new()
    }
}

impl Search for ConflictSets<'_> {
    type Plan = Vec<Push>;
    type Lesson = ();

    fn name(&self) -> &'static str {
        "conflict-sets"
    }

    /// Raises the bound until it is the cost of the known plan; it finds no plans.
    fn turn(&mut self, known: Known, allowance: &Allowance<'_>) -> Turn<Vec<Push>> {
        let ended = self.search(known_cost(known), allowance);
        Turn::without_plan(self.bound().into(), ended)
    }

    fn spent(&self) -> Spent {
        let &ConflictSets { expanded, generated, .. } = self;
        let memory = self.prices.memory();
        Spent { expanded, generated, memory }
    }
}

/// The sets of each box by itself.
fn single_boxes(boxes: usize) -> Vec<ConflictSet> {
    (0..boxes).map(|i| ConflictSet { boxes: vec![i], more: 0, parts: Vec::new() }).collect()
}

/// The squares in the way on a walk that meets as few of them as can be.
fn cheapest_walk(
    board: &Board,
    occupied: &[bool],
    (from, to): (Square, Square),
    is_in_the_way: impl Fn(Square) -> bool,
) -> Vec<Square> {
    let mut before = vec![None; board.squares() + 1];
    let mut queue = VecDeque::from([(from, from)]);
    while let Some((at, came_from)) = queue.pop_front() {
        if before[at as usize].is_some() {
            continue;
        }
        before[at as usize] = Some(came_from);
        if at == to {
            break;
        }
        // What lies behind a square in the way comes after all that does not.
        for next in board.next[at as usize] {
            if occupied[next as usize] {
                continue;
            }
            if is_in_the_way(next) {
                queue.push_back((next, at));
            } else {
                queue.push_front((next, at));
            }
        }
    }
    let mut met = Vec::new();
    let mut at = to;
    while let Some(came_from) = before[at as usize]
        && at != from
    {
        if is_in_the_way(at) {
            met.push(at);
        }
        at = came_from;
    }
    met
}
