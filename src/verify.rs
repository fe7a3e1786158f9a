//! The one door through which a plan leaves.
//!
//! [`Verified`] has no public constructor: [`verify`] replays the plan's text through the game's
//! reference rules, and what comes out is the very text that was replayed. Everything that writes,
//! stores or serves a plan takes a [`Verified`]; so a wrong plan cannot be emitted, by type.

use crate::diagnostic::Source;
use crate::games::{Area, PlanError, Proof};

/// A plan whose text has been replayed through the reference rules, to success.
#[derive(Clone, Debug)]
pub struct Verified {
    text: String,
    proof: Proof,
}

impl Verified {
    /// The plan in the game's own format, ready to submit.
    pub fn text(&self) -> &str {
        &self.text
    }

    /// What the replay showed: length, measures, readings.
    pub fn proof(&self) -> &Proof {
        &self.proof
    }

    /// Whether this plan is better than another of the same area.
    pub fn beats(&self, other: &Verified) -> bool {
        self.proof.rank < other.proof.rank
    }
}

/// Replays a plan through the reference rules of its game.
///
/// # Errors
/// A diagnostic where the plan cannot be read; the first refused step, and why, where it is invalid.
pub fn verify(area: &dyn Area, plan: &Source) -> Result<Verified, PlanError> {
    let proof = area.replay(plan)?;
    Ok(Verified { text: plan.text.clone(), proof })
}
