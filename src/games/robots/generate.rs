//! New cases: at random, and those of them that are hard.

use super::format::{self, BOARD, Case, MAX_ROBOTS, MAX_TELEPORTS, START};
use super::planner::{self, BeamTuning, Beams};
use super::program::{self, as_move};
use super::state::{Action, State};
use crate::board::Cell;
use crate::games::generate::{GenerateError, GenerateOptions, Generated, Parameter};
use crate::games::objective::Objective;
use crate::games::planning::{Task, nobody};
use crate::search::portfolio::anytime::Anytime;
use crate::search::{Ended, Known, Limits, Run};
use rand::prelude::*;
use rand_chacha::ChaCha8Rng;

/// What a random case is like.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Kind {
    /// Robots.
    pub robots: usize,
    /// Teleport locations, all different.
    pub teleports: usize,
    /// Robots stand in the rows and columns from 15 - spread to 16 + spread, where on the board.
    pub spread: u32,
}

impl Kind {
    /// One of the kinds that the statement's larger cases mix: few and many robots, none and many
    /// teleports, crowded and all over the board.
    pub fn mixed(random: &mut ChaCha8Rng) -> Kind {
        Kind {
            robots: *[2, 3, 5, 10, 20, MAX_ROBOTS].choose(random).expect("not empty"),
            teleports: *[0, 1, 3, 20].choose(random).expect("not empty"),
            spread: *[3, 8, 16].choose(random).expect("not empty"),
        }
    }

    /// The cells where robots may start.
    fn square(self) -> Vec<Cell> {
        let spread = self.spread as i32;
        let inside = |at: i32| (14 - spread..=15 + spread).contains(&at);
        let free = |&c: &Cell| c != START && inside(BOARD.row(c)) && inside(BOARD.col(c));
        BOARD.iter().filter(free).collect()
    }

    /// How many robots the square holds.
    pub fn room(self) -> usize {
        self.square().len()
    }

    /// A case of this kind.
    ///
    /// # Panics
    /// If the square does not hold the robots.
    pub fn case(self, random: &mut ChaCha8Rng) -> Case {
        let square = self.square();
        assert!(square.len() >= self.robots, "the square holds the robots");
        let robots = square.sample(random, self.robots).copied().collect();
        let board: Vec<Cell> = BOARD.iter().collect();
        let teleports = board.sample(random, self.teleports).copied().collect();
        Case { robots, teleports }
    }
}

/// A random generator with a seed.
pub fn random(seed: u64) -> ChaCha8Rng {
    ChaCha8Rng::seed_from_u64(seed)
}

/// The parameters of [`generate`].
pub const PARAMETERS: &[Parameter] = &[ROBOTS, TELEPORTS, SPREAD, TRIES];
const ROBOTS: Parameter = Parameter::number("robots", "robots", (2, MAX_ROBOTS as u64), "5");
const TELEPORTS: Parameter =
    Parameter::number("teleports", "teleport locations", (0, MAX_TELEPORTS as u64), "3");
const SPREAD: Parameter = Parameter::number(
    "spread",
    "robots stand in rows and columns 15 - spread to 16 + spread",
    (1, 16),
    "8",
);
const TRIES: Parameter = Parameter::number(
    "tries",
    "number of winnable cases, of which the hardest is taken",
    (1, 1000),
    "20",
);

/// Random cases looked at for each that is asked for: without teleports few can be won.
const LOOKS: u64 = 50;
/// The widest beam tried on a random case, in positions.
const WIDEST: usize = 512;
/// Expansions on one random case, and on the plan of the one that is taken.
const NODES: u64 = 100_000;
/// Longer than any generation takes; only [`NODES`] shall decide.
const FOREVER_S: f64 = 1e6;

/// Makes one winnable case: of `tries` random ones the hardest, which is the one that the strategy
/// loses and that needs the widest beam.
///
/// # Errors
/// One sentence where a parameter is out of range, or no winnable case turned up.
pub fn generate(options: &GenerateOptions) -> Result<Generated, GenerateError> {
    let robots: usize = options.number(&ROBOTS)?;
    let teleports: usize = options.number(&TELEPORTS)?;
    let spread: u32 = options.number(&SPREAD)?;
    let tries: u64 = options.number(&TRIES)?;
    let kind = Kind { robots, teleports, spread };
    if kind.room() < kind.robots {
        return Err(format!("--spread {spread} has no room for {robots} robots").into());
    }
    let run = Run::from(Limits { nodes: Some(NODES), threads: 1, ..Limits::seconds(FOREVER_S) });
    let mut random = random(options.seed);
    let (mut won, mut best): (u64, Option<(Rating, Case, Vec<Action>)>) = (0, None);
    for _ in 0..tries * LOOKS {
        let case = kind.case(&mut random);
        let Some((width, plan)) = narrowest_win(&case, &run) else { continue };
        let rating = (!program::play(&case).won, width, plan.len());
        if best.as_ref().is_none_or(|(most, ..)| rating > *most) {
            best = Some((rating, case, plan));
        }
        won += 1;
        if won == tries {
            break;
        }
    }
    let (_, case, plan) = best.ok_or("no winnable case turned up; try more teleports or robots")?;
    let objective = Objective::default();
    let task = Task::new(&objective, Some(plan.clone()), &run);
    let shorter = planner::solve(&case, &task).plan;
    let moves: Vec<_> =
        shorter.unwrap_or(plan).into_iter().map(|action| as_move(action, &case)).collect();
    Ok(Generated {
        name: format!("robots-{robots}-{teleports}-{spread}-{}", options.seed),
        area: format::text(&[case]),
        plan: format::plan_text(&moves),
    })
}

/// The narrowest beam that wins, of widths 1, 2, 4 and so on to [`WIDEST`], and the plan that it finds: how
/// hard a case is. `None` where no such beam wins within the limits.
fn narrowest_win(case: &Case, run: &Run) -> Option<(usize, Vec<Action>)> {
    let tuning = BeamTuning { first_width: 1, ..BeamTuning::default() };
    let mut beams = Beams::new(case, State::new(case), &tuning, run.limits.memory);
    let mut desk = Anytime::new(run.start(), Known::default(), &nobody);
    let mut ended = Ended::Resting;
    while ended == Ended::Resting && beams.width() <= WIDEST {
        let width = beams.width();
        ended = desk.play(&mut beams, desk.rest());
        if desk.known().cost != u64::MAX {
            return Some((width, desk.outcome().plan?));
        }
    }
    None
}

/// Whether the strategy loses, the narrowest beam that wins, the length of its plan.
type Rating = (bool, usize, usize);
