//! The areas of a game, as everything above knows them.

use crate::certificate::{Parts, Rulebook};
use crate::diagnostic::{Diagnostic, Source};
use crate::games::description::{Drawing, Easel};
use crate::games::fact::Fact;
use crate::games::id::GameId;
use crate::games::objective::{Measure, Objective};
use crate::games::plan::{Answer, PlanError, Refusal, Steps, Validation};
use crate::games::planning::TextPlanner;
use crate::games::plans::{Passage, Sok, by_level_lines};
use crate::games::session::{Session, Window};
use crate::games::stepper::Opening;
use crate::search::Run;
use std::fmt;

/// How far around the player a refused step shows the board, in cells.
const SHOWN: i64 = 5;

/// One area, read.
///
/// ```
/// use outwit::diagnostic::Source;
/// use outwit::games::{GameId, Objective, PlanError};
/// use outwit::search::{Run, Verdict};
///
/// let level = Source::new("corridor", "######\n#@$ .#\n######\n");
/// let area = GameId::Sokoban.game().read(&level).expect("a file").only().expect("a level");
/// let answer = area.solve(&Objective::OPTIMAL, None, &Run::seconds(10.0));
/// assert_eq!((answer.verdict, answer.length), (Verdict::Optimal, Some(2)));
///
/// // One push is too few, and the refusal says so.
/// let Err(PlanError::Refused(refusal)) = area.replay(&Source::new("plan", "R\n")) else { panic!() };
/// assert_eq!(refusal.reason, "the plan ends with a box that is not on a target");
/// ```
pub trait Area: Send + Sync {
    /// Its game.
    fn game(&self) -> GameId;

    /// Its name or title.
    fn name(&self) -> &str;

    /// The area in its game's own format.
    fn text(&self) -> String;

    /// The area as an editor draws it.
    ///
    /// # Errors
    /// The board is larger than an editor of the game draws.
    fn drawing(&self) -> Result<Drawing, TooLarge> {
        let session = self.session();
        let (window, _) = session.extent();
        let Easel { rows, cols, .. } = self.game().game().description().easel;
        if window.rows > rows.most || window.cols > cols.most {
            return Err(TooLarge { most: (rows.most, cols.most) });
        }
        let values = self.drawn_values().into_iter().map(|(name, value)| (name.to_string(), value));
        let rows = session.view(window).rows;
        Ok(Drawing { name: self.name().into(), rows, values: values.collect() })
    }

    /// The values of the fields of the game's easel: name and value.
    fn drawn_values(&self) -> Vec<(&'static str, String)> {
        Vec::new()
    }

    /// Sizes and counts worth showing, as `("size", "10x10")`.
    fn facts(&self) -> Vec<Fact>;

    /// Replays a plan through the reference rules. Plans go through [`crate::verify::verify`].
    ///
    /// # Errors
    /// A diagnostic where the plan cannot be read; the first refused step where it is invalid.
    fn replay(&self, plan: &Source) -> Result<Validation, PlanError>;

    /// Its planner, behind the adapter that reads and writes plans as texts.
    fn planner(&self) -> Box<dyn TextPlanner + '_>;

    /// Looks for a plan within the run's limits. Where a valid plan is known, only shorter ones are of
    /// interest.
    fn solve(&self, objective: &Objective, known: Option<&str>, run: &Run) -> Answer {
        self.planner().solve(objective, known, run)
    }

    /// Shortens a valid plan within the run's limits. The answer may be worse than `plan`, or have no
    /// plan, where nothing shorter was found: the caller keeps the better after verification.
    ///
    /// A game without an improver of its own searches from the start, knowing the plan.
    fn improve(&self, plan: &str, objective: &Objective, run: &Run) -> Answer {
        self.planner().improve(plan, objective, run)
    }

    /// Runs one search of the planner alone, by its name among
    /// [`Game::searches`](super::game::Game::searches): to compare searches, and to see what one of them
    /// makes of an area. `None` where there is none of that name, where it does not work on this area
    /// or within this memory, or where it shortens a plan and none is known.
    fn search(
        &self,
        name: &str,
        objective: &Objective,
        known: Option<&str>,
        run: &Run,
    ) -> Option<Answer> {
        self.planner().search(name, objective, known, run)
    }

    /// Looks for a plan that begins with the steps of `begun`, a plan that need not have come to its
    /// end: what to do from a position. See [`Session::solve`].
    ///
    /// # Errors
    /// A diagnostic where `begun` cannot be read; its first step that the rules refuse.
    fn solve_from(
        &self,
        begun: &Source,
        objective: &Objective,
        run: &Run,
    ) -> Result<Answer, PlanError> {
        Ok(self.position(begun)?.solve(objective, run))
    }

    /// The game after the steps of a plan that need not have come to its end.
    ///
    /// # Errors
    /// As those of [`Area::solve_from`].
    fn position(&self, begun: &Source) -> Result<Box<dyn Session>, PlanError> {
        let mut session = self.session();
        // What a game without steps writes need not be a plan.
        if begun.text == session.plan() {
            return Ok(session);
        }
        let steps = self.steps(begun).map_err(PlanError::Unreadable)?;
        for (number, step) in (1..).zip(steps) {
            session.act(&step.text).map_err(|reason| {
                let line = Some((step.line, step.text));
                let board = around_player(&*session);
                PlanError::Refused(Refusal {
                    step: number,
                    line,
                    reason: reason.to_string(),
                    board,
                })
            })?;
        }
        Ok(session)
    }

    /// Searches with other processes, as one of them, whenever the seat's orders say so: the search
    /// that [`Area::solve`] has them do by [`crate::search::astar_below_shared`] and
    /// [`crate::search::widening_shared`]. The game names these searches:
    /// [`Game::shared_searches`](super::game::Game::shared_searches).
    ///
    /// # Errors
    /// The game, where its planner shares none.
    #[cfg(feature = "cluster")]
    fn serve(&self, _seat: crate::search::cluster::Seat<'_>) -> Result<(), GameId> {
        Err(self.game())
    }

    /// Opens a game to be played by hand under the reference rules.
    fn session(&self) -> Box<dyn Session>;

    /// The start of games over the fast simulator, for programs that play; `None` if the game has none for
    /// them. [`crate::vector::opening`] makes one for every game.
    fn fast_opening(&self) -> Option<Box<dyn Opening>> {
        None
    }

    /// The area as the checker of proofs sees it, with costs in a measure of the game: see [`crate::certificate`].
    ///
    /// # Errors
    /// Why the area is beyond the checker.
    fn rulebook(&self, _measure: Option<Measure>) -> Result<Box<dyn Rulebook + '_>, NoRulebook> {
        Err(format!("{} has no checker yet", self.game()).into())
    }

    /// The area as the checker sees it in fewer states, where its game has an abstraction: see
    /// [`Rulebook::is_abstract`].
    fn abstraction(&self) -> Option<Box<dyn Rulebook + '_>> {
        None
    }

    /// Parts of the area that its planner believes to prove that no plan costs less than `cost`; `None` where it finds
    /// none. [`crate::check`] proves the costs of the parts before a certificate holds them.
    fn parts(&self, _measure: Option<Measure>, _cost: u64, _run: &Run) -> Option<Parts> {
        None
    }

    /// The area in PDDL, where its game has a form there.
    fn pddl(&self) -> Option<&dyn Pddl> {
        None
    }

    /// The area in the form in which programs exchange levels and solutions, where its game has it.
    fn sok(&self) -> Option<&dyn Sok> {
        None
    }

    /// The plans of a text that may hold several, of this area and others of its game.
    ///
    /// # Errors
    /// A diagnostic where the text is none with plans.
    fn passages(&self, text: &Source) -> Result<Vec<Passage>, Diagnostic> {
        Ok(by_level_lines(text))
    }

    /// The steps of a plan, each as [`Session::act`] takes it and as [`Session::keys`] writes it, with
    /// its place in the plan's text: for watching a plan. A session that does all steps of a valid plan has won.
    ///
    /// # Errors
    /// A diagnostic where the plan cannot be read.
    fn steps(&self, plan: &Source) -> Result<Steps, Diagnostic>;
}

/// Its game and name.
impl fmt::Debug for dyn Area + '_ {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let (game, name) = (self.game(), self.name());
        f.debug_struct("Area").field("game", &game).field("name", &name).finish_non_exhaustive()
    }
}

/// An area in the Planning Domain Definition Language, for planners that know no game, and plans to and from the actions of its domain.
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

/// The board near the player, as refusals show it.
fn around_player(session: &dyn Session) -> String {
    let (whole, player) = session.extent();
    let (row, col) = player.unwrap_or((whole.row, whole.col));
    let side = 2 * SHOWN as u32 + 1;
    let near = Window { row: row - SHOWN, col: col - SHOWN, rows: side, cols: side };
    session.view(near).rows.join("\n")
}

/// Why an area is beyond the checker of proofs, in part of a sentence.
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
#[error("{0}")]
pub struct NoRulebook(String);

impl From<String> for NoRulebook {
    fn from(reason: String) -> Self {
        NoRulebook(reason)
    }
}

/// Why an area cannot be drawn by an editor.
#[derive(Clone, Copy, Debug, PartialEq, Eq, thiserror::Error)]
#[error("boards of up to {} rows and {} columns can be drawn here, and this one is larger", most.0, most.1)]
pub struct TooLarge {
    /// The greatest number of rows and of columns.
    pub most: (u32, u32),
}
