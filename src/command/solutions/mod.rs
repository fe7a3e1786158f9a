//! Commands about folders of solutions, as `outwit batch` writes them.

pub mod compare;
pub mod report;

use super::{Failure, output};
use outwit::batch::compare::claims_of;
use outwit::batch::index::Claim;
use std::path::Path;

/// The claims of a folder; what cannot be read of it is said.
fn read(folder: &Path) -> Result<Vec<Claim>, Failure> {
    let wrong = |why| Failure::Usage(format!("{}: {why}", folder.display()));
    let (claims, faults) = claims_of(folder).map_err(wrong)?;
    faults.iter().for_each(|fault| output::say(fault));
    Ok(claims)
}
