//! The reference rules: the statement, in its words, slow and obvious.
//!
//! Positions are lists and sets of (row, column) from 1, as in the statement. Nothing here is shared
//! with the fast [`super::state`] but the names of cells and moves.

use super::format::{BOARD, Case, Move, START};
use crate::board::{Cell, Direction};
use std::collections::{BTreeMap, BTreeSet};

/// A cell as (row, column), both from 1.
pub type Place = (i32, i32);

/// The statement's (row, column) of a cell.
pub fn place_of(cell: Cell) -> Place {
    (BOARD.row(cell) + 1, BOARD.col(cell) + 1)
}

/// How a game stands.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum Standing {
    /// It goes on.
    Playing,
    /// No robots are left, and none has moved onto you.
    Won,
    /// A robot has moved onto you.
    Lost,
}

/// A game under the reference rules.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Game {
    /// Your cell.
    pub you: Place,
    /// The remaining robots.
    pub robots: BTreeSet<Place>,
    /// The cells with debris.
    pub debris: BTreeSet<Place>,
    /// The teleport locations in the order of the list, and whether each is used.
    pub teleports: Vec<(Place, bool)>,
    /// Moves you have made.
    pub moves: u64,
    /// How the game stands.
    pub standing: Standing,
}

impl Game {
    /// The game at its start.
    pub fn new(case: &Case) -> Self {
        Game {
            you: place_of(START),
            robots: case.robots.iter().map(|&cell| place_of(cell)).collect(),
            debris: BTreeSet::new(),
            teleports: case.teleports.iter().map(|&cell| (place_of(cell), false)).collect(),
            moves: 0,
            standing: Standing::Playing,
        }
    }

    /// Your move, then the robots' move.
    ///
    /// # Errors
    /// Why the move is illegal; nothing has changed then.
    pub fn step(&mut self, m: Move) -> Result<Standing, String> {
        match self.standing {
            Standing::Won => return Err("the game is won already".into()),
            Standing::Lost => return Err("the game is lost already".into()),
            Standing::Playing => {}
        }
        match m {
            Move::Walk(None) => {}
            Move::Walk(Some(direction)) => self.walk(direction)?,
            Move::Teleport(cell) => self.teleport(place_of(cell))?,
        }
        self.moves += 1;
        self.robots_move();
        Ok(self.standing)
    }

    /// Walks to a neighbour, pushing debris.
    fn walk(&mut self, direction: Direction) -> Result<(), String> {
        let beyond = |(row, col): Place| (row + direction.drow(), col + direction.dcol());
        let to = beyond(self.you);
        if !on_board(to) {
            return Err(format!("{} is off the board", show(to)));
        }
        if self.robots.contains(&to) {
            return Err(format!("a robot stands on {}", show(to)));
        }
        if self.debris.contains(&to) {
            let next = beyond(to);
            if !on_board(next) {
                return Err(format!("the debris on {} would leave the board", show(to)));
            }
            if self.debris.contains(&next) {
                return Err(format!(
                    "the debris on {} would be pushed onto the debris on {}",
                    show(to),
                    show(next)
                ));
            }
            self.debris.remove(&to);
            self.debris.insert(next);
            self.robots.remove(&next);
        }
        self.you = to;
        Ok(())
    }

    /// Teleports to a location of the list that is unused and empty.
    fn teleport(&mut self, to: Place) -> Result<(), String> {
        if !self.teleports.iter().any(|&(place, _)| place == to) {
            return Err(format!("{} is not in the teleport list", show(to)));
        }
        let Some(entry) = self.teleports.iter().position(|&t| t == (to, false)) else {
            return Err(format!("the teleport location {} has been used", show(to)));
        };
        if let Some(what) = self.occupant(to) {
            return Err(format!("the teleport location {} holds {what}", show(to)));
        }
        self.teleports[entry].1 = true;
        self.you = to;
        Ok(())
    }

    /// What a cell holds, in words; `None` where it is empty.
    pub fn occupant(&self, place: Place) -> Option<&'static str> {
        if place == self.you {
            Some("you")
        } else if self.robots.contains(&place) {
            Some("a robot")
        } else if self.debris.contains(&place) {
            Some("debris")
        } else {
            None
        }
    }

    /// All robots walk at the same time toward your cell.
    fn robots_move(&mut self) {
        let mut arrivals: BTreeMap<Place, u32> = BTreeMap::new();
        for &(row, col) in &self.robots {
            let to = (row + (self.you.0 - row).signum(), col + (self.you.1 - col).signum());
            *arrivals.entry(to).or_default() += 1;
        }
        self.robots.clear();
        for (&place, &robots) in &arrivals {
            if robots >= 2 {
                self.debris.insert(place);
            } else if !self.debris.contains(&place) {
                self.robots.insert(place);
            }
        }
        if arrivals.contains_key(&self.you) {
            self.standing = Standing::Lost;
        } else if self.robots.is_empty() {
            self.standing = Standing::Won;
        }
    }

    /// The statement's strategy: its next move. Where no walk and no teleport avoids losing at once,
    /// it stays.
    pub fn strategy(&self) -> Move {
        let mut best: Option<((usize, i32, i32, i32), Move)> = None;
        let walks = Direction::ALL.iter().map(|&d| Some(d)).chain([None]);
        for m in walks.map(Move::Walk) {
            let mut after = self.clone();
            if after.step(m).is_err() || after.standing == Standing::Lost {
                continue;
            }
            let nearest = after.robots.iter().map(|&robot| manhattan(robot, after.you)).min();
            let rank = (after.robots.len(), -nearest.unwrap_or(i32::MAX), after.you.0, after.you.1);
            if best.is_none_or(|(least, _)| rank < least) {
                best = Some((rank, m));
            }
        }
        if let Some((_, m)) = best {
            return m;
        }
        for &((row, col), used) in &self.teleports {
            let m = Move::Teleport(BOARD.cell(row as u32 - 1, col as u32 - 1));
            let mut after = self.clone();
            if !used && after.step(m).is_ok() && after.standing != Standing::Lost {
                return m;
            }
        }
        Move::Walk(None)
    }

    /// Plays the strategy to the end; the moves it made.
    pub fn follow_strategy(&mut self) -> Vec<Move> {
        let mut moves = Vec::new();
        while self.standing == Standing::Playing {
            let m = self.strategy();
            self.step(m).expect("the strategy makes legal moves");
            moves.push(m);
        }
        moves
    }
}

fn on_board((row, col): Place) -> bool {
    BOARD.at(row - 1, col - 1).is_some()
}

fn manhattan(a: Place, b: Place) -> i32 {
    (a.0 - b.0).abs() + (a.1 - b.1).abs()
}

fn show((row, col): Place) -> String {
    format!("({row},{col})")
}
