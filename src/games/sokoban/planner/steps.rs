//! Sets of a plan's steps, or of targets or boxes by number, and how they match.
//!
//! Which step a box is meant for, and which box of the start one that leaves may be, are questions
//! of matching; they are asked for every position, so sets are a few words.

use crate::games::sokoban::state::Square;

/// Steps of a plan beyond this are not scheduled.
pub const MOST_STEPS: usize = 256;

/// How many boxes find no step, or target, of their own among those of `open` that fit them.
pub fn unmatched(boxes: &[Square], fits: &[Steps], open: Steps) -> u32 {
    if boxes.is_empty() {
        return 0;
    }
    let mut matching = Matching { boxes, fits, open, free: open, owner: [0; MOST_STEPS] };
    (0..boxes.len()).filter(|&i| !matching.place(i, &mut Steps::default())).count() as u32
}

/// A matching of boxes with steps that grows box by box (Kuhn's algorithm).
struct Matching<'a> {
    boxes: &'a [Square],
    fits: &'a [Steps],
    open: Steps,
    free: Steps,
    owner: [u16; MOST_STEPS],
}

impl Matching<'_> {
    /// Finds a step for a box, moving others to other steps where needed.
    fn place(&mut self, i: usize, tried: &mut Steps) -> bool {
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
pub struct Steps([u64; MOST_STEPS / 64]);

impl Steps {
    /// All steps from one on.
    pub fn from(first: usize) -> Self {
        let mut steps = Steps([u64::MAX; MOST_STEPS / 64]);
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
    pub fn add(&mut self, other: &Steps) {
        self.0.iter_mut().zip(other.0).for_each(|(a, b)| *a |= b);
    }

    /// Whether nothing is in the set.
    pub fn is_empty(&self) -> bool {
        self.0.iter().all(|&word| word == 0)
    }

    fn minus(mut self, other: &Steps) -> Steps {
        self.0.iter_mut().zip(other.0).for_each(|(a, b)| *a &= !b);
        self
    }

    fn first_in(&self, other: &Steps) -> Option<usize> {
        (self.0.iter().zip(other.0).enumerate()).find_map(|(w, (a, b))| {
            (a & b != 0).then(|| w * 64 + (a & b).trailing_zeros() as usize)
        })
    }
}
