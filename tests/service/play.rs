//! Playing by hand, watching plans.

use crate::harness::{SAMPLE, SAMPLE_PLAN, Server, Store, areas, on_each_store, root};
use crate::http;
use serde_json::{Value, json};
use std::collections::BTreeMap;

/// What a page holds of a game: it applies what the server sends.
#[derive(Default)]
struct Shown {
    rows: Vec<Vec<char>>,
    marks: BTreeMap<(String, i64, i64), i64>,
    revision: u64,
}

impl Shown {
    fn apply(&mut self, played: &Value) {
        let view = &played["view"];
        self.revision = view["revision"].as_u64().unwrap();
        if let Some(rows) = view["rows"].as_array() {
            self.rows = rows.iter().map(|row| row.as_str().unwrap().chars().collect()).collect();
        }
        for piece in view["changed"].as_array().into_iter().flatten() {
            let row = piece[0].as_i64().unwrap() - view["window"]["row"].as_i64().unwrap();
            let col = piece[1].as_i64().unwrap() - view["window"]["col"].as_i64().unwrap();
            for (i, letter) in piece[2].as_str().unwrap().chars().enumerate() {
                self.rows[row as usize][col as usize + i] = letter;
            }
        }
        let Some(marks) = played.get("marks") else { return };
        if marks["whole"] == true {
            self.marks.clear();
        }
        let kinds = |field: &str| marks[field].as_object().cloned().unwrap_or_default();
        let number = |value: &Value| value.as_i64().unwrap();
        for (kind, gone) in kinds("gone") {
            for at in gone.as_array().unwrap() {
                let key = (kind.clone(), number(&at[0]), number(&at[1]));
                assert!(self.marks.remove(&key).is_some(), "{key:?} was not there");
            }
        }
        for (kind, runs) in kinds("cells") {
            for run in runs.as_array().unwrap() {
                let key = (kind.clone(), number(&run[0]), number(&run[1]));
                self.marks.insert(key, number(&run[2]));
            }
        }
    }
}

fn steps_of(plan: &str) -> Vec<String> {
    plan.lines().skip(1).map(str::to_string).collect()
}

#[test]
fn the_sample_is_played_to_the_exit_and_changes_add_up() {
    on_each_store(|store| {
        let server = Server::start(store, &["--workers", "0"]);
        let begun = server.post("/v1/play", &json!({ "area": { "text": SAMPLE } })).expect(200);
        let token = begun["token"].as_str().unwrap();
        let path = format!("/v1/play/{token}");
        assert_eq!(begun["setup"]["keys"][0]["key"], "up");
        let signs = begun["setup"]["legend"]["signs"].as_array().unwrap();
        let clicker = signs.iter().find(|sign| sign["letter"] == "C").unwrap();
        assert_eq!(clicker["role"], "Hunter");
        let mut shown = Shown::default();
        shown.apply(&begun);
        for (i, step) in steps_of(SAMPLE_PLAN).into_iter().enumerate() {
            let body = json!({ "steps": [step], "show": { "revision": shown.revision } });
            let played = server.post(&path, &body).expect(200);
            assert_eq!(
                (played["steps"].as_u64(), &played["refused"]),
                (Some(i as u64 + 1), &Value::Null)
            );
            assert_eq!(played["trail"], json!([played["player"]]));
            assert!(played["view"].get("rows").is_none(), "only what has changed is sent");
            shown.apply(&played);
            let mut whole = Shown::default();
            let again = server.post(&path, &json!({})).expect(200);
            whole.apply(&again);
            assert_eq!((&shown.rows, &shown.marks), (&whole.rows, &whole.marks));
            shown.revision = whole.revision;
        }
        let end = server.post(&path, &json!({})).expect(200);
        assert_eq!(end["status"], "won");
        assert_eq!(end["plan"], SAMPLE_PLAN);
        assert_eq!(server.get(&format!("{path}/plan")).text(), SAMPLE_PLAN);
    });
}

#[test]
fn steps_are_refused_taken_back_and_aimed() {
    on_each_store(|store| {
        let server = Server::start(store, &["--workers", "0"]);
        let area = json!({ "id": "last-of-us/area-0-sample" });
        let begun = server.post("/v1/play", &json!({ "area": area })).expect(200);
        let path = format!("/v1/play/{}", begun["token"].as_str().unwrap());
        let play = |body: Value| server.post(&path, &body).expect(200);
        let played = play(json!({ "steps": ["w 1 0", "w 0 -1", "w 1 0"] }));
        assert_eq!(played["done"], json!(["w 1 0"]));
        assert_eq!(played["refused"]["step"], "w 0 -1");
        assert!(played["refused"]["reason"].as_str().unwrap().contains("blocked"), "{played}");
        assert_eq!(played["player"], json!([8, 2]));
        let thrown = play(json!({ "aim": [5, 4] }));
        assert_eq!(thrown["done"], json!(["b 2 3"]), "{thrown}");
        assert_eq!(play(json!({ "undo": 1 }))["steps"], 1);
        assert_eq!(play(json!({ "undo": 99 }))["steps"], 0);
        assert_eq!(play(json!({ "steps": ["not a step"] }))["refused"]["step"], "not a step");
        server.post(&path, &json!({ "seek": 3 })).problem(422, "unfit");
        assert_eq!(server.delete(&path).status, 204);
        server.post(&path, &json!({})).problem(410, "game-gone");
        // The client goes on with the steps it knows.
        let again = json!({ "area": area, "steps": ["w 1 0"] });
        assert_eq!(server.post("/v1/play", &again).expect(200)["steps"], 1);
    });
}

#[test]
fn a_plan_is_watched_at_any_step() {
    on_each_store(|store| {
        let server = Server::start(store, &["--workers", "0"]);
        let wrong = SAMPLE_PLAN.replace("w 1 1", "w 1 -1");
        for plan in [SAMPLE_PLAN, wrong.as_str()] {
            let area = json!({ "text": SAMPLE });
            let begun = server.post("/v1/play", &json!({ "area": area, "plan": plan })).expect(200);
            assert_eq!(begun["tape"], 13);
            let path = format!("/v1/play/{}", begun["token"].as_str().unwrap());
            let board = |n: u64| {
                let played = server.post(&path, &json!({ "seek": n })).expect(200);
                (played["steps"].as_u64().unwrap(), played["view"]["rows"].clone(), played)
            };
            let first = board(2);
            let end = board(99);
            assert_eq!(board(2).1, first.1, "back and forth it is the same board");
            let steps = begun["setup"]["plan"].as_array().unwrap();
            let byte = |at: &Value| at.as_u64().unwrap() as usize;
            let texts = steps.iter().map(|step| &plan[byte(&step["from"])..byte(&step["to"])]);
            assert!(texts.eq(plan.lines().skip(1)), "{steps:?}");
            let last = steps.iter().rfind(|step| step["player"] != Value::Null).unwrap();
            assert_eq!(last["player"], end.2["player"], "the plan is followed as far as it goes");
            if plan == SAMPLE_PLAN {
                assert_eq!((end.0, &end.2["status"]), (13, &json!("won")));
                assert_eq!((steps.len(), &last["line"]), (13, &json!(14)));
            } else {
                assert_eq!(end.2["refused"]["step"], "w 1 -1");
                assert_eq!(end.2["status"], "playing");
            }
        }
    });
}

#[test]
fn a_labyrinth_tells_what_was_seen_and_blown_up() {
    let store = Store::in_folder(tempfile::tempdir().unwrap());
    let server = Server::start(&store, &["--workers", "0"]);
    // The player is beside the western wall.
    let text = "1\n4 0 0 1 5 1\n0 0 20 0\n0 10 20 10\n0 0 0 10\n20 0 20 10\n";
    let begin = json!({ "area": { "text": text, "game": "labyrinth" } });
    let begun = server.post("/v1/play", &begin).expect(200);
    assert_eq!(begun["setup"]["goal"], json!([0, 0]));
    let path = format!("/v1/play/{}", begun["token"].as_str().unwrap());
    let steps = json!({ "steps": ["look east 3", "walk south 2", "use dynamite"] });
    let played = server.post(&path, &steps).expect(200);
    let window =
        |row, col, rows, cols| json!({ "row": row, "col": col, "rows": rows, "cols": cols });
    let hole = window(6, 0, 3, 3);
    let seen = [window(4, 0, 3, 5), window(5, 1, 3, 1), hole.clone()];
    assert_eq!((&played["seen"], &played["openings"]), (&json!(seen), &json!([hole])));
    assert_eq!(played["trail"], json!([[5, 1], [7, 1], [7, 1]]));
    let back = server.post(&path, &json!({ "undo": 1 })).expect(200);
    assert!(back.get("openings").is_none(), "{back}");
}

/// The areas of the repository with their plans, by id.
fn areas_and_plans() -> Vec<(String, String)> {
    let inputs = outwit::batch::find(&[areas()], None);
    let plan = |id: &str| outwit::batch::plan_file(&root().join("solutions"), id);
    let with_plan = |task: outwit::batch::Task| {
        let plan = std::fs::read_to_string(plan(&task.key)).expect(&task.key);
        (task.key, plan)
    };
    inputs.tasks.into_iter().map(with_plan).collect()
}

/// Every plan in `solutions/` is watched to its end: in a game, and as the frames of a verdict.
#[test]
fn every_plan_is_watched_to_its_end() {
    let store = Store::in_folder(tempfile::tempdir().unwrap());
    let server = Server::start(&store, &["--workers", "0"]);
    let window = json!({ "row": 0, "col": 0, "rows": 2, "cols": 3 });
    let mut games = std::collections::BTreeSet::new();
    for (id, plan) in areas_and_plans() {
        let area = json!({ "id": id });
        let show = json!({ "window": window });
        let begin = json!({ "area": area, "plan": plan, "show": show });
        let begun = server.post("/v1/play", &begin).expect(200);
        let steps = begun["tape"].as_u64().expect("a tape");
        assert_eq!((&begun["steps"], &begun["status"]), (&json!(0), &json!("playing")), "{id}");
        let path = format!("/v1/play/{}", begun["token"].as_str().unwrap());
        let seek =
            |step: u64| server.post(&path, &json!({ "seek": step, "show": show })).expect(200);
        let almost = seek(steps - 1);
        assert_eq!((&almost["status"], &almost["refused"]), (&json!("playing"), &Value::Null));
        let end = seek(steps);
        assert_eq!((&end["status"], &end["steps"]), (&json!("won"), &json!(steps)), "{id}: {end}");
        assert_eq!(server.delete(&path).status, 204);

        let frames = json!({ "from": steps - 1, "count": 5, "window": window });
        let asked = json!({ "area": area, "plan": plan, "frames": frames });
        let verdict = server.post("/v1/verify", &asked).expect(200);
        assert_eq!(verdict["valid"], true, "{id}: {verdict}");
        let frames = verdict["frames"].as_array().unwrap();
        let told: Vec<_> = frames.iter().map(|frame| (&frame["step"], &frame["status"])).collect();
        let last = [(&json!(steps - 1), &json!("playing")), (&json!(steps), &json!("won"))];
        assert_eq!(told, last, "{id}");
        games.insert(id.split('/').next().unwrap().to_string());
    }
    assert_eq!(games.len(), 5);
}

#[test]
fn a_short_text_of_many_steps_is_watched_as_far_as_a_game_goes() {
    let store = Store::in_folder(tempfile::tempdir().unwrap());
    let server = Server::start(&store, &["--workers", "0"]);
    let area = json!({ "text": "#######\n#@  $.#\n#######\n", "game": "sokoban" });
    let begin = |plan: &str| server.post("/v1/play", &json!({ "area": area, "plan": plan }));
    // What follows the last push is no step.
    assert_eq!(begin("3r9000000l").expect(200)["tape"], 3);
    let begun = begin(&"rl".repeat(20_000)).expect(200);
    assert_eq!(begun["tape"], 20_001);
    let path = format!("/v1/play/{}", begun["token"].as_str().unwrap());
    let end = server.post(&path, &json!({ "seek": 40_000 })).expect(200);
    assert_eq!(end["steps"], 20_000);
    let reason = end["refused"]["reason"].as_str().unwrap();
    assert!(reason.contains("at most 20000 steps"), "{reason}");
}

#[test]
fn every_game_is_played_and_large_boards_come_in_windows() {
    on_each_store(|store| {
        let server = Server::start(store, &["--workers", "0"]);
        let mut after = String::new();
        let mut games = std::collections::BTreeSet::new();
        while let Some(area) =
            server.get(&format!("/v1/areas?limit=1&after={after}")).expect(200)["areas"].get(0)
        {
            after = area["id"].as_str().unwrap().to_string();
            let game = area["game"].as_str().unwrap().to_string();
            let small = area["bytes"].as_u64().unwrap() < 8000;
            if !small && games.contains(&game) {
                continue;
            }
            games.insert(game);
            let begun = server.post("/v1/play", &json!({ "area": { "id": after } })).expect(200);
            let window = &begun["view"]["window"];
            let [rows, cols] = ["rows", "cols"].map(|side| window[side].as_u64().unwrap());
            assert!(rows * cols <= 1 << 18, "{after}: {window}");
            assert_eq!(begun["view"]["rows"].as_array().unwrap().len() as u64, rows);
            let path = format!("/v1/play/{}", begun["token"].as_str().unwrap());
            let keys = begun["setup"]["keys"].as_array().unwrap().clone();
            let step = keys[0]["step"].as_str().unwrap();
            let edge =
                json!({ "row": i64::MIN, "col": i64::MAX, "rows": u32::MAX, "cols": u32::MAX });
            let played =
                server.post(&path, &json!({ "steps": [step], "show": { "window": edge } }));
            assert_eq!(played.status, 200, "{after}: {played:?}");
            assert_eq!(server.delete(&path).status, 204);
        }
        assert_eq!(games.len(), 5);
    });
}

#[test]
fn a_client_pushes_out_its_own_games_first() {
    let store = Store::in_folder(tempfile::tempdir().unwrap());
    let server =
        Server::start(&store, &["--workers", "0", "--trust-forwarded", "127.0.0.1", "--rate", "0"]);
    let send = |client: &str, path: &str, body: Value| {
        let client = format!("x-forwarded-for: {client}");
        let headers = ["content-type: application/json", client.as_str()];
        http::send(&server.host, "POST", path, &headers, body.to_string().as_bytes())
    };
    let begin = |client: &str| {
        let area = json!({ "text": "#####\n#@$.#\n#####\n", "game": "sokoban" });
        let begun = send(client, "/v1/play", json!({ "area": area })).expect(200);
        begun["token"].as_str().unwrap().to_string()
    };
    let goes_on =
        |client: &str, token: &str| send(client, &format!("/v1/play/{token}"), json!({})).status;
    let quiet = begin("192.0.2.1");
    let loud: Vec<String> = (0..300).map(|_| begin("192.0.2.2")).collect();
    assert_eq!(goes_on("192.0.2.1", &quiet), 200);
    assert_eq!(goes_on("192.0.2.2", &loud[0]), 410);
    assert_eq!(goes_on("192.0.2.2", &loud[299]), 200);
}

#[test]
fn a_client_has_its_part_of_the_streams() {
    let store = Store::in_folder(tempfile::tempdir().unwrap());
    let server = Server::start(&store, &["--workers", "0", "--trust-forwarded", "127.0.0.1"]);
    let area = json!({ "text": SAMPLE });
    let job = server.post("/v1/jobs", &json!({ "area": area })).expect(202);
    let path = format!("/v1/jobs/{}/events", job["id"].as_str().unwrap());
    let follow = |client: &str| {
        let client = format!("x-forwarded-for: {client}");
        let mut stream = http::open(&server.host, "GET", &path, &[&client], b"");
        (http::read_head(&mut stream).0, stream)
    };
    let streams: Vec<_> = (0..65).map(|_| follow("192.0.2.2")).collect();
    assert!(streams[..64].iter().all(|(status, _)| *status == 200));
    assert_eq!(streams[64].0, 429);
    assert_eq!(follow("192.0.2.1").0, 200);
}
