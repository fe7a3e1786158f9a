//! Who of the workers is lost.

use super::Pulse;
use std::collections::HashMap;
use std::time::Duration;

/// Time between two turns of a worker that counts that it lives and looks at the counts of the
/// others.
pub const LOOK: Duration = Duration::from_secs(2);
/// Number of looks after which a worker whose count stands still is lost: 12 s.
const MISSED_LOOKS: u32 = 6;

/// Watches the counts of workers.
///
/// A look is a write of the watcher's own and a read of all counts. Looks are counted, not time: a
/// worker that could not write while the store was away, or while its machine and the watcher's were
/// halted together, has as many looks as ever to count on once both are back. A look that fails
/// makes the watcher begin again with everybody.
#[derive(Debug, Default)]
pub struct Watchman {
    seen: HashMap<String, Seen>,
}

/// A worker's count, and how many looks have found it so.
#[derive(Debug)]
struct Seen {
    beats: i64,
    looks: u32,
}

impl Watchman {
    /// Takes in what a look has found, and tells which workers are lost.
    pub fn look(&mut self, found: Vec<Pulse>) -> Vec<Pulse> {
        self.seen.retain(|worker, _| found.iter().any(|pulse| pulse.worker == *worker));
        let mut lost = Vec::new();
        for pulse in found {
            let new = Seen { beats: pulse.beats, looks: 0 };
            let seen = self.seen.entry(pulse.worker.clone()).or_insert(new);
            if seen.beats != pulse.beats {
                *seen = Seen { beats: pulse.beats, looks: 0 };
            }
            seen.looks += 1;
            if seen.looks > MISSED_LOOKS {
                lost.push(pulse);
            }
        }
        lost
    }

    /// Takes in that a look has failed: what was seen before says nothing any more.
    pub fn fail(&mut self) {
        self.seen.clear();
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn pulses(told: &[(&str, i64)]) -> Vec<Pulse> {
        let pulse = |&(worker, beats): &(&str, i64)| Pulse { worker: worker.into(), beats };
        told.iter().map(pulse).collect()
    }

    /// After how many looks each worker is lost, where only `alive` counts on.
    fn lost_after(watchman: &mut Watchman, looks: u32) -> Vec<(u32, String)> {
        let mut lost = Vec::new();
        for look in 1..=looks {
            for pulse in watchman.look(pulses(&[("alive", i64::from(look)), ("dead", 3)])) {
                lost.push((look, pulse.worker));
            }
        }
        lost
    }

    #[test]
    fn who_does_not_count_on_is_lost_after_the_last_look() {
        let mut watchman = Watchman::default();
        assert_eq!(lost_after(&mut watchman, MISSED_LOOKS), []);
        let lost = watchman.look(pulses(&[("alive", 99), ("dead", 3)]));
        assert_eq!(lost, pulses(&[("dead", 3)]));
    }

    #[test]
    fn a_look_that_fails_makes_it_begin_again_with_everybody() {
        let mut watchman = Watchman::default();
        for _ in 0..10 {
            assert_eq!(lost_after(&mut watchman, MISSED_LOOKS), []);
            watchman.fail();
        }
        assert_eq!(
            lost_after(&mut watchman, MISSED_LOOKS + 1),
            [(MISSED_LOOKS + 1, "dead".into())]
        );
    }

    #[test]
    fn who_has_no_job_is_forgotten() {
        let mut watchman = Watchman::default();
        lost_after(&mut watchman, MISSED_LOOKS);
        assert_eq!(watchman.look(Vec::new()), []);
        assert_eq!(lost_after(&mut watchman, MISSED_LOOKS), []);
    }
}
