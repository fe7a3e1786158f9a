//! The spaces that several processes search together: that of proofs, and those of wide beams, of which
//! each process makes the guide by itself.

use super::beam_space::{BeamSpace, Goal, of_words};
use super::exact_space::{Exact, Room};
use super::heuristic::{Guide, Prices, walk_field};
use crate::games::last_of_us::state::Board;
use crate::search::{SpaceVisitor, Spaces};
use std::sync::{Arc, Mutex, PoisonError};

/// Cached distance fields of a worker never take more bytes than this.
const MOST_FIELDS: usize = 16 << 20;

/// The spaces of an area.
pub struct SharedSpaces<'a> {
    board: &'a Board,
    walk: Vec<u32>,
    /// The space of proofs, and the memory of each worker that it was made for, in bytes.
    exact: Mutex<Option<(usize, Arc<Exact<'a>>)>>,
    /// The guide that was wanted last: the threads of a process search the same space.
    guide: Mutex<Option<Arc<Guide>>>,
}

impl<'a> SharedSpaces<'a> {
    /// The spaces of the area on a board.
    pub fn new(board: &'a Board) -> Self {
        SharedSpaces {
            board,
            walk: walk_field(board, board.exit),
            exact: Mutex::new(None),
            guide: Mutex::new(None),
        }
    }

    fn exact(&self, memory: usize) -> Arc<Exact<'a>> {
        let mut last = self.exact.lock().unwrap_or_else(PoisonError::into_inner);
        let exact = last.take().filter(|(made_for, _)| *made_for == memory);
        let make = || (memory, Arc::new(Exact::new(self.board, room(memory))));
        let (_, exact) = last.insert(exact.unwrap_or_else(make));
        Arc::clone(exact)
    }

    fn guide(&self, prices: Prices) -> Arc<Guide> {
        let mut last = self.guide.lock().unwrap_or_else(PoisonError::into_inner);
        let guide = last.take().filter(|guide| guide.prices == prices);
        let guide = guide.unwrap_or_else(|| Arc::new(Guide::to_exit(self.board, prices)));
        *last = Some(Arc::clone(&guide));
        guide
    }
}

/// The room for what a worker keeps beside the states.
fn room(memory: usize) -> Room {
    let mut room = Room::of(memory, 1);
    room.fields = room.fields.min(MOST_FIELDS);
    room
}

impl Spaces for SharedSpaces<'_> {
    fn visit(&self, words: &[u64], memory: usize, visitor: impl SpaceVisitor) -> bool {
        if words.is_empty() {
            visitor.visit(&*self.exact(memory));
            return true;
        }
        let Some((prices, thrift, forgets)) = of_words(words) else { return false };
        visitor.visit(&BeamSpace {
            board: self.board,
            guide: &self.guide(prices),
            walk: &self.walk,
            thrift,
            start: self.board.start(),
            goal: Goal::Exit,
            field_bytes: room(memory).fields,
            to_exit: forgets.then_some(&self.walk),
            counts_traces: false,
            contours: None,
        });
        true
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::diagnostic::Source;
    use crate::games::last_of_us::format::read_map;
    use crate::games::last_of_us::planner::Tuning;
    use crate::games::last_of_us::planner::compasses::Style;
    use crate::search::beam::Beam;
    use crate::search::{Limits, Portable, Run};
    use std::path::Path;

    const MEMORY: usize = 1 << 28;

    /// Runs a narrow beam, and notes what came of it.
    struct Narrow<'a>(&'a mut Vec<(Option<u64>, u64, u64)>);

    impl SpaceVisitor for Narrow<'_> {
        fn visit<S: Portable>(self, space: &S) {
            let budget =
                Run::from(Limits { threads: 1, nodes: Some(20_000), ..Limits::seconds(600.0) });
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
        for Style { prices, thrift } in Style::all(&Tuning::default().guides) {
            for forgets in [false, true] {
                let space = BeamSpace {
                    board: &board,
                    guide: &Guide::to_exit(&board, prices),
                    walk: &spaces.walk,
                    thrift,
                    start: board.start(),
                    goal: Goal::Exit,
                    field_bytes: MOST_FIELDS,
                    to_exit: forgets.then_some(&spaces.walk),
                    counts_traces: false,
                    contours: None,
                };
                Narrow(&mut found).visit(&space);
                assert!(spaces.visit(&space.words(), MEMORY, Narrow(&mut found)));
                assert_eq!(found[found.len() - 2], found[found.len() - 1], "{prices:?}");
            }
        }
        found.sort_unstable();
        found.dedup();
        assert!(found.len() > 2, "styles differ: {found:?}");
        assert!(!spaces.visit(&[1, 2], MEMORY, Narrow(&mut found)));
        assert!(!spaces.visit(&[u64::MAX; 9], MEMORY, Narrow(&mut found)));
    }
}
