//! Claims that are proven by parts: see [`crate::certificate::parts`].

use super::CheckError;
use super::closing::{States, close};
use crate::certificate::parts::MAX_SURCHARGE;
use crate::certificate::{Part, Parts, Rulebook};
use crate::search::clock::Instant;
use crate::search::{Limits, Run};

/// Proves the cost of each part, and that the costs add up to the claim. `most` is the upper limit of the states of
/// all parts. `look` sees the states of each. Returns their number.
///
/// # Errors
/// The claim does not follow from the parts, or the check was stopped.
pub fn add_up(
    rulebook: &dyn Rulebook,
    (parts, limit): (&Parts, Option<u64>),
    most: u64,
    run: &Run,
    look: &mut dyn FnMut(&dyn Rulebook, &States),
) -> Result<u64, CheckError> {
    let members = rulebook.members().ok_or(CheckError::Parts("this area has no parts"))?;
    if parts.surcharges.len() != members {
        return Err(CheckError::Parts("there is not one surcharge for each end"));
    }
    if parts.surcharges.iter().any(|&surcharge| surcharge > MAX_SURCHARGE) {
        return Err(CheckError::Parts("a surcharge is too large"));
    }
    each_once(&parts.parts, members)?;
    let surcharges: u64 = parts.surcharges.iter().sum();
    let costs = parts.parts.iter().map(|part| part.cost).fold(0, u64::saturating_add);
    if limit.is_none_or(|limit| costs.saturating_sub(surcharges) < limit) {
        return Err(CheckError::Parts("the costs of the parts do not add up to the claim"));
    }
    let started = Instant::now();
    let mut closed = 0;
    for (number, Part { members, cost }) in parts.parts.iter().enumerate() {
        let part = rulebook.part(members, &parts.surcharges);
        let part = part.ok_or(CheckError::Parts("this area has no parts"))?;
        let time = run.limits.time.saturating_sub(started.elapsed());
        let limits = Limits { time, ..run.limits };
        let run = Run { limits, control: run.control.clone(), ..Run::default() };
        let states =
            close(&*part, Some(*cost), most - closed, &run).map_err(|error| match error {
                CheckError::False { cost } => CheckError::NotByPart { number, cost },
                CheckError::TooManyStates { .. } => CheckError::TooManyStates { most },
                error => error,
            })?;
        look(&*part, &states);
        closed += states.len() as u64;
    }
    Ok(closed)
}

/// Whether each member is in one part, and in no other.
fn each_once(parts: &[Part], members: usize) -> Result<(), CheckError> {
    let mut is_there = vec![false; members];
    for &member in parts.iter().flat_map(|part| &part.members) {
        match is_there.get_mut(member) {
            Some(is_there) if !*is_there => *is_there = true,
            _ => return Err(CheckError::Parts("a member is in two parts, or is none")),
        }
    }
    match is_there.contains(&false) {
        true => Err(CheckError::Parts("a member is in no part")),
        false => Ok(()),
    }
}
