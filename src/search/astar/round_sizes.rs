//! How many states A* takes from its open list at a time.
//!
//! All threads of a process share a round, and so do all processes of a cluster; what they do between
//! two rounds is lost to them. So the larger the rounds the better, but for one thing: of a round's
//! states those that come later are expanded before it is known whether the first ones lead on. In
//! the last layer of f, on the way to the goal, each round could do with one state. There the best
//! h is less in each round than in those before. In layers that have to be expanded whole it soon
//! stays where it is.
//!
//! The size follows from what was expanded and from the rounds before. So it is the same for any
//! number of threads and processes.

/// Expansions per state of a round while the search gets on: a round has at most one state for this
/// many expansions before it, and at most the square root of their number.
const NARROW: u64 = 256;
/// Upper limit of the doublings of a round: each round in which the search does not get on makes
/// the next twice as large, this many times.
const WIDER: u32 = 4;
/// Expansions per state of the largest rounds: however often it is doubled, a round has at most one
/// state for this many expansions before it.
const WIDE: u64 = 32;
/// Upper limit of the states of a round.
const MOST: u64 = 1 << 16;
/// Greatest h that is told from greater ones.
const FARTHEST: u32 = (1 << 14) - 1;
/// The sizes of the rounds of one search.
#[derive(Clone, Copy, Debug)]
pub(in crate::search) struct RoundSizes {
    /// The f of the last round, and the least h of its rounds.
    layer: (u32, u32),
    /// Rounds since the least h was found.
    stalled: u32,
}

impl RoundSizes {
    /// The sizes before the first round.
    pub(in crate::search) fn new() -> Self {
        RoundSizes { layer: (u32::MAX, 0), stalled: 0 }
    }

    /// Upper limit of the states of the next round after `expanded` expansions.
    pub(in crate::search) fn most(&self, expanded: u64) -> u64 {
        let narrow = expanded.isqrt().min(expanded / NARROW).max(1);
        let wide = (expanded / WIDE).clamp(1, MOST);
        (narrow << self.stalled.min(WIDER)).min(wide)
    }

    /// Notes the f and the h of the first state of a round.
    pub(in crate::search) fn took(&mut self, f: u32, h: u32) {
        let h = h.min(FARTHEST);
        let gets_on = f != self.layer.0 || h < self.layer.1;
        if gets_on {
            self.layer = (f, h);
        }
        self.stalled = if gets_on { 0 } else { self.stalled.saturating_add(1) };
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    /// Number of expansions in the rounds of a search whose rounds have these values of h.
    fn expansions(h: impl IntoIterator<Item = u32>) -> u64 {
        let (mut sizes, mut expanded) = (RoundSizes::new(), 0);
        for h in h {
            expanded += sizes.most(expanded);
            sizes.took(1000, h);
        }
        expanded
    }

    #[test]
    fn the_way_to_the_goal_stays_narrow() {
        assert_eq!(expansions((0..500).rev()), 500);
        assert!(expansions((0..1000).rev()) < 4000);
    }

    #[test]
    fn rounds_grow_where_a_layer_is_expanded_whole() {
        assert!(expansions([7; 500]) > 100_000);
        let mut sizes = RoundSizes::new();
        (0..20).for_each(|_| sizes.took(10, 5));
        assert_eq!(sizes.most(1_000_000), 16_000);
        assert_eq!(sizes.most(u64::MAX / 2), MOST);
        sizes.took(11, 9);
        assert_eq!(sizes.most(1_000_000), 1000);
    }

    #[test]
    fn a_round_has_a_state_at_first() {
        assert_eq!(RoundSizes::new().most(0), 1);
    }
}
