//! What is known of all areas, as tables: the index of a folder of solutions, the summary of a run.
//!
//! A row claims something of one area in one measure, and its last column says of which content. What
//! an index of an older version claims is of no content that can be told: its rows stay as long as
//! their plans are there, and their bounds do not count.

use super::files::replace;
use super::names::{certificate_file, measure_names, plan_file_in, suffix};
use super::record::CertificateRecord;
use super::{Given, Record, Records, Row};
use crate::diagnostic::Source;
use crate::games::{Fact, Facts, Fingerprint, GameId, Standing, Value, gap};
use std::collections::{BTreeMap, BTreeSet};
use std::fmt::Write;
use std::io;
use std::ops::Range;
use std::path::Path;

/// The index's file name.
pub const FILE: &str = "INDEX.md";

/// The column of the area's content.
const FINGERPRINT: &str = "fingerprint";
/// The column of the plan's text, and how many digits of its fingerprint stand there.
const TEXT: &str = "text";
const TEXT_DIGITS: usize = 16;
/// The column of the certificate: the first digits of its text's fingerprint, with a link to its file.
const CERTIFICATE: &str = "certificate";
/// The column of the area's size, and the one after which come those of what a replay showed.
const SIZE: &str = "size";
const OPTIMAL: &str = "optimal";
/// The column of the measure, in games that have several.
const MEASURE: &str = "measure";

/// Upper limit of the characters of a fact's value; a longer one is left to `outwit verify`.
const WIDEST_FACT: usize = 16;

/// A table: what a column is called, and the rows' cells. The last rows are totals.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Table {
    /// Names of the columns.
    pub columns: Vec<String>,
    /// One row for each area and measure, and one of totals for each measure.
    pub rows: Vec<Vec<String>>,
}

/// A claim about one area in one measure.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Claim {
    /// The area's key.
    pub key: String,
    /// The measure: see [`measure_names`].
    pub measure: String,
    /// Its content; none in what older versions wrote.
    pub area: Option<Fingerprint>,
    /// The area's size.
    pub size: String,
    /// The plan's length, and the bound that is proven.
    pub standing: Standing,
    /// Facts from the replay of the best plan.
    pub facts: Facts,
    /// The first digits of the fingerprint of that plan's text; none where older versions wrote it.
    pub text: Option<String>,
    /// The first digits of the fingerprint of the certificate's text, where the claim is certified.
    pub certificate: Option<String>,
}

impl Claim {
    /// The claim that a record makes in a measure.
    fn new(key: &str, measure: &str, record: &Record) -> Claim {
        let known = record.measures.get(measure);
        let plan = known.and_then(|known| known.plan.as_ref());
        let certificate = known.and_then(|known| known.certified());
        Claim {
            key: key.into(),
            measure: measure.into(),
            area: Some(record.area),
            size: value(&record.facts, SIZE),
            standing: record.standing(measure),
            facts: plan.map_or_else(Facts::default, |plan| plan.facts.clone()),
            text: plan.map(|plan| plan.text.prefix(TEXT_DIGITS)),
            certificate: certificate.map(|text| text.prefix(TEXT_DIGITS)),
        }
    }

    /// Whether its measure is the usual one of its game.
    pub fn is_usual(&self) -> bool {
        suffix(&self.key, &self.measure).is_empty()
    }

    /// The two parts of the area's key.
    pub(super) fn game_and_name(&self) -> (&str, &str) {
        self.key.split_once('/').unwrap_or(("", &self.key))
    }

    /// Whether its plan is the one that is in the folder.
    fn holds_in(&self, folder: &Path) -> bool {
        let plan = Source::read(&plan_file_in(folder, &self.key, &self.measure));
        plan.is_ok_and(|plan| {
            let text = Fingerprint::of(&[&plan.text]).prefix(TEXT_DIGITS);
            self.text.as_ref().is_none_or(|own| *own == text)
        })
    }

    /// Fingerprint of its certificate's text, if the file is in the folder unchanged.
    fn certificate_in(&self, folder: &Path) -> Option<Fingerprint> {
        let digits = self.certificate.as_ref()?;
        let text = Source::read(&certificate_file(folder, &self.key, &self.measure)).ok()?.text;
        let text = Fingerprint::of(&[&text]);
        (text.prefix(TEXT_DIGITS) == *digits).then_some(text)
    }

    /// Path of the area's file with an ending, relative to the folder of solutions.
    fn file(&self, ending: &str) -> String {
        format!("{}{}.{ending}", self.key, suffix(&self.key, &self.measure))
    }
}

/// The claims of records: one for each area and each measure it was searched in, the usual measure first.
pub fn claims(records: &Records) -> Vec<Claim> {
    let all = records.iter().flat_map(|(key, record)| {
        let measures = record.measures.iter();
        let measures = measures.filter(|(_, known)| known.given != Given::nothing());
        let mut measures: Vec<&str> = measures.map(|(measure, _)| measure.as_str()).collect();
        measures.sort_by_key(|measure| !suffix(key, measure).is_empty());
        measures.into_iter().map(|measure| Claim::new(key, measure, record)).collect::<Vec<_>>()
    });
    all.collect()
}

/// Reads the claims in the index of a folder; none where it has no index.
pub fn read(folder: &Path) -> Vec<Claim> {
    parse(&std::fs::read_to_string(folder.join(FILE)).unwrap_or_default())
}

/// Takes what an earlier index has proven into records: the index goes from machine to machine, the
/// record does not. It counts where it is of the same content, the same measure and a plan as long; and so does a
/// certificate that is in the folder.
pub fn raise_bounds(folder: &Path, records: &mut Records, earlier: &[Claim]) {
    for claim in earlier {
        let record = records.get_mut(&claim.key).filter(|record| Some(record.area) == claim.area);
        let known = record.and_then(|record| record.measures.get_mut(&claim.measure));
        if let Some(known) = known
            && known.standing.length() == claim.standing.length()
        {
            known.standing = known.standing.raised(claim.standing.bound().unwrap_or(0));
            if known.certified().is_none()
                && let Some(claimed) = claim.standing.claim()
                && let Some(text) = claim.certificate_in(folder)
            {
                let (text, given) = (Some(text), Given::nothing());
                known.certificate = Some(CertificateRecord { claim: claimed, text, given });
            }
        }
    }
}

/// Writes the index of a folder: what its records claim, and what an earlier index claims of other
/// areas whose plans are there.
///
/// # Errors
/// An error of the file system.
pub fn write(folder: &Path, records: &Records, earlier: &[Claim], tag: &str) -> io::Result<()> {
    let mut all = claims(records);
    let known: BTreeSet<(&str, &str)> =
        all.iter().map(|claim| (claim.key.as_str(), claim.measure.as_str())).collect();
    let others = earlier.iter().filter(|claim| {
        !known.contains(&(claim.key.as_str(), claim.measure.as_str()))
            && records.get(&claim.key).is_none_or(|record| Some(record.area) == claim.area)
            && claim.holds_in(folder)
    });
    let held = |claim: &Claim| {
        let certificate =
            claim.certificate.clone().filter(|_| claim.certificate_in(folder).is_some());
        Claim { certificate, ..claim.clone() }
    };
    let others: Vec<Claim> = others.map(held).collect();
    all.extend(others);
    // Stable: an area's measures stay in their order.
    all.sort_by(|a, b| a.key.cmp(&b.key));
    replace(&folder.join(FILE), markdown(&all).as_bytes(), tag)
}

/// An index: one section for each game.
pub fn markdown(claims: &[Claim]) -> String {
    let mut text = String::from(
        "# Solutions\n\nWritten by `outwit batch`. Each plan was replayed through the reference \
         rules of its game before it was written here.\nA bound is proven: no plan is shorter. \
         The gap is how far the plan is above it. The fingerprint is the SHA-256 of the area's \
         game and text; beside it are the first digits of that of the plan's text.\n",
    );
    if claims.iter().any(|claim| claim.certificate.is_some()) {
        text += "A claim with a certificate has been proven from the rules alone: `outwit check AREA \
                 CERTIFICATE` does it again.\n";
    }
    for (game, claims) in by_game(claims) {
        // Writing to a string cannot fail.
        let _ = write!(text, "\n## {game}\n\n{}\n\n", sentence(&claims));
        text += &as_markdown(&table(game, &claims));
    }
    text
}

fn by_game(claims: &[Claim]) -> BTreeMap<&str, Vec<&Claim>> {
    let mut games: BTreeMap<&str, Vec<&Claim>> = BTreeMap::new();
    for claim in claims {
        games.entry(claim.game_and_name().0).or_default().push(claim);
    }
    games
}

/// Parses the claims about solved areas in an index. A missing value counts as nothing found or proven.
pub fn parse(markdown: &str) -> Vec<Claim> {
    let mut claims = Vec::new();
    let mut columns: Vec<&str> = Vec::new();
    let mut game = "";
    for line in markdown.lines() {
        let inner = line.strip_prefix("| ").and_then(|rest| rest.strip_suffix(" |"));
        let cells: Vec<&str> = inner.map_or(Vec::new(), |inner| inner.split(" | ").collect());
        if let Some(name) = line.strip_prefix("## ") {
            game = name;
        } else if cells.first() == Some(&"area") {
            columns = cells;
        } else if let Some((_, link)) = cells.first().and_then(|cell| cell.split_once("](<"))
            && let Some(plan) = link.strip_suffix(".plan>)").filter(|plan| plan.starts_with(game))
        {
            claims.extend(claim(game, plan, &columns, &cells));
        }
    }
    claims
}

/// Parses the claim in a row about a solved area.
fn claim(game: &str, plan: &str, columns: &[&str], cells: &[&str]) -> Option<Claim> {
    let at = |name| columns.iter().position(|&column| column == name);
    let cell = |name| at(name).and_then(|at| cells.get(at)).copied();
    let number = |name| cell(name).and_then(|cell| cell.parse().ok());
    let usual =
        || game.parse::<GameId>().ok().and_then(|game| measure_names(game).first().copied());
    let measure = cell(MEASURE).map(str::to_string).or_else(|| usual().map(str::to_string))?;
    let facts = at(OPTIMAL)? + 1..at(FINGERPRINT)?;
    let fact = |i: usize| {
        let cell = cells.get(i).filter(|cell| !cell.is_empty())?;
        let value = cell.parse().map_or_else(|_| Value::from(*cell), Value::Number);
        Some(Fact::new(columns[i].to_string(), value))
    };
    let area = cell(FINGERPRINT)?.parse().ok();
    let bound = if area.is_some() { number("bound")? } else { 0 };
    Some(Claim {
        key: plan.strip_suffix(&suffix(plan, &measure))?.to_string(),
        area,
        size: cell(SIZE).unwrap_or("").into(),
        standing: Standing::new(Some(number("length")?), bound),
        facts: Facts(facts.filter_map(fact).collect()),
        text: cell(TEXT).filter(|text| !text.is_empty()).map(str::to_string),
        certificate: cell(CERTIFICATE).and_then(linked).map(str::to_string),
        measure,
    })
}

/// The text of a link.
fn linked(cell: &str) -> Option<&str> {
    Some(cell.strip_prefix('[')?.split_once("](<")?.0)
}

/// What a run came to in one game.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Summary {
    /// The game's name.
    pub game: String,
    /// One sentence with the numbers of areas, of solved ones and of proven ones.
    pub sentence: String,
    /// What is known of each area, and what the run did.
    pub table: Table,
    /// The columns of what a replay showed, which `outwit verify` tells too: the first ones to be
    /// left out where there is no room.
    pub spare: Range<usize>,
}

/// The summaries of a run's rows, one for each game. The first column is the area, without its game.
pub fn summaries(rows: &[Row]) -> Vec<Summary> {
    let mut games: BTreeMap<&str, Vec<&Row>> = BTreeMap::new();
    for row in rows {
        games.entry(row.key.split('/').next().unwrap_or("")).or_default().push(row);
    }
    games.into_iter().map(|(game, rows)| summary(game, &rows)).collect()
}

fn summary(game: &str, rows: &[&Row]) -> Summary {
    let claims: Vec<Claim> = rows.iter().map(|row| claim_of(row)).collect();
    let claims: Vec<&Claim> = claims.iter().collect();
    let mut facts = short_columns(&claims);
    // A measure that is the length says nothing new.
    facts.retain(|name| !claims.iter().all(|claim| is_length(claim, name)));
    let mut columns = vec!["area", SIZE, "length", "bound", "gap"];
    columns.extend(&facts);
    columns.extend(["seconds", "this run"]);
    let seconds =
        |row: &Row| row.record.measures.get(row.measure).map_or(0.0, |known| known.seconds);
    let mut lines: Vec<Vec<String>> = Vec::new();
    for (row, claim) in rows.iter().zip(&claims) {
        let mut line = vec![claim.game_and_name().1.to_string(), claim.size.clone()];
        line.extend(length_and_bound(claim.standing));
        line.push(match word(claim.standing) {
            "" => percent(claim.standing.gap()),
            word => word.to_string(),
        });
        line.extend(facts.iter().map(|name| value(&claim.facts, name)));
        line.extend([format!("{:.2}", seconds(row)), row.change.words()]);
        lines.push(line);
    }
    let mut totals = totals(&claims, &facts);
    let seconds: f64 = rows.iter().map(|row| seconds(row)).sum();
    totals.extend([format!("{seconds:.2}"), String::new()]);
    lines.push(totals);
    let spare = columns.len() - 2 - facts.len()..columns.len() - 2;
    let columns = columns.into_iter().map(str::to_string).collect();
    let table = Table { columns, rows: lines };
    Summary { game: game.into(), sentence: sentence(&claims), table, spare }
}

/// The claim that stands after a run, in the run's measure.
pub fn claim_of(row: &Row) -> Claim {
    Claim::new(&row.key, row.measure, &row.record)
}

/// Whether a fact of the best plan is its length, or there is no plan.
fn is_length(claim: &Claim, name: &str) -> bool {
    let length = claim.standing.length();
    length.is_none_or(|length| value(&claim.facts, name) == length.to_string())
}

/// The measures of claims, the usual ones of their games first.
fn measures<'a>(claims: &[&'a Claim]) -> Vec<&'a str> {
    let measures = claims.iter().map(|claim| (!claim.is_usual(), claim.measure.as_str()));
    let mut measures: Vec<_> = measures.collect();
    measures.sort_unstable();
    measures.dedup();
    measures.into_iter().map(|(_, measure)| measure).collect()
}

/// One sentence with the numbers of areas, of solved ones and of proven ones, in each measure.
pub fn sentence(claims: &[&Claim]) -> String {
    let keys = |what: &dyn Fn(&Claim) -> bool| {
        let keys = claims.iter().filter(|claim| what(claim)).map(|claim| claim.key.as_str());
        keys.collect::<BTreeSet<&str>>().len()
    };
    // The usual measures of all games are one group.
    let others: Vec<&Claim> = claims.iter().copied().filter(|claim| !claim.is_usual()).collect();
    let others = measures(&others);
    let counts = |is_in: &dyn Fn(&Claim) -> bool| {
        format!(
            "{} solved, {} proven optimal",
            keys(&|claim| is_in(claim) && claim.standing.length().is_some()),
            keys(&|claim| is_in(claim) && claim.standing.is_optimal()),
        )
    };
    let mut sentence = format!("{} areas", keys(&|_| true));
    if others.is_empty() || claims.iter().any(|claim| claim.is_usual()) {
        sentence += &format!(", {}", counts(&Claim::is_usual));
    }
    for measure in others {
        sentence += &format!(", in {measure} {}", counts(&|claim| claim.measure == measure));
    }
    let impossible = keys(&|claim| claim.standing == Standing::Impossible);
    if impossible > 0 {
        sentence += &format!(", {impossible} proven impossible");
    }
    let certified = keys(&|claim| claim.certificate.is_some());
    if certified > 0 {
        sentence += &format!(", {certified} certified");
    }
    sentence + "."
}

/// The table of one game in the index. Nothing in it changes where nothing gets better.
fn table(game: &str, claims: &[&Claim]) -> Table {
    let facts = short_columns(claims);
    let has_measures = game.parse::<GameId>().is_ok_and(|game| measure_names(game).len() > 1);
    let mut columns = vec!["area", SIZE];
    columns.extend(has_measures.then_some(MEASURE));
    columns.extend(["length", "bound", "gap", OPTIMAL]);
    columns.extend(&facts);
    columns.extend([FINGERPRINT, TEXT]);
    let is_certified = claims.iter().any(|claim| claim.certificate.is_some());
    columns.extend(is_certified.then_some(CERTIFICATE));
    let mut rows: Vec<Vec<String>> = Vec::new();
    for claim in claims {
        let name = escaped(claim.game_and_name().1);
        let is_there = claim.standing.length().is_some();
        let name = if is_there { format!("[{name}](<{}>)", claim.file("plan")) } else { name };
        let mut row = vec![name, claim.size.clone()];
        row.extend(has_measures.then(|| claim.measure.clone()));
        row.extend(length_and_bound(claim.standing));
        row.push(percent(claim.standing.gap()));
        let is_optimal = claim.standing.is_optimal();
        row.push(if is_optimal { "yes" } else { word(claim.standing) }.to_string());
        row.extend(facts.iter().map(|name| value(&claim.facts, name)));
        row.push(claim.area.map_or(String::new(), |area| area.to_string()));
        row.push(claim.text.clone().unwrap_or_default());
        let link = |digits: &String| format!("[{digits}](<{}>)", claim.file("cert"));
        row.extend(is_certified.then(|| claim.certificate.as_ref().map_or_else(String::new, link)));
        rows.push(row);
    }
    for measure in measures(claims) {
        let claims: Vec<&Claim> =
            claims.iter().copied().filter(|claim| claim.measure == measure).collect();
        let mut totals = totals(&claims, &facts);
        let optimal = claims.iter().filter(|claim| claim.standing.is_optimal()).count();
        totals.insert(5, optimal.to_string());
        if has_measures {
            totals.insert(2, measure.into());
        }
        totals.extend([String::new(), String::new()]);
        let certified = claims.iter().filter(|claim| claim.certificate.is_some()).count();
        totals.extend(is_certified.then(|| certified.to_string()));
        rows.push(totals);
    }
    Table { columns: columns.into_iter().map(str::to_string).collect(), rows }
}

fn length_and_bound(standing: Standing) -> [String; 2] {
    let length = standing.length().map_or("-".into(), |length| length.to_string());
    [length, standing.bound().map_or(String::new(), |bound| bound.to_string())]
}

/// What is to be said where a plan has no gap, or there is no plan.
fn word(standing: Standing) -> &'static str {
    match standing {
        Standing::Optimal { .. } => "optimal",
        Standing::Found { .. } => "",
        Standing::Impossible => "no plan",
        Standing::Unknown { .. } => "none found",
    }
}

fn percent(gap: Option<f64>) -> String {
    gap.map_or(String::new(), |gap| format!("{:.1} %", 100.0 * gap))
}

/// A row of totals: how many areas are solved, sums of size (none), length, bound, the gap between
/// them, and of what the replays showed.
fn totals(claims: &[&Claim], facts: &[&str]) -> Vec<String> {
    let solved = claims.iter().filter(|claim| claim.standing.length().is_some());
    let length: u64 = solved.clone().filter_map(|claim| claim.standing.length()).sum();
    let bound: u64 = solved.clone().filter_map(|claim| claim.standing.bound()).sum();
    let mut row = vec![format!("{} of {}", solved.count(), claims.len()), String::new()];
    row.extend([length.to_string(), bound.to_string()]);
    row.push(percent(gap(length, bound)));
    row.extend(facts.iter().map(|name| sum(claims, name)));
    row
}

/// The sum of a fact, where it is a whole number wherever it is.
fn sum(claims: &[&Claim], name: &str) -> String {
    let values = claims.iter().map(|claim| value(&claim.facts, name));
    let numbers: Option<Vec<u64>> =
        values.filter(|value| !value.is_empty()).map(|value| value.parse().ok()).collect();
    numbers.map_or(String::new(), |numbers| numbers.iter().sum::<u64>().to_string())
}

/// The names of facts in the order they come up, without those that are long somewhere.
fn short_columns<'a>(claims: &[&'a Claim]) -> Vec<&'a str> {
    let mut names: Vec<&str> = Vec::new();
    let mut long: Vec<&str> = Vec::new();
    for Fact { name, value } in claims.iter().flat_map(|claim| claim.facts.iter()) {
        if value.to_string().chars().count() > WIDEST_FACT {
            long.push(name);
        } else if !names.contains(&&**name) {
            names.push(name);
        }
    }
    names.retain(|name| !long.contains(name));
    names
}

/// A fact as text; empty where there is none of that name.
fn value(facts: &Facts, name: &str) -> String {
    facts.get(name).map_or_else(String::new, Value::to_string)
}

fn escaped(text: &str) -> String {
    text.replace('|', "\\|").replace('[', "\\[").replace(']', "\\]")
}

fn as_markdown(table: &Table) -> String {
    let line = |cells: &[String]| format!("| {} |\n", cells.join(" | "));
    let mut text = line(&table.columns);
    text += &format!("|---|---|{}\n", "--:|".repeat(table.columns.len().saturating_sub(2)));
    table.rows.iter().for_each(|row| text += &line(row));
    text
}
