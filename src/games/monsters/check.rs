//! Monsters as a checker of proofs sees it, over the reference rules: see [`crate::check`].

use super::format::{Key, Level, Tile, is_border};
use super::rules::{Game, Standing};
use crate::board::{Cell, ORTHOGONAL, Shape, UNREACHED, distances};
use crate::certificate::{Expander, Rulebook, Start, Step};

impl Rulebook for &Level {
    fn start(&self) -> Start {
        let game = Game::new(self);
        match game.standing() {
            Standing::Won => Start::Goal,
            Standing::Lost => Start::Lost,
            Standing::Playing => Start::State(bytes(game.tiles()).collect()),
        }
    }

    fn expander(&self) -> Box<dyn Expander + '_> {
        let game = Game::new(self);
        let way_out = WayOut::default();
        Box::new(Turns { next: 0, after: game.clone(), game, bytes: Vec::new(), way_out })
    }

    fn cells(&self, state: &[u8]) -> Vec<(i64, i64)> {
        let is_hero = |&letter: &u8| Tile::from_letter(char::from(letter)) == Some(Tile::Hero);
        let hero = state.iter().position(is_hero);
        hero.map(|at| self.shape.coordinates(Cell(at as u32))).into_iter().collect()
    }
}

/// The letters of tiles: a state is what stands where.
fn bytes(tiles: &[Tile]) -> impl Iterator<Item = u8> {
    tiles.iter().map(|tile| tile.letter() as u8)
}

struct Turns {
    next: usize,
    game: Game,
    /// The game after the turn that was given last; at first the game.
    after: Game,
    bytes: Vec<u8>,
    way_out: WayOut,
}

impl Expander for Turns {
    fn go_to(&mut self, state: &[u8], _left: u64) {
        let tile = |&letter: &u8| Tile::from_letter(char::from(letter)).unwrap_or(Tile::Floor);
        let tiles = state.iter().map(tile).collect();
        self.game = Game::new(&Level { shape: self.game.shape(), tiles });
        self.after.clone_from(&self.game);
        self.next = 0;
    }

    fn next(&mut self) -> Option<Step<'_>> {
        while let Some(&key) = Key::ALL.get(self.next) {
            self.next += 1;
            self.after.clone_from(&self.game);
            self.after.act(key);
            match self.after.standing() {
                Standing::Lost => {}
                Standing::Won => return Some(Step::Goal { cost: 1 }),
                Standing::Playing => {
                    self.bytes.clear();
                    self.bytes.extend(bytes(self.after.tiles()));
                    return Some(Step::State { cost: 1, to: &self.bytes });
                }
            }
        }
        None
    }

    fn costs_at_least(&mut self, left: u64) -> bool {
        let steps = self.way_out.steps(&self.after);
        steps == UNREACHED || u64::from(steps) >= left
    }
}

/// The hero's way out over cells that are, or can become, floor: not over walls and shooters that no mine can
/// reach. Whatever the monsters do, he walks over no others.
#[derive(Default)]
struct WayOut {
    /// The cells that the last field was made for, and the field.
    may_be_floor: Vec<bool>,
    field: Vec<u32>,
}

impl WayOut {
    /// Steps to the border at least; [`UNREACHED`] where there is no way.
    fn steps(&mut self, game: &Game) -> u32 {
        let Some(hero) = game.hero() else { return UNREACHED };
        let (shape, may_be_floor) = (game.shape(), may_be_floor(game));
        if may_be_floor != self.may_be_floor {
            let is_out = |&cell: &Cell| is_border(shape, cell) && may_be_floor[cell.index()];
            let outs: Vec<Cell> = shape.iter().filter(is_out).collect();
            self.field = distances(shape, &outs, &ORTHOGONAL, |cell| may_be_floor[cell.index()]);
            self.may_be_floor = may_be_floor;
        }
        self.field[hero.index()]
    }
}

fn may_be_floor(game: &Game) -> Vec<bool> {
    let is_fixed = |tile: &Tile| matches!(tile, Tile::Wall | Tile::Shooter);
    let mut may: Vec<bool> = game.tiles().iter().map(|tile| !is_fixed(tile)).collect();
    let shape = game.shape();
    let is_mine = |&cell: &Cell| matches!(game.tile(cell), Tile::Mine | Tile::LitMine);
    for mine in shape.iter().filter(is_mine) {
        around(shape, mine).for_each(|cell| may[cell.index()] = true);
    }
    may
}

/// A cell and its neighbours.
fn around(shape: Shape, cell: Cell) -> impl Iterator<Item = Cell> {
    let (row, col) = (shape.row(cell), shape.col(cell));
    (row - 1..=row + 1).flat_map(move |r| (col - 1..=col + 1).filter_map(move |c| shape.at(r, c)))
}
