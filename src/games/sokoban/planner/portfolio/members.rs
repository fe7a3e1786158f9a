//! The members of the portfolio, and how much each gets in the first round.

use super::opening::{Alone, Opening, Place};
use crate::games::sokoban::board::{Board, Push, mask};
use crate::games::sokoban::planner::analysis::Prepared;
use crate::games::sokoban::planner::analysis::push_distance::PullDistances;
use crate::games::sokoban::planner::backward::restarts::BackwardRestarts;
use crate::games::sokoban::planner::backward::{self, Backward};
use crate::games::sokoban::planner::bidirectional;
use crate::games::sokoban::planner::deadlock::Pattern;
use crate::games::sokoban::planner::fess::finish::{HybridSearch, Limits};
use crate::games::sokoban::planner::fess::restarts::FessRestarts;
use crate::games::sokoban::planner::fess::{Fess, Style};
use crate::games::sokoban::planner::packing::Packing;
use crate::games::sokoban::planner::pushes::best_first::{BestFirst, Weights};
use crate::games::sokoban::planner::pushes::{Ended, Measure};
use crate::games::sokoban::planner::repacking;
use crate::games::sokoban::planner::tuning::{FeatureSpace, Repacking};
use crate::search::portfolio::by_place;
use crate::search::{self, Allowance, Known, Search, Spent, StopReason, Turn};
use std::sync::Arc;
use std::time::Duration;

/// A member of the portfolio.
pub type Entrant<'a> = by_place::Entrant<'a, Vec<Push>, Pattern>;

/// Expansions of bidirectional search in the first round, the last number of the first row that a
/// board fits. The others are the most squares for each box and the most ways to put the boxes on
/// the board. The search does best on crowded boards.
const BIDIRECTIONAL_TURNS: [(usize, u128, u64); 5] = [
    (5, 1 << 56, 800_000),
    (usize::MAX, 1 << 56, 500_000),
    (usize::MAX, 1 << 62, 350_000),
    (6, u128::MAX, 250_000),
    (usize::MAX, u128::MAX, 90_000),
];
/// Factor of the turns of feature-space search beside bidirectional search, after the most such
/// ways for which it holds. The longer the turns of the latter, the less often the others come.
const FESS_BESIDE: [(u128, u64); 2] = [(1 << 62, 4), (u128::MAX, 1)];
/// Ways to put the boxes on a board, up to which neither the packing order nor repacking plays before all
/// others: bidirectional search solves such levels as soon, by shorter plans.
const FEW_ARRANGEMENTS: u128 = 1 << 40;
/// Boxes times squares of boards on which searches of single pushes come before feature-space
/// search. One expansion of that may take seconds there, and the bound alone leads best
/// (`docs/notes/sokoban.md`).
const LARGE: usize = 100_000;

/// The members, those of short turns first; each seed gives restarts draws of their own. Where one is
/// `named` there is no other.
pub fn members<'a>(
    level: Prepared<'a>,
    plan: &Arc<Packing>,
    place: &'a Place,
    (seed, named): (u64, Option<&str>),
) -> Vec<Entrant<'a>> {
    let Prepared { board, tuning, .. } = level;
    let fess = Fess::new(level, plan.clone(), Style::default());
    let has_bit_boards = mask::words(board).is_some();
    let times = if has_bit_boards { by_arrangements(board, &FESS_BESIDE) } else { 1 };
    let hybrid = HybridSearch::new(level, fess);
    let feature_turn = times * tuning.feature_space.first_turn;
    let features =
        Features { tuning: tuning.feature_space, hybrid, next_finish: feature_turn, shared: 0 };
    let draws = seed.wrapping_mul(2);
    let restarts = |seed| {
        let search = Restarting { search: FessRestarts::new(level, seed), shared: 0 };
        Entrant::new(tuning.feature_space_restarts.first_turn, search).sharing()
    };
    let mut members = vec![Entrant::new(feature_turn, features).sharing()];
    // Bidirectional search solves what these do, and sooner.
    if !has_bit_boards || named.is_some() {
        members.extend(searches_of_single_pushes(level, plan, draws));
    }
    members.extend([restarts(draws.wrapping_sub(1)), restarts(draws)]);
    if has_bit_boards {
        let weight = tuning.bidirectional.weight;
        let search = OnBitBoards {
            board,
            name: "bidirectional",
            make: bidirectional::search,
            weight,
            search: None,
        };
        let turn = bidirectional_turn(board) as f64 * tuning.bidirectional.turns;
        members.insert(0, Entrant::new((turn as u64).max(1), search).with_help());
    } else if is_large(board) {
        members.rotate_left(1);
    }
    let has_many_arrangements = bidirectional::arrangements(board) > FEW_ARRANGEMENTS;
    if named.is_some() || has_many_arrangements {
        let tuning = tuning.packing_order;
        let entrant = match named {
            None => Entrant::new(tuning.slice, Opening::new(board, tuning)),
            Some(_) => Entrant::new(tuning.slice, Alone::new(board, place)),
        };
        members.insert(0, entrant);
    }
    if has_bit_boards && repacking::is_for(board) && (named.is_some() || has_many_arrangements) {
        let Repacking { first_turn, weight } = tuning.repacking;
        let make = |board: &Board, _, weight| repacking::search(board, weight);
        let search = OnBitBoards { board, name: "repacking", make, weight, search: None };
        members.insert(0, Entrant::new(first_turn, search).with_help());
    }
    members.retain(|member| named.is_none_or(|name| name == member.name));
    members
}

/// Best-first searches, along a plan and without one, and backward searches.
fn searches_of_single_pushes<'a>(
    level: Prepared<'a>,
    plan: &Arc<Packing>,
    draws: u64,
) -> [Entrant<'a>; 4] {
    let Prepared { board, distances, tuning, .. } = level;
    let backward_turn = tuning.backward.first_turn;
    let best_first = |bound| BestFirst::new(level, Measure::Pushes, Weights { cost: 1, bound });
    let mut along_plan = best_first(2);
    along_plan.follow(plan.clone());
    let along_plan = Pushing { name: "best-first-along-plan", search: along_plan };
    let without_plan = if is_large(board) {
        let search = Pushing { name: "best-first", search: best_first(2) };
        Entrant::new(tuning.best_first.first_turn, search)
    } else {
        let mut search = best_first(3);
        search.count_away();
        let search = Pushing { name: "best-first-by-boxes-away", search };
        Entrant::new(tuning.best_first_by_boxes_away.first_turn, search)
    };
    let back = Arc::new(PullDistances::new(distances.clone()));
    let backward = Backward::new(board, back.clone(), backward::Style::default());
    [
        Entrant::new(tuning.best_first_along_plan.first_turn, along_plan),
        Entrant::new(backward_turn, backward),
        Entrant::new(backward_turn, BackwardRestarts::new(board, back, draws)),
        without_plan,
    ]
}

fn is_large(board: &Board) -> bool {
    board.boxes.len() * board.squares() > LARGE
}

/// Expansions of bidirectional search in the first round.
fn bidirectional_turn(board: &Board) -> u64 {
    let squares_each = board.squares().div_ceil(board.boxes.len().max(1));
    let ways = bidirectional::arrangements(board);
    let fits = |&&(each, most, _): &&(usize, u128, u64)| squares_each <= each && ways <= most;
    BIDIRECTIONAL_TURNS.iter().find(fits).map_or(0, |&(.., turn)| turn)
}

/// What a table says for as many ways to put the boxes on a board as there are.
fn by_arrangements(board: &Board, table: &[(u128, u64)]) -> u64 {
    let count = bidirectional::arrangements(board);
    table.iter().find(|&&(most, _)| count <= most).map_or(0, |&(_, value)| value)
}

/// Feature-space search, finished by best-first search.
struct Features<'a> {
    tuning: FeatureSpace,
    hybrid: HybridSearch<'a>,
    /// Expansions of feature-space search after which positions are next handed over. It doubles each time,
    /// for the searches that finish them begin again.
    next_finish: u64,
    /// Deadlocks that the others know of.
    shared: usize,
}

impl Features<'_> {
    /// Searches on for `features` expansions in all, then hands positions over where that is due.
    fn search(
        &mut self,
        features: u64,
        &Allowance { clock, nodes, memory, .. }: &Allowance<'_>,
    ) -> Ended {
        let FeatureSpace { first_turn, finishing_turn } = self.tuning;
        let is_due = features == self.next_finish;
        let finishing = (features / first_turn).saturating_mul(finishing_turn).min(nodes);
        let handed = if is_due { finishing } else { 0 };
        let ended = self.hybrid.run(clock, Limits { features, handed, nodes, memory });
        if is_due {
            self.next_finish = self.next_finish.saturating_mul(2);
        }
        ended
    }
}

impl Search for Features<'_> {
    type Plan = Vec<Push>;
    type Lesson = Pattern;

    fn name(&self) -> &'static str {
        "feature-space"
    }

    fn turn(&mut self, _known: Known, allowance: &Allowance<'_>) -> Turn<Vec<Push>> {
        loop {
            let features = allowance.limit().min(self.next_finish);
            let ended = self.search(features, allowance);
            let is_spent = features == allowance.limit() || !self.may_go_on(allowance.nodes);
            if is_spent || !matches!(ended, Ended::Stopped(StopReason::Nodes)) {
                return turn_of(ended);
            }
        }
    }

    fn spent(&self) -> Spent {
        let (expanded, generated) = self.hybrid.effort();
        Spent { expanded, generated, memory: self.hybrid.search.memory() }
    }

    fn may_go_on(&self, nodes: u64) -> bool {
        self.hybrid.spent() < nodes
    }

    fn lessons(&self) -> &[Pattern] {
        self.hybrid.search.deadlocks.learned_since(self.shared)
    }

    fn learn(&mut self, lessons: &mut dyn Iterator<Item = &[Pattern]>) {
        lessons.for_each(|patterns| self.hybrid.search.adopt(patterns));
        self.shared = self.hybrid.search.deadlocks.patterns();
    }
}

/// Restarts of feature-space search.
struct Restarting<'a> {
    search: FessRestarts<'a>,
    /// Deadlocks that the others know of.
    shared: usize,
}

impl Search for Restarting<'_> {
    type Plan = Vec<Push>;
    type Lesson = Pattern;

    fn name(&self) -> &'static str {
        "feature-space-restarts"
    }

    fn turn(&mut self, _known: Known, allowance: &Allowance<'_>) -> Turn<Vec<Push>> {
        let &Allowance { clock, nodes, memory, .. } = allowance;
        turn_of(self.search.run(clock, (allowance.limit(), nodes), memory))
    }

    fn spent(&self) -> Spent {
        let FessRestarts { expansions: expanded, generated, .. } = self.search;
        Spent { expanded, generated, memory: self.search.memory() }
    }

    fn may_go_on(&self, nodes: u64) -> bool {
        self.search.may_begin(nodes)
    }

    fn lessons(&self) -> &[Pattern] {
        self.search.learned_since(self.shared)
    }

    fn learn(&mut self, lessons: &mut dyn Iterator<Item = &[Pattern]>) {
        lessons.for_each(|patterns| self.search.adopt(patterns));
        self.shared = self.search.learned_since(0).len();
    }
}

/// Best-first search over single pushes.
struct Pushing<'a> {
    name: &'static str,
    search: BestFirst<'a>,
}

impl Search for Pushing<'_> {
    type Plan = Vec<Push>;
    type Lesson = Pattern;

    fn name(&self) -> &'static str {
        self.name
    }

    fn turn(&mut self, _known: Known, allowance: &Allowance<'_>) -> Turn<Vec<Push>> {
        let &Allowance { clock, share, nodes, memory, .. } = allowance;
        turn_of(self.search.run(clock, (share, nodes), memory))
    }

    fn spent(&self) -> Spent {
        let BestFirst { expansions: expanded, .. } = self.search;
        let (generated, memory) = (self.search.generated(), self.search.memory());
        Spent { expanded, generated, memory }
    }
}

/// Makes a search on bit boards within a time, with a weight of the bound on the rest; `None` where the board
/// is too large.
type OnBits = fn(&Board, Duration, usize) -> Option<Box<dyn bidirectional::BitBoardSearch>>;

/// A search on bit boards.
struct OnBitBoards<'a> {
    board: &'a Board,
    name: &'static str,
    make: OnBits,
    /// Weight of the bound on the rest, in steps.
    weight: usize,
    /// Made on its first turn.
    search: Option<Box<dyn bidirectional::BitBoardSearch>>,
}

impl Search for OnBitBoards<'_> {
    type Plan = Vec<Push>;
    type Lesson = Pattern;

    fn name(&self) -> &'static str {
        self.name
    }

    fn turn(&mut self, _known: Known, allowance: &Allowance<'_>) -> Turn<Vec<Push>> {
        let &Allowance { clock, memory, crew, .. } = allowance;
        if self.search.is_none() {
            // Where nodes are counted the clock decides nothing.
            let time = clock.limits.nodes.map_or_else(|| clock.left(), |_| Duration::MAX);
            self.search = (self.make)(self.board, time, self.weight);
        }
        match &mut self.search {
            Some(search) => turn_of(search.run(clock, allowance.limit(), memory, crew)),
            None => Turn::without_plan(0, search::Ended::Exhausted),
        }
    }

    fn spent(&self) -> Spent {
        let Some(search) = &self.search else { return Spent::default() };
        let (expanded, generated) = search.effort();
        Spent { expanded, generated, memory: search.memory() }
    }
}

impl Search for Backward<'_> {
    type Plan = Vec<Push>;
    type Lesson = Pattern;

    fn name(&self) -> &'static str {
        "backward"
    }

    fn turn(&mut self, _known: Known, allowance: &Allowance<'_>) -> Turn<Vec<Push>> {
        let limits = (allowance.nodes, allowance.share);
        turn_of(Backward::run(self, allowance.clock, limits, allowance.memory))
    }

    fn spent(&self) -> Spent {
        let (expanded, generated) = (self.expansions, self.generated);
        Spent { expanded, generated, memory: self.memory() }
    }
}

impl Search for BackwardRestarts<'_> {
    type Plan = Vec<Push>;
    type Lesson = Pattern;

    fn name(&self) -> &'static str {
        "backward-restarts"
    }

    fn turn(&mut self, _known: Known, allowance: &Allowance<'_>) -> Turn<Vec<Push>> {
        let limits = (allowance.nodes, allowance.share);
        turn_of(BackwardRestarts::run(self, allowance.clock, limits, allowance.memory))
    }

    fn spent(&self) -> Spent {
        let (expanded, generated) = self.effort();
        Spent { expanded, generated, memory: self.memory() }
    }
}

/// The turn of a search over pushes that has ended so.
fn turn_of(ended: Ended) -> Turn<Vec<Push>> {
    match ended {
        Ended::Solved(pushes) => Turn::found(pushes.len() as u64, pushes),
        Ended::Impossible => Turn::impossible(),
        Ended::Exhausted => Turn::without_plan(0, search::Ended::Exhausted),
        Ended::Stopped(stop) => Turn::stopped(stop),
    }
}
