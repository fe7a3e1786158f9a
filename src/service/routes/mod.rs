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

/// A page of a list, as long as a client asks.
#[derive(Clone, Copy)]
pub struct Page {
    limit: u32,
}

impl Page {
    /// A page of `asked` items, or of the default number.
    ///
    /// # Errors
    /// That it is none, or too many.
    pub fn new(asked: Option<u32>) -> Result<Page, Problem> {
        let limit = asked.unwrap_or(DEFAULT_PAGE);
        if (1..=MAX_PAGE).contains(&limit) {
            return Ok(Page { limit });
        }
        Err(Problem::bad_request(format!("limit: 1 to {MAX_PAGE}")))
    }

    /// How many items to ask the store for: one more than the page has, which tells that more
    /// follow.
    pub fn wanted(self) -> u32 {
        self.limit + 1
    }

    /// Leaves of the items what the page has; the place of the last one where more follow.
    pub fn cut<T>(self, items: &mut Vec<T>, place: impl Fn(&T) -> String) -> Option<String> {
        let more = items.len() > self.limit as usize;
        items.truncate(self.limit as usize);
        items.last().filter(|_| more).map(place)
    }
}
