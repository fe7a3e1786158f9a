//! Tables on stdout: as wide as the terminal, or as a page where there is none.

use comfy_table::{CellAlignment, LineStyle, TableStyle};
use outwit::batch::index::{Summary, Table};
use ratatui::crossterm::terminal;
use std::io::{self, IsTerminal};

/// Characters of a line where stdout is no terminal.
const PAGE: usize = 100;
/// Least number of characters to which a name is cut.
const SHORTEST_NAME: usize = 24;
/// What stands for the middle of a name that was cut.
const CUT: char = '…';

/// How many characters a line has.
pub fn room() -> usize {
    let is_terminal = io::stdout().is_terminal();
    let size = is_terminal.then(terminal::size).and_then(Result::ok);
    size.map_or(PAGE, |(columns, _)| columns.into())
}

/// The table of a summary in lines of at most `room` characters, as far as it can be: long names
/// are cut, then columns that can be spared are left out, the last one first.
pub fn fitting(mut summary: Summary, room: usize) -> String {
    let mut longest = usize::MAX;
    loop {
        let table = layout(&summary.table, longest);
        let excess = width(&table).saturating_sub(room);
        let names = summary.table.rows.iter().map(|row| row[0].chars().count()).max();
        let name = names.unwrap_or(0).min(longest);
        if excess == 0 || (name <= SHORTEST_NAME && summary.spare.is_empty()) {
            return table.trim_fmt();
        }
        if name > SHORTEST_NAME {
            longest = name.saturating_sub(excess).max(SHORTEST_NAME);
        } else {
            summary.spare.end -= 1;
            summary.table.columns.remove(summary.spare.end);
            summary.table.rows.iter_mut().for_each(|row| drop(row.remove(summary.spare.end)));
            longest = usize::MAX;
        }
    }
}

/// A table whose columns are as wide as they need.
pub fn plain(table: &Table) -> String {
    layout(table, usize::MAX).trim_fmt()
}

/// A table whose first column has at most `longest` characters.
fn layout(table: &Table, longest: usize) -> comfy_table::Table {
    let mut shown = comfy_table::Table::new();
    shown.load_style(TableStyle::new().header_separator(LineStyle::new('─', '─', '─', '─')));
    shown.set_header(&table.columns);
    shown.add_rows(table.rows.iter().map(|row| {
        let name = std::iter::once(cut(&row[0], longest));
        name.chain(row[1..].iter().cloned()).collect::<Vec<_>>()
    }));
    for (number, column) in shown.column_iter_mut().enumerate() {
        column.set_padding((0, 1));
        if number >= 2 {
            column.set_cell_alignment(CellAlignment::Right);
        }
    }
    shown
}

/// The width of a table: of the line below its header, which is as long as any.
fn width(table: &comfy_table::Table) -> usize {
    table.lines().nth(1).map_or(0, |line| line.chars().count())
}

/// A name of at most `longest` characters, its middle cut out: the ends tell levels apart.
fn cut(name: &str, longest: usize) -> String {
    let count = name.chars().count();
    if count <= longest {
        return name.to_string();
    }
    let kept = longest.saturating_sub(1);
    let head = name.chars().take(kept / 2);
    let tail = name.chars().skip(count - kept.div_ceil(2));
    head.chain([CUT]).chain(tail).collect()
}
