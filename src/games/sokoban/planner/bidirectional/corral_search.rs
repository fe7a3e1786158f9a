//! Corral search on bit boards: can each box of a part of the board come to a target, or out?
//!
//! An area that the player cannot reach is searched with the boxes around it, and with no other
//! (Virkkala, *Solving Sokoban*, 2011). A box that leaves the area is taken off the board. Both can
//! only help the boxes that stay: where these are dead, they are dead in any company. Leaving can
//! only help, so a box that can leave does so at once, and nothing else is tried.
//!
//! What is proven dead is cut down to a core, from which no box can be left away, and kept as a
//! pattern: some boxes, and a region of the player, that are dead whatever else stands on the board.
//! Each successor is compared with the patterns that have the moved box.
//!
//! [`deadlock`](crate::games::sokoban::planner::deadlock) does the same for the other searches, square
//! by square.

use super::group_tables::GroupTables;
use super::patterns::{Pattern, Patterns};
use super::pruning;
use crate::games::sokoban::board::mask::{Bit, Mask, Maze};
use ahash::AHashMap;

/// Positions that one corral search looks at before it gives up.
const POSITIONS: usize = 400;
/// Slots of the table of these positions; a power of two.
const SLOTS: usize = 1024;
/// Positions that each expansion earns.
const EARNED: usize = 3;
/// The most positions that are saved.
const SAVED: usize = 20_000;
/// The most boxes of a corral that is searched.
const BOXES: u32 = 14;
/// The most boxes of a pattern. Larger ones are hardly ever met again, and there are very many.
const CORE: u32 = 8;
/// Bytes that verdicts may take; then all are forgotten.
const MOST_BYTES: usize = 8 << 20;

/// A push that is to be tried: boxes and the player's region before it.
#[derive(Clone, Copy, Debug)]
struct Push<const W: usize> {
    boxes: Mask<W>,
    region: Mask<W>,
    from: Bit,
    to: Bit,
}

/// What a corral search needs to know of a level.
#[derive(Clone, Copy)]
pub struct Level<'a, const W: usize> {
    pub maze: &'a Maze<W>,
    /// Squares from which a box alone comes to a target.
    pub live: Mask<W>,
    pub groups: &'a GroupTables<W>,
}

/// The positions of one corral search: boxes and player, found by hash, compared as they are.
#[derive(Clone, Debug)]
struct Seen<const W: usize> {
    slots: Vec<(u32, Bit, Mask<W>)>,
    /// What the slots of this search are stamped with.
    stamp: u32,
    len: usize,
}

impl<const W: usize> Seen<W> {
    fn new() -> Self {
        Seen { slots: vec![(0, 0, Mask::EMPTY); SLOTS], stamp: 0, len: 0 }
    }

    fn clear(&mut self) {
        if self.stamp == u32::MAX {
            *self = Seen::new();
        }
        self.stamp += 1;
        self.len = 0;
    }

    /// Adds a position; whether it is new.
    fn insert(&mut self, boxes: Mask<W>, player: Bit) -> bool {
        let mut at = super::hash(boxes, player) as usize % SLOTS;
        loop {
            let slot = &mut self.slots[at];
            if slot.0 != self.stamp {
                *slot = (self.stamp, player, boxes);
                self.len += 1;
                return true;
            }
            if slot.1 == player && slot.2 == boxes {
                return false;
            }
            at = (at + 1) % SLOTS;
        }
    }
}

/// Proves corrals dead, and keeps what was proven.
#[derive(Clone, Debug)]
pub struct CorralSearch<const W: usize> {
    /// By boxes, area and the first square of the player's region: whether they are dead.
    verdicts: AHashMap<(Mask<W>, Mask<W>, Bit), bool>,
    patterns: Patterns<W>,
    seen: Seen<W>,
    stack: Vec<Push<W>>,
    effort: Effort,
}

/// The budget of the search of one corral, in positions.
#[derive(Clone, Copy, Debug)]
enum Effort {
    /// As many as expansions have earned and earlier searches have not spent.
    Saved(usize),
    /// The same number for every corral.
    Fixed(usize),
}

impl<const W: usize> CorralSearch<W> {
    /// A search that has proven nothing yet.
    pub fn new() -> Self {
        CorralSearch {
            verdicts: AHashMap::new(),
            patterns: Patterns::new(),
            seen: Seen::new(),
            stack: Vec::new(),
            effort: Effort::Saved(SAVED),
        }
    }

    /// A search that looks at up to `positions` positions for each corral. Its verdict on a corral does not
    /// depend on earlier searches.
    pub fn of_effort(positions: usize) -> Self {
        CorralSearch { effort: Effort::Fixed(positions), ..Self::new() }
    }

    /// Bytes held, about.
    pub fn memory(&self) -> usize {
        self.verdicts.capacity() * size_of::<(Mask<W>, Mask<W>, Bit, bool)>()
            + self.patterns.memory()
            + SLOTS * size_of::<(u32, Bit, Mask<W>)>()
    }

    /// Whether a pattern with the box that was just moved is on the board.
    #[inline]
    pub fn matches(&self, boxes: Mask<W>, moved: Bit, player: Bit) -> bool {
        self.patterns.matches(boxes, moved, player)
    }

    /// One more position is expanded.
    pub fn earn(&mut self) {
        if let Effort::Saved(saved) = &mut self.effort {
            *saved = (*saved + EARNED).min(SAVED);
        }
    }

    /// Whether the boxes of an area that the player cannot reach are proven dead among themselves.
    pub fn is_dead(
        &mut self,
        level: Level<'_, W>,
        (area, corral): (Mask<W>, Mask<W>),
        player: Bit,
    ) -> bool {
        if !self.is_proven_dead(level, (area, corral), player) {
            return false;
        }
        if !self.patterns.is_full()
            && let Some(core) = self.core(level, (area, corral), player)
        {
            self.patterns.learn(core);
        }
        true
    }

    /// Whether the boxes of an area are proven dead, as [`CorralSearch::is_dead`], without keeping a pattern.
    pub fn is_proven_dead(
        &mut self,
        level: Level<'_, W>,
        (area, corral): (Mask<W>, Mask<W>),
        player: Bit,
    ) -> bool {
        corral.count() <= BOXES
            && !corral.without(level.maze.targets).is_empty()
            && self.is_dead_alone(level, (area, corral), player)
    }

    /// Boxes of a dead corral that are dead by themselves, and of which none can be left out, as a pattern;
    /// `None` if they are more than [`CORE`].
    pub fn core(
        &mut self,
        level: Level<'_, W>,
        (area, corral): (Mask<W>, Mask<W>),
        player: Bit,
    ) -> Option<Pattern<W>> {
        let maze = level.maze;
        let mut boxes = corral;
        let mut needed = 0;
        for bit in corral {
            let fewer = boxes.without(Mask::of(bit));
            if !fewer.without(maze.targets).is_empty()
                && self.is_dead_alone(level, (area, fewer), player)
            {
                boxes = fewer;
            } else {
                needed += 1;
                if needed > CORE {
                    return None;
                }
            }
        }
        Some(Pattern::new(maze, boxes, player))
    }

    /// Whether this very set of boxes is proven dead, without a pattern being kept.
    fn is_dead_alone(
        &mut self,
        level: Level<'_, W>,
        (area, boxes): (Mask<W>, Mask<W>),
        player: Bit,
    ) -> bool {
        let region = level.maze.region(Mask::of(player), level.maze.floor.without(boxes));
        let key = (boxes, area, region.first().unwrap_or(player));
        if let Some(&dead) = self.verdicts.get(&key) {
            return dead;
        }
        let dead = self.search(level, (area, boxes), player);
        if self.verdicts.capacity() * size_of::<((Mask<W>, Mask<W>, Bit), bool)>() > MOST_BYTES {
            self.verdicts = AHashMap::new();
        }
        self.verdicts.insert(key, dead);
        dead
    }

    fn search(
        &mut self,
        level: Level<'_, W>,
        (area, boxes): (Mask<W>, Mask<W>),
        player: Bit,
    ) -> bool {
        let most = match self.effort {
            Effort::Saved(saved) => saved.min(POSITIONS),
            Effort::Fixed(positions) => positions,
        };
        let maze = level.maze;
        // No box is ever put beyond the area, so those parts hang together as they are.
        let beyond = maze.regions(maze.floor.without(area)).find(|part| part.has(player));
        let known = beyond.unwrap_or(Mask::of(player));
        let region = maze.region(known, maze.floor.without(boxes));
        self.seen.clear();
        self.stack.clear();
        let mut dead = !self.follow(level, area, boxes, region);
        while dead && let Some(Push { boxes, region, from, to }) = self.stack.pop() {
            let boxes = boxes.without(Mask::of(from)) | Mask::of(to);
            let region = maze.region_after(region, maze.floor.without(boxes), (from, to), from);
            dead = !self.follow(level, area, boxes, region) && self.seen.len <= most;
        }
        if let Effort::Saved(saved) = &mut self.effort {
            *saved = saved.saturating_sub(self.seen.len);
        }
        dead
    }

    /// Takes every box out that can leave, and puts what the others can do on the stack; whether
    /// all those left stand on targets.
    fn follow(
        &mut self,
        level: Level<'_, W>,
        area: Mask<W>,
        mut boxes: Mask<W>,
        mut region: Mask<W>,
    ) -> bool {
        let Level { maze, live, .. } = level;
        loop {
            if boxes.without(maze.targets).is_empty() {
                return true;
            }
            let Some(bit) = leaving(level, area, boxes, region) else { break };
            boxes = boxes.without(Mask::of(bit));
            region = maze.region(region | Mask::of(bit), maze.floor.without(boxes));
        }
        let Some(first) = region.first() else { return false };
        if !self.seen.insert(boxes, first) {
            return false;
        }
        for d in 0..4 {
            for from in maze.pushable(boxes, region, (live & area).without(boxes), d) {
                let to = maze.next(from, d);
                let after = boxes.without(Mask::of(from)) | Mask::of(to);
                if !is_dead_at_once(level, after, to) {
                    self.stack.push(Push { boxes, region, from, to });
                }
            }
        }
        false
    }
}

/// A box that can leave the area.
fn leaving<const W: usize>(
    level: Level<'_, W>,
    area: Mask<W>,
    boxes: Mask<W>,
    region: Mask<W>,
) -> Option<Bit> {
    let Level { maze, live, .. } = level;
    let outside = live.without(area | boxes);
    (0..4).find_map(|d| {
        maze.pushable(boxes, region, outside, d).into_iter().find(|&from| {
            let to = maze.next(from, d);
            !is_dead_at_once(level, boxes.without(Mask::of(from)) | Mask::of(to), to)
        })
    })
}

/// Whether boxes are dead after one of them came to a square, as far as one look tells.
#[inline]
fn is_dead_at_once<const W: usize>(level: Level<'_, W>, boxes: Mask<W>, to: Bit) -> bool {
    let Level { maze, live, groups } = level;
    groups.is_dead_for_all(boxes, to)
        || !pruning::can_move(maze, boxes, live, to)
            && !pruning::frozen(maze, boxes, live).without(maze.targets).is_empty()
}

#[cfg(test)]
mod tests {
    use super::super::Way;
    use super::*;
    use crate::games::sokoban::board::samples::{draw, random_level};
    use ahash::AHashSet;

    /// Positions after which plain search decides nothing.
    const MOST_POSITIONS: usize = 15_000;

    /// Positions, each by its boxes and the first square of the player's region.
    type Positions<const W: usize> = AHashSet<(Mask<W>, Bit)>;

    /// Whether all boxes can be pushed to targets, by trying everything; `None` where that is too
    /// much. Positions from which it is known that they cannot are `dead`: those of one search are so
    /// for the next.
    fn is_solvable<const W: usize>(
        maze: &Maze<W>,
        (boxes, player): (Mask<W>, Bit),
        dead: &mut Positions<W>,
    ) -> Option<bool> {
        let mut open = vec![(boxes, player)];
        let mut seen = Positions::new();
        while let Some((boxes, player)) = open.pop() {
            let region = maze.region(Mask::of(player), maze.floor.without(boxes));
            let Some(first) = region.first().filter(|&first| !dead.contains(&(boxes, first)))
            else {
                continue;
            };
            if !seen.insert((boxes, first)) {
                continue;
            }
            if boxes.without(maze.targets).is_empty() {
                return Some(true);
            }
            if seen.len() > MOST_POSITIONS {
                return None;
            }
            for d in 0..4 {
                for from in maze.pushable(boxes, region, maze.floor.without(boxes), d) {
                    let (after, _, player) = Way::Forward.moved(maze, boxes, from, d);
                    open.push((after, player));
                }
            }
        }
        dead.extend(seen);
        Some(false)
    }

    #[test]
    fn what_is_proven_dead_has_no_solution() {
        let (mut proven, mut matched, mut decided) = (0, 0, 0);
        'boards: for seed in 0..6000 {
            let Some(board) = random_level(seed, 7, 8) else { continue };
            let Some(maze) = Maze::<2>::new(&board) else { continue };
            let distances = Way::Forward.distances(&maze);
            let is_live = |&bit: &Bit| distances.iter().any(|d| d[bit as usize].is_some());
            let live: Mask<2> = maze.floor.into_iter().filter(is_live).collect();
            let groups = GroupTables::new(&maze, live, Way::Forward);
            let level = Level { maze: &maze, live, groups: &groups };
            let mut corrals = CorralSearch::new();
            let mut dead = Positions::new();
            for walk in 0..4u64 {
                let (mut boxes, mut player) = (maze.boxes, maze.player.first().expect("a player"));
                for turn in 0..12 {
                    let region = maze.region(Mask::of(player), maze.floor.without(boxes));
                    let found = pruning::corrals(&maze, boxes, region);
                    corrals.earn();
                    if found.iter().any(|&corral| corrals.is_dead(level, corral, player)) {
                        proven += 1;
                        let solvable = is_solvable(&maze, (boxes, player), &mut dead);
                        // A board that is too large for plain search is so again and again.
                        let Some(solvable) = solvable else { continue 'boards };
                        assert!(!solvable, "seed {seed}");
                        decided += 1;
                    }
                    let steps: Vec<(Bit, usize)> = (0..4)
                        .flat_map(|d| {
                            let free = live.without(boxes);
                            let from = maze.pushable(boxes, region, free, d).into_iter();
                            from.map(move |from| (from, d))
                        })
                        .collect();
                    if steps.is_empty() {
                        break;
                    }
                    let lot = draw(seed, walk * 12 + turn, steps.len() as u64) as usize;
                    let (after, to, stands) =
                        Way::Forward.moved(&maze, boxes, steps[lot].0, steps[lot].1);
                    if corrals.matches(after, to, stands) {
                        matched += 1;
                        let solvable = is_solvable(&maze, (after, stands), &mut dead);
                        let Some(solvable) = solvable else { continue 'boards };
                        assert!(!solvable, "seed {seed}");
                        decided += 1;
                    }
                    (boxes, player) = (after, stands);
                }
            }
        }
        eprintln!("{proven} proven, {matched} matched, {decided} of them decided by plain search");
        assert!(proven > 100 && matched > 30, "{proven} proven, {matched} matched");
        assert!(10 * decided > 9 * (proven + matched), "{decided} decided");
    }
}
