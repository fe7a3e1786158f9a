//! The stages of the planner: the order of its searches, and the part of the budget that each may spend.

use super::abstraction::Abstraction;
use super::beams::StyledBeam;
use super::compasses::{self, Compass, Style};
use super::dives;
use super::exact_space::Exact;
use super::ground::Ground;
use super::heuristic::Tolls;
use super::tuning::{self, Beams, Guides, Tuning};
use super::windows::Windows;
use crate::games::last_of_us::state::Move;
use crate::search::portfolio::anytime::{Anytime, Part};
use crate::search::{Ended, Outcome, SharedAStar};
use std::sync::Arc;

/// No beam is wider, in states of a layer.
const WIDEST: usize = 1 << 18;
/// The number of guides made here, for which memory is set aside: the one along the abstraction's way.
pub const GUIDES: usize = 1;
/// Steps from the abstraction's way at which cells have no toll.
const BESIDE_WAY: u32 = 2;

/// A planner at work.
pub struct Planner<'a> {
    /// The board, with all that the searches share of it.
    pub ground: &'a Ground<'a>,
    /// The best plan, the bound, and the budget.
    pub desk: Anytime<'a, Move>,
    /// The numbers that can be set.
    pub tuning: &'a Tuning,
}

impl<'a> Planner<'a> {
    /// Spends the budget; on a proof first where one is asked for.
    pub fn plan(mut self, wants_proof: bool) -> Outcome<Move> {
        if !self.desk.is_settled() {
            self.stages(wants_proof);
        }
        self.desk.outcome()
    }

    fn stages(&mut self, wants_proof: bool) {
        self.short_exact_search();
        if self.desk.is_over() {
            return;
        }
        let style = self.portfolio();
        if self.desk.is_over() {
            return;
        }
        let all = self.desk.part();
        let is_small = self.ground.board.shape.cells() <= self.tuning.astar.small;
        if self.desk.plan().is_none() || wants_proof {
            self.exact(all);
        } else if is_small {
            self.exact(self.part_for_proof());
        }
        self.shorten(style);
        self.spend_the_rest(style);
    }

    /// The remaining budget when windows give no more goes half to a proof, half to wide beams.
    fn spend_the_rest(&mut self, style: Style) {
        if self.desk.is_over() {
            return;
        }
        self.exact(self.part_for_proof());
        let compass = Compass::new(self.ground.board, style);
        let mut width = 2 * self.tuning.beam.wide;
        while width <= WIDEST && !self.desk.is_over() {
            self.beam(&compass, width);
            width *= 2;
        }
    }

    /// A*'s part of the budget where no proof is asked for.
    fn part_for_proof(&self) -> Part {
        let all = self.desk.part();
        all.within(all.limits.time.mul_f64(self.tuning.astar.part))
    }

    /// A* below the best length, with a part of the budget.
    pub fn exact(&mut self, part: Part) {
        self.desk.tell("exact search");
        let space = Exact::new(self.ground.board, self.ground.room);
        self.desk.play_part(&mut SharedAStar::new(&space), part);
    }

    /// A short A*, which is not worth the processes.
    fn short_exact_search(&mut self) {
        self.desk.tell("exact search, short");
        let space = Exact::new(self.ground.board, self.ground.room);
        let (all, tuning) = (self.desk.part(), &self.tuning.astar);
        let part = all.within(all.limits.time.mul_f64(tuning.short_part));
        let part = part.of_nodes(tuning.short_nodes);
        self.desk.play_part(&mut SharedAStar::new(&space).alone(), part);
    }

    /// The styles with their guides, in the order to try them.
    pub fn compasses(&self) -> Vec<Compass> {
        self.desk.tell("guides");
        let is_guarded = self.desk.known().bound > self.ground.way();
        let Ground { board, guides, .. } = *self.ground;
        compasses::all(board, guides, is_guarded, &self.tuning.guides)
    }

    /// Narrow beams in every style, then wider beams in the style that did best, beside a bound.
    fn portfolio(&mut self) -> Style {
        let mut compasses = self.compasses();
        let counted = self.desk.clock.limits.nodes.is_some();
        let ranked = if counted || rayon::current_num_threads() == 1 {
            let ranked = self.narrow_beams(&mut compasses);
            self.prove_alone();
            self.wider_beams(&compasses, &ranked);
            ranked
        } else {
            self.beside_abstraction(|planner| {
                let ranked = planner.narrow_beams(&mut compasses);
                planner.wider_beams(&compasses, &ranked);
                ranked
            })
        };
        compasses[ranked.first().map_or(0, |&(_, index)| index)].style
    }

    /// A narrow beam in each style; where the first one does badly, one along the abstraction's way, and dives
    /// where that does badly, too. The styles by the lengths of their plans.
    fn narrow_beams(&mut self, compasses: &mut Vec<Compass>) -> Vec<(u64, usize)> {
        let (board, bound) = (self.ground.board, self.desk.known().bound);
        let &Beams { first_width, patience, margin, headway, .. } = &self.tuning.beam;
        let mut ranked: Vec<(u64, usize)> = Vec::new();
        // Beams are told of each other's plans, not of those from dives: which of them does best has
        // to be known where none comes near a dive.
        let mut upper = self.desk.known().cost;
        let (mut index, mut dives_after) = (0, 0);
        while let Some(compass) = compasses.get(index).filter(|_| !self.desk.is_over()) {
            // With a plan in hand, a way that wants more bricks than there are promises little;
            // only the bold one may need fewer than it fears.
            let promising = compass.style.prices.wake == 0 || compass.missing(board) == 0;
            // Nor does the same again with other ties where it was not the best before.
            let is_same = |other: &Compass| Arc::ptr_eq(&other.guide, &compass.guide);
            let twin = compasses[..index].iter().position(is_same);
            let again = compass.ties != 0 && !twin.is_some_and(|twin| leads(&ranked, twin));
            if !again && (self.desk.plan().is_none() || promising) {
                // A narrow beam that is far over the bound has lost its way: the next style is due.
                let way = compass.guide.steps(board, board.ellie).max(bound);
                let layers = (way as f64 * patience) as u64;
                let beam = self.styled_beam(compass, first_width);
                let beam = beam.of_layers(layers.saturating_add(margin), headway);
                let length = self.play_beam(beam, upper);
                upper = length.unwrap_or(upper);
                ranked.push((length.unwrap_or(u64::MAX), index));
            }
            if index == 0
                && self.is_far_off()
                && let Some(along) = self.along_abstraction(compasses.len())
            {
                compasses.insert(1, along);
                dives_after = 1;
            }
            if index == dives_after
                && self.is_far_off()
                && let Some(detour) = self.dive(compasses)
            {
                // Right after the compass that comes twice.
                let again = compasses[index + 1..].iter().take_while(|compass| compass.ties != 0);
                compasses.insert(index + 1 + again.count(), detour);
            }
            index += 1;
        }
        ranked.sort_unstable();
        ranked
    }

    /// The compass of the light style along the abstraction's way. `None` where the abstraction finds no way within its
    /// part of the budget, or where there is no room for another guide beside `guides` of them.
    fn along_abstraction(&mut self, guides: usize) -> Option<Compass> {
        if self.ground.guides <= guides {
            return None;
        }
        let tuning::Abstraction { way_part, way_nodes, nodes_divisor, .. } =
            self.tuning.abstraction;
        let most = self.desk.clock.limits.nodes.map_or(u64::MAX, |nodes| nodes / nodes_divisor);
        let all = self.desk.part();
        let part = all.within(all.limits.time.mul_f64(way_part)).of_nodes(way_nodes.min(most));
        let abstraction = self.abstraction().coarse();
        let mut search = abstraction.bound_of(self.ground.board.start());
        self.desk.tell("a way by abstraction");
        self.desk.play_part(&mut search, part);
        let (board, &Guides { off_way, .. }) = (self.ground.board, &self.tuning.guides);
        let is_found = !search.way().is_empty() && !self.desk.is_over();
        is_found.then(|| {
            let tolls = Tolls::off(board, search.way(), BESIDE_WAY, off_way as u16);
            Compass::with_tolls(board, compasses::LIGHT, &tolls)
        })
    }

    /// Whether there is no plan yet, or one that is long for what is proven.
    fn is_far_off(&self) -> bool {
        let most = self.desk.known().bound * self.tuning.dives.far_off;
        self.desk.gap().is_none_or(|gap| gap * 100 > most)
    }

    /// Dives in some of the styles, for a share of the remaining budget. A compass of one that has gone round a
    /// place where others got stuck.
    pub fn dive(&mut self, compasses: &[Compass]) -> Option<Compass> {
        dives::dive(&mut self.desk, self.ground, compasses, &self.tuning.dives)
    }

    /// Wider and wider beams; where nothing was found, in every style.
    fn wider_beams(&mut self, compasses: &[Compass], ranked: &[(u64, usize)]) {
        let Beams { first_width, wide, .. } = self.tuning.beam;
        let mut width = 2 * first_width;
        while width <= wide && !self.desk.is_over() {
            // Where all plans are from dives, no style is known to do best.
            let is_ranked = ranked.first().is_some_and(|&(length, _)| length != u64::MAX);
            let rounds = if is_ranked { 1 } else { ranked.len() };
            for &(_, index) in &ranked[..rounds] {
                if !self.desk.is_over() {
                    self.beam(&compasses[index], width);
                }
            }
            width *= 2;
        }
    }

    /// One beam below the best length.
    pub fn beam(&mut self, compass: &Compass, width: usize) {
        let beam = self.styled_beam(compass, width);
        self.play_beam(beam, self.desk.known().cost);
    }

    fn styled_beam<'s>(&self, compass: &'s Compass, width: usize) -> StyledBeam<'s>
    where
        'a: 's,
    {
        StyledBeam::new(self.ground, compass, width, &self.tuning.beam)
    }

    /// One beam below a length; the length of its plan. Where the plan fails because of a clicker that the
    /// beam has forgotten, there is another beam that forgets none.
    fn play_beam(&mut self, mut beam: StyledBeam<'_>, upper: u64) -> Option<u64> {
        let desk = &mut self.desk;
        desk.tell(format!("beam of width {}", beam.width()));
        let mut played = desk.play_part(&mut beam, desk.part().below(upper));
        if played.is_refused {
            played = desk.play_part(&mut beam.remembering(), desk.part().below(upper));
        }
        played.cost
    }

    /// Looks for a bound by abstraction with a share of the budget, once there is a plan.
    fn prove_alone(&mut self) {
        if self.desk.plan().is_none() || self.desk.is_over() {
            return;
        }
        // Nothing else goes on meanwhile: all the memory that searches have is its own.
        let (all, tuning) = (self.desk.part(), &self.tuning.abstraction);
        let part = all.within(all.limits.time.mul_f64(tuning.part));
        self.prove(match self.desk.clock.limits.nodes {
            Some(nodes) => part.of_nodes(nodes / tuning.nodes_divisor),
            None => part,
        });
    }

    /// Looks for a bound by abstraction with a part of the budget.
    pub fn prove(&mut self, part: Part) {
        let abstraction = self.abstraction();
        self.desk.play_part(&mut abstraction.bound_of(self.ground.board.start()), part);
    }

    fn abstraction(&self) -> Abstraction<'a> {
        let ground = self.ground;
        let mut abstraction = Abstraction::new(ground.board, &ground.walk);
        abstraction.always_counted = self.tuning.abstraction.counted_bricks as u8;
        abstraction
    }

    /// Looks for that bound on another thread, beside other work, until that has settled the area.
    fn beside_abstraction<T: Send>(&mut self, work: impl FnOnce(&mut Self) -> T + Send) -> T {
        let (all, tuning) = (self.desk.part(), &self.tuning.abstraction);
        let part = all.within(all.limits.time.mul_f64(tuning.part_beside));
        let memory = part.limits.memory / tuning.memory_divisor;
        let seat = self.desk.beside(part.holding(memory).limits);
        // The other half is for what goes on meanwhile.
        let whole = self.desk.memory;
        self.desk.memory -= memory;
        let (abstraction, start) = (self.abstraction(), self.ground.board.start());
        let prove = || seat.play(&mut abstraction.bound_of(start));
        let (proven, done) = rayon::join(prove, || work(self));
        self.desk.memory = whole;
        self.desk.take_in(proven);
        done
    }

    /// Shortens the best plan window by window until no window gives anything, or the budget is spent.
    pub fn shorten(&mut self, style: Style) {
        let Some(plan) = self.desk.plan().filter(|_| !self.desk.is_over()) else { return };
        let mut windows = Windows::new(self.ground, style, plan.to_vec(), &self.tuning.windows);
        self.desk.tell("shortening");
        while self.desk.play(&mut windows, self.desk.rest()) == Ended::Resting
            && !self.desk.is_settled()
        {}
    }
}

/// Whether none of those ranked so far has found a shorter plan than the compass of this index.
fn leads(ranked: &[(u64, usize)], index: usize) -> bool {
    ranked.iter().min().is_some_and(|&(length, first)| first == index && length != u64::MAX)
}
