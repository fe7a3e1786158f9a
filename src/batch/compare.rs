//! Two folders of solutions side by side: what got shorter, longer, proven.
//!
//! Claims are compared that are about the same content in the same measure: an area's file may have another name
//! in each folder. What is compared is what the folders claim; nothing is searched or replayed.

use super::BatchError;
use super::index::{self, Claim};
use super::record;
use crate::games::{Fingerprint, Standing};
use serde::Serialize;
use std::collections::{BTreeMap, BTreeSet};
use std::path::Path;

/// A difference between two claims about one area in one measure. The bad ones come first.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Serialize)]
#[serde(rename_all = "kebab-case")]
#[non_exhaustive]
pub enum Change {
    /// One folder's bound is above the length of the other's plan, so one of the two is wrong.
    Contradiction,
    /// Only the first has a plan.
    PlanLost,
    /// The second's plan is longer.
    Longer,
    /// Only the first has a proof that its plan is shortest, or that there is none.
    ProofLost,
    /// The second's bound is lower.
    BoundLower,
    /// Only the first has a certificate.
    CertificateLost,
    /// Only the second has a plan.
    Solved,
    /// The second's plan is shorter.
    Shorter,
    /// Only the second has such a proof.
    Proven,
    /// The second's bound is higher.
    BoundHigher,
    /// Only the second has a certificate.
    Certified,
}

impl Change {
    /// All of them, in their order.
    pub const ALL: [Change; 11] = [
        Change::Contradiction,
        Change::PlanLost,
        Change::Longer,
        Change::ProofLost,
        Change::BoundLower,
        Change::CertificateLost,
        Change::Solved,
        Change::Shorter,
        Change::Proven,
        Change::BoundHigher,
        Change::Certified,
    ];

    /// In words.
    pub fn name(self) -> &'static str {
        match self {
            Change::Contradiction => "contradiction",
            Change::PlanLost => "plan lost",
            Change::Longer => "longer",
            Change::ProofLost => "proof lost",
            Change::BoundLower => "bound lower",
            Change::Solved => "solved",
            Change::Shorter => "shorter",
            Change::Proven => "proven",
            Change::BoundHigher => "bound higher",
            Change::Certified => "certified",
            Change::CertificateLost => "certificate lost",
        }
    }

    /// Whether the second folder is worse by it.
    pub fn is_worse(self) -> bool {
        self <= Change::CertificateLost
    }
}

/// An area of both folders about which they claim different things.
#[derive(Clone, Debug, PartialEq, Eq, Serialize)]
pub struct Difference {
    /// The area's key in the second folder.
    #[serde(rename = "area")]
    pub key: String,
    /// The measure.
    pub measure: String,
    /// The first folder's claim.
    pub before: Standing,
    /// The second folder's claim.
    pub after: Standing,
    /// The differences; never none.
    pub changes: Vec<Change>,
}

/// The differences between two folders.
#[derive(Clone, Debug, Default, PartialEq, Eq, Serialize)]
pub struct Comparison {
    /// Areas with different claims, in the order of their keys.
    pub differences: Vec<Difference>,
    /// Number of claims about the same area in the same measure that say the same.
    pub same: usize,
    /// Keys of areas that only the first folder has.
    pub only_first: Vec<String>,
    /// Keys of areas that only the second folder has.
    pub only_second: Vec<String>,
}

impl Comparison {
    /// Compares claims.
    pub fn new(first: &[Claim], second: &[Claim]) -> Comparison {
        let mut earlier = by_content(first);
        let mut comparison = Comparison::default();
        let mut only_second = BTreeSet::new();
        for ((area, measure), after) in by_content(second) {
            let Some(before) = earlier.remove(&(area, measure)) else {
                only_second.insert(after.key.clone());
                continue;
            };
            let changes = changes(before, after);
            if changes.is_empty() {
                comparison.same += 1;
                continue;
            }
            comparison.differences.push(Difference {
                key: after.key.clone(),
                measure: after.measure.clone(),
                before: before.standing,
                after: after.standing,
                changes,
            });
        }
        comparison.differences.sort_by(|a, b| (&a.key, &a.measure).cmp(&(&b.key, &b.measure)));
        let only_first: BTreeSet<_> = earlier.values().map(|claim| claim.key.clone()).collect();
        comparison.only_first = only_first.into_iter().collect();
        comparison.only_second = only_second.into_iter().collect();
        comparison
    }

    /// Number of areas with each change that there is.
    pub fn counts(&self) -> BTreeMap<Change, usize> {
        let mut counts = BTreeMap::new();
        for change in self.differences.iter().flat_map(|difference| &difference.changes) {
            *counts.entry(*change).or_default() += 1;
        }
        counts
    }

    /// Whether the second folder is worse in anything that both have.
    pub fn is_worse(&self) -> bool {
        self.counts().into_keys().any(Change::is_worse)
    }
}

/// Claims by content and measure; those whose content is not known are left out.
fn by_content(claims: &[Claim]) -> BTreeMap<(Fingerprint, &str), &Claim> {
    let known = claims.iter().filter_map(|claim| Some(((claim.area?, &*claim.measure), claim)));
    known.collect()
}

/// The differences between two claims about one area.
fn changes(before: &Claim, after: &Claim) -> Vec<Change> {
    let (was, is) = (before.standing, after.standing);
    let is_proven = |of: Standing| of.is_optimal() || of == Standing::Impossible;
    let refutes = |bound: Standing, plan: Standing| {
        plan.length().is_some_and(|length| bound.bound().is_none_or(|bound| bound > length))
    };
    let bounds = (was.bound().unwrap_or(u64::MAX), is.bound().unwrap_or(u64::MAX));
    let lengths = (was.length().unwrap_or(u64::MAX), is.length().unwrap_or(u64::MAX));
    let has = (was.length().is_some(), is.length().is_some());
    let proven = (is_proven(was), is_proven(is));
    let certified = (before.certificate.is_some(), after.certificate.is_some());
    let found = |change: &Change| match change {
        Change::Contradiction => refutes(was, is) || refutes(is, was),
        Change::PlanLost => has == (true, false),
        Change::Solved => has == (false, true),
        Change::Longer => has == (true, true) && lengths.1 > lengths.0,
        Change::Shorter => has == (true, true) && lengths.1 < lengths.0,
        Change::ProofLost => proven == (true, false),
        Change::Proven => proven == (false, true),
        Change::BoundLower => proven == (false, false) && bounds.1 < bounds.0,
        Change::BoundHigher => proven == (false, false) && bounds.1 > bounds.0,
        Change::CertificateLost => certified == (true, false),
        Change::Certified => certified == (false, true),
    };
    Change::ALL.into_iter().filter(found).collect()
}

/// The claims of a folder of solutions: those of its records, and what its index says of other areas. Beside them
/// come sentences about records that cannot be read.
///
/// # Errors
/// The folder has neither.
pub fn claims_of(folder: &Path) -> Result<(Vec<Claim>, Vec<String>), BatchError> {
    let (records, faults) = record::load(folder, &BTreeMap::new());
    let mut claims = index::claims(&records);
    let place = |claim: &Claim| (claim.key.clone(), claim.measure.clone());
    let known: BTreeSet<_> = claims.iter().map(place).collect();
    claims.extend(index::read(folder).into_iter().filter(|claim| !known.contains(&place(claim))));
    if claims.is_empty() {
        return Err(BatchError::NoClaims(folder.join(index::FILE)));
    }
    Ok((claims, faults))
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::games::Facts;

    fn claim(area: &str, standing: Standing, certificate: Option<&str>) -> Claim {
        Claim {
            key: format!("robots/{area}"),
            measure: "steps".into(),
            area: Some(Fingerprint::of(&[area])),
            size: String::new(),
            standing,
            facts: Facts::default(),
            text: None,
            certificate: certificate.map(String::from),
        }
    }

    #[test]
    fn each_change_has_its_name() {
        let (optimal, found) = (
            |length| Standing::Optimal { length },
            |length, bound| Standing::Found { length, bound },
        );
        let unknown = |bound| Standing::Unknown { bound };
        for (before, after, changes) in [
            (optimal(5), optimal(5), &[][..]),
            (found(7, 3), found(6, 3), &[Change::Shorter]),
            (found(6, 3), found(7, 3), &[Change::Longer]),
            (found(6, 3), optimal(6), &[Change::Proven]),
            (found(6, 3), optimal(5), &[Change::Shorter, Change::Proven]),
            (optimal(5), found(5, 4), &[Change::ProofLost]),
            (found(6, 3), found(6, 4), &[Change::BoundHigher]),
            (found(6, 4), found(6, 3), &[Change::BoundLower]),
            (unknown(3), found(6, 3), &[Change::Solved]),
            (found(6, 3), unknown(3), &[Change::PlanLost]),
            (unknown(3), Standing::Impossible, &[Change::Proven]),
            (
                Standing::Impossible,
                found(6, 3),
                &[Change::Contradiction, Change::ProofLost, Change::Solved],
            ),
            (optimal(5), optimal(4), &[Change::Contradiction, Change::Shorter]),
        ] {
            let of = Comparison::new(&[claim("a", before, None)], &[claim("a", after, None)]);
            let found = of.differences.first().map_or(&[][..], |difference| &difference.changes);
            assert_eq!(found, changes, "{before:?} {after:?}");
            assert_eq!(of.is_worse(), changes.iter().any(|change| change.is_worse()));
        }
    }

    #[test]
    fn areas_are_matched_by_their_content() {
        let standing = Standing::Optimal { length: 5 };
        let first = [claim("a", standing, Some("1")), claim("b", standing, None)];
        let mut second = [claim("a", standing, None), claim("c", standing, None)];
        second[0].key = "robots/renamed".into();
        let of = Comparison::new(&first, &second);
        assert_eq!(of.counts(), BTreeMap::from([(Change::CertificateLost, 1)]));
        assert_eq!(of.differences[0].key, "robots/renamed");
        assert_eq!(
            (of.only_first, of.only_second),
            (vec!["robots/b".into()], vec!["robots/c".into()])
        );
    }
}
