//! Which lines of a file are boards.

use super::letters::{is_any, is_xsb};
use super::rows::{Piece, Token, take_apart};

/// Least rows of a board that has nothing but walls.
const LEAST_ROWS: usize = 3;
/// Least number of equal letters that make a line one drawn to part others.
const LEAST_RULE: usize = 3;
/// Least number of letters of no board that make a line with walls around it a heading.
const LEAST_HEADING: usize = 3;

/// Lines that are a board.
#[derive(Clone, Copy, Debug)]
pub(super) struct Block {
    /// Place in the text of the first byte of the first line.
    pub from: usize,
    /// Place in the text just after the last line.
    pub to: usize,
    /// Number of the first line, from 1.
    pub first: usize,
    /// Number of the line after the last.
    pub after: usize,
    /// Number of players.
    pub players: usize,
    /// Number of boxes.
    pub boxes: usize,
}

/// Kind of a line.
enum Kind {
    /// A row of a board.
    Row(Look),
    /// A row of a board whose walls are letters.
    Lettered(Look),
    /// It was meant as a row.
    Broken,
    /// Anything else.
    Other,
}

/// First look at a line.
#[derive(Clone, Copy, Default)]
struct Look {
    rows: usize,
    walls: usize,
    players: usize,
    boxes: usize,
    targets: usize,
    /// Whether its first and its last letter are walls: what is between them is closed in.
    is_closed: bool,
    /// Whether it is drawn to part others: one letter over and over, which is no wall.
    is_rule: bool,
}

/// Style in which the walls of a board are drawn.
#[derive(Clone, Copy, PartialEq, Eq)]
enum Walls {
    Signs,
    Letters,
}

/// Lines that may be a board.
struct Open {
    block: Block,
    walls: Walls,
    /// First look at all its rows together.
    look: Look,
    /// Rows that are whole.
    whole: usize,
}

fn look(text: &str, is_letter: fn(char) -> bool) -> Option<Look> {
    let mut look = Look { rows: 1, ..Look::default() };
    let (mut first, mut last) = (None, ' ');
    let mut rule = Rule::default();
    let seen = take_apart(text, is_letter, |Token { piece, count, .. }| match piece {
        Piece::Bar => look.rows += 1,
        Piece::Letter(letter) => {
            match letter {
                '#' => look.walls += count,
                '@' | 'p' => look.players += count,
                '+' | 'P' => {
                    (look.players, look.targets) = (look.players + count, look.targets + 1)
                }
                '$' | 'b' => look.boxes += count,
                '*' | 'B' => (look.boxes, look.targets) = (look.boxes + count, look.targets + 1),
                '.' | 'o' => look.targets += count,
                _ => {}
            }
            rule.see(letter, count);
            if !is_blank(letter) {
                first.get_or_insert(letter);
                last = letter;
            }
        }
        Piece::Open | Piece::Close => {}
    });
    seen.ok()?;
    let is_wall = |letter: char| matches!(letter, '#' | 'w' | 'W');
    look.is_closed = first.is_some_and(is_wall) && is_wall(last);
    look.is_rule = rule.is_one();
    Some(look)
}

fn is_blank(letter: char) -> bool {
    matches!(letter, ' ' | '-' | '_' | '\t')
}

/// Tells whether a row is one letter over and over, blanks around it left out. Boards have no such row
/// of anything but walls: it is drawn to part what is above it from what is below.
#[derive(Default)]
pub(super) struct Rule {
    letter: Option<char>,
    count: usize,
    /// Whether a blank follows on the letters.
    is_over: bool,
    is_none: bool,
}

impl Rule {
    /// Sees the next letters.
    pub fn see(&mut self, letter: char, count: usize) {
        if is_blank(letter) {
            self.is_over = self.letter.is_some();
            return;
        }
        let first = *self.letter.get_or_insert(letter);
        self.is_none |= self.is_over || letter != first;
        self.count += count;
    }

    /// Whether that was all and makes a rule.
    pub fn is_one(&self) -> bool {
        !self.is_none && self.count >= LEAST_RULE && self.letter != Some('#')
    }
}

/// Whether a line was drawn to part two boards, and is a row of blanks where it does not.
fn may_part(text: &str) -> bool {
    text.len() >= LEAST_RULE
        && ['-', '_'].iter().any(|&mark| text.chars().all(|letter| letter == mark))
}

fn classify(line: &str, inside: Option<Walls>) -> Kind {
    let text = line.trim();
    if text.is_empty() {
        return Kind::Other;
    }
    if let Some(look) = look(line, is_xsb) {
        let goes_on = match inside {
            Some(Walls::Signs) => !look.is_rule,
            Some(Walls::Letters) => look.players + look.boxes + look.targets == 0,
            None => false,
        };
        return if look.walls > 0 || goes_on { Kind::Row(look) } else { Kind::Other };
    }
    match look(line, is_any) {
        Some(look) if look.is_closed && look.walls > 0 => Kind::Row(look),
        Some(look) if look.is_closed && inside != Some(Walls::Signs) => Kind::Lettered(look),
        _ if is_meant(text, inside.is_some()) => Kind::Broken,
        _ => Kind::Other,
    }
}

/// A line that begins and ends with a wall and is no row was meant as one, as was a line inside a
/// board that begins with a wall; a heading was not.
fn is_meant(text: &str, inside: bool) -> bool {
    let is_foreign = |letter: &char| !is_any(*letter) && letter.is_alphanumeric();
    let foreign = || text.chars().filter(is_foreign).take(LEAST_HEADING).count();
    let is_heading = || foreign() >= LEAST_HEADING && !text.contains(['@', '$', '*']);
    text.starts_with('#') && (inside || text.ends_with('#')) && !is_heading()
}

/// Finds the boards of a text, in their order, until `each` says that it has enough.
pub(super) fn find(text: &str, each: impl FnMut(Block) -> bool) {
    let mut finder = Finder { open: None, waiting: None, each, enough: false };
    let mut from = 0;
    for (number, whole) in (1..).zip(text.split_inclusive('\n')) {
        let to = from + whole.len();
        let place = Block { from, to, first: number, after: number + 1, players: 0, boxes: 0 };
        finder.line(place, whole);
        if finder.enough {
            return;
        }
        from = to;
    }
    finder.close();
}

/// Puts lines together to boards.
struct Finder<F> {
    open: Option<Open>,
    /// A part of a board that what comes next may belong to.
    waiting: Option<Block>,
    each: F,
    enough: bool,
}

impl<F: FnMut(Block) -> bool> Finder<F> {
    fn line(&mut self, place: Block, line: &str) {
        let inside = self.open.as_ref().map(|open| open.walls);
        match classify(line, inside) {
            Kind::Other => self.close(),
            Kind::Broken => {
                self.add(place, Walls::Signs, Look { rows: 1, ..Look::default() }, 0);
            }
            Kind::Row(look) => {
                if may_part(line.trim()) && inside == Some(Walls::Signs) {
                    self.part();
                }
                let walls = inside.filter(|_| look.walls == 0).unwrap_or(Walls::Signs);
                self.add(place, walls, look, 1);
            }
            Kind::Lettered(look) => self.add(place, Walls::Letters, look, 1),
        }
    }

    fn add(&mut self, place: Block, walls: Walls, look: Look, whole: usize) {
        if self.open.as_ref().is_some_and(|open| open.walls != walls) {
            self.close();
        }
        let open =
            self.open.get_or_insert(Open { block: place, walls, look: Look::default(), whole: 0 });
        open.block.to = place.to;
        open.block.after = place.after;
        open.block.players += look.players;
        open.block.boxes += look.boxes;
        open.look.rows += look.rows;
        open.look.targets += look.targets;
        open.whole += whole;
    }

    /// The rows so far may be a board of their own.
    fn part(&mut self) {
        let Some(open) = self.open.take_if(|open| open.block.players > 0) else { return };
        self.wait_for(open);
    }

    /// Two parts of which each has a player are two boards; others are one.
    fn wait_for(&mut self, open: Open) {
        let block = open.block;
        match self.waiting {
            Some(waiting) if waiting.players > 0 && block.players > 0 => {
                self.tell(waiting);
                self.waiting = Some(block);
            }
            Some(waiting) => {
                self.waiting = Some(Block {
                    to: block.to,
                    after: block.after,
                    players: waiting.players + block.players,
                    boxes: waiting.boxes + block.boxes,
                    ..waiting
                });
            }
            None if open.is_board() => self.waiting = Some(block),
            None => {}
        }
    }

    /// No more rows belong to what is open.
    fn close(&mut self) {
        if let Some(open) = self.open.take() {
            self.wait_for(open);
        }
        if let Some(waiting) = self.waiting.take() {
            self.tell(waiting);
        }
    }

    fn tell(&mut self, block: Block) {
        self.enough |= !self.enough && !(self.each)(block);
    }
}

impl Open {
    fn is_board(&self) -> bool {
        let Block { players, boxes, .. } = self.block;
        match self.walls {
            Walls::Signs => {
                let has_things = players + boxes + self.look.targets > 0;
                self.whole > 0 && (has_things || self.look.rows >= LEAST_ROWS)
            }
            Walls::Letters => self.look.rows >= LEAST_ROWS && players > 0 && boxes > 0,
        }
    }
}
