//! The scheduler: who plays next when several searches take turns on several threads.
//!
//! Searches play rounds, each one turn in a round. Those that share what they learn all begin a
//! round with the same knowledge, so they wait for one another. The others need not: one round
//! ahead, they fill the time in which a thread would wait. The answer that counts is the first by
//! round, then by number in the list, so it does not depend on which thread was faster.

use std::cmp::Reverse;

/// Round and number of a search in the list.
pub type TurnId = (u32, usize);

/// What a search does.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
enum Now {
    Waits,
    Plays,
    /// It gets no more turns.
    IsOut,
}

/// Where a search stands.
#[derive(Clone, Copy, Debug)]
struct Slot {
    /// The round that it plays, or plays next.
    round: u32,
    now: Now,
    /// Whether others learn from it.
    shares: bool,
}

/// The order of turns.
#[derive(Clone, Debug)]
pub struct Scheduler {
    slots: Vec<Slot>,
    /// Rounds that all who share have played.
    played: u32,
    /// Rounds that are played at most.
    most: u32,
    /// Where the answer was found that counts so far.
    answered: Option<TurnId>,
}

impl Scheduler {
    /// The first round; `shares` says of each search whether others learn from it.
    pub fn new(shares: impl Iterator<Item = bool>, most: u32) -> Self {
        let slots = shares.map(|shares| Slot { round: 0, now: Now::Waits, shares }).collect();
        Scheduler { slots, played: 0, most, answered: None }
    }

    /// Gives out the next turn; `None` where there is none to play now.
    pub fn next(&mut self) -> Option<TurnId> {
        let (played, most) = (self.played, self.most);
        let may_play = |slot: &Slot| {
            let ahead = u32::from(!slot.shares);
            slot.now == Now::Waits && slot.round <= played + ahead && slot.round < most
        };
        let turns = self.slots.iter().enumerate().filter(|(_, slot)| may_play(slot));
        let turn = turns.map(|(i, slot)| (slot.round, i)).min()?;
        if !self.may_count(turn) {
            return None;
        }
        self.slots[turn.1].now = Now::Plays;
        Some(turn)
    }

    /// Whether no turn is being played that may still change anything, and none can be.
    pub fn is_over(&self) -> bool {
        let mut slots = self.slots.iter().enumerate().filter(|(_, slot)| slot.now != Now::IsOut);
        !slots.any(|(i, slot)| slot.round < self.most && self.may_count((slot.round, i)))
    }

    /// Whether an answer from this place would count.
    pub fn may_count(&self, turn: TurnId) -> bool {
        self.answered.is_none_or(|answered| turn < answered)
    }

    /// A turn is over and the search wants another. Says whether those who share have all played
    /// the round, so that they are to tell each other now.
    pub fn go_on(&mut self, (round, number): TurnId) -> bool {
        let slot = &mut self.slots[number];
        (slot.round, slot.now) = (round + 1, Now::Waits);
        self.advance()
    }

    /// A turn is over, and the search gets no more of them. Says the same.
    pub fn leave(&mut self, (_, number): TurnId) -> bool {
        self.slots[number].now = Now::IsOut;
        self.advance()
    }

    /// A turn is over and has an answer. Says whether it counts so far.
    pub fn answer(&mut self, turn: TurnId) -> bool {
        self.slots[turn.1].now = Now::IsOut;
        let counts = self.may_count(turn);
        if counts {
            self.answered = Some(turn);
        }
        counts
    }

    /// The searches that play turns whose answers would not count any more.
    pub fn in_vain(&self) -> impl Iterator<Item = usize> {
        let slots = self.slots.iter().enumerate();
        let playing = slots.filter(|(_, slot)| slot.now == Now::Plays);
        playing.filter(|(i, slot)| !self.may_count((slot.round, *i))).map(|(i, _)| i)
    }

    /// Number of a search's turns that come no later than the answer that counts; all, if there is none.
    /// The others were given out only because there were threads for them.
    pub fn counted_turns(&self, number: usize) -> usize {
        let counted = |(round, first): TurnId| round as usize + usize::from(number <= first);
        self.answered.map_or(usize::MAX, counted)
    }

    /// The searches that others learn from.
    pub fn sharers(&self) -> impl Iterator<Item = usize> {
        self.slots.iter().enumerate().filter(|(_, slot)| slot.shares).map(|(i, _)| i)
    }

    /// Nobody gets another turn.
    pub fn close(&mut self) {
        self.most = 0;
    }

    /// Notes which rounds have been played; true where one is new.
    fn advance(&mut self) -> bool {
        let left = self.slots.iter().filter(|slot| slot.now != Now::IsOut);
        // Where none is left that shares, the others wait for each other.
        let least = left.map(|slot| (Reverse(slot.shares), slot.round)).min();
        let before = self.played;
        self.played = least.map_or(before, |(_, round)| round.max(before));
        self.played > before
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::board::mix;

    /// Plays on `threads` threads, each turn as long as lots say; the answer that counts.
    /// With it come the rounds in which knowledge was shared, and the turns that count.
    fn played(
        seed: u64,
        threads: usize,
        shares: &[bool],
    ) -> (Option<TurnId>, Vec<Vec<u32>>, Vec<usize>) {
        let lot = |what: u64, (round, number): TurnId| {
            mix(mix(seed ^ what) ^ (u64::from(round) << 8 | number as u64))
        };
        let mut scheduler = Scheduler::new(shares.iter().copied(), 6);
        let (mut playing, mut time, mut best): (Vec<(u64, TurnId)>, _, _) = (Vec::new(), 0, None);
        let mut told = Vec::new();
        let mut turns = vec![0; shares.len()];
        while !scheduler.is_over() {
            while playing.len() < threads
                && let Some(turn) = scheduler.next()
            {
                playing.push((time + 1 + lot(threads as u64, turn) % 9, turn));
            }
            playing.sort_unstable();
            assert!(!playing.is_empty(), "nobody plays and it is not over");
            let (end, turn) = playing.remove(0);
            time = end;
            turns[turn.1] += 1;
            let all_played = match lot(0, turn) % 24 {
                0 => {
                    if scheduler.answer(turn) {
                        best = Some(turn);
                    }
                    false
                }
                1..3 => scheduler.leave(turn),
                _ => scheduler.go_on(turn),
            };
            assert!(
                !all_played || playing.iter().all(|&(_, (_, i))| !shares[i]),
                "told while it plays"
            );
            if all_played {
                told.push(scheduler.slots.iter().filter(|s| s.shares).map(|s| s.round).collect());
            }
        }
        let count = |(i, &turns): (usize, &usize)| turns.min(scheduler.counted_turns(i));
        (best, told, turns.iter().enumerate().map(count).collect())
    }

    #[test]
    fn the_answer_does_not_depend_on_threads() {
        let (mut answered, mut shared) = (0, 0);
        for seed in 0..2000 {
            let shares: Vec<bool> = (0..5).map(|i| mix(seed) >> i & 1 == 1).collect();
            let alone = played(seed, 1, &shares);
            for threads in 2..6 {
                let together = played(seed, threads, &shares);
                assert_eq!(together.0, alone.0, "seed {seed}, {threads} threads");
                assert_eq!(together.2, alone.2, "seed {seed}, {threads} threads");
                let both = alone.1.len().min(together.1.len());
                assert_eq!(together.1[..both], alone.1[..both], "seed {seed}, {threads} threads");
            }
            answered += usize::from(alone.0.is_some());
            shared += alone.1.len();
        }
        assert!((200..1800).contains(&answered) && shared > 2000, "{answered} answers, {shared}");
    }
}
