//! Mirrored crowds: caves that are symmetric from left to right, as boxes and targets are.
//!
//! Reverse play drags the boxes of one half about and comes back to the axis. The same game mirrored does the
//! other half, since no box has stayed on the axis.

use super::Made;
use super::cave;
use super::reverse::Reverse;
use crate::board::{BitBoard, Cell, Direction, Shape};
use crate::games::sokoban::format::draw;
use rand::RngExt;
use rand_chacha::ChaCha8Rng;

/// Floor squares of a half that have no box, at least.
const ROOM: usize = 4;
/// Drags that are tried for each pull: where boxes stand close few of them can be dragged.
const TRIES_A_PULL: usize = 20;

/// Makes one mirrored crowd; `None` where it has no room or nothing moved. The number of columns is reduced
/// to an odd one, the number of boxes to an even one.
pub(super) fn make(wanted: &super::Wanted, random: &mut ChaCha8Rng) -> Option<Made> {
    let axis = (wanted.shape.cols - 1) / 2;
    let shape = Shape { rows: wanted.shape.rows, cols: 2 * axis + 1 };
    let each = wanted.boxes / 2;
    // The left half with the axis, and a wall beside that.
    let half = Shape { rows: shape.rows, cols: axis + 2 };
    let walls = cave::carve(half, wanted.walls, random);
    let cells = || half.iter().filter(|&cell| !walls.contains(cell));
    let on_axis: Vec<Cell> = cells().filter(|&cell| half.col(cell) == axis as i32).collect();
    let floor: Vec<Cell> = cells().filter(|&cell| half.col(cell) < axis as i32).collect();
    if each == 0 || on_axis.is_empty() || floor.len() < each + ROOM {
        return None;
    }
    let near = cave::by_distance(half, &walls, floor, random);
    let mut targets = BitBoard::new(half.cells());
    near[..each].iter().for_each(|&cell| targets.insert(cell));
    let player = on_axis[random.random_range(0..on_axis.len())];
    let start =
        Reverse { shape: half, walls: &walls, boxes: targets.clone(), player, keys: vec![] };
    let mut play = drag_about(start, (&targets, &on_axis), wanted.pulls, random)?;
    let mirrored: Vec<(Direction, bool)> =
        play.keys.iter().map(|&(direction, push)| (mirror(direction), push)).collect();
    play.keys.extend(mirrored);
    let both = |set: &BitBoard| unfold(set, (half, shape));
    let player = shape.at(half.row(player), half.col(player));
    let board = draw(shape, &both(&walls), &both(&targets), &both(&play.boxes), player);
    Some(Made::played(board, &play))
}

/// Drags boxes about. Returns the game up to the moment when most boxes were on no target, among those when the
/// axis was free and the player could come back; `None` if a third of the boxes never were.
fn drag_about<'a>(
    mut play: Reverse<'a>,
    (targets, on_axis): (&BitBoard, &[Cell]),
    pulls: usize,
    random: &mut ChaCha8Rng,
) -> Option<Reverse<'a>> {
    let home = play.player;
    let mut best = (targets.len().div_ceil(3), None);
    play.run((pulls, TRIES_A_PULL * pulls), random, |play| {
        let misplaced = play.boxes.iter().filter(|&cell| !targets.contains(cell)).count();
        if misplaced < best.0 || on_axis.iter().any(|&cell| play.boxes.contains(cell)) {
            return;
        }
        let mut back = play.clone();
        if back.walk_to(home) {
            best = (misplaced, Some(back));
        }
    });
    best.1
}

fn mirror(direction: Direction) -> Direction {
    match direction {
        Direction::East | Direction::West => direction.opposite(),
        _ => direction,
    }
}

/// A set of the left half and its mirror image; `whole` is the board, in whose middle the axis is.
fn unfold(set: &BitBoard, (half, whole): (Shape, Shape)) -> BitBoard {
    let last = whole.cols as i32 - 1;
    let mut both = BitBoard::new(whole.cells());
    for cell in set.iter().filter(|&cell| half.col(cell) <= last / 2) {
        let (row, col) = (half.row(cell), half.col(cell));
        let images = [col, last - col].into_iter().filter_map(|col| whole.at(row, col));
        images.for_each(|cell| both.insert(cell));
    }
    both
}
