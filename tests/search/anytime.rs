//! The anytime portfolio: plans are checked before they go out, what is proven beside is known at once,
//! and the answer says why the run has ended.

use outwit::search::portfolio::anytime::{Anytime, Played};
use outwit::search::{
    Allowance, Ended, Event, Known, Limits, Run, Search, Spent, StopReason, Turn, Verdict,
};
use std::sync::Mutex;
use std::sync::atomic::{AtomicU64, Ordering};
use std::time::Duration;

/// A search whose turns are known beforehand; each costs ten expansions.
struct Script {
    turns: Vec<Turn<Vec<u8>>>,
    spent: Spent,
    /// What it was told at each turn.
    told: Vec<Known>,
    /// The expansions after which each turn ended at the latest.
    limits: Vec<u64>,
}

impl Script {
    fn new(turns: impl Into<Vec<Turn<Vec<u8>>>>) -> Self {
        let mut turns = turns.into();
        turns.reverse();
        Script { turns, spent: Spent::default(), told: Vec::new(), limits: Vec::new() }
    }
}

impl Search for Script {
    type Plan = Vec<u8>;
    type Lesson = ();

    fn name(&self) -> &'static str {
        "script"
    }

    fn turn(&mut self, known: Known, allowance: &Allowance<'_>) -> Turn<Vec<u8>> {
        self.told.push(known);
        self.limits.push(allowance.limit());
        self.spent.expanded += 10;
        self.turns.pop().unwrap_or_else(|| Turn::without_plan(0, Ended::Exhausted))
    }

    fn spent(&self) -> Spent {
        self.spent
    }
}

fn plan(cost: u64) -> Turn<Vec<u8>> {
    Turn::found(cost, vec![7; cost as usize])
}

fn limits() -> Limits {
    Limits { threads: 1, ..Limits::seconds(1000.0) }
}

#[test]
fn plans_that_fail_do_not_go_out() {
    let heard = Mutex::new(Vec::new());
    let found = |_: &[u8], cost| heard.lock().unwrap().push(cost);
    let holds = |plan: &[u8]| plan.len() != 5;
    let lengths = std::sync::Arc::new(Mutex::new(Vec::new()));
    let ear = std::sync::Arc::clone(&lengths);
    let control = outwit::search::Control::listening(move |event| {
        if let Event::TurnEnded { search: "script", turn } = event {
            ear.lock().unwrap().push(turn.length);
        }
    });
    let clock = Run { control, ..Run::from(limits()) }.start();
    let mut desk = Anytime::new(clock, Known::default(), &found).checking(&holds);
    let mut script = Script::new([plan(9), plan(5), plan(6), plan(8)]);
    let mut played = || desk.play_part(&mut script, desk.part());
    let kept = |cost| Played { ended: Ended::Resting, cost: Some(cost), is_refused: false };
    assert_eq!(played(), kept(9));
    assert_eq!(played(), Played { cost: None, is_refused: true, ..kept(5) });
    assert_eq!(played(), kept(6));
    assert_eq!(played(), kept(8), "it holds, though a better one is known");
    desk.improve(5, vec![7; 5]);
    let outcome = desk.outcome();
    assert_eq!((outcome.verdict, outcome.cost, outcome.bound), (Verdict::Found, 6, 0));
    assert_eq!((outcome.effort.expanded, outcome.effort.stopped), (40, None));
    assert_eq!(*heard.lock().unwrap(), [9, 6]);
    assert_eq!(*lengths.lock().unwrap(), [Some(9), None, Some(6), Some(8)]);
}

#[test]
fn a_part_says_what_the_search_is_told_and_when_it_rests() {
    let run = Limits { nodes: Some(100), ..limits() };
    let mut desk = Anytime::new(run.start(), Known { cost: 20, bound: 3 }, &|_, _| {});
    let mut script = Script::new([plan(12), Turn::without_plan(4, Ended::Resting)]);
    desk.play_part(&mut script, desk.part().resting_after(30));
    desk.play_part(&mut script, desk.part().below(15));
    desk.play_part(&mut script, desk.part().below(8).of_nodes(50));
    assert_eq!(script.limits, [30, 100, 70]);
    let told = [(20, 3), (15, 3), (12, 4)].map(|(cost, bound)| Known { cost, bound });
    assert_eq!(script.told, told);
    assert_eq!(desk.gap(), Some(8));
}

#[test]
fn the_end_of_a_turn_stops_no_run_but_little_memory_is_told() {
    let stopped = |stop: StopReason| {
        let mut desk = Anytime::new(limits().start(), Known::default(), &|_: &[u8], _| {});
        let part = desk.part().within(Duration::from_secs(1));
        desk.play_part(&mut Script::new([Turn::stopped(stop)]), part);
        desk.outcome().effort.stopped
    };
    assert_eq!(stopped(StopReason::Nodes), None);
    assert_eq!(stopped(StopReason::Time), None);
    assert_eq!(stopped(StopReason::Memory), Some(StopReason::Memory));
    let run = Limits { nodes: Some(10), ..limits() };
    let mut desk = Anytime::new(run.start(), Known::default(), &|_, _| {});
    desk.play(&mut Script::new([plan(4)]), run);
    assert!(desk.is_over() && !desk.is_settled());
    assert_eq!(desk.outcome().effort.stopped, Some(StopReason::Nodes));
}

#[test]
fn a_bound_beside_settles_what_the_others_have_found() {
    let mut desk = Anytime::new(limits().start(), Known::default(), &|_, _| {});
    let seat = desk.beside(limits());
    desk.play(&mut Script::new([plan(6)]), limits());
    let rests = |bound| Turn::without_plan(bound, Ended::Resting);
    let mut script = Script::new([rests(4), rests(6), rests(7)]);
    let played = seat.play(&mut script);
    assert_eq!(script.turns.len(), 1, "it ends where its bound meets the plan");
    assert_eq!(script.told.iter().map(|known| known.cost).collect::<Vec<_>>(), [6, 6]);
    assert!(desk.is_settled());
    desk.take_in(played);
    let outcome = desk.outcome();
    assert_eq!((outcome.verdict, outcome.cost, outcome.bound), (Verdict::Optimal, 6, 6));
    assert_eq!(outcome.effort.expanded, 30);
}

#[test]
fn each_higher_bound_is_told_once_also_one_from_beside() {
    let heard = std::sync::Arc::new(Mutex::new(Vec::new()));
    let ear = std::sync::Arc::clone(&heard);
    let control = outwit::search::Control::listening(move |event| {
        if let Event::BoundRaised { bound } = event {
            ear.lock().unwrap().push(*bound);
        }
    });
    let clock = Run { control, ..Run::from(limits()) }.start();
    let mut desk = Anytime::new(clock, Known { cost: u64::MAX, bound: 2 }, &|_, _| {});
    let rests = |bound| Turn::without_plan(bound, Ended::Resting);
    let seat = desk.beside(limits());
    seat.play(&mut Script::new([rests(4), rests(5)]));
    for bound in [3, 5, 7] {
        desk.play(&mut Script::new([rests(bound)]), limits());
    }
    desk.improve(9, vec![7; 9]);
    desk.raise(u64::MAX);
    assert_eq!(
        *heard.lock().unwrap(),
        [2, 4, 5, 7, 9],
        "what is settled is told as the plan's cost"
    );
}

#[test]
fn time_is_set_aside_on_the_first_plan() {
    let measured = AtomicU64::new(0);
    let afterwards = |plan: &[u8]| {
        measured.fetch_add(1, Ordering::Relaxed);
        Duration::from_secs(100 * plan.len() as u64)
    };
    let desk = Anytime::new(limits().start(), Known::default(), &|_, _| {});
    let mut desk = desk.leaving_time(&afterwards);
    assert!(desk.left() > Duration::from_secs(900));
    desk.begin_with(4, vec![7; 4]);
    desk.improve(3, vec![7; 3]);
    assert_eq!(measured.load(Ordering::Relaxed), 1);
    assert!(desk.left() <= Duration::from_secs(600));
    assert_eq!(desk.plan(), Some(&[7; 3][..]));
}

#[test]
fn no_plan_at_all_is_a_proof() {
    let mut desk = Anytime::new(limits().start(), Known::default(), &|_: &[u8], _| {});
    desk.play(&mut Script::new([Turn::impossible()]), limits());
    let outcome = desk.outcome();
    assert_eq!((outcome.verdict, outcome.bound), (Verdict::Impossible, u64::MAX));
    // Where one is known, there is none that is shorter.
    let mut desk = Anytime::new(limits().start(), Known { cost: 9, bound: 0 }, &|_: &[u8], _| {});
    desk.play(&mut Script::new([Turn::impossible()]), limits());
    let outcome = desk.outcome();
    assert_eq!((outcome.verdict, outcome.cost, outcome.bound), (Verdict::Optimal, 9, 9));
}
