//! Budgets in CPU time, for benches whose tables must not depend on what else the machine does.

use outwit::search::Budget;
use std::sync::Arc;
use std::sync::atomic::{AtomicBool, Ordering};
use std::time::Duration;

/// CPU seconds of this process so far; 0 where the system does not tell.
pub fn seconds() -> f64 {
    let stat = std::fs::read_to_string("/proc/self/stat").unwrap_or_default();
    let fields: Vec<&str> = stat.rsplit(')').next().unwrap_or("").split_whitespace().collect();
    let ticks = |i: usize| fields.get(i).and_then(|f| f.parse::<f64>().ok()).unwrap_or(0.0);
    (ticks(11) + ticks(12)) / 100.0
}

/// A budget of so many CPU seconds for each thread, from now; time by the clock is only the last
/// resort.
pub fn budget(seconds_each: f64, threads: usize) -> Budget {
    let cancel = Arc::new(AtomicBool::new(false));
    let raised = cancel.clone();
    let end = seconds() + seconds_each * threads as f64;
    Budget {
        time: Duration::from_secs_f64(seconds_each * 20.0),
        threads,
        cancel,
        progress: Some(Arc::new(move |_| {
            if seconds() >= end {
                raised.store(true, Ordering::Relaxed);
            }
        })),
        ..Budget::default()
    }
}

/// The numbers of a list such as `1,5-9`.
pub fn numbers(list: &str) -> Vec<usize> {
    list.split(',')
        .flat_map(|part| {
            let (from, to) = part.split_once('-').unwrap_or((part, part));
            from.parse::<usize>().expect("level")..=to.parse().expect("level")
        })
        .collect()
}
