//! Reading areas and plans of The Last of Us: what is accepted, and the exact complaint about what
//! is not. Any bytes give a value or a diagnostic.

use outwit::diagnostic::{Diagnostic, Source};
use outwit::games::last_of_us::format::{
    Action, MAX_ACTIONS, MAX_NAME, Map, plan_text, read_map, read_plan,
};
use outwit::games::{GameId, Status};
use proptest::prelude::*;
use proptest::test_runner::RngSeed;

/// A 10 x 10 area with E at the top left, X at the bottom right and a clicker.
fn area() -> String {
    let mut rows = vec!["..........".to_string(); 10];
    rows[0] = "E#........".into();
    rows[4] = "....C.....".into();
    rows[9] = ".........X".into();
    format!("tiny\n10 10 3\n{}\n", rows.join("\n"))
}

fn map(text: &str) -> Result<Map, Diagnostic> {
    let result = read_map(&Source::new("a.txt", text));
    if let Err(error) = &result {
        assert!(error.report(false).contains("a.txt:"), "{}", error.report(false));
    }
    result
}

/// The area with one piece of text replaced, once.
fn with(from: &str, to: &str) -> String {
    let text = area();
    assert!(text.contains(from));
    text.replacen(from, to, 1)
}

#[track_caller]
fn complains(text: &str, line: usize, column: usize, message: &str) {
    let error = map(text).expect_err("it should be refused");
    assert_eq!((error.line, error.column, error.message.as_str()), (line, column, message));
}

#[track_caller]
fn plan_complains(text: &str, line: usize, column: usize, message: &str) {
    let error = read_plan(&Source::new("a.plan", text)).expect_err("it should be refused");
    assert_eq!((error.line, error.column, error.message.as_str()), (line, column, message));
    assert!(error.report(false).contains("a.plan:"));
}

#[test]
fn an_area_is_read_and_written_back() {
    let map = map(&area()).unwrap();
    assert_eq!((map.shape.rows, map.shape.cols, map.bricks), (10, 10, 3));
    assert_eq!((map.ellie.0, map.exit.0, map.clickers.len()), (0, 99, 1));
    assert_eq!(map.clickers[0].0, 44);
    assert_eq!(map.blocked.len(), 1);
    assert_eq!(map.text(), area());
}

#[test]
fn either_line_end_and_blank_lines_at_the_end_are_accepted() {
    let plain = map(&area()).unwrap();
    assert_eq!(map(&area().replace('\n', "\r\n")).unwrap(), plain);
    assert_eq!(map(&format!("{}\n\r\n  \n", area())).unwrap(), plain);
    assert_eq!(map(area().trim_end()).unwrap(), plain);
    assert_eq!(map(&with("10 10 3", " 10\t10  3 ")).unwrap(), plain);
    assert_eq!(map(&with("tiny", "  tiny  ")).unwrap(), plain);
    assert_eq!(map(&with("tiny", "a name of words, été")).unwrap().name, "a name of words, été");
}

#[test]
fn a_file_without_content_or_name_is_refused() {
    for text in ["", "\n", "\r\n \n\t\n"] {
        complains(text, 1, 1, "the file is empty");
    }
    complains(&with("tiny", ""), 1, 1, "the area's name is missing");
    complains(&with("tiny", "ti\u{7}ny"), 1, 3, "a control character in the area's name");
    let long = "n".repeat(MAX_NAME + 1);
    let message = "the area's name has 201 characters, at most 200 fit";
    complains(&with("tiny", &long), 1, MAX_NAME + 1, message);
    assert!(map(&with("tiny", &long[1..])).is_ok());
}

#[test]
fn a_wrong_header_is_refused() {
    complains("tiny", 2, 1, "the number of rows is missing");
    complains(&with("10 10 3", ""), 2, 1, "the number of rows is missing");
    complains(&with("10 10 3", "10"), 2, 3, "the number of columns is missing");
    complains(&with("10 10 3", "10 10"), 2, 6, "the number of bricks is missing");
    let message = "\"4\" where the line should end after 3 words";
    complains(&with("10 10 3", "10 10 3 4"), 2, 9, message);
    let message = "the number of rows must be a whole number, not \"ten\"";
    complains(&with("10 10 3", "ten 10 3"), 2, 1, message);
    let message = "the number of columns must be a whole number, not \"1e1\"";
    complains(&with("10 10 3", "10 1e1 3"), 2, 4, message);
}

#[test]
fn sizes_out_of_range_are_refused_however_absurd() {
    for (rows, shown) in [
        ("9", "9"),
        ("501", "501"),
        ("0", "0"),
        ("-10", "-10"),
        ("4294967306", "4294967306"),
        ("18446744073709551626", "18446744073709551626"),
        ("99999999999999999999999999999", "999999999999999999999999…"),
    ] {
        let message = format!("the number of rows must be from 10 to 500, not {shown}");
        complains(&with("10 10 3", &format!("{rows} 10 3")), 2, 1, &message);
    }
    let message = "the number of columns must be from 10 to 500, not 1000000";
    complains(&with("10 10 3", "10 1000000 3"), 2, 4, message);
    let message = "the number of bricks must be from 0 to 140, not 141";
    complains(&with("10 10 3", "10 10 141"), 2, 7, message);
    let message = "the number of bricks must be from 0 to 140, not -1";
    complains(&with("10 10 3", "10 10 -1"), 2, 7, message);
    assert_eq!(map(&with("10 10 3", "10 10 140")).unwrap().bricks, 140);
}

#[test]
fn rows_of_a_wrong_length_or_number_are_refused() {
    let message = "the row has 9 characters, the header says 10";
    complains(&with("....C.....", "....C...."), 7, 10, message);
    let message = "the row has 12 characters, the header says 10";
    complains(&with("....C.....", "....C......."), 7, 11, message);
    let message = "the row has 0 characters, the header says 10";
    complains(&with("....C.....", ""), 7, 1, message);
    let message = "the area ends after 9 of 10 rows";
    complains(&with(".........X\n", ""), 12, 1, message);
    complains("tiny\n10 10 3\n", 3, 1, "the area ends after 0 of 10 rows");
    let message = "the area is over: nothing may follow its last row";
    complains(&format!("{}..........\n", area()), 13, 1, message);
    complains(&format!("{}\n\n  rubbish", area()), 15, 3, message);
}

#[test]
fn unknown_characters_are_refused() {
    complains(&with("....C", "..e.C"), 7, 3, "unknown character 'e'");
    complains(&with("....C", "..\u{e9}.C"), 7, 3, "unknown character 'é'");
    complains(&with("....C", ".\t..C"), 7, 2, "unknown character '\\t'");
    complains(&with("....C", ".\u{0}..C"), 7, 2, "unknown character '\\0'");
}

#[test]
fn there_is_one_ellie_and_one_exit() {
    complains(&with("....C", "..E.C"), 7, 3, "a second E: there must be exactly one");
    complains(&with("....C", "..X.C"), 12, 10, "a second X: there must be exactly one");
    let error = map(&with("....C", "..E.C")).unwrap_err();
    assert_eq!(error.help.as_deref(), Some("the first is at line 3, column 1"));
    let message = "no E (Ellie) in the area: there must be exactly one";
    complains(&with("E", "."), 3, 1, message);
    let message = "no X (exit) in the area: there must be exactly one";
    complains(&with("X", "."), 3, 1, message);
}

#[test]
fn bytes_that_are_no_utf_8_are_read_as_windows_1252_and_refused_where_they_stand() {
    let mut bytes = area().into_bytes();
    bytes[20] = 0xff;
    let source = Source::from_bytes("a.txt", bytes).unwrap();
    let error = read_map(&source).unwrap_err();
    assert_eq!((error.line, error.column), (3, 8));
    assert_eq!(error.message, "unknown character 'ÿ'");
}

#[test]
fn a_plan_is_read_and_written_back() {
    let text = "4\nw 0 0\nw -1 1\nb 7 -7\nb 0 0\n";
    let plan = read_plan(&Source::new("a.plan", text)).unwrap();
    assert_eq!(plan[0], Action::Walk(None));
    assert_eq!(plan[2], Action::Throw { drow: 7, dcol: 7 });
    assert_eq!(plan_text(&plan), text);
    let loose = " 4 \r\nw 0 0\r\n  w  -1\t1\r\nb +7 -7\r\nb 0 0\r\n\r\n";
    assert_eq!(read_plan(&Source::new("a.plan", loose)).unwrap(), plan);
}

#[test]
fn the_count_of_a_plan_is_checked() {
    plan_complains("", 1, 1, "the plan is empty");
    plan_complains(" \n\n", 1, 1, "the plan is empty");
    let message = "the number of actions must be a whole number, not \"w\"";
    plan_complains("w\nw 1 0\n", 1, 1, message);
    plan_complains("w 1 0\n", 1, 3, "\"1\" where the line should end after 1 word");
    let message = "the number of actions must be from 1 to 100000, not 0";
    plan_complains("0\n", 1, 1, message);
    let message = "the number of actions must be from 1 to 100000, not 100001";
    plan_complains("100001\n", 1, 1, message);
    let message = "the number of actions must be from 1 to 100000, not 184467440737095516160000…";
    plan_complains("18446744073709551616000000\n", 1, 1, message);
    plan_complains("2\nw 1 0\n", 3, 1, "the plan promises 2 actions and has 1");
    let message = "the plan is over: its first line promises 1";
    plan_complains("1\nw 1 0\nw 1 0\n", 3, 1, message);
    plan_complains("1\nw 1 0\n\n  x y\n", 4, 3, message);
    let long = format!("{MAX_ACTIONS}\n{}", "w 0 0\n".repeat(MAX_ACTIONS));
    assert_eq!(read_plan(&Source::new("a.plan", long)).unwrap().len(), MAX_ACTIONS);
}

#[test]
fn unreadable_actions_are_refused() {
    plan_complains("1\nx 1 0\n", 2, 1, "unknown action \"x\"");
    plan_complains("1\nW 1 0\n", 2, 1, "unknown action \"W\"");
    plan_complains("1\n w 1\n", 2, 5, "dy is missing");
    plan_complains("2\n\nw 1 0\n", 2, 1, "w or b is missing");
    plan_complains("1\nw 2 0\n", 2, 3, "dx must be from -1 to 1, not 2");
    plan_complains("1\nw 0 -2\n", 2, 5, "dy must be from -1 to 1, not -2");
    plan_complains("1\nb 8 0\n", 2, 3, "dx must be from -7 to 7, not 8");
    plan_complains(
        "1\nb 0 -99999999999999999999\n",
        2,
        5,
        concat!("dy must be from -7 to 7, not ", "-99999999999999999999"),
    );
    plan_complains("1\nb 1.5 0\n", 2, 3, "dx must be a whole number, not \"1.5\"");
    plan_complains("1\nb - 0\n", 2, 3, "dx must be a whole number, not \"-\"");
    let message = "\"4\" where the line should end after 3 words";
    plan_complains("1\nb 1 2 4\n", 2, 7, message);
    plan_complains("1\n\u{e9}\u{e9} 2 2\n", 2, 1, "unknown action \"éé\"");
}

#[test]
fn areas_are_told_from_other_texts() {
    let game = GameId::LastOfUs.game();
    assert!(game.recognises(&area()));
    assert!(game.recognises(&area().replace('\n', "\r\n")));
    assert!(game.recognises(&with("10 10 3", "1000 10 3")), "malformed, and still an area");
    for other in ["", "tiny", "tiny\n10 10 3\n", "####\n#@$.#\n####\n", "1\n2 3 4\n5 6\n"] {
        assert!(!game.recognises(other), "{other:?}");
    }
}

#[test]
fn a_session_explains_unreadable_steps() {
    let mut session =
        GameId::LastOfUs.game().read(&Source::new("a", area())).unwrap().only().unwrap().session();
    for step in ["", "  ", "w", "w 5 0", "q 1 1", "w 1 0\nw 1 0", "b 1", "\u{0}", "1"] {
        let error = session.act(step).unwrap_err().to_string();
        assert!(!error.is_empty());
        assert_eq!((session.steps(), session.status()), (0, Status::Playing));
    }
    session.act("w 0 -1\n").unwrap();
    assert_eq!(session.steps(), 1);
}

/// Bytes that often come near an area or a plan.
fn hostile() -> impl Strategy<Value = Vec<u8>> {
    let piece = prop_oneof![
        Just(b"10 10 3\n".to_vec()),
        Just(b"E........X\n".to_vec()),
        Just(b"..C.#.....\n".to_vec()),
        Just(b"w 1 0\n".to_vec()),
        Just(b"b 7 -7\r\n".to_vec()),
        Just(b"\r".to_vec()),
        Just(b"99999999999999999999 ".to_vec()),
        Just("\u{feff}\u{2028}é".as_bytes().to_vec()),
        proptest::collection::vec(any::<u8>(), 0..12),
        "[0-9 \n.#EXCwb-]{0,24}".prop_map(String::into_bytes),
    ];
    proptest::collection::vec(piece, 0..16).prop_map(|pieces| pieces.concat())
}

proptest! {
    #![proptest_config(ProptestConfig {
        cases: 20_000,
        failure_persistence: None,
        rng_seed: RngSeed::Fixed(20_201_024),
        ..ProptestConfig::default()
    })]

    #[test]
    fn any_bytes_give_a_value_or_a_diagnostic(bytes in hostile()) {
        let game = GameId::LastOfUs.game();
        match Source::from_bytes("f", bytes) {
            Err(error) => prop_assert!(!error.report(false).is_empty()),
            Ok(source) => {
                game.recognises(&source.text);
                match read_map(&source) {
                    Ok(map) => prop_assert_eq!(read_map(&Source::new("f", map.text())).unwrap(), map),
                    Err(error) => prop_assert!(error.report(true).contains('f')),
                }
                match read_plan(&source) {
                    Ok(plan) => {
                        let again = read_plan(&Source::new("f", plan_text(&plan))).unwrap();
                        prop_assert_eq!(again, plan);
                    }
                    Err(error) => prop_assert!(error.report(true).contains('f')),
                }
            }
        }
    }

    #[test]
    fn a_mutated_area_gives_a_value_or_a_diagnostic(
        at in 0usize..130, byte in any::<u8>(), cut in 0usize..140, insert in any::<bool>()
    ) {
        let mut bytes = area().into_bytes();
        if insert { bytes.insert(at.min(bytes.len()), byte) } else if at < bytes.len() { bytes[at] = byte }
        bytes.truncate(bytes.len().min(cut + 10));
        if let Ok(source) = Source::from_bytes("f", bytes)
            && let Err(error) = read_map(&source)
        {
            prop_assert!(error.line >= 1 && error.column >= 1);
            prop_assert!(!error.report(false).is_empty());
        }
    }
}
