//! Caves: blocks dug out along a random walk, with the targets together in one place.

use super::reverse::Reverse;
use super::{Made, Wanted};
use crate::board::{BitBoard, Cell, Direction, ORTHOGONAL, Shape, distances};
use crate::games::sokoban::format::draw;
use rand::RngExt;
use rand_chacha::ChaCha8Rng;

/// Drags that are tried for each pull.
const TRIES_A_PULL: usize = 4;

/// Makes one board and plays it backward; `None` where it has no room or nothing moved.
pub(super) fn make(wanted: &Wanted, random: &mut ChaCha8Rng) -> Option<Made> {
    let shape = wanted.shape;
    let walls = carve(shape, wanted.walls, random);
    let floor: Vec<Cell> = shape.iter().filter(|&c| !walls.contains(c)).collect();
    if floor.len() < 3 * wanted.boxes + 4 {
        return None;
    }
    let mut targets = BitBoard::new(shape.cells());
    // Targets stand together.
    let near = by_distance(shape, &walls, floor, random);
    near[..wanted.boxes].iter().for_each(|&c| targets.insert(c));
    let player = near[wanted.boxes + random.random_range(0..near.len() - wanted.boxes)];
    let mut play = Reverse { shape, walls: &walls, boxes: targets.clone(), player, keys: vec![] };
    play.run((wanted.pulls, TRIES_A_PULL * wanted.pulls), random, |_| ());
    let misplaced = play.boxes.iter().filter(|&c| !targets.contains(c)).count();
    if misplaced * 2 < wanted.boxes {
        return None;
    }
    let board = draw(shape, &walls, &targets, &play.boxes, Some(play.player));
    Some(Made::played(board, &play))
}

/// The cells of a floor by their distance from one of them, which is drawn.
pub(super) fn by_distance(
    shape: Shape,
    walls: &BitBoard,
    mut floor: Vec<Cell>,
    random: &mut ChaCha8Rng,
) -> Vec<Cell> {
    let heart = floor[random.random_range(0..floor.len())];
    let field = distances(shape, &[heart], &ORTHOGONAL, |cell| !walls.contains(cell));
    floor.sort_by_key(|&cell| (field[cell.index()], cell));
    floor
}

/// Walls with one connected floor inside: blocks are dug out along a random walk, until `share` percent of the
/// inner cells are left.
pub(super) fn carve(shape: Shape, share: usize, random: &mut ChaCha8Rng) -> BitBoard {
    let mut walls = BitBoard::new(shape.cells());
    shape.iter().for_each(|c| walls.insert(c));
    let inner = (shape.rows as usize - 2) * (shape.cols as usize - 2);
    let wish = inner * (100 - share) / 100;
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
