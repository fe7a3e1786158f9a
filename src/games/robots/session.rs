//! A game played by hand under the reference rules.

use super::format::{self, BOARD, Case, MAX_MOVES, Move};
use super::rules::{Place, Play, Standing, place_of};
use crate::diagnostic::Source;
use crate::games::{Fact, Key, Mark, Role, Session, Status, View, Window};

/// A game in progress with its whole past.
pub struct Table {
    play: Play,
    moves: Vec<Move>,
    /// The games before each of the moves.
    past: Vec<Play>,
}

impl Table {
    /// The start of a case.
    pub fn new(case: &Case) -> Self {
        Table { play: Play::new(case), moves: Vec::new(), past: Vec::new() }
    }

    /// The move that a step means. Besides moves as in a plan, `t` is the first teleport of the list
    /// that is unused and empty.
    fn read(&self, step: &str) -> Result<Move, String> {
        if step.trim() == "t" {
            let free =
                |&&(place, used): &&(Place, bool)| !used && self.play.occupant(place).is_none();
            let ((row, col), _) =
                self.play.teleports.iter().find(free).ok_or("no teleport location is left")?;
            return Ok(Move::Teleport(BOARD.cell(*row as u32 - 1, *col as u32 - 1)));
        }
        let source = Source::new("step", step);
        let mut lines = source.lines().filter(|line| !line.text.trim().is_empty());
        let (Some(line), None) = (lines.next(), lines.next()) else {
            return Err("one move a line: `w drow dcol`, `t row col`, or `t`".into());
        };
        format::read_move(&source, line)
            .map_err(|error| error.help.map_or(error.message, |help| help.to_string()))
    }
}

impl Session for Table {
    fn act(&mut self, step: &str) -> Result<(), String> {
        let m = self.read(step)?;
        if self.moves.len() == MAX_MOVES {
            return Err(format!("a plan has at most {MAX_MOVES} moves"));
        }
        let before = self.play.clone();
        self.play.step(m)?;
        self.past.push(before);
        self.moves.push(m);
        Ok(())
    }

    fn undo(&mut self) -> bool {
        let Some(before) = self.past.pop() else { return false };
        self.play = before;
        self.moves.pop();
        true
    }

    fn steps(&self) -> u64 {
        self.play.moves
    }

    fn status(&self) -> Status {
        match self.play.standing {
            Standing::Playing => Status::Playing,
            Standing::Won => Status::Won,
            Standing::Lost => Status::Lost("a robot has moved onto you".into()),
        }
    }

    fn plan(&self) -> String {
        format::plan_text(&self.moves)
    }

    fn extent(&self) -> (Window, Option<(i64, i64)>) {
        let window = Window { row: 0, col: 0, rows: BOARD.rows, cols: BOARD.cols };
        (window, Some(from_zero(self.play.you)))
    }

    fn view(&self, window: Window) -> View {
        let window = window.cut(self.extent().0);
        let rows = (window.row..window.row + i64::from(window.rows)).map(|row| {
            let cols = window.col..window.col + i64::from(window.cols);
            cols.map(|col| self.play.letter((row as i32 + 1, col as i32 + 1))).collect()
        });
        let mut marks: Vec<Mark> = Vec::new();
        for &(place, _) in self.play.teleports.iter().filter(|(_, used)| !used) {
            let (row, col) = from_zero(place);
            marks.push(Mark { row, col, kind: "teleport", to: None });
        }
        for place in self.play.threatened() {
            let (row, col) = from_zero(place);
            marks.push(Mark { row, col, kind: "danger", to: None });
        }
        marks.retain(|mark| window.contains(mark.row, mark.col));
        let unused = self.play.teleports.iter().filter(|(_, used)| !used).count();
        let facts = vec![
            Fact::new("move", self.play.moves),
            Fact::new("robots", self.play.robots.len()),
            Fact::new("debris", self.play.debris.len()),
            Fact::new("teleports", unused),
        ];
        View { rows: rows.collect(), marks, facts, window }
    }

    fn keys(&self) -> Vec<Key> {
        [
            ("up", "w -1 0", "walk up"),
            ("down", "w 1 0", "walk down"),
            ("left", "w 0 -1", "walk left"),
            ("right", "w 0 1", "walk right"),
            ("7", "w -1 -1", "walk up and left"),
            ("9", "w -1 1", "walk up and right"),
            ("1", "w 1 -1", "walk down and left"),
            ("3", "w 1 1", "walk down and right"),
            ("space", "w 0 0", "stay"),
            ("t", "t", "teleport to the first free location"),
        ]
        .map(|(key, step, about)| Key { key: key.into(), step: step.into(), about: about.into() })
        .into()
    }

    fn role(&self, letter: char) -> Role {
        match letter {
            '@' => Role::Player,
            '+' => Role::Hunter,
            '*' => Role::Wall,
            'o' => Role::Goal,
            _ => Role::Floor,
        }
    }
}

fn from_zero((row, col): Place) -> (i64, i64) {
    (i64::from(row) - 1, i64::from(col) - 1)
}

impl Play {
    /// The letter of a cell: `@` you, `+` a robot, `*` debris, `o` an unused teleport location, `.`
    /// nothing. A robot on your cell shows: you have lost.
    fn letter(&self, place: Place) -> char {
        if self.robots.contains(&place) {
            '+'
        } else if place == self.you {
            '@'
        } else if self.debris.contains(&place) {
            '*'
        } else if self.teleports.contains(&(place, false)) {
            'o'
        } else {
            '.'
        }
    }

    /// The empty cells around you where a robot would move onto you.
    fn threatened(&self) -> Vec<Place> {
        let near = |a: i32, b: i32| (a - b).abs() <= 1;
        BOARD
            .iter()
            .map(place_of)
            .filter(|&(row, col)| near(row, self.you.0) && near(col, self.you.1))
            .filter(|&at| at == self.you || self.occupant(at).is_none())
            .filter(|&at| self.robots.iter().any(|r| near(r.0, at.0) && near(r.1, at.1)))
            .collect()
    }

    /// The whole board as text.
    pub fn picture(&self) -> String {
        let rows = 1..=BOARD.rows as i32;
        rows.map(|row| {
            let cols = 1..=BOARD.cols as i32;
            cols.map(|col| self.letter((row, col))).chain(['\n']).collect::<String>()
        })
        .collect()
    }
}
