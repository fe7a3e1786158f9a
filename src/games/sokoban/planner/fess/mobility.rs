//! How many pushes the player can do, by incremental evaluation.
//!
//! Feature-space search sets one lifted box down on many squares, and counts for each which pushes
//! the player can do then. Where the box does not part the player's region, these are the pushes of
//! the boxes that stay, counted once for all squares, without those that the box is in the way of.

use crate::games::sokoban::board::region::Flood;
use crate::games::sokoban::board::square_set::has;
use crate::games::sokoban::board::{Board, Square};

/// A push of a box that stays.
#[derive(Clone, Copy, Debug)]
struct Possible {
    behind: Square,
    to: Square,
    /// Whether the player could not do it before.
    is_new: bool,
}

/// Pushes: those that the player can do, and of these those that it could not do before.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct Pushes {
    /// All.
    pub possible: u16,
    /// New ones, of boxes that stay.
    pub new: u16,
}

impl Pushes {
    fn add(&mut self, is_new: bool) {
        self.possible += 1;
        self.new += u16::from(is_new);
    }
}

/// The pushes of the boxes that stay, with the player anywhere around the lifted box.
pub struct Mobility {
    pushes: Vec<Possible>,
    total: Pushes,
    /// For each square those that a box on it is in the way of.
    touching: Vec<Pushes>,
}

/// Whether a set holds a square; it never holds the wall.
#[inline]
fn has_or_wall(bits: &[u64], square: Square) -> bool {
    bits.get(square as usize >> 6).is_some_and(|word| word >> (square & 63) & 1 == 1)
}

impl Mobility {
    /// Working memory for a board.
    pub fn new(board: &Board) -> Self {
        let touching = vec![Pushes::default(); board.squares() + 1];
        Mobility { pushes: Vec::new(), total: Pushes::default(), touching }
    }

    /// Counts for `boxes`, those that stay. `occupied` holds just them, `around` the squares that
    /// the player can walk to while the other one is lifted, and `before` those that it could
    /// before.
    pub fn count(
        &mut self,
        board: &Board,
        boxes: impl Iterator<Item = Square>,
        occupied: &[bool],
        (around, before): (&[u64], &Flood),
    ) {
        self.pushes.clear();
        self.touching.fill(Pushes::default());
        self.total = Pushes::default();
        for square in boxes {
            let next = board.next[square as usize];
            for d in 0..4 {
                let (to, behind) = (next[d], next[d ^ 2]);
                if occupied[to as usize] || !has_or_wall(around, behind) {
                    continue;
                }
                let is_new = !before.contains(behind);
                self.pushes.push(Possible { behind, to, is_new });
                self.total.add(is_new);
                self.touching[behind as usize].add(is_new);
                self.touching[to as usize].add(is_new);
            }
        }
    }

    /// The pushes of the boxes that stay.
    pub fn total(&self) -> Pushes {
        self.total
    }

    /// The pushes with the lifted box on `square`, where it stands. `region` holds what the player
    /// can walk to then, and `parted` says whether that is less than all around but for the square.
    pub fn with(
        &self,
        board: &Board,
        occupied: &[bool],
        square: Square,
        (region, parted): (&[u64], bool),
    ) -> Pushes {
        let mut pushes = if parted {
            let mut pushes = Pushes::default();
            for push in self.pushes.iter().filter(|p| p.to != square && has(region, p.behind)) {
                pushes.add(push.is_new);
            }
            pushes
        } else {
            let (all, lost) = (self.total, self.touching[square as usize]);
            Pushes { possible: all.possible - lost.possible, new: all.new - lost.new }
        };
        let next = board.next[square as usize];
        for d in 0..4 {
            let can = has_or_wall(region, next[d ^ 2]) && !occupied[next[d] as usize];
            pushes.possible += u16::from(can);
        }
        pushes
    }
}
