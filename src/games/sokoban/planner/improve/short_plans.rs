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
//! All is counted in expansions, so the plans do not depend on threads.

use super::super::analysis::Prepared;
use super::super::bidirectional::{self, Search};
use super::super::fess::restarts::FessRestarts;
use super::super::pushes::Ended;
use super::Shortening;
use crate::board::mix;
use crate::games::planning::{Found, nobody};
use crate::games::sokoban::board::Push;
use crate::search::crew::Crew;
use crate::search::{Clock, Limits, StopReason, TurnReport};
use std::sync::Arc;
use std::sync::atomic::{AtomicU32, Ordering};
use std::time::Duration;

/// Expansions of one try to make a plan shorter.
const TRY: u64 = 200_000;
/// Expansions of one search for a plan near two.
const RELINKING: u64 = 400_000;
/// Expansions of feature-space search between two looks at what else is to do.
const SLICE: u64 = 1000;
/// Slices of which one looks for any plan, the others for shorter ones.
const FREE: u64 = 4;
/// Expansions of a search from both ends between two looks at what else is to do.
const BOTH_ENDS_SLICE: u64 = 50_000;
/// What the bound weighs in these searches, one after the other, and how many expansions each has.
const BOTH_ENDS: [(usize, u64); 3] = [(3, 600_000), (2, 1_000_000), (1, 1_000_000)];
/// Expansions of windows that an expansion of feature-space search counts as.
const FEATURES_WEIGHT: u64 = 60;
/// Expansions of windows that a successor in feature-space search counts as, where that is more.
const SUCCESSOR_WEIGHT: u64 = 2;
/// Plans that are kept for further tries.
const MOST_KEPT: usize = 8;
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

/// The search for plans that are shorter than those known.
pub struct ShortPlans<'a> {
    level: Prepared<'a>,
    seed: u64,
    /// Hears each better plan.
    found: Found<'a, Push>,
    /// The search for plans that are shorter than all before, and the one for any plan.
    shorter: Option<FessRestarts<'a>>,
    any: Option<FessRestarts<'a>>,
    /// The one from both ends, and how many of these came to their ends.
    both_ends: Option<Box<dyn Search>>,
    ended: usize,
    slices: u64,
    kept: Vec<Kept<'a>>,
    /// The pushes of the plan that is made shorter beside, where that is looked at.
    elsewhere: Option<Arc<AtomicU32>>,
    /// The least cost of a plan that is known, here or elsewhere.
    least: u32,
    /// What was spent on new plans, and on those that are kept, in expansions of the latter.
    spent: (u64, u64),
    /// Expansions.
    pub expanded: u64,
    /// Successors of the searches for plans.
    pub generated: u64,
}

impl<'a> ShortPlans<'a> {
    /// Begins with a plan, where one is known, as far as it has been made shorter. Another seed
    /// draws other lots.
    pub fn new(level: Prepared<'a>, known: Option<Shortening<'a>>, seed: u64) -> Self {
        let kept = known.map(|shortening| Kept { shortening, tries: 0 });
        ShortPlans {
            level,
            seed,
            found: &nobody,
            shorter: None,
            any: None,
            both_ends: None,
            ended: 0,
            slices: 0,
            elsewhere: None,
            least: kept.as_ref().map_or(u32::MAX, Kept::cost),
            kept: kept.into_iter().collect(),
            spent: (0, 0),
            expanded: 0,
            generated: 0,
        }
    }

    /// The same search, whose better plans are heard of.
    pub fn telling(self, found: Found<'a, Push>) -> Self {
        ShortPlans { found, ..self }
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

    /// What was spent, in expansions of windows; no less than was expanded.
    pub fn spent(&self) -> u64 {
        self.spent.0 + self.spent.1
    }

    /// The best plan that is kept.
    fn best(&self) -> Option<&[Push]> {
        let best = self.kept.iter().min_by_key(|kept| kept.cost())?;
        Some(&best.shortening.plan)
    }

    /// Only plans of fewer pushes are of interest from now on.
    pub fn beat(&mut self, cost: u32) {
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

    /// As [`ShortPlans::take_turn`], and tells the listener of it.
    pub fn accounted_turn(
        &mut self,
        limits: (u64, u32),
        memory: usize,
        clock: &Clock,
    ) -> Option<Vec<Push>> {
        let before = (self.expanded, self.generated);
        let run = || {
            let plan = self.take_turn(limits, memory, clock);
            (plan, self)
        };
        let report = |(plan, search): &(Option<Vec<Push>>, &mut Self)| TurnReport {
            expanded: search.expanded - before.0,
            generated: search.generated - before.1,
            memory: search.memory() as u64,
            length: plan.as_ref().map(|plan| plan.len() as u64),
            ..TurnReport::default()
        };
        clock.account("short-plans", run, report).0
    }

    /// Searches until `most` expansions are spent in all; where expansions are counted no more than
    /// these are done. A plan of fewer pushes than `known`, where there is one.
    pub fn take_turn(
        &mut self,
        (most, known): (u64, u32),
        memory: usize,
        clock: &Clock,
    ) -> Option<Vec<Push>> {
        while self.spent() < most && clock.should_stop(0, 0).is_none() {
            if let Some(elsewhere) = &self.elsewhere {
                self.least = self.least.min(elsewhere.load(Ordering::Relaxed));
                if self.better_than(known).is_some() {
                    break;
                }
            }
            let best = (0..self.kept.len())
                .filter(|&at| !self.kept[at].shortening.is_through)
                .min_by_key(|&at| self.kept[at].rank());
            let left = most - self.spent();
            // The first search from both ends comes before all: it finds plans of another kind.
            match best.filter(|_| self.ended > 0 && self.spent.1 <= self.spent.0) {
                Some(at) => self.spent.1 += self.shorten(at, (left, memory), clock),
                None => self.find((left, memory), clock),
            }
        }
        self.better_than(known).map(<[Push]>::to_vec)
    }

    /// Goes on with the search for another plan. Where there is one, it is made shorter and kept.
    fn find(&mut self, (left, memory): (u64, usize), clock: &Clock) {
        self.slices += 1;
        if (self.ended == 0 || !self.slices.is_multiple_of(2))
            && self.find_from_both_ends((left, memory), clock)
        {
            return;
        }
        let seed = mix(self.seed ^ mix(self.slices));
        let is_any = self.least == u32::MAX || self.slices.is_multiple_of(FREE);
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
        let slice = before.0 + SLICE.min(left / FEATURES_WEIGHT).max(1);
        let limit = clock.limits.nodes.map_or(u64::MAX, |_| before.0 + left);
        let ended = search.run(clock, (slice, limit), memory);
        let (expanded, generated) = (search.expansions - before.1, search.generated - before.2);
        let counted = (search.spent() - before.0).max(1) * FEATURES_WEIGHT;
        self.spent.0 += counted.max(generated * SUCCESSOR_WEIGHT);
        self.expanded += expanded;
        self.generated += generated;
        if shorter.is_none() && !matches!(ended, Ended::Stopped(_)) {
            // With another seed another plan is found.
            self.any = None;
        }
        if let Ended::Solved(pushes) = ended {
            self.take_in(pushes, (left.saturating_sub(counted).max(1), memory), clock);
        }
    }

    /// Goes on with the search for another plan from both ends; whether there is one.
    fn find_from_both_ends(&mut self, (left, memory): (u64, usize), clock: &Clock) -> bool {
        let Some(&(weight, most)) = BOTH_ENDS.get(self.ended) else { return false };
        let room = memory.saturating_sub(self.memory() - self.both_ends_memory());
        let mut search = match self.both_ends.take() {
            Some(search) => search,
            None => {
                // Where nodes are counted the clock decides nothing.
                let time = clock.limits.nodes.map_or_else(|| clock.left(), |_| Duration::MAX);
                let Some(mut search) = bidirectional::search(self.level.board, time) else {
                    self.ended = BOTH_ENDS.len();
                    return false;
                };
                search.weigh(weight);
                search
            }
        };
        let before = search.effort();
        let slice = BOTH_ENDS_SLICE.min(left).max(1);
        let ended = search.run(clock, before.0 + slice, room, &Crew::default());
        let after = search.effort();
        let expanded = after.0.saturating_sub(before.0);
        let counted = expanded.max(1);
        self.spent.0 += counted;
        self.expanded += expanded;
        self.generated += after.1.saturating_sub(before.1);
        match ended {
            Ended::Stopped(stop) if stop != StopReason::Memory && after.0 < most => {
                self.both_ends = Some(search);
            }
            _ => self.ended += 1,
        }
        if let Ended::Solved(pushes) = ended {
            self.take_in(pushes, (left.saturating_sub(counted).max(1), memory), clock);
        }
        true
    }

    /// Keeps a plan and makes it shorter.
    fn take_in(&mut self, pushes: Vec<Push>, (left, memory): (u64, usize), clock: &Clock) {
        let Some(at) = self.keep(pushes) else { return };
        let looked = self.shorten(at, (left, memory), clock);
        self.spent.0 += looked;
        self.spent.0 += self.relink(at, (left.saturating_sub(looked), memory), clock);
    }

    /// Looks for a plan near one that is kept and the best of the others, which is kept in the
    /// shorter one's place; the expansions that it took.
    fn relink(&mut self, at: usize, (left, memory): (u64, usize), clock: &Clock) -> u64 {
        let others = (0..self.kept.len()).filter(|&other| other != at);
        let Some(best) = others.min_by_key(|&other| self.kept[other].cost()) else { return 0 };
        let is_best = self.kept[at].cost() < self.kept[best].cost();
        let (at, other) = if is_best { (at, best) } else { (best, at) };
        let other = self.kept[other].shortening.plan.clone();
        let (part, nodes) = self.tries((RELINKING, left), memory, clock);
        let looked = self.kept[at].shortening.relink(&other, nodes, &part);
        self.expanded += looked;
        self.note(at);
        looked
    }

    /// Keeps a plan, in the place of the longest where there are many; its number.
    fn keep(&mut self, pushes: Vec<Push>) -> Option<usize> {
        let shortening = Shortening::of_pushes(self.level, pushes)?;
        if self.kept.len() >= MOST_KEPT
            && let Some(worst) = (0..self.kept.len()).max_by_key(|&at| self.kept[at].cost())
        {
            self.kept.remove(worst);
        }
        self.kept.push(Kept { shortening, tries: 0 });
        Some(self.kept.len() - 1)
    }

    /// Tries to make a plan shorter; the expansions that it took. They are as many as are left only
    /// where expansions are counted.
    fn shorten(&mut self, at: usize, (left, memory): (u64, usize), clock: &Clock) -> u64 {
        let most = TRY.max(self.kept[at].shortening.worth_while());
        let (part, _) = self.tries((most, left), memory, clock);
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
    fn tries(&self, (most, left): (u64, u64), memory: usize, clock: &Clock) -> (Clock, usize) {
        let nodes = if clock.limits.nodes.is_some() { most.min(left) } else { most };
        let limits =
            Limits { time: clock.left(), nodes: Some(nodes), threads: 1, memory, seed: self.seed };
        (clock.part(limits).quiet(), nodes as usize)
    }

    /// Notes a plan that may be the best now.
    fn note(&mut self, at: usize) {
        let plan = &self.kept[at].shortening.plan;
        if (plan.len() as u32) < self.least {
            self.least = plan.len() as u32;
            (self.found)(plan, self.least.into());
        }
    }
}
