//! What earlier runs have found out and spent, so that no run does again what is done.
//!
//! The record is one JSON file beside the solutions, `.batch.json`; a shard has its own,
//! `.batch-I-of-N.json`, since several processes may write into one folder. It is replaced as a
//! whole and is only a memory: plans are replayed anyway, and without the record everything is
//! searched again, knowing the plans that are there.

use super::files::replace;
use crate::games::Fact;
use crate::search::{Budget, Verdict};
use serde::{Deserialize, Serialize};
use std::collections::BTreeMap;
use std::io;
use std::path::{Path, PathBuf};

/// What is known of one area.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub struct Record {
    /// Fingerprint of the area's text: a changed area is another area.
    pub area: String,
    /// The area's own facts, by name.
    pub facts: Vec<(String, String)>,
    /// `optimal`, `found`, `impossible` or `unknown`.
    pub verdict: String,
    /// The measure that length and bound are in, where one was asked for.
    pub measure: Option<String>,
    /// Length of the best plan.
    pub length: Option<u64>,
    /// No plan is shorter; none where it is proven that there is no plan.
    pub bound: Option<u64>,
    /// What the replay of the best plan showed, by name.
    pub proof: Vec<(String, String)>,
    /// Wall time of the search that found the best plan, or that found none, in seconds.
    pub seconds: f64,
    /// The greatest budget that was given.
    pub given: Given,
}

/// A budget that was given to an area.
#[derive(Clone, Copy, Debug, PartialEq, Serialize, Deserialize)]
pub struct Given {
    /// Wall time in seconds.
    pub seconds: f64,
    /// Memory in bytes.
    pub memory: usize,
    /// Threads.
    pub threads: usize,
    /// Expansions; none for no limit.
    pub nodes: Option<u64>,
    /// Whether a proof was asked for.
    pub optimal: bool,
}

impl Given {
    /// What a search is about to be given.
    pub fn new(budget: &Budget, optimal: bool) -> Self {
        Given {
            seconds: budget.time.as_secs_f64(),
            memory: budget.memory,
            threads: budget.threads,
            nodes: budget.nodes,
            optimal,
        }
    }

    /// Whether this was at least as much, so that searching again promises nothing.
    pub fn covers(&self, other: &Given) -> bool {
        self.seconds >= other.seconds
            && self.memory >= other.memory
            && self.threads >= other.threads
            && self.nodes.is_none_or(|mine| other.nodes.is_some_and(|theirs| mine >= theirs))
            && self.optimal >= other.optimal
    }
}

impl Record {
    /// Whether the plan is proven to be shortest.
    pub fn is_optimal(&self) -> bool {
        self.verdict == Verdict::Optimal.name()
    }

    /// Whether it is proven that there is no plan.
    pub fn is_impossible(&self) -> bool {
        self.verdict == Verdict::Impossible.name()
    }

    /// How far the plan may be from the shortest, as a part of the bound.
    pub fn gap(&self) -> Option<f64> {
        crate::games::gap(self.length?, self.bound?)
    }

    /// Takes in that no plan is shorter than `bound`.
    pub fn raise(&mut self, bound: u64) {
        if self.is_impossible() {
            return;
        }
        self.bound = self.bound.max(Some(bound.min(self.length.unwrap_or(bound))));
        if self.length.is_some() && self.bound == self.length {
            self.verdict = Verdict::Optimal.name().into();
        }
    }

    /// Mends what older versions have written where there is no bound: the largest number, or 0.
    fn mend(&mut self) {
        if self.is_impossible() {
            self.bound = None;
        } else if self.bound == Some(u64::MAX) {
            self.bound = Some(0);
        }
    }

    /// Whether this says more than another record of the same area.
    fn beats(&self, other: &Record) -> bool {
        let rank = |record: &Record| {
            let (length, bound) = (record.length, record.bound);
            (length.unwrap_or(u64::MAX), u64::MAX - bound.unwrap_or(u64::MAX))
        };
        rank(self) < rank(other)
    }
}

/// Facts in the form records keep them in.
pub fn pairs(facts: &[Fact]) -> Vec<(String, String)> {
    facts.iter().map(|fact| (fact.name.to_string(), fact.value.to_string())).collect()
}

/// Fingerprint of a text: FNV-1a of 64 bits, in hexadecimal.
///
/// Fowler, Noll, Vo: "The FNV Non-Cryptographic Hash Algorithm".
pub fn fingerprint(text: &str) -> String {
    let step = |hash: u64, byte: u8| (hash ^ u64::from(byte)).wrapping_mul(0x0100_0000_01b3);
    format!("{:016x}", text.bytes().fold(0xcbf2_9ce4_8422_2325, step))
}

/// All records, by the key of their area.
pub type Records = BTreeMap<String, Record>;

/// Reads the records of all runs in a folder; where two know one area, the one with the area's
/// present fingerprint counts, and of those the better.
///
/// A file that cannot be read is passed over and named in the second part of the answer.
pub fn load(folder: &Path, present: &BTreeMap<&str, String>) -> (Records, Vec<String>) {
    let mut records = Records::new();
    let mut faults = Vec::new();
    for file in record_files(folder) {
        let read = std::fs::read(&file);
        let parsed: io::Result<Records> = read.and_then(|b| Ok(serde_json::from_slice(&b)?));
        match parsed {
            Ok(more) => merge(&mut records, more, present),
            Err(error) => faults.push(format!("{}: passed over: {error}", file.display())),
        }
    }
    (records, faults)
}

fn merge(records: &mut Records, more: Records, present: &BTreeMap<&str, String>) {
    for (key, mut record) in more {
        record.mend();
        let is_stale = present.get(key.as_str()).is_some_and(|now| *now != record.area);
        let is_better = records.get(&key).is_none_or(|old| record.beats(old));
        if !is_stale && is_better {
            records.insert(key, record);
        }
    }
}

/// The record files of all runs in a folder, by name.
fn record_files(folder: &Path) -> Vec<PathBuf> {
    let entries = std::fs::read_dir(folder).into_iter().flatten().flatten();
    let mut files: Vec<_> = entries.map(|entry| entry.path()).filter(|p| is_record(p)).collect();
    files.sort();
    files
}

fn is_record(path: &Path) -> bool {
    let name = path.file_name().and_then(|name| name.to_str()).unwrap_or("");
    name.starts_with(".batch") && name.ends_with(".json")
}

/// The record file of a run: see [`super::Shard::tag`].
pub fn record_file(folder: &Path, tag: &str) -> PathBuf {
    folder.join(format!(".batch{tag}.json"))
}

/// Replaces a run's record file.
///
/// # Errors
/// What the file system says.
pub fn save(folder: &Path, tag: &str, records: &Records) -> io::Result<()> {
    // One area a line: what a run has changed shows.
    let mut text = String::from("{\n");
    for (i, (key, record)) in records.iter().enumerate() {
        let comma = if i == 0 { "" } else { ",\n" };
        text += comma;
        text += &format!("{}: {}", serde_json::to_string(key)?, serde_json::to_string(record)?);
    }
    text += "\n}\n";
    replace(&record_file(folder, tag), text.as_bytes(), &run_tag(tag))
}

/// Removes the shards' record files after a whole run has taken them into its own.
pub fn absorb_shards(folder: &Path) {
    for file in record_files(folder) {
        if file != record_file(folder, "") {
            // One that stays is read again next time, and says nothing new.
            let _ = std::fs::remove_file(file);
        }
    }
}

/// The tag of a run's unfinished files.
pub fn run_tag(tag: &str) -> String {
    format!("batch{tag}")
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_fingerprint_is_fnv_1a() {
        assert_eq!(fingerprint(""), "cbf29ce484222325");
        assert_eq!(fingerprint("foobar"), "85944171f73967e8");
    }

    #[test]
    fn a_budget_covers_what_is_no_more_in_any_part() {
        let given =
            |seconds, nodes| Given { seconds, memory: 9, threads: 1, nodes, optimal: false };
        assert!(given(2.0, None).covers(&given(1.0, None)));
        assert!(given(1.0, None).covers(&given(1.0, Some(5))));
        assert!(!given(1.0, Some(9)).covers(&given(1.0, None)));
        assert!(given(1.0, Some(9)).covers(&given(1.0, Some(9))));
        assert!(!given(1.0, None).covers(&given(1.5, None)));
        let proof = Given { optimal: true, ..given(1.0, None) };
        assert!(proof.covers(&given(1.0, None)) && !given(1.0, None).covers(&proof));
    }
}
