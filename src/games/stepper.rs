//! A game as a learning program plays it: an action is a number, and a board is a code for each cell.
//!
//! [`Session`] tells people what they see and why a step is refused. A [`Stepper`] does neither, and is stepped
//! millions of times a second if the game has a fast simulator. Each game's property test compares the two in
//! the actions that they allow, the cells that they show and the ends that they come to.

use super::legend::Role;
use super::session::{Session, Window};

/// Upper limit of the distance of an aimed action from the player, in rows and in columns.
pub const AIM: i64 = 7;

/// The result of an action.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Stepped {
    /// The rules refuse it, or the game is over; nothing has changed.
    Refused,
    /// The game goes on.
    Playing,
    /// The game is won.
    Won,
    /// The game is lost.
    Lost,
}

/// The start of a game, from which steppers begin.
pub trait Opening: Send + Sync {
    /// Begins a game.
    fn begin(&self) -> Box<dyn Stepper>;
}

/// A game that is stepped by numbers of actions: indices of [`actions`].
pub trait Stepper: Send {
    /// Does an action.
    fn step(&mut self, action: usize) -> Stepped;

    /// Writes 1 for each action that the rules allow now, and 0 for each other one.
    fn allowed(&mut self, mask: &mut [u8]);

    /// The extent of the board.
    fn extent(&self) -> Window;

    /// Row and column of the player.
    fn player(&self) -> Option<(i64, i64)>;

    /// Writes the code ([`Role::code`]) of each cell of a window, row by row. Cells off the board, and cells that
    /// the player has not seen, have code 0.
    fn observe(&self, window: Window, codes: &mut [u8]);

    /// A game of its own that goes on from here.
    fn fork(&self) -> Box<dyn Stepper>;
}

impl Clone for Box<dyn Stepper> {
    fn clone(&self) -> Self {
        self.fork()
    }
}

/// Copies the codes of a row, which is short on most boards: then without a call.
#[inline]
pub fn copy_row(from: &[u8], to: &mut [u8]) {
    match (to.len(), to.first_chunk_mut::<8>(), from.first_chunk::<8>()) {
        (8..=16, Some(to_head), Some(from_head)) => {
            // The two ends of the row, which may overlap.
            *to_head = *from_head;
            if let (Some(to), Some(from)) = (to.last_chunk_mut::<8>(), from.last_chunk::<8>()) {
                *to = *from;
            }
        }
        _ => to.copy_from_slice(from),
    }
}

/// Writes an observation of a board row by row: `write` puts the codes of the cells of a row, from a column
/// on, into as many places as it is given. Cells off the board are 0.
#[inline]
pub fn observe_rows(
    board: Window,
    window: Window,
    codes: &mut [u8],
    mut write: impl FnMut(i64, i64, &mut [u8]),
) {
    let part = window.cut(board);
    if (part.rows, part.cols) != (window.rows, window.cols) {
        codes.fill(Role::Unknown.code());
    }
    let from = (part.col - window.col) as usize;
    let rows = codes.chunks_exact_mut(window.cols.max(1) as usize);
    let rows = rows.skip((part.row - window.row) as usize).take(part.rows as usize);
    for (row, codes) in (part.row..).zip(rows) {
        write(row, part.col, &mut codes[from..from + part.cols as usize]);
    }
}

/// The actions of a game, as steps of its plans: first each step that has a key, once, then each step that is
/// aimed at a cell at most [`AIM`] rows and columns away. They are the same on all areas of a game.
pub fn actions(session: &dyn Session) -> Vec<String> {
    let mut actions: Vec<String> = Vec::new();
    let mut add = |step: String| {
        if !actions.contains(&step) {
            actions.push(step);
        }
    };
    session.keys().into_iter().for_each(|key| add(key.step));
    let (row, col) = session.extent().1.unwrap_or((0, 0));
    for r in -AIM..=AIM {
        (-AIM..=AIM).filter_map(|c| session.aim(row + r, col + c)).for_each(&mut add);
    }
    actions
}

#[cfg(test)]
#[allow(missing_docs)]
pub mod tests {
    use super::*;
    use crate::diagnostic::Source;
    use crate::games::{Area, GameId};
    use crate::vector::SessionOpening;
    use rand::prelude::*;
    use rand_chacha::ChaCha8Rng;
    use std::path::{Path, PathBuf};
    use std::sync::Arc;

    /// Number of steps of a game, at most.
    const LONGEST: usize = 100;
    /// Cells of a board, at most: sessions of larger ones are slow to look at.
    const MOST_CELLS: u32 = 5_000;

    /// The areas of a game in the repository that are not too large, and these.
    fn areas(game: GameId, texts: &[&str]) -> Vec<Arc<dyn Area>> {
        let folder = Path::new(env!("CARGO_MANIFEST_DIR")).join("areas").join(game.name());
        let files = std::fs::read_dir(folder).expect("the folder is there");
        let mut paths: Vec<PathBuf> = files.map(|file| file.expect("a file").path()).collect();
        paths.sort();
        let files = paths.iter().map(|path| Source::read(path).expect("the file can be read"));
        let texts = texts.iter().map(|&text| Source::new("text", text));
        let sources = files.chain(texts);
        let read = sources.map(|source| game.game().read(&source).expect("a file"));
        let areas = read.map(|file| Arc::<dyn Area>::from(file.only().expect("an area")));
        let is_small = |area: &Arc<dyn Area>| {
            let (extent, _) = area.session().extent();
            extent.rows * extent.cols <= MOST_CELLS
        };
        areas.filter(is_small).collect()
    }

    /// A window that has cells of the board, and mostly others, too.
    fn near(board: Window, rng: &mut impl Rng) -> Window {
        let row = board.row + rng.random_range(-4..i64::from(board.rows));
        let col = board.col + rng.random_range(-4..i64::from(board.cols));
        Window { row, col, rows: 9, cols: 12 }
    }

    /// Plays the areas of a game, and these, by random actions, and compares what the fast stepper does, and
    /// now and then what it allows and shows, with what sessions do. `OUTWIT_TEST_STEPS` sets another number of
    /// steps.
    pub fn assert_as_sessions(game: GameId, texts: &[&str], steps: usize) {
        let said = std::env::var("OUTWIT_TEST_STEPS").ok();
        let steps = said.and_then(|steps| steps.parse().ok()).unwrap_or(steps);
        let mut rng = ChaCha8Rng::seed_from_u64(1);
        let areas = areas(game, texts);
        let (mut done, mut ended) = (0, 0);
        while done < steps {
            for area in &areas {
                let fast = area.fast_opening().expect("a fast stepper");
                let slow = SessionOpening::new(Arc::clone(area));
                let actions = super::actions(&*area.session()).len();
                let (mut fast, mut slow) = (fast.begin(), slow.begin());
                for step in 0..LONGEST {
                    let case = || format!("step {step}\n{}", area.text());
                    if rng.random_bool(0.2) {
                        let window = near(slow.extent(), &mut rng);
                        let [expected, seen] = [&mut slow, &mut fast].map(|stepper| {
                            let (mut mask, mut codes) = (vec![9; actions], vec![99; 9 * 12]);
                            stepper.allowed(&mut mask);
                            stepper.observe(window, &mut codes);
                            (mask, codes, stepper.extent(), stepper.player())
                        });
                        assert_eq!(seen, expected, "{window:?}, {}", case());
                    }
                    let mut mask = vec![0; actions];
                    fast.allowed(&mut mask);
                    let allowed: Vec<usize> = (0..actions).filter(|&at| mask[at] == 1).collect();
                    let any = rng.random_range(0..=actions);
                    let action =
                        *allowed.choose(&mut rng).filter(|_| rng.random_bool(0.9)).unwrap_or(&any);
                    if rng.random_bool(0.05) {
                        // A copy goes on as the game would, and the game does not go on with it.
                        fast.fork().step(action);
                        fast = fast.fork();
                    }
                    let stepped = slow.step(action);
                    assert_eq!(fast.step(action), stepped, "action {action}, {}", case());
                    done += 1;
                    ended += u32::from(matches!(stepped, Stepped::Won | Stepped::Lost));
                }
            }
        }
        eprintln!("{done} steps on {} areas, {ended} games won or lost", areas.len());
        assert!(ended > 5, "{ended} games were won or lost");
    }
}
