//! A level made ready: its squares, frozen boxes, and distances in pulls.

pub mod freeze;
pub mod preparation;
pub mod pulls;
pub mod terrain;
