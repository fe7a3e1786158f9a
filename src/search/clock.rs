//! Instants: the system's, or those of a host where the platform has no clock.
//!
//! WebAssembly in a browser (`wasm32-unknown-unknown`) has no clock of its own: the program around
//! the library gives it one by `use_host_clock`. Without one no time passes, and a budget in time
//! never ends.

#[cfg(not(all(target_family = "wasm", target_os = "unknown")))]
pub use std::time::Instant;

#[cfg(all(target_family = "wasm", target_os = "unknown"))]
pub use host::{Instant, use_host_clock};

#[cfg(all(target_family = "wasm", target_os = "unknown"))]
mod host {
    use std::sync::OnceLock;
    use std::time::Duration;

    /// The time since some fixed moment, never less than before.
    static HOST: OnceLock<fn() -> Duration> = OnceLock::new();

    /// Gives the library a clock: the time since some fixed moment. The first one stays.
    pub fn use_host_clock(clock: fn() -> Duration) {
        HOST.get_or_init(|| clock);
    }

    /// A moment of the host's clock; the part of [`std::time::Instant`] that the library uses.
    #[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
    pub struct Instant(Duration);

    impl Instant {
        /// This moment.
        pub fn now() -> Instant {
            Instant(HOST.get().map_or(Duration::ZERO, |clock| clock()))
        }

        /// The time since then.
        pub fn elapsed(&self) -> Duration {
            Instant::now().0.saturating_sub(self.0)
        }

        /// The moment `time` later, where there is one.
        pub fn checked_add(&self, time: Duration) -> Option<Instant> {
            self.0.checked_add(time).map(Instant)
        }
    }
}
