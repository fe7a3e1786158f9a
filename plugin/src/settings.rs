//! The limits of a search. They are read from environment variables, because the interface has no field for them.

use crate::interface::{Refusal, ResultCode};
use outwit::search::Limits;
use outwit::verify::Thoroughness;
use std::time::Duration;

/// Time for a solution, in seconds. It is YASC's own default for plug-ins; hosts stop a search earlier.
pub const SOLVE_SECONDS: u32 = 600;
/// Time for the improvement of a solution, in seconds.
pub const OPTIMIZE_SECONDS: u32 = 60;
/// Memory of one search, in MiB. A process of 32 bits has 2048 MiB at most, in which the host lives, too.
const MEBIBYTES: u32 = if cfg!(target_pointer_width = "32") { 512 } else { 1024 };
/// The most memory that can be set, in MiB.
const MAX_MEBIBYTES: u32 = if cfg!(target_pointer_width = "32") { 1536 } else { 1 << 20 };
/// The longest time that can be set, in seconds: a week.
const MAX_SECONDS: u32 = 604_800;
/// The most threads that can be set.
const MAX_THREADS: u32 = 256;
/// The most threads without a setting, where each takes room for its stack from a process of 32 bits.
const FEW_THREADS: usize = 4;

/// The settings of a search.
#[derive(Debug, PartialEq)]
pub struct Settings {
    /// Time, memory and threads.
    pub limits: Limits,
    /// How much of that is spent after the first solution.
    pub thoroughness: Thoroughness,
}

impl Settings {
    /// The settings of this process. Without a setting a search has this many seconds.
    pub fn read(seconds: u32) -> Result<Settings, Refusal> {
        Settings::from(seconds, |name| {
            std::env::var_os(name).map(|value| value.to_string_lossy().into_owned())
        })
    }

    fn from(seconds: u32, get: impl Fn(&str) -> Option<String>) -> Result<Settings, Refusal> {
        let number = |name: &str, default, most| match get(name) {
            None => Ok(default),
            Some(text) => {
                let number = text.trim().parse().ok().filter(|number| (1..=most).contains(number));
                number.ok_or_else(|| refusal(name, &format!("is a number from 1 to {most}")))
            }
        };
        let mut limits = Limits::default();
        if cfg!(target_pointer_width = "32") {
            limits.threads = limits.threads.min(FEW_THREADS);
        }
        let threads = u32::try_from(limits.threads).unwrap_or(MAX_THREADS);
        let seconds = number("OUTWIT_PLUGIN_SECONDS", seconds, MAX_SECONDS)?;
        limits.time = Duration::from_secs(seconds.into());
        limits.memory =
            (number("OUTWIT_PLUGIN_MEBIBYTES", MEBIBYTES, MAX_MEBIBYTES)? as usize) << 20;
        limits.threads = number("OUTWIT_PLUGIN_THREADS", threads, MAX_THREADS)? as usize;
        let effort = "OUTWIT_PLUGIN_EFFORT";
        let thoroughness = match get(effort) {
            // Hosts have optimizers for what follows the first solution.
            None => Thoroughness::Quick,
            Some(word) => {
                let known = word.trim().parse();
                known.map_err(|_| refusal(effort, "is quick, good or best"))?
            }
        };
        Ok(Settings { limits, thoroughness })
    }
}

fn refusal(name: &str, is: &str) -> Refusal {
    Refusal::new(ResultCode::InvalidConfiguration, format!("the environment variable {name} {is}"))
}

#[cfg(test)]
mod tests {
    use super::*;

    fn with(name: &str, value: &str) -> Result<Settings, Refusal> {
        Settings::from(SOLVE_SECONDS, |asked| (asked == name).then(|| value.to_string()))
    }

    #[test]
    fn settings_are_read() {
        let usual = with("", "").expect("the default");
        assert_eq!(usual.limits.time, Duration::from_secs(600));
        assert_eq!(usual.thoroughness, Thoroughness::Quick);
        let limits = with("OUTWIT_PLUGIN_SECONDS", " 3 ").expect("a number").limits;
        assert_eq!(limits.time, Duration::from_secs(3));
        let limits = with("OUTWIT_PLUGIN_MEBIBYTES", "64").expect("a number").limits;
        assert_eq!(limits.memory, 64 << 20);
        let effort = with("OUTWIT_PLUGIN_EFFORT", "best").expect("a word").thoroughness;
        assert_eq!(effort, Thoroughness::Best);
    }

    #[test]
    fn what_is_no_setting_is_refused() {
        for (name, value) in [
            ("OUTWIT_PLUGIN_SECONDS", "0"),
            ("OUTWIT_PLUGIN_SECONDS", "soon"),
            ("OUTWIT_PLUGIN_SECONDS", "99999999999"),
            ("OUTWIT_PLUGIN_MEBIBYTES", "-1"),
            ("OUTWIT_PLUGIN_THREADS", ""),
            ("OUTWIT_PLUGIN_EFFORT", "some"),
        ] {
            let refused = with(name, value).expect_err(value);
            assert_eq!(refused.code, ResultCode::InvalidConfiguration);
            assert!(refused.why.contains(name), "{}", refused.why);
        }
    }
}
