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
fn own_areas_have_solutions_that_are_valid() {
    let mut count = 0;
    for (name, level) in own_areas() {
        verify(&level, &own_solution(&name)).expect("a valid solution");
        count += 1;
    }
    assert!(count >= 32, "{count} areas");
}
