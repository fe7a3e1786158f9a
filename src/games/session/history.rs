//! A game played by hand with its whole past: what every [`super::Session`] keeps.

/// Games that are kept at most, so that a long past of a large board stays small.
const MOST_KEPT: usize = 64;
/// Steps between two games that are kept, as long as the past is short.
const FIRST_SPACING: usize = 32;

/// A game under its reference rules, the steps that led to it, and some of the games on the way.
///
/// Taking steps back goes on from the last game kept before them. There are few of them, but no more
/// steps lie between two than a part of `MOST_KEPT` of the whole past.
#[derive(Debug)]
pub struct History<G, S> {
    now: G,
    steps: Vec<S>,
    /// The games after 0, `spacing`, twice as many, … steps.
    kept: Vec<G>,
    spacing: usize,
    most_steps: usize,
    act: fn(&mut G, S) -> Result<(), String>,
}

impl<G: Clone, S: Copy> History<G, S> {
    /// The start of a game. `act` does a step, the same each time, or says why it is refused and
    /// leaves the game as it is; no more than `most_steps` steps make a plan.
    pub fn new(start: G, most_steps: usize, act: fn(&mut G, S) -> Result<(), String>) -> Self {
        let kept = vec![start.clone()];
        History { now: start, steps: Vec::new(), kept, spacing: FIRST_SPACING, most_steps, act }
    }

    /// The game as it stands.
    pub fn now(&self) -> &G {
        &self.now
    }

    /// The game as it began.
    pub fn start(&self) -> &G {
        &self.kept[0]
    }

    /// The steps done.
    pub fn steps(&self) -> &[S] {
        &self.steps
    }

    /// Does a step.
    ///
    /// # Errors
    /// Why it is refused; nothing has changed then.
    pub fn act(&mut self, step: S) -> Result<(), String> {
        if self.steps.len() == self.most_steps {
            return Err(format!("a plan has at most {} steps", self.most_steps));
        }
        (self.act)(&mut self.now, step)?;
        self.steps.push(step);
        if self.steps.len().is_multiple_of(self.spacing) {
            self.kept.push(self.now.clone());
            if self.kept.len() > MOST_KEPT {
                self.keep_every_other();
            }
        }
        Ok(())
    }

    fn keep_every_other(&mut self) {
        let mut number = 0;
        self.kept.retain(|_| {
            number += 1;
            number % 2 == 1
        });
        self.spacing *= 2;
    }

    /// Takes steps back until at most `steps` are done.
    pub fn rewind(&mut self, steps: usize) {
        if steps >= self.steps.len() {
            return;
        }
        self.steps.truncate(steps);
        let last = steps / self.spacing;
        self.kept.truncate(last + 1);
        self.now = self.kept[last].clone();
        for &step in &self.steps[last * self.spacing..] {
            let again = (self.act)(&mut self.now, step);
            debug_assert_eq!(again, Ok(()), "a step that was allowed is allowed again");
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn add(sum: &mut u64, step: u64) -> Result<(), String> {
        if step == 0 {
            return Err("nothing to add".into());
        }
        *sum = sum.wrapping_mul(31).wrapping_add(step);
        Ok(())
    }

    #[test]
    fn every_step_of_a_long_past_can_be_taken_back() {
        const STEPS: u64 = 10_000;
        let mut history = History::new(7, STEPS as usize, add);
        let mut past = vec![7];
        for step in 1..=STEPS {
            history.act(step).unwrap();
            past.push(*history.now());
        }
        assert!(history.kept.len() <= MOST_KEPT);
        assert!(history.act(1).unwrap_err().contains("at most 10000"));
        while let Some(before) = past.pop() {
            assert_eq!((*history.now(), history.steps().len()), (before, past.len()));
            // On and back again, now and then, from wherever it stands.
            if past.len() % 97 == 1 {
                (1..=40).for_each(|step| drop(history.act(step)));
                history.rewind(past.len());
                assert_eq!(*history.now(), before);
            }
            history.rewind(past.len().saturating_sub(1));
        }
        assert_eq!(history.start(), history.now());
    }

    #[test]
    fn a_refused_step_changes_nothing() {
        let mut history = History::new(7, 3, add);
        assert_eq!(history.act(0), Err("nothing to add".into()));
        assert!(history.steps().is_empty() && *history.now() == 7);
    }
}
