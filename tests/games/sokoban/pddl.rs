//! Levels in PDDL mean the level: a small STRIPS interpreter, which knows nothing of Sokoban, reads
//! domain and problem and agrees with the reference rules about plans, valid and hostile.

use outwit::diagnostic::Source;
use outwit::games::{Area, GameId, GenerateOptions, Objective, Pddl, PlanError};
use outwit::search::{Limits, Run};
use outwit::verify::verify;
use rand::seq::{IndexedRandom, SliceRandom};
use rand::{RngExt, SeedableRng};
use rand_chacha::ChaCha8Rng;
use std::collections::{BTreeMap, BTreeSet};

/// A nested list of words.
#[derive(Clone, Debug, PartialEq)]
enum Term {
    Word(String),
    List(Vec<Term>),
}

impl Term {
    fn parse(text: &str) -> Term {
        let plain: Vec<&str> = text.lines().map(|line| line.split(';').next().unwrap()).collect();
        let spaced = plain.join(" ").replace('(', " ( ").replace(')', " ) ");
        let mut open = vec![Vec::new()];
        for word in spaced.split_whitespace() {
            match word {
                "(" => open.push(Vec::new()),
                ")" => {
                    let list = open.pop().expect("a list is open");
                    open.last_mut().expect("parentheses match").push(Term::List(list));
                }
                word => open.last_mut().unwrap().push(Term::Word(word.to_lowercase())),
            }
        }
        assert_eq!((open.len(), open[0].len()), (1, 1), "one list: {text}");
        open.remove(0).remove(0)
    }

    fn list(&self) -> &[Term] {
        match self {
            Term::List(list) => list,
            Term::Word(word) => panic!("{word} is no list"),
        }
    }

    fn word(&self) -> &str {
        match self {
            Term::Word(word) => word,
            Term::List(list) => panic!("{list:?} is no word"),
        }
    }

    /// The lists that begin with a word.
    fn all<'a>(&'a self, head: &'a str) -> impl Iterator<Item = &'a [Term]> {
        let lists = self.list().iter().filter(|term| matches!(term, Term::List(_)));
        lists
            .map(Term::list)
            .filter(move |list| list.first().is_some_and(|t| *t == Term::Word(head.into())))
    }

    /// What follows a keyword.
    fn after(&self, keyword: &str) -> &Term {
        let at = self.list().iter().position(|term| *term == Term::Word(keyword.into()));
        &self.list()[at.expect("the keyword is there") + 1]
    }
}

/// The names of a typed list and their types: `a b - t c - u`.
fn typed(terms: &[Term]) -> Vec<(String, String)> {
    let mut named = Vec::new();
    let mut waiting: Vec<String> = Vec::new();
    let mut words = terms.iter().map(Term::word);
    while let Some(word) = words.next() {
        if word == "-" {
            let kind = words.next().expect("a type");
            named.extend(waiting.drain(..).map(|name| (name, kind.to_string())));
        } else {
            waiting.push(word.to_string());
        }
    }
    assert!(waiting.is_empty(), "everything has a type");
    named
}

type Fact = Vec<String>;

/// A domain and a problem, and the facts that hold.
struct Strips {
    domain: Term,
    types: BTreeMap<String, String>,
    objects: BTreeMap<String, String>,
    facts: BTreeSet<Fact>,
    goals: Vec<Fact>,
    cost: u64,
}

fn fact(term: &Term, names: &BTreeMap<String, String>) -> Fact {
    let name = |term: &Term| names.get(term.word()).cloned().unwrap_or(term.word().to_string());
    term.list().iter().map(name).collect()
}

/// The parts of a conjunction.
fn parts(term: &Term) -> &[Term] {
    assert_eq!(term.list()[0], Term::Word("and".into()));
    &term.list()[1..]
}

impl Strips {
    fn new(pddl: &dyn Pddl) -> Strips {
        let (domain, problem) = (Term::parse(&pddl.domain()), Term::parse(&pddl.problem()));
        let none = BTreeMap::new();
        let section = |term: &Term, name: &str| term.all(name).next().unwrap()[1..].to_vec();
        assert_eq!(section(&domain, "domain"), section(&problem, ":domain"));
        let is_number = |term: &&Term| term.list()[0] == Term::Word("=".into());
        let init = section(&problem, ":init");
        Strips {
            types: typed(&section(&domain, ":types")).into_iter().collect(),
            objects: typed(&section(&problem, ":objects")).into_iter().collect(),
            facts: init.iter().filter(|t| !is_number(t)).map(|t| fact(t, &none)).collect(),
            goals: parts(&section(&problem, ":goal")[0]).iter().map(|t| fact(t, &none)).collect(),
            domain,
            cost: 0,
        }
    }

    fn is_a(&self, object: &str, kind: &str) -> bool {
        let mut known = self.objects.get(object);
        while let Some(is) = known {
            if is == kind {
                return true;
            }
            known = self.types.get(is);
        }
        false
    }

    /// Does an action; false where a precondition does not hold.
    fn act(&mut self, line: &str) -> bool {
        let Term::List(words) = Term::parse(line) else { return false };
        let domain = self.domain.clone();
        let mut actions = domain.all(":action");
        let Some(action) = actions.find(|action| action[1] == words[0]) else { return false };
        let action = Term::List(action.to_vec());
        let parameters = typed(action.after(":parameters").list());
        if parameters.len() != words.len() - 1 {
            return false;
        }
        let mut names = BTreeMap::new();
        for ((name, kind), word) in parameters.into_iter().zip(&words[1..]) {
            if !self.is_a(word.word(), &kind) {
                return false;
            }
            names.insert(name, word.word().to_string());
        }
        let holds = |term: &Term| self.facts.contains(&fact(term, &names));
        if !parts(action.after(":precondition")).iter().all(holds) {
            return false;
        }
        let mut added = Vec::new();
        for effect in parts(action.after(":effect")) {
            match effect.list()[0].word() {
                "not" => drop(self.facts.remove(&fact(&effect.list()[1], &names))),
                "increase" => self.cost += effect.list()[2].word().parse::<u64>().unwrap(),
                _ => added.push(fact(effect, &names)),
            }
        }
        self.facts.extend(added);
        true
    }

    fn is_done(&self) -> bool {
        self.goals.iter().all(|goal| self.facts.contains(goal))
    }

    /// Whether a plan is valid, and what it costs.
    fn run(mut self, plan: &str) -> Option<u64> {
        (plan.lines().all(|line| self.act(line)) && self.is_done()).then_some(self.cost)
    }
}

fn level(text: &str) -> Box<dyn Area> {
    GameId::Sokoban.game().read(&Source::new("level", text)).unwrap().only().unwrap()
}

/// Levels of the generator, and one with a box behind a wall, one on a target.
fn levels() -> Vec<Box<dyn Area>> {
    let made = (1..=12).map(|seed| {
        let options = GenerateOptions { seed, ..GenerateOptions::default() };
        level(&GameId::Sokoban.game().generate(&options).unwrap().area)
    });
    let closed = "########\n#  @ #*#\n# $. # #\n# *  ###\n######\n";
    made.chain([level(closed)]).collect()
}

/// A plan of our own planner, as keys and as actions.
fn plans(area: &dyn Area) -> (String, String) {
    let budget = Run::from(Limits { nodes: Some(200_000), threads: 1, ..Limits::seconds(1e6) });
    let keys =
        area.solve(&Objective::default(), None, &budget).plan.expect("small levels are solved");
    let actions = area.pddl().unwrap().write_plan(&Source::new("plan", keys.as_str())).unwrap();
    (keys, actions)
}

fn read(area: &dyn Area, plan: &str) -> Result<String, PlanError> {
    area.pddl().unwrap().read_plan(&Source::new("plan", plan))
}

#[test]
fn our_plans_are_plans_there_and_come_back() {
    for area in levels() {
        let (keys, actions) = plans(area.as_ref());
        let proof = verify(area.as_ref(), &Source::new("plan", keys.as_str())).unwrap();
        let cost = Strips::new(area.pddl().unwrap()).run(&actions);
        assert_eq!(
            cost,
            Some(proof.length(area.game().game().measure("pushes").ok())),
            "{}\n{actions}",
            area.text()
        );
        let back = read(area.as_ref(), &actions).unwrap();
        let back = verify(area.as_ref(), &Source::new("back", back)).unwrap();
        assert_eq!(back.validation(), proof.validation());
        let timed: String = (0..)
            .zip(actions.lines())
            .map(|(time, line)| format!("{time}.0: {} [1] ; done\n", line.to_uppercase()))
            .collect();
        assert_eq!(read(area.as_ref(), &timed), read(area.as_ref(), &actions));
    }
}

/// Changes a plan so that it may be none any more.
fn mutate(lines: &mut Vec<String>, others: &[String], random: &mut ChaCha8Rng) {
    let at = random.random_range(0..lines.len());
    match random.random_range(0..6) {
        0 => drop(lines.remove(at)),
        1 => lines.insert(at, others.choose(random).unwrap().clone()),
        2 => lines.truncate(at),
        3 => {
            let to = random.random_range(0..lines.len());
            lines.swap(at, to);
        }
        _ => {
            let mut words: Vec<String> = lines[at].split(' ').map(String::from).collect();
            let other = others.choose(random).unwrap().split(' ').map(String::from);
            let other: Vec<String> = other.collect();
            let word = random.random_range(0..words.len().min(other.len()));
            words[word] = other[word].clone();
            lines[at] = words.join(" ").replace("))", ")");
        }
    }
}

#[test]
fn what_is_read_is_what_the_interpreter_accepts() {
    let (mut accepted, mut refused) = (0, 0);
    for (number, area) in levels().into_iter().enumerate() {
        let area = area.as_ref();
        let (_, actions) = plans(area);
        let others: Vec<String> = actions.lines().map(String::from).collect();
        for seed in 0..60 {
            let mut random = ChaCha8Rng::seed_from_u64(seed);
            let mut lines = others.clone();
            mutate(&mut lines, &others, &mut random);
            if random.random_bool(0.1) {
                lines.shuffle(&mut random);
            }
            // A last word may stand elsewhere, and the other way round.
            let is_list = |line: &String| line.find(')') == Some(line.len() - 1);
            if lines.is_empty() || !lines.iter().all(is_list) {
                continue;
            }
            let plan = lines.join("\n");
            let there = Strips::new(area.pddl().unwrap()).run(&plan).is_some();
            let here = read(area, &plan);
            assert_eq!(here.is_ok(), there, "level {number}, seed {seed}: {here:?}\n{plan}");
            if let Ok(keys) = here {
                verify(area, &Source::new("back", keys)).expect("what is read is valid");
            }
            (accepted, refused) = (accepted + i32::from(there), refused + i32::from(!there));
        }
    }
    assert!(accepted > 10 && refused > 100, "{accepted} accepted, {refused} refused");
}

#[test]
fn hostile_plans_are_placed_or_refused() {
    let corridor = level("######\n#@ $.#\n######\n");
    let unreadable = |plan: &str, line: usize, column: usize, words: &str| {
        let Err(PlanError::Unreadable(error)) = read(corridor.as_ref(), plan) else {
            panic!("it is read: {plan:?}");
        };
        assert_eq!((error.line, error.column), (line, column), "{plan:?}: {error}");
        assert!(error.message.contains(words), "{error}");
    };
    let step = "(move player-1 pos-2-2 pos-3-2 dir-right)";
    unreadable("\nfly away", 2, 1, "no action");
    unreadable("(move player-1", 1, 14, "does not end");
    unreadable("()", 1, 1, "without a name");
    unreadable("x (move)", 1, 1, "no time");
    unreadable("  (teleport player-1)", 1, 4, "no action of the domain");
    unreadable("(move player-1)", 1, 2, "has 4 arguments, here are 1");
    unreadable("(move player-1 pos-2-2 pos-3-2 dir-slant)", 1, 32, "no direction");
    unreadable(&format!("{step} {step}"), 1, step.len() + 1, "behind an action");

    let refused = |plan: String, number: u64, words: &str| {
        let Err(PlanError::Refused(refusal)) = read(corridor.as_ref(), &plan) else {
            panic!("it is not refused: {plan:?}");
        };
        assert_eq!(refusal.step, number, "{plan:?}");
        assert!(refusal.reason.contains(words), "{}", refusal.reason);
        assert!(refusal.board.contains('@'));
    };
    let push = "(push-to-goal player-1 stone-1 pos-3-2 pos-4-2 pos-5-2 dir-right)";
    assert_eq!(read(corridor.as_ref(), &format!("{step}\n{push}\n")).unwrap(), "rR\n");
    refused(step.to_string(), 2, "a box that is not on a target");
    refused(String::new(), 1, "a box that is not on a target");
    refused(push.to_string(), 1, "it says push-to-goal, and move is what holds");
    refused(format!("{step}\n{}", push.replace("stone-1", "stone-7")), 2, "stone-1");
    refused(format!("{step}\n{}", push.replace("to-goal", "to-nongoal")), 2, "push-to-goal");
    refused(format!("{step}\n{}", push.replace("pos-5-2", "pos-9-9")), 2, "pos-9-9");
    refused("(move player-1 pos-2-2 pos-2-1 dir-up)".into(), 1, "a wall is in the way");
    refused(format!("{step}\n{push}\n{push}"), 3, "a wall is behind it");
}
