//! The app and the screen without a terminal.

use super::app::{App, Command, Mode};
use super::hint::Hint;
use super::input::{BINDINGS, Press, press};
use super::screen;
use crate::batch::{self, Task};
use crate::diagnostic::Source;
use crate::games::{Area, GameId, Status};
use ratatui::Terminal;
use ratatui::backend::TestBackend;
use ratatui::crossterm::event::KeyCode;
use std::collections::BTreeSet;
use std::path::Path;

const LEVEL: &str = "5 8\n########\n#@....?#\n#...##.#\n.......#\n########\n";
const WIN: &str = " \n \n \n \n \n \n \n \ns\ns\na\n";

fn area(text: &str) -> Box<dyn Area> {
    GameId::Monsters.game().read(&Source::new("levels/small.txt", text)).unwrap().only().unwrap()
}

fn key(app: &mut App<'_>, code: KeyCode) {
    press(app, Press { code, ctrl: false });
}

fn keys(app: &mut App<'_>, letters: &str) {
    letters.chars().for_each(|letter| key(app, KeyCode::Char(letter)));
}

fn shown(app: &App<'_>, cols: u16, rows: u16) -> String {
    let mut terminal = Terminal::new(TestBackend::new(cols, rows)).unwrap();
    terminal.draw(|frame| screen::draw(frame, app)).unwrap();
    terminal.backend().to_string()
}

#[test]
fn steps_are_done_undone_redone_and_restarted() {
    let area = area(LEVEL);
    let mut app = App::new(&*area);
    keys(&mut app, "dd");
    key(&mut app, KeyCode::Right);
    assert_eq!(app.plan(), "d\nd\nd\n");
    keys(&mut app, "uu");
    assert_eq!((app.plan().as_str(), app.progress()), ("d\n", (1, 2)));
    keys(&mut app, "r");
    assert_eq!(app.progress(), (2, 1));
    // The same step as the one ahead keeps the rest, another one drops it.
    keys(&mut app, "ud");
    assert_eq!(app.progress(), (2, 1));
    keys(&mut app, " ");
    assert_eq!((app.plan().as_str(), app.progress()), ("d\nd\n \n", (3, 0)));
    keys(&mut app, "R");
    assert_eq!(app.progress(), (0, 3));
    key(&mut app, KeyCode::End);
    assert_eq!(app.plan(), "d\nd\n \n");
    keys(&mut app, "q");
    assert!(app.is_left());
}

#[test]
fn a_plan_is_watched_to_its_end_and_paused() {
    let area = area(LEVEL);
    let steps =
        area.steps(&Source::new("plan", WIN)).unwrap().map(|step| step.text).collect::<Vec<_>>();
    assert_eq!(steps.len(), 11);
    let mut app = App::watching(&*area, steps, 3.0);
    assert_eq!(app.pause().unwrap().as_millis(), 250);
    app.tick();
    keys(&mut app, "p");
    assert_eq!((app.pause(), app.progress()), (None, (1, 10)));
    keys(&mut app, "p+");
    assert_eq!(app.pause().unwrap().as_millis(), 125);
    for _ in 0..20 {
        app.tick();
    }
    assert_eq!((app.pause(), app.plan().as_str()), (None, WIN));
    assert_eq!(app.status(), Status::Won);
    assert!(shown(&app, 80, 24).contains("WON"));
}

/// Every plan in `solutions/` is watched to its end, a frame drawn after 1, 2, 4, … steps.
#[test]
fn every_plan_is_watched_to_its_end() {
    let root = Path::new(env!("CARGO_MANIFEST_DIR"));
    let solutions = root.join("solutions");
    let mut watched = BTreeSet::new();
    for Task { key, area } in batch::find(&[root.join("areas")], None).tasks {
        let plan = Source::read(&batch::plan_file(&solutions, &key)).expect(&key);
        let steps: Vec<_> = area.steps(&plan).expect(&key).map(|step| step.text).collect();
        let count = steps.len();
        let mut app = App::watching(&*area, steps, 1.0);
        for done in 1..=count {
            app.tick();
            assert_eq!(app.progress(), (done, count - done), "{key}: {}", app.message());
            if done.is_power_of_two() && done < count {
                let screen = shown(&app, 100, 40);
                assert!(screen.contains(&format!("{done} of {count}")), "{key}\n{screen}");
            }
        }
        assert_eq!(app.status(), Status::Won, "{key}");
        let screen = shown(&app, 80, 24);
        assert!(screen.contains("WON"), "{key}\n{screen}");
        watched.insert(area.game());
    }
    // The game that tests alone have has no folder of areas.
    let has_areas = |game: &&GameId| root.join("areas").join(game.name()).is_dir();
    assert!(watched.iter().eq(GameId::ALL.iter().filter(has_areas)), "{watched:?}");
}

#[test]
fn every_size_of_screen_is_drawn() {
    let wide = format!("3 80\n{0}\n#@{1}\n{0}\n", "#".repeat(80), ".".repeat(78));
    for text in [LEVEL, &wide] {
        let area = area(text);
        let mut app = App::new(&*area);
        for help in [false, true] {
            for cols in (1..130).step_by(7) {
                for rows in 1..30 {
                    let screen = shown(&app, cols, rows);
                    assert!(help || cols < 16 || rows < 4 || screen.contains('@'), "{screen}");
                }
            }
            app.command(Command::Help);
        }
    }
}

#[test]
fn the_board_and_its_side_are_shown() {
    let area = area(LEVEL);
    let mut app = App::new(&*area);
    let screen = shown(&app, 80, 24);
    for part in ["##@ . . . . ? ##", "small", "turn: 0", "? mine: 1", "u undo"] {
        assert!(screen.contains(part), "{part}\n{screen}");
    }
    key(&mut app, KeyCode::Tab);
    assert!(!shown(&app, 80, 24).contains("turn"));
    keys(&mut app, "?");
    assert_eq!(app.mode(), Mode::Help(0));
    let help = shown(&app, 80, 24);
    for binding in &BINDINGS {
        assert!(help.contains(binding.about), "{}\n{help}", binding.about);
    }
}

#[test]
fn a_labyrinth_is_dark_until_the_torch_shows_it() {
    let text = "1\n4 0 4 3 2 0\n0 0 7 0\n7 1 7 6\n0 6 6 6\n0 1 0 5\n";
    let source = Source::new("dark.txt", text);
    let area = GameId::Labyrinth.game().read(&source).unwrap().only().unwrap();
    let mut app = App::new(&*area);
    let walls = |app: &App<'_>| shown(app, 80, 24).matches("XX").count();
    assert_eq!(walls(&app), 0, "{}", shown(&app, 80, 24));
    keys(&mut app, "A");
    assert_eq!(walls(&app), 3, "{}", shown(&app, 80, 24));
    keys(&mut app, "u");
    assert_eq!(walls(&app), 0);
    keys(&mut app, "f");
    assert_eq!(walls(&app), 25, "{}", shown(&app, 80, 24));
    keys(&mut app, "fS");
    assert_eq!(app.plan().lines().last(), Some("look south 100"));
    // What a walk has crossed is known.
    keys(&mut app, "dd");
    assert!(!app.is_hidden(2, 3) && !app.is_hidden(2, 4) && app.is_hidden(1, 5));
}

#[test]
fn a_throw_is_aimed_in_a_game_that_throws() {
    let rows = ["##########", "#E.......#"].into_iter();
    let rows = rows.chain(["#........#"; 6]).chain(["#.......X#", "##########"]);
    let text = format!("aimed\n10 10 2\n{}\n", rows.collect::<Vec<_>>().join("\n"));
    let Ok(areas) = GameId::LastOfUs.game().read(&Source::new("aimed.txt", text.as_str())) else {
        panic!("{text}");
    };
    let area = areas.only().unwrap();
    let mut app = App::new(&*area);
    assert!(app.can_aim());
    keys(&mut app, "t");
    for code in [KeyCode::Right, KeyCode::Right, KeyCode::Down, KeyCode::Enter] {
        key(&mut app, code);
    }
    assert_eq!((app.plan().as_str(), app.mode()), ("1\nb 2 -1\n", Mode::Play));
    // Refused: the aim stays, and the reason is shown.
    keys(&mut app, "t");
    for code in [KeyCode::Up, KeyCode::Enter] {
        key(&mut app, code);
    }
    assert!(matches!(app.mode(), Mode::Aim(..)) && !app.message().is_empty());
}

/// The words of a screen, whatever is between them.
fn words(screen: &str) -> String {
    let is_part = |c: char| !matches!(c, '│' | '"' | '┌' | '┐' | '└' | '┘' | '─');
    let plain: String = screen.chars().map(|c| if is_part(c) { c } else { ' ' }).collect();
    plain.split_whitespace().collect::<Vec<_>>().join(" ")
}

#[test]
fn the_help_is_whole_at_any_width() {
    let area = area(LEVEL);
    for cols in [30, 45, 60, 80, 200] {
        let mut app = App::new(&*area);
        keys(&mut app, "?");
        // As high as it needs: nothing may be cut at the right.
        let help = words(&shown(&app, cols, 80));
        for binding in &BINDINGS {
            for word in binding.about.split(' ') {
                assert!(help.contains(word), "{cols}: {word}\n{help}");
            }
        }
        assert!(help.contains("Ctrl-C") && help.contains("Backspace"), "{cols}: {help}");
    }
    // What does not fit into the height is scrolled to.
    let mut app = App::new(&*area);
    keys(&mut app, "?");
    assert!(!shown(&app, 60, 12).contains("leave"));
    for _ in 0..3 {
        key(&mut app, KeyCode::PageDown);
    }
    assert!(shown(&app, 60, 12).contains("leave"), "{}", shown(&app, 60, 12));
    for _ in 0..3 {
        key(&mut app, KeyCode::PageUp);
    }
    assert!(!shown(&app, 60, 12).contains("leave"));
    keys(&mut app, "x");
    assert_eq!(app.mode(), Mode::Play);
}

#[test]
fn hints_lead_to_the_end_in_every_game() {
    for &game in GameId::ALL {
        let options = crate::games::GenerateOptions { seed: 3, ..Default::default() };
        let made = game.game().generate(&options).unwrap();
        let area = game.game().read(&Source::new("made", made.area)).unwrap().only().unwrap();
        let mut app = App::new(&*area);
        let mut asked = 0;
        while app.status() == Status::Playing {
            app.command(Command::Hint);
            if let Some(question) = app.question() {
                asked += 1;
                assert!(app.message().starts_with("looking for a hint"), "{game}");
                let hint = question.answer();
                let Hint::Plan(steps) = &hint else { panic!("{game}: {hint:?}") };
                let begun = app.progress().0;
                let next = steps[begun].clone();
                app.take_hint(hint);
                assert!(app.message().starts_with("hint: "), "{game}: {}", app.message());
                app.step(&next);
            } else {
                // The plan is known: its next step is said without a search.
                assert!(app.message().starts_with("hint: "), "{game}: {}", app.message());
                let next = app.solution()[app.progress().0].clone();
                app.step(&next);
            }
        }
        assert_eq!((app.status(), asked), (Status::Won, 1), "{game}: {}", app.message());
        app.command(Command::Hint);
        assert!(app.question().is_none() && app.message().contains("won"), "{game}");
    }
}

#[test]
fn a_lost_position_is_said_and_a_key_calls_a_hint_off() {
    let text = "#######\n#@    #\n# $  .#\n#     #\n#######\n";
    let source = Source::new("room.xsb", text);
    let area = GameId::Sokoban.game().read(&source).unwrap().only().unwrap();
    let mut app = App::new(&*area);
    key(&mut app, KeyCode::Right);
    key(&mut app, KeyCode::Down);
    key(&mut app, KeyCode::F(2));
    let question = app.question().expect("a question");
    assert!(app.question().is_none(), "it is asked once");
    app.take_hint(question.answer());
    assert!(app.message().starts_with("this is lost"), "{}", app.message());
    keys(&mut app, "uh");
    let question = app.question().expect("a question");
    assert!(app.waits_for_hint());
    key(&mut app, KeyCode::Left);
    assert!(!app.waits_for_hint());
    assert!(question.is_void.load(std::sync::atomic::Ordering::Relaxed));
    assert_eq!(app.message(), "");
    app.command(Command::Undo);
    app.command(Command::Hint);
    let answer = app.question().expect("a question").answer();
    app.take_hint(answer);
    assert!(app.message().contains("more step"), "{}", app.message());
}

#[test]
fn levels_are_turned_and_their_games_go_on() {
    let (one, two) = (area(LEVEL), area(&LEVEL.replace('?', ".")));
    let mut app = App::first_of(&*one, &[&*two]);
    assert!(shown(&app, 80, 24).contains("level: 1 of 2"));
    keys(&mut app, "dN");
    assert_eq!(app.message(), "this is the first level");
    keys(&mut app, "n");
    assert_eq!((app.level(), app.plan().as_str()), ((2, 2), ""));
    keys(&mut app, "ddn");
    assert_eq!(app.message(), "this is the last level");
    keys(&mut app, "N");
    assert_eq!((app.level(), app.plan().as_str()), ((1, 2), "d\n"));
    key(&mut app, KeyCode::F(10));
    assert_eq!((app.level(), app.plan().as_str()), ((2, 2), "d\nd\n"));
    let mut alone = App::new(&*one);
    keys(&mut alone, "n");
    assert_eq!(alone.message(), "there is one level");
}
