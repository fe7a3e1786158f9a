//! Searches of published levels end within their budgets. Random levels are too small and too similar to
//! show it.

use super::{nodes, project};
use outwit::diagnostic::Source;
use outwit::games::{GameId, Objective};
use rayon::prelude::*;

/// Files of collections in `../shared/levels`.
const FILES: [&str; 4] =
    ["holland_odd_41.xsb", "sasquatch_II_50.xsb", "sokhard_odd_82.xsb", "xsokoban_90.xsb"];
/// Budget of each level, in expansions. It is so small that every member of the portfolio gets a turn.
const NODES: u64 = 100;

#[test]
fn searches_of_published_levels_end_within_their_budget() {
    let folder = project("../shared/levels");
    let paths = FILES.map(|file| folder.join(file));
    let (there, missing): (Vec<_>, Vec<_>) = paths.iter().partition(|path| path.is_file());
    if !missing.is_empty() {
        eprintln!("skipped: {} of {} collections are not there", missing.len(), FILES.len());
    }
    there.into_par_iter().for_each(|path| {
        let source = Source::read(path).expect("a file");
        let levels = GameId::Sokoban.game().read(&source).expect("levels");
        levels.entries.par_iter().for_each(|entry| {
            let name = format!("{}:{}", path.display(), entry.number);
            let area = entry.content.as_ref().expect("it can be read");
            let answer = area.solve(&Objective::default(), None, &nodes(NODES, 1));
            assert!(answer.effort.expanded <= NODES, "{name}: {:?}", answer.effort);
        });
    });
}
