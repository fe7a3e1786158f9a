//! Named values for reports, tables and JSON.

use std::fmt;

/// A named value for reports, tables and JSON.
#[derive(Clone, Debug, PartialEq, Eq)]
#[cfg_attr(feature = "serde", derive(serde::Serialize))]
pub struct Fact {
    /// What it is, lower case.
    pub name: &'static str,
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
    pub fn new(name: &'static str, value: impl Into<Value>) -> Self {
        Fact { name, value: value.into() }
    }
}

impl fmt::Display for Fact {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "{} {}", self.name, self.value)
    }
}

/// The value of a fact.
#[derive(Clone, Debug, PartialEq, Eq)]
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

/// As text, numbers too.
#[cfg(feature = "serde")]
impl serde::Serialize for Value {
    fn serialize<S: serde::Serializer>(&self, serializer: S) -> Result<S::Ok, S::Error> {
        serializer.collect_str(self)
    }
}
