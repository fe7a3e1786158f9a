//! Labels of positions: without the interpreter's lock, on all threads.

use crate::session::Session;
use crate::vector::{invalid, region_of};
use crate::{Area, Reduced, search};
use numpy::IntoPyArray;
use outwit::search::Limits;
use outwit::vector::{self, Sampling};
use pyo3::exceptions::PyValueError;
use pyo3::prelude::*;
use pyo3::types::PyDict;
use std::sync::Arc;

/// The label of a position. A field that is not known exactly is None.
#[pyclass(frozen, skip_from_py_object, module = "outwit")]
#[derive(Clone)]
pub struct Label {
    label: vector::Label,
}

#[pymethods]
impl Label {
    #[new]
    #[pyo3(signature = (distance=None, lost=None, step=None))]
    fn new(distance: Option<u64>, lost: Option<bool>, step: Option<String>) -> Label {
        Label { label: vector::Label { distance, is_lost: lost, step } }
    }

    /// The least cost from here to the end of the game.
    #[getter]
    fn distance(&self) -> Option<u64> {
        self.label.distance
    }

    /// Whether no plan leads from here to the end.
    #[getter]
    fn lost(&self) -> Option<bool> {
        self.label.is_lost
    }

    /// The first step of a plan of that cost, as a session takes it.
    #[getter]
    fn step(&self) -> Option<&str> {
        self.label.step.as_deref()
    }

    /// Whether nothing is left to be known: the position is lost, or its distance is there.
    #[getter]
    fn exact(&self) -> bool {
        self.label.is_exact()
    }

    fn __eq__(&self, other: &Bound<'_, PyAny>) -> bool {
        other.cast::<Label>().is_ok_and(|other| self.label == other.get().label)
    }

    fn __reduce__<'py>(
        slf: &Bound<'py, Self>,
    ) -> Reduced<'py, (Option<u64>, Option<bool>, Option<String>)> {
        let vector::Label { distance, is_lost, step } = slf.get().label.clone();
        (slf.get_type().into_any(), (distance, is_lost, step))
    }

    fn __repr__(&self) -> String {
        let vector::Label { distance, is_lost, step } = &self.label;
        let lost = is_lost.map_or("None", |lost| if lost { "True" } else { "False" });
        let distance = distance.map_or("None".into(), |distance| distance.to_string());
        let step = step.as_ref().map_or("None".into(), |step| format!("{step:?}"));
        format!("Label(distance={distance}, lost={lost}, step={step})")
    }
}

/// Labels positions with the distance to the end of the game, whether it is lost, and a best step, each exact or
/// None. `time` in seconds, `memory` in MiB and `nodes` limit the search for one position; `threads` positions are
/// searched at once. `measure` names the cost that is to be least; without it, it is the game's usual one.
///
/// Positions on the same `Area` object share what is learned. Ctrl-C ends the work.
#[pyfunction]
#[pyo3(
    signature = (positions, *, measure=None, **budget),
    text_signature = "(positions, *, measure=None, time=0.1, memory=1024, threads=None, nodes=None, seed=1)"
)]
pub fn label(
    py: Python<'_>,
    positions: Vec<PyRefMut<'_, Session>>,
    measure: Option<&Bound<'_, PyAny>>,
    budget: Option<&Bound<'_, PyDict>>,
) -> PyResult<Vec<Label>> {
    let Some(first) = positions.first() else { return Ok(Vec::new()) };
    let objective = search::objective_of(&first.area(), measure)?;
    let limits = search::budget_of(budget, USUAL_TIME)?.limits;
    let mut areas = Vec::with_capacity(positions.len());
    let mut sessions = Vec::with_capacity(positions.len());
    for mut position in positions {
        let (area, session) = position.position(py)?;
        areas.push(area);
        sessions.push(session);
    }
    let labels = search::interruptible(py, move |control| {
        let positions = areas.iter().map(|area| &**area).zip(sessions).collect();
        vector::label(positions, &objective, limits, control)
    })?;
    Ok(labels.into_iter().map(|label| Label { label }).collect())
}

/// Draws positions along plans of levels, and labels them: the arrays of `outwit.dataset`, flat.
#[pyfunction]
#[pyo3(signature = (levels, *, positions, strays, shape, radius, plan_time, measure, **budget))]
#[allow(clippy::too_many_arguments)]
pub fn dataset<'py>(
    py: Python<'py>,
    levels: Vec<PyRef<'py, Area>>,
    positions: usize,
    strays: u32,
    shape: Option<(u32, u32)>,
    radius: Option<u32>,
    plan_time: f64,
    measure: Option<&Bound<'py, PyAny>>,
    budget: Option<&Bound<'py, PyDict>>,
) -> PyResult<Bound<'py, PyDict>> {
    let first = levels.first().ok_or_else(|| PyValueError::new_err("there are no levels"))?;
    let objective = search::objective_of(first, measure)?;
    let limits = search::budget_of(budget, USUAL_TIME)?.limits;
    // With a number of nodes the clock does not count, here as there.
    let plan_time = search::seconds(plan_time)?;
    let plan_time = if limits.nodes.is_some() { limits.time } else { plan_time };
    let plan = Limits { time: plan_time, ..limits };
    let sampling = Sampling { positions, strays, seed: limits.seed, plan };
    let region = region_of(shape, radius)?;
    let areas: Vec<_> = levels.iter().map(|level| Arc::clone(&level.area)).collect();
    let made = search::interruptible(py, move |control| {
        vector::dataset(&areas, region, &sampling, &objective, limits, control)
    })?;
    let data = made.map_err(invalid)?;
    let arrays = PyDict::new(py);
    arrays.set_item("actions", data.actions)?;
    arrays.set_item("shape", data.shape)?;
    arrays.set_item("observations", data.observations.into_pyarray(py))?;
    arrays.set_item("masks", data.masks.into_pyarray(py))?;
    arrays.set_item("levels", data.levels.into_pyarray(py))?;
    arrays.set_item("distances", data.distances.into_pyarray(py))?;
    arrays.set_item("lost", data.lost.into_pyarray(py))?;
    arrays.set_item("best", data.best.into_pyarray(py))?;
    Ok(arrays)
}

/// Time of the search for one position where none is said.
const USUAL_TIME: std::time::Duration = std::time::Duration::from_millis(100);
