//! The planner and the generator from outside. What the searches rest on is tested beside them.

use super::{levels, nodes, project};
use outwit::diagnostic::Source;
use outwit::games::sokoban::format::{Level, read_levels};
use outwit::games::{Area, GameId, GenerateOptions, Objective};
use outwit::verify::verify;

/// The levels of the project's own areas, by name.
fn own_areas() -> impl Iterator<Item = (String, Level)> {
    std::fs::read_dir(project("areas/sokoban")).expect("areas/sokoban").flatten().map(|entry| {
        let path = entry.path();
        let source = Source::read(&path).expect("a file");
        let level = read_levels(&source).expect("a level").remove(0);
        (path.file_stem().unwrap_or_default().to_string_lossy().into_owned(), level)
    })
}

/// The project's solution of one of its own areas.
fn own_solution(name: &str) -> Source {
    let path = project("solutions/sokoban").join(format!("{name}.plan"));
    Source::read(&path).expect("a solution")
}

#[test]
fn a_plan_does_not_depend_on_the_number_of_threads() {
    for seed in 0..6 {
        let mut options = GenerateOptions { seed, ..GenerateOptions::default() };
        options.values.insert("boxes".into(), "6".into());
        let made = GameId::Sokoban.game().generate(&options).expect("a level");
        let level = &levels(&made.area)[0];
        let plans: Vec<_> = [1, 2, 3]
            .map(|threads| level.solve(&Objective::default(), None, &nodes(100_000, threads)).plan)
            .into();
        assert!(plans[0].is_some());
        assert!(plans.windows(2).all(|two| two[0] == two[1]), "seed {seed}: {plans:?}");
    }
}

#[test]
fn improving_never_lengthens_and_keeps_plans_valid() {
    let mut shorter = 0;
    for seed in 0..6 {
        let options = GenerateOptions { seed, ..GenerateOptions::default() };
        let made = GameId::Sokoban.game().generate(&options).expect("a level");
        let level = &levels(&made.area)[0];
        let before = verify(level, &Source::new("made", made.plan.as_str())).expect("valid");
        let answer = level.improve(&made.plan, &Objective::default(), &nodes(50_000, 1));
        let plan = answer.plan.expect("a plan");
        let after = verify(level, &Source::new("improved", plan)).expect("valid");
        assert!(after.validation().rank <= before.validation().rank);
        shorter += usize::from(after.beats(&before));
    }
    assert!(shorter > 2, "plans of random pulls can be shortened");
}

#[test]
fn generated_levels_are_reproducible_and_their_plans_valid() {
    for seed in 0..20 {
        let options = GenerateOptions { seed, ..GenerateOptions::default() };
        let game = GameId::Sokoban.game();
        let made = game.generate(&options).expect("a level");
        assert_eq!(made.area, game.generate(&options).expect("a level").area);
        let level = &levels(&made.area)[0];
        verify(level, &Source::new("made", made.plan)).expect("a valid plan");
    }
}

#[test]
fn each_family_of_levels_is_as_its_options_say() {
    let game = GameId::Sokoban.game();
    let make = |seed: u64, words: &[(&str, &str)]| {
        game.generate(&GenerateOptions::new(seed, words.iter().copied()))
    };
    for form in ["line", "ring", "spiral", "crossing"] {
        let words = [("family", "chain"), ("form", form), ("boxes", "20")];
        let made = make(1, &words).unwrap_or_else(|error| panic!("{form}: {error}"));
        assert_eq!(made.area, make(1, &words).expect("a level").area, "{form}");
        let level = &levels(&made.area)[0];
        verify(level, &Source::new("made", made.plan)).expect("a valid plan");
        let away = level.boxes.iter().filter(|&cell| !level.targets.contains(cell)).count();
        assert_eq!((level.boxes.len(), away), (20, 1), "{form}");
    }
    for seed in 0..6 {
        let words = [("family", "mirrored"), ("rows", "9"), ("cols", "14"), ("boxes", "17")];
        let made = make(seed, &words).expect("a level");
        let level = &levels(&made.area)[0];
        verify(level, &Source::new("made", made.plan)).expect("a valid plan");
        assert_eq!((level.boxes.len(), level.shape.cols), (16, 13), "seed {seed}");
        for set in [&level.boxes, &level.targets, &level.walls] {
            let mirrored = |cell| {
                let (row, col) = (level.shape.row(cell), level.shape.col(cell));
                level.shape.at(row, 12 - col).is_some_and(|cell| set.contains(cell))
            };
            assert!(set.iter().all(mirrored), "seed {seed}:\n{}", made.area);
        }
    }
    for (words, what) in [
        ([("family", "chain"), ("boxes", "8"), ("corners", "3")], "came about"),
        ([("family", "chain"), ("form", "ring"), ("boxes", "21")], "came about"),
        ([("family", "chain"), ("form", "wheel"), ("boxes", "20")], "--form"),
        ([("family", "mirrored"), ("rows", "5"), ("boxes", "200")], "fewer boxes"),
        ([("family", "crowd"), ("rows", "5"), ("boxes", "20")], "--family"),
    ] {
        let error = make(1, &words).map(|made| made.area).expect_err("it is refused");
        assert!(error.to_string().contains(what), "{words:?}: {error}");
    }
}

#[test]
fn own_areas_have_solutions_that_are_valid() {
    let mut count = 0;
    for (name, level) in own_areas() {
        verify(&level, &own_solution(&name)).expect("a valid solution");
        count += 1;
    }
    assert!(count >= 32, "{count} areas");
}
