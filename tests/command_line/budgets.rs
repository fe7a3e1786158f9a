//! `--memory` and `--nodes` are held to, in every game and on any number of threads.

use super::{Folder, json, outwit};
use serde_json::Value;
use std::fmt::Write;
use std::sync::Mutex;

/// Bytes that a process may hold beside its `--memory`: the program, its area and plans, the stacks of
/// its threads, and what the system's allocator keeps.
const BASE: u64 = 40 << 20;
/// Threads of each search.
const THREADS: [&str; 3] = ["1", "2", "8"];
/// Expansions beyond `--nodes`, those of all searches of an area together.
const OVER: u64 = 1000;

/// An area, and what is asked of it beside memory, nodes and threads.
type Case = (&'static str, &'static [&'static str]);

/// A labyrinth with a number of walls round the player, each closed, with dynamite for half of them: there is
/// no way out, and a search that looks for one reaches more and more places.
fn rings(count: i32) -> String {
    let mut text = format!("1\n{} 0 {} 0 0 {}\n", 4 * count, -5 * count, count / 2);
    for d in (1..=count).map(|ring| 5 * ring) {
        let (low, high) = (-d, d);
        let _ = writeln!(text, "{low} {low} {high} {low}\n{low} {high} {high} {high}");
        let _ = writeln!(text, "{low} {low} {low} {high}\n{high} {low} {high} {high}");
    }
    text
}

/// Does something for each of many, two at a time; what it comes to, in their order.
fn two_at_a_time<T: Sync, R: Send>(all: &[T], work: impl Fn(&T) -> R + Sync) -> Vec<R> {
    let next = Mutex::new(all.iter().enumerate());
    let done = Mutex::new(Vec::new());
    let go_on = || {
        while let Some((number, one)) = { next.lock().unwrap().next() } {
            let result = work(one);
            done.lock().unwrap().push((number, result));
        }
    };
    std::thread::scope(|scope| {
        scope.spawn(go_on);
        go_on();
    });
    let mut done = done.into_inner().unwrap();
    done.sort_by_key(|&(number, _)| number);
    done.into_iter().map(|(_, result)| result).collect()
}

/// What the program says of an area.
fn solve(area: &str, options: &[&str]) -> Value {
    let answer = outwit(&[&["solve", area, "--json"], options].concat());
    json(&answer.stdout)
}

/// Areas that fill the memory, or would have more of it than they are given for what is kept beside a
/// search's tables: distance fields, bounds and guides of large boards, working memory of each thread.
const LARGE: [Case; 9] = [
    ("areas/last-of-us/lattice-70x70-2004.txt", &["--time", "0.5"]),
    ("areas/last-of-us/lattice-35x35-1020.txt", &["--optimal", "--time", "0.4"]),
    ("areas/last-of-us/four-quarters-500x500.txt", &["--time", "0.3"]),
    ("areas/last-of-us/blocks-497x497-1019.txt", &["--time", "0.3"]),
    ("areas/last-of-us/pillars-41x41.txt", &["--optimal", "--time", "0.4"]),
    ("areas/sokoban/pull-12x17-10-1000.xsb", &["--optimal", "--time", "0.3"]),
    ("areas/sokoban/pull-14x18-12-1102.xsb", &["--time", "0.3"]),
    ("areas/monsters/hard-05-seekers.txt", &["--time", "0.3"]),
    ("areas/robots/robots-20-20-16-17.txt", &["--optimal", "--time", "0.3"]),
];

#[test]
fn a_process_keeps_to_its_memory() {
    let folder = Folder::make();
    let rings = folder.put("labyrinth/rings.txt", rings(100));
    let mut runs = Vec::new();
    for mebibytes in [16u64, 64, 256] {
        for threads in THREADS {
            let given = move |(area, options): (&str, &'static [&'static str])| {
                (area.to_string(), mebibytes, threads, options)
            };
            runs.push(given((rings.as_str(), &["--nodes", "60000"])));
            runs.extend(LARGE.into_iter().map(given));
        }
    }
    let told = two_at_a_time(&runs, |&(ref area, mebibytes, threads, options)| {
        let mebibytes = mebibytes.to_string();
        let budget = ["--memory", mebibytes.as_str(), "--threads", threads];
        solve(area, &[&budget[..], options].concat())["effort"]["peak_bytes"].as_u64()
    });
    let mut over = String::new();
    for ((area, mebibytes, threads, _), peak) in runs.iter().zip(told) {
        let peak = peak.expect("Linux tells the most memory of a process");
        if peak > (mebibytes << 20) + BASE {
            let peak = peak >> 20;
            let _ = writeln!(over, "{area}: {peak} MiB for {mebibytes}, {threads} threads");
        }
    }
    assert!(over.is_empty(), "more than {} MiB over:\n{over}", BASE >> 20);
}

#[test]
fn all_searches_of_an_area_keep_to_its_nodes_together_on_any_number_of_threads() {
    const AREAS: [Case; 14] = [
        ("areas/last-of-us/area-0-sample.txt", &[]),
        ("areas/last-of-us/lattice-35x35-1020.txt", &[]),
        ("areas/last-of-us/the-queue-13x18.txt", &["--optimal"]),
        ("areas/sokoban/pull-12x17-10-1000.xsb", &["--optimal"]),
        ("areas/sokoban/pull-12x17-10-1000.xsb", &["--optimal=moves"]),
        ("areas/sokoban/pull-11x14-8-800.xsb", &["--optimal"]),
        ("areas/sokoban/pull-12x17-10-1001.xsb", &[]),
        ("areas/sokoban/pull-14x18-12-1102.xsb", &[]),
        ("areas/robots/robots-50-20-16-21.txt", &[]),
        ("areas/robots/robots-20-20-16-17.txt", &["--optimal"]),
        ("areas/labyrinth/class-10-box-11.txt", &[]),
        ("areas/labyrinth/class-8-blob-21.txt", &[]),
        ("areas/monsters/hard-05-seekers.txt", &[]),
        ("areas/monsters/hard-03-blobs.txt", &["--optimal"]),
    ];
    let mut runs = Vec::new();
    for nodes in ["300", "2500", "10000"] {
        runs.extend(AREAS.map(|(area, options)| (area, options, nodes)));
    }
    let told = two_at_a_time(&runs, |&(area, options, nodes)| {
        THREADS.map(|threads| {
            let budget = ["--time", "600", "--nodes", nodes, "--threads", threads];
            let told = solve(area, &[&budget[..], options].concat());
            let parts = ["verdict", "plan", "length", "bound"].map(|key| told[key].clone());
            (parts, told["effort"]["expanded"].as_u64().expect("a number"))
        })
    });
    for ((area, options, nodes), told) in runs.into_iter().zip(told) {
        let of = format!("{area} {options:?} --nodes {nodes}");
        for (threads, told_with) in THREADS.iter().zip(&told) {
            assert_eq!(told_with, &told[0], "{of} --threads {threads}");
        }
        let most = nodes.parse::<u64>().unwrap() + OVER;
        assert!(told[0].1 <= most, "{of}: {} expanded", told[0].1);
    }
}
