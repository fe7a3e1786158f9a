//! The fast state: bit planes, one word a row; undo; an incremental key; exact packed states.
//!
//! A [`Board`] is one board that turns are played and taken back on. Per class of tile it has a
//! plane of one `u128` a row, so that a turn touches only the monsters that can do something: of
//! the seekers and shooters those in the hero's row or column, of the mines those beside him. A
//! [`Packed`] is what a search stores: the hero, the monsters and the walls blown away, 16 bits
//! each, in row-major order; two boards are equal exactly if their packed states are.
//!
//! The blobs of one phase share a `Field` of distances to the hero: layers of a bit-parallel
//! breadth-first search, grown no further than the nearest blob needs. When a cell opens or closes
//! during the phase, the layers that do not depend on it stay.

use super::format::{Key, Level, MAX_ROWS, Tile};
use crate::board::{Cell, Direction, Shape, zobrist};
use crate::games::legend::Role;

/// Rows of a plane: the greatest board's.
const ROWS: usize = MAX_ROWS as usize;
/// Bits for the column in a [`Spot`].
const COL_BITS: u32 = 7;

/// One row of a plane, a bit a column.
type Row = u128;
/// A set of cells.
type Plane = [Row; ROWS];

/// A cell as `row << 7 | col`: neighbours without a division, and still in row-major order.
type Spot = u16;

const fn row_of(spot: Spot) -> usize {
    (spot >> COL_BITS) as usize
}

const fn col_of(spot: Spot) -> u32 {
    (spot & ((1 << COL_BITS) - 1)) as u32
}

const fn spot_at(row: usize, col: u32) -> Spot {
    (row << COL_BITS) as Spot | col as Spot
}

/// Differences of spots: up, right, down, left, as the sentinels turn.
const TURNING: [Spot; 4] = [(1 << COL_BITS) as Spot * 511, 1, 1 << COL_BITS, Spot::MAX];
/// Up, left, down, right, as the blobs prefer.
const PREFERENCE: [Spot; 4] = [TURNING[0], TURNING[3], TURNING[2], TURNING[1]];

/// Codes of tiles, 4 bits. Floor is 0: it has no Zobrist word.
mod code {
    pub const FLOOR: u8 = 0;
    pub const HERO: u8 = 1;
    pub const WALL: u8 = 2;
    /// The sentinel that faces up; those that face right, down and left follow.
    pub const SENTINEL: u8 = 3;
    pub const SEEKER: u8 = 7;
    pub const SHOOTER: u8 = 8;
    pub const RESTING: u8 = 9;
    pub const READY: u8 = 10;
    pub const MINE: u8 = 11;
    pub const LIT: u8 = 12;
    pub const EXPLOSION: u8 = 13;
    /// In packed states only: floor where the level has a wall.
    pub const HOLE: u8 = 14;
}

/// Planes by what the tiles in them do.
mod class {
    pub const FLOOR: usize = 0;
    pub const HERO: usize = 1;
    pub const WALL: usize = 2;
    /// Sentinels.
    pub const WALKER: usize = 3;
    /// Seekers and shooters.
    pub const LOOKER: usize = 4;
    pub const BLOB: usize = 5;
    pub const MINE: usize = 6;
    /// Lit mines and explosions: they change on their own.
    pub const BURNING: usize = 7;
    pub const COUNT: usize = 8;
}

/// What each code means to who asks which cells can ever be walked: 0 for what does not matter.
///
/// Walls and shooters stay until a mine destroys them; mines destroy.
const FABRIC: [u8; 14] = {
    let mut fabric = [0; 14];
    fabric[code::WALL as usize] = 1;
    fabric[code::SHOOTER as usize] = 1;
    fabric[code::MINE as usize] = 2;
    fabric[code::LIT as usize] = 2;
    fabric
};

/// The class of each code.
const CLASS: [usize; 14] = [
    class::FLOOR,
    class::HERO,
    class::WALL,
    class::WALKER,
    class::WALKER,
    class::WALKER,
    class::WALKER,
    class::LOOKER,
    class::LOOKER,
    class::BLOB,
    class::BLOB,
    class::MINE,
    class::BURNING,
    class::BURNING,
];

/// The role of each code, as observations have it.
const ROLES: [u8; 14] = [
    Role::Floor.code(),
    Role::Player.code(),
    Role::Wall.code(),
    Role::Walker.code(),
    Role::Walker.code(),
    Role::Walker.code(),
    Role::Walker.code(),
    Role::Hunter.code(),
    Role::Shooter.code(),
    Role::Hunter.code(),
    Role::Hunter.code(),
    Role::Trap.code(),
    Role::Trap.code(),
    Role::Blast.code(),
];

fn encode(tile: Tile) -> u8 {
    match tile {
        Tile::Floor => code::FLOOR,
        Tile::Hero => code::HERO,
        Tile::Wall => code::WALL,
        Tile::Sentinel(Direction::North) => code::SENTINEL,
        Tile::Sentinel(Direction::East) => code::SENTINEL + 1,
        Tile::Sentinel(Direction::South) => code::SENTINEL + 2,
        Tile::Sentinel(_) => code::SENTINEL + 3,
        Tile::Seeker => code::SEEKER,
        Tile::Shooter => code::SHOOTER,
        Tile::RestingBlob => code::RESTING,
        Tile::ReadyBlob => code::READY,
        Tile::Mine => code::MINE,
        Tile::LitMine => code::LIT,
        Tile::Explosion => code::EXPLOSION,
    }
}

fn decode(code: u8) -> Tile {
    match code {
        code::HERO => Tile::Hero,
        code::WALL => Tile::Wall,
        code::SEEKER => Tile::Seeker,
        code::SHOOTER => Tile::Shooter,
        code::RESTING => Tile::RestingBlob,
        code::READY => Tile::ReadyBlob,
        code::MINE => Tile::Mine,
        code::LIT => Tile::LitMine,
        code::EXPLOSION => Tile::Explosion,
        3 => Tile::Sentinel(Direction::North),
        4 => Tile::Sentinel(Direction::East),
        5 => Tile::Sentinel(Direction::South),
        6 => Tile::Sentinel(Direction::West),
        _ => Tile::Floor,
    }
}

/// How the game stands after a turn.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum After {
    /// It goes on.
    Playing,
    /// The hero is on the border.
    Won,
    /// The hero is gone.
    Lost,
}

/// What a search stores of a board: the exact state, and its key.
#[derive(Clone, Debug)]
pub struct Packed {
    key: u64,
    /// `spot << 4 | code` of all but floor and walls, and of walls that are gone; in order.
    things: Box<[u16]>,
}

impl PartialEq for Packed {
    fn eq(&self, other: &Self) -> bool {
        self.key == other.key && self.things == other.things
    }
}

impl Eq for Packed {}

impl Packed {
    /// The Zobrist key of the board.
    pub fn key(&self) -> u64 {
        self.key
    }

    /// Heap bytes.
    pub fn heap_bytes(&self) -> usize {
        self.things.len() * 2
    }

    /// Appends the words that [`Packed::from_words`] reads: the key, then four things a word.
    pub fn write_words(&self, words: &mut Vec<u64>) {
        words.extend([self.key, self.things.len() as u64]);
        let word = |four: &[u16]| {
            four.iter().rev().fold(0, |word, &thing| word << THING_BITS | u64::from(thing))
        };
        words.extend(self.things.chunks(THINGS_IN_A_WORD).map(word));
    }

    /// The state of these words, where they are as many as it takes.
    pub fn from_words(words: &[u64]) -> Option<Packed> {
        let [key, len, ref rest @ ..] = *words else { return None };
        let len = usize::try_from(len).ok()?;
        if rest.len() != len.div_ceil(THINGS_IN_A_WORD) {
            return None;
        }
        let thing = |at: usize| {
            (rest[at / THINGS_IN_A_WORD] >> (at % THINGS_IN_A_WORD * THING_BITS)) as u16
        };
        Some(Packed { key, things: (0..len).map(thing).collect() })
    }
}

/// Bits of a thing in a word of a packed state.
const THING_BITS: usize = 16;
/// Things in a word.
const THINGS_IN_A_WORD: usize = 4;

/// A change that can be taken back.
#[derive(Clone, Copy, Debug)]
struct Change {
    spot: Spot,
    was: u8,
}

/// Where a turn began in the log.
#[derive(Clone, Copy, Debug)]
struct Mark {
    changes: usize,
    hero: Option<Spot>,
}

/// One board, with turns played and taken back on it.
#[derive(Clone, Debug)]
pub struct Board {
    shape: Shape,
    /// The level's walls: what packed states are relative to.
    walls: Plane,
    /// Cells off the border.
    inner: Plane,
    planes: [Plane; class::COUNT],
    codes: Vec<u8>,
    hero: Option<Spot>,
    key: u64,
    /// Key of the walls, shooters and mines alone.
    fabric: u64,
    changes: Vec<Change>,
    marks: Vec<Mark>,
    field: Field,
}

impl Board {
    /// The start of a level.
    pub fn new(level: &Level) -> Self {
        let shape = level.shape;
        let (rows, cols) = (shape.rows as usize, shape.cols);
        let mut inner = [0; ROWS];
        for row in &mut inner[1..rows - 1] {
            *row = ((1 << (cols - 1)) - 1) & !1;
        }
        let mut board = Board {
            shape,
            walls: [0; ROWS],
            inner,
            planes: [[0; ROWS]; class::COUNT],
            codes: vec![code::FLOOR; rows << COL_BITS],
            hero: None,
            key: 0,
            fabric: 0,
            changes: Vec::new(),
            marks: Vec::new(),
            field: Field::default(),
        };
        for row in 0..rows {
            board.planes[class::FLOOR][row] = (1 << cols) - 1;
        }
        for cell in shape.iter() {
            let spot = spot_at(shape.row(cell) as usize, shape.col(cell) as u32);
            let code = encode(level.tiles[cell.index()]);
            board.write(spot, code);
            board.key ^= word(spot, code);
            if code == code::HERO {
                board.hero = Some(spot);
            }
        }
        board.walls = board.planes[class::WALL];
        board
    }

    /// Rows and columns.
    pub fn shape(&self) -> Shape {
        self.shape
    }

    /// The Zobrist key: the xor of a word for each cell that is not floor.
    pub fn key(&self) -> u64 {
        self.key
    }

    /// Key of what stays in the way until a mine explodes, and of the mines: while it is the same,
    /// so are the cells that can ever be walked.
    pub fn fabric_key(&self) -> u64 {
        self.fabric
    }

    /// The hero's cell.
    pub fn hero(&self) -> Option<Cell> {
        self.hero.map(|spot| self.shape.cell(row_of(spot) as u32, col_of(spot)))
    }

    /// How the game stands.
    pub fn standing(&self) -> After {
        match self.hero {
            None => After::Lost,
            Some(hero) if self.inner[row_of(hero)] >> col_of(hero) & 1 == 0 => After::Won,
            Some(_) => After::Playing,
        }
    }

    /// What stands in a cell.
    pub fn tile(&self, cell: Cell) -> Tile {
        let spot = spot_at(self.shape.row(cell) as usize, self.shape.col(cell) as u32);
        decode(self.codes[spot as usize])
    }

    /// What stands where, row by row.
    pub fn tiles(&self) -> Vec<Tile> {
        self.shape.iter().map(|cell| self.tile(cell)).collect()
    }

    /// Turns that can be taken back.
    pub fn depth(&self) -> usize {
        self.marks.len()
    }

    /// Whether a key moves the hero now: the cell he wants to go to is floor.
    pub fn moves_hero(&self, key: Key) -> bool {
        let target = self.hero.zip(step_of(key)).map(|(hero, step)| hero.wrapping_add(step));
        target.is_some_and(|target| self.codes[target as usize] == code::FLOOR)
    }

    /// Plays one turn, and says how the game stands then. The game must be going on.
    pub fn act(&mut self, key: Key) -> After {
        debug_assert_eq!(self.standing(), After::Playing);
        self.marks.push(Mark { changes: self.changes.len(), hero: self.hero });
        if let (Some(hero), Some(step)) = (self.hero, step_of(key))
            && self.moves_hero(key)
        {
            let target = hero.wrapping_add(step);
            self.set(hero, code::FLOOR);
            self.set(target, code::HERO);
            self.hero = Some(target);
            if self.inner[row_of(target)] >> col_of(target) & 1 == 0 {
                return After::Won;
            }
        }
        self.act_monsters();
        self.clean();
        self.standing()
    }

    /// Takes the last turn back; false where there is none.
    pub fn undo(&mut self) -> bool {
        let Some(mark) = self.marks.pop() else { return false };
        while self.changes.len() > mark.changes {
            let Change { spot, was } = self.changes[self.changes.len() - 1];
            self.changes.pop();
            self.key ^= word(spot, self.codes[spot as usize]) ^ word(spot, was);
            self.write(spot, was);
        }
        self.hero = mark.hero;
        true
    }

    /// Forgets how turns can be taken back.
    pub fn forget(&mut self) {
        self.changes.clear();
        self.marks.clear();
    }

    /// Writes the codes of the roles in a row, from a column on, as far as there is room.
    pub fn roles(&self, row: usize, col: u32, roles: &mut [u8]) {
        let tiles = &self.codes[spot_at(row, col) as usize..];
        roles.iter_mut().zip(tiles).for_each(|(role, &tile)| *role = ROLES[tile as usize]);
    }

    /// The exact state, to be stored.
    pub fn pack(&self) -> Packed {
        let mut things = Vec::with_capacity(64);
        let (floor, wall) = (&self.planes[class::FLOOR], &self.planes[class::WALL]);
        let full: Row = (1 << self.shape.cols) - 1;
        for row in 0..self.shape.rows as usize {
            let hole = floor[row] & self.walls[row];
            let mut rest = (full & !(floor[row] | wall[row])) | hole;
            while rest != 0 {
                let col = rest.trailing_zeros();
                rest &= rest - 1;
                let spot = spot_at(row, col);
                let code =
                    if hole >> col & 1 == 1 { code::HOLE } else { self.codes[spot as usize] };
                things.push(spot << 4 | u16::from(code));
            }
        }
        Packed { key: self.key, things: things.into_boxed_slice() }
    }

    /// Puts a packed state of the same level onto the board; there is nothing to take back then.
    pub fn load(&mut self, state: &Packed) {
        self.changes.clear();
        self.marks.clear();
        self.restore_level();
        self.hero = None;
        for &thing in &state.things {
            let spot = thing >> 4;
            let code = match (thing & 15) as u8 {
                code::HOLE => code::FLOOR,
                code => code,
            };
            self.write(spot, code);
            if code == code::HERO {
                self.hero = Some(spot);
            }
        }
        self.key = state.key;
    }

    /// Takes everything away but the level's own walls.
    fn restore_level(&mut self) {
        let full: Row = (1 << self.shape.cols) - 1;
        for row in 0..self.shape.rows as usize {
            let floor = full & !self.walls[row];
            let mut rest = full
                & !((self.planes[class::FLOOR][row] & floor)
                    | (self.planes[class::WALL][row] & self.walls[row]));
            while rest != 0 {
                let col = rest.trailing_zeros();
                rest &= rest - 1;
                let wall = self.walls[row] >> col & 1 == 1;
                self.write(spot_at(row, col), if wall { code::WALL } else { code::FLOOR });
            }
        }
    }

    /// Changes a cell, and nothing beside it.
    #[inline]
    fn write(&mut self, spot: Spot, code: u8) {
        let was = std::mem::replace(&mut self.codes[spot as usize], code);
        let (row, bit) = (row_of(spot), 1 << col_of(spot));
        self.planes[CLASS[was as usize]][row] &= !bit;
        self.planes[CLASS[code as usize]][row] |= bit;
        let (before, after) = (FABRIC[was as usize], FABRIC[code as usize]);
        if before != after {
            self.fabric ^= fabric_word(spot, before) ^ fabric_word(spot, after);
        }
    }

    /// Changes a cell, with the key and the log.
    #[inline]
    fn set(&mut self, spot: Spot, code: u8) {
        let was = self.codes[spot as usize];
        self.changes.push(Change { spot, was });
        self.key ^= word(spot, was) ^ word(spot, code);
        self.write(spot, code);
    }

    fn act_monsters(&mut self) {
        self.field.forget();
        let mut done = [0; ROWS];
        for row in 1..self.shape.rows as usize - 1 {
            let mut waiting = self.actors(row) & !done[row];
            while waiting != 0 {
                let col = waiting.trailing_zeros();
                waiting &= waiting - 1;
                self.act_monster(spot_at(row, col), &mut done);
                waiting &= !done[row];
            }
        }
    }

    /// Who can do something in a row: all that move on their own, and those who notice the hero.
    #[inline]
    fn actors(&self, row: usize) -> Row {
        let planes = &self.planes;
        let always = planes[class::WALKER][row] | planes[class::BLOB][row];
        let mut actors = always | planes[class::BURNING][row];
        if let Some(hero) = self.hero {
            let bit: Row = 1 << col_of(hero);
            let across = if row == row_of(hero) { Row::MAX } else { bit };
            actors |= planes[class::LOOKER][row] & across;
            if row.abs_diff(row_of(hero)) <= 1 {
                actors |= planes[class::MINE][row] & (bit | bit << 1 | bit >> 1);
            }
        }
        actors
    }

    fn act_monster(&mut self, spot: Spot, done: &mut Plane) {
        let code = self.codes[spot as usize];
        match code {
            code::SEEKER | code::SHOOTER => {
                if let Some(next) = self.toward_hero(spot) {
                    if code == code::SEEKER {
                        self.change(spot, code::FLOOR);
                    }
                    self.enter(next, code::SEEKER, done);
                }
            }
            code::RESTING => self.set(spot, code::READY),
            code::READY => self.blob_moves(spot, done),
            // Row and column are near already; the hero may be gone since.
            code::MINE if self.hero.is_some() => self.set(spot, code::LIT),
            code::LIT => {
                for row in [spot.wrapping_add(TURNING[0]), spot, spot + TURNING[2]] {
                    for near in [row - 1, row, row + 1] {
                        self.enter(near, code::EXPLOSION, done);
                    }
                }
            }
            code::EXPLOSION => self.change(spot, code::FLOOR),
            code::SENTINEL..code::SEEKER => {
                let facing = code - code::SENTINEL;
                let next = spot.wrapping_add(TURNING[facing as usize]);
                if self.codes[next as usize] <= code::HERO {
                    self.change(spot, code::FLOOR);
                    self.enter(next, code, done);
                } else {
                    self.set(spot, code::SENTINEL + (facing + 1) % 4);
                }
            }
            _ => {}
        }
    }

    /// Changes a cell during the phase: the blobs' field learns of floor that comes or goes.
    #[inline]
    fn change(&mut self, spot: Spot, code: u8) {
        let was_floor = self.codes[spot as usize] == code::FLOOR;
        self.set(spot, code);
        if self.field.valid > 0 && holds(&self.inner, spot) {
            match (was_floor, code == code::FLOOR) {
                (true, false) => self.field.closed(spot),
                (false, true) => self.field.opened(spot, &self.planes[class::FLOOR], &self.inner),
                _ => {}
            }
        }
    }

    /// Puts something into a cell during the phase; whoever stood there is gone.
    fn enter(&mut self, spot: Spot, code: u8, done: &mut Plane) {
        if self.codes[spot as usize] == code::HERO {
            self.hero = None;
        }
        done[row_of(spot)] |= 1 << col_of(spot);
        self.change(spot, code);
    }

    /// The neighbour toward the hero, if there is only floor between.
    #[inline]
    fn toward_hero(&self, spot: Spot) -> Option<Spot> {
        let hero = self.hero?;
        let floor = &self.planes[class::FLOOR];
        let (row, col) = (row_of(spot), col_of(spot));
        let (hero_row, hero_col) = (row_of(hero), col_of(hero));
        if row == hero_row {
            let (low, high) = (col.min(hero_col), col.max(hero_col));
            let between: Row = ((1 << high) - 1) & !((1 << (low + 1)) - 1);
            let clear = between & !floor[row] == 0;
            clear.then(|| if hero_col < col { spot - 1 } else { spot + 1 })
        } else if col == hero_col {
            let between = row.min(hero_row) + 1..row.max(hero_row);
            let clear = floor[between].iter().all(|row| row >> col & 1 == 1);
            let step = if hero_row < row { TURNING[0] } else { TURNING[2] };
            clear.then(|| spot.wrapping_add(step))
        } else {
            None
        }
    }

    fn blob_moves(&mut self, spot: Spot, done: &mut Plane) {
        let next = self.hero.and_then(|hero| {
            self.field.nearest(hero, spot, &self.planes[class::FLOOR], &self.inner)
        });
        match next {
            Some(next) => {
                self.change(spot, code::FLOOR);
                self.enter(next, code::RESTING, done);
            }
            None => self.set(spot, code::RESTING),
        }
    }

    /// On the border only floor, hero and walls stay.
    fn clean(&mut self) {
        let planes = &self.planes;
        let kept = |row: usize| {
            planes[class::FLOOR][row] | planes[class::HERO][row] | planes[class::WALL][row]
        };
        let full: Row = (1 << self.shape.cols) - 1;
        let mut dirty = [0; ROWS];
        for (row, dirt) in dirty[..self.shape.rows as usize].iter_mut().enumerate() {
            *dirt = full & !self.inner[row] & !kept(row);
        }
        for (row, &dirt) in dirty.iter().enumerate() {
            let mut dirt = dirt;
            while dirt != 0 {
                self.set(spot_at(row, dirt.trailing_zeros()), code::FLOOR);
                dirt &= dirt - 1;
            }
        }
    }
}

/// Whether a cell is in a plane.
#[inline]
fn holds(plane: &Plane, spot: Spot) -> bool {
    plane[row_of(spot)] >> col_of(spot) & 1 == 1
}

/// The cells beside a cell off the border, in the blobs' order of preference.
#[inline]
fn neighbours(spot: Spot) -> [Spot; 4] {
    PREFERENCE.map(|step| spot.wrapping_add(step))
}

/// The hero's step for a key.
#[inline]
fn step_of(key: Key) -> Option<Spot> {
    match key {
        Key::Up => Some(TURNING[0]),
        Key::Right => Some(TURNING[1]),
        Key::Down => Some(TURNING[2]),
        Key::Left => Some(TURNING[3]),
        Key::Wait => None,
    }
}

/// The Zobrist word of a tile in a cell; floor has none.
#[inline]
fn word(spot: Spot, code: u8) -> u64 {
    if code == code::FLOOR { 0 } else { zobrist(u32::from(code), u64::from(spot)) }
}

/// The Zobrist word of a cell in the fabric.
fn fabric_word(spot: Spot, meaning: u8) -> u64 {
    if meaning == 0 { 0 } else { zobrist(32 + u32::from(meaning), u64::from(spot)) }
}

/// Distances to the hero over floor off the border, as growing sets: layer `d` holds the cells that
/// are at most `d` steps away.
///
/// A cell that opens or closes matters only to the layers past its own distance: those are dropped
/// and grown again when a blob asks for them. So most blobs of a phase find what they need there.
#[derive(Clone, Debug, Default)]
struct Field {
    layers: Vec<Plane>,
    /// How many layers hold.
    valid: usize,
    /// Whether the last layer that holds cannot grow.
    complete: bool,
}

impl Field {
    /// A new phase: the hero has moved.
    fn forget(&mut self) {
        self.valid = 0;
        self.complete = false;
    }

    /// A floor cell off the border closes.
    ///
    /// It leaves the layers from its own distance on. Where each of the cells one step farther has
    /// another way, nothing else changes; otherwise only the layers before it hold.
    fn closed(&mut self, spot: Spot) {
        let own = self.layers[..self.valid].partition_point(|layer| !holds(layer, spot));
        if own == self.valid {
            return;
        }
        let beyond = self.layers[..self.valid].get(own + 1);
        let cuts_off = own == 0
            || beyond.is_some_and(|beyond| {
                let layer = &self.layers[own];
                let mut farther = neighbours(spot)
                    .into_iter()
                    .filter(|&next| holds(beyond, next) && !holds(layer, next));
                farther.any(|next| {
                    !neighbours(next).into_iter().any(|way| way != spot && holds(layer, way))
                })
            });
        if cuts_off {
            self.keep(own);
        } else {
            for layer in &mut self.layers[own..self.valid] {
                layer[row_of(spot)] &= !(1 << col_of(spot));
            }
        }
    }

    /// A cell off the border becomes floor.
    ///
    /// It joins the layers after the first that holds a neighbour. Where no floor beside it comes
    /// nearer by that, nothing else changes; otherwise only the layers up to that first one hold.
    fn opened(&mut self, spot: Spot, floor: &Plane, inner: &Plane) {
        let near = |layer: &Plane| neighbours(spot).into_iter().any(|next| holds(layer, next));
        let first = self.layers[..self.valid].partition_point(|layer| !near(layer));
        if first == self.valid {
            return;
        }
        let own = first + 1;
        let far = self.layers[..self.valid].get(own + 1).or(self.layers[..self.valid].last());
        let comes_nearer = far.is_some_and(|far| {
            let is_way = |next: &Spot| holds(floor, *next) && holds(inner, *next);
            neighbours(spot).into_iter().filter(is_way).any(|next| !holds(far, next))
        });
        if comes_nearer || own >= self.valid {
            self.keep(own);
        } else {
            for layer in &mut self.layers[own..self.valid] {
                layer[row_of(spot)] |= 1 << col_of(spot);
            }
        }
    }

    /// Keeps the first layers only.
    fn keep(&mut self, layers: usize) {
        self.valid = self.valid.min(layers);
        self.complete = false;
    }

    /// The neighbour of `spot` that is nearest to the hero; the first in the blobs' preference.
    fn nearest(&mut self, hero: Spot, spot: Spot, floor: &Plane, inner: &Plane) -> Option<Spot> {
        if self.valid == 0 {
            let mut layer = [0; ROWS];
            layer[row_of(hero)] = 1 << col_of(hero);
            self.store(layer);
        }
        let neighbours = neighbours(spot);
        loop {
            let layers = &self.layers[..self.valid];
            if neighbours.iter().any(|&n| holds(&layers[layers.len() - 1], n)) {
                let first =
                    layers.partition_point(|layer| !neighbours.iter().any(|&n| holds(layer, n)));
                return neighbours.into_iter().find(|&n| holds(&layers[first], n));
            }
            if self.complete {
                return None;
            }
            self.grow(floor, inner);
        }
    }

    fn store(&mut self, layer: Plane) {
        self.layers.truncate(self.valid);
        self.layers.push(layer);
        self.valid += 1;
    }

    /// Adds a layer, or finds that there is none to add.
    fn grow(&mut self, floor: &Plane, inner: &Plane) {
        let last = self.layers[self.valid - 1];
        let mut next = last;
        for row in 1..ROWS - 1 {
            let spread = last[row] << 1 | last[row] >> 1 | last[row - 1] | last[row + 1];
            next[row] |= spread & floor[row] & inner[row];
        }
        if next == last {
            self.complete = true;
        } else {
            self.store(next);
        }
    }
}
