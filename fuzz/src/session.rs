//! A game played by hand with any steps, taken back and looked at in any way.
//!
//! After the area come lines: `<3` takes back steps until three are done, `<` takes back one, `[1 2 3
//! 4` looks at a window, `!5` does the step of the fifth key, `?1 2` the one aimed at a cell, and any
//! other line is a step as it stands.

use super::input;
use outwit::diagnostic::Source;
use outwit::games::{Area, Session, Status, View, Window};
use outwit::verify::verify;

/// Lines that are followed.
const MOST_LINES: usize = 400;
/// Rows and columns that are looked at, at most.
const MOST_SHOWN: u32 = 48;

/// Plays a script on an area: two texts.
pub fn run(data: &[u8]) {
    let (area, script) = input::split(data);
    let script = input::text(script);
    for area in input::areas(&area) {
        let mut hand = Hand { session: area.session(), done: Vec::new() };
        let first = hand.look();
        for line in script.lines().take(MOST_LINES) {
            hand.follow(line);
        }
        hand.check(&*area);
        hand.session.rewind(0);
        assert_eq!(hand.session.steps(), 0);
        hand.done.clear();
        assert!(hand.look() == first, "all is taken back, and it does not look so");
    }
}

/// A session, and the steps that it must have done.
struct Hand {
    session: Box<dyn Session>,
    done: Vec<String>,
}

impl Hand {
    fn follow(&mut self, line: &str) {
        let numbers: Vec<i64> = line
            .split(|c: char| !c.is_ascii_digit() && c != '-')
            .filter_map(|word| word.parse().ok())
            .collect();
        match (line.as_bytes().first(), &numbers[..]) {
            (Some(b'<'), [steps, ..]) => {
                let steps = steps.unsigned_abs();
                self.session.rewind(steps);
                self.done.truncate(usize::try_from(steps).unwrap_or(usize::MAX));
            }
            (Some(b'<'), []) => {
                assert_eq!(self.session.undo(), self.done.pop().is_some());
            }
            (Some(b'['), &[row, col, ref extent @ ..]) => {
                let side = |i: usize| extent.get(i).map_or(1, |n| n.unsigned_abs() as u32);
                self.view(Window { row, col, rows: side(0), cols: side(1) });
            }
            (Some(b'!'), [number, ..]) => {
                let keys = self.session.keys();
                let key = &keys[number.unsigned_abs() as usize % keys.len()];
                self.act(&key.step.clone());
            }
            (Some(b'?'), &[row, col, ..]) => {
                if let Some(step) = self.session.aim(row, col) {
                    self.act(&step);
                }
            }
            _ => self.act(line),
        }
        assert_eq!(self.session.steps(), self.done.len() as u64, "after {line:?}");
    }

    /// Does a step; one that is refused changes nothing.
    fn act(&mut self, step: &str) {
        let before = self.look();
        match self.session.act(step) {
            Ok(()) => {
                assert_eq!(before.1, Status::Playing, "{step:?} after the end");
                self.done.push(step.to_string());
                self.look();
            }
            Err(reason) => {
                assert!(!reason.to_string().is_empty());
                assert!(self.look() == before, "{step:?} is refused and changes something");
            }
        }
    }

    /// All that shows of the game around the player.
    fn look(&self) -> (View, Status, String, Option<(i64, i64)>) {
        let (extent, player) = self.session.extent();
        let (row, col) = player.unwrap_or((extent.row, extent.col));
        let side = MOST_SHOWN / 2;
        let window = Window {
            row: row - i64::from(side / 2),
            col: col - i64::from(side / 2),
            rows: side,
            cols: side,
        };
        let view = self.view(window);
        (view, self.session.status(), self.session.plan(), player)
    }

    fn view(&self, window: Window) -> View {
        let (extent, _) = self.session.extent();
        let mut window = window.cut(extent);
        window.rows = window.rows.min(MOST_SHOWN);
        window.cols = window.cols.min(MOST_SHOWN);
        let view = self.session.view(window);
        assert_eq!(view.window, window);
        assert_eq!(view.rows.len(), window.rows as usize);
        for (row, text) in (window.row..).zip(&view.rows) {
            assert_eq!(text.chars().count(), window.cols as usize);
            for (col, letter) in (window.col..).zip(text.chars()) {
                self.session.role(letter);
                self.session.is_seen(row, col);
            }
        }
        view
    }

    /// The steps, done again from the beginning, come to the same; and the rules that replay plans
    /// say the same of a game that is won.
    fn check(&self, area: &dyn Area) {
        let mut again = area.session();
        for step in &self.done {
            again.act(step).unwrap_or_else(|reason| panic!("{step:?} the second time: {reason}"));
        }
        let again = Hand { session: again, done: Vec::new() };
        assert!(again.look() == self.look(), "the same steps look otherwise");
        let plan = Source::new("plan", self.session.plan());
        let is_won = self.session.status() == Status::Won;
        let verified = verify(area, &plan);
        assert_eq!(verified.is_ok(), is_won, "{verified:?}\n{}", plan.text);
    }
}
