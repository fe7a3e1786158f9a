//! Assignment of boxes to the steps of a plan.
//!
//! Which step a box is meant for, and which box of the start a leaving one may be, are questions of
//! bipartite matching. They are asked for every position, so a set of steps is a few machine words.

use crate::games::sokoban::board::Square;
use crate::games::sokoban::planner::bound::bipartite::BipartiteMatching;

/// Steps of a plan beyond this are not scheduled.
pub const MOST_STEPS: usize = 256;

/// How many boxes find no step, or target, of their own among those of `open` that fit them.
pub fn unmatched(boxes: &[Square], fits: &[IndexSet], open: IndexSet) -> u32 {
    if boxes.is_empty() {
        return 0;
    }
    place_all(&mut BipartiteMatching::new(&open.0), boxes, fits)
}

/// How boxes match with steps.
#[derive(Clone, Copy, Debug, Default)]
pub struct Assignment {
    /// Boxes that find no step of their own.
    pub unmatched: u32,
    /// Steps that one more box can have, others moved to other steps where needed: those that are
    /// free, and those from which an alternating path leads to a free one.
    pub spare: IndexSet,
}

impl Assignment {
    /// Matches boxes with the steps of `open` that fit them.
    pub fn new(boxes: &[Square], fits: &[IndexSet], open: IndexSet) -> Self {
        if boxes.is_empty() {
            return Assignment { unmatched: 0, spare: open };
        }
        let mut matching = BipartiteMatching::new(&open.0);
        let unmatched = place_all(&mut matching, boxes, fits);
        Assignment { unmatched, spare: spare(&matching, boxes, fits, open) }
    }
}

/// Matches boxes with the steps of `open` that fit them; how many find none of their own.
fn place_all(matching: &mut BipartiteMatching, boxes: &[Square], fits: &[IndexSet]) -> u32 {
    let fits = |i: usize| &fits[boxes[i] as usize].0[..];
    (0..boxes.len()).filter(|&i| !matching.place(i, &fits)).count() as u32
}

/// The steps that one more box can have.
fn spare(
    matching: &BipartiteMatching,
    boxes: &[Square],
    fits: &[IndexSet],
    open: IndexSet,
) -> IndexSet {
    let mut spare = IndexSet::default();
    spare.0.copy_from_slice(matching.free());
    let mut taken = open.minus(&spare);
    loop {
        let mut given = IndexSet::default();
        let mut rest = taken;
        while let Some(step) = rest.first() {
            rest.remove(step);
            let Some(owner) = matching.owner(step) else { continue };
            if fits[boxes[owner] as usize].meets(&spare) {
                spare.insert(step);
                given.insert(step);
            }
        }
        if given.is_empty() {
            return spare;
        }
        taken = taken.minus(&given);
    }
}

/// A set of steps of a plan, or of targets or boxes by their index; those past the most are left
/// out.
#[derive(Clone, Copy, Debug, Default)]
pub struct IndexSet([u64; MOST_STEPS / 64]);

impl IndexSet {
    /// All steps from one on.
    pub fn from(first: usize) -> Self {
        let mut steps = IndexSet([u64::MAX; MOST_STEPS / 64]);
        for (w, word) in steps.0.iter_mut().enumerate() {
            let below = first.saturating_sub(w * 64);
            *word = if below >= 64 { 0 } else { u64::MAX << below };
        }
        steps
    }

    /// Puts a step into the set, where it is not past the most.
    pub fn insert(&mut self, step: usize) {
        if let Some(word) = self.0.get_mut(step >> 6) {
            *word |= 1 << (step & 63);
        }
    }

    /// Takes a step out of the set.
    pub fn remove(&mut self, step: usize) {
        if let Some(word) = self.0.get_mut(step >> 6) {
            *word &= !(1 << (step & 63));
        }
    }

    /// Adds another set.
    pub fn add(&mut self, other: &IndexSet) {
        self.0.iter_mut().zip(other.0).for_each(|(a, b)| *a |= b);
    }

    /// Whether nothing is in the set.
    pub fn is_empty(&self) -> bool {
        self.0.iter().all(|&word| word == 0)
    }

    /// Whether the sets share a step.
    pub fn meets(&self, other: &IndexSet) -> bool {
        self.0.iter().zip(other.0).any(|(a, b)| a & b != 0)
    }

    fn first(&self) -> Option<usize> {
        let w = self.0.iter().position(|&word| word != 0)?;
        Some(w * 64 + self.0[w].trailing_zeros() as usize)
    }

    fn minus(mut self, other: &IndexSet) -> IndexSet {
        self.0.iter_mut().zip(other.0).for_each(|(a, b)| *a &= !b);
        self
    }
}
