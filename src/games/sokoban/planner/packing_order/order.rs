//! The packing order: which targets are filled in which phase, and which boxes are parked meanwhile.
//!
//! The order is found by playing backward. Boxes stand on all targets; step by step those that can be
//! pulled to a square where a box starts are taken off together, and where none can, one is parked. The
//! first step is the phase that is filled last. A phase is a set: nothing is said of the order inside.
//!
//! Parking is tried depth first, so the search may fail late. Then the best part of it is completed
//! by taking off, step by step, whatever can be pulled at all.

use super::level::pulls::{FAR, Pulls};
use super::level::terrain::Terrain;
use crate::games::sokoban::board::Square;
use crate::games::sokoban::board::region::{Flood, Occupied};

/// Percentage of the boxes, rounded, that may be left for the rules of the end to hold: then a box
/// may leave though it cannot move far.
const END_PERCENT: usize = 15;
/// Percentage of the squares within the boxes' reach, rounded down, that a box must be able to get to
/// for it to leave before the end.
const LARGE_AREA_PERCENT: usize = 25;
/// Rows and columns, added up, between a target and the square at which its box starts.
const LEAST_REMOVAL: u32 = 3;
/// Number of parkings that are tried.
const MOST_PARKINGS_TRIED: u32 = 512_000;
/// Number of steps.
const MOST_STEPS: u16 = 1000;
/// Number of targets, parkings included.
pub const MOST_TARGETS: usize = 254;
/// Phase of what has none yet.
pub const NO_PHASE: u16 = 0;

/// A square that is to hold a box after its phase.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Target {
    pub square: Square,
    /// The phase in which it is filled, counted down to 1; [`NO_PHASE`] where that is not known yet.
    pub phase: u16,
    /// Of a parking: the phase in which its box moves on; 0 for real targets.
    pub destination: u16,
}

/// Targets and parkings with their phases, without gaps.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Phases {
    /// The real targets in order, then the parkings.
    pub targets: Vec<Target>,
    /// Number of phases.
    pub count: u16,
}

/// One or two squares for a box, each with the player's square beside it.
#[derive(Clone, Copy, Debug)]
pub struct Parking {
    /// Number of pushes back from the first square, on the empty board.
    pub distance: u16,
    pub first: (Square, Square),
    pub second: Option<(Square, Square)>,
}

impl Parking {
    /// The squares, the better one first.
    pub fn places(&self) -> impl Iterator<Item = (Square, Square)> + use<> {
        [Some(self.first), self.second].into_iter().flatten()
    }
}

/// What a step of the search starts from.
#[derive(Clone, Copy)]
struct Step {
    /// The step, which is the phase of what it takes off.
    number: u16,
    /// Number of targets taken off so far, parkings included.
    taken: usize,
    /// Number of boxes left.
    left: usize,
    /// Number of real targets that still hold a box.
    goals: usize,
    player: Square,
}

/// What a step could do.
#[derive(Default)]
struct Choice {
    /// Targets whose boxes can leave, each with the number of the box that starts where it leaves to.
    leaving: Vec<(usize, usize)>,
    /// Targets whose boxes could leave but for the small area in which they can move.
    cramped: Vec<usize>,
}

/// The longest part of an order that a failed search came to.
#[derive(Default)]
struct Partial {
    phases: Vec<u16>,
    taken: usize,
    /// Whether boxes left the board in it, and were not just parked.
    has_left: bool,
}

/// The search for an order.
pub struct OrderSearch<'a> {
    pub(super) terrain: &'a Terrain,
    pub(super) targets: Vec<Target>,
    pub(super) occupied: Occupied,
    pub(super) pulls: Pulls,
    pub(super) walk: Flood,
    /// The player's region in a step.
    pub(super) region: Flood,
    /// By box: whether a box has left to where it starts.
    is_used: Vec<bool>,
    /// By target: the boxes that can come from their starts.
    starts: Vec<Vec<bool>>,
    /// By target: number of those that are not used.
    unused: Vec<usize>,
    best: Partial,
    parkings_tried: u32,
    /// Number of floods so far, besides those of `pulls`.
    floods: u64,
    /// Number of squares that may be looked at.
    work: u64,
    is_halted: &'a dyn Fn() -> bool,
}

/// Finds an order, looking at no more than `work` squares for the careful search. `None` where there is
/// none, or the search is halted.
pub fn find(terrain: &Terrain, work: u64, is_halted: &dyn Fn() -> bool) -> Option<Phases> {
    let mut search = OrderSearch::new(terrain, work, is_halted);
    if search.try_each_region(|search, player| search.begin(player)) {
        return Some(numbered(search.targets));
    }
    search.fall_back().then(|| numbered(search.targets))
}

/// The phases without gaps.
fn numbered(mut targets: Vec<Target>) -> Phases {
    let most = targets.iter().map(|target| target.phase).max().unwrap_or(0);
    let mut numbers = vec![0; most as usize + 1];
    targets.iter().for_each(|target| numbers[target.phase as usize] = 1);
    numbers[0] = 0;
    let mut count = 0;
    for number in &mut numbers {
        count += *number;
        *number = count;
    }
    for target in &mut targets {
        target.phase = numbers[target.phase as usize];
        target.destination = numbers[target.destination as usize];
    }
    Phases { targets, count }
}

impl<'a> OrderSearch<'a> {
    fn new(terrain: &'a Terrain, work: u64, is_halted: &'a dyn Fn() -> bool) -> Self {
        let target = |&square: &Square| Target { square, phase: NO_PHASE, destination: 0 };
        let starts: Vec<Vec<bool>> = terrain
            .from_goal
            .iter()
            .map(|far| terrain.boxes().iter().map(|&s| far[s as usize] != FAR).collect())
            .collect();
        let unused = starts.iter().map(|starts| starts.iter().filter(|&&can| can).count());
        OrderSearch {
            terrain,
            targets: terrain.goals().iter().map(target).collect(),
            occupied: terrain.occupied(terrain.goals()),
            pulls: Pulls::new(terrain),
            walk: Flood::new(terrain.layout()),
            region: Flood::new(terrain.layout()),
            is_used: vec![false; terrain.boxes().len()],
            unused: unused.collect(),
            starts,
            best: Partial::default(),
            parkings_tried: 0,
            floods: 0,
            work,
            is_halted,
        }
    }

    /// Number of real targets.
    pub(super) fn goals(&self) -> usize {
        self.terrain.goals().len()
    }

    /// Whether the search must end.
    fn is_spent(&self) -> bool {
        let looked = (self.floods + self.pulls.floods) * self.terrain.squares() as u64;
        looked > self.work || (self.is_halted)()
    }

    /// Tries from the player's square, and then from one square of each other region that boxes on the
    /// targets leave.
    fn try_each_region(&mut self, mut attempt: impl FnMut(&mut Self, Square) -> bool) -> bool {
        let terrain = self.terrain;
        let squares = terrain.squares() as Square;
        let mut seen = vec![false; squares as usize];
        let mut player = terrain.player();
        loop {
            if attempt(self, player) {
                return true;
            }
            self.walk.fill(&self.occupied, player);
            (0..squares).for_each(|s| seen[s as usize] |= self.walk.contains(s));
            let is_new = |&s: &Square| !terrain.is_goal[s as usize] && !seen[s as usize];
            let following = (player + 1..squares).chain(0..player);
            let mut following = following.take_while(|&s| s != terrain.player());
            match following.find(is_new) {
                Some(next) if !self.is_spent() => player = next,
                _ => return false,
            }
        }
    }

    /// Searches with the player beginning there.
    fn begin(&mut self, player: Square) -> bool {
        let seen = self.terrain.boxes().iter().map(|&s| self.terrain.is_goal[s as usize]).collect();
        let count = self.goals();
        self.search(Step { number: 1, taken: 0, left: count, goals: count, player }, seen)
    }

    /// Plays a step and all that follow; whether no box is left then. `seen` says of each box whether
    /// the player, or a box that he could get at, has been where it starts.
    fn search(&mut self, step: Step, mut seen: Vec<bool>) -> bool {
        if step.left == 0 {
            return true;
        }
        if step.number > MOST_STEPS || self.is_spent() {
            return false;
        }
        self.look(step.player, &mut seen);
        let mut choice = Choice::default();
        if seen.iter().all(|&seen| seen) {
            choice = self.choose(step);
        }
        let leaves_goals = choice.leaving.iter().any(|&(k, _)| k < self.goals());
        if !leaves_goals && step.goals > 0 && choice.cramped.is_empty() {
            self.take_back(&mut choice.leaving);
        }
        if choice.leaving.is_empty() || !choice.cramped.is_empty() {
            let mut leaving = choice.leaving.clone();
            self.take_back(&mut leaving);
            if self.park(step, &choice.cramped, &seen) {
                return true;
            }
            choice.leaving.iter().for_each(|&(k, start)| self.claim(step, k, start));
        }
        self.remove(step, &mut choice.leaving, seen)
    }

    /// Finds the player's region, and notes the starts that it touches.
    fn look(&mut self, player: Square, seen: &mut [bool]) {
        let terrain = self.terrain;
        self.floods += 1;
        self.region.fill(&self.occupied, player);
        for (seen, &start) in seen.iter_mut().zip(terrain.boxes()) {
            let touches = || (0..4).any(|d| self.region.contains(terrain.step(start, d)));
            *seen |= self.region.contains(start) || self.occupied[start as usize] && touches();
        }
    }

    /// Finds what can leave in a step, and claims a start for each.
    fn choose(&mut self, step: Step) -> Choice {
        let large_area = self.terrain.reachable * LARGE_AREA_PERCENT / 100;
        let mut choice = Choice::default();
        for k in 0..self.targets.len() {
            let is_parking = k >= self.goals();
            if self.targets[k].phase != NO_PHASE
                || is_parking && choice.leaving.iter().any(|&(other, _)| other < self.goals())
                || !self.can_pull(self.targets[k].square) && !self.may_stay(k)
            {
                continue;
            }
            let Some(start) = self.start_for(step, k) else { continue };
            if self.pulls.reached.len() >= large_area || self.is_end(step) || is_parking {
                self.claim(step, k, start);
                choice.leaving.push((k, start));
            } else {
                choice.cramped.push(k);
            }
        }
        choice
    }

    /// Whether few boxes are left.
    fn is_end(&self, step: Step) -> bool {
        step.left <= (self.terrain.boxes().len() * END_PERCENT + 50) / 100
    }

    /// Whether the player can pull a box off a square now.
    pub(super) fn can_pull(&self, square: Square) -> bool {
        let terrain = self.terrain;
        (0..4).any(|d| {
            let to = terrain.step(square, d);
            !self.occupied[to as usize]
                && terrain.is_reachable[to as usize]
                && self.region.contains(terrain.step(to, d))
        })
    }

    /// Whether the box of a target, and all others that are left, stand where boxes start: then
    /// nothing need be pulled.
    fn may_stay(&self, k: usize) -> bool {
        let is_start = |target: &Target| self.terrain.is_start[target.square as usize];
        is_start(&self.targets[k])
            && self.targets.iter().filter(|target| target.phase == NO_PHASE).all(is_start)
    }

    /// The start that a target's box had best leave to, and leaves in `pulls` where it can get to.
    fn start_for(&mut self, step: Step, k: usize) -> Option<usize> {
        let terrain = self.terrain;
        let from = self.targets[k].square;
        self.pulls.measure_for(terrain, &mut self.occupied, from, step.player);
        let mut best: Option<(usize, usize)> = None;
        for (start, &square) in terrain.boxes().iter().enumerate() {
            let is_far = terrain.manhattan(square, from) >= LEAST_REMOVAL
                || square == from && k < self.goals()
                || self.is_end(step);
            if self.is_used[start] || !is_far || self.pulls.distance(square) == FAR {
                continue;
            }
            let wanted = |k: usize| self.targets[k].phase == NO_PHASE && self.starts[k][start];
            let value = (0..self.targets.len()).filter(|&k| wanted(k)).map(|k| self.unused[k]);
            let value = value.min().unwrap_or(usize::MAX);
            if best.is_none_or(|(most, _)| value > most)
                && (square == from || step.left == 1 || self.can_return(step, from, square))
            {
                best = Some((value, start));
            }
        }
        best.map(|(_, start)| start)
    }

    /// Whether the player, who has pulled a box from one square to another, can walk back.
    fn can_return(&mut self, step: Step, from: Square, to: Square) -> bool {
        self.pulls.arrivals(to).any(|d| {
            let player = self.terrain.step(to, d);
            self.walk_after(from, to, player);
            self.walk.contains(step.player)
        })
    }

    /// Finds where the player can walk once a box was pulled from one square to another.
    pub(super) fn walk_after(&mut self, from: Square, to: Square, player: Square) {
        self.occupied.set(from, false);
        self.occupied.set(to, true);
        self.floods += 1;
        self.walk.fill(&self.occupied, player);
        self.occupied.set(to, false);
        self.occupied.set(from, true);
    }

    fn claim(&mut self, step: Step, k: usize, start: usize) {
        self.targets[k].phase = step.number;
        self.is_used[start] = true;
        for (unused, starts) in self.unused.iter_mut().zip(&self.starts) {
            *unused -= usize::from(starts[start]);
        }
    }

    fn take_back(&mut self, leaving: &mut Vec<(usize, usize)>) {
        for (k, start) in leaving.drain(..) {
            self.targets[k].phase = NO_PHASE;
            self.is_used[start] = false;
            for (unused, starts) in self.unused.iter_mut().zip(&self.starts) {
                *unused += usize::from(starts[start]);
            }
        }
    }

    /// Takes all boxes off that can leave, and goes on.
    fn remove(&mut self, step: Step, leaving: &mut Vec<(usize, usize)>, seen: Vec<bool>) -> bool {
        if leaving.is_empty() {
            return false;
        }
        let goals = leaving.iter().filter(|&&(k, _)| k < self.goals()).count();
        let count = leaving.len();
        for &(k, _) in &*leaving {
            self.occupied.set(self.targets[k].square, false);
        }
        let following = Step {
            number: step.number + 1,
            taken: step.taken + count,
            left: step.left - count,
            goals: step.goals - goals,
            player: step.player,
        };
        if self.search(following, seen) {
            return true;
        }
        self.note_failure(following.taken, true);
        for &(k, _) in &*leaving {
            self.occupied.set(self.targets[k].square, true);
        }
        self.take_back(leaving);
        false
    }

    /// Parks one box after another, each on either of two squares, until what follows succeeds.
    fn park(&mut self, step: Step, cramped: &[usize], seen: &[bool]) -> bool {
        let among: Vec<usize> =
            if cramped.is_empty() { (0..self.goals()).collect() } else { cramped.to_vec() };
        let mut open = self.parkings(&among, step.player);
        while let Some(at) = self.best_to_park(&open) {
            self.parkings_tried += 1;
            if self.parkings_tried > MOST_PARKINGS_TRIED || self.is_spent() {
                return false;
            }
            let (k, parking) = open.remove(at);
            if parking.places().any(|place| self.park_on(step, k, place, seen)) {
                return true;
            }
        }
        false
    }

    /// Parks the box of a target on a square, with the player beside it, and goes on.
    fn park_on(
        &mut self,
        step: Step,
        k: usize,
        (square, player): (Square, Square),
        seen: &[bool],
    ) -> bool {
        if self.targets.len() >= MOST_TARGETS {
            return false;
        }
        let from = self.targets[k].square;
        self.targets[k].phase = step.number;
        self.occupied.set(from, false);
        self.occupied.set(square, true);
        self.targets.push(Target { square, phase: NO_PHASE, destination: step.number });
        self.starts.push(vec![false; self.is_used.len()]);
        self.unused.push(0);
        let following = Step {
            number: step.number + 1,
            taken: step.taken + 1,
            goals: step.goals - 1,
            player,
            ..step
        };
        if self.search(following, seen.to_vec()) {
            return true;
        }
        self.note_failure(following.taken, false);
        self.targets.pop();
        self.starts.pop();
        self.unused.pop();
        self.occupied.set(square, false);
        self.occupied.set(from, true);
        self.targets[k].phase = NO_PHASE;
        false
    }

    /// Which box of these to park next: one that can be put farthest from its target.
    fn best_to_park(&self, open: &[(usize, Parking)]) -> Option<usize> {
        let mut best: Option<(usize, u16)> = None;
        for (at, (k, parking)) in open.iter().enumerate() {
            let is_better = best.is_none_or(|(_, far)| {
                let is_corner = self.terrain.is_corner(self.targets[*k].square);
                parking.distance > far || parking.distance == far && !is_corner
            });
            if is_better {
                best = Some((at, parking.distance));
            }
        }
        best.map(|(at, _)| at)
    }

    /// Keeps the phases of a failed attempt where it came farther than those before.
    fn note_failure(&mut self, taken: usize, has_left: bool) {
        let Partial { has_left: had_left, taken: most, .. } = self.best;
        if has_left && !had_left || has_left == had_left && taken > most {
            let phases = self.targets.iter().take(self.goals()).map(|target| target.phase);
            self.best = Partial { phases: phases.collect(), taken, has_left };
        }
    }

    /// Completes the best part of an order by what can be pulled at all.
    fn fall_back(&mut self) -> bool {
        let goals = self.goals();
        self.targets.truncate(goals);
        self.best.phases.resize(goals, NO_PHASE);
        for (target, &phase) in self.targets.iter_mut().zip(&self.best.phases) {
            target.phase = phase;
            self.occupied.set(target.square, phase == NO_PHASE);
        }
        self.work = u64::MAX;
        self.try_each_region(|search, player| search.pull_all(player))
    }

    /// Takes off whatever can be pulled, with the player beginning there, until nothing is left.
    fn pull_all(&mut self, player: Square) -> bool {
        let before = self.targets.clone();
        loop {
            if self.targets.iter().all(|target| target.phase != NO_PHASE) {
                return true;
            }
            let number = self.targets.iter().map(|target| target.phase).max().unwrap_or(0) + 1;
            self.region.fill(&self.occupied, player);
            let leaving: Vec<usize> = (0..self.targets.len())
                .filter(|&k| {
                    let Target { phase, square, .. } = self.targets[k];
                    phase == NO_PHASE && self.can_pull(square)
                })
                .collect();
            for &k in &leaving {
                self.targets[k].phase = number;
                self.occupied.set(self.targets[k].square, false);
            }
            if leaving.is_empty() {
                break;
            }
        }
        for (k, target) in before.into_iter().enumerate() {
            self.targets[k] = target;
            self.occupied.set(target.square, target.phase == NO_PHASE);
        }
        false
    }
}
