//! Spaces that are told by their steps alone.

use super::{Space, Successor};
use std::hash::{DefaultHasher, Hash, Hasher};

/// A space told in the simplest way: a start, goals, and the steps from a state, each with the state that
/// it leads to. [`GraphSpace`] makes a [`Space`] of it for every search.
///
/// This is enough for spaces of up to some million states. A [`Space`] that is written out is several times
/// faster: it tells keys and bounds of children that are never built.
pub trait Graph: Sync {
    /// A state. Equal states are one.
    type State: Clone + Eq + Hash + Send + Sync;
    /// What leads from a state to another; no two steps from one state have the same.
    type Action: Copy + PartialEq + Send + Sync + 'static;

    /// The state to start from.
    fn start(&self) -> Self::State;

    /// Whether a state is a goal.
    fn is_goal(&self, state: &Self::State) -> bool;

    /// The steps from a state, always in the same order: the action, its cost, and the state that it
    /// leads to.
    fn steps(
        &self,
        state: &Self::State,
    ) -> impl IntoIterator<Item = (Self::Action, u32, Self::State)>;

    /// Admissible bound: no plan from the state costs less. `u32::MAX` for a proven dead end. It is not
    /// asked of goals.
    fn bound(&self, _state: &Self::State) -> u32 {
        0
    }

    /// Guess of the cost from a state on, by which beams choose. Need not be admissible.
    fn estimate(&self, state: &Self::State) -> u32 {
        self.bound(state)
    }

    /// Heap bytes of a state beyond its size, for the memory budget.
    fn heap_bytes(&self, _state: &Self::State) -> usize {
        0
    }
}

/// The [`Space`] of a [`Graph`].
///
/// ```
/// use outwit::search::{Graph, GraphSpace, Run, Verdict, astar::astar};
///
/// /// Counts from 0 to 10 by steps of 1 and 3.
/// struct Counting;
///
/// impl Graph for Counting {
///     type State = u32;
///     type Action = u32;
///     fn start(&self) -> u32 { 0 }
///     fn is_goal(&self, number: &u32) -> bool { *number == 10 }
///     fn steps(&self, number: &u32) -> impl IntoIterator<Item = (u32, u32, u32)> {
///         [1, 3].map(|step| (step, 1, number + step))
///     }
///     fn bound(&self, number: &u32) -> u32 {
///         10u32.checked_sub(*number).map_or(u32::MAX, |rest| rest.div_ceil(3))
///     }
/// }
///
/// let outcome = astar(&GraphSpace(Counting), &Run::seconds(5.0).start());
/// assert_eq!((outcome.verdict, outcome.cost), (Verdict::Optimal, 4));
/// ```
#[derive(Clone, Copy, Debug, Default)]
pub struct GraphSpace<G>(pub G);

impl<G: Graph> Space for GraphSpace<G> {
    type State = G::State;
    type Action = G::Action;
    type Scratch = ();

    fn start(&self) -> G::State {
        self.0.start()
    }

    fn key(&self, state: &G::State) -> u64 {
        let mut hasher = DefaultHasher::new();
        state.hash(&mut hasher);
        hasher.finish()
    }

    fn bound(&self, state: &G::State) -> u32 {
        if self.0.is_goal(state) { 0 } else { self.0.bound(state) }
    }

    fn is_goal(&self, state: &G::State) -> bool {
        self.0.is_goal(state)
    }

    fn scratch(&self) {}

    fn expand(&self, state: &G::State, (): &mut (), visit: &mut impl FnMut(Successor<G::Action>)) {
        for (action, cost, child) in self.0.steps(state) {
            let goal = self.0.is_goal(&child);
            let (bound, estimate) =
                if goal { (0, 0) } else { (self.0.bound(&child), self.0.estimate(&child)) };
            let key = self.key(&child);
            visit(Successor { action, cost, key, bound, estimate, goal, class: 0 });
        }
    }

    fn child(&self, state: &G::State, action: G::Action, (): &mut ()) -> G::State {
        let mut steps = self.0.steps(state).into_iter();
        let step = steps.find(|&(other, ..)| other == action);
        step.expect("steps from a state are always the same").2
    }

    fn heap_bytes(&self, state: &G::State) -> usize {
        self.0.heap_bytes(state)
    }
}
