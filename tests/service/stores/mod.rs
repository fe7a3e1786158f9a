//! Stores that go away, are damaged or come to an end, and what becomes of jobs meanwhile.

mod away;
mod claims;
mod damaged;
mod flood;
mod gate;
pub mod own_postgres;
mod rounds;
mod shelf;
