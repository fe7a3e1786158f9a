//! Portfolios: several searches under one roof. Who plays next is a policy, and two come with it.
//!
//! | policy | for |
//! |---|---|
//! | [`by_place`] | the first answer, from searches that fail differently and play turns on all threads |
//! | [`anytime`] | better and better plans, and a bound that rises, from stages that a planner orders |
//!
//! The anytime policy can also let searches play at once: a [`round`].
//!
//! A search returns its plan and tells nobody. The portfolio keeps the best, lets it out after it was
//! checked, and tells the listener of every turn.

pub mod anytime;
mod beside;
pub mod by_place;
mod checked;
mod luby;
pub mod round;
mod scheduler;

pub use beside::{Beside, PlayedBeside};
pub use checked::Check;
pub use luby::luby;
