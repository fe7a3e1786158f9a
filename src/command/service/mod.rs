//! The two programs of the service: the door and the workers.

pub mod serve;
pub mod worker;
