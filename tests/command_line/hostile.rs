//! Files that nobody meant well with: a diagnostic for each, never a panic, in every game.

use super::{Folder, generated, json, outwit};
use outwit::games::GameId;
use rand::{RngExt, SeedableRng};
use rand_chacha::ChaCha8Rng;

/// How many damaged copies of a good area and of a good plan each game gets.
const DAMAGED: usize = 40;

/// Contents that are an area of no game, nor a plan.
pub fn contents() -> Vec<(String, Vec<u8>)> {
    let named = |name: &str, bytes: &[u8]| (name.to_string(), bytes.to_vec());
    vec![
        named("binary.txt", b"\x7fELF\x02\x01\x01\x00\xff\xfe\x00\x80"),
        named("zeros.txt", &[0; 5000]),
        named("words.txt", b"the quick brown fox\njumps over\n"),
        named("absurd.txt", b"99999999999999999999999999 99999999999999999999999999 -1\n"),
        named("large.txt", b"a\n18446744073709551615 18446744073709551615 0\n"),
        named("signed.txt", b"a\n-5 -5 -5\n-1 -1\n"),
        named("unicode.txt", "\u{1f42d}\u{200b}\u{feff} \u{0661}\u{0660} 3\n".as_bytes()),
        named("long-line.txt", &[b'#'; 200_000]),
        named("many-lines.txt", &b"?\n".repeat(50_000)),
    ]
}

/// Flips, cuts, doubles: a damaged copy.
fn damaged(text: &str, random: &mut ChaCha8Rng) -> Vec<u8> {
    let mut bytes = text.as_bytes().to_vec();
    for _ in 0..random.random_range(1..4) {
        let at = random.random_range(0..=bytes.len());
        match random.random_range(0..5) {
            0 => bytes.truncate(at),
            1 => bytes.insert(at, random.random()),
            2 if at < bytes.len() => bytes[at] = random.random(),
            3 if at < bytes.len() => drop(bytes.remove(at)),
            _ => {
                let half = bytes[..at].to_vec();
                bytes.extend(half);
            }
        }
    }
    bytes
}

#[test]
fn what_is_no_area_is_named_with_its_place() {
    let folder = Folder::make();
    for &game in GameId::ALL {
        for (name, content) in contents() {
            let file = folder.put(&name, content);
            let answer = outwit(&["solve", &file, "--game", game.name()]);
            assert_eq!(answer.code, 2, "{game} {name}: {}", answer.stdout);
            assert!(answer.stdout.is_empty(), "{game} {name}: {}", answer.stdout);
            assert!(answer.stderr.contains(&name), "{game} {name}: {}", answer.stderr);
            assert!(answer.stderr.len() < 4000, "{game} {name}: a diagnostic without end");
            let as_json = outwit(&["solve", &file, "--game", game.name(), "--json"]);
            assert_eq!((as_json.code, as_json.stderr.as_str()), (2, ""), "{game} {name}");
            let error = &json(&as_json.stdout)["error"];
            assert!(error["message"].is_string() && error["line"].is_u64(), "{game} {name}");
        }
    }
}

#[test]
fn an_empty_file_is_no_area() {
    let folder = Folder::make();
    for &game in GameId::ALL {
        for (name, content) in [("empty.txt", ""), ("blank.txt", "\n\n\r\n  \n")] {
            let file = folder.put(name, content);
            let answer = outwit(&["solve", &file, "--game", game.name()]);
            assert_eq!(answer.code, 2, "{game} {name}: {}{}", answer.stdout, answer.stderr);
            assert!(answer.stderr.contains(name), "{game} {name}: {}", answer.stderr);
            assert!(answer.stderr.contains("the file is empty"), "{game}: {}", answer.stderr);
        }
    }
}

#[test]
fn damaged_areas_are_read_or_refused() {
    let seed = 11;
    let folder = Folder::make();
    for &game in GameId::ALL {
        let made = generated(game);
        let plan = folder.put("made.plan", &made.plan);
        let mut random = ChaCha8Rng::seed_from_u64(seed);
        for number in 0..DAMAGED {
            let bytes = damaged(&made.area, &mut random);
            let file = folder.put("damaged.txt", &bytes);
            // Verifying reads all of it and takes no time; the plan may hold or not.
            let answer = outwit(&["verify", &file, &plan, "--game", game.name()]);
            let told = format!("{game}, seed {seed}, number {number}: {}", answer.stderr);
            assert!([0, 1, 2].contains(&answer.code), "{told}");
            assert_eq!(answer.code == 2, !answer.stderr.is_empty(), "{told}");
        }
    }
}

#[test]
fn damaged_plans_are_valid_refused_or_unreadable() {
    let seed = 12;
    let folder = Folder::make();
    for &game in GameId::ALL {
        let made = generated(game);
        let area = folder.put(&format!("{game}/made.txt"), &made.area);
        let mut random = ChaCha8Rng::seed_from_u64(seed);
        let mut plans: Vec<Vec<u8>> =
            (0..DAMAGED).map(|_| damaged(&made.plan, &mut random)).collect();
        plans.extend(contents().into_iter().map(|(_, content)| content));
        for (number, bytes) in plans.iter().enumerate() {
            let plan = folder.put("damaged.plan", bytes);
            let answer = outwit(&["verify", &area, &plan]);
            let told = format!("{game}, seed {seed}, number {number}: {}", answer.stderr);
            assert!([0, 1, 2].contains(&answer.code), "{told}");
            match answer.code {
                2 => assert!(answer.stderr.contains("damaged.plan"), "{told}"),
                1 => assert!(answer.stdout.starts_with("invalid step"), "{told}"),
                _ => assert!(answer.stdout.starts_with("valid length"), "{told}"),
            }
        }
    }
}
