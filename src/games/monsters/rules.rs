//! The reference rules: the statement, line by line, in its words; slow and obvious.
//!
//! [`Game`] is what a session shows. Plans are judged here and nowhere else; the fast state of the
//! search is written apart and compared with this one.

use super::format::{Key, Level, PlannedKey, Tile, is_border, picture};
use crate::board::{Cell, Direction, ORTHOGONAL, Shape, UNREACHED, distances};
use crate::diagnostic::Source;
use crate::games::plan::Refusal;

/// Up, left, down, right: the order in which seekers look and blobs prefer.
pub const LOOKS: [Direction; 4] =
    [Direction::North, Direction::West, Direction::South, Direction::East];

/// How a game stands at the beginning of a turn.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum Standing {
    /// It goes on.
    Playing,
    /// The hero is on the border.
    Won,
    /// The hero is not on the board.
    Lost,
}

/// What removed the hero.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub struct Blow {
    /// What came into his cell.
    pub by: Tile,
    /// Where the monster stood that did it.
    pub from: Cell,
    /// Where the hero stood.
    pub at: Cell,
}

/// The board at the beginning of a turn.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Game {
    shape: Shape,
    tiles: Vec<Tile>,
    turn: u64,
    blow: Option<Blow>,
}

impl Game {
    /// The start of a level.
    pub fn new(level: &Level) -> Self {
        Game { shape: level.shape, tiles: level.tiles.clone(), turn: 0, blow: None }
    }

    /// Rows and columns.
    pub fn shape(&self) -> Shape {
        self.shape
    }

    /// What stands where, row by row.
    pub fn tiles(&self) -> &[Tile] {
        &self.tiles
    }

    /// Turns done.
    pub fn turn(&self) -> u64 {
        self.turn
    }

    /// What removed the hero, where something did.
    pub fn blow(&self) -> Option<Blow> {
        self.blow
    }

    /// The hero's cell, where he is on the board.
    pub fn hero(&self) -> Option<Cell> {
        self.shape.iter().find(|&cell| self.tile(cell) == Tile::Hero)
    }

    /// What stands in a cell.
    pub fn tile(&self, cell: Cell) -> Tile {
        self.tiles[cell.index()]
    }

    /// How the game stands.
    pub fn standing(&self) -> Standing {
        match self.hero() {
            None => Standing::Lost,
            Some(cell) if is_border(self.shape, cell) => Standing::Won,
            Some(_) => Standing::Playing,
        }
    }

    /// What a session prints at the beginning of a turn.
    pub fn report(&self) -> String {
        let end = match self.standing() {
            Standing::Playing => "",
            Standing::Won => " - YOU WON",
            Standing::Lost => " - GAME OVER",
        };
        format!("{}TURN {}{end}\n", picture(self.shape, &self.tiles), self.turn)
    }

    /// Does one turn: the hero, the monsters, the cleaning. Nothing where the game is over.
    pub fn act(&mut self, key: Key) {
        if self.standing() != Standing::Playing {
            return;
        }
        self.turn += 1;
        self.move_hero(key);
        if self.standing() == Standing::Won {
            return;
        }
        self.move_monsters();
        self.clean();
    }

    /// The hero moves if the target is floor; otherwise he stays.
    fn move_hero(&mut self, key: Key) {
        let Some(hero) = self.hero() else { return };
        let target = key.direction().and_then(|direction| self.shape.step(hero, direction));
        if let Some(target) = target
            && self.tile(target) == Tile::Floor
        {
            self.tiles[hero.index()] = Tile::Floor;
            self.tiles[target.index()] = Tile::Hero;
        }
    }

    /// Every monster that stands where it stood when the phase began acts, in row-major order.
    fn move_monsters(&mut self) {
        let mut may_act = vec![true; self.tiles.len()];
        for cell in self.shape.iter() {
            if may_act[cell.index()] {
                self.monster_acts(cell, &mut may_act);
            }
        }
    }

    fn monster_acts(&mut self, cell: Cell, may_act: &mut [bool]) {
        match self.tile(cell) {
            Tile::Floor | Tile::Hero | Tile::Wall => {}
            Tile::Sentinel(ahead) => self.sentinel_acts(cell, ahead, may_act),
            Tile::Seeker => {
                if let Some(next) = self.toward_seen_hero(cell) {
                    self.tiles[cell.index()] = Tile::Floor;
                    self.put(next, Tile::Seeker, cell, may_act);
                }
            }
            Tile::Shooter => {
                if let Some(next) = self.toward_seen_hero(cell) {
                    self.put(next, Tile::Seeker, cell, may_act);
                }
            }
            Tile::RestingBlob => self.tiles[cell.index()] = Tile::ReadyBlob,
            Tile::ReadyBlob => {
                self.tiles[cell.index()] = Tile::RestingBlob;
                if let Some(next) = self.nearer_neighbour(cell) {
                    self.tiles[cell.index()] = Tile::Floor;
                    self.put(next, Tile::RestingBlob, cell, may_act);
                }
            }
            Tile::Mine => {
                let close = self.hero().is_some_and(|hero| self.shape.chebyshev(hero, cell) == 1);
                if close {
                    self.tiles[cell.index()] = Tile::LitMine;
                }
            }
            Tile::LitMine => {
                let shape = self.shape;
                for near in shape.iter().filter(|&near| shape.chebyshev(near, cell) <= 1) {
                    self.put(near, Tile::Explosion, cell, may_act);
                }
            }
            Tile::Explosion => self.tiles[cell.index()] = Tile::Floor,
        }
    }

    fn sentinel_acts(&mut self, cell: Cell, ahead: Direction, may_act: &mut [bool]) {
        let next = self.shape.step(cell, ahead);
        match next.filter(|&next| self.can_be_entered(next)) {
            Some(next) => {
                self.tiles[cell.index()] = Tile::Floor;
                self.put(next, Tile::Sentinel(ahead), cell, may_act);
            }
            None => {
                let facing = ORTHOGONAL.iter().position(|&d| d == ahead).unwrap_or(0);
                self.tiles[cell.index()] = Tile::Sentinel(ORTHOGONAL[(facing + 1) % 4]);
            }
        }
    }

    /// Puts something into a cell during the monsters' phase: it does not act any more in this
    /// phase, and the hero, if he stands there, is gone.
    fn put(&mut self, cell: Cell, tile: Tile, from: Cell, may_act: &mut [bool]) {
        if self.tile(cell) == Tile::Hero {
            self.blow = Some(Blow { by: tile, from, at: cell });
        }
        self.tiles[cell.index()] = tile;
        may_act[cell.index()] = false;
    }

    fn can_be_entered(&self, cell: Cell) -> bool {
        matches!(self.tile(cell), Tile::Floor | Tile::Hero)
    }

    /// The neighbour of `cell` toward the hero, if he is seen from there: along a row or a column
    /// with only floor between.
    pub fn toward_seen_hero(&self, cell: Cell) -> Option<Cell> {
        LOOKS.into_iter().find_map(|direction| {
            let mut seen = self.shape.step(cell, direction)?;
            while self.tile(seen) == Tile::Floor {
                seen = self.shape.step(seen, direction)?;
            }
            if self.tile(seen) == Tile::Hero { self.shape.step(cell, direction) } else { None }
        })
    }

    /// The neighbour from which the hero is nearest over floor off the border.
    fn nearer_neighbour(&self, cell: Cell) -> Option<Cell> {
        let hero = self.hero()?;
        let floor = |cell: Cell| self.tile(cell) == Tile::Floor && !is_border(self.shape, cell);
        let field = distances(self.shape, &[hero], &ORTHOGONAL, floor);
        let steps = LOOKS.into_iter().filter_map(|direction| self.shape.step(cell, direction));
        // The first of equal minima is the one that `min_by_key` returns.
        steps.filter(|next| field[next.index()] != UNREACHED).min_by_key(|next| field[next.index()])
    }

    /// On the border everything but floor, hero and walls becomes floor.
    fn clean(&mut self) {
        for cell in self.shape.iter().filter(|&cell| is_border(self.shape, cell)) {
            if !self.tile(cell).may_stand_on_border() {
                self.tiles[cell.index()] = Tile::Floor;
            }
        }
    }
}

/// Plays a plan to its end.
///
/// # Errors
/// The first key that is refused: one after the end of the game, the one that loses it, or the
/// missing one after a plan that does not win.
pub fn replay(level: &Level, plan: &[PlannedKey], source: &Source) -> Result<Game, Refusal> {
    let mut world = Game::new(level);
    for (index, planned) in plan.iter().enumerate() {
        let refuse = |world: &Game, reason: String| Refusal {
            step: index as u64 + 1,
            line: source.lines().nth(planned.line - 1).map(|l| (l.number, l.text.to_string())),
            reason,
            board: world.report(),
        };
        match world.standing() {
            Standing::Playing => {}
            Standing::Won => {
                let reason = format!("the game was won at turn {} already", world.turn());
                return Err(refuse(&world, reason));
            }
            Standing::Lost => return Err(refuse(&world, "there is no hero".into())),
        }
        let before = world.clone();
        world.act(planned.key);
        if world.standing() == Standing::Lost {
            return Err(refuse(&before, loss(&world)));
        }
    }
    if world.standing() == Standing::Won {
        return Ok(world);
    }
    Err(Refusal {
        step: plan.len() as u64 + 1,
        line: None,
        reason: match world.standing() {
            Standing::Lost => "the level has no hero".into(),
            _ => "the plan ends before the hero is on the border".into(),
        },
        board: world.report(),
    })
}

/// How the hero was lost, as a sentence without a full stop; cells are counted from 1.
pub fn loss(world: &Game) -> String {
    let place = |cell| (world.shape().row(cell) + 1, world.shape().col(cell) + 1);
    let Some(blow) = world.blow() else { return "there is no hero".into() };
    let ((row, col), (from_row, from_col)) = (place(blow.at), place(blow.from));
    let what = match blow.by {
        Tile::Explosion => "a mine explodes",
        Tile::Sentinel(_) => "a sentinel comes",
        Tile::Seeker => "a seeker comes",
        _ => "a blob comes",
    };
    format!(
        "{what} from row {from_row}, column {from_col} and removes the hero at row {row}, column {col}"
    )
}
