//! The parameters of a game's generator, and what it makes.

use crate::diagnostic::sentence_error;
use std::collections::BTreeMap;

/// The word that leaves a number to the generator.
const AUTO: &str = "auto";

/// A parameter of [`crate::games::Game::generate`].
#[derive(Clone, Copy, Debug)]
pub struct Parameter {
    /// Name on the command line, without dashes.
    pub name: &'static str,
    /// A few words for help texts, with the unit.
    pub about: &'static str,
    /// The value where none is given.
    pub default: &'static str,
    /// What it may be.
    pub values: Values,
}

/// What the value of a parameter may be.
#[derive(Clone, Copy, Debug)]
pub enum Values {
    /// One of these words.
    Words(&'static [&'static str]),
    /// A whole number from the first to the second.
    Number(u64, u64),
    /// Such a number, or `auto`; what that stands for.
    NumberOrAuto(u64, u64, &'static str),
}

impl Parameter {
    /// A parameter with a whole number from `least` to `most`.
    pub const fn number(
        name: &'static str,
        about: &'static str,
        (least, most): (u64, u64),
        default: &'static str,
    ) -> Parameter {
        Parameter { name, about, default, values: Values::Number(least, most) }
    }

    /// The same parameter with numbers up to `most` at most.
    #[must_use]
    pub fn at_most(&self, most: u64) -> Parameter {
        let values = match self.values {
            Values::Words(words) => Values::Words(words),
            Values::Number(least, greatest) => Values::Number(least, greatest.min(most)),
            Values::NumberOrAuto(least, greatest, auto) => {
                Values::NumberOrAuto(least, greatest.min(most), auto)
            }
        };
        Parameter { values, ..*self }
    }

    /// One line for help texts: what it is, and its range.
    pub fn help(&self) -> String {
        match self.values {
            Values::Words(_) => self.about.to_string(),
            Values::Number(least, most) => format!("{}, {least} to {most}", self.about),
            Values::NumberOrAuto(least, most, auto) => {
                format!("{}, {least} to {most}, or {AUTO} for {auto}", self.about)
            }
        }
    }

    /// Checks a value: the one place where that is done.
    ///
    /// ```
    /// use outwit::games::Parameter;
    /// let boxes = Parameter::number("boxes", "boxes", (1, 40), "4");
    /// assert_eq!(boxes.check("40"), Ok(()));
    /// assert_eq!(boxes.check("41").unwrap_err().to_string(), "41 is not from 1 to 40");
    /// ```
    ///
    /// # Errors
    /// What the value is not.
    pub fn check(&self, word: &str) -> Result<(), GenerateError> {
        let (least, most) = match self.values {
            Values::Words(words) if words.contains(&word) => return Ok(()),
            Values::Words(words) => {
                return Err(format!("{word:?} is not one of {}", words.join(", ")).into());
            }
            Values::NumberOrAuto(..) if word == AUTO => return Ok(()),
            Values::Number(least, most) | Values::NumberOrAuto(least, most, _) => (least, most),
        };
        match word.parse::<u64>() {
            Ok(number) if (least..=most).contains(&number) => Ok(()),
            Ok(number) => Err(format!("{number} is not from {least} to {most}").into()),
            Err(_) => Err(format!("{word:?} is not a whole number").into()),
        }
    }
}

/// What an area to be made shall be like.
///
/// ```
/// use outwit::games::{GameId, GenerateOptions};
///
/// let mut options = GenerateOptions { seed: 7, ..GenerateOptions::default() };
/// options.values.insert("rows".into(), "12".into());
/// let made = GameId::LastOfUs.game().generate(&options).expect("an area");
/// assert_eq!(made.area.lines().nth(1).map(|header| header.starts_with("12 ")), Some(true));
///
/// options.values.insert("rows".into(), "a dozen".into());
/// assert!(GameId::LastOfUs.game().generate(&options).is_err());
/// ```
#[derive(Clone, Debug, Default)]
pub struct GenerateOptions {
    /// Seed: the same options give the same area.
    pub seed: u64,
    /// Parameters by name; the others have their defaults.
    pub values: BTreeMap<String, String>,
}

impl GenerateOptions {
    /// A seed, and the values of some parameters by name.
    ///
    /// ```
    /// use outwit::games::{GameId, GenerateOptions};
    ///
    /// let options = GenerateOptions::new(7, [("family", "chain"), ("boxes", "20")]);
    /// let made = GameId::Sokoban.game().generate(&options).expect("a level");
    /// assert_eq!(made.name, "chain-line-20-4-2-7");
    /// ```
    pub fn new<'a, V: ToString>(
        seed: u64,
        values: impl IntoIterator<Item = (&'a str, V)>,
    ) -> GenerateOptions {
        let named = |(name, value): (&str, V)| (name.to_string(), value.to_string());
        GenerateOptions { seed, values: values.into_iter().map(named).collect() }
    }

    /// Checks all values.
    ///
    /// # Errors
    /// One sentence where a parameter is unknown, or its value is not one that it may have.
    pub fn check(&self, parameters: &[Parameter]) -> Result<(), GenerateError> {
        for (name, word) in &self.values {
            let Some(parameter) = parameters.iter().find(|known| known.name == name) else {
                let known: Vec<_> = parameters.iter().map(|known| known.name).collect();
                let known = known.join(", ");
                return Err(format!("unknown parameter {name:?}; one of {known}").into());
            };
            parameter.check(word).map_err(|what| format!("--{name}: {what}"))?;
        }
        Ok(())
    }

    /// The value of a parameter.
    pub fn word<'a>(&'a self, parameter: &'a Parameter) -> &'a str {
        self.values.get(parameter.name).map_or(parameter.default, String::as_str)
    }

    /// The value of a parameter with a number.
    ///
    /// # Errors
    /// One sentence where it is none, or not within the parameter's range.
    pub fn number<N: TryFrom<u64>>(&self, parameter: &Parameter) -> Result<N, GenerateError> {
        let word = self.word(parameter);
        parameter.check(word).map_err(|what| format!("--{}: {what}", parameter.name))?;
        let number = word.parse().ok().and_then(|number: u64| N::try_from(number).ok());
        number.ok_or_else(|| format!("--{}: {word:?} is not a number", parameter.name).into())
    }

    /// The value of a parameter with a number or `auto`: none for that.
    ///
    /// # Errors
    /// As [`GenerateOptions::number`].
    pub fn number_unless_auto<N>(&self, parameter: &Parameter) -> Result<Option<N>, GenerateError>
    where
        N: TryFrom<u64>,
    {
        if self.word(parameter) == AUTO { Ok(None) } else { self.number(parameter).map(Some) }
    }
}

sentence_error!(
    /// Why no area was made, in one sentence: the options are not what the game's parameters allow, or they
    /// cannot be met.
    GenerateError
);

/// An area that was made, and a plan that proves it solvable.
#[derive(Clone, Debug)]
pub struct Generated {
    /// File name without ending.
    pub name: String,
    /// The area in the game's own format.
    pub area: String,
    /// A plan in the game's own format; the caller verifies it.
    pub plan: String,
}
