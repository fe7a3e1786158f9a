//! Monsters: the hero must reach the border past monsters that act one after another.
//!
//! From a training of the St. Petersburg State University (2018). Sentinels walk and turn, seekers
//! run at whom they see, shooters make seekers, blobs come the shortest way, mines blow up whatever
//! stands beside them, walls too. [`mod@format`] reads and writes, [`rules`] is the reference that
//! proves plans, [`state`] the fast simulator that the [`planner`] walks on, [`program`] the
//! statement's interactive program, [`generate`] makes levels. This file fits them to the waist of
//! the house.

mod check;
mod description;
mod drawing;
pub mod format;
pub mod generate;
#[cfg(not(feature = "bench"))]
#[allow(dead_code, unused_imports)]
mod planner;
#[cfg(feature = "bench")]
pub mod planner;
pub mod program;
pub mod rules;
pub mod session;
#[cfg(not(feature = "bench"))]
#[allow(dead_code, unused_imports)]
mod state;
#[cfg(feature = "bench")]
pub mod state;
mod stepper;

use crate::certificate::Rulebook;
use crate::diagnostic::{Diagnostic, Source};
use crate::games::area::{Area, NoRulebook};
use crate::games::collection::Collection;
use crate::games::description::{Composed, Description, Drawing};
use crate::games::fact::Fact;
use crate::games::game::{Game, NamedSearch, SimulateError};
use crate::games::generate::{GenerateError, GenerateOptions, Generated, Parameter};
use crate::games::id::GameId;
use crate::games::legend::Legend;
use crate::games::objective::Measure;
use crate::games::plan::{PlanError, Steps, Validation, steps_of_lines};
use crate::games::planning::TextPlanner;
use crate::games::session::Session;
use crate::games::stepper::Opening;
use crate::search::Setting;
use format::{Level, MAX_COMPLEXITY, PlannedKey};
use std::io::{BufRead, Write};
use std::path::Path;

/// The game at the waist.
#[derive(Debug)]
pub struct Monsters;

impl Game for Monsters {
    fn id(&self) -> GameId {
        GameId::Monsters
    }

    fn about(&self) -> &'static str {
        "reach the border past sentinels, seekers, shooters, blobs and mines"
    }

    fn description(&self) -> Description {
        description::description()
    }

    fn recognises(&self, text: &str) -> bool {
        format::recognises(text)
    }

    fn read(&self, source: &Source) -> Result<Collection, Diagnostic> {
        let (level, _keys) = format::read_level(source)?;
        let stem = Path::new(&source.name).file_stem().map(|stem| stem.to_string_lossy());
        let name = stem.unwrap_or_default().into_owned();
        let area: Box<dyn Area> = Box::new(Instance { name, level });
        Ok(Collection::of([area]))
    }

    fn searches(&self) -> &'static [NamedSearch] {
        planner::SEARCHES
    }

    fn settings(&self) -> Vec<Setting> {
        planner::Tuning::settings()
    }

    #[cfg(feature = "cluster")]
    fn shared_searches(&self) -> Option<&'static str> {
        Some("all")
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

    fn simulate(
        &self,
        input: &mut dyn BufRead,
        output: &mut dyn Write,
        warn: &mut dyn FnMut(Diagnostic),
    ) -> Result<(), SimulateError> {
        program::simulate(input, output, warn)
    }
}

/// One level, read.
struct Instance {
    name: String,
    level: Level,
}

impl Area for Instance {
    fn game(&self) -> GameId {
        GameId::Monsters
    }

    fn name(&self) -> &str {
        &self.name
    }

    fn text(&self) -> String {
        self.level.text()
    }

    fn facts(&self) -> Vec<Fact> {
        let monsters = self.level.tiles.iter().filter(|tile| !tile.may_stand_on_border()).count();
        vec![
            Fact::new("size", format!("{}x{}", self.level.shape.rows, self.level.shape.cols)),
            Fact::new("monsters", monsters),
            Fact::new("complexity", self.level.complexity()),
        ]
    }

    fn replay(&self, plan: &Source) -> Result<Validation, PlanError> {
        let keys = format::read_plan(plan, &self.level).map_err(PlanError::Unreadable)?;
        let world = rules::replay(&self.level, &keys, plan).map_err(PlanError::Refused)?;
        let complexity = self.level.complexity() * (world.turn() + 1);
        let within = if complexity <= MAX_COMPLEXITY { "yes" } else { "no" };
        Ok(Validation {
            length: world.turn(),
            facts: vec![
                Fact::new("complexity", complexity),
                Fact::new("within the contest's limit", within),
            ],
            rank: vec![world.turn()],
            remarks: Vec::new(),
        })
    }

    fn planner(&self) -> Box<dyn TextPlanner + '_> {
        Box::new(planner::OfLevel::new(&self.level))
    }

    #[cfg(feature = "cluster")]
    fn serve(&self, seat: crate::search::cluster::Seat<'_>) -> Result<(), GameId> {
        seat.serve(&crate::search::Only(&planner::Escape::new(&self.level)));
        Ok(())
    }

    fn rulebook(&self, _: Option<Measure>) -> Result<Box<dyn Rulebook + '_>, NoRulebook> {
        Ok(Box::new(&self.level))
    }

    fn fast_opening(&self) -> Option<Box<dyn Opening>> {
        Some(Box::new(stepper::Start::new(&self.level)))
    }

    fn session(&self) -> Box<dyn Session> {
        Box::new(session::Play::new(&self.level))
    }

    fn steps(&self, plan: &Source) -> Result<Steps, Diagnostic> {
        let keys = format::read_plan(plan, &self.level)?;
        let step = |planned: PlannedKey| (planned.key.letter().to_string(), planned.line);
        Ok(steps_of_lines(plan, keys.into_iter().map(step)))
    }
}
