//! `--certificate`: the claim of an answer, in a form that anyone can check.

use super::{Bar, Failure, output};
use outwit::batch::files;
use outwit::check::certify;
use outwit::games::{Area, Objective};
use outwit::search::Run;
use outwit::verify::Settled;
use std::io;
use std::path::Path;

/// Finds out whether a certificate can be written to the file that is named, before anything is searched for.
pub fn try_place(path: Option<&Path>) -> Result<(), Failure> {
    path.map_or(Ok(()), files::try_place).map_err(|error| unwritable(path, &error))
}

fn unwritable(path: Option<&Path>, error: &io::Error) -> Failure {
    let path = path.unwrap_or(Path::new(""));
    Failure::Usage(format!("{}: the certificate cannot be written: {error}", path.display()))
}

/// Proves the claim of an answer as `outwit check` does it, and writes a certificate of it, where a file is named.
///
/// A claim that is not certified leaves the file as it is, and it is said why. Otherwise the answer is a sentence
/// about what was certified.
pub fn write(
    path: Option<&Path>,
    area: &dyn Area,
    settled: &Settled,
    objective: &Objective,
    run: &Run,
    bar: &Bar,
) -> Result<Option<String>, Failure> {
    let Some(path) = path else { return Ok(None) };
    let claim = settled.claim();
    let certified = certify(area, objective.measure, claim, settled.plan(), run);
    bar.clear();
    let certificate = match certified {
        Ok(certificate) => certificate,
        Err(error) => {
            output::say(&format!("no certificate: {error}"));
            return Ok(None);
        }
    };
    let written = files::replace(path, certificate.to_string().as_bytes(), "certificate");
    written.map_err(|error| unwritable(Some(path), &error))?;
    let states = certificate.states;
    Ok(Some(format!("certified: {claim}, {states} states closed; {}", path.display())))
}
