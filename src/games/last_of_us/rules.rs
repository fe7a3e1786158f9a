//! The reference simulator: the statement of *The Last of Us*, line by line.
//!
//! Slow and obvious on purpose. It keeps a plain list of clickers, looks through all of them every
//! turn and finds each one's way by a plain breadth-first search from the sound that it traces.
//! Every action it refuses, it refuses with a reason. Plans are proven by this file and by no other;
//! the planner's simulator is written apart from it, and a property test holds the two together.
//!
//! The statement leaves two things open. They are switches here, see [`Readings`].

use super::format::{Action, HEARING_RANGE, Map, THROW_RANGE, THROW_SIDE};
use crate::board::{BitBoard, Cell, Direction};
use std::collections::VecDeque;
use std::fmt;

/// How the statement is read where it leaves room. The default is neither switch.
#[derive(Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash, Debug, Default)]
pub struct Readings {
    /// `w 0 0` makes no sound. By default it makes one in Ellie's cell.
    pub still_is_silent: bool,
    /// Clickers act in the order of their cells at the very start. By default they are sorted
    /// again each turn.
    pub fixed_order: bool,
}

impl Readings {
    /// All four, the default first.
    pub const ALL: [Readings; 4] = [
        Readings { still_is_silent: false, fixed_order: false },
        Readings { still_is_silent: true, fixed_order: false },
        Readings { still_is_silent: false, fixed_order: true },
        Readings { still_is_silent: true, fixed_order: true },
    ];

    /// The name in reports: `default`, or the switches as the command line calls them.
    pub fn name(self) -> &'static str {
        match (self.still_is_silent, self.fixed_order) {
            (false, false) => "default",
            (true, false) => "still-is-silent",
            (false, true) => "fixed-order",
            (true, true) => "still-is-silent+fixed-order",
        }
    }
}

/// A clicker.
#[derive(Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash, Debug)]
pub struct Clicker {
    /// Where it stands.
    pub cell: Cell,
    /// The cell of the sound it traces: the last one it heard, until it gets there.
    pub traces: Option<Cell>,
}

/// How a game stands.
#[derive(Clone, Copy, PartialEq, Eq, Hash, Debug)]
pub enum Outcome {
    /// It goes on.
    Playing,
    /// Ellie is at the exit.
    Won,
    /// Ellie was killed by the clicker on this cell.
    Dead(Cell),
}

/// What an action led to.
#[derive(Clone, Copy, PartialEq, Eq, Hash, Debug)]
pub enum Event {
    /// The clickers have acted and Ellie lives.
    Survived,
    /// Ellie has walked onto the exit.
    Won,
    /// The clicker on this cell has killed Ellie.
    Killed(Cell),
}

/// Why an action is refused. Cells are shown as row and column, counted from 1.
#[derive(Clone, Copy, PartialEq, Eq, Hash, Debug)]
pub enum Refused {
    /// Ellie has left: nothing may follow the step onto the exit.
    AlreadyWon,
    /// Ellie is dead.
    AlreadyDead,
    /// A walk off the board.
    WalkOffBoard,
    /// A walk onto a blocked cell: row, column.
    WalkBlocked(i32, i32),
    /// A walk onto a clicker: row, column.
    WalkOntoClicker(i32, i32),
    /// A throw without a brick.
    NoBricks,
    /// A throw over a greater distance than a brick flies.
    ThrowTooFar(u32),
    /// A throw off the board.
    ThrowOffBoard,
    /// A throw onto a blocked cell: row, column.
    ThrowBlocked(i32, i32),
    /// A throw onto a clicker: row, column.
    ThrowOntoClicker(i32, i32),
    /// A throw onto the exit, which is not an empty cell.
    ThrowOntoExit,
}

impl fmt::Display for Refused {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match *self {
            Refused::AlreadyWon => f.write_str("Ellie is at the exit: no action may follow"),
            Refused::AlreadyDead => f.write_str("Ellie is dead: no action may follow"),
            Refused::WalkOffBoard => f.write_str("the walk leads off the board"),
            Refused::WalkBlocked(row, col) => {
                write!(f, "the walk leads to a blocked cell: row {row}, column {col}")
            }
            Refused::WalkOntoClicker(row, col) => {
                write!(f, "the walk leads onto a clicker: row {row}, column {col}")
            }
            Refused::NoBricks => f.write_str("no bricks are left"),
            Refused::ThrowTooFar(distance) => {
                write!(f, "the throw is {distance} long: a brick flies {THROW_RANGE} at most")
            }
            Refused::ThrowOffBoard => f.write_str("the throw leads off the board"),
            Refused::ThrowBlocked(row, col) => {
                write!(f, "the throw leads to a blocked cell: row {row}, column {col}")
            }
            Refused::ThrowOntoClicker(row, col) => {
                write!(f, "the throw leads onto a clicker: row {row}, column {col}")
            }
            Refused::ThrowOntoExit => f.write_str("the throw leads onto the exit"),
        }
    }
}

/// A game under the reference rules.
///
/// ```
/// use outwit::diagnostic::Source;
/// use outwit::games::last_of_us::format::{Action, read_map};
/// use outwit::games::last_of_us::rules::{Event, Game, Readings, Refused};
///
/// let text = format!("tiny\n10 10 0\nEX........\n{}", "..........\n".repeat(9));
/// let map = read_map(&Source::new("tiny.txt", text)).unwrap();
/// let mut game = Game::new(&map, Readings::default());
/// let east = Action::Walk(Some(outwit::board::Direction::East));
/// assert_eq!(game.act(Action::Throw { drow: 1, dcol: 0 }), Err(Refused::NoBricks));
/// assert_eq!(game.act(east), Ok(Event::Won));
/// assert_eq!(game.act(east), Err(Refused::AlreadyWon));
/// ```
#[derive(Clone, Debug)]
pub struct Game {
    map: Map,
    readings: Readings,
    ellie: Cell,
    bricks: u32,
    clickers: Vec<Clicker>,
    /// The cells that the clickers stand on: looking through all of them for each cell that one may
    /// step to took a fifth of a second for a plan through a crowd.
    occupied: BitBoard,
    outcome: Outcome,
    turn: u64,
    searches: Searches,
}

/// Searches that are kept at most.
const MOST_SEARCHES: usize = 64;
/// Cells of the tables of all searches that are kept, at most; but one search always is.
const MOST_SEARCHED: usize = 1 << 21;

impl Game {
    /// The start of an area.
    pub fn new(map: &Map, readings: Readings) -> Self {
        let clicker = |&cell| Clicker { cell, traces: None };
        let mut occupied = BitBoard::new(map.shape.cells());
        map.clickers.iter().for_each(|&cell| occupied.insert(cell));
        Game {
            readings,
            ellie: map.ellie,
            bricks: map.bricks,
            clickers: map.clickers.iter().map(clicker).collect(),
            occupied,
            outcome: Outcome::Playing,
            turn: 0,
            searches: Searches::default(),
            map: map.clone(),
        }
    }

    /// Sets the game to a state in which it goes on: for checking proofs. Turns are not counted.
    pub fn set(&mut self, ellie: Cell, bricks: u32, clickers: impl Iterator<Item = Clicker>) {
        self.clickers.iter().for_each(|clicker| self.occupied.remove(clicker.cell));
        self.clickers.clear();
        self.clickers.extend(clickers);
        self.clickers.iter().for_each(|clicker| self.occupied.insert(clicker.cell));
        (self.ellie, self.bricks, self.outcome) = (ellie, bricks, Outcome::Playing);
    }

    /// One turn: Ellie's action, then the clickers'.
    ///
    /// # Errors
    /// Why the action is invalid; nothing has changed then.
    pub fn act(&mut self, action: Action) -> Result<Event, Refused> {
        match self.outcome {
            Outcome::Playing => {}
            Outcome::Won => return Err(Refused::AlreadyWon),
            Outcome::Dead(_) => return Err(Refused::AlreadyDead),
        }
        let sound = match action {
            Action::Walk(direction) => {
                let cell = self.walk_target(direction)?;
                self.ellie = cell;
                (direction.is_some() || !self.readings.still_is_silent).then_some(cell)
            }
            Action::Throw { drow, dcol } => {
                let cell = self.throw_target(drow.into(), dcol.into())?;
                self.bricks -= 1;
                Some(cell)
            }
        };
        self.turn += 1;
        if self.ellie == self.map.exit {
            self.outcome = Outcome::Won;
            return Ok(Event::Won);
        }
        if let Some(cell) = sound {
            self.hear(cell);
        }
        Ok(self.clickers_turn())
    }

    /// "Walk to an adjacent cell x. x must be an empty cell or the exit", or her own.
    fn walk_target(&self, direction: Option<Direction>) -> Result<Cell, Refused> {
        let Some(direction) = direction else { return Ok(self.ellie) };
        let cell = self.map.shape.step(self.ellie, direction).ok_or(Refused::WalkOffBoard)?;
        let (row, col) = self.counted_from_one(cell);
        if self.map.is_blocked(cell) {
            Err(Refused::WalkBlocked(row, col))
        } else if self.has_clicker(cell) {
            Err(Refused::WalkOntoClicker(row, col))
        } else {
            Ok(cell)
        }
    }

    /// "Throw a brick she carries to an empty cell x in her surroundings."
    fn throw_target(&self, drow: i32, dcol: i32) -> Result<Cell, Refused> {
        if self.bricks == 0 {
            return Err(Refused::NoBricks);
        }
        let distance = drow.unsigned_abs().max(dcol.unsigned_abs());
        if distance > THROW_RANGE as u32 {
            return Err(Refused::ThrowTooFar(distance));
        }
        let shape = self.map.shape;
        let (row, col) = (shape.row(self.ellie) + drow, shape.col(self.ellie) + dcol);
        let cell = shape.at(row, col).ok_or(Refused::ThrowOffBoard)?;
        if self.map.is_blocked(cell) {
            Err(Refused::ThrowBlocked(row + 1, col + 1))
        } else if cell == self.map.exit {
            Err(Refused::ThrowOntoExit)
        } else if self.has_clicker(cell) {
            Err(Refused::ThrowOntoClicker(row + 1, col + 1))
        } else {
            Ok(cell)
        }
    }

    /// "The vicinity of a clicker consists of all the cells that have a distance no larger than 2."
    /// "If a clicker heard multiple sounds, it will always trace the last sound."
    fn hear(&mut self, sound: Cell) {
        for clicker in &mut self.clickers {
            if self.map.shape.chebyshev(clicker.cell, sound) <= HEARING_RANGE as u32 {
                clicker.traces = Some(sound);
            }
        }
    }

    /// "Clickers move one after another. The topmost and then leftmost clicker moves first."
    fn clickers_turn(&mut self) -> Event {
        if !self.readings.fixed_order {
            self.clickers.sort_by_key(|clicker| clicker.cell);
        }
        for i in 0..self.clickers.len() {
            let clicker = self.clickers[i];
            if self.map.shape.chebyshev(clicker.cell, self.ellie) == 1 {
                self.outcome = Outcome::Dead(clicker.cell);
                return Event::Killed(clicker.cell);
            }
            let Some(sound) = clicker.traces else { continue };
            if let Some(step) = self.step_towards(clicker.cell, sound) {
                self.occupied.remove(clicker.cell);
                self.occupied.insert(step);
                self.clickers[i].cell = step;
                if step == sound {
                    self.clickers[i].traces = None;
                }
            }
        }
        Event::Survived
    }

    /// "It will walk to an adjacent cell on any shortest path to the cell x that produced the
    /// sound": not an occupied one; of these the one with the smallest absolute offset to x; of
    /// these the first in clockwise order from the top.
    fn step_towards(&mut self, from: Cell, sound: Cell) -> Option<Cell> {
        let Game { map, searches, occupied, .. } = self;
        let search = searches.from(map, sound);
        let distance = search.distance(map, from)?;
        Direction::ALL
            .into_iter()
            .filter_map(|direction| map.shape.step(from, direction))
            .filter(|&cell| search.found(cell).is_some_and(|d| d + 1 == distance))
            .filter(|&cell| !occupied.contains(cell))
            .min_by_key(|&cell| map.shape.manhattan(cell, sound))
    }

    fn has_clicker(&self, cell: Cell) -> bool {
        self.occupied.contains(cell)
    }

    /// Row and column of a cell, counted from 1.
    fn counted_from_one(&self, cell: Cell) -> (i32, i32) {
        (self.map.shape.row(cell) + 1, self.map.shape.col(cell) + 1)
    }

    /// The area that is played.
    pub fn map(&self) -> &Map {
        &self.map
    }

    /// Where Ellie is.
    pub fn ellie(&self) -> Cell {
        self.ellie
    }

    /// The remaining bricks.
    pub fn bricks(&self) -> u32 {
        self.bricks
    }

    /// Actions done.
    pub fn turn(&self) -> u64 {
        self.turn
    }

    /// How the game stands.
    pub fn outcome(&self) -> Outcome {
        self.outcome
    }

    /// The clickers, in no order that matters. After Ellie's death some of them have moved in that
    /// turn and others have not.
    pub fn clickers(&self) -> &[Clicker] {
        &self.clickers
    }

    /// Whether the cell is empty: walkable, no clicker, not the exit.
    pub fn is_empty(&self, cell: Cell) -> bool {
        self.map.clickers_may_enter(cell) && !self.has_clicker(cell)
    }

    /// Rows of the board, in the letters of the format: `rows` of them from `row` on, `cols`
    /// characters from column `col` on, cut to the board.
    pub fn picture(&self, row: i32, col: i32, rows: i32, cols: i32) -> Vec<String> {
        let shape = self.map.shape;
        let rows = row.max(0)..row.saturating_add(rows).min(shape.rows as i32);
        let cols = col.max(0)..col.saturating_add(cols).min(shape.cols as i32);
        let mut picture = Vec::new();
        for r in rows.clone() {
            let line: Vec<u8> = cols
                .clone()
                .map(|c| match shape.cell(r as u32, c as u32) {
                    cell if cell == self.ellie => b'E',
                    cell if cell == self.map.exit => b'X',
                    cell if self.map.is_blocked(cell) => b'#',
                    _ => b'.',
                })
                .collect();
            picture.push(line);
        }
        for clicker in &self.clickers {
            let (r, c) = (shape.row(clicker.cell), shape.col(clicker.cell));
            if rows.contains(&r) && cols.contains(&c) {
                picture[(r - rows.start) as usize][(c - cols.start) as usize] = b'C';
            }
        }
        picture.into_iter().map(|line| String::from_utf8(line).unwrap_or_default()).collect()
    }

    /// The board around Ellie, out to where she can throw, one line a row.
    pub fn around_ellie(&self) -> String {
        let (row, col) = (self.map.shape.row(self.ellie), self.map.shape.col(self.ellie));
        self.picture(row - THROW_RANGE, col - THROW_RANGE, THROW_SIDE, THROW_SIDE).join("\n")
    }
}

/// Says which clicker has killed Ellie; row and column count from 1.
pub fn killed_by(map: &Map, cell: Cell) -> String {
    let (row, col) = (map.shape.row(cell) + 1, map.shape.col(cell) + 1);
    format!("the clicker at row {row}, column {col} kills Ellie")
}

/// The searches used last, the latest one last. Clickers trace the same sounds for many turns, and
/// a new search from each of them every turn took a quarter of a second for a plan through a maze.
#[derive(Debug, Default)]
struct Searches(Vec<Search>);

/// A copy of a game begins without searches.
impl Clone for Searches {
    fn clone(&self) -> Self {
        Searches::default()
    }
}

impl Searches {
    /// The search from a sound: one that is kept, or a new one in place of the one that has not been
    /// used for longest.
    fn from(&mut self, map: &Map, sound: Cell) -> &mut Search {
        let (Searches(kept), cells) = (self, map.shape.cells());
        let room = (MOST_SEARCHED / cells).clamp(1, MOST_SEARCHES);
        match kept.iter().rposition(|search| search.start == sound) {
            Some(known) => kept[known..].rotate_left(1),
            None if kept.len() < room => kept.push(Search::new(cells, sound)),
            None => {
                kept.rotate_left(1);
                kept[room - 1].begin(sound);
            }
        }
        let last = kept.len() - 1;
        &mut kept[last]
    }
}

/// A breadth-first search from a sound outward, "excluding the exit" and walking under other
/// clickers: "the shortest sequence of walkable cells (NOT empty cells)". It goes no farther than it
/// was asked to, and goes on from there.
#[derive(Clone, Debug)]
struct Search {
    /// Distance of each cell, and the number of the search that found it: a distance of an earlier
    /// search counts for nothing, which saves wiping the table each time.
    table: Vec<(u32, u32)>,
    number: u32,
    start: Cell,
    queue: VecDeque<Cell>,
}

impl Search {
    fn new(cells: usize, start: Cell) -> Self {
        let table = vec![(0, 0); cells];
        let mut search = Search { table, number: 0, start, queue: VecDeque::new() };
        search.begin(start);
        search
    }

    /// Restarts from another cell, in the same table.
    fn begin(&mut self, start: Cell) {
        self.number = self.number.checked_add(1).unwrap_or_else(|| {
            self.table.fill((0, 0));
            1
        });
        self.start = start;
        self.queue.clear();
        self.queue.push_back(start);
        self.table[start.index()] = (0, self.number);
    }

    /// Steps to `end`. Afterwards every nearer cell is [`Search::found`].
    fn distance(&mut self, map: &Map, end: Cell) -> Option<u32> {
        while self.found(end).is_none()
            && let Some(cell) = self.queue.pop_front()
        {
            let (distance, _) = self.table[cell.index()];
            for direction in Direction::ALL {
                let Some(next) = map.shape.step(cell, direction) else { continue };
                if map.clickers_may_enter(next) && self.found(next).is_none() {
                    self.table[next.index()] = (distance + 1, self.number);
                    self.queue.push_back(next);
                }
            }
        }
        self.found(end)
    }

    /// The distance of a cell that the search has found.
    fn found(&self, cell: Cell) -> Option<u32> {
        let (distance, number) = self.table[cell.index()];
        (number == self.number).then_some(distance)
    }
}
