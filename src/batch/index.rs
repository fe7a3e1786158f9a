//! What is known of all areas, as tables: the index of a folder of solutions, the summary of a run.

use super::{Record, Records, Row};
use std::collections::BTreeMap;
use std::fmt::Write;

/// The index's file name.
pub const FILE: &str = "INDEX.md";

/// The column that tells which text of an area a row is of.
const FINGERPRINT: &str = "fingerprint";

/// A fact with a longer value is left to `outwit verify`.
const WIDEST_FACT: usize = 16;

/// A table: what a column is called, and the rows' cells. The last row is the totals.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Table {
    /// Names of the columns.
    pub columns: Vec<String>,
    /// One row for each area, and one of totals.
    pub rows: Vec<Vec<String>>,
}

/// The index of a folder of solutions: one section for each game.
pub fn markdown(records: &Records) -> String {
    let mut text = String::from(
        "# Solutions\n\nWritten by `outwit batch`. Each plan was replayed through the reference \
         rules of its game before it was written here.\nA bound is proven: no plan is shorter. \
         The gap is how far the plan is above it. The fingerprint is of the area's text.\n",
    );
    let mut games: BTreeMap<&str, Vec<(&str, &Record)>> = BTreeMap::new();
    for (key, record) in records {
        let (game, name) = key.split_once('/').unwrap_or(("", key));
        games.entry(game).or_default().push((name, record));
    }
    for (game, records) in games {
        // Writing to a string cannot fail.
        let _ = write!(text, "\n## {game}\n\n{}\n\n", sentence(&records));
        let link = |name: &str, record: &Record| match record.length {
            Some(_) => format!("[{}](<{game}/{name}.plan>)", escaped(name)),
            None => escaped(name),
        };
        text += &as_markdown(&table(&records, link, Last::Fingerprint));
    }
    text
}

/// The bounds that an earlier index has of solved areas: by key, the area's fingerprint, the plan's
/// length and the bound.
pub fn bounds(markdown: &str) -> BTreeMap<String, (String, u64, u64)> {
    let mut known = BTreeMap::new();
    let mut columns: Vec<&str> = Vec::new();
    let mut game = "";
    for line in markdown.lines() {
        let inner = line.strip_prefix("| ").and_then(|rest| rest.strip_suffix(" |"));
        let cells: Vec<&str> = inner.map_or(Vec::new(), |inner| inner.split(" | ").collect());
        let cell = |name| columns.iter().position(|&c| c == name).and_then(|at| cells.get(at));
        let number = |name| cell(name).and_then(|cell| cell.parse().ok());
        if let Some(name) = line.strip_prefix("## ") {
            game = name;
        } else if cells.first() == Some(&"area") {
            columns = cells;
        } else if let Some(link) = cells.first().and_then(|cell| cell.split_once("](<"))
            && let Some(plan) = link.1.strip_suffix(".plan>)").and_then(|l| l.strip_prefix(game))
            && let (Some(length), Some(bound)) = (number("length"), number("bound"))
            && let Some(fingerprint) = cell(FINGERPRINT)
        {
            known.insert(format!("{game}{plan}"), (fingerprint.to_string(), length, bound));
        }
    }
    known
}

/// The table of a run's rows: what is known, and what the run did.
pub fn summary(rows: &[Row]) -> Table {
    let records: Vec<_> = rows.iter().map(|row| (row.key.as_str(), &row.record)).collect();
    let mut table = table(&records, |name, _| name.to_string(), Last::Seconds);
    table.columns.push("this run".into());
    let words = rows.iter().map(|row| row.change.words()).chain(std::iter::once(String::new()));
    for (cells, words) in table.rows.iter_mut().zip(words) {
        cells.push(words);
    }
    table
}

/// How many areas there are, are solved, are proven.
pub fn sentence(records: &[(&str, &Record)]) -> String {
    let count = |what: fn(&Record) -> bool| records.iter().filter(|(_, r)| what(r)).count();
    let mut sentence = format!(
        "{} areas, {} solved, {} proven optimal",
        records.len(),
        count(|record| record.length.is_some()),
        count(Record::is_optimal),
    );
    let impossible = count(Record::is_impossible);
    if impossible > 0 {
        let _ = write!(sentence, ", {impossible} proven impossible");
    }
    sentence + "."
}

/// What the last column of a table is.
#[derive(Clone, Copy, PartialEq, Eq)]
enum Last {
    /// How long the search took: for who has just run it.
    Seconds,
    /// Which text of the area the row is of: for a file that stays as it is where nothing gets
    /// better.
    Fingerprint,
}

fn table(records: &[(&str, &Record)], name: impl Fn(&str, &Record) -> String, last: Last) -> Table {
    let proofs = short_columns(records, |record| &record.proof);
    let mut columns = vec!["area".to_string(), "size".into(), "length".into(), "bound".into()];
    columns.extend(["gap".to_string(), "optimal".into()]);
    columns.extend(proofs.iter().map(|name| name.to_string()));
    columns.push(if last == Last::Seconds { "seconds" } else { FINGERPRINT }.into());
    let mut rows: Vec<Vec<String>> = Vec::new();
    for (key, record) in records {
        let mut row = vec![name(key, record), value(&record.facts, "size").to_string()];
        row.push(record.length.map_or("-".into(), |length| length.to_string()));
        row.push(record.bound.to_string());
        row.push(percent(record.gap()));
        row.push(if record.is_optimal() { "yes" } else { verdict(record) }.to_string());
        row.extend(proofs.iter().map(|name| value(&record.proof, name).to_string()));
        row.push(match last {
            Last::Seconds => format!("{:.2}", record.seconds),
            Last::Fingerprint => record.area.clone(),
        });
        rows.push(row);
    }
    let mut totals = totals(records, &proofs);
    let seconds = records.iter().fold(0.0, |sum, (_, record)| sum + record.seconds);
    totals.push(if last == Last::Seconds { format!("{seconds:.2}") } else { String::new() });
    rows.push(totals);
    Table { columns, rows }
}

/// What stands for `optimal` where it is not proven.
fn verdict(record: &Record) -> &'static str {
    match record.length {
        Some(_) => "",
        None if record.is_impossible() => "no plan",
        None => "none found",
    }
}

fn percent(gap: Option<f64>) -> String {
    gap.map_or(String::new(), |gap| format!("{:.1} %", 100.0 * gap))
}

fn totals(records: &[(&str, &Record)], proofs: &[&str]) -> Vec<String> {
    let solved = records.iter().filter(|(_, record)| record.length.is_some());
    let length: u64 = solved.clone().filter_map(|(_, record)| record.length).sum();
    let bound: u64 = solved.clone().map(|(_, record)| record.bound).sum();
    let optimal = records.iter().filter(|(_, record)| record.is_optimal()).count();
    let solved = solved.count();
    let mut row = vec![format!("{solved} of {}", records.len()), String::new()];
    row.extend([length.to_string(), bound.to_string()]);
    row.push(percent(crate::verify::gap(length, bound)));
    row.push(optimal.to_string());
    row.extend(proofs.iter().map(|name| sum(records, name)));
    row
}

/// The sum of a fact, where it is a whole number wherever it is.
fn sum(records: &[(&str, &Record)], name: &str) -> String {
    let values = records.iter().map(|(_, record)| value(&record.proof, name));
    let numbers: Option<Vec<u64>> =
        values.filter(|value| !value.is_empty()).map(|value| value.parse().ok()).collect();
    numbers.map_or(String::new(), |numbers| numbers.iter().sum::<u64>().to_string())
}

/// The names of facts in the order they come up, without those that are long somewhere.
fn short_columns<'a>(
    records: &[(&str, &'a Record)],
    facts: impl Fn(&'a Record) -> &'a Vec<(String, String)>,
) -> Vec<&'a str> {
    let mut names: Vec<&str> = Vec::new();
    let mut long: Vec<&str> = Vec::new();
    for (name, value) in records.iter().flat_map(|(_, record)| facts(record)) {
        if value.chars().count() > WIDEST_FACT {
            long.push(name);
        } else if !names.contains(&name.as_str()) {
            names.push(name);
        }
    }
    names.retain(|name| !long.contains(name));
    names
}

fn value<'a>(facts: &'a [(String, String)], name: &str) -> &'a str {
    facts.iter().find(|(one, _)| one == name).map_or("", |(_, value)| value)
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
