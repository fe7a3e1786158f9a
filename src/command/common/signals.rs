//! Signals that ask the program to end.

use crate::command::INTERRUPTED;
use std::time::{Duration, Instant};

/// Time after the first signal in which others are one with it: `timeout`, say, signals the program
/// and then its process group.
const ONE: Duration = Duration::from_millis(500);

/// Request that a signal makes.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
enum Asks {
    /// To end as one should.
    Stop,
    /// Nothing more than the one before.
    NothingMore,
    /// To end at once.
    End,
}

/// The signals so far.
#[derive(Default)]
struct Signals {
    first: Option<Instant>,
}

impl Signals {
    /// Counts one that comes now.
    fn count(&mut self, now: Instant) -> Asks {
        match self.first {
            None => {
                self.first = Some(now);
                Asks::Stop
            }
            Some(first) if now.saturating_duration_since(first) < ONE => Asks::NothingMore,
            Some(_) => Asks::End,
        }
    }
}

/// Calls `stop` at the first signal. One that comes later than half a second after it ends the process
/// at once.
///
/// Without a handler, where the system gives none, the first signal ends the process.
pub fn at_first_signal(mut stop: impl FnMut() + Send + 'static) {
    let mut signals = Signals::default();
    let _ = ctrlc::set_handler(move || match signals.count(Instant::now()) {
        Asks::Stop => stop(),
        Asks::NothingMore => {}
        Asks::End => std::process::exit(INTERRUPTED),
    });
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn those_within_half_a_second_are_one() {
        let (mut signals, first) = (Signals::default(), Instant::now());
        let asks =
            [0, 20, 499, 500, 700].map(|ms| signals.count(first + Duration::from_millis(ms)));
        use Asks::{End, NothingMore, Stop};
        assert_eq!(asks, [Stop, NothingMore, NothingMore, End, End]);
    }
}
