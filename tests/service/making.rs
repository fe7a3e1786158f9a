//! Areas that are made on request, levels of collections, plans that are shortened, who found them.

use crate::cases;
use crate::harness::{SAMPLE, SAMPLE_PLAN, Server, Store};
use serde_json::{Value, json};

fn start() -> (Server, Store) {
    let store = Store::in_folder(tempfile::tempdir().expect("a folder can be made"));
    let server = Server::start(&store, &[]);
    (server, store)
}

#[test]
fn an_area_of_every_game_is_made_with_a_plan_that_holds() {
    let (server, _store) = start();
    let games = server.get("/v1/games").expect(200);
    for game in games.as_array().expect("a list") {
        let name = &game["name"];
        let parameters = game["parameters"].as_array().expect("a list").iter();
        // What is tried to make an area harder takes the longest.
        let tries = parameters.filter(|it| it["name"] == "tries" || it["name"] == "steps");
        let few = tries.map(|it| (it["name"].as_str().expect("a name").to_string(), json!("2")));
        let few: serde_json::Map<_, _> = few.collect();
        let wish = json!({ "game": name, "seed": 7, "values": few });
        let made = server.post("/v1/generate", &wish).expect(200);
        let area = json!({ "text": made["text"], "game": name });
        let plan = json!({ "area": area, "plan": made["plan"] });
        let verdict = server.post("/v1/verify", &plan).expect(200);
        assert_eq!((&verdict["valid"], &verdict["length"]), (&json!(true), &made["length"]));
        let again = server.post("/v1/generate", &wish).expect(200);
        assert_eq!(again, made, "the same wish makes the same area");
    }
    let wish = json!({ "game": "sokoban", "seed": 8, "values": { "rows": "7", "boxes": "2" } });
    let made = server.post("/v1/generate", &wish).expect(200);
    let boxes = made["text"].as_str().expect("a text").matches(['$', '*']).count();
    assert_eq!(boxes, 2, "{made}");
}

#[test]
fn what_a_generator_cannot_be_told_is_refused() {
    let (server, _store) = start();
    let refused = |values: Value, part: &str| {
        let wish = json!({ "game": "sokoban", "values": values });
        let problem = server.post("/v1/generate", &wish).problem(422, "unfit");
        let detail = problem["detail"].as_str().unwrap_or_default();
        assert!(detail.contains(part), "{problem}");
    };
    refused(json!({ "colour": "red" }), "colour");
    refused(json!({ "pulls": "20000" }), "at most 1000");
    refused(json!({ "rows": "many" }), "whole number");
    refused(json!({ "rows": "1" }), "rows");
    let family = json!({ "game": "last-of-us", "values": { "family": "x" } });
    server.post("/v1/generate", &family).problem(422, "unfit");
    server.post("/v1/generate", &json!({ "game": "chess" })).problem(400, "bad-request");
}

#[test]
fn the_levels_of_a_collection_are_listed_and_opened() {
    let (server, _store) = start();
    let level = |title: &str| format!("#####\n#@$.#\n#####\nTitle: {title}\n\n");
    let text = level("one") + &level("two") + &level("größer");
    let listed = server.post("/v1/levels", &json!({ "text": text })).expect(200);
    let titles: Vec<_> = listed["levels"].as_array().expect("a list").iter().collect();
    assert_eq!(titles.iter().map(|it| &it["title"]).collect::<Vec<_>>(), ["one", "two", "größer"]);
    assert_eq!((&listed["game"], &titles[2]["level"]), (&json!("sokoban"), &json!(3)));
    let area = json!({ "text": text, "game": listed["game"], "level": 3 });
    let played = server.post("/v1/play", &json!({ "area": area })).expect(200);
    assert_eq!(played["setup"]["title"], "größer");
    let one = server.post("/v1/levels", &json!({ "text": SAMPLE })).expect(200);
    assert_eq!(one["levels"].as_array().map(Vec::len), Some(1));
    server.post("/v1/levels", &json!({ "text": "#####\n#@$ #\n#####\n" })).problem(422, "bad-area");
}

/// A level that cannot be read is listed with the reason; the others are opened by their numbers. A
/// byte order mark, in the text or before the request, is none of the text.
#[test]
fn levels_that_cannot_be_read_are_listed_with_the_reason() {
    let (server, _store) = start();
    for case in cases::areas() {
        let Ok(source) = outwit::diagnostic::Source::read(&case.path) else { continue };
        let request = json!({ "text": source.text, "game": case.game.name() });
        let answer = server.post("/v1/levels", &request);
        if case.readable.is_empty() {
            answer.problem(422, "bad-area");
            continue;
        }
        let listed = answer.expect(200);
        let levels = listed["levels"].as_array().expect("a list");
        assert_eq!(levels.len(), case.levels, "{}: {listed}", case.file);
        for (number, level) in (1..).zip(levels) {
            let is_good = case.readable.contains(&number);
            assert_eq!(level["level"], number, "{}: {listed}", case.file);
            assert_eq!(level["unreadable"].is_null(), is_good, "{}: {listed}", case.file);
            if let Some(title) = case.titles.get(number - 1).filter(|title| !title.is_empty()) {
                assert_eq!(level["title"], title.as_str(), "{}: {listed}", case.file);
            }
        }
        if !["", "impossible"].contains(&case.plan.as_str()) {
            let judged = json!({ "area": request, "plan": case.plan });
            let valid = server.post("/v1/plans", &judged).expect(200);
            assert_eq!(valid["valid"], true, "{}: {valid}", case.file);
        }
    }
    let text = std::fs::read_to_string(cases::folder().join("one-bad-board.xsb")).expect("a file");
    let listed = server.post("/v1/levels", &json!({ "text": text })).expect(200);
    let why = &listed["levels"][1]["unreadable"];
    assert_eq!((&why["line"], &why["message"]), (&json!(6), &json!("level 2: 2 boxes, 0 targets")));
    let area = |level: u32| json!({ "text": format!("\u{feff}{text}"), "level": level });
    let played = server.post("/v1/play", &json!({ "area": area(3) })).expect(200);
    assert_eq!(played["setup"]["title"], "last");
    server.post("/v1/play", &json!({ "area": area(2) })).problem(422, "bad-area");
    let judged = json!({ "area": area(1), "plan": "\u{feff}rRR\r\n" });
    assert_eq!(server.post("/v1/plans", &judged).expect(200)["valid"], true);
}

#[test]
fn a_plan_is_gone_on_with_from_any_position() {
    let store = Store::in_folder(tempfile::tempdir().expect("a folder can be made"));
    let empty = tempfile::tempdir().expect("a folder can be made");
    let server =
        Server::start(&store, &["--solutions", empty.path().to_str().expect("it is text")]);
    let cases = [
        ("sokoban/hand-stacks", &["l", "r"][..]),
        ("monsters/subtask-d-sentinels", &[" "]),
        ("robots/sample-3", &["w 0 0"]),
        ("labyrinth/class-2-box-1", &["look around", "walk east 3"]),
        // A brick is thrown, and a clicker is on its way.
        ("last-of-us/area-0-sample", &["w 1 0", "w 1 0", "w 1 1", "b 2 6", "w 0 0"]),
    ];
    for (id, steps) in cases {
        let area = json!({ "id": id });
        let played = server.post("/v1/play", &json!({ "area": area, "steps": steps })).expect(200);
        assert_eq!(played["done"].as_array().map(Vec::len), Some(steps.len()), "{played}");
        let begun = &played["plan"];
        let wish =
            json!({ "area": area, "begun": begun, "budget": { "seconds": 20, "nodes": 20_000 } });
        let job = server.post("/v1/jobs", &wish).expect(202);
        let result = server.await_end(job["id"].as_str().expect("an id"))["result"].clone();
        let plan = result["plan"].as_str().unwrap_or_else(|| panic!("{id}: {result}"));
        let watched = server.post("/v1/play", &json!({ "area": area, "plan": plan })).expect(200);
        let told = watched["setup"]["plan"].as_array().expect("steps").iter().map(|it| &it["step"]);
        assert!(told.take(steps.len()).eq(steps), "{id}: {plan}");
        let check = server.post("/v1/verify", &json!({ "area": area, "plan": plan })).expect(200);
        assert_eq!((&check["valid"], &check["length"]), (&json!(true), &result["length"]));
        // What is proven of a position is not said of the area.
        let best = server.get(&format!("/v1/areas/{id}")).expect(200)["best"].clone();
        assert_eq!((&best["length"], &best["bound"]), (&result["length"], &json!(0)), "{id}");
    }
    let area = json!({ "text": "#####\n#@$.#\n#   #\n#####\n" });
    let ask = |more: Value| {
        let mut wish = json!({ "area": area });
        wish.as_object_mut()
            .expect("an object")
            .extend(more.as_object().cloned().unwrap_or_default());
        server.post("/v1/jobs", &wish)
    };
    let problem = ask(json!({ "begun": "dd" })).problem(422, "unfit");
    assert!(problem["detail"].as_str().unwrap_or_default().contains("step 2"), "{problem}");
    ask(json!({ "begun": "x" })).problem(422, "bad-plan");
    ask(json!({ "begun": "d", "improve": "R" })).problem(422, "unfit");
    // Beneath the box, which is pushed against the upper wall then.
    let lost = json!({ "text": "######\n#    #\n# $. #\n#@   #\n######\n" });
    let job = server.post("/v1/jobs", &json!({ "area": lost, "begun": "rU" })).expect(202);
    let ended = server.await_end(job["id"].as_str().expect("an id"));
    assert_eq!(ended["result"]["verdict"], "impossible", "{ended}");
}

#[test]
fn a_plan_is_shortened_and_never_gets_longer() {
    let (server, _store) = start();
    // Two steps there and back before the plan itself.
    let steps: Vec<_> = SAMPLE_PLAN.lines().skip(1).collect();
    let detour = ["w 1 0", "w -1 0"];
    let long = format!("{}\n{}\n{}\n", steps.len() + 2, detour.join("\n"), steps.join("\n"));
    let area = json!({ "id": "last-of-us/area-0-sample" });
    let verdict = server.post("/v1/verify", &json!({ "area": area, "plan": long })).expect(200);
    assert_eq!(verdict["length"], 15, "{verdict}");
    let wish = |plan: &str| json!({ "area": area, "improve": plan, "budget": { "seconds": 5.0 } });
    let job = server.post("/v1/jobs", &wish(&long)).expect(202);
    let job = server.await_end(job["id"].as_str().expect("an id"));
    assert!(job["result"]["length"].as_u64().is_some_and(|length| length < 15), "{job}");
    // Another plan is another job.
    let other = server.post("/v1/jobs", &wish(SAMPLE_PLAN)).expect(202);
    assert_ne!(other["id"], job["id"]);
    let problem = server.post("/v1/jobs", &wish("1\nw 0 -1\n")).problem(422, "unfit");
    assert!(problem["detail"].as_str().is_some_and(|it| it.contains("step 1")), "{problem}");
    server.post("/v1/jobs", &wish("1\nw q\n")).problem(422, "bad-plan");
}

/// A file of `tests/cases/files`.
fn case(name: &str) -> String {
    let path = [env!("CARGO_MANIFEST_DIR"), "tests/cases/files", name];
    std::fs::read_to_string(path.iter().collect::<std::path::PathBuf>()).expect("a case")
}

#[test]
fn a_text_with_plans_of_several_levels_is_verified_watched_and_shortened() {
    let (server, _store) = start();
    let pair = |level: u32| json!({ "text": case("pair.xsb"), "level": level });
    for (plan, level, length) in
        [("pair.plans", 1, 2), ("pair.plans", 2, 1), ("pair-one.plans", 2, 1)]
    {
        let asked = json!({ "area": pair(level), "plan": case(plan), "frames": { "count": 9 } });
        let verdict = server.post("/v1/verify", &asked).expect(200);
        assert_eq!((&verdict["valid"], &verdict["length"]), (&json!(true), &json!(length)));
        assert_eq!(verdict["plan"], if level == 1 { "rRR\n" } else { "L\n" });
        let last = verdict["frames"].as_array().and_then(|frames| frames.last()).cloned();
        assert_eq!(last.expect("boards")["status"], "won", "{verdict}");
    }
    let asked = json!({ "area": pair(1), "plan": case("pair-one.plans") });
    let problem = server.post("/v1/verify", &asked).problem(422, "bad-plan");
    assert!(
        problem["detail"].as_str().is_some_and(|it| it.contains("no plan of level 1")),
        "{problem}"
    );
    let asked = json!({ "area": pair(2), "plan": case("pair-wrong.plans") });
    let verdict = server.post("/v1/verify", &asked).expect(200);
    assert_eq!(
        (&verdict["valid"], &verdict["step"], &verdict["line"]),
        (&json!(false), &json!(2), &Value::Null)
    );
    // A collection is its own plan; of the first level the better solution is taken.
    let area = json!({ "text": case("solutions.sok"), "level": 1 });
    let asked = json!({ "area": area, "plan": case("solutions.sok") });
    let verdict = server.post("/v1/verify", &asked).expect(200);
    assert_eq!((&verdict["length"], &verdict["plan"]), (&json!(2), &json!("rRR\n")), "{verdict}");
    assert_eq!(verdict["remarks"], json!(["the best of 2 plans, from line 11"]));
    // Its steps are shown where they stand.
    let watched = server.post("/v1/play", &asked).expect(200);
    let steps = watched["setup"]["plan"].as_array().expect("steps");
    assert_eq!((steps.len(), &steps[0]["line"]), (3, &json!(11)), "{watched}");
    let (from, to) =
        (steps[2]["from"].as_u64().expect("a byte"), steps[2]["to"].as_u64().expect("one"));
    assert_eq!(&case("solutions.sok")[from as usize..to as usize], "R");
    // And it is shortened from there.
    let long = "; level 1: First\nrlrRR\n; level 2: Second\nL\n";
    let wish = json!({ "area": pair(1), "improve": long, "optimal": "moves", "budget": { "seconds": 5.0 } });
    let job = server.post("/v1/jobs", &wish).expect(202);
    let job = server.await_end(job["id"].as_str().expect("an id"));
    assert_eq!(
        (&job["result"]["length"], &job["result"]["plan"]),
        (&json!(3), &json!("rRR\n")),
        "{job}"
    );
    for plan in [
        "rle.plan",
        "rle-broken-line.plan",
        "header.plan",
        "sections.plan",
        "nested.plan",
        "tail.plan",
    ] {
        let asked = json!({ "area": { "text": case("area.xsb") }, "plan": case(plan) });
        let verdict = server.post("/v1/verify", &asked).expect(200);
        assert_eq!((&verdict["valid"], &verdict["length"]), (&json!(true), &json!(2)), "{plan}");
    }
}

#[test]
fn it_is_told_who_has_found_a_best_plan_and_when() {
    let store = Store::in_folder(tempfile::tempdir().expect("a folder can be made"));
    let empty = tempfile::tempdir().expect("a folder can be made");
    let folder = empty.path().to_str().expect("it is text");
    let server = Server::start(&store, &["--workers", "0", "--solutions", folder]);
    let area = json!({ "id": "last-of-us/area-0-sample" });
    let submit = |by: Value| {
        server.post("/v1/plans", &json!({ "area": area, "plan": SAMPLE_PLAN, "by": by }))
    };
    submit(json!("x".repeat(41))).problem(400, "bad-request");
    assert_eq!(submit(json!(" Zo\u{7}ë\n ")).expect(200)["best_known"], true);
    assert_eq!(submit(json!("somebody else")).expect(200)["best_known"], false);
    let best = server.get("/v1/areas/last-of-us/area-0-sample").expect(200)["best"].clone();
    assert_eq!(best["found_by"], "Zoë");
    assert!(best["found_ms"].as_i64().is_some_and(|ms| ms > 1_700_000_000_000), "{best}");
    let plan = server.get("/v1/areas/last-of-us/area-0-sample/plan").expect(200);
    assert_eq!(plan["found_by"], "Zoë");
}

#[test]
fn an_area_has_a_small_picture() {
    let (server, _store) = start();
    for area in ["last-of-us/area-0-sample", "labyrinth/class-10-box-11", "sokoban/hand-stacks"] {
        let answer = server.get(&format!("/v1/areas/{area}/thumbnail"));
        assert_eq!((answer.status, answer.header("content-type")), (200, Some("image/png")));
        assert!(answer.body.starts_with(b"\x89PNG"), "{area}");
        let side = |at: usize| u32::from_be_bytes(answer.body[at..at + 4].try_into().expect("4"));
        assert!((8..=88).contains(&side(16)) && (8..=88).contains(&side(20)), "{area}");
    }
    server.get("/v1/areas/sokoban/nothing/thumbnail").problem(404, "not-found");
}

#[test]
fn an_area_of_every_game_is_drawn_further() {
    let (server, _store) = start();
    let cases = [
        ("last-of-us/area-0-sample", 10),
        ("sokoban/hand-stacks", 8),
        ("robots/robots-2-1-8-1", 31),
        ("labyrinth/class-2-box-1", 29),
        ("monsters/hard-01-all", 12),
    ];
    for (id, rows) in cases {
        let mut drawing = server.post("/v1/drawings", &json!({ "area": { "id": id } })).expect(200);
        assert_eq!(drawing["rows"].as_array().map(Vec::len), Some(rows), "{id}");
        let game = id.split('/').next();
        let draft = json!({ "game": game, "drawing": drawing });
        let draft = server.post("/v1/drafts", &draft).expect(200);
        assert_eq!((&draft["problem"], &draft["stuck"]), (&Value::Null, &json!([])), "{id}");
        let area = json!({ "text": draft["text"], "game": game });
        let again = server.post("/v1/drawings", &json!({ "area": area })).expect(200);
        assert_eq!(again["rows"], drawing["rows"], "{id}");
        // Without anybody to be played it is no area yet; robots are always waited for.
        drawing["rows"] = json!([""]);
        let draft = json!({ "game": game, "drawing": drawing });
        assert!(server.post("/v1/drafts", &draft).expect(200)["problem"].is_string(), "{id}");
    }
    let large = json!({ "area": { "id": "last-of-us/caves-500x500-1008" } });
    server.post("/v1/drawings", &large).problem(422, "unfit");
    let wide = json!({ "game": "sokoban", "drawing": { "rows": ["#".repeat(5000)] } });
    server.post("/v1/drafts", &wide).problem(422, "unfit");
    let other = json!({ "game": "sokoban", "drawing": { "rows": "####" } });
    server.post("/v1/drafts", &other).problem(400, "bad-request");
}
