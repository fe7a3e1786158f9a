//! A sixth game goes through everything above the games, and nothing there was told of it.

use crate::diagnostic::Source;
use crate::games::{GameId, GenerateOptions, Objective, PlanError, SizeOrder, identify};
use crate::search::{Limits, Run, Verdict};
use crate::verify::{settle, verify};
use std::path::Path;

fn budget() -> Run {
    Run::from(Limits { threads: 1, ..Limits::seconds(10.0) })
}

#[test]
fn it_is_in_the_list_and_describes_itself() {
    assert_eq!("corridor".parse(), Ok(GameId::Corridor));
    assert_eq!(GameId::ALL.last(), Some(&GameId::Corridor));
    let description = GameId::Corridor.game().description();
    assert_eq!((description.title, description.units[0].of(2)), ("Corridor", "steps"));
    assert_eq!(description.size, SizeOrder::RowsByColumns);
    assert!(description.rules[1].contains("1000"), "{description:?}");
}

#[test]
fn its_areas_are_told_by_content_and_folder() {
    let source = Source::new("somewhere/a.txt", "@...>\n");
    assert_eq!(identify(Path::new("somewhere/a.txt"), &source).unwrap(), GameId::Corridor);
    let none = Source::new("corridor/b.txt", "@-->\n");
    assert_eq!(identify(Path::new("corridor/b.txt"), &none).unwrap(), GameId::Corridor);
    let error = GameId::Corridor.game().read(&none).err().unwrap();
    assert_eq!((error.file.as_str(), error.line), ("corridor/b.txt", 1));
}

#[test]
fn it_is_read_solved_shortened_and_verified() {
    let area = crate::parse("@...>\n").unwrap().only().unwrap();
    let solved = crate::solve(&*area, &Objective::OPTIMAL, &budget());
    assert_eq!((solved.answer.verdict, solved.answer.length), (Verdict::Optimal, Some(4)));
    let long = Source::new("plan", "right\nleft\nright\nright\nright\nright\n");
    let long = verify(&*area, &long).unwrap();
    let better = crate::improve(&*area, &long, &Objective::default(), &budget());
    assert!(better.plan().unwrap().beats(&long));
    let Err(PlanError::Refused(refusal)) = verify(&*area, &Source::new("plan", "left\n")) else {
        panic!("nothing is left of the start");
    };
    assert_eq!((refusal.step, refusal.board.as_str()), (1, "@...>"));
}

#[test]
fn what_is_generated_holds() {
    let game = GameId::Corridor.game();
    let mut options = GenerateOptions::default();
    options.values.insert("cells".into(), "9".into());
    let made = game.generate(&options).unwrap();
    let area = game.read(&Source::new("made", made.area)).unwrap().only().unwrap();
    let plan = verify(&*area, &Source::new("plan", made.plan)).unwrap();
    assert_eq!(plan.validation().length, 8);
    options.values.insert("cells".into(), "1".into());
    assert!(game.generate(&options).is_err());
}

#[test]
fn it_is_played_by_hand_and_solved_from_a_position() {
    let area = crate::parse("@...>\n").unwrap().only().unwrap();
    let begun = Source::new("begun", "right\nleft\n");
    let answer = area.solve_from(&begun, &Objective::OPTIMAL, &budget()).unwrap();
    assert_eq!((answer.verdict, answer.length), (Verdict::Optimal, Some(6)));
    let settled = settle(&*area, answer, None, None);
    assert_eq!(settled.answer.length, Some(6));
}

/// Steps as JSON tells them to the page, and the report that commands, jobs and the page write.
#[cfg(feature = "serde")]
#[test]
fn it_is_told_step_by_step_and_reported() {
    use crate::play::{MoveRequest, Play, Show, Standing, Unfit};

    let area = crate::parse("@..>\n").unwrap().only().unwrap();
    let mut play = Play::new(&*area, None);
    let walk = MoveRequest { steps: vec!["right".into(); 3], ..MoveRequest::default() };
    let done = play.go_on(&walk, |_| Ok::<_, Unfit>(None)).unwrap();
    let played = play.told("token", Show::default(), true, done);
    assert_eq!((played.status, played.steps), (Standing::Won, 3));
    assert_eq!(played.view.rows, Some(vec!["...@".to_string()]));
    let setup = played.setup.unwrap();
    assert_eq!((setup.game, setup.keys.len(), setup.legend.signs.len()), ("corridor", 2, 2));
    assert!(!setup.aims && !setup.fog && setup.walls.is_none());

    let solved = crate::solve(&*area, &Objective::OPTIMAL, &budget());
    let report = crate::report::Report::new(&solved);
    assert!(report.standing.is_optimal() && report.standing.length() == Some(3));
    assert_eq!(report.plan.as_deref(), Some("right\nright\nright\n"));
}

/// The list of games as the API has it, with the description in its schema.
#[cfg(feature = "cli")]
#[test]
fn its_description_is_json() {
    let told = serde_json::to_value(GameId::Corridor.game().description()).unwrap();
    assert_eq!(told["units"][0]["many"], "steps");
    assert_eq!((&told["size"], &told["pointing"]), (&"rows-by-columns".into(), &"walk".into()));
    assert!(told["aim"].is_null());
}
