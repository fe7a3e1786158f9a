//! Progress on the terminal.

#[cfg(feature = "cluster")]
use super::output;
use indicatif::{ProgressBar, ProgressStyle};
use outwit::search::{Control, Listener, Progress};

/// One line on the terminal that tells how far a search is; nothing elsewhere.
pub struct Bar(ProgressBar);

impl Bar {
    /// A bar that is shown once a search tells something.
    pub fn new() -> Self {
        let bar = ProgressBar::new(BAR_UNITS);
        let style = ProgressStyle::with_template("{elapsed:>4} {bar:20} {wide_msg}");
        bar.set_style(style.unwrap_or_else(|_| ProgressStyle::default_bar()));
        Bar(bar)
    }

    /// A bar that is never shown.
    pub fn hidden() -> Self {
        Bar(ProgressBar::hidden())
    }

    /// Shows what a search does, and its best plan and bound.
    pub fn listener(&self) -> Listener {
        let bar = self.0.clone();
        Control::progress_listener(move |progress| show(&bar, progress))
    }

    /// Shows the phase of the work alone, where there is no one plan.
    pub fn listener_of_phases(&self) -> Listener {
        let bar = self.0.clone();
        Control::progress_listener(move |progress| show_phase(&bar, progress, ""))
    }

    /// Says something on stderr, above the bar.
    #[cfg(feature = "cluster")]
    pub fn say_above(&self) -> impl Fn(&str) + Send + Sync + 'static {
        let bar = self.0.clone();
        move |text| bar.suspend(|| output::say(text))
    }

    /// Takes the line away before something is printed.
    pub fn clear(&self) {
        self.0.finish_and_clear();
        self.0.reset();
    }
}

/// Steps of a full progress bar.
pub const BAR_UNITS: u64 = 1000;

/// Shows a search's progress on a bar of [`BAR_UNITS`] steps.
pub fn show(bar: &ProgressBar, progress: &Progress) {
    let Progress { best, bound, nodes, .. } = progress;
    let best = best.map_or("none yet".to_string(), |best| best.to_string());
    show_phase(bar, progress, &format!(": best {best}, bound {bound}, {nodes} expanded"));
}

/// Shows the phase of some work, and how far it is.
fn show_phase(bar: &ProgressBar, progress: &Progress, more: &str) {
    // A planner that goes on from its plan begins a part of the budget, and the bar does not go back.
    let done = (progress.fraction.clamp(0.0, 1.0) * BAR_UNITS as f64) as u64;
    bar.set_position(done.max(bar.position()));
    bar.set_message(format!("{}{more}", progress.phase));
}
