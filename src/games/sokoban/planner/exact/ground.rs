//! The ground of a level: the geometry of its board on bit boards, and the deadlocks that are known on it.
//!
//! It does not depend on the boxes, so the spaces of different boxes on one board share it.

use crate::games::sokoban::board::mask::{Bit, Mask, Maze};
use crate::games::sokoban::board::{Board, Square};
use crate::games::sokoban::planner::analysis::Prepared;
use crate::games::sokoban::planner::bidirectional::Way;
use crate::games::sokoban::planner::bidirectional::corral_search::CorralSearch;
use crate::games::sokoban::planner::bidirectional::group_tables::GroupTables;
use crate::games::sokoban::planner::bidirectional::patterns::SharedPatterns;
use crate::games::sokoban::planner::bound::conflicts::KnownConflicts;
use std::sync::{Arc, Mutex, MutexGuard, PoisonError};

/// The ground of a level.
pub struct Ground<const W: usize> {
    pub(super) maze: Maze<W>,
    /// The squares from which a lone box can be pushed to a target.
    pub(super) live: Mask<W>,
    pub(super) groups: Arc<GroupTables<W>>,
    pub(super) patterns: SharedPatterns<W>,
    /// Corral searches that no expander uses now, with their verdicts. All have the same effort, so that a verdict does not
    /// depend on the search that gives it.
    idle: Pool<CorralSearch<W>>,
    /// Conflicts of pairs that no expander uses now.
    conflicts: Pool<KnownConflicts>,
}

/// A pool of working memory that expanders borrow and give back.
type Pool<T> = Arc<Mutex<Vec<T>>>;

impl<const W: usize> Ground<W> {
    /// The ground of a level; `None` if its board needs more than `W` words.
    pub fn new(level: Prepared<'_>) -> Option<Self> {
        let maze = Maze::new(level.board)?;
        let is_live = |&bit: &Bit| level.analysis.live[maze.square(bit) as usize];
        let live = maze.floor.into_iter().filter(is_live).collect();
        let groups = Arc::new(GroupTables::new(&maze, live, Way::Forward));
        let patterns = SharedPatterns::new();
        let (idle, conflicts) = Default::default();
        Some(Ground { maze, live, groups, patterns, idle, conflicts })
    }

    /// The same ground without its patterns.
    pub(super) fn without_patterns(&self) -> Self {
        Ground {
            maze: self.maze.clone(),
            live: self.live,
            groups: Arc::clone(&self.groups),
            patterns: SharedPatterns::new(),
            idle: Arc::clone(&self.idle),
            conflicts: Arc::clone(&self.conflicts),
        }
    }

    /// The bit of each square.
    pub(super) fn bits(&self, board: &Board) -> Vec<Bit> {
        let mut bit_of = vec![0; board.squares() + 1];
        let maze = &self.maze;
        maze.floor.into_iter().for_each(|bit| bit_of[maze.square(bit) as usize] = bit);
        bit_of
    }

    /// The squares of some bits.
    pub(super) fn squares(&self, bits: Mask<W>) -> Vec<Square> {
        bits.into_iter().map(|bit| self.maze.square(bit)).collect()
    }

    /// Bytes held.
    pub(super) fn memory(&self) -> usize {
        let idle: usize = pool(&self.idle).iter().map(CorralSearch::memory).sum();
        let conflicts: usize = pool(&self.conflicts).iter().map(KnownConflicts::memory).sum();
        self.groups.memory() + self.patterns.memory() + idle + conflicts
    }

    /// Conflicts of pairs for one expander, which gives them back by [`Ground::take_back`].
    pub(super) fn conflicts(&self) -> KnownConflicts {
        pool(&self.conflicts).pop().unwrap_or_default()
    }

    /// Takes conflicts back for another expander.
    pub(super) fn take_back(&self, conflicts: KnownConflicts) {
        pool(&self.conflicts).push(conflicts);
    }
}

/// The contents of a pool, for one thread at a time.
fn pool<T>(pool: &Pool<T>) -> MutexGuard<'_, Vec<T>> {
    pool.lock().unwrap_or_else(PoisonError::into_inner)
}

/// A corral search for one expander. It takes an idle one of the ground, or makes one, when it is first needed, and gives
/// it back when it is dropped.
pub struct Corrals<const W: usize> {
    ground: Arc<Ground<W>>,
    /// Positions for each corral; the same for all corral searches of a ground.
    effort: usize,
    search: Option<CorralSearch<W>>,
}

impl<const W: usize> Corrals<W> {
    pub(super) fn new(ground: &Arc<Ground<W>>, effort: usize) -> Self {
        Corrals { ground: Arc::clone(ground), effort, search: None }
    }

    pub(super) fn search(&mut self) -> &mut CorralSearch<W> {
        let Corrals { ground, effort, search } = self;
        search.get_or_insert_with(|| {
            let idle = pool(&ground.idle).pop();
            idle.unwrap_or_else(|| CorralSearch::of_effort(*effort))
        })
    }

    /// Bytes held.
    pub(super) fn memory(&self) -> usize {
        self.search.as_ref().map_or(0, CorralSearch::memory)
    }
}

impl<const W: usize> Drop for Corrals<W> {
    fn drop(&mut self) {
        pool(&self.ground.idle).extend(self.search.take());
    }
}
