//! Folders of areas and of plans: what they are called, and which plans are found.

use crate::harness::{Server, Store, areas_of as areas};
use serde_json::Value;
use std::path::Path;
use std::time::{Duration, Instant};

/// A corridor in which the box is pushed `pushes` times.
fn corridor(pushes: usize) -> String {
    let walls = "#".repeat(pushes + 5);
    format!("{walls}\n#@ ${}.#\n{walls}\n", " ".repeat(pushes - 1))
}

/// Two corridors with titles.
fn collection(one: usize, two: usize) -> String {
    format!("{}Title: one\n\n{}Title: two\n", corridor(one), corridor(two))
}

fn put(folder: &Path, name: &str, text: &str) {
    let file = folder.join(name);
    std::fs::create_dir_all(file.parent().expect("it has a folder")).expect("a folder can be made");
    std::fs::write(file, text).expect("a file can be written");
}

/// The ids and the lengths of best plans, once `wanted` of them are known.
fn known(server: &Server, wanted: usize) -> Vec<(String, u64)> {
    let started = Instant::now();
    loop {
        let of = |area: &Value| {
            let id = area["id"].as_str().expect("an id").to_string();
            area["best"]["length"].as_u64().map(|length| (id, length))
        };
        let known: Vec<_> = areas(server).iter().filter_map(of).collect();
        if known.len() >= wanted || started.elapsed() > Duration::from_secs(30) {
            return known;
        }
        std::thread::sleep(Duration::from_millis(50));
    }
}

#[test]
fn areas_whose_names_would_be_one_are_two() {
    let folder = tempfile::tempdir().unwrap();
    let shelf = folder.path().join("areas");
    put(&shelf, "sokoban/sub/q.xsb", &corridor(1));
    put(&shelf, "sokoban/sub.q.xsb", &corridor(2));
    put(&shelf, "sokoban/m.xsb", &collection(3, 4));
    let plans = folder.path().join("plans");
    for (key, pushes) in [("sub/q", 1), ("sub.q", 2), ("m/001-one", 3), ("m/002-two", 4)] {
        put(&plans, &format!("sokoban/{key}.plan"), &format!("r{}\n", "R".repeat(pushes)));
    }
    let [shelf, plans] = [shelf, plans].map(|path| path.display().to_string());
    let store = Store::in_folder(folder);
    let options = ["--workers", "0", "--areas", &shelf, "--solutions", &plans];
    let server = Server::start(&store, &options);
    let known = known(&server, 4);
    let by = |length: u64| {
        let mut of = known.iter().filter(|(_, known)| *known == length);
        of.next().unwrap_or_else(|| panic!("none of {length}: {known:?}")).0.clone()
    };
    assert_eq!(by(2), "sokoban/sub.q", "who is called so is called so");
    let other = by(1);
    assert!(other.starts_with("sokoban/sub.q~"), "{other}");
    assert!(server.said().contains(&other), "it is said: {}", server.said());
    assert_eq!([by(3), by(4)], ["sokoban/m.001-one", "sokoban/m.002-two"]);
    for (id, _) in &known {
        server.get(&format!("/v1/areas/{id}")).expect(200);
        assert_eq!(server.get(&format!("/v1/areas/{id}/plan/text")).status, 200, "{id}");
    }
    let ids = |server: &Server| -> Vec<Value> {
        areas(server).iter().map(|area| area["id"].clone()).collect()
    };
    let (before, again) = (ids(&server), Server::start(&store, &options));
    assert_eq!(ids(&again), before, "the next start calls them the same");
}

#[test]
fn the_index_tells_of_sub_folders_and_of_levels() {
    let folder = tempfile::tempdir().unwrap();
    let (shelf, plans) = (folder.path().join("areas"), folder.path().join("plans"));
    put(&shelf, "sokoban/sub/deep/q.xsb", &corridor(3));
    put(&shelf, "sokoban/m.xsb", &collection(1, 2));
    let [shelf, plans] = [shelf, plans].map(|path| path.display().to_string());
    let batch = std::process::Command::new(crate::program::program())
        .args(["batch", &shelf, "--out", &plans, "--optimal", "--time", "5"])
        .output()
        .unwrap();
    assert!(batch.status.success(), "{batch:?}");
    let store = Store::in_folder(folder);
    let server =
        Server::start(&store, &["--workers", "0", "--areas", &shelf, "--solutions", &plans]);
    assert_eq!(known(&server, 3).len(), 3);
    let started = Instant::now();
    while !areas(&server).iter().all(|area| area["best"]["optimal"] == true) {
        assert!(started.elapsed() < Duration::from_secs(30), "{:?}", areas(&server));
        std::thread::sleep(Duration::from_millis(50));
    }
}
