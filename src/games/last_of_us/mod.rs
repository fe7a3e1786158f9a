//! The Last of Us: Ellie must reach the exit past blind clickers that hunt by sound.

pub mod format;
pub mod state;
