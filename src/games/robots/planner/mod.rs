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

pub use space::Positions;

use super::format::{self, Case, Move};
use super::program;
use super::state::{Action, State};
use crate::diagnostic::Source;
use crate::games::fact::Fact;
use crate::games::game::NamedSearch;
use crate::games::planning::{Found, Planned, Planning, Task};
use crate::search::{
    Clock, Ended, Limits, Outcome, Progress, Run, Statistics, TurnReport, Verdict,
    astar_below_shared,
};
use beam::{Beam, bytes_per_width};

/// The first beam's width.
const FIRST_WIDTH: usize = 128;
/// How much wider each beam is than the one before.
const WIDENING: usize = 2;
/// No beam is wider.
const LAST_WIDTH: usize = 1 << 24;
/// Width of the last beam before the proof, where one is asked for; wider ones come after it.
const LAST_WIDTH_BEFORE_PROOF: usize = 1 << 9;
/// Part of the remaining time and nodes that the proof has.
const PROOF_PART: f64 = 0.8;

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
        Fact::new("strategy", if game.won { "won" } else { "lost" }),
        Fact::new("strategy moves", game.actions.len()),
        Fact::new("strategy robots left", game.end.robots_left()),
    ]
}

/// Runs one search alone, below the known plan where there is one; `None` where there is none of that
/// name.
fn search(name: &str, case: &Case, task: &Task<'_, Action>) -> Option<Outcome<Action>> {
    let start = State::new(case);
    let clock = task.run.start();
    let known = task.known_length();
    match name {
        "astar" => {
            let space = Positions::new(case, start);
            let prove = || astar_below_shared(&space, &clock, known.unwrap_or(u64::MAX));
            Some(clock.account("astar", prove, TurnReport::of))
        }
        "beam" => {
            let best = Best::below(known, task.found);
            Some(search_below(case, start, false, best, &clock))
        }
        _ => None,
    }
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
    let clock = task.run.start();
    let game = program::play_from(case, start);
    let mut best = Best::below(task.known_length(), task.found);
    if game.won && (game.actions.len() as u32) < best.length {
        best.improve(game.actions);
    }
    search_below(case, start, task.objective.prove, best, &clock)
}

/// Looks for plans shorter than the best one, by beams that get wider; where a proof is asked for, by A*
/// after the narrow ones.
fn search_below(
    case: &Case,
    start: State,
    mut prove: bool,
    mut best: Best<'_>,
    clock: &Clock,
) -> Outcome<Action> {
    let mut beam = Beam::new(case, start, clock.clone());
    let mut memory = 0;
    let mut stopped = None;
    let most = (clock.limits.memory / bytes_per_width(case)).clamp(1, LAST_WIDTH);
    let mut width = FIRST_WIDTH.min(most);
    let complete = loop {
        if prove && width > LAST_WIDTH_BEFORE_PROOF {
            prove = false;
            let effort = best.prove(Positions::new(case, start), &beam, clock);
            beam.expanded += effort.expanded;
            beam.generated += effort.generated;
            memory = effort.memory;
            if best.bound >= best.length {
                break true;
            }
        }
        let before = (beam.expanded, beam.generated);
        let pass = || {
            let pass = beam.pass(width, best.length);
            (pass, beam.expanded - before.0, beam.generated - before.1, beam.memory)
        };
        let (pass, ..) = clock.account("beam", pass, |(pass, expanded, generated, memory)| {
            let ended = pass.stopped.map_or(Ended::Resting, Ended::Stopped);
            TurnReport {
                expanded: *expanded,
                generated: *generated,
                memory: *memory as u64,
                length: pass.plan.as_ref().map(|plan| plan.len() as u64),
                bound: Some(pass.bound.into()).filter(|_| pass.bound < u32::MAX),
                ended: if pass.complete { Ended::Proven } else { ended },
                ..TurnReport::default()
            }
        });
        best.bound = best.bound.max(pass.bound);
        let better = pass.plan.is_some();
        if let Some(plan) = pass.plan {
            best.improve(plan);
        }
        clock.tell(&best.progress(&beam, clock, width));
        if pass.complete || best.bound >= best.length {
            break true;
        }
        stopped = pass.stopped;
        if stopped.is_some() || (width == most && !better) {
            break false;
        }
        width = width.saturating_mul(WIDENING).min(most);
    };
    let effort = Statistics {
        expanded: beam.expanded,
        generated: beam.generated,
        elapsed: clock.elapsed(),
        memory: beam.memory.max(memory),
        stopped,
    };
    best.outcome(complete, effort)
}

/// The narrowest beam that wins, of widths 1, 2, 4 and so on to `most`, and the plan it finds: how
/// hard a case is. `None` where no such beam wins within the budget.
pub fn narrowest_win(case: &Case, most: usize, run: &Run) -> Option<(usize, Vec<Action>)> {
    let mut beam = Beam::new(case, State::new(case), run.start());
    let mut width = 1;
    while width <= most {
        let pass = beam.pass(width, u32::MAX);
        if let Some(plan) = pass.plan {
            return Some((width, plan));
        }
        if pass.complete || pass.stopped.is_some() {
            return None;
        }
        width *= 2;
    }
    None
}

/// The best plan so far, and what is proven.
struct Best<'a> {
    found: Found<'a, Action>,
    plan: Option<Vec<Action>>,
    /// Its length, or that of the plan known before; `u32::MAX` without either.
    length: u32,
    bound: u32,
}

impl<'a> Best<'a> {
    /// A start without a plan, where none is wanted that is as long as the one known.
    fn below(known: Option<u64>, found: Found<'a, Action>) -> Self {
        let length = known.map_or(u32::MAX, |known| u32::try_from(known).unwrap_or(u32::MAX));
        Best { found, plan: None, length, bound: 1 }
    }

    /// Proves what A* can prove in most of the remaining budget; the beam has had its part.
    fn prove(&mut self, space: Positions<'_>, beam: &Beam<'_>, clock: &Clock) -> Statistics {
        let left = |nodes: u64| nodes.saturating_sub(beam.expanded);
        let limits = Limits {
            time: clock.left().mul_f64(PROOF_PART),
            nodes: clock.limits.nodes.map(|nodes| (left(nodes) as f64 * PROOF_PART) as u64),
            ..clock.limits
        };
        let part = clock.part(limits).after(self.progress(beam, clock, 0));
        let below = if self.length == u32::MAX { u64::MAX } else { self.length.into() };
        let prove = || astar_below_shared(&space, &part, below);
        let outcome = clock.account("astar", prove, TurnReport::of);
        if let Some(plan) = outcome.plan {
            self.improve(plan);
        }
        let bound = u32::try_from(outcome.bound).unwrap_or(u32::MAX).min(self.length);
        self.bound = self.bound.max(bound);
        outcome.effort
    }

    fn improve(&mut self, plan: Vec<Action>) {
        debug_assert!((plan.len() as u32) < self.length);
        (self.found)(&plan, plan.len() as u64);
        self.length = plan.len() as u32;
        self.plan = Some(plan);
    }

    fn progress(&self, beam: &Beam<'_>, clock: &Clock, width: usize) -> Progress {
        Progress {
            phase: format!("beam of {width}"),
            nodes: beam.expanded,
            best: (self.length != u32::MAX).then_some(u64::from(self.length)),
            bound: u64::from(self.bound.min(self.length)),
            fraction: clock.elapsed().as_secs_f64() / clock.limits.time.as_secs_f64().max(1e-9),
        }
    }

    fn outcome(self, complete: bool, effort: Statistics) -> Outcome<Action> {
        let verdict = match (&self.plan, complete) {
            (None, true) if self.length == u32::MAX => Verdict::Impossible,
            (_, true) => Verdict::Optimal,
            (Some(_), false) => Verdict::Found,
            (None, false) => Verdict::Unknown,
        };
        let cost = if self.plan.is_some() { u64::from(self.length) } else { u64::MAX };
        let bound = match verdict {
            Verdict::Impossible => u64::MAX,
            _ if complete => u64::from(self.length),
            _ => u64::from(self.bound.min(self.length)),
        };
        Outcome { verdict, plan: self.plan, cost, bound, effort }
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::games::robots::generate::{Kind, random};
    use crate::search::astar::astar;
    use crate::search::{Portable, Space};

    #[test]
    fn both_searches_prove_the_same() {
        let budget = Run::from(Limits { threads: 1, ..Limits::seconds(600.0) });
        let (mut won, mut lost) = (0, 0);
        for seed in 0..40 {
            let mut random = random(seed);
            let kind = Kind { robots: 2 + seed as usize % 4, ..Kind::mixed(&mut random) };
            let case = Kind { teleports: kind.teleports.min(1), ..kind }.case(&mut random);
            let pass =
                Beam::new(&case, State::new(&case), budget.start()).pass(LAST_WIDTH, u32::MAX);
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
