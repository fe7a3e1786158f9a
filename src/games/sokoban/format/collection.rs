//! The levels of a file: which lines are boards, and what stands between them.

use super::blocks::{self, Block};
use super::board::{Written, read_board};
use super::letters::{Mixed, translate};
use super::rows::{TAB, spell};
use super::titles;
use super::xml;
use super::{Level, MAX_BAD, MAX_LEVELS};
use crate::diagnostic::{Diagnostic, Source};
use crate::games::collection::{Collection, Entry};
use std::borrow::Cow;

/// Reads every level of a file.
///
/// # Errors
/// The first thing that is wrong with a board, and where; a file without any board.
pub fn read_levels(source: &Source) -> Result<Vec<Level>, Diagnostic> {
    read_collection(source)?.entries.into_iter().map(|entry| entry.content).collect()
}

/// Reads the levels of a file; one that is bad does not spoil the others.
///
/// # Errors
/// The first thing that is wrong with a board where none can be read; a file without any board.
pub fn read_collection(source: &Source) -> Result<Collection<Level>, Diagnostic> {
    let mut levels = match xml::is_collection(&source.text) {
        true => xml::read(source)?,
        false => read_text(source)?,
    };
    for entry in &mut levels.entries {
        let name = entry.name();
        if let Ok(level) = &mut entry.content {
            level.name = name;
        }
    }
    if levels.entries.is_empty() {
        let empty = source.text.trim().is_empty();
        let message = if empty { "the file is empty" } else { "there is no board in it" };
        return Err(Diagnostic::file(&source.name, message).help(
            "a level is drawn with # wall, @ player, $ box, . target, * box on target, \
             + player on target",
        ));
    }
    levels.checked()
}

/// Whether a text has a level in it, or what was meant as one.
pub fn recognises(text: &str) -> bool {
    if xml::is_collection(text) {
        return true;
    }
    let (mut player, mut boxes) = (false, false);
    blocks::find(text, |block| {
        // Boards in a problem statement's own letters are no levels.
        let is_one = || meaning(&text[block.from..block.to]).is_ok();
        if (block.players > 0 || block.boxes > 0) && is_one() {
            player |= block.players > 0;
            boxes |= block.boxes > 0;
        }
        !(player && boxes)
    });
    player && boxes
}

/// Whether a text has a board in the letters of the game's problem statement, which are for the
/// statement's own program.
pub fn is_for_simulator(text: &str) -> bool {
    let mut found = false;
    blocks::find(text, |block| {
        let meaning = meaning(&text[block.from..block.to]);
        found |= matches!(meaning, Err(Mixed::Statement(_)));
        !found
    });
    found
}

/// Whether the letters of a board have one meaning.
fn meaning(lines: &str) -> Result<(), Mixed> {
    let mut rows = Vec::new();
    // A line that is broken will have its diagnostic.
    for line in lines.lines() {
        let _ = spell(line, 0, TAB, &mut rows);
    }
    translate(&mut rows)
}

fn read_text(source: &Source) -> Result<Collection<Level>, Diagnostic> {
    let blocks = find_blocks(source)?;
    if blocks.is_empty() {
        return Ok(Collection::of([]));
    }
    let titles = titles::read(&source.text, &blocks);
    let mut bad = 0;
    let mut entries = Vec::with_capacity(blocks.len());
    for ((number, block), beside) in (1..).zip(&blocks).zip(titles.levels) {
        let lines = source.text[block.from..block.to].lines();
        let written = (block.first..).zip(lines).map(|(number, text)| Written {
            number,
            before: 0,
            text: Cow::Borrowed(text),
        });
        let content = read_board(source, written);
        bad += usize::from(content.is_err());
        entries.push(Entry {
            number,
            title: beside.title,
            author: beside.author,
            solutions: beside.solutions,
            content,
        });
        if bad > MAX_BAD {
            let line = block.first;
            let message = format!("more than {MAX_BAD} boards of this file cannot be read");
            return Err(source.error(line, 1, 1, message));
        }
    }
    Ok(Collection { title: titles.title, author: titles.author, entries })
}

fn find_blocks(source: &Source) -> Result<Vec<Block>, Diagnostic> {
    let mut blocks: Vec<Block> = Vec::new();
    blocks::find(&source.text, |block| {
        blocks.push(block);
        blocks.len() <= MAX_LEVELS
    });
    match blocks.get(MAX_LEVELS) {
        None => Ok(blocks),
        Some(block) => {
            let message = format!("a file has at most {MAX_LEVELS} levels");
            Err(source.error(block.first, 1, 1, message))
        }
    }
}
