//! A case as a space: every action, the fast state, the bound of [`super::bound`]; for proofs.
//!
//! The beam's layers forget what is behind them, and are given up where one has no room. A* keeps
//! every position; it raises the bound while it goes on, leaves out what a bound rules out, and its
//! memory can be that of several processes.

use super::super::format::{Case, MAX_TELEPORTS};
use super::super::state::{Action, State, TELEPORT};
use super::bound::{Pieces, TeleportWalks, is_dead_end};
use crate::search::{Portable, Space, Successor};

/// A case, to be searched for the shortest win.
pub struct Positions<'a> {
    case: &'a Case,
    start: State,
    walks: TeleportWalks,
}

impl<'a> Positions<'a> {
    /// The space of a case, from a position of it.
    pub fn new(case: &'a Case, start: State) -> Self {
        Positions { case, start, walks: TeleportWalks::new(&case.teleports) }
    }
}

impl Space for Positions<'_> {
    type State = State;
    type Action = Action;
    type Scratch = ();

    fn start(&self) -> State {
        self.start
    }

    fn key(&self, state: &State) -> u64 {
        state.key()
    }

    fn bound(&self, state: &State) -> u32 {
        if state.is_cleared() {
            0
        } else if is_dead_end(state) {
            u32::MAX
        } else {
            Pieces::new(state, &self.walks).bound()
        }
    }

    fn is_goal(&self, state: &State) -> bool {
        state.is_cleared()
    }

    fn scratch(&self) {}

    fn expand(&self, state: &State, (): &mut (), visit: &mut impl FnMut(Successor<Action>)) {
        for action in 0..TELEPORT + self.case.teleports.len() as Action {
            let Some(to) = state.destination(action, &self.case.teleports) else { continue };
            if state.is_caught(to) {
                continue;
            }
            let child = state.advance(to);
            let bound = self.bound(&child);
            visit(Successor {
                action,
                cost: 1,
                key: child.key(),
                bound,
                estimate: bound,
                goal: child.is_cleared(),
                class: 0,
            });
        }
    }

    fn child(&self, state: &State, action: Action, (): &mut ()) -> State {
        let to = state.destination(action, &self.case.teleports);
        state.advance(to.expect("the action was legal"))
    }
}

impl Portable for Positions<'_> {
    fn pack(&self, state: &State, words: &mut Vec<u64>) {
        state.write_words(words);
    }

    fn unpack(&self, words: &[u64]) -> Option<State> {
        State::from_words(words, self.case.teleports.len())
    }

    fn action_word(action: Action) -> u64 {
        action.into()
    }

    fn action_of(word: u64) -> Option<Action> {
        let action = Action::try_from(word).ok()?;
        (usize::from(action) < usize::from(TELEPORT) + MAX_TELEPORTS).then_some(action)
    }
}
