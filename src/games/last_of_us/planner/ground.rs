//! The ground of all searches of an area: its board, walking distances, and how the memory is divided.

use super::beam_space::{BeamSpace, Goal, leads_out};
use super::bound::Guards;
use super::compasses::Compass;
use super::exact_space::Room;
use super::heuristic::{self, walk_field};
use crate::board::UNREACHED;
use crate::games::last_of_us::state::{Board, Move, Simulator};
use crate::search::Limits;

/// Bytes for each cell of the walking distances, as often as they are held.
const WALK_BYTES: usize = 8;
/// Divisor of the memory: guides may take this share.
const GUIDES_PART: usize = 4;
/// Divisor of the memory: searches have at least this share, whatever the planner holds itself.
const SEARCHES_PART: usize = 2;
/// The bound is computed brick by brick for at most this many cells times bricks.
const MOST_BOUND_CELLS: usize = 1 << 20;

/// A board with what all searches of it share.
pub struct Ground<'a> {
    /// The board.
    pub board: &'a Board,
    /// Steps to the exit from each cell, ignoring clickers.
    pub walk: Vec<u32>,
    /// Memory for what is kept beside states.
    pub room: Room,
    /// Guides for which there is room, two at least.
    pub guides: usize,
    /// Bytes that searches may hold, beside what the planner does.
    pub memory: usize,
}

impl<'a> Ground<'a> {
    /// The ground of a board for a run under these limits, with `most_guides` guides at most.
    pub fn new(board: &'a Board, limits: Limits, most_guides: usize) -> Self {
        let Limits { memory, threads, .. } = limits;
        let each = board.sites() * heuristic::SITE_BYTES;
        let guides = (memory / GUIDES_PART / each.max(1)).max(2);
        let own = board.sites() * WALK_BYTES + guides.min(most_guides) * each;
        Ground {
            board,
            walk: walk_field(board, board.exit),
            room: Room::of(memory, threads),
            guides,
            memory: memory.saturating_sub(own).max(memory / SEARCHES_PART),
        }
    }

    /// Steps from the start to the exit, ignoring clickers; `u64::MAX` where no way leads there.
    pub fn way(&self) -> u64 {
        match self.walk[self.board.ellie as usize] {
            UNREACHED => u64::MAX,
            walk => u64::from(walk),
        }
    }

    /// No plan is shorter: steps to the exit, plus what the guards on the way cost at least. `u64::MAX`
    /// where no way leads there.
    pub fn lower_bound(&self) -> u64 {
        let (board, walk) = (self.board, self.way());
        if walk == u64::MAX {
            return walk;
        }
        let guards = Guards::all(board);
        if guards.is_empty() {
            return walk;
        }
        let bricks = board.bricks as usize;
        // With fewer layers than bricks the last one stands for "and all the remaining ones".
        let exact = (bricks + 1) * board.sites() <= MOST_BOUND_CELLS;
        let field = guards.bound(board, if exact { Some(bricks) } else { None }, 0);
        let layer = if exact { bricks } else { 0 };
        let bound = field[layer * board.sites() + board.ellie as usize];
        if bound == u32::MAX { walk } else { walk.max(u64::from(bound)) }
    }

    /// The space from the start to the exit in a style, in which clickers that Ellie has left behind are
    /// forgotten.
    pub fn beam_space<'s>(&'s self, compass: &'s Compass) -> BeamSpace<'s> {
        BeamSpace {
            board: self.board,
            guide: &compass.guide,
            walk: &self.walk,
            thrift: compass.style.thrift,
            start: self.board.start(),
            goal: Goal::Exit,
            field_bytes: self.room.fields,
            to_exit: Some(&self.walk),
            counts_traces: false,
            contours: None,
        }
    }

    /// Whether a plan leads from the start to the exit, with all clickers remembered.
    pub fn leads_out(&self, plan: &[Move]) -> bool {
        let mut sim = Simulator::new(self.board, self.room.fields);
        leads_out(&mut sim, self.board.start(), plan)
    }
}
