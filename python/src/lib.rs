//! The Python package `outwit`: areas, plans, searches and games played by hand.
//!
//! Plans leave as `outwit::verify::Verified` only, as they do everywhere. A search runs without the
//! interpreter's lock, on a thread of its own: the calling thread hands progress to the callback and
//! looks for Ctrl-C.

mod certificates;
mod labels;
mod search;
mod session;
mod vector;

use outwit::diagnostic::{Diagnostic, Source};
use outwit::games::{Fact, GameId, GenerateOptions, PlanError, Refusal, Role, Value, identify};
use outwit::render::{Picture, PictureError};
use outwit::search::UnknownWord;
use outwit::verify::{Verified, steps, verify_level};
use pyo3::exceptions::{PyOSError, PyUserWarning, PyValueError};
use pyo3::prelude::*;
use pyo3::types::{PyBytes, PyDict};
use search::Callbacks;
use std::ffi::CString;
use std::hash::{Hash, Hasher};
use std::path::{Path, PathBuf};
use std::sync::Arc;

pyo3::create_exception!(
    outwit,
    ReadError,
    PyValueError,
    "An input that cannot be read: `file`, `line` and `column` (from 1) tell where."
);
pyo3::create_exception!(
    outwit,
    InvalidPlan,
    PyValueError,
    "A plan that the rules refuse: `step` (from 1), `line`, `reason` and `board` tell where and why."
);

pyo3::create_exception!(
    outwit,
    UnreadableLevel,
    PyUserWarning,
    "A level of a collection that cannot be read; the others are."
);

/// A diagnostic as an exception.
fn read_error(py: Python<'_>, diagnostic: &Diagnostic) -> PyErr {
    let error = ReadError::new_err(diagnostic.report(false));
    let value = error.value(py);
    // An exception takes any attribute; where it does not, its text still says all.
    let _ = value.setattr("file", &diagnostic.file);
    let _ = value.setattr("line", diagnostic.line);
    let _ = value.setattr("column", diagnostic.column);
    error
}

/// Warns of a level of a collection that cannot be read.
fn warn(py: Python<'_>, diagnostic: &Diagnostic) -> PyResult<()> {
    let text = CString::new(diagnostic.report(false).replace('\0', " ")).unwrap_or_default();
    PyErr::warn(py, &py.get_type::<UnreadableLevel>(), &text, 1)
}

/// A refusal as an exception.
fn invalid_plan(py: Python<'_>, refusal: &Refusal) -> PyErr {
    let error = InvalidPlan::new_err(format!("step {}: {}", refusal.step, refusal.reason));
    let value = error.value(py);
    let _ = value.setattr("step", refusal.step);
    let _ = value.setattr("line", refusal.line.as_ref().map(|(line, _)| *line));
    let _ = value.setattr("reason", &refusal.reason);
    let _ = value.setattr("board", &refusal.board);
    error
}

fn plan_error(py: Python<'_>, error: &PlanError) -> PyErr {
    match error {
        PlanError::Unreadable(diagnostic) => read_error(py, diagnostic),
        PlanError::Refused(refusal) => invalid_plan(py, refusal),
    }
}

/// Facts as a dictionary.
fn facts<'py>(py: Python<'py>, facts: &[Fact]) -> PyResult<Bound<'py, PyDict>> {
    let values = PyDict::new(py);
    for fact in facts {
        match &fact.value {
            Value::Number(number) => values.set_item(&*fact.name, number)?,
            Value::Text(text) => values.set_item(&*fact.name, text)?,
        }
    }
    Ok(values)
}

fn game_of(name: &str) -> PyResult<GameId> {
    name.parse().map_err(|error: UnknownWord| PyValueError::new_err(error.to_string()))
}

/// The result of `__reduce__`: a callable and its arguments, from which pickle makes a value again.
type Reduced<'py, A> = (Bound<'py, PyAny>, A);

/// The arguments of `Area._of`: game, name, text, level, and whether the area is one of many.
type AreaParts = (&'static str, String, String, usize, bool);

/// An area of a game.
#[pyclass(frozen, skip_from_py_object, module = "outwit")]
#[derive(Clone)]
struct Area {
    area: Arc<dyn outwit::games::Area>,
    level: usize,
    /// The level where the file has several: by it plans are found.
    named: Option<usize>,
}

#[pymethods]
impl Area {
    /// The game's name.
    #[getter]
    fn game(&self) -> &'static str {
        self.area.game().name()
    }

    /// The area's name or title.
    #[getter]
    fn name(&self) -> &str {
        self.area.name()
    }

    /// Its number in the file that it was read from, from 1.
    #[getter]
    fn level(&self) -> usize {
        self.level
    }

    /// The area in its game's own format.
    #[getter]
    fn text(&self) -> String {
        self.area.text()
    }

    /// Sizes and counts.
    #[getter]
    fn facts<'py>(&self, py: Python<'py>) -> PyResult<Bound<'py, PyDict>> {
        facts(py, &self.area.facts())
    }

    /// The board's extent at the start: top row, left column, rows, columns.
    #[getter]
    fn extent(&self) -> (i64, i64, u32, u32) {
        let (extent, _) = self.area.session().extent();
        (extent.row, extent.col, extent.rows, extent.cols)
    }

    /// Replays a plan through the reference rules. Of a text with several plans of the area it takes the
    /// best that holds.
    fn verify(&self, py: Python<'_>, plan: &str) -> PyResult<Plan> {
        let source = Source::new("plan", plan);
        let verified = py.detach(|| verify_level(self.area.as_ref(), self.named, &source));
        let verified = verified.map_err(|error| plan_error(py, &error))?;
        Ok(Plan { area: self.clone(), verified })
    }

    /// Checks a certificate of the area: proves its claim from the rules alone. Keywords: `time` (no limit if
    /// none is given), `memory`, `threads`. Raises `NotCertified` if the claim is not proven.
    #[pyo3(signature = (certificate, **budget))]
    fn check(
        &self,
        py: Python<'_>,
        certificate: &str,
        budget: Option<&Bound<'_, PyDict>>,
    ) -> PyResult<certificates::Certified> {
        certificates::check_text(py, self, certificate, budget)
    }

    /// The steps of a plan, one after another, as a session takes them.
    fn steps(&self, py: Python<'_>, plan: &str) -> PyResult<Vec<String>> {
        let steps = steps(self.area.as_ref(), self.named, &Source::new("plan", plan));
        let texts = steps.map(|steps| steps.map(|step| step.text).collect());
        texts.map_err(|error| read_error(py, &error))
    }

    /// Draws the area as PNG, with the path of a plan if one is given. Raises `ValueError` if the board is
    /// too large to draw, `InvalidPlan` if the rules refuse the plan.
    #[pyo3(signature = (plan=None))]
    fn png<'py>(&self, py: Python<'py>, plan: Option<&str>) -> PyResult<Bound<'py, PyBytes>> {
        let png = self.picture(py, plan)?.png()?;
        Ok(PyBytes::new(py, &png))
    }

    /// Draws the area as SVG, as `png` does.
    #[pyo3(signature = (plan=None))]
    fn svg(&self, py: Python<'_>, plan: Option<&str>) -> PyResult<String> {
        Ok(self.picture(py, plan)?.svg())
    }

    /// Draws a plan as an animated GIF: the board after each step.
    fn gif<'py>(&self, py: Python<'py>, plan: &str) -> PyResult<Bound<'py, PyBytes>> {
        let steps = self.steps(py, self.verify(py, plan)?.text())?;
        let gif = py.detach(|| outwit::render::gif(self.area.as_ref(), &steps));
        Ok(PyBytes::new(py, &gif.map_err(undrawn)?))
    }

    /// Shows the area as its picture in a notebook; `None` if the board is too large to draw.
    fn _repr_png_<'py>(&self, py: Python<'py>) -> Option<Bound<'py, PyBytes>> {
        self.png(py, None).ok()
    }

    /// Looks for a plan within a budget: `time` in seconds, `memory` in MiB, `threads`, `nodes`,
    /// `seed`. `optimal` spends it on a proof; `progress` is called with a dictionary now and then, `events` with
    /// one for each event, as `outwit solve --events` writes them: `plan`, `bound`, `turn`, `turned`, `progress`. Of
    /// a `known` plan it looks for a shorter one. With the effort "good" a plan that is found early is proven or
    /// shortened for a tenth of the budget, with "best" for all of it, with "quick" not at all.
    #[pyo3(
        signature = (*, known=None, effort="good", optimal=None, progress=None, events=None, **budget),
        text_signature = "($self, *, known=None, effort='good', optimal=None, progress=None, events=None, \
                          time=None, memory=1024, threads=None, nodes=None, seed=1)"
    )]
    #[allow(clippy::too_many_arguments)]
    fn solve(
        &self,
        py: Python<'_>,
        known: Option<&str>,
        effort: &str,
        optimal: Option<&Bound<'_, PyAny>>,
        progress: Option<&Bound<'_, PyAny>>,
        events: Option<&Bound<'_, PyAny>>,
        budget: Option<&Bound<'_, PyDict>>,
    ) -> PyResult<search::SearchResult> {
        search::solve(py, self, (known, effort), budget, optimal, Callbacks { progress, events })
    }

    /// Looks for a plan that begins with the steps of another one, which need not have come to its end. The
    /// answer's plan has these steps too; the verdict "impossible" says that the position is lost.
    #[pyo3(
        signature = (begun, *, optimal=None, progress=None, events=None, **budget),
        text_signature = "($self, begun, *, optimal=None, progress=None, events=None, time=None, memory=1024, \
                          threads=None, nodes=None, seed=1)"
    )]
    #[allow(clippy::too_many_arguments)]
    fn solve_from(
        &self,
        py: Python<'_>,
        begun: String,
        optimal: Option<&Bound<'_, PyAny>>,
        progress: Option<&Bound<'_, PyAny>>,
        events: Option<&Bound<'_, PyAny>>,
        budget: Option<&Bound<'_, PyDict>>,
    ) -> PyResult<search::SearchResult> {
        search::solve_from(py, self, begun, budget, optimal, Callbacks { progress, events })
    }

    /// Shortens a valid plan within a budget, as `solve` has it; the better of the two is the answer.
    #[pyo3(
        signature = (plan, *, progress=None, events=None, **budget),
        text_signature = "($self, plan, *, progress=None, events=None, time=None, memory=1024, threads=None, \
                          nodes=None, seed=1)"
    )]
    fn improve(
        &self,
        py: Python<'_>,
        plan: &str,
        progress: Option<&Bound<'_, PyAny>>,
        events: Option<&Bound<'_, PyAny>>,
        budget: Option<&Bound<'_, PyDict>>,
    ) -> PyResult<search::SearchResult> {
        search::improve(py, self, plan, budget, Callbacks { progress, events })
    }

    /// The meaning of each letter of its board: the letter, its role (one of `ROLES`), and a few words.
    #[getter]
    fn legend(&self) -> Vec<(char, &'static str, &'static str)> {
        let legend = self.area.game().game().legend();
        legend.signs.iter().map(|sign| (sign.letter, sign.role.name(), sign.about)).collect()
    }

    /// Reads a file of levels: the same as `outwit.read`.
    #[staticmethod]
    #[pyo3(signature = (path, game=None))]
    fn levels(py: Python<'_>, path: PathBuf, game: Option<&str>) -> PyResult<Vec<Area>> {
        read(py, path, game)
    }

    /// Opens a game to be played by hand.
    fn session(&self) -> session::Session {
        session::Session::new(Arc::clone(&self.area), self.area.session())
    }

    /// The area of a text, for unpickling: its number in the file that it was read from, and whether the
    /// file has several.
    #[staticmethod]
    #[pyo3(name = "_of")]
    fn of(
        py: Python<'_>,
        game: &str,
        name: &str,
        text: &str,
        level: usize,
        is_one_of_many: bool,
    ) -> PyResult<Area> {
        // Some games take the name from the file's.
        let source = Source::new(name, text);
        let mut areas = areas_of(py, &source, Path::new("-"), Some(game))?;
        if areas.len() != 1 {
            return Err(PyValueError::new_err(format!("{} areas, not one", areas.len())));
        }
        Ok(Area { level, named: is_one_of_many.then_some(level), ..areas.swap_remove(0) })
    }

    fn __reduce__<'py>(slf: &Bound<'py, Self>) -> PyResult<Reduced<'py, AreaParts>> {
        let area = slf.get();
        let name = area.name().to_string();
        let of = slf.get_type().getattr("_of")?;
        Ok((of, (area.game(), name, area.text(), area.level, area.named.is_some())))
    }

    /// Areas are equal that have the same game and text.
    fn __eq__(&self, other: &Bound<'_, PyAny>) -> bool {
        other.cast::<Area>().is_ok_and(|other| self.is_equal(other.get()))
    }

    fn __hash__(&self) -> u64 {
        let mut hasher = std::hash::DefaultHasher::new();
        (self.game(), self.text()).hash(&mut hasher);
        hasher.finish()
    }

    fn __repr__(&self) -> String {
        format!("<outwit.Area {} {:?}>", self.game(), self.name())
    }
}

impl Area {
    fn is_equal(&self, other: &Area) -> bool {
        let parts = |area: &Area| (area.game(), area.text());
        Arc::ptr_eq(&self.area, &other.area) || parts(self) == parts(other)
    }

    /// Draws the area, with the path of a plan that the rules accept.
    fn picture(&self, py: Python<'_>, plan: Option<&str>) -> PyResult<Picture> {
        let steps = match plan {
            Some(plan) => self.steps(py, self.verify(py, plan)?.text())?,
            None => Vec::new(),
        };
        let picture = py.detach(|| Picture::new(self.area.as_ref(), &steps));
        picture.map_err(undrawn)
    }
}

/// The exception of a picture that cannot be drawn.
fn undrawn(error: PictureError) -> PyErr {
    PyValueError::new_err(error.to_string())
}

/// A plan that has been replayed through the reference rules, to success.
#[pyclass(frozen, module = "outwit")]
struct Plan {
    area: Area,
    verified: Verified,
}

#[pymethods]
impl Plan {
    /// The plan in the game's own format, ready to submit.
    #[getter]
    fn text(&self) -> &str {
        self.verified.text()
    }

    /// Length in the game's own measure.
    #[getter]
    fn length(&self) -> u64 {
        self.verified.validation().length
    }

    /// Other measures.
    #[getter]
    fn facts<'py>(&self, py: Python<'py>) -> PyResult<Bound<'py, PyDict>> {
        facts(py, &self.verified.validation().facts)
    }

    /// What should be said of the plan besides: that there were others, or that its last keys do
    /// nothing.
    #[getter]
    fn remarks(&self) -> Vec<String> {
        self.verified.validation().remarks.clone()
    }

    /// The area that the plan is for.
    #[getter]
    fn area(&self) -> Area {
        self.area.clone()
    }

    /// A plan is made again by verifying it again.
    fn __reduce__<'py>(slf: &Bound<'py, Self>) -> PyResult<Reduced<'py, (String,)>> {
        let plan = slf.get();
        let area = Bound::new(slf.py(), plan.area.clone())?;
        Ok((area.getattr("verify")?, (plan.text().to_string(),)))
    }

    /// Plans are equal that have the same text and are for equal areas.
    fn __eq__(&self, other: &Bound<'_, PyAny>) -> bool {
        let is_same = |other: &Plan| self.text() == other.text() && self.area.is_equal(&other.area);
        other.cast::<Plan>().is_ok_and(|other| is_same(other.get()))
    }

    fn __hash__(&self) -> u64 {
        let mut hasher = std::hash::DefaultHasher::new();
        self.text().hash(&mut hasher);
        hasher.finish()
    }

    fn __str__(&self) -> &str {
        self.verified.text()
    }

    fn __repr__(&self) -> String {
        format!("<outwit.Plan of length {}>", self.length())
    }
}

fn areas_of(
    py: Python<'_>,
    source: &Source,
    path: &Path,
    game: Option<&str>,
) -> PyResult<Vec<Area>> {
    let game = match game {
        Some(name) => game_of(name)?,
        None => identify(path, source).map_err(|error| read_error(py, &error))?,
    };
    let areas = py.detach(|| game.game().read(source));
    let areas = areas.map_err(|error| read_error(py, &error))?;
    for (_, diagnostic) in areas.errors() {
        warn(py, diagnostic)?;
    }
    let many = areas.entries.len() > 1;
    let good = areas.entries.into_iter().filter_map(|entry| {
        let (level, named) = (entry.number, many.then_some(entry.number));
        Some(Area { area: entry.content.ok()?.into(), level, named })
    });
    Ok(good.collect())
}

/// Reads a file of areas. Raises `FileNotFoundError` or another `OSError` if it cannot be opened, and
/// `ReadError` if it is not one of areas.
#[pyfunction]
#[pyo3(signature = (path, game=None))]
fn read(py: Python<'_>, path: PathBuf, game: Option<&str>) -> PyResult<Vec<Area>> {
    if let Err(error) = std::fs::File::open(&path) {
        let name = path.to_string_lossy().into_owned();
        // With its number and the path Python chooses the kind of the error.
        return Err(match error.raw_os_error() {
            Some(number) => {
                let text = error.to_string();
                let text = text.trim_end_matches(&format!(" (os error {number})")).to_string();
                PyOSError::new_err((number, text, name))
            }
            None => PyOSError::new_err(format!("{name}: {error}")),
        });
    }
    let source = Source::read(&path).map_err(|error| read_error(py, &error))?;
    areas_of(py, &source, &path, game)
}

/// Reads a text of areas.
#[pyfunction]
#[pyo3(signature = (text, game=None))]
fn parse(py: Python<'_>, text: &str, game: Option<&str>) -> PyResult<Vec<Area>> {
    areas_of(py, &Source::new("<text>", text), Path::new("-"), game)
}

/// The parameters of a generator.
fn parameters(
    game: &dyn outwit::games::Game,
    seed: u64,
    values: Option<&Bound<'_, PyDict>>,
) -> PyResult<GenerateOptions> {
    let mut options = GenerateOptions { seed, ..GenerateOptions::default() };
    for (name, value) in values.into_iter().flatten() {
        let name = name.extract::<String>()?.replace('_', "-");
        if !game.parameters().iter().any(|parameter| parameter.name == name) {
            let known: Vec<_> = game.parameters().iter().map(|p| p.name).collect();
            let message = format!("{name:?} is not one of {}", known.join(", "));
            return Err(PyValueError::new_err(message));
        }
        options.values.insert(name, value.str()?.to_string());
    }
    Ok(options)
}

/// Makes an area, and a plan that proves it solvable.
#[pyfunction]
#[pyo3(signature = (game, seed=0, **values))]
fn generate(
    py: Python<'_>,
    game: &str,
    seed: u64,
    values: Option<&Bound<'_, PyDict>>,
) -> PyResult<(Area, Plan)> {
    let game = game_of(game)?.game();
    let options = parameters(game, seed, values)?;
    let made = py.detach(|| game.generate(&options));
    let made = made.map_err(|error| PyValueError::new_err(error.to_string()))?;
    let source = Source::new(made.name, made.area);
    let mut areas = areas_of(py, &source, Path::new("-"), Some(game.id().name()))?;
    let area = areas.swap_remove(0);
    let plan = area.verify(py, &made.plan)?;
    Ok((area, plan))
}

/// Describes a game: its title, goal, units and rules, as `GET /v1/games` does.
#[pyfunction]
fn describe<'py>(py: Python<'py>, game: &str) -> PyResult<Bound<'py, PyAny>> {
    Ok(pythonize::pythonize(py, &game_of(game)?.game().description())?)
}

#[pymodule]
fn _native(module: &Bound<'_, PyModule>) -> PyResult<()> {
    let py = module.py();
    let games: Vec<_> = GameId::ALL.iter().map(|game| game.name()).collect();
    module.add("__version__", env!("CARGO_PKG_VERSION"))?;
    module.add("GAMES", games)?;
    module.add("ROLES", Role::ALL.map(Role::name).to_vec())?;
    module.add("ReadError", py.get_type::<ReadError>())?;
    module.add("UnreadableLevel", py.get_type::<UnreadableLevel>())?;
    module.add("InvalidPlan", py.get_type::<InvalidPlan>())?;
    module.add("NotCertified", py.get_type::<certificates::NotCertified>())?;
    module.add_class::<Area>()?;
    module.add_class::<certificates::Certified>()?;
    module.add_class::<Plan>()?;
    module.add_class::<search::SearchResult>()?;
    module.add_class::<session::Session>()?;
    module.add_class::<labels::Label>()?;
    module.add_class::<vector::Arrays>()?;
    module.add_class::<vector::Environments>()?;
    module.add_function(wrap_pyfunction!(labels::label, module)?)?;
    module.add_function(wrap_pyfunction!(labels::dataset, module)?)?;
    module.add_function(wrap_pyfunction!(read, module)?)?;
    module.add_function(wrap_pyfunction!(parse, module)?)?;
    module.add_function(wrap_pyfunction!(generate, module)?)?;
    module.add_function(wrap_pyfunction!(describe, module)?)
}
