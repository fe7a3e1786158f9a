//! A game played by hand under the reference rules.

use super::format::{self, Action, HEARING_RANGE, MAX_ACTIONS, Map, THROW_RANGE};
use super::planner::OfMap;
use super::rules::{self, Outcome, Readings};
use super::state::Position;
use crate::board::Cell;
use crate::diagnostic::Source;
use crate::games::fact::{Fact, Facts};
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
        Sign::new('E', Role::Player, "Ellie: you"),
        Sign::new('X', Role::Goal, "exit"),
        Sign::new('C', Role::Hunter, "clicker: blind, hunts by sound"),
        Sign::new('#', Role::Wall, "wall"),
    ],
    marks: &[
        MarkSign::new("hearing", "a sound here is heard"),
        MarkSign::new("danger", "beside a clicker: deadly"),
    ],
};

/// A game in progress with its whole past.
#[derive(Debug)]
pub struct Play {
    past: History<rules::Game, Action>,
}

impl Play {
    /// The start of an area.
    pub fn new(map: &Map) -> Self {
        let game = rules::Game::new(map, Readings::default());
        let act = |game: &mut rules::Game, action| {
            game.act(action).map(drop).map_err(|refused| refused.to_string())
        };
        Play { past: History::new(game, MAX_ACTIONS, act) }
    }

    fn game(&self) -> &rules::Game {
        self.past.now()
    }

    fn coordinates(&self, cell: Cell) -> (i64, i64) {
        self.game().map().shape.coordinates(cell)
    }
}

impl Session for Play {
    fn act(&mut self, step: &str) -> Result<(), IllegalStep> {
        let source = Source::new("step", step);
        let mut lines = source.lines().filter(|line| !line.text.trim().is_empty());
        let (Some(line), None) = (lines.next(), lines.next()) else {
            return Err("one action a line: `w dx dy` or `b dx dy`".into());
        };
        let action = format::read_action(&source, line).map_err(|error| {
            error.help.map_or(error.message.clone(), |help| format!("{}: {help}", error.message))
        })?;
        Ok(self.past.act(action)?)
    }

    fn rewind(&mut self, steps: u64) {
        self.past.rewind(steps as usize);
    }

    fn steps(&self) -> u64 {
        self.past.steps().len() as u64
    }

    fn status(&self) -> Status {
        match self.game().outcome() {
            Outcome::Playing => Status::Playing,
            Outcome::Won => Status::Won,
            Outcome::Dead(cell) => Status::Lost(rules::killed_by(self.game().map(), cell)),
        }
    }

    fn plan(&self) -> String {
        format::plan_text(self.past.steps())
    }

    fn search(&self, objective: &Objective, run: &Run) -> Answer {
        let game = self.game();
        let clickers = game.clickers().iter().map(|clicker| (clicker.cell, clicker.traces));
        let position =
            Position { ellie: game.ellie(), bricks: game.bricks(), clickers: clickers.collect() };
        let planner = OfMap::from_position(game.map(), position, self.past.steps());
        TextPlanner::solve(&planner, objective, None, run)
    }

    fn length(&self, _: &Objective) -> u64 {
        self.game().turn()
    }

    fn position(&self) -> Vec<u64> {
        let game = self.game();
        let mut clickers: Vec<u64> = game
            .clickers()
            .iter()
            .map(|clicker| {
                let traces = clicker.traces.map_or(0, |cell| u64::from(cell.0) + 1);
                u64::from(clicker.cell.0) << 32 | traces
            })
            .collect();
        clickers.sort_unstable();
        clickers.extend([u64::from(game.ellie().0), u64::from(game.bricks())]);
        clickers
    }

    fn extent(&self) -> (Window, Option<(i64, i64)>) {
        let game = self.game();
        (Window::whole(game.map().shape), Some(self.coordinates(game.ellie())))
    }

    fn view(&self, window: Window) -> View {
        self.view_marked(window, window)
    }

    fn view_marked(&self, window: Window, marked: Window) -> View {
        let window = window.cut(self.extent().0);
        let [row, col] = [window.row, window.col].map(|from| from as i32);
        View {
            rows: self.game().picture(row, col, window.rows as i32, window.cols as i32),
            marks: self.marks(marked.cut(window)),
            facts: Facts::from([
                Fact::new("turn", self.game().turn()),
                Fact::new("bricks", self.game().bricks()),
                Fact::new(
                    "tracing",
                    self.game().clickers().iter().filter(|c| c.traces.is_some()).count(),
                ),
            ]),
            window,
        }
    }

    fn keys(&self) -> Vec<Key> {
        Key::nine_ways(|direction| {
            let (drow, dcol) = direction.map_or((0, 0), |d| (d.drow(), d.dcol()));
            format!("w {dcol} {}", -drow)
        })
    }

    fn aim(&self, row: i64, col: i64) -> Option<String> {
        let (from_row, from_col) = self.coordinates(self.game().ellie());
        Some(format!("b {} {}", col - from_col, from_row - row))
    }

    fn target(&self, step: &str) -> Option<(i64, i64)> {
        let source = Source::new("step", step);
        let action = format::read_action(&source, source.lines().next()?).ok()?;
        let Action::Throw { drow, dcol } = action else { return None };
        let (row, col) = self.coordinates(self.game().ellie());
        Some((row + i64::from(drow), col + i64::from(dcol)))
    }

    fn legend(&self) -> &'static Legend {
        &LEGEND
    }
}

impl Play {
    /// What to point out: cells where a sound is heard (`hearing`), cells beside a clicker
    /// (`danger`), cells a brick can be thrown to (`throw`), and for each clicker that traces a
    /// sound a line from it to the sound (`target`).
    fn marks(&self, window: Window) -> Vec<Mark> {
        let mut marks = Vec::new();
        let map = self.game().map();
        for (cell, distance) in self.heard_cells(window) {
            let (row, col) = self.coordinates(cell);
            if !map.is_blocked(cell) && distance > 0 {
                let kind = if distance == 1 { "danger" } else { "hearing" };
                marks.push(Mark { row, col, kind, to: None });
            }
        }
        if self.game().bricks() > 0 {
            let cells = around(map, self.game().ellie(), THROW_RANGE);
            for cell in cells.filter(|&cell| self.game().is_empty(cell)) {
                let (row, col) = self.coordinates(cell);
                if window.contains(row, col) {
                    marks.push(Mark { row, col, kind: "throw", to: None });
                }
            }
        }
        for clicker in self.game().clickers() {
            if let Some(sound) = clicker.traces {
                let (row, col) = self.coordinates(clicker.cell);
                marks.push(Mark { row, col, kind: "target", to: Some(self.coordinates(sound)) });
            }
        }
        marks
    }

    /// The cells of a window within hearing of a clicker, each with its distance to the nearest one.
    fn heard_cells(&self, window: Window) -> impl Iterator<Item = (Cell, u32)> + '_ {
        let shape = self.game().map().shape;
        let [rows, cols] = [window.rows as usize, window.cols as usize];
        let mut nearest = vec![u32::MAX; rows * cols];
        let reach = |center: i64, from: i64, length: u32| {
            let range = i64::from(HEARING_RANGE);
            let end = from + i64::from(length);
            (center - range).max(from)..(center + range + 1).min(end)
        };
        for clicker in self.game().clickers() {
            let (row, col) = self.coordinates(clicker.cell);
            for r in reach(row, window.row, window.rows) {
                for c in reach(col, window.col, window.cols) {
                    let index = (r - window.row) as usize * cols + (c - window.col) as usize;
                    let distance = (r - row).abs().max((c - col).abs()) as u32;
                    nearest[index] = nearest[index].min(distance);
                }
            }
        }
        let heard = nearest.into_iter().enumerate().filter(|&(_, distance)| distance < u32::MAX);
        heard.map(move |(index, distance)| {
            let (row, col) =
                (window.row as usize + index / cols, window.col as usize + index % cols);
            (shape.cell(row as u32, col as u32), distance)
        })
    }
}

/// The cells of the board within a Chebyshev distance of one.
fn around(map: &Map, cell: Cell, reach: i32) -> impl Iterator<Item = Cell> + '_ {
    let (row, col) = (map.shape.row(cell), map.shape.col(cell));
    (row - reach..=row + reach)
        .flat_map(move |r| (col - reach..=col + reach).filter_map(move |c| map.shape.at(r, c)))
}
