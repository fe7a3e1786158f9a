//! Open lists that searches share.

mod contours;

pub(crate) use contours::{Buckets, Contours, Visits};
