//! Checking: the one door for proofs, as [`mod@crate::verify`] is the one for plans.
//!
//! [`check`] proves the claim of a [`Certificate`] from the rules alone. It closes states in order of their cost,
//! beginning with the area's start: each step that the rules allow from a closed state must lead to a
//! state that is closed as cheaply, or from which every plan costs at least what the claim leaves. A
//! step to a goal must cost no less than what is claimed. Why that proves the claim is in `docs/CERTIFICATES.md`.
//!
//! Nothing here, in [`crate::certificate`] or in a game's `check` comes from a planner, its simulator or a
//! search: `tests/architecture.rs` holds them to that.

mod closing;
mod parts;

use crate::certificate::{Certificate, Claim, MAX_COST, MAX_STATES, Parts, Rulebook};
use crate::diagnostic::Source;
use crate::games::{Area, Fingerprint, GameId, Measure, NoRulebook, PlanError};
use crate::search::clock::Instant;
use crate::search::{Limits, Run, StopReason};
use crate::verify::{Verified, verify};
use closing::{States, close};
use parts::add_up;
use std::collections::BTreeMap;

/// Closed states up to which a claim is proven of the whole before its proof by parts is tried.
const FEW_STATES: u64 = 100_000;

/// A claim that has been proven, with the plan that was replayed.
#[derive(Clone, Debug)]
pub struct Certified {
    claim: Claim,
    length: Option<u64>,
    plan: Option<Verified>,
    states: u64,
}

impl Certified {
    /// The claim.
    pub fn claim(&self) -> Claim {
        self.claim
    }

    /// The certificate's plan, where it has one.
    pub fn plan(&self) -> Option<&Verified> {
        self.plan.as_ref()
    }

    /// Length of the plan, in the certificate's measure.
    pub fn length(&self) -> Option<u64> {
        self.length
    }

    /// Whether the plan is as short as the claim says that plans are at least.
    pub fn is_optimal(&self) -> bool {
        self.length.is_some() && self.length == self.claim.limit()
    }

    /// States that were closed.
    pub fn states(&self) -> u64 {
        self.states
    }
}

/// Why a claim is not proven.
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
pub enum CheckError {
    /// The certificate speaks of something else.
    #[error("the certificate is of another {what}: it says {theirs}, and here it is {ours}")]
    Other {
        /// The item that differs: game, area or measure.
        what: &'static str,
        /// Its value in the certificate.
        theirs: String,
        /// Its value here.
        ours: String,
    },
    /// The area is beyond the checker: its game has no checker, or the area is too large for it.
    #[error("proofs of this area cannot be checked: {0}")]
    Unsupported(#[from] NoRulebook),
    /// The certificate's plan cannot be read, or the rules refuse it.
    #[error("the certificate's plan does not hold: {0}")]
    Plan(PlanError),
    /// The certificate's plan is shorter than its claim allows.
    #[error("the claim is false: the certificate's own plan has {length}")]
    Refuted {
        /// Length of the plan.
        length: u64,
    },
    /// A plan was found that is shorter than what is claimed.
    #[error("the claim is false: a plan of {cost} exists")]
    False {
        /// Cost of the plan.
        cost: u64,
    },
    /// The abstraction reaches a goal at less than what is claimed, which says nothing of plans.
    #[error("the claim is not proven by the abstraction, in which a way of {cost} exists")]
    NotByAbstraction {
        /// Cost of the way.
        cost: u64,
    },
    /// More states are to be closed than the certificate says.
    #[error("the claim is not proven by closing {most} states, as the certificate says it is")]
    TooManyStates {
        /// The number in the certificate.
        most: u64,
    },
    /// The parts of the certificate do not prove its claim.
    #[error("the certificate's parts prove nothing: {0}")]
    Parts(&'static str),
    /// A part costs less than the certificate says.
    #[error("part {number} can be brought to its ends for {cost}, less than the certificate says")]
    NotByPart {
        /// Number of the part, from 0 on.
        number: usize,
        /// Cost of a plan of this part, surcharges included.
        cost: u64,
    },
    /// The check has been stopped.
    #[error("the check was stopped: {}", .0.phrase())]
    Stopped(StopReason),
}

impl CheckError {
    /// Whether nothing was found out, because the check ran out of time or memory.
    pub fn is_open(&self) -> bool {
        matches!(self, CheckError::Stopped(_))
    }
}

/// Proves the claim of a certificate, or says why it does not hold.
///
/// ```
/// use outwit::check::{CheckError, certify, check};
/// use outwit::certificate::Claim;
/// use outwit::diagnostic::Source;
/// use outwit::games::GameId;
/// use outwit::search::Run;
///
/// let level = Source::new("corridor", "######\n#@$ .#\n######\n");
/// let area = GameId::Sokoban.game().read(&level).unwrap().only().unwrap();
/// let run = Run::seconds(10.0);
/// let mut certificate = certify(area.as_ref(), None, Claim::AtLeast(2), None, &run).unwrap();
/// assert_eq!(check(area.as_ref(), &certificate, &run).unwrap().claim(), Claim::AtLeast(2));
///
/// // More states, so that the search for a shorter plan is not given up first.
/// (certificate.claim, certificate.states) = (Claim::AtLeast(3), 100);
/// let refused = check(area.as_ref(), &certificate, &run).unwrap_err();
/// assert_eq!(refused, CheckError::False { cost: 2 });
/// ```
///
/// # Errors
/// Why the claim is not proven.
pub fn check(
    area: &dyn Area,
    certificate: &Certificate,
    run: &Run,
) -> Result<Certified, CheckError> {
    closed(area, certificate, run, &mut |_, _| {})
}

/// Where a proof has searched.
#[derive(Clone, Debug)]
pub struct Searched {
    /// The claim, proven as [`check`] does it.
    pub certified: Certified,
    /// The number of closed states with a box on the cell (Sokoban), or with the player on it (the other games), by the cell's
    /// row and column: see [`Rulebook::cells`]. Only cells with at least one such state are listed.
    pub cells: BTreeMap<(i64, i64), u64>,
}

/// Proves the claim of a certificate as [`check`] does, and says where on the board the closed states are.
///
/// # Errors
/// Why the claim is not proven.
pub fn searched(
    area: &dyn Area,
    certificate: &Certificate,
    run: &Run,
) -> Result<Searched, CheckError> {
    let mut cells = BTreeMap::new();
    let count = &mut |rulebook: &dyn Rulebook, states: &States| {
        for cell in states.iter().flat_map(|state| rulebook.cells(state)) {
            *cells.entry(cell).or_insert(0) += 1;
        }
    };
    let certified = closed(area, certificate, run, count)?;
    Ok(Searched { certified, cells })
}

/// Proves the claim of a certificate, and looks at the states that were closed.
fn closed(
    area: &dyn Area,
    certificate: &Certificate,
    run: &Run,
    look: &mut dyn FnMut(&dyn Rulebook, &States),
) -> Result<Certified, CheckError> {
    let game = area.game();
    same("game", &certificate.game, game.name())?;
    same("area", &certificate.area, &Fingerprint::of_area(area).to_string())?;
    let measure = measure_of(area, certificate)?;
    let replayed = certificate
        .plan
        .as_ref()
        .map(|plan| verify(area, &Source::new("the certificate's plan", plan.as_str())));
    let plan = replayed.transpose().map_err(CheckError::Plan)?;
    let length = plan.as_ref().map(|plan| plan.length(measure));
    let limit = certificate.claim.limit();
    if let Some(length) = length.filter(|&length| limit.is_none_or(|limit| length < limit)) {
        return Err(CheckError::Refuted { length });
    }
    let rulebook = match certificate.is_abstract {
        false => rulebook(area, measure)?,
        true => area.abstraction().ok_or_else(|| no_abstraction(game))?,
    };
    let states = match &certificate.parts {
        Some(parts) => add_up(&*rulebook, (parts, limit), certificate.states, run, look)?,
        None => {
            let states = close(&*rulebook, limit, certificate.states, run)?;
            look(&*rulebook, &states);
            states.len() as u64
        }
    };
    Ok(Certified { claim: certificate.claim, length, plan, states })
}

/// Writes a certificate of a claim, after the claim has been proven as [`check`] does it: over an abstraction, where
/// the game has one and half of the time is enough for it, or over the states of the rules.
///
/// # Errors
/// Why the claim is not proven: of some claims that are true, the proof takes more time or memory than
/// there is.
pub fn certify(
    area: &dyn Area,
    measure: Option<Measure>,
    claim: Claim,
    plan: Option<&Verified>,
    run: &Run,
) -> Result<Certificate, CheckError> {
    if claim.limit().is_some_and(|cost| cost > MAX_COST) {
        return Err(CheckError::Unsupported(format!("the cost is more than {MAX_COST}").into()));
    }
    let measure = measure.or_else(|| usual_measure(area));
    let Proof { states, is_abstract, parts } = prove(area, measure, claim, run)?;
    Ok(Certificate {
        game: area.game().name().to_owned(),
        area: Fingerprint::of_area(area).to_string(),
        measure: measure.map(|measure| measure.name().to_owned()),
        claim,
        states,
        is_abstract,
        parts,
        plan: plan.map(|plan| plan.text().to_owned()),
    })
}

/// How a claim is proven.
#[derive(Default)]
struct Proof {
    states: u64,
    is_abstract: bool,
    parts: Option<Parts>,
}

/// Proves a claim. Four ways are tried in this order:
/// 1. the states of the abstraction, where the game has one;
/// 2. the states of the whole area, up to [`FEW_STATES`];
/// 3. the parts that the planner suggests; their costs are proven, not believed;
/// 4. the states of the whole area, up to [`MAX_STATES`].
fn prove(
    area: &dyn Area,
    measure: Option<Measure>,
    claim: Claim,
    run: &Run,
) -> Result<Proof, CheckError> {
    let (started, limit) = (Instant::now(), claim.limit());
    let within = |time| {
        let limits = Limits { time, ..run.limits };
        Run { limits, control: run.control.clone(), ..Run::default() }
    };
    let left = || run.limits.time.saturating_sub(started.elapsed());
    if let Some(abstraction) = area.abstraction() {
        match close(&*abstraction, limit, MAX_STATES, &within(run.limits.time / 2)) {
            Ok(states) => {
                return Ok(Proof {
                    states: states.len() as u64,
                    is_abstract: true,
                    ..Proof::default()
                });
            }
            Err(error @ CheckError::Stopped(StopReason::Cancelled)) => return Err(error),
            Err(_) => {}
        }
    }
    let rulebook = rulebook(area, measure)?;
    let whole = |most| {
        let states = close(&*rulebook, limit, most, &within(left()))?.len() as u64;
        Ok(Proof { states, ..Proof::default() })
    };
    let Some(cost) = limit.filter(|_| rulebook.members().is_some()) else {
        return whole(MAX_STATES);
    };
    match whole(FEW_STATES) {
        Err(CheckError::TooManyStates { .. }) => {}
        proof => return proof,
    }
    let parts = area.parts(measure, cost, &within(left() / 3));
    let by_parts = parts.and_then(|parts| {
        let run = within(left() / 2);
        let states = add_up(&*rulebook, (&parts, limit), MAX_STATES, &run, &mut |_, _| {}).ok()?;
        Some(Proof { states, parts: Some(parts), ..Proof::default() })
    });
    by_parts.map_or_else(|| whole(MAX_STATES), Ok)
}

/// The measure that is meant where none is named; none in a game that has only one.
fn usual_measure(area: &dyn Area) -> Option<Measure> {
    area.game().game().measures().first().copied()
}

/// The measure of a certificate.
fn measure_of(area: &dyn Area, certificate: &Certificate) -> Result<Option<Measure>, CheckError> {
    let measures = area.game().game().measures();
    let theirs = certificate.measure.as_deref();
    let found = measures.iter().copied().find(|measure| Some(measure.name()) == theirs);
    if found.is_none() && (theirs.is_some() || !measures.is_empty()) {
        let names: Vec<_> = measures.iter().map(|measure| measure.name()).collect();
        return Err(CheckError::Other {
            what: "measure",
            theirs: theirs.unwrap_or("nothing").to_owned(),
            ours: if names.is_empty() { "not named".into() } else { names.join(" or ") },
        });
    }
    Ok(found)
}

fn same(what: &'static str, theirs: &str, ours: &str) -> Result<(), CheckError> {
    let other = || CheckError::Other { what, theirs: theirs.to_owned(), ours: ours.to_owned() };
    if theirs == ours { Ok(()) } else { Err(other()) }
}

fn no_abstraction(game: GameId) -> CheckError {
    CheckError::Unsupported(format!("{game} has no abstraction").into())
}

fn rulebook<'a>(
    area: &'a dyn Area,
    measure: Option<Measure>,
) -> Result<Box<dyn Rulebook + 'a>, CheckError> {
    Ok(area.rulebook(measure)?)
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::search::Control;
    use std::sync::atomic::Ordering;
    use std::time::Duration;

    fn area(game: GameId, text: &str) -> Box<dyn Area> {
        game.game().read(&Source::new("area", text)).expect("a file").only().expect("one area")
    }

    #[test]
    fn what_is_broken_off_proves_nothing() {
        let control = Control::default();
        control.cancel.store(true, Ordering::Relaxed);
        let cancelled = Run { control, ..Run::seconds(60.0) };
        let limits = Limits { time: Duration::ZERO, ..Limits::default() };
        let level = "########\n#@ $ ..#\n#  $   #\n#      #\n########\n";
        let place = format!("crowd\n10 10 1\nE..C......\n{}....C....X\n", "..........\n".repeat(8));
        for area in [area(GameId::Sokoban, level), area(GameId::LastOfUs, &place)] {
            // Less than the floor says nothing of how the states are closed.
            let claim = Claim::AtLeast(50);
            for run in [&cancelled, &Run::from(limits)] {
                for is_abstract in [false, area.abstraction().is_some()] {
                    let certificate = Certificate {
                        game: area.game().name().to_owned(),
                        area: Fingerprint::of_area(&*area).to_string(),
                        measure: usual_measure(&*area).map(|measure| measure.name().to_owned()),
                        claim,
                        states: MAX_STATES,
                        is_abstract,
                        parts: None,
                        plan: None,
                    };
                    let checked = check(&*area, &certificate, run);
                    assert!(matches!(checked, Err(CheckError::Stopped(_))), "{checked:?}");
                }
                assert!(certify(&*area, None, claim, None, run).is_err());
            }
        }
    }
}
