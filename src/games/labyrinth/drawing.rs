//! Labyrinths as an editor draws them: those that are small enough to be drawn cell by cell.

use super::format::protocol::Point;
use super::format::{MAX_STICKS, Maze, Segment, text};
use crate::games::description::{Brush, Composed, Drawing, Easel, Field, Side};

const FLOOR: char = '.';
const WALL: char = 'X';
const EXIT: char = 'E';
const YOU: char = 'O';
/// Greatest side of a board that is drawn, in cells.
const MAX_DRAWN: u32 = 200;

const DYNAMITE: Field = Field {
    name: "dynamite",
    about: "sticks of dynamite",
    default: "0",
    most: Some(MAX_STICKS as u32),
};

pub fn easel() -> Easel {
    let side = Side::new(3, MAX_DRAWN, 15);
    Easel {
        floor: FLOOR,
        frame: Some(WALL),
        brushes: vec![
            Brush::new(WALL, "wall"),
            Brush::new(FLOOR, "floor"),
            Brush::single(YOU, "you"),
            Brush::single(EXIT, "exit, in the outer wall"),
        ],
        fields: vec![DYNAMITE],
        rows: side,
        cols: side,
        ..Easel::default()
    }
}

/// A file with one game. Its walls are the longest straight pieces of the drawn ones.
pub fn compose(drawing: &Drawing) -> Composed {
    let rows: Vec<Vec<char>> = drawing.even_rows(FLOOR).collect();
    let place = |letter| {
        let cell = drawing.cells_with(letter).next();
        // Where it is missing it is far from all walls, which the reader refuses with a reason.
        cell.map_or(Point::new(-1, -1), |(row, col)| Point::new(col as i32, row as i32))
    };
    let walls = Walls { rows: &rows };
    let maze = Maze {
        exit: place(EXIT),
        player: place(YOU),
        sticks: drawing.value(&DYNAMITE).parse().unwrap_or(0),
        segments: walls.segments(),
    };
    Composed::numbers(text(&[maze]))
}

/// The values beside the board of a labyrinth.
pub fn values(maze: &Maze) -> Vec<(&'static str, String)> {
    vec![(DYNAMITE.name, maze.sticks.to_string())]
}

/// The walls of a drawing. The exit is one of their cells.
struct Walls<'a> {
    rows: &'a [Vec<char>],
}

impl Walls<'_> {
    fn is_wall(&self, x: i32, y: i32) -> bool {
        let row = usize::try_from(y).ok().and_then(|y| self.rows.get(y));
        let letter = row.zip(usize::try_from(x).ok()).and_then(|(row, x)| row.get(x));
        matches!(letter, Some(&(WALL | EXIT)))
    }

    /// The pieces of at least two cells in a row or a column, then the cells that are in none.
    fn segments(&self) -> Vec<Segment> {
        let (height, width) =
            (self.rows.len() as i32, self.rows.first().map_or(0, Vec::len) as i32);
        let cells = (0..height).flat_map(|y| (0..width).map(move |x| Point::new(x, y)));
        let mut segments = Vec::new();
        for from in cells.filter(|cell| self.is_wall(cell.x, cell.y)) {
            let [right, down] = [(1, 0), (0, 1)].map(|way| self.piece(from, way));
            segments.extend(right.into_iter().chain(down));
            let beside = [(1, 0), (-1, 0), (0, 1), (0, -1)];
            if !beside.iter().any(|(x, y)| self.is_wall(from.x + x, from.y + y)) {
                segments.push(Segment { from, to: from });
            }
        }
        segments
    }

    /// The piece that begins at a cell and goes a way, where it has two cells or more.
    fn piece(&self, from: Point, (x, y): (i32, i32)) -> Option<Segment> {
        if self.is_wall(from.x - x, from.y - y) {
            return None;
        }
        let is_wall = |n: &i32| self.is_wall(from.x + n * x, from.y + n * y);
        let last = (1..).take_while(is_wall).last()?;
        Some(Segment { from, to: Point::new(from.x + last * x, from.y + last * y) })
    }
}
