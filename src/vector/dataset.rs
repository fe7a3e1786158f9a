//! Positions of levels with their labels, as arrays: for learning by imitation, and for learning values.

use super::VectorError;
use super::labels::{Jobs, Label, Position, label_as_part, on_threads};
use super::levels::Random;
use super::observation::{MAX_BYTES, Observation, Region};
use crate::diagnostic::Source;
use crate::games::session::{Session, Status};
use crate::games::stepper::actions;
use crate::games::{Area, Objective};
use crate::search::{Control, Limits, Run};
use std::sync::Arc;

/// Upper limit of the positions of a dataset.
pub const MAX_POSITIONS: usize = 1 << 24;
/// Upper limit of [`Sampling::strays`].
pub const MAX_STRAYS: u32 = 10_000;
/// Upper limit of the positions that are drawn before they are labelled, and of the cells of all their boards: each
/// position is a whole game in memory.
const AT_ONCE: usize = 1 << 12;
const CELLS_AT_ONCE: u64 = 1 << 25;
/// Positions that are drawn before they are labelled on boards of any size.
const LEAST_AT_ONCE: usize = 1 << 6;
/// The part of the work that plans and drawing are taken to be; the rest is labels.
const PLANS_PART: f64 = 0.25;

/// How positions are drawn.
#[derive(Clone, Copy, Debug)]
pub struct Sampling {
    /// Number of positions for each level.
    pub positions: usize,
    /// Upper limit of the random steps by which a position leaves the plan of its level.
    pub strays: u32,
    /// Seed of what is drawn.
    pub seed: u64,
    /// Limits of the search for a plan of each level, on one thread. A level without a plan has positions
    /// near its start.
    pub plan: Limits,
}

/// Positions and labels, one after another in each array.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Dataset {
    /// The actions, as steps of plans.
    pub actions: Vec<String>,
    /// Rows and columns of an observation.
    pub shape: (u32, u32),
    /// A code for each cell that is seen.
    pub observations: Vec<u8>,
    /// A byte for each action of each position: 1 if it is allowed, else 0.
    pub masks: Vec<u8>,
    /// Places of the levels in the list that was given, from 0.
    pub levels: Vec<u32>,
    /// Least costs to the end; -1 if a cost is not known or there is none.
    pub distances: Vec<i64>,
    /// 1 for a lost position, 0 for one that is not, -1 for one of which that is not known.
    pub lost: Vec<i8>,
    /// Actions that begin a plan of least cost; -1 if none is known, or if it is not one of the actions.
    pub best: Vec<i32>,
}

/// Draws positions along plans of levels and labels them: see [`label`](super::label) for `objective`, `limits` and
/// `control`. The game goes on in each position. The control's listener is told of progress.
///
/// # Errors
/// One sentence where there are no levels or levels of several games, or more than [`MAX_POSITIONS`] positions,
/// [`MAX_BYTES`] bytes of observations or [`MAX_STRAYS`] strays are asked for.
pub fn dataset(
    levels: &[Arc<dyn Area>],
    region: Region,
    sampling: &Sampling,
    objective: &Objective,
    limits: Limits,
    control: &Control,
) -> Result<Dataset, VectorError> {
    let first = checked(levels, region, sampling)?;
    let mut data = Dataset {
        actions: actions(&*first.session()),
        shape: region.shape(),
        ..Dataset::default()
    };
    let at_once = at_once(levels);
    let pieces = pieces(levels.len(), sampling.positions, at_once);
    let batches = batches(&pieces, at_once);
    for (place, batch) in batches.iter().enumerate() {
        if control.is_cancelled() {
            break;
        }
        let at = |part: f64| (place as f64 + part) / batches.len() as f64;
        let part = (at(0.0), at(PLANS_PART));
        let jobs =
            Jobs { count: batch.len(), phase: "looking for plans of the levels", control, part };
        let drawn = on_threads(limits.threads, jobs, |number| {
            let run = Run {
                limits: Limits { threads: 1, ..sampling.plan },
                control: Control { cancel: Arc::clone(&control.cancel), listener: None },
                ..Run::default()
            };
            draw(&*levels[batch[number].level], &batch[number], sampling, &run)
        });
        let mut positions: Vec<Position<'_>> = Vec::new();
        for (piece, sessions) in batch.iter().zip(drawn) {
            for mut session in sessions {
                data.add(&mut *session, region, piece.level as u32);
                positions.push((&*levels[piece.level], session));
            }
        }
        let part = (at(PLANS_PART), at(1.0));
        for label in label_as_part(positions, objective, limits, control, part) {
            data.add_label(&label);
        }
    }
    Ok(data)
}

/// The first of the levels, if a dataset of them is within the limits.
fn checked<'a>(
    levels: &'a [Arc<dyn Area>],
    region: Region,
    sampling: &Sampling,
) -> Result<&'a dyn Area, VectorError> {
    let first = levels.first().ok_or("there are no levels")?;
    if let Some(other) = levels.iter().find(|area| area.game() != first.game()) {
        return Err(format!("levels of {} and of {} in one set", first.game(), other.game()).into());
    }
    if sampling.strays > MAX_STRAYS {
        return Err(format!("more than {MAX_STRAYS} strays").into());
    }
    if levels.len().saturating_mul(sampling.positions) > MAX_POSITIONS {
        return Err(format!("more than {MAX_POSITIONS} positions").into());
    }
    let observation = Observation { region, has_planes: false };
    if observation.bytes().saturating_mul(levels.len() * sampling.positions) > MAX_BYTES {
        return Err(format!("observations of more than {MAX_BYTES} bytes in all").into());
    }
    Ok(&**first)
}

/// Positions that are drawn together.
struct Piece {
    /// The place of the level.
    level: usize,
    /// The number of the piece among those of its level.
    number: u64,
    /// Number of positions.
    positions: usize,
}

/// The number of positions that are drawn before they are labelled.
fn at_once(levels: &[Arc<dyn Area>]) -> usize {
    let (rows, cols) = Region::largest(levels).shape();
    let fitting = CELLS_AT_ONCE / (u64::from(rows) * u64::from(cols)).max(1);
    usize::try_from(fitting).unwrap_or(AT_ONCE).clamp(LEAST_AT_ONCE, AT_ONCE)
}

/// The pieces of all levels, one level after the other.
fn pieces(levels: usize, positions: usize, at_once: usize) -> Vec<Piece> {
    let of_level = |level| {
        let starts = (0..positions).step_by(at_once).zip(0..);
        let piece = move |(start, number): (usize, u64)| Piece {
            level,
            number,
            positions: (positions - start).min(at_once),
        };
        starts.map(piece)
    };
    (0..levels).flat_map(of_level).collect()
}

/// Neighbouring pieces of at most this many positions together.
fn batches(pieces: &[Piece], at_once: usize) -> Vec<&[Piece]> {
    let mut batches = Vec::new();
    let mut rest = pieces;
    while !rest.is_empty() {
        let mut positions = 0;
        let fitting = rest.iter().take_while(|piece| {
            positions += piece.positions;
            positions <= at_once
        });
        // No piece is larger than a batch.
        let (batch, after) = rest.split_at(fitting.count().max(1));
        batches.push(batch);
        rest = after;
    }
    batches
}

/// Draws positions of a level.
fn draw(area: &dyn Area, piece: &Piece, sampling: &Sampling, run: &Run) -> Vec<Box<dyn Session>> {
    let mut random = Random::new(sampling.seed, piece.level as u64 | piece.number << 32);
    let answer = area.solve(&Objective::default(), None, run);
    let plan = answer.plan.map(|plan| Source::new("plan", plan));
    let steps = plan.and_then(|plan| area.steps(&plan).ok());
    let steps: Vec<String> = steps.into_iter().flatten().map(|step| step.text).collect();
    let actions = actions(&*area.session());
    let sessions = (0..piece.positions).filter_map(|_| {
        let length = random.below(steps.len().max(1) as u32) as usize;
        let mut session = area.session();
        for step in steps.iter().take(length) {
            session.act(step).ok()?;
        }
        for _ in 0..random.below(sampling.strays + 1) {
            let action = &actions[random.below(actions.len() as u32) as usize];
            let before = session.steps();
            // A step that ends the game is taken back, and one that is refused does nothing.
            if session.act(action).is_ok() && session.status() != Status::Playing {
                session.rewind(before);
            }
        }
        (session.status() == Status::Playing).then_some(session)
    });
    sessions.collect()
}

impl Dataset {
    /// Number of positions.
    pub fn len(&self) -> usize {
        self.levels.len()
    }

    /// Whether there are none.
    pub fn is_empty(&self) -> bool {
        self.levels.is_empty()
    }

    fn add(&mut self, session: &mut dyn Session, region: Region, level: u32) {
        let (extent, player) = session.extent();
        let window = region.window(extent, || player);
        let seen = self.observations.len();
        self.observations.resize(seen + window.rows as usize * window.cols as usize, 0);
        session.observe(window, &mut self.observations[seen..]);
        let known = self.masks.len();
        self.masks.resize(known + self.actions.len(), 0);
        session.allowed(&self.actions, &mut self.masks[known..]);
        self.levels.push(level);
    }

    fn add_label(&mut self, label: &Label) {
        self.distances.push(label.distance.map_or(-1, |distance| distance as i64));
        self.lost.push(label.is_lost.map_or(-1, i8::from));
        let best = label.step.as_ref().and_then(|step| self.actions.iter().position(|a| a == step));
        self.best.push(best.map_or(-1, |best| best as i32));
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::games::GameId;

    #[test]
    fn positions_are_drawn_in_batches_that_fit_into_memory() {
        for (levels, positions) in [(1, 1), (3, 10), (200, 100), (2, 3 * AT_ONCE + 1), (5, AT_ONCE)]
        {
            let pieces = pieces(levels, positions, AT_ONCE);
            let total =
                |pieces: &[Piece]| pieces.iter().map(|piece| piece.positions).sum::<usize>();
            let batches = batches(&pieces, AT_ONCE);
            assert_eq!(total(&pieces), levels * positions);
            assert_eq!(batches.iter().map(|batch| batch.len()).sum::<usize>(), pieces.len());
            assert!(batches.iter().all(|batch| (1..=AT_ONCE).contains(&total(batch))));
            let neighbours = batches.windows(2);
            assert!(neighbours.clone().all(|two| total(two[0]) + two[1][0].positions > AT_ONCE));
        }
    }

    #[test]
    fn every_game_has_datasets_that_depend_on_the_seed_alone() {
        for (game, text) in [
            (GameId::Sokoban, "#######\n#@    #\n# $$ .#\n#   . #\n#######\n"),
            (GameId::Monsters, "5 7\n#######\n#@....#\n#..^..#\n#.....#\n####.##\n"),
        ] {
            let read = game.game().read(&Source::new("level", text)).expect("a file");
            let areas = [Arc::<dyn Area>::from(read.only().expect("a level"))];
            let make = |seed, threads| {
                let limits = Limits { nodes: Some(100_000), threads, ..Limits::seconds(3600.0) };
                let sampling = Sampling { positions: 40, strays: 3, seed, plan: limits };
                let region = Region::Window { radius: 2 };
                let (objective, control) = (Objective::OPTIMAL, Control::default());
                dataset(&areas, region, &sampling, &objective, limits, &control).expect("a set")
            };
            let data = make(1, 2);
            let (count, actions) = (data.len(), data.actions.len());
            assert!(count > 30, "{game}: {count} positions");
            assert_eq!(data.observations.len(), 25 * count);
            assert_eq!(data.masks.len(), actions * count);
            assert_eq!((data.distances.len(), data.best.len()), (count, count));
            for (place, &best) in data.best.iter().enumerate() {
                let is_won = data.distances[place] >= 0;
                assert_eq!((data.lost[place], best >= 0), (i8::from(!is_won), is_won));
                assert!(!is_won || data.masks[place * actions + best as usize] == 1);
            }
            assert_eq!(data, make(1, 1), "{game}");
            assert_ne!(data, make(2, 1), "{game}");
        }
    }
}
