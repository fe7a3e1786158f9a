//! Every claim of every planner, compared with plain search over the reference rules.
//!
//! One file a game. It draws small areas with the odd corners of the game's rules in them, and says
//! how plain search walks the reference rules. Neither the planner's search space nor the fast
//! simulator takes part in what is held to be true. What is compared, for each area, node budget
//! and number of threads, with and without a proof asked for: the verdict, the length and the bound
//! of [`Area::solve`], of [`Area::improve`] and, from positions that random actions lead to, of
//! [`Area::solve_from`], as the planner gives them and as they leave through [`outwit::verify`].
//! Certificates of true claims must be accepted, and those of false ones refused.
//!
//! Each area has a seed of its own. Where a claim is false, the test names the game and the seed
//! and shows the area.

mod certificates;
mod labyrinth;
mod last_of_us;
mod lemmas;
mod monsters;
mod parts;
mod robots;
mod sokoban;

use outwit::diagnostic::Source;
use outwit::games::{Answer, Area, GameId, Objective, Session};
use outwit::search::{Control, Limits, Run, Verdict};
use outwit::vector::{Label, label};
use outwit::verify::{Settled, Verified, settle, verify};
use pathfinding::prelude::dijkstra;
use rand::prelude::*;
use rand_chacha::ChaCha8Rng;
use std::cell::Cell;
use std::hash::{Hash, Hasher};
use std::rc::Rc;
use std::time::Duration;

/// Environment variable by which `scripts/quick` asks for fewer areas: with 4, every fourth seed is drawn.
const PART: &str = "OUTWIT_AUDIT_PART";
/// Areas that are compared in each game, at least.
const AREAS: u64 = 500;
/// Node budgets of planning: from hopeless to unlimited.
const NODES: [Option<u64>; 5] = [Some(1), Some(20), Some(500), Some(5_000), None];
/// Node budgets of planning from a position.
const POSITION_NODES: [Option<u64>; 2] = [Some(20), None];
/// Node budgets of improving.
const IMPROVING_NODES: [Option<u64>; 2] = [Some(20), Some(500)];
/// Numbers of threads.
const THREADS: [usize; 2] = [1, 2];
/// Wall time of one answer: no answer may need it, so that the clock decides nothing.
const TIME: Duration = Duration::from_secs(3600);
/// Memory of one answer, in bytes.
const MEMORY: usize = 256 << 20;
/// The most actions that are done at random.
const MOST_STRAY: usize = 3;

/// Distance between two seeds that are drawn.
fn part() -> u64 {
    std::env::var(PART).map_or(1, |part| part.parse().expect("the distance of two seeds"))
}

/// The seeds of a test: all below `count`, or the part that is asked for.
pub fn seeds(count: u64) -> impl Iterator<Item = u64> {
    if is_part() {
        println!("one area of {} only ({PART}): rare cases may be missing", part());
    }
    (0..count).step_by(part() as usize)
}

/// Whether only a part of the areas is compared: then what is rare may be missing.
pub fn is_part() -> bool {
    part() > 1
}

/// A game under its reference rules, as plain search walks it.
pub trait Rules: Clone {
    /// An action of the player.
    type Action: Copy + std::fmt::Debug;
    /// All that the rest of the game depends on.
    type Key: Eq + Hash;

    /// See [`Rules::Key`].
    fn key(&self) -> Self::Key;

    /// The actions to try. The rules refuse those that are illegal.
    fn actions(&self) -> Vec<Self::Action>;

    /// Does an action; gives its cost, or nothing where it is refused or loses the game.
    fn act(&mut self, action: Self::Action) -> Option<u64>;

    /// Whether the game is won.
    fn is_won(&self) -> bool;

    /// A plan in the game's own format.
    fn plan_text(plan: &[Self::Action]) -> String;
}

/// A state of plain search. States are equal where their keys are.
struct Node<R: Rules> {
    rules: Rc<R>,
    key: Rc<R::Key>,
}

impl<R: Rules> Node<R> {
    fn new(rules: R) -> Self {
        let key = Rc::new(rules.key());
        Node { rules: Rc::new(rules), key }
    }

    /// The states one action further, with the actions and their costs.
    fn successors(&self) -> Vec<(R::Action, Self, u64)> {
        let child = |action| {
            let mut rules = R::clone(&self.rules);
            let cost = rules.act(action)?;
            Some((action, Node::new(rules), cost))
        };
        self.rules.actions().into_iter().filter_map(child).collect()
    }
}

impl<R: Rules> Clone for Node<R> {
    fn clone(&self) -> Self {
        Node { rules: Rc::clone(&self.rules), key: Rc::clone(&self.key) }
    }
}

impl<R: Rules> PartialEq for Node<R> {
    fn eq(&self, other: &Self) -> bool {
        self.key == other.key
    }
}

impl<R: Rules> Eq for Node<R> {}

impl<R: Rules> Hash for Node<R> {
    fn hash<H: Hasher>(&self, state: &mut H) {
        self.key.hash(state);
    }
}

/// What plain search knows of an area.
pub enum Truth<A> {
    /// A plan of least cost, and that cost.
    Least(Vec<A>, u64),
    /// There is no plan.
    NoPlan,
    /// More states than allowed.
    TooLarge,
}

impl<A> Truth<A> {
    /// The least cost; `None` where there is no plan.
    pub fn least(&self) -> Option<u64> {
        match self {
            Truth::Least(_, cost) => Some(*cost),
            _ => None,
        }
    }
}

/// Uniform cost search from a state; gives up past `most` expanded states.
pub fn plain_search<R: Rules>(start: &R, most: usize) -> Truth<R::Action> {
    let expanded = Cell::new(0);
    let successors = |node: &Node<R>| {
        expanded.set(expanded.get() + 1);
        let children = if expanded.get() > most { Vec::new() } else { node.successors() };
        children.into_iter().map(|(_, child, cost)| (child, cost))
    };
    let found = dijkstra(&Node::new(start.clone()), successors, |node| node.rules.is_won());
    match found {
        _ if expanded.get() > most => Truth::TooLarge,
        None => Truth::NoPlan,
        Some((path, cost)) => Truth::Least(path.windows(2).map(step::<R>).collect(), cost),
    }
}

/// The cheapest action from one state to the next.
fn step<R: Rules>(pair: &[Node<R>]) -> R::Action {
    let leading = pair[0].successors().into_iter().filter(|(_, child, _)| *child == pair[1]);
    leading.min_by_key(|&(_, _, cost)| cost).expect("states of a path are neighbours").0
}

/// A position that actions at random have led to.
pub struct Stray<A> {
    /// The actions.
    pub begun: Vec<A>,
    /// What they cost.
    spent: u64,
    /// What is true of the rest of the game.
    rest: Truth<A>,
}

/// Does some actions at random that neither win nor lose the game. Of the rest is known what is found
/// among `most` states.
pub fn stray<R: Rules>(start: &R, most: usize, rng: &mut impl Rng) -> Stray<R::Action> {
    let mut rules = start.clone();
    let (mut begun, mut spent) = (Vec::new(), 0);
    for _ in 0..rng.random_range(1..=MOST_STRAY) {
        let children = Node::new(rules.clone()).successors();
        let going_on = children.into_iter().filter(|(_, child, _)| !child.rules.is_won());
        let Some((action, child, cost)) = going_on.choose(rng) else { break };
        rules = R::clone(&child.rules);
        begun.push(action);
        spent += cost;
    }
    Stray { begun, spent, rest: plain_search(&rules, most) }
}

impl<A: Copy> Stray<A> {
    /// The length of a shortest plan that begins so, `None` where there is none; nothing where that
    /// is not known.
    pub fn least(&self) -> Option<Option<u64>> {
        match self.rest {
            Truth::TooLarge => None,
            // Nothing is to do: a replay alone tells the length.
            Truth::Least(_, 0) => None,
            _ => Some(self.rest.least().map(|rest| self.spent + rest)),
        }
    }

    /// A plan that need not be a shortest one, where there is one.
    pub fn plan(&self) -> Option<Vec<A>> {
        match &self.rest {
            Truth::Least(rest, _) => Some(self.begun.iter().chain(rest).copied().collect()),
            Truth::NoPlan | Truth::TooLarge => None,
        }
    }
}

/// The random numbers of one area.
pub fn rng(seed: u64) -> ChaCha8Rng {
    ChaCha8Rng::seed_from_u64(seed)
}

/// An area that was drawn, and what is true of it.
pub struct Case<'a> {
    /// The area, read by its game.
    pub area: &'a dyn Area,
    /// The seed it was drawn with.
    pub seed: u64,
    /// The questions to ask, with their true answers.
    pub questions: Vec<Question>,
}

/// A question to a planner, and its true answer.
#[derive(Clone, Copy, Debug)]
pub struct Question {
    /// As [`outwit::games::Game::objective`] takes it.
    pub optimal: Option<&'static str>,
    /// The length of a shortest plan in the measure of the question; `None` where there is no plan.
    pub least: Option<u64>,
}

impl Question {
    /// The questions of a game with one measure: any plan, and a proof.
    pub fn both(least: Option<u64>) -> Vec<Question> {
        [None, Some("")].map(|optimal| Question { optimal, least }).to_vec()
    }

    fn objective(self, game: GameId) -> Objective {
        game.game().objective(self.optimal).expect("a measure of the game")
    }
}

/// A call of the planner.
#[derive(Clone, Copy)]
struct Call {
    what: &'static str,
    question: Question,
    nodes: Option<u64>,
    threads: usize,
}

impl Call {
    fn budget(self) -> Run {
        let Call { nodes, threads, .. } = self;
        Run::from(Limits { time: TIME, memory: MEMORY, nodes, threads, ..Limits::default() })
    }
}

impl Case<'_> {
    /// The length of a shortest plan in the game's own measure; `None` where there is no plan.
    pub fn least(&self) -> Option<u64> {
        self.questions.first().and_then(|question| question.least)
    }

    fn calls(&self, what: &'static str, nodes: &[Option<u64>]) -> Vec<Call> {
        let mut calls = Vec::new();
        for &question in &self.questions {
            for &nodes in nodes {
                calls.extend(THREADS.map(|threads| Call { what, question, nodes, threads }));
            }
        }
        calls
    }

    /// Compares the planner's answers with the truth, for all budgets.
    pub fn audit_solve(&self, tally: &mut Tally) {
        for call in self.calls("solve", &NODES) {
            let answer =
                self.area.solve(&call.question.objective(self.area.game()), None, &call.budget());
            let must_decide = call.nodes.is_none() && call.question.optimal.is_some();
            let judged = self.judge(call.question, &answer, None).and_then(|verdict| {
                let decided = matches!(verdict, Verdict::Optimal | Verdict::Impossible);
                if must_decide && !decided { Err("nothing is decided".into()) } else { Ok(()) }
            });
            judged.unwrap_or_else(|fault| self.fail(call, &answer, &fault));
            tally.answers += 1;
        }
        certificates::audit(self, tally);
    }

    /// Compares the planner's answers from a position with the truth: this case's questions are
    /// those of plans that begin with `begun`.
    pub fn audit_position(&self, begun: &str, tally: &mut Tally) {
        let source = Source::new("begun", begun);
        for call in self.calls("solve_from", &POSITION_NODES) {
            if call.threads > 1 {
                continue;
            }
            if call.question.optimal.is_some() {
                self.audit_label(&source, call, tally);
            }
            let objective = call.question.objective(self.area.game());
            let answer = self.area.solve_from(&source, &objective, &call.budget());
            let answer =
                answer.unwrap_or_else(|error| panic!("seed {}: {error:?}\n{begun}", self.seed));
            let must_decide = call.nodes.is_none() && call.question.optimal.is_some();
            let judged = self.judge(call.question, &answer, None).and_then(|verdict| {
                let decided = matches!(verdict, Verdict::Optimal | Verdict::Impossible);
                if must_decide && !decided { Err("nothing is decided".into()) } else { Ok(()) }
            });
            let judged = judged.map_err(|fault| format!("{fault}\nfrom {begun:?}"));
            judged.unwrap_or_else(|fault| self.fail(call, &answer, &fault));
            tally.answers += 1;
            tally.lost += u64::from(answer.verdict == Verdict::Impossible);
        }
    }

    /// Compares the label of a position, and that of the one after its best step, with the truth.
    fn audit_label(&self, begun: &Source, call: Call, tally: &mut Tally) {
        let objective = call.question.objective(self.area.game());
        let session = self.area.position(begun).expect("a position");
        let spent = session.length(&objective);
        let mut next = self.area.position(begun).expect("a position");
        let label = self.label(session, &objective, call);
        let truth = call.question.least.map(|least| least - spent);
        let fault = match &label {
            Label { is_lost: Some(lost), .. } if *lost == truth.is_some() => "a false loss",
            Label { distance: Some(distance), .. } if Some(*distance) != truth => {
                "a false distance"
            }
            label if call.nodes.is_none() && !label.is_exact() => "nothing is decided",
            _ => "",
        };
        assert!(fault.is_empty(), "seed {}: {fault}: {label:?}, {truth:?}", self.seed);
        if let (Some(distance), Some(step)) = (label.distance, &label.step) {
            next.act(step).expect("the rules allow the best step");
            let after = distance - (next.length(&objective) - spent);
            let label = self.label(next, &objective, call);
            let is_false = label.distance.is_some_and(|distance| distance != after);
            let (seed, text) = (self.seed, self.area.text());
            assert!(!is_false, "seed {seed}: {step:?} leads to {label:?}, not {after}\n{text}");
        }
        tally.labels += u64::from(label.is_exact());
    }

    fn label(&self, session: Box<dyn Session>, objective: &Objective, call: Call) -> Label {
        let position = vec![(self.area, session)];
        let mut labels = label(position, objective, call.budget().limits, &Control::default());
        labels.pop().expect("a label")
    }

    /// Compares what the planner makes of a valid plan with the truth, for all budgets.
    pub fn audit_improve(&self, plan: &str, tally: &mut Tally) {
        let known = verify(self.area, &Source::new("a plan of plain search", plan));
        let known = known.unwrap_or_else(|error| {
            panic!("seed {}: {error:?}\n{plan}\n{}", self.seed, self.area.text())
        });
        for call in self.calls("improve", &IMPROVING_NODES) {
            let answer =
                self.area.improve(plan, &call.question.objective(self.area.game()), &call.budget());
            let judged = self.judge(call.question, &answer, Some(&known));
            judged.unwrap_or_else(|fault| self.fail(call, &answer, &fault));
            tally.answers += 1;
        }
    }

    /// The verdict that leaves the house, or what is false about the answer.
    fn judge(
        &self,
        question: Question,
        answer: &Answer,
        known: Option<&Verified>,
    ) -> Result<Verdict, String> {
        let measure = question.objective(self.area.game()).measure;
        let settled = settle(self.area, answer.clone(), known.cloned(), measure);
        judge_planner(self.area, answer, &settled, question)?;
        judge_settled(&settled, question.least)?;
        let length = known.map(|known| known.length(measure));
        if let Some(length) =
            length.filter(|&length| settled.answer.length.is_none_or(|l| l > length))
        {
            return Err(format!("a plan of {length} was known"));
        }
        Ok(settled.answer.verdict)
    }

    fn fail(&self, call: Call, answer: &Answer, fault: &str) -> ! {
        let (game, seed) = (self.area.game(), self.seed);
        let text = self.area.text();
        let Call { what, question, nodes, threads } = call;
        let call = format!("{what} with {nodes:?} nodes and {threads} threads, {question:?}");
        panic!("{game}, seed {seed}: {fault}\n{call}\n{answer:?}\n{text}");
    }
}

/// Compares all that is said of one area of a game with one measure.
pub fn audit_area<R: Rules>(
    start: &R,
    most: usize,
    area: &dyn Area,
    seed: u64,
    tally: &mut Tally,
) -> bool {
    let truth = plain_search(start, most);
    if !tally.count(&truth) {
        return false;
    }
    let case = Case { area, seed, questions: Question::both(truth.least()) };
    case.audit_solve(tally);
    if let Truth::Least(plan, _) = truth {
        let stray = stray(start, most, &mut rng(seed));
        if let Some(least) = stray.least() {
            let case = Case { questions: Question::both(least), ..case };
            case.audit_position(&R::plan_text(&stray.begun), tally);
        }
        case.audit_improve(&R::plan_text(&stray.plan().unwrap_or(plan)), tally);
    }
    true
}

/// What is false about a planner's own answer.
fn judge_planner(
    area: &dyn Area,
    answer: &Answer,
    settled: &Settled,
    question: Question,
) -> Result<(), String> {
    let (measure, least) = (question.objective(area.game()).measure, question.least);
    if let Some(refused) = &settled.refused {
        return Err(format!("its plan is refused: {refused:?}"));
    }
    let plan = answer.plan.as_ref().map(|text| verify(area, &Source::new("plan", text.as_str())));
    let length = plan.and_then(Result::ok).map(|plan| plan.length(measure));
    if length != answer.length {
        return Err(format!("the plan's length is {length:?}"));
    }
    let holds = match answer.verdict {
        // Without a plan, the one that was known is meant.
        Verdict::Optimal => settled.answer.length == least && (length.is_none() || length == least),
        Verdict::Found => length.is_some(),
        Verdict::Impossible => least.is_none() && length.is_none(),
        Verdict::Unknown => length.is_none(),
    };
    if !holds {
        return Err(format!("the planner's verdict is false: {}", answer.verdict.name()));
    }
    judge_bound(answer.verdict, answer.bound, least)
}

/// What is false about an answer as it leaves the house.
fn judge_settled(settled: &Settled, least: Option<u64>) -> Result<(), String> {
    if let Some(note) = settled.answer.notes.iter().find(|note| note.name == "fault of the planner")
    {
        return Err(format!("{}: {}", note.name, note.value));
    }
    let holds = match settled.answer.verdict {
        Verdict::Optimal => settled.answer.length.is_some() && settled.answer.length == least,
        Verdict::Found => least.is_some() && settled.answer.length >= least,
        Verdict::Impossible => least.is_none() && settled.answer.length.is_none(),
        Verdict::Unknown => settled.answer.length.is_none(),
    };
    if !holds {
        return Err(format!("the settled verdict is false: {}", settled.answer.verdict.name()));
    }
    judge_bound(settled.answer.verdict, settled.answer.bound, least)
}

/// A bound is at most the length of a shortest plan, and absent only where there is said to be none.
fn judge_bound(verdict: Verdict, bound: Option<u64>, least: Option<u64>) -> Result<(), String> {
    match (bound, least) {
        (Some(bound), Some(least)) if bound > least => {
            Err(format!("the bound {bound} is above {least}"))
        }
        _ if bound.is_none() != (verdict == Verdict::Impossible) => {
            Err(format!("the verdict is {} and the bound is {bound:?}", verdict.name()))
        }
        _ => Ok(()),
    }
}

/// What a game's audit has compared.
#[derive(Default)]
pub struct Tally {
    /// Areas whose truth is known and was compared.
    pub areas: u64,
    /// Those without a plan.
    pub impossible: u64,
    /// Those that have a plan of no action.
    pub nothing_to_do: u64,
    /// Those that their game's reader refused.
    pub refused: u64,
    /// Those that plain search gave up.
    pub too_large: u64,
    /// Answers that were compared.
    pub answers: u64,
    /// Answers that call a position of an area with a plan lost.
    pub lost: u64,
    /// Labels of positions that leave nothing to be known.
    pub labels: u64,
    /// Certificates of true claims, which were accepted.
    pub certified: u64,
    /// Number of these that an abstraction proves.
    pub certified_by_abstraction: u64,
    /// Levels with a true claim that is certified by parts drawn by lot.
    pub parts_by_lot: u64,
    /// Levels with a true claim that is certified by the planner's parts.
    pub parts_by_planner: u64,
    /// States whose floors and covering were compared with least costs.
    pub states: u64,
    /// Certificates of false claims, which were refused.
    pub refuted: u64,
    /// Areas of which was claimed, and refused, what holds of another one.
    pub changed: u64,
    /// The longest of the shortest plans.
    pub longest: u64,
}

impl Tally {
    /// Reads an area that was drawn; counts it where it is refused.
    pub fn read(&mut self, game: GameId, seed: u64, text: &str) -> Option<Box<dyn Area>> {
        match game.game().read(&Source::new(format!("seed-{seed}"), text)) {
            Ok(areas) => areas.only().ok(),
            Err(_) => {
                self.refused += 1;
                None
            }
        }
    }

    /// Counts an area by its truth; false where it is not known.
    pub fn count<A>(&mut self, truth: &Truth<A>) -> bool {
        match truth {
            Truth::TooLarge => {
                self.too_large += 1;
                return false;
            }
            Truth::NoPlan => self.impossible += 1,
            Truth::Least(_, cost) => {
                self.nothing_to_do += u64::from(*cost == 0);
                self.longest = self.longest.max(*cost);
            }
        }
        self.areas += 1;
        true
    }

    /// Says what was compared; enough areas must have been, with a plan and without.
    pub fn report(&self, game: GameId) {
        println!(
            "{game}: {} areas, {} of them impossible, {} with nothing to do, longest {}; \
             {} refused, {} too large; {} answers compared, {} of lost positions, \
             {} exact labels; {} true claims were certified, {} by an abstraction, {} false ones refused, \
             among them those of {} areas that were changed and hashed again; \
             {} claims hold by parts drawn by lot, {} by those of the planner; what is said of {} states was looked at",
            self.areas,
            self.impossible,
            self.nothing_to_do,
            self.longest,
            self.refused,
            self.too_large,
            self.answers,
            self.lost,
            self.labels,
            self.certified,
            self.certified_by_abstraction,
            self.refuted,
            self.changed,
            self.parts_by_lot,
            self.parts_by_planner,
            self.states
        );
        assert!(self.areas * part() >= AREAS / 2, "{} areas", self.areas);
        if is_part() {
            return;
        }
        assert!(self.areas >= AREAS, "{} areas", self.areas);
        let solvable = self.areas - self.impossible;
        assert!(self.impossible >= 50 && solvable >= 200, "too few of one kind");
        assert!(self.lost > 0 || game == GameId::Labyrinth, "no position was lost");
        assert!(self.labels >= 100, "only {} labels", self.labels);
        assert!(self.certified >= AREAS && self.refuted >= 2 * AREAS, "few certificates");
        assert!(self.states >= 10 * AREAS, "only {} states", self.states);
        assert!(self.changed >= 20 || game != GameId::Sokoban, "few areas were changed");
        let few = "few certificates of abstractions";
        assert!(self.certified_by_abstraction >= 200 || game != GameId::LastOfUs, "{few}");
    }
}

#[test]
fn false_claims_are_found_out() {
    let text = "3 4\n####\n#@..\n####\n";
    let area = GameId::Monsters.game().read(&Source::new("one", text)).unwrap().only().unwrap();
    let case = Case { area: &*area, seed: 0, questions: Vec::new() };
    let question = Question { optimal: None, least: Some(2) };
    let truth = Answer {
        verdict: Verdict::Optimal,
        plan: Some("d\nd\n".into()),
        length: Some(2),
        bound: Some(2),
        ..Answer::nothing()
    };
    assert_eq!(case.judge(question, &truth, None), Ok(Verdict::Optimal));
    let long = Some(" \nd\nd\n".to_string());
    let found = Answer { plan: long.clone(), length: Some(3), ..truth.clone() };
    for (lie, answer) in [
        ("a bound above the shortest plan", Answer { bound: Some(3), ..found.clone() }),
        ("a longer plan called optimal", found.clone()),
        ("a wrong length", Answer { length: Some(1), ..truth.clone() }),
        ("a plan that fails", Answer { plan: Some("d\n".into()), ..truth.clone() }),
        ("no plan possible", Answer { plan: None, length: None, ..truth.clone() }),
        (
            "impossible",
            Answer {
                verdict: Verdict::Impossible,
                plan: None,
                length: None,
                bound: None,
                ..truth.clone()
            },
        ),
    ] {
        assert!(case.judge(question, &answer, None).is_err(), "{lie} was taken for true");
    }
    let hopeless = Question { least: None, ..question };
    assert!(case.judge(hopeless, &truth, None).is_err());
    let known = verify(&*area, &Source::new("known", "d\nd\n")).unwrap();
    let found = Answer { verdict: Verdict::Found, bound: Some(1), ..found };
    assert_eq!(case.judge(question, &found, Some(&known)), Ok(Verdict::Found));
}
