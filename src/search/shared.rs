//! What a search needs that several processes share.

use super::astar::astar_below;
use super::{Clock, Outcome, Space};

/// A space whose states and actions can be sent to another process as words of 64 bits.
///
/// Both processes hold the same space: words mean nothing beyond it.
pub trait Portable: Space {
    /// Appends the words of a state.
    fn pack(&self, state: &Self::State, words: &mut Vec<u64>);

    /// The state of these words; `None` where they are of none.
    fn unpack(&self, words: &[u64]) -> Option<Self::State>;

    /// The word of an action.
    fn action_word(action: Self::Action) -> u64;

    /// The action of a word; `None` where it is of none.
    fn action_of(word: u64) -> Option<Self::Action>;

    /// What decides who owns a state, by its key and class, as in [`super::Successor`]. A hash of an
    /// abstraction that most actions do not change keeps most children with their parent (abstract
    /// Zobrist hashing: Jinnai and Fukunaga, *On hash-based work distribution methods for parallel
    /// best-first search*, JAIR 60, 2017).
    fn home(&self, key: u64, _class: u32) -> u64 {
        key
    }

    /// The class of the start, as in [`super::Successor::class`]; for [`Portable::home`].
    fn start_class(&self) -> u32 {
        0
    }
}

/// Processes that search one space together. They know the space: they have read the same area.
pub trait Cluster: Send + Sync {
    /// As [`astar_below`], with the plan as words; `None` where the processes are not there (any
    /// more) and nothing is known from them.
    fn astar_below(&self, clock: &Clock<'_>, upper: u64) -> Option<Outcome<u64>>;
}

/// As [`astar_below`], by the processes of the budget where it has some. The plan, the verdict and
/// the bound are the same for any number of them, as long as no memory or time runs out.
///
/// The processes must search this very space: a planner has one that it shares.
pub fn astar_below_shared<S: Portable>(
    space: &S,
    clock: &Clock<'_>,
    upper: u64,
) -> Outcome<S::Action> {
    let cluster = clock.budget.cluster.as_ref();
    let Some(shared) = cluster.and_then(|cluster| cluster.astar_below(clock, upper)) else {
        return astar_below(space, clock, upper);
    };
    let Outcome { verdict, plan, cost, bound, effort } = shared;
    let actions = |words: Vec<u64>| words.into_iter().map(S::action_of).collect::<Option<Vec<_>>>();
    match plan.map(actions) {
        Some(None) => Outcome::unknown(bound, effort), // words of another program's actions
        plan => Outcome { verdict, plan: plan.flatten(), cost, bound, effort },
    }
}
