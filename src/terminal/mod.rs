//! A game played or watched in the terminal.
//!
//! Four parts: `app` is the game on the table, with everything a player can do to it, and knows
//! no terminal; `hint` solves it from where it stands; `input` turns key presses into those commands; `screen` draws the app. What is
//! here owns the terminal and runs the loop. It takes care that the terminal is left as it was
//! found, however the loop ends: by a command, an error, a panic or a signal.

mod app;
mod hint;
mod input;
mod screen;

#[cfg(test)]
mod tests;

pub use app::App;

use ratatui::crossterm::event::{self, Event, KeyEventKind};
use std::io;
use std::sync::Arc;
use std::sync::atomic::{AtomicBool, Ordering};
use std::sync::mpsc::Receiver;
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
    std::thread::scope(|scope| {
        let mut last_step = Instant::now();
        let mut is_drawn = false;
        let mut hint = None;
        let ended = loop {
            if stop.load(Ordering::Relaxed) || app.is_left() {
                break Ok(());
            }
            if !is_drawn {
                if let Err(error) = terminal.draw(|frame| screen::draw(frame, app)) {
                    break Err(error);
                }
                is_drawn = true;
            }
            if let Some(question) = app.question() {
                hint = Some(question.ask(scope));
            }
            match listen(app, last_step) {
                Err(error) => break Err(error),
                // Drawing adapts itself to a new size.
                Ok(has_heard) => is_drawn &= !has_heard,
            }
            let answer = hint.as_ref().filter(|_| app.waits_for_hint());
            if let Some(Ok(answer)) = answer.map(Receiver::try_recv) {
                app.take_hint(answer);
                is_drawn = false;
            }
            if app.pause().is_some_and(|pause| last_step.elapsed() >= pause) {
                app.tick();
                last_step = Instant::now();
                is_drawn = false;
            }
        };
        // The search of a hint ends with the game.
        app.call_off_hint();
        ended
    })
}

/// Waits a moment for an event of the terminal, and does what a key means; whether there was one.
fn listen(app: &mut App<'_>, last_step: Instant) -> io::Result<bool> {
    let wait = match app.pause() {
        Some(pause) => pause.saturating_sub(last_step.elapsed()).min(ATTENTION),
        None => ATTENTION,
    };
    if !event::poll(wait)? {
        return Ok(false);
    }
    if let Event::Key(key) = event::read()?
        && key.kind != KeyEventKind::Release
    {
        input::press(app, key.into());
    }
    Ok(true)
}
