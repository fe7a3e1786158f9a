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
//! This is not [`crate::search::beam`] because a layer is filled without building children twice:
//! a child costs less here than the bookkeeping around it.

use super::super::format::Case;
use super::super::state::{Action, State, TELEPORT};
use super::bound::{Pieces, TASTES, Taste, TeleportWalks, is_dead_end};
use crate::search::{Clock, StopReason};
use std::mem::size_of;

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

/// A search by layers, and what it has spent over all its passes.
pub struct Beam<'a> {
    case: &'a Case,
    start: State,
    clock: Clock,
    walks: TeleportWalks,
    /// Positions expanded.
    pub expanded: u64,
    /// Children generated.
    pub generated: u64,
    /// The most memory held, in bytes.
    pub memory: usize,
    layer: Vec<State>,
    next: Vec<Candidate>,
    seen: Seen,
    trail: Vec<Vec<(u32, Action)>>,
    /// Passes so far.
    passes: usize,
}

impl<'a> Beam<'a> {
    /// A search from a position that has not begun.
    pub fn new(case: &'a Case, start: State, clock: Clock) -> Self {
        Beam {
            case,
            start,
            clock,
            walks: TeleportWalks::new(&case.teleports),
            expanded: 0,
            generated: 0,
            memory: 0,
            layer: Vec::new(),
            next: Vec::new(),
            seen: Seen::default(),
            trail: Vec::new(),
            passes: 0,
        }
    }

    /// One beam of a width, for a plan with fewer than `below` moves.
    pub fn pass(&mut self, width: usize, below: u32) -> Pass {
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
            match self.expand(moves, below, taste) {
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
        moves: u32,
        below: u32,
        taste: &Taste,
    ) -> Result<Option<(u32, Action)>, StopReason> {
        self.next.clear();
        self.seen.clear();
        let actions = TELEPORT + self.case.teleports.len() as Action;
        for parent in 0..self.layer.len() {
            if parent.is_multiple_of(POLL) || self.clock.limits.nodes == Some(self.expanded) {
                self.memory = self.memory.max(self.bytes());
                if let Some(stop) = self.clock.should_stop(self.expanded, self.bytes()) {
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
        let mut probe = self.seen.probe(key);
        while let Some(found) = self.seen.get(&mut probe) {
            let other = &mut self.next[found as usize];
            let common = other.unused & child.unused;
            if other.key != key || (common != other.unused && common != child.unused) {
                continue;
            }
            let other = *other;
            if !self.child(&other).same_board(child) {
                continue;
            }
            if common != child.unused {
                let better = Candidate { unused: child.unused, parent, action, ..other };
                self.next[found as usize] = better;
            }
            return;
        }
        let pieces = Pieces::new(child, &self.walks);
        if pieces.bound() >= left {
            return;
        }
        let score = pieces.score(taste);
        self.next.push(Candidate { score, parent, key, unused: child.unused, action });
        let next = &self.next;
        self.seen.insert(probe, (next.len() - 1) as u32, |i| next[i as usize].key);
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
            + self.seen.slots.capacity() * size_of::<u32>()
            + trail * size_of::<(u32, Action)>()
    }
}

/// Which keys a layer has: an open table of indices, probed one slot after another.
#[derive(Default)]
struct Seen {
    slots: Vec<u32>,
    filled: usize,
}

/// An empty slot.
const EMPTY: u32 = u32::MAX;
/// Slots of a new table.
const FIRST_SLOTS: usize = 1 << 10;

impl Seen {
    fn clear(&mut self) {
        if self.slots.is_empty() {
            self.slots = vec![EMPTY; FIRST_SLOTS];
        } else if self.filled > 0 {
            self.slots.fill(EMPTY);
        }
        self.filled = 0;
    }

    fn probe(&self, key: u64) -> usize {
        key as usize & (self.slots.len() - 1)
    }

    /// What the slot holds, moving on; `None` at an empty slot, where the probe stays.
    #[inline]
    fn get(&self, probe: &mut usize) -> Option<u32> {
        let found = self.slots[*probe];
        if found == EMPTY {
            return None;
        }
        *probe = (*probe + 1) & (self.slots.len() - 1);
        Some(found)
    }

    /// Fills the empty slot of a probe; `key` tells the keys of what is in the table.
    fn insert(&mut self, probe: usize, index: u32, key: impl Fn(u32) -> u64) {
        self.slots[probe] = index;
        self.filled += 1;
        if self.filled * 2 > self.slots.len() {
            let old = std::mem::take(&mut self.slots);
            self.slots = vec![EMPTY; old.len() * 2];
            for index in old.into_iter().filter(|&index| index != EMPTY) {
                let mut probe = self.probe(key(index));
                while self.get(&mut probe).is_some() {}
                self.slots[probe] = index;
            }
        }
    }
}
