//! A labyrinth played by hand under the reference rules, in the dark: what the torch has not shown
//! and the player has not walked over is fog.

use super::format::protocol::{Command, Heading, NotACommand, Point, Reply};
use super::format::{MAX_COMMANDS, MAX_OXYGEN, Maze, transcript};
use super::planner::{OfMaze, Position};
use super::rules::Game;
use crate::board::Direction;
use crate::games::fact::Fact;
use crate::games::legend::{Legend, Role, Sign};
use crate::games::objective::Objective;
use crate::games::plan::Answer;
use crate::games::planning::TextPlanner;
use crate::games::session::history::History;
use crate::games::session::{IllegalStep, Key, Session, Status, View, Window};
use crate::search::Run;

/// How far a key looks, in cells.
const LOOK_CELLS: u32 = 100;
/// How far a key that walks several cells walks.
const WALK_CELLS: u32 = 10;

/// What the signs on the board mean.
pub const LEGEND: Legend = Legend {
    signs: &[
        Sign::new('O', Role::Player, "you"),
        Sign::new('E', Role::Goal, "exit"),
        Sign::new('X', Role::Wall, "wall"),
    ],
    marks: &[],
};

/// A game in progress with its whole past.
#[derive(Debug)]
pub struct Play {
    maze: Maze,
    past: History<Walked, Command>,
}

/// A game, and what of the board the player has seen. The walls are shared between copies.
#[derive(Debug, Clone)]
struct Walked {
    game: Game,
    seen: Vec<Window>,
    /// What dynamite has blown up.
    blasts: Vec<Window>,
}

impl Play {
    /// The beginning of a game.
    pub fn new(maze: &Maze, game: Game) -> Play {
        let seen = vec![between(game.player, game.player)];
        let start = Walked { game, seen, blasts: Vec::new() };
        Play { maze: maze.clone(), past: History::new(start, MAX_COMMANDS as usize, Walked::act) }
    }

    fn game(&self) -> &Game {
        &self.past.now().game
    }
}

impl Walked {
    fn act(&mut self, command: Command) -> Result<(), String> {
        if self.game.won {
            return Err("the game is won already".into());
        }
        // A violation ends the game; by hand it is taken back.
        let mut after = self.game.clone();
        let reply = after.act(command).map_err(|violation| violation.to_string())?;
        let before = std::mem::replace(&mut self.game, after).player;
        let shown = match (&reply, command) {
            (Reply::Looks(picture), Command::Look(heading, _)) => {
                strip(before, heading, picture.rows().count() as i32, picture.cols as i32)
            }
            (Reply::StillLost | Reply::Found, _) => between(before, self.game.player),
            _ => between(
                Point::new(before.x - 1, before.y - 1),
                Point::new(before.x + 1, before.y + 1),
            ),
        };
        if reply == Reply::Blasted {
            self.blasts.push(shown);
        }
        self.seen.push(shown);
        Ok(())
    }
}

/// The window that a look in a direction has shown: `rows` rows and `cols` columns, one of them
/// behind the player.
pub(super) fn strip(from: Point, heading: Heading, rows: i32, cols: i32) -> Window {
    let behind = from.toward(heading, -1);
    let ahead = from.toward(heading, rows.max(cols) - 2);
    let (low, high) = (behind.toward(heading.left(), 1), ahead.toward(heading.right(), 1));
    between(low, high)
}

/// The rectangle with two corners.
pub(super) fn between(a: Point, b: Point) -> Window {
    Window {
        row: a.y.min(b.y).into(),
        col: a.x.min(b.x).into(),
        rows: a.y.abs_diff(b.y) + 1,
        cols: a.x.abs_diff(b.x) + 1,
    }
}

impl Session for Play {
    fn act(&mut self, step: &str) -> Result<(), IllegalStep> {
        let command: Command = step.parse().map_err(|error: NotACommand| error.message)?;
        Ok(self.past.act(command)?)
    }

    fn rewind(&mut self, steps: u64) {
        self.past.rewind(steps as usize);
    }

    fn steps(&self) -> u64 {
        self.past.steps().len() as u64
    }

    fn status(&self) -> Status {
        if self.game().won { Status::Won } else { Status::Playing }
    }

    fn plan(&self) -> String {
        transcript(self.past.steps())
    }

    /// Searches with the map, which has also what the player has not seen.
    fn search(&self, objective: &Objective, run: &Run) -> Answer {
        let game = self.game();
        let position = Position {
            maze: &self.maze,
            opened: game.opened(),
            player: game.player,
            sticks: game.sticks,
            oxygen: MAX_OXYGEN - game.oxygen,
            commands: MAX_COMMANDS - game.commands,
        };
        let planner = OfMaze::from_position(position, self.past.steps());
        TextPlanner::solve(&planner, objective, None, run)
    }

    fn length(&self, _: &Objective) -> u64 {
        self.game().oxygen.into()
    }

    fn position(&self) -> Vec<u64> {
        let game = self.game();
        let point = |at: Point| u64::from(at.x as u32) << 32 | u64::from(at.y as u32);
        let used = [game.sticks, game.oxygen, game.commands].map(u64::from);
        let opened = game.opened().into_iter().map(point);
        used.into_iter().chain([point(game.player)]).chain(opened).collect()
    }

    fn extent(&self) -> (Window, Option<(i64, i64)>) {
        let (low, high) = self.maze.corners();
        let Point { x, y } = self.game().player;
        let low = Point::new(low.x.min(x), low.y.min(y));
        let high = Point::new(high.x.max(x), high.y.max(y));
        (between(low, high), Some((y.into(), x.into())))
    }

    fn view(&self, window: Window) -> View {
        let game = self.game();
        let letter = |row: i64, col: i64| {
            let at = Point::new(col as i32, row as i32);
            char::from(if at == game.player { b'O' } else { game.cell(at) })
        };
        let facts = vec![
            Fact::new("oxygen", game.oxygen),
            Fact::new("commands", game.commands),
            Fact::new("dynamite", game.sticks),
        ];
        View::new(window.cut(self.extent().0), letter, Vec::new(), facts)
    }

    fn is_seen(&self, row: i64, col: i64) -> bool {
        self.past.now().seen.iter().any(|window| window.contains(row, col))
    }

    fn uncovered(&self) -> Option<Window> {
        self.past.now().seen.last().copied()
    }

    fn has_fog(&self) -> bool {
        true
    }

    fn walls(&self) -> Option<Vec<Window>> {
        let exit = self.maze.exit;
        let pieces = self.maze.segments.iter().flat_map(|segment| {
            let (from, to) = (segment.from, segment.to);
            let holds_exit = (from.x..=to.x).contains(&exit.x) && (from.y..=to.y).contains(&exit.y);
            if !holds_exit {
                return vec![(from, to)];
            }
            let (dx, dy) = (i32::from(from.y == to.y), i32::from(from.y != to.y));
            let before = (from, Point::new(exit.x - dx, exit.y - dy));
            let after = (Point::new(exit.x + dx, exit.y + dy), to);
            [before, after].into_iter().filter(|(a, b)| a.x <= b.x && a.y <= b.y).collect()
        });
        Some(pieces.map(|(from, to)| between(from, to)).collect())
    }

    fn openings(&self) -> Vec<Window> {
        self.past.now().blasts.clone()
    }

    fn goal(&self) -> Option<(i64, i64)> {
        Some((self.maze.exit.y.into(), self.maze.exit.x.into()))
    }

    fn legend(&self) -> &'static Legend {
        &LEGEND
    }

    fn keys(&self) -> Vec<Key> {
        let name = |direction| heading(direction).name();
        let mut keys = Key::four_ways(|way| format!("walk {} 1", name(way)), "walk");
        for (way, walk, look, about) in [
            (Direction::North, "8", "W", "up"),
            (Direction::West, "4", "A", "left"),
            (Direction::South, "2", "S", "down"),
            (Direction::East, "6", "D", "right"),
        ] {
            let step = format!("walk {} {WALK_CELLS}", name(way));
            keys.push(Key::new(walk, &step, &format!("walk {WALK_CELLS} {about}")));
            let step = format!("look {} {LOOK_CELLS}", name(way));
            keys.push(Key::new(look, &step, &format!("look {LOOK_CELLS} {about}")));
        }
        keys.push(Key::new("l", "look around", "look around"));
        keys.push(Key::new("x", "use dynamite", "use dynamite"));
        keys
    }
}

fn heading(direction: Direction) -> Heading {
    match direction {
        Direction::East => Heading::East,
        Direction::South => Heading::South,
        Direction::West => Heading::West,
        _ => Heading::North,
    }
}
