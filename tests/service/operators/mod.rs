//! What operators rely on: monitors, backup, upgrade, a restart that nobody notices.

mod kept;
mod monitors;
mod rolling;
