//! Areas for planners that know no game: the Planning Domain Definition Language.

use crate::diagnostic::Source;
use crate::games::plan::PlanError;

/// An area in PDDL, and plans to and from the actions of its domain.
pub trait Pddl {
    /// The rules: the same for every area of the game.
    fn domain(&self) -> String;

    /// The area.
    fn problem(&self) -> String;

    /// Writes a plan of the game's own format as actions of the domain, one a line.
    ///
    /// # Errors
    /// A diagnostic where the plan cannot be read; the first step that is refused.
    fn write_plan(&self, plan: &Source) -> Result<String, PlanError>;

    /// Reads a planner's plan, action by action, and writes it in the game's own format. Each
    /// precondition is checked; that the plan reaches the goal is for
    /// [`crate::verify::verify`] to say, as of any other plan.
    ///
    /// # Errors
    /// A diagnostic where the plan cannot be read; the first action that is refused.
    fn read_plan(&self, plan: &Source) -> Result<String, PlanError>;
}
