//! One source file that knows plans: what a contestant submits.
//!
//! The file reads an area from stdin, finds it by its text or else by its name among the plans
//! that it carries, and prints the plan. The plans are compressed by mixing of contexts, after
//! Mahoney, "Adaptive Weighing of Context Models for Lossless Data Compression" (2005), and
//! arithmetic coding, after Rissanen and Langdon, "Arithmetic Coding" (1979): judges limit the size
//! of a source file, and plans are long and alike. What the file does at the judge is
//! [`embedded`], for Rust the very text of it; so it is tested here and never apart from its
//! encoder. It keeps to old Rust, since a judge's compiler is old.

#[allow(missing_docs)]
pub mod embedded;

use crate::games::Area;
use crate::verify::Verified;
use embedded::{DIGITS, Model, decode, find, fingerprint, normalised, split};

/// Width of the code's lines.
const LINE: usize = 100;
/// The most bytes of plans that one file carries: its decoding shall stay well under a second.
pub const MAX_BYTES: usize = 1 << 20;

/// The language of the file.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum Language {
    /// Rust, one file, no crates.
    Rust,
    /// C++11, one file.
    Cpp,
}

/// Why there is no file.
#[derive(Clone, PartialEq, Eq, Debug, thiserror::Error)]
pub enum ExportError {
    /// Too many plans.
    #[error("{0} bytes of plans, and one file carries at most {MAX_BYTES}")]
    TooLong(usize),
    /// The code that was made does not give the plans back.
    #[error("fault of the exporter: {0} is not found in the file that was made")]
    Lost(String),
}

/// The program that carries these plans.
///
/// # Errors
/// Too many plans. Before it is handed out, what the program will find is compared with what it
/// shall find.
pub fn program(
    language: Language,
    plans: &[(&dyn Area, &Verified)],
) -> Result<String, ExportError> {
    let mut entries = String::new();
    for (area, plan) in plans {
        let print = fingerprint(&normalised(&area.text()));
        let name = area.name().replace('\n', " ");
        entries += &format!("{}\n{print}\n{}\n{}", name.trim(), plan.text().len(), plan.text());
    }
    if entries.len() > MAX_BYTES {
        return Err(ExportError::TooLong(entries.len()));
    }
    let code = encode(entries.as_bytes());
    let decoded = decode(&code, entries.len());
    for (area, plan) in plans {
        if find(&decoded, &area.text()) != Some(plan.text().as_bytes()) {
            return Err(ExportError::Lost(area.name().to_string()));
        }
    }
    let template = match language {
        Language::Rust => include_str!("submission.rs.in"),
        Language::Cpp => include_str!("submission.cpp.in"),
    };
    Ok(template
        .replace("@EMBEDDED@", include_str!("embedded.rs").trim_end())
        .replace("@PLANS@", &plans.len().to_string())
        .replace("@LENGTH@", &entries.len().to_string())
        .replace("@CODE@", &code))
}

/// The code of some bytes, as lines of [`DIGITS`].
fn encode(bytes: &[u8]) -> String {
    let mut packed = compress(bytes);
    packed.resize(packed.len().next_multiple_of(4), 0);
    let mut code = String::new();
    let mut column = 0;
    for group in packed.as_chunks::<4>().0 {
        let value = u32::from_be_bytes(*group);
        for place in (0..5).rev() {
            code.push(char::from(DIGITS[(value / 85u32.pow(place) % 85) as usize]));
        }
        column += 5;
        if column >= LINE {
            code.push('\n');
            column = 0;
        }
    }
    code
}

/// Arithmetic coding, the model's guesses as chances.
fn compress(bytes: &[u8]) -> Vec<u8> {
    let mut packed = Vec::new();
    let mut model = Model::new();
    let (mut low, mut high) = (0u32, u32::MAX);
    for byte in bytes {
        for place in (0..8).rev() {
            let bit = u32::from(byte >> place) & 1;
            let middle = split(low, high, model.chance);
            if bit == 1 {
                high = middle;
            } else {
                low = middle + 1;
            }
            model.learn(bit);
            while (low ^ high) >> 24 == 0 {
                packed.push((high >> 24) as u8);
                low <<= 8;
                high = high << 8 | 255;
            }
        }
    }
    packed.extend(high.to_be_bytes());
    packed
}

#[cfg(test)]
mod tests {
    use super::*;
    use rand::{RngExt, SeedableRng};

    #[test]
    fn what_is_encoded_is_decoded() {
        let seed = 7;
        let mut random = rand_chacha::ChaCha8Rng::seed_from_u64(seed);
        for length in [0, 1, 2, 3, 100, 5000] {
            let noise: Vec<u8> = (0..length).map(|_| random.random()).collect();
            assert_eq!(decode(&encode(&noise), length), noise, "seed {seed}, length {length}");
        }
    }

    #[test]
    fn the_fingerprint_is_fnv_1a() {
        assert_eq!(fingerprint(""), "cbf29ce484222325");
        assert_eq!(fingerprint("foobar"), "85944171f73967e8");
    }

    #[test]
    fn alike_plans_become_small() {
        let plan: String = (0..2000).map(|i| format!("w 1 {}\n", (i / 7) % 3 - 1)).collect();
        let code = encode(plan.as_bytes());
        assert!(code.len() < plan.len() / 20, "{} of {}", code.len(), plan.len());
        assert_eq!(decode(&code, plan.len()), plan.as_bytes());
    }

    #[test]
    fn an_area_is_found_by_its_text_before_its_name() {
        let print = |text: &str| fingerprint(&normalised(text));
        let entries = format!("a\n{}\n3\nonea\n{}\n2\ntw", print("a\nx"), print("a\ny"));
        let found = |area: &str| {
            let plan = find(entries.as_bytes(), area)?;
            Some(String::from_utf8_lossy(plan).into_owned())
        };
        assert_eq!(found("a\r\nx  \r\n\r\n").as_deref(), Some("one"));
        assert_eq!(found("a\ny").as_deref(), Some("tw"));
        assert!(found("a\nz").is_some());
        assert_eq!(found("b\nx"), None);
        assert_eq!(found(""), None);
    }
}
