//! The space that beams walk on: every walk, and the throws that matter.
//!
//! It differs from [`super::exact_space`] in four ways, each of which makes a beam better and a proof
//! impossible:
//! - A state's key is of what is near Ellie. Where a brick has landed five rooms back does not
//!   matter any more, and a beam that keeps such states apart holds nothing else.
//! - Clickers that have been woken are forgotten once they are far behind Ellie, and so are the
//!   homes that they have left there. In a crowd a state has a hundred of them, whose steps take most
//!   of the time, and hardly one comes into a plan again. A plan is replayed with all of them before
//!   it counts.
//! - Bricks are thrown only where a clicker at the way ahead hears them.
//! - The estimate prices the next `AHEAD` cells of the guide's way by where the clickers are now,
//!   those that trace a brick counted as arrived, and the rest by the guide. A clicker that still
//!   sleeps on the way wants a brick; where there are more of them than bricks, that costs.

use super::heuristic::{Guide, Prices, UNIT, woken};
use super::surroundings::{NEAR, NearClickers, Way};
use crate::board::{Cell, UNREACHED, mix};
use crate::games::last_of_us::format::{HEARING_RANGE, HEARING_SIDE, THROW_RANGE, THROW_SIDE};
use crate::games::last_of_us::state::{
    Acted, After, Board, Move, NOTHING, Played, Simulator, Site, State,
};
use crate::search::{Due, Portable, Space, Successor};

/// A cell is behind Ellie only where the exit is more than this many steps farther than from her,
/// by the walk as by the guide.
const BEHIND: u32 = 8;
/// A cell is behind Ellie only at a greater Chebyshev distance than this, at which nothing that she
/// does is heard.
const APART: u32 = 10;
const _: () = assert!(
    APART as i32 > THROW_RANGE + HEARING_RANGE,
    "a brick that Ellie throws is heard at the greater distance: raise `APART`"
);

/// How to spend bricks.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Thrift {
    /// What a brick is worth, in units of the guide.
    pub brick: u32,
    /// What a missing brick costs, where the way ahead wakes more clickers than bricks are left.
    pub missing: u32,
    /// What a clicker costs that has left its home, unless bricks that were thrown cost as much.
    /// Where bricks are short this and `brick` are the guide's price on waking: then what was spent
    /// and what will be add up, and no state is ahead for having spent too much.
    pub roused: u32,
}

/// Where a plan has to lead.
pub enum Goal<'a> {
    /// To the exit.
    Exit,
    /// To the guide's target, such that these actions then lead to the exit.
    Rejoin(&'a [Move]),
}

/// The contours of a cyclic search.
#[derive(Clone, Copy)]
pub struct Contours<'a> {
    /// The steps to the exit from each cell.
    pub steps: &'a [u32],
    /// Levels of the remaining bricks that are kept apart at each number of steps.
    pub levels: u32,
}

/// Ellie among clickers, scored by a [`Guide`].
pub struct BeamSpace<'a> {
    /// The board.
    pub board: &'a Board,
    /// The compass.
    pub guide: &'a Guide,
    /// Steps to the guide's target, ignoring clickers.
    pub walk: &'a [u32],
    /// How to spend bricks.
    pub thrift: Thrift,
    /// Where to start.
    pub start: State,
    /// Where to arrive.
    pub goal: Goal<'a>,
    /// Memory of each thread's cached distance fields, in bytes.
    pub field_bytes: usize,
    /// Where clickers that Ellie has left behind are forgotten, steps to the exit, ignoring
    /// clickers. Plans may fail then.
    pub to_exit: Option<&'a [u32]>,
    /// Whether two states with the same clickers on the same cells differ if a clicker traces another cell. Many
    /// throws wake the same clickers, and their first step is the same: a beam to the exit would fill up with
    /// such states. The beam of a window is wide enough for them.
    pub counts_traces: bool,
    /// None where the class of a state is Ellie's cell, for the quota of a beam. Else it is a contour,
    /// for a cyclic search.
    pub contours: Option<Contours<'a>>,
}

/// A thread's working memory: a simulator to expand with, and one to try the rest of a plan with.
pub struct Scratch<'a> {
    sim: Simulator<&'a Board>,
    rest: Option<Simulator<&'a Board>>,
    /// The clickers around Ellie in the state that is expanded.
    near: NearClickers,
    /// Her way from there.
    way: Way,
}

/// Where a brick may land: for each row from 7 above Ellie, bit 7 + column difference.
type Targets = [u32; THROW_SIDE as usize];

impl<'a> BeamSpace<'a> {
    /// The cost to the target on a way under where the clickers are now.
    fn estimate(&self, sim: &mut Simulator<&Board>, state: &State, after: After, way: &Way) -> u32 {
        let thrown = (self.board.bricks - after.bricks) as u32 * self.thrift.brick;
        let spent = if self.thrift.roused == 0 {
            thrown
        } else {
            let leaves = |act: &&Acted| {
                let home = self.board.home.contains(Cell(act.before.site));
                home && act.before.site != act.after.site
            };
            let left = state.empty_homes.len() + sim.acted().iter().filter(leaves).count();
            thrown.max(left as u32 * self.thrift.roused)
        };
        sim.assume_arrived(after.ellie);
        let (mut cost, mut wakes, mut last) = (0, 0, after.ellie);
        for &(site, direction) in way.cells() {
            last = site;
            cost += UNIT;
            let hearing = sim.hearing(site);
            if hearing != 0 && site != self.guide.target {
                cost += self.guide.price_of(hearing);
                if woken(hearing, direction) > 0 {
                    let asleep = hearing & self.board.hearing_at_start(site);
                    let woken = woken(asleep, direction);
                    wakes += woken;
                    cost += woken * self.guide.prices.wake;
                }
            }
        }
        sim.resume();
        wakes += self.guide.wakes[last as usize] as u32;
        cost + self.guide.priced[last as usize]
            + spent
            + wakes.saturating_sub(after.bricks as u32) * self.thrift.missing
    }

    /// Where a brick is worth throwing: on free floor, heard by a clicker that hears the way ahead.
    fn targets(&self, sim: &Simulator<&Board>, ellie: Site, way: &Way) -> Targets {
        const R: i32 = THROW_RANGE;
        let mut targets = Targets::default();
        let (row, col) = self.board.place(ellie);
        for &(site, _) in way.cells() {
            if site == self.guide.target {
                break;
            }
            let mut heard = sim.hearing(site);
            let (r, c) = self.board.place(site);
            while heard != 0 {
                let bit = heard.trailing_zeros() as i32;
                heard &= heard - 1;
                let (drow, dcol) = (r + bit / HEARING_SIDE - row, c + bit % HEARING_SIDE - col);
                let (drow, dcol) = (drow - HEARING_RANGE, dcol - HEARING_RANGE);
                let (low, high) = ((dcol - HEARING_RANGE).max(-R), (dcol + HEARING_RANGE).min(R));
                if low <= high {
                    let bits = ((1 << (high - low + 1)) - 1) << (low + R);
                    let rows = (drow - HEARING_RANGE).max(-R)..=(drow + HEARING_RANGE).min(R);
                    rows.for_each(|row| targets[(row + R) as usize] |= bits);
                }
            }
        }
        for (drow, row) in (-R..).zip(&mut targets).filter(|(_, row)| **row != 0) {
            let from = self.board.offset(ellie, drow, -R);
            let floor = self.board.floor.window(from as usize, THROW_SIDE as u32);
            *row &= (floor & !sim.clicker_window(from, THROW_SIDE as u32)) as u32;
        }
        targets
    }

    /// A key of Ellie, her bricks and the cells of the clickers near her. With [`BeamSpace::counts_traces`] it also
    /// covers the cell that each of these traces, if it has acted in this turn.
    fn near_key(&self, scratch: &Scratch<'a>, action: Move, after: After) -> u64 {
        let Scratch { sim, near, .. } = scratch;
        let step = if action.is_throw() { (0, 0) } else { action.delta() };
        let key = near.key(sim.acted(), self.board.stride, step, after);
        if !self.counts_traces {
            return key;
        }
        let is_near = |site: Site| self.board.chebyshev(site, after.ellie) <= NEAR;
        let traces = sim.acted().iter().map(|act| act.after);
        let traces = traces.filter(|clicker| clicker.target != NOTHING && is_near(clicker.site));
        traces.fold(key, |key, clicker| {
            key ^ mix(clicker.site as u64 | (clicker.target as u64) << 32)
        })
    }

    /// A state without the clickers that Ellie has left behind and that trace nothing ahead. Those
    /// that sleep stay, and the homes there are taken for full again: she does not come back to see.
    pub fn without_what_is_behind(&self, to_exit: &[u32], mut state: State) -> State {
        let (ellie, priced) = (state.ellie, &self.guide.priced);
        let last = to_exit[ellie as usize].saturating_add(BEHIND);
        let last_priced = priced[ellie as usize].saturating_add(BEHIND * UNIT);
        let is_behind = |site: Site| {
            to_exit[site as usize] > last
                && priced[site as usize] > last_priced
                && self.board.chebyshev(site, ellie) > APART
        };
        state.away.retain(|clicker| {
            let traces = clicker.target != NOTHING && !is_behind(clicker.target);
            traces || !is_behind(clicker.site)
        });
        // Where they count as roused, they are kept.
        if self.thrift.roused == 0 {
            state.empty_homes.retain(|home| !is_behind(*home));
        }
        state
    }

    fn supply_level(&self, after: After, levels: u32) -> u32 {
        after.bricks as u32 * levels / (self.board.bricks as u32 + 1)
    }

    /// The child that an action led to, where it is worth visiting.
    fn score(
        &self,
        scratch: &mut Scratch<'a>,
        state: &State,
        action: Move,
        after: After,
    ) -> Option<Successor<Move>> {
        let bound = self.walk[after.ellie as usize];
        if self.guide.priced[after.ellie as usize] == UNREACHED {
            return None;
        }
        let mut child = Successor {
            action,
            cost: 1,
            key: self.near_key(scratch, action, after),
            bound,
            estimate: 0,
            goal: false,
            class: match self.contours {
                None => after.ellie,
                Some(Contours { steps, levels }) => {
                    let steps = steps[after.ellie as usize];
                    steps.saturating_mul(levels) + self.supply_level(after, levels)
                }
            },
        };
        if let Goal::Rejoin(rest) = self.goal
            && after.ellie == self.guide.target
        {
            let there = scratch.sim.build(state, after);
            child.goal = scratch.rest.as_mut().is_some_and(|sim| leads_out(sim, there, rest));
            return child.goal.then_some(child);
        }
        let way = match after.ellie == state.ellie {
            true => scratch.way,
            false => Way::from(self.board, self.guide, after.ellie),
        };
        child.estimate = self.estimate(&mut scratch.sim, state, after, &way);
        Some(child)
    }

    /// Plays an action and visits the child.
    fn visit(
        &self,
        scratch: &mut Scratch<'a>,
        state: &State,
        action: Move,
        visit: &mut impl FnMut(Successor<Move>),
    ) {
        match scratch.sim.play(action) {
            Played::On(after) => {
                if let Some(child) = self.score(scratch, state, action, after) {
                    visit(child);
                }
                scratch.sim.undo();
            }
            Played::Won => visit(Successor {
                action,
                cost: 1,
                key: 0,
                bound: 0,
                estimate: 0,
                goal: true,
                class: self.board.exit,
            }),
            Played::Illegal | Played::Killed => {}
        }
    }
}

/// Whether some actions lead from a state to the exit, with the last of them.
pub fn leads_out(sim: &mut Simulator<&Board>, start: State, rest: &[Move]) -> bool {
    let mut state = start;
    for (index, &action) in rest.iter().enumerate() {
        match sim.after(&state, action) {
            (Played::On(_), Some(next)) => state = next,
            (Played::Won, _) => return index + 1 == rest.len(),
            _ => return false,
        }
    }
    false
}

impl<'a> Space for BeamSpace<'a> {
    type State = State;
    type Action = Move;
    type Scratch = Scratch<'a>;

    fn start(&self) -> State {
        self.start.clone()
    }

    fn key(&self, state: &State) -> u64 {
        state.key()
    }

    fn bound(&self, state: &State) -> u32 {
        self.walk[state.ellie as usize]
    }

    fn is_goal(&self, state: &State) -> bool {
        state.ellie == self.board.exit
    }

    fn scratch(&self) -> Scratch<'a> {
        let rest = matches!(self.goal, Goal::Rejoin(_))
            .then(|| Simulator::new(self.board, self.field_bytes / 2));
        let sim = Simulator::new(self.board, self.field_bytes);
        Scratch { sim, rest, near: NearClickers::default(), way: Way::NONE }
    }

    fn expand(
        &self,
        state: &State,
        scratch: &mut Scratch<'a>,
        visit: &mut impl FnMut(Successor<Move>),
    ) {
        self.expand_due(state, Due::ALL, scratch, visit);
    }

    /// A child is judged before the action is played: it costs one action, and the walk from Ellie's cell on is a
    /// bound.
    fn expand_due(
        &self,
        state: &State,
        due: Due,
        scratch: &mut Scratch<'a>,
        visit: &mut impl FnMut(Successor<Move>),
    ) -> u32 {
        let mut later = u32::MAX;
        let mut is_due = |ellie: Site| {
            let walk = if ellie == self.board.exit { 0 } else { self.walk[ellie as usize] };
            due.is_due(walk.saturating_add(1), &mut later)
        };
        scratch.sim.load(state);
        scratch.near = NearClickers::of(&scratch.sim);
        scratch.way = Way::from(self.board, self.guide, state.ellie);
        for walk in (0..9).map(Move) {
            let (drow, dcol) = walk.delta();
            if is_due(self.board.offset(state.ellie, drow, dcol)) {
                self.visit(scratch, state, walk, visit);
            }
        }
        if state.bricks > 0 && is_due(state.ellie) {
            let targets = self.targets(&scratch.sim, state.ellie, &scratch.way);
            for (row, bits) in targets.into_iter().enumerate() {
                let mut bits = bits;
                while bits != 0 {
                    let col = bits.trailing_zeros() as i32;
                    bits &= bits - 1;
                    let throw = Move::throw(row as i32 - THROW_RANGE, col - THROW_RANGE);
                    self.visit(scratch, state, throw, visit);
                }
            }
        }
        scratch.sim.unload(state);
        later
    }

    fn child(&self, state: &State, action: Move, scratch: &mut Scratch<'a>) -> State {
        let child = scratch.sim.after(state, action).1.expect("an action that expand visited");
        match self.to_exit {
            Some(to_exit) => self.without_what_is_behind(to_exit, child),
            None => child,
        }
    }

    fn heap_bytes(&self, state: &State) -> usize {
        state.heap_bytes()
    }

    fn scratch_bytes(&self, scratch: &Scratch<'a>) -> usize {
        let rest = scratch.rest.as_ref().map_or(0, Simulator::bytes);
        size_of::<Scratch<'_>>() + scratch.sim.bytes() + rest
    }
}

impl Portable for BeamSpace<'_> {
    fn pack(&self, state: &State, words: &mut Vec<u64>) {
        state.write_words(words);
    }

    fn unpack(&self, words: &[u64]) -> Option<State> {
        State::from_words(words)
    }

    fn action_word(action: Move) -> u64 {
        u64::from(action.0)
    }

    fn action_of(word: u64) -> Option<Move> {
        Move::of_word(word)
    }

    /// The words of a beam from the area's start to its exit; other beams are not shared.
    fn words(&self) -> Vec<u64> {
        let Prices { far, near, on, most, wake } = self.guide.prices;
        let Thrift { brick, missing, roused } = self.thrift;
        let forgets = u32::from(self.to_exit.is_some());
        [far, near, on, most, wake, brick, missing, roused, forgets].map(u64::from).to_vec()
    }
}

/// The prices, how to spend bricks, and whether clickers are forgotten, of the words of a [`BeamSpace`].
pub fn of_words(words: &[u64]) -> Option<(Prices, Thrift, bool)> {
    let words: Option<Vec<u32>> = words.iter().map(|&word| u32::try_from(word).ok()).collect();
    let [far, near, on, most, wake, brick, missing, roused, forgets] = words?[..] else {
        return None;
    };
    let prices = Prices { far, near, on, most, wake };
    Some((prices, Thrift { brick, missing, roused }, forgets != 0))
}
