//! Names of games, measures and verdicts, as stores and the API tell them: fixed sets of words.

use crate::games::GameId;
use crate::search::{StopReason, Verdict};
use serde::de::{Deserialize, Deserializer, Error};
use serde::{Serialize, Serializer};
use std::borrow::Cow;
use utoipa::openapi::schema::{Object, ObjectBuilder, SchemaType, Type};
use utoipa::openapi::{RefOr, Schema};
use utoipa::{PartialSchema, ToSchema};

/// One of these words.
fn words(words: impl IntoIterator<Item = impl Into<serde_json::Value>>) -> ObjectBuilder {
    ObjectBuilder::new().schema_type(Type::String).enum_values(Some(words))
}

impl Serialize for GameId {
    fn serialize<S: Serializer>(&self, serializer: S) -> Result<S::Ok, S::Error> {
        serializer.serialize_str(self.name())
    }
}

impl<'de> Deserialize<'de> for GameId {
    fn deserialize<D: Deserializer<'de>>(deserializer: D) -> Result<Self, D::Error> {
        String::deserialize(deserializer)?.parse().map_err(D::Error::custom)
    }
}

impl PartialSchema for GameId {
    fn schema() -> RefOr<Schema> {
        words(GameId::ALL.iter().map(|id| id.name())).description(Some("A game's name.")).into()
    }
}

impl ToSchema for GameId {
    fn name() -> Cow<'static, str> {
        "GameName".into()
    }
}

/// A measure of plans that some game has; the empty word is a game's usual one.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Measure(String);

impl Measure {
    /// All measures of all games, the empty word first.
    fn all() -> Vec<&'static str> {
        let measures = GameId::ALL.iter().flat_map(|id| id.game().measures());
        let measures = measures.map(|measure| measure.name());
        let mut all: Vec<_> = std::iter::once("").chain(measures).collect();
        all.sort_unstable();
        all.dedup();
        all
    }

    /// The word.
    pub fn word(&self) -> &str {
        &self.0
    }
}

impl<'de> Deserialize<'de> for Measure {
    fn deserialize<D: Deserializer<'de>>(deserializer: D) -> Result<Self, D::Error> {
        let word = String::deserialize(deserializer)?;
        let all = Measure::all();
        if all.contains(&word.as_str()) {
            return Ok(Measure(word));
        }
        Err(D::Error::custom(format!("unknown measure {word:?}; one of {all:?}")))
    }
}

impl PartialSchema for Measure {
    fn schema() -> RefOr<Schema> {
        let about = "A measure of plans; the empty word is the game's usual one.";
        words(Measure::all()).description(Some(about)).into()
    }
}

impl ToSchema for Measure {}

/// The schema of a verdict.
pub fn verdict() -> Object {
    let all = [Verdict::Optimal, Verdict::Found, Verdict::Impossible, Verdict::Unknown];
    words(all.map(Verdict::name)).description(Some("What is known after the search.")).build()
}

/// The schema of what ended a search early, or null.
pub fn stop() -> Object {
    let all = [StopReason::Time, StopReason::Memory, StopReason::Nodes, StopReason::Cancelled]
        .map(|stop| stop.to_string());
    let all = all.into_iter().map(Into::into).chain([serde_json::Value::Null]);
    words(all.collect::<Vec<_>>())
        .schema_type(SchemaType::from_iter([Type::String, Type::Null]))
        .description(Some("What ended the search early; null where it came to its end."))
        .build()
}
