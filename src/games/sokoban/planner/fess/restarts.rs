//! Restarts of feature-space search from positions that earlier searches have reached.
//!
//! A packing plan is made for the boxes as they stand at the start, and ignores those that have not
//! entered it yet. Where a search along it stalls, the plan is mostly wrong: it opens with a box
//! that nobody can bring yet, or fills a target through which another box must pass. A plan mostly
//! costs less than a tenth of a second. So this makes a new plan for a position that was reached,
//! searches along it in a random style, keeps the best position for later, and begins again.
//! Deadlocks proven on the way serve all later searches.
//!
//! A series of searches that has not solved the level after a while seldom does, since its
//! positions share a mistake. So all positions are forgotten from time to time, after series whose
//! lengths follow [`luby`]'s sequence.
//!
//! How often each choice of style is drawn follows measurements (`docs/notes/sokoban.md`). What
//! does worse is drawn seldom rather than never, for it solves other levels.

use super::finish::{HybridSearch, Limits};
use super::{Fess, PushLimit, Reached, Style};
use crate::board::mix;
use crate::games::sokoban::board::Board;
use crate::games::sokoban::board::square_set::put;
use crate::games::sokoban::planner::analysis::Prepared;
use crate::games::sokoban::planner::deadlock::{Deadlocks, Pattern};
use crate::games::sokoban::planner::packing;
use crate::games::sokoban::planner::packing::plan_search::{
    ExitOrder, ExitRules, PlanOptions, QUICK, THOROUGH,
};
use crate::games::sokoban::planner::pushes::Ended;
use crate::games::sokoban::planner::tuning::Restarts;
use crate::search::{Clock, Progress, StopReason, luby};
use std::sync::Arc;

/// Expansions of a search, drawn by lot.
const LENGTHS: [u64; 4] = [800, 800, 1600, 3200];
/// Least expansions that a search counts as, so that a turn ends also where each is over at once.
const LEAST: u64 = 100;
/// Expansions that a search counts as for which no plan was found.
const NO_PLAN: u64 = 500;

/// The searches so far.
pub struct FessRestarts<'a> {
    level: Prepared<'a>,
    tuning: Restarts,
    seed: u64,
    /// How many searches have begun, and how many series of them.
    begun: u64,
    series: u64,
    /// Expansions at which the series ends.
    series_end: u64,
    reached: Vec<Reached>,
    /// Whether any plan came to its end; where none does, those that do not must do.
    has_planned: bool,
    /// What all of them have proven; the one that runs borrows it.
    deadlocks: Deadlocks<'a>,
    /// How long a plan may be, where that is limited; the one that runs borrows it.
    limit: Option<PushLimit<'a>>,
    /// What the searches count as, in expansions: more than they are where plans are all they cost.
    spent: u64,
    /// Nodes expanded.
    pub expansions: u64,
    /// Successors generated.
    pub generated: u64,
}

impl<'a> FessRestarts<'a> {
    /// A series without a search yet; another seed draws other lots.
    pub fn new(level: Prepared<'a>, seed: u64) -> Self {
        let tuning = level.tuning.feature_space_restarts;
        FessRestarts {
            level,
            seed,
            begun: 0,
            series: 1,
            series_end: tuning.series,
            tuning,
            reached: Vec::new(),
            has_planned: false,
            deadlocks: Deadlocks::new(level.board, &level.analysis.live, tuning.earned),
            limit: None,
            spent: 0,
            expansions: 0,
            generated: 0,
        }
    }

    /// Looks only for plans of at most `pushes` pushes from now on. An exhausted search proves
    /// nothing then.
    pub fn limit(&mut self, pushes: u32) {
        match &mut self.limit {
            Some(limit) => limit.most = pushes,
            None => self.limit = Some(PushLimit::new(self.level, pushes)),
        }
    }

    /// Whether another search can begin where all together may count as `limit` expansions.
    pub fn may_begin(&self, limit: u64) -> bool {
        self.spent.saturating_add(LEAST) <= limit
    }

    /// What the searches count as, in expansions.
    pub fn spent(&self) -> u64 {
        self.spent
    }

    /// Bytes held between two searches.
    pub fn memory(&self) -> usize {
        let macro_moves: usize =
            self.reached.iter().map(|reached| reached.macro_moves.capacity() * 8).sum();
        macro_moves + self.deadlocks.memory()
    }

    /// The deadlocks learned but for the first of them.
    pub fn learned_since(&self, first: usize) -> &[Pattern] {
        self.deadlocks.learned_since(first)
    }

    /// Takes over deadlocks that another search has learned.
    pub fn adopt(&mut self, patterns: &[Pattern]) {
        self.deadlocks.adopt(patterns);
    }

    /// Keeps a position to begin from.
    pub fn keep(&mut self, reached: Reached) {
        let held = self.reached.iter().any(|other| other.position == reached.position);
        if held || reached.macro_moves.is_empty() {
            return;
        }
        self.reached.push(reached);
        if self.reached.len() > self.tuning.positions {
            // Any one goes: were it always the worst, those that stall would soon be all.
            let lot = mix(self.seed ^ mix(self.begun << 8));
            self.reached.remove((lot % self.reached.len() as u64) as usize);
        }
    }

    fn draw_two(&self, lot: u64) -> (usize, usize) {
        let lot = mix(self.seed ^ mix(lot));
        let count = self.reached.len() as u64;
        ((lot % count) as usize, ((lot >> 32) % count) as usize)
    }

    /// Begins searches until one solves the level or all together count as about `most` expansions,
    /// and never as more than `limit`.
    pub fn run(&mut self, clock: &Clock, (most, limit): (u64, u64), memory: usize) -> Ended {
        while self.spent < most && self.may_begin(limit) {
            if let Some(stop) = clock.should_stop(0, 0) {
                return Ended::Stopped(stop);
            }
            clock.tell(&Progress {
                phase: "feature-space search, begun again".into(),
                nodes: self.expansions,
                ..Progress::default()
            });
            if self.spent >= self.series_end {
                self.series += 1;
                self.series_end = self.spent + self.tuning.series * luby(self.series);
                self.reached.clear();
            }
            match self.search(clock, limit - self.spent, memory) {
                // Another one may fare better.
                Ended::Stopped(StopReason::Nodes | StopReason::Memory) => {}
                ended => return ended,
            }
        }
        Ended::Stopped(StopReason::Nodes)
    }

    /// One search, with a plan and a style drawn by lot. It is exhausted where it began at the
    /// start and has nothing left to look at.
    fn search(&mut self, clock: &Clock, most: u64, memory: usize) -> Ended {
        self.begun += 1;
        let lot = mix(mix(self.seed) ^ self.begun);
        let picked = self.pick(lot);
        let start =
            picked.map_or_else(|| Reached::start(self.level.board), |i| self.reached[i].clone());
        if self.is_dead(&start) {
            self.spent += LEAST;
            return self.leave(picked);
        }
        let (options, style) = draw(lot);
        let (boxes, player) = start.position.clone();
        let there = Board { boxes, player, ..self.level.board.clone() };
        let packing = packing::plan(&there, self.level.analysis, options, clock);
        self.has_planned |= packing.complete;
        if !packing.complete && (self.has_planned || self.begun <= self.tuning.patience) {
            self.spent += NO_PLAN.min(most);
            return Ended::Stopped(StopReason::Nodes);
        }
        let packing = Arc::new(packing);
        let mut search = Fess::from(self.level, packing, style, start);
        std::mem::swap(&mut search.deadlocks, &mut self.deadlocks);
        search.limit = self.limit.take();
        let mut hybrid = HybridSearch::new(self.level, search);
        let features = LENGTHS[(mix(lot) % LENGTHS.len() as u64) as usize].min(most);
        let limits = Limits { features, handed: features, nodes: most, memory };
        let ended = hybrid.run(clock, limits);
        let (expanded, generated) = hybrid.effort();
        self.expansions += expanded;
        self.spent += expanded.max(LEAST);
        self.generated += generated;
        let mut search = hybrid.search;
        self.limit = search.limit.take();
        let best = search.best_nodes(1).first().map(|&node| search.reached(node));
        self.deadlocks = match ended {
            // Memory is short: what was proven is given back.
            Ended::Stopped(StopReason::Memory) => {
                Deadlocks::new(self.level.board, &self.level.analysis.live, self.tuning.earned)
            }
            _ => search.deadlocks,
        };
        if matches!(ended, Ended::Exhausted) {
            return self.leave(picked);
        }
        // What is solved is nothing to begin from.
        if !matches!(ended, Ended::Solved(_)) {
            best.into_iter().for_each(|best| self.keep(best));
        }
        ended
    }

    /// Leaves a position, or the start, from which there is no way.
    fn leave(&mut self, picked: Option<usize>) -> Ended {
        match picked {
            Some(index) => {
                self.reached.remove(index);
                Ended::Stopped(StopReason::Nodes)
            }
            None => Ended::Exhausted,
        }
    }

    /// Where to begin: the better of two positions drawn, now and then the start.
    fn pick(&self, lot: u64) -> Option<usize> {
        if lot.is_multiple_of(self.reached.len() as u64 + 1) {
            return None;
        }
        let (a, b) = self.draw_two(lot);
        Some(if self.reached[a].left <= self.reached[b].left { a } else { b })
    }

    /// Whether a learned deadlock is on a position.
    fn is_dead(&self, reached: &Reached) -> bool {
        let (boxes, player) = &reached.position;
        let mut bits = vec![0; self.level.analysis.words];
        boxes.iter().for_each(|&s| put(&mut bits, s));
        self.deadlocks.matches_any(&bits, *player)
    }
}

/// How to plan, and a style, by lot.
fn draw(lot: u64) -> (PlanOptions, Style) {
    // True for `of_eight` lots of eight; each question looks at bits of its own.
    let odds = |bit: u32, of_eight: u64| (lot >> bit & 7) < of_eight;
    let exit_order = if odds(0, 1) { ExitOrder::Near } else { ExitOrder::Drawn(lot) };
    let rules = match lot >> 3 & 7 {
        0 => ExitRules::OPEN,
        1 => ExitRules::STRICT,
        2 => ExitRules::ASIDE,
        _ => ExitRules::EXACT,
    };
    let style = Style {
        wide_cells: odds(6, 1),
        coarseness: [1, 2, 2, 3][(lot >> 9 & 3) as usize],
        any_order: odds(12, 1),
        schedule: odds(15, 6),
        lost_weight: if odds(33, 4) { 1 + (lot >> 36 & 1) as u16 } else { 0 },
        hotspots: odds(18, 6),
        graded: odds(21, 4),
        explorer: odds(24, 1),
        clearing: odds(27, 6),
        noise: lot,
    };
    // Where plans are hard to find, thorough ones would take more than half of the time.
    let work = if odds(30, 2) { THOROUGH } else { QUICK };
    (PlanOptions { exit_order, rules, work }, style)
}
