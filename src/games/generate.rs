//! What a game's generator can be told, and what it makes.

/// Something that [`Game::generate`] can be told.
#[derive(Clone, Copy, Debug)]
pub struct Parameter {
    /// Name on the command line, without dashes.
    pub name: &'static str,
    /// One line for help texts, with the unit and the range.
    pub about: &'static str,
    /// The value where none is given.
    pub default: &'static str,
    /// The allowed words; empty for a whole number.
    pub words: &'static [&'static str],
}

/// What an area to be made shall be like.
#[derive(Clone, Debug, Default)]
pub struct GenerateOptions {
    /// Seed: the same options give the same area.
    pub seed: u64,
    /// Parameters by name; the others have their defaults.
    pub values: std::collections::BTreeMap<String, String>,
}

impl GenerateOptions {
    /// The value of a parameter.
    pub fn word<'a>(&'a self, parameter: &'a Parameter) -> &'a str {
        self.values.get(parameter.name).map_or(parameter.default, String::as_str)
    }

    /// The value of a whole-number parameter.
    ///
    /// # Errors
    /// One sentence where it is not a number.
    pub fn number(&self, parameter: &Parameter) -> Result<u64, String> {
        let word = self.word(parameter);
        word.parse().map_err(|_| format!("--{}: {word:?} is not a whole number", parameter.name))
    }
}

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
