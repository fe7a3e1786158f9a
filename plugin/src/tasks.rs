//! The two tasks of a plug-in: a level is solved, a solution is made shorter.

use crate::board::{Rows, level};
use crate::host::Host;
use crate::interface::{Buffer, Refusal, ResultCode, flag};
use crate::moves;
use crate::settings::{OPTIMIZE_SECONDS, SOLVE_SECONDS, Settings};
use outwit::games::sokoban::format::{MOVES, PUSHES};
use outwit::games::{Area, Measure, Objective};
use outwit::search::Verdict;
use outwit::verify::{Verified, pursue};

/// Solves a level and writes the solution into the buffer, which is left with an empty text where there is none.
/// The text is for the user.
///
/// # Safety
/// The buffer is absent, or its bytes can be written.
pub unsafe fn solve(
    rows: Result<Rows, Refusal>,
    buffer: Buffer,
    host: &mut Host,
) -> Result<String, Refusal> {
    // SAFETY: what the caller promises.
    unsafe { moves::write("", 1, buffer) }?;
    let area = level(&rows?)?;
    let settings = Settings::read(SOLVE_SECONDS)?;
    let objective = Objective { measure: Some(PUSHES), prove: false };
    let settled = host.attend(settings.limits, |run| {
        pursue(&*area, &objective, None, run, settings.thoroughness)
    })?;
    let Some(plan) = settled.plan() else { return Err(host.nothing(&settled)) };
    // SAFETY: what the caller promises.
    unsafe { moves::write(&moves::letters(plan)?, 1, buffer) }?;
    let is_proven = settled.answer.verdict == Verdict::Optimal;
    host.status.set_flags(flag::SOLUTION | if is_proven { flag::PUSHES } else { 0 });
    let proven = if is_proven { "; no solution has fewer pushes" } else { "" };
    Ok(format!("solved: {}{proven}", lengths(plan)))
}

/// Makes a solution in the buffer shorter. The buffer is written to only when that has been done.
///
/// # Safety
/// The buffer is absent, or its bytes can be read, up to its end or to the first two zeros, and written.
pub unsafe fn optimize(
    rows: Result<Rows, Refusal>,
    buffer: Buffer,
    host: &mut Host,
) -> Result<String, Refusal> {
    let area = level(&rows?)?;
    let measure = measure(host.status.flags()).ok_or_else(|| {
        let why = "outwit shortens solutions in pushes or in moves only";
        Refusal::new(ResultCode::ConstraintsViolation, why)
    })?;
    // SAFETY: what the caller promises.
    let given = unsafe { moves::read(buffer) }?;
    let known = best(&*area, &given, measure)?;
    let settings = Settings::read(OPTIMIZE_SECONDS)?;
    let objective = Objective { measure: Some(measure), prove: false };
    let settled =
        host.attend(settings.limits, |run| outwit::improve(&*area, &known, &objective, run))?;
    let better = settled.plan().filter(|plan| plan.beats_in(&known, Some(measure)));
    let Some(plan) = better else { return Err(host.nothing(&settled)) };
    // SAFETY: what the caller promises.
    unsafe { moves::write(&moves::letters(plan)?, 2, buffer) }?;
    Ok(format!("improved: {}, before {}", lengths(plan), lengths(&known)))
}

/// The best of the host's solutions that solves the level.
fn best(area: &dyn Area, given: &[String], measure: Measure) -> Result<Verified, Refusal> {
    let mut best: Option<Verified> = None;
    let mut refused = Refusal::invalid("there is no solution");
    for solution in given {
        match outwit::verify(area, solution) {
            Ok(plan) if best.as_ref().is_none_or(|best| plan.beats_in(best, Some(measure))) => {
                best = Some(plan);
            }
            Ok(_) => {}
            Err(error) => refused = Refusal::invalid(error.to_string()),
        }
    }
    best.ok_or(refused)
}

/// The length of a plan, for the user.
fn lengths(plan: &Verified) -> String {
    let length = |measure| plan.length(Some(measure));
    format!("{} pushes, {} moves", length(PUSHES), length(MOVES))
}

/// The measure that the flags ask to minimise first, in either numbering; the other measure decides between
/// solutions of the same length. None if outwit does not have the measure.
///
/// 128 and 256 mean different measures in the two numberings. Where one of the meanings asks for the same
/// measure twice, the other is meant.
pub fn measure(flags: u32) -> Option<Measure> {
    use flag::{newer, older};
    let (measure, others) = match flags & flag::PRIMARY {
        // The plug-in's own choice.
        0 => (PUSHES, [0; 2]),
        flag::PUSHES => (PUSHES, [older::SECONDARY_MOVES, newer::SECONDARY_MOVES]),
        flag::MOVES => (MOVES, [older::SECONDARY_PUSHES, newer::SECONDARY_PUSHES]),
        _ => return None,
    };
    let secondary = flags & flag::SECONDARY;
    (secondary == 0 || others.contains(&secondary)).then_some(measure)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn flags_of_both_numberings_are_understood() {
        for flags in [0, 1, 4, 5, 4 | 64, 4 | 128] {
            assert_eq!(measure(flags), Some(PUSHES), "{flags}");
        }
        for flags in [2, 3, 2 | 128, 2 | 256] {
            assert_eq!(measure(flags), Some(MOVES), "{flags}");
        }
        for flags in [6, 8, 16, 32, 64, 128, 4 | 256, 2 | 64, 4 | 64 | 128, 8 | 128, u32::MAX] {
            assert_eq!(measure(flags), None, "{flags}");
        }
    }
}
