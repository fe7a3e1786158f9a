//! The game in words.

use super::drawing::easel;
use crate::games::description::{Description, Pointing, SizeOrder, Unit};

/// The game in words.
pub fn description() -> Description {
    let rules = [
        "Walk up, down, left and right. Walking against a box pushes it one cell on, if that cell is \
         free.",
        "Boxes are pushed and never pulled, one at a time. A box in a corner stays there for ever.",
        "The game is won when every box stands on a target. Which box on which does not matter.",
        "Plans are compared by pushes, then by moves. In a plan a small letter is a move, a capital \
         one a push.",
    ];
    Description {
        easel: easel(),
        size: SizeOrder::WidthByHeight,
        pointing: Pointing::Push,
        ..Description::new(
            "Sokoban",
            "Push every box onto a target",
            [Unit::new("push", "pushes"), Unit::new("move", "moves")],
            rules.map(String::from),
        )
    }
}
