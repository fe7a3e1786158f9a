//! A game, as everything above knows it.

use crate::diagnostic::{Diagnostic, Source};
use crate::games::collection::Collection;
use crate::games::description::{Composed, Description, Drawing};
use crate::games::generate::{GenerateError, GenerateOptions, Generated, Parameter};
use crate::games::id::GameId;
use crate::games::legend::Legend;
use crate::games::objective::{Measure, Objective, UnknownMeasure};
use crate::search::Setting;
use std::io::{BufRead, Write};

/// A game: reads areas, makes new ones.
///
/// ```
/// use outwit::diagnostic::Source;
/// use outwit::games::{Game, GameId};
///
/// let game = GameId::Sokoban.game();
/// let file = Source::new("two.xsb", "#####\n#@$.#\n#####\n\n#####\n#@ *#\n#####\n");
/// assert!(game.recognises(&file.text));
/// assert_eq!(game.read(&file).expect("two levels").entries.len(), 2);
///
/// let error = game.read(&Source::new("none.xsb", "#####\n#  .#\n#####\n")).err().expect("no player");
/// assert_eq!((error.file.as_str(), error.line), ("none.xsb", 1));
/// ```
pub trait Game: Sync {
    /// Which game this is.
    fn id(&self) -> GameId;

    /// One line for help texts.
    fn about(&self) -> &'static str;

    /// The game in words: title, goal, units, rules, and what clients need to let it be played.
    fn description(&self) -> Description;

    /// Endings of file names, in lower case and without the dot, that no other game's areas have.
    fn endings(&self) -> &'static [&'static str] {
        &[]
    }

    /// Whether the text looks like an area of this game, so that `--game` may be left out.
    fn recognises(&self, text: &str) -> bool;

    /// Whether the text is no area of this game, but input of the statement's own program:
    /// [`Game::read`] then says so.
    fn is_for_simulator(&self, _text: &str) -> bool {
        false
    }

    /// Reads a file of one or more areas. At least one of them can be read: the others have their
    /// diagnostics.
    ///
    /// # Errors
    /// The first thing that is wrong, and where, in a file of which nothing can be read.
    fn read(&self, source: &Source) -> Result<Collection, Diagnostic>;

    /// The text of an area that was drawn with the letters and values of the game's
    /// [`Easel`](super::description::Easel). Any letters and values have a text: [`Game::read`] says what
    /// is wrong with it.
    fn compose(&self, drawing: &Drawing) -> Composed;

    /// The measures of a game that has several, the usual one first.
    /// A [`Validation`](super::plan::Validation) has a fact of that name, a number, for each;
    /// [`Answer::bound`](super::plan::Answer::bound) is in the measure that was asked for.
    fn measures(&self) -> &'static [Measure] {
        &[]
    }

    /// The measure of that name.
    ///
    /// # Errors
    /// The game has none of that name.
    fn measure(&self, name: &str) -> Result<Measure, UnknownMeasure> {
        let measures = self.measures();
        let known = measures.iter().copied().find(|measure| measure.name() == name);
        known.ok_or_else(|| {
            if measures.is_empty() {
                return UnknownMeasure::OnlyOne(self.id(), name.into());
            }
            let names: Vec<_> = measures.iter().map(|measure| measure.name()).collect();
            UnknownMeasure::NotAmong(self.id(), name.into(), names.join(", "))
        })
    }

    /// The objective that a word stands for: without one any plan will do; else a proof is wanted,
    /// in the measure of that name, or in the usual one where the word is empty.
    ///
    /// # Errors
    /// The game has no measure of that name.
    fn objective(&self, optimal: Option<&str>) -> Result<Objective, UnknownMeasure> {
        Ok(match optimal {
            None => Objective::default(),
            Some("") => Objective::OPTIMAL,
            Some(name) => Objective { measure: Some(self.measure(name)?), prove: true },
        })
    }

    /// The searches of its planner that can be run alone, by [`Area::search`](super::area::Area::search).
    fn searches(&self) -> &'static [NamedSearch] {
        &[]
    }

    /// The numbers of its planner that can be set for a run, in
    /// [`Run::settings`](crate::search::Run::settings).
    fn settings(&self) -> Vec<Setting> {
        Vec::new()
    }

    /// Names, in a word or two, the searches of its planner that several processes can share
    /// ([`Area::serve`](super::area::Area::serve)); `None` if there are none.
    #[cfg(feature = "cluster")]
    fn shared_searches(&self) -> Option<&'static str> {
        None
    }

    /// What the signs on its boards mean.
    fn legend(&self) -> &'static Legend;

    /// The parameters of [`Game::generate`].
    fn parameters(&self) -> &'static [Parameter];

    /// Makes one area, the same for the same options, with a plan that proves it solvable.
    ///
    /// # Errors
    /// One sentence where the options are not what [`Game::parameters`] allow, or cannot be met.
    fn generate(&self, options: &GenerateOptions) -> Result<Generated, GenerateError> {
        options.check(self.parameters())?;
        self.make(options)
    }

    /// Makes one area from options that are checked.
    ///
    /// # Errors
    /// One sentence where the options cannot be met.
    fn make(&self, options: &GenerateOptions) -> Result<Generated, GenerateError>;

    /// Runs the statement's own program, byte for byte: `outwit simulate GAME`.
    ///
    /// Diagnostics may call the input anything: the caller puts its name in. An interactive
    /// program flushes after each turn, and gives to `warn` what is wrong but does not end it.
    ///
    /// # Errors
    /// What is wrong with the input, and where; a broken pipe or another failure of the streams;
    /// [`SimulateError::Missing`] for a game whose statement asks for no simulator.
    fn simulate(
        &self,
        input: &mut dyn BufRead,
        output: &mut dyn Write,
        warn: &mut dyn FnMut(Diagnostic),
    ) -> Result<(), SimulateError> {
        let _ = (input, output, warn);
        Err(SimulateError::Missing(self.id()))
    }
}

/// A search of a planner that can be run alone.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct NamedSearch {
    /// Its name: lower case, words joined by hyphens.
    pub name: &'static str,
    /// Description of the search, a few words.
    pub about: &'static str,
    /// Whether it works on a known plan, and does nothing without one.
    pub needs_plan: bool,
}

impl NamedSearch {
    /// A search that finds plans or bounds by itself.
    pub const fn new(name: &'static str, about: &'static str) -> Self {
        NamedSearch { name, about, needs_plan: false }
    }

    /// A search that shortens a known plan.
    pub const fn of_plan(name: &'static str, about: &'static str) -> Self {
        NamedSearch { name, about, needs_plan: true }
    }
}

/// Why [`Game::simulate`] ended early.
#[derive(Debug, thiserror::Error)]
pub enum SimulateError {
    /// The game's statement asks for no such program.
    #[error("{0} has no simulator program")]
    Missing(GameId),
    /// The input is wrong.
    #[error(transparent)]
    Input(#[from] Diagnostic),
    /// A stream failed.
    #[error(transparent)]
    Stream(#[from] std::io::Error),
}
