//! `--certificate`: what was proven, in a form that anyone can check.

use super::{Bar, Failure, output};
use outwit::batch::files::replace;
use outwit::certificate::Claim;
use outwit::check::certify;
use outwit::games::{Area, Objective};
use outwit::search::{Run, Verdict};
use outwit::verify::Settled;
use std::path::Path;

/// Proves the claim of an answer as `outwit check` does it, and writes a certificate of it.
///
/// A claim that is not certified leaves the file as it is; the report says why.
pub fn write(
    path: &Path,
    area: &dyn Area,
    settled: &Settled,
    objective: &Objective,
    run: &Run,
    bar: &Bar,
) -> Result<(), Failure> {
    let claim = match (settled.answer.verdict, settled.answer.bound) {
        (Verdict::Impossible, _) => Claim::Impossible,
        (_, Some(bound)) => Claim::AtLeast(bound),
        (_, None) => Claim::AtLeast(0),
    };
    let plan = settled.plan();
    let certified = certify(area, objective.measure, claim, plan, run);
    bar.clear();
    let certificate = match certified {
        Ok(certificate) => certificate,
        Err(error) => {
            output::say(&format!("no certificate: {error}"));
            return Ok(());
        }
    };
    let failure = |error| Failure::Usage(format!("{}: {error}", path.display()));
    replace(path, certificate.to_string().as_bytes(), "certificate").map_err(failure)?;
    let states = certificate.states;
    output::say(&format!("certified: {claim}, {states} states closed; {}", path.display()));
    Ok(())
}
