//! The walk along a packing order: best-first search that dives.
//!
//! The score of a position counts how much of the order is done and how far the box pushed last is
//! from a target of the present phase, so a box that is on its way stays on its way. A child that is
//! no worse than its parent and all open positions is expanded at once, before its siblings are
//! looked at: the search dives. Frames of unfinished expansions lie on a stack, so it can be stopped
//! and go on anywhere.

use super::corral::{Corrals, View, most_boxes};
use super::guide::Guide;
use super::level::terrain::{Terrain, on_board};
use super::open_list::OpenList;
use super::positions::{DEAD, NONE, Positions, WalkPosition};
use crate::games::sokoban::board::region::{Flood, Occupied};
use crate::games::sokoban::board::square_set::{SquareSet, put, take};
use crate::games::sokoban::board::{Push, Square};
use crate::games::sokoban::planner::deadlock::Deadlocks;
use ahash::AHashSet;

/// Number of generated pushes after which, where a position is chosen then, the rover chooses it.
const ROVER_PERIOD: u64 = 8;
/// Positions of corral searches that each generated push earns.
const EARNED: usize = 400;

/// Which rules the walk keeps to beyond those that make it up.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Rules {
    /// Whether pushes into deadlocks are left out, and deadlocks are learned.
    pub deadlocks: bool,
}

impl Rules {
    /// What makes up the walk and nothing more.
    #[cfg(test)]
    pub const PLAIN: Self = Rules { deadlocks: false };
    /// All rules.
    pub const ALL: Self = Rules { deadlocks: true };
}

/// Counts of what the walk did.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct Counts {
    /// Number of positions expanded.
    pub expanded: u64,
    /// Number of pushes generated.
    pub generated: u64,
}

/// How the walk went on.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Walked {
    Solved(Vec<Push>),
    /// No position is left.
    Through,
    /// As many positions were expanded as were allowed.
    Open,
}

/// A push of a box by number.
#[derive(Clone, Copy, Debug)]
pub(super) struct Step {
    pub(super) pushed: u32,
    pub(super) from: Square,
    pub(super) to: Square,
    pub(super) d: u8,
}

/// What becomes of a child.
pub(super) enum Child {
    /// It is known, was put on the open list, or is no good.
    Left,
    /// It is to be expanded now; its push stays done.
    Dive(u32),
    /// It solves the level.
    Solved(u32),
}

/// An expansion that is under way.
#[derive(Clone, Copy, Debug)]
pub(super) struct Frame {
    pub(super) position: u32,
    /// The push that led here from the frame below; `None` where the position was chosen.
    step: Option<Step>,
    /// Its score when it began.
    pub(super) score: u16,
    /// The best score of its children.
    pub(super) best: u16,
    /// Whether only the box pushed last may be pushed on, through a tunnel.
    is_in_tunnel: bool,
    /// Whether the boxes outside a corral are left out.
    pub(super) is_in_corral: bool,
    /// Whether children take over its score: a corral leaves some box out.
    pub(super) inherits: bool,
    /// Whether it has a legal push, or need not have one.
    pub(super) has_push: bool,
    /// Number of positions known when it began.
    known: usize,
    /// Which box comes next, in the order of this expansion, and in which direction.
    turn: usize,
    d: u8,
}

/// What each depth of the dive keeps.
#[derive(Clone, Debug)]
struct Level {
    /// The player's region.
    region: Flood,
    /// By number of a box: whether it is not to be pushed.
    is_out: Vec<bool>,
}

/// The search.
pub struct Walk<'a> {
    pub(super) terrain: &'a Terrain,
    pub(super) guide: &'a Guide,
    pub(super) rules: Rules,
    pub positions: Positions,
    pub(super) open: OpenList,
    /// Positions that were not wholly expanded.
    partial: Vec<u32>,
    frames: Vec<Frame>,
    levels: Vec<Level>,
    /// The position of the last frame.
    pub(super) occupied: Occupied,
    pub(super) boxes: Vec<Square>,
    /// Its boxes as bits.
    pub(super) bits: SquareSet,
    pub(super) corrals: Corrals,
    pub deadlocks: Deadlocks<'a>,
    /// Keys of the areas that were tried to be proven dead.
    pub(super) tried: AHashSet<u64>,
    /// Whether a deadlock was learned since a position was last chosen.
    pub(super) is_news: bool,
    /// Boxes of some other position as bits.
    pub(super) scratch: SquareSet,
    pub(super) walk: Flood,
    pub counts: Counts,
}

impl<'a> Walk<'a> {
    /// Begins at the start of a level.
    pub fn new(terrain: &'a Terrain, guide: &'a Guide, rules: Rules) -> Self {
        let board = terrain.board();
        let no_boxes = vec![0; board.squares().div_ceil(64)];
        let mut walk = Walk {
            terrain,
            guide,
            rules,
            positions: Positions::new(terrain.boxes().len()),
            open: OpenList::new(),
            partial: Vec::new(),
            frames: Vec::new(),
            levels: Vec::new(),
            occupied: terrain.occupied(&[]),
            boxes: Vec::new(),
            bits: no_boxes.clone(),
            corrals: Corrals::new(board),
            deadlocks: Deadlocks::new(board, &terrain.is_legal, EARNED),
            tried: AHashSet::new(),
            is_news: false,
            scratch: no_boxes,
            walk: Flood::new(terrain.layout()),
            counts: Counts::default(),
        };
        if rules.deadlocks {
            walk.corrals.most_boxes = most_boxes(terrain.boxes().len());
        }
        walk.add_root();
        walk
    }

    fn add_root(&mut self) {
        let Walk { terrain, guide, .. } = *self;
        let is_full = |&&phase: &&u16| {
            let mut members = guide.members[phase as usize].iter();
            members.all(|&k| terrain.boxes().contains(&guide.targets[k as usize].square))
        };
        let phases: Vec<u16> = (1..=guide.first_phase()).rev().collect();
        let full = phases.iter().take_while(is_full).count();
        let phase = phases.get(full).copied().unwrap_or(1);
        let keys = &terrain.board().box_keys;
        let key = terrain.boxes().iter().fold(0, |key, &s| key ^ keys[s as usize]);
        let mut root = WalkPosition::root(key, terrain.player(), phase);
        root.bound = terrain.boxes().iter().map(|&s| u32::from(terrain.near[s as usize])).sum();
        root.depth = terrain.forced.len() as u16;
        root.score = (u32::from(root.depth) + root.bound).clamp(1, 9192) as u16;
        if self.rules.deadlocks && self.deadlocks.is_cut_off(terrain.boxes()) {
            return;
        }
        let position = self.positions.add(root, terrain.boxes());
        self.open.push(position, root.score);
    }

    /// Bytes held.
    pub fn memory(&self) -> usize {
        let level = self.terrain.squares() / 4 + self.boxes.len();
        self.positions.memory()
            + self.open.memory()
            + self.levels.len() * level
            + self.deadlocks.memory()
            + self.tried.capacity() * (size_of::<u64>() + 1)
    }

    /// Expands positions until `expansions` have been expanded in all.
    pub fn run(&mut self, expansions: u64, mut must_stop: impl FnMut(&Self) -> bool) -> Walked {
        loop {
            if self.counts.expanded >= expansions || must_stop(self) {
                return Walked::Open;
            }
            let Some(frame) = self.frames.pop() else {
                let Some(position) = self.choose() else { return Walked::Through };
                self.set_up(position);
                self.begin(position, None);
                continue;
            };
            match self.go_on(frame) {
                Next::Dive(frame, position, step) => {
                    self.frames.push(frame);
                    self.begin(position, Some(step));
                }
                Next::Solved(position) => return Walked::Solved(self.plan(position)),
                Next::Done(frame) => self.end(frame),
            }
        }
    }

    /// Chooses the next position to expand.
    fn choose(&mut self) -> Option<u32> {
        loop {
            if let Some(position) =
                self.open.choose(self.counts.generated.is_multiple_of(ROVER_PERIOD))
            {
                self.is_news = false;
                if self.rules.deadlocks && self.is_dead(position) {
                    continue;
                }
                return Some(position);
            }
            if self.partial.is_empty() {
                return None;
            }
            while let Some(position) = self.partial.pop() {
                self.open.push(position, self.positions.nodes[position as usize].score);
            }
        }
    }

    /// Puts the boxes where a position has them.
    fn set_up(&mut self, position: u32) {
        self.occupied.set_all(&self.boxes, false);
        self.boxes.clear();
        self.boxes.extend_from_slice(self.positions.boxes(position));
        self.occupied.set_all(&self.boxes, true);
        self.bits.fill(0);
        self.boxes.iter().for_each(|&s| put(&mut self.bits, s));
    }

    /// Whether a box on a square could never move again.
    pub(super) fn is_frozen(&mut self, square: Square) -> bool {
        !self.terrain.is_reachable[square as usize]
            || self.deadlocks.is_frozen(&self.occupied, square)
    }

    pub(super) fn slide(&mut self, Step { pushed, from, to, .. }: Step) {
        self.occupied.slide(from, to);
        take(&mut self.bits, from);
        put(&mut self.bits, to);
        self.boxes[pushed as usize] = to;
    }

    pub(super) fn slide_back(&mut self, step: Step) {
        self.slide(Step { from: step.to, to: step.from, ..step });
    }

    /// Begins to expand a position, which is set up.
    fn begin(&mut self, position: u32, step: Option<Step>) {
        self.counts.expanded += 1;
        let node = self.positions.nodes[position as usize];
        let depth = self.frames.len();
        if self.levels.len() == depth {
            let region = Flood::new(self.terrain.layout());
            self.levels.push(Level { region, is_out: vec![false; self.boxes.len()] });
        }
        let level = &mut self.levels[depth];
        level.region.fill(&self.occupied, node.player);
        level.is_out.fill(false);
        let is_in_tunnel = !node.is_revisit && self.is_in_tunnel(&node);
        let is_in_corral = !node.is_revisit && !is_in_tunnel && self.keep_to_corral(depth);
        let is_dead = self.rules.deadlocks
            && !node.is_revisit
            && !is_in_tunnel
            && self.learn_from_areas(node.player);
        let level = &mut self.levels[depth];
        let inherits = level.is_out.contains(&true);
        if is_in_tunnel {
            level.is_out.fill(true);
            level.is_out[node.pushed as usize] = false;
            self.positions.nodes[position as usize].is_revisit = true;
        }
        if is_dead {
            level.is_out.fill(true);
        }
        self.frames.push(Frame {
            position,
            step,
            score: node.score,
            best: DEAD,
            has_push: is_dead,
            is_in_tunnel,
            is_in_corral,
            inherits,
            known: self.positions.nodes.len(),
            turn: 0,
            d: 0,
        });
    }

    /// Leaves boxes out that are not in a corral; whether there is one.
    fn keep_to_corral(&mut self, depth: usize) -> bool {
        let Level { region, is_out } = &mut self.levels[depth];
        let (terrain, occupied, boxes) = (self.terrain, &self.occupied, &self.boxes);
        let Some(from) = self.corrals.find(View { terrain, occupied, boxes, region }) else {
            return false;
        };
        for (is_out, &square) in is_out.iter_mut().zip(boxes) {
            *is_out = !self.corrals.is_in(square, from);
        }
        true
    }

    /// Whether the box pushed last came to a square of a tunnel, and may go on.
    fn is_in_tunnel(&self, node: &WalkPosition) -> bool {
        let Some(&square) = self.boxes.get(node.pushed as usize) else { return false };
        let next = self.terrain.step(square, node.direction) as usize;
        self.terrain.tunnels[square as usize] >> node.direction & 1 == 1
            && (self.guide.at[square as usize].is_empty()
                || !self.occupied[next] && self.terrain.is_legal[next])
    }

    /// Goes on with the last expansion: child by child, until one is to be expanded itself.
    fn go_on(&mut self, mut frame: Frame) -> Next {
        while let Some(step) = self.next_step(&mut frame) {
            match self.child(&mut frame, step) {
                Child::Left => {}
                Child::Dive(position) => return Next::Dive(frame, position, step),
                Child::Solved(position) => return Next::Solved(position),
            }
        }
        Next::Done(frame)
    }

    /// The next push of an expansion: the box pushed last first, then the others, at odd depths from the
    /// first on and at even ones from the last.
    fn next_step(&mut self, frame: &mut Frame) -> Option<Step> {
        let node = self.positions.nodes[frame.position as usize];
        let level = &self.levels[self.frames.len()];
        while frame.turn < self.boxes.len() {
            let pushed = nth_box(self.boxes.len(), &node, frame.turn);
            while frame.d < 4 && !level.is_out[pushed] {
                let d = frame.d;
                frame.d += 1;
                let from = self.boxes[pushed];
                let to = self.terrain.step(from, d);
                if level.region.contains(self.terrain.step(from, d ^ 2))
                    && !self.occupied[to as usize]
                    && self.terrain.is_legal[to as usize]
                {
                    return Some(Step { pushed: pushed as u32, from, to, d });
                }
            }
            (frame.turn, frame.d) = (frame.turn + 1, 0);
        }
        None
    }

    /// Ends an expansion, and takes back the push that led to it.
    fn end(&mut self, frame: Frame) {
        let position = frame.position;
        if self.rules.deadlocks && !frame.has_push && !frame.is_in_tunnel {
            self.learn_from_standstill(position);
        }
        if !frame.is_in_tunnel {
            self.positions.nodes[position as usize].score = frame.best;
        } else if !self.open.is_open(position) && self.positions.nodes.len() > frame.known {
            self.partial.push(position);
            self.positions.nodes[position as usize].children += 1;
        }
        if let (Some(step), Some(parent)) = (frame.step, self.frames.last_mut()) {
            parent.best = parent.best.min(self.positions.nodes[position as usize].score);
            self.slide_back(step);
        }
    }

    /// The pushes of the original board from the start to a position.
    fn plan(&self, position: u32) -> Vec<Push> {
        let mut pushes = Vec::new();
        let mut at = self.positions.nodes[position as usize];
        while at.parent != NONE {
            let push = Push { from: at.player, direction: on_board(at.direction) };
            pushes.push(self.terrain.trimmed.original(push));
            at = self.positions.nodes[at.parent as usize];
        }
        pushes.extend(self.terrain.forced.iter().rev());
        pushes.reverse();
        pushes
    }
}

/// The box that takes the turn of this number when a position is expanded.
fn nth_box(boxes: usize, node: &WalkPosition, turn: usize) -> usize {
    let from_first = |i: usize, count: usize| if node.depth % 2 == 1 { i } else { count - 1 - i };
    let pushed = node.pushed as usize;
    match (turn, node.pushed) {
        (_, NONE) => from_first(turn, boxes),
        (0, _) => pushed,
        _ => {
            let number = from_first(turn - 1, boxes - 1);
            number + usize::from(number >= pushed)
        }
    }
}

/// What an expansion comes to next.
enum Next {
    Dive(Frame, u32, Step),
    Solved(u32),
    Done(Frame),
}
