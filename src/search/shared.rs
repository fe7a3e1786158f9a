//! What a search needs that several processes share.

use super::astar::astar_below;
use super::beam::{Beam, Widening, widening_heard};
use super::turn::{Allowance, Found, Known, Search, Spent, Turn};
use super::{Clock, Outcome, Space};
use std::fmt;

/// A space whose states and actions can be sent to another process as words of 64 bits.
///
/// Both processes hold the same space: words mean nothing beyond it.
pub trait Portable: Space {
    /// Appends the words of a state: equal states have equal words, others have others.
    fn pack(&self, state: &Self::State, words: &mut Vec<u64>);

    /// The state of these words; `None` where they are of none.
    fn unpack(&self, words: &[u64]) -> Option<Self::State>;

    /// The word of an action.
    fn action_word(action: Self::Action) -> u64;

    /// The action of a word; `None` where it is of none.
    fn action_of(word: u64) -> Option<Self::Action>;

    /// Words that say which of the area's [`Spaces`] this is, for processes that have read the same
    /// area.
    fn words(&self) -> Vec<u64> {
        Vec::new()
    }

    /// Whether expansions learn ([`Space::learn`]). If they do, each worker has a space of its own, and sends
    /// its lessons to all other workers before they are applied.
    const LEARNS: bool = false;

    /// Appends the words of what expansions have learned since the last call of [`Space::learn`].
    fn lessons(&self, _words: &mut Vec<u64>) {}

    /// Takes in the lessons of another worker, as if an expansion had learned them here.
    fn hear(&self, _words: &[u64]) {}
}

/// The spaces of an area that processes search together. Words say which one is meant.
pub trait Spaces: Sync {
    /// Has the space that `words` describe visited, by a worker that may hold `memory` bytes;
    /// `false` if they describe none. Each worker gets a new space if the space learns
    /// ([`Portable::LEARNS`]).
    fn visit(&self, words: &[u64], memory: usize, visitor: impl SpaceVisitor) -> bool;
}

/// What is done with a space of [`Spaces`].
pub trait SpaceVisitor {
    /// Visits the space.
    fn visit<S: Portable>(self, space: &S);
}

/// The only space of an area.
#[derive(Debug)]
pub struct Only<'a, S>(pub &'a S);

impl<S: Portable> Spaces for Only<'_, S> {
    fn visit(&self, _: &[u64], _: usize, visitor: impl SpaceVisitor) -> bool {
        const { assert!(!S::LEARNS, "the workers would share what they learn") };
        visitor.visit(self.0);
        true
    }
}

/// What processes answer that were asked to search.
#[derive(Debug)]
pub enum Shared {
    /// Their answer, with the plan as words.
    Done(Outcome<u64>),
    /// What was known when one of them was lost.
    Lost(Outcome<u64>),
    /// They are not there, or not any more.
    Absent,
}

/// Processes that search one space together: the one of an area's [`Spaces`] that words say. They have
/// read the same area.
pub trait Cluster: Send + Sync {
    /// As [`astar_below`].
    fn astar_below(&self, space: &[u64], clock: &Clock, upper: u64) -> Shared;

    /// As [`Beam::run`], or as [`widening_heard`].
    fn beam(
        &self,
        space: &[u64],
        clock: &Clock,
        beam: &Beam,
        upper: Option<u64>,
        is_widening: bool,
    ) -> Shared;
}

/// As [`astar_below`], by the processes of the budget where it has some. The plan, the verdict and
/// the bound are the same for any number of them, as long as no memory or time runs out.
///
/// The processes must search this very space: a planner has one that it shares.
pub fn astar_below_shared<S: Portable>(space: &S, clock: &Clock, upper: u64) -> Outcome<S::Action> {
    match search_shared(space, clock, |cluster, space| cluster.astar_below(space, clock, upper)) {
        Shared::Done(outcome) | Shared::Lost(outcome) => with_actions::<S>(outcome),
        Shared::Absent => astar_below(space, clock, upper),
    }
}

/// As [`widening_heard`], by the processes of the budget where it has some; as in [`astar_below_shared`].
/// Where one of them is lost, this process begins again, for less than the best plan costs.
pub fn widening_shared<S: Portable>(
    space: &S,
    clock: &Clock,
    first: &Beam,
    upper: Option<u64>,
    found: Found<'_, S::Action>,
) -> Outcome<S::Action> {
    let alone = |upper| widening_heard(space, clock, first, upper, found);
    beams_shared(space, clock, (first, true), upper, alone)
}

/// As [`Beam::run_in_current_pool`], by the processes of the budget where it has some; as in
/// [`widening_shared`].
pub fn beam_shared<S: Portable>(
    space: &S,
    clock: &Clock,
    beam: &Beam,
    upper: Option<u64>,
) -> Outcome<S::Action> {
    let alone = |upper| beam.run_in_current_pool(space, clock, upper);
    beams_shared(space, clock, (beam, false), upper, alone)
}

/// One beam or several, by the processes or else alone.
fn beams_shared<S: Portable>(
    space: &S,
    clock: &Clock,
    (beam, is_widening): (&Beam, bool),
    upper: Option<u64>,
    alone: impl FnOnce(Option<u64>) -> Outcome<S::Action>,
) -> Outcome<S::Action> {
    match search_shared(space, clock, |cluster, space| {
        cluster.beam(space, clock, beam, upper, is_widening)
    }) {
        Shared::Done(outcome) => with_actions::<S>(outcome),
        Shared::Lost(known) => {
            let known = with_actions::<S>(known);
            let upper = known.plan.as_ref().map(|_| known.cost).or(upper);
            let alone = alone(upper);
            match alone.plan {
                None if known.plan.is_some() => Outcome { effort: alone.effort, ..known },
                _ => alone,
            }
        }
        Shared::Absent => alone(upper),
    }
}

/// Has the processes of the budget search, where it has some.
fn search_shared<S: Portable>(
    space: &S,
    clock: &Clock,
    search: impl FnOnce(&dyn Cluster, &[u64]) -> Shared,
) -> Shared {
    let cluster = clock.cluster.as_ref();
    cluster.map_or(Shared::Absent, |cluster| search(&**cluster, &space.words()))
}

/// The outcome with the actions of its words.
fn with_actions<S: Portable>(outcome: Outcome<u64>) -> Outcome<S::Action> {
    let Outcome { verdict, plan, cost, bound, effort } = outcome;
    let actions = |words: Vec<u64>| words.into_iter().map(S::action_of).collect::<Option<Vec<_>>>();
    match plan.map(actions) {
        Some(None) => Outcome::unknown(bound, effort), // words of another program's actions
        plan => Outcome { verdict, plan: plan.flatten(), cost, bound, effort },
    }
}

/// A* of a space that processes may share, as a search that plays one turn.
pub struct SharedAStar<'a, S> {
    space: &'a S,
    is_alone: bool,
    spent: Spent,
}

impl<S> fmt::Debug for SharedAStar<'_, S> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("SharedAStar")
            .field("is_alone", &self.is_alone)
            .field("spent", &self.spent)
            .finish_non_exhaustive()
    }
}

impl<'a, S: Portable> SharedAStar<'a, S> {
    /// A search that has not begun.
    pub fn new(space: &'a S) -> Self {
        SharedAStar { space, is_alone: false, spent: Spent::default() }
    }

    /// The same search by this process alone: a short one is not worth the others.
    #[must_use]
    pub fn alone(self) -> Self {
        SharedAStar { is_alone: true, ..self }
    }
}

impl<S: Portable> Search for SharedAStar<'_, S> {
    type Plan = Vec<S::Action>;
    type Lesson = ();

    fn name(&self) -> &'static str {
        "astar"
    }

    fn turn(&mut self, known: Known, allowance: &Allowance<'_>) -> Turn<Vec<S::Action>> {
        let clock = allowance.own_clock();
        let search = if self.is_alone { astar_below } else { astar_below_shared };
        let outcome = search(self.space, &clock, known.cost);
        self.spent = Spent::of(&outcome.effort);
        Turn::of(outcome)
    }

    fn spent(&self) -> Spent {
        self.spent
    }
}

/// Beams that get wider in a space that processes may share: with them one turn, else one for each better
/// plan.
pub struct SharedWidening<'a, S: Portable> {
    space: &'a S,
    first: Beam,
    alone: Widening<'a, S>,
    spent: Spent,
}

impl<S: Portable> fmt::Debug for SharedWidening<'_, S> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("SharedWidening")
            .field("first", &self.first)
            .field("spent", &self.spent)
            .finish_non_exhaustive()
    }
}

impl<'a, S: Portable> SharedWidening<'a, S> {
    /// A search that has not begun.
    pub fn new(space: &'a S, first: Beam) -> Self {
        let alone = Widening::new(space, &first);
        SharedWidening { space, first, alone, spent: Spent::default() }
    }
}

impl<S: Portable> Search for SharedWidening<'_, S> {
    type Plan = Vec<S::Action>;
    type Lesson = ();

    fn name(&self) -> &'static str {
        "beam"
    }

    fn turn(&mut self, known: Known, allowance: &Allowance<'_>) -> Turn<Vec<S::Action>> {
        if !allowance.clock.is_shared() {
            let turn = self.alone.turn(known, allowance);
            self.spent = self.alone.spent();
            return turn;
        }
        let upper = Some(known.cost).filter(|&cost| cost != u64::MAX);
        let clock = allowance.own_clock();
        let outcome = widening_shared(self.space, &clock, &self.first, upper, &|_, _| {});
        self.spent = Spent::of(&outcome.effort);
        Turn::of(outcome)
    }

    fn spent(&self) -> Spent {
        self.spent
    }
}
