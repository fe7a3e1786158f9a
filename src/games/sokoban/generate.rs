//! New levels by reverse play.
//!
//! A room is carved, boxes are put on targets, and a player who can only pull drags them about.
//! Playing the pulls backward solves what comes out, so every level is solvable by construction,
//! and a plan is known without a search. Several are made of one seed, the solver is set on each,
//! and the one that costs it most expansions is kept, with the shorter of the two plans.

use super::format::{Level, letter, read_levels};
use crate::board::{BitBoard, Cell, Direction, ORTHOGONAL, Shape, UNREACHED, distances};
use crate::diagnostic::Source;
use crate::games::area::Area;
use crate::games::generate::{GenerateOptions, Generated, Parameter};
use crate::games::objective::Objective;
use crate::search::{Limits, Run};
use rand::{RngExt, SeedableRng};
use rand_chacha::ChaCha8Rng;
use std::time::Duration;

/// The parameters of the generator.
pub const PARAMETERS: &[Parameter] = &[ROWS, COLS, BOXES, PULLS, WALLS];
const ROWS: Parameter = Parameter::number("rows", "rows of the board", (5, 40), "9");
const COLS: Parameter = Parameter::number("cols", "columns of the board", (5, 40), "11");
const BOXES: Parameter = Parameter::number("boxes", "boxes", (1, 40), "4");
const PULLS: Parameter =
    Parameter::number("pulls", "pulls of the reverse play", (1, 20_000), "400");
const WALLS: Parameter = Parameter::number(
    "walls",
    "share of the inner cells that stay wall, in percent",
    (0, 60),
    "30",
);

/// Boards that are tried before the options are refused.
const TRIES: usize = 200;
/// Boards of which the hardest is kept.
const KEPT: usize = 8;
/// Expansions that the solver may spend on rating one board.
const RATING_NODES: u64 = 400;
/// Wall time after which a rating is given up; only a machine in trouble comes near it.
const RATING_TIME: Duration = Duration::from_secs(600);

struct Wanted {
    shape: Shape,
    boxes: usize,
    pulls: usize,
    walls: usize,
}

/// Makes one level, the same for the same options.
///
/// # Errors
/// One sentence where a parameter is out of range, or no board of the kind came about.
pub fn generate(options: &GenerateOptions) -> Result<Generated, String> {
    let wanted = Wanted {
        shape: Shape { rows: options.number(&ROWS)?, cols: options.number(&COLS)? },
        boxes: options.number(&BOXES)?,
        pulls: options.number(&PULLS)?,
        walls: options.number(&WALLS)?,
    };
    let mut random = ChaCha8Rng::seed_from_u64(options.seed);
    let mut best: Option<Made> = None;
    let mut made = 0;
    for _ in 0..TRIES {
        let Some(mut candidate) = make(&wanted, &mut random) else { continue };
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
    let Some(best) = best else {
        return Err("no board of this kind came about; fewer boxes or walls may help".into());
    };
    let name = format!(
        "pull-{}x{}-{}-{}",
        wanted.shape.rows, wanted.shape.cols, wanted.boxes, options.seed
    );
    let mut level = read(&best.board)?;
    level.name.clone_from(&name);
    Ok(Generated { name, area: level.text(), plan: best.plan })
}

/// Reads a board back: what is written must be what is read.
fn read(board: &str) -> Result<Level, String> {
    let mut levels = read_levels(&Source::new("made", board)).map_err(|error| error.to_string())?;
    if levels.is_empty() { Err("an empty board".into()) } else { Ok(levels.swap_remove(0)) }
}

/// Sets the solver on a board: its effort is the rating, its plan is kept where it is shorter.
fn rate(made: &mut Made) -> Result<(), String> {
    let level = read(&made.board)?;
    let budget = Run::from(Limits {
        nodes: Some(RATING_NODES),
        threads: 1,
        time: RATING_TIME,
        ..Limits::default()
    });
    let answer = level.solve(&Objective::default(), None, &budget);
    made.effort = answer.effort.expanded;
    if let (Some(plan), Some(length)) = (answer.plan, answer.length)
        && length < made.pushes as u64
    {
        made.plan = plan;
        made.pushes = length as usize;
    }
    Ok(())
}

/// A level that was made.
struct Made {
    board: String,
    plan: String,
    pushes: usize,
    /// The solver's expansions.
    effort: u64,
}

/// Makes one board and plays it backward; `None` where it has no room or nothing moved.
fn make(wanted: &Wanted, random: &mut ChaCha8Rng) -> Option<Made> {
    let walls = carve(wanted, random);
    let shape = wanted.shape;
    let floor: Vec<Cell> = shape.iter().filter(|&c| !walls.contains(c)).collect();
    if floor.len() < 3 * wanted.boxes + 4 {
        return None;
    }
    let mut targets = BitBoard::new(shape.cells());
    // Targets stand together: the nearest to one cell.
    let heart = floor[random.random_range(0..floor.len())];
    let field = distances(shape, &[heart], &ORTHOGONAL, |c| !walls.contains(c));
    let mut near = floor.clone();
    near.sort_by_key(|&c| (field[c.index()], c));
    near[..wanted.boxes].iter().for_each(|&c| targets.insert(c));
    let player = near[wanted.boxes + random.random_range(0..near.len() - wanted.boxes)];
    let mut play = Reverse { shape, walls: &walls, boxes: targets.clone(), player, keys: vec![] };
    play.run(wanted.pulls, random);
    let misplaced = play.boxes.iter().filter(|&c| !targets.contains(c)).count();
    if misplaced * 2 < wanted.boxes {
        return None;
    }
    let plan: String = play.keys.iter().rev().map(|&(d, push)| letter(d, push)).collect();
    let pushes = play.keys.iter().filter(|(_, push)| *push).count();
    let board = super::format::draw(shape, &walls, &targets, &play.boxes, Some(play.player));
    Some(Made { board, plan: plan + "\n", pushes, effort: 0 })
}

/// Walls with one connected floor inside: blocks are dug out along a random walk.
fn carve(wanted: &Wanted, random: &mut ChaCha8Rng) -> BitBoard {
    let shape = wanted.shape;
    let mut walls = BitBoard::new(shape.cells());
    shape.iter().for_each(|c| walls.insert(c));
    let inner = (shape.rows as usize - 2) * (shape.cols as usize - 2);
    let wish = inner * (100 - wanted.walls) / 100;
    let (mut row, mut col) = (shape.rows as i32 / 2, shape.cols as i32 / 2);
    let mut heading = Direction::East;
    let mut dug = 0;
    for _ in 0..inner * 60 {
        if dug >= wish {
            break;
        }
        let (height, width) = if random.random_range(0..4) == 0 { (2, 2) } else { (1, 1) };
        for r in row..row + height {
            for c in col..col + width {
                let inside =
                    r > 0 && c > 0 && r < shape.rows as i32 - 1 && c < shape.cols as i32 - 1;
                if let Some(cell) = shape.at(r, c).filter(|&cell| inside && walls.contains(cell)) {
                    walls.remove(cell);
                    dug += 1;
                }
            }
        }
        if random.random_range(0..3) == 0 {
            heading = ORTHOGONAL[random.random_range(0..4)];
        }
        row = (row + heading.drow()).clamp(1, shape.rows as i32 - 2);
        col = (col + heading.dcol()).clamp(1, shape.cols as i32 - 2);
    }
    walls
}

/// A game played backward.
struct Reverse<'a> {
    shape: Shape,
    walls: &'a BitBoard,
    boxes: BitBoard,
    player: Cell,
    /// The forward keys, last first, and whether each pushes.
    keys: Vec<(Direction, bool)>,
}

impl Reverse<'_> {
    /// Drags boxes about: chooses a box, goes to it, drags it a few squares one way.
    fn run(&mut self, pulls: usize, random: &mut ChaCha8Rng) {
        let mut done = 0;
        for _ in 0..pulls * 4 {
            if done >= pulls {
                return;
            }
            let boxes: Vec<Cell> = self.boxes.iter().collect();
            let cell = boxes[random.random_range(0..boxes.len())];
            let direction = ORTHOGONAL[random.random_range(0..4)];
            let length = random.random_range(1..6);
            let Some(beside) = self.shape.step(cell, direction) else { continue };
            if !self.walk_to(beside) {
                continue;
            }
            for _ in 0..length {
                if !self.pull(direction) {
                    break;
                }
                done += 1;
            }
        }
    }

    fn is_free(&self, cell: Cell) -> bool {
        !self.walls.contains(cell) && !self.boxes.contains(cell)
    }

    /// Walks to a cell by a shortest way; false where there is none.
    fn walk_to(&mut self, to: Cell) -> bool {
        if !self.is_free(to) {
            return false;
        }
        let field = distances(self.shape, &[to], &ORTHOGONAL, |c| self.is_free(c));
        if field[self.player.index()] == UNREACHED {
            return false;
        }
        while self.player != to {
            let here = field[self.player.index()];
            let step = ORTHOGONAL.into_iter().find_map(|d| {
                let next = self.shape.step(self.player, d)?;
                (field[next.index()] < here).then_some((d, next))
            });
            let Some((direction, next)) = step else { return false };
            self.keys.push((direction.opposite(), false));
            self.player = next;
        }
        true
    }

    /// The player, beside a box, steps away from it and drags it along.
    fn pull(&mut self, direction: Direction) -> bool {
        let from = self.shape.step(self.player, direction.opposite());
        let to = self.shape.step(self.player, direction);
        let (Some(from), Some(to)) = (from, to) else { return false };
        if !self.boxes.contains(from) || !self.is_free(to) {
            return false;
        }
        self.boxes.remove(from);
        self.boxes.insert(self.player);
        self.keys.push((direction.opposite(), true));
        self.player = to;
        true
    }
}
