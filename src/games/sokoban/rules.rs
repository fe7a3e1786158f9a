//! The reference rules: the statement, line by line, slow and obvious.
//!
//! Written apart from [`super::board`], which shares nothing with it but geometry; a property test
//! holds the two together. Every plan leaves through here.

use super::format::{Level, draw};
use crate::board::{BitBoard, Cell, Direction, Shape};
use std::fmt;

/// A game under the statement's rules.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Game {
    shape: Shape,
    walls: BitBoard,
    targets: BitBoard,
    boxes: BitBoard,
    player: Cell,
    misplaced: usize,
    moves: u64,
    pushes: u64,
}

/// What a key did.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Done {
    /// The player walked.
    Moved,
    /// The player pushed a box.
    Pushed,
}

/// Why a key does nothing.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Blocked {
    /// The player stands before a wall.
    Wall,
    /// The box before the player stands before a wall.
    BoxAtWall,
    /// The box before the player stands before another box.
    BoxAtBox,
}

impl fmt::Display for Blocked {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(match self {
            Blocked::Wall => "a wall is in the way",
            Blocked::BoxAtWall => "the box cannot be pushed: a wall is behind it",
            Blocked::BoxAtBox => "the box cannot be pushed: another box is behind it",
        })
    }
}

impl Game {
    /// The game at a level's start.
    pub fn new(level: &Level) -> Self {
        Game::from_parts(
            level.shape,
            level.drawn.clone(),
            level.targets.clone(),
            level.boxes.clone(),
            level.player,
        )
    }

    /// A game from its parts. What is outside the board counts as wall.
    pub fn from_parts(
        shape: Shape,
        walls: BitBoard,
        targets: BitBoard,
        boxes: BitBoard,
        player: Cell,
    ) -> Self {
        let misplaced = boxes.iter().filter(|&cell| !targets.contains(cell)).count();
        Game { shape, walls, targets, boxes, player, misplaced, moves: 0, pushes: 0 }
    }

    /// Presses a key.
    ///
    /// # Errors
    /// Why nothing happened; the game is unchanged then.
    pub fn press(&mut self, direction: Direction) -> Result<Done, Blocked> {
        let ahead = self.free_of_walls(self.player, direction).ok_or(Blocked::Wall)?;
        // "If the indicated direction leads to an empty location, the worker advances."
        if !self.boxes.contains(ahead) {
            self.player = ahead;
            self.moves += 1;
            return Ok(Done::Moved);
        }
        // "If the worker would move into a box, and the location on the other side is empty, then
        // both move one spot."
        let beyond = self.free_of_walls(ahead, direction).ok_or(Blocked::BoxAtWall)?;
        if self.boxes.contains(beyond) {
            return Err(Blocked::BoxAtBox);
        }
        self.boxes.remove(ahead);
        self.boxes.insert(beyond);
        self.misplaced += usize::from(self.targets.contains(ahead));
        self.misplaced -= usize::from(self.targets.contains(beyond));
        self.player = ahead;
        self.moves += 1;
        self.pushes += 1;
        Ok(Done::Pushed)
    }

    fn free_of_walls(&self, cell: Cell, direction: Direction) -> Option<Cell> {
        self.shape.step(cell, direction).filter(|&next| !self.walls.contains(next))
    }

    /// Whether every box is on a target.
    pub fn is_complete(&self) -> bool {
        self.misplaced == 0
    }

    /// Boxes that are not on a target.
    pub fn misplaced(&self) -> usize {
        self.misplaced
    }

    /// Keys that did something.
    pub fn moves(&self) -> u64 {
        self.moves
    }

    /// Keys that pushed a box.
    pub fn pushes(&self) -> u64 {
        self.pushes
    }

    /// Where the player stands.
    pub fn player(&self) -> Cell {
        self.player
    }

    /// Where the boxes stand.
    pub fn boxes(&self) -> &BitBoard {
        &self.boxes
    }

    /// The walls.
    pub fn walls(&self) -> &BitBoard {
        &self.walls
    }

    /// The targets.
    pub fn targets(&self) -> &BitBoard {
        &self.targets
    }

    /// Rows and columns.
    pub fn shape(&self) -> Shape {
        self.shape
    }

    /// The board in XSB.
    pub fn board(&self) -> String {
        draw(self.shape, &self.walls, &self.targets, &self.boxes, Some(self.player))
    }
}
