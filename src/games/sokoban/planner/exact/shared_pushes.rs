//! The spaces of pushes, as other processes make them to search together with the first one.

use super::push_space::PushSpace;
use crate::games::sokoban::board::Board;
use crate::games::sokoban::board::mask::on_words;
use crate::games::sokoban::planner::analysis::Prepared;
use crate::games::sokoban::planner::analysis::level::LevelAnalysis;
use crate::games::sokoban::planner::analysis::push_distance::PushDistances;
use crate::games::sokoban::planner::pushes::Measure;
use crate::games::sokoban::planner::tuning::Tuning;
use crate::search::{SpaceVisitor, Spaces};
use std::sync::{Arc, OnceLock};

/// The spaces of a level: one [`PushSpace`], on as many words as the board needs. There is none if the board
/// is too large for bit boards or has more targets than boxes.
pub struct SharedPushes<'a> {
    board: &'a Board,
    /// The analysis of the level, made at the first visit.
    known: OnceLock<(LevelAnalysis, Arc<PushDistances>)>,
}

impl<'a> SharedPushes<'a> {
    /// The spaces of the level on a board.
    pub fn new(board: &'a Board) -> Self {
        SharedPushes { board, known: OnceLock::new() }
    }

    fn visit_on<const W: usize>(
        &self,
        (tuning, measure): (&Tuning, Measure),
        visitor: impl SpaceVisitor,
    ) -> bool {
        let board = self.board;
        let know = || (LevelAnalysis::new(board), Arc::new(PushDistances::new(board)));
        let (analysis, distances) = self.known.get_or_init(know);
        let space = PushSpace::<W>::new(Prepared { board, analysis, distances, tuning }, measure);
        space.map(|space| visitor.visit(&space)).is_some()
    }
}

impl Spaces for SharedPushes<'_> {
    fn visit(&self, words: &[u64], _memory: usize, visitor: impl SpaceVisitor) -> bool {
        let Some((tuning, measure)) = settings_of(words) else { return false };
        on_words!(self.board, W => self.visit_on::<W>((&tuning, measure), visitor), false)
    }
}

/// The tuning and the measure that the words of a space describe; `None` if they describe none.
fn settings_of(words: &[u64]) -> Option<(Tuning, Measure)> {
    let &[corral, study, study_pause, moves] = words else { return None };
    let mut tuning = Tuning::default();
    tuning.astar.corral = corral.try_into().ok()?;
    (tuning.astar.study, tuning.astar.study_pause) = (study, study_pause);
    let measure = match moves {
        0 => Measure::Pushes,
        1 => Measure::Moves,
        _ => return None,
    };
    Some((tuning, measure))
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::diagnostic::Source;
    use crate::games::sokoban::format::read_levels;
    use crate::search::astar::astar;
    use crate::search::cluster::{Order, Request, Search, order_in_threads};
    use crate::search::{Limits, Outcome, Portable, Run};
    use std::path::PathBuf;

    /// Upper limit of the expansions of a search.
    const MOST: u64 = 2000;
    /// The settings `astar.study` and `astar.study_pause`: a search that is long enough has one or two studies.
    const STUDY: [u64; 2] = [60, 3];
    /// Expansions of a search that is long enough to learn something.
    const LONG: u64 = 500;

    /// The outcome of A* alone, with the plan as words, and the words of the space.
    fn alone(shared: &SharedPushes<'_>, measure: Measure, run: &Run) -> (Outcome<u64>, Vec<u64>) {
        struct Alone<'a>(&'a Run, Option<(Outcome<u64>, Vec<u64>)>);
        impl SpaceVisitor for &mut Alone<'_> {
            fn visit<S: Portable>(self, space: &S) {
                let Outcome { verdict, plan, cost, bound, effort } = astar(space, &self.0.start());
                let plan = plan.map(|plan| plan.into_iter().map(S::action_word).collect());
                self.1 = Some((Outcome { verdict, plan, cost, bound, effort }, space.words()));
            }
        }
        let mut alone = Alone(run, None);
        let [study, pause] = STUDY;
        let words = [Tuning::default().astar.corral as u64, study, pause, measure as u64];
        assert!(shared.visit(&words, 0, &mut alone));
        alone.1.expect("it was visited")
    }

    /// The levels of the repository.
    fn levels() -> Vec<(String, Board)> {
        let folder = concat!(env!("CARGO_MANIFEST_DIR"), "/areas/sokoban");
        let files = std::fs::read_dir(folder).expect("the folder is there");
        let mut paths: Vec<_> = files.map(|file| file.expect("a file").path()).collect();
        paths.sort();
        let level = |path: &PathBuf| {
            let source = Source::read(path).expect("the file can be read");
            let levels = read_levels(&source).expect("it is a level");
            (path.display().to_string(), Board::new(&levels[0]))
        };
        paths.iter().map(level).collect()
    }

    #[test]
    fn any_number_of_workers_finds_what_one_search_finds() {
        let run = Run::from(Limits { threads: 1, nodes: Some(MOST), ..Limits::seconds(1000.0) });
        let mut compared = 0;
        let measures = [Measure::Pushes, Measure::Moves];
        let levels = levels();
        let cases = levels.iter().flat_map(|level| measures.map(|measure| (level, measure)));
        for ((name, board), measure) in cases {
            let shared = SharedPushes::new(board);
            let (expected, space) = alone(&shared, measure, &run);
            for (workers, opening) in [(1, None), (2, Some(0)), (3, Some(60)), (2, None)] {
                let request = Request::new(u64::MAX, &run.limits, workers, opening);
                let order = Order { space: space.clone(), search: Search::Astar(request) };
                let (found, _) = order_in_threads(&shared, &run.start(), workers, order);
                let told = |it: &Outcome<u64>| {
                    (it.verdict, it.plan.clone(), it.bound, it.effort.expanded, it.effort.generated)
                };
                assert_eq!(told(&found), told(&expected), "{name}, {workers} workers");
            }
            compared += u32::from(expected.effort.expanded > LONG);
        }
        eprintln!("{compared} levels of more than {LONG} expansions");
        assert!(compared >= 4, "{compared} levels of more than {LONG} expansions");
    }
}
