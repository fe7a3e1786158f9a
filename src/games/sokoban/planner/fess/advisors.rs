//! Advisors: which successors of a node are worth a try before all others.
//!
//! After Shoham and Schaeffer's FESS: each advisor looks at one feature and recommends the best
//! successor that improves it. Recommended moves weigh nothing, so chains of them run ahead.

use super::{Fess, Successor};
use crate::games::sokoban::board::square_set::has;

/// Successors that an advisor finds dead before it has nothing to say.
const MOST_DEAD: usize = 64;

/// For each advisor the successor that it recommends.
pub(super) type Advice = [Option<usize>; 7];

impl Fess<'_> {
    /// One successor for each advisor that has a recommendation: the best that improves its
    /// feature. The node is on the board.
    pub(super) fn advise(&mut self, node: u32) -> Advice {
        let parent = self.store.nodes[node as usize].own;
        let ties = self.store.nodes[node as usize].ties;
        let style = self.style;
        let packs = self.recommend(
            node,
            |s| s.features.burden < parent.burden && s.features.unpacked < parent.unpacked,
            |_| 0,
        );
        let clears = if packs.is_none() { self.clear_way(node) } else { None };
        [
            packs,
            clears,
            self.recommend(node, |s| s.features.regions < parent.regions, |_| 0),
            self.recommend(node, |s| s.features.broken < parent.broken, |_| 0),
            self.recommend(
                node,
                |s| {
                    s.features.out_of_plan < parent.out_of_plan
                        && s.features.unpacked <= parent.unpacked
                },
                |_| 0,
            ),
            self.recommend(node, |s| style.hotspots && s.ties.hotspots < ties.hotspots, |_| 0),
            self.recommend(node, |s| style.explorer && s.opens > 0, |s| u16::MAX - s.opens),
        ]
    }

    /// The best successor that takes an obstacle off the way of the plan's next step.
    fn clear_way(&mut self, node: u32) -> Option<usize> {
        let unpacked = self.store.nodes[node as usize].own.unpacked;
        let is_clear = self.evaluator.obstacles.is_none_or(|obstacles| obstacles == 0);
        if !self.style.clearing || unpacked == 0 || is_clear {
            return None;
        }
        let way = self.evaluator.way().to_vec();
        let clears = |s: &Successor| {
            has(&way, s.macro_move.from)
                && !has(&way, s.macro_move.to)
                && s.features.unpacked <= unpacked
        };
        self.recommend(node, clears, |_| 0)
    }

    /// The best successor of those that improve and are not dead: least `first`, then features.
    fn recommend(
        &mut self,
        node: u32,
        improves: impl Fn(&Successor) -> bool,
        first: impl Fn(&Successor) -> u16,
    ) -> Option<usize> {
        for _ in 0..MOST_DEAD {
            if self.is_over() {
                return None;
            }
            let candidates = self.successors.iter().enumerate();
            let (best, successor) = candidates
                .filter(|(_, s)| !s.dead && improves(s))
                .min_by_key(|(_, s)| (first(s), s.features, s.ties, s.steps))?;
            let Successor { key, macro_move, steps, .. } = *successor;
            if self.store.is_expanded(key) || !self.is_out(node, macro_move, steps) {
                return Some(best);
            }
            self.store.close(key);
            self.successors[best].dead = true;
        }
        None
    }
}
