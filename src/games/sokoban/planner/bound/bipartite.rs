//! Bipartite matching without costs: can each box have a target, or a step of a plan, of its own?
//!
//! The matching grows box by box (Kuhn, *The Hungarian method for the assignment problem*, 1955, without
//! the costs): a box takes a free target if there is one, otherwise the target of a box that finds
//! another one. The targets of a box are given as a bit set.

use smallvec::SmallVec;

/// Number of targets up to which a matching needs no allocation.
const TARGETS: usize = 256;

type Words = SmallVec<[u64; TARGETS / 64]>;

/// Which box has which target.
#[derive(Clone, Debug, Default)]
pub struct BipartiteMatching {
    /// By target: the box that has it; meaningless for free targets.
    owner: SmallVec<[u32; TARGETS]>,
    /// The targets that boxes may have.
    open: Words,
    /// The open targets that no box has.
    free: Words,
    /// Targets already tried for the box that is being placed.
    tried: Words,
}

impl BipartiteMatching {
    /// An empty matching, in which boxes may have the `open` targets.
    pub fn new(open: &[u64]) -> Self {
        let mut matching = BipartiteMatching::default();
        matching.begin(open);
        matching
    }

    /// Starts over with an empty matching, in which boxes may have the `open` targets.
    pub fn begin(&mut self, open: &[u64]) {
        for words in [&mut self.open, &mut self.free] {
            words.clear();
            words.extend_from_slice(open);
        }
        self.owner.resize(open.len() * 64, 0);
    }

    /// The targets that no box has.
    pub fn free(&self) -> &[u64] {
        &self.free
    }

    /// The box that has a target.
    pub fn owner(&self, target: usize) -> Option<usize> {
        let is = |words: &[u64]| {
            words.get(target / 64).is_some_and(|word| word >> (target % 64) & 1 != 0)
        };
        (is(&self.open) && !is(&self.free)).then(|| self.owner[target] as usize)
    }

    /// Gives a box a target if that target is free; returns whether it was.
    pub fn give(&mut self, target: usize, number: usize) -> bool {
        let Some(word) = self.free.get_mut(target / 64) else { return false };
        let is_free = *word >> (target % 64) & 1 != 0;
        if is_free {
            *word &= !(1 << (target % 64));
            self.owner[target] = number as u32;
        }
        is_free
    }

    /// Finds a target for a box, moving other boxes to other targets if necessary; `fits` gives the targets
    /// of a box. Returns whether one was found.
    pub fn place<'f>(&mut self, number: usize, fits: &impl Fn(usize) -> &'f [u64]) -> bool {
        self.tried.clear();
        self.tried.extend(self.open.iter().map(|open| !open));
        self.find(number, fits)
    }

    fn find<'f>(&mut self, number: usize, fits: &impl Fn(usize) -> &'f [u64]) -> bool {
        let own = fits(number);
        let free = own.iter().zip(&self.free).position(|(own, free)| own & free != 0);
        if let Some(w) = free {
            return self.give(w * 64 + (own[w] & self.free[w]).trailing_zeros() as usize, number);
        }
        for (w, own) in own.iter().enumerate() {
            while own & !self.tried[w] != 0 {
                let bit = (own & !self.tried[w]).trailing_zeros();
                self.tried[w] |= 1 << bit;
                let target = w * 64 + bit as usize;
                if self.find(self.owner[target] as usize, fits) {
                    self.owner[target] = number as u32;
                    return true;
                }
            }
        }
        false
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    /// The greatest number of boxes that can have targets, by trying everything.
    fn most(fits: &[u64], open: u64) -> u32 {
        let Some((first, rest)) = fits.split_first() else { return 0 };
        let with = (0..64).filter(|t| first & open >> t << t & 1 << t != 0);
        with.map(|t| 1 + most(rest, open & !(1 << t))).fold(most(rest, open), u32::max)
    }

    #[test]
    fn as_many_boxes_find_a_target_as_can() {
        let mut word = 7u64;
        for _ in 0..300 {
            let mut next = || {
                word = crate::board::mix(word);
                word & word >> 9 & 0x3f
            };
            let (fits, open): (Vec<u64>, u64) = ((0..5).map(|_| next()).collect(), next() | next());
            let mut matching = BipartiteMatching::new(&[open]);
            let of = |number: usize| std::slice::from_ref(&fits[number]);
            let placed =
                (0..fits.len()).filter(|&number| matching.place(number, &of)).count() as u32;
            assert_eq!(placed, most(&fits, open), "{fits:?} {open}");
            let owners: Vec<usize> = (0..64).filter_map(|target| matching.owner(target)).collect();
            assert_eq!(owners.len() as u32, placed);
            assert!(
                (0..64).all(|t| matching.owner(t).is_none_or(|i| fits[i] & open & 1 << t != 0))
            );
            assert_eq!(open.count_ones() - matching.free()[0].count_ones(), placed);
        }
    }
}
