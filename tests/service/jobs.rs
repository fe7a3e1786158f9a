//! Jobs: asked for, followed, cancelled.

use crate::harness::{SAMPLE, Server, hard_area, on_each_store};
use crate::http;
use crate::impossible;
use crate::reports::{assert_report, assert_standing};
use outwit::games::GameId;
use serde_json::{Value, json};
use std::io::BufRead;

#[test]
fn the_same_wish_gives_the_same_job_and_its_plan_holds() {
    on_each_store(|store| {
        let server = Server::start(store, &[]);
        let budget = json!({ "seconds": 20, "nodes": 200_000 });
        let wish = json!({ "area": { "text": SAMPLE }, "budget": budget });
        let first = server.post("/v1/jobs", &wish);
        assert_eq!(first.status, 202, "{first:?}");
        let place = first.header("location").expect("it says where the job is").to_string();
        let id = first.json()["id"].as_str().unwrap().to_string();
        assert_eq!(place, format!("/v1/jobs/{id}"));
        let again = server.post("/v1/jobs", &wish).expect(200);
        assert_eq!(again["id"], id.as_str());
        let by_id = json!({ "area": { "id": "last-of-us/area-0-sample" }, "budget": budget });
        assert_eq!(server.post("/v1/jobs", &by_id).expect(200)["id"], id.as_str(), "same area");
        let other = json!({ "area": { "text": SAMPLE }, "budget": { "nodes": 1000 } });
        assert_ne!(server.post("/v1/jobs", &other).expect(202)["id"], id.as_str());

        let job = server.await_end(&id);
        assert_eq!((&job["state"], &job["attempts"]), (&json!("done"), &json!(1)), "{job}");
        assert_eq!(job["result"]["verdict"], "optimal");
        assert_report(&job["result"], "a job");
        let plan = job["result"]["plan"].as_str().unwrap();
        let check = json!({ "area": { "text": SAMPLE }, "plan": plan });
        let verdict = server.post("/v1/verify", &check).expect(200);
        assert_eq!(
            (&verdict["valid"], &verdict["length"]),
            (&json!(true), &job["result"]["length"])
        );
        assert_eq!(server.get(&format!("{place}/plan")).text(), plan);
        let best = server.get("/v1/areas/last-of-us/area-0-sample").expect(200);
        assert_eq!(best["best"]["optimal"], true, "the proof is remembered: {best}");
        assert_standing(&best["best"], "the best known plan");
    });
}

#[test]
fn what_has_no_plan_has_no_bound() {
    on_each_store(|store| {
        let server = Server::start(store, &["--workers", "2"]);
        for &game in GameId::ALL {
            let area = json!({ "text": impossible::area(game), "game": game.name() });
            let id = server.submit(area, 10.0, 1)["id"].as_str().unwrap().to_string();
            let job = server.await_end(&id);
            assert_eq!(job["result"]["verdict"], "impossible", "{game}: {job}");
            assert_report(&job["result"], game.name());
            for absent in ["plan", "length", "bound"] {
                assert_eq!(job["result"].get(absent), Some(&Value::Null), "{game}: {job}");
            }
            assert!(!job.to_string().contains("18446744073709551615"), "{game}: {job}");
        }
    });
}

#[test]
fn every_game_is_solved() {
    on_each_store(|store| {
        let server = Server::start(store, &["--workers", "2"]);
        let areas = [
            "last-of-us/keyhole-14x15",
            "sokoban/pull-7x8-2-0",
            "robots/sample-3",
            "labyrinth/class-2-box-1",
            "monsters/subtask-d-sentinels",
        ];
        let ids = areas.map(|id| server.submit(json!({ "id": id }), 10.0, 1)["id"].clone());
        for (area, id) in areas.iter().zip(ids) {
            let job = server.await_end(id.as_str().unwrap());
            assert_eq!(job["state"], "done", "{job}");
            assert!(job["result"]["plan"].is_string(), "{area}: {job}");
        }
    });
}

#[test]
fn a_job_is_followed_by_events_to_its_end() {
    on_each_store(|store| {
        let server = Server::start(store, &[]);
        let id = server.submit(hard_area(), 2.0, 1)["id"].as_str().unwrap().to_string();
        let path = format!("/v1/jobs/{id}/events");
        let mut stream = http::open(&server.host, "GET", &path, &[], b"");
        let (status, headers) = http::read_head(&mut stream);
        assert_eq!(status, 200);
        let is_stream = |(name, value): &(String, String)| {
            name.eq_ignore_ascii_case("content-type") && value.starts_with("text/event-stream")
        };
        assert!(headers.iter().any(is_stream), "{headers:?}");
        let lines = stream.lines().map_while(Result::ok);
        let events = lines.filter_map(|line| line.strip_prefix("data: ").map(str::to_string));
        let jobs: Vec<Value> =
            events.map(|event| serde_json::from_str(&event).expect("it is JSON")).collect();
        let last = jobs.last().expect("there are events");
        assert_eq!(last["state"], "done", "the stream ends with the job");
        assert!(jobs.iter().any(|job| job["progress"]["fraction"].is_number()), "{jobs:?}");
        assert!(jobs.windows(2).all(|pair| pair[0] != pair[1]), "only what is new is told");
        server.get("/v1/jobs/none/events").problem(404, "not-found");
    });
}

#[test]
fn a_running_job_is_cancelled_with_its_best_plan_and_can_be_asked_for_again() {
    on_each_store(|store| {
        let server = Server::start(store, &[]);
        let job = server.submit(hard_area(), 60.0, 1);
        let id = job["id"].as_str().unwrap();
        let key = job["key"].as_str().expect("who asks first gets a key").to_string();
        let again = server.submit(hard_area(), 60.0, 1);
        assert_eq!((&again["id"], &again["key"]), (&job["id"], &json!(null)), "it is not his");
        let waiting = server.submit(hard_area(), 60.0, 2);
        let (waiting, waiting_key) =
            (waiting["id"].as_str().unwrap(), waiting["key"].as_str().unwrap());
        server.await_job(id, |job| job["progress"]["best"].is_number());
        // One worker: the other still waits, and is cancelled at once.
        server.delete(&format!("/v1/jobs/{waiting}")).problem(403, "not-yours");
        server.cancel(waiting, &key).problem(403, "not-yours");
        assert_eq!(server.job(waiting)["state"], "queued");
        let cancelled = server.cancel(waiting, waiting_key).expect(200);
        assert_eq!((&cancelled["state"], &cancelled["attempts"]), (&json!("cancelled"), &json!(0)));
        server.cancel(id, &key).expect(200);
        let job = server.await_end(id);
        assert_eq!(job["state"], "cancelled");
        assert!(job["key"].is_null(), "a key is told once");
        assert!(job["result"]["plan"].is_string(), "what was found stays");
        assert_eq!(job["result"]["effort"]["stopped"], "cancelled");
        assert_report(&job["result"], "a job that was cancelled");
        let again = server.submit(hard_area(), 60.0, 1);
        assert_eq!((&again["id"], &again["state"]), (&job["id"], &json!("queued")));
        server.await_job(id, |job| job["state"] == "running");
        server.cancel(id, &key).problem(403, "not-yours");
        server.cancel(id, again["key"].as_str().expect("a new key")).expect(200);
        assert_eq!(server.await_end(id)["state"], "cancelled");
        server.delete("/v1/jobs/none").problem(404, "not-found");
    });
}

#[test]
fn jobs_are_listed_page_by_page() {
    on_each_store(|store| {
        let server = Server::start(store, &["--workers", "0"]);
        let area = json!({ "id": "robots/sample-1" });
        let mut ids: Vec<_> = (0..7)
            .map(|seed| server.submit(area.clone(), 1.0, seed)["id"].as_str().unwrap().to_string())
            .collect();
        let (mut seen, mut after) = (Vec::new(), String::new());
        loop {
            let page = server.get(&format!("/v1/jobs?state=queued&limit=3{after}")).expect(200);
            let jobs = page["jobs"].as_array().unwrap();
            seen.extend(jobs.iter().map(|job| job["id"].as_str().unwrap().to_string()));
            match page["next"].as_str() {
                Some(next) => after = format!("&after={next}"),
                None => break,
            }
        }
        seen.sort();
        ids.sort();
        assert_eq!(seen, ids);
        assert_eq!(server.get("/v1/jobs?state=done").expect(200)["jobs"], json!([]));
        server.get("/v1/jobs?state=lost").problem(400, "bad-request");
        server.get("/v1/jobs?after=x").problem(400, "bad-request");
    });
}

#[test]
fn what_a_job_proves_is_certified_where_that_is_asked_for() {
    on_each_store(|store| {
        let server = Server::start(store, &["--workers", "2"]);
        for &game in GameId::ALL {
            let area = json!({ "text": impossible::area(game), "game": game.name() });
            let budget = json!({ "seconds": 20 });
            let without = json!({ "area": area, "budget": budget, "optimal": true });
            let mut wish = without.clone();
            wish["certify"] = json!(true);
            let [plain, proof] = [&without, &wish].map(|wish| {
                let job = server.post("/v1/jobs", wish).expect(202);
                job["id"].as_str().expect("an id").to_owned()
            });
            assert_ne!(plain, proof, "another wish is another job");
            let place = format!("/v1/jobs/{plain}/certificate");
            assert!(server.await_end(&plain)["result"]["certificate"].is_null());
            server.get(&place).problem(404, "not-found");
            let job = server.await_end(&proof);
            assert!(job["result"]["certificate"]["text"].is_string(), "{job}");
            let text = server.get(&format!("/v1/jobs/{proof}/certificate")).text().to_owned();
            let check = json!({ "area": area, "certificate": text });
            let checked = server.post("/v1/check", &check).expect(200);
            assert_eq!(checked["claim"], "there is no plan", "{checked}");
            assert_eq!(checked["certified"], true, "{checked}");
        }
    });
}

#[test]
fn a_certificate_is_checked() {
    on_each_store(|store| {
        let server = Server::start(store, &[]);
        let area = json!({ "text": SAMPLE });
        let wish = json!({ "area": area, "optimal": true, "certify": true });
        let id = server.post("/v1/jobs", &wish).expect(202)["id"].clone();
        let id = id.as_str().expect("an id");
        let result = server.await_end(id)["result"].clone();
        assert_report(&result, "a job with a certificate");
        let text = server.get(&format!("/v1/jobs/{id}/certificate")).text().to_owned();
        assert!(text.ends_with(&format!("\nplan\n{}", result["plan"].as_str().expect("a plan"))));
        let check =
            |text: &str| server.post("/v1/check", &json!({ "area": area, "certificate": text }));
        let length = result["length"].as_u64().expect("a length");
        let told = check(&text).expect(200);
        assert_eq!((&told["certified"], &told["optimal"]), (&json!(true), &json!(true)));
        assert_eq!(told["length"], length);
        let more = text.replace(&format!("than {length}"), &format!("than {}", length + 1));
        let told = check(&more).expect(200);
        assert_eq!((&told["certified"], &told["states"]), (&json!(false), &Value::Null));
        assert!(told["reason"].as_str().expect("why").contains("is false"), "{told}");
        let bad = check("outwit certificate 2\n").problem(422, "bad-certificate");
        assert_eq!(bad["diagnostic"]["column"], 20, "{bad}");
        // A position is no area.
        let begun = json!({ "area": area, "begun": "0\n", "certify": true });
        server.post("/v1/jobs", &begun).problem(422, "unfit");
    });
}
