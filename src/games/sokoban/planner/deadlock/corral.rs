//! Parts of the board that the player cannot reach, and which of them may be played first.
//!
//! A corral is an area out of the player's reach with the boxes in and around it. In a *PI-corral*
//! (Virkkala, "Solving Sokoban", 2011) every push of its boxes that the player can ever begin from
//! outside leads into the area, and the player can do each of them now, as far as none of its own
//! boxes is in the way. Where such a corral must be touched at all, the first push into it may as
//! well come at once: what a solution does before has nothing to do with it, and can be done after
//! just as well, with as many pushes. (With more moves, though, so this is for counting pushes.)

use crate::games::sokoban::board::region::{Flood, Occupied};
use crate::games::sokoban::board::{Board, Square};

/// An area out of reach.
#[derive(Clone, Debug, Default)]
pub struct Corral {
    /// Its squares, with those of its boxes.
    pub area: Vec<Square>,
    /// The boxes in and around it.
    pub boxes: Vec<Square>,
}

/// Finds corrals; holds those of the last position.
#[derive(Clone, Debug, Default)]
pub struct Corrals {
    seen: Vec<bool>,
    inside: Vec<bool>,
    found: Vec<Corral>,
    count: usize,
}

impl Corrals {
    /// Working memory for a board.
    pub fn new(board: &Board) -> Self {
        let none = vec![false; board.squares() + 1];
        Corrals { seen: none.clone(), inside: none, found: Vec::new(), count: 0 }
    }

    /// The corrals of a position: each area of free squares with the boxes beside it, then what
    /// hangs together through boxes. `flood` holds the player's region.
    pub fn find(&mut self, board: &Board, occupied: &Occupied, boxes: usize, flood: &Flood) {
        self.count = 0;
        if flood.count() + boxes == board.squares() {
            return;
        }
        self.gather(board, occupied, flood, false);
        if self.count > 1 || self.found[0].boxes.len() < boxes {
            let single = self.count;
            self.gather(board, occupied, flood, true);
            // Alone, an area through boxes that has gathered none is the one before.
            let mut kept = single;
            for i in single..self.count {
                let count = self.found[i].boxes.len();
                if !self.found[..single].iter().any(|other| other.boxes.len() == count) {
                    self.found.swap(kept, i);
                    kept += 1;
                }
            }
            self.count = kept;
        }
    }

    fn gather(&mut self, board: &Board, occupied: &Occupied, flood: &Flood, through_boxes: bool) {
        let wall = board.squares();
        self.seen.fill(false);
        self.seen[wall] = true;
        for start in flood.missed(occupied) {
            let i = start as usize;
            if self.seen[i] {
                continue;
            }
            if self.found.len() == self.count {
                self.found.push(Corral::default());
            }
            let Corral { area, boxes } = &mut self.found[self.count];
            self.count += 1;
            area.clear();
            boxes.clear();
            area.push(start);
            self.seen[i] = true;
            let mut head = 0;
            while let Some(&square) = area.get(head) {
                head += 1;
                if occupied[square as usize] {
                    boxes.push(square);
                    if !through_boxes {
                        continue;
                    }
                }
                for next in board.next[square as usize] {
                    if !self.seen[next as usize] && !flood.contains(next) {
                        self.seen[next as usize] = true;
                        area.push(next);
                    }
                }
            }
            if !through_boxes {
                boxes.iter().for_each(|&s| self.seen[s as usize] = false);
            }
        }
    }

    /// The corrals of the last position.
    pub fn all(&self) -> &[Corral] {
        &self.found[..self.count]
    }

    /// The PI-corral of fewest boxes that has to be touched, where there is one; `every_target`
    /// says whether there are as many boxes as targets.
    pub fn first_to_play(
        &mut self,
        board: &Board,
        live: &[bool],
        occupied: &[bool],
        flood: &Flood,
        every_target: bool,
    ) -> Option<&[Square]> {
        let mut best: Option<usize> = None;
        for i in 0..self.count {
            let fewer = best.is_none_or(|b| self.found[i].boxes.len() < self.found[b].boxes.len());
            if fewer
                && is_unsettled(board, occupied, &self.found[i], every_target)
                && is_pi(&mut self.inside, board, live, occupied, flood, &self.found[i])
            {
                best = Some(i);
            }
        }
        best.map(|i| &self.found[i].boxes[..])
    }
}

/// Whether some box of the corral must be pushed: it is not on a target, or one inside is empty and
/// every target must be filled.
fn is_unsettled(board: &Board, occupied: &[bool], corral: &Corral, every_target: bool) -> bool {
    corral
        .area
        .iter()
        .map(|&s| s as usize)
        .any(|s| if occupied[s] { !board.is_target[s] } else { board.is_target[s] && every_target })
}

/// Whether every push of the corral's boxes that starts outside the area ends in it, and the player
/// can do each of them now as far as nothing inside is in the way.
fn is_pi(
    inside: &mut [bool],
    board: &Board,
    live: &[bool],
    occupied: &[bool],
    flood: &Flood,
    corral: &Corral,
) -> bool {
    let wall = board.squares();
    corral.area.iter().for_each(|&s| inside[s as usize] = true);
    let mut can_push = false;
    let fits = corral.boxes.iter().all(|&s| {
        let next = board.next[s as usize].map(usize::from);
        (0..4).all(|d| {
            let (to, behind) = (next[d], next[d ^ 2]);
            if to == wall || behind == wall || inside[behind] {
                return true;
            }
            if !live[to] && !occupied[to] {
                return true;
            }
            can_push |= !occupied[to];
            inside[to] && flood.contains(behind as Square)
        })
    });
    corral.area.iter().for_each(|&s| inside[s as usize] = false);
    fits && can_push
}
