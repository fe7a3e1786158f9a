//! Parts of an area whose costs add up: in Sokoban, sets of boxes, each alone on the board.
//!
//! A plan of the whole contains a plan of each part: its steps without those of the other parts. Each end, in Sokoban a
//! target, has a surcharge; the cost of a part is that of its steps and the surcharges of the ends that its members
//! reach. A plan of the whole reaches every end once. So its cost is at least the sum over the parts less the
//! sum of all surcharges. `docs/CERTIFICATES.md` has the argument.

use std::fmt;

/// Item of the surcharges.
pub(super) const SURCHARGES: &str = "surcharges";
/// Item of a part.
pub(super) const PART: &str = "part";
/// Between the members of a part and its cost.
pub(super) const COSTS: &str = " costs ";
/// Upper limit of a surcharge.
pub const MAX_SURCHARGE: u64 = u16::MAX as u64;
/// Upper limit of a member's number.
pub const MAX_MEMBER: u64 = u16::MAX as u64;

/// A division of an area.
#[derive(Clone, PartialEq, Eq, Debug, Default)]
pub struct Parts {
    /// The surcharge of each end; in Sokoban the ends are the targets, row by row.
    pub surcharges: Vec<u64>,
    /// The parts. Each member of the area is in one of them.
    pub parts: Vec<Part>,
}

/// A part of an area.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct Part {
    /// Its members by number; in Sokoban the boxes, row by row at the start.
    pub members: Vec<usize>,
    /// Lower bound on the cost of bringing them, alone, to ends of their own, surcharges included.
    pub cost: u64,
}

/// The lines of a certificate.
impl fmt::Display for Parts {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(SURCHARGES)?;
        self.surcharges.iter().try_for_each(|surcharge| write!(f, " {surcharge}"))?;
        for Part { members, cost } in &self.parts {
            write!(f, "\n{PART}")?;
            members.iter().try_for_each(|member| write!(f, " {member}"))?;
            write!(f, "{COSTS}{cost}")?;
        }
        f.write_str("\n")
    }
}
