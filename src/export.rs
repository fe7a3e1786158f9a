//! Source files to submit: self-contained programs that know the plans of *The Last of Us*.
//!
//! The programs are written by [`crate::games::last_of_us::export`]; this is the way there, for
//! verified plans alone.

use crate::games::last_of_us::export;
pub use crate::games::last_of_us::export::ExportError;
use crate::verify::Verified;

/// The source of a Rust program that prints the plan for the area it reads, by the area's name.
///
/// # Errors
/// Two plans for one name, or a plan that is not one of this game.
pub fn rust(plans: &[(String, Verified)]) -> Result<String, ExportError> {
    export::rust(&texts(plans))
}

/// The source of a C++ program (C++11) that prints the plan for the area it reads, by the area's
/// name.
///
/// # Errors
/// Two plans for one name, or a plan that is not one of this game.
pub fn cpp(plans: &[(String, Verified)]) -> Result<String, ExportError> {
    export::cpp(&texts(plans))
}

/// Names and texts of plans.
fn texts(plans: &[(String, Verified)]) -> Vec<(&str, &str)> {
    plans.iter().map(|(name, plan)| (name.as_str(), plan.text())).collect()
}
