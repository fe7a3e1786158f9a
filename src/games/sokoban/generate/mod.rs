//! New levels, in three families.
//!
//! A cave or a mirrored crowd is made by reverse play: a room is carved, boxes are put on targets, and a
//! player who can only pull drags them about. Playing the pulls backward solves what comes out, so every
//! level is solvable by construction, and a plan is known without a search. Several are made of one seed,
//! the solver is set on each, and the one that costs it most expansions is kept, with the shorter of the
//! two plans.
//!
//! Of a chain no plan is known: the solver must find one.

mod cave;
mod chain;
mod mirrored;
mod reverse;

use super::format::{Level, read_levels};
use crate::board::Shape;
use crate::diagnostic::Source;
use crate::games::area::Area;
use crate::games::generate::{GenerateError, GenerateOptions, Generated, Parameter, Values};
use crate::games::objective::Objective;
use crate::search::{Limits, Run};
use rand::SeedableRng;
use rand_chacha::ChaCha8Rng;
use reverse::Reverse;
use std::time::Duration;

/// The parameters of the generator.
pub const PARAMETERS: &[Parameter] =
    &[FAMILY, ROWS, COLS, BOXES, PULLS, WALLS, FORM, CORNERS, ROOMS];
const FAMILY: Parameter = Parameter {
    name: "family",
    about: "what the level looks like",
    default: "cave",
    values: Values::Words(&["cave", "mirrored", "chain"]),
};
const ROWS: Parameter = Parameter::number("rows", "rows of a cave", (5, 40), "9");
const COLS: Parameter = Parameter::number("cols", "columns of a cave", (5, 40), "11");
const BOXES: Parameter = Parameter {
    name: "boxes",
    about: "boxes",
    default: "auto",
    values: Values::NumberOrAuto(1, 200, "4 in a cave, 12 in a mirrored one, 24 in a chain"),
};
const PULLS: Parameter =
    Parameter::number("pulls", "pulls of the reverse play in a cave", (1, 20_000), "400");
const WALLS: Parameter = Parameter::number(
    "walls",
    "share of the inner cells of a cave that stay wall, in percent",
    (0, 60),
    "30",
);
const FORM: Parameter = Parameter {
    name: "form",
    about: "form of a chain",
    default: "line",
    values: Values::Words(chain::FORMS),
};
const CORNERS: Parameter = Parameter {
    name: "corners",
    about: "corners of a chain that is a line",
    default: "auto",
    values: Values::NumberOrAuto(0, 50, "one for each four boxes but the last"),
};
const ROOMS: Parameter = Parameter::number("rooms", "rooms beside a chain", (0, 40), "2");

/// Boards that are tried before the options are refused.
const TRIES: usize = 200;
/// Boards of which the hardest is kept.
const KEPT: usize = 8;
/// Expansions that the solver may spend on rating one board.
const RATING_NODES: u64 = 400;
/// Squares of a chain for each corner of a line, where no number of corners is given.
const SQUARES_A_CORNER: usize = 4;
/// Ways to lay a chain that are tried before the options are refused: most run into themselves.
const CHAIN_TRIES: usize = 20_000;
/// Chains that the solver is set on before the options are refused.
const SOLVED_TRIES: usize = 2;
/// Expansions that the solver may spend on one chain.
const CHAIN_NODES: u64 = 40_000;
/// Wall time after which a search is given up; only a machine in trouble comes near it.
const SEARCH_TIME: Duration = Duration::from_secs(600);

/// The options of a cave or a mirrored crowd.
struct Wanted {
    shape: Shape,
    boxes: usize,
    pulls: usize,
    /// In percent.
    walls: usize,
}

/// Makes one level, the same for the same options.
///
/// # Errors
/// One sentence where a parameter is out of range, or no board of the kind came about.
pub fn generate(options: &GenerateOptions) -> Result<Generated, GenerateError> {
    let wanted = Wanted {
        shape: Shape { rows: options.number(&ROWS)?, cols: options.number(&COLS)? },
        boxes: boxes_of(options)?,
        pulls: options.number(&PULLS)?,
        walls: options.number(&WALLS)?,
    };
    let Wanted { shape: Shape { rows, cols }, boxes, .. } = wanted;
    let (seed, family) = (options.seed, options.word(&FAMILY));
    let mut random = ChaCha8Rng::seed_from_u64(seed);
    let (name, made) = match family {
        "chain" => {
            let chain = chain_of(options, boxes)?;
            let chain::Wanted { form, corners, rooms, .. } = chain;
            let name = format!("chain-{form}-{boxes}-{corners}-{rooms}-{seed}");
            (name, solved_chain(&chain, &mut random)?)
        }
        "mirrored" => {
            let made = hardest(|| mirrored::make(&wanted, &mut random))?;
            (format!("mirrored-{rows}x{cols}-{boxes}-{seed}"), made)
        }
        _ => {
            let made = hardest(|| cave::make(&wanted, &mut random))?;
            (format!("pull-{rows}x{cols}-{boxes}-{seed}"), made)
        }
    };
    let mut level = read(&made.board)?;
    level.name.clone_from(&name);
    Ok(Generated { name, area: level.text(), plan: made.plan })
}

/// A chain that may have no plan, as the bench of crowded boards asks for it.
///
/// # Errors
/// As [`generate`].
pub fn chain_without_plan(options: &GenerateOptions) -> Result<String, GenerateError> {
    let wanted = chain_of(options, boxes_of(options)?)?;
    let mut random = ChaCha8Rng::seed_from_u64(options.seed);
    laid_chain(&wanted, &mut random)
}

fn boxes_of(options: &GenerateOptions) -> Result<usize, GenerateError> {
    let usual = match options.word(&FAMILY) {
        "chain" => 24,
        "mirrored" => 12,
        _ => 4,
    };
    Ok(options.number_unless_auto(&BOXES)?.unwrap_or(usual))
}

fn chain_of(options: &GenerateOptions, boxes: usize) -> Result<chain::Wanted, GenerateError> {
    let form = chain::FORMS.iter().copied().find(|&form| form == options.word(&FORM));
    let form = form.ok_or_else(|| format!("--form: {:?} is none", options.word(&FORM)))?;
    let corners: Option<usize> = options.number_unless_auto(&CORNERS)?;
    let corners = corners.unwrap_or((boxes / SQUARES_A_CORNER).saturating_sub(1));
    let rooms = options.number(&ROOMS)?;
    Ok(chain::Wanted { form, boxes, corners: if form == "line" { corners } else { 0 }, rooms })
}

/// The hardest of some boards of which a plan is known.
fn hardest(mut make: impl FnMut() -> Option<Made>) -> Result<Made, GenerateError> {
    let mut best: Option<Made> = None;
    let mut made = 0;
    for _ in 0..TRIES {
        let Some(mut candidate) = make() else { continue };
        rate(&mut candidate)?;
        let rating = |made: &Made| (made.effort, made.pushes);
        if best.as_ref().is_none_or(|b| rating(&candidate) > rating(b)) {
            best = Some(candidate);
        }
        made += 1;
        if made == KEPT {
            break;
        }
    }
    best.ok_or_else(|| "no board of this kind came about; fewer boxes or walls may help".into())
}

/// The board of the first chain that has a place.
fn laid_chain(wanted: &chain::Wanted, random: &mut ChaCha8Rng) -> Result<String, GenerateError> {
    let refused = "no chain of this kind came about: a straight piece has four boxes or more, a ring an even number";
    (0..CHAIN_TRIES).find_map(|_| chain::lay(wanted, random)).ok_or_else(|| refused.into())
}

/// The first chain that the solver solves.
fn solved_chain(wanted: &chain::Wanted, random: &mut ChaCha8Rng) -> Result<Made, GenerateError> {
    for _ in 0..SOLVED_TRIES {
        let board = laid_chain(wanted, random)?;
        if let (Some((plan, pushes)), effort) = solve(&board, CHAIN_NODES)? {
            return Ok(Made { board, plan, pushes, effort });
        }
    }
    Err("the solver solved no chain of this kind; fewer boxes, more corners or rooms may help"
        .into())
}

/// Reads a board back: what is written must be what is read.
fn read(board: &str) -> Result<Level, GenerateError> {
    let mut levels = read_levels(&Source::new("made", board)).map_err(|error| error.to_string())?;
    if levels.is_empty() { Err("an empty board".into()) } else { Ok(levels.swap_remove(0)) }
}

/// Solves a board: the plan and its pushes if one is found within this number of expansions, and the
/// expansions spent.
fn solve(board: &str, nodes: u64) -> Result<(Option<(String, u64)>, u64), GenerateError> {
    let limits = Limits { nodes: Some(nodes), threads: 1, time: SEARCH_TIME, ..Limits::default() };
    let answer = read(board)?.solve(&Objective::default(), None, &Run::from(limits));
    Ok((answer.plan.zip(answer.length), answer.effort.expanded))
}

/// Sets the solver on a board: its effort is the rating, its plan is kept where it is shorter.
fn rate(made: &mut Made) -> Result<(), GenerateError> {
    let (answer, effort) = solve(&made.board, RATING_NODES)?;
    made.effort = effort;
    if let Some((plan, pushes)) = answer.filter(|&(_, pushes)| pushes < made.pushes) {
        (made.plan, made.pushes) = (plan, pushes);
    }
    Ok(())
}

/// A level that was made.
struct Made {
    board: String,
    plan: String,
    /// The pushes of the plan.
    pushes: u64,
    /// The solver's expansions.
    effort: u64,
}

impl Made {
    /// The level to which a game played backward has led.
    fn played(board: String, play: &Reverse<'_>) -> Made {
        Made { board, plan: play.plan(), pushes: play.pushes(), effort: 0 }
    }
}
