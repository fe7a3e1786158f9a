//! Rows or columns of intervals: how boards of 50 000 × 50 000 cells are held.
//!
//! A wall is thin and straight for long stretches, so a board is a few hundred intervals. A
//! [`Lines`] holds those of one orientation, by row or by column; a [`Cells`] is a set of cells as
//! one of each. A cell belongs to the set when either holds it.

use super::format::protocol::Point;
use std::collections::BTreeMap;

/// An interval, both ends inclusive.
pub type Interval = (i32, i32);

/// Disjoint intervals by line (a row or a column), sorted, none touching the next.
#[derive(Clone, Debug, Default)]
pub struct Lines {
    lines: BTreeMap<i32, Vec<Interval>>,
}

impl Lines {
    /// Adds the cells `from..=to` of a line, joining what they touch.
    pub fn insert(&mut self, line: i32, from: i32, to: i32) {
        let list = self.lines.entry(line).or_default();
        let first = list.partition_point(|&(_, end)| end < from - 1);
        let last = list.partition_point(|&(start, _)| start <= to + 1);
        if first == last {
            list.insert(first, (from, to));
        } else {
            let joined = (from.min(list[first].0), to.max(list[last - 1].1));
            list.splice(first..last, [joined]);
        }
    }

    /// Takes a cell out of a line.
    pub fn remove(&mut self, line: i32, at: i32) {
        let Some(list) = self.lines.get_mut(&line) else { return };
        let i = list.partition_point(|&(_, end)| end < at);
        let Some(&(start, end)) = list.get(i).filter(|&&(start, _)| start <= at) else { return };
        let parts = [(start, at - 1), (at + 1, end)];
        list.splice(i..=i, parts.into_iter().filter(|(from, to)| from <= to));
        if list.is_empty() {
            self.lines.remove(&line);
        }
    }

    /// The interval of a line that holds a cell.
    pub fn find(&self, line: i32, at: i32) -> Option<Interval> {
        self.after(line, at).filter(|&(start, _)| start <= at)
    }

    /// The first interval of a line that ends at `at` or beyond.
    pub fn after(&self, line: i32, at: i32) -> Option<Interval> {
        let list = self.lines.get(&line)?;
        list.get(list.partition_point(|&(_, end)| end < at)).copied()
    }

    /// The last interval of a line that starts at `at` or before.
    pub fn before(&self, line: i32, at: i32) -> Option<Interval> {
        let list = self.lines.get(&line)?;
        list.partition_point(|&(start, _)| start <= at).checked_sub(1).map(|i| list[i])
    }

    /// The lines `from..=to` that have intervals, in order.
    pub fn range(&self, from: i32, to: i32) -> impl DoubleEndedIterator<Item = (i32, &[Interval])> {
        let to = to.max(from);
        self.lines.range(from..=to).map(|(&line, list)| (line, list.as_slice()))
    }

    /// All intervals as line, start and end.
    pub fn iter(&self) -> impl Iterator<Item = (i32, Interval)> {
        self.lines
            .iter()
            .flat_map(|(&line, list)| list.iter().map(move |&interval| (line, interval)))
    }

    /// Whether there is none.
    pub fn is_empty(&self) -> bool {
        self.lines.is_empty()
    }
}

/// Whether a sorted list of disjoint intervals holds a number.
pub fn holds(list: &[Interval], at: i32) -> bool {
    let i = list.partition_point(|&(_, end)| end < at);
    list.get(i).is_some_and(|&(start, _)| start <= at)
}

/// A set of cells as intervals of rows and of columns.
#[derive(Clone, Debug, Default)]
pub struct Cells {
    /// Intervals of x by y.
    pub rows: Lines,
    /// Intervals of y by x.
    pub cols: Lines,
}

impl Cells {
    /// Whether a cell is in the set.
    pub fn has(&self, at: Point) -> bool {
        self.rows.find(at.y, at.x).is_some() || self.cols.find(at.x, at.y).is_some()
    }

    /// Takes a cell out.
    pub fn remove(&mut self, at: Point) {
        self.rows.remove(at.y, at.x);
        self.cols.remove(at.x, at.y);
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use rand::{RngExt, SeedableRng};
    use std::collections::BTreeSet;

    #[test]
    fn a_line_is_a_set_of_numbers() {
        let mut rng = rand_chacha::ChaCha8Rng::seed_from_u64(5);
        for _ in 0..200 {
            let (mut line, mut set) = (Lines::default(), BTreeSet::new());
            for _ in 0..30 {
                let from = rng.random_range(0..40);
                if rng.random_bool(0.6) {
                    let to = from + rng.random_range(0..6);
                    line.insert(7, from, to);
                    set.extend(from..=to);
                } else {
                    line.remove(7, from);
                    set.remove(&from);
                }
                let cells: Vec<i32> = line.iter().flat_map(|(_, (a, b))| a..=b).collect();
                assert_eq!(cells, set.iter().copied().collect::<Vec<_>>());
                let gaps = line.iter().zip(line.iter().skip(1)).all(|(a, b)| a.1.1 + 1 < b.1.0);
                assert!(gaps, "intervals touch: {line:?}");
                for at in -1..50 {
                    assert_eq!(line.find(7, at).is_some(), set.contains(&at));
                    assert_eq!(
                        line.after(7, at).map(|(a, _)| a.max(at)),
                        set.range(at..).next().copied()
                    );
                    assert_eq!(
                        line.before(7, at).map(|(_, b)| b.min(at)),
                        set.range(..=at).next_back().copied()
                    );
                }
            }
        }
    }
}
