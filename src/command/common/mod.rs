//! What several commands share.

/// What a search may spend.
pub mod budget;
/// A terminal that is hung up.
pub mod hangup;
/// Files, games, levels.
pub mod input;
/// Streams, JSON, reports.
pub mod output;
/// Progress on the terminal.
pub mod progress;
/// Signals that ask the program to end.
pub mod signals;
/// Tables in the terminal.
pub mod table;
