//! A* over a space of one's own: two jugs of 5 and 3 litres, to measure out 4.
//!
//! `cargo run --release --example own_space`

use outwit::search::astar::astar;
use outwit::search::{Run, Space, Successor};

/// Litres that the jugs hold when they are full.
const JUGS: [u32; 2] = [5, 3];
/// Litres that are wanted.
const WANTED: u32 = 4;

/// What can be done with the jugs, by number.
#[derive(Clone, Copy, Debug)]
enum Act {
    Fill(usize),
    Empty(usize),
    Pour { from: usize, to: usize },
}

/// All that can be done.
const ACTS: [Act; 6] = [
    Act::Fill(0),
    Act::Fill(1),
    Act::Empty(0),
    Act::Empty(1),
    Act::Pour { from: 0, to: 1 },
    Act::Pour { from: 1, to: 0 },
];

/// The space: a state is the litres in each jug.
struct Jugs;

impl Space for Jugs {
    type State = [u32; 2];
    type Action = Act;
    type Scratch = ();

    fn start(&self) -> [u32; 2] {
        [0, 0]
    }

    fn key(&self, jugs: &[u32; 2]) -> u64 {
        u64::from(jugs[0]) << 32 | u64::from(jugs[1])
    }

    /// No plan is shorter than this: one act, unless it is done.
    fn bound(&self, jugs: &[u32; 2]) -> u32 {
        u32::from(!self.is_goal(jugs))
    }

    fn is_goal(&self, jugs: &[u32; 2]) -> bool {
        jugs.contains(&WANTED)
    }

    fn scratch(&self) {}

    fn expand(&self, jugs: &[u32; 2], _: &mut (), visit: &mut impl FnMut(Successor<Act>)) {
        for action in ACTS {
            let child = self.child(jugs, action, &mut ());
            visit(Successor::of(self, (action, 1), &child));
        }
    }

    fn child(&self, jugs: &[u32; 2], action: Act, _: &mut ()) -> [u32; 2] {
        let mut after = *jugs;
        match action {
            Act::Fill(jug) => after[jug] = JUGS[jug],
            Act::Empty(jug) => after[jug] = 0,
            Act::Pour { from, to } => {
                let litres = after[from].min(JUGS[to] - after[to]);
                after[from] -= litres;
                after[to] += litres;
            }
        }
        after
    }
}

fn main() {
    let outcome = astar(&Jugs, &Run::seconds(5.0).start());
    println!("{}: {} acts", outcome.verdict.name(), outcome.cost);
    let mut jugs = Jugs.start();
    for act in outcome.plan.into_iter().flatten() {
        jugs = Jugs.child(&jugs, act, &mut ());
        println!("{act:?}: {jugs:?}");
    }
}

/// Four litres take six acts, and no fewer.
#[test]
fn six_acts_measure_four_litres() {
    let outcome = astar(&Jugs, &Run::seconds(60.0).start());
    assert_eq!(outcome.verdict, outwit::search::Verdict::Optimal);
    let plan = outcome.plan.expect("a plan");
    let last = plan.iter().fold(Jugs.start(), |jugs, &act| Jugs.child(&jugs, act, &mut ()));
    assert_eq!((outcome.cost, plan.len()), (6, 6));
    assert!(Jugs.is_goal(&last), "{last:?}");
}
