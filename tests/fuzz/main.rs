//! What the fuzz targets do, on their seeds and on mutations of them by lot.
//!
//! The targets themselves are in `fuzz/src`; `scripts/fuzz` runs them for as long as one likes, led by
//! the code that an input reaches. Here they are short, and the same each time.

#[path = "../../fuzz/src/lib.rs"]
#[expect(dead_code, reason = "seeds are written to files for cargo-fuzz alone")]
mod bodies;
mod mutate;

use bodies::{TARGETS, seeds};
use rand::prelude::*;
use rand_chacha::ChaCha8Rng;
use std::panic::{AssertUnwindSafe, catch_unwind};

const SEED: u64 = 1_946_827;
/// How often as many mutations are tried, where the environment says so: for a longer look without
/// cargo-fuzz. The first ones are the same.
const TIMES: &str = "OUTWIT_FUZZ_TIMES";

/// Runs a target on its seeds and a number of mutations of them.
fn run(name: &str, mutations: usize) {
    let times = std::env::var(TIMES).map_or(1, |times| times.parse().expect("a number of times"));
    let mutations: usize = mutations * times;
    let (_, target) = TARGETS.iter().find(|(other, _)| *other == name).expect("it is a target");
    let seeds = seeds::seeds(name);
    assert!(seeds.len() >= 20, "only {} seeds for {name}", seeds.len());
    let try_input = |what: &str, input: &[u8]| {
        if catch_unwind(AssertUnwindSafe(|| target(input))).is_err() {
            panic!("{name}, {what}: {}", input.escape_ascii());
        }
    };
    for (i, input) in seeds.iter().enumerate() {
        try_input(&format!("seed {i}"), input);
    }
    for i in 0..mutations {
        let mut random = ChaCha8Rng::seed_from_u64(SEED + i as u64);
        let mut input = seeds.choose(&mut random).expect("there are seeds").clone();
        mutate::mutate(&mut input, &seeds, &mut random);
        try_input(&format!("mutation {i} of seed {SEED}"), &input);
    }
}

#[test]
fn no_text_gets_a_false_claim_certified() {
    run("check", 3000);
}

#[test]
fn any_text_is_read_or_refused() {
    run("read", 6000);
}

#[test]
fn any_plan_is_replayed_or_refused() {
    run("replay", 4000);
}

#[test]
fn any_steps_are_done_or_refused() {
    run("session", 1000);
}

#[test]
fn simulators_agree_on_any_area() {
    run("simulators", 2000);
}

#[test]
fn planners_hold_to_their_budget_and_their_word() {
    run("solve", 400);
}

#[test]
fn any_request_is_answered() {
    run("service_bodies", 1500);
}
