//! The fast simulator: walls as intervals of rows and columns.
//!
//! A board takes memory for its segments, not for its cells, and a look or a walk of any length
//! costs a few searches in sorted lists, beyond the text it prints. The referee plays on it.

use super::format::Maze;
use super::format::protocol::{Command, Heading, Picture, Point, Readings, Reply, Violation};
use super::format::{BLAST_OXYGEN, LOOK_OXYGEN, MAX_COMMANDS, MAX_OXYGEN, WALK_OXYGEN};
use super::intervals::{Cells, holds};
use std::sync::Arc;

/// A game on the sparse board.
#[derive(Clone, Debug)]
pub struct State {
    /// Shared between copies, until dynamite makes a hole.
    walls: Arc<Cells>,
    exit: Option<Point>,
    readings: Readings,
    player: Point,
    sticks: u32,
    commands: u32,
    oxygen: u32,
}

/// The walls of a maze, without its exit.
pub fn walls(maze: &Maze) -> Cells {
    let mut walls = Cells::default();
    for segment in &maze.segments {
        let (from, to) = (segment.from, segment.to);
        if from.y == to.y {
            walls.rows.insert(from.y, from.x, to.x);
        } else {
            walls.cols.insert(from.x, from.y, to.y);
        }
    }
    walls.remove(maze.exit);
    walls
}

impl State {
    /// The beginning of a game.
    pub fn new(maze: &Maze, readings: Readings) -> State {
        State {
            walls: Arc::new(walls(maze)),
            exit: Some(maze.exit),
            readings,
            player: maze.player,
            sticks: maze.sticks,
            commands: 0,
            oxygen: 0,
        }
    }

    /// Where the player is.
    pub fn player(&self) -> Point {
        self.player
    }

    /// Sticks of dynamite left.
    pub fn sticks(&self) -> u32 {
        self.sticks
    }

    /// Commands given.
    pub fn commands(&self) -> u32 {
        self.commands
    }

    /// Oxygen used.
    pub fn oxygen(&self) -> u32 {
        self.oxygen
    }

    /// The exit, while there is one.
    pub fn exit(&self) -> Option<Point> {
        self.exit
    }

    /// Does a command.
    ///
    /// # Errors
    /// Why the arbiter stops the game, which is over then; its last command is counted.
    pub fn act(&mut self, command: Command) -> Result<Reply, Violation> {
        let reply = self.attempt(command);
        if reply.is_err() && self.commands < MAX_COMMANDS {
            self.commands += 1;
        }
        reply
    }

    /// Does a command if the arbiter allows it.
    ///
    /// # Errors
    /// Why the arbiter does not; nothing has changed.
    pub fn attempt(&mut self, command: Command) -> Result<Reply, Violation> {
        if self.commands == MAX_COMMANDS {
            return Err(Violation::Commands);
        }
        let reply = match command {
            Command::Walk(heading, k) => self.walk(heading, k),
            Command::LookAround => self.show(Heading::East, 1),
            Command::Look(heading, k) => self.show(heading, self.sight(heading, k)),
            Command::Dynamite => self.blast(),
        }?;
        self.commands += 1;
        Ok(reply)
    }

    /// Whether the arbiter would go on after a command.
    pub fn allows(&self, command: Command) -> bool {
        let is_possible = match command {
            Command::Walk(heading, k) => self.walk_end(heading, k).is_ok(),
            Command::LookAround => self.after_look(1).is_ok(),
            Command::Look(heading, k) => self.after_look(self.sight(heading, k)).is_ok(),
            Command::Dynamite => self.after_blast().is_ok(),
        };
        is_possible && self.commands < MAX_COMMANDS
    }

    fn walk(&mut self, heading: Heading, k: u32) -> Result<Reply, Violation> {
        let (steps, is_exit) = self.walk_end(heading, k)?;
        self.oxygen += steps as u32 * WALK_OXYGEN;
        self.player = self.player.toward(heading, steps);
        Ok(if is_exit { Reply::Found } else { Reply::StillLost })
    }

    /// The steps that a walk takes, and whether they lead out.
    fn walk_end(&self, heading: Heading, k: u32) -> Result<(i32, bool), Violation> {
        let affordable = (MAX_OXYGEN - self.oxygen) / WALK_OXYGEN;
        // No game can pay for more steps than this, so that sums stay small.
        let k = k.min(affordable + 1) as i32;
        let to_exit = self
            .exit_ahead(heading)
            .filter(|&steps| steps == k || steps < k && self.readings.exit_wins_in_passing);
        let steps = to_exit.unwrap_or(k);
        if let Some(wall) = self.wall_ahead(heading, steps) {
            return Err(Violation::Wall(self.player.toward(heading, wall)));
        }
        if steps as u32 > affordable {
            return Err(Violation::Oxygen);
        }
        Ok((steps, to_exit.is_some()))
    }

    /// The cells ahead that a look shows.
    fn sight(&self, heading: Heading, k: u32) -> i32 {
        let affordable = (MAX_OXYGEN - self.oxygen) / LOOK_OXYGEN;
        let mut ahead = k.min(affordable) as i32;
        if let Some(exit) = self.exit_ahead(heading).filter(|_| self.readings.exit_ends_look) {
            ahead = ahead.min(exit);
        }
        self.wall_ahead(heading, ahead).unwrap_or(ahead).max(1)
    }

    fn blast(&mut self) -> Result<Reply, Violation> {
        self.oxygen = self.after_blast()?;
        self.sticks -= 1;
        for at in self.player.around() {
            if self.walls.has(at) {
                Arc::make_mut(&mut self.walls).remove(at);
            }
            if self.exit == Some(at) && !self.readings.exit_survives {
                self.exit = None;
            }
        }
        Ok(Reply::Blasted)
    }

    /// The oxygen used after dynamite.
    fn after_blast(&self) -> Result<u32, Violation> {
        if self.sticks == 0 {
            return Err(Violation::NoDynamite);
        }
        self.after_using(BLAST_OXYGEN)
    }

    /// The oxygen used after a look at `ahead` cells, three wide and with those behind the player.
    fn after_look(&self, ahead: i32) -> Result<u32, Violation> {
        let shown = 3 * (ahead as u32 + 2) - u32::from(!self.readings.own_cell_costs);
        self.after_using(shown * LOOK_OXYGEN)
    }

    fn after_using(&self, oxygen: u32) -> Result<u32, Violation> {
        let used = self.oxygen.saturating_add(oxygen);
        if used > MAX_OXYGEN { Err(Violation::Oxygen) } else { Ok(used) }
    }

    /// Steps to the exit, where it lies straight ahead.
    fn exit_ahead(&self, heading: Heading) -> Option<i32> {
        let exit = self.exit?;
        let steps =
            (exit.x - self.player.x) * heading.dx() + (exit.y - self.player.y) * heading.dy();
        (steps > 0 && self.player.toward(heading, steps) == exit).then_some(steps)
    }

    /// Steps to the first wall straight ahead, where it is at most `limit` steps away.
    fn wall_ahead(&self, heading: Heading, limit: i32) -> Option<i32> {
        let (along, across) = if heading.is_horizontal() {
            (&self.walls.rows, &self.walls.cols)
        } else {
            (&self.walls.cols, &self.walls.rows)
        };
        let (line, at) = self.coordinates(heading);
        let forward = heading.dx() + heading.dy() > 0;
        let first = if forward {
            let on_line = along.after(line, at + 1).map(|(start, _)| start);
            let crossing = across
                .range(at + 1, at.saturating_add(limit))
                .find(|(_, list)| holds(list, line))
                .map(|(place, _)| place);
            on_line.into_iter().chain(crossing).min().map(|place| place - at)
        } else {
            let on_line = along.before(line, at - 1).map(|(_, end)| end);
            let crossing = across
                .range(at.saturating_sub(limit), at - 1)
                .rev()
                .find(|(_, list)| holds(list, line))
                .map(|(place, _)| place);
            on_line.into_iter().chain(crossing).max().map(|place| at - place)
        };
        first.filter(|&steps| steps <= limit)
    }

    /// The line the player is on when heading this way, and the place on it.
    fn coordinates(&self, heading: Heading) -> (i32, i32) {
        if heading.is_horizontal() {
            (self.player.y, self.player.x)
        } else {
            (self.player.x, self.player.y)
        }
    }

    /// Shows a strip three cells wide, from one cell behind the player to `ahead` cells ahead.
    fn show(&mut self, heading: Heading, ahead: i32) -> Result<Reply, Violation> {
        self.oxygen = self.after_look(ahead)?;
        let a = self.player.toward(heading, ahead).toward(heading.left(), 1);
        let b = self.player.toward(heading, -1).toward(heading.right(), 1);
        let (left, right) = (a.x.min(b.x), a.x.max(b.x));
        let (top, bottom) = (a.y.min(b.y), a.y.max(b.y));
        let cols = (right - left + 1) as usize;
        let mut cells = vec![b'.'; cols * (bottom - top + 1) as usize];
        let index = |x: i32, y: i32| (y - top) as usize * cols + (x - left) as usize;
        for (y, list) in self.walls.rows.range(top, bottom) {
            for (from, to) in overlaps(list, left, right) {
                cells[index(from, y)..=index(to, y)].fill(b'X');
            }
        }
        for (x, list) in self.walls.cols.range(left, right) {
            for (from, to) in overlaps(list, top, bottom) {
                (from..=to).for_each(|y| cells[index(x, y)] = b'X');
            }
        }
        if let Some(exit) = self.exit
            && (left..=right).contains(&exit.x)
            && (top..=bottom).contains(&exit.y)
        {
            cells[index(exit.x, exit.y)] = b'E';
        }
        cells[index(self.player.x, self.player.y)] = b'O';
        Ok(Reply::Looks(Picture { cols, cells }))
    }
}

/// The parts of sorted intervals within `from..=to`.
fn overlaps(list: &[(i32, i32)], from: i32, to: i32) -> impl Iterator<Item = (i32, i32)> + '_ {
    let first = list.partition_point(|&(_, end)| end < from);
    list[first..]
        .iter()
        .take_while(move |&&(start, _)| start <= to)
        .map(move |&(start, end)| (start.max(from), end.min(to)))
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::games::labyrinth::generate::{CLASSES, make};
    use crate::games::labyrinth::rules::Game;
    use rand::seq::IndexedRandom;
    use rand::{Rng, RngExt, SeedableRng};

    /// Mostly commands that are allowed: walks that end before a wall, or just in it.
    fn some_command(game: &Game, rng: &mut impl Rng) -> Command {
        let heading = *Heading::ALL.choose(rng).unwrap();
        let ahead = |k: i32| game.cell(game.player.toward(heading, k));
        let free = (1..200).take_while(|&k| ahead(k) != b'X').count() as u32;
        let exit = (1..=free as i32).find(|&k| ahead(k) == b'E');
        match rng.random_range(0..20) {
            0 => Command::Dynamite,
            10..15 if exit.is_some() => {
                Command::Walk(heading, exit.unwrap_or(1) as u32 + rng.random_range(0..2))
            }
            1 => Command::LookAround,
            2..6 => Command::Look(heading, rng.random_range(1..80)),
            6 => Command::Look(heading, u32::MAX - rng.random_range(0..3)),
            7 => Command::Walk(heading, free + rng.random_range(0..3) / 2 + 1),
            8 => Command::Walk(heading, u32::MAX),
            _ => Command::Walk(heading, rng.random_range(1..=free.max(1))),
        }
    }

    #[test]
    fn the_sparse_board_agrees_with_the_reference_rules() {
        let seed = 20;
        let mut rng = rand_chacha::ChaCha8Rng::seed_from_u64(seed);
        let (mut steps, mut endings) = (0, ahash::AHashSet::new());
        // Each labyrinth is played in several readings.
        let mut mazes = ahash::AHashMap::new();
        for round in 0..600 {
            let (class, made_by) = ([0, 1, 2, 5][round % 4], round as u64 / 16);
            let maze = mazes.entry((class, made_by));
            let maze = maze.or_insert_with(|| make(&CLASSES[class], "", None, made_by).unwrap());
            let mut maze = maze.clone();
            maze.sticks += rng.random_range(0..4);
            let readings = Readings::all().nth(round / 4 % 16).unwrap();
            if round % 3 == 0 {
                // Beside the exit, so that some games are won.
                let board = Game::new(&maze, readings);
                let mut around = Heading::ALL.into_iter().map(|h| maze.exit.toward(h, 1));
                maze.player = around.find(|&at| board.cell(at) == b'.').unwrap();
            }
            let (mut slow, mut fast) = (Game::new(&maze, readings), State::new(&maze, readings));
            for _ in 0..200 {
                let command = some_command(&slow, &mut rng);
                let is_allowed = fast.allows(command);
                let expected = slow.act(command);
                let got = fast.act(command);
                assert_eq!(is_allowed, got.is_ok(), "seed {seed}, round {round}: {command}");
                assert_eq!(got, expected, "seed {seed}, round {round}: {command}");
                steps += 1;
                assert_eq!(fast.commands, slow.commands, "seed {seed}, round {round}: {command}");
                let Ok(reply) = expected else {
                    endings.insert(format!("{:?}", std::mem::discriminant(&got.unwrap_err())));
                    break;
                };
                let observed = (fast.player, fast.sticks, fast.commands, fast.oxygen);
                let told = (slow.player, slow.sticks, slow.commands, slow.oxygen);
                assert_eq!(observed, told, "seed {seed}, round {round}: {command}");
                assert_eq!(reply == Reply::Found, slow.won);
                if slow.won {
                    endings.insert("won".into());
                    break;
                }
            }
        }
        assert!(steps > 3000 && endings.len() >= 4, "{steps} steps, {endings:?}");
    }

    #[test]
    fn limits_are_the_same_to_the_unit() {
        let maze = make(&CLASSES[1], "box", None, 1).unwrap();
        let readings = Readings::default();
        let (mut slow, mut fast) = (Game::new(&maze, readings), State::new(&maze, readings));
        for _ in 0..MAX_COMMANDS {
            assert_eq!(slow.act(Command::LookAround), fast.act(Command::LookAround));
        }
        assert_eq!(fast.act(Command::LookAround), Err(Violation::Commands));
        assert_eq!(slow.act(Command::LookAround), Err(Violation::Commands));
        let nearly = MAX_OXYGEN - 8;
        for left in [0, 1] {
            let (mut slow, mut fast) = (Game::new(&maze, readings), State::new(&maze, readings));
            slow.oxygen = nearly + left;
            fast.oxygen = nearly + left;
            let looks = slow.act(Command::LookAround);
            assert_eq!(looks.is_ok(), left == 0);
            assert_eq!(fast.act(Command::LookAround), looks);
        }
    }
}
