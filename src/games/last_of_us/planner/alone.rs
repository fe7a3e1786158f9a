//! The planner's searches one by one, to compare them.

use super::stages::Planner;
use crate::games::game::NamedSearch;
use crate::games::last_of_us::state::Move;
use crate::search::Outcome;

/// The searches that can be run alone.
pub const SEARCHES: &[NamedSearch] = &[
    NamedSearch::new("astar", "A* over actions"),
    NamedSearch::new("beam", "one beam in the first style"),
    NamedSearch::new("dives", "cyclic best-first searches in several styles, in turns"),
    NamedSearch::new("abstraction", "a lower bound, from what is certain of the clickers"),
    NamedSearch::of_plan("windows", "parts of the known plan, searched again by beams"),
];

/// Runs one search alone, for plans shorter than the one known; `None` where there is none of that name,
/// or where it shortens a plan and none that leads out is known.
pub fn search(name: &str, mut planner: Planner<'_>) -> Option<Outcome<Move>> {
    let named = SEARCHES.iter().find(|search| search.name == name)?;
    if named.needs_plan && planner.desk.plan().is_none() {
        return None;
    }
    if !planner.desk.is_settled() {
        play(name, &mut planner);
    }
    Some(planner.desk.outcome())
}

fn play(name: &str, planner: &mut Planner<'_>) {
    let all = planner.desk.part();
    match name {
        "astar" => planner.exact(all),
        "abstraction" => planner.prove(all),
        _ => {
            let compasses = planner.compasses();
            match name {
                "beam" => planner.beam(&compasses[0], planner.tuning.beam.alone_width),
                "dives" => {
                    planner.dive(&compasses);
                }
                _ => planner.shorten(compasses[0].style),
            }
        }
    }
}
