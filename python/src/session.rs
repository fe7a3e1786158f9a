//! Games played by hand, step by step under the reference rules.

use crate::search::{self, Callbacks, SearchResult};
use crate::{Area, Reduced, facts, plan_error, undrawn};
use outwit::diagnostic::Source;
use outwit::games::{Status, Window};
use outwit::render::Picture;
use pyo3::exceptions::PyValueError;
use pyo3::prelude::*;
use pyo3::types::{PyBytes, PyDict};
use std::sync::Arc;

/// Upper limit of the cells of an observation.
const MAX_CELLS: u64 = 1 << 24;

/// Top row, left column, rows, columns.
type Place = (i64, i64, u32, u32);

/// A game that is played by hand.
#[pyclass(module = "outwit")]
pub struct Session {
    area: Arc<dyn outwit::games::Area>,
    // Sessions are sent between threads, and never shared: Python's lock is not enough to know.
    session: std::sync::Mutex<Box<dyn outwit::games::Session>>,
}

impl Session {
    pub fn new(
        area: Arc<dyn outwit::games::Area>,
        session: Box<dyn outwit::games::Session>,
    ) -> Session {
        Session { area, session: std::sync::Mutex::new(session) }
    }

    /// A game of its own at the same place, to be labelled.
    pub fn position(
        &mut self,
        py: Python<'_>,
    ) -> PyResult<(Arc<dyn outwit::games::Area>, Box<dyn outwit::games::Session>)> {
        let copy = self.copy(py)?;
        let session = copy.session.into_inner().unwrap_or_else(std::sync::PoisonError::into_inner);
        Ok((copy.area, session))
    }

    fn game(&mut self) -> &mut dyn outwit::games::Session {
        let session = self.session.get_mut();
        session.unwrap_or_else(std::sync::PoisonError::into_inner).as_mut()
    }
}

/// The window that was asked for, or the whole board.
fn window_of(extent: Window, place: Option<Place>) -> PyResult<Window> {
    let window = place.map_or(extent, |(row, col, rows, cols)| Window { row, col, rows, cols });
    match u64::from(window.rows) * u64::from(window.cols) {
        ..=MAX_CELLS => Ok(window),
        cells => Err(PyValueError::new_err(format!(
            "{cells} cells are too many to see at once: say window=(row, col, rows, cols)"
        ))),
    }
}

#[pymethods]
impl Session {
    /// Opens a game on an area, after the steps of a plan that need not have come to its end.
    #[new]
    #[pyo3(signature = (area, begun=None))]
    fn begun(py: Python<'_>, area: &Area, begun: Option<&str>) -> PyResult<Session> {
        let area = Arc::clone(&area.area);
        let session = match begun {
            Some(begun) => {
                let position = py.detach(|| area.position(&Source::new("plan", begun)));
                position.map_err(|error| plan_error(py, &error))?
            }
            None => area.session(),
        };
        Ok(Session::new(area, session))
    }

    /// The area that is played.
    #[getter]
    pub(crate) fn area(&self) -> Area {
        Area { area: Arc::clone(&self.area), level: 1, named: None }
    }

    /// Another game at the same place, whose steps can be taken back as well.
    fn copy(&mut self, py: Python<'_>) -> PyResult<Session> {
        let plan = self.plan();
        Session::begun(py, &self.area(), Some(&plan))
    }

    fn __copy__(&mut self, py: Python<'_>) -> PyResult<Session> {
        self.copy(py)
    }

    fn __deepcopy__(&mut self, py: Python<'_>, _memo: &Bound<'_, PyAny>) -> PyResult<Session> {
        self.copy(py)
    }

    fn __reduce__<'py>(slf: &Bound<'py, Self>) -> PyResult<Reduced<'py, (Area, String)>> {
        let mut session = slf.borrow_mut();
        Ok((slf.get_type().into_any(), (session.area(), session.plan())))
    }

    /// Two games are equal on equal areas after the same steps.
    fn __eq__(slf: &Bound<'_, Self>, other: &Bound<'_, PyAny>) -> bool {
        let Ok(other) = other.cast::<Session>() else { return false };
        if slf.is(other) {
            return true;
        }
        let (mut one, mut other) = (slf.borrow_mut(), other.borrow_mut());
        one.area().is_equal(&other.area()) && one.plan() == other.plan()
    }

    /// Does one step; ValueError, and nothing has changed, where the rules refuse it.
    fn act(&mut self, step: &str) -> PyResult<()> {
        self.game().act(step).map_err(|illegal| PyValueError::new_err(illegal.to_string()))
    }

    /// Takes back the last step; False at the start.
    fn undo(&mut self) -> bool {
        self.game().undo()
    }

    /// Takes back steps until no more than `steps` are done.
    fn rewind(&mut self, steps: u64) {
        self.game().rewind(steps);
    }

    /// Steps done.
    #[getter]
    fn steps(&mut self) -> u64 {
        self.game().steps()
    }

    /// "playing", "won" or "lost".
    #[getter]
    fn status(&mut self) -> &'static str {
        match self.game().status() {
            Status::Playing => "playing",
            Status::Won => "won",
            Status::Lost(_) => "lost",
        }
    }

    /// Why the game is lost; None where it is not.
    #[getter]
    fn reason(&mut self) -> Option<String> {
        match self.game().status() {
            Status::Lost(reason) => Some(reason),
            _ => None,
        }
    }

    /// The plan so far, in the game's own format.
    #[getter]
    fn plan(&mut self) -> String {
        self.game().plan()
    }

    /// The board's extent: top row, left column, rows, columns.
    #[getter]
    fn extent(&mut self) -> Place {
        let (extent, _) = self.game().extent();
        (extent.row, extent.col, extent.rows, extent.cols)
    }

    /// Row and column of the player.
    #[getter]
    fn player(&mut self) -> Option<(i64, i64)> {
        self.game().extent().1
    }

    /// The steps that have a key, without doubles: what can be tried in any position.
    #[getter]
    fn key_steps(&mut self) -> Vec<String> {
        let mut steps: Vec<String> = Vec::new();
        for key in self.game().keys() {
            if !steps.contains(&key.step) {
                steps.push(key.step);
            }
        }
        steps
    }

    /// The step that is aimed at a cell, a throw for instance; None in games without aiming.
    fn aim(&mut self, row: i64, col: i64) -> Option<String> {
        self.game().aim(row, col)
    }

    /// The steps (of `key_steps` where none are given) that the rules allow now.
    #[pyo3(signature = (steps=None))]
    fn legal_steps(&mut self, steps: Option<Vec<String>>) -> Vec<String> {
        let steps = steps.unwrap_or_else(|| self.key_steps());
        let mut mask = vec![0; steps.len()];
        self.game().allowed(&steps, &mut mask);
        steps.into_iter().zip(mask).filter(|&(_, bit)| bit == 1).map(|(step, _)| step).collect()
    }

    /// The board's letters, one string a row.
    #[pyo3(signature = (window=None))]
    fn view(&mut self, window: Option<Place>) -> PyResult<Vec<String>> {
        let (extent, _) = self.game().extent();
        let window = window_of(extent, window)?;
        Ok(self.game().view(window.cut(extent)).rows)
    }

    /// What stands beside the board: turn, bricks, oxygen, …
    #[getter]
    fn facts<'py>(&mut self, py: Python<'py>) -> PyResult<Bound<'py, PyDict>> {
        let (extent, _) = self.game().extent();
        let nothing = Window { rows: 0, cols: 0, ..extent };
        facts(py, &self.game().view(nothing).facts)
    }

    /// Looks for a plan that begins with the steps so far, as `Area.solve_from`.
    #[pyo3(
        signature = (*, optimal=None, progress=None, events=None, **budget),
        text_signature = "($self, *, optimal=None, progress=None, events=None, time=None, memory=1024, \
                          threads=None, nodes=None, seed=1)"
    )]
    fn solve(
        &mut self,
        py: Python<'_>,
        optimal: Option<&Bound<'_, PyAny>>,
        progress: Option<&Bound<'_, PyAny>>,
        events: Option<&Bound<'_, PyAny>>,
        budget: Option<&Bound<'_, PyDict>>,
    ) -> PyResult<SearchResult> {
        let plan = self.plan();
        search::solve_from(py, &self.area(), plan, budget, optimal, Callbacks { progress, events })
    }

    /// Width, height and pixels of a picture of the board: what `picture` makes an array of.
    fn pixels<'py>(&mut self, py: Python<'py>) -> PyResult<(usize, usize, Bound<'py, PyBytes>)> {
        let picture = Picture::of_game(self.game()).map_err(undrawn)?;
        let (width, height, pixels) = picture.pixels();
        Ok((width, height, PyBytes::new(py, &pixels)))
    }

    /// A code a cell as bytes, and rows and columns: what `observation` makes an array of.
    #[pyo3(signature = (window=None))]
    fn observe<'py>(
        &mut self,
        py: Python<'py>,
        window: Option<Place>,
    ) -> PyResult<(Bound<'py, PyBytes>, u32, u32)> {
        let (extent, _) = self.game().extent();
        let window = window_of(extent, window)?;
        let mut codes = vec![0; window.rows as usize * window.cols as usize];
        self.game().observe(window, &mut codes);
        Ok((PyBytes::new(py, &codes), window.rows, window.cols))
    }
}
