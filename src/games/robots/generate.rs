//! New cases: at random, and those of them that are hard.

use super::format::{BOARD, Case, MAX_ROBOTS, START};
use crate::board::Cell;
use rand::prelude::*;
use rand_chacha::ChaCha8Rng;

/// What a random case is like.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Kind {
    /// Robots.
    pub robots: usize,
    /// Teleport locations, all different.
    pub teleports: usize,
    /// Robots stand in the rows and columns from 15 - spread to 16 + spread, where on the board.
    pub spread: u32,
}

impl Kind {
    /// One of the kinds that the statement's larger cases mix: few and many robots, none and many
    /// teleports, crowded and all over the board.
    pub fn mixed(random: &mut ChaCha8Rng) -> Kind {
        Kind {
            robots: *[2, 3, 5, 10, 20, MAX_ROBOTS].choose(random).expect("not empty"),
            teleports: *[0, 1, 3, 20].choose(random).expect("not empty"),
            spread: *[3, 8, 16].choose(random).expect("not empty"),
        }
    }

    /// A case of this kind.
    ///
    /// # Panics
    /// If the square does not hold the robots.
    pub fn case(self, random: &mut ChaCha8Rng) -> Case {
        let inside =
            |at: i32| (-(self.spread as i32)..=self.spread as i32 + 1).contains(&(at - 14));
        let square: Vec<Cell> = BOARD
            .iter()
            .filter(|&c| c != START && inside(BOARD.row(c)) && inside(BOARD.col(c)))
            .collect();
        assert!(square.len() >= self.robots, "the square holds the robots");
        let robots = square.sample(random, self.robots).copied().collect();
        let board: Vec<Cell> = BOARD.iter().collect();
        let teleports = board.sample(random, self.teleports).copied().collect();
        Case { robots, teleports }
    }
}

/// A random generator with a seed.
pub fn random(seed: u64) -> ChaCha8Rng {
    ChaCha8Rng::seed_from_u64(seed)
}
