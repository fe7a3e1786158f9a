//! The games from outside: one folder a game, and what holds for all of them.

mod descriptions;
mod drawings;
mod files;
mod labyrinth;
mod last_of_us;
mod monsters;
mod robots;
mod settings;
mod sokoban;
mod watching;
