//! A beam over layers that proves what it can.
//!
//! Layer t holds the positions after t moves, each once; the next layer is made of all their
//! children, and where it is wider than the beam its best by score stay. No position comes twice in a
//! game and no game is long (see [`super::super::state`]), so nothing outlives its layer but the
//! trail back to the start. The first layer with a win has the shortest plan of the beam; while
//! nothing has been cut the beam is a breadth-first search, and what it finds is proven: the
//! shortest plan, or that there is none. Called again and again with wider beams it is the complete
//! anytime beam search of Zhang (AAAI 1998).
//!
//! A turn of [`Beams`] is one beam; the next one is wider, until one was wide enough to cut nothing.
//!
//! This is not [`crate::search::beam`] because a layer is filled without building children twice:
//! a child costs less here than the bookkeeping around it.

use super::super::format::Case;
use super::super::state::{Action, State, TELEPORT};
use super::bound::{Pieces, TASTES, Taste, TeleportWalks, is_dead_end};
use super::tuning;
use crate::search::tables::StateIndex;
use crate::search::{Allowance, Clock, Ended, Known, Progress, Search, Spent, StopReason, Turn};
use std::mem::size_of;

/// Greatest width of a beam, in positions of a layer.
pub const LAST_WIDTH: usize = 1 << 24;
/// Positions between two looks at the clock.
const POLL: usize = 64;

/// What one beam has found.
#[derive(Debug)]
pub struct Pass {
    /// A plan shorter than asked for.
    pub plan: Option<Vec<Action>>,
    /// No plan has fewer moves.
    pub bound: u32,
    /// Whether nothing was cut: the plan is shortest, or there is none of the length asked for.
    pub complete: bool,
    /// Why it ended early.
    pub stopped: Option<StopReason>,
}

/// A child, before it is built.
#[derive(Clone, Copy)]
struct Candidate {
    score: u32,
    parent: u32,
    key: u64,
    unused: u32,
    action: Action,
}

/// Bytes that a beam holds at most for each position of its width.
pub fn bytes_per_width(case: &Case) -> usize {
    let children = usize::from(TELEPORT) + case.teleports.len();
    2 * size_of::<State>() + children * (size_of::<Candidate>() + 2 * size_of::<u32>()) + 256
}

/// Beams, each wider than the one before. It rests after each.
pub struct Beams<'a> {
    beam: Beam<'a>,
    /// Width of the next beam.
    width: usize,
    widening: usize,
    /// Width of the widest beam that memory allows.
    most: usize,
}

impl<'a> Beams<'a> {
    /// Beams from a position, none of which holds more than `memory` bytes.
    pub fn new(case: &'a Case, start: State, tuning: &tuning::Beams, memory: usize) -> Self {
        let most = (memory / bytes_per_width(case)).clamp(1, LAST_WIDTH);
        Beams {
            beam: Beam::new(case, start),
            width: tuning.first_width.min(most),
            widening: tuning.widening,
            most,
        }
    }

    /// Width of the next beam.
    pub fn width(&self) -> usize {
        self.width
    }
}

impl Search for Beams<'_> {
    type Plan = Vec<Action>;
    type Lesson = ();

    fn name(&self) -> &'static str {
        "beam"
    }

    fn turn(&mut self, known: Known, allowance: &Allowance<'_>) -> Turn<Vec<Action>> {
        let below = u32::try_from(known.cost).unwrap_or(u32::MAX);
        let (width, before) = (self.width, self.beam.expanded);
        let pass = self.beam.pass(width, below, &allowance.own_clock());
        let clock = allowance.clock;
        clock.tell(&Progress {
            phase: format!("beam of {width}"),
            nodes: self.beam.expanded - before,
            best: pass.plan.as_ref().map(|plan| plan.len() as u64),
            bound: u64::from(pass.bound.min(below)),
            fraction: clock.elapsed().as_secs_f64() / clock.limits.time.as_secs_f64().max(1e-9),
        });
        let is_last = width == self.most && pass.plan.is_none();
        self.width = width.saturating_mul(self.widening).min(self.most);
        let ended = match pass.stopped {
            _ if pass.complete => Ended::Proven,
            Some(stop) => Ended::Stopped(stop),
            None if is_last => Ended::Exhausted,
            None => Ended::Resting,
        };
        let is_impossible = pass.complete && pass.plan.is_none() && below == u32::MAX;
        let bound = if is_impossible { u64::MAX } else { pass.bound.into() };
        Turn { plan: pass.plan.map(|plan| (plan.len() as u64, plan)), bound, ended }
    }

    fn spent(&self) -> Spent {
        let Beam { expanded, generated, memory, .. } = self.beam;
        Spent { expanded, generated, memory }
    }
}

/// A search by layers, and what it has spent over all its passes.
pub struct Beam<'a> {
    case: &'a Case,
    start: State,
    walks: TeleportWalks,
    /// Positions expanded.
    pub expanded: u64,
    /// Children generated.
    pub generated: u64,
    /// The most memory held, in bytes.
    pub memory: usize,
    layer: Vec<State>,
    next: Vec<Candidate>,
    /// Numbers of the next layer's candidates by key.
    seen: StateIndex,
    trail: Vec<Vec<(u32, Action)>>,
    /// Passes so far.
    passes: usize,
}

impl<'a> Beam<'a> {
    /// A search from a position that has not begun.
    pub fn new(case: &'a Case, start: State) -> Self {
        Beam {
            case,
            start,
            walks: TeleportWalks::new(&case.teleports),
            expanded: 0,
            generated: 0,
            memory: 0,
            layer: Vec::new(),
            next: Vec::new(),
            seen: StateIndex::new(),
            trail: Vec::new(),
            passes: 0,
        }
    }

    /// One beam of a width, for a plan with fewer than `below` moves. The clock counts the expansions of
    /// all passes.
    pub fn pass(&mut self, width: usize, below: u32, clock: &Clock) -> Pass {
        let mut pass = Pass { plan: None, bound: 1, complete: true, stopped: None };
        let taste = &TASTES[self.passes % TASTES.len()];
        self.passes += 1;
        self.layer.clear();
        self.trail.clear();
        if !is_dead_end(&self.start) {
            self.layer.push(self.start);
        }
        for moves in 1.. {
            if self.layer.is_empty() {
                if pass.complete {
                    pass.bound = below;
                }
                break;
            }
            if moves >= below {
                break;
            }
            match self.expand((moves, below), taste, clock) {
                Ok(None) => {}
                Ok(Some((parent, action))) => {
                    pass.plan = Some(self.plan(parent, action));
                    break;
                }
                Err(stop) => {
                    pass.stopped = Some(stop);
                    pass.complete = false;
                    break;
                }
            }
            if pass.complete {
                pass.bound = moves + 1;
            }
            if self.next.len() > width {
                pass.complete = false;
                self.cut(width);
            }
            self.build();
        }
        pass
    }

    /// Collects the children of the layer, which are `moves` moves from the start; stops at a win.
    fn expand(
        &mut self,
        (moves, below): (u32, u32),
        taste: &Taste,
        clock: &Clock,
    ) -> Result<Option<(u32, Action)>, StopReason> {
        self.next.clear();
        self.seen.clear();
        let actions = TELEPORT + self.case.teleports.len() as Action;
        for parent in 0..self.layer.len() {
            if parent.is_multiple_of(POLL) || clock.limits.nodes == Some(self.expanded) {
                self.memory = self.memory.max(self.bytes());
                if let Some(stop) = clock.should_stop(self.expanded, self.bytes()) {
                    return Err(stop);
                }
            }
            self.expanded += 1;
            for action in 0..actions {
                let state = &self.layer[parent];
                let Some(to) = state.destination(action, &self.case.teleports) else { continue };
                if state.is_caught(to) {
                    continue;
                }
                let child = state.advance(to);
                self.generated += 1;
                if child.is_cleared() {
                    return Ok(Some((parent as u32, action)));
                }
                if !is_dead_end(&child) {
                    self.offer(&child, (parent as u32, action), below.saturating_sub(moves), taste);
                }
            }
        }
        Ok(None)
    }

    /// Keeps a child unless an equal one with as many teleports is there, replacing one with fewer,
    /// or it has no plan of fewer than `left` moves.
    fn offer(&mut self, child: &State, (parent, action): (u32, Action), left: u32, taste: &Taste) {
        let key = child.board_key();
        // What is missing must have a slot, and the table may always grow.
        let hashes = self.next.iter().map(|candidate| candidate.key);
        if self.seen.make_room(self.next.len() + 1, usize::MAX, || (0..).zip(hashes)).is_err() {
            return;
        }
        let found = self.seen.find(key, |number| {
            let other = &self.next[number as usize];
            let common = other.unused & child.unused;
            other.key == key
                && (common == other.unused || common == child.unused)
                && self.child(other).same_board(child)
        });
        let slot = match found {
            Ok(number) => {
                let other = &mut self.next[number as usize];
                // Its teleports are fewer unless it has all of the child's.
                if other.unused & child.unused != child.unused {
                    *other = Candidate { unused: child.unused, parent, action, ..*other };
                }
                return;
            }
            Err(slot) => slot,
        };
        let pieces = Pieces::new(child, &self.walks);
        if pieces.bound() >= left {
            return;
        }
        let score = pieces.score(taste);
        self.next.push(Candidate { score, parent, key, unused: child.unused, action });
        self.seen.insert(slot, self.next.len() as u32 - 1);
    }

    fn child(&self, candidate: &Candidate) -> State {
        let parent = &self.layer[candidate.parent as usize];
        let to = parent.destination(candidate.action, &self.case.teleports);
        parent.advance(to.expect("candidates are legal"))
    }

    /// Keeps the best children, in the order of their parents.
    fn cut(&mut self, width: usize) {
        self.next.select_nth_unstable_by_key(width, |c| (c.score, c.key, c.unused));
        self.next.truncate(width);
        self.next.sort_unstable_by_key(|c| (c.parent, c.action));
    }

    /// Makes the children that were kept the layer.
    fn build(&mut self) {
        let built: Vec<State> = self.next.iter().map(|c| self.child(c)).collect();
        self.trail.push(self.next.iter().map(|c| (c.parent, c.action)).collect());
        self.memory = self.memory.max(self.bytes() + built.len() * size_of::<State>());
        self.layer = built;
    }

    /// The actions from the start to a child of the layer.
    fn plan(&self, mut parent: u32, last: Action) -> Vec<Action> {
        let mut plan = vec![last];
        for layer in self.trail.iter().rev() {
            let (above, action) = layer[parent as usize];
            plan.push(action);
            parent = above;
        }
        plan.reverse();
        plan
    }

    fn bytes(&self) -> usize {
        let trail: usize = self.trail.iter().map(Vec::capacity).sum();
        self.layer.capacity() * size_of::<State>()
            + self.next.capacity() * size_of::<Candidate>()
            + self.seen.bytes()
            + trail * size_of::<(u32, Action)>()
    }
}
