//! Certificates: proofs that anyone can check.

use crate::search::{MAX_SECONDS, budget_of, interruptible};
use crate::{Area, read_error};
use outwit::certificate::{Certificate, Claim};
use outwit::check::{self, CheckError, check};
use outwit::diagnostic::Source;
use outwit::games::Measure;
use outwit::search::{Control, Run};
use outwit::verify::Verified;
use pyo3::exceptions::{PyRuntimeError, PyValueError};
use pyo3::prelude::*;
use pyo3::types::PyDict;
use std::sync::Arc;
use std::time::Duration;

pyo3::create_exception!(
    outwit,
    NotCertified,
    PyValueError,
    "A claim that is not proven: it is false, of another area, or more than the checker can prove."
);

/// A claim that was proven from the rules alone.
#[pyclass(frozen, module = "outwit")]
pub struct Certified(check::Certified);

#[pymethods]
impl Certified {
    /// The claim in words: "no plan is shorter than 97", "there is no plan".
    #[getter]
    fn claim(&self) -> String {
        self.0.claim().to_string()
    }

    /// No plan is shorter than this; None if there is no plan.
    #[getter]
    fn bound(&self) -> Option<u64> {
        self.0.claim().limit()
    }

    /// Length of the certificate's plan, which was replayed; None if it has none.
    #[getter]
    fn length(&self) -> Option<u64> {
        self.0.length()
    }

    /// Whether the plan is as short as the claim says that plans are at least.
    #[getter]
    fn optimal(&self) -> bool {
        self.0.is_optimal()
    }

    /// States that were closed.
    #[getter]
    fn states(&self) -> u64 {
        self.0.states()
    }

    fn __repr__(&self) -> String {
        format!("<outwit.Certified {}, {} states>", self.0.claim(), self.0.states())
    }
}

/// Works on threads of its own until it is done, or Ctrl-C cancels it.
fn on_threads<T: Send + 'static>(
    py: Python<'_>,
    budget: Option<&Bound<'_, PyDict>>,
    work: impl FnOnce(&Run) -> T + Send + 'static,
) -> PyResult<T> {
    let limits = budget_of(budget, Duration::from_secs_f64(MAX_SECONDS))?.limits;
    let pool = limits.pool().map_err(|error| PyRuntimeError::new_err(error.to_string()))?;
    interruptible(py, move |control: &Control| {
        let run = Run { control: control.clone(), ..Run::from(limits) };
        pool.install(|| work(&run))
    })
}

fn refused(error: &CheckError) -> PyErr {
    NotCertified::new_err(error.to_string())
}

/// Proves the claim of a search's result.
pub fn certify(
    py: Python<'_>,
    area: &Area,
    measure: Option<Measure>,
    claim: Claim,
    plan: Option<Verified>,
    budget: Option<&Bound<'_, PyDict>>,
) -> PyResult<String> {
    let area = Arc::clone(&area.area);
    let certificate = on_threads(py, budget, move |run| {
        check::certify(area.as_ref(), measure, claim, plan.as_ref(), run)
    })?;
    certificate.map(|certificate| certificate.to_string()).map_err(|error| refused(&error))
}

/// Proves the claim of a certificate.
pub fn check_text(
    py: Python<'_>,
    area: &Area,
    certificate: &str,
    budget: Option<&Bound<'_, PyDict>>,
) -> PyResult<Certified> {
    let source = Source::new("certificate", certificate);
    let certificate = Certificate::read(&source).map_err(|error| read_error(py, &error))?;
    let area = Arc::clone(&area.area);
    let checked = on_threads(py, budget, move |run| check(area.as_ref(), &certificate, run))?;
    checked.map(Certified).map_err(|error| refused(&error))
}
