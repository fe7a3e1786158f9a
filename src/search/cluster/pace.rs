//! When it is worth while to share out work that all workers do alike before.

use std::time::{Duration, Instant};

/// Lower limit of the expansions between two looks.
const LEAST_LOOK: u64 = 64;
/// Part of the expansions before a look after which the next one is made: one in this many.
const LOOK_PART: u64 = 8;
/// Least time that sharing out saves, as a multiple of what the steps of the exchange take.
const WORTH: f64 = 1.5;

/// How fast a worker is while all do the same, and how fast the exchange.
pub(super) struct Pace {
    /// Expansions after which the workers part, where that is said.
    end: Option<u64>,
    /// Expansions before the next look.
    next_look: u64,
    /// Rounds since the last look, and when that was.
    rounds: u32,
    looked: Instant,
    /// The least that a step of the exchange has taken.
    step: Duration,
}

impl Pace {
    /// Pace of workers that part after `end` expansions or, without `end`, when it saves time.
    pub(super) fn new(end: Option<u64>) -> Self {
        Pace { end, next_look: 0, rounds: 0, looked: Instant::now(), step: Duration::MAX }
    }

    /// Whether the workers part now in any case.
    pub(super) fn is_over(&self, expanded: u64) -> bool {
        self.end.is_some_and(|end| expanded >= end)
    }

    /// Counts a round; whether the workers look up before it.
    pub(super) fn is_due(&mut self, expanded: u64) -> bool {
        self.rounds += 1;
        expanded >= self.next_look
    }

    /// Whether it saves time to share out rounds of `states` states, each of which takes `steps`
    /// steps.
    pub(super) fn is_worth(&self, states: usize, workers: usize, steps: u32) -> bool {
        let time = self.looked.elapsed() / self.rounds.max(1);
        let saved = states - states.div_ceil(workers);
        let saved = time.mul_f64(saved as f64 / states.max(1) as f64);
        self.end.is_none()
            && saved.as_secs_f64() > WORTH * f64::from(steps) * self.step.as_secs_f64()
    }

    /// Notes that the workers have looked up, and what a step of the exchange has taken.
    pub(super) fn looked(&mut self, expanded: u64, step: Duration) {
        self.step = self.step.min(step);
        (self.rounds, self.looked) = (0, Instant::now());
        self.next_look = expanded + (expanded / LOOK_PART).max(LEAST_LOOK);
    }
}
