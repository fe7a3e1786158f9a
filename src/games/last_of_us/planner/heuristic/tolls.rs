//! Tolls: actions that it costs, beside the walk, to pass a cell where searches have got stuck.
//!
//! Where a crowd closes a way, a search that is drawn to the exit stays in front of it, however far the way
//! round. So the cells behind the place where it has got stuck are made dearer, and again where the next
//! search gets stuck there: sooner or later another way is the cheaper one. (Heuristics that rise where a
//! search makes no headway: Korf, "Real-time heuristic search", Artificial Intelligence 42, 1990.)

use crate::board::UNREACHED;
use crate::games::last_of_us::state::{Board, Site};

/// The first toll of a cell, in actions. Each further one doubles it.
const FIRST: u16 = 16;
/// The highest toll of a cell, in actions.
const MOST: u16 = 256;
/// The number of steps ahead of a stuck search whose cells get a toll.
const AHEAD: u32 = 3;

/// The tolls of a board's cells, in actions.
#[derive(Clone)]
pub struct Tolls {
    /// By cell; empty where there are none.
    tolls: Vec<u16>,
    most: u16,
}

impl Tolls {
    /// No tolls.
    pub fn none() -> Self {
        Tolls { tolls: Vec::new(), most: 0 }
    }

    /// A toll on every cell that is more than `steps` steps from a way.
    pub fn off(board: &Board, way: &[Site], steps: u32, toll: u16) -> Self {
        let mut tolls = vec![toll; board.sites()];
        let mut front = way.to_vec();
        for _ in 0..=steps {
            front.iter().for_each(|&site| tolls[site as usize] = 0);
            let around = |site: Site| board.steps.map(|step| site.wrapping_add_signed(step));
            front = front.into_iter().flat_map(around).collect();
            front.retain(|&to| board.is_floor(to) && tolls[to as usize] != 0);
            front.sort_unstable();
            front.dedup();
        }
        Tolls { tolls, most: toll }
    }

    /// The toll of a cell.
    #[inline]
    pub fn of(&self, site: Site) -> u32 {
        self.tolls.get(site as usize).copied().unwrap_or(0).into()
    }

    /// No toll is higher.
    pub fn most(&self) -> u32 {
        self.most.into()
    }

    /// Whether no cell has a toll.
    pub fn is_empty(&self) -> bool {
        self.most == 0
    }

    /// Raises the tolls just ahead of a stuck search: on the ways from the cell nearest to the exit that it has
    /// reached. `contours` are the steps to the exit from each cell, with the tolls so far.
    pub fn raise(&mut self, board: &Board, contours: &[u32], reached: impl Iterator<Item = Site>) {
        let mut front: Vec<Site> = Vec::new();
        let mut least = UNREACHED;
        for site in reached {
            let contour = contours[site as usize];
            if contour < least {
                front.clear();
                least = contour;
            }
            if contour == least {
                front.push(site);
            }
        }
        self.tolls.resize(board.sites(), 0);
        for _ in 0..AHEAD {
            front.sort_unstable();
            front.dedup();
            let mut next = Vec::new();
            for site in front {
                let around = board.steps.iter().map(|&step| site.wrapping_add_signed(step));
                let is_nearer = |&to: &Site| contours[to as usize] < contours[site as usize];
                next.extend(around.filter(|&to| board.is_floor(to)).filter(is_nearer));
            }
            front = next;
            front.sort_unstable();
            front.dedup();
            front.iter().for_each(|&site| self.double(site));
        }
    }

    fn double(&mut self, site: Site) {
        let toll = &mut self.tolls[site as usize];
        *toll = toll.saturating_mul(2).clamp(FIRST, MOST);
        self.most = self.most.max(*toll);
    }
}

#[cfg(test)]
mod tests {
    use super::super::{FREE, Guide, UNIT};
    use super::*;
    use crate::diagnostic::Source;
    use crate::games::last_of_us::format::read_map;

    /// Two corridors lead from Ellie to the exit, of 12 and of 24 steps.
    const MAP: &str = "two ways
10 15 0
###############
#E...........X#
#.###########.#
#.###########.#
#.###########.#
#.###########.#
#.###########.#
#.###########.#
#.............#
###############
";

    #[test]
    fn cells_off_a_way_have_a_toll_and_guides_lead_along_it() {
        let map = read_map(&Source::new("two ways", MAP)).unwrap();
        let board = Board::new(&map);
        // Down the long way, and not to its end.
        let way: Vec<Site> = (0..5).map(|row| board.ellie + row * board.stride).collect();
        let tolls = Tolls::off(&board, &way, 1, 9);
        let free = (0..board.sites() as Site).filter(|&site| tolls.of(site) == 0);
        let below = (1..6).map(|row| board.ellie + row * board.stride);
        let expected = [board.ellie, board.ellie + 1].into_iter().chain(below);
        assert_eq!(free.collect::<Vec<_>>(), expected.collect::<Vec<_>>());
        assert_eq!(tolls.most(), 9);
        let guide = |tolls: &Tolls| Guide::with_tolls(&board, FREE, tolls);
        assert_eq!(guide(&Tolls::off(&board, &way, 30, 9)).steps(&board, board.ellie), 12);
        let long: Vec<Site> = (0..8).map(|row| board.ellie + row * board.stride).collect();
        let along = [&long[..], &(0..13).map(|col| long[7] + col).collect::<Vec<_>>()].concat();
        let tolls = Tolls::off(&board, &along, 0, 9);
        assert_eq!(guide(&tolls).steps(&board, board.ellie), 24);
    }

    #[test]
    fn a_way_where_a_search_gets_stuck_again_and_again_gives_place_to_the_way_round() {
        let map = read_map(&Source::new("two ways", MAP)).unwrap();
        let board = Board::new(&map);
        let mut tolls = Tolls::none();
        let guide = |tolls: &Tolls| Guide::with_tolls(&board, FREE, tolls);
        assert_eq!(guide(&tolls).steps(&board, board.ellie), 12);
        // A search that cannot pass the fifth cell of the short way.
        let reached = || (0..5).map(|col| board.ellie + col);
        let mut rounds = 0;
        while guide(&tolls).steps(&board, board.ellie) == 12 {
            let mut contours = guide(&tolls).priced;
            contours.iter_mut().filter(|c| **c != UNREACHED).for_each(|c| *c /= UNIT);
            tolls.raise(&board, &contours, reached());
            rounds += 1;
            assert!(rounds < 5, "{:?}", tolls.tolls);
        }
        assert_eq!(guide(&tolls).steps(&board, board.ellie), 24);
        // Only cells ahead have tolls, and none is higher than the highest.
        let with = (0..board.sites() as Site).filter(|&site| tolls.of(site) > 0);
        assert_eq!(with.collect::<Vec<_>>(), [5, 6, 7].map(|col| board.ellie + col));
        (0..20).for_each(|_| tolls.double(board.ellie));
        assert_eq!((tolls.of(board.ellie), tolls.most()), (MOST.into(), MOST.into()));
    }
}
