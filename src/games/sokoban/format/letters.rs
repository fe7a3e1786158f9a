//! Which letters boards are drawn in: XSB's, and those that some programs write in their place.

/// One character of a board row, and where it is written.
#[derive(Clone, Copy, Debug)]
pub(super) struct Glyph {
    /// The character.
    pub letter: char,
    /// Number of the line among those of its board, from 0.
    pub line: usize,
    /// Column in that line, from 1.
    pub column: usize,
}

/// Letters of XSB; a hyphen or an underscore stands for a blank.
pub(super) fn is_xsb(letter: char) -> bool {
    matches!(letter, '#' | '@' | '+' | '$' | '*' | '.' | ' ' | '-' | '_' | '\t')
}

/// Letters of XSB or in place of one.
pub(super) fn is_any(letter: char) -> bool {
    is_xsb(letter) || xsb_of(letter).is_some()
}

/// The XSB sign that a letter stands for: `p P` the player, `b B` boxes, on a target where upper case; `w W` walls
/// and `o` targets.
fn xsb_of(letter: char) -> Option<char> {
    Some(match letter {
        'p' => '@',
        'P' => '+',
        'b' => '$',
        'B' => '*',
        'w' | 'W' => '#',
        'o' => '.',
        _ => return None,
    })
}

/// Why the letters of a board have no one meaning.
#[derive(Debug)]
pub(super) enum Mixed {
    /// The board is drawn as the problem's statement does, where letters mean other things.
    Statement(Glyph),
    /// This one does not go with the others.
    Letter(Glyph),
}

/// Which letters a board has.
struct Seen {
    letters: [Option<Glyph>; 128],
    workers: usize,
}

impl Seen {
    fn any(&self, letters: &str) -> Option<Glyph> {
        letters.bytes().filter_map(|letter| self.letters[usize::from(letter)]).next()
    }

    /// Whether these go with those.
    fn are_apart(&self, some: &str, others: &str) -> Result<(), Mixed> {
        match (self.any(some), self.any(others)) {
            (Some(letter), Some(_)) => Err(Mixed::Letter(letter)),
            _ => Ok(()),
        }
    }
}

/// Puts XSB's letters in the place of others.
///
/// # Errors
/// Letters that mean the same, or not what they mean elsewhere.
pub(super) fn translate(rows: &mut [Vec<Glyph>]) -> Result<(), Mixed> {
    let mut seen = Seen { letters: [None; 128], workers: 0 };
    for glyph in rows.iter().flatten().filter(|glyph| glyph.letter.is_ascii()) {
        seen.letters[glyph.letter as usize].get_or_insert(*glyph);
        seen.workers += usize::from(matches!(glyph.letter, 'w' | 'W'));
    }
    if seen.any("pPbBwWo").is_none() {
        return Ok(());
    }
    if let Some(worker) = seen.any("wW")
        && seen.any("#").is_some()
    {
        let is_statement = seen.workers == 1 && seen.any("pP@$*o").is_none();
        return Err(if is_statement { Mixed::Statement } else { Mixed::Letter }(worker));
    }
    seen.are_apart("pPbB", "@+$*")?;
    seen.are_apart("o", ".")?;
    for glyph in rows.iter_mut().flatten() {
        glyph.letter = xsb_of(glyph.letter).unwrap_or(glyph.letter);
    }
    Ok(())
}
