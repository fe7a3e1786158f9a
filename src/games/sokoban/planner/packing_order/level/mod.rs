//! A level made ready: its squares, and distances in pulls.

pub mod block;
pub mod preparation;
pub mod pulls;
pub mod terrain;
pub mod trimming;
