//! Proofs by parts: the least costs of some boxes alone, compared with plain search over the reference rules.
//!
//! The division of the boxes and the surcharges of the targets are drawn by lot. The reference rules give the cost of
//! each part: the other boxes are taken off, and one more stands in a room of its own, where it is never on a target,
//! so that the game goes on when all others are.

use super::{Rules, Tally, Truth, lemmas, plain_search};
use outwit::board::{BitBoard, Cell, Direction, ORTHOGONAL};
use outwit::certificate::parts::MAX_SURCHARGE;
use outwit::certificate::{Certificate, Claim, MAX_STATES, Part, Parts};
use outwit::check::{CheckError, check};
use outwit::diagnostic::Source;
use outwit::games::sokoban::format::{PUSHES, read_levels};
use outwit::games::sokoban::rules::{Done, Game};
use outwit::games::{Area, Fingerprint, GameId};
use outwit::search::Run;
use rand::prelude::*;

/// Positions that plain search may expand for one part.
const MOST_POSITIONS: usize = 20_000;
/// The cost that is claimed for a part without a plan.
const ENDLESS: u64 = 1_000;

/// Some boxes of a level alone. The last action ends the game where they are all on targets.
#[derive(Clone)]
struct Alone {
    game: Game,
    /// The targets with their surcharges.
    surcharges: Vec<(Cell, u64)>,
    /// Number of boxes, without the one that stays in its room.
    boxes: usize,
    is_over: bool,
}

impl Alone {
    /// The boxes of these numbers, of a level whose boxes and targets are counted row by row.
    fn new(text: &str, members: &[usize], surcharges: &[u64]) -> Alone {
        let mut number = 0;
        let mut letters = String::new();
        for letter in text.trim_end().chars() {
            let is_box = matches!(letter, '$' | '*');
            let is_taken = is_box && !members.contains(&number);
            number += usize::from(is_box);
            letters.push(match letter {
                '$' if is_taken => ' ',
                '*' if is_taken => '.',
                letter => letter,
            });
        }
        let level = read_levels(&Source::new("part", format!("{letters}\n#$ .#\n#####\n")));
        let level = level.expect("a level").remove(0);
        let targets = level.targets.iter().zip(surcharges.iter().copied()).collect();
        let game = Game::new(&level);
        Alone { game, surcharges: targets, boxes: members.len(), is_over: false }
    }

    /// Cost of ending here; `None` where a box is on no target.
    fn end(&self) -> Option<u64> {
        let taken = self.surcharges.iter().filter(|(cell, _)| self.game.boxes().contains(*cell));
        let costs: Vec<u64> = taken.map(|&(_, cost)| cost).collect();
        (costs.len() == self.boxes).then(|| costs.iter().sum())
    }
}

impl Rules for Alone {
    type Action = Option<Direction>;
    type Key = (Cell, BitBoard, bool);

    fn key(&self) -> Self::Key {
        (self.game.player(), self.game.boxes().clone(), self.is_over)
    }

    fn actions(&self) -> Vec<Option<Direction>> {
        ORTHOGONAL.map(Some).into_iter().chain([None]).collect()
    }

    fn act(&mut self, action: Option<Direction>) -> Option<u64> {
        let Some(direction) = action else {
            self.is_over = true;
            return self.end();
        };
        Some(u64::from(self.game.press(direction).ok()? == Done::Pushed))
    }

    fn is_won(&self) -> bool {
        self.is_over
    }

    fn plan_text(_: &[Option<Direction>]) -> String {
        unreachable!("nobody asks for the plan of a part")
    }
}

/// A level whose proofs by parts are tested.
struct Bench<'a> {
    area: &'a dyn Area,
    text: &'a str,
    seed: u64,
}

/// Compares proofs by parts of a level with as many targets as boxes, whose least pushes are known.
pub fn audit(
    (area, text, seed): (&dyn Area, &str, u64),
    least: Option<u64>,
    rng: &mut impl Rng,
    tally: &mut Tally,
) {
    let boxes = text.matches(['$', '*']).count();
    if boxes == 0 {
        return;
    }
    let bench = Bench { area, text, seed };
    let most = rng.random_range(0..=5);
    let surcharges: Vec<u64> = (0..boxes).map(|_| rng.random_range(0..=most)).collect();
    let groups = rng.random_range(1..=boxes);
    let mut members = vec![Vec::new(); groups];
    (0..boxes).for_each(|number| members[rng.random_range(0..groups)].push(number));
    members.retain(|members| !members.is_empty());
    let truths = members.into_iter().map(|members| {
        let alone = Alone::new(text, &members, &surcharges);
        let cost = match plain_search(&alone, MOST_POSITIONS) {
            Truth::Least(_, cost) => cost,
            Truth::NoPlan => ENDLESS,
            Truth::TooLarge => return None,
        };
        Some(Part { members, cost })
    });
    let Some(parts) = truths.collect::<Option<Vec<Part>>>() else { return };
    let rulebook = area.rulebook(Some(PUSHES)).expect("a small level");
    for Part { members, .. } in &parts {
        let part = rulebook.part(members, &surcharges).expect("as many targets as boxes");
        let audited = lemmas::audit(&*part);
        tally.states +=
            audited.unwrap_or_else(|fault| panic!("seed {seed}: {fault}\n{text}")) as u64;
    }
    bench.compare(Parts { surcharges, parts }, least, tally);
    let run = Run { limits: super::certificates::run().limits, ..Run::default() };
    let cost = least.unwrap_or(ENDLESS);
    if let Some(parts) = area.parts(Some(PUSHES), cost, &run).filter(|_| cost > 0) {
        let checked = bench.check(Claim::AtLeast(cost), &parts);
        bench.assert(checked == Ok(()), format!("the planner's parts: {checked:?}"));
        tally.parts_by_planner += 1;
    }
}

impl Bench<'_> {
    /// Tries true and false claims about parts with these costs.
    fn compare(&self, parts: Parts, least: Option<u64>, tally: &mut Tally) {
        let all: u64 = parts.surcharges.iter().sum();
        let sum: u64 = parts.parts.iter().map(|part| part.cost).sum();
        let bound = sum.saturating_sub(all);
        self.assert(
            least.is_none_or(|least| bound <= least),
            format!("parts cost {bound}, all {least:?}"),
        );
        let honest = self.check(Claim::AtLeast(bound), &parts);
        self.assert(honest == Ok(()), format!("{honest:?}"));
        tally.parts_by_lot += 1;
        let more = self.check(Claim::AtLeast(bound.max(1) + 1), &parts);
        let do_not_add_up = matches!(more, Err(CheckError::Parts(_)));
        self.assert(do_not_add_up || bound == 0, format!("one more: {more:?}"));
        let none = self.check(Claim::Impossible, &parts);
        self.assert(none.is_err(), "no plan by parts".into());
        for (number, part) in parts.parts.iter().enumerate() {
            if part.cost == ENDLESS {
                continue;
            }
            // Each is claimed to cost one more, and so much more that the sum is false of the whole.
            let lacking = least.map_or(0, |least| least + 1 - bound);
            for cost in [part.cost + 1, part.cost + lacking.max(1)] {
                let mut dearer = parts.clone();
                dearer.parts[number].cost = cost;
                let claim = Claim::AtLeast((sum + cost - part.cost).saturating_sub(all));
                let refused = self.check(claim, &dearer);
                let is_found = matches!(refused, Err(CheckError::NotByPart { number: at, cost: found })
                    if at == number && (part.cost..cost).contains(&found));
                self.assert(is_found, format!("part {number} of {}: {refused:?}", part.cost));
                tally.refuted += 1;
            }
        }
        self.refuse_bad_divisions(&parts, bound, tally);
    }

    /// Members that are in no part or in two, numbers that are none, ends without a surcharge.
    fn refuse_bad_divisions(&self, parts: &Parts, bound: u64, tally: &mut Tally) {
        if parts.surcharges.len() < 2 {
            return;
        }
        let change = |change: &dyn Fn(&mut Parts)| {
            let mut changed = parts.clone();
            change(&mut changed);
            changed
        };
        for (what, bad) in [
            ("none", change(&|parts| parts.parts.truncate(parts.parts.len() - 1))),
            ("two", change(&|parts| parts.parts.push(parts.parts[0].clone()))),
            ("no member", change(&|parts| parts.parts[0].members.push(parts.surcharges.len()))),
            ("few ends", change(&|parts| parts.surcharges.truncate(1))),
            ("more ends", change(&|parts| parts.surcharges.push(0))),
            (
                "a surcharge beyond all distances",
                change(&|parts| {
                    parts.surcharges[0] += 1 << 42;
                    parts.parts[0].cost += 1 << 43;
                }),
            ),
        ] {
            let refused = self.check(Claim::AtLeast(bound), &bad);
            self.assert(
                matches!(refused, Err(CheckError::Parts(_))),
                format!("{what}: {refused:?}"),
            );
            tally.refuted += 1;
        }
    }

    fn check(&self, claim: Claim, parts: &Parts) -> Result<(), CheckError> {
        let certificate = Certificate {
            game: GameId::Sokoban.name().to_owned(),
            area: Fingerprint::of_area(self.area).to_string(),
            measure: Some(PUSHES.name().to_owned()),
            claim,
            states: MAX_STATES,
            is_abstract: false,
            parts: Some(parts.clone()),
            plan: None,
        };
        // A surcharge above the limit is in no text; only a program can give one.
        if parts.surcharges.iter().all(|&surcharge| surcharge <= MAX_SURCHARGE) {
            let read = Certificate::read(&Source::new("certificate", certificate.to_string()));
            self.assert(read.as_ref() == Ok(&certificate), format!("it is read as {read:?}"));
        }
        check(self.area, &certificate, &super::certificates::run()).map(|_| ())
    }

    fn assert(&self, holds: bool, fault: String) {
        assert!(holds, "seed {}: {fault}\n{}", self.seed, self.text);
    }
}
