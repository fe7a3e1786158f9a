//! The planner that has the map: a plan of least oxygen, under one reading of the rules.
//!
//! A* over the crossings of the lines around walls ([`super::grid`]), in layers by sticks used.
//! After a blast the search walks cell by cell within the 3×3 cells of this one hole until it steps
//! on a crossing that was free before, and forgets the hole. Nothing is lost by that:
//!
//! - **A hole is passed at once.** Take a plan, go back from its end to the last step on a cell
//!   that only dynamite has made free, and from there straight to the centre of that blast, within
//!   its hole; then go on back from the time of the blast. No walk becomes longer and no blast is
//!   added, and what remains walks from each blast straight to one wall cell of its own hole, and
//!   on over free cells or to the next blast.
//! - **Lines beside walls are enough.** Between two neighbouring lines `a` and `b` with columns in
//!   between, all columns from `a` to `b` are alike, and a wall that crosses one of them crosses
//!   all and the column beyond at each side. Such rows are apart, for walls are thin. A stretch of
//!   a plan between the lines that comes back to the line it left can be moved onto this line,
//!   blasts and all. One that goes from `a` to `b` goes along a free row, at the latest before the
//!   first blast it makes there: what comes before is moved to `a`, what comes after to `b`. A
//!   stretch that keeps to the inside of one wall is not cheapest: the last of its blasts opens
//!   nothing that is not reached as well beside the wall. Rows are as columns. No blast moves
//!   beside the exit where it was not: from such a place the exit is reached without it.
//! - **Fewer sticks for no more oxygen** can do whatever more sticks can.
//!
//! Where the exit survives dynamite, sticks may be lit beside it. Such a plan loses under the other
//! reading, so of the plans that take the same oxygen one with the fewest such blasts is found.
//! Where the exit does not survive, no game is won after such a blast, and none is made.

mod crossings;

use super::format::protocol::{Command, Point, Readings};
use super::format::{self, BLAST_OXYGEN, MAX_COMMANDS, MAX_OXYGEN, Maze, WALK_OXYGEN};
use crate::diagnostic::Source;
use crate::games::fact::Fact;
use crate::games::game::NamedSearch;
use crate::games::planning::{Found, Planned, Planning, Task, nobody};
use crate::search::portfolio::anytime::Anytime;
use crate::search::{Known, Outcome, Run};
use crossings::Crossings;

/// The searches that can be run alone.
pub const SEARCHES: &[NamedSearch] =
    &[NamedSearch::new("astar", "A* over the crossings of the lines around walls")];

/// The planner of a maze, or of a position in it.
pub struct OfMaze<'a> {
    position: Position<'a>,
    /// The commands that have led to the position.
    done: &'a [Command],
}

impl<'a> OfMaze<'a> {
    /// The planner of a whole game.
    pub fn new(maze: &'a Maze) -> Self {
        OfMaze { position: Position::start(maze), done: &[] }
    }

    /// The planner from a position, to which these commands have led. Oxygen counts from there, and
    /// plans are written whole.
    pub fn from_position(position: Position<'a>, done: &'a [Command]) -> Self {
        OfMaze { position, done }
    }
}

impl Planning for OfMaze<'_> {
    type Action = Command;

    fn read(&self, plan: &str) -> Option<Vec<Command>> {
        let commands = format::read_transcript(&Source::new("the known plan", plan)).ok()?;
        Some(commands.into_iter().map(|(_, command)| command).collect())
    }

    fn write(&self, plan: &[Command]) -> String {
        format::transcript(&[self.done, plan].concat())
    }

    /// Proves a plan of least oxygen under the default readings.
    fn solve(&self, task: Task<'_, Command>) -> Planned<Command> {
        let cost = task.known.as_deref().filter(|_| self.done.is_empty()).and_then(oxygen);
        let known = Known { cost: cost.unwrap_or(u64::MAX), bound: 0 };
        let heard = (known, task.found);
        let outcome = solve_knowing(&self.position, Readings::default(), task.run, heard);
        let commands = outcome.plan.as_ref().map(|plan| Fact::new("commands", plan.len()));
        let notes = commands.filter(|_| self.done.is_empty()).into_iter().collect();
        (outcome, notes)
    }

    fn search(&self, name: &str, task: Task<'_, Command>) -> Option<Planned<Command>> {
        // The planner is this one search.
        SEARCHES.iter().find(|search| search.name == name)?;
        Some(self.solve(task))
    }
}

/// Looks for a plan of least oxygen under these readings.
pub fn solve_under(maze: &Maze, readings: Readings, run: &Run) -> Outcome<Command> {
    solve_from(&Position::start(maze), readings, run)
}

/// What the rest of a game depends on.
#[derive(Clone, Debug)]
pub struct Position<'a> {
    /// The maze as it was at the start.
    pub maze: &'a Maze,
    /// The wall cells that dynamite has opened.
    pub opened: Vec<Point>,
    /// Where the player is.
    pub player: Point,
    /// Sticks of dynamite left.
    pub sticks: u32,
    /// Oxygen left.
    pub oxygen: u32,
    /// Commands that may still be given.
    pub commands: u32,
}

impl Position<'_> {
    /// The beginning of a game.
    pub fn start(maze: &Maze) -> Position<'_> {
        Position {
            maze,
            opened: Vec::new(),
            player: maze.player,
            sticks: maze.sticks,
            oxygen: MAX_OXYGEN,
            commands: MAX_COMMANDS,
        }
    }
}

/// Looks for the cheapest rest of a game under these readings. Oxygen counts from the position.
pub fn solve_from(position: &Position<'_>, readings: Readings, run: &Run) -> Outcome<Command> {
    solve_knowing(position, readings, run, (Known::default(), &nobody))
}

/// Looks for such a plan that takes less oxygen than the known one.
fn solve_knowing(
    position: &Position<'_>,
    readings: Readings,
    run: &Run,
    (known, found): (Known, Found<'_, Command>),
) -> Outcome<Command> {
    Anytime::new(run.start(), known, found).alone(&mut Crossings::new(position, readings))
}

/// Oxygen that a plan takes; `None` where it looks around, which takes as much as there is to see.
fn oxygen(plan: &[Command]) -> Option<u64> {
    plan.iter()
        .map(|command| match *command {
            Command::Walk(_, cells) => Some(u64::from(cells) * u64::from(WALK_OXYGEN)),
            Command::Dynamite => Some(u64::from(BLAST_OXYGEN)),
            Command::LookAround | Command::Look(..) => None,
        })
        .sum()
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::diagnostic::Source;
    use crate::games::labyrinth::format::read_mazes;
    use crate::games::labyrinth::generate::{CLASSES, make};
    use crate::games::labyrinth::rules::Game;
    use crate::search::{Limits, StopReason, Verdict, compare_turns};

    fn maze(text: &str) -> Maze {
        read_mazes(&Source::new("maze", text)).unwrap().remove(0)
    }

    fn solved(maze: &Maze, readings: Readings) -> Outcome<Command> {
        solve_under(maze, readings, &Run::seconds(60.0))
    }

    fn burns() -> Readings {
        Readings { exit_survives: false, ..Readings::default() }
    }

    #[test]
    fn too_little_dynamite_is_proven_and_a_small_budget_is_an_answer() {
        let ringed = CLASSES.iter().find(|class| class.rings).unwrap();
        let mut maze = make(ringed, "box", Some(2), 3).unwrap();
        let least = solved(&maze, Readings::default());
        assert_eq!(least.verdict, Verdict::Optimal);
        for nodes in [1, 10, 100] {
            let hurried = Run::from(Limits { nodes: Some(nodes), ..Limits::seconds(60.0) });
            let outcome = solve_under(&maze, Readings::default(), &hurried);
            assert_eq!(outcome.effort.stopped, Some(StopReason::Nodes));
            assert_eq!((outcome.verdict, outcome.effort.expanded), (Verdict::Unknown, nodes));
            assert!(outcome.bound <= least.bound);
        }
        maze.sticks -= 1;
        assert_eq!(solved(&maze, Readings::default()).verdict, Verdict::Impossible);
    }

    #[test]
    fn dynamite_beside_the_exit_counts_where_the_exit_survives_it() {
        // Every cell of the board is beside the exit.
        let maze = maze("1\n4 0 0 1 1 1\n0 0 2 0\n0 2 2 2\n0 0 0 2\n2 0 2 2\n");
        assert_eq!(solved(&maze, Readings::default()).cost, 1020);
        assert_eq!(solved(&maze, burns()).verdict, Verdict::Impossible);
    }

    #[test]
    fn of_equally_cheap_plans_one_that_holds_under_every_reading_is_found() {
        // The corner with the exit can be opened from (1, 1) or, a step away from it, from (2, 1).
        let near = maze("1\n4 0 0 1 1 1\n0 0 6 0\n0 6 6 6\n0 0 0 6\n6 0 6 6\n");
        let far = Maze { player: Point::new(3, 4), ..near.clone() };
        let costs =
            |maze| [Readings::default(), burns()].map(|readings| solved(maze, readings).cost);
        assert_eq!((costs(&near), costs(&far)), ([1020, 1040], [1070, 1070]));
        let mut game = Game::new(&far, burns());
        for command in solved(&far, Readings::default()).plan.unwrap() {
            game.act(command).unwrap();
        }
        assert!(game.won);
    }

    #[test]
    fn too_many_commands_of_the_cheapest_plan_prove_nothing() {
        let maze = maze("1\n4 6 3 3 5 0\n0 0 6 0\n0 6 6 6\n0 0 0 6\n6 0 6 6\n");
        let within = |commands| {
            let start = Position { commands, ..Position::start(&maze) };
            solve_from(&start, Readings::default(), &Run::seconds(60.0))
        };
        assert_eq!(within(2).verdict, Verdict::Optimal);
        let none = within(1);
        assert_eq!((none.verdict, none.bound), (Verdict::Unknown, within(2).cost));
        assert!(none.plan.is_none());
    }

    #[test]
    fn short_turns_come_to_the_same_as_a_long_one() {
        let mut rested = 0;
        for seed in 0..20 {
            let class = &CLASSES[seed as usize % CLASSES.len()];
            let Ok(maze) = make(class, "box", None, seed) else { continue };
            let start = Position::start(&maze);
            let search = || Crossings::new(&start, Readings::default());
            let (came, turns) = compare_turns(search, u64::MAX);
            // It can rest between any two expansions; the last one leads on to the exit.
            assert_eq!(u64::from(turns), came.effort.0.max(1), "seed {seed}");
            rested += turns;
        }
        assert!(rested > 100, "{rested}");
    }
}
