//! The game in words.

use super::drawing::easel;
use crate::games::description::{Description, Unit};

/// The game in words.
pub fn description() -> Description {
    let rules = [
        "Walk a cell in any of eight directions, stay, or teleport to one of the places that are left: \
         each serves once.",
        "After that all robots step at once, each straight or diagonally towards you.",
        "Robots that meet destroy each other and leave debris. A robot that walks into debris is \
         destroyed.",
        "Walking against debris pushes it a cell on, over a robot as well, but not against other \
         debris or off the board.",
        "A robot that reaches you wins. You win when no robot is left.",
    ];
    Description {
        easel: easel(),
        examples: vec!["t 16 15"],
        ..Description::new(
            "Robots",
            "Make the robots crash into each other",
            [Unit::new("move", "moves")],
            rules.map(String::from),
        )
    }
}
