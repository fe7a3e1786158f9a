//! Labyrinth: referee and players, and mazes that others would draw.

mod others;
mod referee;
