//! What a Sokoban level is called, and how large it is, survives writing and reading.

use super::levels;
use outwit::games::Area;
use outwit::games::sokoban::format::MAX_TITLE;

/// A level, written and read again.
fn assert_kept(text: &str) {
    for level in levels(text) {
        let again = levels(&level.text()).remove(0);
        assert_eq!(again, level, "of {text:?}");
    }
}

#[test]
fn a_title_was_cut_before_it_was_trimmed() {
    let board = "#####\n#@$.#\n#####\n";
    for end in [" b", "\u{a0}b", "' \"b", "\"\" ' ' b", "\u{2003}\u{2003}b"] {
        for before in MAX_TITLE - 8..=MAX_TITLE {
            let name = format!("{}{end}{}", "a".repeat(before), "c".repeat(9));
            assert_kept(&format!("{board}Title: {name}\n"));
            assert_kept(&format!("{name}\n{board}"));
        }
    }
    // Nothing is left of this one.
    let level = levels(&format!("{board}Title: {}a\n", "'".repeat(2 * MAX_TITLE))).remove(0);
    assert_eq!(level.name, "level 1");
    assert_kept(&format!("{board}Title: {}a\n", "'".repeat(2 * MAX_TITLE)));
}

#[test]
fn size_counted_blanks_beyond_the_wall() {
    let size = |text: &str| {
        let facts = levels(text)[0].facts();
        facts.iter().find(|fact| fact.name == "size").map(|fact| fact.value.to_string())
    };
    for text in [
        "#####\n#@$.#\n#####\n",
        "#####----\n#@$.#__\n#####\n",
        "    #####\n    #@$.#\n    #####\n",
        "#####\n#@$.#\n#####\n-----\n---\n",
        "5-|5#3-|#@$.#|5#|--\n",
    ] {
        assert_eq!(size(text).as_deref(), Some("3x5"), "{text:?}");
        assert_kept(text);
    }
}

#[test]
fn a_first_row_without_a_wall_became_the_title() {
    let wrong = read("-*-|5#|#@$.#|5#\n").expect_err("a box stands above the board");
    assert_eq!((wrong.line, wrong.column), (1, 2));
}

fn read(
    text: &str,
) -> Result<Vec<outwit::games::sokoban::format::Level>, outwit::diagnostic::Diagnostic> {
    super::read_levels(&super::Source::new("test.xsb", text))
}
