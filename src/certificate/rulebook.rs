//! The interface between a game and the checker of proofs.

/// One area as a checker sees it: states as bytes, the steps that the rules allow, and floors.
///
/// It is written from the reference rules, apart from planners and their simulators. Two texts of bytes are equal only
/// where no rule tells the states apart.
pub trait Rulebook: Sync {
    /// The area's start.
    fn start(&self) -> Start;

    /// Upper limit of the cost of any plan: costlier ones the rules refuse.
    fn most(&self) -> u64 {
        u64::MAX
    }

    /// Whether states are abstract: then every plan has an image that costs no more, but what reaches a goal
    /// need not be a plan.
    fn is_abstract(&self) -> bool {
        false
    }

    /// Bytes of its tables and of what its expanders hold, for this many threads.
    fn bytes(&self, threads: usize) -> usize {
        let _ = threads;
        0
    }

    /// Number of members that can be divided into parts, in Sokoban boxes. There are as many ends, in Sokoban targets,
    /// and a plan brings each member to an end of its own. None where a game has no such parts.
    fn members(&self) -> Option<usize> {
        None
    }

    /// The rules for the members of these numbers alone; all others are taken away. A plan of the part ends where each
    /// member is at an end. It costs its steps and the surcharges of these ends. None where there are no parts.
    fn part(&self, members: &[usize], surcharges: &[u64]) -> Option<Box<dyn Rulebook + '_>> {
        let _ = (members, surcharges);
        None
    }

    /// Makes what walks from state to state; each thread has one of its own.
    fn expander(&self) -> Box<dyn Expander + '_>;

    /// Number of a class of states: only states of one class may cover each other by [`Rulebook::covers`]. None if a state
    /// is in no class.
    fn class(&self, state: &[u8]) -> Option<u32> {
        let _ = state;
        None
    }

    /// The cells that a picture of a proof marks for a state, each as its row and its column: where the player is, or
    /// in Sokoban the boxes. None where the game has no such picture.
    fn cells(&self, state: &[u8]) -> Vec<(i64, i64)> {
        let _ = state;
        Vec::new()
    }

    /// Whether plans from a state cost no more than those from another one of its class.
    fn covers(&self, state: &[u8], other: &[u8]) -> bool {
        let _ = (state, other);
        false
    }
}

/// The start of an area.
#[derive(Clone, PartialEq, Eq, Debug)]
pub enum Start {
    /// There is nothing to do: the empty plan is one.
    Goal,
    /// The rules say that it is lost.
    Lost,
    /// The game goes on from this state.
    State(Box<[u8]>),
}

/// A step that the rules allow. Steps to states that the rules call lost are left out.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum Step<'a> {
    /// It reaches a goal.
    Goal {
        /// Cost of the step: at least 1, but for the step that ends a part, which costs the surcharges and may be free.
        cost: u64,
    },
    /// The game goes on.
    State {
        /// Cost of the step, at least 1.
        cost: u64,
        /// The state that it leads to.
        to: &'a [u8],
    },
}

/// Walks from state to state.
pub trait Expander: Send {
    /// Moves to a state that [`Rulebook::start`] or [`Expander::next`] has given. Of its steps those may be left out
    /// with which every plan provably costs at least `left`.
    fn go_to(&mut self, state: &[u8], left: u64);

    /// The next step from the current state, or none after the last one. Every step that the rules allow is given,
    /// or a set of steps of which one begins a cheapest plan, where there is a plan.
    fn next(&mut self) -> Option<Step<'_>>;

    /// Whether every plan from the state that [`Expander::next`] gave last provably costs at least `left`, or, where
    /// `left` is [`u64::MAX`], provably does not exist. Before the first step the current state is meant.
    fn costs_at_least(&mut self, left: u64) -> bool;

    /// Whether `is_closed` holds for another state from which plans cost no more than from the one that
    /// [`Expander::next`] gave last.
    fn is_covered(&mut self, is_closed: &mut dyn FnMut(&[u8]) -> bool) -> bool {
        let _ = is_closed;
        false
    }
}
