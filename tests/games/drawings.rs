//! An area can be drawn further, and what is drawn is the area again.

use outwit::batch;
use outwit::diagnostic::Source;
use outwit::games::{Area, Drawing, Fingerprint, GameId, Role};
use outwit::play::Draft;
use std::path::Path;

/// All areas of the project.
fn areas() -> Vec<Box<dyn Area>> {
    let folder = Path::new(env!("CARGO_MANIFEST_DIR")).join("areas");
    batch::find(&[folder], None).tasks.into_iter().map(|task| task.area).collect()
}

fn read(game: GameId, text: &str) -> Box<dyn Area> {
    game.game().read(&Source::new("drawn", text)).expect("an area").only().expect("one area")
}

/// What a plan depends on: a labyrinth may have been moved and its walls cut into other pieces, and robots
/// come row by row.
fn seen(area: &dyn Area) -> (Vec<String>, Vec<(&'static str, String)>) {
    (area.drawing().expect("small").rows, area.drawn_values())
}

#[test]
fn what_is_drawn_of_an_area_is_that_area() {
    let mut drawn = std::collections::BTreeMap::new();
    for area in areas() {
        let Ok(drawing) = area.drawing() else { continue };
        let game = area.game();
        let draft = Draft::new(game, &drawing).expect("as large as its drawing");
        assert_eq!(draft.problem, None, "{game}/{}: {}", area.name(), draft.text);
        let again = read(game, &draft.text);
        assert_eq!(seen(&*again), seen(&*area), "{game}/{}", area.name());
        if !matches!(game, GameId::Labyrinth | GameId::Robots) {
            assert_eq!(
                Fingerprint::of_area(&*again),
                Fingerprint::of_area(&*area),
                "{}",
                area.name()
            );
        }
        *drawn.entry(game).or_insert(0) += 1;
    }
    // Every game has areas that are small enough.
    assert_eq!(drawn.len(), GameId::ALL.len(), "{drawn:?}");
}

/// The letters of an easel are letters of the game's boards, and its turns and stacks hang together.
#[test]
fn easels_have_the_letters_of_their_games() {
    for &game in GameId::ALL {
        let easel = game.game().description().easel;
        let legend = game.game().legend();
        assert_eq!(legend.role(easel.floor), Role::Floor, "{game}");
        let brushes: Vec<char> = easel.brushes.iter().map(|brush| brush.letter).collect();
        assert!(brushes.contains(&easel.floor), "{game}");
        for sign in legend.signs {
            let is_stack = easel.stacks.iter().any(|stack| stack.both == sign.letter);
            let is_fixed = easel.fixed.iter().any(|fixed| fixed.letter == sign.letter);
            // Debris is made in the course of a game.
            let is_later = game == GameId::Robots && sign.letter == '*';
            let is_drawn = brushes.contains(&sign.letter) || is_stack || is_fixed;
            assert!(is_drawn != is_later, "{game}: {}", sign.letter);
        }
        for turn in easel.turning.iter().flat_map(|turn| turn.chars()) {
            assert!(brushes.contains(&turn), "{game}: {turn}");
        }
        for side in [easel.rows, easel.cols] {
            assert!(side.least <= side.usual && side.usual <= side.most, "{game}");
        }
    }
}

#[test]
fn a_draft_says_what_is_wrong_and_where() {
    let drawing = |rows: &[&str]| Drawing {
        rows: rows.iter().map(|row| row.to_string()).collect(),
        ..Drawing::default()
    };
    let draft = |game, rows: &[&str]| Draft::new(game, &drawing(rows)).expect("small");
    let without_player = draft(GameId::Sokoban, &["#####", "# $.#", "#####"]);
    assert!(without_player.problem.is_some());

    // A monster on the border: its cell.
    let on_border = draft(GameId::Monsters, &["####", "#@.*", "####"]);
    assert_eq!(on_border.cell, Some([1, 3]), "{on_border:?}");

    // Rows and columns that the text leaves out count.
    let rows = ["", "   #####", "   #$ .#", "   #@ *#", "   #####", ""];
    let lost = draft(GameId::Sokoban, &rows);
    assert_eq!((lost.problem, lost.stuck), (None, vec![[2, 4]]));

    let large = drawing(&[&"#".repeat(10_000)]);
    for &game in GameId::ALL {
        assert!(Draft::new(game, &large).is_err(), "{game}");
    }
}

/// The order of teleport locations is not on the board, nor are those below a robot.
#[test]
fn teleports_keep_their_order() {
    let text = "2 4\n3 3\n20 20\n9 9\n3 3\n4 4\n9 9\n0 0\n";
    let area = read(GameId::Robots, text);
    let mut drawing = area.drawing().expect("small");
    assert_eq!(Draft::new(GameId::Robots, &drawing).expect("small").text, text);
    // One that was rubbed out is not listed any more; a new one comes last.
    drawing.rows[8].replace_range(8..9, ".");
    drawing.rows[0].replace_range(0..1, "o");
    let text = "2 3\n3 3\n20 20\n3 3\n4 4\n1 1\n0 0\n";
    assert_eq!(Draft::new(GameId::Robots, &drawing).expect("small").text, text);
}

/// Any letters and values make a text that is read or refused: nothing panics.
#[test]
fn hostile_drawings_are_refused() {
    let rows = |row: &str| vec![row.to_string(); 10];
    for &game in GameId::ALL {
        for row in ["", "\u{0}\n\r", "ééééé", "##########", "XXEO..+++o@@@", "🧱🧱🧱"] {
            let values = ["bricks", "dynamite", "teleports", "nonsense"]
                .map(|name| (name.to_string(), "-1\n99999999999999999999, 0 0, 1 1".to_string()));
            let name = "\n\n#####\u{0}".to_string();
            let drawing = Drawing { name, rows: rows(row), values: values.into() };
            let draft = Draft::new(game, &drawing).expect("small");
            if draft.problem.is_none() {
                read(game, &draft.text);
            }
        }
    }
}
