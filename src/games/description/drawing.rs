//! Areas as an editor draws them: what it needs to know of a game, and a board of letters with the
//! values that stand beside it.

use std::collections::BTreeMap;

/// Longest name of an area that is drawn, in characters.
const MAX_NAME: usize = 100;

/// The signs, sizes and values with which an editor draws the areas of a game.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
#[cfg_attr(feature = "serde", derive(serde::Serialize))]
#[cfg_attr(feature = "service", derive(utoipa::ToSchema))]
pub struct Easel {
    /// The letter of an empty cell.
    pub floor: char,
    /// The letter with which a new board is framed; none where it begins empty.
    #[cfg_attr(feature = "service", schema(required))]
    pub frame: Option<char>,
    /// The letters that can be painted, in the order in which they are offered.
    pub brushes: Vec<Brush>,
    /// Letters of a thing and the ground below it, where a game writes both as one.
    pub stacks: Vec<Stack>,
    /// Letters that turn with the board: each is the letter before it after a quarter turn clockwise,
    /// and the first that of the last.
    pub turning: Vec<&'static str>,
    /// Cells that are always the same, and that cannot be painted.
    pub fixed: Vec<Fixed>,
    /// The numbers and words that belong to an area beside its board.
    pub fields: Vec<Field>,
    /// The least, the greatest and the usual number of rows.
    pub rows: Side,
    /// The least, the greatest and the usual number of columns.
    pub cols: Side,
}

/// A letter that can be painted.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
#[cfg_attr(feature = "serde", derive(serde::Serialize))]
#[cfg_attr(feature = "service", derive(utoipa::ToSchema))]
pub struct Brush {
    /// The letter.
    pub letter: char,
    /// Its name, a word or two.
    pub about: &'static str,
    /// Whether a board has one of it at most: painting it takes it from where it was.
    pub single: bool,
}

impl Brush {
    /// A letter of which a board may have any number.
    pub const fn new(letter: char, about: &'static str) -> Brush {
        Brush { letter, about, single: false }
    }

    /// A letter of which a board has one.
    pub const fn single(letter: char, about: &'static str) -> Brush {
        Brush { letter, about, single: true }
    }
}

/// The letter of a thing that stands on a ground.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
#[cfg_attr(feature = "serde", derive(serde::Serialize))]
#[cfg_attr(feature = "service", derive(utoipa::ToSchema))]
pub struct Stack {
    /// The letter of the ground alone.
    pub ground: char,
    /// The letter of the thing on an empty cell.
    pub thing: char,
    /// The letter of the thing on that ground.
    pub both: char,
}

/// A cell that is always the same.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
#[cfg_attr(feature = "serde", derive(serde::Serialize))]
#[cfg_attr(feature = "service", derive(utoipa::ToSchema))]
pub struct Fixed {
    /// Its row, from 0.
    pub row: u32,
    /// Its column, from 0.
    pub col: u32,
    /// Its letter.
    pub letter: char,
}

/// A number or a word beside the board.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
#[cfg_attr(feature = "serde", derive(serde::Serialize))]
#[cfg_attr(feature = "service", derive(utoipa::ToSchema))]
pub struct Field {
    /// Its name, one lower-case word.
    pub name: &'static str,
    /// Its meaning and unit, in a few words.
    pub about: &'static str,
    /// The value of a new board.
    pub default: &'static str,
    /// The greatest number; none where it is a text.
    #[cfg_attr(feature = "service", schema(required))]
    pub most: Option<u32>,
}

/// A side of a board, in cells.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
#[cfg_attr(feature = "serde", derive(serde::Serialize))]
#[cfg_attr(feature = "service", derive(utoipa::ToSchema))]
pub struct Side {
    /// The least length.
    pub least: u32,
    /// The greatest length that an editor draws. Areas of a game may be larger.
    pub most: u32,
    /// The length of a new board.
    pub usual: u32,
}

impl Side {
    /// A side from `least` to `most` cells, on a new board `usual`.
    pub const fn new(least: u32, most: u32, usual: u32) -> Side {
        Side { least, most, usual }
    }
}

/// An area as an editor draws it.
///
/// ```
/// use outwit::diagnostic::Source;
/// use outwit::games::GameId;
///
/// let level = "####\n#@.#\n#$ #\n####\nTitle: small\n";
/// let game = GameId::Sokoban.game();
/// let area = game.read(&Source::new("small", level))?.only()?;
/// let mut drawing = area.drawing()?;
/// assert_eq!(drawing.rows[1], "#@.#");
/// drawing.rows[1] = "#@*#".into();
/// assert_eq!(game.compose(&drawing).text, level.replace("@.", "@*"));
/// # Ok::<(), Box<dyn std::error::Error>>(())
/// ```
#[derive(Clone, Debug, Default, PartialEq, Eq)]
#[cfg_attr(feature = "serde", derive(serde::Serialize, serde::Deserialize))]
#[cfg_attr(feature = "serde", serde(deny_unknown_fields))]
#[cfg_attr(feature = "service", derive(utoipa::ToSchema))]
pub struct Drawing {
    /// The area's name; some games write it into their areas.
    #[cfg_attr(feature = "serde", serde(default))]
    pub name: String,
    /// The board, one letter a cell. Cells beyond the end of a row are empty.
    pub rows: Vec<String>,
    /// The values of [`Easel::fields`] by name; the others have their defaults.
    #[cfg_attr(feature = "serde", serde(default))]
    pub values: BTreeMap<String, String>,
}

impl Drawing {
    /// The name on one line, cut to 100 characters; `unnamed` where there is none.
    pub fn title(&self) -> String {
        let words: Vec<&str> = self.name.split_whitespace().collect();
        let title: String = words.join(" ").chars().take(MAX_NAME).collect();
        if title.is_empty() { "unnamed".into() } else { title }
    }

    /// Number of columns of the longest row.
    pub fn cols(&self) -> usize {
        self.rows.iter().map(|row| row.chars().count()).max().unwrap_or(0)
    }

    /// The rows, each filled up with `floor` to the length of the longest.
    pub fn even_rows(&self, floor: char) -> impl Iterator<Item = Vec<char>> {
        let cols = self.cols();
        self.rows.iter().map(move |row| {
            let letters = row.chars().chain(std::iter::repeat(floor));
            letters.take(cols).collect()
        })
    }

    /// The even rows as text, a line each.
    pub fn board(&self, floor: char) -> String {
        self.even_rows(floor).flat_map(|row| row.into_iter().chain(['\n'])).collect()
    }

    /// The cells with a letter: row and column, from 0, row by row.
    pub fn cells_with(&self, letter: char) -> impl Iterator<Item = (usize, usize)> {
        self.rows.iter().enumerate().flat_map(move |(row, line)| {
            let cells = line.chars().enumerate();
            cells.filter(move |&(_, at)| at == letter).map(move |(col, _)| (row, col))
        })
    }

    /// The value of a field, without blanks around it.
    pub fn value<'a>(&'a self, field: &'a Field) -> &'a str {
        self.values.get(field.name).map_or(field.default, String::as_str).trim()
    }
}

/// The text of a drawn area, as the game's reader takes it. The reader says whether it is an area.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Composed {
    /// The text.
    pub text: String,
    /// The line of the text that has the first row of the board, from 1; none where the text has no board
    /// of letters.
    pub first_line: Option<usize>,
    /// Empty rows above the board and columns left of it that are not in the text.
    pub left_out: (usize, usize),
}

impl Composed {
    /// A text that has the whole board from a line on.
    pub fn board_from(text: String, line: usize) -> Composed {
        Composed { text, first_line: Some(line), left_out: (0, 0) }
    }

    /// A text that says the board in numbers.
    pub fn numbers(text: String) -> Composed {
        Composed { text, first_line: None, left_out: (0, 0) }
    }
}
