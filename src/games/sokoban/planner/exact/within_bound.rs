//! A plan of as many pushes as the bound of conflict sets says, or the proof that there is none.

use super::conflict_sets::{ConflictSets, DatabaseLimits, STEP};
use crate::games::sokoban::board::Push;
use crate::games::sokoban::planner::analysis::Prepared;
use crate::games::sokoban::planner::pushes::best_first::{BestFirst, Weights};
use crate::games::sokoban::planner::pushes::{self, Measure, known_cost};
use crate::games::sokoban::planner::tuning;
use crate::search::{Allowance, Clock, Ended, Known, Search, Spent, StopReason, Turn};
use std::sync::Arc;

/// Divisor of the memory: pattern databases and the one that is made take at most this share.
const DATABASE_MEMORY: usize = 4;

/// The search for conflict sets, and that for a plan of as many pushes as their bound, with their
/// pattern databases for this limit. That there is none raises the bound; then it restarts.
///
/// It has no resting place: pattern databases are the larger the longer the turn in which they are made,
/// and rounds of positions end with the turn. So short turns come to other expansions than a long one.
pub(in super::super) struct WithinBound<'a> {
    level: Prepared<'a>,
    tuning: tuning::ConflictSets,
    sets: ConflictSets<'a>,
    /// Expansions in all turns together, those for pattern databases included.
    most: u64,
    /// Whether there may be more sets.
    goes_on: bool,
    /// Whether the sets have raised the bound in each turn so far. The search for a plan begins after the first turn in
    /// which they have not.
    is_rising: bool,
    /// Expansions of the turns in which the sets have risen. Shares are counted from here.
    ahead: u64,
    /// No plan has fewer pushes.
    bound: u32,
    /// The search, where it has begun, the bound that it looks for, and the turn in which it began.
    search: Option<(BestFirst<'a>, u32, u64)>,
    /// Expansions and successors of those before.
    before: (u64, u64),
}

impl<'a> WithinBound<'a> {
    /// A search that may expand `most` positions in all.
    pub(in super::super) fn new(level: Prepared<'a>, sets: ConflictSets<'a>, most: u64) -> Self {
        let tuning = level.tuning.conflict_sets;
        WithinBound {
            level,
            tuning,
            sets,
            most,
            goes_on: true,
            is_rising: true,
            ahead: 0,
            bound: 0,
            search: None,
            before: (0, 0),
        }
    }

    fn expanded(&self) -> u64 {
        let search = self.search.as_ref().map_or(0, |(search, ..)| search.expansions);
        self.sets.expanded + self.before.0 + search
    }

    /// The share of the search for sets in `all` expansions of all turns together.
    fn part_for_sets(&self, all: u64) -> u64 {
        let part = if self.is_rising { 1 } else { self.tuning.part };
        self.ahead + all.saturating_sub(self.ahead) / part
    }

    fn memory(&self) -> usize {
        self.search.as_ref().map_or(0, |(search, ..)| search.memory())
    }

    /// Searches until `expansions` positions are expanded in all, a plan is found, or none of fewer
    /// than `enough` pushes is left.
    fn search(
        &mut self,
        (expansions, enough): (u64, u32),
        memory: usize,
        clock: &Clock,
    ) -> Option<Vec<Push>> {
        let turn = expansions.saturating_sub(self.ahead);
        while self.bound < enough {
            let mut search = match self.search.take() {
                Some((search, bound, began))
                    if bound == self.bound
                        && (search.knows_all_sets()
                            || turn < began * self.tuning.databases_again) =>
                {
                    (search, bound, began)
                }
                stale => {
                    self.add(stale.map(|(search, ..)| search));
                    (self.begin(turn, memory, clock), self.bound, turn)
                }
            };
            let left = expansions.saturating_sub(self.sets.expanded + self.before.0);
            match search.0.run(clock, left, memory) {
                pushes::Ended::Impossible => {
                    self.bound += STEP;
                    self.add(Some(search.0));
                }
                pushes::Ended::Solved(pushes) => {
                    self.add(Some(search.0));
                    return Some(pushes);
                }
                pushes::Ended::Exhausted | pushes::Ended::Stopped(_) => {
                    self.search = Some(search);
                    return None;
                }
            }
        }
        None
    }

    /// Counts what a search took that is over.
    fn add(&mut self, search: Option<BestFirst<'_>>) {
        if let Some(search) = search {
            self.before.0 += search.expansions;
            self.before.1 += search.generated();
        }
    }

    /// A search for plans of no more pushes than the bound.
    fn begin(&mut self, turn: u64, memory: usize, clock: &Clock) -> BestFirst<'a> {
        let tuning::ConflictSets { largest_database, database_part, .. } = self.tuning;
        let spare = self.bound - self.sets.bound();
        let limits = DatabaseLimits {
            each: largest_database.min(database_part.saturating_mul(turn)),
            together: self.most.saturating_sub(self.expanded()),
            memory: memory / DATABASE_MEMORY,
        };
        let databases = Arc::new(self.sets.databases(spare, limits, clock));
        let mut search = BestFirst::new(self.level, Measure::Pushes, Weights::EXACT);
        search.consult(&databases);
        search.beat(self.bound + 1);
        search
    }
}

impl Search for WithinBound<'_> {
    type Plan = Vec<Push>;
    type Lesson = ();

    fn name(&self) -> &'static str {
        "conflict-sets"
    }

    /// Looks for more sets and then, unless the sets are still rising, for a plan of as many pushes as the bound says.
    /// The turn ends when the share is spent or the known plan is proven to be shortest.
    fn turn(&mut self, known: Known, allowance: &Allowance<'_>) -> Turn<Vec<Push>> {
        let &Allowance { clock, share, nodes, memory, .. } = allowance;
        let enough = known_cost(known);
        let before = self.sets.bound();
        if self.goes_on {
            let memory = memory.saturating_sub(self.memory());
            let [share, nodes] = [share, nodes].map(|all| self.part_for_sets(all));
            let part = Allowance { share, nodes, memory, ..*allowance };
            let ended = self.sets.turn(known, &part).ended;
            self.goes_on = matches!(ended, Ended::Resting | Ended::Stopped(StopReason::Nodes));
        }
        self.bound = self.bound.max(self.sets.bound());
        if self.is_rising {
            self.is_rising = self.goes_on && self.sets.bound() > before && self.may_go_on(nodes);
            self.ahead = self.sets.expanded;
        }
        // Without a plan to beat, there may be none at all. While the bound rises, the search would begin again and
        // again.
        let is_worth_a_search = enough != u32::MAX && !self.is_rising;
        let limits = (allowance.limit(), enough);
        let plan = is_worth_a_search.then(|| self.search(limits, memory, clock)).flatten();
        let ended = match clock.should_stop(0, 0) {
            _ if plan.is_some() || self.bound >= enough => Ended::Proven,
            Some(stop) => Ended::Stopped(stop),
            None if self.may_go_on(nodes) => Ended::Resting,
            None => Ended::Stopped(StopReason::Nodes),
        };
        let plan = plan.map(|pushes| (pushes.len() as u64, pushes));
        Turn { plan, bound: self.bound.into(), ended }
    }

    fn spent(&self) -> Spent {
        let search = self.search.as_ref().map_or(0, |(search, ..)| search.generated());
        let generated = self.sets.generated + self.before.1 + search;
        Spent { expanded: self.expanded(), generated, memory: self.memory() }
    }
}
