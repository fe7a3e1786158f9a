//! What the targets begin with: areas and plans of the project and of its test cases, as they are.
//!
//! Nothing of it is kept twice: seeds are made from the folders each time.

use super::input::SEPARATOR;
use outwit::certificate::{Certificate, Claim};
use outwit::diagnostic::Source;
use outwit::games::{Area, Fingerprint, GameId};
use outwit::verify::verify;
use std::path::{Path, PathBuf};

/// Bytes of a seed's area, at most: a large one takes long and leads nowhere that a small one does not.
const MOST_BYTES: u64 = 3000;
/// Steps of a seed's session.
const MOST_STEPS: usize = 60;
/// Areas of each game that seeds of costly targets have.
const FEW: usize = 8;
/// Where [`write`] puts seeds, where it is said.
const FOLDER: &str = "OUTWIT_SEEDS";

/// A small area of the project, with its plan where it has one.
struct Sample {
    game: GameId,
    area: Vec<u8>,
    plan: Option<Vec<u8>>,
}

/// The seeds of a target.
pub fn seeds(target: &str) -> Vec<Vec<u8>> {
    let samples = samples();
    match target {
        "read" => {
            let plans = samples.iter().filter_map(|sample| sample.plan.clone());
            samples.iter().map(|sample| sample.area.clone()).chain(plans).chain(cases()).collect()
        }
        "check" => samples.iter().filter_map(certified).collect(),
        "replay" => {
            let with_plan = |sample: &Sample| Some(join(&sample.area, sample.plan.as_ref()?));
            samples.iter().filter_map(with_plan).collect()
        }
        "session" => samples.iter().filter_map(script).map(|(area, s)| join(area, &s)).collect(),
        "simulators" => {
            let actions: Vec<u8> = (0..=255u8).map(|i| i.wrapping_mul(167)).collect();
            samples.iter().map(|sample| join(&sample.area, &actions)).collect()
        }
        "solve" => few(&samples).enumerate().map(|(i, s)| join(&s.area, &budget(i))).collect(),
        "service_bodies" => requests(&samples),
        _ => Vec::new(),
    }
}

/// An area and a certificate that says of its plan that it is optimal, be that true or not.
fn certified(sample: &Sample) -> Option<Vec<u8>> {
    let areas =
        sample.game.game().read(&Source::from_bytes("area", sample.area.clone()).ok()?).ok()?;
    let area = areas.only().ok()?;
    let plan = String::from_utf8(sample.plan.clone()?).ok()?;
    let verified = verify(&*area, &Source::new("plan", plan.as_str())).ok()?;
    let measure = sample.game.game().measures().first().copied();
    let certificate = Certificate {
        game: sample.game.name().to_owned(),
        area: Fingerprint::of_area(&*area).to_string(),
        measure: measure.map(|measure| measure.name().to_owned()),
        claim: Claim::AtLeast(verified.length(measure)),
        states: 1_000,
        is_abstract: area.abstraction().is_some(),
        parts: None,
        plan: Some(plan),
    };
    Some(join(&sample.area, certificate.to_string().as_bytes()))
}

/// Writes the seeds of a target to the folder that the environment names, if it names one.
pub fn write(target: &str) {
    let Some(folder) = std::env::var_os(FOLDER).map(PathBuf::from) else { return };
    std::fs::create_dir_all(&folder).expect("the folder can be made");
    for (i, seed) in seeds(target).iter().enumerate() {
        std::fs::write(folder.join(format!("seed-{i}")), seed).expect("a seed can be written");
    }
}

/// The project's folder.
pub fn root() -> &'static Path {
    let here = Path::new(env!("CARGO_MANIFEST_DIR"));
    here.ancestors().find(|folder| folder.join("areas").is_dir()).unwrap_or(here)
}

/// The small files right in a folder, in order of their names.
fn small_files(folder: &Path) -> Vec<PathBuf> {
    let entries = std::fs::read_dir(folder).into_iter().flatten().flatten();
    let small = entries.filter(|entry| {
        entry.metadata().is_ok_and(|data| data.is_file() && data.len() <= MOST_BYTES)
    });
    let mut files: Vec<PathBuf> = small.map(|entry| entry.path()).collect();
    files.sort();
    files
}

fn samples() -> Vec<Sample> {
    let mut samples = Vec::new();
    for &game in GameId::ALL {
        for file in small_files(&root().join("areas").join(game.name())) {
            let Ok(area) = std::fs::read(&file) else { continue };
            let plan = root().join("solutions").join(game.name());
            let plan = plan.join(file.file_name().unwrap_or_default()).with_extension("plan");
            let is_short = |plan: &Vec<u8>| plan.len() as u64 <= MOST_BYTES;
            let plan = std::fs::read(plan).ok().filter(is_short);
            samples.push(Sample { game, area, plan });
        }
    }
    samples
}

/// Inputs of the statements' programs: the project's own, and those beside it where they are.
fn cases() -> impl Iterator<Item = Vec<u8>> {
    let folders = ["tests/cases", "../shared/cases"].map(|folder| root().join(folder));
    let games = GameId::ALL.iter().map(|game| game.name());
    let folders: Vec<PathBuf> =
        games.flat_map(|game| folders.each_ref().map(|folder| folder.join(game))).collect();
    let files = folders.into_iter().flat_map(|folder| small_files(&folder));
    files.filter_map(|file| std::fs::read(file).ok())
}

/// The first samples of each game.
fn few(samples: &[Sample]) -> impl Iterator<Item = &Sample> {
    let of = |game: &GameId| {
        let game = *game;
        samples.iter().filter(move |sample| sample.game == game).take(FEW)
    };
    GameId::ALL.iter().flat_map(of)
}

/// Two texts in one.
fn join(first: &[u8], second: &[u8]) -> Vec<u8> {
    [first, &[SEPARATOR], second].concat()
}

/// The beginning of a sample's plan, and some looking and taking back.
fn script(sample: &Sample) -> Option<(&[u8], Vec<u8>)> {
    let source = Source::new("area", String::from_utf8(sample.area.clone()).ok()?);
    let area: Box<dyn Area> = sample.game.game().read(&source).ok()?.only().ok()?;
    let plan = String::from_utf8(sample.plan.clone()?).ok()?;
    let steps = area.steps(&Source::new("plan", plan)).ok()?;
    let mut lines: Vec<String> = steps.take(MOST_STEPS).map(|step| step.text).collect();
    let more = ["!3", "?1 1", "[0 0 9 9", "<", "!0", "<7", "!1", "!2", "?0 3", "[-5 -5 99 99"];
    lines.extend(more.map(String::from));
    Some((&sample.area, lines.join("\n").into_bytes()))
}

/// One budget after the other, as the target `solve` reads it.
fn budget(i: usize) -> [u8; 6] {
    let i = i as u8;
    [i / 64, i.wrapping_mul(53), i, i, 11 - i % 12, i]
}

fn requests(samples: &[Sample]) -> Vec<Vec<u8>> {
    let mut requests = Vec::new();
    let mut add = |first: &str, body: &str| {
        requests.push(format!("{first}\napplication/json\n{body}").into_bytes());
    };
    for path in [
        "/healthz",
        "/metrics",
        "/v1/games",
        "/v1/areas?game=sokoban&limit=3&after=a",
        "/v1/areas/sokoban/x",
        "/v1/areas/sokoban/x/text",
        "/v1/areas/robots/x/plan",
        "/v1/areas/robots/x/plan/text",
        "/v1/jobs?state=queued&limit=2",
        "/v1/jobs/0123456789abcdef0123456789abcdef",
        "/v1/openapi.json",
        "/",
    ] {
        add(&format!("GET {path}"), "");
    }
    add("DELETE /v1/play/0123456789abcdef", "");
    add("DELETE /v1/jobs/0123456789abcdef0123456789abcdef", "");
    for sample in few(samples) {
        let text = |bytes: &[u8]| String::from_utf8_lossy(bytes).into_owned();
        let area = serde_json::json!({ "game": sample.game.name(), "text": text(&sample.area) });
        let plan = text(sample.plan.as_deref().unwrap_or_default());
        let window = serde_json::json!({ "row": 1, "col": 2, "rows": 9, "cols": 9 });
        let frames = serde_json::json!({ "from": 1, "count": 3, "window": window });
        let verify = serde_json::json!({ "area": area, "plan": plan, "frames": frames });
        add("POST /v1/verify", &verify.to_string());
        let show = serde_json::json!({ "window": window, "revision": 1 });
        let play = serde_json::json!({ "area": area, "plan": plan, "show": show });
        add("POST /v1/play", &play.to_string());
        let budget = serde_json::json!({ "seconds": 1.5, "nodes": 10, "threads": 1, "seed": 2 });
        let job = serde_json::json!({ "area": area, "budget": budget, "optimal": "" });
        add("POST /v1/jobs", &job.to_string());
        add("POST /v1/plans", &serde_json::json!({ "area": area, "plan": plan }).to_string());
    }
    let onward = ["walk up", "r", "0,0", "w"].map(|step| {
        serde_json::json!({ "undo": 1, "seek": 2, "steps": [step], "aim": [1, 1], "setup": true })
    });
    onward.iter().for_each(|body| add("POST /v1/play/TOKEN", &body.to_string()));
    add("GET /v1/play/TOKEN/plan", "");
    requests
}
