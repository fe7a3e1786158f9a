//! Certificates beside the plans: what is claimed of an area, in a form that anyone can check.
//!
//! A certificate is written only after the checker has accepted it: see [`mod@crate::check`]. The record
//! remembers the text that was accepted, so that no run checks it again. A certificate that only the index
//! knows is checked.

use super::files::replace;
use super::names::certificate_file;
use super::record::{CertificateRecord, is_certificate_there, run_tag};
use super::{Batch, Given, Known, Options, PlannerError, Task};
use crate::certificate::{Certificate, Claim};
use crate::check::{CheckError, certify, check};
use crate::diagnostic::Source;
use crate::games::Fingerprint;
use crate::search::Run;
use crate::verify::Verified;
use std::panic::{AssertUnwindSafe, catch_unwind};
use std::path::Path;

impl Batch<'_> {
    /// Certifies what is claimed of an area in the measure of this run, unless that was done, or was tried with
    /// this budget.
    pub(super) fn certify(
        &self,
        worker: usize,
        task: &Task,
        known: &mut Known,
        plan: Option<&Verified>,
        remarks: &mut Vec<String>,
    ) {
        let Some(claim) = known.standing.claim().filter(|_| self.options.certify) else { return };
        let Options { out, budget, shard, .. } = self.options;
        let (measure, given) = (self.measure(task), Given::new(budget, false));
        if let Some(earlier) = known.certificate.as_ref().filter(|known| known.claim == claim)
            && match earlier.text {
                Some(text) => {
                    earlier.given != Given::nothing()
                        && is_certificate_there(out, &task.key, measure, text)
                }
                None => earlier.given.covers(&given) && !self.options.again,
            }
        {
            return;
        }
        let file = certificate_file(out, &task.key, measure);
        let write = |certificate: &Certificate| {
            let text = certificate.to_string();
            let written = replace(&file, text.as_bytes(), &run_tag(&shard.tag()));
            let written = written.map(|()| Fingerprint::of(&[&text]));
            written.map_err(|error| PlannerError::from(error.to_string()))
        };
        let proven = match self.held_certificate(worker, task, &file, claim) {
            Some(text) => Ok(text),
            None => self.make(worker, task, claim, plan).and_then(|made| write(&made)),
        };
        if self.options.budget.control.is_cancelled() && proven.is_err() {
            return;
        }
        let text = proven.map_err(|why| remarks.push(format!("no certificate: {why}"))).ok();
        known.certificate = Some(CertificateRecord { claim, text, given });
    }

    /// The text of the certificate that is there, where it says as much and the checker accepts it.
    fn held_certificate(
        &self,
        worker: usize,
        task: &Task,
        file: &Path,
        claim: Claim,
    ) -> Option<Fingerprint> {
        let source = Source::read(file).ok()?;
        let certificate = Certificate::read(&source).ok()?;
        let work = |run: &Run| check(&*task.area, &certificate, run);
        self.is_of(&certificate, task, claim).then(|| self.proving(worker, work).ok())??;
        Some(Fingerprint::of(&[&source.text]))
    }

    /// Whether a certificate is of a claim in the measure of this run.
    fn is_of(&self, certificate: &Certificate, task: &Task, claim: Claim) -> bool {
        let measure = certificate.measure.as_deref();
        certificate.claim == claim && measure.is_none_or(|measure| measure == self.measure(task))
    }

    /// Proves a claim, or has it proven by those who search.
    fn make(
        &self,
        worker: usize,
        task: &Task,
        claim: Claim,
        plan: Option<&Verified>,
    ) -> Result<Certificate, PlannerError> {
        let objective = self.objective();
        if let Some(proven) = self.planner.certify(task, objective, &self.budget_of(worker)) {
            let certificate = proven?;
            let is_of_area = certificate.area == Fingerprint::of_area(&*task.area).to_string();
            if !is_of_area || !self.is_of(&certificate, task, claim) {
                return Err(format!("what was proven is that {}", certificate.claim).into());
            }
            return Ok(Certificate {
                plan: plan.map(|plan| plan.text().to_owned()),
                ..certificate
            });
        }
        let measure = objective.measure;
        self.proving(worker, |run| certify(&*task.area, measure, claim, plan, run))
    }

    /// Runs the checker within the budget; one that panics has proven nothing.
    fn proving<T: Send>(
        &self,
        worker: usize,
        work: impl FnOnce(&Run) -> Result<T, CheckError> + Send,
    ) -> Result<T, PlannerError> {
        let run = self.budget_of(worker);
        let proof = || run.limits.install(|| work(&run));
        match catch_unwind(AssertUnwindSafe(proof)) {
            Ok(proven) => proven.map_err(|error| error.to_string().into()),
            Err(_) => Err("fault of the checker: it panicked".into()),
        }
    }
}
