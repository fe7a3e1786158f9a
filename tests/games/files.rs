//! Files as people have them: what is read of each.

#[path = "../shared/cases.rs"]
mod cases;

use cases::{Case, areas, folder};
use outwit::diagnostic::{Diagnostic, Source};
use outwit::games::{Area, Collection, GameId, Objective, identify};
use outwit::search::{Run, Verdict};
use outwit::verify::verify;

fn read(case: &Case) -> Result<Collection, Diagnostic> {
    let source = Source::read(&case.path)?;
    case.game.game().read(&source)
}

#[test]
fn levels_and_titles_are_those_of_the_table() {
    for case in areas() {
        let name = &case.file;
        let read = match read(&case) {
            Ok(read) => read,
            Err(error) => {
                assert!(case.readable.is_empty(), "{}", error.report(false));
                assert!(!error.report(false).is_empty() && error.file.ends_with(name));
                continue;
            }
        };
        assert_eq!(read.entries.len(), case.levels, "{name}");
        let good: Vec<usize> = read.readable().map(|(number, _)| number).collect();
        assert_eq!(good, case.readable, "{name}");
        for (number, error) in read.errors() {
            assert!(error.message.starts_with(&format!("level {number}: ")), "{name}: {error}");
            assert!(error.line > 0 && error.file.ends_with(name), "{name}: {error}");
        }
        for (entry, title) in read.entries.iter().zip(&case.titles) {
            let name = entry.content.as_ref().map_or(entry.name(), |area| area.name().to_string());
            let untitled = format!("level {}", entry.number);
            let title = if title.is_empty() { &untitled } else { title };
            assert_eq!(name, *title, "{} level {}", case.file, entry.number);
        }
    }
}

/// The table has each file, and each file is in it.
#[test]
fn the_table_is_whole() {
    let table = std::fs::read_to_string(folder().join("cases.tsv")).unwrap();
    let named: Vec<&str> = table.lines().map(|line| line.split('\t').next().unwrap()).collect();
    for entry in std::fs::read_dir(folder()).unwrap() {
        let name = entry.unwrap().file_name().into_string().unwrap();
        let is_beside = ["README.md", "cases.tsv", "area.xsb", "pair.xsb"].contains(&name.as_str());
        assert!(is_beside || named.contains(&name.as_str()), "{name} has no row");
    }
}

/// The game is told by content or ending, wherever the file lies.
#[test]
fn the_game_is_told_without_a_folder() {
    for case in areas().iter().filter(|case| !case.readable.is_empty()) {
        let source = Source::read(&case.path).unwrap();
        let name = case.path.file_name().unwrap();
        let game = identify(&std::path::Path::new("/somewhere").join(name), &source);
        assert_eq!(game, Ok(case.game), "{}", case.file);
    }
}

#[test]
fn an_ending_is_more_than_a_folder() {
    let level = Source::new("level", "#####\n#@$.#\n#####\n");
    let cases = Source::new("cases", "1 1\n12 12\n3 3\n0 0\n");
    let game = |path: &str, source: &Source| identify(path.as_ref(), source).ok();
    for ending in ["xsb", "sok", "slc", "XSB"] {
        let path = format!("/robots/level.{ending}");
        assert_eq!(game(&path, &level), Some(GameId::Sokoban), "{path}");
    }
    assert_eq!(game("/robots/level.txt", &cases), Some(GameId::Robots));
    assert_eq!(game("/robots/level.txt", &level), Some(GameId::Robots), "the folder says so");
}

#[test]
fn what_can_be_read_is_solved() {
    for case in areas().iter().filter(|case| case.game == GameId::Sokoban) {
        for (number, area) in read(case).iter().flat_map(Collection::readable) {
            assert_solved(case, number, &**area);
        }
    }
}

fn assert_solved(case: &Case, number: usize, area: &dyn Area) {
    let name = format!("{} level {number}", case.file);
    let answer = area.solve(&Objective::OPTIMAL, None, &Run::seconds(60.0));
    if case.plan == "impossible" {
        assert_eq!(answer.verdict, Verdict::Impossible, "{name}");
        return;
    }
    assert_eq!(answer.verdict, Verdict::Optimal, "{name}");
    let plan = verify(area, &Source::new("plan", answer.plan.expect(&name))).expect(&name);
    if !case.plan.is_empty() {
        let known = verify(area, &Source::new("table", case.plan.as_str())).expect(&name);
        assert_eq!(plan.validation().rank, known.validation().rank, "{name}");
    }
    // What was read is written and read as the same.
    let again = area.game().game().read(&Source::new("again", area.text()));
    let again = again.expect(&name).only().expect(&name);
    assert_eq!((again.text(), again.name()), (area.text(), area.name()), "{name}");
}

/// Solutions that stand beside their levels are kept, with their places.
#[test]
fn solutions_are_kept_with_their_levels() {
    let source = Source::read(&folder().join("solutions.sok")).unwrap();
    let read = GameId::Sokoban.game().read(&source).unwrap();
    let told = |level: usize| -> Vec<(Option<&str>, &str, usize)> {
        let solutions = &read.entry(Some(level)).unwrap().solutions;
        solutions.iter().map(|it| (it.title.as_deref(), it.text.as_str(), it.line)).collect()
    };
    assert_eq!(told(1), [(Some("Moves"), "rRRlrR\n", 8), (Some("2/2 (pushes)"), "rRR\n", 11)]);
    assert_eq!(told(2), [(None, "L\n", 18)]);
}

#[test]
fn authors_and_the_title_of_all_are_kept() {
    let of = |file: &str| {
        let source = Source::read(&folder().join(file)).unwrap();
        let read = GameId::Sokoban.game().read(&source).unwrap();
        let authors: Vec<_> = read.entries.iter().map(|entry| entry.author.clone()).collect();
        (read.title, read.author, authors)
    };
    let some = |text: &str| Some(text.to_string());
    assert_eq!(of("set.sok"), (some("Shelf"), some("X"), vec![some("Y"), None]));
    assert_eq!(of("notes-between.sok"), (some("Shelf"), some("X"), vec![None, None]));
    assert_eq!(of("titles-after.txt"), (None, None, vec![some("X"), None]));
    assert_eq!(of("two.slc"), (some("A pair"), some("nobody"), vec![None, None]));
    assert_eq!(of("latin1.sok"), (None, None, vec![some("anonymé")]));
}

/// What is said of files of which nothing can be read.
#[test]
fn refusals_say_what_is_wrong_and_where() {
    for (file, line, column, part) in [
        ("more-boxes.xsb", 1, 1, "2 boxes, 1 target"),
        ("no-player.sok", 1, 1, "no player"),
        ("no-boxes.xsb", 1, 1, "0 boxes, 2 targets"),
        ("binary.xsb", 7, 1, "not text"),
        ("rle-wide.xsb", 1, 4, "at most 250 columns"),
        ("letters-mixed.xsb", 2, 4, "'b' does not belong"),
        ("statement.xsb", 2, 3, "letters of the problem's statement"),
        ("empty.txt", 0, 0, "empty"),
        ("no-level.slc", 0, 0, "no board"),
    ] {
        let read = Source::read(&folder().join(file));
        let read = read.and_then(|source| GameId::Sokoban.game().read(&source));
        let error = read.expect_err(file);
        assert_eq!((error.line, error.column), (line, column), "{error}");
        assert!(error.message.contains(part), "{error}");
    }
    for (file, line, column, part) in [
        ("one-bad-board.xsb", 6, 1, "level 2: 2 boxes, 0 targets"),
        ("cut-off.txt", 12, 1, "level 3: 1 box, 0 targets"),
        ("fragment.sok", 9, 1, "level 2: this board has no player"),
        ("typo.sok", 4, 6, "level 1: 'x' does not belong on a board"),
        ("bad-level.slc", 5, 41, "level 2: this board has no player"),
    ] {
        let source = Source::read(&folder().join(file)).unwrap();
        let read = GameId::Sokoban.game().read(&source).expect(file);
        let (_, error) = read.errors().next().expect(file);
        assert_eq!((error.line, error.column), (line, column), "{error}");
        assert_eq!(error.message, part, "{file}");
    }
}

/// What would take much memory or time is refused soon.
#[test]
fn large_files_are_refused_or_read_soon() {
    let megabytes = |text: &str| text.repeat(1_000_000 / text.len());
    for text in [
        "#\n",
        "a\n\n",
        "\r",
        "#@#\n---\n",
        "#####\n#@$.#\n#####\n\n",
        "####\n#@$#\n####\n\n",
        "Comment:\nSolution\n",
        "2(251#)|",
        "2(",
        ")",
        "Title: x\n",
        "; x\n\n",
        "```\n",
        "w\n",
    ] {
        let source = Source::new("large", megabytes(text));
        let begun = std::time::Instant::now();
        let read = GameId::Sokoban.game().read(&source);
        assert!(begun.elapsed().as_secs() < 60, "{text:?}");
        assert_eq!(read.is_ok(), text.contains("$."), "{text:?}");
    }
    for text in ["<Level><L>&#</L></Level>", "<a>", "<Level Id='", "<!--", "<L>#"] {
        let source = Source::new("large.slc", format!("<SokobanLevels>{}", megabytes(text)));
        let begun = std::time::Instant::now();
        assert!(GameId::Sokoban.game().read(&source).is_err(), "{text:?}");
        assert!(begun.elapsed().as_secs() < 60, "{text:?}");
    }
}
