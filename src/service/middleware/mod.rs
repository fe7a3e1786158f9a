//! What every request passes on its way in, and every answer on its way out.

pub mod body;
pub mod guard;
pub mod metrics;
pub mod packed;
pub mod request_id;
