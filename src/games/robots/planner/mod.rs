//! The planner: the statement's strategy first, then beams that grow until the answer is proven.
//!
//! The strategy's win, where it wins, is the plan to beat: no answer is longer. Then `beam` looks
//! for shorter plans with a beam twice as wide each time, until one was wide enough to cut
//! nothing (its answer is proven) or the budget is spent. Where a proof is asked for, A* goes on after
//! the narrow beams (`space`), alone or in several processes. Symmetry is not used: your cell is not the
//! board's centre, so that only a reflection in the diagonal keeps the board, and hardly ever the
//! robots. Unused teleports are: of equal boards only those stay whose unused entries are not
//! among those of another.

mod beam;
mod bound;
mod space;
mod tuning;

pub use space::Positions;
pub use tuning::{Beams as BeamTuning, Tuning};

use super::format::{self, Case, Move};
use super::program;
use super::state::{Action, State};
use crate::diagnostic::Source;
use crate::games::fact::Fact;
use crate::games::game::NamedSearch;
use crate::games::planning::{Planned, Planning, Task};
use crate::search::portfolio::anytime::Anytime;
use crate::search::{Ended, Known, Limits, Outcome, SharedAStar};
pub use beam::Beams;

/// The searches that can be run alone.
pub const SEARCHES: &[NamedSearch] = &[
    NamedSearch::new("astar", "A* over moves"),
    NamedSearch::new("beam", "beams that get wider until one has cut nothing"),
];

/// The planner of a case, or of a position in it.
pub struct OfCase<'a> {
    case: &'a Case,
    start: State,
    /// The moves that have led to the position.
    done: &'a [Move],
}

impl<'a> OfCase<'a> {
    /// The planner of a whole game.
    pub fn new(case: &'a Case) -> Self {
        OfCase { case, start: State::new(case), done: &[] }
    }

    /// The planner from a position in which robots are left, to which these moves have led. Costs
    /// count from there, and plans are written whole.
    pub fn from_position(case: &'a Case, start: State, done: &'a [Move]) -> Self {
        OfCase { case, start, done }
    }
}

impl Planning for OfCase<'_> {
    type Action = Action;

    fn read(&self, plan: &str) -> Option<Vec<Action>> {
        let moves = format::read_plan(&Source::new("the known plan", plan)).ok()?;
        moves.into_iter().map(|(step, _)| program::as_action(step, self.case)).collect()
    }

    fn write(&self, plan: &[Action]) -> String {
        let rest = plan.iter().map(|&action| program::as_move(action, self.case));
        let moves: Vec<Move> = self.done.iter().copied().chain(rest).collect();
        format::plan_text(&moves)
    }

    fn solve(&self, task: Task<'_, Action>) -> Planned<Action> {
        let notes = if self.done.is_empty() { beside(self.case) } else { Vec::new() };
        (solve_from(self.case, self.start, &task), notes)
    }

    fn search(&self, name: &str, task: Task<'_, Action>) -> Option<Planned<Action>> {
        Some((search(name, self.case, &task)?, beside(self.case)))
    }
}

/// How the statement's strategy does.
fn beside(case: &Case) -> Vec<Fact> {
    let game = program::play(case);
    vec![
        Fact::new("strategy", if game.won { "wins" } else { "fails" }),
        Fact::new("strategy moves", game.actions.len()),
        Fact::new("strategy robots left", game.end.robots_left()),
    ]
}

/// Runs one search alone, below the known plan where there is one; `None` where there is none of that
/// name.
fn search(name: &str, case: &Case, task: &Task<'_, Action>) -> Option<Outcome<Action>> {
    let start = State::new(case);
    let desk = Anytime::new(task.run.start(), known(task), task.found);
    match name {
        "astar" => Some(desk.alone(&mut SharedAStar::new(&Positions::new(case, start)))),
        "beam" => {
            let tuning = Tuning::of(&task.run.settings);
            let memory = task.run.limits.memory;
            Some(desk.alone(&mut Beams::new(case, start, &tuning.beam, memory)))
        }
        _ => None,
    }
}

/// The known plan's cost, and the bound that holds for every position with robots left: one move.
fn known(task: &Task<'_, Action>) -> Known {
    Known { cost: task.known_cost(), bound: 1 }
}

/// Looks for a short winning plan, shorter than the known one where there is one.
///
/// A proof is what it looks for in any case. Where one is asked for, most of the limits go into it
/// as soon as narrow beams have settled nothing. Where the known plan is proven to be shortest, the
/// answer is `Optimal` without a plan.
pub fn solve(case: &Case, task: &Task<'_, Action>) -> Outcome<Action> {
    solve_from(case, State::new(case), task)
}

/// Looks for such a plan from a position in which robots are left. Moves count from there.
fn solve_from(case: &Case, start: State, task: &Task<'_, Action>) -> Outcome<Action> {
    let tuning = Tuning::of(&task.run.settings);
    let mut desk = Anytime::new(task.run.start(), known(task), task.found);
    let game = program::play_from(case, start);
    if game.won {
        desk.improve(game.actions.len() as u64, game.actions);
    }
    let mut beams = Beams::new(case, start, &tuning.beam, desk.clock.limits.memory);
    if !task.objective.prove {
        return desk.alone(&mut beams);
    }
    let mut ended = Ended::Resting;
    while ended == Ended::Resting && beams.width() <= tuning.astar.after_width && !desk.is_settled()
    {
        ended = desk.play(&mut beams, desk.rest());
    }
    if ended != Ended::Resting {
        return desk.outcome();
    }
    if !desk.is_settled() {
        let rest = desk.rest();
        let part = tuning.astar.part;
        let limits = Limits {
            time: rest.time.mul_f64(part),
            nodes: rest.nodes.map(|nodes| (nodes as f64 * part) as u64),
            ..rest
        };
        desk.play(&mut SharedAStar::new(&Positions::new(case, start)), limits);
    }
    desk.alone(&mut beams)
}

#[cfg(test)]
mod tests {
    use super::beam::{Beam, LAST_WIDTH};
    use super::*;
    use crate::games::robots::generate::{Kind, random};
    use crate::search::astar::astar;
    use crate::search::{Portable, Run, Space, Verdict};

    #[test]
    fn both_searches_prove_the_same() {
        let budget = Run::from(Limits { threads: 1, ..Limits::seconds(600.0) });
        let (mut won, mut lost) = (0, 0);
        for seed in 0..40 {
            let mut random = random(seed);
            let kind = Kind { robots: 2 + seed as usize % 4, ..Kind::mixed(&mut random) };
            let case = Kind { teleports: kind.teleports.min(1), ..kind }.case(&mut random);
            let mut beam = Beam::new(&case, State::new(&case));
            let pass = beam.pass(LAST_WIDTH, u32::MAX, &budget.start());
            assert!(pass.complete, "seed {seed}");
            let exact = astar(&Positions::new(&case, State::new(&case)), &budget.start());
            match pass.plan {
                Some(plan) => {
                    assert_eq!(
                        (exact.verdict, exact.cost),
                        (Verdict::Optimal, plan.len() as u64),
                        "seed {seed}"
                    );
                    won += 1;
                }
                None => {
                    assert_eq!(exact.verdict, Verdict::Impossible, "seed {seed}");
                    lost += 1;
                }
            }
        }
        assert!(won > 5 && lost > 5, "{won} won, {lost} lost");
    }

    #[test]
    fn positions_are_the_same_after_a_journey() {
        for seed in 0..20 {
            let mut random = random(seed);
            let case = Kind::mixed(&mut random).case(&mut random);
            let space = Positions::new(&case, State::new(&case));
            let mut state = space.start();
            for action in program::play(&case).actions {
                let mut words = Vec::new();
                space.pack(&state, &mut words);
                assert_eq!(space.unpack(&words), Some(state), "seed {seed}");
                assert_eq!(space.unpack(&words[..words.len() - 1]), None, "seed {seed}");
                let word = Positions::action_word(action);
                assert_eq!(Positions::action_of(word), Some(action), "seed {seed}");
                state = space.child(&state, action, &mut ());
            }
        }
    }
}
