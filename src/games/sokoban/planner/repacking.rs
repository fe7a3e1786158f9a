//! Repacking: levels where few of many boxes are on no target.
//!
//! In such a level a free target and the box that needs one are far apart, and the way between them is full of
//! boxes on targets. A part of these has to be unpacked into what room there is, moved on by one, and packed
//! again; then the free target is where the part began. On the way more boxes are away from targets, so all
//! measures of other searches speak against it.
//!
//! Here one step is such a repacking: from a position in which few boxes are away to another, where a free
//! target is nearer to the boxes that need one. Only the boxes near the free targets move, all others are
//! walls meanwhile. Such a part of a level is small, and bidirectional search finds a way or looks at all
//! reachable positions. Each position is tried in stages: the first allows few boxes to move and few expansions,
//! each later one more. At the same stage, the position whose boxes are nearest to free targets comes first.
//!
//! The search proves nothing: there are plans that it does not look for.

use super::bidirectional::{Bidirectional, BitBoardSearch};
use super::pushes::Ended;
use crate::games::sokoban::board::mask::{Bit, Mask, Maze, on_words};
use crate::games::sokoban::board::{Board, Push};
use crate::search::crew::Crew;
use crate::search::{Clock, Progress, StopReason};
use ahash::AHashSet;
use std::cmp::Reverse;
use std::collections::BinaryHeap;

/// Upper limit of the boxes that are on no target at the start: ways to distribute them over the free
/// targets are counted in sets of these.
const MOST_AWAY: usize = 8;
/// Divisor of the boxes: at most this share of them may be on no target at the start.
const AWAY_SHARE: usize = 3;
/// At each stage of a position: the number of boxes that may move, and the most expansions.
const STAGES: [(usize, u64); 7] =
    [(3, 300), (5, 1000), (8, 3000), (12, 10_000), (18, 30_000), (27, 100_000), (40, 300_000)];
/// Steps of a way that does not exist, more than those of any that does.
const NO_WAY: usize = 1 << 16;

/// Whether few of a level's boxes are on no target.
pub(super) fn is_for(board: &Board) -> bool {
    let away = board.boxes.iter().filter(|&&square| !board.is_target[square as usize]).count();
    (1..=MOST_AWAY.min(board.boxes.len() / AWAY_SHARE)).contains(&away)
}

/// The search of a level where few boxes are on no target, as wide as it needs to be; `None` for any other
/// level, or one that is too large for bit boards. `weight` is that of bidirectional search.
pub(super) fn search(board: &Board, weight: usize) -> Option<Box<dyn BitBoardSearch>> {
    fn boxed<const W: usize>(board: &Board, weight: usize) -> Option<Box<dyn BitBoardSearch>> {
        Some(Box::new(Repacking::<W>::new(board, weight)?))
    }
    if !is_for(board) {
        return None;
    }
    on_words!(board, W => boxed::<W>(board, weight), None)
}

/// A position in which few boxes are away.
struct NearlyPacked<const W: usize> {
    boxes: Mask<W>,
    player: Bit,
    /// The number of the position before; `None` for the start.
    parent: Option<usize>,
    /// The pushes from there.
    pushes: Vec<Push>,
}

impl<const W: usize> NearlyPacked<W> {
    fn memory(&self) -> usize {
        size_of::<Self>() + self.pushes.len() * size_of::<Push>()
    }
}

/// The search of a part of a level, from a position at one of its stages.
struct Part<const W: usize> {
    node: usize,
    stage: usize,
    search: Bidirectional<W>,
}

/// Working state of the search.
struct Repacking<const W: usize> {
    maze: Maze<W>,
    /// The bit of each square of the level.
    bit_of: Vec<Bit>,
    weight: usize,
    nodes: Vec<NearlyPacked<W>>,
    /// The boxes of all nodes.
    seen: AHashSet<Mask<W>>,
    /// Stage, steps between boxes and free targets, and number of the nodes that are to be tried.
    open: BinaryHeap<Reverse<(usize, usize, usize)>>,
    /// The search that goes on in the next turn.
    part: Option<Part<W>>,
    /// Expansions and successors of all parts that are over.
    effort: (u64, u64),
    /// Bytes of the nodes.
    held: usize,
}

impl<const W: usize> Repacking<W> {
    fn new(board: &Board, weight: usize) -> Option<Self> {
        let maze = Maze::<W>::new(board)?;
        let (boxes, player) = (maze.boxes, maze.player.first()?);
        let mut bit_of = vec![0; board.squares() + 1];
        maze.floor.into_iter().for_each(|bit| bit_of[maze.square(bit) as usize] = bit);
        let mut search = Repacking {
            maze,
            bit_of,
            weight,
            nodes: Vec::new(),
            seen: AHashSet::new(),
            open: BinaryHeap::new(),
            part: None,
            effort: (0, 0),
            held: 0,
        };
        search.add(NearlyPacked { boxes, player, parent: None, pushes: Vec::new() });
        Some(search)
    }

    fn add(&mut self, node: NearlyPacked<W>) {
        self.seen.insert(node.boxes);
        self.held += node.memory() + size_of::<Mask<W>>();
        self.nodes.push(node);
        self.offer(self.nodes.len() - 1, 0);
    }

    /// Notes that a node is to be tried at a stage, unless that was the last.
    fn offer(&mut self, node: usize, stage: usize) {
        if stage < STAGES.len() {
            let steps = self.steps_left(self.nodes[node].boxes);
            self.open.push(Reverse((stage, steps, node)));
        }
    }

    /// Steps to each bit from the nearest of a set, the walls alone in the way.
    fn steps_from(&self, set: Mask<W>) -> Vec<usize> {
        let mut steps = vec![NO_WAY; W * 64];
        let (mut reached, mut ring, mut count) = (set, set, 0);
        while !ring.is_empty() {
            ring.into_iter().for_each(|bit| steps[bit as usize] = count);
            ring = (self.maze.beside(ring) & self.maze.floor).without(reached);
            reached |= ring;
            count += 1;
        }
        steps
    }

    /// The least sum of steps between the boxes that are away and a free target of its own for each.
    fn steps_left(&self, boxes: Mask<W>) -> usize {
        let free: Vec<Bit> = self.maze.targets.without(boxes).into_iter().collect();
        // By set of free targets: the least sum that gives these to the first boxes.
        let mut least = vec![usize::MAX; 1 << free.len()];
        least[0] = 0;
        for (given, away) in boxes.without(self.maze.targets).into_iter().enumerate() {
            let steps = self.steps_from(Mask::of(away));
            for set in (0usize..least.len()).filter(|set| set.count_ones() as usize == given) {
                for (number, &target) in free.iter().enumerate() {
                    let with = set | 1 << number;
                    if with != set {
                        least[with] = least[with].min(least[set] + steps[target as usize]);
                    }
                }
            }
        }
        least[least.len() - 1]
    }

    /// The `count` boxes that are nearest to free targets.
    fn near_free_targets(&self, boxes: Mask<W>, count: usize) -> Mask<W> {
        let steps = self.steps_from(self.maze.targets.without(boxes));
        let mut all: Vec<Bit> = boxes.into_iter().collect();
        all.sort_by_key(|&bit| steps[bit as usize]);
        all.into_iter().take(count).collect()
    }

    /// Squares to which some of the boxes may be brought. If all of them are on targets, these are the same
    /// targets but one, and a free target that is farther from the boxes that are away. Otherwise all
    /// of the boxes come to targets.
    fn ends(&self, boxes: Mask<W>, some: Mask<W>) -> Vec<Mask<W>> {
        let targets = self.maze.targets;
        let free = targets.without(boxes);
        let away = some.without(targets).count();
        let mut ends: Vec<Mask<W>> = Vec::new();
        if away == 0 {
            let steps = self.steps_from(boxes.without(targets));
            for target in free {
                let nearer =
                    some.into_iter().filter(|&bit| steps[bit as usize] < steps[target as usize]);
                ends.extend(nearer.map(|bit| some.without(Mask::of(bit)) | Mask::of(target)));
            }
        } else {
            let free: Vec<Bit> = free.into_iter().collect();
            let sets = (0u32..1 << free.len()).filter(|set| set.count_ones() == away);
            ends.extend(sets.map(|set| {
                let chosen = (0..free.len()).filter(|number| set >> number & 1 == 1);
                (some & targets) | chosen.map(|number| free[number]).collect()
            }));
        }
        let others = boxes.without(some);
        ends.retain(|&end| !self.seen.contains(&(others | end)));
        ends
    }

    /// The search of a node at a stage; `None` where its boxes have nowhere to come to.
    fn part(&self, node: usize, stage: usize) -> Option<Part<W>> {
        let NearlyPacked { boxes, player, .. } = self.nodes[node];
        let some = self.near_free_targets(boxes, STAGES[stage].0);
        let ends = self.ends(boxes, some);
        if ends.is_empty() {
            return None;
        }
        let mut maze = self.maze.clone();
        maze.floor = maze.floor.without(boxes.without(some));
        maze.targets = ends.iter().fold(Mask::EMPTY, |all, &end| all | end);
        (maze.boxes, maze.player) = (some, Mask::of(player));
        Some(Part { node, stage, search: Bidirectional::to_any(maze, ends, self.weight) })
    }

    /// The position after pushes from a node.
    fn after(&self, node: usize, pushes: Vec<Push>) -> NearlyPacked<W> {
        let NearlyPacked { mut boxes, mut player, .. } = self.nodes[node];
        for push in &pushes {
            let from = self.bit_of[push.from as usize];
            let to = self.maze.next(from, push.direction.into());
            boxes = boxes.without(Mask::of(from)) | Mask::of(to);
            player = from;
        }
        NearlyPacked { boxes, player, parent: Some(node), pushes }
    }

    /// The pushes from the start to a node.
    fn plan(&self, node: usize) -> Vec<Push> {
        let path = std::iter::successors(Some(node), |&node| self.nodes[node].parent);
        let path: Vec<usize> = path.collect();
        path.iter().rev().flat_map(|&node| self.nodes[node].pushes.iter().copied()).collect()
    }

    /// Ends the search of a part: notes the position that it has found, or that the next stage is to be tried.
    /// Returns the plan if the level is solved.
    fn settle(&mut self, part: Part<W>, ended: Ended) -> Option<Vec<Push>> {
        let (expanded, generated) = part.search.effort();
        self.effort = (self.effort.0 + expanded, self.effort.1 + generated);
        let Ended::Solved(pushes) = ended else {
            self.offer(part.node, part.stage + 1);
            return None;
        };
        let next = self.after(part.node, pushes);
        let is_solved = next.boxes == self.maze.targets;
        self.add(next);
        // There may be other ways to repack the same part.
        self.offer(part.node, part.stage);
        is_solved.then(|| self.plan(self.nodes.len() - 1))
    }
}

impl<const W: usize> BitBoardSearch for Repacking<W> {
    fn run(&mut self, clock: &Clock, limit: u64, memory: usize, crew: &Crew) -> Ended {
        // The search of a part reports its own expansions only.
        let quiet = clock.clone().quiet();
        loop {
            let (nodes, _) = self.effort();
            if nodes >= limit {
                return Ended::Stopped(StopReason::Nodes);
            }
            clock.tell(&Progress { phase: "repacking".into(), nodes, ..Progress::default() });
            if let Some(stop) = clock.should_stop(0, 0) {
                return Ended::Stopped(stop);
            }
            let Some(left) = memory.checked_sub(self.held) else {
                return Ended::Stopped(StopReason::Memory);
            };
            let Some(mut part) = self.part.take() else {
                let Some(Reverse((stage, _, node))) = self.open.pop() else {
                    return Ended::Exhausted;
                };
                self.part = self.part(node, stage);
                if self.part.is_none() {
                    self.offer(node, stage + 1);
                }
                continue;
            };
            let most = STAGES[part.stage].1;
            let ended = part.search.run(&quiet, most.min(limit - self.effort.0), left, crew);
            match ended {
                Ended::Stopped(StopReason::Nodes) if part.search.effort().0 < most => {
                    self.part = Some(part);
                }
                Ended::Stopped(stop) if !matches!(stop, StopReason::Nodes | StopReason::Memory) => {
                    self.part = Some(part);
                    return Ended::Stopped(stop);
                }
                ended => {
                    if let Some(plan) = self.settle(part, ended) {
                        return Ended::Solved(plan);
                    }
                }
            }
        }
    }

    fn effort(&self) -> (u64, u64) {
        let (expanded, generated) = self.part.as_ref().map_or((0, 0), |part| part.search.effort());
        (self.effort.0 + expanded, self.effort.1 + generated)
    }

    fn memory(&self) -> usize {
        self.held + self.part.as_ref().map_or(0, |part| part.search.memory())
    }
}
