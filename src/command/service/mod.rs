//! The two programs of the service: the server that answers requests, and the workers that search.

pub mod serve;
pub mod worker;
