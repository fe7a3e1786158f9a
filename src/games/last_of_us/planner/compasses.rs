//! The styles of beams and dives: prices of a way past clickers and of bricks, with a guide for each
//! style. Beams try the styles in the order of [`all`].

use super::beam_space::Thrift;
use super::heuristic::{Guide, Prices, Tolls, UNIT};
use super::tuning::Guides;
use crate::games::last_of_us::state::Board;
use rayon::prelude::*;
use std::sync::Arc;

/// Factor from one price on waking to the next, where bricks are short.
const DEARER: u32 = 4;
/// Prices on waking a clicker, from bold, for open ground, to miserly, for rooms that want a brick each.
const WAKES: [u32; 5] = [0, UNIT, 4 * UNIT, 8 * UNIT, 32 * UNIT];
/// Greatest price on waking, in units of the guide.
const DEAREST: u32 = 2048 * UNIT;
/// Added to the user's seed for a second beam: more than users count up to.
const OTHER_TIES: u64 = 1 << 32;

/// One way to run a beam.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Style {
    /// The price list of the guide.
    pub prices: Prices,
    /// How to spend bricks.
    pub thrift: Thrift,
}

impl Style {
    /// The portfolio, from bold to miserly.
    pub fn all(tuning: &Guides) -> [Style; WAKES.len()] {
        WAKES.map(|wake| Style::new(tuning, wake))
    }

    /// The style with this price on waking a clicker; the bold one does not save bricks.
    fn new(tuning: &Guides, wake: u32) -> Self {
        let &Guides { far, near, on, most, missing, .. } = tuning;
        let missing = if wake == 0 { 0 } else { missing * UNIT };
        Style {
            prices: Prices { far, near, on, most, wake },
            thrift: Thrift { brick: UNIT, missing, roused: 0 },
        }
    }
}

/// The style that is tried first where no guard is on the way, and second where one is. A brick costs
/// only the action of throwing it, and clickers cost little: guides lead through crowds, because a way
/// round them is long.
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
    /// Whether cells have tolls under its guide.
    pub has_tolls: bool,
}

impl Compass {
    /// The compass of a style on a board.
    pub fn new(board: &Board, style: Style) -> Self {
        Compass::with_tolls(board, style, &Tolls::none())
    }

    /// The compass of a style on a board where cells have tolls.
    pub fn with_tolls(board: &Board, style: Style, tolls: &Tolls) -> Self {
        let guide = Arc::new(Guide::with_tolls(board, style.prices, tolls));
        Compass { style, guide, ties: 0, has_tolls: !tolls.is_empty() }
    }

    /// Bricks that the guide's way wants beyond those there are.
    pub fn missing(&self, board: &Board) -> u32 {
        let wakes = self.guide.wakes[board.ellie as usize] as u32;
        wakes.saturating_sub(board.bricks as u32)
    }
}

/// Guides that are there at most, those among which prices are looked for included.
pub fn most_guides(tuning: &Guides) -> usize {
    WAKES.len() + tuning.prices_between as usize + 2
}

/// The styles with their guides, in the order to try them: bold ones first, but where guards
/// stand on every way, those first whose way has a brick for each sleeper. Where there is no room for
/// all guides, but for `room` of them, the first ones alone.
pub fn all(board: &Board, room: usize, is_guarded: bool, tuning: &Guides) -> Vec<Compass> {
    // One is for the light style.
    let styles = &Style::all(tuning)[..WAKES.len().min(room - 1)];
    let mut compasses: Vec<Compass> =
        styles.par_iter().map(|&style| Compass::new(board, style)).collect();
    if is_guarded && room >= most_guides(tuning) {
        let thrifty = thrifty(board, &compasses, tuning);
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
fn thrifty(board: &Board, compasses: &[Compass], tuning: &Guides) -> Compass {
    let guided = |guide: &Arc<Guide>, wake: u32| {
        let style = Style::new(tuning, wake);
        let thrift = Thrift { brick: wake, roused: wake, ..style.thrift };
        Compass {
            style: Style { thrift, ..style },
            guide: Arc::clone(guide),
            ties: 0,
            has_tolls: false,
        }
    };
    let priced = |wake| guided(&Compass::new(board, Style::new(tuning, wake)).guide, wake);
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
    let between: Vec<Compass> = (1..tuning.prices_between)
        .into_par_iter()
        .map(|i| priced(low + span * i / tuning.prices_between))
        .collect();
    between.into_iter().find(fits).unwrap_or(best)
}
