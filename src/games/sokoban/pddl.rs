//! Levels as problems in PDDL, and plans to and from their actions.
//!
//! The domain is that of the International Planning Competition of 2008: a push costs 1, a step
//! nothing, so a planner that minimises costs minimises pushes. A cell is called `pos-C-R` by its
//! column and row from 1, a box `stone-N` from 1, counted row by row at the start.
//!
//! ```
//! use outwit::diagnostic::Source;
//! use outwit::games::GameId;
//! let level = Source::new("corridor", "#####\n#@$.#\n#####\n");
//! let area = GameId::Sokoban.game().read(&level).unwrap().only().unwrap();
//! let pddl = area.pddl().unwrap();
//! let plan = "(push-to-goal player-1 stone-1 pos-2-2 pos-3-2 pos-4-2 dir-right)\n";
//! assert_eq!(pddl.write_plan(&Source::new("plan", "R")).unwrap(), plan);
//! assert_eq!(pddl.read_plan(&Source::new("plan", plan)).unwrap(), "R\n");
//! ```

use super::format::{Level, MAX_KEYS, letter};
use super::rules::{Done, Game};
use super::solution::read_keys;
use crate::board::{Cell, Direction, ORTHOGONAL};
use crate::diagnostic::{Diagnostic, Line, Source};
use crate::games::area::Pddl;
use crate::games::plan::{PlanError, Refusal};
use std::fmt::Write;

const DOMAIN: &str = include_str!("domain.pddl");
/// The player's name; there is one.
const PLAYER: &str = "player-1";
/// Actions and their numbers of arguments.
const ACTIONS: [(&str, usize); 3] = [("move", 4), ("push-to-nongoal", 6), ("push-to-goal", 6)];
/// The directions' names, in the order of [`ORTHOGONAL`].
const DIRECTION_NAMES: [&str; 4] = ["dir-up", "dir-right", "dir-down", "dir-left"];

/// A word of a plan, in lower case, and its column from 1.
type Word = (String, usize);

/// One line of a planner's plan.
struct Action<'a> {
    line: Line<'a>,
    words: Vec<Word>,
}

/// A level that is played by actions: the rules, and which box is which.
struct Replay<'a> {
    level: &'a Level,
    game: Game,
    /// Where each stone is.
    stones: Vec<Cell>,
}

fn direction_name(direction: Direction) -> &'static str {
    let index = ORTHOGONAL.iter().position(|&known| known == direction);
    index.map_or("", |index| DIRECTION_NAMES[index])
}

impl Level {
    fn position(&self, cell: Cell) -> String {
        format!("pos-{}-{}", self.shape.col(cell) + 1, self.shape.row(cell) + 1)
    }

    /// The cells that are in the problem: what the player may reach, and what else holds a box or a
    /// target, so that a level that cannot be solved stays one.
    fn locations(&self) -> Vec<Cell> {
        let holds = |cell: Cell| self.boxes.contains(cell) || self.targets.contains(cell);
        self.shape.iter().filter(|&cell| !self.walls.contains(cell) || holds(cell)).collect()
    }

    /// The facts of the start, one a line.
    fn initial_facts(&self, locations: &[Cell]) -> String {
        let mut facts = String::new();
        for &cell in locations {
            let here = self.position(cell);
            let kind = if self.targets.contains(cell) { "is-goal" } else { "is-nongoal" };
            let _ = writeln!(facts, "    ({kind} {here})");
            if !self.boxes.contains(cell) && self.player != cell {
                let _ = writeln!(facts, "    (clear {here})");
            }
            for direction in ORTHOGONAL {
                let next = self.shape.step(cell, direction);
                if let Some(next) = next.filter(|&next| !self.walls.contains(next)) {
                    let (there, name) = (self.position(next), direction_name(direction));
                    let _ = writeln!(facts, "    (move-dir {here} {there} {name})");
                }
            }
        }
        let _ = writeln!(facts, "    (at {PLAYER} {})", self.position(self.player));
        for (number, cell) in (1..).zip(self.boxes.iter()) {
            let _ = writeln!(facts, "    (at stone-{number} {})", self.position(cell));
            if self.targets.contains(cell) {
                let _ = writeln!(facts, "    (at-goal stone-{number})");
            }
        }
        facts
    }
}

impl Pddl for Level {
    fn domain(&self) -> String {
        DOMAIN.to_string()
    }

    fn problem(&self) -> String {
        let locations = self.locations();
        let names: Vec<_> = locations.iter().map(|&cell| self.position(cell)).collect();
        let stones: Vec<_> = (1..=self.boxes.len()).map(|n| format!("stone-{n}")).collect();
        let goals: Vec<_> = stones.iter().map(|stone| format!("(at-goal {stone})")).collect();
        let title: String = self.name.chars().filter(|c| !c.is_control()).collect();
        // Empty lists are left out of types; an empty conjunction is a goal that always holds.
        let stone_objects = match stones.is_empty() {
            true => String::new(),
            false => format!("    {} - stone\n", stones.join(" ")),
        };
        format!(
            ";; {title}\n(define (problem level)\n  (:domain sokoban-sequential)\n  (:objects\n    \
             {PLAYER} - player\n{stone_objects}    {} - direction\n    {} - location)\n  (:init\n\
             {}    (= (total-cost) 0))\n  (:goal (and {}))\n  (:metric minimize (total-cost)))\n",
            DIRECTION_NAMES.join(" "),
            names.join(" "),
            self.initial_facts(&locations),
            goals.join(" ")
        )
    }

    fn write_plan(&self, plan: &Source) -> Result<String, PlanError> {
        let keys = read_keys(plan).map_err(PlanError::Unreadable)?;
        let mut replay = Replay::new(self);
        let mut text = String::new();
        for (number, key) in (1..).zip(keys) {
            if replay.game.is_complete() {
                break;
            }
            let action = replay.describe(key.direction);
            replay.press(key.direction).map_err(|reason| {
                let key_text = letter(key.direction, false).to_string();
                replay.refusal(number, Some((key.line as usize, key_text)), reason)
            })?;
            text.push_str(&action);
        }
        Ok(text)
    }

    fn read_plan(&self, plan: &Source) -> Result<String, PlanError> {
        let actions = read_actions(plan).map_err(PlanError::Unreadable)?;
        let mut replay = Replay::new(self);
        let mut keys = String::with_capacity(actions.len() + 1);
        for (number, action) in (1..).zip(&actions) {
            let direction = direction_of(plan, action).map_err(PlanError::Unreadable)?;
            let done = replay.act(action, direction).map_err(|reason| {
                let text = action.line.text.to_string();
                replay.refusal(number, Some((action.line.number, text)), reason)
            })?;
            keys.push(letter(direction, done == Done::Pushed));
        }
        // A game is over as soon as it is won; for a planner only the end counts.
        if let count @ 1.. = replay.game.misplaced() {
            let reason = match count {
                1 => "the plan ends with a box that is not on a target".to_string(),
                _ => format!("the plan ends with {count} boxes that are not on a target"),
            };
            return Err(replay.refusal(actions.len() as u64 + 1, None, reason));
        }
        keys.push('\n');
        Ok(keys)
    }
}

impl<'a> Replay<'a> {
    fn new(level: &'a Level) -> Self {
        Replay { level, game: Game::new(level), stones: level.boxes.iter().collect() }
    }

    fn refusal(&self, step: u64, line: Option<(usize, String)>, reason: String) -> PlanError {
        PlanError::Refused(Refusal { step, line, reason, board: self.game.board() })
    }

    /// The stone on a cell, from 0.
    fn stone_at(&self, cell: Cell) -> Option<usize> {
        self.stones.iter().position(|&stone| stone == cell)
    }

    /// The line that says what this key would do: what has to be said there, whether or not the
    /// rules allow it. Beyond the board there is nothing to be said.
    fn describe(&self, direction: Direction) -> String {
        let level = self.level;
        let from = self.game.player();
        let Some(ahead) = level.shape.step(from, direction) else { return String::new() };
        let (here, there) = (level.position(from), level.position(ahead));
        let name = direction_name(direction);
        let beyond = level.shape.step(ahead, direction);
        match (self.stone_at(ahead), beyond) {
            (None, _) => format!("(move {PLAYER} {here} {there} {name})\n"),
            (Some(_), None) => String::new(),
            (Some(stone), Some(beyond)) => {
                let kind = if level.targets.contains(beyond) { "goal" } else { "nongoal" };
                let (number, to) = (stone + 1, level.position(beyond));
                format!("(push-to-{kind} {PLAYER} stone-{number} {here} {there} {to} {name})\n")
            }
        }
    }

    /// Presses a key under the reference rules and keeps the stones' places.
    fn press(&mut self, direction: Direction) -> Result<Done, String> {
        let done = self.game.press(direction).map_err(|blocked| blocked.to_string())?;
        if done == Done::Pushed {
            let at = self.game.player();
            let stone = self.stone_at(at);
            if let Some((stone, to)) = stone.zip(self.level.shape.step(at, direction)) {
                self.stones[stone] = to;
            }
        }
        Ok(done)
    }

    /// Does an action if it says what the rules do here.
    fn act(&mut self, action: &Action<'_>, direction: Direction) -> Result<Done, String> {
        let expected = self.describe(direction);
        let expected = expected.trim_end().trim_matches(['(', ')']);
        let said = action.words.iter().map(|(word, _)| word.as_str());
        if let Some((said, holds)) =
            said.zip(expected.split(' ')).find(|(said, holds)| said != holds)
        {
            // Where the rules refuse the step at all, their reason says more.
            let mut game = self.game.clone();
            return Err(match game.press(direction) {
                Err(blocked) => blocked.to_string(),
                Ok(_) => format!("it says {said}, and {holds} is what holds here"),
            });
        }
        self.press(direction)
    }
}

/// The actions of a plan: one a line, in parentheses, with what planners write around them (a time
/// before, a cost behind, comments after `;`) left out.
fn read_actions(source: &Source) -> Result<Vec<Action<'_>>, Diagnostic> {
    let mut actions = Vec::new();
    for line in source.lines() {
        let text = line.text.split(';').next().unwrap_or("");
        if text.trim().is_empty() {
            continue;
        }
        let error = |column: usize, message: &str| {
            let help = "an action is (move …), (push-to-goal …) or (push-to-nongoal …), one a line";
            Err(source.error(line.number, column, 1, message).help(help))
        };
        let characters: Vec<char> = text.chars().collect();
        let Some(open) = characters.iter().position(|&c| c == '(') else {
            return error(1, "this is no action");
        };
        let Some(close) = characters.iter().position(|&c| c == ')').filter(|&at| at > open) else {
            return error(characters.len(), "the action does not end");
        };
        if !is_time(&characters[..open]) {
            return error(1, "this is no time of an action");
        }
        if !is_cost(&characters[close + 1..]) {
            return error(close + 2, "this does not belong behind an action");
        }
        if actions.len() == MAX_KEYS {
            return error(open + 1, &format!("a plan has at most {MAX_KEYS} actions"));
        }
        let words = words(&characters[open + 1..close], open + 2);
        check_arity(source, line, &words, open + 1)?;
        actions.push(Action { line, words });
    }
    Ok(actions)
}

/// Whether this is nothing or a time, as in `3:` and `0.002:`.
fn is_time(characters: &[char]) -> bool {
    let text: String = characters.iter().collect();
    let text = text.trim();
    text.is_empty() || text.strip_suffix(':').is_some_and(|time| time.trim().parse::<f64>().is_ok())
}

/// Whether this is nothing or a duration or cost, as in `[1]`.
fn is_cost(characters: &[char]) -> bool {
    let text: String = characters.iter().collect();
    let text = text.trim();
    let inside = text.strip_prefix('[').and_then(|text| text.strip_suffix(']'));
    text.is_empty() || inside.is_some_and(|cost| cost.trim().parse::<f64>().is_ok())
}

/// The words between blanks; the first character stands in this column.
fn words(characters: &[char], column: usize) -> Vec<Word> {
    let mut words: Vec<Word> = Vec::new();
    let mut open = false;
    for (at, letter) in (column..).zip(characters) {
        match words.last_mut().filter(|_| open) {
            _ if letter.is_whitespace() => {}
            Some((word, _)) => word.extend(letter.to_lowercase()),
            None => words.push((letter.to_lowercase().collect(), at)),
        }
        open = !letter.is_whitespace();
    }
    words
}

/// That an action is one of the domain's and has its number of arguments.
fn check_arity(
    source: &Source,
    line: Line<'_>,
    words: &[Word],
    column: usize,
) -> Result<(), Diagnostic> {
    let Some((name, at)) = words.first() else {
        return Err(source.error(line.number, column, 2, "an action without a name"));
    };
    let Some((_, arguments)) = ACTIONS.iter().find(|(known, _)| known == name) else {
        let names = ACTIONS.map(|(name, _)| name).join(", ");
        let message = format!("{name:?} is no action of the domain");
        let length = name.chars().count();
        return Err(source
            .error(line.number, *at, length, message)
            .help(format!("one of {names}")));
    };
    if words.len() != arguments + 1 {
        let message = format!("{name} has {arguments} arguments, here are {}", words.len() - 1);
        return Err(source.error(line.number, *at, name.chars().count(), message));
    }
    Ok(())
}

/// The direction of an action, its last word.
fn direction_of(source: &Source, action: &Action<'_>) -> Result<Direction, Diagnostic> {
    let (word, column) = action.words.last().map_or(("", 1), |(word, at)| (word.as_str(), *at));
    let index = DIRECTION_NAMES.iter().position(|name| *name == word);
    index.map(|index| ORTHOGONAL[index]).ok_or_else(|| {
        let message = format!("{word:?} is no direction");
        source
            .error(action.line.number, column, word.chars().count(), message)
            .help(format!("one of {}", DIRECTION_NAMES.join(", ")))
    })
}
