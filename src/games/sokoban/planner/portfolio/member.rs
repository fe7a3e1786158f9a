//! What every search of the portfolio can do, and what it may spend on a turn.

use super::super::deadlock::Pattern;
use crate::games::sokoban::board::Push;
use crate::search::crew::Crew;
use crate::search::{Clock, StopReason};

/// Rounds in which what the searches may spend in all doubles. Were it one, a search that solves in
/// the middle of its turn would wait for the rest of all turns before: it has spent as much as each
/// of them, they have spent up to twice as much.
pub(super) const ROUNDS_TO_DOUBLE: u32 = 4;
/// What they may spend in these rounds, of 1024.
const STEPS: [u64; ROUNDS_TO_DOUBLE as usize] = [1024, 1218, 1448, 1722];

/// A search that takes turns with others.
pub(super) trait Member: Send {
    /// Searches on until it has an answer or the allowance is spent.
    fn run(&mut self, allowance: &Allowance<'_>) -> Turn;

    /// What it has spent in all its turns.
    fn spent(&self) -> Spent;

    /// Whether it can still do something with `nodes` nodes for all its turns.
    fn may_go_on(&self, nodes: u64) -> bool {
        self.spent().expanded < nodes
    }

    /// Deadlocks that the other members do not know of yet.
    fn news(&self) -> &[Pattern] {
        &[]
    }

    /// Takes over what other members have learned. What it knows then is no news.
    fn adopt(&mut self, _learned: &mut dyn Iterator<Item = &[Pattern]>) {}
}

/// What a search may spend on its turn.
#[derive(Clone, Copy)]
pub(super) struct Allowance<'a> {
    /// Time, and where progress is reported.
    pub(super) clock: &'a Clock,
    /// The round, from 0 on.
    pub(super) round: u32,
    /// Expansions in all rounds together.
    pub(super) nodes: u64,
    /// Bytes that it may hold.
    pub(super) memory: usize,
    /// Threads that may help.
    pub(super) crew: &'a Crew,
}

impl Allowance<'_> {
    /// What has grown to this by now that was `first` in the first round.
    pub(super) fn grown(&self, first: u64) -> u64 {
        let step = STEPS[(self.round % ROUNDS_TO_DOUBLE) as usize];
        (first * step / STEPS[0]) << (self.round / ROUNDS_TO_DOUBLE)
    }

    /// What has grown to this by now, as far as the expansions go.
    pub(super) fn limit(&self, first: u64) -> u64 {
        self.grown(first).min(self.nodes)
    }
}

/// What a search has spent.
#[derive(Clone, Copy, Default)]
pub(super) struct Spent {
    /// Nodes expanded.
    pub(super) expanded: u64,
    /// Successors generated.
    pub(super) generated: u64,
    /// Bytes held.
    pub(super) memory: usize,
}

/// What a turn comes to.
pub(super) enum Turn {
    Solved(Vec<Push>),
    /// Proven impossible.
    Impossible,
    /// The search has looked at everything it can, without a proof.
    Through,
    /// More turns may help.
    Open,
    Stopped(StopReason),
}

/// A member on the list; its memory is given back when it has nothing more to say.
pub(super) struct Entrant<'a> {
    /// What reports call it.
    pub(super) name: &'static str,
    /// Whether it learns deadlocks that others can use.
    pub(super) shares: bool,
    /// Whether another thread can help it.
    pub(super) takes_help: bool,
    member: Option<Box<dyn Member + 'a>>,
    /// What it had spent when it was over.
    spent: Spent,
}

impl<'a> Entrant<'a> {
    /// A member under a name.
    pub(super) fn new(name: &'static str, shares: bool, member: impl Member + 'a) -> Self {
        let member = Some(Box::new(member) as Box<dyn Member>);
        Entrant { name, shares, takes_help: false, member, spent: Spent::default() }
    }

    /// The same member, which another thread can help.
    pub(super) fn with_help(self) -> Self {
        Entrant { takes_help: true, ..self }
    }

    /// What it has spent in all its turns.
    pub(super) fn spent(&self) -> Spent {
        self.member.as_ref().map_or(self.spent, |member| member.spent())
    }

    /// Deadlocks that the others do not know of yet.
    pub(super) fn news(&self) -> &[Pattern] {
        self.member.as_ref().map_or(&[], |member| member.news())
    }

    /// Takes over what each search has learned, itself the one of this number.
    pub(super) fn adopt(&mut self, number: usize, learned: &[Vec<Pattern>]) {
        if let Some(member) = &mut self.member {
            let others = learned.iter().enumerate().filter(|(i, _)| *i != number);
            member.adopt(&mut others.map(|(_, patterns)| patterns.as_slice()));
        }
    }

    /// Plays a turn.
    pub(super) fn turn(&mut self, allowance: &Allowance<'_>) -> Turn {
        if let Some(stop) = allowance.clock.should_stop(0, 0) {
            return Turn::Stopped(stop);
        }
        let Some(member) = &mut self.member else { return Turn::Through };
        if allowance.nodes == 0 {
            return Turn::Stopped(StopReason::Nodes);
        }
        let turn = member.run(allowance);
        let spent = member.spent();
        match turn {
            // The turn is over, not the allowance.
            Turn::Stopped(StopReason::Nodes) if member.may_go_on(allowance.nodes) => Turn::Open,
            Turn::Through | Turn::Stopped(StopReason::Memory) => {
                self.member = None;
                self.spent = Spent { memory: 0, ..spent };
                turn
            }
            turn => turn,
        }
    }
}
