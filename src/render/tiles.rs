//! The cells of a board: their colours and shapes, and which of them are outside.

use super::Form;
use crate::games::{Role, Window};

/// A colour as red, green, blue.
pub type Colour = [u8; 3];

pub const FLOOR: Colour = [250, 249, 245];
pub const ROUTE: Colour = [214, 73, 51];
pub const THROW: Colour = [120, 66, 40];
const OUTSIDE: Colour = [222, 220, 212];
const WALL: Colour = [52, 58, 64];
const GOAL: Colour = [46, 160, 67];

/// Least side of a cell, in pixels, at which things have shapes of their own.
const SHAPED: f64 = 7.0;

/// The kind of a cell in a picture.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Tile {
    /// Floor outside the walls.
    Outside,
    /// A cell of the board, by the role of its sign.
    Of(Role),
}

impl Tile {
    /// Whether equal neighbours are one.
    fn is_joined(self) -> bool {
        matches!(self, Tile::Outside | Tile::Of(Role::Wall | Role::Unknown | Role::Blast))
    }

    fn colour(self) -> Colour {
        match self {
            Tile::Outside => OUTSIDE,
            Tile::Of(role) => colour(role),
        }
    }

    /// Draws the tile into a rectangle: left, top, width, height.
    pub fn draw(self, place: (f64, f64, f64, f64), forms: &mut Vec<(Form, Colour)>) {
        let (left, top, width, height) = place;
        let side = width.min(height);
        let inset = |part: f64| {
            let edge = side * part;
            let (width, height) = (width - 2.0 * edge, height - 2.0 * edge);
            Form::Rect { left: left + edge, top: top + edge, width, height }
        };
        let middle = (left + width / 2.0, top + height / 2.0);
        let disc = |part: f64| Form::Disc { middle, radius: side * part };
        let colour = self.colour();
        match self {
            _ if side < SHAPED => forms.push((inset(0.0), colour)),
            Tile::Outside | Tile::Of(Role::Floor | Role::Wall | Role::Unknown | Role::Blast) => {
                forms.push((inset(0.0), colour));
            }
            Tile::Of(Role::Thing) => forms.push((inset(0.1), colour)),
            Tile::Of(Role::Settled) => {
                forms.extend([(inset(0.1), colour), (disc(0.18), GOAL)]);
            }
            Tile::Of(Role::Goal) => forms.push((disc(0.24), colour)),
            Tile::Of(Role::Trap) => forms.push((inset(0.25), colour)),
            Tile::Of(Role::Player | Role::Walker | Role::Hunter | Role::Shooter) => {
                forms.push((disc(0.42), colour));
            }
        }
    }
}

/// The tiles of a board that are not plain floor, those that are joined as one rectangle a row.
pub fn patches(board: Window, roles: &[Role]) -> Vec<(Window, Tile)> {
    let outside = outside(board, roles);
    let mut patches: Vec<(Window, Tile)> = Vec::new();
    let cols = board.cols.max(1) as usize;
    for (place, &role) in roles.iter().enumerate() {
        let tile = if outside[place] { Tile::Outside } else { Tile::Of(role) };
        let (row, col) = (board.row + (place / cols) as i64, board.col + (place % cols) as i64);
        let goes_on = |last: &Window, known: Tile| {
            let is_next = last.row == row && last.col + i64::from(last.cols) == col;
            known == tile && is_next && tile.is_joined()
        };
        match patches.last_mut() {
            _ if tile == Tile::Of(Role::Floor) => {}
            Some((last, known)) if goes_on(last, *known) => last.cols += 1,
            _ => patches.push((Window { row, col, rows: 1, cols: 1 }, tile)),
        }
    }
    patches
}

/// Which cells are floor outside: no way leads there from anything that is on the board, and one leads to its edge.
/// Where something is at the edge, or open to it, nothing is outside.
fn outside(board: Window, roles: &[Role]) -> Vec<bool> {
    let (rows, cols) = (board.rows as usize, board.cols as usize);
    let mut reached = vec![false; roles.len()];
    let mut open: Vec<usize> = Vec::new();
    for (place, &role) in roles.iter().enumerate() {
        let (row, col) = (place / cols, place % cols);
        let is_edge = row == 0 || row + 1 == rows || col == 0 || col + 1 == cols;
        if is_edge && role == Role::Floor {
            reached[place] = true;
            open.push(place);
        }
    }
    while let Some(place) = open.pop() {
        let (row, col) = (place / cols, place % cols);
        for r in row.saturating_sub(1)..(row + 2).min(rows) {
            for c in col.saturating_sub(1)..(col + 2).min(cols) {
                let next = r * cols + c;
                match roles[next] {
                    Role::Wall => {}
                    // The board is open.
                    role if role != Role::Floor => return vec![false; roles.len()],
                    _ if r != row && c != col => {}
                    _ if !reached[next] => {
                        reached[next] = true;
                        open.push(next);
                    }
                    _ => {}
                }
            }
        }
    }
    reached
}

fn colour(role: Role) -> Colour {
    match role {
        Role::Floor => FLOOR,
        Role::Wall => WALL,
        Role::Player => [43, 108, 196],
        Role::Goal => GOAL,
        Role::Thing => [196, 140, 60],
        Role::Settled => [122, 150, 60],
        Role::Walker => [200, 120, 170],
        Role::Hunter => [150, 60, 150],
        Role::Shooter => [190, 60, 90],
        Role::Trap => [230, 170, 40],
        Role::Blast => [240, 110, 50],
        Role::Unknown => [205, 205, 200],
    }
}

/// All colours that pictures have.
pub fn palette() -> Vec<Colour> {
    let mut palette = vec![FLOOR, OUTSIDE, ROUTE, THROW];
    palette.extend(Role::ALL.into_iter().map(colour).filter(|&colour| colour != FLOOR));
    palette
}

#[cfg(test)]
mod tests {
    use super::*;

    fn roles(board: &str) -> (Window, Vec<Role>) {
        let role = |letter| match letter {
            '#' => Role::Wall,
            '@' => Role::Player,
            '$' => Role::Thing,
            _ => Role::Floor,
        };
        let rows: Vec<&str> = board.lines().collect();
        let (height, width) = (rows.len() as u32, rows[0].len() as u32);
        let roles = rows.iter().flat_map(|row| row.chars()).map(role).collect();
        (Window { row: 0, col: 0, rows: height, cols: width }, roles)
    }

    #[test]
    fn outside_is_floor_that_nothing_comes_to() {
        let (board, closed) = roles("  ####  \n###  ###\n#  $@  #\n### ### \n  ###   \n");
        let outside = outside(board, &closed);
        let counted = outside.iter().filter(|&&is_outside| is_outside).count();
        assert_eq!(counted, 10);
        assert!(!outside[2 * 8 + 1] && outside[0] && outside[3 * 8 + 7]);
        let (board, open) = roles("  ####  \n###  ###\n#  $@   \n### ### \n  ###   \n");
        assert!(super::outside(board, &open).iter().all(|&is_outside| !is_outside));
    }

    #[test]
    fn walls_are_joined_and_boxes_are_apart() {
        let (board, roles) = roles("####\n#$$#\n####\n");
        let patches = patches(board, &roles);
        let boxes = patches.iter().filter(|(_, tile)| *tile == Tile::Of(Role::Thing));
        assert_eq!((boxes.count(), patches.len()), (2, 6));
        assert!(palette().len() <= 16, "an animation has four bits for a colour");
    }
}
