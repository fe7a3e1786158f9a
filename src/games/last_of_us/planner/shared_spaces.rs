//! The spaces that several processes search together: that of proofs, and those of wide beams, of which
//! each process makes the guide by itself.

use super::beam_space::{Chase, Goal, of_words};
use super::exact_space::Exact;
use super::heuristic::{Guide, Prices, walk_field};
use crate::games::last_of_us::state::Board;
use crate::search::{SpaceVisitor, Spaces};
use std::sync::{Arc, Mutex, PoisonError};

/// Bytes of each thread's cached distance fields.
const FIELD_BYTES: usize = 16 << 20;

/// The spaces of an area.
pub struct SharedSpaces<'a> {
    board: &'a Board,
    walk: Vec<u32>,
    exact: Exact<'a>,
    /// The guide that was wanted last: the threads of a process search the same space.
    guide: Mutex<Option<Arc<Guide>>>,
}

impl<'a> SharedSpaces<'a> {
    /// The spaces of the area on a board.
    pub fn new(board: &'a Board) -> Self {
        SharedSpaces {
            board,
            walk: walk_field(board, board.exit),
            exact: Exact::new(board, FIELD_BYTES),
            guide: Mutex::new(None),
        }
    }

    fn guide(&self, prices: Prices) -> Arc<Guide> {
        let mut last = self.guide.lock().unwrap_or_else(PoisonError::into_inner);
        let guide = last.take().filter(|guide| guide.prices == prices);
        let guide = guide.unwrap_or_else(|| Arc::new(Guide::to_exit(self.board, prices)));
        *last = Some(Arc::clone(&guide));
        guide
    }
}

impl Spaces for SharedSpaces<'_> {
    fn visit(&self, words: &[u64], visitor: impl SpaceVisitor) -> bool {
        if words.is_empty() {
            visitor.visit(&self.exact);
            return true;
        }
        let Some((prices, thrift, forgets)) = of_words(words) else { return false };
        visitor.visit(&Chase {
            board: self.board,
            guide: &self.guide(prices),
            walk: &self.walk,
            thrift,
            start: self.board.start(),
            goal: Goal::Exit,
            field_bytes: FIELD_BYTES,
            to_exit: forgets.then_some(&self.walk),
            supply_levels: None,
        });
        true
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::diagnostic::Source;
    use crate::games::last_of_us::format::read_map;
    use crate::games::last_of_us::planner::{STYLES, Style};
    use crate::search::beam::Beam;
    use crate::search::{Budget, Portable};
    use std::path::Path;

    /// Runs a narrow beam, and notes what came of it.
    struct Narrow<'a>(&'a mut Vec<(Option<u64>, u64, u64)>);

    impl SpaceVisitor for Narrow<'_> {
        fn visit<S: Portable>(self, space: &S) {
            let budget = Budget { threads: 1, nodes: Some(20_000), ..Budget::seconds(600.0) };
            let outcome = Beam::new(100).run(space, &budget.start(), None);
            let length = outcome.plan.map(|plan| plan.len() as u64);
            self.0.push((length, outcome.effort.expanded, outcome.effort.generated));
        }
    }

    #[test]
    fn words_say_which_space_it_is() {
        let area = Path::new(env!("CARGO_MANIFEST_DIR")).join("areas/last-of-us/locks-15x60.txt");
        let board = Board::new(&read_map(&Source::read(&area).unwrap()).unwrap());
        let spaces = SharedSpaces::new(&board);
        let mut found = Vec::new();
        for Style { prices, thrift } in STYLES {
            for forgets in [false, true] {
                let chase = Chase {
                    board: &board,
                    guide: &Guide::to_exit(&board, prices),
                    walk: &spaces.walk,
                    thrift,
                    start: board.start(),
                    goal: Goal::Exit,
                    field_bytes: FIELD_BYTES,
                    to_exit: forgets.then_some(&spaces.walk),
                    supply_levels: None,
                };
                Narrow(&mut found).visit(&chase);
                assert!(spaces.visit(&chase.words(), Narrow(&mut found)));
                assert_eq!(found[found.len() - 2], found[found.len() - 1], "{prices:?}");
            }
        }
        found.sort_unstable();
        found.dedup();
        assert!(found.len() > 2, "styles differ: {found:?}");
        assert!(!spaces.visit(&[1, 2], Narrow(&mut found)));
        assert!(!spaces.visit(&[u64::MAX; 9], Narrow(&mut found)));
    }
}
