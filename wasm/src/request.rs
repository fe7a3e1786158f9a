//! What can be asked, as JSON says it.

use outwit::games::Drawing;
use outwit::play::{MoveRequest, Show};
use serde::{Deserialize, Deserializer};
use std::collections::BTreeMap;

/// What can be asked. The page's judge (`src/service/page/judge/local.js`) asks all of it.
#[derive(Debug, Deserialize)]
#[serde(tag = "do", rename_all = "kebab-case")]
pub enum Request {
    /// The games that are built in.
    Games {},
    /// What lists say of an area, with a small picture of it.
    Describe {
        /// The area.
        area: AreaText,
        /// The longest side of the picture, in pixels.
        side: usize,
    },
    /// The levels of a text.
    Levels {
        /// The text.
        text: String,
        /// Its game, where its content leaves that open.
        game: Option<String>,
    },
    /// An area as an editor draws it.
    Drawing {
        /// The area.
        area: AreaText,
    },
    /// The text of a drawn area, and what is wrong with it.
    Draft {
        /// Its game.
        game: String,
        /// The drawing.
        drawing: Drawing,
    },
    /// Makes an area.
    Generate {
        /// Its game.
        game: String,
        /// The seed: another one makes another area.
        seed: Option<u64>,
        /// What the game's generator is told.
        #[serde(default)]
        values: BTreeMap<String, String>,
    },
    /// Whether a plan holds.
    Verify {
        /// The area.
        area: AreaText,
        /// The plan.
        plan: String,
        /// The best plan that is known, where the answer shall tell whether this one beats it.
        known: Option<String>,
        /// No plan is shorter, as far as is proven.
        #[serde(default)]
        bound: u64,
    },
    /// Whether what a certificate claims is proven by the rules alone.
    Check {
        /// The area.
        area: AreaText,
        /// The certificate's text.
        certificate: String,
        /// Time and memory of the check.
        budget: Spend,
    },
    /// Searches a plan.
    Solve(Wish),
    /// Makes the report of a search that was given up, from its last progress.
    Settle {
        /// The area.
        area: AreaText,
        /// The best plan that the search has found.
        plan: Option<String>,
        /// The best plan that was known before.
        known: Option<String>,
        /// The measure in which a proof was wanted.
        #[serde(default, deserialize_with = "measure")]
        optimal: Option<String>,
        /// No plan is shorter, as the search has proven.
        bound: u64,
        /// Expansions of the search.
        expanded: u64,
        /// Time of the search.
        seconds: f64,
    },
    /// Begins a game that is played by hand or watched; the answer's `token` names it.
    Begin {
        /// The area.
        area: AreaText,
        /// Steps to do at once.
        #[serde(default)]
        steps: Vec<String>,
        /// A plan to watch.
        plan: Option<String>,
        /// What to show.
        #[serde(default)]
        show: Show,
    },
    /// Goes on with a game.
    Move {
        /// The game.
        token: String,
        /// How.
        request: MoveRequest,
    },
    /// The plan of a game so far.
    Plan {
        /// The game.
        token: String,
    },
    /// Gives a game up.
    Leave {
        /// The game.
        token: String,
    },
}

/// An area as text.
#[derive(Debug, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct AreaText {
    /// The area or collection in its game's own format.
    pub text: String,
    /// Its game, where its content leaves that open.
    pub game: Option<String>,
    /// The level of a collection, from 1.
    pub level: Option<usize>,
}

/// A plan that is wanted.
#[derive(Debug, Deserialize)]
pub struct Wish {
    /// The area.
    pub area: AreaText,
    /// What the search may spend.
    pub budget: Spend,
    /// The measure in which a proof is wanted: `true` or an empty word for the game's usual one.
    #[serde(default, deserialize_with = "measure")]
    pub optimal: Option<String>,
    /// A plan to be shortened.
    pub improve: Option<String>,
    /// A plan so far: the search goes on from where it leads.
    pub begun: Option<String>,
    /// A plan that is known: the answer is not worse.
    pub known: Option<String>,
    /// Whether what is proven shall be certified.
    #[serde(default)]
    pub certify: bool,
}

/// What a search may spend.
#[derive(Debug, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct Spend {
    /// Time.
    pub seconds: f64,
    /// Memory of the search's tables.
    pub memory_mib: usize,
    /// Expansions; none for no limit.
    pub nodes: Option<u64>,
    /// Seed of everything random.
    pub seed: u64,
}

/// Reads the measure of a proof: `true` is the game's usual one.
fn measure<'de, D: Deserializer<'de>>(deserializer: D) -> Result<Option<String>, D::Error> {
    #[derive(Deserialize)]
    #[serde(untagged)]
    enum Told {
        Usual(bool),
        Named(String),
    }
    Ok(match Option::deserialize(deserializer)? {
        None | Some(Told::Usual(false)) => None,
        Some(Told::Usual(true)) => Some(String::new()),
        Some(Told::Named(name)) => Some(name),
    })
}
