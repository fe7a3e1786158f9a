//! Mutations of inputs by lot.

use rand::prelude::*;

/// The longest input, in bytes.
const MOST_BYTES: usize = 4096;
/// What is put in now and then: numbers at limits, signs that formats know, ends of lines.
const WORDS: [&[u8]; 28] = [
    b"0",
    b"1",
    b"-1",
    b"7",
    b"9",
    b"10",
    b"31",
    b"250",
    b"251",
    b"500",
    b"65536",
    b"4294967295",
    b"-9223372036854775808",
    b"18446744073709551615",
    b"\n",
    b"\r\n",
    b"\t",
    b" ",
    b"#",
    b"$",
    b".",
    b"@",
    b"*",
    b"|",
    b"\0",
    b"\xff",
    "\u{feff}".as_bytes(),
    "\u{e9}".as_bytes(),
];

/// Changes an input in one to six places.
pub fn mutate(input: &mut Vec<u8>, others: &[Vec<u8>], random: &mut impl Rng) {
    for _ in 0..random.random_range(1..=6) {
        change(input, others, random);
        input.truncate(MOST_BYTES);
    }
}

fn change(input: &mut Vec<u8>, others: &[Vec<u8>], random: &mut impl Rng) {
    let at = random.random_range(0..=input.len());
    let end = (at + random.random_range(1..24)).min(input.len());
    match random.random_range(0..8) {
        0 => {
            if let Some(byte) = input.get_mut(at) {
                *byte ^= 1 << random.random_range(0..8);
            }
        }
        1 => {
            input.drain(at..end);
        }
        2 => {
            let piece = input[at..end].to_vec();
            let to = random.random_range(0..=input.len());
            input.splice(to..to, piece);
        }
        3 => {
            let other = others.choose(random).expect("there are inputs");
            let from = random.random_range(0..=other.len());
            let piece = other[from..(from + 64).min(other.len())].to_vec();
            input.splice(at..end, piece);
        }
        4 => swap_bytes(input, random),
        5 => {
            // Another sign that is in the input already.
            if let (Some(&other), true) = (input.choose(random), at < input.len()) {
                input[at] = other;
            }
        }
        _ => {
            let word = WORDS.choose(random).expect("there are words");
            let end = if random.random() { at } else { end };
            input.splice(at..end, word.iter().copied());
        }
    }
}

fn swap_bytes(input: &mut [u8], random: &mut impl Rng) {
    if !input.is_empty() {
        let (a, b) = (random.random_range(0..input.len()), random.random_range(0..input.len()));
        input.swap(a, b);
    }
}
