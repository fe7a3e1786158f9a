//! What is too much is refused, and what needs a token.

use crate::harness::{SAMPLE, SAMPLE_PLAN, Server, hard_area, on_each_store};
use crate::http;
use serde_json::{Value, json};

#[test]
fn what_is_too_large_is_refused() {
    on_each_store(|store| {
        let server = Server::start(store, &["--workers", "0"]);
        let plan = |bytes: usize| json!({ "area": { "text": SAMPLE }, "plan": "w".repeat(bytes) });
        server.post("/v1/verify", &plan(5 << 20)).problem(413, "too-large");
        server.post("/v1/verify", &plan(3 << 20)).problem(413, "too-large");
        let area = json!({ "area": { "text": "#".repeat(2 << 20), "game": "sokoban" } });
        server.post("/v1/play", &area).problem(413, "too-large");
        let frames = json!({ "area": { "text": SAMPLE }, "plan": SAMPLE_PLAN,
                             "frames": { "count": 1_000_000 } });
        server.post("/v1/verify", &frames).problem(400, "bad-request");
        let budgets = [
            json!({ "seconds": 61 }),
            json!({ "seconds": -1 }),
            json!({ "seconds": 0 }),
            json!({ "memory_mib": 1_000_000 }),
            json!({ "threads": 0 }),
            json!({ "processes": 0 }),
            json!({ "processes": 2 }),
            json!({ "nodes": 0 }),
        ];
        for budget in budgets {
            let wish = json!({ "area": { "text": SAMPLE }, "budget": budget });
            server.post("/v1/jobs", &wish).problem(400, "bad-request");
        }
        let wish = json!({ "area": { "text": SAMPLE }, "optimal": "beauty" });
        server.post("/v1/jobs", &wish).problem(400, "bad-request");
    });
}

#[test]
fn what_the_limits_say_is_what_holds() {
    on_each_store(|store| {
        let options = ["--workers", "0", "--max-time", "7", "--max-memory", "96"];
        let server = Server::start(store, &[&options[..], &["--max-threads", "3"]].concat());
        let limits = server.get("/v1/limits").expect(200);
        assert_eq!(limits["needs_token"], false);
        assert_eq!(limits["most_budget"]["seconds"], 7.0);
        assert_eq!(limits["default_budget"]["memory_mib"], 96, "{limits}");
        let ask = |budget: &Value| {
            server.post("/v1/jobs", &json!({ "area": { "text": SAMPLE }, "budget": budget }))
        };
        assert_eq!(ask(&json!({})).expect(202)["budget"], limits["default_budget"]);
        for (name, most) in limits["most_budget"].as_object().unwrap() {
            let Some(most) = most.as_f64() else { continue };
            // Seconds may have a fraction, the others are whole numbers.
            let of = |n: f64| if name == "seconds" { json!(n) } else { json!(n as u64) };
            let taken = ask(&json!({ name: of(most) }));
            assert!(matches!(taken.status, 200 | 202), "{name}: {taken:?}");
            ask(&json!({ name: of(most + 1.0) })).problem(400, "bad-request");
        }
        let bytes = limits["area_bytes"].as_u64().unwrap() as usize;
        let area = json!({ "area": { "text": "#".repeat(bytes + 1), "game": "sokoban" } });
        server.post("/v1/play", &area).problem(413, "too-large");
    });
}

#[test]
fn a_full_queue_says_when_to_come_again() {
    on_each_store(|store| {
        let server = Server::start(store, &["--workers", "0", "--max-queue", "2"]);
        server.submit(hard_area(), 1.0, 1);
        server.submit(hard_area(), 1.0, 2);
        let wish =
            |seed: u64| json!({ "area": hard_area(), "budget": { "seconds": 1.0, "seed": seed } });
        let full = server.post("/v1/jobs", &wish(3));
        assert!(full.header("retry-after").is_some(), "{full:?}");
        full.problem(429, "queue-full");
        assert_eq!(server.post("/v1/jobs", &wish(2)).status, 200, "what is there is no more");
    });
}

#[test]
fn a_client_that_comes_too_often_is_told_to_wait() {
    on_each_store(|store| {
        let server = Server::start(store, &["--workers", "0", "--rate", "5"]);
        let answers: Vec<_> = (0..30).map(|_| server.get("/v1/openapi.json")).collect();
        let refused: Vec<_> = answers.iter().filter(|answer| answer.status == 429).collect();
        assert!(!refused.is_empty() && refused.len() < 30);
        assert!(refused.iter().all(|answer| answer.header("retry-after").is_some()));
    });
}

#[test]
fn writing_needs_the_token_where_there_is_one() {
    on_each_store(|store| {
        let folder = tempfile::tempdir().unwrap();
        let file = folder.path().join("token");
        std::fs::write(&file, "open sesame\n").unwrap();
        let token = file.display().to_string();
        let server = Server::start(store, &["--workers", "0", "--token-file", &token]);
        let wish = json!({ "area": { "text": SAMPLE }, "plan": SAMPLE_PLAN });
        server.post("/v1/verify", &wish).expect(200);
        let refused = server.post("/v1/plans", &wish);
        assert_eq!(refused.header("www-authenticate"), Some("Bearer"));
        refused.problem(401, "unauthorized");
        server
            .post("/v1/jobs", &json!({ "area": { "text": SAMPLE } }))
            .problem(401, "unauthorized");
        server.delete("/v1/jobs/x").problem(401, "unauthorized");
        let with = |token: &str| {
            let authorization = format!("authorization: Bearer {token}");
            let headers = ["content-type: application/json", authorization.as_str()];
            let areas = [
                json!({ "text": SAMPLE }),
                json!({ "text": "#####\n#@$.#\n#####\n", "game": "sokoban" }),
            ];
            areas.map(|area| {
                let body = serde_json::to_vec(&json!({ "area": area })).unwrap();
                http::send(&server.host, "POST", "/v1/jobs", &headers, &body)
            })
        };
        for refused in with("open sesam") {
            let wrong = refused.problem(401, "unauthorized");
            assert_eq!(wrong["title"], "The token is wrong");
        }
        let [_, pasted] = with("open sesame").map(|answer| answer.expect(202));
        // The text of the first is that of a stored area; the other is nobody's business.
        let listed = |headers: &[&str]| {
            let page = http::send(&server.host, "GET", "/v1/jobs", headers, b"").expect(200);
            page["jobs"].as_array().unwrap().len()
        };
        assert_eq!(listed(&[]), 1);
        assert_eq!(listed(&["authorization: Bearer open sesam"]), 1);
        assert_eq!(listed(&["authorization: Bearer open sesame"]), 2);
        let path = format!("/v1/jobs/{}", pasted["id"].as_str().unwrap());
        server.delete(&path).problem(401, "unauthorized");
        let token = ["authorization: Bearer open sesame"];
        http::send(&server.host, "DELETE", &path, &token, b"").expect(200);
    });
}

#[test]
fn numbers_are_taken_as_they_are_written_or_refused() {
    let store = crate::harness::Store::in_folder(tempfile::tempdir().unwrap());
    let server = Server::start(&store, &["--workers", "0"]);
    let ask = |budget: &str| {
        let area = json!({ "text": SAMPLE }).to_string().replace('}', ", \"level\": 1.0}");
        let body = format!("{{\"area\": {area}, \"budget\": {{{budget}}}}}");
        let headers = ["content-type: application/json"];
        http::send(&server.host, "POST", "/v1/jobs", &headers, body.as_bytes())
    };
    let budget = |written: &str| ask(written).expect(202)["budget"].clone();
    for (written, whole) in [
        ("9007199254740991.0", "9007199254740991"),
        ("9007199254740993.0", "9007199254740993"),
        ("9.007199254740995e15", "9007199254740995"),
        ("18446744073709551615.0", "18446744073709551615"),
        ("18446744073709551614", "18446744073709551614"),
    ] {
        let told = budget(&format!("\"seed\": {written}"));
        assert_eq!(told["seed"].to_string(), whole, "{written}");
    }
    let told = budget(r#""nodes": 1e3, "memory_mib": 6.40e1, "seconds": 1e1, "threads": 1.0"#);
    for (name, whole) in [("nodes", "1000"), ("memory_mib", "64"), ("threads", "1")] {
        assert_eq!(told[name].to_string(), whole, "{told}");
    }
    assert_eq!(told["seconds"], 10.0);
    for name in ["seed", "nodes", "memory_mib", "threads", "processes"] {
        for wrong in [
            "1.5",
            "1e-1",
            "9007199254740992.5",
            "4503599627370497.00000001",
            "1e20",
            "18446744073709551616",
            "18446744073709551616.0",
            "-1",
            "-1.0",
            "1e999",
        ] {
            let problem = ask(&format!("\"{name}\": {wrong}")).problem(400, "bad-request");
            assert!(problem["detail"].as_str().unwrap().len() > 10, "{name} {wrong}: {problem}");
        }
    }
}
