//! The first answer by place: searches that fail differently play turns that grow, on several threads.
//!
//! All begin with short turns; every few rounds a turn is twice as long. No problem costs much more than
//! its best search times their number. Turns are counted in expansions, and the answer of the first round
//! counts, in it that of the first search in the list. So the answer does not depend on the number of
//! threads ([`scheduler`](super::scheduler)). Inside a round knowledge is frozen: what searches learn is
//! gathered by their places, and taught to all at the round's end.

use super::scheduler::{Scheduler, TurnId};
use crate::search::control::Ended;
use crate::search::crew::Crew;
use crate::search::turn::{Allowance, Found, Known, Search, Spent, Turn, play};
use crate::search::{Clock, Outcome, Statistics, StopReason, Verdict};
use std::fmt;
use std::sync::atomic::{AtomicBool, Ordering};
use std::sync::{Arc, Condvar, Mutex, MutexGuard, PoisonError};

/// Rounds in which what the searches may spend in all doubles. Were it one, a search that solves in
/// the middle of its turn would wait for the rest of all turns before: it has spent as much as each
/// of them, they have spent up to twice as much.
const ROUNDS_TO_DOUBLE: u32 = 4;
/// What they may spend in these rounds, of 1024.
const STEPS: [u64; ROUNDS_TO_DOUBLE as usize] = [1024, 1218, 1448, 1722];
/// Upper limit of the rounds.
const ROUNDS: u32 = 40 * ROUNDS_TO_DOUBLE;

/// The share of a search in this round, where it has `first` in the first one.
pub fn share_of_round(first: u64, round: u32) -> u64 {
    let step = STEPS[(round % ROUNDS_TO_DOUBLE) as usize];
    (first * step / STEPS[0]) << (round / ROUNDS_TO_DOUBLE)
}

/// A search on the list; its memory is given back when it has nothing more to say.
pub struct Entrant<'a, P, L> {
    /// What reports call it.
    pub name: &'static str,
    /// Its share in the first round, in expansions or in its own unit.
    first: u64,
    /// Whether it learns what others can use.
    shares: bool,
    /// Whether another thread can help it.
    takes_help: bool,
    search: Option<Box<dyn Search<Plan = P, Lesson = L> + 'a>>,
    /// What it had spent when it was over.
    spent: Spent,
}

impl<P, L> fmt::Debug for Entrant<'_, P, L> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("Entrant")
            .field("name", &self.name)
            .field("first", &self.first)
            .field("spent", &self.spent())
            .finish_non_exhaustive()
    }
}

impl<'a, P, L> Entrant<'a, P, L> {
    /// A search and its share in the first round.
    pub fn new(first: u64, search: impl Search<Plan = P, Lesson = L> + 'a) -> Self {
        let (name, spent) = (search.name(), Spent::default());
        let search = Some(Box::new(search) as Box<dyn Search<Plan = P, Lesson = L>>);
        Entrant { name, first, shares: false, takes_help: false, search, spent }
    }

    /// The same entrant, which gives and takes lessons: it waits for all others that do at the end of
    /// each round.
    #[must_use]
    pub fn sharing(self) -> Self {
        Entrant { shares: true, ..self }
    }

    /// The same entrant, which another thread can help.
    #[must_use]
    pub fn with_help(self) -> Self {
        Entrant { takes_help: true, ..self }
    }

    /// The search as the portfolio lets it play.
    #[cfg(test)]
    pub fn search(&mut self) -> Option<impl Search<Plan = P, Lesson = L>> {
        self.search.as_deref_mut().map(Resting)
    }

    /// What it has spent in all its turns.
    pub fn spent(&self) -> Spent {
        self.search.as_ref().map_or(self.spent, |search| search.spent())
    }

    /// What the others do not know of yet.
    fn lessons(&self) -> &[L] {
        self.search.as_ref().map_or(&[], |search| search.lessons())
    }

    /// Takes over what each search has learned, itself the one of this number.
    fn learn(&mut self, number: usize, lessons: &[Vec<L>]) {
        if let Some(search) = &mut self.search {
            let others = lessons.iter().enumerate().filter(|(i, _)| *i != number);
            search.learn(&mut others.map(|(_, lessons)| lessons.as_slice()));
        }
    }

    /// Plays a turn.
    fn turn(&mut self, allowance: &Allowance<'_>) -> Turn<P> {
        if let Some(stop) = allowance.clock.should_stop(0, 0) {
            return Turn::stopped(stop);
        }
        let Some(search) = &mut self.search else {
            return Turn::without_plan(0, Ended::Exhausted);
        };
        if allowance.nodes == 0 {
            return Turn::stopped(StopReason::Nodes);
        }
        let turn = play(&mut Resting(&mut **search), Known::default(), allowance);
        if let Ended::Exhausted | Ended::Stopped(StopReason::Memory) = turn.ended {
            self.spent = Spent { memory: 0, ..search.spent() };
            self.search = None;
        }
        turn
    }
}

/// A search whose turn ends resting where its share is spent and its allowance is not: searches may report
/// both as the end of their expansions.
struct Resting<'s, S: ?Sized>(&'s mut S);

impl<S: Search + ?Sized> Search for Resting<'_, S> {
    type Plan = S::Plan;
    type Lesson = S::Lesson;

    fn name(&self) -> &'static str {
        self.0.name()
    }

    fn turn(&mut self, known: Known, allowance: &Allowance<'_>) -> Turn<S::Plan> {
        let turn = self.0.turn(known, allowance);
        let is_share = turn.ended == Ended::Stopped(StopReason::Nodes);
        if is_share && self.0.may_go_on(allowance.nodes) {
            return Turn { ended: Ended::Resting, ..turn };
        }
        turn
    }

    fn spent(&self) -> Spent {
        self.0.spent()
    }

    fn may_go_on(&self, nodes: u64) -> bool {
        self.0.may_go_on(nodes)
    }
}

/// Lets the searches take turns on as many threads as the clock's limits have until one has a plan or a
/// proof that there is none; they may hold `memory` bytes together. `found` hears the plan that counts, once
/// no other can take its place. With the outcome comes the name of the search that has it. The outcome's
/// bound is 0.
pub fn first_answer<A, L: Clone + Send>(
    members: &mut [Entrant<'_, Vec<A>, L>],
    memory: usize,
    clock: &Clock,
    found: Found<'_, A>,
) -> (Outcome<A>, Option<&'static str>)
where
    A: Send,
{
    let Table { scheduler, best, stopped, spent, .. } = play_all(members, memory, clock);
    let winner = best.as_ref().map(|(index, _)| members[*index].name);
    let (verdict, plan) = match best.map(|(_, turn)| turn.plan) {
        Some(Some(plan)) => (Verdict::Found, Some(plan)),
        Some(None) => (Verdict::Impossible, None),
        None => (Verdict::Unknown, None),
    };
    if let Some((cost, plan)) = &plan {
        found(plan, *cost);
    }
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
    let cost = plan.as_ref().map_or(u64::MAX, |(cost, _)| *cost);
    let plan = plan.map(|(_, plan)| plan);
    (Outcome { verdict, plan, cost, bound: 0, effort }, winner)
}

/// What the turns so far come to.
struct Table<P> {
    scheduler: Scheduler,
    /// The answer that counts, and which search has it.
    best: Option<(usize, Turn<P>)>,
    /// Why a search was stopped.
    stopped: Option<StopReason>,
    /// Bytes that each search holds.
    held: Vec<usize>,
    /// Effort of each search after each of its turns.
    spent: Vec<Vec<Spent>>,
}

/// The searches while they take turns.
struct Portfolio<'g, 'a, P, L> {
    members: Vec<Mutex<&'g mut Entrant<'a, P, L>>>,
    /// Raised for searches whose answer would not count any more.
    halts: Vec<Arc<AtomicBool>>,
    table: Mutex<Table<P>>,
    /// Notified after each turn.
    changed: Condvar,
    /// Idle threads that help a search with its turn.
    crew: Crew,
    threads: usize,
    /// Bytes that the searches may hold together.
    memory: usize,
}

/// Lets the searches take turns until there is an answer or none has anything to say.
fn play_all<P: Send, L: Clone + Send>(
    members: &mut [Entrant<'_, P, L>],
    memory: usize,
    clock: &Clock,
) -> Table<P> {
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
        threads: clock.limits.threads.clamp(1, players.max(1)),
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

impl<P: Send, L: Clone + Send> Portfolio<'_, '_, P, L> {
    /// Plays turns until none is left.
    fn work(&self, clock: &Clock) {
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
            let nodes = self.share_of_nodes(number, clock);
            let clock = &clock.with_halt(&self.halts[number]);
            let crew = &self.crew;
            let open = member.takes_help.then(|| crew.open());
            self.changed.notify_all();
            let share = share_of_round(member.first, round);
            let turn = member.turn(&Allowance { clock, round, share, nodes, memory, crew });
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
    fn share_of_nodes(&self, number: usize, clock: &Clock) -> u64 {
        let count = self.members.len() as u64;
        clock
            .limits
            .nodes
            .map_or(u64::MAX, |nodes| nodes / count + u64::from((number as u64) < nodes % count))
    }

    /// Notes what a turn came to.
    fn note(&self, table: &mut Table<P>, place: TurnId, turn: Turn<P>) {
        let scheduler = &mut table.scheduler;
        let all_played = match turn.ended {
            _ if turn.plan.is_some() || turn.is_impossible() => {
                if scheduler.answer(place) {
                    table.best = Some((place.1, turn));
                    for number in scheduler.in_vain() {
                        self.halts[number].store(true, Ordering::Relaxed);
                    }
                }
                false
            }
            Ended::Resting => scheduler.go_on(place),
            Ended::Exhausted | Ended::Proven => scheduler.leave(place),
            Ended::Stopped(stop) => {
                table.stopped = Some(stop);
                scheduler.leave(place)
            }
        };
        if all_played {
            self.share(table.scheduler.sharers());
        }
    }

    /// Teaches each of these searches what the others have learned in a round.
    /// Between rounds, for what a search knows must not depend on how fast another is.
    fn share(&self, sharers: impl Iterator<Item = usize>) {
        let mut sharers: Vec<_> = sharers.map(|i| locked(&self.members[i])).collect();
        let lessons: Vec<Vec<L>> = sharers.iter().map(|s| s.lessons().to_vec()).collect();
        for (i, member) in sharers.iter_mut().enumerate() {
            member.learn(i, &lessons);
        }
    }
}

/// Where a thread panics, nobody waits for the end of its turn.
struct WakesOthers<'g, 's, 'a, P, L>(&'g Portfolio<'s, 'a, P, L>);

impl<P, L> Drop for WakesOthers<'_, '_, '_, P, L> {
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
