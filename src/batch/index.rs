//! What is known of all areas, as tables: the index of a folder of solutions, the summary of a run.

use super::{Given, Record, Records, Row};
use crate::search::Verdict;
use std::collections::BTreeMap;
use std::fmt::Write;
use std::ops::Range;

/// The index's file name.
pub const FILE: &str = "INDEX.md";

/// The column that tells which text of an area a row is of.
const FINGERPRINT: &str = "fingerprint";
/// The column of the area's size, and the one after which come those of what a replay showed.
const SIZE: &str = "size";
const OPTIMAL: &str = "optimal";

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
        let (game, name) = game_and_name(key);
        games.entry(game).or_default().push((name, record));
    }
    for (game, records) in games {
        // Writing to a string cannot fail.
        let _ = write!(text, "\n## {game}\n\n{}\n\n", sentence(&records));
        let link = |name: &str, record: &Record| match record.length {
            Some(_) => format!("[{}](<{game}/{name}.plan>)", escaped(name)),
            None => escaped(name),
        };
        text += &as_markdown(&table(&records, link));
    }
    text
}

/// What an earlier index says of solved areas. What it does not say counts as nothing: no measure was
/// asked for, and nothing has been given or spent.
pub fn records(markdown: &str) -> Records {
    let mut known = Records::new();
    let mut columns: Vec<&str> = Vec::new();
    let mut game = "";
    for line in markdown.lines() {
        let inner = line.strip_prefix("| ").and_then(|rest| rest.strip_suffix(" |"));
        let cells: Vec<&str> = inner.map_or(Vec::new(), |inner| inner.split(" | ").collect());
        if let Some(name) = line.strip_prefix("## ") {
            game = name;
        } else if cells.first() == Some(&"area") {
            columns = cells;
        } else if let Some(link) = cells.first().and_then(|cell| cell.split_once("](<"))
            && let Some(plan) = link.1.strip_suffix(".plan>)").and_then(|l| l.strip_prefix(game))
            && let Some(record) = record(&columns, &cells)
        {
            known.insert(format!("{game}{plan}"), record);
        }
    }
    known
}

/// What a row says of a solved area.
fn record(columns: &[&str], cells: &[&str]) -> Option<Record> {
    let at = |name| columns.iter().position(|&column| column == name);
    let cell = |name| at(name).and_then(|at| cells.get(at));
    let number = |name| cell(name).and_then(|cell| cell.parse().ok());
    let proofs = at(OPTIMAL)? + 1..at(FINGERPRINT)?;
    let pair = |i: usize| Some((columns[i].to_string(), (*cells.get(i)?).to_string()));
    let mut record = Record {
        area: (*cell(FINGERPRINT)?).to_string(),
        facts: at(SIZE).and_then(pair).into_iter().filter(|(_, size)| !size.is_empty()).collect(),
        verdict: Verdict::Found.name().into(),
        measure: None,
        length: Some(number("length")?),
        bound: Some(0),
        proof: proofs.filter_map(pair).filter(|(_, value)| !value.is_empty()).collect(),
        seconds: 0.0,
        given: Given { seconds: 0.0, memory: 0, threads: 0, nodes: Some(0), optimal: false },
    };
    record.raise(number("bound")?);
    Some(record)
}

/// What a run came to in one game.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Summary {
    /// The game's name.
    pub game: String,
    /// How many areas there are, are solved, are proven.
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
        games.entry(game_and_name(&row.key).0).or_default().push(row);
    }
    games.into_iter().map(|(game, rows)| summary(game, &rows)).collect()
}

fn summary<'a>(game: &str, rows: &[&'a Row]) -> Summary {
    let record = |row: &&'a Row| (game_and_name(&row.key).1, &row.record);
    let records: Vec<(&str, &Record)> = rows.iter().map(record).collect();
    let mut proofs = short_columns(&records, |record| &record.proof);
    // A measure that is the length says nothing new.
    proofs.retain(|name| !records.iter().all(|(_, record)| is_length(record, name)));
    let mut columns = vec!["area", SIZE, "length", "bound", "gap"];
    columns.extend(&proofs);
    columns.extend(["seconds", "this run"]);
    let mut lines: Vec<Vec<String>> = Vec::new();
    for (row, (name, record)) in rows.iter().zip(&records) {
        let mut line = vec![name.to_string()];
        line.extend(known(record));
        line.push(match standing(record) {
            "" => percent(record.gap()),
            standing => standing.to_string(),
        });
        line.extend(proofs.iter().map(|name| value(&record.proof, name).to_string()));
        line.extend([format!("{:.2}", record.seconds), row.change.words()]);
        lines.push(line);
    }
    let mut totals = totals(&records, &proofs);
    let seconds = records.iter().fold(0.0, |sum, (_, record)| sum + record.seconds);
    totals.extend([format!("{seconds:.2}"), String::new()]);
    lines.push(totals);
    let spare = columns.len() - 2 - proofs.len()..columns.len() - 2;
    let columns = columns.into_iter().map(str::to_string).collect();
    let table = Table { columns, rows: lines };
    Summary { game: game.into(), sentence: sentence(&records), table, spare }
}

/// Whether a fact of the best plan is its length, or there is no plan.
fn is_length(record: &Record, name: &str) -> bool {
    record.length.is_none_or(|length| value(&record.proof, name) == length.to_string())
}

/// The two parts of an area's key.
fn game_and_name(key: &str) -> (&str, &str) {
    key.split_once('/').unwrap_or(("", key))
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

/// The table of one game in the index. Its last column tells which text of the area a row is of, so
/// that the file stays as it is where nothing gets better.
fn table(records: &[(&str, &Record)], name: impl Fn(&str, &Record) -> String) -> Table {
    let proofs = short_columns(records, |record| &record.proof);
    let mut columns = vec!["area", SIZE, "length", "bound", "gap", OPTIMAL];
    columns.extend(&proofs);
    columns.push(FINGERPRINT);
    let mut rows: Vec<Vec<String>> = Vec::new();
    for (key, record) in records {
        let mut row = vec![name(key, record)];
        row.extend(known(record));
        row.push(percent(record.gap()));
        row.push(if record.is_optimal() { "yes" } else { standing(record) }.to_string());
        row.extend(proofs.iter().map(|name| value(&record.proof, name).to_string()));
        row.push(record.area.clone());
        rows.push(row);
    }
    let mut totals = totals(records, &proofs);
    let optimal = records.iter().filter(|(_, record)| record.is_optimal()).count();
    totals.insert(columns.len() - proofs.len() - 2, optimal.to_string());
    totals.push(String::new());
    rows.push(totals);
    Table { columns: columns.into_iter().map(str::to_string).collect(), rows }
}

/// Size, length and bound of an area.
fn known(record: &Record) -> [String; 3] {
    let size = value(&record.facts, SIZE).to_string();
    let length = record.length.map_or("-".into(), |length| length.to_string());
    [size, length, record.bound.map_or(String::new(), |bound| bound.to_string())]
}

/// What is to be said where a plan has no gap, or there is no plan.
fn standing(record: &Record) -> &'static str {
    match record.length {
        Some(_) if record.is_optimal() => "optimal",
        Some(_) => "",
        None if record.is_impossible() => "no plan",
        None => "none found",
    }
}

fn percent(gap: Option<f64>) -> String {
    gap.map_or(String::new(), |gap| format!("{:.1} %", 100.0 * gap))
}

/// The last row of a table: how many areas are solved, sums of size (none), length, bound, the gap
/// between them, and of what the replays showed.
fn totals(records: &[(&str, &Record)], proofs: &[&str]) -> Vec<String> {
    let solved = records.iter().filter(|(_, record)| record.length.is_some());
    let length: u64 = solved.clone().filter_map(|(_, record)| record.length).sum();
    let bound: u64 = solved.clone().filter_map(|(_, record)| record.bound).sum();
    let mut row = vec![format!("{} of {}", solved.count(), records.len()), String::new()];
    row.extend([length.to_string(), bound.to_string()]);
    row.push(percent(crate::games::gap(length, bound)));
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
