//! Who an area is: its content, and nothing else.

use crate::games::area::Area;
use sha2::{Digest, Sha256};
use std::fmt;
use std::str::FromStr;

/// The bytes of a SHA-256.
const BYTES: usize = 32;

/// SHA-256 of some texts. No two lists of texts are taken for the same.
#[derive(Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub struct Fingerprint([u8; BYTES]);

impl Fingerprint {
    /// The fingerprint of texts, in this order.
    ///
    /// ```
    /// use outwit::games::Fingerprint;
    /// assert_ne!(Fingerprint::of(&["ab", "c"]), Fingerprint::of(&["a", "bc"]));
    /// ```
    pub fn of(texts: &[&str]) -> Fingerprint {
        let mut hash = Sha256::new();
        for text in texts {
            hash.update((text.len() as u64).to_le_bytes());
            hash.update(text.as_bytes());
        }
        Fingerprint(hash.finalize().into())
    }

    /// The fingerprint of an area: of its game and of its text in the game's own format. Two areas
    /// are the same where these are.
    pub fn of_area(area: &dyn Area) -> Fingerprint {
        Fingerprint::of(&[area.game().name(), &area.text()])
    }

    /// Its first hexadecimal digits, at most all 64.
    pub fn prefix(self, digits: usize) -> String {
        let mut all = self.to_string();
        all.truncate(digits);
        all
    }
}

/// 64 hexadecimal digits.
impl fmt::Display for Fingerprint {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        self.0.iter().try_for_each(|byte| write!(f, "{byte:02x}"))
    }
}

impl fmt::Debug for Fingerprint {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        fmt::Display::fmt(self, f)
    }
}

/// A text that is no fingerprint.
#[derive(Clone, Copy, PartialEq, Eq, Debug, thiserror::Error)]
#[error("a fingerprint has 64 hexadecimal digits")]
pub struct NoFingerprint;

impl FromStr for Fingerprint {
    type Err = NoFingerprint;
    fn from_str(text: &str) -> Result<Self, NoFingerprint> {
        let digits = text.as_bytes();
        if digits.len() != 2 * BYTES {
            return Err(NoFingerprint);
        }
        let digit = |at: usize| char::from(digits[at]).to_digit(16).ok_or(NoFingerprint);
        let mut bytes = [0; BYTES];
        for (i, byte) in bytes.iter_mut().enumerate() {
            *byte = (digit(2 * i)? * 16 + digit(2 * i + 1)?) as u8;
        }
        Ok(Fingerprint(bytes))
    }
}

#[cfg(feature = "serde")]
impl serde::Serialize for Fingerprint {
    fn serialize<S: serde::Serializer>(&self, serializer: S) -> Result<S::Ok, S::Error> {
        serializer.collect_str(self)
    }
}

#[cfg(feature = "serde")]
impl<'de> serde::Deserialize<'de> for Fingerprint {
    fn deserialize<D: serde::Deserializer<'de>>(deserializer: D) -> Result<Self, D::Error> {
        let text = <std::borrow::Cow<'_, str>>::deserialize(deserializer)?;
        text.parse().map_err(serde::de::Error::custom)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn it_is_sha_256_with_the_lengths_of_the_texts() {
        // printf '\x01\0\0\0\0\0\0\0a' | sha256sum
        let known = "ae6121c88ba555f64c3d812123eb799d128015541f850c5e9bf1d54c08ad8481";
        let of_a = Fingerprint::of(&["a"]);
        assert_eq!(of_a.to_string(), known);
        assert_eq!(of_a.to_string().parse(), Ok(of_a));
        assert_eq!(of_a.prefix(8), of_a.to_string()[..8]);
        for bad in ["", "ab", &"x".repeat(64), &"é".repeat(32)] {
            assert_eq!(bad.parse::<Fingerprint>(), Err(NoFingerprint));
        }
    }
}
