//! The waist of the house: what everything above knows of a game, and nothing more.
//!
//! A [`Game`] reads texts into [`Area`]s and makes new ones; an [`Area`] replays plans through its
//! reference rules, plans, and opens a [`Session`] to be played by hand. Plans cross this waist as
//! texts in the game's own format, so that what is verified is the very text that leaves.
//! Everything above matches on nothing: it asks [`GameId::game`] and uses the traits.
//!
//! | file | contents |
//! |---|---|
//! | [`id`] | the games' names |
//! | [`fact`] | named values |
//! | [`description`] | a game in words: title, goal, units, rules |
//! | [`legend`] | what the signs of a game mean |
//! | [`session`] | a game played by hand: steps, views, keys; its past |
//! | [`stepper`] | a game played by a program: numbers of actions, masks, codes of cells |
//! | [`generate`] | parameters of generators, and what they make |
//! | [`objective`] | what kind of plan is wanted |
//! | [`plan`] | a planner's answer, the standing of an area, the result of a replay, the reason for a refusal |
//! | [`planning`] | the one adapter between a planner and the waist |
//! | [`plans`] | texts that hold several plans |
//! | [`area`] | the trait [`Area`], and [`Pddl`] for planners that know no game |
//! | [`collection`] | the areas of a file, with titles, authors and solutions; which of them is meant |
//! | [`game`] | the trait [`Game`] |
//! | `fingerprint` | who an area is: its content; with the feature `certificates` |
//! | [`registry`] | the games by their ids, as the table in [`id`] names them |
//!
//! The games import these files, never this one: it is for those above.
//!
//! To add a game: a folder with the same rooms as the others, its [`Game`] in the folder's `mod.rs`, its
//! `pub mod` here and one line in the table in [`id`].

pub mod area;
pub mod collection;
#[cfg(test)]
mod corridor;
pub mod description;
pub mod fact;
#[cfg(feature = "certificates")]
pub mod fingerprint;
pub mod game;
pub mod generate;
pub mod id;
pub mod labyrinth;
pub mod last_of_us;
pub mod legend;
pub mod monsters;
pub mod objective;
pub mod plan;
pub mod planning;
pub mod plans;
pub mod registry;
pub mod robots;
pub mod session;
pub mod sokoban;
pub mod stepper;

pub use area::{Area, NoRulebook, Pddl, TooLarge};
pub use collection::{Collection, Entry, LevelError, Solution};
pub use description::{
    Aim, Brush, Composed, Description, Drawing, Easel, Field, Fixed, LongStep, Pointing, Side,
    SizeOrder, Stack, Unit,
};
pub use fact::{Fact, Facts, Value};
#[cfg(feature = "certificates")]
pub use fingerprint::Fingerprint;
pub use game::{Game, NamedSearch, SimulateError};
pub use generate::{GenerateError, GenerateOptions, Generated, Parameter, Values};
pub use id::GameId;
pub use legend::{Legend, MarkSign, Role, Sign};
pub use objective::{Measure, Objective, UnknownMeasure};
pub use plan::{Answer, PlanError, PlanStep, Refusal, Standing, Steps, Validation, gap};
pub use plans::{Of, Passage, Sok};
pub use registry::identify;
pub use session::{IllegalStep, Key, Mark, Session, Status, View, Window};
