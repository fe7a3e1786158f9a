//! Corrals: areas that the player cannot enter, grown together until no push leads out of them.
//!
//! Where the next push must be one into such an area, or will have to be sooner or later, other pushes
//! can wait. This is bolder than PI-corrals are: areas are merged through the boxes between them, and
//! boxes outside that block a push, but could step aside, are taken in.

use super::level::terrain::{Terrain, left_of, right_of};
use crate::games::sokoban::board::region::Flood;
use crate::games::sokoban::board::{Board, Square};
use crate::games::sokoban::planner::deadlock::freeze::Freeze;

/// Number of areas that are grown inside one another.
const MOST_LEVELS: u32 = 8;
/// An area of up to this number of boxes is always noted.
const FEW_BOXES: usize = 6;
/// Upper limit of the boxes of an area that is noted.
const MOST_BOXES: usize = 16;

/// A position as the corrals see it.
#[derive(Clone, Copy)]
pub struct View<'a> {
    pub terrain: &'a Terrain,
    pub occupied: &'a [bool],
    /// The squares of the boxes, in the order of their numbers.
    pub boxes: &'a [Square],
    /// The player's region.
    pub region: &'a Flood,
}

/// What became of an area.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
enum Grown {
    /// A push leads out of it.
    Failed,
    /// The areas from this number on are a corral.
    Alone(u32),
    /// It is closed together with those it was grown from; whether something is to be done in it.
    Dependent(bool),
}

/// An area while it grows.
#[derive(Debug)]
struct Area {
    number: u32,
    /// The number before the first area of this attempt: what is marked higher is inside.
    low: u32,
    level: u32,
    boxes: Vec<Square>,
    /// Whether a box is off target in it, or a target is empty.
    is_unfinished: bool,
    is_dependent: bool,
    /// Where it is among the flooded areas that were noted.
    place: Option<usize>,
}

/// An area as it was flooded, for those who want to prove it dead.
#[derive(Clone, Debug)]
pub struct Flooded {
    /// The boxes around its squares.
    pub boxes: Vec<Square>,
    /// The free squares.
    pub free: Vec<Square>,
    /// Where the area is among the flooded ones that this one was grown from.
    pub outer: Option<usize>,
}

/// Upper limit of the boxes of an area that is noted, by the number of boxes on the board.
pub fn most_boxes(boxes: usize) -> usize {
    (boxes / 2).max(boxes.min(FEW_BOXES)).min(MOST_BOXES)
}

/// Finds corrals; holds the working memory.
#[derive(Clone, Debug)]
pub struct Corrals {
    /// By square: the last area that it was in.
    marks: Vec<u32>,
    number: u32,
    stack: Vec<Square>,
    free: Vec<Square>,
    freeze: Freeze,
    inside: Vec<bool>,
    /// Number of boxes that an area may have to be noted.
    pub most_boxes: usize,
    /// The areas that were flooded for the last position.
    pub flooded: Vec<Flooded>,
}

impl Corrals {
    /// Working memory for a board.
    pub fn new(board: &Board) -> Self {
        let squares = board.squares();
        Corrals {
            marks: vec![0; squares + 1],
            number: 0,
            stack: Vec::new(),
            free: Vec::new(),
            freeze: Freeze::new(board),
            inside: vec![false; squares + 1],
            most_boxes: 0,
            flooded: Vec::new(),
        }
    }

    /// Finds a corral of a position: a number that marks its boxes, for [`Corrals::is_in`].
    pub fn find(&mut self, view: View<'_>) -> Option<u32> {
        self.flooded.clear();
        if self.number > u32::MAX / 2 {
            self.marks.fill(0);
            self.number = 0;
        }
        let begun = self.number;
        for &square in view.boxes {
            let around = view.terrain.next[square as usize];
            if !around.iter().any(|&near| view.region.contains(near)) {
                continue;
            }
            for seed in around {
                let is_seed = !view.occupied[seed as usize]
                    && !view.region.contains(seed)
                    && self.marks[seed as usize] <= begun;
                if is_seed && let Grown::Alone(from) = self.grow(view, seed, (self.number, None), 0)
                {
                    return Some(from);
                }
            }
        }
        None
    }

    /// Whether a box is in the corral of this number.
    pub fn is_in(&self, square: Square, from: u32) -> bool {
        self.marks[square as usize] >= from
    }

    fn grow(
        &mut self,
        view: View<'_>,
        seed: Square,
        (low, outer): (u32, Option<usize>),
        level: u32,
    ) -> Grown {
        if level > MOST_LEVELS {
            return Grown::Failed;
        }
        let mut area = self.fill(view, seed, low, level);
        self.note(&mut area, outer);
        let mut at = 0;
        while let Some(&square) = area.boxes.get(at) {
            at += 1;
            if self.marks[square as usize] != area.number {
                continue;
            }
            area.is_unfinished |= !view.terrain.is_goal[square as usize];
            for d in 0..4 {
                match self.examine(view, &mut area, square, d) {
                    Grown::Dependent(_) => {}
                    ended => return ended,
                }
            }
        }
        match (level, area.is_unfinished) {
            (0, false) => Grown::Failed,
            (0, true) => Grown::Alone(area.number),
            (_, true) if !area.is_dependent => Grown::Alone(area.number),
            (_, is_unfinished) => Grown::Dependent(is_unfinished),
        }
    }

    /// Floods an area, and finds the boxes around it.
    fn fill(&mut self, view: View<'_>, seed: Square, low: u32, level: u32) -> Area {
        self.number += 1;
        let (number, terrain) = (self.number, view.terrain);
        let (boxes, is_dependent) = (Vec::new(), false);
        let mut area =
            Area { number, low, level, boxes, is_unfinished: false, is_dependent, place: None };
        self.free.clear();
        self.marks[seed as usize] = number;
        self.stack.push(seed);
        while let Some(square) = self.stack.pop() {
            self.free.push(square);
            area.is_unfinished |= terrain.is_goal[square as usize];
            for d in 0..4u8 {
                let near = terrain.step(square, d);
                if terrain.is_wall(near) || self.marks[near as usize] == number {
                    continue;
                }
                if view.occupied[near as usize] {
                    self.take_in(&mut area, near);
                    self.take_in_beyond(view, &mut area, (square, near), d);
                } else {
                    self.marks[near as usize] = number;
                    self.stack.push(near);
                }
            }
        }
        area
    }

    /// Notes an area that was just flooded, unless it has too many boxes.
    fn note(&mut self, area: &mut Area, outer: Option<usize>) {
        if area.boxes.len() <= self.most_boxes {
            area.place = Some(self.flooded.len());
            self.flooded.push(Flooded {
                boxes: area.boxes.clone(),
                free: self.free.clone(),
                outer,
            });
        }
    }

    fn take_in(&mut self, area: &mut Area, square: Square) {
        if self.marks[square as usize] != area.number {
            self.marks[square as usize] = area.number;
            area.boxes.push(square);
        }
    }

    /// Takes in boxes behind and beside one that was met in direction `d`.
    fn take_in_beyond(
        &mut self,
        view: View<'_>,
        area: &mut Area,
        (square, met): (Square, Square),
        d: u8,
    ) {
        let View { terrain, occupied, .. } = view;
        let is_box = |s: Square| occupied[s as usize] && !terrain.is_wall(s);
        let sides = [left_of(d), right_of(d)];
        let beyond = terrain.step(met, d);
        let is_free = |s: Square, side| !occupied[terrain.step(s, side) as usize];
        let may_turn = |&side: &u8| {
            terrain.is_wall(terrain.step(beyond, side))
                && is_free(met, side)
                && is_free(square, side)
        };
        if is_box(beyond) && sides.iter().any(may_turn) {
            self.take_in(area, beyond);
        }
        for side in sides {
            let beside = terrain.step(met, side);
            if is_box(beside) && !is_free(square, side) {
                self.take_in(area, beside);
            }
        }
    }

    /// Looks at the push of a box of an area. Dependent is what lets the area go on.
    fn examine(&mut self, view: View<'_>, area: &mut Area, square: Square, d: u8) -> Grown {
        let View { terrain, occupied, region, .. } = view;
        let (to, from) = (terrain.step(square, d), terrain.step(square, d ^ 2));
        let is_inside = |s: Square| self.marks[s as usize] > area.low;
        let going_on = Grown::Dependent(false);
        if terrain.is_wall(from)
            || occupied[to as usize]
            || !terrain.is_legal[to as usize]
            || self.marks[from as usize] == area.number
        {
            return going_on;
        }
        if is_inside(to) && region.contains(from) {
            area.is_dependent |= self.marks[to as usize] != area.number;
        } else if is_inside(from) {
            area.is_dependent = true;
        } else if occupied[from as usize] {
            let is_vain = is_inside(to) && self.freezes(view, area.low, square, to);
            if !is_vain && self.can_step_aside(view, area.low, from, d) {
                self.take_in_connected(view, area, from);
            }
        } else if !region.contains(from) {
            return self.merge(view, area, from);
        } else if region.contains(to) {
            return Grown::Failed;
        } else {
            return self.merge(view, area, to);
        }
        going_on
    }

    /// Grows another area from an area.
    fn merge(&mut self, view: View<'_>, area: &mut Area, seed: Square) -> Grown {
        let grown = self.grow(view, seed, (area.low, area.place), area.level + 1);
        if let Grown::Dependent(is_unfinished) = grown {
            area.is_dependent = true;
            area.is_unfinished |= is_unfinished;
        }
        grown
    }

    /// Whether a box that is pushed further in would be frozen off target, among the boxes inside.
    fn freezes(&mut self, view: View<'_>, low: u32, square: Square, to: Square) -> bool {
        self.inside.fill(false);
        self.inside[view.terrain.squares()] = true;
        for &other in view.boxes {
            self.inside[other as usize] = other != square && self.marks[other as usize] > low;
        }
        self.inside[to as usize] = true;
        self.freeze.is_dead(view.terrain.board(), &view.terrain.is_legal, &self.inside, to)
    }

    /// Whether a box that blocks a push in direction `d` could be pushed out of the way.
    fn can_step_aside(&self, view: View<'_>, low: u32, square: Square, d: u8) -> bool {
        let sides = [left_of(d), right_of(d)].map(|side| view.terrain.step(square, side));
        let is_held = |&s: &Square| {
            view.terrain.is_wall(s) || view.occupied[s as usize] && self.marks[s as usize] > low
        };
        !sides.iter().any(is_held) && sides.iter().any(|&s| view.terrain.is_reachable[s as usize])
    }

    /// Takes in a box and those that touch it.
    fn take_in_connected(&mut self, view: View<'_>, area: &mut Area, first: Square) {
        self.take_in(area, first);
        let mut open = vec![first];
        while let Some(square) = open.pop() {
            for near in view.terrain.next[square as usize] {
                let is_box = view.occupied[near as usize] && !view.terrain.is_wall(near);
                if is_box && self.marks[near as usize] <= area.low {
                    self.take_in(area, near);
                    open.push(near);
                }
            }
        }
    }
}
