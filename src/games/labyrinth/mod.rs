//! Labyrinth: a player in a dark maze looks for the exit, asking an arbiter line by line.
//!
//! SPOJ problem PPP07D. [`mod@format`] reads and writes, and knows what arbiter and player say to each
//! other, [`rules`] is the reference that proves plans, [`state`] the sparse board on which the
//! statement's [`program`], the arbiter, plays. There are two who find the way: the [`planner`] has
//! the map, the [`explorer`] has nothing but the session. A plan is the transcript of a game's commands. This
//! file fits them to the waist of the house.

mod astar;
mod check;
mod description;
mod drawing;
pub mod explorer;
pub mod format;
pub mod generate;
#[cfg(not(feature = "bench"))]
#[allow(dead_code, unused_imports)]
mod grid;
#[cfg(feature = "bench")]
pub mod grid;
#[cfg(not(feature = "bench"))]
#[allow(dead_code, unused_imports)]
mod intervals;
#[cfg(feature = "bench")]
pub mod intervals;
#[cfg(not(feature = "bench"))]
#[allow(dead_code, unused_imports)]
mod planner;
#[cfg(feature = "bench")]
pub mod planner;
pub mod program;
pub mod rules;
pub mod session;
pub mod state;
mod stepper;

use crate::certificate::Rulebook;
use crate::diagnostic::{Diagnostic, Source};
use crate::games::area::{Area, NoRulebook};
use crate::games::collection::Collection;
use crate::games::description::{Composed, Description, Drawing};
use crate::games::fact::Fact;
use crate::games::game::{Game, NamedSearch};
use crate::games::generate::{GenerateError, GenerateOptions, Generated, Parameter};
use crate::games::id::GameId;
use crate::games::legend::Legend;
use crate::games::objective::Measure;
use crate::games::plan::{PlanError, Refusal, Steps, Validation, steps_of_lines};
use crate::games::planning::TextPlanner;
use crate::games::session::{Session, Window};
use crate::games::stepper::Opening;
use format::Maze;
use format::protocol::{Command, Readings};

/// How far around the player a refusal shows the board, in cells.
const SHOWN: i64 = 5;

/// The game at the waist.
#[derive(Debug)]
pub struct Labyrinth;

impl Game for Labyrinth {
    fn id(&self) -> GameId {
        GameId::Labyrinth
    }

    fn about(&self) -> &'static str {
        "find the exit of a dark maze with a torch and dynamite, on little oxygen"
    }

    fn description(&self) -> Description {
        description::description()
    }

    fn recognises(&self, text: &str) -> bool {
        format::recognises(text)
    }

    fn read(&self, source: &Source) -> Result<Collection, Diagnostic> {
        let mazes = format::read_mazes(source)?;
        let area = |(i, maze)| Box::new(Instance { name: format!("game {}", i + 1), maze }) as _;
        Ok(Collection::of(mazes.into_iter().enumerate().map(area)))
    }

    fn searches(&self) -> &'static [NamedSearch] {
        planner::SEARCHES
    }

    fn compose(&self, drawing: &Drawing) -> Composed {
        drawing::compose(drawing)
    }

    fn legend(&self) -> &'static Legend {
        &session::LEGEND
    }

    fn parameters(&self) -> &'static [Parameter] {
        generate::PARAMETERS
    }

    fn make(&self, options: &GenerateOptions) -> Result<Generated, GenerateError> {
        generate::generate(options)
    }
}

/// One game of a file.
struct Instance {
    name: String,
    maze: Maze,
}

impl Area for Instance {
    fn game(&self) -> GameId {
        GameId::Labyrinth
    }

    fn name(&self) -> &str {
        &self.name
    }

    fn text(&self) -> String {
        format::text(std::slice::from_ref(&self.maze))
    }

    fn drawn_values(&self) -> Vec<(&'static str, String)> {
        drawing::values(&self.maze)
    }

    fn facts(&self) -> Vec<Fact> {
        let (low, high) = self.maze.corners();
        let cells: usize = self.maze.segments.iter().map(|segment| segment.length()).sum();
        vec![
            Fact::new("size", format!("{}x{}", high.y - low.y + 1, high.x - low.x + 1)),
            Fact::new("segments", self.maze.segments.len()),
            Fact::new("wall cells", cells),
            Fact::new("dynamite", self.maze.sticks),
        ]
    }

    fn replay(&self, plan: &Source) -> Result<Validation, PlanError> {
        let commands = format::read_transcript(plan).map_err(PlanError::Unreadable)?;
        replay(&self.maze, plan, &commands).map_err(|refusal| PlanError::Refused(*refusal))
    }

    fn planner(&self) -> Box<dyn TextPlanner + '_> {
        Box::new(planner::OfMaze::new(&self.maze))
    }

    fn fast_opening(&self) -> Option<Box<dyn Opening>> {
        Some(Box::new(stepper::Start::new(self, &self.maze)))
    }

    fn rulebook(&self, _: Option<Measure>) -> Result<Box<dyn Rulebook + '_>, NoRulebook> {
        Ok(Box::new(check::Checker::new(&self.maze)))
    }

    fn session(&self) -> Box<dyn Session> {
        let game = rules::Game::new(&self.maze, Readings::default());
        Box::new(session::Play::new(&self.maze, game))
    }

    fn steps(&self, plan: &Source) -> Result<Steps, Diagnostic> {
        let commands = format::read_transcript(plan)?;
        let steps = commands.into_iter().map(|(line, command)| (command.to_string(), line));
        Ok(steps_of_lines(plan, steps))
    }
}

/// Replays a transcript under the reference rules.
fn replay(
    maze: &Maze,
    plan: &Source,
    commands: &[(usize, Command)],
) -> Result<Validation, Box<Refusal>> {
    let mut game = rules::Game::new(maze, Readings::default());
    for (step, &(line, command)) in (1..).zip(commands) {
        let refused = |reason: String, game: &rules::Game| {
            let text = plan.text.lines().nth(line - 1).unwrap_or_default().trim().to_string();
            let board = board_around(maze, game);
            Box::new(Refusal { step, line: Some((line, text)), reason, board })
        };
        if game.won {
            return Err(refused("the game is won already".into(), &game));
        }
        if let Err(violation) = game.act(command) {
            let reason = violation.to_string().trim_end_matches('.').to_string();
            return Err(refused(reason, &game));
        }
    }
    if !game.won {
        return Err(Box::new(Refusal {
            step: commands.len() as u64 + 1,
            line: None,
            reason: "the plan ends before the player is at the exit".into(),
            board: board_around(maze, &game),
        }));
    }
    let used = maze.sticks - game.sticks;
    let robust = wins_strictly(maze, commands);
    Ok(Validation {
        length: u64::from(game.oxygen),
        facts: vec![
            Fact::new("oxygen", game.oxygen),
            Fact::new("commands", game.commands),
            Fact::new("dynamite", used),
            Fact::new("robust", if robust { "yes" } else { "no" }),
        ],
        rank: vec![
            u64::from(game.oxygen),
            u64::from(!robust),
            u64::from(game.commands),
            u64::from(used),
        ],
        remarks: Vec::new(),
    })
}

/// Whether a transcript that wins under the default readings does so under all.
fn wins_strictly(maze: &Maze, commands: &[(usize, Command)]) -> bool {
    let mut game = rules::Game::new(maze, Readings::strictest());
    commands.iter().all(|&(_, command)| game.act(command).is_ok()) && game.won
}

/// The cells near the player as text.
fn board_around(maze: &Maze, game: &rules::Game) -> String {
    let near = Window {
        row: i64::from(game.player.y) - SHOWN,
        col: i64::from(game.player.x) - SHOWN,
        rows: 2 * SHOWN as u32 + 1,
        cols: 2 * SHOWN as u32 + 1,
    };
    session::Play::new(maze, game.clone()).view(near).rows.join("\n")
}
