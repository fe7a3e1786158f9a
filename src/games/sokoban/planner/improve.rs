//! Shortening a plan that is known.
//!
//! Two ways, in turns until neither finds anything or the budget is spent. *Windows*: the stretch
//! between two positions of the plan is searched anew by breadth-first order of cost among the
//! positions that differ from it little (after the window-wise optimisers of the Sokoban
//! community). *Vicinity*: all positions that differ from some position of the plan in the place of
//! one box join a graph, and the cheapest way through it is taken; that reorders the boxes'
//! journeys (after Virkkala's box-order vicinity search). Both are one search here: Dijkstra's from
//! the window's first position, confined to the vicinity of the window, ending at its last.
//!
//! The cost is pushes, then moves, or the other way round.

use super::best_first::Measure;
use super::walk;
use crate::games::sokoban::state::{Board, Flood, Push, Square, State};
use crate::search::{Clock, Progress};
use ahash::{AHashMap, AHashSet};
use std::cmp::Reverse;
use std::collections::BinaryHeap;

/// Pushes of the first window; each round doubles it.
const FIRST_WINDOW: usize = 16;
/// Positions that one window's search looks at.
const WINDOW_POSITIONS: usize = 60_000;
/// Placements that a vicinity holds at most.
const VICINITY: usize = 4_000_000;
/// Positions between two looks at the clock.
const POLL: usize = 64;

/// Cost of a way: the first number counts before the second.
type Cost = (u32, u32);

/// A position of a window's search: boxes in order, and the square of the player.
#[derive(Clone, Debug)]
struct Node {
    boxes: Vec<Square>,
    player: Square,
    cost: Cost,
    parent: u32,
    push: Push,
    closed: bool,
}

/// Shortens pushes that lead from the level's start to a solved position. Never gives a longer
/// plan back.
pub fn improve(
    board: &Board,
    pushes: Vec<Push>,
    measure: Measure,
    clock: &Clock<'_>,
) -> (Vec<Push>, u64) {
    let mut work = Work {
        board,
        measure,
        clock,
        flood: Flood::new(board),
        steps: vec![0; board.squares() + 1],
        looked: 0,
        over: false,
    };
    let mut plan = pushes;
    let mut window = FIRST_WINDOW;
    while !work.over {
        let shorter = work.sweep(&plan, window);
        let improved = work.total(&shorter) < work.total(&plan);
        if improved {
            plan = shorter;
            clock.tell(&Progress {
                phase: "shortening".into(),
                nodes: work.looked,
                best: Some(plan.len() as u64),
                ..Progress::default()
            });
        } else if window >= plan.len() {
            break;
        } else {
            window *= 2;
        }
    }
    (plan, work.looked)
}

struct Work<'a> {
    board: &'a Board,
    measure: Measure,
    clock: &'a Clock<'a>,
    flood: Flood,
    steps: Vec<u32>,
    looked: u64,
    over: bool,
}

impl Work<'_> {
    /// The cost of a plan from the start; the greatest where it is none.
    fn total(&self, pushes: &[Push]) -> Cost {
        let Some(keys) = walk::keys(self.board, pushes) else { return (u32::MAX, u32::MAX) };
        self.cost(pushes.len() as u32, keys.len() as u32)
    }

    fn cost(&self, pushes: u32, moves: u32) -> Cost {
        match self.measure {
            Measure::Pushes => (pushes, moves),
            Measure::Moves => (moves, pushes),
        }
    }

    /// Goes through a plan window by window and replaces each that can be shortened.
    fn sweep(&mut self, plan: &[Push], window: usize) -> Vec<Push> {
        let mut plan = plan.to_vec();
        let mut at = 0;
        while at < plan.len() && !self.over {
            let end = (at + window).min(plan.len());
            let last = end == plan.len();
            let mut state = State::new(self.board);
            plan[..at].iter().for_each(|&push| state.push(push));
            if let Some(better) = self.shorten(&state, &plan[at..end], last) {
                let mut whole = plan[..at].to_vec();
                whole.extend_from_slice(&better);
                whole.extend_from_slice(&plan[end..]);
                if self.total(&whole) < self.total(&plan) {
                    plan = whole;
                }
            }
            at += (window / 2).max(1);
        }
        plan
    }

    /// A cheaper way between the ends of a window; at the plan's end any solved position will do.
    fn shorten(&mut self, start: &State<'_>, window: &[Push], last: bool) -> Option<Vec<Push>> {
        let mut state = State::at(self.board, &start.boxes(), start.player);
        let mut near = AHashSet::new();
        self.add_vicinity(&state.boxes(), &mut near);
        for &push in window {
            state.push(push);
            self.add_vicinity(&state.boxes(), &mut near);
        }
        let mut end = state.boxes();
        end.sort_unstable();
        let goal = |boxes: &[Square], player: Square, board: &Board| {
            if last {
                boxes.iter().all(|&s| board.is_target[s as usize])
            } else {
                boxes == end && player == state.player
            }
        };
        let mut nodes: Vec<Node> = Vec::new();
        let mut known: AHashMap<(Vec<Square>, Square), u32> = AHashMap::new();
        let mut heap: BinaryHeap<Reverse<(Cost, u32)>> = BinaryHeap::new();
        let (boxes, player) = (start.boxes(), start.player);
        let push = Push { from: 0, direction: 0 };
        known.insert((boxes.clone(), player), 0);
        nodes.push(Node { boxes, player, cost: (0, 0), parent: 0, push, closed: false });
        heap.push(Reverse(((0, 0), 0)));
        let mut looked = 0usize;
        while let Some(Reverse((cost, index))) = heap.pop() {
            let node = nodes[index as usize].clone();
            if node.closed || node.cost != cost {
                continue;
            }
            if index != 0 && goal(&node.boxes, node.player, self.board) {
                return Some(way(&nodes, index));
            }
            looked += 1;
            self.looked += 1;
            if looked.is_multiple_of(POLL) && self.clock.should_stop(self.looked, 0).is_some() {
                self.over = true;
                return None;
            }
            if looked > WINDOW_POSITIONS {
                return None;
            }
            nodes[index as usize].closed = true;
            self.expand(&node, index, &near, &mut nodes, &mut known, &mut heap);
        }
        None
    }

    /// Adds the keys of all placements that differ from `boxes` in the place of one box.
    fn add_vicinity(&self, boxes: &[Square], near: &mut AHashSet<u64>) {
        let keys = &self.board.box_keys;
        let key = boxes.iter().fold(0, |key, &s| key ^ keys[s as usize]);
        near.insert(key);
        if near.len() > VICINITY {
            return;
        }
        for &from in boxes {
            for &to in keys {
                near.insert(key ^ keys[from as usize] ^ to);
            }
        }
    }

    fn expand(
        &mut self,
        node: &Node,
        index: u32,
        near: &AHashSet<u64>,
        nodes: &mut Vec<Node>,
        known: &mut AHashMap<(Vec<Square>, Square), u32>,
        heap: &mut BinaryHeap<Reverse<(Cost, u32)>>,
    ) {
        let state = State::at(self.board, &node.boxes, node.player);
        let mut pushes = Vec::new();
        state.pushes(&mut self.flood, &mut pushes);
        self.measure_walks(node.player);
        let keys = &self.board.box_keys;
        for push in pushes {
            let next = self.board.next[push.from as usize];
            let to = next[push.direction as usize];
            if !near.contains(&(state.key ^ keys[push.from as usize] ^ keys[to as usize])) {
                continue;
            }
            let behind = next[push.direction as usize ^ 2];
            let mut boxes = node.boxes.clone();
            if let Some(square) = boxes.iter_mut().find(|s| **s == push.from) {
                *square = to;
            }
            boxes.sort_unstable();
            let step = self.cost(1, self.steps[behind as usize] + 1);
            let cost = (node.cost.0 + step.0, node.cost.1 + step.1);
            let slot = known.entry((boxes.clone(), push.from)).or_insert(nodes.len() as u32);
            if *slot as usize == nodes.len() {
                let player = push.from;
                nodes.push(Node { boxes, player, cost, parent: index, push, closed: false });
            } else {
                let other = &mut nodes[*slot as usize];
                if other.cost <= cost {
                    continue;
                }
                (other.cost, other.parent, other.push, other.closed) = (cost, index, push, false);
            }
            heap.push(Reverse((cost, *slot)));
        }
    }

    /// Steps from a square to all squares of the last flood, which visited them in order of
    /// distance.
    fn measure_walks(&mut self, player: Square) {
        for &square in &self.flood.reached {
            self.steps[square as usize] = u32::MAX;
        }
        self.steps[player as usize] = 0;
        for &square in &self.flood.reached {
            let steps = self.steps[square as usize] + 1;
            for next in self.board.next[square as usize] {
                if self.flood.contains(next) && self.steps[next as usize] > steps {
                    self.steps[next as usize] = steps;
                }
            }
        }
    }
}

fn way(nodes: &[Node], mut index: u32) -> Vec<Push> {
    let mut pushes = Vec::new();
    while index != 0 {
        pushes.push(nodes[index as usize].push);
        index = nodes[index as usize].parent;
    }
    pushes.reverse();
    pushes
}
