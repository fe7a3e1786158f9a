//! Named values for reports, tables and JSON.

use std::borrow::Cow;
use std::fmt;
use std::ops::Deref;

/// A named value for reports, tables and JSON.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Fact {
    /// What it is, lower case.
    pub name: Cow<'static, str>,
    /// Its value.
    pub value: Value,
}

impl Fact {
    /// A fact.
    ///
    /// ```
    /// use outwit::games::{Fact, Value};
    /// assert_eq!(Fact::new("boxes", 3_u64).value, Value::Number(3));
    /// assert_eq!(Fact::new("size", "4x5").to_string(), "size 4x5");
    /// ```
    pub fn new(name: impl Into<Cow<'static, str>>, value: impl Into<Value>) -> Self {
        Fact { name: name.into(), value: value.into() }
    }
}

impl fmt::Display for Fact {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "{} {}", self.name, self.value)
    }
}

/// The value of a fact.
#[derive(Clone, Debug, PartialEq, Eq)]
#[cfg_attr(feature = "serde", derive(serde::Serialize, serde::Deserialize), serde(untagged))]
pub enum Value {
    /// A whole number.
    Number(u64),
    /// Anything else.
    Text(String),
}

impl Value {
    /// The number, where it is one.
    pub fn number(&self) -> Option<u64> {
        match self {
            Value::Number(number) => Some(*number),
            Value::Text(_) => None,
        }
    }
}

impl fmt::Display for Value {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Value::Number(number) => number.fmt(f),
            Value::Text(text) => f.write_str(text),
        }
    }
}

impl PartialEq<str> for Value {
    fn eq(&self, text: &str) -> bool {
        matches!(self, Value::Text(own) if own == text)
    }
}

impl From<u64> for Value {
    fn from(number: u64) -> Self {
        Value::Number(number)
    }
}

impl From<u32> for Value {
    fn from(number: u32) -> Self {
        Value::Number(number.into())
    }
}

impl From<usize> for Value {
    fn from(number: usize) -> Self {
        Value::Number(number as u64)
    }
}

impl From<&str> for Value {
    fn from(text: &str) -> Self {
        Value::Text(text.into())
    }
}

impl From<String> for Value {
    fn from(text: String) -> Self {
        Value::Text(text)
    }
}

/// Facts in their order. In JSON they are one object, `{"size": "4x5", "boxes": 3}`, everywhere.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Facts(pub Vec<Fact>);

impl Facts {
    /// The value of that name.
    ///
    /// ```
    /// use outwit::games::{Fact, Facts, Value};
    /// let facts = Facts::from([Fact::new("size", "4x5"), Fact::new("boxes", 3_u64)]);
    /// assert_eq!(facts.get("boxes"), Some(&Value::Number(3)));
    /// assert_eq!(facts.to_string(), "size 4x5, boxes 3");
    /// ```
    pub fn get(&self, name: &str) -> Option<&Value> {
        self.iter().find(|fact| fact.name == name).map(|fact| &fact.value)
    }
}

impl Deref for Facts {
    type Target = [Fact];

    fn deref(&self) -> &[Fact] {
        &self.0
    }
}

impl<T: Into<Vec<Fact>>> From<T> for Facts {
    fn from(facts: T) -> Self {
        Facts(facts.into())
    }
}

/// `size 4x5, boxes 3`.
impl fmt::Display for Facts {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let words: Vec<_> = self.iter().map(Fact::to_string).collect();
        f.write_str(&words.join(", "))
    }
}

#[cfg(feature = "serde")]
mod json {
    use super::{Fact, Facts, Value};
    use serde::de::{Deserialize, Deserializer, MapAccess, SeqAccess, Visitor};
    use serde::{Serialize, Serializer};
    use std::fmt;

    impl Serialize for Facts {
        fn serialize<S: Serializer>(&self, serializer: S) -> Result<S::Ok, S::Error> {
            serializer.collect_map(self.iter().map(|fact| (&fact.name, &fact.value)))
        }
    }

    /// A fact in the lists of older versions: an object with name and value, or a pair.
    #[derive(serde::Deserialize)]
    #[serde(untagged)]
    enum Listed {
        Named { name: String, value: Value },
        Pair(String, Value),
    }

    struct Reader;

    impl<'de> Visitor<'de> for Reader {
        type Value = Facts;

        fn expecting(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
            f.write_str("an object of facts")
        }

        fn visit_map<A: MapAccess<'de>>(self, mut map: A) -> Result<Facts, A::Error> {
            let mut facts = Facts::default();
            while let Some((name, value)) = map.next_entry::<String, Value>()? {
                facts.0.push(Fact::new(name, value));
            }
            Ok(facts)
        }

        fn visit_seq<A: SeqAccess<'de>>(self, mut list: A) -> Result<Facts, A::Error> {
            let mut facts = Facts::default();
            while let Some(listed) = list.next_element::<Listed>()? {
                let (Listed::Named { name, value } | Listed::Pair(name, value)) = listed;
                facts.0.push(Fact::new(name, value));
            }
            Ok(facts)
        }
    }

    impl<'de> Deserialize<'de> for Facts {
        fn deserialize<D: Deserializer<'de>>(deserializer: D) -> Result<Self, D::Error> {
            deserializer.deserialize_any(Reader)
        }
    }
}

#[cfg(feature = "service")]
mod schema {
    use super::Facts;
    use utoipa::openapi::schema::{AdditionalProperties, ObjectBuilder, SchemaType, Type};
    use utoipa::openapi::{RefOr, Schema};
    use utoipa::{PartialSchema, ToSchema};

    impl PartialSchema for Facts {
        fn schema() -> RefOr<Schema> {
            let value = ObjectBuilder::new()
                .schema_type(SchemaType::from_iter([Type::Integer, Type::String]))
                .build();
            ObjectBuilder::new()
                .schema_type(Type::Object)
                .additional_properties(Some(AdditionalProperties::<Schema>::RefOr(RefOr::T(
                    value.into(),
                ))))
                .description(Some("Named values: sizes and counts, measures of a plan."))
                .into()
        }
    }

    impl ToSchema for Facts {}
}

#[cfg(all(test, feature = "cli"))]
mod tests {
    use super::*;

    #[test]
    fn facts_are_one_object_and_the_older_lists_are_read() {
        let facts = Facts::from([Fact::new("size", "3x5"), Fact::new("boxes", 1_u64)]);
        let text = serde_json::to_string(&facts).unwrap();
        assert_eq!(text, r#"{"size":"3x5","boxes":1}"#);
        let named = r#"[{"name":"size","value":"3x5"},{"name":"boxes","value":1}]"#;
        for text in [&text, named, r#"[["size","3x5"],["boxes",1]]"#] {
            assert_eq!(serde_json::from_str::<Facts>(text).unwrap(), facts, "{text}");
        }
        assert!(serde_json::from_str::<Facts>("[1]").is_err());
    }
}
