//! A game that is played by hand, and what is shown of it.

pub mod history;

use crate::board::{Direction, Shape};
use crate::diagnostic::sentence_error;
use crate::games::fact::Facts;
use crate::games::legend::{Legend, Role};
use crate::games::objective::Objective;
use crate::games::plan::Answer;
use crate::search::Run;

sentence_error!(
    /// The reason why the rules refuse a step, in words.
    IllegalStep
);

/// A game being played by hand.
///
/// ```
/// use outwit::diagnostic::Source;
/// use outwit::games::{GameId, Session, Status};
///
/// let level = Source::new("corridor", "######\n#@$ .#\n######\n");
/// let area = GameId::Sokoban.game().read(&level).expect("a file").only().expect("a level");
/// let mut session = area.session();
/// assert!(session.act("u").is_err(), "there is a wall");
/// session.act("r").expect("a push");
/// session.act("r").expect("another");
/// assert_eq!((session.status(), session.steps()), (Status::Won, 2));
/// assert!(session.undo());
/// assert_eq!(session.status(), Status::Playing);
/// ```
pub trait Session: Send {
    /// Does one step, written as one line (or key) of the game's plan format.
    ///
    /// # Errors
    /// Why the rules refuse it; nothing has changed then.
    fn act(&mut self, step: &str) -> Result<(), IllegalStep>;

    /// Takes back steps until at most `steps` are done.
    fn rewind(&mut self, steps: u64);

    /// Takes back the last step; false at the start.
    fn undo(&mut self) -> bool {
        let steps = self.steps();
        self.rewind(steps.saturating_sub(1));
        steps > 0
    }

    /// Steps done.
    fn steps(&self) -> u64;

    /// Whether the game goes on.
    fn status(&self) -> Status;

    /// The plan so far, in the game's own format.
    fn plan(&self) -> String;

    /// Looks for a plan that begins with the steps done so far, within the budget. The answer's plan
    /// has them too, and its length and bound count them; `Impossible` says that the position is
    /// lost.
    ///
    /// ```
    /// use outwit::diagnostic::Source;
    /// use outwit::games::{GameId, Objective};
    /// use outwit::search::{Limits, Run, Verdict};
    ///
    /// let level = Source::new("room", "#######\n#@    #\n# $  .#\n#     #\n#######\n");
    /// let area = GameId::Sokoban.game().read(&level).expect("a file").only().expect("a level");
    /// let mut session = area.session();
    /// session.act("r").expect("a step");
    /// let answer = session.solve(&Objective::OPTIMAL, &Run::seconds(10.0));
    /// assert_eq!((answer.length, answer.plan.as_deref()), (Some(3), Some("rldRRR\n")));
    ///
    /// // A box beside a wall without targets is lost.
    /// session.act("d").expect("a push");
    /// let answer = session.solve(&Objective::OPTIMAL, &Run::seconds(10.0));
    /// assert_eq!(answer.verdict, Verdict::Impossible);
    /// ```
    fn solve(&self, objective: &Objective, run: &Run) -> Answer {
        match self.status() {
            // Processes know the area, and not the position.
            Status::Playing => {
                let answer = self.search(objective, &Run { cluster: None, ..run.clone() });
                answer.after(self.length(objective))
            }
            Status::Won => Answer::won(self.plan()),
            Status::Lost(_) => Answer::lost(),
        }
    }

    /// What [`Session::solve`] does while the game goes on; length and bound count from here.
    fn search(&self, objective: &Objective, run: &Run) -> Answer;

    /// The length of the steps done, in the measure of an objective.
    fn length(&self, objective: &Objective) -> u64;

    /// All that the rest of the game depends on, as numbers: equal in two games on one area where the same
    /// steps have the same effects from now on. A limit of steps that the rules or a file format set, and that
    /// no game comes near, need not be in it.
    fn position(&self) -> Vec<u64>;

    /// The extent of the board and where the player is: row and column from 0.
    fn extent(&self) -> (Window, Option<(i64, i64)>);

    /// The part of the board in a window.
    fn view(&self, window: Window) -> View;

    /// The same part, with the marks of `marked` alone, a part of the window: a large board has
    /// many.
    fn view_marked(&self, window: Window, marked: Window) -> View {
        let mut view = self.view(window);
        // A line may lead into the part from outside.
        view.marks.retain(|mark| mark.to.is_some() || marked.contains(mark.row, mark.col));
        view
    }

    /// All walls as rectangles, where the board is too large to be viewed cell by cell: what is
    /// neither in them nor the exit nor the player is free. `None` where [`Session::view`] will do.
    fn walls(&self) -> Option<Vec<Window>> {
        None
    }

    /// What has been made free of those walls since the game began.
    fn openings(&self) -> Vec<Window> {
        Vec::new()
    }

    /// Where the player has to go, on a board that is too large to be viewed cell by cell.
    fn goal(&self) -> Option<(i64, i64)> {
        None
    }

    /// What the last step has shown of the board, or the start before the first one, in a game that
    /// hides what was not seen.
    fn uncovered(&self) -> Option<Window> {
        None
    }

    /// Whether the player has seen a cell, in a game that hides what was not: to be shown as fog.
    fn is_seen(&self, _row: i64, _col: i64) -> bool {
        true
    }

    /// Whether the game hides what the player has not seen.
    fn has_fog(&self) -> bool {
        false
    }

    /// The steps that have a key: for help texts and key bindings.
    fn keys(&self) -> Vec<Key>;

    /// The step that is aimed at a cell, a throw for instance; `None` in games without aiming.
    /// Whether it is allowed says [`Session::act`].
    fn aim(&self, _row: i64, _col: i64) -> Option<String> {
        None
    }

    /// The cell that a step is aimed at, from where the player is: the other way round than
    /// [`Session::aim`].
    fn target(&self, _step: &str) -> Option<(i64, i64)> {
        None
    }

    /// What the game's signs mean.
    fn legend(&self) -> &'static Legend;

    /// Writes 1 for each of these steps that the rules allow now, and 0 for each other one, by trying them.
    fn allowed(&mut self, steps: &[String], mask: &mut [u8]) {
        let done = self.steps();
        let is_over = self.status() != Status::Playing;
        for (step, bit) in steps.iter().zip(mask) {
            let is_allowed = !is_over && self.act(step).is_ok();
            self.rewind(done);
            *bit = u8::from(is_allowed);
        }
    }

    /// Writes the code ([`Role::code`]) of each cell of a window, row by row. Cells off the board, and cells that
    /// the player has not seen, have code 0.
    fn observe(&self, window: Window, codes: &mut [u8]) {
        codes.fill(Role::Unknown.code());
        let view = self.view(window.cut(self.extent().0));
        for (row, letters) in (view.window.row..).zip(&view.rows) {
            for (col, letter) in (view.window.col..).zip(letters.chars()) {
                if !self.has_fog() || self.is_seen(row, col) {
                    let (r, c) = ((row - window.row) as usize, (col - window.col) as usize);
                    codes[r * window.cols as usize + c] = self.role(letter).code();
                }
            }
        }
    }

    /// What a letter of the board stands for, to be shown in its colour.
    fn role(&self, letter: char) -> Role {
        self.legend().role(letter)
    }
}

/// How a game stands.
#[derive(Clone, Debug, PartialEq, Eq)]
#[cfg_attr(feature = "serde", derive(serde::Serialize))]
pub enum Status {
    /// It goes on.
    Playing,
    /// Won with the last step.
    Won,
    /// Lost, and why.
    Lost(String),
}

/// A rectangle of the board: top left cell and extent. Labyrinths have negative coordinates.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
#[cfg_attr(feature = "serde", derive(serde::Serialize))]
#[allow(missing_docs)]
pub struct Window {
    pub row: i64,
    pub col: i64,
    pub rows: u32,
    pub cols: u32,
}

impl Window {
    /// A whole board whose rows and columns count from 0.
    pub fn whole(shape: Shape) -> Window {
        Window { row: 0, col: 0, rows: shape.rows, cols: shape.cols }
    }

    /// The part of the window that lies on a board.
    ///
    /// ```
    /// use outwit::games::Window;
    ///
    /// let board = Window { row: 0, col: 0, rows: 10, cols: 10 };
    /// let window = Window { row: -2, col: 7, rows: 5, cols: 5 };
    /// assert_eq!(window.cut(board), Window { row: 0, col: 7, rows: 3, cols: 3 });
    /// ```
    #[must_use]
    pub fn cut(self, board: Window) -> Window {
        let clip = |from: i64, length: u32, board_from: i64, board_length: u32| {
            let end = board_from.saturating_add(board_length.into());
            let start = from.clamp(board_from, end);
            let stop = from.saturating_add(length.into()).clamp(start, end);
            (start, (stop - start) as u32)
        };
        let (row, rows) = clip(self.row, self.rows, board.row, board.rows);
        let (col, cols) = clip(self.col, self.cols, board.col, board.cols);
        Window { row, col, rows, cols }
    }

    /// Whether a cell is in the window.
    pub fn contains(self, row: i64, col: i64) -> bool {
        (self.row..self.row.saturating_add(self.rows.into())).contains(&row)
            && (self.col..self.col.saturating_add(self.cols.into())).contains(&col)
    }
}

/// What is seen through a window.
#[derive(Clone, Debug, PartialEq, Eq)]
#[cfg_attr(feature = "serde", derive(serde::Serialize))]
pub struct View {
    /// The window, cut to the board.
    pub window: Window,
    /// One string a row, one character a cell, in the game's own letters.
    pub rows: Vec<String>,
    /// Cells to point out: what is heard, traced, seen, threatened.
    pub marks: Vec<Mark>,
    /// What stands beside the board: turn, bricks, oxygen, …
    pub facts: Facts,
}

impl View {
    /// A view that shows `letter` of each row and column; of the marks those that can be seen.
    pub fn new(
        window: Window,
        letter: impl Fn(i64, i64) -> char,
        mut marks: Vec<Mark>,
        facts: impl Into<Facts>,
    ) -> View {
        let rows = window.row..window.row + i64::from(window.rows);
        let cols = window.col..window.col + i64::from(window.cols);
        let row = |row| cols.clone().map(|col| letter(row, col)).collect();
        // A line may lead into the window from outside.
        marks.retain(|mark| mark.to.is_some() || window.contains(mark.row, mark.col));
        View { window, rows: rows.map(row).collect(), marks, facts: facts.into() }
    }
}

/// A cell to point out.
#[derive(Clone, Debug, PartialEq, Eq)]
#[cfg_attr(feature = "serde", derive(serde::Serialize))]
pub struct Mark {
    /// Row, from 0.
    pub row: i64,
    /// Column, from 0.
    pub col: i64,
    /// What it is, one lower-case word: `hearing`, `target`, `danger`, …
    pub kind: &'static str,
    /// Where it points to, for lines between cells.
    pub to: Option<(i64, i64)>,
}

/// A step that has a key.
#[derive(Clone, Debug, PartialEq, Eq)]
#[cfg_attr(feature = "serde", derive(serde::Serialize))]
pub struct Key {
    /// The key: a character, or `up`, `down`, `left`, `right`, `space`.
    pub key: String,
    /// The step as [`Session::act`] takes it.
    pub step: String,
    /// What it does, for help texts.
    pub about: String,
}

impl Key {
    /// A key, its step and what it does.
    pub fn new(key: &str, step: &str, about: &str) -> Key {
        Key { key: key.into(), step: step.into(), about: about.into() }
    }

    /// The arrows and w a s d, for the four directions; `step` writes the step in a direction.
    pub fn four_ways(step: impl Fn(Direction) -> String, verb: &str) -> Vec<Key> {
        use Direction::{East, North, South, West};
        let ways = [
            (North, ["up", "w"]),
            (West, ["left", "a"]),
            (South, ["down", "s"]),
            (East, ["right", "d"]),
        ];
        let way = |(direction, keys): (Direction, [&str; 2])| {
            keys.map(|key| Key::new(key, &step(direction), &format!("{verb} {}", keys[0])))
        };
        ways.into_iter().flat_map(way).collect()
    }

    /// The keys of [`Key::four_ways`] and the number pad, for walks to all eight neighbours and
    /// standing still.
    pub fn nine_ways(step: impl Fn(Option<Direction>) -> String) -> Vec<Key> {
        use Direction::{East, North, NorthEast, NorthWest, South, SouthEast, SouthWest, West};
        let mut keys = Key::four_ways(|direction| step(Some(direction)), "walk");
        keys.extend(
            [
                ("8", Some(North), "walk up"),
                ("4", Some(West), "walk left"),
                ("2", Some(South), "walk down"),
                ("6", Some(East), "walk right"),
                ("7", Some(NorthWest), "walk up and left"),
                ("9", Some(NorthEast), "walk up and right"),
                ("1", Some(SouthWest), "walk down and left"),
                ("3", Some(SouthEast), "walk down and right"),
                ("5", None, "stay"),
                ("space", None, "stay"),
            ]
            .map(|(key, direction, about)| Key::new(key, &step(direction), about)),
        );
        keys
    }
}
