//! Distance fields by breadth-first search.

use super::{Cell, Direction, Shape};

/// The value of a cell that no path reaches.
pub const UNREACHED: u32 = u32::MAX;

/// Steps from the nearest of `sources` to every cell over `passable` cells, moving in `directions`.
///
/// A source is 0 whether it is passable or not. Cells without a path hold [`UNREACHED`].
///
/// ```
/// use outwit::board::{Shape, UNREACHED, distances, ORTHOGONAL};
///
/// let shape = Shape { rows: 2, cols: 3 };
/// let wall = shape.cell(0, 1);
/// let field = distances(shape, &[shape.cell(0, 0)], &ORTHOGONAL, |cell| cell != wall);
/// assert_eq!(field, [0, UNREACHED, 4, 1, 2, 3]);
/// ```
pub fn distances(
    shape: Shape,
    sources: &[Cell],
    directions: &[Direction],
    passable: impl Fn(Cell) -> bool,
) -> Vec<u32> {
    let mut field = vec![UNREACHED; shape.cells()];
    let mut queue: Vec<Cell> = sources.to_vec();
    for source in sources {
        field[source.index()] = 0;
    }
    let mut head = 0;
    while let Some(&cell) = queue.get(head) {
        head += 1;
        for &direction in directions {
            if let Some(next) = shape.step(cell, direction)
                && field[next.index()] == UNREACHED
                && passable(next)
            {
                field[next.index()] = field[cell.index()] + 1;
                queue.push(next);
            }
        }
    }
    field
}
