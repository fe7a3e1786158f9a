//! Shortening a plan by searching windows of it again.
//!
//! A window is a part of the plan, from the state it starts in to the cell where Ellie stands at its
//! end. A beam looks for fewer actions between the two such that the rest of the plan still leads
//! out. Windows slide over the plan until none gives anything, then they and the beam grow. A plan
//! never gets longer, and the best one is there at any time. (The idea of improving a plan by
//! searching parts of it again: Ratner and Pohl, "Joint and LPA*", AAAI 1986; Nakhost and Müller,
//! "Action elimination and plan neighborhood graph search", ICAPS 2010.)

use super::beam_space::{BeamSpace, Goal, leads_out};
use super::compasses::Style;
use super::ground::Ground;
use super::heuristic::{Guide, walk_field_between};
use super::tuning;
use crate::games::last_of_us::state::{Board, Move, Simulator, State};
use crate::search::beam::Beam;
use crate::search::{Allowance, Clock, Ended, Known, Limits, Search, Spent, Turn};

/// Shortening of a plan that leads out. It can rest before each window, and ends its turn with each
/// shorter plan. It works in the rayon pool that it is called from.
pub struct Windows<'a> {
    ground: &'a Ground<'a>,
    style: Style,
    sim: Simulator<&'a Board>,
    plan: Vec<Move>,
    /// The states that the plan passes through, the start included.
    states: Vec<State>,
    /// Length of a window, in actions.
    window: usize,
    /// Width of the beam, in states of a layer.
    width: usize,
    /// Divisor of the width: the states of a layer on one cell may take this share.
    quota_divisor: usize,
    /// Where in the plan the next window starts.
    start: usize,
    /// Length of the plan when the windows began to slide over it.
    length_before: usize,
    spent: Spent,
}

/// A part of a plan that may get shorter.
struct Part<'a> {
    /// The state that it starts in.
    from: &'a State,
    /// The state that it ends in; only Ellie's cell must be the same.
    to: &'a State,
    /// The plan after it.
    rest: &'a [Move],
    /// Its actions.
    length: usize,
}

impl<'a> Windows<'a> {
    /// Shortening of a plan that leads out, by beams in a style.
    pub fn new(
        ground: &'a Ground<'a>,
        style: Style,
        plan: Vec<Move>,
        tuning: &tuning::Windows,
    ) -> Self {
        let mut sim = Simulator::new(ground.board, ground.room.fields);
        Windows {
            ground,
            style,
            states: states_of(ground.board, &mut sim, &plan),
            sim,
            window: tuning.first_window,
            width: tuning.first_width,
            quota_divisor: tuning.quota_divisor,
            start: 0,
            length_before: plan.len(),
            plan,
            spent: Spent::default(),
        }
    }

    fn length(&self) -> u64 {
        self.plan.len() as u64
    }

    /// Lets windows slide over the plan again, longer ones where it did not get shorter; `false` where
    /// they cannot be longer.
    fn begin_pass(&mut self) -> bool {
        if self.plan.len() == self.length_before {
            if self.window >= self.plan.len() {
                return false;
            }
            self.window = (self.window * 2).min(self.plan.len());
            self.width *= 2;
        }
        self.length_before = self.plan.len();
        self.start = 0;
        true
    }

    /// Searches the next window; whether the plan got shorter.
    fn slide(&mut self, clock: &Clock) -> bool {
        let (start, end) = (self.start, (self.start + self.window).min(self.plan.len()));
        let part = Part {
            from: &self.states[start],
            to: &self.states[end],
            rest: &self.plan[end..],
            length: end - start,
        };
        let (part, spent) = self.search(part, clock);
        self.spent = spent;
        let shorter = part.map(|part| [&self.plan[..start], &part, &self.plan[end..]].concat());
        self.start += (self.window / 2).max(1);
        let board = self.ground.board;
        let holds = |plan: &Vec<Move>| leads_out(&mut self.sim, board.start(), plan);
        let Some(shorter) = shorter.filter(holds) else { return false };
        self.states = states_of(board, &mut self.sim, &shorter);
        self.plan = shorter;
        true
    }

    /// Looks for fewer actions than the part has; with that, what has been spent in all.
    fn search(&self, part: Part<'_>, clock: &Clock) -> (Option<Vec<Move>>, Spent) {
        let Part { from, to, rest, length } = part;
        let (Ground { board, walk: to_exit, room, .. }, style) = (self.ground, self.style);
        let guide = Guide::between(board, style.prices, from.ellie, to.ellie);
        let walk = walk_field_between(board, from.ellie, to.ellie);
        if walk[from.ellie as usize] as usize >= length {
            return (None, self.spent);
        }
        let mut space = BeamSpace {
            board,
            guide: &guide,
            walk: &walk,
            thrift: style.thrift,
            start: from.clone(),
            goal: if rest.is_empty() { Goal::Exit } else { Goal::Rejoin(rest) },
            field_bytes: room.fields,
            to_exit: Some(to_exit),
            counts_traces: true,
            contours: None,
        };
        space.start = space.without_what_is_behind(to_exit, from.clone());
        let quota = Some((self.width / self.quota_divisor).max(1));
        let beam = Beam { quota, layers: length as u32 - 1, ..Beam::new(self.width) };
        // A beam counts its own nodes only.
        let nodes = clock.limits.nodes.map(|nodes| nodes.saturating_sub(self.spent.expanded));
        let part = clock.part(Limits { nodes, time: clock.left(), ..clock.limits });
        let outcome = beam.run_in_current_pool(&space, &part, Some(length as u64));
        let Spent { expanded, generated, memory } = Spent::of(&outcome.effort);
        let spent = Spent {
            expanded: self.spent.expanded + expanded,
            generated: self.spent.generated + generated,
            memory: self.spent.memory.max(memory),
        };
        (outcome.plan, spent)
    }
}

impl Search for Windows<'_> {
    type Plan = Vec<Move>;
    type Lesson = ();

    fn name(&self) -> &'static str {
        "windows"
    }

    fn turn(&mut self, known: Known, allowance: &Allowance<'_>) -> Turn<Vec<Move>> {
        let clock = allowance.own_clock().quiet();
        while self.length() > known.bound {
            if self.start >= self.plan.len() {
                if !self.begin_pass() {
                    break;
                }
                continue;
            }
            if let Some(stop) = clock.should_stop(self.spent.expanded, 0) {
                return Turn::stopped(stop);
            }
            if self.spent.expanded >= allowance.share {
                return Turn::without_plan(0, Ended::Resting);
            }
            if self.slide(&clock) && self.length() < known.cost {
                return Turn::found(self.length(), self.plan.clone());
            }
        }
        Turn::without_plan(0, Ended::Exhausted)
    }

    fn spent(&self) -> Spent {
        self.spent
    }
}

/// The states that a plan passes through, the start included.
fn states_of(board: &Board, sim: &mut Simulator<&Board>, plan: &[Move]) -> Vec<State> {
    let mut states = vec![board.start()];
    for &action in plan {
        let (_, next) = sim.after(&states[states.len() - 1], action);
        match next {
            Some(next) => states.push(next),
            None => break,
        }
    }
    states
}
