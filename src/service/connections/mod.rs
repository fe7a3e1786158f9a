//! Connections: their limits, who may stay, who keeps whom waiting.

mod acceptor;
mod connection;
mod server;
mod slots;

pub use acceptor::serve;
pub use connection::{InHand, Life, Open, Sending};
pub use server::{listen, reserved};
