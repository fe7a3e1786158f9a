//! A* over single pushes as a search that takes turns: on bit boards ([`push_space`](super::push_space)), on lists
//! of boxes where the board is too large for them.

use super::conflict_sets::ConflictSets;
use super::penalties::KnownSet;
use super::push_space::PushSpace;
use crate::games::sokoban::board::mask::on_words;
use crate::games::sokoban::board::{Board, Push};
use crate::games::sokoban::planner::analysis::Prepared;
use crate::games::sokoban::planner::pushes::best_first::{BestFirst, Weights};
use crate::games::sokoban::planner::pushes::{Ended, Measure, known_cost};
use crate::search::astar::AStar;
use crate::search::{self, Allowance, Clock, Known, Search, SharedAStar, Spent, StopReason, Turn};
use std::sync::Arc;

/// A* over single pushes of either kind.
pub(in super::super) type AnyAStar<'s> = dyn AStarOverLevel + 's;

/// A* over a level, which may have use for what the search for conflict sets finds.
pub(in super::super) trait AStarOverLevel:
    Search<Plan = Vec<Push>, Lesson = ()>
{
    /// The known conflict sets of the start that cost most together, no two with a box in common.
    fn sets(&self) -> Vec<KnownSet> {
        Vec::new()
    }
}

/// The searches by A* that a level can have.
pub(in super::super) struct Searches<'s> {
    /// A* in this process.
    pub alone: &'s mut AnyAStar<'s>,
    /// A* in all processes of the run; `None` if there is only one process, or if the board is too large for
    /// bit boards. This search starts from the beginning and plays a single turn.
    pub shared: Option<&'s mut AnyAStar<'s>>,
    /// The search for conflict sets of the start; `None` if moves count or the level has no prices. It shares penalties with
    /// A*, so the two must not play at the same time.
    pub sets: Option<ConflictSets<'s>>,
}

/// Makes A* for a level, and does something with it: on bit boards where they serve.
pub(in super::super) fn with_astar<T>(
    level: Prepared<'_>,
    measure: Measure,
    clock: &Clock,
    work: impl FnOnce(Searches<'_>) -> T,
) -> T {
    on_words!(
        level.board,
        W => on_bits::<W, T>(level, measure, clock, work),
        on_lists(level, measure, work)
    )
}

fn on_lists<T>(level: Prepared<'_>, measure: Measure, work: impl FnOnce(Searches<'_>) -> T) -> T {
    let counts_pushes = measure == Measure::Pushes;
    let sets = if counts_pushes { ConflictSets::new(level) } else { None };
    work(Searches { alone: &mut AStarOverPushes::new(level, measure), shared: None, sets })
}

fn on_bits<const W: usize, T>(
    level: Prepared<'_>,
    measure: Measure,
    clock: &Clock,
    work: impl FnOnce(Searches<'_>) -> T,
) -> T {
    let Some(space) = PushSpace::<W>::new(level, measure) else {
        return on_lists(level, measure, work);
    };
    let space = space.timed_by(clock);
    let counts_pushes = measure == Measure::Pushes;
    let solver = counts_pushes.then(|| space.solver()).flatten();
    let search = AStar::new(&space, clock.clone(), u64::MAX);
    let mut alone = OnBits { space: &space, search };
    let mut shared = OnBits { space: &space, search: SharedAStar::new(&space) };
    let shared: &mut AnyAStar<'_> = &mut shared;
    let shared = clock.is_shared().then_some(shared);
    let sets = solver.map(|solver| {
        let prices = Arc::clone(&solver.penalties.prices);
        ConflictSets::solved_by(level, prices, Box::new(solver))
    });
    work(Searches { alone: &mut alone, shared, sets })
}

/// A search over single pushes on bit boards, whose plans are translated to the board.
struct OnBits<'s, 'a, S, const W: usize> {
    space: &'s PushSpace<'a, W>,
    search: S,
}

impl<S: Search<Plan = Vec<u16>>, const W: usize> Search for OnBits<'_, '_, S, W> {
    type Plan = Vec<Push>;
    type Lesson = ();

    fn name(&self) -> &'static str {
        self.search.name()
    }

    fn turn(&mut self, known: Known, allowance: &Allowance<'_>) -> Turn<Vec<Push>> {
        let Turn { plan, bound, ended } = self.search.turn(known, allowance);
        let plan = plan.map(|(cost, plan)| (cost, self.space.pushes(&plan)));
        Turn { plan, bound, ended }
    }

    fn spent(&self) -> Spent {
        self.search.spent()
    }
}

impl<S: Search<Plan = Vec<u16>>, const W: usize> AStarOverLevel for OnBits<'_, '_, S, W> {
    fn sets(&self) -> Vec<KnownSet> {
        self.space.sets()
    }
}

/// A* over single pushes on lists of boxes (`pushes::best_first`), for a plan of least pushes or moves. It rests
/// between two rounds of positions.
pub(in super::super) struct AStarOverPushes<'a> {
    board: &'a Board,
    measure: Measure,
    search: BestFirst<'a>,
}

impl<'a> AStarOverPushes<'a> {
    /// A search that has not begun.
    pub(in super::super) fn new(level: Prepared<'a>, measure: Measure) -> Self {
        let search = BestFirst::new(level, measure, Weights::EXACT);
        AStarOverPushes { board: level.board, measure, search }
    }
}

impl Search for AStarOverPushes<'_> {
    type Plan = Vec<Push>;
    type Lesson = ();

    fn name(&self) -> &'static str {
        "astar"
    }

    fn turn(&mut self, known: Known, allowance: &Allowance<'_>) -> Turn<Vec<Push>> {
        let &Allowance { clock, share, nodes, memory, .. } = allowance;
        self.search.beat(known_cost(known));
        let ended = self.search.run(clock, (share, nodes), memory);
        let bound = self.search.bound;
        match ended {
            Ended::Solved(pushes) => {
                let cost = self.measure.cost(self.board, &pushes).map_or(bound, u64::from);
                Turn { plan: Some((cost, pushes)), bound: cost, ended: search::Ended::Proven }
            }
            Ended::Impossible => Turn::without_plan(known.cost, search::Ended::Proven),
            Ended::Exhausted => Turn::without_plan(bound, search::Ended::Exhausted),
            Ended::Stopped(StopReason::Nodes) if self.may_go_on(allowance.nodes) => {
                Turn::without_plan(bound, search::Ended::Resting)
            }
            Ended::Stopped(stop) => Turn::without_plan(bound, search::Ended::Stopped(stop)),
        }
    }

    fn spent(&self) -> Spent {
        let BestFirst { expansions: expanded, .. } = self.search;
        let (generated, memory) = (self.search.generated(), self.search.memory());
        Spent { expanded, generated, memory }
    }
}

impl AStarOverLevel for AStarOverPushes<'_> {}
