//! The styles of beams and dives: what a way past clickers costs, how bricks are spent, and the guides
//! that go with them, in the order to try them.

use super::beam_space::Thrift;
use super::heuristic::{Guide, Prices, UNIT};
use crate::games::last_of_us::state::Board;
use rayon::prelude::*;
use std::sync::Arc;

/// Guides that are there at most, those among which prices are looked for included.
pub const MOST_GUIDES: usize = STYLES.len() + PRICES_BETWEEN as usize + 2;
/// Price of a brick that the guide's path needs beyond the supply, in units of the guide.
const MISSING: u32 = 25 * UNIT;
/// Factor from one price on waking to the next, where bricks are short.
const DEARER: u32 = 4;
/// Number of steps into which the interval between the last price that is too low and the first
/// that works is divided.
const PRICES_BETWEEN: u32 = 4;
/// Greatest price on waking, in units of the guide.
const DEAREST: u32 = 2048 * UNIT;
/// Added to the user's seed for a second beam: more than users count up to.
const OTHER_TIES: u64 = 1 << 32;

/// One way to run a beam.
#[derive(Clone, Copy, Debug)]
pub struct Style {
    /// The price list of the guide.
    pub prices: Prices,
    /// How to spend bricks.
    pub thrift: Thrift,
}

/// The portfolio: from bold, for open ground, to miserly, for rooms that want a brick each.
pub const STYLES: [Style; 5] = [
    style(0, 0),
    style(UNIT, MISSING),
    style(4 * UNIT, MISSING),
    style(8 * UNIT, MISSING),
    style(32 * UNIT, MISSING),
];

const fn style(wake: u32, missing: u32) -> Style {
    Style {
        prices: Prices { far: 4, near: 6, on: 8, most: 12, wake },
        thrift: Thrift { brick: UNIT, missing, roused: 0 },
    }
}

/// The first style where no guard is on the way, the second where one is: bricks cost the action
/// that it takes to throw them, and clickers little more than nothing. Where they stand close
/// together, ways round them are dear.
pub const LIGHT: Style = Style {
    prices: Prices { far: 1, near: 2, on: 2, most: 4, wake: 0 },
    thrift: Thrift { brick: 0, missing: 0, roused: 0 },
};

/// A style and the guide that goes with it.
#[derive(Clone)]
pub struct Compass {
    /// The style.
    pub style: Style,
    /// The guide to the exit under the style's prices.
    pub guide: Arc<Guide>,
    /// Added to the seed, which orders what the guide holds for equal.
    pub ties: u64,
}

impl Compass {
    /// The compass of a style on a board.
    pub fn new(board: &Board, style: Style) -> Self {
        Compass { style, guide: Arc::new(Guide::to_exit(board, style.prices)), ties: 0 }
    }

    /// Bricks that the guide's way wants beyond those there are.
    pub fn missing(&self, board: &Board) -> u32 {
        let wakes = self.guide.wakes[board.ellie as usize] as u32;
        wakes.saturating_sub(board.bricks as u32)
    }
}

/// The styles with their guides, in the order to try them: bold ones first, but where guards
/// stand on every way, those first whose way has a brick for each sleeper. Where there is no room for
/// all guides, but for `room` of them, the first ones alone.
pub fn all(board: &Board, room: usize, is_guarded: bool) -> Vec<Compass> {
    // One is for the light style.
    let styles = &STYLES[..STYLES.len().min(room - 1)];
    let mut compasses: Vec<Compass> =
        styles.par_iter().map(|&style| Compass::new(board, style)).collect();
    if is_guarded && room >= MOST_GUIDES {
        let thrifty = thrifty(board, &compasses);
        compasses.sort_by_key(|compass| compass.missing(board));
        compasses.insert(0, thrifty);
        // The bold one comes third at the latest: it often needs fewer bricks than it fears.
        let bold = compasses.iter().position(|c| c.style.prices.wake == 0).unwrap_or(0);
        compasses[bold.min(2)..=bold].rotate_right(1);
        compasses.splice(1..1, light(board));
    } else {
        compasses.splice(0..0, light(board));
    }
    compasses
}

/// The light style, twice: in a maze a narrow beam hangs on how ties are broken, and another
/// one is worth more than a wider one.
fn light(board: &Board) -> [Compass; 2] {
    let first = Compass::new(board, LIGHT);
    let second = Compass { ties: OTHER_TIES, ..first.clone() };
    [first, second]
}

/// The style for short supplies: the lowest price on waking, about, with which the way has a
/// brick for each sleeper, and the same price on bricks (a Lagrangian relaxation of the supply,
/// as in Handler and Zang, *A dual algorithm for the constrained shortest path problem*, Networks
/// 10, 1980).
fn thrifty(board: &Board, compasses: &[Compass]) -> Compass {
    let guided = |guide: &Arc<Guide>, wake: u32| {
        let thrift = Thrift { brick: wake, missing: MISSING, roused: wake };
        let style = Style { thrift, ..style(wake, MISSING) };
        Compass { style, guide: Arc::clone(guide), ties: 0 }
    };
    let priced = |wake| guided(&Compass::new(board, style(wake, MISSING)).guide, wake);
    let fits = |compass: &Compass| compass.missing(board) == 0;
    let priciest = &compasses[compasses.len() - 1];
    let (mut low, mut best) = match compasses.iter().position(fits) {
        // The bold one does not count: it has no price to put on bricks.
        Some(at) if at <= 1 => {
            return guided(&compasses[1].guide, compasses[1].style.prices.wake);
        }
        Some(at) => {
            let (before, found) = (&compasses[at - 1], &compasses[at]);
            (before.style.prices.wake, guided(&found.guide, found.style.prices.wake))
        }
        None => {
            let wake = priciest.style.prices.wake;
            (wake, priced(wake * DEARER))
        }
    };
    while !fits(&best) && best.style.prices.wake < DEAREST {
        low = best.style.prices.wake;
        best = priced(low * DEARER);
    }
    let span = best.style.prices.wake - low;
    let between: Vec<Compass> = (1..PRICES_BETWEEN)
        .into_par_iter()
        .map(|i| priced(low + span * i / PRICES_BETWEEN))
        .collect();
    between.into_iter().find(fits).unwrap_or(best)
}
