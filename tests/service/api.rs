//! Areas, verifying, errors, the document, the page.

use crate::harness::{SAMPLE, SAMPLE_PLAN, Server, on_each_store};
use crate::http;
use serde_json::{Value, json};

#[test]
fn areas_are_listed_page_by_page() {
    on_each_store(|store| {
        let server = Server::start(store, &["--workers", "0"]);
        let games = server.get("/v1/games").expect(200);
        let counted: u64 =
            games.as_array().unwrap().iter().map(|game| game["areas"].as_u64().unwrap()).sum();
        assert_eq!(games.as_array().unwrap().len(), 5);
        let (mut seen, mut after) = (Vec::new(), String::new());
        loop {
            let page = server.get(&format!("/v1/areas?limit=40&after={after}")).expect(200);
            let areas = page["areas"].as_array().unwrap();
            assert!(areas.len() <= 40);
            seen.extend(areas.iter().map(|area| area["id"].as_str().unwrap().to_string()));
            match page["next"].as_str() {
                Some(next) => after = next.to_string(),
                None => break,
            }
        }
        assert_eq!(seen.len() as u64, counted);
        assert!(seen.windows(2).all(|pair| pair[0] < pair[1]), "in order, none twice");
        let sokoban = server.get("/v1/areas?game=sokoban&limit=500").expect(200);
        let ids = sokoban["areas"].as_array().unwrap();
        assert!(!ids.is_empty());
        assert!(ids.iter().all(|area| area["game"] == "sokoban"));
        let text = server.get("/v1/areas/last-of-us/area-0-sample/text");
        assert_eq!((text.status, text.text().trim_end()), (200, SAMPLE.trim_end()));
        let area = server.get("/v1/areas/last-of-us/area-0-sample").expect(200);
        assert_eq!(area["facts"]["size"], "10x10");
        server.get("/v1/areas/last-of-us/nowhere").problem(404, "not-found");
        server.get("/v1/areas?game=chess").problem(400, "bad-request");
        server.get("/v1/areas?limit=many").problem(400, "bad-request");
    });
}

#[test]
fn a_plan_is_verified_and_the_first_bad_step_is_named() {
    on_each_store(|store| {
        let server = Server::start(store, &["--workers", "0"]);
        let check = |area: Value, plan: &str| {
            server.post(
                "/v1/verify",
                &json!({ "area": area, "plan": plan, "frames": { "count": 99 } }),
            )
        };
        let by_id = json!({ "id": "last-of-us/area-0-sample" });
        let valid = check(by_id.clone(), SAMPLE_PLAN).expect(200);
        assert_eq!((&valid["valid"], &valid["length"]), (&json!(true), &json!(13)));
        let frames = valid["frames"].as_array().unwrap();
        assert_eq!(frames.len(), 14, "one before the first step, one after each");
        assert_eq!(
            (&frames[13]["status"], &frames[0]["status"]),
            (&json!("won"), &json!("playing"))
        );
        assert!(frames[0]["rows"][8].as_str().unwrap().contains('E'));

        let by_text = json!({ "text": SAMPLE });
        let wrong = check(by_text.clone(), "2\nw 1 0\nw 1 -1\n").expect(200);
        assert_eq!(wrong["valid"], false);
        assert_eq!((&wrong["step"], &wrong["line"]), (&json!(2), &json!(3)));
        assert!(wrong["reason"].as_str().unwrap().contains("blocked"), "{wrong}");
        assert_eq!(wrong["frames"].as_array().unwrap().len(), 2, "up to the refused step");

        let short = check(by_text.clone(), "1\nw 1 0\n").expect(200);
        assert_eq!((&short["valid"], &short["step"]), (&json!(false), &json!(2)));

        let unreadable = check(by_text, "1\nw one 0\n").problem(422, "bad-plan");
        assert_eq!(unreadable["diagnostic"]["line"], 2, "{unreadable}");
        assert!(unreadable["diagnostic"]["column"].as_u64().unwrap() > 0);
        let area =
            check(json!({ "text": "x\n10 10 2\n####\n", "game": "last-of-us" }), SAMPLE_PLAN);
        let area = area.problem(422, "bad-area");
        assert!(area["diagnostic"]["line"].as_u64().unwrap() > 0, "{area}");
    });
}

#[test]
fn a_better_plan_becomes_the_best_known() {
    on_each_store(|store| {
        let empty = tempfile::tempdir().unwrap();
        let solutions = empty.path().display().to_string();
        let server = Server::start(store, &["--workers", "0", "--solutions", &solutions]);
        let best = "/v1/areas/robots/sample-1/plan";
        server.get(best).problem(404, "not-found");
        let sample = json!({ "id": "last-of-us/area-0-sample" });
        // The same plan with a step of standing still is valid where nobody hears it.
        let steps: Vec<&str> = SAMPLE_PLAN.lines().skip(1).collect();
        let longer = (0..=steps.len()).map(|at| {
            let mut steps = steps.clone();
            steps.insert(at, "w 0 0");
            format!("{}\n{}\n", steps.len(), steps.join("\n"))
        });
        let submit = |plan: &str| {
            server.post("/v1/plans", &json!({ "area": sample, "plan": plan })).expect(200)
        };
        let longer = longer.map(|plan| (submit(&plan), plan));
        let (verdict, plan) =
            longer.into_iter().find(|(verdict, _)| verdict["valid"] == true).expect("one holds");
        assert_eq!((&verdict["best_known"], &verdict["length"]), (&json!(true), &json!(14)));
        let sample_plan = "/v1/areas/last-of-us/area-0-sample/plan";
        assert_eq!(server.get(sample_plan).expect(200)["plan"], plan);
        assert_eq!(submit(&plan)["best_known"], false, "no better than itself");
        assert_eq!(submit(SAMPLE_PLAN)["best_known"], true);
        assert_eq!(submit(&plan)["best_known"], false, "the shorter one stays");
        assert_eq!(server.get(sample_plan).expect(200)["length"], 13);
        assert_eq!(server.get(&format!("{sample_plan}/text")).text(), SAMPLE_PLAN);
        let bad = submit("1\nw 0 0\n");
        assert_eq!((&bad["valid"], &bad["best_known"]), (&json!(false), &json!(false)));
    });
}

#[test]
fn plans_of_a_folder_are_verified_and_kept() {
    on_each_store(|store| {
        let folder = tempfile::tempdir().unwrap();
        let game = folder.path().join("last-of-us");
        std::fs::create_dir(&game).unwrap();
        std::fs::write(game.join("area-0-sample.plan"), SAMPLE_PLAN).unwrap();
        std::fs::write(game.join("keyhole-14x15.plan"), "1\nw 1 0\n").unwrap();
        let solutions = folder.path().display().to_string();
        let server = Server::start(store, &["--workers", "0", "--solutions", &solutions]);
        let plan = |name: &str| server.get(&format!("/v1/areas/last-of-us/{name}/plan")).status;
        let started = std::time::Instant::now();
        while plan("area-0-sample") != 200 {
            assert!(started.elapsed().as_secs() < 60, "it is not kept");
            std::thread::sleep(std::time::Duration::from_millis(50));
        }
        std::thread::sleep(std::time::Duration::from_millis(300));
        assert_eq!(plan("keyhole-14x15"), 404, "what does not hold is not served");
    });
}

#[test]
fn errors_are_problems_whatever_comes() {
    on_each_store(|store| {
        let server = Server::start(store, &["--workers", "0"]);
        server.get("/nowhere").problem(404, "not-found");
        let wrong = server.delete("/v1/games");
        assert_eq!(wrong.header("allow"), Some("GET,HEAD"), "{wrong:?}");
        wrong.problem(405, "wrong-method");
        let raw = |body: &[u8]| {
            http::send(
                &server.host,
                "POST",
                "/v1/verify",
                &["content-type: application/json"],
                body,
            )
        };
        let syntax = raw(b"{\"area\":\n  {,}}").problem(400, "bad-request");
        assert_eq!(syntax["diagnostic"]["line"], 2, "{syntax}");
        raw(b"{}").problem(400, "bad-request");
        raw(b"\xff\xfe").problem(400, "bad-request");
        raw(b"{\"area\":{\"id\":\"x\",\"text\":\"y\"},\"plan\":\"\"}").problem(400, "bad-request");
        raw(b"{\"area\":{},\"plan\":\"\",\"more\":1}").problem(400, "bad-request");
        let sample = json!({ "text": SAMPLE });
        for body in [
            json!([sample, SAMPLE_PLAN]),
            json!({ "area": [SAMPLE], "plan": SAMPLE_PLAN }),
            json!({ "area": { "id": "x", "game": null }, "plan": "" }),
            json!({ "area": sample, "plan": SAMPLE_PLAN, "frames": [0, 1] }),
            json!({ "area": { "text": SAMPLE, "level": 0 }, "plan": SAMPLE_PLAN }),
            json!({ "area": sample, "plan": SAMPLE_PLAN, "frames": { "count": 1.5 } }),
        ] {
            server.post("/v1/verify", &body).problem(400, "bad-request");
        }
        let second = json!({ "area": { "text": SAMPLE, "level": 2 }, "plan": SAMPLE_PLAN });
        server.post("/v1/verify", &second).problem(422, "unfit");
        let headers = ["content-type: application/json", "content-encoding: gzip"];
        http::send(&server.host, "POST", "/v1/verify", &headers, b"{}").problem(415, "bad-request");
        server.get("/v1/areas?limit=0").problem(400, "bad-request");
        server.get("/v1/areas?limit=501").problem(400, "bad-request");
        server.get("/v1/areas/chess/x").problem(404, "not-found");
        server.delete("/v1/play/none").problem(404, "not-found");
        http::send(&server.host, "POST", "/v1/verify", &[], b"{}").problem(415, "bad-request");
        let nulls = json!({ "area": { "id": "\0" }, "plan": "\0" });
        assert!(matches!(server.post("/v1/verify", &nulls).status, 400..500));
        let game = json!({ "area": { "text": "x", "game": "chess" }, "plan": "" });
        server.post("/v1/verify", &game).problem(400, "bad-request");
        for game in ["last-of-us", "sokoban", "robots", "labyrinth", "monsters"] {
            for text in ["", "\n", "\u{feff}", "9".repeat(5000).as_str(), "-1 -1\n", "\0\0"] {
                let area = json!({ "text": text, "game": game });
                let answer = server.post("/v1/play", &json!({ "area": area }));
                assert!(matches!(answer.status, 200 | 422), "{game} {text:?}: {answer:?}");
            }
        }
        assert_eq!(server.get("/healthz").text(), "ok\n", "it still lives");
    });
}

#[test]
fn the_document_describes_all_routes_and_the_page_is_its_own() {
    on_each_store(|store| {
        let server = Server::start(store, &["--workers", "0"]);
        let document = server.get("/v1/openapi.json").expect(200);
        assert!(document["openapi"].as_str().unwrap().starts_with("3."));
        let paths = document["paths"].as_object().unwrap();
        for path in [
            "/v1/games",
            "/v1/areas",
            "/v1/areas/{game}/{name}",
            "/v1/verify",
            "/v1/plans",
            "/v1/play",
            "/v1/play/{token}",
            "/v1/jobs",
            "/v1/jobs/{id}",
            "/v1/jobs/{id}/events",
            "/v1/limits",
        ] {
            assert!(paths.contains_key(path), "{path}");
        }
        // Every reference in the document leads somewhere.
        let text = document.to_string();
        for reference in text.split("\"#/components/schemas/").skip(1) {
            let name = reference.split('"').next().unwrap();
            assert!(document["components"]["schemas"][name].is_object(), "{name}");
        }
        for path in ["/", "/app.js", "/style.css"] {
            let page = server.get(path);
            assert_eq!(page.status, 200);
            let policy = page.header("content-security-policy").unwrap();
            assert!(policy.starts_with("default-src 'none'") && !policy.contains("unsafe"));
            assert!(!page.text().contains("https://"), "nothing from elsewhere");
        }
        let metrics = server.get("/metrics").text();
        assert!(metrics.contains("outwit_http_requests_total{"), "{metrics}");
        assert!(metrics.contains("outwit_jobs{state=\"queued\"} 0"), "{metrics}");
    });
}
