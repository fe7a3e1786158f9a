//! Numbers of a planner that can be set for a run: an engine's options.
//!
//! Each planner has one struct `Tuning`, made by the macro `tuning!` in its own
//! `tuning.rs`: groups named like its searches, and in them numbers with their defaults, units and
//! ranges. A planner makes it once from the run's [`Settings`] and hands it on by reference; a search copies
//! what it needs when it is made.

use std::collections::BTreeMap;
use std::fmt;
use std::ops::RangeInclusive;

/// A number that can be set.
#[derive(Clone, Copy, Debug, PartialEq)]
#[cfg_attr(feature = "serde", derive(serde::Serialize, serde::Deserialize))]
#[cfg_attr(feature = "serde", serde(untagged))]
#[cfg_attr(feature = "service", derive(utoipa::ToSchema))]
pub enum Number {
    /// A whole number.
    Whole(u64),
    /// Any other number.
    Real(f64),
}

impl fmt::Display for Number {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Number::Whole(number) => number.fmt(f),
            Number::Real(number) => number.fmt(f),
        }
    }
}

/// A type of numbers that can be set.
pub trait Tunable: Copy {
    /// The number as settings have it.
    fn number(self) -> Number;

    /// The number that a setting stands for; `None` where it is none of this type.
    fn of(number: Number) -> Option<Self>;
}

macro_rules! whole {
    ($($type:ty)+) => {$(
        impl Tunable for $type {
            fn number(self) -> Number {
                Number::Whole(self as u64)
            }

            fn of(number: Number) -> Option<Self> {
                match number {
                    Number::Whole(number) => number.try_into().ok(),
                    Number::Real(_) => None,
                }
            }
        }
    )+};
}
whole!(u32 u64 usize);

impl Tunable for f64 {
    fn number(self) -> Number {
        Number::Real(self)
    }

    fn of(number: Number) -> Option<Self> {
        match number {
            Number::Whole(number) => Some(number as f64),
            Number::Real(number) => Some(number),
        }
    }
}

/// What is known of a number that can be set.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Setting {
    /// Its name: the search that it belongs to, a dot, and what it is.
    pub name: &'static str,
    /// What it counts or measures.
    pub unit: &'static str,
    /// Its value where nothing is set.
    pub default: Number,
    /// Its least value.
    pub least: Number,
    /// Its greatest value.
    pub most: Number,
    /// What it does, and what it trades against what.
    pub about: &'static str,
}

impl Setting {
    /// The description of a number with this default and range.
    pub fn new<T: Tunable>(
        name: &'static str,
        unit: &'static str,
        default: T,
        range: RangeInclusive<T>,
        about: &'static str,
    ) -> Self {
        let (least, most) = range.into_inner();
        let [default, least, most] = [default, least, most].map(T::number);
        Setting { name, unit, default, least, most, about: about.trim() }
    }

    /// Reads a value.
    ///
    /// # Errors
    /// The text is no number of this kind, or one out of range.
    pub fn read(&self, text: &str) -> Result<Number, SettingError> {
        let number = match self.default {
            Number::Whole(_) => text.parse().ok().map(Number::Whole),
            Number::Real(_) => text.parse().ok().map(Number::Real),
        };
        let fits = number.is_some_and(|number| self.least <= number && number <= self.most);
        number.filter(|_| fits).ok_or_else(|| SettingError::Value {
            name: self.name,
            value: text.into(),
            kind: if matches!(self.default, Number::Whole(_)) { "whole number" } else { "number" },
            least: self.least,
            most: self.most,
        })
    }
}

/// Whole numbers and others do not compare.
impl PartialOrd for Number {
    fn partial_cmp(&self, other: &Self) -> Option<std::cmp::Ordering> {
        match (self, other) {
            (Number::Whole(one), Number::Whole(other)) => one.partial_cmp(other),
            (Number::Real(one), Number::Real(other)) => one.partial_cmp(other),
            _ => None,
        }
    }
}

/// Why a number cannot be set.
#[derive(Clone, Debug, PartialEq, thiserror::Error)]
#[non_exhaustive]
pub enum SettingError {
    /// There is no equals sign.
    #[error("`{0}` is not NAME=VALUE")]
    Form(String),
    /// The planner has no number of that name.
    #[error("the planner has no number `{name}`{}", similar.map_or(String::new(), |name| format!("; `{name}` is similar")))]
    Name {
        /// The name.
        name: String,
        /// A name that there is.
        similar: Option<&'static str>,
    },
    /// The value is none that the number can have.
    #[error("{name}: `{value}` is not a {kind} from {least} to {most}")]
    Value {
        /// The number's name.
        name: &'static str,
        /// The text that was given.
        value: String,
        /// The kind of number that is expected.
        kind: &'static str,
        /// The least value.
        least: Number,
        /// The greatest value.
        most: Number,
    },
}

/// The numbers that are set for a run, by their names; all others have their defaults.
///
/// ```
/// use outwit::games::{Game, GameId};
/// use outwit::search::{Run, Settings};
///
/// let numbers = GameId::Monsters.game().settings();
/// let mut settings = Settings::default();
/// settings.set(&numbers, "beam.first_width=1024")?;
/// let run = Run { settings, ..Run::seconds(2.0) };
/// assert!(Settings::default().set(&numbers, "beam.first_width=none").is_err());
/// # Ok::<(), outwit::search::SettingError>(())
/// ```
#[derive(Clone, Debug, Default, PartialEq)]
#[cfg_attr(feature = "serde", derive(serde::Serialize, serde::Deserialize))]
#[cfg_attr(feature = "serde", serde(transparent))]
#[cfg_attr(feature = "service", derive(utoipa::ToSchema))]
pub struct Settings(BTreeMap<String, Number>);

impl Settings {
    /// Whether all numbers have their defaults.
    pub fn is_empty(&self) -> bool {
        self.0.is_empty()
    }

    /// Sets one of these numbers by a text `NAME=VALUE`, in place of what it was set to before.
    ///
    /// # Errors
    /// The text has another form, there is no such number, or it cannot have that value.
    pub fn set(&mut self, numbers: &[Setting], text: &str) -> Result<(), SettingError> {
        let (name, value) =
            text.split_once('=').ok_or_else(|| SettingError::Form(text.to_string()))?;
        let (name, value) = (name.trim(), value.trim());
        let setting = numbers.iter().find(|setting| setting.name == name).ok_or_else(|| {
            SettingError::Name { name: name.into(), similar: similar(numbers, name) }
        })?;
        let number = setting.read(value)?;
        self.0.insert(name.to_string(), number);
        Ok(())
    }

    /// The numbers that are set, as `NAME=VALUE`, by name.
    pub fn texts(&self) -> impl Iterator<Item = String> {
        self.0.iter().map(|(name, number)| format!("{name}={number}"))
    }

    /// The value that is set for a number, or what it is now.
    pub fn or<T: Tunable>(&self, name: &str, now: T) -> T {
        self.0.get(name).copied().and_then(T::of).unwrap_or(now)
    }
}

/// A name that shares its last part with the one that is not there, or its group.
fn similar(numbers: &[Setting], name: &str) -> Option<&'static str> {
    let last = |name: &str| name.rsplit('.').next().unwrap_or("").replace('-', "_");
    let group = |name: &str| name.split('.').next().unwrap_or("").to_string();
    let names = || numbers.iter().map(|setting| setting.name);
    let same_last = names().find(|known| last(known) == last(name));
    same_last.or_else(|| names().find(|known| group(known) == group(name)))
}

/// Declares a planner's numbers that can be set: see the head of this file.
///
/// Each number has its type, default, unit and range; its docs say what it trades against what.
macro_rules! tuning {
    ($(#[doc = $about:literal])+ pub struct $Tuning:ident {$(
        $(#[doc = $group_about:literal])+
        $group:ident: $Group:ident {$(
            $(#[doc = $doc:literal])+
            $name:ident: $type:ty = $default:expr, $unit:literal, $range:expr;
        )+}
    )+}) => {
        $(#[doc = $about])+
        #[derive(Clone, Copy, Debug, Default, PartialEq)]
        pub struct $Tuning {$(
            $(#[doc = $group_about])+
            pub $group: $Group,
        )+}

        $(
            $(#[doc = $group_about])+
            #[derive(Clone, Copy, Debug, PartialEq)]
            pub struct $Group {$(
                $(#[doc = $doc])+
                pub $name: $type,
            )+}

            impl Default for $Group {
                fn default() -> Self {
                    $Group { $($name: $default),+ }
                }
            }
        )+

        impl $Tuning {
            /// The defaults, but for what is set.
            pub fn of(settings: &$crate::search::Settings) -> Self {
                let mut tuning = $Tuning::default();
                $($(
                    let name = concat!(stringify!($group), ".", stringify!($name));
                    tuning.$group.$name = settings.or(name, tuning.$group.$name);
                )+)+
                tuning
            }

            /// All numbers that can be set.
            pub fn settings() -> Vec<$crate::search::Setting> {
                let tuning = $Tuning::default();
                vec![$($(
                    $crate::search::Setting::new::<$type>(
                        concat!(stringify!($group), ".", stringify!($name)),
                        $unit,
                        tuning.$group.$name,
                        $range,
                        concat!($($doc),+),
                    ),
                )+)+]
            }
        }
    };
}

pub(crate) use tuning;

#[cfg(test)]
mod tests {
    use super::*;

    tuning! {
        /// Numbers of a planner.
        pub struct Tuning {
            /// A beam.
            beam: Beam {
                /// Its width. A wider one finds more,
                /// later.
                width: usize = 64, "states", 1..=1024;
            }
            /// A proof.
            proof: Proof {
                /// Its part of the time.
                part: f64 = 0.5, "of the time", 0.0..=1.0;
            }
        }
    }

    #[test]
    fn what_is_set_holds_and_the_rest_has_its_default() {
        let mut settings = Settings::default();
        assert_eq!(Tuning::of(&settings), Tuning::default());
        let numbers = Tuning::settings();
        assert_eq!(numbers[0].about, "Its width. A wider one finds more, later.");
        settings.set(&numbers, "beam.width = 128").expect("it can be set");
        settings.set(&numbers, "beam.width=256").expect("it can be set again");
        settings.set(&numbers, "proof.part=1").expect("a whole number will do");
        let tuning = Tuning::of(&settings);
        assert_eq!((tuning.beam.width, tuning.proof.part), (256, 1.0));
        assert_eq!(settings.texts().collect::<Vec<_>>(), ["beam.width=256", "proof.part=1"]);
    }

    #[test]
    fn what_cannot_be_set_is_refused_and_named() {
        let mut settings = Settings::default();
        let mut refuse =
            |text: &str| settings.set(&Tuning::settings(), text).expect_err(text).to_string();
        assert_eq!(refuse("beam.width"), "`beam.width` is not NAME=VALUE");
        assert_eq!(
            refuse("beam.widht=3"),
            "the planner has no number `beam.widht`; `beam.width` is similar"
        );
        assert_eq!(refuse("x=3"), "the planner has no number `x`");
        for value in ["0", "1025", "-1", "1.5", "", "nan"] {
            let why = format!("beam.width: `{value}` is not a whole number from 1 to 1024");
            assert_eq!(refuse(&format!("beam.width={value}")), why);
        }
        for value in ["-0.1", "1.1", "nan", "inf"] {
            let why = format!("proof.part: `{value}` is not a number from 0 to 1");
            assert_eq!(refuse(&format!("proof.part={value}")), why);
        }
        assert!(settings.is_empty());
    }
}
