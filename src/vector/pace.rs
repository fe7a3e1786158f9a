//! On how many threads the games of a batch are stepped: measured, and no result depends on it.

use std::time::Duration;

/// Least time of a whole step on one thread, in nanoseconds, from which other threads are tried.
const WORTH_THREADS: f32 = 50_000.0;
/// Least number of games for one thread.
const LEAST_SHARE: usize = 32;
/// Part of a new measurement in the average.
const WEIGHT: f32 = 0.5;
/// Steps from one to the next that is done in the way which was slower: the other processor may be free by then.
const TRIAL: u32 = 64;

/// Measured wall times of a step, divided by the number of games, in nanoseconds; none before the first one.
#[derive(Debug, Clone, Default)]
pub(super) struct Pace {
    /// On one thread.
    alone: Option<f32>,
    /// On several.
    shared: Option<f32>,
    /// Steps so far that were worth several.
    steps: u32,
}

impl Pace {
    /// The number of threads for the next step of this many games.
    pub fn threads(&mut self, games: usize, available: usize) -> usize {
        let most = available.min(games / LEAST_SHARE).max(1);
        let Some(alone) = self.alone.filter(|_| most > 1) else { return 1 };
        if alone * (games as f32) < WORTH_THREADS {
            return 1;
        }
        let Some(shared) = self.shared else { return most };
        self.steps = self.steps.wrapping_add(1);
        let is_trial = self.steps.is_multiple_of(TRIAL);
        if (shared < alone) != is_trial { most } else { 1 }
    }

    /// Learns from a step of this many games on this many threads.
    pub fn learn(&mut self, games: usize, threads: usize, elapsed: Duration) {
        let each = elapsed.as_nanos() as f32 / games.max(1) as f32;
        let known = if threads == 1 { &mut self.alone } else { &mut self.shared };
        *known = Some(known.map_or(each, |known| known + (each - known) * WEIGHT));
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    /// The numbers of threads for steps that take these times, alone and shared, for each of 1000 games.
    fn chosen(pace: &mut Pace, alone: u64, shared: u64) -> Vec<usize> {
        let step = |_| {
            let threads = pace.threads(1000, 2);
            let each = if threads == 1 { alone } else { shared };
            pace.learn(1000, threads, Duration::from_nanos(1000 * each));
            threads
        };
        (0..1000).map(step).collect()
    }

    #[test]
    fn the_faster_way_is_taken_and_the_other_one_tried_again() {
        let mut pace = Pace::default();
        let shared = chosen(&mut pace, 1000, 600);
        assert!(shared[100..].iter().filter(|&&threads| threads == 2).count() > 800);
        assert!(shared[100..].contains(&1));
        // The other processor is taken away, and threads only cost.
        let alone = chosen(&mut pace, 1000, 3000);
        assert!(alone[100..].iter().filter(|&&threads| threads == 1).count() > 800);
        assert!(
            chosen(&mut pace, 1000, 600)[500..].iter().filter(|&&threads| threads == 2).count()
                > 400
        );
    }

    #[test]
    fn short_steps_and_few_games_stay_on_one_thread() {
        let mut pace = Pace::default();
        assert_eq!((pace.threads(60, 8), pace.threads(1000, 1)), (1, 1));
        assert!(chosen(&mut pace, 20, 10)[200..].iter().all(|&threads| threads == 1));
    }
}
