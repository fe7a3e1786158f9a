//! What one of the two searches did since both last looked at each other.
//!
//! Neither search needs the other but to find out where they meet. So each goes on alone for a
//! number of expansions, on a thread of its own where there is one, and then both look up what is
//! new in each other's table. The log of a batch tells which expansion reached what. So the meeting
//! that counts is the one that would have come first had the searches taken turns with every
//! single expansion, and the answer depends neither on threads nor on where a batch ends.

/// Why a search did not come to the end of its batch.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum End {
    /// Nothing is open any more.
    Exhausted,
    /// There is no room for successors.
    Full,
    /// The time is over.
    Interrupted,
}

/// The log of a batch.
#[derive(Clone, Debug, Default)]
pub struct Batch {
    /// Expansions before it.
    first: u64,
    /// Positions in the table before it.
    known: u32,
    /// Successors generated before it.
    generated: u64,
    /// After each expansion: positions in the table, successors generated in all.
    after: Vec<(u32, u64)>,
    /// The hash of each new position, in order of their numbers.
    pub hashes: Vec<u64>,
    /// Why it ended early.
    pub ended: Option<End>,
}

impl Batch {
    /// Begins a batch of a search that has spent these expansions and successors before, and has `known`
    /// positions in its table.
    pub fn begin(&mut self, (expanded, generated): (u64, u64), known: usize) {
        (self.first, self.generated) = (expanded, generated);
        (self.known, self.ended) = (known as u32, None);
        self.after.clear();
        self.hashes.clear();
    }

    /// Notes an expansion: positions in the table now, successors generated in all.
    pub fn note(&mut self, positions: usize, generated: u64) {
        self.after.push((positions as u32, generated));
    }

    /// The numbers of the new positions.
    pub fn numbers(&self) -> impl Iterator<Item = u32> {
        self.known..self.known + self.hashes.len() as u32
    }

    /// The expansion that reached a new position.
    pub fn expansion_of(&self, number: u32) -> u64 {
        self.first + self.after.partition_point(|&(positions, _)| positions <= number) as u64
    }

    /// Positions in the table after `expansions` expansions; before the batch, the number that it
    /// began with.
    pub fn positions_after(&self, expansions: u64) -> u32 {
        self.at(expansions).map_or(self.known, |(positions, _)| positions)
    }

    /// Expansions and successors of the search up to the one of this number, or to the last.
    pub fn effort_after(&self, expansions: u64) -> (u64, u64) {
        let last = self.first + self.after.len() as u64;
        let generated = self.at(expansions).map_or(self.generated, |(_, generated)| generated);
        (expansions.clamp(self.first, last), generated)
    }

    fn at(&self, expansions: u64) -> Option<(u32, u64)> {
        let count = expansions.saturating_sub(self.first).min(self.after.len() as u64) as usize;
        count.checked_sub(1).map(|last| self.after[last])
    }

    /// The expansion that it did not come to.
    pub fn end(&self) -> Option<(u64, End)> {
        self.ended.map(|ended| (self.first + self.after.len() as u64, ended))
    }
}
