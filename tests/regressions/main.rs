//! Faults that were found once, each with the input that showed it. A test is named after its fault.

mod nodes;
mod sokoban_text;

use outwit::diagnostic::Source;
use outwit::games::sokoban::format::{Level, read_levels};

/// The levels of a text.
fn levels(text: &str) -> Vec<Level> {
    read_levels(&Source::new("test.xsb", text)).unwrap_or_else(|e| panic!("{}", e.report(false)))
}

/// `outwit solve` took the first of no areas.
#[test]
fn a_file_of_no_robots_cases_was_read() {
    use outwit::games::GameId;
    for (text, line) in [("0 0\n", 1), ("\n\n0 0\n", 3)] {
        let read = GameId::Robots.game().read(&Source::new("none.txt", text));
        let refused = read.err().map(|diagnostic| (diagnostic.line, diagnostic.column));
        assert_eq!(refused, Some((line, 1)), "{text:?}");
    }
}

/// Overflow checks told: a throw that nobody hears has no column, and one was subtracted from zero.
#[test]
fn throws_at_subtracted_one_from_an_empty_row() {
    use outwit::games::last_of_us::state::{Move, throws_at};
    let mut rows = [0u32; 15];
    assert_eq!(throws_at(rows).count(), 0);
    rows[7] = 1 << 7 | 1 << 14;
    rows[14] = 1;
    let throws: Vec<(i32, i32)> = throws_at(rows).map(Move::delta).collect();
    assert_eq!(throws, [(0, 0), (0, 7), (7, -7)]);
}
