//! The game in words.

use super::drawing::easel;
use crate::games::description::{Description, Unit};

/// The game in words.
pub fn description() -> Description {
    let rules = [
        "Step up, down, left or right, or wait. Then the monsters act, row by row from the top. You win \
         on the border, before they do.",
        "A sentinel goes ahead where it looks; where something is in its way it turns a quarter \
         clockwise instead.",
        "A seeker that sees you along its row or column steps towards you.",
        "A shooter that sees you puts a seeker beside itself, on your side.",
        "A blob rests a turn, then steps towards you by the shortest way.",
        "A mine lights up when you are beside it and explodes a turn later: all 9 cells about it, \
         walls as well. So the border can be opened.",
        "Whatever enters your cell ends the game.",
    ];
    Description {
        easel: easel(),
        ..Description::new(
            "Monsters",
            "Reach the border, and wait where need be",
            [Unit::new("turn", "turns")],
            rules.map(String::from),
        )
    }
}
