//! Faults that were found once, each with the input that showed it. A test is named after its fault.

mod nodes;
mod sokoban_text;

use outwit::diagnostic::Source;
use outwit::games::Area;
use outwit::games::sokoban::format::{Level, read_levels};

/// The levels of a text.
fn levels(text: &str) -> Vec<Level> {
    read_levels(&Source::new("test.xsb", text)).unwrap_or_else(|e| panic!("{}", e.report(false)))
}

/// A macro move of feature-space search passed a solved position, and the pushes after it counted.
#[test]
fn a_plan_went_on_past_a_solved_position() {
    use outwit::games::GameId;
    use outwit::search::{Limits, Run, Verdict};
    use outwit::verify::verify;
    let board = "#########\n# #     #\n#@$.  ###\n# $ .  ##\n# $.    #\n#########\n";
    let level = &levels(board)[0];
    let objective = GameId::Sokoban.game().objective(None).unwrap();
    for nodes in [20, 21, 22, 40] {
        let budget = Run::from(Limits { nodes: Some(nodes), threads: 1, ..Limits::seconds(1e6) });
        let answer = level.solve(&objective, None, &budget);
        assert_eq!(answer.verdict, Verdict::Found, "{nodes} nodes");
        let plan = answer.plan.expect("a plan was found");
        let verified = verify(level, &Source::new("plan", &plan)).expect("it is a plan");
        assert_eq!(answer.length, Some(verified.length(objective.measure)), "{plan}");
    }
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
