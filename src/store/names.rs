//! Names of games and measures, as stores and the API tell them: fixed sets of words.

use crate::games::GameId;
use serde::de::{Deserializer, Error};
use serde::{Deserialize, Serialize, Serializer};
use std::borrow::Cow;
use utoipa::openapi::schema::{ObjectBuilder, OneOfBuilder, Type};
use utoipa::openapi::{Ref, RefOr, Schema};
use utoipa::{PartialSchema, ToSchema};

/// One of these words.
fn words(words: impl IntoIterator<Item = impl Into<serde_json::Value>>) -> ObjectBuilder {
    ObjectBuilder::new().schema_type(Type::String).enum_values(Some(words))
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

/// The name of a measure, for the document of the API.
#[derive(Debug)]
pub struct MeasureName;

impl PartialSchema for MeasureName {
    fn schema() -> RefOr<Schema> {
        let named = Measure::all().into_iter().filter(|word| !word.is_empty());
        words(named).description(Some("A measure of plans that some game has.")).into()
    }
}

impl ToSchema for MeasureName {}

/// A measure of plans that some game has, or a game's usual one: `true` in JSON. Requests may also say
/// that by an empty word, as older clients do.
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

    /// The measure of this name; the empty word is a game's usual one.
    pub fn named(word: impl Into<String>) -> Self {
        Measure(word.into())
    }

    /// The measure's name; empty for a game's usual one.
    pub fn word(&self) -> &str {
        &self.0
    }
}

impl Serialize for Measure {
    fn serialize<S: Serializer>(&self, serializer: S) -> Result<S::Ok, S::Error> {
        if self.0.is_empty() {
            return serializer.serialize_bool(true);
        }
        serializer.serialize_str(&self.0)
    }
}

/// A measure as it stands in JSON.
#[derive(Deserialize)]
#[serde(untagged)]
enum Told {
    Usual(bool),
    Named(String),
}

impl<'de> Deserialize<'de> for Measure {
    fn deserialize<D: Deserializer<'de>>(deserializer: D) -> Result<Self, D::Error> {
        let all = Measure::all();
        let word = match Told::deserialize(deserializer) {
            Ok(Told::Usual(true)) => String::new(),
            Ok(Told::Named(word)) => word,
            Ok(Told::Usual(false)) | Err(_) => {
                let message = format!("a proof is asked for by true, or by one of {all:?}");
                return Err(D::Error::custom(message));
            }
        };
        if all.contains(&word.as_str()) {
            return Ok(Measure(word));
        }
        Err(D::Error::custom(format!("unknown measure {word:?}; one of {all:?}")))
    }
}

impl PartialSchema for Measure {
    fn schema() -> RefOr<Schema> {
        let about = "A measure of plans; true, or an empty word, is the game's usual one.";
        OneOfBuilder::new()
            .item(Ref::from_schema_name(MeasureName::name()))
            .item(ObjectBuilder::new().schema_type(Type::Boolean).enum_values(Some([true])))
            .item(words([""]))
            .description(Some(about))
            .into()
    }
}

impl ToSchema for Measure {}

/// The schema of the measure in which a job was asked for a proof.
pub fn wanted() -> Schema {
    let about = "The measure in which a proof was asked for; true for the game's usual one.";
    OneOfBuilder::new()
        .item(Ref::from_schema_name(MeasureName::name()))
        .item(ObjectBuilder::new().schema_type(Type::Boolean))
        .item(ObjectBuilder::new().schema_type(Type::Null))
        .description(Some(about))
        .build()
        .into()
}
