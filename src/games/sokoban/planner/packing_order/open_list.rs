//! The open list: a stack of positions for each score.

/// The highest score.
pub const MOST_SCORE: usize = 9192;
/// No position.
const NONE: u32 = u32::MAX;

/// Where a position is in its stack.
#[derive(Clone, Copy, Debug)]
struct Link {
    above: u32,
    below: u32,
    /// The score it is filed under; [`u16::MAX`] where the position is not open.
    score: u16,
}

/// Stacks by score. Mostly the last position of the best score is chosen; now and then a rover takes
/// one of the next score that has any, from the best to the worst.
#[derive(Clone, Debug)]
pub struct OpenList {
    tops: Vec<u32>,
    links: Vec<Link>,
    /// No open position had a lower score when last chosen from.
    pub least: usize,
    /// The highest score that any position had.
    most: usize,
    rover: usize,
    len: usize,
}

impl OpenList {
    /// An empty list.
    pub fn new() -> Self {
        let tops = vec![NONE; MOST_SCORE + 1];
        OpenList { tops, links: Vec::new(), least: 1, most: 0, rover: 0, len: 0 }
    }

    /// Bytes held.
    pub fn memory(&self) -> usize {
        self.links.capacity() * size_of::<Link>() + self.tops.len() * size_of::<u32>()
    }

    /// Whether the position is on the list.
    pub fn is_open(&self, position: u32) -> bool {
        self.links.get(position as usize).is_some_and(|link| link.score != u16::MAX)
    }

    /// Puts a position on its stack, unless it is on the list.
    pub fn push(&mut self, position: u32, score: u16) {
        if self.is_open(position) {
            return;
        }
        if self.links.len() <= position as usize {
            let none = Link { above: NONE, below: NONE, score: u16::MAX };
            self.links.resize(position as usize + 1, none);
        }
        let below = std::mem::replace(&mut self.tops[score as usize], position);
        if below != NONE {
            self.links[below as usize].above = position;
        }
        self.links[position as usize] = Link { above: NONE, below, score };
        self.least = self.least.min(score.into());
        self.most = self.most.max(score.into());
        self.len += 1;
    }

    /// Takes a position off the list, wherever it is.
    pub fn remove(&mut self, position: u32) {
        if !self.is_open(position) {
            return;
        }
        let Link { above, below, score } = self.links[position as usize];
        self.links[position as usize].score = u16::MAX;
        if below != NONE {
            self.links[below as usize].above = above;
        }
        match above {
            NONE => self.tops[score as usize] = below,
            above => self.links[above as usize].below = below,
        }
        self.len -= 1;
        if self.tops[self.least.min(MOST_SCORE)] == NONE {
            self.least = self.next_from(self.least).unwrap_or(self.most + 1);
        }
    }

    /// Chooses a position and takes it off.
    pub fn choose(&mut self, is_rovers_turn: bool) -> Option<u32> {
        if self.len == 0 {
            return None;
        }
        let mut score = None;
        if is_rovers_turn {
            score = self.next_from(self.rover + 1);
            self.rover = score.unwrap_or(self.least);
        }
        if score.is_none() {
            self.least = self.next_from(self.least)?;
            score = Some(self.least);
        }
        let position = self.tops[score?];
        self.remove(position);
        Some(position)
    }

    /// The first score from this one on that has a position.
    fn next_from(&self, score: usize) -> Option<usize> {
        (score..=self.most).find(|&score| self.tops[score] != NONE)
    }
}
