//! Readers for JSON that is written by hand or by other programs: whole numbers however they are
//! written, objects that are not taken from arrays.
//!
//! A reader of JSON makes of `9007199254740993.0` the nearest number of 64 bits with a fraction,
//! which is another. So texts are to go through [`exact`] first; a number that still has a fraction
//! then is no whole number, and is refused.

use serde::Deserialize;
use serde::de::value::MapAccessDeserializer;
use serde::de::{Deserializer, Error, MapAccess, Unexpected, Visitor};
use std::borrow::Cow;
use std::fmt;
use std::marker::PhantomData;

/// What is read from a JSON object alone. What is derived would take an array of the fields, too.
pub struct Object<T>(pub T);

impl<'de, T: Deserialize<'de>> Deserialize<'de> for Object<T> {
    fn deserialize<D: Deserializer<'de>>(deserializer: D) -> Result<Self, D::Error> {
        struct Fields<T>(PhantomData<T>);
        impl<'de, T: Deserialize<'de>> Visitor<'de> for Fields<T> {
            type Value = T;
            fn expecting(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
                f.write_str("an object")
            }
            fn visit_map<A: MapAccess<'de>>(self, map: A) -> Result<T, A::Error> {
                T::deserialize(MapAccessDeserializer::new(map))
            }
        }
        deserializer.deserialize_map(Fields(PhantomData)).map(Object)
    }
}

/// The most digits of a whole number that [`exact`] writes: no type has more that is read here.
const MAX_DIGITS: usize = 20;

/// The same JSON, in which numbers that are whole are written without fraction and exponent: `1.0`,
/// `1e3` and `-0` become `1`, `1000` and `0`. What is too long for any number here stays, and what
/// is no JSON does. Places within it stay as they are, but after numbers that become longer.
pub fn exact(json: &[u8]) -> Cow<'_, [u8]> {
    let mut written: Vec<u8> = Vec::new();
    let (mut at, mut copied) = (0, 0);
    while let Some(&byte) = json.get(at) {
        let rest = &json[at..];
        let length = match byte {
            b'"' => string_length(rest),
            b'-' | b'0'..=b'9' => number_length(rest),
            _ => 1,
        };
        let whole = if byte == b'"' { None } else { whole_number(&rest[..length]) };
        if let Some(whole) = whole {
            written.extend_from_slice(&json[copied..at]);
            written.extend_from_slice(whole.as_bytes());
            written.extend(std::iter::repeat_n(b' ', length.saturating_sub(whole.len())));
            copied = at + length;
        }
        at += length;
    }
    if copied == 0 {
        return Cow::Borrowed(json);
    }
    written.extend_from_slice(&json[copied..]);
    Cow::Owned(written)
}

/// Length in bytes of the string at the beginning of a text, quotes included.
fn string_length(text: &[u8]) -> usize {
    let mut is_escaped = false;
    let ends = |&byte: &u8| {
        let ends = byte == b'"' && !is_escaped;
        is_escaped = byte == b'\\' && !is_escaped;
        ends
    };
    text[1..].iter().position(ends).map_or(text.len(), |end| end + 2)
}

/// Length in bytes of the number at the beginning of a text.
fn number_length(text: &[u8]) -> usize {
    let is_part = |byte: &u8| matches!(byte, b'0'..=b'9' | b'+' | b'-' | b'.' | b'e' | b'E');
    text.iter().position(|byte| !is_part(byte)).unwrap_or(text.len())
}

/// A number with fraction or exponent, or a zero with a sign, as a whole one; none where it is none.
fn whole_number(literal: &[u8]) -> Option<String> {
    let literal = std::str::from_utf8(literal).ok()?;
    if literal != "-0" && !literal.contains(['.', 'e', 'E']) {
        return None;
    }
    let (sign, number) = literal.strip_prefix('-').map_or(("", literal), |number| ("-", number));
    let (mantissa, exponent) = number.split_once(['e', 'E']).unwrap_or((number, "0"));
    let (whole, fraction) = mantissa.split_once('.').unwrap_or((mantissa, "0"));
    let is_digits = |word: &str| !word.is_empty() && word.bytes().all(|b| b.is_ascii_digit());
    let power = exponent.strip_prefix(['+', '-']).unwrap_or(exponent);
    let has_leading_zero = whole.len() > 1 && whole.starts_with('0');
    if ![whole, fraction, power].into_iter().all(is_digits) || has_leading_zero {
        return None;
    }
    let digits = format!("{whole}{fraction}");
    let significant = digits.trim_start_matches('0');
    let leading_zeros = digits.len() - significant.len();
    let significant = significant.trim_end_matches('0');
    if significant.is_empty() {
        return Some("0".into());
    }
    let power: i64 = exponent.parse().ok()?;
    let point = (whole.len() as i64 - leading_zeros as i64).checked_add(power)?;
    let length = usize::try_from(point).ok().filter(|&length| length <= MAX_DIGITS)?;
    (significant.len() <= length).then(|| format!("{sign}{significant:0<length$}"))
}

/// A whole number, as [`exact`] leaves it.
struct Whole<T>(T);

impl<'de, T: TryFrom<i128>> Deserialize<'de> for Whole<T> {
    fn deserialize<D: Deserializer<'de>>(deserializer: D) -> Result<Self, D::Error> {
        struct Number<T>(PhantomData<T>);
        impl<T: TryFrom<i128>> Visitor<'_> for Number<T> {
            type Value = T;
            fn expecting(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
                write!(f, "a whole number of type {}", std::any::type_name::<T>())
            }
            fn visit_i128<E: Error>(self, number: i128) -> Result<T, E> {
                let range = || E::custom(format!("{number} is out of range"));
                T::try_from(number).map_err(|_| range())
            }
            fn visit_u64<E: Error>(self, number: u64) -> Result<T, E> {
                self.visit_i128(number.into())
            }
            fn visit_i64<E: Error>(self, number: i64) -> Result<T, E> {
                self.visit_i128(number.into())
            }
            fn visit_f64<E: Error>(self, number: f64) -> Result<T, E> {
                Err(E::invalid_type(Unexpected::Float(number), &self))
            }
        }
        deserializer.deserialize_any(Number(PhantomData)).map(Whole)
    }
}

/// For fields: a whole number.
pub fn whole<'de, D: Deserializer<'de>, T: TryFrom<i128>>(deserializer: D) -> Result<T, D::Error> {
    Whole::deserialize(deserializer).map(|number| number.0)
}

/// For fields: a whole number, or null.
pub fn optional_whole<'de, D: Deserializer<'de>, T: TryFrom<i128>>(
    deserializer: D,
) -> Result<Option<T>, D::Error> {
    Option::<Whole<T>>::deserialize(deserializer).map(|number| number.map(|number| number.0))
}

/// For fields: row and column, or null.
pub fn optional_cell<'de, D: Deserializer<'de>>(
    deserializer: D,
) -> Result<Option<[i64; 2]>, D::Error> {
    let cell = Option::<[Whole<i64>; 2]>::deserialize(deserializer)?;
    Ok(cell.map(|cell| cell.map(|number| number.0)))
}

/// For fields: an object.
pub fn object<'de, D: Deserializer<'de>, T: Deserialize<'de>>(
    deserializer: D,
) -> Result<T, D::Error> {
    Object::deserialize(deserializer).map(|object| object.0)
}

/// For fields: an object, or null.
pub fn optional_object<'de, D: Deserializer<'de>, T: Deserialize<'de>>(
    deserializer: D,
) -> Result<Option<T>, D::Error> {
    Option::<Object<T>>::deserialize(deserializer).map(|object| object.map(|object| object.0))
}

#[cfg(test)]
mod tests {
    use super::*;

    fn exactly(json: &str) -> String {
        String::from_utf8(exact(json.as_bytes()).into_owned()).expect("it stays a text")
    }

    #[test]
    fn whole_numbers_are_written_as_such() {
        for (written, whole) in [
            ("9007199254740991.0", "9007199254740991"),
            ("9007199254740993.0", "9007199254740993"),
            ("18446744073709551615.0", "18446744073709551615"),
            ("1.8446744073709551615e19", "18446744073709551615"),
            ("1e3", "1000"),
            ("1E+3", "1000"),
            ("2.50e1", "25"),
            ("1200e-2", "12"),
            ("-4.0", "-4"),
            ("-0", "0"),
            ("-0.0", "0"),
            ("0e99999999999999999999", "0"),
            ("0.001e3", "1"),
        ] {
            assert_eq!(exactly(written).trim_end(), whole, "{written}");
        }
        for other in [
            "1",
            "-1",
            "0",
            "1.5",
            "1e-1",
            "0.1",
            "12e-2",
            "9007199254740991.00001",
            "1e20",
            "1e999999999999",
            "1e-400",
            "1.",
            ".5",
            "01.0",
            "1e",
            "1e+",
            "--1.0",
            "1.0.0",
            "1e3e3",
            "-",
        ] {
            assert_eq!(exactly(other), other);
        }
    }

    #[test]
    fn texts_and_places_stay_as_they_are() {
        let json = r#"{"a\\": [1.0, "1.0", "\"1.0", 1.5], "b 1e3": 1.0}"#;
        let told = r#"{"a\\": [1  , "1.0", "\"1.0", 1.5], "b 1e3": 1  }"#;
        assert_eq!(exactly(json), told);
        for odd in ["", "\"", "\"\\", "\"1.0", "{\"a\":", "[1.0"] {
            assert_eq!(exactly(odd).replace("1  ", "1.0"), odd);
        }
    }
}
