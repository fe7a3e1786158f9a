//! What is known of a level before a search: squares, distances, macro moves, symmetries.

pub mod level;
pub mod macro_moves;
pub mod push_distance;
pub mod symmetry;
