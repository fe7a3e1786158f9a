//! Jobs that several processes search together.

use crate::harness::{SAMPLE, SAMPLE_PLAN, Server, on_each_store};
use outwit::diagnostic::Source;
use outwit::games::{GameId, Objective};
use outwit::search::{Limits, Run};
use serde_json::{Value, json};
use std::time::{Duration, Instant};

/// A case with many teleports to choose from: a proof of it takes long.
#[cfg(target_os = "linux")]
const LONG: &str = include_str!("../../areas/robots/robots-20-20-16-17.txt");
/// What a search by several processes says that it does.
const PHASE: &str = "search by several processes";
/// Nothing takes longer, even on a machine that has much else to do.
const PATIENCE: Duration = Duration::from_secs(60);

fn ask(server: &Server, area: Value, budget: Value) -> Value {
    let wish = json!({ "area": area, "budget": budget, "optimal": true });
    server.post("/v1/jobs", &wish).expect(202)
}

#[test]
fn the_answer_is_that_of_one_process() {
    let text = include_str!("../../areas/monsters/hard-10-all.txt");
    let area = GameId::Monsters.game().read(&Source::new("hard", text)).unwrap().only().unwrap();
    let budget = Run::from(Limits {
        nodes: Some(9000),
        threads: 1,
        memory: 256 << 20,
        ..Limits::seconds(60.0)
    });
    let alone = area.solve(&Objective::OPTIMAL, None, &budget);
    let plan = alone.plan.expect("a plan");
    on_each_store(|store| {
        let nothing = tempfile::tempdir().unwrap();
        let solutions = nothing.path().to_str().unwrap();
        let server = Server::start(store, &["--max-processes", "3", "--solutions", solutions]);
        let budget = json!({ "seconds": 60, "nodes": 9000, "processes": 3 });
        let job = ask(&server, json!({ "id": "monsters/hard-10-all" }), budget);
        assert_eq!(job["budget"]["processes"], 3);
        let job = server.await_end(job["id"].as_str().unwrap());
        assert_eq!((&job["state"], &job["attempts"]), (&json!("done"), &json!(1)), "{job}");
        let result = &job["result"];
        let found = [&result["plan"], &result["bound"], &result["effort"]["expanded"]];
        let wanted = [json!(plan), json!(alone.bound), json!(alone.effort.expanded)];
        assert_eq!(found, wanted.each_ref());
        let wish = |area: Value, processes: u32| {
            let budget = json!({ "processes": processes });
            server.post("/v1/jobs", &json!({ "area": area, "budget": budget }))
        };
        wish(json!({ "text": SAMPLE }), 4).problem(400, "bad-request");
        let refused = wish(json!({ "id": "labyrinth/class-2-box-1" }), 2).problem(422, "unfit");
        let why = "budget.processes: the planner of labyrinth has no search that processes share";
        assert_eq!(refused["detail"], why);
        let budget = json!({ "processes": 2 });
        let wish = json!({ "area": { "text": SAMPLE }, "begun": SAMPLE_PLAN, "budget": budget });
        server.post("/v1/jobs", &wish).problem(422, "unfit");
    });
}

/// A long job of two processes.
#[cfg(target_os = "linux")]
fn ask_for_two(server: &Server) -> Value {
    ask(
        server,
        json!({ "text": LONG, "game": "robots" }),
        json!({ "seconds": 60, "memory_mib": 512, "processes": 2 }),
    )
}

/// The processes that others have started.
#[cfg(target_os = "linux")]
fn children(server: &Server) -> Vec<u32> {
    let tasks = std::fs::read_dir(format!("/proc/{}/task", server.process.id())).unwrap();
    let list = |task: std::fs::DirEntry| {
        std::fs::read_to_string(task.path().join("children")).unwrap_or_default()
    };
    let lists: String = tasks.flatten().map(list).collect();
    lists.split_whitespace().map(|pid| pid.parse().unwrap()).collect()
}

/// Whether several processes search and have a plan.
#[cfg(target_os = "linux")]
fn goes_on(job: &Value) -> bool {
    job["progress"]["phase"] == PHASE && job["progress"]["best"].is_u64()
}

/// Kills the last of a job's processes while they search.
/// A server that allows two processes; no area has a name, and none a plan.
#[cfg(target_os = "linux")]
fn server_without_areas(store: &crate::harness::Store) -> (Server, tempfile::TempDir) {
    let nothing = tempfile::tempdir().unwrap();
    let areas = nothing.path().to_str().unwrap();
    (Server::start(store, &["--max-processes", "2", "--areas", areas]), nothing)
}

#[cfg(target_os = "linux")]
fn kill_one(server: &Server, id: &str, attempts: u32) {
    use nix::sys::signal::{Signal, kill};
    let searches = |job: &Value| job["attempts"] == attempts && goes_on(job);
    server.await_job(id, searches);
    let children = children(server);
    assert_eq!(children.len(), 2, "{children:?}");
    kill(nix::unistd::Pid::from_raw(children[1] as i32), Signal::SIGKILL).unwrap();
}

#[cfg(target_os = "linux")]
fn wait_until_none_are_left(server: &Server) {
    let started = Instant::now();
    while !children(server).is_empty() {
        assert!(started.elapsed() < PATIENCE, "{:?} go on", children(server));
        std::thread::sleep(Duration::from_millis(10));
    }
}

#[cfg(target_os = "linux")]
#[test]
fn a_job_that_loses_a_process_goes_back_once() {
    on_each_store(|store| {
        let (server, _areas) = server_without_areas(store);
        let job = ask_for_two(&server);
        let (id, key) = (job["id"].as_str().unwrap(), job["key"].as_str().unwrap());
        kill_one(&server, id, 1);
        let again = server.await_job(id, |job| job["attempts"] == 2);
        assert_eq!(again["state"], "running", "{again}");
        kill_one(&server, id, 2);
        wait_until_none_are_left(&server);
        let job = server.await_job(id, |job| job["progress"]["phase"] != PHASE);
        assert_eq!((&job["state"], &job["attempts"]), (&json!("running"), &json!(2)), "{job}");
        server.cancel(id, key).expect(200);
        let job = server.await_end(id);
        assert_eq!((&job["state"], &job["attempts"]), (&json!("cancelled"), &json!(2)), "{job}");
        assert!(job["result"]["plan"].is_string(), "{job}");
        assert!(job["result"]["bound"].as_u64() > Some(1), "{job}");
        assert_eq!(server.said().matches("a search has lost a process").count(), 2);
    });
}

#[cfg(target_os = "linux")]
#[test]
fn a_job_of_several_processes_is_cancelled() {
    on_each_store(|store| {
        let (server, _areas) = server_without_areas(store);
        let job = ask_for_two(&server);
        let (id, key) = (job["id"].as_str().unwrap(), job["key"].as_str().unwrap());
        let job = server.await_job(id, goes_on);
        assert!(job["progress"]["bound"].as_u64() > Some(1), "{job}");
        server.cancel(id, key).expect(200);
        let job = server.await_end(id);
        assert_eq!((&job["state"], &job["attempts"]), (&json!("cancelled"), &json!(1)), "{job}");
        assert!(job["result"]["plan"].is_string(), "{job}");
        wait_until_none_are_left(&server);
    });
}
