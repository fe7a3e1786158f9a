//! A game played or watched step by step, under the reference rules, as JSON tells it.
//!
//! A client says which part of the board it shows and which revision of it it has; it is told what
//! has changed since. The service answers so over HTTP, and the page's WebAssembly does without a
//! server: one code for both.
//!
//! # Example
//! ```
//! use outwit::diagnostic::Source;
//! use outwit::games::GameId;
//! use outwit::play::{MoveRequest, Play, Show, Standing, Unfit};
//!
//! let areas = GameId::Sokoban.game().read(&Source::new("level", "#####\n#@$.#\n#####\n"))?;
//! let mut play = Play::new(&*areas.only()?, None);
//! let push = MoveRequest { steps: vec!["r".into()], ..MoveRequest::default() };
//! let done = play.go_on(&push, |_| Ok::<_, Unfit>(None))?;
//! let played = play.told("my game", Show::default(), false, done);
//! assert_eq!(played.status, Standing::Won);
//! # Ok::<(), Box<dyn std::error::Error>>(())
//! ```

mod draft;
mod told;

pub use crate::json::exact;
pub use draft::{Draft, listed_board};
pub use told::{
    Key, Legend, MarkSign, Marks, MoveRequest, PlanStep, Played, RefusedStep, Setup, Show, Sign,
    Standing, View, Window, standing,
};

use crate::games::{self, Area, Facts, Session};
use std::collections::BTreeSet;
use std::fmt;

/// The most cells of a board in one answer.
pub const MAX_VIEW_CELLS: u64 = 1 << 18;
/// The part of a larger board that is shown where nothing else is asked for: rows and columns.
pub const DEFAULT_VIEW: (u32, u32) = (60, 120);
/// Upper limit of the steps that are reported of a watched plan; a longer one is played all the
/// same.
pub const MAX_TOLD_STEPS: usize = 20_000;
/// Upper limit of a plan that is part of the answer to a step, in bytes.
pub const MAX_INLINE_PLAN_BYTES: usize = 16 << 10;

/// Memory of a cell of a board in each copy that a game keeps of its past, in bytes.
const CELL_BYTES: u64 = 16;
/// Memory of a step that was done, beside its text, in bytes: where it led, and what it has shown.
const DONE_BYTES: usize = size_of::<String>() + size_of::<Option<[i64; 2]>>() + size_of::<Window>();
/// Memory of a step in each copy, in bytes.
const STEP_BYTES: u64 = 32;
/// Number of steps for each copy that a game keeps, about, up to [`MOST_COPIES`].
const STEPS_PER_COPY: u64 = 32;
/// Upper limit of the copies that a game keeps, with the one that is played.
const MOST_COPIES: u64 = 66;
/// Number of cells from which on boards are not held cell by cell.
const SPARSE_CELLS: u64 = 1 << 20;
/// Upper limit of the memory of such a board, in bytes: the longest walls that can be read. Copies
/// share it.
const SPARSE_BYTES: u64 = 16 << 20;

/// A game in progress.
pub struct Play {
    title: String,
    game: &'static str,
    session: Box<dyn Session>,
    /// The steps done, where the player was after each, and what each has shown.
    done: Vec<String>,
    trail: Vec<Option<[i64; 2]>>,
    seen: Vec<Window>,
    /// The plan that is watched.
    tape: Option<Vec<PlanStep>>,
    /// What the client was sent last.
    sent: Option<Sent>,
    revision: u64,
}

impl fmt::Debug for Play {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("Play")
            .field("game", &self.game)
            .field("title", &self.title)
            .field("done", &self.done)
            .finish_non_exhaustive()
    }
}

/// What a client was sent.
#[derive(Debug)]
struct Sent {
    window: games::Window,
    rows: Vec<String>,
    marks_window: games::Window,
    marks: Marks,
}

/// What a request came to.
#[derive(Debug, Default)]
pub struct Done {
    /// The steps that were done.
    pub steps: Vec<String>,
    /// Where the player is after each of them.
    pub trail: Vec<Option<[i64; 2]>>,
    /// What each of them has shown, in a game that hides what was not seen.
    pub seen: Vec<Window>,
    /// The one that the rules refuse.
    pub refused: Option<RefusedStep>,
}

/// What a request asks for in vain.
#[derive(Debug, Clone, Copy, PartialEq, Eq, thiserror::Error)]
pub enum Unfit {
    /// A place in a plan, where none is watched.
    #[error("no plan is watched: begin with a `plan`")]
    NoPlan,
    /// An aim, in a game without aiming.
    #[error("nothing is aimed in this game")]
    NoAim,
}

impl Play {
    /// A game at its start; with the steps of a plan to watch it.
    pub fn new(area: &dyn Area, plan: Option<Vec<games::PlanStep>>) -> Self {
        Play {
            title: area.name().to_string(),
            game: area.game().name(),
            session: area.session(),
            done: Vec::new(),
            trail: Vec::new(),
            seen: Vec::new(),
            tape: plan.map(|steps| steps.into_iter().map(PlanStep::from).collect()),
            sent: None,
            revision: 0,
        }
    }

    /// The steps done so far.
    pub fn done(&self) -> &[String] {
        &self.done
    }

    /// The plan so far, in the game's own format.
    pub fn plan(&self) -> String {
        self.session.plan()
    }

    /// Begins the game with some steps. Before each, `may` says why it shall not be done, or fails.
    ///
    /// # Errors
    /// Those of `may`.
    pub fn begin<E>(
        &mut self,
        steps: &[String],
        mut may: impl FnMut(&Play) -> Result<Option<String>, E>,
    ) -> Result<Done, E> {
        let refused = self.act(steps, &mut may)?;
        Ok(self.done_since(0, refused))
    }

    /// Finds out where the player is after each step of the plan that is watched, as far as the rules
    /// and `may` allow it, before the game begins.
    pub fn trace<E>(&mut self, mut may: impl FnMut(&Play) -> Result<Option<String>, E>) {
        let Some(mut tape) = self.tape.take() else { return };
        if tape.len() <= MAX_TOLD_STEPS {
            for step in &mut tape {
                step.aim = self.session.target(&step.step).map(<[i64; 2]>::from);
                if !matches!(self.act(std::slice::from_ref(&step.step), &mut may), Ok(None)) {
                    break;
                }
                step.player = self.trail.last().copied().flatten();
            }
            self.rewind(0);
        }
        self.tape = Some(tape);
    }

    /// What a request came to that began after `from` steps.
    fn done_since(&self, from: usize, refused: Option<RefusedStep>) -> Done {
        Done {
            steps: self.done[from..].to_vec(),
            trail: self.trail[from..].to_vec(),
            seen: self.seen.get(from..).unwrap_or_default().to_vec(),
            refused,
        }
    }

    /// Does steps until one is refused. Before each, `may` says why it shall not be done, or fails.
    ///
    /// # Errors
    /// Those of `may`.
    fn act<E>(
        &mut self,
        steps: &[String],
        may: &mut impl FnMut(&Play) -> Result<Option<String>, E>,
    ) -> Result<Option<RefusedStep>, E> {
        for step in steps {
            if let Some(reason) = may(self)? {
                return Ok(Some(RefusedStep { step: step.clone(), reason }));
            }
            if let Err(illegal) = self.session.act(step) {
                let reason = illegal.to_string();
                return Ok(Some(RefusedStep { step: step.clone(), reason }));
            }
            self.done.push(step.clone());
            self.trail.push(self.session.extent().1.map(<[i64; 2]>::from));
            self.seen.extend(self.session.uncovered().map(Window::from));
        }
        Ok(None)
    }

    /// Goes on with the game as a request says: `undo`, `seek`, `steps`, `aim`, in this order.
    /// Before each step, `may` says why it shall not be done, or fails.
    ///
    /// # Errors
    /// Those of `may`, and what does not fit the game.
    pub fn go_on<E: From<Unfit>>(
        &mut self,
        request: &MoveRequest,
        mut may: impl FnMut(&Play) -> Result<Option<String>, E>,
    ) -> Result<Done, E> {
        if request.undo > 0 {
            self.rewind(self.session.steps().saturating_sub(request.undo));
        }
        let mut refused = match request.seek {
            Some(step) => self.seek(step, &mut may)?,
            None => None,
        };
        let from = self.done.len();
        if refused.is_none() {
            refused = self.act(&request.steps, &mut may)?;
        }
        if let (None, Some([row, col])) = (&refused, request.aim) {
            let step = self.session.aim(row, col).ok_or(Unfit::NoAim)?;
            refused = self.act(&[step], &mut may)?;
        }
        Ok(self.done_since(from, refused))
    }

    /// Goes to the board after `step` steps of the plan that is watched.
    fn seek<E: From<Unfit>>(
        &mut self,
        step: u64,
        may: &mut impl FnMut(&Play) -> Result<Option<String>, E>,
    ) -> Result<Option<RefusedStep>, E> {
        let tape = self.tape.take().ok_or(Unfit::NoPlan)?;
        let step = usize::try_from(step).unwrap_or(usize::MAX).min(tape.len());
        let is_same = |(done, step): &(&String, &PlanStep)| **done == step.step;
        let same = self.done.iter().zip(&tape[..step]).take_while(is_same).count();
        self.rewind(same as u64);
        let steps: Vec<String> = tape[same..step].iter().map(|step| step.step.clone()).collect();
        let refused = self.act(&steps, may);
        self.tape = Some(tape);
        refused
    }

    fn rewind(&mut self, steps: u64) {
        self.session.rewind(steps);
        let steps = usize::try_from(steps).unwrap_or(usize::MAX);
        self.done.truncate(steps);
        self.trail.truncate(steps);
        self.seen.truncate(steps);
    }

    /// An estimate of the memory held, in bytes: the past as the games keep it.
    pub fn weight(&self) -> u64 {
        let board = self.session.extent().0;
        let cells = u64::from(board.rows) * u64::from(board.cols);
        let steps = self.session.steps();
        let copies = MOST_COPIES.min(2 + steps / STEPS_PER_COPY);
        let board = if cells < SPARSE_CELLS { cells * copies * CELL_BYTES } else { SPARSE_BYTES };
        let done: usize = self.done.iter().map(|step| step.len() + DONE_BYTES).sum();
        let ahead = self.tape.iter().flatten();
        let texts = done + ahead.map(|at| at.step.len() + size_of::<PlanStep>()).sum::<usize>();
        let shown = if self.sent.is_some() { cells.min(MAX_VIEW_CELLS) } else { 0 };
        board + steps * copies * STEP_BYTES + texts as u64 + shown
    }

    fn setup(&self) -> Setup {
        let plan = self.tape.as_ref().filter(|plan| plan.len() <= MAX_TOLD_STEPS);
        let walls = self.session.walls();
        Setup {
            game: self.game,
            title: self.title.clone(),
            keys: self.session.keys().into_iter().map(Key::from).collect(),
            legend: Legend::from(self.session.legend()),
            aims: self.session.aim(0, 0).is_some(),
            fog: self.session.has_fog(),
            goal: self.session.goal().filter(|_| walls.is_some()).map(<[i64; 2]>::from),
            walls: walls.map(|walls| walls.into_iter().map(Window::from).collect()),
            plan: plan.cloned(),
        }
    }

    /// What to tell: all of the window, or what has changed in it since the client's revision.
    fn look(&mut self, show: Show) -> (View, Option<Marks>, Facts) {
        let window = shown(&*self.session, show.window);
        let marks_window =
            show.marks.map_or(window, |marks| games::Window::from(marks).cut(window));
        let seen = self.session.view_marked(window, marks_window);
        let marks = gather(&seen.marks);
        let last = self.sent.take().filter(|_| show.revision == Some(self.revision));
        let last = last.filter(|last| last.window == window && last.marks_window == marks_window);
        let changed = last.as_ref().map(|last| changes(window, &last.rows, &seen.rows));
        let told = match &last {
            None => Some(marks.clone()),
            Some(last) if last.marks == marks => None,
            Some(last) => Some(changed_marks(&last.marks, &marks)),
        };
        self.revision += 1;
        let view = View {
            revision: self.revision,
            window: window.into(),
            rows: changed.is_none().then(|| seen.rows.clone()),
            changed,
        };
        let beside = seen.facts;
        self.sent = Some(Sent { window, rows: seen.rows, marks_window, marks });
        (view, told, beside)
    }

    /// What a client is told after a request: how the game stands, what of the board has changed,
    /// and with `setup` what stays as it is.
    pub fn told(&mut self, token: &str, show: Show, setup: bool, done: Done) -> Played {
        let (view, marks, facts) = self.look(show);
        let (extent, player) = self.session.extent();
        let (status, why) = standing(&self.session.status());
        let plan = Some(self.session.plan()).filter(|plan| plan.len() <= MAX_INLINE_PLAN_BYTES);
        Played {
            token: token.into(),
            steps: self.session.steps(),
            status,
            why,
            refused: done.refused,
            done: done.steps,
            trail: done.trail,
            seen: done.seen,
            openings: self.session.openings().into_iter().map(Window::from).collect(),
            player: player.map(|(row, col)| [row, col]),
            extent: extent.into(),
            facts,
            plan,
            tape: self.tape.as_ref().map(|tape| tape.len() as u64),
            view,
            marks,
            setup: setup.then(|| self.setup()),
        }
    }
}

/// The window to show: what is asked for, or the whole board, or the part around the player where
/// that is too large; never more than fits one answer.
pub fn shown(session: &dyn Session, window: Option<Window>) -> games::Window {
    let (board, player) = session.extent();
    let fits =
        |window: games::Window| u64::from(window.rows) * u64::from(window.cols) <= MAX_VIEW_CELLS;
    let asked = window.map_or(board, games::Window::from).cut(board);
    if fits(asked) {
        return asked;
    }
    let (rows, cols) = DEFAULT_VIEW;
    let (row, col) = match window {
        Some(_) => (asked.row, asked.col),
        None => player.map_or((board.row, board.col), |(row, col)| {
            (row - i64::from(rows) / 2, col - i64::from(cols) / 2)
        }),
    };
    games::Window { row, col, rows, cols }.cut(board)
}

/// The pieces of rows that differ.
fn changes(window: games::Window, old: &[String], new: &[String]) -> Vec<(i64, i64, String)> {
    let mut pieces = Vec::new();
    for (row, (old, new)) in (window.row..).zip(old.iter().zip(new)) {
        if old == new {
            continue;
        }
        let mut piece: Option<(i64, String)> = None;
        for (col, (was, is)) in (window.col..).zip(old.chars().zip(new.chars())) {
            match (was == is, &mut piece) {
                (true, _) => pieces.extend(piece.take().map(|(from, text)| (row, from, text))),
                (false, Some((_, text))) => text.push(is),
                (false, None) => piece = Some((col, is.to_string())),
            }
        }
        pieces.extend(piece.map(|(from, text)| (row, from, text)));
    }
    pieces
}

/// Marks by kind, cells as runs.
fn gather(marks: &[games::Mark]) -> Marks {
    let mut gathered = Marks { whole: true, ..Marks::default() };
    let mut cells: Vec<_> = Vec::new();
    for mark in marks {
        match mark.to {
            Some((row, col)) => {
                let lines = gathered.lines.entry(mark.kind.into()).or_default();
                lines.push((mark.row, mark.col, row, col));
            }
            None => cells.push((mark.kind, mark.row, mark.col)),
        }
    }
    cells.sort_unstable();
    cells.dedup();
    for (kind, row, col) in cells {
        let runs = gathered.cells.entry(kind.into()).or_default();
        match runs.last_mut() {
            Some((at, from, length)) if *at == row && *from + i64::from(*length) == col => {
                *length += 1;
            }
            _ => runs.push((row, col, 1)),
        }
    }
    gathered
}

/// What turns the old marks into the new ones. Both have their runs in order.
fn changed_marks(old: &Marks, new: &Marks) -> Marks {
    let mut changed = Marks { lines: new.lines.clone(), ..Marks::default() };
    let nothing = Vec::new();
    let kinds: BTreeSet<&String> = old.cells.keys().chain(new.cells.keys()).collect();
    for kind in kinds {
        let was = old.cells.get(kind).unwrap_or(&nothing);
        let is = new.cells.get(kind).unwrap_or(&nothing);
        let fresh: Vec<_> =
            is.iter().filter(|run| was.binary_search(run).is_err()).copied().collect();
        let begins = |&(row, col, _): &(i64, i64, u32)| (row, col);
        let gone = was.iter().map(begins).filter(|at| is.binary_search_by_key(at, begins).is_err());
        let gone: Vec<_> = gone.collect();
        if !fresh.is_empty() {
            changed.cells.insert(kind.clone(), fresh);
        }
        if !gone.is_empty() {
            changed.gone.insert(kind.clone(), gone);
        }
    }
    changed
}
