//! What commands print: answers, reports, failures; plain, coloured, or as JSON.

use crate::command::Failure;
use anstyle::{AnsiColor, Style};
use outwit::diagnostic::{Diagnostic, visible};
use outwit::games::{Area, Facts, GameId, Validation};
use outwit::report::Report;
use outwit::search::Statistics;
use outwit::search::explain::SearchSummary;
use outwit::verify::Settled;
use serde::Serialize;
use serde_json::{Value, json};
use std::io::{self, IsTerminal, Write};

/// Style of the names of a report's lines.
const DIM: Style = Style::new().dimmed();
/// Style of good news.
pub const GOOD: Style = AnsiColor::Green.on_default().bold();
/// Style of bad news.
pub const BAD: Style = AnsiColor::Red.on_default().bold();

/// Writes an answer to stdout as it is, with a line end.
pub fn print(text: &str) -> io::Result<()> {
    let mut out = io::stdout().lock();
    out.write_all(text.as_bytes())?;
    if !text.ends_with('\n') {
        out.write_all(b"\n")?;
    }
    out.flush()
}

/// Writes an answer to stdout, coloured where stdout is a terminal.
pub fn print_styled(text: &str) -> io::Result<()> {
    let mut out = anstream::stdout().lock();
    writeln!(out, "{text}")?;
    out.flush()
}

/// Writes a value to stdout as one line of JSON.
pub fn print_json(value: &impl Serialize) -> io::Result<()> {
    print(&serde_json::to_string(value).map_err(io::Error::other)?)
}

/// Says something about the answer, on stderr. A closed stderr is no failure.
pub fn say(text: &str) {
    let _ = writeln!(anstream::stderr().lock(), "{text}");
}

/// Says what should be said of a plan besides its length.
pub fn say_remarks(validation: &Validation) {
    validation.remarks.iter().for_each(|remark| say(&format!("the plan: {remark}")));
}

/// Says a report, one `(name, value)` a line.
pub fn say_report(lines: &[(&str, String)]) {
    let width = lines.iter().map(|(name, _)| name.len()).max().unwrap_or(0);
    for (name, value) in lines {
        say(&format!("{DIM}{name:width$}{DIM:#}  {value}"));
    }
}

/// Tells why a command could not do its work.
pub fn tell_failure(failure: &Failure, json: bool) {
    let message = match failure {
        Failure::Told => return,
        Failure::Input(diagnostic) if json => {
            let _ = print_json(&json!({ "error": diagnostic_json(diagnostic) }));
            return;
        }
        Failure::Input(diagnostic) => return tell_diagnostic(diagnostic),
        // A name in it may be anything.
        Failure::Usage(message) => message.lines().map(visible).collect::<Vec<_>>().join("\n"),
        Failure::Stream(error) => error.to_string(),
    };
    if json {
        let _ = print_json(&json!({ "error": { "message": message } }));
    } else {
        say(&format!("{BAD}error{BAD:#}: {message}"));
    }
}

/// Shows a diagnostic on stderr.
pub fn tell_diagnostic(diagnostic: &Diagnostic) {
    say(&diagnostic.report(io::stderr().is_terminal()));
}

/// Tells why a level of a file cannot be read.
pub fn tell_unreadable(level: usize, diagnostic: &Diagnostic, json: bool) {
    if json {
        let _ = print_json(&json!({ "level": level, "error": diagnostic_json(diagnostic) }));
    } else {
        tell_diagnostic(diagnostic);
    }
}

/// A diagnostic as JSON.
pub fn diagnostic_json(diagnostic: &Diagnostic) -> Value {
    json!({
        "file": diagnostic.file,
        "line": diagnostic.line,
        "column": diagnostic.column,
        "message": diagnostic.message,
        "text": diagnostic.text,
        "help": diagnostic.help,
    })
}

/// The line of JSON for a solved area: the report, with the area that it is about.
#[derive(Serialize)]
struct Solved<'a> {
    #[serde(skip_serializing_if = "Option::is_none")]
    file: Option<&'a str>,
    game: GameId,
    area: &'a str,
    level: usize,
    facts: Facts,
    #[serde(flatten)]
    report: Report,
}

/// The report of a run, with the most memory that this process has held.
pub fn report(settled: &Settled) -> Report {
    let mut report = Report::new(settled);
    report.effort.peak_bytes = peak_memory();
    report
}

/// Prints what a search of an area has found as one line of JSON, with the name of its file where one is given.
pub fn print_settled_json(
    file: Option<&str>,
    (area, level): (&dyn Area, usize),
    settled: &Settled,
) -> io::Result<()> {
    let report = report(settled);
    let (game, facts) = (area.game(), area.facts().into());
    print_json(&Solved { file, game, area: area.name(), level, facts, report })
}

/// Writes the report of a run to stderr, with the name of the area's file where one is given.
pub fn say_settled(file: Option<&str>, area: &dyn Area, settled: &Settled) {
    let standing = settled.answer.standing();
    let mut lines = Vec::from_iter(file.map(|file| ("file", visible(file))));
    lines.push(("area", format!("{} ({})", visible(area.name()), area.game())));
    lines.push(("facts", Facts::from(area.facts()).to_string()));
    let style = if settled.answer.plan.is_some() { GOOD } else { BAD };
    lines.push(("verdict", format!("{style}{}{style:#}", standing.verdict())));
    let gap = standing.gap().map_or(String::new(), |gap| format!(", gap {:.1} %", 100.0 * gap));
    let bound = standing.bound().map_or(String::new(), |bound| bound.to_string());
    match standing.length() {
        Some(length) => lines.push(("length", format!("{length}, bound {bound}{gap}"))),
        None => lines.push(("bound", bound)),
    }
    if let Some(plan) = &settled.answer.plan {
        lines.push(("plan", Facts::from(&*plan.validation().facts).to_string()));
    }
    lines.push(("spent", effort_line(&settled.answer.effort)));
    let notes = &settled.answer.notes;
    lines.extend(notes.iter().map(|note| (&*note.name, note.value.to_string())));
    if let Some(refused) = &settled.refused {
        let told = format!("{BAD}the rules refuse the planner's plan{BAD:#}, which is our fault");
        lines.push(("fault", format!("{told}: {refused}")));
    }
    lines.retain(|(_, value)| !value.is_empty());
    say_report(&lines);
}

/// Writes a table to stderr with a row for each search of a run.
pub fn say_searches(searches: &[SearchSummary]) {
    if searches.is_empty() {
        return;
    }
    let number = |value: Option<u64>| value.map_or("-".to_string(), |value| value.to_string());
    let mut rows = vec![
        ["search", "turns", "expanded", "a second", "seconds", "MiB", "best", "bound", "ended"]
            .map(String::from),
    ];
    rows.extend(searches.iter().map(|search| {
        [
            search.name.clone(),
            search.turns.to_string(),
            search.expanded.to_string(),
            format!("{:.0}", search.rate()),
            format!("{:.2}", search.seconds),
            (search.memory_bytes >> 20).to_string(),
            number(search.length),
            number(search.bound),
            search.ended.phrase().to_string(),
        ]
    }));
    say("");
    for row in table_rows(&rows) {
        say(&row);
    }
}

/// Rows with their columns below each other: the first and the last to the left, numbers to the right.
fn table_rows<const N: usize>(rows: &[[String; N]]) -> Vec<String> {
    let width = |col: usize| rows.iter().map(|row| row[col].len()).max().unwrap_or(0);
    let widths: [usize; N] = std::array::from_fn(width);
    let cell = |(col, text): (usize, &String)| match col {
        0 => format!("{text:<width$}", width = widths[col]),
        _ if col + 1 == N => text.clone(),
        _ => format!("{text:>width$}", width = widths[col]),
    };
    let line = |row: &[String; N]| row.iter().enumerate().map(cell).collect::<Vec<_>>().join("  ");
    rows.iter().map(line).collect()
}

fn effort_line(effort: &Statistics) -> String {
    let mut line = format!(
        "{:.2} s, {} expanded, {} MiB of tables",
        effort.elapsed.as_secs_f64(),
        effort.expanded,
        effort.memory >> 20
    );
    if let Some(peak) = peak_memory() {
        line += &format!(", {} MiB in all", peak >> 20);
    }
    if let Some(stop) = effort.stopped {
        line += &format!(", {}", stop.phrase());
    }
    line
}

/// The most memory this process has held so far, in bytes, where the system tells.
fn peak_memory() -> Option<u64> {
    let status = std::fs::read_to_string("/proc/self/status").ok()?;
    let line = status.lines().find_map(|line| line.strip_prefix("VmHWM:"))?;
    line.trim().strip_suffix("kB")?.trim().parse::<u64>().ok().map(|kib| kib << 10)
}
