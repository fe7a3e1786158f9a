//! What is answered: one file for each kind of thing, with its part of the API's document.

pub mod areas;
pub mod health;
pub mod jobs;
pub mod limits;
pub mod making;
pub mod plans;
pub mod play;

use crate::service::limits::{DEFAULT_PAGE, MAX_PAGE};
use crate::service::problem::Problem;

/// The number of items on a page, where a client asks for one.
///
/// # Errors
/// That it is none, or too many.
pub fn page(asked: Option<u32>) -> Result<u32, Problem> {
    let limit = asked.unwrap_or(DEFAULT_PAGE);
    if (1..=MAX_PAGE).contains(&limit) {
        return Ok(limit);
    }
    Err(Problem::bad_request(format!("limit: 1 to {MAX_PAGE}")))
}
