//! The search along packing orders as a member: a slice and two short looks before all others, then a look
//! in each round.
//!
//! What it solves it solves soon, so a longer turn would only keep the others waiting. An order is all or
//! nothing, and which order is found, and how the walk goes, depends on how ties are broken. So each look
//! is at another image of the board: turned and mirrored, the same level has another order.

use crate::games::sokoban::board::image::{Image, ImageBoard};
use crate::games::sokoban::board::{Board, Push};
use crate::games::sokoban::planner::deadlock::Pattern;
use crate::games::sokoban::planner::limits;
use crate::games::sokoban::planner::packing_order::{
    Course, ORDER_WORK, PackingOrderSearch, Prepared, Slice,
};
use crate::games::sokoban::planner::tuning::PackingOrder;
use crate::search::{Allowance, Clock, Ended, Known, Search, Spent, StopReason, Turn};
use std::sync::OnceLock;

/// Name of the member.
const NAME: &str = "packing-order";
/// Expansions, or positions looked at by proofs, between two looks at the clock.
const POLL: u64 = 64;
/// Number of images in the first turn.
const FIRST_IMAGES: usize = 3;

/// What the search knows of a level before its first turn; it lives longer than the searches do.
pub(super) type Place = OnceLock<Option<Prepared>>;

/// The member before all others, which looks at each image of the board.
pub(super) struct Opening<'a> {
    board: &'a Board,
    tuning: PackingOrder,
    /// Number of images that were looked at, the board as it is included.
    images: usize,
    /// What the slices that are played have spent.
    spent: Spent,
}

impl<'a> Opening<'a> {
    pub(super) fn new(board: &'a Board, tuning: PackingOrder) -> Self {
        Opening { board, tuning, images: 0, spent: Spent::default() }
    }

    /// Whether each image was looked at.
    fn is_over(&self) -> bool {
        self.images >= Image::ALL.len()
    }

    /// Plays a slice of some expansions on an image; nothing where it has no order. The order and the
    /// proofs have the same part of what they have in a whole slice.
    fn slice(&mut self, image: Image, nodes: u64, allowance: &Allowance<'_>) -> Turn<Vec<Push>> {
        let PackingOrder { slice, proofs, .. } = self.tuning;
        let part = |whole: u64| whole.saturating_mul(nodes.min(slice)) / slice;
        let image = ImageBoard::new(self.board, image);
        let Some(prepared) = prepare(&image.board, part(ORDER_WORK), allowance.clock) else {
            return without_order(allowance.clock);
        };
        let mut search = prepared.search(&image.board);
        let slice = Slice { expansions: nodes, proofs: part(proofs) };
        let (course, stop) = run(&mut search, slice, allowance, self.spent.expanded);
        let (expanded, generated) = search.effort();
        self.spent.expanded += expanded;
        self.spent.generated += generated;
        self.spent.memory = self.spent.memory.max(search.memory());
        match (course, stop) {
            (Course::Solved(pushes), _) => {
                let pushes: Vec<Push> = pushes.into_iter().map(|p| image.original(p)).collect();
                Turn::found(pushes.len() as u64, pushes)
            }
            (_, Some(stop)) => Turn::without_plan(0, Ended::Stopped(stop)),
            (_, None) => Turn::without_plan(0, Ended::Exhausted),
        }
    }
}

impl Search for Opening<'_> {
    type Plan = Vec<Push>;
    type Lesson = Pattern;

    fn name(&self) -> &'static str {
        NAME
    }

    /// Plays a slice on the board as it is and looks at two images; in a later turn, looks at another.
    fn turn(&mut self, _known: Known, allowance: &Allowance<'_>) -> Turn<Vec<Push>> {
        let PackingOrder { slice, glance, .. } = self.tuning;
        let last = if self.images == 0 { FIRST_IMAGES } else { self.images + 1 };
        while self.images < last {
            let Some(&image) = Image::ALL.get(self.images) else { break };
            let left = allowance.nodes.saturating_sub(self.spent.expanded);
            if left == 0 {
                return Turn::stopped(StopReason::Nodes);
            }
            let expansions = if self.images == 0 { slice } else { glance };
            self.images += 1;
            let turn = self.slice(image, left.min(expansions), allowance);
            if turn.ended != Ended::Exhausted {
                return turn;
            }
        }
        let ended = if self.is_over() { Ended::Exhausted } else { Ended::Resting };
        Turn::without_plan(0, ended)
    }

    fn spent(&self) -> Spent {
        self.spent
    }

    fn may_go_on(&self, nodes: u64) -> bool {
        !self.is_over() && self.spent.expanded < nodes
    }
}

/// The search alone: on the board as it is, with all that may be spent.
pub(super) struct Alone<'a> {
    board: &'a Board,
    place: &'a Place,
    search: Option<PackingOrderSearch<'a>>,
}

impl<'a> Alone<'a> {
    /// The search, which is made ready on its first turn.
    pub(super) fn new(board: &'a Board, place: &'a Place) -> Self {
        Alone { board, place, search: None }
    }
}

impl Search for Alone<'_> {
    type Plan = Vec<Push>;
    type Lesson = Pattern;

    fn name(&self) -> &'static str {
        NAME
    }

    fn turn(&mut self, _known: Known, allowance: &Allowance<'_>) -> Turn<Vec<Push>> {
        if self.search.is_none() {
            let prepared =
                self.place.get_or_init(|| prepare(self.board, ORDER_WORK, allowance.clock));
            self.search = prepared.as_ref().map(|prepared| prepared.search(self.board));
        }
        let Some(search) = &mut self.search else { return without_order(allowance.clock) };
        let slice = Slice { expansions: allowance.limit(), proofs: u64::MAX };
        let ended = match run(search, slice, allowance, 0) {
            (Course::Solved(pushes), _) => return Turn::found(pushes.len() as u64, pushes),
            (Course::Through, _) => Ended::Exhausted,
            (Course::Open, stop) => Ended::Stopped(stop.unwrap_or(StopReason::Nodes)),
        };
        Turn::without_plan(0, ended)
    }

    fn spent(&self) -> Spent {
        let Some(search) = &self.search else { return Spent::default() };
        let (expanded, generated) = search.effort();
        Spent { expanded, generated, memory: search.memory() }
    }
}

/// An order of the board's boxes, where one is found by looking at no more than `for_order` squares.
fn prepare(board: &Board, for_order: u64, clock: &Clock) -> Option<Prepared> {
    let work = limits::preparation(&clock.limits) as u64;
    Prepared::new(board, work, for_order, &|| clock.should_stop(0, 0).is_some())
}

/// The turn of a search whose board has no order, or whose time was over before.
fn without_order(clock: &Clock) -> Turn<Vec<Push>> {
    let ended = clock.should_stop(0, 0).map_or(Ended::Exhausted, Ended::Stopped);
    Turn::without_plan(0, ended)
}

/// Lets the search go on within its slice, and says why it was stopped, where it was; `before` has been
/// expanded by others whose expansions count with its own.
fn run(
    search: &mut PackingOrderSearch<'_>,
    slice: Slice,
    &Allowance { clock, memory, .. }: &Allowance<'_>,
    before: u64,
) -> (Course, Option<StopReason>) {
    let (mut polled, mut stop) = (0, None);
    let course = search.run(slice, |expanded, proofs, held| {
        if expanded + proofs >= polled + POLL {
            polled = expanded + proofs;
            stop = clock.should_stop(before + expanded, held);
            if held > memory {
                stop = Some(StopReason::Memory);
            }
        }
        stop.is_some()
    });
    (course, stop)
}
