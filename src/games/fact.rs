//! Named values for reports, tables and JSON.

use std::fmt;

/// A named value for reports, tables and JSON.
#[derive(Clone, Debug, PartialEq, Eq)]
#[cfg_attr(feature = "serde", derive(serde::Serialize))]
pub struct Fact {
    /// What it is, lower case.
    pub name: &'static str,
    /// Its value.
    pub value: String,
}

impl Fact {
    /// A fact from anything that can be shown.
    pub fn new(name: &'static str, value: impl fmt::Display) -> Self {
        Fact { name, value: value.to_string() }
    }
}
