//! `outwit batch --store`: areas searched by workers, plans collected.

use crate::harness::{Store, areas, on_each_store, worker};
use crate::program::program;
use assert_cmd::Command;
use std::fs;
use std::path::Path;

#[test]
fn a_batch_is_searched_by_workers_and_collected() {
    on_each_store(|store| {
        let folder = tempfile::tempdir().unwrap();
        let out = folder.path().join("out").display().to_string();
        let _worker = worker(store, 2);
        let batch = || {
            let mut batch = Command::new(program());
            batch.arg("batch").arg(areas().join("robots")).args(["--out", &out, "--time", "5"]);
            batch.args(["--nodes", "20000", "--store", &store.url]);
            batch
        };
        batch().assert().success();
        let index = fs::read_to_string(folder.path().join("out/INDEX.md")).unwrap();
        let plans = fs::read_dir(folder.path().join("out/robots")).unwrap();
        let plans = plans.filter(|file| {
            file.as_ref().unwrap().path().extension().is_some_and(|ending| ending == "plan")
        });
        let count = fs::read_dir(areas().join("robots")).unwrap().count();
        assert_eq!(plans.count(), count, "{index}");
        // A second run finds that nothing is left to hope for.
        let again = batch().assert().success();
        let said = String::from_utf8_lossy(&again.get_output().stdout).into_owned();
        assert!(said.contains("kept"), "{said}");
        workers_certify(&out, store);
    });
}

/// Workers certify the plans that they find, and the batch writes each certificate beside its plan.
fn workers_certify(out: &str, store: &Store) {
    let area = areas().join("robots/sample-1.txt");
    let batch = || {
        let mut batch = Command::new(program());
        batch.arg("batch").arg(&area).args(["--out", out, "--nodes", "20000", "--certify"]);
        batch.args(["--optimal", "--time", "5", "--store", &store.url]);
        batch
    };
    batch().assert().success();
    let file = Path::new(out).join("robots/sample-1.cert");
    let text = fs::read_to_string(&file).unwrap_or_else(|error| panic!("{file:?}: {error}"));
    assert!(text.contains("\nclaim no plan is shorter than 5\n"), "{text}");
    assert!(text.contains("\nplan\n"), "{text}");
    Command::new(program()).arg("check").args([&area, &file]).assert().success();
    // A certificate that was lost is written again. The job has been done, so no worker searches again.
    fs::remove_file(&file).unwrap();
    batch().assert().success();
    assert_eq!(fs::read_to_string(&file).unwrap(), text);
}
