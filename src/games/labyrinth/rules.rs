//! The reference rules: the statement line by line, cell by cell, with a reason for each refusal.
//!
//! Slow and obvious: a set of wall cells, and loops over single cells. Plans are verified here;
//! the referee plays on [`super::state`], which is held against this by a property test.

use super::format::Maze;
use super::format::protocol::{Command, Heading, Picture, Point, Readings, Reply, Violation};
use super::format::{BLAST_OXYGEN, LOOK_OXYGEN, MAX_COMMANDS, MAX_OXYGEN, WALK_OXYGEN};
use ahash::AHashSet;
use std::sync::Arc;

/// A game under the reference rules. Cheap to clone: the walls are shared.
#[derive(Clone, Debug)]
pub struct Game {
    /// "Parts of the walls", without the exit.
    walls: Arc<AHashSet<Point>>,
    /// Cells that dynamite has made empty.
    emptied: AHashSet<Point>,
    exit: Point,
    readings: Readings,
    /// Where the player is.
    pub player: Point,
    /// Sticks of dynamite left.
    pub sticks: u32,
    /// Commands given.
    pub commands: u32,
    /// Oxygen used.
    pub oxygen: u32,
    /// Whether the exit has been entered.
    pub won: bool,
}

impl Game {
    /// The beginning of a game.
    pub fn new(maze: &Maze, readings: Readings) -> Game {
        let mut walls: AHashSet<Point> = maze.segments.iter().flat_map(|s| s.cells()).collect();
        walls.remove(&maze.exit);
        Game {
            walls: Arc::new(walls),
            emptied: AHashSet::new(),
            exit: maze.exit,
            readings,
            player: maze.player,
            sticks: maze.sticks,
            commands: 0,
            oxygen: 0,
            won: false,
        }
    }

    /// `X` wall, `.` empty, `E` exit; the player is not shown.
    pub fn cell(&self, at: Point) -> u8 {
        if self.emptied.contains(&at) {
            b'.'
        } else if at == self.exit {
            b'E'
        } else if self.walls.contains(&at) {
            b'X'
        } else {
            b'.'
        }
    }

    /// The cells that dynamite has changed, sorted: walls, and the exit where it did not survive.
    /// With the player's place and the sticks left, all that the rest of a game depends on, but for
    /// its limits.
    pub fn opened(&self) -> Vec<Point> {
        let changed = |at: &Point| *at == self.exit || self.walls.contains(at);
        let mut opened: Vec<Point> = self.emptied.iter().copied().filter(changed).collect();
        opened.sort_unstable();
        opened
    }

    /// Does a command.
    ///
    /// # Errors
    /// Why the arbiter stops the game; the game is over then.
    pub fn act(&mut self, command: Command) -> Result<Reply, Violation> {
        if self.commands == MAX_COMMANDS {
            return Err(Violation::Commands);
        }
        self.commands += 1;
        match command {
            Command::Walk(heading, k) => self.walk(heading, k),
            Command::LookAround => self.look_around(),
            Command::Look(heading, k) => self.look(heading, k),
            Command::Dynamite => self.use_dynamite(),
        }
    }

    /// "Each field that a player crosses should be empty or be an exit from the labyrinth."
    fn walk(&mut self, heading: Heading, k: u32) -> Result<Reply, Violation> {
        for step in 1..=k {
            let next = self.player.toward(heading, 1);
            if self.cell(next) == b'X' {
                return Err(Violation::Wall(next));
            }
            self.breathe(WALK_OXYGEN)?;
            self.player = next;
            let passing = step < k && !self.readings.exit_wins_in_passing;
            if self.cell(next) == b'E' && !passing {
                self.won = true;
                return Ok(Reply::Found);
            }
        }
        Ok(Reply::StillLost)
    }

    /// "It lights up eight fields surrounding you."
    fn look_around(&mut self) -> Result<Reply, Violation> {
        let here = self.player;
        self.show(Point::new(here.x - 1, here.y - 1), Point::new(here.x + 1, here.y + 1))
    }

    /// "In case there is a wall that blocks the view in the row or column we have chosen,
    /// consecutive fields will not be displayed."
    fn look(&mut self, heading: Heading, k: u32) -> Result<Reply, Violation> {
        let mut ahead = 0;
        while (ahead as u32) < k {
            ahead += 1;
            let cell = self.cell(self.player.toward(heading, ahead));
            if cell == b'X' || cell == b'E' && self.readings.exit_ends_look {
                break;
            }
            if 3 * ahead as u32 * LOOK_OXYGEN > MAX_OXYGEN {
                return Err(Violation::Oxygen);
            }
        }
        let far = self.player.toward(heading, ahead).toward(heading.left(), 1);
        let near = self.player.toward(heading, -1).toward(heading.right(), 1);
        self.show(
            Point::new(far.x.min(near.x), far.y.min(near.y)),
            Point::new(far.x.max(near.x), far.y.max(near.y)),
        )
    }

    /// Shows the cells of a rectangle.
    fn show(&mut self, top_left: Point, bottom_right: Point) -> Result<Reply, Violation> {
        let cols = (bottom_right.x - top_left.x + 1) as u32;
        let rows = (bottom_right.y - top_left.y + 1) as u32;
        let own = u32::from(!self.readings.own_cell_costs);
        self.breathe(rows.saturating_mul(cols).saturating_sub(own).saturating_mul(LOOK_OXYGEN))?;
        let mut cells = Vec::new();
        for y in top_left.y..=bottom_right.y {
            for x in top_left.x..=bottom_right.x {
                let at = Point::new(x, y);
                cells.push(if at == self.player { b'O' } else { self.cell(at) });
            }
        }
        Ok(Reply::Looks(Picture { cols: cols as usize, cells }))
    }

    /// "This command will replace the eight fields surrounding the player with empty fields."
    fn use_dynamite(&mut self) -> Result<Reply, Violation> {
        if self.sticks == 0 {
            return Err(Violation::NoDynamite);
        }
        self.breathe(BLAST_OXYGEN)?;
        self.sticks -= 1;
        for at in self.player.around() {
            if at != self.exit || !self.readings.exit_survives {
                self.emptied.insert(at);
            }
        }
        Ok(Reply::Blasted)
    }

    fn breathe(&mut self, oxygen: u32) -> Result<(), Violation> {
        self.oxygen = self.oxygen.saturating_add(oxygen);
        if self.oxygen > MAX_OXYGEN { Err(Violation::Oxygen) } else { Ok(()) }
    }
}
