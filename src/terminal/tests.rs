//! The desk and the screen without a terminal.

use super::desk::{Command, Desk, Mode};
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
    GameId::Monsters.game().read(&Source::new("levels/small.txt", text)).unwrap().remove(0)
}

fn key(desk: &mut Desk<'_>, code: KeyCode) {
    press(desk, Press { code, ctrl: false });
}

fn keys(desk: &mut Desk<'_>, letters: &str) {
    letters.chars().for_each(|letter| key(desk, KeyCode::Char(letter)));
}

fn shown(desk: &Desk<'_>, cols: u16, rows: u16) -> String {
    let mut terminal = Terminal::new(TestBackend::new(cols, rows)).unwrap();
    terminal.draw(|frame| screen::draw(frame, desk)).unwrap();
    terminal.backend().to_string()
}

#[test]
fn steps_are_done_undone_redone_and_restarted() {
    let area = area(LEVEL);
    let mut desk = Desk::new(&*area);
    keys(&mut desk, "dd");
    key(&mut desk, KeyCode::Right);
    assert_eq!(desk.plan(), "d\nd\nd\n");
    keys(&mut desk, "uu");
    assert_eq!((desk.plan().as_str(), desk.progress()), ("d\n", (1, 2)));
    keys(&mut desk, "r");
    assert_eq!(desk.progress(), (2, 1));
    // The same step as the one ahead keeps the rest, another one drops it.
    keys(&mut desk, "ud");
    assert_eq!(desk.progress(), (2, 1));
    keys(&mut desk, " ");
    assert_eq!((desk.plan().as_str(), desk.progress()), ("d\nd\n \n", (3, 0)));
    keys(&mut desk, "R");
    assert_eq!(desk.progress(), (0, 3));
    key(&mut desk, KeyCode::End);
    assert_eq!(desk.plan(), "d\nd\n \n");
    keys(&mut desk, "q");
    assert!(desk.is_left());
}

#[test]
fn a_plan_is_watched_to_its_end_and_paused() {
    let area = area(LEVEL);
    let steps = area.steps(&Source::new("plan", WIN)).unwrap().collect::<Vec<_>>();
    assert_eq!(steps.len(), 11);
    let mut desk = Desk::watching(&*area, steps, 3.0);
    assert_eq!(desk.pause().unwrap().as_millis(), 250);
    desk.tick();
    keys(&mut desk, "p");
    assert_eq!((desk.pause(), desk.progress()), (None, (1, 10)));
    keys(&mut desk, "p+");
    assert_eq!(desk.pause().unwrap().as_millis(), 125);
    for _ in 0..20 {
        desk.tick();
    }
    assert_eq!((desk.pause(), desk.plan().as_str()), (None, WIN));
    assert_eq!(desk.status(), Status::Won);
    assert!(shown(&desk, 80, 24).contains("WON"));
}

/// Every plan in `solutions/` is watched to its end, a frame drawn after 1, 2, 4, … steps.
#[test]
fn every_plan_is_watched_to_its_end() {
    let root = Path::new(env!("CARGO_MANIFEST_DIR"));
    let solutions = root.join("solutions");
    let mut watched = BTreeSet::new();
    for Task { key, area } in batch::find(&[root.join("areas")], None).tasks {
        let plan = Source::read(&batch::plan_file(&solutions, &key)).expect(&key);
        let steps: Vec<_> = area.steps(&plan).expect(&key).collect();
        let count = steps.len();
        let mut desk = Desk::watching(&*area, steps, 1.0);
        for done in 1..=count {
            desk.tick();
            assert_eq!(desk.progress(), (done, count - done), "{key}: {}", desk.message());
            if done.is_power_of_two() && done < count {
                let screen = shown(&desk, 100, 40);
                assert!(screen.contains(&format!("{done} of {count}")), "{key}\n{screen}");
            }
        }
        assert_eq!(desk.status(), Status::Won, "{key}");
        let screen = shown(&desk, 80, 24);
        assert!(screen.contains("WON"), "{key}\n{screen}");
        watched.insert(area.game());
    }
    assert_eq!(watched.len(), GameId::ALL.len());
}

#[test]
fn every_size_of_screen_is_drawn() {
    let wide = format!("3 80\n{0}\n#@{1}\n{0}\n", "#".repeat(80), ".".repeat(78));
    for text in [LEVEL, &wide] {
        let area = area(text);
        let mut desk = Desk::new(&*area);
        for help in [false, true] {
            for cols in (1..130).step_by(7) {
                for rows in 1..30 {
                    let screen = shown(&desk, cols, rows);
                    assert!(help || cols < 16 || rows < 4 || screen.contains('@'), "{screen}");
                }
            }
            desk.command(Command::Help);
        }
    }
}

#[test]
fn the_board_and_its_side_are_shown() {
    let area = area(LEVEL);
    let mut desk = Desk::new(&*area);
    let screen = shown(&desk, 80, 24);
    for part in ["##@ . . . . ? ##", "small", "turn: 0", "? mine: 1", "u undo"] {
        assert!(screen.contains(part), "{part}\n{screen}");
    }
    key(&mut desk, KeyCode::Tab);
    assert!(!shown(&desk, 80, 24).contains("turn"));
    keys(&mut desk, "?");
    assert_eq!(desk.mode(), Mode::Help);
    let help = shown(&desk, 80, 24);
    for binding in &BINDINGS {
        assert!(help.contains(binding.about), "{}\n{help}", binding.about);
    }
}

#[test]
fn a_labyrinth_is_dark_until_the_torch_shows_it() {
    let text = "1\n4 0 4 3 2 0\n0 0 7 0\n7 1 7 6\n0 6 6 6\n0 1 0 5\n";
    let source = Source::new("dark.txt", text);
    let area = GameId::Labyrinth.game().read(&source).unwrap().remove(0);
    let mut desk = Desk::new(&*area);
    let walls = |desk: &Desk<'_>| shown(desk, 80, 24).matches("XX").count();
    assert_eq!(walls(&desk), 0, "{}", shown(&desk, 80, 24));
    keys(&mut desk, "A");
    assert_eq!(walls(&desk), 3, "{}", shown(&desk, 80, 24));
    keys(&mut desk, "u");
    assert_eq!(walls(&desk), 0);
    keys(&mut desk, "f");
    assert_eq!(walls(&desk), 25, "{}", shown(&desk, 80, 24));
    keys(&mut desk, "fS");
    assert_eq!(desk.plan().lines().last(), Some("look south 100"));
    // What a walk has crossed is known.
    keys(&mut desk, "dd");
    assert!(!desk.is_hidden(2, 3) && !desk.is_hidden(2, 4) && desk.is_hidden(1, 5));
}

#[test]
fn a_throw_is_aimed_in_a_game_that_throws() {
    let rows = ["##########", "#E.......#"].into_iter();
    let rows = rows.chain(["#........#"; 6]).chain(["#.......X#", "##########"]);
    let text = format!("aimed\n10 10 2\n{}\n", rows.collect::<Vec<_>>().join("\n"));
    let Ok(mut areas) = GameId::LastOfUs.game().read(&Source::new("aimed.txt", text.as_str()))
    else {
        panic!("{text}");
    };
    let area = areas.remove(0);
    let mut desk = Desk::new(&*area);
    assert!(desk.can_aim());
    keys(&mut desk, "t");
    for code in [KeyCode::Right, KeyCode::Right, KeyCode::Down, KeyCode::Enter] {
        key(&mut desk, code);
    }
    assert_eq!((desk.plan().as_str(), desk.mode()), ("1\nb 2 -1\n", Mode::Play));
    // Refused: the aim stays, and the reason is told.
    keys(&mut desk, "t");
    for code in [KeyCode::Up, KeyCode::Enter] {
        key(&mut desk, code);
    }
    assert!(matches!(desk.mode(), Mode::Aim(..)) && !desk.message().is_empty());
}
