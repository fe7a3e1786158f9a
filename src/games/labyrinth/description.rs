//! The game in words.

use super::drawing::easel;
use super::format::protocol::Heading;
use super::format::{BLAST_OXYGEN, LOOK_OXYGEN, WALK_OXYGEN};
use crate::games::description::{Description, LongStep, Pointing, Unit};

/// The game in words.
pub fn description() -> Description {
    let rules = [
        format!(
            "Walk north, east, south or west as far as you like. Each cell costs {WALK_OXYGEN} oxygen. \
             Walking into a wall is against the rules."
        ),
        format!(
            "Look around to see the 8 cells about you, or ahead to see a strip of 3 cells' width up to \
             the next wall. Each cell that is shown costs {LOOK_OXYGEN}."
        ),
        format!("Dynamite blows up the 8 cells about you, walls as well, for {BLAST_OXYGEN}."),
        "Walking onto the exit wins. Plans are compared by oxygen.".into(),
        "In the dark you see what you have looked at, as the player of the original game does."
            .into(),
    ];
    Description {
        easel: easel(),
        pointing: Pointing::LongSteps,
        long_steps: long_steps(),
        examples: vec!["walk north 120", "look east 50"],
        ..Description::new(
            "Labyrinth",
            "Find the exit on little oxygen",
            [Unit::new("oxygen", "oxygen")],
            rules,
        )
    }
}

/// Walks and looks in the four directions.
fn long_steps() -> Vec<LongStep> {
    let ways = [
        ("up", Heading::North),
        ("down", Heading::South),
        ("left", Heading::West),
        ("right", Heading::East),
    ];
    let step = |(verb, moves): (&'static str, bool)| {
        ways.map(|(way, heading)| {
            let step = format!("{verb} {}", heading.name());
            LongStep { way, verb, moves, step }
        })
    };
    [("walk", true), ("look", false)].into_iter().flat_map(step).collect()
}
