//! Steps that clickers may take, and a table of those that were worked out.

use super::board::{Board, Crowd, NOTHING, Site};

/// The directions in which a clicker steps, the one that it likes best first: a digit of four bits each,
/// from the lowest on, and [`END`] after the last. It takes the first whose cell is free. Which they are
/// does not depend on the other clickers.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) struct Steps(u64);

/// The digit after the last direction.
const END: u64 = 0xf;
/// Bits of a digit.
const DIGIT: u32 = 4;

impl Steps {
    /// No direction.
    pub(super) const NONE: Steps = Steps(END);

    /// These directions, the best first.
    pub(super) fn of(directions: &[u8]) -> Self {
        let put = |steps: u64, &direction: &u8| steps << DIGIT | u64::from(direction);
        Steps(directions.iter().rev().fold(END, put))
    }

    /// The first of the cells around `site` that is free; `site` where none is.
    #[inline]
    pub(super) fn first_free(self, board: &Board, clickers: &Crowd, site: Site) -> Site {
        let mut rest = self.0;
        while rest & END != END {
            let next = site.wrapping_add_signed(board.steps[(rest & 7) as usize]);
            if !clickers.contains(next) {
                return next;
            }
            rest >>= DIGIT;
        }
        site
    }
}

/// The steps that were worked out last, by their two cells: a table with one place for each hash, in
/// which the later entry takes the place of the earlier one.
#[derive(Clone)]
pub(super) struct KnownSteps(Vec<Entry>);

type Entry = (Site, Site, Steps);

/// The fewest and the most places of the table, powers of two.
const PLACES: (usize, usize) = (1 << 4, 1 << 13);

impl KnownSteps {
    /// An empty table of at most this many bytes, as far as its size allows.
    pub(super) fn within(bytes: usize) -> Self {
        let (fewest, most) = PLACES;
        let places = 1 << (bytes / size_of::<Entry>()).clamp(fewest, most).ilog2();
        KnownSteps(vec![(NOTHING, NOTHING, Steps::NONE); places])
    }

    /// Bytes held.
    pub(super) fn bytes(&self) -> usize {
        self.0.len() * size_of::<Entry>()
    }

    #[inline]
    fn place(&self, site: Site, target: Site) -> usize {
        let both = u64::from(site) << 32 | u64::from(target);
        (both.wrapping_mul(0x9e37_79b9_7f4a_7c15) >> 32) as usize & (self.0.len() - 1)
    }

    /// The steps between two cells, where they are there.
    #[inline]
    pub(super) fn get(&self, site: Site, target: Site) -> Option<Steps> {
        let (from, to, steps) = self.0[self.place(site, target)];
        (from == site && to == target).then_some(steps)
    }

    /// Keeps steps.
    pub(super) fn keep(&mut self, site: Site, target: Site, steps: Steps) {
        let place = self.place(site, target);
        self.0[place] = (site, target, steps);
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_table_knows_what_was_kept_last_and_stays_within_its_bytes() {
        for (bytes, places) in [(0, 16), (1000, 32), (1 << 30, 8192)] {
            let mut table = KnownSteps::within(bytes);
            assert_eq!(table.bytes(), places * 16);
            let steps = |n: u32| Steps::of(&[(n % 8) as u8, (n / 8 % 8) as u8]);
            for n in 0..20_000 {
                assert_eq!(table.get(n, n / 3), None);
                table.keep(n, n / 3, steps(n));
                assert_eq!(table.get(n, n / 3), Some(steps(n)));
            }
            let known = (0..20_000).filter(|&n| table.get(n, n / 3) == Some(steps(n))).count();
            assert!(known > places / 2 && known <= places, "{known} of {places}");
        }
    }
}
