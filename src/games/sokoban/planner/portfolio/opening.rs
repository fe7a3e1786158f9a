//! The search along packing orders as a member: a slice of expansions on the board and short slices on two
//! images of it before all other searches, then a short slice on one more image in each round.
//!
//! The search solves a level within a few thousand expansions or hardly ever, so longer turns would only
//! delay the other searches. Which order is found, and how the walk goes, depends on how ties are broken.
//! Turned and mirrored, the same level has other ties.

use crate::games::sokoban::board::derived::{DerivedBoard, Image};
use crate::games::sokoban::board::{Board, Push};
use crate::games::sokoban::planner::deadlock::Pattern;
use crate::games::sokoban::planner::limits;
use crate::games::sokoban::planner::packing_order::{
    Course, ORDER_WORK, PackingOrderSearch, Prepared, Slice,
};
use crate::games::sokoban::planner::tuning::PackingOrder;
use crate::search::portfolio::by_place::share_of_round;
use crate::search::{Allowance, Clock, Ended, Known, Search, Spent, StopReason, Turn};
use std::sync::OnceLock;

/// Name of the member.
const NAME: &str = "packing-order";
/// Expansions, or positions looked at by proofs, between two looks at the clock.
const POLL: u64 = 64;
/// The images in the order in which they are searched, the board as it is first. Ties are broken most
/// differently on the second and the third.
const IMAGES: [Image; 8] = {
    let [same, u, m, um, t, ut, mt, umt] = Image::ALL;
    [same, umt, um, u, ut, m, mt, t]
};
/// Number of images in the first turn.
const FIRST_IMAGES: usize = 3;

/// What the search knows of a level before its first turn; it lives longer than the searches do.
pub type Place = OnceLock<Option<Prepared>>;

/// The member before all others, which searches each image of the board in turn.
pub(super) struct Opening<'a> {
    board: &'a Board,
    tuning: PackingOrder,
    /// Number of images searched so far.
    images: usize,
    /// Number of the round whose images are next.
    round: u32,
    /// Expansions and successors of the slices so far, and the most memory that one of them held.
    spent: Spent,
}

impl<'a> Opening<'a> {
    pub(super) fn new(board: &'a Board, tuning: PackingOrder) -> Self {
        Opening { board, tuning, images: 0, round: 0, spent: Spent::default() }
    }

    /// Whether all images were searched.
    fn is_over(&self) -> bool {
        self.images == IMAGES.len()
    }

    /// Plays the slices of a round.
    fn play_round(&mut self, round: u32, allowance: &Allowance<'_>) -> Turn<Vec<Push>> {
        let PackingOrder { slice, image_slice, .. } = self.tuning;
        self.round = round + 1;
        let count = if round == 0 { FIRST_IMAGES } else { 1 };
        for image in IMAGES.into_iter().skip(self.images).take(count) {
            let left = allowance.nodes.saturating_sub(self.spent.expanded);
            if left == 0 {
                return Turn::stopped(StopReason::Nodes);
            }
            let expansions = if self.images == 0 { slice } else { image_slice };
            self.images += 1;
            let turn = self.slice(image, left.min(expansions), allowance);
            if turn.ended != Ended::Exhausted {
                return turn;
            }
        }
        let ended = if self.is_over() { Ended::Exhausted } else { Ended::Resting };
        Turn::without_plan(0, ended)
    }

    /// Searches an image for a slice of `nodes` expansions, where it has an order. The limits of order and
    /// proofs are reduced in the ratio of `nodes` to a whole slice.
    fn slice(&mut self, image: Image, nodes: u64, allowance: &Allowance<'_>) -> Turn<Vec<Push>> {
        let PackingOrder { slice, proofs, .. } = self.tuning;
        let part = |whole: u64| whole.saturating_mul(nodes.min(slice)) / slice;
        let image = DerivedBoard::image(self.board, image);
        let Some(prepared) = prepare(image, part(ORDER_WORK), allowance.clock) else {
            return without_order(allowance.clock);
        };
        let mut search = prepared.search();
        let slice = Slice { expansions: nodes, proofs: part(proofs) };
        let (course, stop) = run(&mut search, slice, allowance, self.spent.expanded);
        let (expanded, generated) = search.effort();
        self.spent.expanded += expanded;
        self.spent.generated += generated;
        self.spent.memory = self.spent.memory.max(search.memory());
        match (course, stop) {
            (Course::Solved(pushes), _) => Turn::found(pushes.len() as u64, pushes),
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

    /// Plays the rounds that its share pays for: in the first a slice on the board and short slices on two
    /// images, in each later one a short slice on one more image.
    fn turn(&mut self, _known: Known, allowance: &Allowance<'_>) -> Turn<Vec<Push>> {
        let PackingOrder { slice, .. } = self.tuning;
        let is_paid = |&round: &u32| share_of_round(slice, round) <= allowance.share;
        for round in (self.round..).take(IMAGES.len()).take_while(is_paid) {
            let turn = self.play_round(round, allowance);
            if self.is_over() || turn.ended != Ended::Resting || turn.plan.is_some() {
                return turn;
            }
        }
        Turn::without_plan(0, Ended::Resting)
    }

    fn spent(&self) -> Spent {
        self.spent
    }

    fn may_go_on(&self, nodes: u64) -> bool {
        !self.is_over() && self.spent.expanded < nodes
    }
}

/// The search alone: on the board as it is, with the whole budget.
pub(super) struct Alone<'a> {
    board: &'a Board,
    place: &'a Place,
    search: Option<PackingOrderSearch<'a>>,
}

impl<'a> Alone<'a> {
    /// The search of a board. It is prepared in its first turn.
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
            let board = || DerivedBoard::image(self.board, IMAGES[0]);
            let prepared = self.place.get_or_init(|| prepare(board(), ORDER_WORK, allowance.clock));
            self.search = prepared.as_ref().map(Prepared::search);
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

/// Prepares the search of a board. The search for an order may look at `for_order` squares.
fn prepare(board: DerivedBoard, for_order: u64, clock: &Clock) -> Option<Prepared> {
    let work = limits::preparation(&clock.limits) as u64;
    Prepared::new(board, work, for_order, &|| clock.should_stop(0, 0).is_some())
}

/// The turn where there is no order, or no time left to find one.
fn without_order(clock: &Clock) -> Turn<Vec<Push>> {
    let ended = clock.should_stop(0, 0).map_or(Ended::Exhausted, Ended::Stopped);
    Turn::without_plan(0, ended)
}

/// Continues a search within its slice; also returns why it was stopped early, if it was. `before` is the
/// number of expansions of earlier slices, which count towards the same budget.
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
