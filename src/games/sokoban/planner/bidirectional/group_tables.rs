//! Deadlocks of two and of three boxes, all of them, found before the search.
//!
//! For every pair and every triple of squares the table has the squares of the player from which
//! boxes there cannot all be brought to squares of their own among the `ends`, were they alone on
//! the board. It is made by going back from the ends: what is not reached is dead. Where the group
//! is dead for every player, one mask operation finds it out.
//!
//! Forward search asks whether boxes can be pushed to targets; backward search asks whether they
//! can be pulled to the boxes' squares of the start. Both tables are the same code.

use super::Way;
use crate::games::sokoban::board::mask::{Bit, Mask, Maze};
use std::time::Duration;

/// Squares up to which triples are tabulated: there are n³/6 of them.
const TRIPLE_SQUARES: usize = 80;

/// Triples that are tabulated in a second, about.
const TRIPLES_A_SECOND: f64 = 4e5;
/// Divisor of the time: triples are tabulated only if they take less than this share.
const TIME_SHARE: f64 = 30.0;

/// Dead pairs and triples of one way to search.
#[derive(Clone, Debug)]
pub struct GroupTables<const W: usize> {
    /// Number of a bit among the squares.
    index: Vec<usize>,
    squares: usize,
    pairs: Vec<Mask<W>>,
    triples: Vec<Mask<W>>,
    /// By square: others with which it is dead for every player, or for some.
    always: Vec<Mask<W>>,
    sometimes: Vec<Mask<W>>,
    /// By square: others with which it is in some dead triple.
    partners: Vec<Mask<W>>,
    /// By pair of squares, in both orders: the same of third boxes.
    always_third: Vec<Mask<W>>,
    sometimes_third: Vec<Mask<W>>,
}

/// The boxes of a group, by number of the square, falling.
type Group<const K: usize> = [usize; K];

/// The place of a group in its table: the combinatorial number system.
fn place<const K: usize>(group: Group<K>) -> usize {
    let mut sorted = group;
    sorted.sort_unstable();
    let choose =
        |n: usize, k: usize| (0..k).fold(1, |product, i| product * (n - i.min(n)) / (i + 1));
    sorted.iter().enumerate().map(|(i, &n)| choose(n, i + 1)).sum()
}

impl<const W: usize> GroupTables<W> {
    /// Tables without a dead group.
    pub fn none() -> Self {
        GroupTables {
            index: vec![0; W * 64],
            squares: 1,
            pairs: Vec::new(),
            triples: Vec::new(),
            always: vec![Mask::EMPTY],
            sometimes: vec![Mask::EMPTY],
            partners: vec![Mask::EMPTY],
            always_third: Vec::new(),
            sometimes_third: Vec::new(),
        }
    }

    /// The tables of a level for one way, of pairs alone; boxes stand only on squares of `live`.
    pub fn new(maze: &Maze<W>, live: Mask<W>, way: Way) -> Self {
        let squares: Vec<Bit> = maze.floor.into_iter().collect();
        let mut index = vec![0; W * 64];
        squares.iter().enumerate().for_each(|(i, &bit)| index[bit as usize] = i);
        let n = squares.len();
        let mut tables = GroupTables {
            index,
            squares: n,
            pairs: dead_players::<W, 2>(maze, &squares, live, way),
            triples: Vec::new(),
            always: vec![Mask::EMPTY; n],
            sometimes: vec![Mask::EMPTY; n],
            partners: vec![Mask::EMPTY; n],
            always_third: Vec::new(),
            sometimes_third: Vec::new(),
        };
        tables.sum_up_pairs(maze, live);
        tables
    }

    /// Adds the table of triples, unless it would take more than a small part of the time. Easy
    /// levels are solved before it would be of use.
    pub fn add_triples(&mut self, maze: &Maze<W>, live: Mask<W>, way: Way, time: Duration) {
        let n = self.squares;
        let seconds = (n * n * n / 6) as f64 / TRIPLES_A_SECOND;
        if n <= TRIPLE_SQUARES && seconds < time.as_secs_f64() / TIME_SHARE {
            let squares: Vec<Bit> = maze.floor.into_iter().collect();
            self.triples = dead_players::<W, 3>(maze, &squares, live, way);
            self.sum_up_triples(maze, live);
        }
    }

    /// Bytes held.
    pub fn memory(&self) -> usize {
        let masks = self.pairs.len() + self.triples.len() + 3 * self.always.len();
        (masks + 2 * self.always_third.len()) * size_of::<Mask<W>>() + self.index.len() * 8
    }

    fn sum_up_pairs(&mut self, maze: &Maze<W>, live: Mask<W>) {
        for a in live {
            let i = self.index[a as usize];
            for b in live.without(Mask::of(a)) {
                let dead = self.pairs[place([i, self.index[b as usize]])];
                let free = maze.floor.without(Mask::of(a) | Mask::of(b));
                if dead == free {
                    self.always[i] |= Mask::of(b);
                } else if !dead.is_empty() {
                    self.sometimes[i] |= Mask::of(b);
                }
            }
        }
    }

    fn sum_up_triples(&mut self, maze: &Maze<W>, live: Mask<W>) {
        let n = self.squares;
        self.always_third = vec![Mask::EMPTY; n * n];
        self.sometimes_third = vec![Mask::EMPTY; n * n];
        for a in live {
            let i = self.index[a as usize];
            for b in live.without(Mask::of(a)) {
                let j = self.index[b as usize];
                let by_pair = self.pairs[place([i, j])];
                for c in live.without(Mask::of(a) | Mask::of(b)) {
                    let k = self.index[c as usize];
                    let dead = self.triples[place([i, j, k])];
                    let free = maze.floor.without(Mask::of(a) | Mask::of(b) | Mask::of(c));
                    let known = by_pair | self.pairs[place([i, k])] | self.pairs[place([j, k])];
                    if dead.without(known).is_empty() {
                        continue;
                    }
                    let third = if dead == free {
                        &mut self.always_third
                    } else {
                        &mut self.sometimes_third
                    };
                    third[i * n + j] |= Mask::of(c);
                    self.partners[i] |= Mask::of(b);
                }
            }
        }
    }

    /// Whether the box on `moved` is dead together with others whoever the player reaches.
    #[inline]
    pub fn is_dead_for_all(&self, boxes: Mask<W>, moved: Bit) -> bool {
        boxes.meets(self.always[self.index[moved as usize]])
    }

    /// Whether the box on `moved` is dead together with one or two others while the player is on
    /// `player`.
    #[inline]
    pub fn is_dead(&self, boxes: Mask<W>, moved: Bit, player: Bit) -> bool {
        let i = self.index[moved as usize];
        let others = boxes.without(Mask::of(moved));
        let pair = |b: Bit| self.pairs[place([i, self.index[b as usize]])].has(player);
        if (others & self.sometimes[i]).into_iter().any(pair) {
            return true;
        }
        if self.triples.is_empty() {
            return false;
        }
        (others & self.partners[i]).into_iter().any(|b| {
            let j = self.index[b as usize];
            let at = i * self.squares + j;
            let triple = |c: Bit| self.triples[place([i, j, self.index[c as usize]])].has(player);
            others.meets(self.always_third[at])
                || (others & self.sometimes_third[at]).into_iter().filter(|&c| c > b).any(triple)
        })
    }
}

/// For each group of `K` squares the players from which it is dead.
fn dead_players<const W: usize, const K: usize>(
    maze: &Maze<W>,
    squares: &[Bit],
    live: Mask<W>,
    way: Way,
) -> Vec<Mask<W>> {
    let mut index = vec![0; W * 64];
    squares.iter().enumerate().for_each(|(i, &bit)| index[bit as usize] = i);
    let place_of = |boxes: Mask<W>| {
        let mut group = [0; K];
        boxes.into_iter().zip(&mut group).for_each(|(bit, place)| *place = index[bit as usize]);
        place(group)
    };
    let n = squares.len();
    let count = (0..K).fold(1, |product, i| product * n.saturating_sub(i) / (i + 1));
    let mut alive = vec![Mask::EMPTY; count];
    let mut open = Vec::new();
    let mut reach = |boxes: Mask<W>, region: Mask<W>, open: &mut Vec<(Mask<W>, Mask<W>)>| {
        let players = &mut alive[place_of(boxes)];
        if !players.meets(region) {
            *players |= region;
            open.push((boxes, region));
        }
    };
    for boxes in groups::<W, K>(way.ends(maze)) {
        for region in maze.regions(maze.floor.without(boxes)) {
            reach(boxes, region, &mut open);
        }
    }
    while let Some((boxes, region)) = open.pop() {
        way.undo(maze, (boxes, region), live, |boxes, region| reach(boxes, region, &mut open));
    }
    for group in groups::<W, K>(maze.floor) {
        let players = &mut alive[place_of(group)];
        *players = maze.floor.without(group).without(*players);
    }
    alive
}

/// All sets of `K` squares of a set.
fn groups<const W: usize, const K: usize>(set: Mask<W>) -> Vec<Mask<W>> {
    let mut groups = vec![(Mask::EMPTY, set)];
    for _ in 0..K {
        groups = (groups.iter())
            .flat_map(|&(group, rest)| {
                let mut left = rest;
                rest.into_iter().map(move |bit| {
                    left = left.without(Mask::of(bit));
                    (group | Mask::of(bit), left)
                })
            })
            .collect();
    }
    groups.into_iter().map(|(group, _)| group).collect()
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::games::sokoban::board::samples::{draw, random_level};
    use ahash::AHashSet;

    /// Whether boxes can be brought to the ends, by trying everything.
    fn is_solvable<const W: usize>(maze: &Maze<W>, way: Way, boxes: Mask<W>, player: Bit) -> bool {
        let mut open = vec![(boxes, player)];
        let mut seen = AHashSet::new();
        while let Some((boxes, player)) = open.pop() {
            let region = maze.region(Mask::of(player), maze.floor.without(boxes));
            if !region.first().is_some_and(|first| seen.insert((boxes, first))) {
                continue;
            }
            if boxes.without(way.ends(maze)).is_empty() {
                return true;
            }
            for d in 0..4 {
                for from in way.movable(maze, (boxes, region), maze.floor, d) {
                    let (after, _, player) = way.moved(maze, boxes, from, d);
                    open.push((after, player));
                }
            }
        }
        false
    }

    #[test]
    fn groups_are_dead_exactly_where_trying_everything_finds_no_way() {
        let (mut dead, mut alive) = (0, 0);
        for seed in 0..300 {
            let Some(board) = random_level(seed, 5, 5) else { continue };
            let Some(maze) = Maze::<1>::new(&board) else { continue };
            for way in [Way::Forward, Way::Backward] {
                let time = Duration::from_secs(100);
                let live = (maze.floor.into_iter())
                    .filter(|&bit| way.distances(&maze).iter().any(|d| d[bit as usize].is_some()))
                    .collect::<Mask<1>>();
                let mut tables = GroupTables::new(&maze, live, way);
                tables.add_triples(&maze, live, way, time);
                let squares: Vec<Bit> = live.into_iter().collect();
                for trial in 0..20u64 {
                    let pick =
                        |i: u64| squares[draw(seed, trial * 4 + i, squares.len() as u64) as usize];
                    if squares.is_empty() {
                        break;
                    }
                    let boxes: Mask<1> = (0..2 + trial % 2).map(pick).collect();
                    let moved = pick(0);
                    for region in maze.regions(maze.floor.without(boxes)) {
                        let Some(player) = region.first() else { continue };
                        let says = tables.is_dead_for_all(boxes, moved)
                            || tables.is_dead(boxes, moved, player);
                        let solvable = is_solvable(&maze, way, boxes, player);
                        // Pairs among the others are for other moves to find.
                        assert!(!says || !solvable, "seed {seed}, {boxes:?}, player {player}");
                        if boxes.count() == 2 {
                            assert_eq!(says, !solvable, "seed {seed}, {boxes:?}, player {player}");
                        }
                        *if says { &mut dead } else { &mut alive } += 1;
                    }
                }
            }
        }
        assert!(dead > 300 && alive > 300, "{dead} dead, {alive} alive");
    }
}
