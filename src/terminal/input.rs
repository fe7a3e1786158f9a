//! Key presses as commands. The game's own keys come first: a command whose letter a game uses has
//! another key.

use super::app::{App, Command, Mode};
use crate::games::Key;
use ratatui::crossterm::event::{KeyCode, KeyEvent, KeyModifiers};

/// A key press, reduced to what bindings tell apart.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub struct Press {
    /// The key.
    pub code: KeyCode,
    /// Whether Ctrl was held.
    pub ctrl: bool,
}

impl From<KeyEvent> for Press {
    fn from(event: KeyEvent) -> Self {
        Press { code: event.code, ctrl: event.modifiers.contains(KeyModifiers::CONTROL) }
    }
}

/// A command, the keys that mean it, and what it does.
pub struct Binding {
    /// The command.
    pub command: Command,
    /// Letters; a game may use them for its own steps.
    pub letters: &'static [char],
    /// Other keys; no game uses them.
    pub others: &'static [Other],
    /// What it does, for the help.
    pub about: &'static str,
}

/// A key that no game uses, and its name in the help.
#[derive(Clone, Copy)]
pub struct Other(pub Press, pub &'static str);

const fn plain(code: KeyCode, name: &'static str) -> Other {
    Other(Press { code, ctrl: false }, name)
}

const fn ctrl(letter: char, name: &'static str) -> Other {
    Other(Press { code: KeyCode::Char(letter), ctrl: true }, name)
}

/// All commands.
pub const BINDINGS: [Binding; 16] = [
    Binding {
        command: Command::Undo,
        letters: &['u'],
        others: &[plain(KeyCode::Backspace, "Backspace"), ctrl('z', "Ctrl-Z")],
        about: "take a step back",
    },
    Binding {
        command: Command::Redo,
        letters: &['r'],
        others: &[ctrl('y', "Ctrl-Y"), plain(KeyCode::PageDown, "PgDn")],
        about: "redo one step",
    },
    Binding {
        command: Command::Restart,
        letters: &['R'],
        others: &[plain(KeyCode::Home, "Home")],
        about: "back to the start",
    },
    Binding {
        command: Command::End,
        letters: &['E'],
        others: &[plain(KeyCode::End, "End")],
        about: "redo all",
    },
    Binding {
        command: Command::Watch,
        letters: &['p'],
        others: &[plain(KeyCode::F(5), "F5")],
        about: "watch, or pause",
    },
    Binding {
        command: Command::Faster,
        letters: &['+', '='],
        others: &[plain(KeyCode::F(7), "F7")],
        about: "watch faster",
    },
    Binding {
        command: Command::Slower,
        letters: &['-'],
        others: &[plain(KeyCode::F(6), "F6")],
        about: "watch slower",
    },
    Binding {
        command: Command::Aim,
        letters: &['t'],
        others: &[plain(KeyCode::F(4), "F4")],
        about: "aim, where a game does",
    },
    Binding {
        command: Command::Hint,
        letters: &['h'],
        others: &[plain(KeyCode::F(2), "F2")],
        about: "a hint: what to do from here",
    },
    Binding {
        command: Command::NextLevel,
        letters: &['n'],
        others: &[plain(KeyCode::F(10), "F10"), ctrl('n', "Ctrl-N")],
        about: "next level",
    },
    Binding {
        command: Command::PreviousLevel,
        letters: &['N'],
        others: &[plain(KeyCode::F(9), "F9"), ctrl('p', "Ctrl-P")],
        about: "previous level",
    },
    Binding {
        command: Command::Overlay,
        letters: &['o'],
        others: &[plain(KeyCode::F(3), "F3")],
        about: "marks on or off",
    },
    Binding {
        command: Command::Fog,
        letters: &['f'],
        others: &[plain(KeyCode::F(8), "F8")],
        about: "fog on or off",
    },
    Binding {
        command: Command::Side,
        letters: &[],
        others: &[plain(KeyCode::Tab, "Tab")],
        about: "side on or off",
    },
    Binding {
        command: Command::Help,
        letters: &['?'],
        others: &[plain(KeyCode::F(1), "F1")],
        about: "this help",
    },
    Binding {
        command: Command::Leave,
        letters: &['q'],
        others: &[plain(KeyCode::Esc, "Esc"), ctrl('c', "Ctrl-C")],
        about: "leave",
    },
];

impl Binding {
    /// The names of the keys that mean this command in a game with these keys.
    pub fn names(&self, game: &[Key]) -> Vec<String> {
        let free = |letter: &&char| !game.iter().any(|key| key.key == letter.to_string());
        let letters = self.letters.iter().filter(free).map(char::to_string);
        letters.chain(self.others.iter().map(|Other(_, name)| (*name).to_string())).collect()
    }

    fn means(&self, press: Press) -> bool {
        let letter = matches!(press.code, KeyCode::Char(letter) if self.letters.contains(&letter));
        (letter && !press.ctrl) || self.others.iter().any(|Other(other, _)| *other == press)
    }
}

/// The name a game would give the key that was pressed.
fn game_key(press: Press) -> Option<String> {
    if press.ctrl {
        return None;
    }
    match press.code {
        KeyCode::Up => Some("up".into()),
        KeyCode::Down => Some("down".into()),
        KeyCode::Left => Some("left".into()),
        KeyCode::Right => Some("right".into()),
        KeyCode::Char(' ') => Some("space".into()),
        KeyCode::Char(letter) => Some(letter.to_string()),
        _ => None,
    }
}

/// Does what a key press means now.
pub fn press(app: &mut App<'_>, press: Press) {
    let leave = Press { code: KeyCode::Char('c'), ctrl: true };
    match app.mode() {
        _ if press == leave => app.command(Command::Leave),
        Mode::Help(_) => press_reading(app, press),
        Mode::Aim(..) => press_aiming(app, press),
        Mode::Play => press_playing(app, press),
    }
}

/// Lines by which a key for a page moves the help.
const PAGE: i32 = 8;

fn press_reading(app: &mut App<'_>, press: Press) {
    let entries = app.keys().len() + BINDINGS.len();
    match press.code {
        KeyCode::Up => app.scroll_help(-1, entries),
        KeyCode::Down => app.scroll_help(1, entries),
        KeyCode::PageUp => app.scroll_help(-PAGE, entries),
        KeyCode::PageDown => app.scroll_help(PAGE, entries),
        _ => app.command(Command::Help),
    }
}

fn press_aiming(app: &mut App<'_>, press: Press) {
    match press.code {
        KeyCode::Up => app.move_aim(-1, 0),
        KeyCode::Down => app.move_aim(1, 0),
        KeyCode::Left => app.move_aim(0, -1),
        KeyCode::Right => app.move_aim(0, 1),
        KeyCode::Enter | KeyCode::Char(' ') => app.aim(),
        _ => app.command(Command::Aim),
    }
}

fn press_playing(app: &mut App<'_>, press: Press) {
    if let Some(name) = game_key(press)
        && let Some(key) = app.keys().into_iter().find(|key| key.key == name)
    {
        app.step(&key.step);
    } else if let Some(binding) = BINDINGS.iter().find(|binding| binding.means(press)) {
        app.command(binding.command);
    }
}
