//! A game played or watched in the terminal.
//!
//! Three parts: `app` is the game on the table, with everything a player can do to it, and knows
//! no terminal; `input` turns key presses into those commands; `screen` draws the app. What is
//! here owns the terminal and runs the loop. It takes care that the terminal is left as it was
//! found, however the loop ends: by a command, an error, a panic or a signal.

mod app;
mod input;
mod screen;

#[cfg(test)]
mod tests;

pub use app::App;

use ratatui::crossterm::event::{self, Event, KeyEventKind};
use std::io;
use std::sync::Arc;
use std::sync::atomic::{AtomicBool, Ordering};
use std::time::{Duration, Instant};

/// The longest time between two looks at what happens outside the terminal, signals for instance.
const ATTENTION: Duration = Duration::from_millis(100);

/// Gives the terminal back when it goes away, on whatever path.
struct Borrowed;

impl Drop for Borrowed {
    fn drop(&mut self) {
        // Nobody could be told of a failure: the terminal is gone, then.
        let _ = ratatui::try_restore();
    }
}

/// Plays until the player leaves or `stop` is raised.
///
/// # Errors
/// What the terminal says. It is given back in any case.
pub fn run(app: &mut App<'_>, stop: &Arc<AtomicBool>) -> io::Result<()> {
    // This also makes panics give the terminal back before they are told.
    let _borrowed = Borrowed;
    let mut terminal = ratatui::try_init()?;
    let mut last_step = Instant::now();
    let mut is_drawn = false;
    while !stop.load(Ordering::Relaxed) && !app.is_left() {
        if !is_drawn {
            terminal.draw(|frame| screen::draw(frame, app))?;
            is_drawn = true;
        }
        let wait = match app.pause() {
            Some(pause) => pause.saturating_sub(last_step.elapsed()).min(ATTENTION),
            None => ATTENTION,
        };
        if event::poll(wait)? {
            // Drawing adapts itself to a new size.
            is_drawn = false;
            if let Event::Key(key) = event::read()?
                && key.kind != KeyEventKind::Release
            {
                input::press(app, key.into());
            }
        }
        if app.pause().is_some_and(|pause| last_step.elapsed() >= pause) {
            app.tick();
            last_step = Instant::now();
            is_drawn = false;
        }
    }
    Ok(())
}
