//! Many areas at once.

pub mod files;
