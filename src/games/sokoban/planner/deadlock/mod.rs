//! Deadlocks: proofs that a position has no solution, cheap tests first.
//!
//! Dead squares are in [`LevelAnalysis`](super::analysis::level::LevelAnalysis). Here are freeze deadlocks
//! ([`freeze`]), boxes that cannot all be matched with the targets that frozen boxes leave (bipartite deadlocks, [`cut_off`]), and
//! [corrals](corral): parts of the board that the player cannot reach, searched alone with the
//! boxes around them ([`corral_search`]; Virkkala, "Solving Sokoban", 2011). A box that leaves a
//! corral is taken off the board and the search goes on with the rest.
//!
//! What is proven is kept as a pattern: some boxes, and a region of the player, that are dead
//! whatever else stands on the board. Searches share their patterns, and corral searches apply them.
//!
//! `fess`, `packing_order` and `pushes` use these rules. The searches over bit boards have rules of their own, in
//! `bidirectional/pruning.rs`; A* on bit boards takes from here only what frozen boxes cut off.
//!
//! There is no test for closed diagonals, and no search of clusters of touching boxes without walls
//! around them: neither paid (`docs/notes/sokoban.md`).

pub mod corral;
pub mod corral_search;
pub mod cut_off;
pub mod freeze;

use crate::board::mix;
use crate::games::sokoban::board::region::{Flood, Occupied};
use crate::games::sokoban::board::square_set::{SquareSet, has, put};
use crate::games::sokoban::board::{Board, Square};
use ahash::{AHashMap, AHashSet};
use corral::Corrals;
use corral_search::CorralSearch;
use cut_off::CutOff;
use freeze::Freeze;

/// The most positions that are saved.
const SAVED_POSITIONS: usize = 20_000;
/// The most boxes of a corral that is searched.
const CORRAL_BOXES: usize = 14;
/// Patterns kept.
const PATTERNS: usize = 1 << 14;
/// Patterns kept for one square.
const PATTERNS_A_SQUARE: usize = 400;
/// Bytes that what is known of areas may take; then all is forgotten.
const MOST_BYTES: usize = 8 << 20;

/// Boxes that are dead together while the player is in a region.
#[derive(Clone, Debug)]
pub struct Pattern {
    boxes: SquareSet,
    region: SquareSet,
}

impl Pattern {
    /// Whether the boxes are on the board and the player is in the region.
    #[inline]
    pub fn matches(&self, bits: &[u64], player: Square) -> bool {
        has(&self.region, player) && self.boxes.iter().zip(bits).all(|(p, b)| p & !b == 0)
    }
}

/// Everything that proves a position dead.
pub struct Deadlocks<'a> {
    board: &'a Board,
    /// The squares from which a box can come to a target, by number.
    live: &'a [bool],
    /// Number of words of a set of squares.
    words: usize,
    freeze: Freeze,
    flood: Flood,
    inner: Flood,
    occupied: Occupied,
    frozen: Vec<Square>,
    cut_off: CutOff<'a>,
    corrals: Corrals,
    /// By the key of the area; `None` for those too large.
    corral_searches: AHashMap<u64, Option<CorralSearch>>,
    /// Bytes that they hold.
    corral_bytes: usize,
    patterns: Vec<Pattern>,
    /// Hashes of the patterns.
    known: AHashSet<u64>,
    patterns_at: Vec<Vec<u32>>,
    /// Positions that corral searches may still look at.
    saved: usize,
    /// How many more each position tested earns.
    pub earned: usize,
    /// Positions that all corral searches have looked at together.
    pub looked: u64,
}

impl<'a> Deadlocks<'a> {
    /// The tests of a board. `live` says by number from which squares a box can come to a target. Each position
    /// tested earns `earned` positions of corral searches; unspent ones are saved.
    pub fn new(board: &'a Board, live: &'a [bool], earned: usize) -> Self {
        Deadlocks {
            board,
            live,
            words: board.squares().div_ceil(64),
            freeze: Freeze::new(board),
            flood: Flood::new(&board.layout),
            inner: Flood::new(&board.layout),
            occupied: Occupied::new(&board.layout),
            frozen: Vec::new(),
            cut_off: CutOff::new(board),
            corrals: Corrals::new(board),
            corral_searches: AHashMap::new(),
            corral_bytes: 0,
            patterns: Vec::new(),
            known: AHashSet::new(),
            patterns_at: vec![Vec::new(); board.squares() + 1],
            saved: SAVED_POSITIONS,
            earned,
            looked: 0,
        }
    }

    /// Patterns learned.
    pub fn patterns(&self) -> usize {
        self.patterns.len()
    }

    /// Bytes held, about.
    pub fn memory(&self) -> usize {
        self.corral_bytes + self.patterns.len() * (self.words * 16 + 80) + self.cut_off.memory()
    }

    /// Whether a box on `square` could never move again. It need not be among those on the board.
    pub fn is_frozen(&mut self, occupied: &[bool], square: Square) -> bool {
        self.freeze.is_frozen(self.board, self.live, occupied, square)
    }

    /// The quick test of a push or macro move that has just put a box on `square`.
    pub fn is_dead_quickly(
        &mut self,
        occupied: &[bool],
        bits: &[u64],
        square: Square,
        player: Square,
    ) -> bool {
        self.freeze.is_dead(self.board, self.live, occupied, square)
            || self.matches_pattern(bits, square, player)
    }

    fn matches_pattern(&self, bits: &[u64], square: Square, player: Square) -> bool {
        self.patterns_at[square as usize]
            .iter()
            .any(|&i| self.patterns[i as usize].matches(bits, player))
    }

    /// The thorough test: boxes that frozen ones cut off from the targets, and corrals.
    pub fn is_dead(&mut self, boxes: &[Square], player: Square) -> bool {
        self.is_cut_off(boxes) || self.has_dead_corral(boxes, player)
    }

    /// Whether the boxes cannot all be matched with targets, past those that are frozen.
    pub fn is_cut_off(&mut self, boxes: &[Square]) -> bool {
        self.saved = (self.saved + self.earned).min(SAVED_POSITIONS);
        let mut frozen = std::mem::take(&mut self.frozen);
        self.freeze.all(self.board, self.live, boxes, &mut frozen);
        let dead = self.cut_off.is_dead(boxes, &frozen);
        self.frozen = frozen;
        dead
    }

    /// Looks at each part of the board that the player cannot reach.
    fn has_dead_corral(&mut self, boxes: &[Square], player: Square) -> bool {
        self.occupied.set_all(boxes, true);
        self.flood.fill(&self.occupied, player);
        let mut corrals = std::mem::take(&mut self.corrals);
        corrals.find(self.board, &self.occupied, boxes.len(), &self.flood);
        self.occupied.set_all(boxes, false);
        let dead = corrals.all().iter().any(|c| self.is_dead_corral(&c.area, &c.boxes, player));
        self.corrals = corrals;
        dead
    }

    /// Whether the boxes of an area that the player cannot reach are dead among themselves. Areas of many boxes are not
    /// looked at.
    pub fn is_dead_corral(&mut self, area: &[Square], members: &[Square], player: Square) -> bool {
        members.len() <= CORRAL_BOXES && self.is_dead_area(area, members, player)
    }

    /// Whether boxes of an area that the player cannot reach are dead among themselves, however many they are.
    pub fn is_dead_area(&mut self, area: &[Square], members: &[Square], player: Square) -> bool {
        let settled = members.iter().all(|&s| self.board.is_target[s as usize]);
        if settled {
            // Nothing in it needs to move, unless a target inside wants a box.
            return false;
        }
        if !self.is_dead_alone(area, members, player) {
            return false;
        }
        let mut core = members.to_vec();
        let mut i = 0;
        while i < core.len() && core.len() > 1 {
            let square = core.remove(i);
            let settled = core.iter().all(|&s| self.board.is_target[s as usize]);
            if settled || !self.is_dead_alone(area, &core, player) {
                core.insert(i, square);
                i += 1;
            }
        }
        self.learn(&core, player);
        true
    }

    /// Whether a learned deadlock is on the board.
    pub fn matches_any(&self, bits: &[u64], player: Square) -> bool {
        self.matches_since(0, bits, player)
    }

    /// Whether a learned deadlock is on the board, where the `first` ones are not looked at.
    pub fn matches_since(&self, first: usize, bits: &[u64], player: Square) -> bool {
        self.learned_since(first).iter().any(|pattern| pattern.matches(bits, player))
    }

    /// The learned deadlocks but for the first of them.
    pub fn learned_since(&self, first: usize) -> &[Pattern] {
        self.patterns.get(first..).unwrap_or(&[])
    }

    /// Keeps deadlocks that another search has learned.
    pub fn adopt(&mut self, patterns: &[Pattern]) {
        patterns.iter().for_each(|pattern| self.keep(pattern.clone()));
    }

    /// Keeps a proven deadlock: these boxes with the player in this region.
    pub fn learn(&mut self, boxes: &[Square], player: Square) {
        self.occupied.set_all(boxes, true);
        self.inner.fill(&self.occupied, player);
        self.occupied.set_all(boxes, false);
        let mut pattern = Pattern { boxes: vec![0; self.words], region: vec![0; self.words] };
        boxes.iter().for_each(|&s| put(&mut pattern.boxes, s));
        self.inner.squares().for_each(|s| put(&mut pattern.region, s));
        self.keep(pattern);
    }

    fn keep(&mut self, pattern: Pattern) {
        let words = pattern.boxes.iter().chain(&pattern.region);
        if self.patterns.len() >= PATTERNS || !self.known.insert(words.fold(0, |k, &w| mix(k ^ w)))
        {
            return;
        }
        let number = self.patterns.len() as u32;
        for (square, list) in self.patterns_at.iter_mut().enumerate() {
            if square < self.board.squares()
                && has(&pattern.boxes, square as Square)
                && list.len() < PATTERNS_A_SQUARE
            {
                list.push(number);
            }
        }
        self.patterns.push(pattern);
    }

    /// Whether boxes of an area are proven dead among themselves; see [`CorralSearch`].
    fn is_dead_alone(&mut self, area: &[Square], members: &[Square], player: Square) -> bool {
        let area_key = area.iter().fold(0, |k, &s| k ^ self.board.region_keys[s as usize]);
        if self.corral_bytes > MOST_BYTES {
            self.corral_searches.clear();
            self.corral_bytes = 0;
        }
        let (board, live) = (self.board, self.live);
        let found = self.corral_searches.entry(area_key).or_insert_with(|| {
            let made = CorralSearch::new(board, live, area);
            self.corral_bytes += made.as_ref().map_or(0, |made| made.memory());
            made
        });
        let Some(corral_search) = found else { return false };
        let before = corral_search.memory();
        corral_search.hear(&self.patterns);
        let dead = corral_search.is_dead(members, player, self.saved);
        self.corral_bytes += corral_search.memory() - before;
        let positions = corral_search.positions();
        self.saved = self.saved.saturating_sub(positions);
        self.looked += positions as u64;
        dead
    }
}
