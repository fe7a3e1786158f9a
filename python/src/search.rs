//! Searches: without the interpreter's lock, with progress and Ctrl-C.

use crate::certificates::{self, NotCertified};
use crate::{Area, Plan, Reduced, facts, plan_error};
use outwit::diagnostic::Source;
use outwit::games::{Measure, Objective, UnknownMeasure};
use outwit::report::{EventReporter, Report};
use outwit::search::{Control, Event, Limits, Listener, Progress, Run, UnknownWord};
use outwit::verify::{self, Settled, Thoroughness, Verified, pursue, settle};
use pyo3::exceptions::{PyKeyboardInterrupt, PyRuntimeError, PyTypeError, PyValueError};
use pyo3::prelude::*;
use pyo3::types::{PyBool, PyDict};
use std::fmt::Display;
use std::hash::{Hash, Hasher};
use std::ops::RangeInclusive;
use std::sync::atomic::Ordering;
use std::sync::mpsc::{Receiver, RecvTimeoutError, Sender, channel};
use std::sync::{Arc, Mutex};
use std::time::{Duration, Instant};

/// Time in which Ctrl-C is noticed.
pub const POLL: Duration = Duration::from_millis(50);
/// Time after the first interrupt in which others are one with it: `timeout -s INT`, say, signals a
/// program and then its process group.
const ONE: Duration = Duration::from_millis(500);
/// The longest time that can be asked for, in seconds: a year.
pub const MAX_SECONDS: f64 = 31_536_000.0;
/// The most memory that can be asked for, in MiB: 16 TiB.
const MAX_MEBIBYTES: u64 = 1 << 24;
/// The most threads that can be asked for.
const MAX_THREADS: usize = 1024;

/// What a search has found out.
#[pyclass(frozen, module = "outwit")]
pub struct SearchResult {
    area: Area,
    report: Report,
    plan: Option<Verified>,
    /// The measure of the claim about the area; none where the claim is about a position.
    claimed: Option<Option<Measure>>,
}

/// The arguments of `SearchResult._of`: the area, the report, whether it claims something of the area, and the
/// measure that was asked for.
type ResultParts<'py> = (Bound<'py, Area>, Bound<'py, PyAny>, bool, Option<&'static str>);

impl SearchResult {
    /// The result of a search, whose plan is verified.
    fn new(area: &Area, settled: Settled, measure: Option<Measure>) -> SearchResult {
        let report = Report::new(&settled);
        SearchResult {
            area: area.clone(),
            report,
            plan: settled.answer.plan,
            claimed: Some(measure),
        }
    }

    /// The same result of a search from a position: what it proves says nothing of the area.
    pub fn without_claim(self) -> SearchResult {
        SearchResult { claimed: None, ..self }
    }
}

#[pymethods]
impl SearchResult {
    /// "optimal", "found", "impossible" or "unknown".
    #[getter]
    fn verdict(&self) -> &'static str {
        self.report.standing.verdict().name()
    }

    /// The best plan that is known, verified.
    #[getter]
    fn plan(&self) -> Option<Plan> {
        Some(Plan { area: self.area.clone(), verified: self.plan.clone()? })
    }

    /// The area that was searched.
    #[getter]
    fn area(&self) -> Area {
        self.area.clone()
    }

    /// Length of the plan in the measure that was asked for.
    #[getter]
    fn length(&self) -> Option<u64> {
        self.report.standing.length()
    }

    /// No plan is shorter than this; None where it is proven that there is no plan.
    #[getter]
    fn bound(&self) -> Option<u64> {
        self.report.standing.bound()
    }

    /// Whether the plan is proven to be shortest.
    #[getter]
    fn optimal(&self) -> bool {
        self.report.standing.is_optimal()
    }

    /// Wall time of the search in seconds.
    #[getter]
    fn seconds(&self) -> f64 {
        self.report.effort.seconds
    }

    /// States expanded.
    #[getter]
    fn expanded(&self) -> u64 {
        self.report.effort.expanded
    }

    /// Why the search stopped early: "time", "memory", "nodes", "cancelled"; None where it is through.
    #[getter]
    fn stopped(&self) -> Option<String> {
        self.report.effort.stopped.map(|reason| reason.to_string())
    }

    /// What else is worth reporting.
    #[getter]
    fn notes<'py>(&self, py: Python<'py>) -> PyResult<Bound<'py, PyDict>> {
        facts(py, &self.report.notes)
    }

    /// A summary of each search that the planner ran, as a dictionary: the search's name, turns,
    /// expansions, seconds, memory, best plan and bound, and how its last turn ended.
    #[getter]
    fn searches<'py>(&self, py: Python<'py>) -> PyResult<Bound<'py, PyAny>> {
        Ok(pythonize::pythonize(py, &self.report.searches)?)
    }

    /// Proves what is claimed, that no plan is shorter than `bound` or that there is none, from the rules alone, and
    /// gives a certificate of it: a text that `Area.check` and `outwit check` accept. Keywords: `time` (no limit if
    /// none is given), `memory`, `threads`. Raises `NotCertified` if that is more than the checker can prove.
    #[pyo3(
        signature = (**budget),
        text_signature = "($self, *, time=None, memory=1024, threads=None)"
    )]
    fn certificate(&self, py: Python<'_>, budget: Option<&Bound<'_, PyDict>>) -> PyResult<String> {
        let Some(measure) = self.claimed else {
            return Err(NotCertified::new_err("a claim about a position has no certificate"));
        };
        let (claim, plan) = (self.report.claim(), self.plan.clone());
        certificates::certify(py, &self.area, measure, claim, plan, budget)
    }

    /// The whole report as a dictionary: the one that `outwit solve --json` prints, without the area.
    fn report<'py>(&self, py: Python<'py>) -> PyResult<Bound<'py, PyAny>> {
        Ok(pythonize::pythonize(py, &self.report)?)
    }

    /// The result of a report, for unpickling: its plan is verified again, and what it claims is believed.
    #[staticmethod]
    #[pyo3(name = "_of")]
    fn of(
        py: Python<'_>,
        area: PyRef<'_, Area>,
        report: &Bound<'_, PyAny>,
        is_claim: bool,
        measure: Option<&str>,
    ) -> PyResult<SearchResult> {
        let report: Result<Report, _> = pythonize::depythonize(report);
        let report = report.map_err(|error| PyValueError::new_err(error.to_string()))?;
        let measure = match measure {
            Some(name) => {
                area.area.game().game().objective(Some(name)).map_err(wrong_measure)?.measure
            }
            None => None,
        };
        let plan = report.plan.as_deref().map(|plan| area.verify(py, plan)).transpose()?;
        let plan = plan.map(|plan| plan.verified);
        if plan.as_ref().map(|plan| plan.length(measure)) != report.standing.length() {
            return Err(PyValueError::new_err("the plan does not have the length of the report"));
        }
        Ok(SearchResult { area: area.clone(), report, plan, claimed: is_claim.then_some(measure) })
    }

    fn __reduce__<'py>(slf: &Bound<'py, Self>) -> PyResult<Reduced<'py, ResultParts<'py>>> {
        let result = slf.get();
        let report = result.report(slf.py())?;
        let measure = result.claimed.flatten().map(Measure::name);
        let area = Bound::new(slf.py(), result.area.clone())?;
        let parts = (area, report, result.claimed.is_some(), measure);
        Ok((slf.get_type().getattr("_of")?, parts))
    }

    /// Results are equal that have equal reports of equal areas.
    fn __eq__(&self, other: &Bound<'_, PyAny>) -> bool {
        let is_same = |other: &SearchResult| {
            let is_one = (self.claimed, &self.report) == (other.claimed, &other.report);
            is_one && self.area.is_equal(&other.area)
        };
        other.cast::<SearchResult>().is_ok_and(|other| is_same(other.get()))
    }

    fn __hash__(&self) -> u64 {
        let mut hasher = std::hash::DefaultHasher::new();
        (self.verdict(), self.report.standing.bound(), &self.report.plan).hash(&mut hasher);
        hasher.finish()
    }

    fn __repr__(&self) -> String {
        let length = self.length().map_or("None".into(), |length| length.to_string());
        format!("<outwit.SearchResult {}, length {length}>", self.verdict())
    }
}

/// The limits of a search, from the keywords `time`, `memory`, `threads`, `nodes` and `seed`. The time is `usual`
/// if none is given.
pub fn budget_of(keywords: Option<&Bound<'_, PyDict>>, usual: Duration) -> PyResult<Run> {
    let mut budget = Run::default();
    let mut time = None;
    for (name, value) in keywords.into_iter().flatten() {
        // None stands for what is usual.
        if value.is_none() {
            continue;
        }
        match name.extract::<String>()?.as_str() {
            "time" => time = Some(seconds(value.extract()?)?),
            "memory" => {
                let mebibytes = within(value.extract()?, 1..=MAX_MEBIBYTES, "memory in MiB")?;
                budget.limits.memory = usize::try_from(mebibytes << 20).unwrap_or(usize::MAX);
            }
            "threads" => {
                budget.limits.threads = within(value.extract()?, 1..=MAX_THREADS, "threads")?
            }
            "nodes" => budget.limits.nodes = Some(within(value.extract()?, 1..=u64::MAX, "nodes")?),
            "seed" => budget.limits.seed = value.extract()?,
            other => return Err(PyTypeError::new_err(format!("unexpected keyword {other:?}"))),
        }
    }
    // As on the command line: with a number of nodes the clock does not count.
    let usual =
        if budget.limits.nodes.is_some() { Duration::from_secs_f64(MAX_SECONDS) } else { usual };
    budget.limits.time = time.unwrap_or(usual);
    Ok(budget)
}

/// A wall time.
pub fn seconds(seconds: f64) -> PyResult<Duration> {
    within(seconds, 1e-9..=MAX_SECONDS, "time in seconds").map(Duration::from_secs_f64)
}

/// The value, where it is in a range.
fn within<T: PartialOrd + Display>(value: T, range: RangeInclusive<T>, name: &str) -> PyResult<T> {
    match range.contains(&value) {
        true => Ok(value),
        false => {
            let (least, most) = range.into_inner();
            Err(PyValueError::new_err(format!("{name} is from {least} to {most}")))
        }
    }
}

/// The objective: `optimal` is a truth value or the name of a measure.
pub fn objective_of(area: &Area, optimal: Option<&Bound<'_, PyAny>>) -> PyResult<Objective> {
    let Some(optimal) = optimal else { return Ok(Objective::default()) };
    if let Ok(wanted) = optimal.cast::<PyBool>() {
        return Ok(if wanted.is_true() { Objective::OPTIMAL } else { Objective::default() });
    }
    let wrong = |_| PyTypeError::new_err("optimal is True, False or the name of a measure");
    let name = optimal.extract::<String>().map_err(wrong)?;
    let objective = area.area.game().game().objective(Some(&name));
    objective.map_err(wrong_measure)
}

fn wrong_measure(unknown: UnknownMeasure) -> PyErr {
    PyValueError::new_err(unknown.to_string())
}

/// Progress as keyword arguments of the callback.
fn tell(callback: &Bound<'_, PyAny>, progress: &Progress) -> PyResult<()> {
    let values = PyDict::new(callback.py());
    values.set_item("phase", &progress.phase)?;
    values.set_item("nodes", progress.nodes)?;
    values.set_item("best", progress.best)?;
    values.set_item("bound", progress.bound)?;
    values.set_item("fraction", progress.fraction)?;
    callback.call1((values,)).map(drop)
}

type Work = Box<dyn FnOnce(&Run) -> Settled + Send>;

/// The functions that a search calls while it goes on.
#[derive(Clone, Copy, Default)]
pub struct Callbacks<'a, 'py> {
    /// Called with the latest progress now and then.
    pub progress: Option<&'a Bound<'py, PyAny>>,
    /// Called with each event.
    pub events: Option<&'a Bound<'py, PyAny>>,
}

impl Callbacks<'_, '_> {
    /// Calls them with what has happened since the last call. Plans are verified without the interpreter's lock.
    fn call(
        self,
        py: Python<'_>,
        latest: &Mutex<Option<Progress>>,
        (reporter, happened): (&mut EventReporter<'_>, &Receiver<Event>),
    ) -> PyResult<()> {
        let news = latest.lock().ok().and_then(|mut latest| latest.take());
        if let Some((callback, news)) = self.progress.zip(news) {
            tell(callback, &news)?;
        }
        for event in happened.try_iter() {
            let report = py.detach(|| reporter.report(event));
            if let Some((callback, report)) = self.events.zip(report) {
                callback.call1((pythonize::pythonize(py, &report)?,))?;
            }
        }
        Ok(())
    }
}

/// Listeners for the callbacks that there are.
fn listen(
    control: Control,
    callbacks: Callbacks<'_, '_>,
    latest: &Arc<Mutex<Option<Progress>>>,
    sender: Sender<Event>,
) -> Control {
    let latest = Arc::clone(latest);
    let progress = Control::progress_listener(move |progress| {
        if let Ok(mut latest) = latest.lock() {
            *latest = Some(progress.clone());
        }
    });
    let events: Listener = Arc::new(move |event| {
        // Nobody hears any more where the receiver is gone.
        let _ = sender.send(event.clone());
    });
    let progress = callbacks.progress.map(|_| progress);
    let events = callbacks.events.map(|_| events);
    progress.into_iter().chain(events).fold(control, |control, also| control.heard_by(also))
}

/// Runs a search of an area on threads of its own, and waits for it here; plans are short in this measure.
fn run(
    py: Python<'_>,
    (area, measure): (&Area, Option<Measure>),
    mut budget: Run,
    callbacks: Callbacks<'_, '_>,
    work: Work,
) -> PyResult<Settled> {
    let pool = budget.limits.pool().map_err(|error| PyRuntimeError::new_err(error.to_string()))?;
    let latest: Arc<Mutex<Option<Progress>>> = Arc::default();
    let (teller, happened) = channel();
    let mut reporter = EventReporter::new(&*area.area, measure);
    budget.control = listen(budget.control, callbacks, &latest, teller);
    let cancel = Arc::clone(&budget.control.cancel);
    let (sender, answers) = channel::<Settled>();
    pool.spawn(move || {
        // The search is not waited for any more where the receiver is gone.
        let _ = sender.send(work(&budget));
    });
    let mut failure = None;
    let answer = wait(py, answers, || {
        let told = callbacks.call(py, &latest, (&mut reporter, &happened));
        if let Err(error) = told.and_then(|()| py.check_signals()) {
            failure.get_or_insert((error, Instant::now()));
            cancel.store(true, Ordering::Relaxed);
        }
        Ok(())
    })?;
    if failure.is_none() {
        // The last events may have come together with the answer.
        let events = Callbacks { progress: None, ..callbacks };
        events.call(py, &latest, (&mut reporter, &happened))?;
    }
    let failure = match failure {
        Some((error, first)) if error.is_instance_of::<PyKeyboardInterrupt>(py) => {
            let_pass(py, first)?;
            Some(error)
        }
        failure => failure.map(|(error, _)| error),
    };
    match (failure, answer) {
        (Some(error), _) if !error.is_instance_of::<PyKeyboardInterrupt>(py) => Err(error),
        // Ctrl-C: the best so far is the answer.
        (_, Some(answer)) => Ok(answer),
        (Some(error), None) => Err(error),
        (None, None) => Err(PyRuntimeError::new_err("the planner has failed; this is our fault")),
    }
}

/// Works on a thread of its own, without the interpreter's lock, until Ctrl-C cancels it.
pub fn interruptible<T: Send + 'static>(
    py: Python<'_>,
    work: impl FnOnce(&Control) -> T + Send + 'static,
) -> PyResult<T> {
    let control = Control::default();
    let (sender, results) = channel();
    let worker = control.clone();
    std::thread::spawn(move || {
        // Nobody waits any more where the receiver is gone.
        let _ = sender.send(work(&worker));
    });
    let done = wait(py, results, || py.check_signals().inspect_err(|_| control.cancel()))?;
    done.ok_or_else(|| PyRuntimeError::new_err("a planner has failed; this is our fault"))
}

/// Waits without the interpreter's lock for the result of another thread, and does something every [`POLL`] until it
/// is there; an error of that ends the waiting. None if the thread has ended without a result.
fn wait<T: Send>(
    py: Python<'_>,
    mut results: Receiver<T>,
    mut meanwhile: impl FnMut() -> PyResult<()>,
) -> PyResult<Option<T>> {
    loop {
        let result;
        // A receiver belongs to one thread at a time, so it goes along.
        (results, result) = py.detach(move || {
            let result = results.recv_timeout(POLL);
            (results, result)
        });
        match result {
            Ok(done) => return Ok(Some(done)),
            Err(RecvTimeoutError::Disconnected) => return Ok(None),
            Err(RecvTimeoutError::Timeout) => meanwhile()?,
        }
    }
}

/// Waits until an interrupt is none any more that belongs to the first, and lets those pass that come
/// before.
fn let_pass(py: Python<'_>, first: Instant) -> PyResult<()> {
    while first.elapsed() < ONE {
        py.detach(|| std::thread::sleep(POLL));
        match py.check_signals() {
            Err(error) if !error.is_instance_of::<PyKeyboardInterrupt>(py) => return Err(error),
            _ => {}
        }
    }
    Ok(())
}

/// Reads how thoroughly a search goes on from its first plan: "quick", "good" or "best".
fn thoroughness(effort: &str) -> PyResult<Thoroughness> {
    let wrong = |error: UnknownWord| PyValueError::new_err(error.to_string());
    effort.parse().map_err(wrong)
}

/// Looks for a plan, a shorter one than the known one if there is one.
pub fn solve(
    py: Python<'_>,
    area: &Area,
    (known, effort): (Option<&str>, &str),
    budget: Option<&Bound<'_, PyDict>>,
    optimal: Option<&Bound<'_, PyAny>>,
    callbacks: Callbacks<'_, '_>,
) -> PyResult<SearchResult> {
    let budget = budget_of(budget, Limits::default().time)?;
    let objective = objective_of(area, optimal)?;
    let effort = thoroughness(effort)?;
    let known = known.map(|plan| area.verify(py, plan)).transpose()?.map(|plan| plan.verified);
    let searched = Arc::clone(&area.area);
    let work = Box::new(move |run: &Run| pursue(&*searched, &objective, known, run, effort));
    let settled = run(py, (area, objective.measure), budget, callbacks, work)?;
    Ok(SearchResult::new(area, settled, objective.measure))
}

/// Looks for a plan that begins with the steps of another one, which need not have come to its end.
pub fn solve_from(
    py: Python<'_>,
    area: &Area,
    begun: String,
    budget: Option<&Bound<'_, PyDict>>,
    optimal: Option<&Bound<'_, PyAny>>,
    callbacks: Callbacks<'_, '_>,
) -> PyResult<SearchResult> {
    let budget = budget_of(budget, Limits::default().time)?;
    let objective = objective_of(area, optimal)?;
    let position = py.detach(|| area.area.position(&Source::new("plan", begun)));
    let position = position.map_err(|error| plan_error(py, &error))?;
    let searched = Arc::clone(&area.area);
    let work = Box::new(move |run: &Run| {
        settle(&*searched, position.solve(&objective, run), None, objective.measure)
    });
    let settled = run(py, (area, objective.measure), budget, callbacks, work)?;
    Ok(SearchResult::new(area, settled, objective.measure).without_claim())
}

/// Shortens a valid plan; the better of the two is the answer.
pub fn improve(
    py: Python<'_>,
    area: &Area,
    plan: &str,
    budget: Option<&Bound<'_, PyDict>>,
    callbacks: Callbacks<'_, '_>,
) -> PyResult<SearchResult> {
    let budget = budget_of(budget, Limits::default().time)?;
    let known = area.verify(py, plan)?.verified;
    let searched = Arc::clone(&area.area);
    let work =
        Box::new(move |run: &Run| verify::improve(&*searched, &Objective::default(), known, run));
    let settled = run(py, (area, None), budget, callbacks, work)?;
    Ok(SearchResult::new(area, settled, None))
}
