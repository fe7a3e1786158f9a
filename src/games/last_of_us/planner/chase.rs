//! The space that the beam walks on.

use super::guide::{ARRIVED, Guide, UNIT, home_hearing, woken};
use crate::board::mix;
use crate::games::last_of_us::state::{Board, Move, NOTHING, Played, Simulator, Site, State};
use crate::search::{Child, Space};

/// How many cells of the way ahead are priced by where the clickers are now.
pub const AHEAD: usize = 12;

/// Ellie among clickers, scored by a [`Guide`].
pub struct Chase<'a> {
    /// The board.
    pub board: &'a Board,
    /// The compass.
    pub guide: &'a Guide,
    /// What a brick is worth, in units of the guide.
    pub brick: u32,
    /// What a missing brick costs, where the way ahead comes into the hearing of more clickers than
    /// bricks are left.
    pub missing: u32,
    /// Start state.
    pub start: State,
    /// bytes
    pub field_bytes: usize,
}

/// Rows of cells around Ellie, bit 7 + column difference: where a brick may land.
type Targets = [u32; 15];

impl Chase<'_> {
    /// The cost to the exit from `ellie` under where the clickers are now. Clickers that trace a
    /// brick count as arrived.
    fn estimate(&self, sim: &mut Simulator<'_>, ellie: Site, bricks: u8) -> u32 {
        sim.assume_arrived(ellie);
        let mut site = ellie;
        let (mut cost, mut wakes) = (0, 0);
        for _ in 0..AHEAD {
            let direction = self.guide.next[site as usize];
            if direction == ARRIVED {
                break;
            }
            site = site.wrapping_add_signed(self.board.steps[direction as usize]);
            cost += UNIT;
            if site != self.board.exit {
                let hearing = sim.hearing(site);
                if hearing != 0 {
                    let asleep = hearing & home_hearing(self.board, site);
                    let woken = woken(asleep, direction);
                    wakes += woken.count_ones();
                    cost += self.guide.prices.of(hearing);
                    cost += self.guide.waking(self.board, site, woken);
                }
            }
        }
        sim.resume();
        wakes += self.guide.wakes[site as usize] as u32;
        cost + self.guide.priced[site as usize]
            + (self.board.bricks - bricks) as u32 * self.brick
            + wakes.saturating_sub(bricks as u32) * self.missing
    }

    /// Where a brick is worth throwing: heard by a clicker that stands at the way ahead.
    fn targets(&self, sim: &Simulator<'_>, ellie: Site) -> Targets {
        let mut targets = [0u32; 15];
        let mut site = ellie;
        let (row, col) = self.board.place(ellie);
        for _ in 0..AHEAD {
            let direction = self.guide.next[site as usize];
            if direction == ARRIVED {
                break;
            }
            site = site.wrapping_add_signed(self.board.steps[direction as usize]);
            let mut heard = sim.hearing(site);
            while heard != 0 {
                let bit = heard.trailing_zeros() as i32;
                heard &= heard - 1;
                let clicker = self.board.offset(site, bit / 5 - 2, bit % 5 - 2);
                let (r, c) = self.board.place(clicker);
                let (dr, dc) = (r - row, c - col);
                for drow in (dr - 2).max(-7)..=(dr + 2).min(7) {
                    let (lo, hi) = ((dc - 2).max(-7), (dc + 2).min(7));
                    if lo <= hi {
                        targets[(drow + 7) as usize] |= ((1u32 << (hi - lo + 1)) - 1) << (lo + 7);
                    }
                }
            }
        }
        targets
    }

    /// A key of what is near: Ellie, bricks, and clickers within nine cells with what they trace.
    fn near_key(&self, sim: &Simulator<'_>, ellie: Site, bricks: u8) -> u64 {
        let mut key = mix(ellie as u64 | (bricks as u64) << 32);
        let stride = self.board.stride;
        let first = ellie - 8 * stride - 8;
        for r in 0..17 {
            let bits = sim.clicker_window(first + r * stride, 17);
            key = mix(key ^ bits);
        }
        for act in sim.acted() {
            if act.after.target != NOTHING && self.board.chebyshev(act.after.site, ellie) <= 8 {
                key ^= mix(act.after.site as u64 | (act.after.target as u64) << 32);
            }
        }
        key
    }
}

impl<'a> Space for Chase<'a> {
    type State = State;
    type Action = Move;
    type Scratch = Simulator<'a>;

    fn start(&self) -> State {
        self.start.clone()
    }

    fn key(&self, state: &State) -> u64 {
        state.key()
    }

    fn bound(&self, state: &State) -> u32 {
        self.guide.walk[state.ellie as usize]
    }

    fn is_goal(&self, state: &State) -> bool {
        state.ellie == self.board.exit
    }

    fn scratch(&self) -> Simulator<'a> {
        Simulator::new(self.board, self.field_bytes)
    }

    fn expand(&self, state: &State, sim: &mut Simulator<'a>, visit: &mut impl FnMut(Child<Move>)) {
        sim.load(state);
        let mut try_move = |sim: &mut Simulator<'a>, action: Move| match sim.play(action) {
            Played::On(after) => {
                visit(Child {
                    action,
                    cost: 1,
                    key: self.near_key(sim, after.ellie, after.bricks),
                    bound: self.guide.walk[after.ellie as usize],
                    estimate: self.estimate(sim, after.ellie, after.bricks),
                    goal: false,
                    class: after.ellie,
                });
                sim.undo();
            }
            Played::Won => visit(Child {
                action,
                cost: 1,
                key: 0,
                bound: 0,
                estimate: 0,
                goal: true,
                class: 0,
            }),
            Played::Illegal | Played::Killed => {}
        };
        for walk in 0..9 {
            try_move(sim, Move(walk));
        }
        if state.bricks > 0 {
            let targets = self.targets(sim, state.ellie);
            for (r, &row) in targets.iter().enumerate() {
                let mut bits = row;
                while bits != 0 {
                    let c = bits.trailing_zeros() as i32;
                    bits &= bits - 1;
                    try_move(sim, Move::throw(r as i32 - 7, c - 7));
                }
            }
        }
        sim.unload(state);
    }

    fn child(&self, state: &State, action: Move, sim: &mut Simulator<'a>) -> State {
        sim.after(state, action).1.expect("an action that expand visited")
    }

    fn heap_bytes(&self, state: &State) -> usize {
        state.heap_bytes()
    }
}
