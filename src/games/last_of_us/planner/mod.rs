//! The planner of the Last of Us.
//!
//! [`stages`] decides which search plays next; the portfolio [`Anytime`] keeps the best plan, the bound and
//! the budget. The stages are:
//! 1. a lower bound: walking, plus the price of guarded rooms ([`bound`]); the price of crowds
//!    ([`abstraction`]) beside the beams, or after the narrow ones where there is one thread;
//! 2. a short exact search ([`exact_space`], A*), which settles small and easy areas;
//! 3. a portfolio of narrow beams ([`beams`] in [`beam_space`]) under different prices ([`compasses`],
//!    [`heuristic`]), then the best of them with its width doubled again and again; where the first one
//!    finds no plan or one far over the bound, the next one goes along a way that the [`abstraction`] finds,
//!    and [`dives`] come after that, which go round a crowd where they get stuck ([`heuristic::Tolls`]);
//! 4. shortening the plan by searching [`windows`] of it again;
//! 5. where asked for optimality, or where the area is small: the exact search below the plan's
//!    length, which proves it or betters it.
//!
//! Beams, dives and windows forget clickers, so that their plans may fail: each plan is replayed with all
//! clickers before it goes out. What was measured, and what went: `docs/notes/last_of_us.md`.

pub mod abstraction;
mod alone;
pub mod beam_space;
mod beams;
pub mod bound;
mod compasses;
mod dives;
pub mod exact_space;
mod ground;
pub mod heuristic;
mod known_bounds;
#[cfg(feature = "cluster")]
pub(super) mod shared_spaces;
mod stages;
mod surroundings;
mod tuning;
mod windows;

pub use alone::SEARCHES;
pub use tuning::Tuning;

use super::format::{self, Action, Map};
use super::replay::validation_time;
use super::state::{Board, Move, Position};
use crate::diagnostic::Source;
use crate::games::planning::{Planned, Planning, Task};
use crate::search::portfolio::anytime::Anytime;
use crate::search::{Known, Limits, Outcome};
use ground::Ground;
use stages::Planner;
use std::time::Duration;

/// Time set aside for writing the answer and ending the process.
const RESERVE: Duration = Duration::from_millis(40);
/// Divisor of the time: the reserve takes at most this share.
const MOST_RESERVE: u32 = 4;

/// The planner of a map, or of a position in it.
pub struct OfMap<'a> {
    map: &'a Map,
    /// The position, where it is not the start.
    position: Option<Position>,
    /// The actions that have led to it.
    done: &'a [Action],
}

impl<'a> OfMap<'a> {
    /// The planner of a whole game.
    pub fn new(map: &'a Map) -> Self {
        OfMap { map, position: None, done: &[] }
    }

    /// The planner from a position, to which these actions have led. Costs count from there, and
    /// plans are written whole.
    pub fn from_position(map: &'a Map, position: Position, done: &'a [Action]) -> Self {
        OfMap { map, position: Some(position), done }
    }
}

impl Planning for OfMap<'_> {
    type Action = Action;

    fn read(&self, plan: &str) -> Option<Vec<Action>> {
        format::read_plan(&Source::new("the known plan", plan)).ok()
    }

    fn write(&self, plan: &[Action]) -> String {
        format::plan_text(&[self.done, plan].concat())
    }

    /// Plans an area. Time is left for the validation of the plan.
    fn solve(&self, task: Task<'_, Action>) -> Planned<Action> {
        let wants_proof = task.objective.prove;
        let outcome = self.at_work(&task, true, |planner| planner.plan(wants_proof));
        (in_actions(outcome), Vec::new())
    }

    fn search(&self, name: &str, task: Task<'_, Action>) -> Option<Planned<Action>> {
        let outcome = self.at_work(&task, false, |planner| alone::search(name, planner))?;
        Some((in_actions(outcome), Vec::new()))
    }
}

impl OfMap<'_> {
    /// Sets a planner to work, on the threads of the limits. Where it is told to, it leaves time for the
    /// validation of the plan, which is measured once, on the first plan.
    fn at_work<T: Send>(
        &self,
        task: &Task<'_, Action>,
        leaves_time: bool,
        work: impl FnOnce(Planner<'_>) -> T + Send,
    ) -> T {
        let clock = task.run.start();
        let limits = clock.limits;
        let board = match &self.position {
            None => Board::new(self.map),
            Some(position) => Board::at(self.map, position),
        };
        let tuning = Tuning::of(&task.run.settings);
        let ground = Ground::new(&board, limits, most_guides(&tuning));
        let found = |plan: &[Move], length| (task.found)(&actions_of(plan), length);
        let holds = |plan: &[Move]| ground.leads_out(plan);
        let validation = |plan: &[Move]| reserve(limits, self.validation_time(plan, limits));
        let mut desk = Anytime::new(clock, Known::default(), &found).checking(&holds);
        if leaves_time {
            desk = desk.leaving_time(&validation);
        }
        desk.memory = ground.memory;
        desk.reserve = reserve(limits, Duration::ZERO);
        desk.raise(ground.lower_bound());
        if let Some(known) = &task.known {
            desk.begin_with(known.len() as u64, known.iter().copied().map(Move::from).collect());
        }
        limits.install(|| work(Planner { ground: &ground, desk, tuning: &tuning }))
    }

    /// About how long the validation of a plan takes.
    fn validation_time(&self, plan: &[Move], limits: Limits) -> Duration {
        let whole = [self.done, &actions_of(plan)].concat();
        let Limits { time, threads, .. } = limits;
        validation_time(self.map, &whole, threads, time / MOST_RESERVE)
    }
}

/// Guides that searches hold at most.
fn most_guides(tuning: &Tuning) -> usize {
    compasses::most_guides(&tuning.guides) + stages::GUIDES + dives::GUIDES
}

/// Time to leave for what comes after planning.
fn reserve(limits: Limits, validation: Duration) -> Duration {
    (RESERVE + validation).min(limits.time / MOST_RESERVE)
}

/// A plan in the statement's actions.
fn actions_of(plan: &[Move]) -> Vec<Action> {
    plan.iter().map(|action| action.action()).collect()
}

/// An answer with its plan in the statement's actions.
fn in_actions(outcome: Outcome<Move>) -> Outcome<Action> {
    let Outcome { verdict, plan, cost, bound, effort } = outcome;
    Outcome { verdict, plan: plan.map(|plan| actions_of(&plan)), cost, bound, effort }
}

#[cfg(test)]
mod tests {
    use super::abstraction::Abstraction;
    use super::beam_space::{BeamSpace, Contours};
    use super::compasses::{Compass, Style};
    use super::dives::Dive;
    use super::windows::Windows;
    use super::*;
    use crate::games::last_of_us::format::read_map;
    use crate::games::last_of_us::state::Site;
    use crate::games::objective::Objective;
    use crate::search::crew::Crew;
    use crate::search::{Allowance, Ended, Run, Search, StopReason, Verdict, compare_turns};
    use std::path::Path;

    const LIMITS: Limits = Limits {
        time: Duration::from_secs(1000),
        memory: 1 << 28,
        nodes: None,
        threads: 1,
        seed: 1,
    };

    fn area(name: &str) -> Map {
        let folder = Path::new(env!("CARGO_MANIFEST_DIR")).join("areas/last-of-us");
        read_map(&Source::read(&folder.join(name).with_extension("txt")).unwrap()).unwrap()
    }

    fn ground(board: &Board) -> Ground<'_> {
        Ground::new(board, LIMITS, most_guides(&Tuning::default()))
    }

    /// A plan that the planner finds with few expansions.
    fn easy_plan(map: &Map) -> Vec<Move> {
        let solve = |nodes: u64| {
            let run = Run::from(Limits { nodes: Some(nodes), ..LIMITS });
            let objective = Objective::default();
            OfMap::new(map).solve(Task::new(&objective, None, &run)).0.plan
        };
        let plan = (0..10).find_map(|doublings| solve(500 << doublings)).expect("a plan");
        plan.into_iter().map(Move::from).collect()
    }

    #[test]
    fn short_turns_of_windows_come_to_what_one_long_turn_does() {
        let mut has_shortened = false;
        for (name, nodes) in [("lattice-70x70-1022", 3000), ("the-eye-43x43", 4000)] {
            let map = area(name);
            let board = Board::new(&map);
            let ground = ground(&board);
            // Nobody is awake at the start: she may wait there, and need not.
            let plan = [vec![Move::from(Action::Walk(None)); 2], easy_plan(&map)].concat();
            assert!(ground.leads_out(&plan), "{name}");
            let is_guarded = ground.lower_bound() > ground.way();
            let Tuning { guides, windows, .. } = Tuning::default();
            let style = compasses::all(&board, ground.guides, is_guarded, &guides)[0].style;
            let windows = || Windows::new(&ground, style, plan.clone(), &windows);
            let (came, turns) = LIMITS.install(|| compare_turns(windows, nodes));
            assert!(turns > 10, "{name}: {turns} turns");
            if let Some(shorter) = came.plan {
                assert!(ground.leads_out(&shorter) && shorter.len() < plan.len(), "{name}");
                has_shortened = true;
            }
        }
        assert!(has_shortened);
    }

    #[test]
    fn short_turns_of_dives_come_to_what_one_long_turn_does() {
        for (name, nodes) in [("lattice-35x35-1020", 2000), ("the-eye-43x43", 1000)] {
            let map = area(name);
            let board = Board::new(&map);
            let ground = ground(&board);
            let compass = Compass::new(&board, Style::all(&Tuning::default().guides)[1]);
            let contours = Some(Contours { steps: &ground.walk, levels: 3 });
            let space = BeamSpace { contours, ..ground.beam_space(&compass) };
            let (came, turns) = compare_turns(|| Dive::new(&space, 1), nodes);
            assert!(turns > 100 && came.effort.0 == nodes, "{name}: {turns} turns");
        }
    }

    #[test]
    fn dives_end_where_all_has_been_tried() {
        // Nobody gets past the clicker in the corridor without a brick.
        let wall = "#".repeat(12);
        let rows = [format!("corridor\n10 12 0\n{wall}"), "#E....C...X#".into()];
        let text = [&rows[..], &vec![wall; 8]].concat().join("\n") + "\n";
        let map = read_map(&Source::new("corridor", text)).unwrap();
        let objective = Objective::default();
        let run = Run::from(LIMITS);
        let dived = OfMap::new(&map).search("dives", Task::new(&objective, None, &run));
        let outcome = dived.expect("a search of that name").0;
        assert_eq!((outcome.verdict, outcome.plan), (Verdict::Unknown, None));
        assert!(outcome.effort.expanded < 5000, "{} expansions", outcome.effort.expanded);
    }

    #[test]
    fn the_abstraction_finds_a_way_of_no_more_steps_than_its_bound() {
        for (name, bound) in [("lattice-35x35-1020", 65), ("the-eye-43x43", 80)] {
            let map = area(name);
            let board = Board::new(&map);
            let ground = ground(&board);
            let abstraction = Abstraction::new(&board, &ground.walk).coarse();
            let mut search = abstraction.bound_of(board.start());
            assert!(search.way().is_empty());
            let (crew, clock) = (&Crew::default(), &Run::from(LIMITS).start());
            let turn = search.turn(Known::default(), &Allowance::whole(clock, crew));
            let way = search.way();
            assert!(turn.bound >= bound, "{name}: {}", turn.bound);
            assert_eq!((way.first(), way.last()), (Some(&board.exit), Some(&board.ellie)));
            let is_step = |two: &[Site]| board.chebyshev(two[0], two[1]) <= 1;
            assert!(way.windows(2).all(is_step), "{name}: {way:?}");
            assert!(way.len() as u64 <= turn.bound + 1, "{name}: {} cells", way.len());
        }
    }

    #[test]
    fn short_turns_of_the_abstraction_come_to_what_one_long_turn_does() {
        for (name, nodes, least, ended) in [
            ("lattice-35x35-1020", 100_000, 65, Ended::Exhausted),
            ("lattice-70x70-2004", 2000, 104, Ended::Stopped(StopReason::Nodes)),
        ] {
            let map = area(name);
            let board = Board::new(&map);
            let ground = ground(&board);
            let abstraction = Abstraction::new(&board, &ground.walk);
            let (came, turns) = compare_turns(|| abstraction.bound_of(board.start()), nodes);
            assert!(turns > 5, "{name}: {turns} turns");
            assert!(came.known.bound >= least && came.ended == ended, "{came:?}");
        }
    }
}
