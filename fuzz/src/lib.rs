//! What the fuzz targets do with the bytes they are given.
//!
//! A target is a function of bytes that panics where a promise is broken. cargo-fuzz calls it with
//! inputs that reach new code; the project's own tests call it with the seeds and with mutations of
//! them by lot. Both compile these files, so a target is written once.
//!
//! An input is text for the most part, so that a finding can be read, and seeds are areas and plans
//! as they are. Where a target needs two texts they are parted by a zero byte.

pub mod check;
pub mod input;
pub mod read;
pub mod replay;
pub mod seeds;
pub mod service_bodies;
pub mod session;
pub mod simulators;
pub mod solve;

/// A target: its name and what it does.
pub type Target = (&'static str, fn(&[u8]));

/// All targets.
pub const TARGETS: [Target; 7] = [
    ("check", check::run),
    ("read", read::run),
    ("replay", replay::run),
    ("session", session::run),
    ("simulators", simulators::run),
    ("solve", solve::run),
    ("service_bodies", service_bodies::run),
];
