//! One child of a position: whether it is kept, its score, and whether the search dives into it.

use super::level::block::makes_block;
use super::positions::{DEAD, NONE, WalkPosition};
use super::walk::{Child, Frame, Step, Walk};

/// Number of pushes of a plan.
const MOST_PUSHES: u32 = 1000;
/// What every score but the root's is raised by, so that none falls below 0.
const OFFSET: i32 = 255 * 32;

impl Walk<'_> {
    /// Looks at a push. The board is the same afterwards unless the search dives.
    pub(super) fn child(&mut self, frame: &mut Frame, step: Step) -> Child {
        if makes_block(self.terrain, &self.occupied, step.to, step.d) {
            return Child::Left;
        }
        self.slide(step);
        let child = if self.rules.deadlocks && self.is_mistake(step) {
            Child::Left
        } else {
            self.counts.generated += 1;
            frame.has_push = true;
            self.enter(frame, step)
        };
        if !matches!(child, Child::Dive(_)) {
            self.slide_back(step);
        }
        child
    }

    /// Whether a push, which is done, makes the position dead.
    fn is_mistake(&mut self, Step { from, to, .. }: Step) -> bool {
        self.deadlocks.is_dead_quickly(&self.occupied, &self.bits, to, from)
            || self.deadlocks.is_cut_off(&self.boxes)
    }

    /// Enters the position on the board as a child, unless it is known.
    fn enter(&mut self, frame: &mut Frame, step: Step) -> Child {
        let parent = self.positions.nodes[frame.position as usize];
        let mut node = self.node(frame.position, &parent, step);
        node.tested = self.deadlocks.patterns() as u32;
        if u32::from(node.depth) + node.bound > MOST_PUSHES {
            return Child::Left;
        }
        let base = i32::from(node.depth) + node.bound as i32 - i32::from(parent.momentum) + OFFSET;
        let known = self.known(&node);
        if let Some(stored) = known.map(|at| self.positions.nodes[at as usize])
            && (node.depth >= stored.depth || stored.children > 0 || stored.score == DEAD)
        {
            frame.best = frame.best.min(stored.score.max(base as u16));
            frame.inherits |= frame.is_in_corral && i32::from(stored.score) > base;
            return Child::Left;
        }
        node.score = self.score(&mut node, step, &parent, base);
        if frame.inherits && node.score > frame.score && !node.is_premature {
            node.score = frame.score;
        }
        let position = match known {
            Some(position) => {
                self.take_over(position, node);
                position
            }
            None => self.positions.add(node, &self.boxes),
        };
        self.positions.nodes[frame.position as usize].children += 1;
        if node.bound == 0 {
            return Child::Solved(position);
        }
        if !self.is_news && node.score <= frame.score && usize::from(node.score) <= self.open.least
        {
            return Child::Dive(position);
        }
        frame.best = frame.best.min(node.score);
        self.open.push(position, node.score);
        Child::Left
    }

    /// The child as its push makes it, before it has a score.
    fn node(&self, position: u32, parent: &WalkPosition, step: Step) -> WalkPosition {
        let (keys, near) = (&self.terrain.board().box_keys, &self.terrain.near);
        let (from, to) = (step.from as usize, step.to as usize);
        let mut node =
            WalkPosition::root(parent.key ^ keys[from] ^ keys[to], step.from, parent.phase);
        node.parent = position;
        node.bound = parent.bound - u32::from(near[from]) + u32::from(near[to]);
        (node.pushed, node.direction) = (step.pushed, step.d);
        node.depth = parent.depth + 1;
        node.is_premature = parent.is_premature;
        node
    }

    /// The known position that is the one on the board: with the same boxes, and the player there in
    /// the same region.
    fn known(&mut self, node: &WalkPosition) -> Option<u32> {
        let mut with_key = self.positions.with_key(node.key).peekable();
        with_key.peek()?;
        self.walk.fill(&self.occupied, node.player);
        with_key.find(|&at| self.walk.contains(self.positions.nodes[at as usize].player))
    }

    /// Gives a known position the path that was found now.
    fn take_over(&mut self, position: u32, node: WalkPosition) {
        self.open.remove(position);
        let before = self.positions.nodes[position as usize].parent;
        if before != NONE {
            let children = &mut self.positions.nodes[before as usize].children;
            *children = children.saturating_sub(1);
        }
        self.positions.take_over(position, node, &self.boxes);
    }
}
