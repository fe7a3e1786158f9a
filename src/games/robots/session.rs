//! A game played by hand under the reference rules.

use super::format::{self, BOARD, Case, MAX_MOVES, Move};
use super::planner::OfCase;
use super::rules::{Game, Place, Standing, place_of};
use super::state::State;
use crate::board::Cell;
use crate::diagnostic::Source;
use crate::games::fact::Fact;
use crate::games::legend::{Legend, MarkSign, Role, Sign};
use crate::games::objective::Objective;
use crate::games::plan::Answer;
use crate::games::planning::TextPlanner;
use crate::games::session::history::History;
use crate::games::session::{IllegalStep, Key, Mark, Session, Status, View, Window};
use crate::search::Run;

/// What the signs on the board mean.
pub const LEGEND: Legend = Legend {
    signs: &[
        Sign::new('@', Role::Player, "you"),
        Sign::new('+', Role::Hunter, "robot"),
        Sign::new('*', Role::Wall, "debris: can be pushed"),
        Sign::new('o', Role::Goal, "teleport that is left"),
    ],
    marks: &[MarkSign::new("danger", "a robot moves here")],
};

/// A game in progress with its whole past.
#[derive(Debug)]
pub struct Play {
    case: Case,
    past: History<Game, Move>,
}

impl Play {
    /// The start of a case.
    pub fn new(case: &Case) -> Self {
        let act = |play: &mut Game, m| play.step(m).map(drop);
        Play { case: case.clone(), past: History::new(Game::new(case), MAX_MOVES, act) }
    }

    /// The position, as the planner has it.
    fn state(&self) -> State {
        let play = self.play();
        let unused = |(entry, (_, used)): (usize, &(Place, bool))| u32::from(!used) << entry;
        let unused = play.teleports.iter().enumerate().map(unused).sum();
        let [robots, debris] = [&play.robots, &play.debris].map(|set| set.iter().map(cell_of));
        State::of_pieces(cell_of(&play.you), robots, debris, unused)
    }

    fn play(&self) -> &Game {
        self.past.now()
    }

    /// The move that a step means. Besides moves as in a plan, `t` is the first teleport of the list
    /// that is unused and empty.
    fn read(&self, step: &str) -> Result<Move, String> {
        if step.trim() == "t" {
            let free =
                |&&(place, used): &&(Place, bool)| !used && self.play().occupant(place).is_none();
            let ((row, col), _) =
                self.play().teleports.iter().find(free).ok_or("no teleport location is left")?;
            return Ok(Move::Teleport(cell_of(&(*row, *col))));
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

impl Session for Play {
    fn act(&mut self, step: &str) -> Result<(), IllegalStep> {
        Ok(self.past.act(self.read(step)?)?)
    }

    fn rewind(&mut self, steps: u64) {
        self.past.rewind(steps as usize);
    }

    fn steps(&self) -> u64 {
        self.play().moves
    }

    fn status(&self) -> Status {
        match self.play().standing {
            Standing::Playing => Status::Playing,
            Standing::Won => Status::Won,
            Standing::Lost => Status::Lost("a robot has moved onto you".into()),
        }
    }

    fn plan(&self) -> String {
        format::plan_text(self.past.steps())
    }

    fn search(&self, objective: &Objective, run: &Run) -> Answer {
        let planner = OfCase::from_position(&self.case, self.state(), self.past.steps());
        TextPlanner::solve(&planner, objective, None, run)
    }

    fn length(&self, _: &Objective) -> u64 {
        self.steps()
    }

    fn position(&self) -> Vec<u64> {
        let play = self.play();
        let cell = |place: &Place| u64::from(cell_of(place).0);
        let pieces = play.robots.iter().chain(&play.debris).chain([&play.you]).map(cell);
        let used = play.teleports.iter().map(|&(_, used)| u64::from(used));
        [play.robots.len() as u64].into_iter().chain(pieces).chain(used).collect()
    }

    fn extent(&self) -> (Window, Option<(i64, i64)>) {
        (Window::whole(BOARD), Some(from_zero(self.play().you)))
    }

    fn view(&self, window: Window) -> View {
        let play = self.play();
        let mark = |kind| {
            move |place| {
                let (row, col) = from_zero(place);
                Mark { row, col, kind, to: None }
            }
        };
        let unused = || play.teleports.iter().filter(|(_, used)| !used).map(|&(place, _)| place);
        let marks = unused().map(mark("teleport"));
        let facts = vec![
            Fact::new("move", play.moves),
            Fact::new("robots", play.robots.len()),
            Fact::new("debris", play.debris.len()),
            Fact::new("teleports", unused().count()),
        ];
        View::new(
            window.cut(self.extent().0),
            |row, col| play.letter((row as i32 + 1, col as i32 + 1)),
            marks.chain(play.threatened().into_iter().map(mark("danger"))).collect(),
            facts,
        )
    }

    fn keys(&self) -> Vec<Key> {
        let mut keys = Key::nine_ways(|direction| Move::Walk(direction).to_string());
        keys.push(Key::new("t", "t", "teleport to the first free location"));
        keys
    }

    fn legend(&self) -> &'static Legend {
        &LEGEND
    }
}

fn cell_of(&(row, col): &Place) -> Cell {
    BOARD.cell(row as u32 - 1, col as u32 - 1)
}

fn from_zero((row, col): Place) -> (i64, i64) {
    (i64::from(row) - 1, i64::from(col) - 1)
}

impl Game {
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
