//! Readers for JSON that is written by hand or by other programs: whole numbers however they are
//! written, objects that are not taken from arrays.

use serde::Deserialize;
use serde::de::value::MapAccessDeserializer;
use serde::de::{Deserializer, Error, MapAccess, Unexpected, Visitor};
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

/// A whole number, however JSON writes it: `1`, `1.0`, `1e0`.
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
                // Of what is below 64 bits only the end of their range would be left.
                if number.fract() != 0.0 || number <= i64::MIN as f64 {
                    return Err(E::invalid_type(Unexpected::Float(number), &self));
                }
                self.visit_i128(number as i128)
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
