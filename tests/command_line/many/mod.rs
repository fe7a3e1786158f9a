//! Many areas at once.

mod batch;
mod compare;
mod dataset;
mod report;
