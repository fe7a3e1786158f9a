//! Batches that are killed at random moments or run out of disk: nothing is lost, nothing is false.

use crate::claims::World;
use crate::program::program;
use outwit::batch::record;
use rand::prelude::*;
use rand_chacha::ChaCha8Rng;
use std::collections::BTreeMap;
use std::path::Path;
use std::process::{Child, Command, Stdio};
use std::time::Duration;

/// Rounds where `OUTWIT_TEST_ROUNDS` names no other number.
const ROUNDS: u64 = 6;
/// What a full disk has, in KiB.
const DISK_KIB: u32 = 40;

fn rounds() -> u64 {
    std::env::var("OUTWIT_TEST_ROUNDS").ok().and_then(|n| n.parse().ok()).unwrap_or(ROUNDS)
}

fn start(areas: &Path, out: &Path, rng: &mut impl Rng) -> Child {
    let optimal = ["--optimal=pushes", "--optimal=moves"].choose(rng).unwrap();
    Command::new(program())
        .arg("batch")
        .arg(areas)
        .args(["--game", "sokoban", "--jobs", "2", "--nodes", "20000", "--again", optimal])
        .arg("--out")
        .arg(out)
        .stdout(Stdio::null())
        .stderr(Stdio::null())
        .spawn()
        .expect("the program starts")
}

/// The folder can be read, and what it claims is true.
fn check(world: &World, out: &Path) {
    let (_, faults) = record::load(out, &BTreeMap::new());
    assert!(faults.is_empty(), "{faults:?}");
    world.check_index(out);
}

#[test]
fn a_batch_that_is_killed_loses_nothing_and_claims_nothing_false() {
    let mut killed = 0;
    for seed in 0..rounds() {
        println!("seed {seed}");
        let mut rng = ChaCha8Rng::seed_from_u64(7_000 + seed);
        let mut world = World::new(&mut rng);
        world.learn_all();
        let (areas, out) = (world.areas.path().to_path_buf(), world.out.path().to_path_buf());
        for _ in 0..3 {
            let mut child = start(&areas, &out, &mut rng);
            std::thread::sleep(Duration::from_millis(rng.random_range(1..150)));
            let _ = child.kill();
            killed += u32::from(child.wait().unwrap().code().is_none());
            check(&world, &out);
        }
        let ended = start(&areas, &out, &mut rng).wait().unwrap();
        assert!(matches!(ended.code(), Some(0 | 1)), "{ended:?}");
        check(&world, &out);
        assert!(out.join("INDEX.md").is_file());
    }
    println!("{killed} runs were killed");
}

#[cfg(target_os = "linux")]
#[test]
fn a_full_disk_ends_no_run_with_a_false_claim() {
    for seed in 0..rounds() {
        println!("seed {seed}");
        let mut rng = ChaCha8Rng::seed_from_u64(8_000 + seed);
        let mut world = World::new(&mut rng);
        world.learn_all();
        let disk = tempfile::tempdir().unwrap();
        let size = format!("size={}k", rng.random_range(4..=DISK_KIB));
        let mount = Command::new("mount")
            .args(["-t", "tmpfs", "-o", &size, "tmpfs"])
            .arg(disk.path())
            .output();
        if !mount.is_ok_and(|mount| mount.status.success()) {
            println!("skipped: no disk of {size} can be mounted here");
            return;
        }
        for _ in 0..2 {
            let code = start(world.areas.path(), disk.path(), &mut rng).wait().unwrap().code();
            assert!(matches!(code, Some(0..=2)), "{code:?}");
            check(&world, disk.path());
        }
        let unmounted = Command::new("umount").arg(disk.path()).status().unwrap();
        assert!(unmounted.success());
    }
}
