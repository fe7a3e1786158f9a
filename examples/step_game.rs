//! Plays a game step by step under its reference rules, with a random player.
//!
//! `cargo run --release --example step_game` plays a robots area that it makes itself.

use outwit::diagnostic::Source;
use outwit::games::{GameId, GenerateOptions, Session, Status};
use rand::seq::IndexedRandom;
use rand::{Rng, SeedableRng};
use rand_chacha::ChaCha8Rng;

/// Steps that a player tries before he gives up.
const PATIENCE: usize = 200;

fn main() {
    let options = GenerateOptions { seed: 7, ..GenerateOptions::default() };
    let made = GameId::Robots.game().generate(&options).expect("robots can be made from any seed");
    let source = Source::new("made", made.area);
    let areas = GameId::Robots.game().read(&source).expect("what is made can be read");

    let mut session = areas.only().expect("it is one area").session();
    let status = stumble(session.as_mut(), &mut ChaCha8Rng::seed_from_u64(1));
    let (extent, _) = session.extent();
    println!("{}", session.view(extent).rows.join("\n"));
    println!("{} steps: {status:?}", session.steps());
    print!("{}", session.plan());
}

/// Does random steps until the game is over.
fn stumble(session: &mut dyn Session, random: &mut impl Rng) -> Status {
    let steps: Vec<String> = session.keys().into_iter().map(|key| key.step).collect();
    for _ in 0..PATIENCE {
        if session.status() != Status::Playing {
            break;
        }
        // The rules refuse some steps; nothing has changed then.
        let step = steps.choose(random).expect("every game has steps");
        if let Err(why) = session.act(step) {
            eprintln!("{step}: {why}");
        }
    }
    session.status()
}

#[test]
fn what_was_stepped_is_a_plan_so_far() {
    let options = GenerateOptions { seed: 7, ..GenerateOptions::default() };
    for &id in GameId::ALL {
        let made = id.game().generate(&options).expect("every game is made by its defaults");
        let source = Source::new("made", made.area);
        let areas = id.game().read(&source).expect("what is made can be read");
        let area = areas.only().expect("it is one area");
        let mut session = area.session();
        let status = stumble(session.as_mut(), &mut ChaCha8Rng::seed_from_u64(1));
        let plan = Source::new("plan", session.plan());
        let replayed = area.replay(&plan);
        assert_eq!(replayed.is_ok(), status == Status::Won, "{id}: {status:?}, {replayed:?}");
    }
}
