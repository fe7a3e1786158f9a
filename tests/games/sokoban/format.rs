//! Boards, collections and plans as texts.

use super::{SMALL, levels};
use outwit::diagnostic::Source;
use outwit::games::sokoban::format::{read_collection, read_levels};
use outwit::games::{Area, PlanError};
use rand::{RngExt, SeedableRng};
use rand_chacha::ChaCha8Rng;

#[test]
fn boards_are_read_plain_run_length_and_with_titles() {
    let plain = levels("#####\n#@$.#\n#####\nTitle: one push\n");
    assert_eq!(plain[0].name, "one push");
    for text in ["5#|#@$.#|5#\n", "5#\n#@$.#\n5#\n", "#####\r\n#@$.#\r\n#####\r\n"] {
        assert!(levels(text)[0].same_board(&plain[0]), "{text:?}");
    }
    let floor = levels("-####-\n##--##\n#@$-.#\n######\n");
    assert!(floor[0].same_board(&levels(" ####\n##__##\n#@$ .#\n######\n")[0]));
    assert!(levels("\u{feff}#####\n#@$.#\n#####\n")[0].same_board(&plain[0]), "byte order mark");
    let told = "Maze: 1\nFile offset: 12\nSize X: 5\n\n#####\n#@$.#\n#####\n\nLength: 5\n";
    assert_eq!(levels(told)[0].name, "Maze: 1");
    let many = levels(SMALL);
    assert_eq!(many.len(), 4);
    assert_eq!(many[2].name, "two rooms");
    for level in &many {
        assert_eq!(&levels(&level.text())[0], level, "what is written is what is read");
    }
}

#[test]
fn broken_boards_are_refused_with_line_and_column() {
    let cases = [
        ("#####\n#@$ #\n#####\n", 1, 1, "targets"),
        ("####\n#$.#\n####\n", 1, 1, "no player"),
        ("#####\n#@@ #\n#####\n", 2, 3, "second player"),
        ("#####\n#@$.\n#####\n", 2, 4, "close"),
        ("#####\n#@x.#\n#####\n", 2, 3, "belong"),
        ("no board\n", 0, 0, "no board"),
    ];
    for (text, line, column, word) in cases {
        let error = read_levels(&Source::new("t", text)).expect_err(text);
        assert_eq!((error.line, error.column), (line, column), "{text:?}: {error}");
        assert!(error.message.contains(word), "{text:?}: {error}");
    }
    let wide = format!("{}\n", "#".repeat(5000));
    assert!(read_levels(&Source::new("t", wide)).is_err());
}

#[test]
fn any_bytes_are_a_level_or_a_diagnostic() {
    let seed = 7;
    let mut random = ChaCha8Rng::seed_from_u64(seed);
    let letters: Vec<char> = "##### @+$*.-_\n\n|3;aT:é9".chars().collect();
    for _ in 0..3000 {
        let length = random.random_range(0..120);
        let text: String =
            (0..length).map(|_| letters[random.random_range(0..letters.len())]).collect();
        match read_levels(&Source::new("t", text.as_str())) {
            Ok(levels) => levels.iter().for_each(|level| assert!(level.boxes.len() < 200)),
            Err(error) => assert!(!error.report(false).is_empty(), "seed {seed}: {text:?}"),
        }
    }
}

/// Lines that files are put together from.
const LINES: [&str; 24] = [
    "#####\n#@$.#\n#####\n",
    "########\n#@ $ ..#\n########\n",
    "5#|#@$.#|5#\n",
    "\n",
    "-----\n",
    "Title: x\n",
    "; name\n",
    "Author: y\n",
    "*****\n",
    "9*\n",
    "Solution\nrRR\n",
    "a remark\n",
    "```\n",
    "# head\n",
    "wwwww\nwpb.w\nwwwww\n",
    "#\n",
    "-\n",
    "###x\n",
    "Comment:\n",
    "Comment-End:\n",
    "rRR\n",
    " ",
    "\t",
    "2(",
];

/// Whatever stands in a file: each level that is read of it is the same when it is written and read.
#[test]
fn levels_of_any_file_are_read_again_as_the_same() {
    let mut random = ChaCha8Rng::seed_from_u64(8);
    let letters: Vec<char> = "#@$.*-_ |2()wpbo;:'\u{feff}".chars().collect();
    let mut count = 0;
    for _ in 0..4000 {
        let mut text = String::new();
        for _ in 0..random.random_range(0..10) {
            text += LINES[random.random_range(0..LINES.len())];
            if random.random_bool(0.1) {
                text.push(letters[random.random_range(0..letters.len())]);
            }
        }
        let Ok(read) = read_collection(&Source::new("t", text.as_str())) else { continue };
        for (_, level) in read.readable() {
            let again = read_levels(&Source::new("again", level.text()));
            assert_eq!(again.as_deref(), Ok(&[level.clone()][..]), "{text:?}");
            count += 1;
        }
    }
    assert!(count > 1500, "{count} levels");
}

#[test]
fn plans_are_accepted_in_either_form_and_the_first_wrong_key_is_named() {
    let level = &levels("######\n#@$ .#\n######\n")[0];
    for plan in ["RR\n", "2R", "rr", "R\nR\n", "; a comment\nRR"] {
        let proof = level.replay(&Source::new("p", plan)).expect(plan);
        assert_eq!(proof.rank, [2, 2], "{plan:?}");
    }
    match level.replay(&Source::new("p", "R\nuR")) {
        Err(PlanError::Refused(refusal)) => {
            assert_eq!(refusal.step, 2);
            assert_eq!(refusal.line, Some((2, "u".into())));
            assert!(refusal.board.contains('@'));
        }
        other => panic!("{other:?}"),
    }
    match level.replay(&Source::new("p", "R")) {
        Err(PlanError::Refused(refusal)) => assert_eq!(refusal.step, 2),
        other => panic!("{other:?}"),
    }
    match level.replay(&Source::new("p", "R\n R?")) {
        Err(PlanError::Unreadable(error)) => assert_eq!((error.line, error.column), (2, 3)),
        other => panic!("{other:?}"),
    }
}
