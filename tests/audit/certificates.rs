//! Certificates of true and of false claims: only false ones test a checker.

use super::{Case, MEMORY, TIME, Tally, lemmas};
use outwit::certificate::{Certificate, Claim, MAX_STATES};
use outwit::check::{CheckError, certify, check};
use outwit::games::{Fingerprint, Measure};
use outwit::search::{Limits, Run};

/// How far above the least cost a claim is tried.
const ABOVE: [u64; 6] = [1, 2, 3, 5, 10, 1_000];

/// Certifies what is true of a case, and tries what is false.
pub fn audit(case: &Case<'_>, tally: &mut Tally) {
    let game = case.area.game();
    for question in case.questions.iter().filter(|question| question.optimal.is_some()) {
        let measure = question.objective(game).measure;
        let bench = Bench { case, measure, run: run() };
        match question.least {
            Some(least) => bench.with_plan(least, tally),
            None => bench.without_plan(tally),
        }
        let rules = case.area.rulebook(measure).unwrap_or_else(|why| bench.fail(why.to_string()));
        for rulebook in [Some(rules), case.area.abstraction()].into_iter().flatten() {
            let audited = lemmas::audit(&*rulebook);
            tally.states += audited.unwrap_or_else(|fault| bench.fail(fault)) as u64;
        }
    }
}

/// Puts the hash of a changed area into certificates of the original one. Where the changed area has a shorter plan, the
/// checker must refuse them. Both cases have the same questions.
pub fn audit_changed(case: &Case<'_>, changed: &Case<'_>, tally: &mut Tally) {
    for (question, other) in case.questions.iter().zip(&changed.questions) {
        let is_false = other.least.is_some_and(|least| question.least.is_none_or(|l| least < l));
        if !is_false {
            continue;
        }
        let measure = question.objective(case.area.game()).measure;
        let claim = Claim::from_limit(question.least);
        let honest = certify(case.area, measure, claim, None, &run());
        let honest = honest.unwrap_or_else(|error| panic!("seed {}: {error}", case.seed));
        let area = Fingerprint::of_area(changed.area).to_string();
        let bench = Bench { case: changed, measure, run: run() };
        for states in [honest.states, MAX_STATES] {
            bench.refused(&Certificate { area: area.clone(), states, ..honest.clone() }, tally);
        }
        tally.changed += 1;
    }
}

/// The budget of a check.
pub fn run() -> Run {
    let limits = Limits { time: TIME, memory: MEMORY, threads: 1, ..Limits::default() };
    Run::from(limits)
}

struct Bench<'a> {
    case: &'a Case<'a>,
    measure: Option<Measure>,
    run: Run,
}

impl Bench<'_> {
    /// The claims about an area whose shortest plan is known.
    fn with_plan(&self, least: u64, tally: &mut Tally) {
        let honest = self.accepted(Claim::AtLeast(least), tally);
        let spaces: &[bool] = if self.has_abstraction() { &[false, true] } else { &[false] };
        for &is_abstract in spaces {
            let false_ones = ABOVE.map(|above| Claim::AtLeast(least + above));
            for claim in false_ones.into_iter().chain([Claim::Impossible]) {
                for states in [honest.states, MAX_STATES] {
                    let states = Certificate { claim, states, is_abstract, ..honest.clone() };
                    self.refused(&states, tally);
                }
            }
        }
        // Enough states are allowed: then the plan is found, and it is the shortest.
        let claim = Claim::AtLeast(least + 1);
        let (states, is_abstract) = (MAX_STATES, false);
        let error = self.refused(&Certificate { claim, states, is_abstract, ..honest }, tally);
        self.assert(error == CheckError::False { cost: least }, format!("{error:?}, {least}"));
    }

    fn has_abstraction(&self) -> bool {
        self.case.area.abstraction().is_some()
    }

    /// The claims about an area that has no plan.
    fn without_plan(&self, tally: &mut Tally) {
        let honest = self.accepted(Claim::Impossible, tally);
        let bound = Certificate { claim: Claim::AtLeast(1_000), ..honest };
        let checked = check(self.case.area, &bound, &self.run);
        self.assert(checked.is_ok(), format!("{checked:?}"));
    }

    /// Certifies a claim; one state less must be too few.
    fn accepted(&self, claim: Claim, tally: &mut Tally) -> Certificate {
        let area = self.case.area;
        let certificate = certify(area, self.measure, claim, None, &self.run);
        let certificate = certificate.unwrap_or_else(|error| self.fail(error.to_string()));
        let checked = check(area, &certificate, &self.run);
        let states = checked.as_ref().map(|certified| certified.states());
        self.assert(states == Ok(certificate.states), format!("{checked:?}"));
        if let Some(less) = certificate.states.checked_sub(1) {
            let hole = Certificate { states: less, ..certificate.clone() };
            let error = self.refused(&hole, tally);
            let few = CheckError::TooManyStates { most: less };
            self.assert(error == few, format!("{error:?}"));
        }
        tally.certified += 1;
        tally.certified_by_abstraction += u64::from(certificate.is_abstract);
        certificate
    }

    fn refused(&self, certificate: &Certificate, tally: &mut Tally) -> CheckError {
        match check(self.case.area, certificate, &self.run) {
            Ok(certified) => self.fail(format!("certified: {certified:?}")),
            Err(error) => {
                tally.refuted += 1;
                error
            }
        }
    }

    fn assert(&self, holds: bool, fault: String) {
        if !holds {
            self.fail(fault);
        }
    }

    fn fail(&self, fault: String) -> ! {
        let (area, seed) = (self.case.area, self.case.seed);
        panic!("{}, seed {seed}, {:?}: {fault}\n{}", area.game(), self.measure, area.text());
    }
}
