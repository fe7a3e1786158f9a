//! What a game must say of itself to be searched.

/// A child of an expanded state, as scored before it is built.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Successor<A> {
    /// The action that leads to it.
    pub action: A,
    /// Cost of the action; at least 0.
    pub cost: u32,
    /// Key of the child: equal for equal states, different (but for accidents of 2^-64) otherwise.
    pub key: u64,
    /// Admissible bound: no plan from the child costs less. `u32::MAX` for a proven dead end.
    pub bound: u32,
    /// Guess of the cost from the child on, in any unit that orders children of one layer; the
    /// beam's score. Need not be admissible.
    pub estimate: u32,
    /// Whether the child is a goal.
    pub goal: bool,
    /// What the beam's quota counts by, for instance the player's cell: equal for equal states. 0
    /// where no quota is used; see [`super::beam::Beam::quota`].
    pub class: u32,
}

impl<A> Successor<A> {
    /// The child of `space` that an action of this cost leads to, with the key, the bound and the goal that the
    /// space says of it. Its estimate is its bound, its class 0.
    ///
    /// A space where speed counts works them out from the parent instead, before the child is built.
    pub fn of<S: Space<Action = A>>(space: &S, (action, cost): (A, u32), child: &S::State) -> Self {
        let (key, bound, goal) = (space.key(child), space.bound(child), space.is_goal(child));
        Successor { action, cost, key, bound, estimate: bound, goal, class: 0 }
    }
}

/// The children of a state that a search wants now, by the sum of cost and bound; see
/// [`Space::expand_due`].
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Due {
    /// The least sum that was not visited before.
    pub least: u32,
    /// The most that is of use now.
    pub most: u32,
}

impl Due {
    /// All children of a state.
    pub const ALL: Due = Due { least: 0, most: u32::MAX };

    /// The children of a state reached at `cost` that may lead to a plan that costs less than `upper`.
    pub fn below(upper: u64, cost: u32) -> Self {
        let most = upper.saturating_sub(1).saturating_sub(u64::from(cost));
        Due { least: 0, most: u32::try_from(most).unwrap_or(u32::MAX) }
    }

    /// Whether a child of this worth is due; notes in `later` one that will be.
    #[inline]
    pub fn is_due(self, worth: u32, later: &mut u32) -> bool {
        if worth > self.most {
            *later = worth.min(*later);
        }
        self.least <= worth && worth <= self.most
    }
}

/// A space to search: states, actions, keys, bounds. Implementations are cheap to share between
/// threads; what an expansion needs to scribble on is its `Scratch`, one a thread. Searches count what
/// both hold with their own tables ([`Space::bytes`], [`Space::scratch_bytes`]), and use as many
/// threads as have room.
pub trait Space: Sync {
    /// A state. Equality decides whether two states with the same key are the same.
    type State: Clone + PartialEq + Send + Sync;
    /// What leads from a state to a child.
    type Action: Copy + Send + Sync + 'static;
    /// Per-thread working memory of expansions.
    type Scratch: Send;

    /// Whether equal keys prove equal states: then exact searches compare keys alone, and
    /// [`Space::leads_to`] is not asked.
    const KEYS_ARE_EXACT: bool = false;

    /// The state to start from.
    fn start(&self) -> Self::State;

    /// Key of a state, as in [`Successor::key`].
    fn key(&self, state: &Self::State) -> u64;

    /// Admissible bound of a state, as in [`Successor::bound`].
    fn bound(&self, state: &Self::State) -> u32;

    /// Whether the state is a goal.
    fn is_goal(&self, state: &Self::State) -> bool;

    /// New working memory.
    fn scratch(&self) -> Self::Scratch;

    /// Calls `visit` for every child of `state`, in a fixed order, without building it.
    fn expand(
        &self,
        state: &Self::State,
        scratch: &mut Self::Scratch,
        visit: &mut impl FnMut(Successor<Self::Action>),
    );

    /// As [`Space::expand`], for searches that want only some of the children now. An exact search comes back for
    /// the dear ones when they are due; beams and cyclic searches never do, since those cannot beat the best plan.
    ///
    /// What a child is worth is its cost and bound together, or less where that is all that can be
    /// told without the work of scoring it. Children worth more than `due.most` may be held back,
    /// and those worth less than `due.least` left out: they were visited before. The rest is
    /// visited. The answer is the least worth of those held back, `u32::MAX` where none was: for
    /// the same state, the next call asks for exactly that.
    fn expand_due(
        &self,
        state: &Self::State,
        _due: Due,
        scratch: &mut Self::Scratch,
        visit: &mut impl FnMut(Successor<Self::Action>),
    ) -> u32 {
        self.expand(state, scratch, visit);
        u32::MAX
    }

    /// Builds the child that `action` leads to. `action` came from [`Space::expand`] of `state`.
    fn child(
        &self,
        state: &Self::State,
        action: Self::Action,
        scratch: &mut Self::Scratch,
    ) -> Self::State;

    /// Whether `action` leads from `state` to a state equal to `candidate`; asked by exact searches
    /// where the keys are equal. Override it where that can be told without building the child.
    fn leads_to(
        &self,
        state: &Self::State,
        action: Self::Action,
        candidate: &Self::State,
        scratch: &mut Self::Scratch,
    ) -> bool {
        self.child(state, action, scratch) == *candidate
    }

    /// Applies what expansions have learned since the last call. Searches call it between two rounds,
    /// when no state is being expanded. For answers that do not depend on the number of threads, a
    /// lesson must have no effect before this call, and the result must not depend on the order in which
    /// the lessons were found.
    fn learn(&self) {}

    /// Heap bytes of a state beyond its size, for the memory budget.
    fn heap_bytes(&self, _state: &Self::State) -> usize {
        0
    }

    /// Bytes that a thread's working memory holds now, with those that an expansion takes beside it
    /// for a moment; asked often. What it may grow by is for the space to limit.
    fn scratch_bytes(&self, _scratch: &Self::Scratch) -> usize {
        size_of::<Self::Scratch>()
    }

    /// Bytes that the space holds now for all threads together, of those that searches of it fill;
    /// asked often.
    fn bytes(&self) -> usize {
        0
    }
}

/// New working memory of threads may take one part in this many of the search's memory.
const SCRATCH_PART: usize = 4;

/// Number of threads, out of those wanted, for whose working memory there is room where the whole search has
/// `memory` bytes. At least one, since there is no search without it.
pub(super) fn threads_with_room<S: Space>(
    space: &S,
    scratch: &S::Scratch,
    threads: usize,
    memory: usize,
) -> usize {
    let each = space.scratch_bytes(scratch).max(1);
    (memory / SCRATCH_PART / each).clamp(1, threads.max(1))
}
