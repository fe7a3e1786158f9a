//! A checker's floors and covering, compared with the least cost from each state.
//!
//! A whole proof tests floors and covering only where they matter for its claim. Here every state of a small area is looked
//! at: no floor is above the least cost, and no state covers one from which plans cost less.

use ahash::AHashMap;
use outwit::certificate::{Rulebook, Start, Step};

/// Upper limit of the states of an area.
const MOST_STATES: usize = 4_000;
/// Where there is no plan.
const NEVER: u64 = u64::MAX;

/// All states of an area.
#[derive(Default)]
struct States {
    states: Vec<Box<[u8]>>,
    numbers: AHashMap<Box<[u8]>, usize>,
    /// Steps: where from, where to (none for a goal), cost.
    steps: Vec<(usize, Option<usize>, u64)>,
}

impl States {
    /// The states that are reached from the start; none where they are too many.
    fn of(rulebook: &dyn Rulebook) -> Option<States> {
        let Start::State(start) = rulebook.start() else { return None };
        let mut found = States::default();
        found.number(&start);
        let mut expander = rulebook.expander();
        let mut next = 0;
        while let Some(state) = found.states.get(next).cloned() {
            expander.go_to(&state, NEVER);
            while let Some(step) = expander.next() {
                let (to, cost) = match step {
                    Step::Goal { cost } => (None, cost),
                    Step::State { cost, to } => (Some(found.number(to)), cost),
                };
                found.steps.push((next, to, cost));
            }
            next += 1;
            if found.states.len() > MOST_STATES {
                return None;
            }
        }
        Some(found)
    }

    fn number(&mut self, state: &[u8]) -> usize {
        if let Some(&known) = self.numbers.get(state) {
            return known;
        }
        self.states.push(state.into());
        self.numbers.insert(state.into(), self.states.len() - 1);
        self.states.len() - 1
    }

    /// The least cost of a plan from each state (Bellman and Ford).
    fn least(&self) -> Vec<u64> {
        let mut least = vec![NEVER; self.states.len()];
        loop {
            let before = least.clone();
            for &(from, to, cost) in self.steps.iter().rev() {
                let rest = to.map_or(0, |to| least[to]);
                least[from] = least[from].min(rest.saturating_add(cost));
            }
            if least == before {
                return least;
            }
        }
    }
}

/// Looks at all states of an area and returns their number; 0 if there are too many.
///
/// # Errors
/// A floor or a covering state that is wrong.
pub fn audit(rulebook: &dyn Rulebook) -> Result<usize, String> {
    let Some(all) = States::of(rulebook) else { return Ok(0) };
    let least = all.least();
    let mut expander = rulebook.expander();
    for state in &all.states {
        expander.go_to(state, NEVER);
        loop {
            let to = match expander.next() {
                None => break,
                Some(Step::Goal { .. }) => continue,
                Some(Step::State { to, .. }) => all.numbers[to],
            };
            let cost = least[to];
            let too_high = if cost == NEVER { None } else { Some([cost + 1, NEVER]) };
            if too_high.is_some_and(|above| above.into_iter().any(|at| expander.costs_at_least(at)))
            {
                return Err(format!("a floor is above {cost}, from {:?}", all.states[to]));
            }
            let mut fault = None;
            expander.is_covered(&mut |by| {
                let known = all.numbers.get(by).filter(|&&by| least[by] > cost);
                fault = fault.or(known.copied());
                false
            });
            if let Some(by) = fault {
                return Err(not_covered(&all, &least, by, to));
            }
        }
    }
    let classes: Vec<Option<u32>> = all.states.iter().map(|state| rulebook.class(state)).collect();
    for by in 0..all.states.len() {
        for to in (0..all.states.len()).filter(|&to| least[by] > least[to]) {
            let is_one = classes[by].is_some() && classes[by] == classes[to];
            if is_one && rulebook.covers(&all.states[by], &all.states[to]) {
                return Err(not_covered(&all, &least, by, to));
            }
        }
    }
    Ok(all.states.len())
}

fn not_covered(all: &States, least: &[u64], by: usize, to: usize) -> String {
    let (cover, state) = (&all.states[by], &all.states[to]);
    format!("{state:?} with {} is covered by {cover:?} with {}", least[to], least[by])
}
