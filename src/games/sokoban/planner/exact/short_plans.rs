//! Short plans beside a proof: other plans than the first one, each made shorter.
//!
//! Where the bound is right, a proof lacks a plan that meets it. Making one plan shorter ends in a
//! local optimum, and which one depends on the plan that was begun with. So restarts of
//! feature-space search ([`fess`](super::super::fess)), with a seed of their own each time, find
//! plans that differ. Half of the expansions go into such plans and a first effort to make each
//! shorter, the other half into greater efforts for the best of them: a plan of two pushes more is
//! as good as one that twice the effort was spent on.
//!
//! All efforts are counted in expansions, so the plans do not depend on threads.

use super::super::analysis::Prepared;
use super::super::fess::restarts::FessRestarts;
use super::super::improve::Shortening;
use super::super::pushes::{Ended, Measure};
use super::{Priced, STEP};
use crate::board::mix;
use crate::games::sokoban::board::Push;
use crate::search::{Budget, Clock, StopReason};

/// Expansions of one effort to make a plan shorter.
const EFFORT: u64 = 200_000;
/// An expansion of feature-space search counts as so many of the others.
const FEATURES_WEIGHT: u64 = 30;
/// Plans that are kept for greater efforts.
const MOST_KEPT: usize = 8;

/// A plan, and the efforts to make it shorter that were made.
struct Kept<'a> {
    shortening: Shortening<'a>,
    efforts: u64,
}

impl Kept<'_> {
    fn cost(&self) -> u32 {
        self.shortening.plan.len() as u32
    }

    /// What it is worth to go on with it; the least is best.
    fn rank(&self) -> u32 {
        self.cost() + STEP * self.efforts.max(1).ilog2()
    }
}

/// The search for plans that are shorter than those known.
pub(super) struct ShortPlans<'a> {
    level: Prepared<'a>,
    /// The search for the next plan, where it has begun.
    finding: Option<FessRestarts<'a>>,
    kept: Vec<Kept<'a>>,
    /// Searches for plans that have begun.
    begun: u64,
    /// Expansions spent on new plans, and on those that are kept.
    spent: (u64, u64),
    /// Successors of the searches for plans.
    pub(super) generated: u64,
}

impl<'a> ShortPlans<'a> {
    /// Begins with a plan, where one is known.
    pub(super) fn new(level: Prepared<'a>, known: Option<&Priced>) -> Self {
        let kept = known.and_then(|(_, pushes)| Some(kept(level, pushes.clone())?));
        ShortPlans {
            level,
            finding: None,
            kept: kept.into_iter().collect(),
            begun: 0,
            spent: (0, 0),
            generated: 0,
        }
    }

    /// Bytes held between two turns.
    pub(super) fn memory(&self) -> usize {
        self.finding.as_ref().map_or(0, |search| search.memory())
    }

    /// What was spent, in expansions.
    pub(super) fn expanded(&self) -> u64 {
        self.spent.0 + self.spent.1
    }

    /// Searches until about so many expansions are spent in all. A plan of fewer pushes than
    /// `known`, where there is one.
    pub(super) fn take_turn(
        &mut self,
        (expansions, known): (u64, u32),
        memory: usize,
        clock: &Clock<'_>,
    ) -> Option<Priced> {
        while self.expanded() < expansions && clock.should_stop(0, 0).is_none() {
            let best = (0..self.kept.len())
                .filter(|&at| !self.kept[at].shortening.is_through)
                .min_by_key(|&at| self.kept[at].rank());
            match best.filter(|_| self.spent.1 <= self.spent.0) {
                Some(at) => self.spent.1 += self.shorten(at, memory, clock),
                None => self.find(expansions - self.expanded(), memory, clock),
            }
        }
        let best = self.kept.iter().min_by_key(|kept| kept.cost())?;
        (best.cost() < known).then(|| (best.cost(), best.shortening.plan.clone()))
    }

    /// Goes on with the search for another plan, until about so much is spent. Where there is one,
    /// it is made shorter and kept.
    fn find(&mut self, most: u64, memory: usize, clock: &Clock<'_>) {
        let seed = mix(clock.budget.seed ^ mix(self.begun));
        let begin = || FessRestarts::new(self.level, seed);
        let mut search = self.finding.take().unwrap_or_else(begin);
        let before = (search.spent(), search.generated);
        let limit = before.0 + most.div_ceil(FEATURES_WEIGHT);
        let ended = search.run(clock, (limit, u64::MAX), memory);
        self.spent.0 += (search.spent() - before.0).max(1) * FEATURES_WEIGHT;
        self.generated += search.generated - before.1;
        match ended {
            Ended::Solved(pushes) => {
                self.begun += 1;
                if let Some(kept) = kept(self.level, pushes) {
                    self.kept.push(kept);
                    self.spent.0 += self.shorten(self.kept.len() - 1, memory, clock);
                    self.forget();
                }
            }
            Ended::Stopped(StopReason::Nodes) => self.finding = Some(search),
            // With another seed it may fare better.
            Ended::Impossible | Ended::Exhausted | Ended::Stopped(_) => self.begun += 1,
        }
    }

    /// Forgets a plan where there are many.
    fn forget(&mut self) {
        if self.kept.len() > MOST_KEPT
            && let Some(worst) = (0..self.kept.len()).max_by_key(|&at| self.kept[at].cost())
        {
            self.kept.remove(worst);
        }
    }

    /// Makes one effort for a plan; the expansions that it took.
    fn shorten(&mut self, at: usize, memory: usize, clock: &Clock<'_>) -> u64 {
        let (time, nodes) = (clock.left(), Some(EFFORT));
        let (progress, plans) = (None, None);
        let budget =
            Budget { time, nodes, threads: 1, memory, progress, plans, ..clock.budget.clone() };
        let before = self.kept.iter().map(Kept::cost).min();
        let kept = &mut self.kept[at];
        kept.efforts += 1;
        let looked = kept.shortening.run(&budget.start());
        if before.is_some_and(|before| kept.cost() < before) {
            clock.found(|| kept.shortening.plan.clone());
        }
        if std::env::var("DBG").is_ok() {
            eprintln!("{:.1}s {at} efforts {} -> {}; {:?} expanded {:?}", clock.elapsed().as_secs_f64(), self.kept[at].efforts, self.kept[at].cost(), self.kept.iter().map(|k| k.cost()).collect::<Vec<_>>(), self.spent);
        }
        looked
    }
}

/// A plan that no effort was made for yet; `None` where it is none.
fn kept(level: Prepared<'_>, pushes: Vec<Push>) -> Option<Kept<'_>> {
    let Prepared { board, distances, .. } = level;
    let shortening = Shortening::new(board, distances, pushes, Measure::Pushes)?;
    Some(Kept { shortening, efforts: 0 })
}
