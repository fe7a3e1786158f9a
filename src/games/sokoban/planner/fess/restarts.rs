//! Feature-space search begun anew, time after time, from positions that searches have come to.
//!
//! A packing plan is made for the boxes as they stand at the start, and ignores those that have not
//! entered it yet. Where a search along it stalls, it is mostly the plan that is wrong: it opens
//! with a box that nobody can bring yet, or fills a target through which another must pass. A plan
//! mostly costs less than a tenth of a second, so this makes a new one for a position that was
//! reached, searches along it for a while in a style drawn by lot, keeps the best position it comes
//! to for later, and begins again. What was proven dead on the way is kept for all searches after
//! it.
//!
//! Whether a series of searches comes to a solution is much a matter of luck, and one that has not
//! after a while seldom does: what its positions have in common is wrong. So after some expansions
//! all positions are forgotten. On six levels, two seeds, 30 s, six searches of twelve came to a
//! solution with that and four without; on fifteen, one seed, 45 s, five and five.
//!
//! Ten of XSokoban's levels resisted a minute of all searches from the start; this alone solves
//! seven of them in 2 to 10 s with one seed or another, two to five with each. How the lots are
//! drawn was chosen after 3700 such searches on 43 levels that resist, of which 58 came to a
//! solution, and 3300 later ones on 29 levels, 74 solutions. Solutions per 100 s of the first:
//! obstacles as a feature 5.8, without 1.4; advised moves free 4.4, weighed too 1.6; at one of the
//! four best of twelve positions 4.2, at the others 1.5; of 800 to 3200 expansions 4.0, of 400 3.1.
//! Of the later: along a plan that did not come to its end none at all (432 searches, 135 s), along
//! others 8.7; begun at a position 9.2, at the start 4.8; wide cells 3.1, narrow ones 9.4; in free
//! order 4.0, along the plan 9.7; with the advisor on new ways 5.1, without it 8.6; on hotspots 8.3,
//! without 5.3; of 800 expansions 12.5, 1600 7.2, 3200 5.9; exact rules 7.1, open ones 13.6 (of only
//! 8). What does worse is drawn seldom, for it solves other levels. Boxes out of plan counted once or
//! twice like steps in half of the searches: 11 of 15 levels that resist, 25 s, one seed; in none of
//! them 6, in three quarters 8; counted once 9, once to four times 8. To begin at the best of three
//! positions drawn, in place of two, came to as many solutions (41 of 108 searches of 10 s).

use super::finish::{Ended, HybridSearch, Limits};
use super::{Fess, Reached, Style};
use crate::board::mix;
use crate::games::sokoban::board::Board;
use crate::games::sokoban::board::square_set::put;
use crate::games::sokoban::planner::analysis::Prepared;
use crate::games::sokoban::planner::deadlock::{Deadlocks, Pattern};
use crate::games::sokoban::planner::packing;
use crate::games::sokoban::planner::packing::plan_search::{
    ExitOrder, ExitRules, PlanOptions, QUICK, THOROUGH,
};
use crate::search::{Clock, Progress, Stop, luby};
use std::sync::Arc;

/// Positions kept to begin from.
const MOST_REACHED: usize = 12;
/// Expansions of a search, drawn by lot.
const LENGTHS: [u64; 4] = [800, 800, 1600, 3200];
/// Positions of corral searches that an expansion earns: less than in a single search, since what
/// they prove adds up. With 15 levels fall in 0.7 times the seconds that they take with 60.
const EARNED: usize = 15;
/// Expansions of the shortest series of searches before all positions kept are forgotten.
const SERIES: u64 = 60_000;
/// What a search counts as at least, so that a turn ends also where each is over at once; and what
/// one counts as for which no plan was found.
const LEAST: u64 = 100;
const NO_PLAN: u64 = 500;
/// Searches after which plans that do not come to their end are followed, where none has yet.
const PATIENCE: u64 = 8;

/// The searches so far.
pub struct FessRestarts<'a> {
    level: Prepared<'a>,
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
    /// Nodes expanded.
    pub expansions: u64,
    /// Successors generated.
    pub generated: u64,
}

impl<'a> FessRestarts<'a> {
    /// None yet; another seed draws other lots.
    pub fn new(level: Prepared<'a>, seed: u64) -> Self {
        FessRestarts {
            level,
            seed,
            begun: 0,
            series: 1,
            series_end: SERIES,
            reached: Vec::new(),
            has_planned: false,
            deadlocks: Deadlocks::new(level.board, level.analysis, EARNED),
            expansions: 0,
            generated: 0,
        }
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
        if self.reached.len() > MOST_REACHED {
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

    /// Begins searches until one solves the level or about `most` expansions, in all runs together,
    /// are done, and never more than `limit`.
    pub fn run(&mut self, clock: &Clock<'_>, (most, limit): (u64, u64), memory: usize) -> Ended {
        while self.expansions < most {
            if let Some(stop) = clock.should_stop(0, 0) {
                return Ended::Stopped(stop);
            }
            clock.tell(&Progress {
                phase: "feature-space search, begun anew".into(),
                nodes: self.expansions,
                ..Progress::default()
            });
            if self.expansions >= self.series_end {
                self.series += 1;
                self.series_end = self.expansions + SERIES * luby(self.series);
                self.reached.clear();
            }
            match self.search(clock, limit - self.expansions, memory) {
                // Another one may fare better.
                Ended::Stopped(Stop::Nodes | Stop::Memory) => {}
                ended => return ended,
            }
        }
        Ended::Stopped(Stop::Nodes)
    }

    /// One search, with a plan and a style drawn by lot. It is exhausted where it began at the
    /// start and has nothing left to look at.
    fn search(&mut self, clock: &Clock<'_>, most: u64, memory: usize) -> Ended {
        self.begun += 1;
        let lot = mix(mix(self.seed) ^ self.begun);
        let picked = self.pick(lot);
        let start =
            picked.map_or_else(|| Reached::start(self.level.board), |i| self.reached[i].clone());
        if self.is_dead(&start) {
            self.expansions += LEAST;
            return self.leave(picked);
        }
        let (options, style) = draw(lot);
        let (boxes, player) = start.position.clone();
        let there = Board { boxes, player, ..self.level.board.clone() };
        let packing = packing::plan(&there, self.level.analysis, options, clock);
        self.has_planned |= packing.complete;
        if !packing.complete && (self.has_planned || self.begun <= PATIENCE) {
            self.expansions += NO_PLAN;
            return Ended::Stopped(Stop::Nodes);
        }
        let packing = Arc::new(packing);
        let mut search = Fess::from(self.level, packing, style, start);
        std::mem::swap(&mut search.deadlocks, &mut self.deadlocks);
        let mut hybrid = HybridSearch::new(self.level, search);
        let features = LENGTHS[(mix(lot) % LENGTHS.len() as u64) as usize].min(most);
        let limits = Limits { features, handed: features, nodes: most, memory };
        let ended = hybrid.run(clock, limits);
        let (expanded, generated) = hybrid.effort();
        self.expansions += expanded.max(LEAST);
        self.generated += generated;
        let search = hybrid.search;
        let best = search.best_nodes(1).first().map(|&node| search.reached(node));
        self.deadlocks = match ended {
            // Memory is short: what was proven is given back.
            Ended::Stopped(Stop::Memory) => {
                Deadlocks::new(self.level.board, self.level.analysis, EARNED)
            }
            _ => search.deadlocks,
        };
        if matches!(ended, Ended::Exhausted) {
            return self.leave(picked);
        }
        best.into_iter().for_each(|best| self.keep(best));
        ended
    }

    /// Leaves a position, or the start, from which there is no way.
    fn leave(&mut self, picked: Option<usize>) -> Ended {
        match picked {
            Some(index) => {
                self.reached.remove(index);
                Ended::Stopped(Stop::Nodes)
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
    // True by so many lots of eight; each question looks at bits of its own.
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
