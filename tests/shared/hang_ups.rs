//! Whether a test can hang up what it starts.

/// Whether this process ignores SIGHUP, and whatever it starts with it: the first signal, the lowest bit.
pub fn are_ignored() -> bool {
    let status = std::fs::read_to_string("/proc/self/status").unwrap();
    let mask = status.lines().find_map(|line| line.strip_prefix("SigIgn:")).unwrap().trim();
    u64::from_str_radix(mask, 16).unwrap() & 1 == 1
}
