//! The planner of the Last of Us.
//!
//! [`solve`] spends its budget on, in this order:
//! 1. a lower bound: walking, plus the price of guarded rooms ([`bound`]); the price of crowds
//!    ([`abstraction`]) beside the beams, or after the narrow ones where there is one thread;
//! 2. a short exact search ([`exact_space`], A*), which settles small and easy areas;
//! 3. a portfolio of narrow beams ([`beam_space`]) under different prices ([`heuristic`]), then the best of
//!    them with its width doubled again and again; where the first one finds no plan or one far over
//!    the bound, dives (`dives`) come next;
//! 4. shortening the plan by searching windows of it again ([`improve`]);
//! 5. where asked for optimality, or where the area is small: the exact search below the plan's
//!    length, which proves it or betters it.
//!
//! What was measured, and what went: `docs/notes/last_of_us.md`.

pub mod abstraction;
mod alone;
pub mod beam_space;
pub mod bound;
mod dives;
pub mod exact_space;
pub mod heuristic;
pub mod improve;
mod known_bounds;
#[cfg(feature = "cluster")]
pub(super) mod shared_spaces;

pub use alone::{SEARCHES, search};

use super::format::{self, Action, MAX_ACTIONS, Map};
use super::replay::validation_time;
use super::state::{Board, Move, Position, Simulator};
use crate::board::UNREACHED;
use crate::diagnostic::Source;
use crate::games::objective::Objective;
use crate::games::planning::{Found, Planned, Planning, Task};
use crate::search::beam::Beam;
use crate::search::{
    Clock, Limits, Outcome, Progress, Run, Statistics, StopReason, TurnReport, Verdict, astar,
    astar_below_shared, beam_shared,
};
use abstraction::{Abstraction, Proven};
use beam_space::{Chase, Goal, Thrift};
use bound::Guards;
use exact_space::{Exact, Room};
use heuristic::{Guide, Prices, UNIT, walk_field};
use improve::Shortener;
use rayon::prelude::*;
use std::sync::Arc;
use std::sync::atomic::{AtomicBool, AtomicU64, Ordering};
use std::time::Duration;

/// Time set aside for writing the answer and ending the process.
const RESERVE: Duration = Duration::from_millis(40);
/// Divisor of the time: the reserve takes at most this share.
const MOST_RESERVE: u32 = 4;
/// Bytes for each cell of the walking distances, as often as they are held.
const WALK_BYTES: usize = 8;
/// Divisor of the memory: guides may take this share.
const GUIDES_PART: usize = 4;
/// Guides that are there at most, those among which prices are looked for included.
const MOST_GUIDES: usize = STYLES.len() + PRICES_BETWEEN as usize + 2;
/// Divisor of the memory: searches have at least this share, whatever the planner holds itself.
const SEARCHES_PART: usize = 2;
/// Expansions of the first exact search.
const QUICK_EXACT: u64 = 3_000;
/// Width of the beams of the portfolio's first round.
const FIRST_WIDTH: usize = 96;
/// Beams that are this wide are shared with other processes, where there are any.
const SHARED_WIDTH: usize = 1024;
/// Divisor of a beam's width: states on one cell may take this share.
const QUOTA_PART: usize = 20;
/// Areas of at most this many cells get an exact search after the beams without being asked.
const SMALL: usize = 40 * 40;
/// The bound is computed brick by brick for at most this many cells times bricks.
const MOST_BOUND_CELLS: usize = 1 << 20;
/// Price of a brick that the guide's path needs beyond the supply, in units of the guide.
const MISSING: u32 = 25 * UNIT;
/// Factor from one price on waking to the next, where bricks are short.
const DEARER: u32 = 4;
/// Number of steps into which the interval between the last price that is too low and the first
/// that works is divided.
const PRICES_BETWEEN: u32 = 4;
/// Greatest price on waking, in units of the guide.
const DEAREST: u32 = 2048 * UNIT;
/// A plan is far off if it is longer than what is proven by more than this many percent.
const FAR_OFF: u64 = 10;
/// Beams that are this wide give way to shortening.
const WIDE: usize = 4096;
/// Part of the remaining time for the bound by abstraction, where nothing else goes on.
const ABSTRACTION_PART: f64 = 0.4;
/// Part of the remaining time for that bound, where other threads go on meanwhile.
const ABSTRACTION_PART_BESIDE: f64 = 0.85;
/// Divisor of the nodes, where they are counted: that bound has this share.
const ABSTRACTION_PART_OF_NODES: u64 = 4;
/// Divisor of the memory: the abstraction has this share beside other work.
const ABSTRACTION_PART_OF_MEMORY: usize = 2;
/// Added to the user's seed for a second beam: more than users count up to.
const OTHER_TIES: u64 = 1 << 32;
/// No beam is wider.
const WIDEST: usize = 1 << 18;

/// One way to run a beam.
#[derive(Clone, Copy, Debug)]
struct Style {
    prices: Prices,
    thrift: Thrift,
}

/// A style and the guide that goes with it.
#[derive(Clone)]
struct Compass {
    style: Style,
    guide: Arc<Guide>,
    /// Added to the seed, which orders what the guide holds for equal.
    ties: u64,
}

/// The portfolio: from bold, for open ground, to miserly, for rooms that want a brick each.
const STYLES: [Style; 5] = [
    style(0, 0),
    style(UNIT, MISSING),
    style(4 * UNIT, MISSING),
    style(8 * UNIT, MISSING),
    style(32 * UNIT, MISSING),
];

const fn style(wake: u32, missing: u32) -> Style {
    Style {
        prices: Prices { far: 4, near: 6, on: 8, most: 12, wake },
        thrift: Thrift { brick: UNIT, missing, roused: 0 },
    }
}

/// The first style where no guard is on the way, the second where one is: bricks cost the action
/// that it takes to throw them, and clickers little more than nothing. Where they stand close
/// together, ways round them are dear.
const LIGHT: Style = Style {
    prices: Prices { far: 1, near: 2, on: 2, most: 4, wake: 0 },
    thrift: Thrift { brick: 0, missing: 0, roused: 0 },
};

/// The planner of a map, or of a position in it.
pub struct OfMap<'a> {
    map: &'a Map,
    /// The position, where it is not the start.
    position: Option<Position>,
    /// The actions that have led to it.
    done: &'a [Action],
}

impl<'a> OfMap<'a> {
    /// The planner of a whole game.
    pub fn new(map: &'a Map) -> Self {
        OfMap { map, position: None, done: &[] }
    }

    /// The planner from a position, to which these actions have led. Costs count from there, and
    /// plans are written whole.
    pub fn from_position(map: &'a Map, position: Position, done: &'a [Action]) -> Self {
        OfMap { map, position: Some(position), done }
    }
}

impl Planning for OfMap<'_> {
    type Action = Action;

    fn read(&self, plan: &str) -> Option<Vec<Action>> {
        format::read_plan(&Source::new("the known plan", plan)).ok()
    }

    fn write(&self, plan: &[Action]) -> String {
        format::plan_text(&[self.done, plan].concat())
    }

    /// Plans an area. Time is left for the validation of the plan.
    fn solve(&self, task: Task<'_, Action>) -> Planned<Action> {
        let clock = task.run.start();
        let board = match &self.position {
            None => Board::new(self.map),
            Some(position) => Board::at(self.map, position),
        };
        let mut planner = Planner::new(&board, &task, clock);
        planner.to_validate = Some((self.map, self.done));
        (planner.plan(), Vec::new())
    }

    fn search(&self, name: &str, task: Task<'_, Action>) -> Option<Planned<Action>> {
        Some((search(name, self.map, &task)?, Vec::new()))
    }
}

/// Stops at the first plan: how long a family takes to be solved at all.
pub fn first_plan(map: &Map, run: &Run) -> Outcome<Action> {
    let board = Board::new(map);
    let objective = Objective::default();
    let task = Task::new(&objective, None, run);
    let mut planner = Planner::new(&board, &task, run.start());
    for compass in planner.compasses() {
        if planner.best.is_none() {
            planner.beam(&compass, FIRST_WIDTH, None);
        }
    }
    planner.outcome()
}

/// A planner at work.
struct Planner<'a> {
    board: &'a Board,
    /// Hears each better plan.
    found: Found<'a, Action>,
    clock: Clock,
    /// When to be done, on the clock.
    end: Duration,
    /// The map whose plan is validated at the end, and the actions that come before it; how long
    /// that takes is measured once, on the first plan.
    to_validate: Option<(&'a Map, &'a [Action])>,
    optimal: bool,
    walk: Vec<u32>,
    /// Bytes that searches may hold, beside what the planner does.
    memory: usize,
    /// Some search had too little of it.
    is_short_of_memory: bool,
    bound: u64,
    best: Option<Vec<Move>>,
    impossible: bool,
    effort: Statistics,
    beside: Arc<Beside>,
}

/// What the planner and the bound that is looked for beside it tell each other.
#[derive(Default)]
struct Beside {
    /// What is proven so far.
    bound: AtomicU64,
    /// There is nothing left to prove.
    halt: Arc<AtomicBool>,
}

impl<'a> Planner<'a> {
    fn new(board: &'a Board, task: &Task<'a, Action>, clock: Clock) -> Planner<'a> {
        let known = task.known.as_ref();
        let known = known.map(|plan| plan.iter().copied().map(Move::from).collect::<Vec<_>>());
        let walk = walk_field(board, board.exit);
        let mut planner = Planner {
            board,
            found: task.found,
            end: clock.limits.time,
            clock,
            to_validate: None,
            optimal: task.objective.prove,
            memory: 0,
            is_short_of_memory: false,
            bound: 0,
            best: None,
            impossible: walk[board.ellie as usize] == UNREACHED,
            walk,
            effort: Statistics::default(),
            beside: Arc::default(),
        };
        let budget = planner.clock.limits.memory;
        let guides = planner.guides_with_room().min(MOST_GUIDES);
        let own = board.sites() * (WALK_BYTES + guides * heuristic::SITE_BYTES);
        planner.memory = budget.saturating_sub(own).max(budget / SEARCHES_PART);
        if !planner.impossible {
            planner.bound = lower_bound(board, planner.walk[board.ellie as usize]);
        }
        let mut sim = Simulator::new(board, planner.field_bytes());
        planner.best = known.filter(|plan| beam_space::leads_out(&mut sim, board.start(), plan));
        planner
    }

    /// Memory for what is kept beside states.
    fn room(&self) -> Room {
        let Limits { memory, threads, .. } = self.clock.limits;
        Room::of(memory, threads)
    }

    /// Memory of each thread's cached distance fields.
    fn field_bytes(&self) -> usize {
        self.room().fields
    }

    /// Guides for which there is room, two at least.
    fn guides_with_room(&self) -> usize {
        let each = self.board.sites() * heuristic::SITE_BYTES;
        (self.clock.limits.memory / GUIDES_PART / each.max(1)).max(2)
    }

    /// Spends the budget, on its threads.
    fn plan(mut self) -> Outcome<Action> {
        self.leave(Duration::ZERO);
        let limits = self.clock.limits;
        limits.install(|| self.run());
        self.outcome()
    }

    fn run(&mut self) {
        if self.settled() {
            return;
        }
        self.exact(Some(QUICK_EXACT), "exact search, short");
        let style = self.portfolio();
        if self.settled() || self.out_of_budget() {
            return;
        }
        let small = self.board.shape.cells() <= SMALL;
        if self.best.is_none() {
            self.exact_for(None, None, "exact search");
        } else if self.optimal || small {
            let share = if self.optimal { None } else { Some(self.left() / 2) };
            self.exact_for(share, None, "exact search");
        }
        self.shorten(style);
        self.spend_the_rest(style);
    }

    /// The remaining budget when windows give no more goes half to a proof, half to wide beams.
    fn spend_the_rest(&mut self, style: Style) {
        if self.settled() || self.out_of_budget() {
            return;
        }
        self.exact_for(Some(self.left() / 2), None, "exact search");
        let compass = self.compass(style);
        let mut width = 2 * WIDE;
        while width <= WIDEST && !self.settled() && !self.out_of_budget() {
            self.beam(&compass, width, self.length());
            width *= 2;
        }
    }

    /// Whether nothing is left to find or to prove.
    fn settled(&self) -> bool {
        self.impossible || self.gap() == Some(0)
    }

    /// Leaves time for what comes after planning.
    fn leave(&mut self, validation: Duration) {
        let time = self.clock.limits.time;
        self.end = time.saturating_sub((RESERVE + validation).min(time / MOST_RESERVE));
    }

    /// The remaining time for planning.
    fn left(&self) -> Duration {
        self.end.saturating_sub(self.clock.elapsed())
    }

    fn out_of_budget(&mut self) -> bool {
        let over = self.left().is_zero().then_some(StopReason::Time);
        self.effort.stopped = self.clock.should_stop(self.effort.expanded, 0).or(over);
        self.effort.stopped.is_some()
    }

    /// What is proven so far, here and beside.
    fn proven(&self) -> u64 {
        self.bound.max(self.beside.bound.load(Ordering::Relaxed))
    }

    /// Actions between the best plan and what is proven.
    fn gap(&self) -> Option<u64> {
        self.length().map(|length| length.saturating_sub(self.proven()))
    }

    /// Whether there is no plan yet, or one that is long for what is proven.
    fn is_far_off(&self) -> bool {
        self.gap().is_none_or(|gap| gap * 100 > self.proven() * FAR_OFF)
    }

    fn length(&self) -> Option<u64> {
        self.best.as_ref().map(|plan| plan.len() as u64)
    }

    fn tell(&self, phase: String) {
        let nodes = self.effort.expanded;
        let spent = self.clock.elapsed().as_secs_f64() / self.clock.limits.time.as_secs_f64();
        self.clock.tell(&Progress {
            phase,
            nodes,
            best: self.length(),
            bound: self.bound,
            fraction: spent.min(1.0),
        });
    }

    /// Takes in what a search has found, spent and proven.
    fn take(&mut self, outcome: Outcome<Move>) {
        self.effort.expanded += outcome.effort.expanded;
        self.effort.generated += outcome.effort.generated;
        self.effort.memory = self.effort.memory.max(outcome.effort.memory);
        self.is_short_of_memory |= outcome.effort.stopped == Some(StopReason::Memory);
        if let Some(plan) = outcome.plan
            && self.length().is_none_or(|length| (plan.len() as u64) < length)
        {
            (self.found)(&actions_of(&plan), plan.len() as u64);
            self.best = Some(plan);
            if self.settled() {
                self.beside.halt.store(true, Ordering::Relaxed);
            }
        }
        if let Some(plan) = &self.best
            && let Some((map, begun)) = self.to_validate.take()
        {
            let whole = [begun, &actions_of(plan)].concat();
            let Limits { time, threads, .. } = self.clock.limits;
            self.leave(validation_time(map, &whole, threads, time / MOST_RESERVE));
        }
    }

    /// The limits of a part: the remaining ones at most.
    fn part_limits(&self, time: Option<Duration>, nodes: Option<u64>) -> Limits {
        let left = self.clock.limits.nodes.map(|n| n.saturating_sub(self.effort.expanded));
        let nodes = match (left, nodes) {
            (Some(left), Some(nodes)) => Some(left.min(nodes)),
            (left, nodes) => left.or(nodes),
        };
        let time = time.unwrap_or(Duration::MAX).min(self.left());
        Limits { time, nodes, memory: self.memory, ..self.clock.limits }
    }

    /// The clock of a part, under such limits.
    fn part(&self, time: Option<Duration>, nodes: Option<u64>) -> Clock {
        self.clock.part(self.part_limits(time, nodes)).quiet()
    }

    fn exact(&mut self, nodes: Option<u64>, phase: &str) {
        self.exact_for(Some(self.left() / 8), nodes, phase);
    }

    /// A* below the best length, for a share of the time.
    fn exact_for(&mut self, time: Option<Duration>, nodes: Option<u64>, phase: &str) {
        self.tell(phase.to_string());
        let part = self.clock.part(self.part_limits(time, nodes)).after(Progress {
            nodes: self.effort.expanded,
            best: self.length(),
            bound: self.bound,
            ..Progress::default()
        });
        let space = Exact::new(self.board, self.room());
        let upper = self.length().unwrap_or(u64::MAX);
        // A short search is not worth the processes.
        let search = if nodes.is_some() { astar::astar_below } else { astar_below_shared };
        let outcome = self.clock.account("astar", || search(&space, &part, upper), TurnReport::of);
        self.bound = self.bound.max(outcome.bound.min(upper));
        match outcome.verdict {
            Verdict::Optimal => self.bound = outcome.cost.min(upper),
            Verdict::Impossible if self.best.is_none() => self.impossible = true,
            Verdict::Impossible => self.bound = upper,
            Verdict::Found | Verdict::Unknown => {}
        }
        self.take(outcome);
    }

    /// Narrow beams in every style, then wider beams in the style that did best, beside a bound.
    fn portfolio(&mut self) -> Style {
        let compasses = self.compasses();
        let counted = self.clock.limits.nodes.is_some();
        let ranked = if counted || rayon::current_num_threads() == 1 {
            let ranked = self.narrow_beams(&compasses);
            self.prove_alone();
            self.wider_beams(&compasses, &ranked);
            ranked
        } else {
            self.beside_abstraction(|planner| {
                let ranked = planner.narrow_beams(&compasses);
                planner.wider_beams(&compasses, &ranked);
                ranked
            })
        };
        compasses[ranked.first().map_or(0, |&(_, index)| index)].style
    }

    /// A narrow beam in each style, and dives where the first one does badly; the styles by the lengths
    /// of their plans.
    fn narrow_beams(&mut self, compasses: &[Compass]) -> Vec<(u64, usize)> {
        let mut ranked: Vec<(u64, usize)> = Vec::new();
        // Beams are told of each other's plans, not of those from dives: which of them does best has
        // to be known where none comes near a dive.
        let mut upper = self.length();
        for (index, compass) in compasses.iter().enumerate() {
            if self.settled() || self.out_of_budget() {
                break;
            }
            // With a plan in hand, a way that wants more bricks than there are promises little;
            // only the bold one may need fewer than it fears.
            let promising = compass.style.prices.wake == 0 || self.missing(compass) == 0;
            // Nor does the same again with other ties where it was not the best before.
            let again = compass.ties != 0 && !leads(&ranked, index - 1);
            if !again && (self.best.is_none() || promising) {
                let length = self.beam(compass, FIRST_WIDTH, upper);
                upper = length.or(upper);
                ranked.push((length.unwrap_or(u64::MAX), index));
            }
            if index == 0 && self.is_far_off() {
                dives::dive(self, compasses);
            }
        }
        ranked.sort_unstable();
        ranked
    }

    /// Wider and wider beams; where nothing was found, in every style.
    fn wider_beams(&mut self, compasses: &[Compass], ranked: &[(u64, usize)]) {
        let mut width = 2 * FIRST_WIDTH;
        while !self.settled() && width <= WIDE && !self.out_of_budget() {
            // Where all plans are from dives, no style is known to do best.
            let is_ranked = ranked.first().is_some_and(|&(length, _)| length != u64::MAX);
            let rounds = if is_ranked { 1 } else { ranked.len() };
            for &(_, index) in &ranked[..rounds] {
                if !self.settled() && !self.out_of_budget() {
                    self.beam(&compasses[index], width, self.length());
                }
            }
            width *= 2;
        }
    }

    /// Spends a share of the budget on [`Abstraction::lower_bound`], once there is a plan.
    fn prove_alone(&mut self) {
        let Some(upper) = self.length().filter(|_| !self.settled() && !self.out_of_budget()) else {
            return;
        };
        let counted = self.clock.limits.nodes.map(|nodes| nodes / ABSTRACTION_PART_OF_NODES);
        // Nothing else goes on meanwhile: all the memory that searches have is its own.
        let part = self.part(Some(self.left().mul_f64(ABSTRACTION_PART)), counted);
        let abstraction = Abstraction::new(self.board, &self.walk);
        let prove = || abstraction.lower_bound(&self.board.start(), upper, &part);
        let proven = self.clock.account("abstraction", prove, |proven| proven.report(upper));
        self.take_proven(&proven);
    }

    /// Looks for that bound on another thread, beside other work, until that has settled the area.
    fn beside_abstraction<T: Send>(&mut self, work: impl FnOnce(&mut Self) -> T + Send) -> T {
        let time = self.left().mul_f64(ABSTRACTION_PART_BESIDE);
        let mut limits = self.part_limits(Some(time), None);
        limits.memory /= ABSTRACTION_PART_OF_MEMORY;
        // The other half is for what goes on meanwhile.
        let whole = self.memory;
        self.memory -= limits.memory;
        let clock = self.clock.clone();
        let (board, walk, beside) = (self.board, self.walk.clone(), Arc::clone(&self.beside));
        let prove = move || {
            let mut abstraction = Abstraction::new(board, &walk);
            abstraction.found = Some(&beside.bound);
            let part = clock.part(limits).quiet().with_halt(&beside.halt);
            let prove = || abstraction.lower_bound(&board.start(), u64::MAX, &part);
            clock.account("abstraction", prove, |proven| proven.report(u64::MAX))
        };
        let (proven, done) = rayon::join(prove, || work(self));
        self.memory = whole;
        self.take_proven(&proven);
        done
    }

    fn take_proven(&mut self, proven: &Proven) {
        self.bound = self.bound.max(proven.bound);
        self.effort.expanded += proven.effort.expanded;
        self.effort.generated += proven.effort.generated;
    }

    /// The styles with their guides, in the order to try them: bold ones first, but where guards
    /// stand on every way, those first whose way has a brick for each sleeper. Where there is no room
    /// for all, the first ones alone.
    fn compasses(&mut self) -> Vec<Compass> {
        self.tell("guides".to_string());
        let room = self.guides_with_room();
        // One is for the light style.
        let styles = &STYLES[..STYLES.len().min(room - 1)];
        let mut compasses: Vec<Compass> =
            styles.par_iter().map(|&style| self.compass(style)).collect();
        let is_guarded = self.bound > self.walk[self.board.ellie as usize] as u64;
        if is_guarded && room >= MOST_GUIDES {
            let thrifty = self.thrifty(&compasses);
            compasses.sort_by_key(|compass| self.missing(compass));
            compasses.insert(0, thrifty);
            // The bold one comes third at the latest: it often needs fewer bricks than it fears.
            let bold = compasses.iter().position(|c| c.style.prices.wake == 0).unwrap_or(0);
            compasses[bold.min(2)..=bold].rotate_right(1);
            compasses.splice(1..1, self.light());
        } else {
            compasses.splice(0..0, self.light());
        }
        compasses
    }

    /// The light style, twice: in a maze a narrow beam hangs on how ties are broken, and another
    /// one is worth more than a wider one.
    fn light(&self) -> [Compass; 2] {
        let first = self.compass(LIGHT);
        let second = Compass { ties: OTHER_TIES, ..first.clone() };
        [first, second]
    }

    fn compass(&self, style: Style) -> Compass {
        Compass { style, guide: Arc::new(Guide::to_exit(self.board, style.prices)), ties: 0 }
    }

    /// Bricks that the guide's way wants beyond those there are.
    fn missing(&self, compass: &Compass) -> u32 {
        let wakes = compass.guide.wakes[self.board.ellie as usize] as u32;
        wakes.saturating_sub(self.board.bricks as u32)
    }

    /// The style for short supplies: the lowest price on waking, about, with which the way has a
    /// brick for each sleeper, and the same price on bricks (a Lagrangian relaxation of the supply,
    /// as in Handler and Zang, *A dual algorithm for the constrained shortest path problem*, Networks
    /// 10, 1980).
    fn thrifty(&self, compasses: &[Compass]) -> Compass {
        let guided = |guide: &Arc<Guide>, wake: u32| {
            let thrift = Thrift { brick: wake, missing: MISSING, roused: wake };
            let style = Style { thrift, ..style(wake, MISSING) };
            Compass { style, guide: Arc::clone(guide), ties: 0 }
        };
        let priced = |wake| guided(&self.compass(style(wake, MISSING)).guide, wake);
        let fits = |compass: &Compass| self.missing(compass) == 0;
        let priciest = &compasses[compasses.len() - 1];
        let (mut low, mut best) = match compasses.iter().position(fits) {
            // The bold one does not count: it has no price to put on bricks.
            Some(at) if at <= 1 => {
                return guided(&compasses[1].guide, compasses[1].style.prices.wake);
            }
            Some(at) => {
                let (before, found) = (&compasses[at - 1], &compasses[at]);
                (before.style.prices.wake, guided(&found.guide, found.style.prices.wake))
            }
            None => {
                let wake = priciest.style.prices.wake;
                (wake, priced(wake * DEARER))
            }
        };
        while !fits(&best) && best.style.prices.wake < DEAREST {
            low = best.style.prices.wake;
            best = priced(low * DEARER);
        }
        let span = best.style.prices.wake - low;
        let between: Vec<Compass> = (1..PRICES_BETWEEN)
            .into_par_iter()
            .map(|i| priced(low + span * i / PRICES_BETWEEN))
            .collect();
        between.into_iter().find(fits).unwrap_or(best)
    }

    /// One beam below a length; the length of its plan. Where the plan fails because of a clicker that the beam has
    /// forgotten, there is another beam that forgets none.
    fn beam(&mut self, compass: &Compass, width: usize, upper: Option<u64>) -> Option<u64> {
        self.tell(format!("beam of width {width}"));
        let (mut outcome, has_failed) = self.checked_beam(compass, width, upper, true);
        if has_failed {
            self.take(outcome);
            (outcome, _) = self.checked_beam(compass, width, upper, false);
        }
        let length = outcome.plan.as_ref().map(|plan| plan.len() as u64);
        self.take(outcome);
        length
    }

    /// One beam, without its plan where that does not lead out; then the flag says so.
    fn checked_beam(
        &self,
        compass: &Compass,
        width: usize,
        upper: Option<u64>,
        forgets: bool,
    ) -> (Outcome<Move>, bool) {
        let run = || {
            let mut outcome = self.run_beam(compass, width, upper, forgets);
            let mut sim = Simulator::new(self.board, self.field_bytes());
            let start = self.board.start();
            let fails = |plan: &mut Vec<Move>| !beam_space::leads_out(&mut sim, start, plan);
            let has_failed = outcome.plan.take_if(fails).is_some();
            (outcome, has_failed)
        };
        self.clock.account("beam", run, |(outcome, _)| TurnReport::of(outcome))
    }

    fn run_beam(
        &self,
        compass: &Compass,
        width: usize,
        upper: Option<u64>,
        forgets: bool,
    ) -> Outcome<Move> {
        let space = Chase {
            board: self.board,
            guide: &compass.guide,
            walk: &self.walk,
            thrift: compass.style.thrift,
            start: self.board.start(),
            goal: Goal::Exit,
            field_bytes: self.field_bytes(),
            to_exit: forgets.then_some(&self.walk),
            supply_levels: None,
        };
        let quota = Some((width / QUOTA_PART).max(2));
        // A narrow beam that is far over the bound has lost its way: the next style is due.
        let way = compass.guide.steps(self.board, self.board.ellie).max(self.bound);
        let patience = if width == FIRST_WIDTH { way * 3 / 2 + 64 } else { u64::MAX };
        let layers = patience.min(MAX_ACTIONS as u64) as u32;
        let mut clock = self.part(None, None);
        clock.limits.seed = clock.limits.seed.wrapping_add(compass.ties);
        let beam = Beam { width, quota, layers };
        // A narrow beam is not worth the processes.
        match width < SHARED_WIDTH {
            true => beam.run_in_current_pool(&space, &clock, upper),
            false => beam_shared(&space, &clock, &beam, upper),
        }
    }

    fn shorten(&mut self, style: Style) {
        let Some(plan) = self.best.clone() else { return };
        if self.settled() || self.out_of_budget() {
            return;
        }
        self.tell("shortening".to_string());
        let shortener = Shortener {
            board: self.board,
            to_exit: &self.walk,
            prices: style.prices,
            thrift: style.thrift,
            field_bytes: self.field_bytes(),
            bound: self.bound,
        };
        let part = self.part(None, None);
        let mut effort = Statistics::default();
        let before = plan.len();
        let shorten = || shortener.run(plan, &part, self.found, &mut effort);
        let shorter = self.clock.account("windows", shorten, |shorter| TurnReport {
            length: Some(shorter.len() as u64).filter(|_| shorter.len() < before),
            ..TurnReport::default()
        });
        self.best = Some(shorter);
        self.effort.expanded += effort.expanded;
        self.effort.generated += effort.generated;
        self.effort.stopped = effort.stopped;
    }

    /// The answer, in the plan's terms.
    fn outcome(mut self) -> Outcome<Action> {
        self.effort.elapsed = self.clock.elapsed();
        let cost = self.length().unwrap_or(u64::MAX);
        let verdict = match (&self.best, self.impossible) {
            (None, true) => Verdict::Impossible,
            (None, false) => Verdict::Unknown,
            (Some(_), _) if cost <= self.bound => Verdict::Optimal,
            (Some(_), _) => Verdict::Found,
        };
        let short = self.is_short_of_memory.then_some(StopReason::Memory);
        self.effort.stopped = match verdict {
            Verdict::Optimal | Verdict::Impossible => None,
            Verdict::Found | Verdict::Unknown => self.effort.stopped.or(short),
        };
        let plan = self.best.map(|plan| plan.into_iter().map(Move::action).collect());
        Outcome { verdict, plan, cost, bound: self.bound, effort: self.effort }
    }
}

/// Whether none of those ranked so far has found a shorter plan than the compass of this index.
fn leads(ranked: &[(u64, usize)], index: usize) -> bool {
    ranked.iter().min().is_some_and(|&(length, first)| first == index && length != u64::MAX)
}

/// A plan in the statement's actions.
fn actions_of(plan: &[Move]) -> Vec<Action> {
    plan.iter().map(|action| action.action()).collect()
}

/// Steps to the exit, plus what the guards on the way cost at least.
fn lower_bound(board: &Board, walk: u32) -> u64 {
    let guards = Guards::all(board);
    if guards.is_empty() {
        return walk as u64;
    }
    let bricks = board.bricks as usize;
    // With fewer layers than bricks the last one stands for "and all the remaining ones".
    let exact = (bricks + 1) * board.sites() <= MOST_BOUND_CELLS;
    let field = guards.bound(board, if exact { Some(bricks) } else { None }, 0);
    let layer = if exact { bricks } else { 0 };
    let bound = field[layer * board.sites() + board.ellie as usize];
    if bound == u32::MAX { walk as u64 } else { (bound as u64).max(walk as u64) }
}
