//! outwit for WebAssembly: requests and answers in JSON over linear memory, without glue.
//!
//! The host writes a request into memory from [`memory::outwit_allocate`] and calls
//! [`memory::outwit_call`]; the answer is `{"ok": …}` or `{"error": …}`, as the HTTP API has them.
//! What can be asked is [`Request`]. On other platforms [`Desk::answer`] gives the same answers, so
//! that one can be tested against the other.

mod failure;
pub mod memory;
mod plays;
mod request;

use failure::Failure;
use outwit::certificate::Certificate;
use outwit::check::{CheckError, certify, check};
use outwit::diagnostic::Source;
use outwit::games::{
    self, Answer, Area, Collection, Entry, Facts, GameId, GenerateOptions, LevelError, Measure,
    Objective, PlanError, Standing, Values, identify,
};
use outwit::play::{Draft, Legend, listed_board};
use outwit::render::Picture;
use outwit::report::{CertificateReport, CheckReport, Report};
use outwit::search::{Limits, Listener, Run, Statistics, StopReason, UnknownWord};
use outwit::verify::{Thoroughness, Verified, improve, pursue, settle, verify, verify_level};
use plays::Plays;
use request::{AreaText, Request, Spend, Wish};
use serde::Serialize;
use serde_json::{Value, json};
use std::path::Path;
use std::time::Duration;

/// The longest time of a search, in seconds.
const MAX_SECONDS: f64 = 86_400.0;
/// The most memory of a search's tables, in MiB: WebAssembly has 4 GiB in all.
const MAX_MEBIBYTES: usize = 2048;
/// The longest side of a small picture, in pixels.
const MAX_SIDE: usize = 512;

/// Answers requests, and keeps the games that are being played.
#[derive(Default)]
pub struct Desk {
    plays: Plays,
    /// Hears the events of searches.
    pub listener: Option<Listener>,
}

impl Desk {
    /// The answer to a request, both in JSON.
    pub fn answer(&mut self, request: &[u8]) -> String {
        let request = serde_json::from_slice(&outwit::play::exact(request));
        let answer = request
            .map_err(|error| Failure::bad_request(error.to_string()))
            .and_then(|request| self.dispatch(request));
        match answer {
            Ok(value) => json!({ "ok": value }),
            Err(failure) => json!({ "error": failure.json() }),
        }
        .to_string()
    }

    fn dispatch(&mut self, request: Request) -> Result<Value, Failure> {
        match request {
            Request::Games {} => Ok(GameId::ALL.iter().map(game).collect()),
            Request::Describe { area, side } => describe(&*area.read()?.area, side),
            Request::Levels { text, game } => levels(text, game.as_deref()),
            Request::Drawing { area } => {
                let drawing = area.read()?.area.drawing();
                drawing
                    .map(|drawing| json!(drawing))
                    .map_err(|large| Failure::unfit(large.to_string()))
            }
            Request::Draft { game, drawing } => {
                let game = parsed_game(&game)?;
                let draft = Draft::new(game, &drawing);
                draft.map(|draft| json!(draft)).map_err(|large| Failure::unfit(large.to_string()))
            }
            Request::Generate { game, seed, values } => {
                generate(&game, &GenerateOptions { seed: seed.unwrap_or(1), values })
            }
            Request::Verify { area, plan, known, bound } => {
                judge(&area.read()?, plan, known, bound)
            }
            Request::Check { area, certificate, budget } => {
                self.check(&*area.read()?.area, certificate, &budget)
            }
            Request::Solve(wish) => self.solve(wish),
            Request::Settle { area, plan, known, optimal, bound, expanded, seconds } => {
                let meant = area.read()?;
                let objective = objective(&*meant.area, optimal.as_deref())?;
                let known = known.and_then(|known| meant.held(known).ok());
                let answer = given_up(plan, bound, (expanded, seconds));
                let settled = settle(&*meant.area, answer, known, objective.measure);
                let report = Report::new(&settled);
                Ok(json!(Solved { report, best_known: false, certificate: None }))
            }
            Request::Begin { area, steps, plan, show } => {
                self.plays.begin(&area.read()?, &steps, plan, show)
            }
            Request::Move { token, request } => self.plays.go_on(&token, &request),
            Request::Plan { token } => self.plays.plan(&token),
            Request::Leave { token } => Ok(self.plays.leave(&token)),
        }
    }

    /// Searches, or shortens a plan, as a worker of the service does.
    fn solve(&self, wish: Wish) -> Result<Value, Failure> {
        let meant = wish.area.read()?;
        let area = &meant.area;
        if wish.certify && wish.begun.is_some() {
            let why = "a certificate is of a whole area (`certify`), not of a position";
            return Err(Failure::unfit(why));
        }
        let budget = self.budget(&wish.budget)?;
        let objective = objective(&**area, wish.optimal.as_deref())?;
        let given = wish.improve.map(|plan| meant.held(plan)).transpose()?;
        // From a position on, no plan of the whole area says anything.
        let known = wish.known.filter(|_| wish.begun.is_none());
        let known = given.clone().or_else(|| known.and_then(|plan| meant.held(plan).ok()));
        let settled = match (given, wish.begun) {
            (Some(plan), _) => improve(&**area, &objective, plan, &budget),
            (None, Some(begun)) => {
                let answer = area.solve_from(&Source::new("plan", begun), &objective, &budget);
                settle(&**area, answer.map_err(not_held)?, None, objective.measure)
            }
            (None, None) => pursue(&**area, &objective, known, &budget, Thoroughness::Good),
        };
        let prove = || certify(&**area, objective.measure, settled.claim(), None, &budget);
        let certificate = wish.certify.then(prove).map(CertificateReport::new);
        Ok(json!(Solved { report: Report::new(&settled), best_known: false, certificate }))
    }

    /// Checks a certificate.
    fn check(&self, area: &dyn Area, text: String, spend: &Spend) -> Result<Value, Failure> {
        let certificate = Certificate::read(&Source::new("certificate", text));
        let certificate = certificate.map_err(Failure::bad_certificate)?;
        match check(area, &certificate, &self.budget(spend)?) {
            Err(error @ CheckError::Unsupported(_)) => Err(Failure::unfit(error.to_string())),
            checked => Ok(json!(CheckReport::new(certificate.claim, &checked))),
        }
    }

    /// The budget of a request, with progress reported to the host.
    fn budget(&self, spend: &Spend) -> Result<Run, Failure> {
        let mut budget = budget(spend)?;
        budget.control.listener.clone_from(&self.listener);
        Ok(budget)
    }
}

fn budget(spend: &Spend) -> Result<Run, Failure> {
    if !(spend.seconds > 0.0 && spend.seconds <= MAX_SECONDS) {
        return Err(Failure::unfit(format!("seconds are above 0, at most {MAX_SECONDS}")));
    }
    Ok(Run::from(Limits {
        threads: 1,
        seed: spend.seed,
        nodes: spend.nodes,
        time: Duration::from_secs_f64(spend.seconds),
        memory: spend.memory_mib.clamp(1, MAX_MEBIBYTES) << 20,
    }))
}

/// The objective of a search, from the measure in which a proof is wanted.
fn objective(area: &dyn Area, optimal: Option<&str>) -> Result<Objective, Failure> {
    let objective = area.game().game().objective(optimal);
    objective.map_err(|unknown| Failure::unfit(unknown.to_string()))
}

/// The answer of a search that was given up, made from its last progress: plan, bound, expansions and seconds.
fn given_up(plan: Option<String>, bound: u64, (expanded, seconds): (u64, f64)) -> Answer {
    let effort = Statistics {
        expanded,
        elapsed: Duration::try_from_secs_f64(seconds).unwrap_or_default(),
        stopped: Some(StopReason::Cancelled),
        ..Statistics::default()
    };
    let answer = plan.map_or_else(Answer::nothing, Answer::won);
    Answer { bound: Some(bound), effort, ..answer }
}

/// An area that a request is about.
struct Meant {
    area: Box<dyn Area>,
    /// Its number, from 1, where it was named as one level of a text.
    level: Option<usize>,
}

impl Meant {
    /// A plan that has to hold.
    fn held(&self, plan: String) -> Result<Verified, Failure> {
        verify_level(&*self.area, self.level, &Source::new("plan", plan)).map_err(not_held)
    }
}

fn not_held(error: PlanError) -> Failure {
    match error {
        PlanError::Unreadable(diagnostic) => Failure::bad_plan(diagnostic),
        PlanError::Refused(refusal) => Failure::unfit(format!(
            "the plan does not hold: step {}: {}",
            refusal.step, refusal.reason
        )),
    }
}

impl AreaText {
    fn read(self) -> Result<Meant, Failure> {
        let (_, areas) = read(self.text, self.game.as_deref())?;
        let area = areas.into_area(self.level).map_err(|error| match error {
            LevelError::Unreadable(diagnostic) => Failure::bad_area(*diagnostic),
            error => Failure::unfit(error.to_string()),
        })?;
        Ok(Meant { area, level: self.level })
    }
}

/// The game of a name.
fn parsed_game(name: &str) -> Result<GameId, Failure> {
    name.parse().map_err(|error: UnknownWord| Failure::bad_request(error.to_string()))
}

/// Reads all areas of a text, of a game that is said or told by its content.
fn read(text: String, game: Option<&str>) -> Result<(GameId, Collection), Failure> {
    let source = Source::new("area", text);
    let game = match game {
        Some(name) => parsed_game(name)?,
        None => identify(Path::new("/area"), &source).map_err(Failure::bad_area)?,
    };
    Ok((game, game.game().read(&source).map_err(Failure::bad_area)?))
}

fn game(id: &GameId) -> Value {
    let game = id.game();
    let measures: Vec<_> = game.measures().iter().map(|&measure| Measure::name(measure)).collect();
    json!({
        "name": id.name(), "about": game.about(), "description": game.description(),
        "measures": measures,
        "parameters": game.parameters().iter().map(parameter).collect::<Value>(),
        "legend": Legend::from(game.legend()),
    })
}

fn parameter(parameter: &games::Parameter) -> Value {
    let words = match parameter.values {
        Values::Words(words) => words,
        Values::Number(..) | Values::NumberOrAuto(..) => &[],
    };
    json!({
        "name": parameter.name, "about": parameter.help(), "default": parameter.default,
        "words": words,
    })
}

fn describe(area: &dyn Area, side: usize) -> Result<Value, Failure> {
    let picture = Picture::new(area, &[]).map_err(|error| Failure::unfit(error.to_string()))?;
    let picture = picture.thumbnail(side.clamp(1, MAX_SIDE));
    Ok(json!({
        "game": area.game().name(), "title": area.name(), "facts": Facts::from(area.facts()),
        "picture": picture.map_err(|error| Failure::unfit(error.to_string()))?,
    }))
}

fn levels(text: String, game: Option<&str>) -> Result<Value, Failure> {
    let (game, areas) = read(text, game)?;
    let level = |entry: &Entry| match &entry.content {
        Ok(area) => {
            let facts = Facts::from(area.facts());
            json!({
                "level": entry.number, "title": area.name(), "author": entry.author,
                "facts": facts, "board": listed_board(entry),
            })
        }
        Err(diagnostic) => json!({
            "level": entry.number, "title": entry.name(), "author": entry.author,
            "facts": {}, "board": null,
            "unreadable": failure::diagnostic_json(diagnostic),
        }),
    };
    Ok(json!({
        "game": game.name(), "title": areas.title, "author": areas.author,
        "levels": areas.entries.iter().map(level).collect::<Value>(),
    }))
}

fn generate(game: &str, options: &GenerateOptions) -> Result<Value, Failure> {
    let id = parsed_game(game)?;
    let made = id.game().generate(options);
    let made = made.map_err(|error| Failure::unfit(error.to_string()))?;
    let areas = read(made.area.clone(), Some(game))?.1;
    let area = areas.only().map_err(|error| Failure::unfit(error.to_string()))?;
    let plan = verify(&*area, &Source::new("plan", made.plan)).map_err(not_held)?;
    Ok(json!({
        "game": id.name(), "name": made.name, "text": made.area,
        "length": plan.validation().length, "facts": Facts::from(&*plan.validation().facts),
        "plan": plan.text(),
    }))
}

/// The verdict on a plan, whether it beats the known one, and the standing of the area with it. A plan that is refused
/// is an answer; one that cannot be read is a failure.
fn judge(meant: &Meant, plan: String, known: Option<String>, bound: u64) -> Result<Value, Failure> {
    let sent = Source::new("plan", plan);
    match verify_level(&*meant.area, meant.level, &sent) {
        Ok(plan) => {
            let known = known.and_then(|known| meant.held(known).ok());
            let mut told = json!({
                "valid": true, "length": plan.validation().length,
                "facts": Facts::from(&*plan.validation().facts),
                "best_known": known.is_some_and(|known| plan.beats(&known)),
                "standing": Standing::new(Some(plan.validation().length), bound),
            });
            if !plan.validation().remarks.is_empty() {
                told["remarks"] = json!(plan.validation().remarks);
            }
            if plan.text() != sent.text {
                told["plan"] = json!(plan.text());
            }
            Ok(told)
        }
        Err(PlanError::Unreadable(diagnostic)) => Err(Failure::bad_plan(diagnostic)),
        Err(PlanError::Refused(refusal)) => {
            let (line, text) = refusal.line.unzip();
            Ok(json!({
                "valid": false, "step": refusal.step, "line": line, "text": text,
                "reason": refusal.reason, "board": refusal.board, "facts": {}, "best_known": false,
            }))
        }
    }
}

/// The report of a search, as jobs of the service have it.
#[derive(Serialize)]
struct Solved {
    #[serde(flatten)]
    report: Report,
    best_known: bool,
    #[serde(skip_serializing_if = "Option::is_none")]
    certificate: Option<CertificateReport>,
}
