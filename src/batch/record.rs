//! What is known of areas and what was spent on them, so that no run does again what is done.
//!
//! The record is one JSON file beside the solutions, `.batch.json`; a shard has its own,
//! `.batch-I-of-N.json`, since several processes may write into one folder. It is replaced as a
//! whole and is only a memory: plans are replayed anyway, and without the record everything is
//! searched again, knowing the plans that are there.
//!
//! Whatever is claimed is claimed of an area's content ([`Fingerprint`]), in one measure, and, where it
//! is about a plan, of that plan's text. A claim about another content, another measure or another
//! text is none.

use super::files::replace;
use super::names::{certificate_file, plan_file_in};
use crate::certificate::Claim;
use crate::diagnostic::Source;
use crate::games::{Area, Facts, Fingerprint, Standing};
use crate::search::{Run, Settings};
use crate::verify::Verified;
use serde::{Deserialize, Serialize};
use std::collections::BTreeMap;
use std::io;
use std::path::{Path, PathBuf};

/// The version of the record's form. A file of another one is passed over: what older versions claim
/// may have been of another area of the same name, or in another measure.
const VERSION: u32 = 2;

/// What is known of one area.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub struct Record {
    /// The area: its game and text.
    pub area: Fingerprint,
    /// The area's own facts.
    pub facts: Facts,
    /// Results in each measure, by the measure's name: see
    /// [`measure_names`](super::names::measure_names).
    pub measures: BTreeMap<String, Known>,
}

/// The results for one area in one measure.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub struct Known {
    /// Length of the best plan, and the proven bound.
    #[serde(flatten)]
    pub standing: Standing,
    /// The best plan.
    pub plan: Option<PlanRecord>,
    /// Wall time of the search that found the best plan, or that found none, in seconds.
    pub seconds: f64,
    /// The greatest budget that was given.
    pub given: Given,
    /// The proof that was asked for last, where one was.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub certificate: Option<CertificateRecord>,
}

/// A plan that is in the folder.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub struct PlanRecord {
    /// The text of its file.
    pub text: Fingerprint,
    /// Facts from its replay.
    pub facts: Facts,
}

impl PlanRecord {
    /// The record of a plan in a file with this text.
    pub fn new(text: Fingerprint, plan: &Verified) -> PlanRecord {
        PlanRecord { text, facts: Facts::from(&*plan.validation().facts) }
    }
}

/// A claim and its certificate, or the budget in which it could not be proven.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub struct CertificateRecord {
    /// The claim, or the claim that could not be certified.
    pub claim: Claim,
    /// The text of the certificate's file; none where there is none.
    pub text: Option<Fingerprint>,
    /// The budget that was given to the proof; nothing where only the index knows of it.
    pub given: Given,
}

/// A budget that was given to an area.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
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
    /// Numbers of the planner that were set.
    #[serde(default, skip_serializing_if = "Settings::is_empty")]
    pub settings: Settings,
}

impl Given {
    /// No budget at all.
    pub fn nothing() -> Given {
        let (seconds, memory, threads, nodes) = (0.0, 0, 0, Some(0));
        Given { seconds, memory, threads, nodes, optimal: false, settings: Settings::default() }
    }

    /// What a search is about to be given.
    pub fn new(budget: &Run, optimal: bool) -> Self {
        Given {
            seconds: budget.limits.time.as_secs_f64(),
            memory: budget.limits.memory,
            threads: budget.limits.threads,
            nodes: budget.limits.nodes,
            optimal,
            settings: budget.settings.clone(),
        }
    }

    /// Whether this was at least as much, so that searching again promises nothing.
    pub fn covers(&self, other: &Given) -> bool {
        self.seconds >= other.seconds
            && self.memory >= other.memory
            && self.threads >= other.threads
            && self.nodes.is_none_or(|mine| other.nodes.is_some_and(|theirs| mine >= theirs))
            && self.optimal >= other.optimal
            && self.settings == other.settings
    }
}

impl Record {
    /// Nothing is known of the area yet.
    pub fn new(fingerprint: Fingerprint, area: &dyn Area) -> Record {
        Record { area: fingerprint, facts: area.facts().into(), measures: BTreeMap::new() }
    }

    /// Whether it is proven that there is no plan: in one measure is in all.
    pub fn is_impossible(&self) -> bool {
        self.measures.values().any(|known| known.standing == Standing::Impossible)
    }

    /// The standing in a measure. An area without a plan has none in any measure.
    pub fn standing(&self, measure: &str) -> Standing {
        let known = self.measures.get(measure).map(|known| known.standing);
        match known {
            Some(standing) if standing.length().is_some() => standing,
            _ if self.is_impossible() => Standing::Impossible,
            known => known.unwrap_or(Standing::Unknown { bound: 0 }),
        }
    }

    /// Takes in what another record of the same area says: in each measure the better plan, and the
    /// greater bound. What a plan refutes is dropped.
    pub(super) fn merge(&mut self, other: Record) {
        for (measure, theirs) in other.measures {
            let Some(mine) = self.measures.remove(&measure) else {
                self.measures.insert(measure, theirs);
                continue;
            };
            let rank = |known: &Known| known.standing.length().unwrap_or(u64::MAX);
            let (best, rest) =
                if rank(&theirs) < rank(&mine) { (theirs, mine) } else { (mine, theirs) };
            self.measures.insert(measure, best.with_bound_of(&rest));
        }
    }
}

impl Known {
    /// Fingerprint of the certificate of the present claim, if it has one.
    pub fn certified(&self) -> Option<Fingerprint> {
        let of_this = |record: &&CertificateRecord| Some(record.claim) == self.standing.claim();
        self.certificate.as_ref().filter(of_this)?.text
    }

    /// Takes over what another search has proven of the same area in the same measure: its bound, or
    /// that there is no plan.
    pub(super) fn with_bound_of(mut self, other: &Known) -> Known {
        self.standing = match (self.standing, other.standing.bound()) {
            (Standing::Unknown { .. }, None) => Standing::Impossible,
            (own, bound) => {
                // A bound above a plan is refuted by it.
                let holds = |bound: &u64| own.length().is_none_or(|length| *bound <= length);
                own.raised(bound.filter(holds).unwrap_or(0))
            }
        };
        if other.given.covers(&self.given) {
            self.given = other.given.clone();
        }
        if self.certified().is_none() {
            self.certificate = other.certificate.clone().or(self.certificate);
        }
        self
    }
}

/// All records, by the key of their area.
pub type Records = BTreeMap<String, Record>;

/// A record file.
#[derive(Serialize, Deserialize)]
struct Form {
    version: u32,
    areas: Records,
}

/// Reads the records of all runs in a folder; where two know one key, the one with the area's
/// present content counts, and where both are of one content, the best of both.
///
/// A file that cannot be read is passed over and named in the second part of the answer.
pub fn load(folder: &Path, present: &BTreeMap<&str, Fingerprint>) -> (Records, Vec<String>) {
    let mut records = Records::new();
    let mut faults = Vec::new();
    for file in record_files(folder) {
        match read(&file) {
            Ok(more) => merge(&mut records, more, present),
            Err(why) => faults.push(format!("{}: passed over: {why}", file.display())),
        }
    }
    (records, faults)
}

fn read(file: &Path) -> Result<Records, String> {
    let bytes = std::fs::read(file).map_err(|error| error.to_string())?;
    #[derive(Deserialize)]
    struct Version {
        version: Option<u32>,
    }
    let version: Version = serde_json::from_slice(&bytes).map_err(|error| error.to_string())?;
    match version.version {
        Some(VERSION) => {}
        Some(other) => return Err(format!("it is of version {other}, not {VERSION}")),
        None => return Err("it is an older version's, whose claims are not believed".into()),
    }
    let form: Form = serde_json::from_slice(&bytes).map_err(|error| error.to_string())?;
    Ok(form.areas)
}

fn merge(records: &mut Records, more: Records, present: &BTreeMap<&str, Fingerprint>) {
    for (key, record) in more {
        let is_present = |record: &Record| present.get(key.as_str()) == Some(&record.area);
        match records.get_mut(&key) {
            Some(mine) if mine.area == record.area => mine.merge(record),
            Some(mine) if is_present(mine) || !is_present(&record) => {}
            _ => drop(records.insert(key, record)),
        }
    }
}

/// Drops from records what they claim of plans and certificates that are no longer there: that another run
/// has replaced, or that were removed. Keys without any remaining claim go, unless they are `kept`.
pub fn drop_missing(folder: &Path, records: &mut Records, kept: impl Fn(&str) -> bool) {
    for (key, record) in records.iter_mut() {
        for (measure, known) in &mut record.measures {
            let is_there = |plan: &PlanRecord| is_there(folder, key, measure, plan.text);
            if known.plan.as_ref().is_some_and(|plan| !is_there(plan)) {
                known.plan = None;
                known.standing = known.standing.without_plan();
                known.given = Given::nothing();
            }
            let is_there = |text: Fingerprint| is_certificate_there(folder, key, measure, text);
            let text = known.certificate.as_ref().and_then(|record| record.text);
            if text.is_some_and(|text| !is_there(text)) {
                known.certificate = None;
            }
        }
    }
    records.retain(|key, record| {
        kept(key)
            || record.is_impossible()
            || record.measures.values().any(|known| known.plan.is_some())
            || record.measures.values().any(|known| known.given != Given::nothing())
    });
}

/// Whether the plan of an area has this text.
fn is_there(folder: &Path, key: &str, measure: &str, text: Fingerprint) -> bool {
    let plan = Source::read(&plan_file_in(folder, key, measure));
    plan.is_ok_and(|plan| Fingerprint::of(&[&plan.text]) == text)
}

/// Whether the certificate of an area has this text.
pub(super) fn is_certificate_there(
    folder: &Path,
    key: &str,
    measure: &str,
    text: Fingerprint,
) -> bool {
    let file = Source::read(&certificate_file(folder, key, measure));
    file.is_ok_and(|file| Fingerprint::of(&[&file.text]) == text)
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
/// An error of the file system.
pub fn save(folder: &Path, tag: &str, records: &Records) -> io::Result<()> {
    // One area a line: what a run has changed shows.
    let mut text = format!("{{\"version\":{VERSION},\"areas\":{{\n");
    for (i, (key, record)) in records.iter().enumerate() {
        let comma = if i == 0 { "" } else { ",\n" };
        text += comma;
        text += &format!("{}: {}", serde_json::to_string(key)?, serde_json::to_string(record)?);
    }
    text += "\n}}\n";
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
    use crate::games::Fact;

    fn known(standing: Standing) -> Known {
        let given = Given::nothing();
        Known { standing, plan: None, seconds: 0.0, given, certificate: None }
    }

    #[test]
    fn a_budget_covers_what_is_no_more_in_any_part() {
        let given =
            |seconds, nodes| Given { seconds, memory: 9, threads: 1, nodes, ..Given::nothing() };
        assert!(given(2.0, None).covers(&given(1.0, None)));
        assert!(given(1.0, None).covers(&given(1.0, Some(5))));
        assert!(!given(1.0, Some(9)).covers(&given(1.0, None)));
        assert!(given(1.0, Some(9)).covers(&given(1.0, Some(9))));
        assert!(!given(1.0, None).covers(&given(1.5, None)));
        let proof = Given { optimal: true, ..given(1.0, None) };
        assert!(proof.covers(&given(1.0, None)) && !given(1.0, None).covers(&proof));
    }

    #[test]
    fn a_bound_never_passes_a_plan() {
        let found = Standing::Found { length: 7, bound: 3 };
        assert_eq!(found.raised(5), Standing::Found { length: 7, bound: 5 });
        assert_eq!(found.raised(7), Standing::Optimal { length: 7 });
        assert_eq!(found.raised(9), Standing::Optimal { length: 7 });
        assert_eq!(found.without_plan(), Standing::Unknown { bound: 3 });
        assert_eq!(Standing::Impossible.raised(9), Standing::Impossible);
    }

    #[test]
    fn what_a_plan_refutes_is_dropped_where_records_meet() {
        let plan = known(Standing::Found { length: 7, bound: 3 });
        let claims = [
            (Standing::Impossible, plan.standing),
            (Standing::Unknown { bound: 9 }, plan.standing),
            (Standing::Unknown { bound: 7 }, Standing::Optimal { length: 7 }),
            (Standing::Found { length: 8, bound: 5 }, Standing::Found { length: 7, bound: 5 }),
        ];
        for (claim, standing) in claims {
            assert_eq!(plan.clone().with_bound_of(&known(claim)).standing, standing);
        }
    }

    #[test]
    fn that_there_is_no_plan_holds_in_all_measures_and_a_bound_in_its_own() {
        let area = Fingerprint::of(&[]);
        let measures = |standing| BTreeMap::from([("pushes".to_string(), known(standing))]);
        let record =
            |standing| Record { area, facts: Facts::default(), measures: measures(standing) };
        let none = record(Standing::Impossible);
        assert_eq!(none.standing("moves"), Standing::Impossible);
        let bound = record(Standing::Unknown { bound: 5 });
        assert_eq!(bound.standing("moves"), Standing::Unknown { bound: 0 });
    }

    #[test]
    fn records_read_as_they_were_written() {
        let folder = tempfile::tempdir().unwrap();
        let standings = [
            Standing::Optimal { length: 5 },
            Standing::Found { length: 5, bound: 2 },
            Standing::Impossible,
            Standing::Unknown { bound: 4 },
        ];
        let record = |standing| Record {
            area: Fingerprint::of(&["text"]),
            facts: Facts::from([Fact::new("size", "3x4")]),
            measures: BTreeMap::from([("moves".to_string(), known(standing))]),
        };
        let keys = ["sokoban/a", "sokoban/b", "sokoban/\"c\"", "sokoban/d"].map(String::from);
        let records: Records = keys.into_iter().zip(standings.map(record)).collect();
        save(folder.path(), "", &records).unwrap();
        assert_eq!(load(folder.path(), &BTreeMap::new()), (records, Vec::new()));
    }
}
