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

/// The search for conflict sets, and the search for a plan of as many pushes as their bound, which uses pattern databases
/// of the sets. If there is no such plan, the bound is raised, and the second search begins again.
///
/// The search for sets runs alone as long as the bound may rise soon; after that the two share cycles of expansions. A
/// cycle goes on from one turn to the next, so short turns give the same result as a long one.
pub(in super::super) struct WithinBound<'a> {
    level: Prepared<'a>,
    tuning: tuning::ConflictSets,
    sets: ConflictSets<'a>,
    /// Expansions in all turns together, those for pattern databases included.
    most: u64,
    /// Whether there may be more sets.
    goes_on: bool,
    /// Expansions of the search for sets when it last raised the bound.
    risen_at: u64,
    /// The expansions when the search for sets last ceased to run alone. Shares are counted from here.
    alone_until: Expansions,
    /// The expansions at which the part of the search for sets, and the whole cycle, end.
    cycle_end: Expansions,
    /// No plan has fewer pushes.
    bound: u32,
    /// The search for a plan, where it has begun.
    search: Option<PlanSearch<'a>>,
    /// Expansions and successors of earlier searches for a plan, and of pattern databases.
    before: (u64, u64),
}

/// Numbers of expansions.
#[derive(Clone, Copy, Default)]
struct Expansions {
    /// Those of the search for sets.
    sets: u64,
    /// Those of both searches and of pattern databases.
    all: u64,
}

/// The search for a plan within a bound.
struct PlanSearch<'a> {
    search: BestFirst<'a>,
    /// The bound.
    bound: u32,
    /// The search begins again, with larger pattern databases, at this number of expansions in all.
    again: u64,
}

/// How the search for a plan ended.
enum Looked {
    /// It found this plan.
    Found(Vec<Push>),
    /// The cycle or the turn is over, or no plan is shorter than the known one.
    Rested,
    /// Time or memory ran out.
    Stopped,
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
            risen_at: 0,
            alone_until: Expansions::default(),
            cycle_end: Expansions::default(),
            bound: 0,
            search: None,
            before: (0, 0),
        }
    }

    fn expanded(&self) -> u64 {
        let search = self.search.as_ref().map_or(0, |plan| plan.search.expansions);
        self.sets.expanded + self.before.0 + search
    }

    fn memory(&self) -> usize {
        self.search.as_ref().map_or(0, |plan| plan.search.memory())
    }

    /// Number of its expansions up to which the search for sets runs alone. Bounds rise in spells; after each rise a search
    /// within the bound would have to begin again.
    fn patience(&self) -> u64 {
        self.risen_at.saturating_mul(self.tuning.patience).max(self.tuning.least_patience)
    }

    /// Whether the search for sets runs alone.
    fn is_patient(&self) -> bool {
        self.goes_on && self.sets.expanded < self.patience()
    }

    /// Number of its expansions at which the part of the search for sets ends.
    fn end_of_sets(&self) -> u64 {
        if self.is_patient() { self.patience() } else { self.cycle_end.sets }
    }

    /// Begins a cycle.
    fn begin_cycle(&mut self) {
        let all = self.expanded() + self.tuning.cycle;
        let Expansions { sets, all: from } = self.alone_until;
        self.cycle_end = Expansions { sets: sets + (all - from) / self.tuning.part, all };
    }

    /// Looks for more sets until it has expanded `end` positions, the bound has risen, or the turn is over.
    fn find_sets(&mut self, known: Known, end: u64, allowance: &Allowance<'_>) {
        let (before, was_patient) = (self.sets.bound(), self.is_patient());
        // A rise ends this part in turns of any length.
        let next = Known { cost: known.cost.min(u64::from(before) + 1), ..known };
        let others = self.expanded() - self.sets.expanded;
        let part = Allowance {
            share: allowance.share.saturating_sub(others).min(end),
            nodes: allowance.nodes.saturating_sub(others),
            memory: allowance.memory.saturating_sub(self.memory()),
            ..*allowance
        };
        let ended = self.sets.turn(next, &part).ended;
        self.goes_on =
            matches!(ended, Ended::Resting | Ended::Proven | Ended::Stopped(StopReason::Nodes));
        if self.sets.bound() > before {
            self.risen_at = self.sets.expanded;
            self.bound = self.bound.max(self.sets.bound());
        }
        if was_patient && !self.is_patient() {
            self.alone_until = Expansions { sets: self.sets.expanded, all: self.expanded() };
        }
    }

    /// Looks for a plan of fewer than `enough` pushes until `end` positions are expanded in all.
    fn find_plan(&mut self, enough: u32, end: u64, allowance: &Allowance<'_>) -> Looked {
        let &Allowance { clock, nodes, memory, .. } = allowance;
        while self.bound < enough && self.expanded() < end {
            let is_stale = self
                .search
                .as_ref()
                .is_none_or(|plan| plan.bound < self.bound || plan.again <= self.expanded());
            if is_stale {
                self.begin(memory, clock);
                continue;
            }
            let others = self.sets.expanded + self.before.0;
            let Some(plan) = &mut self.search else { return Looked::Stopped };
            let share = end.min(plan.again).saturating_sub(others);
            match plan.search.run(clock, (share, nodes.saturating_sub(others)), memory) {
                pushes::Ended::Impossible => self.bound += STEP,
                pushes::Ended::Solved(pushes) => return Looked::Found(pushes),
                pushes::Ended::Stopped(StopReason::Nodes) => {}
                pushes::Ended::Exhausted | pushes::Ended::Stopped(_) => return Looked::Stopped,
            }
        }
        Looked::Rested
    }

    /// Begins the search for a plan of no more pushes than the bound, in the place of the one before.
    fn begin(&mut self, memory: usize, clock: &Clock) {
        if let Some(stale) = self.search.take() {
            self.before.0 += stale.search.expansions;
            self.before.1 += stale.search.generated();
        }
        let began = self.expanded().max(1);
        let tuning::ConflictSets { largest_database, database_part, databases_again, .. } =
            self.tuning;
        let limits = DatabaseLimits {
            each: largest_database,
            together: database_part.saturating_mul(began).min(self.most.saturating_sub(began)),
            memory: memory / DATABASE_MEMORY,
        };
        let spare = self.bound - self.sets.bound();
        let (databases, spent) = self.sets.databases(spare, limits, clock);
        self.before.0 += spent;
        let mut search = BestFirst::new(self.level, Measure::Pushes, Weights::EXACT);
        search.consult(&Arc::new(databases));
        search.beat(self.bound + 1);
        let is_whole = search.knows_all_sets();
        let again = if is_whole { u64::MAX } else { began.saturating_mul(databases_again) };
        self.search = Some(PlanSearch { search, bound: self.bound, again });
    }
}

impl Search for WithinBound<'_> {
    type Plan = Vec<Push>;
    type Lesson = ();

    fn name(&self) -> &'static str {
        "conflict-sets"
    }

    /// Looks for more sets and, unless the bound may rise soon, for a plan of as many pushes as the bound says.
    /// The turn ends when the share is spent or the known plan is proven to be shortest.
    fn turn(&mut self, known: Known, allowance: &Allowance<'_>) -> Turn<Vec<Push>> {
        let &Allowance { clock, share, nodes, .. } = allowance;
        let enough = known_cost(known);
        self.bound = self.bound.max(self.sets.bound());
        let mut plan = None;
        let ended = loop {
            if plan.is_some() || self.bound >= enough {
                break Ended::Proven;
            }
            if let Some(stop) = clock.should_stop(0, 0) {
                break Ended::Stopped(stop);
            }
            if !self.may_go_on(nodes) {
                break Ended::Stopped(StopReason::Nodes);
            }
            // Without a plan to beat, there may be none at all.
            let may_look = enough != u32::MAX;
            if self.expanded() >= share || !self.goes_on && !may_look {
                break Ended::Resting;
            }
            let end_of_sets = if may_look { self.end_of_sets() } else { u64::MAX };
            if self.goes_on && self.sets.expanded < end_of_sets {
                self.find_sets(known, end_of_sets, allowance);
            } else if self.expanded() < self.cycle_end.all {
                match self.find_plan(enough, share.min(self.cycle_end.all), allowance) {
                    Looked::Found(pushes) => plan = Some((pushes.len() as u64, pushes)),
                    Looked::Rested => {}
                    Looked::Stopped => break Ended::Resting,
                }
            } else {
                self.begin_cycle();
            }
        };
        Turn { plan, bound: self.bound.into(), ended }
    }

    fn spent(&self) -> Spent {
        let search = self.search.as_ref().map_or(0, |plan| plan.search.generated());
        let generated = self.sets.generated + self.before.1 + search;
        Spent { expanded: self.expanded(), generated, memory: self.memory() }
    }
}
