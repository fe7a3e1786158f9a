//! What spaces and their working memory hold is counted, and as many threads take part as have room.

use super::spaces::Sliding;
use outwit::search::astar::astar;
use outwit::search::beam::Beam;
use outwit::search::cyclic::Cyclic;
use outwit::search::{Limits, Outcome, Run, Space, Statistics, StopReason, Successor};
use std::sync::atomic::{AtomicUsize, Ordering};
use std::time::{Duration, Instant};

const MEBIBYTE: usize = 1 << 20;
/// What an expansion takes: long enough that several threads are worth it.
const LONG: Duration = Duration::from_micros(50);

type Puzzle = Sliding<4>;

/// A puzzle with slow expansions and a given number of bytes for each thread, and for all.
struct Heavy {
    puzzle: Puzzle,
    each: usize,
    all: usize,
    /// Working memory that is there now, and the most that was there at a time.
    now: AtomicUsize,
    most: AtomicUsize,
}

/// Working memory that is counted while it is there.
struct Counted<'a>(&'a Heavy);

impl Drop for Counted<'_> {
    fn drop(&mut self) {
        self.0.now.fetch_sub(1, Ordering::Relaxed);
    }
}

impl Heavy {
    fn new(each: usize, all: usize) -> Self {
        let puzzle = Sliding::<4>::scrambled(3, 200);
        Heavy { puzzle, each, all, now: AtomicUsize::new(0), most: AtomicUsize::new(0) }
    }
}

/// A [`Heavy`] puzzle, borrowed for its working memory.
struct Weighed<'a>(&'a Heavy);

impl<'a> Space for Weighed<'a> {
    type State = <Puzzle as Space>::State;
    type Action = <Puzzle as Space>::Action;
    type Scratch = Counted<'a>;

    fn start(&self) -> Self::State {
        self.0.puzzle.start()
    }
    fn key(&self, state: &Self::State) -> u64 {
        self.0.puzzle.key(state)
    }
    fn bound(&self, state: &Self::State) -> u32 {
        self.0.puzzle.bound(state)
    }
    fn is_goal(&self, state: &Self::State) -> bool {
        self.0.puzzle.is_goal(state)
    }
    fn scratch(&self) -> Counted<'a> {
        let now = self.0.now.fetch_add(1, Ordering::Relaxed) + 1;
        self.0.most.fetch_max(now, Ordering::Relaxed);
        Counted(self.0)
    }
    fn expand(
        &self,
        state: &Self::State,
        _: &mut Counted<'a>,
        visit: &mut impl FnMut(Successor<Self::Action>),
    ) {
        let started = Instant::now();
        while started.elapsed() < LONG {
            std::hint::spin_loop();
        }
        self.0.puzzle.expand(state, &mut self.0.puzzle.scratch(), visit);
    }
    fn child(&self, state: &Self::State, action: Self::Action, _: &mut Counted<'a>) -> Self::State {
        self.0.puzzle.child(state, action, &mut self.0.puzzle.scratch())
    }
    fn scratch_bytes(&self, _: &Counted<'a>) -> usize {
        self.0.each
    }
    fn bytes(&self) -> usize {
        self.0.all
    }
}

/// A search of a space.
type Search = fn(&Weighed<'_>, &Run) -> Statistics;

const SEARCHES: [Search; 3] = [
    |space, budget| effort(astar(space, &budget.start())),
    |space, budget| effort(Beam::new(200).run(space, &budget.start(), None)),
    |space, budget| {
        let mut effort = Statistics::default();
        Cyclic::new(space, 1, 1).run(u64::MAX, &budget.start(), &mut effort);
        effort
    },
];

fn effort<A>(outcome: Outcome<A>) -> Statistics {
    outcome.effort
}

fn budget(memory: usize) -> Run {
    Run::from(Limits { memory, nodes: Some(3000), threads: 4, ..Limits::seconds(1000.0) })
}

#[test]
fn threads_take_part_as_far_as_there_is_room() {
    for (number, search) in SEARCHES.into_iter().enumerate() {
        for (memory, threads) in [(16, 1), (32, 2), (256, 4)] {
            let heavy = Heavy::new(4 * MEBIBYTE, 0);
            let effort = search(&Weighed(&heavy), &budget(memory * MEBIBYTE));
            let most = heavy.most.load(Ordering::Relaxed);
            let of = format!("search {number}, {memory} MiB, {effort:?}");
            assert!(most <= threads, "{of}: {most} threads");
            assert!(effort.stopped != Some(StopReason::Memory), "{of}");
        }
    }
}

#[test]
fn a_search_without_room_for_a_single_thread_says_so() {
    for (number, search) in SEARCHES.into_iter().enumerate() {
        for (each, all) in [(9, 0), (0, 9), (5, 5)] {
            let heavy = Heavy::new(each * MEBIBYTE, all * MEBIBYTE);
            let effort = search(&Weighed(&heavy), &budget(8 * MEBIBYTE));
            assert_eq!(effort.stopped, Some(StopReason::Memory), "search {number}: {effort:?}");
            assert!(effort.expanded <= 1, "search {number}: {effort:?}");
        }
    }
}
