//! The score of a position: how much of the order is done, and how near the box pushed last is.

use super::level::pulls::FAR;
use super::open_list::MOST_SCORE;
use super::positions::WalkPosition;
use super::walk::{Step, Walk};
use crate::games::sokoban::board::Square;

/// What a filled target counts for.
const FILLED: i32 = 32;
/// What it counts for to come nearer to a target of the phase.
const NEARER: i32 = 2;
/// What a step counts for between the box pushed last and the next target of the phase.
const STEP: i32 = 2;
/// What it counts for that the box pushed last can come to no such target.
const UNREACHABLE: i32 = 8;
/// Phases, the last ones, in which parked boxes may leave before their time.
const LAST_PHASES: u16 = 2;

/// What a push did for a phase.
#[derive(Clone, Copy)]
struct Gain {
    bonus: i32,
    filled: usize,
    /// Number of pushes from the box pushed last to the next target of the phase.
    nearest: u16,
}

impl Walk<'_> {
    /// The score of a child, whose push is done. The child gets its phase.
    pub(super) fn score(
        &mut self,
        node: &mut WalkPosition,
        step: Step,
        parent: &WalkPosition,
        base: i32,
    ) -> u16 {
        let is_goal = self.terrain.is_goal[step.to as usize];
        if is_goal && self.guide.phase_at(step.to) < parent.phase && self.is_frozen(step.to) {
            node.is_premature = true;
        }
        node.phase = self.phase_after_leaving(step.from, node.phase);
        let mut gain = self.gain(node.phase, Some(step));
        node.momentum = parent.momentum + u16::from(gain.bonus > 0);
        while node.phase > 1 && gain.filled == self.guide.members[node.phase as usize].len() {
            node.phase -= 1;
            gain = self.gain(node.phase, None);
        }
        let away = match gain.nearest {
            FAR => UNREACHABLE,
            nearest => STEP * (i32::from(nearest) + 1),
        };
        let done = self.guide.before[node.phase as usize] + gain.filled as i32;
        let score = base - (gain.bonus + FILLED * done - away - self.penalty(node) / 2);
        score.clamp(1, MOST_SCORE as i32) as u16
    }

    /// The phase once a box has left a square.
    fn phase_after_leaving(&self, from: Square, phase: u16) -> u16 {
        let here = &self.guide.at[from as usize];
        let target = |k: u16| self.guide.targets[k as usize];
        if self.guide.phase_at(from) < phase {
            return phase;
        }
        let mut later = here.iter().map(|&k| (k, target(k))).filter(|(_, t)| t.phase >= phase);
        let Some((k, left)) = later.next() else { return phase };
        if left.phase == phase {
            return later.next().map_or(phase, |(_, target)| target.phase);
        }
        let is_parking = usize::from(k) >= self.terrain.goals().len();
        if left.destination < phase && (!is_parking || phase > LAST_PHASES) {
            return left.phase;
        }
        phase
    }

    /// What a push did for a phase; or, without one, how much of the phase is done.
    fn gain(&self, phase: u16, step: Option<Step>) -> Gain {
        let mut gain = Gain { bonus: 0, filled: 0, nearest: FAR };
        for &k in &self.guide.members[phase as usize] {
            let square = self.guide.targets[k as usize].square;
            let away = &self.guide.away[k as usize];
            if self.occupied[square as usize] {
                gain.filled += 1;
                if step.is_some_and(|step| step.to == square) {
                    gain.bonus += 1;
                    gain.nearest = 0;
                }
            } else if let Some(Step { from, to, .. }) = step {
                gain.nearest = gain.nearest.min(away[to as usize]);
                if away[to as usize] < away[from as usize] {
                    gain.bonus += NEARER;
                }
            }
        }
        gain
    }

    /// What boxes cost that are frozen on targets whose turn has not come.
    fn penalty(&mut self, node: &mut WalkPosition) -> i32 {
        if !node.is_premature {
            return 0;
        }
        let mut frozen = 0;
        for at in 0..self.boxes.len() {
            let square = self.boxes[at];
            if self.terrain.is_goal[square as usize]
                && self.guide.phase_at(square) < node.phase
                && self.is_frozen(square)
            {
                frozen += 1;
            }
        }
        let penalty = node.bound as i32 * frozen;
        node.is_premature = penalty > 0;
        penalty
    }
}
