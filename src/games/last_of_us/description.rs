//! The game in words.

use super::drawing::easel;
use super::format::{HEARING_RANGE, THROW_RANGE};
use crate::games::description::{Aim, Description, Unit};

/// The game in words.
pub fn description() -> Description {
    let rules = [
        format!(
            "Each turn Ellie does one thing: she walks a cell in any of eight directions, stays where \
             she is, or throws a brick up to {THROW_RANGE} cells far. Then every clicker has its turn."
        ),
        "Everything makes a sound: a step where it ends, a brick where it lands. Staying is a sound, \
         too."
            .into(),
        format!(
            "A clicker within {HEARING_RANGE} cells of a sound goes there, cell by cell on a shortest \
             way around the walls, until it has arrived or hears something new. Walls do not stop \
             sounds."
        ),
        "A clicker that stands beside Ellie at its turn catches her. The game is lost.".into(),
        "Bricks go over walls, and each is thrown once. One that lands where nobody hears it lets a \
         turn pass in silence."
            .into(),
        "A step onto the exit wins at once, whoever stands beside it.".into(),
    ];
    Description {
        easel: easel(),
        aim: Some(Aim {
            action: "throw a brick",
            reach: HEARING_RANGE.unsigned_abs(),
            supply: "bricks",
        }),
        ..Description::new(
            "Last of Us",
            "Reach the exit unheard",
            [Unit::new("action", "actions")],
            rules,
        )
    }
}
