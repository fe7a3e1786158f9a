//! Penalties: what boxes cost more together than by themselves, wherever they stand on the way.
//!
//! A conflict set ([`conflict_sets`](super::conflict_sets)) says of the start how much more its boxes cost than their
//! prices. The same is true of any position in which boxes stand so, with the player on the same side of them: the pushes
//! of these boxes are a plan for them alone, from there on. So a set that was found for one position bounds each position
//! that contains its boxes. A push moves a single box, and therefore counts for one set at most as long as no box is in two of
//! them. So the penalties of such sets may be added to the prices of all boxes, and the sum is a bound of the position.
//!
//! Pattern search (Junghanns and Schaeffer, "Sokoban: Enhancing General Single-Agent Search Methods Using Domain
//! Knowledge", AI 2001) learns penalties of box patterns, too, without prices.

use super::ground::Ground;
use super::prices::Prices;
use crate::games::sokoban::board::mask::{Bit, Mask, Maze};
use crate::games::sokoban::board::{Board, Square};
use smallvec::SmallVec;
use std::cmp::Reverse;
use std::sync::{Arc, PoisonError, RwLock, RwLockReadGuard};

/// Upper limit of the penalties in a collection.
const PENALTIES: usize = 1 << 13;
/// Upper limit of the penalties of one position that are weighed against each other: those that were learned first.
const TOGETHER: usize = 20;

/// Boxes that cost `more` than their prices together while the player is in a region.
#[derive(Clone, Copy, Debug)]
pub(super) struct Penalty<const W: usize> {
    pub(super) boxes: Mask<W>,
    pub(super) region: Mask<W>,
    pub(super) more: u32,
}

impl<const W: usize> Penalty<W> {
    /// Boxes that cost more when the player is on a square.
    pub(super) fn new(maze: &Maze<W>, boxes: Mask<W>, player: Bit, more: u32) -> Self {
        let region = maze.region(Mask::of(player), maze.floor.without(boxes));
        Penalty { boxes, region, more }
    }
}

/// A collection of penalties, found by their first box.
#[derive(Debug)]
pub(super) struct Penalties<const W: usize> {
    count: usize,
    /// By the first box: penalties, and their numbers in the order in which they were learned.
    at: Vec<Vec<(usize, Penalty<W>)>>,
}

impl<const W: usize> Penalties<W> {
    /// An empty collection.
    pub(super) fn new() -> Self {
        Penalties { count: 0, at: vec![Vec::new(); W * 64] }
    }

    /// Adds a penalty, or raises the one that is known of the same boxes. If there is no room, it is left out.
    pub(super) fn learn(&mut self, penalty: Penalty<W>) {
        let Penalty { boxes, region, more } = penalty;
        let Some(first) = boxes.first() else { return };
        let at = &mut self.at[first as usize];
        let is_same = |known: &Penalty<W>| known.boxes == boxes && known.region == region;
        if let Some((_, known)) = at.iter_mut().find(|(_, known)| is_same(known)) {
            known.more = known.more.max(more);
        } else if self.count < PENALTIES {
            at.push((self.count, penalty));
            self.count += 1;
        }
    }

    /// The greatest sum of penalties of a position of which no two have a box in common. It never falls when more is
    /// learned: an expansion that comes back for its dear children relies on it.
    pub(super) fn cost(&self, boxes: Mask<W>, player: Bit) -> u32 {
        if self.count == 0 { 0 } else { Choice::of(&self.found(boxes, player)).best }
    }

    /// The penalties that make up this sum.
    pub(super) fn chosen(&self, boxes: Mask<W>, player: Bit) -> Vec<Penalty<W>> {
        let found = self.found(boxes, player);
        let Choice { chosen, .. } = Choice::of(&found);
        let numbered = found.iter().enumerate();
        numbered.filter(|&(at, _)| chosen >> at & 1 == 1).map(|(_, &(_, one))| one).collect()
    }

    /// The penalties of a position, the highest first.
    fn found(&self, boxes: Mask<W>, player: Bit) -> Found<W> {
        let all = boxes.into_iter().flat_map(|bit| &self.at[bit as usize]);
        let holds =
            |one: &Penalty<W>| one.boxes.without(boxes).is_empty() && one.region.has(player);
        let mut found: Found<W> = all.filter(|(_, one)| holds(one)).copied().collect();
        if found.len() > TOGETHER {
            found.sort_unstable_by_key(|&(number, _)| number);
            found.truncate(TOGETHER);
        }
        found.sort_unstable_by_key(|&(number, Penalty { more, .. })| (Reverse(more), number));
        found
    }

    /// All penalties, in no order.
    #[cfg(test)]
    pub(super) fn all(&self) -> impl Iterator<Item = Penalty<W>> {
        self.at.iter().flatten().map(|&(_, one)| one)
    }

    /// Bytes held, about.
    pub(super) fn memory(&self) -> usize {
        let each = size_of::<(usize, Penalty<W>)>();
        2 * self.count * each + self.at.len() * size_of::<Vec<(usize, Penalty<W>)>>()
    }
}

/// A set of boxes that costs more than its prices, in the form in which searches exchange it.
#[derive(Clone, Debug)]
pub(in super::super) struct KnownSet {
    /// The squares of its boxes.
    pub(in super::super) squares: Vec<Square>,
    /// Number of pushes by which it costs more, at least.
    pub(in super::super) more: u32,
}

/// The prices of a level and the penalties that are known with these prices. They are shared by all threads of a search,
/// and by searches that play one after the other. Searches that play at the same time have their own, so that none
/// depends on the speed of another.
#[derive(Debug)]
pub(super) struct SharedPenalties<const W: usize> {
    pub(super) prices: Arc<Prices>,
    known: RwLock<Penalties<W>>,
}

impl<const W: usize> SharedPenalties<W> {
    /// Prices, and no penalties yet.
    pub(super) fn new(prices: Arc<Prices>) -> Self {
        SharedPenalties { prices, known: RwLock::new(Penalties::new()) }
    }

    /// The penalties that hold now.
    pub(super) fn known(&self) -> RwLockReadGuard<'_, Penalties<W>> {
        self.known.read().unwrap_or_else(PoisonError::into_inner)
    }

    /// Applies penalties from now on, in this order.
    pub(super) fn learn(&self, penalties: Vec<Penalty<W>>) {
        if !penalties.is_empty() {
            let mut known = self.known.write().unwrap_or_else(PoisonError::into_inner);
            penalties.into_iter().for_each(|penalty| known.learn(penalty));
        }
    }

    /// The penalties of a position that cost most together, as disjoint sets.
    pub(super) fn sets(
        &self,
        ground: &Ground<W>,
        (boxes, player): (Mask<W>, Bit),
    ) -> Vec<KnownSet> {
        let set = |Penalty { boxes, more, .. }| KnownSet { squares: ground.squares(boxes), more };
        self.known().chosen(boxes, player).into_iter().map(set).collect()
    }

    /// Bytes held, about.
    pub(super) fn memory(&self) -> usize {
        self.known().memory() + self.prices.memory()
    }
}

/// The penalties of sets of boxes that stand on a board.
pub(super) fn penalties_of<const W: usize>(
    ground: &Ground<W>,
    board: &Board,
    sets: &[KnownSet],
) -> Vec<Penalty<W>> {
    let bit_of = ground.bits(board);
    let player = bit_of[board.player as usize];
    let penalty = |KnownSet { squares, more }: &KnownSet| {
        let boxes = squares.iter().map(|&square| bit_of[square as usize]).collect();
        Penalty::new(&ground.maze, boxes, player, *more)
    };
    sets.iter().map(penalty).collect()
}

/// Penalties with their numbers.
type Found<const W: usize> = SmallVec<[(usize, Penalty<W>); TOGETHER]>;

/// The choice among the penalties of a position, by branch and bound.
struct Choice {
    /// Number of penalties to choose from.
    count: usize,
    /// The sum of the best choice so far, and a bit for each penalty in it.
    best: u32,
    chosen: u32,
}

impl Choice {
    fn of<const W: usize>(found: &[(usize, Penalty<W>)]) -> Self {
        let mut choice = Choice { count: found.len(), best: 0, chosen: 0 };
        let left = found.iter().map(|(_, one)| one.more).sum();
        choice.choose(found, (Mask::EMPTY, 0), (0, left));
        choice
    }

    /// Tries the last penalties with and without each of them, where those before have `used` these boxes and cost
    /// `cost` together. The last ones cost `left` together.
    fn choose<const W: usize>(
        &mut self,
        last: &[(usize, Penalty<W>)],
        (used, chosen): (Mask<W>, u32),
        (cost, left): (u32, u32),
    ) {
        if cost > self.best {
            (self.best, self.chosen) = (cost, chosen);
        }
        let Some(((_, one), rest)) = last.split_first() else { return };
        if cost + left <= self.best {
            return;
        }
        if (one.boxes & used).is_empty() {
            let with = (used | one.boxes, chosen | 1 << (self.count - last.len()));
            self.choose(rest, with, (cost + one.more, left - one.more));
        }
        self.choose(rest, (used, chosen), (cost, left - one.more));
    }
}
