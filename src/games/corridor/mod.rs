//! Corridor: walk to the end of a row of cells. The smallest game that is whole, for tests alone: that a
//! game is a folder and a line of the table in `id.rs`, `tests.rs` shows by it.
//!
//! An area is a line: `@` the player, `.` a cell, `>` the end. A plan is one step a line, `right` or
//! `left`.

mod tests;

use crate::diagnostic::{Diagnostic, Line, Source};
use crate::games::area::Area;
use crate::games::collection::Collection;
use crate::games::description::{Brush, Composed, Description, Drawing, Easel, Side, Unit};
use crate::games::fact::Fact;
use crate::games::game::Game;
use crate::games::generate::{GenerateError, GenerateOptions, Generated, Parameter};
use crate::games::id::GameId;
use crate::games::legend::{Legend, Role, Sign};
use crate::games::objective::Objective;
use crate::games::plan::{Answer, PlanError, Refusal, Steps, Validation, steps_of_lines};
use crate::games::planning::{Planned, Planning, Task, TextPlanner};
use crate::games::session::history::History;
use crate::games::session::{IllegalStep, Key, Session, Status, View, Window};
use crate::search::breadth_first::breadth_first;
use crate::search::{Run, Space, Successor};

/// The most cells of a corridor, its end among them.
const MAX_CELLS: u32 = 1000;
/// The most steps of a plan.
const MAX_STEPS: usize = 10_000;

const LEGEND: Legend = Legend {
    signs: &[Sign::new('@', Role::Player, "you"), Sign::new('>', Role::Goal, "end")],
    marks: &[],
};

const PARAMETERS: &[Parameter] =
    &[Parameter::number("cells", "cells of the corridor", (2, MAX_CELLS as u64), "5")];

/// The game at the waist.
pub struct Corridor;

impl Game for Corridor {
    fn id(&self) -> GameId {
        GameId::Corridor
    }

    fn about(&self) -> &'static str {
        "walk to the end of a corridor"
    }

    fn description(&self) -> Description {
        let rules = [
            "Walk right or left, a cell each turn.".to_string(),
            format!("A corridor has up to {MAX_CELLS} cells."),
        ];
        let easel = Easel {
            floor: '.',
            brushes: vec![Brush::single('@', "you"), Brush::single('>', "end")],
            rows: Side::new(1, 1, 1),
            cols: Side::new(2, MAX_CELLS, 5),
            ..Easel::default()
        };
        let units = [Unit::new("step", "steps")];
        Description { easel, ..Description::new("Corridor", "Walk to the end", units, rules) }
    }

    fn recognises(&self, text: &str) -> bool {
        cells(text).is_some()
    }

    fn read(&self, source: &Source) -> Result<Collection, Diagnostic> {
        let cells = cells(&source.text)
            .ok_or_else(|| source.error(1, 1, 1, "a corridor is `@`, dots, and `>` on one line"))?;
        let area: Box<dyn Area> = Box::new(Instance { name: source.name.clone(), cells });
        Ok(Collection::of([area]))
    }

    fn compose(&self, drawing: &Drawing) -> Composed {
        Composed::board_from(drawing.board('.'), 1)
    }

    fn legend(&self) -> &'static Legend {
        &LEGEND
    }

    fn parameters(&self) -> &'static [Parameter] {
        PARAMETERS
    }

    fn make(&self, options: &GenerateOptions) -> Result<Generated, GenerateError> {
        let cells = options.number(&PARAMETERS[0])?;
        let plan = "right\n".repeat(cells as usize - 1);
        Ok(Generated { name: format!("corridor-{cells}"), area: row(cells, 0) + "\n", plan })
    }
}

/// The number of cells that a text has, where it is a corridor.
fn cells(text: &str) -> Option<u32> {
    let between = text.trim_end().strip_prefix('@')?.strip_suffix('>')?;
    let cells = u32::try_from(between.len()).ok()?.checked_add(2)?;
    (between.bytes().all(|letter| letter == b'.') && cells <= MAX_CELLS).then_some(cells)
}

/// A corridor as text, with the player on a cell.
fn row(cells: u32, player: u32) -> String {
    (0..cells).map(|cell| letter(cells, player, cell)).collect()
}

fn letter(cells: u32, player: u32, cell: u32) -> char {
    if cell == player {
        '@'
    } else if cell + 1 == cells {
        '>'
    } else {
        '.'
    }
}

/// A step.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum Step {
    Right,
    Left,
}

impl Step {
    const ALL: [Step; 2] = [Step::Right, Step::Left];

    fn name(self) -> &'static str {
        match self {
            Step::Right => "right",
            Step::Left => "left",
        }
    }

    fn read(word: &str) -> Option<Step> {
        Step::ALL.into_iter().find(|step| step.name() == word.trim())
    }
}

fn write(steps: &[Step]) -> String {
    steps.iter().map(|step| format!("{}\n", step.name())).collect()
}

/// The steps of a plan.
fn read_plan(plan: &Source) -> Result<Vec<Step>, Diagnostic> {
    let step = |line: Line<'_>| {
        let wrong = || plan.error(line.number, 1, line.text.len(), "a step is `right` or `left`");
        Step::read(line.text).ok_or_else(wrong)
    };
    plan.lines().filter(|line| !line.text.trim().is_empty()).map(step).collect()
}

/// One corridor. The player begins on the first cell, and wins on the last.
struct Instance {
    name: String,
    cells: u32,
}

/// A game in progress.
#[derive(Clone, Copy)]
struct Walk {
    cells: u32,
    at: u32,
}

impl Walk {
    fn is_won(self) -> bool {
        self.at + 1 == self.cells
    }

    fn act(&mut self, step: Step) -> Result<(), String> {
        self.at = match step {
            _ if self.is_won() => return Err("the game is won already".into()),
            Step::Right => self.at + 1,
            Step::Left => self.at.checked_sub(1).ok_or("the corridor begins here")?,
        };
        Ok(())
    }
}

impl Instance {
    fn start(&self) -> Walk {
        Walk { cells: self.cells, at: 0 }
    }

    fn refusal(&self, step: usize, reason: String, walk: Walk) -> PlanError {
        let board = row(self.cells, walk.at);
        PlanError::Refused(Refusal { step: step as u64, line: None, reason, board })
    }
}

impl Area for Instance {
    fn game(&self) -> GameId {
        GameId::Corridor
    }

    fn name(&self) -> &str {
        &self.name
    }

    fn text(&self) -> String {
        row(self.cells, 0) + "\n"
    }

    fn facts(&self) -> Vec<Fact> {
        vec![Fact::new("size", format!("1x{}", self.cells))]
    }

    fn replay(&self, plan: &Source) -> Result<Validation, PlanError> {
        let steps = read_plan(plan).map_err(PlanError::Unreadable)?;
        let mut walk = self.start();
        for (number, &step) in (1..).zip(&steps) {
            walk.act(step).map_err(|reason| self.refusal(number, reason, walk))?;
        }
        if !walk.is_won() {
            return Err(self.refusal(steps.len() + 1, "the plan ends too early".into(), walk));
        }
        let length = steps.len() as u64;
        Ok(Validation { length, facts: Vec::new(), rank: vec![length], remarks: Vec::new() })
    }

    fn planner(&self) -> Box<dyn TextPlanner + '_> {
        Box::new(OfWalk { start: self.start(), done: &[] })
    }

    fn session(&self) -> Box<dyn Session> {
        Box::new(Play { past: History::new(self.start(), MAX_STEPS, Walk::act) })
    }

    fn steps(&self, plan: &Source) -> Result<Steps, Diagnostic> {
        let steps = read_plan(plan)?.into_iter().map(|step| step.name().to_string());
        Ok(steps_of_lines(plan, steps.zip(1..)))
    }
}

/// The planner from a position, to which steps have led.
struct OfWalk<'a> {
    start: Walk,
    done: &'a [Step],
}

impl Planning for OfWalk<'_> {
    type Action = Step;

    fn read(&self, plan: &str) -> Option<Vec<Step>> {
        read_plan(&Source::new("the known plan", plan)).ok()
    }

    fn write(&self, plan: &[Step]) -> String {
        write(&[self.done, plan].concat())
    }

    fn solve(&self, task: Task<'_, Step>) -> Planned<Step> {
        (breadth_first(&self.start, &task.run.start()), Vec::new())
    }
}

/// The cells that are reached from one of them.
impl Space for Walk {
    type State = u32;
    type Action = Step;
    type Scratch = ();

    fn start(&self) -> u32 {
        self.at
    }

    fn key(&self, at: &u32) -> u64 {
        u64::from(*at)
    }

    fn bound(&self, at: &u32) -> u32 {
        self.cells - 1 - at
    }

    fn is_goal(&self, at: &u32) -> bool {
        self.bound(at) == 0
    }

    fn scratch(&self) {}

    fn expand(&self, &at: &u32, _: &mut (), visit: &mut impl FnMut(Successor<Step>)) {
        for action in Step::ALL {
            let mut walk = Walk { at, ..*self };
            if walk.act(action).is_ok() {
                visit(Successor::of(self, (action, 1), &walk.at));
            }
        }
    }

    fn child(&self, &at: &u32, step: Step, (): &mut ()) -> u32 {
        match step {
            Step::Right => at + 1,
            Step::Left => at - 1,
        }
    }
}

/// A game played by hand.
struct Play {
    past: History<Walk, Step>,
}

impl Session for Play {
    fn act(&mut self, step: &str) -> Result<(), IllegalStep> {
        Ok(self.past.act(Step::read(step).ok_or("a step is `right` or `left`")?)?)
    }

    fn rewind(&mut self, steps: u64) {
        self.past.rewind(steps as usize);
    }

    fn steps(&self) -> u64 {
        self.past.steps().len() as u64
    }

    fn status(&self) -> Status {
        if self.past.now().is_won() { Status::Won } else { Status::Playing }
    }

    fn plan(&self) -> String {
        write(self.past.steps())
    }

    fn search(&self, objective: &Objective, run: &Run) -> Answer {
        let planner = OfWalk { start: *self.past.now(), done: self.past.steps() };
        TextPlanner::solve(&planner, objective, None, run)
    }

    fn length(&self, _: &Objective) -> u64 {
        self.steps()
    }

    fn position(&self) -> Vec<u64> {
        vec![self.past.now().at.into()]
    }

    fn extent(&self) -> (Window, Option<(i64, i64)>) {
        let Walk { cells, at } = *self.past.now();
        (Window { row: 0, col: 0, rows: 1, cols: cells }, Some((0, at.into())))
    }

    fn view(&self, window: Window) -> View {
        let Walk { cells, at } = *self.past.now();
        let letter = |_, col: i64| letter(cells, at, col as u32);
        View::new(window.cut(self.extent().0), letter, Vec::new(), Vec::new())
    }

    fn keys(&self) -> Vec<Key> {
        Step::ALL.map(|step| Key::new(step.name(), step.name(), step.name())).into()
    }

    fn legend(&self) -> &'static Legend {
        &LEGEND
    }
}
