//! Search along a packing order: the targets are filled in phases, and the search dives.
//!
//! The idea is old and public: from the solved board, boxes leave in *phases*, sets without an inner
//! order. Boxes that stand in the way are *parked*, and know the phase that frees them. Phases and
//! parkings as here are those of the solver YASS (Brian Damgaard); the code is our own, from a
//! description of the behaviour.
//!
//! 1. [`level`]: the level without what cannot move, and distances in pulls.
//! 2. [`order`] finds the phases by playing backward; [`parking`] says where a box can wait.
//! 3. [`guide`] turns the order into distances, and [`walk`] follows it: [`expansion`] makes children,
//!    [`score`] says how good they are, [`open_list`] which is next, [`positions`] which are known.
//! 4. [`corral`] finds areas out of the player's reach, so that pushes elsewhere can wait, and [`learning`] decides
//!    which of them are to be proven dead. The proofs and all other tests for deadlocks are those of
//!    [`deadlock`](super::deadlock).
//!
//! The search is incomplete, and all or nothing: what it solves it mostly solves within a few
//! thousand expansions. No step of it depends on time.

pub mod corral;
pub mod expansion;
pub mod guide;
pub mod learning;
pub mod level;
pub mod open_list;
pub mod order;
pub mod parking;
pub mod positions;
pub mod score;
pub mod walk;

use crate::games::sokoban::board::Push;
use crate::games::sokoban::board::derived::DerivedBoard;
use guide::Guide;
use level::terrain::Terrain;
use walk::{Rules, Walk, Walked};

/// Squares of the largest board.
const MOST_SQUARES: usize = 4000;
/// Boxes of the fullest board.
const MOST_BOXES: usize = 200;
/// Squares that the distances of all targets may look at: targets times squares times squares.
const MOST_MEASURED: usize = 60_000_000;
/// Squares that the search for an order may look at for a whole slice.
pub const ORDER_WORK: u64 = 40_000_000;

/// A level with an order.
pub struct Prepared {
    terrain: Terrain,
    guide: Guide,
}

/// What the search may spend.
#[derive(Clone, Copy, Debug)]
pub struct Slice {
    /// Expansions in this and all earlier turns together.
    pub expansions: u64,
    /// Positions that proofs of deadlocks may look at, in all turns together.
    pub proofs: u64,
}

/// How a turn ended.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Course {
    Solved(Vec<Push>),
    /// Nothing is left to be looked at.
    Through,
    /// The slice was spent, or the search was told to stop.
    Open,
}

impl Prepared {
    /// Looks for an order. Plans along it are pushes of the level's original board. Distances and order may each look at
    /// `work` squares, and the order also at no more than `for_order`. `None` if the board is too large, has no order, or
    /// the search is halted.
    pub fn new(
        level: DerivedBoard,
        work: u64,
        for_order: u64,
        is_halted: &dyn Fn() -> bool,
    ) -> Option<Self> {
        let (squares, boxes) = (level.board.squares(), level.board.boxes.len());
        let measured = boxes.saturating_mul(squares).saturating_mul(squares);
        let most = MOST_MEASURED.min(usize::try_from(work).unwrap_or(usize::MAX));
        if squares > MOST_SQUARES || boxes > MOST_BOXES || measured > most {
            return None;
        }
        let terrain = Terrain::new(level)?;
        let phases = order::find(&terrain, for_order.min(work), is_halted)?;
        let guide = Guide::new(&terrain, phases);
        Some(Prepared { terrain, guide })
    }

    /// Begins the search.
    pub fn search(&self) -> PackingOrderSearch<'_> {
        PackingOrderSearch { walk: Walk::new(&self.terrain, &self.guide, Rules::ALL) }
    }
}

/// The search, which can be stopped and go on.
pub struct PackingOrderSearch<'a> {
    walk: Walk<'a>,
}

impl PackingOrderSearch<'_> {
    /// Searches on. `must_stop` is asked now and then, with the expansions, the positions looked at by
    /// proofs and the bytes held so far.
    pub fn run(
        &mut self,
        slice: Slice,
        mut must_stop: impl FnMut(u64, u64, usize) -> bool,
    ) -> Course {
        let walked = self.walk.run(slice.expansions, |walk| {
            let proofs = walk.deadlocks.looked;
            proofs > slice.proofs || must_stop(walk.counts.expanded, proofs, walk.memory())
        });
        match walked {
            Walked::Solved(pushes) => Course::Solved(pushes),
            Walked::Through => Course::Through,
            Walked::Open => Course::Open,
        }
    }

    /// Positions expanded and pushes generated.
    pub fn effort(&self) -> (u64, u64) {
        (self.walk.counts.expanded, self.walk.counts.generated)
    }

    /// Bytes held.
    pub fn memory(&self) -> usize {
        self.walk.memory()
    }
}
