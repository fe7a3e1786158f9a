//! The portfolio: several searches that fail differently, run in turns that grow.
//!
//! A level that one search solves in a moment may hold another for hours, and no feature of the
//! level tells which. So each search gets a turn of a few expansions, then all get twice as many,
//! and so on. No level costs much more than its best search times their number. Turns are counted
//! in expansions, and the answer of the first round counts, in it that of the first search in the
//! list. So the answer does not depend on the number of threads ([`scheduler`]).
//!
//! Every search is a `Member`; a new one needs an implementation of that trait and a place in
//! `members`.

mod member;
mod members;
mod opening;
mod scheduler;

use super::analysis::Prepared;
use super::deadlock::Pattern;
use super::limits::SQUARE_BYTES;
use super::packing;
use super::packing::plan_search::{ExitOrder, ExitRules, PlanOptions, THOROUGH};
use crate::games::sokoban::board::Push;
use crate::search::crew::Crew;
use crate::search::{Budget, Clock, Outcome, Statistics, StopReason, Verdict};
use member::{Allowance, Entrant, ROUNDS_TO_DOUBLE, Spent, Turn};
use members::members;
use scheduler::{Scheduler, TurnId};
use std::sync::atomic::{AtomicBool, Ordering};
use std::sync::{Arc, Condvar, Mutex, MutexGuard, PoisonError};

/// Bytes of the process before any search holds any, and of the working memory of those that run.
const PROCESS: usize = 18 << 20;
/// What the process takes for each byte that searches count as held, as a fraction. Tables that
/// double are there twice for a moment, and the allocator keeps what searches that are over gave
/// back; measured at 16, 64 and 256 MiB it is 1.2 to 2.4 bytes.
const PER_HELD: (usize, usize) = (9, 4);
/// Rounds at most.
const ROUNDS: u32 = 40 * ROUNDS_TO_DOUBLE;

/// Solves a level with the portfolio. With the outcome comes the name of the search that has it;
/// the bound is 0.
pub fn solve(level: Prepared<'_>, budget: &Budget) -> (Outcome<Push>, Option<&'static str>) {
    solve_with(level, budget, None)
}

/// Solves a level with the portfolio, or with the one of its searches that is named.
pub fn solve_with(
    level: Prepared<'_>,
    budget: &Budget,
    named: Option<&str>,
) -> (Outcome<Push>, Option<&'static str>) {
    let Prepared { board, analysis, .. } = level;
    let clock = budget.start();
    let options =
        PlanOptions { exit_order: ExitOrder::Far, rules: ExitRules::STRICT, work: THOROUGH };
    let plan = Arc::new(packing::plan(board, analysis, options, &clock));
    let place = opening::Place::new();
    let mut members = members(level, &plan, &place, (budget.seed, named));
    let memory = may_hold(budget.memory, board.squares());
    let Table { scheduler, best, stopped, spent, .. } = play(&mut members, memory, &clock);
    let winner = best.as_ref().map(|(index, _)| members[*index].name);
    let (verdict, plan) = match best {
        Some((_, Turn::Solved(pushes))) => (Verdict::Found, Some(pushes)),
        Some(_) => (Verdict::Impossible, None),
        None => (Verdict::Unknown, None),
    };
    let stopped = stopped.filter(|_| verdict == Verdict::Unknown);
    let mut effort = Statistics { elapsed: clock.elapsed(), stopped, ..Statistics::default() };
    for (number, (member, spent)) in members.iter().zip(&spent).enumerate() {
        // Only the turns count that a single thread would have given out.
        let counted = scheduler.counted_turns(number).min(spent.len()).checked_sub(1);
        let Spent { expanded, generated, .. } = counted.map_or(Spent::default(), |at| spent[at]);
        effort.expanded += expanded;
        effort.generated += generated;
        effort.memory += member.spent().memory;
    }
    let cost = plan.as_ref().map_or(u64::MAX, |pushes| pushes.len() as u64);
    (Outcome { verdict, plan, cost, bound: 0, effort }, winner)
}

/// Bytes that searches of a board of `squares` squares may count as held for the process to keep to
/// `memory` bytes.
fn may_hold(memory: usize, squares: usize) -> usize {
    memory.saturating_sub(PROCESS + squares * SQUARE_BYTES).max(memory / 4) / PER_HELD.0
        * PER_HELD.1
}

/// What the turns so far come to.
struct Table {
    scheduler: Scheduler,
    /// The answer that counts, and which search has it.
    best: Option<(usize, Turn)>,
    /// Why a search was stopped.
    stopped: Option<StopReason>,
    /// Bytes that each search holds.
    held: Vec<usize>,
    /// Effort of each search after each of its turns.
    spent: Vec<Vec<Spent>>,
}

/// The searches while they take turns.
struct Portfolio<'g, 'a> {
    members: Vec<Mutex<&'g mut Entrant<'a>>>,
    /// Raised for searches whose answer would not count any more.
    halts: Vec<Arc<AtomicBool>>,
    table: Mutex<Table>,
    /// Notified after each turn.
    changed: Condvar,
    /// Idle threads that help a search with its turn.
    crew: Crew,
    threads: usize,
    /// Bytes that the searches may hold together.
    memory: usize,
}

/// Lets the searches take turns on as many threads as the budget has; they may hold `memory` bytes
/// together.
fn play(members: &mut [Entrant<'_>], memory: usize, clock: &Clock<'_>) -> Table {
    let scheduler = Scheduler::new(members.iter().map(|member| member.shares), ROUNDS);
    let players = members.len() + members.iter().filter(|member| member.takes_help).count();
    let portfolio = Portfolio {
        halts: members.iter().map(|_| Arc::default()).collect(),
        table: Mutex::new(Table {
            scheduler,
            best: None,
            stopped: None,
            held: members.iter().map(|member| member.spent().memory).collect(),
            spent: vec![Vec::new(); members.len()],
        }),
        changed: Condvar::new(),
        crew: Crew::default(),
        threads: clock.budget.threads.clamp(1, players.max(1)),
        memory,
        members: members.iter_mut().map(Mutex::new).collect(),
    };
    std::thread::scope(|scope| {
        for _ in 1..portfolio.threads {
            scope.spawn(|| portfolio.work(clock));
        }
        portfolio.work(clock);
    });
    portfolio.table.into_inner().unwrap_or_else(PoisonError::into_inner)
}

impl Portfolio<'_, '_> {
    /// Plays turns until none is left.
    fn work(&self, clock: &Clock<'_>) {
        let _guard = WakesOthers(self);
        let mut table = locked(&self.table);
        while !table.scheduler.is_over() {
            if self.crew.wants_help() {
                drop(table);
                self.crew.help();
                table = locked(&self.table);
                continue;
            }
            let Some(place) = table.scheduler.next() else {
                table = self.changed.wait(table).unwrap_or_else(PoisonError::into_inner);
                continue;
            };
            let (round, number) = place;
            // What no search holds is shared among the threads.
            let all: usize = table.held.iter().sum();
            let free = self.memory.saturating_sub(all) / self.threads;
            let memory = table.held[number] + free;
            drop(table);
            let mut member = locked(&self.members[number]);
            let nodes = self.share_of_nodes(number, clock.budget);
            let clock = &clock.with_halt(&self.halts[number]);
            let crew = &self.crew;
            let open = member.takes_help.then(|| crew.open());
            self.changed.notify_all();
            let turn = member.turn(&Allowance { clock, round, nodes, memory, crew });
            drop(open);
            let spent = member.spent();
            drop(member);
            table = locked(&self.table);
            table.held[number] = spent.memory;
            table.spent[number].push(spent);
            self.note(&mut table, place, turn);
            self.changed.notify_all();
        }
    }

    /// Expansions of the member of this number in all its turns: the same for all, and the remainder
    /// for the first ones.
    fn share_of_nodes(&self, number: usize, budget: &Budget) -> u64 {
        let count = self.members.len() as u64;
        budget
            .nodes
            .map_or(u64::MAX, |nodes| nodes / count + u64::from((number as u64) < nodes % count))
    }

    /// Notes what a turn came to.
    fn note(&self, table: &mut Table, place: TurnId, turn: Turn) {
        let scheduler = &mut table.scheduler;
        let all_played = match turn {
            Turn::Solved(_) | Turn::Impossible => {
                if scheduler.answer(place) {
                    table.best = Some((place.1, turn));
                    for number in scheduler.in_vain() {
                        self.halts[number].store(true, Ordering::Relaxed);
                    }
                }
                false
            }
            Turn::Open => scheduler.go_on(place),
            Turn::Through => scheduler.leave(place),
            Turn::Stopped(stop) => {
                table.stopped = Some(stop);
                scheduler.leave(place)
            }
        };
        if all_played {
            self.share(table.scheduler.sharers());
        }
    }

    /// Tells each of these searches the deadlocks that the others have learned in a round.
    /// Between rounds, for what a search knows must not depend on how fast another is.
    fn share(&self, sharers: impl Iterator<Item = usize>) {
        let mut sharers: Vec<_> = sharers.map(|i| locked(&self.members[i])).collect();
        let learned: Vec<Vec<Pattern>> = sharers.iter().map(|s| s.news().to_vec()).collect();
        for (i, member) in sharers.iter_mut().enumerate() {
            member.adopt(i, &learned);
        }
    }
}

/// Where a thread panics, nobody waits for the end of its turn.
struct WakesOthers<'g, 's, 'a>(&'g Portfolio<'s, 'a>);

impl Drop for WakesOthers<'_, '_, '_> {
    fn drop(&mut self) {
        if std::thread::panicking() {
            locked(&self.0.table).scheduler.close();
            self.0.changed.notify_all();
        }
    }
}

/// Locks what no panic leaves half done.
fn locked<T>(mutex: &Mutex<T>) -> MutexGuard<'_, T> {
    mutex.lock().unwrap_or_else(PoisonError::into_inner)
}
