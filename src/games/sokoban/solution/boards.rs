//! The solutions that stand beside their boards, in a collection.

use crate::diagnostic::Source;
use crate::games::collection::Solution;
use crate::games::plans::{Of, Passage, outdented};
use crate::games::sokoban::format::read_collection;
use std::collections::HashSet;
use std::ops::Range;
use std::sync::Arc;

/// The solutions of a collection, each of the level with its board; nothing where the text is none.
pub fn solutions(source: &Source) -> Option<Vec<Passage>> {
    let levels = read_collection(source).ok()?;
    let lines: Vec<Range<usize>> = source.lines().map(|line| source.range_of(line.text)).collect();
    let mut passages = Vec::new();
    let mut boards: HashSet<Arc<str>> = HashSet::new();
    for entry in levels.entries {
        let Ok(level) = entry.content else { continue };
        let places = entry.solutions.iter().filter_map(|solution| place(source, &lines, solution));
        let board: Arc<str> = outdented(&level.board()).into();
        let board = boards.get(&board).cloned().unwrap_or(board);
        boards.insert(Arc::clone(&board));
        passages.extend(places.map(|place| Passage { of: Of::Board(Arc::clone(&board)), place }));
    }
    Some(passages)
}

/// Where a solution stands, its line end included.
fn place(source: &Source, lines: &[Range<usize>], solution: &Solution) -> Option<Range<usize>> {
    let mut keys = solution.text.lines();
    let first = lines.get(solution.line.checked_sub(1)?)?.clone();
    let start = first.start + source.text[first].find(keys.next()?)?;
    let last = lines.get(solution.line - 1 + keys.count())?;
    let rest = &source.text[last.end..];
    let line_end = ["\r\n", "\n"].into_iter().find(|end| rest.starts_with(end));
    Some(start..last.end + line_end.map_or(0, str::len))
}
