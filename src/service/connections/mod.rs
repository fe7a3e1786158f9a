//! Connections: their limits, who may stay, who keeps whom waiting.

mod connection;
mod door;
mod room;
mod server;

pub use connection::{InHand, Life, Open, Sending};
pub use door::serve;
pub use server::{listen, reserved};
