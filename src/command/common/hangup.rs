//! A program under `nohup` goes on when its terminal is hung up.
//!
//! Whoever starts a program may have the signal `SIGHUP` ignored; the handlers for interrupts would
//! take its place, and end the program. It is blocked instead, as long as it was ignored at the
//! start: for all threads and all processes that are started from here.

/// Keeps `SIGHUP` ignored where it is; to be called before threads and handlers come into being.
///
/// Linux tells which signals are ignored; on other systems this does nothing.
pub fn keep_ignored() {
    #[cfg(unix)]
    {
        use nix::sys::signal::{SigSet, Signal};
        let is_ignored = std::fs::read_to_string("/proc/self/status")
            .is_ok_and(|status| is_ignored(&status, Signal::SIGHUP as u32));
        if is_ignored {
            let mut hangup = SigSet::empty();
            hangup.add(Signal::SIGHUP);
            // A mask of a signal that there is cannot be refused.
            let _ = hangup.thread_block();
        }
    }
}

/// Whether a process ignores a signal, as the file `status` of `/proc` has it.
#[cfg(unix)]
fn is_ignored(status: &str, signal: u32) -> bool {
    let mask = status.lines().find_map(|line| line.strip_prefix("SigIgn:"));
    let mask = mask.and_then(|mask| u64::from_str_radix(mask.trim(), 16).ok());
    mask.is_some_and(|mask| mask >> (signal - 1) & 1 == 1)
}

#[cfg(all(test, unix))]
mod tests {
    use super::*;

    #[test]
    fn the_mask_is_read() {
        let status = "Name:\toutwit\nSigBlk:\t0000000000000001\nSigIgn:\t0000000000001001\n";
        assert!(is_ignored(status, 1) && is_ignored(status, 13));
        assert!(!is_ignored(status, 2));
        assert!(!is_ignored("SigIgn:\t0000000000001000\n", 1) && !is_ignored("", 1));
    }
}
