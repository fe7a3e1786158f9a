//! Short plans: other plans than the known one, each made shorter.
//!
//! Making one plan shorter ends in a local optimum, and which one depends on the plan that was begun
//! with. So restarts of feature-space search ([`fess`](super::super::fess)) and, where it fits,
//! [`bidirectional`] search find plans that differ: mostly ones that are shorter than all before,
//! where positions are left out whose bound says that they are on none such, now and then any plan.
//! (To look for any plan below a cost is bounded-cost search: Stern, Puzis and Felner, "Potential
//! search: a bounded-cost search algorithm", ICAPS 2011.)
//!
//! Half of the effort goes into new plans, a first try to make each shorter, and what is near it and
//! the best of the others; the other half into further tries for the best of them: a plan of two
//! pushes more is as good as one that was tried twice as often. Between tries a plan is exchanged for
//! another one of as many pushes, drawn by lot, so that other positions are near it.
//!
//! The shortest plans are often unlike all others, so that making these shorter does not lead to them. Where a plan near a
//! bound is known, a second search of this kind ([`ShortPlans::within_limit`]) can play beside the first one. It has no
//! plan to begin with, and nearly all its effort goes into feature-space search for shorter ones.
//!
//! All is counted in expansions, so the plans do not depend on threads. The search rests between two
//! tries and between two slices of the searches for new plans; short turns come to the same plans and
//! expansions as a long one, as long as the upper limit of all turns is the same. A turn ends with a
//! plan that is shorter than the known one.

use super::super::analysis::Prepared;
use super::super::bidirectional;
use super::super::fess::restarts::FessRestarts;
use super::super::pushes::{self, known_cost};
use super::super::tuning;
use super::shortening::Shortening;
use crate::board::mix;
use crate::games::sokoban::board::Push;
use crate::search::crew::Crew;
use crate::search::{Allowance, Clock, Ended, Known, Limits, Search, Spent, StopReason, Turn};
use std::sync::Arc;
use std::sync::atomic::{AtomicU32, Ordering};
use std::time::Duration;

/// What the bound weighs in these searches, one after the other, and how many expansions each has.
const BOTH_ENDS: [(usize, u64); 3] = [(3, 600_000), (2, 1_000_000), (1, 1_000_000)];
/// Divisor of the effort for new plans: further tries for the plans of a search within a limit have this part.
const TRIES_PART: u64 = 8;
/// All plans of a level have as many pushes modulo this.
const STEP: u32 = 2;

/// A plan, and how often it was tried to make it shorter.
struct Kept<'a> {
    shortening: Shortening<'a>,
    tries: u64,
}

impl Kept<'_> {
    fn cost(&self) -> u32 {
        self.shortening.plan.len() as u32
    }

    /// What it is worth to go on with it; the least is best.
    fn rank(&self) -> u32 {
        self.cost() + STEP * self.tries.max(1).ilog2()
    }
}

/// Limits of a step of the search.
#[derive(Clone, Copy)]
struct Room {
    /// Expansions that are left, in those of windows.
    left: u64,
    /// Whether no more may be done than these.
    is_limited: bool,
    /// Bytes.
    memory: usize,
}

/// The search for plans that are shorter than those known.
pub struct ShortPlans<'a> {
    level: Prepared<'a>,
    tuning: tuning::ShortPlans,
    seed: u64,
    /// The search for plans that are shorter than all before, and the one for any plan.
    shorter: Option<FessRestarts<'a>>,
    any: Option<FessRestarts<'a>>,
    /// The one from both ends, and how many of these came to their ends.
    both_ends: Option<Box<dyn bidirectional::BitBoardSearch>>,
    ended: usize,
    slices: u64,
    kept: Vec<Kept<'a>>,
    /// The pushes of the plan that is made shorter beside, where that is looked at.
    elsewhere: Option<Arc<AtomicU32>>,
    /// Whether new plans come from feature-space search within a limit alone.
    is_within_limit: bool,
    /// The least cost of a plan that is known, here or elsewhere.
    least: u32,
    /// What was spent on new plans, and on those that are kept, in expansions of the latter.
    spent: (u64, u64),
    /// Expansions.
    expanded: u64,
    /// Successors of the searches for plans.
    generated: u64,
}

impl<'a> ShortPlans<'a> {
    /// Begins with a plan, where one is known, as far as it has been made shorter. Another seed
    /// draws other lots.
    pub fn new(level: Prepared<'a>, known: Option<Shortening<'a>>, seed: u64) -> Self {
        let kept = known.map(|shortening| Kept { shortening, tries: 0 });
        ShortPlans {
            level,
            tuning: level.tuning.short_plans,
            seed,
            shorter: None,
            any: None,
            both_ends: None,
            ended: 0,
            slices: 0,
            elsewhere: None,
            is_within_limit: false,
            least: kept.as_ref().map_or(u32::MAX, Kept::cost),
            kept: kept.into_iter().collect(),
            spent: (0, 0),
            expanded: 0,
            generated: 0,
        }
    }

    /// Begins without a plan, and looks for new ones by feature-space search within the limit of the known cost alone.
    pub fn within_limit(level: Prepared<'a>, seed: u64) -> Self {
        ShortPlans { is_within_limit: true, ..Self::new(level, None, seed) }
    }

    /// Bytes held between two turns.
    pub fn memory(&self) -> usize {
        let searches = [&self.shorter, &self.any].into_iter().flatten();
        searches.map(FessRestarts::memory).sum::<usize>()
            + self.both_ends_memory()
            + self.kept.iter().map(|kept| kept.shortening.memory()).sum::<usize>()
    }

    fn both_ends_memory(&self) -> usize {
        self.both_ends.as_ref().map_or(0, |search| search.memory())
    }

    /// What was spent, in expansions of windows: the unit of its share. No less than was expanded.
    pub fn counted(&self) -> u64 {
        self.spent.0 + self.spent.1
    }

    /// Whether further tries for a kept plan are due.
    fn tries_are_due(&self) -> bool {
        let (new, tries) = self.spent;
        if self.is_within_limit {
            tries <= new / TRIES_PART
        } else {
            // The first search from both ends comes before all: it finds plans of another kind.
            self.ended > 0 && tries <= new
        }
    }

    /// Whether the present slice belongs to the search from both ends.
    fn both_ends_are_due(&self) -> bool {
        !self.is_within_limit && (self.ended == 0 || !self.slices.is_multiple_of(2))
    }

    /// The best plan that is kept.
    fn best(&self) -> Option<&[Push]> {
        let best = self.kept.iter().min_by_key(|kept| kept.cost())?;
        Some(&best.shortening.plan)
    }

    /// Only plans of fewer pushes are of interest from now on.
    fn beat(&mut self, cost: u32) {
        self.least = self.least.min(cost);
    }

    /// Looks at the pushes of a plan that is made shorter elsewhere while this searches, and ends a
    /// turn with the first shorter one; then the turns depend on threads.
    pub fn follow(&mut self, elsewhere: Option<Arc<AtomicU32>>) {
        self.elsewhere = elsewhere;
    }

    /// The best plan that is kept, if it has fewer pushes than this and the one elsewhere.
    fn better_than(&self, known: u32) -> Option<&[Push]> {
        let elsewhere = self.elsewhere.as_ref();
        let known = elsewhere.map_or(known, |least| known.min(least.load(Ordering::Relaxed)));
        self.best().filter(|best| best.len() < known as usize)
    }

    /// Searches until the share is spent or there is a plan of fewer pushes than `known`, where there is
    /// one. Where nodes are limited no more than these are expanded.
    fn go_on(&mut self, known: u32, allowance: &Allowance<'_>) -> Ended {
        let &Allowance { clock, nodes, memory, .. } = allowance;
        loop {
            if let Some(elsewhere) = &self.elsewhere {
                self.least = self.least.min(elsewhere.load(Ordering::Relaxed));
            }
            if self.better_than(known).is_some() {
                return Ended::Resting;
            }
            if self.counted() >= nodes {
                return Ended::Stopped(StopReason::Nodes);
            }
            if let Some(stop) = clock.should_stop(0, 0) {
                return Ended::Stopped(stop);
            }
            if self.counted() >= allowance.share {
                return Ended::Resting;
            }
            let best = (0..self.kept.len())
                .filter(|&at| !self.kept[at].shortening.is_through)
                .min_by_key(|&at| self.kept[at].rank());
            let left = nodes - self.counted();
            let room = Room { left, is_limited: nodes != u64::MAX, memory };
            match best.filter(|_| self.tries_are_due()) {
                Some(at) => self.spent.1 += self.shorten(at, room, clock),
                None => self.find(room, clock),
            }
        }
    }

    /// Goes on with the search for another plan. Where there is one, it is made shorter and kept.
    fn find(&mut self, room: Room, clock: &Clock) {
        self.slices += 1;
        if self.both_ends_are_due() && self.find_from_both_ends(room, clock) {
            return;
        }
        let tuning::ShortPlans { slice, free, features_weight, successor_weight, .. } = self.tuning;
        let seed = mix(self.seed ^ mix(self.slices));
        let is_free = !self.is_within_limit && self.slices.is_multiple_of(free);
        let is_any = self.least == u32::MAX || is_free;
        let shorter = self.least.checked_sub(STEP).filter(|_| !is_any);
        let begin = || FessRestarts::new(self.level, seed);
        let search = match shorter {
            Some(pushes) => {
                let search = self.shorter.get_or_insert_with(begin);
                search.limit(pushes);
                search
            }
            None => self.any.get_or_insert_with(begin),
        };
        let before = (search.spent(), search.expansions, search.generated);
        let until = before.0 + slice.min(room.left / features_weight).max(1);
        let limit = if room.is_limited { before.0 + room.left } else { u64::MAX };
        let ended = search.run(clock, (until, limit), room.memory);
        let (expanded, generated) = (search.expansions - before.1, search.generated - before.2);
        let counted = (search.spent() - before.0).max(1) * features_weight;
        self.spent.0 += counted.max(generated * successor_weight);
        self.expanded += expanded;
        self.generated += generated;
        if shorter.is_none() && !matches!(ended, pushes::Ended::Stopped(_)) {
            // With another seed another plan is found.
            self.any = None;
        }
        if let pushes::Ended::Solved(pushes) = ended {
            self.take_in(pushes, room.after(counted), clock);
        }
    }

    /// Goes on with the search for another plan from both ends; whether there is one.
    fn find_from_both_ends(&mut self, room: Room, clock: &Clock) -> bool {
        let Some(&(weight, most)) = BOTH_ENDS.get(self.ended) else { return false };
        let memory = room.memory.saturating_sub(self.memory() - self.both_ends_memory());
        let mut search = match self.both_ends.take() {
            Some(search) => search,
            None => {
                // Where nodes are counted the clock decides nothing.
                let time = if room.is_limited { Duration::MAX } else { clock.left() };
                let search = bidirectional::search(self.level.board, time, weight);
                let Some(search) = search else {
                    self.ended = BOTH_ENDS.len();
                    return false;
                };
                search
            }
        };
        let before = search.effort();
        let slice = self.tuning.both_ends_slice.min(room.left).max(1);
        let ended = search.run(clock, before.0 + slice, memory, &Crew::default());
        let after = search.effort();
        let expanded = after.0.saturating_sub(before.0);
        let counted = expanded.max(1);
        self.spent.0 += counted;
        self.expanded += expanded;
        self.generated += after.1.saturating_sub(before.1);
        match ended {
            pushes::Ended::Stopped(stop) if stop != StopReason::Memory && after.0 < most => {
                self.both_ends = Some(search);
            }
            _ => self.ended += 1,
        }
        if let pushes::Ended::Solved(pushes) = ended {
            self.take_in(pushes, room.after(counted), clock);
        }
        true
    }

    /// Keeps a plan and makes it shorter.
    fn take_in(&mut self, pushes: Vec<Push>, room: Room, clock: &Clock) {
        let Some(at) = self.keep(pushes) else { return };
        let looked = self.shorten(at, room, clock);
        self.spent.0 += looked;
        let room = Room { left: room.left.saturating_sub(looked), ..room };
        self.spent.0 += self.relink(at, room, clock);
    }

    /// Looks for a plan near one that is kept and the best of the others, which is kept in the
    /// shorter one's place; the expansions that it took.
    fn relink(&mut self, at: usize, room: Room, clock: &Clock) -> u64 {
        let others = (0..self.kept.len()).filter(|&other| other != at);
        let Some(best) = others.min_by_key(|&other| self.kept[other].cost()) else { return 0 };
        let is_best = self.kept[at].cost() < self.kept[best].cost();
        let (at, other) = if is_best { (at, best) } else { (best, at) };
        let other = self.kept[other].shortening.plan.clone();
        let (part, nodes) = self.tries(self.tuning.relinking, room, clock);
        let looked = self.kept[at].shortening.relink(&other, nodes, &part);
        self.expanded += looked;
        self.note(at);
        looked
    }

    /// Keeps a plan, in the place of the longest where there are many; its number.
    fn keep(&mut self, pushes: Vec<Push>) -> Option<usize> {
        let shortening = Shortening::of_pushes(self.level, pushes)?;
        if self.kept.len() >= self.tuning.kept
            && let Some(worst) = (0..self.kept.len()).max_by_key(|&at| self.kept[at].cost())
        {
            self.kept.remove(worst);
        }
        self.kept.push(Kept { shortening, tries: 0 });
        Some(self.kept.len() - 1)
    }

    /// Tries to make a plan shorter; the expansions that it took. They are as many as are left only
    /// where expansions are counted.
    fn shorten(&mut self, at: usize, room: Room, clock: &Clock) -> u64 {
        let most = self.tuning.trying.max(self.kept[at].shortening.worth_while());
        let (part, _) = self.tries(most, room, clock);
        let kept = &mut self.kept[at];
        kept.tries += 1;
        let looked = kept.shortening.run(&part);
        self.expanded += looked;
        self.note(at);
        // The remainder of a few nodes may not suffice for anything.
        looked.max(1)
    }

    /// What one try may spend, and its nodes: only where expansions are counted no more than are
    /// left.
    fn tries(&self, most: u64, room: Room, clock: &Clock) -> (Clock, usize) {
        let nodes = if room.is_limited { most.min(room.left) } else { most };
        let (time, memory) = (clock.left(), room.memory);
        let limits = Limits { time, nodes: Some(nodes), threads: 1, memory, seed: self.seed };
        (clock.part(limits).quiet(), nodes as usize)
    }

    /// Notes a plan that may be the best now.
    fn note(&mut self, at: usize) {
        self.least = self.least.min(self.kept[at].cost());
    }
}

impl Room {
    /// The same room after this was spent; one expansion is left always, for a step to begin with.
    fn after(self, counted: u64) -> Room {
        Room { left: self.left.saturating_sub(counted).max(1), ..self }
    }
}

impl Search for ShortPlans<'_> {
    type Plan = Vec<Push>;
    type Lesson = ();

    fn name(&self) -> &'static str {
        "short-plans"
    }

    /// Goes on until a plan is shorter than the known one. Its share is counted in expansions of windows.
    fn turn(&mut self, known: Known, allowance: &Allowance<'_>) -> Turn<Vec<Push>> {
        let known = known_cost(known);
        self.beat(known);
        let ended = self.go_on(known, allowance);
        let plan = self.better_than(known).map(|plan| (plan.len() as u64, plan.to_vec()));
        Turn { plan, bound: 0, ended }
    }

    fn spent(&self) -> Spent {
        let &ShortPlans { expanded, generated, .. } = self;
        Spent { expanded, generated, memory: self.memory() }
    }

    fn may_go_on(&self, nodes: u64) -> bool {
        self.counted() < nodes
    }
}
