//! Assignment of boxes to the steps of a plan.
//!
//! Which step a box is meant for, and which box of the start a leaving one may be, are questions of
//! bipartite matching. They are asked for every position, so a set of steps is a few machine words.

use crate::games::sokoban::board::Square;

/// Steps of a plan beyond this are not scheduled.
pub const MOST_STEPS: usize = 256;

/// How many boxes find no step, or target, of their own among those of `open` that fit them.
pub fn unmatched(boxes: &[Square], fits: &[IndexSet], open: IndexSet) -> u32 {
    if boxes.is_empty() {
        return 0;
    }
    Matching::new(boxes, fits, open).place_all()
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
        let mut matching = Matching::new(boxes, fits, open);
        Assignment { unmatched: matching.place_all(), spare: matching.spare() }
    }
}

/// A matching of boxes with steps that grows box by box (Kuhn's algorithm).
struct Matching<'a> {
    boxes: &'a [Square],
    fits: &'a [IndexSet],
    open: IndexSet,
    free: IndexSet,
    owner: [u16; MOST_STEPS],
}

impl<'a> Matching<'a> {
    fn new(boxes: &'a [Square], fits: &'a [IndexSet], open: IndexSet) -> Self {
        Matching { boxes, fits, open, free: open, owner: [0; MOST_STEPS] }
    }

    /// Finds steps for as many boxes as possible; how many are left without.
    fn place_all(&mut self) -> u32 {
        (0..self.boxes.len()).filter(|&i| !self.place(i, &mut IndexSet::default())).count() as u32
    }

    /// The steps that one more box can have.
    fn spare(&self) -> IndexSet {
        let mut spare = self.free;
        let mut taken = self.open.minus(&self.free);
        loop {
            let mut given = IndexSet::default();
            let mut rest = taken;
            while let Some(step) = rest.first() {
                rest.remove(step);
                let fits = &self.fits[self.boxes[self.owner[step] as usize] as usize];
                if fits.meets(&spare) {
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

    /// Finds a step for a box, moving others to other steps where needed.
    fn place(&mut self, i: usize, tried: &mut IndexSet) -> bool {
        let fits = self.fits[self.boxes[i] as usize];
        if let Some(step) = fits.first_in(&self.free) {
            self.free.remove(step);
            self.owner[step] = i as u16;
            return true;
        }
        while let Some(step) = fits.minus(tried).first_in(&self.open) {
            tried.insert(step);
            if self.place(self.owner[step] as usize, tried) {
                self.owner[step] = i as u16;
                return true;
            }
        }
        false
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
        self.first_in(self)
    }

    fn minus(mut self, other: &IndexSet) -> IndexSet {
        self.0.iter_mut().zip(other.0).for_each(|(a, b)| *a &= !b);
        self
    }

    fn first_in(&self, other: &IndexSet) -> Option<usize> {
        (self.0.iter().zip(other.0).enumerate()).find_map(|(w, (a, b))| {
            (a & b != 0).then(|| w * 64 + (a & b).trailing_zeros() as usize)
        })
    }
}
