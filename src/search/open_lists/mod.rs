//! Open lists that searches share.

pub(crate) mod buckets;
mod contours;

pub(crate) use contours::{Buckets, Contours, Visits};
