//! Pushes on bit boards as a space for [`search::astar`](crate::search::astar), for plans of least pushes or moves.
//!
//! A state is the boxes and the player. Where pushes count, the player is the first square of his region, and a
//! push costs one. Where moves count, he is where he stands, and a push costs the shortest walk before it, too. On
//! a symmetric board one state represents a position and all of its images; [`PushSpace::pushes`] translates a plan
//! back to the board.
//!
//! The bound of a state is the matching with the conflicts of pairs
//! ([`bound`](crate::games::sokoban::planner::bound)) in either measure, for no plan has fewer moves than pushes.
//! Where pushes count, children that cost more than the search wants now are held back; for most of them a look
//! at the prices of the targets suffices.
//!
//! Positions are pruned by dead pairs, freeze deadlocks, targets that frozen boxes cut off, corrals that a
//! search of fixed effort proves dead, and patterns learned from such corrals in earlier rounds. All of
//! these depend only on the position and on the number of the round, so the plan is the same for any
//! number of threads. A PI-corral is played first only where pushes count, for walking to it may cost moves.

use super::ground::{Corrals, Ground};
use super::penalties::{KnownSet, Penalties, SharedPenalties};
use super::prices::Prices;
use super::study::{Sample, Study};
use super::subproblems::BitBoardSolver;
use crate::games::sokoban::board::mask::{Bit, Mask, Maze};
use crate::games::sokoban::board::{Push, Square};
use crate::games::sokoban::planner::analysis::Prepared;
use crate::games::sokoban::planner::analysis::symmetry::Symmetry;
use crate::games::sokoban::planner::bidirectional::corral_search::Level;
use crate::games::sokoban::planner::bidirectional::patterns::{Pattern, Patterns};
use crate::games::sokoban::planner::bidirectional::{hash, pruning};
use crate::games::sokoban::planner::bound::LowerBound;
use crate::games::sokoban::planner::deadlock::cut_off::CutOff;
use crate::games::sokoban::planner::pushes::Measure;
use crate::games::sokoban::planner::tuning::AStar;
use crate::search::{Clock, Due, Portable, Space, Successor};
use std::sync::{Arc, RwLockReadGuard};

/// Number of low bits of a key that hold the player's square; the others are a hash of the boxes.
const PLAYER_BITS: u32 = 9;

/// The action that ends a plan and pays the surcharges.
const FINISH: u16 = u16::MAX;

/// The state space of pushes on a level, of all boxes or of some alone on the board.
pub struct PushSpace<'a, const W: usize> {
    level: Prepared<'a>,
    /// The measure of a plan's cost.
    measure: Measure,
    ground: Arc<Ground<W>>,
    /// The boxes at the start.
    boxes: Mask<W>,
    /// The surcharge of a box that ends on a bit; empty if there are no surcharges.
    surcharges: Vec<u32>,
    /// The symmetries of the board without the identity, each as a map of bits.
    images: Vec<Vec<Bit>>,
    /// The square of the player at the start.
    player: Bit,
    /// Prices, and penalties that are known; `None` if the level has no prices.
    penalties: Option<Arc<SharedPenalties<W>>>,
    /// Sum of the surcharges that the prices include and no plan pays.
    unpaid: u32,
    /// Studies of positions; `None` if there are to be none.
    study: Option<Study<W>>,
}

/// The boxes and the player: the first square of his region, or where he stands if moves count.
#[derive(Clone, Copy, PartialEq, Debug)]
pub struct State<const W: usize> {
    boxes: Mask<W>,
    player: Bit,
}

impl<const W: usize> State<W> {
    /// The state after [`FINISH`].
    const OVER: Self = State { boxes: Mask::EMPTY, player: 0 };
}

/// Working memory of an expansion.
pub struct Scratch<'a, const W: usize> {
    corrals: Corrals<W>,
    cut_off: CutOff<'a>,
    ground: Arc<Ground<W>>,
    /// The squares of frozen boxes.
    frozen: Vec<Square>,
    bound: LowerBound<'a>,
    /// The squares and poses of the boxes, and the number of the box on each bit.
    squares: Vec<Square>,
    poses: Vec<u32>,
    number: Vec<u16>,
    /// The player's steps to squares beside boxes that he can push, by bit; 0 if only pushes count.
    steps: Vec<u16>,
}

/// Gives back what other expansions can use.
impl<const W: usize> Drop for Scratch<'_, W> {
    fn drop(&mut self) {
        self.ground.take_back(self.bound.take_known());
    }
}

impl<'a, const W: usize> PushSpace<'a, W> {
    /// The space of a level for plans of least pushes or moves; `None` if the board needs more than `W` words or has
    /// more targets than boxes.
    pub fn new(level: Prepared<'a>, measure: Measure) -> Option<Self> {
        const { assert!(W * 64 <= 1 << PLAYER_BITS) };
        let board = level.board;
        if board.boxes.len() != board.targets.len() {
            return None;
        }
        let ground = Arc::new(Ground::new(level)?);
        let (maze, bit_of) = (&ground.maze, ground.bits(board));
        let image = |map: &Vec<Square>| {
            let mut image = vec![0; W * 64];
            for bit in maze.floor {
                image[bit as usize] = bit_of[map[maze.square(bit) as usize] as usize];
            }
            image
        };
        let images = Symmetry::new(board).maps().iter().skip(1).map(image).collect();
        let (boxes, player) = (maze.boxes, maze.player.first().unwrap_or(0));
        let shared = |prices| Arc::new(SharedPenalties::new(Arc::new(prices)));
        let penalties = Prices::new(level).map(shared);
        // Where moves count, studies save hardly an expansion.
        let studied = penalties.clone().filter(|_| measure == Measure::Pushes);
        let study = studied.and_then(|penalties| Study::new(level, penalties));
        Some(PushSpace {
            level,
            measure,
            ground,
            boxes,
            surcharges: Vec::new(),
            images,
            player,
            unpaid: penalties.as_ref().map_or(0, |penalties| penalties.prices.charged),
            penalties,
            study,
        })
    }

    /// The same space, in which studies of positions poll this clock.
    #[must_use]
    pub(super) fn timed_by(self, clock: &Clock) -> Self {
        PushSpace { study: self.study.map(|study| study.timed_by(clock)), ..self }
    }

    /// A solver of subproblems, which shares prices, penalties and patterns with this space. `None` if the level has no
    /// prices. The two must not search at the same time: what one of them learns changes the other.
    pub(super) fn solver(&self) -> Option<BitBoardSolver<W>> {
        let penalties = Arc::clone(self.penalties.as_ref()?);
        Some(BitBoardSolver { ground: Arc::clone(&self.ground), penalties, studies: true })
    }

    /// The known conflict sets of the start that cost most together, no two with a box in common.
    pub(super) fn sets(&self) -> Vec<KnownSet> {
        let start = (self.boxes, self.player);
        let sets = |shared: &SharedPenalties<W>| shared.sets(&self.ground, start);
        self.penalties.as_deref().map_or_else(Vec::new, sets)
    }

    /// The space of pushes of some boxes of a level, given by their squares, alone on the board. `added` has the surcharge
    /// of a box that ends on a target, by number of the target; the distances of the level must include it. Mirror images
    /// are different states, since their surcharges may differ.
    pub fn of_subset(
        level: Prepared<'a>,
        BitBoardSolver { ground, penalties, studies }: &BitBoardSolver<W>,
        boxes: &[Square],
        added: &[u16],
    ) -> Self {
        let bit_of = ground.bits(level.board);
        let mut surcharges = vec![0; W * 64];
        for (&target, &added) in level.board.targets.iter().zip(added) {
            surcharges[bit_of[target as usize] as usize] = added.into();
        }
        let study = Study::new(level, Arc::clone(penalties)).filter(|_| *studies);
        PushSpace {
            level,
            measure: Measure::Pushes,
            ground: Arc::clone(ground),
            boxes: boxes.iter().map(|&square| bit_of[square as usize]).collect(),
            surcharges,
            images: Vec::new(),
            player: bit_of[level.board.player as usize],
            penalties: Some(Arc::clone(penalties)),
            unpaid: 0,
            study,
        }
    }

    fn key_of(State { boxes, player }: State<W>) -> u64 {
        hash(boxes, player) >> PLAYER_BITS << PLAYER_BITS | u64::from(player)
    }

    /// The state that represents a position, given by the boxes, the player's square and his region; its key; and
    /// the symmetry that maps the position to it: 0 for the identity, otherwise one more than its index in
    /// `images`.
    #[inline]
    fn settle(&self, boxes: Mask<W>, (player, region): (Bit, Mask<W>)) -> (State<W>, u64, usize) {
        let places = match self.measure {
            Measure::Pushes => region,
            Measure::Moves => Mask::of(player),
        };
        let player = places.first().unwrap_or(0);
        let state = State { boxes, player };
        let mut best = (state, Self::key_of(state), 0);
        for (number, image) in (1..).zip(&self.images) {
            let moved = |set: Mask<W>| set.into_iter().map(|bit| image[bit as usize]);
            let (boxes, player) = (moved(boxes).collect(), moved(places).min().unwrap_or(0));
            let state = State { boxes, player };
            let key = Self::key_of(state);
            if key < best.1 {
                best = (state, key, number);
            }
        }
        best
    }

    /// The boxes after a push.
    #[inline]
    fn boxes_after(&self, boxes: Mask<W>, (from, d): (Bit, usize)) -> Mask<W> {
        boxes.without(Mask::of(from)) | Mask::of(self.ground.maze.next(from, d))
    }

    /// The state after a push, settled.
    fn after(&self, state: &State<W>, action: u16) -> (State<W>, u64, usize) {
        if action == FINISH {
            return (State::OVER, Self::key_of(State::OVER), 0);
        }
        let (from, d) = moved(action);
        let boxes = self.boxes_after(state.boxes, (from, d));
        self.settle(boxes, (from, self.region_of(boxes, from)))
    }

    /// The children that an expansion visits when the search wants those in `due`: all of them where moves count. There,
    /// walks make most children of a state differ in the sum of cost and bound, and an expansion for each sum takes three
    /// times as long as one for all.
    fn due(&self, due: Due) -> Due {
        match self.measure {
            Measure::Pushes => due,
            Measure::Moves => Due::ALL,
        }
    }

    /// Whether each box is on a target.
    #[inline]
    fn is_home(&self, boxes: Mask<W>) -> bool {
        boxes.without(self.ground.maze.targets).is_empty()
    }

    /// The squares that the player reaches.
    fn region_of(&self, boxes: Mask<W>, player: Bit) -> Mask<W> {
        let maze = &self.ground.maze;
        maze.region(Mask::of(player), maze.floor.without(boxes))
    }

    /// The state in which the search begins, settled.
    fn settled_start(&self) -> (State<W>, u64, usize) {
        self.settle(self.boxes, (self.player, self.region_of(self.boxes, self.player)))
    }

    /// Measures the player's steps to some squares of his region.
    fn walk(&self, state: &State<W>, to: Mask<W>, steps: &mut [u16]) {
        let maze = &self.ground.maze;
        let free = maze.floor.without(state.boxes);
        let (mut reached, mut rim, mut left) = (Mask::EMPTY, Mask::of(state.player), to);
        for walked in 0.. {
            (rim & left).into_iter().for_each(|bit| steps[bit as usize] = walked);
            left = left.without(rim);
            if left.is_empty() || rim.is_empty() {
                return;
            }
            reached |= rim;
            rim = (maze.beside(rim) & free).without(reached);
        }
    }

    /// Translates a plan of the space into pushes on the board.
    pub fn pushes(&self, plan: &[u16]) -> Vec<Push> {
        let maze = &self.ground.maze;
        // By bit of the current state: the bit of the board that it is the image of.
        let mut place: Vec<Bit> = (0..).take(W * 64).collect();
        let turn = |place: &mut Vec<Bit>, image: usize| {
            let Some(image) = image.checked_sub(1).map(|at| &self.images[at]) else { return };
            let before = place.clone();
            maze.floor.into_iter().for_each(|bit| {
                place[image[bit as usize] as usize] = before[bit as usize];
            });
        };
        let (mut state, _, image) = self.settled_start();
        turn(&mut place, image);
        let mut pushes = Vec::with_capacity(plan.len());
        for &action in plan.iter().filter(|&&action| action != FINISH) {
            let (from, d) = moved(action);
            let [from, to] = [from, maze.next(from, d)].map(|bit| maze.square(place[bit as usize]));
            let next = self.level.board.next[from as usize];
            let direction = next.iter().position(|&square| square == to).unwrap_or(d) as u8;
            pushes.push(Push { from, direction });
            let (child, _, image) = self.after(&state, action);
            turn(&mut place, image);
            state = child;
        }
        pushes
    }

    /// The player's region after a push; `None` if the position is dead.
    #[inline]
    fn survives(
        &self,
        (boxes, region): (Mask<W>, Mask<W>),
        (from, to): (Bit, Bit),
        patterns: &Patterns<W>,
    ) -> Option<Mask<W>> {
        let Ground { maze, live, groups, .. } = &*self.ground;
        let live = *live;
        if groups.is_dead_for_all(boxes, to) {
            return None;
        }
        let may_freeze = !pruning::can_move(maze, boxes, live, to);
        if may_freeze && !pruning::frozen(maze, boxes, live).without(maze.targets).is_empty() {
            return None;
        }
        let after = maze.region_after(region, maze.floor.without(boxes), (from, to), from);
        let is_dead =
            groups.is_dead(boxes, to, after.first()?) || patterns.matches(boxes, to, from);
        (!is_dead).then_some(after)
    }

    /// The boxes that may be pushed next; `None` if a corral is dead.
    fn movable(
        &self,
        state: &State<W>,
        region: Mask<W>,
        scratch: &mut Scratch<'_, W>,
        patterns: &Patterns<W>,
    ) -> Option<Mask<W>> {
        let &State { boxes, player } = state;
        let Ground { maze, live, groups, .. } = &*self.ground;
        let found = pruning::corrals(maze, boxes, region);
        let level = Level { maze, live: *live, groups };
        if !found.is_empty() {
            let corrals = scratch.corrals.search();
            let mut all = found.iter();
            if let Some(&dead) = all.find(|&&one| corrals.is_proven_dead(level, one, player)) {
                if let Some(core) = corrals.core(level, dead, player) {
                    self.ground.patterns.note(patterns, core);
                }
                return None;
            }
        }
        let play = match self.measure {
            Measure::Pushes => pruning::corral_to_play(maze, (boxes, region), *live, &found),
            Measure::Moves => None,
        };
        Some(play.unwrap_or(boxes))
    }

    /// Places a position whose poses were read, its player's region given: the boxes that may be pushed next, and the pushes that it takes
    /// at least. `None` if it is dead.
    fn place(
        &self,
        state: &State<W>,
        region: Mask<W>,
        scratch: &mut Scratch<'_, W>,
        patterns: &Patterns<W>,
    ) -> Option<(Mask<W>, u32)> {
        let movable = self.movable(state, region, scratch, patterns)?;
        let Ground { maze, live, .. } = &*self.ground;
        let distances = self.level.distances;
        let Scratch { bound, poses, cut_off, squares, frozen, .. } = scratch;
        frozen.clear();
        let held = pruning::frozen(maze, state.boxes, *live);
        frozen.extend(held.into_iter().map(|bit| maze.square(bit)));
        // If no box is frozen, the bound matches all with targets.
        if !frozen.is_empty() && cut_off.is_dead(squares, frozen) {
            return None;
        }
        let least = bound.place(distances, poses)?;
        // No child is worth less than its parent.
        Some((movable, bound.raised(distances, poses, least)))
    }

    /// The boxes of a position that may be pushed next, the least pushes that it takes, and the prices from which the bounds
    /// of its children are computed. An error has the pushes if they are more than `most`: `u32::MAX` if the position is dead.
    fn appraise(
        &self,
        state: &State<W>,
        region: Mask<W>,
        (scratch, patterns): (&mut Scratch<'_, W>, &Patterns<W>),
        most: u32,
    ) -> Result<(Mask<W>, u32, Option<Priced<'_, W>>), u32> {
        self.read(state, scratch);
        let priced = (self.penalties.as_deref())
            .map(|shared| Priced::new((shared, self.unpaid), &scratch.poses));
        // The cheapest test comes first.
        let floor = priced.as_ref().map_or(0, |priced| priced.bound(state.boxes, state.player));
        if floor > most {
            return Err(floor);
        }
        let placed = self.place(state, region, scratch, patterns);
        let (movable, least) = placed.ok_or(u32::MAX)?;
        let least = least.max(floor);
        if least > most { Err(least) } else { Ok((movable, least, priced)) }
    }

    /// Notes a position that is expanded, if it belongs to the sample of those that are studied.
    fn sample(&self, state: &State<W>, most: u32) {
        if let Some(study) = &self.study
            && Study::<W>::samples(Self::key_of(*state))
        {
            let &State { boxes, player } = state;
            study.note(Sample { boxes, player, most });
        }
    }

    /// The successor by [`FINISH`]; `None` if there are no surcharges, or if a box is on no target.
    fn finished(&self, boxes: Mask<W>) -> Option<Successor<u16>> {
        let pays = !self.surcharges.is_empty() && self.is_home(boxes);
        pays.then(|| Successor {
            action: FINISH,
            cost: boxes.into_iter().map(|bit| self.surcharges[bit as usize]).sum(),
            key: Self::key_of(State::OVER),
            bound: 0,
            estimate: 0,
            goal: true,
            class: 0,
        })
    }

    /// Reads the boxes' poses.
    fn read(&self, state: &State<W>, scratch: &mut Scratch<'_, W>) {
        let Prepared { board, distances, .. } = self.level;
        scratch.squares.clear();
        for bit in state.boxes {
            scratch.number[bit as usize] = scratch.squares.len() as u16;
            scratch.squares.push(self.ground.maze.square(bit));
        }
        let player = self.ground.maze.square(state.player);
        distances.read(board, &scratch.squares, player, &mut scratch.poses);
    }
}

/// The bounds of a position and of its children by prices and penalties.
struct Priced<'s, const W: usize> {
    prices: &'s Prices,
    penalties: RwLockReadGuard<'s, Penalties<W>>,
    /// The prices of all boxes of the position, surcharges included.
    sum: u32,
    /// As in [`PushSpace`].
    unpaid: u32,
}

impl<'s, const W: usize> Priced<'s, W> {
    fn new((shared, unpaid): (&'s SharedPenalties<W>, u32), poses: &[u32]) -> Self {
        let prices = &*shared.prices;
        Priced { prices, penalties: shared.known(), sum: prices.sum(poses), unpaid }
    }

    /// No plan from the position has fewer pushes.
    fn bound(&self, boxes: Mask<W>, player: Bit) -> u32 {
        (self.sum + self.penalties.cost(boxes, player)).saturating_sub(self.unpaid)
    }

    /// No plan has fewer pushes after the push of a box from one pose to another, which leaves these boxes and this player.
    #[inline]
    fn after(&self, (before, pose): (u32, u32), (boxes, player): (Mask<W>, Bit)) -> u32 {
        let sum = self.sum + self.prices.of(pose) - self.prices.of(before);
        (sum + self.penalties.cost(boxes, player)).saturating_sub(self.unpaid)
    }
}

/// The box that an action pushes, and the direction.
#[inline]
fn moved(action: u16) -> (Bit, usize) {
    (action >> 2, usize::from(action & 3))
}

impl<'a, const W: usize> Space for PushSpace<'a, W> {
    type State = State<W>;
    /// The bit of the box, times four, and the direction.
    type Action = u16;
    type Scratch = Scratch<'a, W>;

    fn start(&self) -> State<W> {
        self.settled_start().0
    }

    fn key(&self, state: &State<W>) -> u64 {
        Self::key_of(*state)
    }

    fn bound(&self, state: &State<W>) -> u32 {
        let mut scratch = self.scratch();
        self.read(state, &mut scratch);
        scratch.bound.place(self.level.distances, &scratch.poses).unwrap_or(u32::MAX)
    }

    fn is_goal(&self, state: &State<W>) -> bool {
        if self.surcharges.is_empty() { self.is_home(state.boxes) } else { *state == State::OVER }
    }

    fn scratch(&self) -> Scratch<'a, W> {
        let Prepared { board, distances, tuning, .. } = self.level;
        Scratch {
            corrals: Corrals::new(&self.ground, tuning.astar.corral),
            cut_off: CutOff::new(board),
            frozen: Vec::new(),
            bound: LowerBound::knowing(board, distances, self.ground.conflicts()),
            ground: Arc::clone(&self.ground),
            squares: Vec::new(),
            poses: Vec::new(),
            number: vec![0; W * 64],
            steps: vec![0; W * 64],
        }
    }

    fn expand(
        &self,
        state: &State<W>,
        scratch: &mut Scratch<'a, W>,
        visit: &mut impl FnMut(Successor<u16>),
    ) {
        self.expand_due(state, Due::ALL, scratch, visit);
    }

    fn expand_due(
        &self,
        state: &State<W>,
        due: Due,
        scratch: &mut Scratch<'a, W>,
        visit: &mut impl FnMut(Successor<u16>),
    ) -> u32 {
        let maze = &self.ground.maze;
        let &State { boxes, player } = state;
        let region = self.region_of(boxes, player);
        let patterns = self.ground.patterns.known();
        let (movable, least, priced) =
            match self.appraise(state, region, (scratch, &patterns), due.most) {
                Ok(appraised) => appraised,
                Err(least) => return least,
            };
        self.sample(state, due.most);
        let due = self.due(due);
        let distances = self.level.distances;
        let mut later = u32::MAX;
        let onto = self.ground.live.without(boxes);
        let pushable: [Mask<W>; 4] = std::array::from_fn(|d| maze.pushable(boxes, region, onto, d));
        if self.measure == Measure::Moves {
            let beside = |d: usize| maze.step(pushable[d] & movable, d ^ 2);
            self.walk(state, beside(0) | beside(1) | beside(2) | beside(3), &mut scratch.steps);
        }
        let Scratch { bound, poses, number, steps, .. } = scratch;
        for from in movable {
            for d in (0..4).filter(|&d| pushable[d].has(from)) {
                let to = maze.next(from, d);
                let pose = distances.beside(maze.square(to), d ^ 2);
                let number = usize::from(number[from as usize]);
                if !distances.is_live(pose) {
                    continue;
                }
                let cost = 1 + u32::from(steps[maze.next(from, d ^ 2) as usize]);
                let most = due.most.saturating_sub(cost);
                let Some(left) = bound.after_within(distances, poses, (number, pose), most) else {
                    continue;
                };
                let after = self.boxes_after(boxes, (from, d));
                let mut worth = least.max(cost + left);
                if let Some(priced) = &priced
                    && worth <= due.most
                {
                    worth = worth.max(cost + priced.after((poses[number], pose), (after, from)));
                }
                if !due.is_due(worth, &mut later) {
                    continue;
                }
                let Some(region) = self.survives((after, region), (from, to), &patterns) else {
                    continue;
                };
                visit(Successor {
                    action: from << 2 | d as u16,
                    cost,
                    key: self.settle(after, (from, region)).1,
                    bound: worth - cost,
                    estimate: worth - cost,
                    goal: self.surcharges.is_empty() && self.is_home(after),
                    class: 0,
                });
            }
        }
        let end = self.finished(boxes);
        end.filter(|end| due.is_due(least.max(end.cost), &mut later)).into_iter().for_each(visit);
        later
    }

    fn child(&self, state: &State<W>, action: u16, _: &mut Scratch<'a, W>) -> State<W> {
        self.after(state, action).0
    }

    fn leads_to(
        &self,
        state: &State<W>,
        action: u16,
        candidate: &State<W>,
        scratch: &mut Scratch<'a, W>,
    ) -> bool {
        if !self.images.is_empty() || action == FINISH {
            return self.child(state, action, scratch) == *candidate;
        }
        // Equal keys have the same player.
        self.boxes_after(state.boxes, moved(action)) == candidate.boxes
    }

    fn learn(&self) {
        self.ground.patterns.learn();
        if let Some(study) = &self.study {
            study.learn(self.level, &self.ground, self.unpaid);
        }
    }

    fn scratch_bytes(&self, scratch: &Scratch<'a, W>) -> usize {
        scratch.corrals.memory()
            + scratch.cut_off.memory()
            + scratch.bound.memory()
            + 2 * W * 64 * size_of::<u16>()
    }

    fn bytes(&self) -> usize {
        self.ground.memory() + self.penalties.as_ref().map_or(0, |penalties| penalties.memory())
    }
}

impl<const W: usize> Portable for PushSpace<'_, W> {
    const LEARNS: bool = true;

    fn pack(&self, state: &State<W>, words: &mut Vec<u64>) {
        words.extend(state.boxes.0);
        words.push(u64::from(state.player));
    }

    fn unpack(&self, words: &[u64]) -> Option<State<W>> {
        let (&player, boxes) = words.split_last()?;
        let boxes = Mask(boxes.try_into().ok()?);
        let player = Bit::try_from(player).ok().filter(|&bit| usize::from(bit) < W * 64)?;
        let Maze { floor, .. } = self.ground.maze;
        let is_state = boxes.without(floor).is_empty()
            && boxes.count() == self.boxes.count()
            && floor.without(boxes).has(player);
        is_state.then_some(State { boxes, player })
    }

    fn action_word(action: u16) -> u64 {
        action.into()
    }

    fn action_of(word: u64) -> Option<u16> {
        u16::try_from(word).ok().filter(|&action| usize::from(moved(action).0) < W * 64)
    }

    /// The settings that the space depends on, `astar.corral`, `astar.study` and `astar.study_pause`, and 1 where moves
    /// count, else 0.
    fn words(&self) -> Vec<u64> {
        let AStar { corral, study, study_pause, .. } = self.level.tuning.astar;
        vec![corral as u64, study, study_pause, u64::from(self.measure == Measure::Moves)]
    }

    /// The number of patterns, the words of each, and those of each position to be studied.
    fn lessons(&self, words: &mut Vec<u64>) {
        let patterns = self.ground.patterns.found_now();
        words.push(patterns.len() as u64);
        words.extend(patterns.iter().flat_map(Pattern::words));
        for Sample { boxes, player, most } in self.study.iter().flat_map(Study::noted) {
            self.pack(&State { boxes, player }, words);
            words.push(most.into());
        }
    }

    fn hear(&self, words: &[u64]) {
        let Some((&count, words)) = words.split_first() else { return };
        let count = usize::try_from(count).unwrap_or(usize::MAX).saturating_mul(2 * W);
        let Some((patterns, samples)) = words.split_at_checked(count) else { return };
        let known = self.ground.patterns.known();
        let patterns = patterns.chunks_exact(2 * W).filter_map(Pattern::of_words);
        patterns.for_each(|pattern| self.ground.patterns.note(&known, pattern));
        let Some(study) = &self.study else { return };
        for words in samples.chunks_exact(W + 2) {
            let Some((&most, state)) = words.split_last() else { continue };
            if let (Some(State { boxes, player }), Ok(most)) = (self.unpack(state), most.try_into())
            {
                study.note(Sample { boxes, player, most });
            }
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::games::sokoban::board::samples::{
        least_moves, least_pushes, mirrored_level, random_level,
    };
    use crate::games::sokoban::board::{Board, State};
    use crate::games::sokoban::planner::analysis::Preparation;
    use crate::games::sokoban::planner::tuning::Tuning;
    use crate::search::{self, Limits, Outcome, Run, Verdict};

    /// Upper limit of the positions of plain search.
    const MOST: usize = 3000;

    /// Runs A* on a board: the outcome, the plan as pushes on the board, and whether the board is symmetric. Its studies are
    /// so short that there are many.
    fn prove(board: &Board, measure: Measure, threads: usize) -> (Outcome<u16>, Vec<Push>, bool) {
        let astar = AStar { study: 200, study_pause: 0, ..AStar::default() };
        let preparation = Preparation::new(board, Tuning { astar, ..Tuning::default() });
        let space = PushSpace::<2>::new(preparation.level(board), measure).expect("it fits");
        let run = Run::from(Limits { threads, ..Limits::seconds(1000.0) });
        let outcome = run.limits.install(|| search::astar::astar(&space, &run.start()));
        let pushes = space.pushes(outcome.plan.as_deref().unwrap_or_default());
        (outcome, pushes, !space.images.is_empty())
    }

    /// Holds the outcomes on small levels to plain search: least costs, plans, and that they are the same for two
    /// threads.
    fn compare(measure: Measure, plain: impl Fn(&Board) -> Option<Option<usize>>) {
        let (mut solved, mut impossible, mut symmetric) = (0, 0, 0);
        for seed in 0..24_000 {
            let board = match seed % 4 {
                0 => random_level(seed, 8, 9),
                _ => mirrored_level(seed, 6, 7),
            };
            let Some(board) = board.filter(|board| board.balanced() && !board.has_spare_targets())
            else {
                continue;
            };
            let Some(least) = plain(&board) else { continue };
            let (outcome, pushes, is_symmetric) = prove(&board, measure, 1);
            let (other, other_pushes, _) = prove(&board, measure, 2);
            assert_eq!((other.verdict, other.cost), (outcome.verdict, outcome.cost), "seed {seed}");
            assert_eq!(other.effort.expanded, outcome.effort.expanded, "seed {seed}");
            assert_eq!(other_pushes, pushes, "seed {seed}");
            if outcome.verdict == Verdict::Impossible {
                assert_eq!(least, None, "seed {seed}");
                impossible += 1;
                continue;
            }
            let mut state = State::new(&board);
            for &push in &pushes {
                assert!(state.may_push(push), "seed {seed}: {push:?}");
                state.push(push);
            }
            assert_eq!(state.misplaced, 0, "seed {seed}");
            let cost = measure.cost(&board, &pushes).map(u64::from);
            assert_eq!(
                (cost, cost),
                (least.map(|cost| cost as u64), Some(outcome.cost)),
                "seed {seed}"
            );
            solved += 1;
            symmetric += u32::from(is_symmetric && outcome.cost > 1);
        }
        let count = format!("{solved} solved, {impossible} impossible, {symmetric} symmetric");
        eprintln!("{measure:?}: {count}");
        assert!(solved > 100 && impossible > 50 && symmetric > 20, "{measure:?}: {count}");
    }

    #[test]
    fn proves_what_plain_search_finds_on_any_number_of_threads() {
        compare(Measure::Pushes, |board| least_pushes(board, MOST));
        compare(Measure::Moves, |board| least_moves(board, MOST));
    }
}
