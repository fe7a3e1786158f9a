//! Budgets in CPU time, for benches whose tables must not depend on what else the machine does.

use outwit::search::{Control, Limits, Run};
use std::sync::Arc;
use std::sync::atomic::{AtomicBool, Ordering};
use std::time::Duration;

/// Between two looks at the time.
const LOOK: Duration = Duration::from_millis(5);

/// CPU seconds of this process so far. It is asked for at every poll of a search, so it must be
/// cheap: read from `/proc` it took 7 % of the time that it told.
#[cfg(unix)]
pub fn seconds() -> f64 {
    use nix::time::{ClockId, clock_gettime};
    clock_gettime(ClockId::CLOCK_PROCESS_CPUTIME_ID)
        .map_or(0.0, |time| Duration::from(time).as_secs_f64())
}

/// Elsewhere than on Unix time by the clock stands for it.
#[cfg(not(unix))]
pub fn seconds() -> f64 {
    use std::{sync::OnceLock, time::Instant};
    static START: OnceLock<Instant> = OnceLock::new();
    START.get_or_init(Instant::now).elapsed().as_secs_f64()
}

/// A budget in CPU seconds for each thread, from now; time by the clock is only the last
/// resort. A thread of its own looks at the time, since not every search tells of its progress often.
pub fn budget(seconds_each: f64, threads: usize) -> Run {
    let cancel = Arc::new(AtomicBool::new(false));
    let raised = cancel.clone();
    let end = seconds() + seconds_each * threads as f64;
    std::thread::spawn(move || {
        while Arc::strong_count(&raised) > 1 {
            if seconds() >= end {
                raised.store(true, Ordering::Relaxed);
            }
            std::thread::sleep(LOOK);
        }
    });
    let time = Duration::from_secs_f64(seconds_each * 20.0);
    let control = Control { cancel, listener: None };
    Run { control, ..Run::from(Limits { time, threads, ..Limits::default() }) }
}

/// Numbers of levels.
pub type Numbers = Arc<[usize]>;

/// The numbers of a list such as `1,5-9`.
pub fn numbers(list: &str) -> Result<Numbers, std::num::ParseIntError> {
    let mut numbers = Vec::new();
    for part in list.split(',') {
        let (from, to) = part.split_once('-').unwrap_or((part, part));
        numbers.extend(from.parse::<usize>()?..=to.parse()?);
    }
    Ok(numbers.into())
}
