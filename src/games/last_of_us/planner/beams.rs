//! Beams: each is one width in one style.

use super::beam_space::BeamSpace;
use super::compasses::Compass;
use super::ground::Ground;
use super::tuning::Beams;
use crate::games::last_of_us::format::MAX_ACTIONS;
use crate::games::last_of_us::state::Move;
use crate::search::beam::Beam;
use crate::search::{Allowance, Known, Search, Spent, Turn, beam_shared};

/// One beam from the start to the exit, which plays one turn: it cannot rest. Its plan may fail because
/// of a clicker that it has forgotten.
pub struct StyledBeam<'a> {
    space: BeamSpace<'a>,
    beam: Beam,
    /// Whether processes share it, where there are some.
    is_shared: bool,
    /// Added to the seed.
    ties: u64,
    spent: Spent,
}

impl<'a> StyledBeam<'a> {
    /// A beam of `width` states in a style.
    pub fn new(ground: &'a Ground<'_>, compass: &'a Compass, width: usize, tuning: &Beams) -> Self {
        let quota = Some((width / tuning.quota_divisor).max(2));
        let beam = Beam { quota, layers: MAX_ACTIONS as u32, ..Beam::new(width) };
        // A narrow beam is not worth the processes, and tolls do not travel.
        let is_shared = width >= tuning.shared_width && !compass.has_tolls;
        let (space, ties) = (ground.beam_space(compass), compass.ties);
        StyledBeam { space, beam, is_shared, ties, spent: Spent::default() }
    }

    /// The same beam, which ends after `layers` actions, or after `patience` actions without a better estimate.
    #[must_use]
    pub fn of_layers(mut self, layers: u64, patience: u32) -> Self {
        self.beam.layers = layers.min(MAX_ACTIONS as u64) as u32;
        self.beam.patience = Some(patience);
        self
    }

    /// Such a beam that has not begun and forgets no clicker: its plan does not fail.
    #[must_use]
    pub fn remembering(mut self) -> Self {
        self.space.to_exit = None;
        self.spent = Spent::default();
        self
    }

    /// States of a layer at most.
    pub fn width(&self) -> usize {
        self.beam.width
    }
}

impl Search for StyledBeam<'_> {
    type Plan = Vec<Move>;
    type Lesson = ();

    fn name(&self) -> &'static str {
        "beam"
    }

    fn turn(&mut self, known: Known, allowance: &Allowance<'_>) -> Turn<Vec<Move>> {
        let mut clock = allowance.own_clock().quiet();
        clock.limits.seed = clock.limits.seed.wrapping_add(self.ties);
        let upper = Some(known.cost).filter(|&cost| cost != u64::MAX);
        let outcome = match self.is_shared {
            true => beam_shared(&self.space, &clock, &self.beam, upper),
            false => self.beam.run_in_current_pool(&self.space, &clock, upper),
        };
        self.spent = Spent::of(&outcome.effort);
        Turn::of(outcome)
    }

    fn spent(&self) -> Spent {
        self.spent
    }
}
