//! Who depends on this crate: a crate of its own, made outside of the repository, that has nothing but the
//! two programs of README.md, solves a level with the one and runs A* on a space of its own with the other.
//!
//! It is built offline, with the versions of this crate's lock file, in a folder of its own among what is
//! built here, so that only the first time takes long.

use std::path::{Path, PathBuf};
use std::process::Command;

/// Lines that each of the programs may have, without empty ones.
const MOST_LINES: [usize; 2] = [14, 30];

/// The Rust programs of the README, in order.
fn programs() -> Vec<String> {
    let readme = std::fs::read_to_string(root().join("README.md")).expect("README.md");
    let blocks = readme.split("```rust\n").skip(1);
    let texts = blocks.filter_map(|block| block.split("```\n").next());
    texts.filter(|text| text.contains("fn main()")).map(str::to_owned).collect()
}

fn root() -> &'static Path {
    Path::new(env!("CARGO_MANIFEST_DIR"))
}

/// Writes the crate into a folder.
fn write_crate(folder: &Path, programs: &[String]) {
    let manifest = format!(
        "[package]\nname = \"newcomer\"\nversion = \"0.1.0\"\nedition = \"2024\"\n\n[dependencies]\n\
         outwit = {{ path = {:?}, default-features = false }}\n\n[profile.dev]\ndebug = false\n\n[workspace]\n",
        root()
    );
    std::fs::create_dir_all(folder.join("src/bin")).expect("a folder");
    std::fs::write(folder.join("Cargo.toml"), manifest).expect("a manifest");
    std::fs::copy(root().join("Cargo.lock"), folder.join("Cargo.lock")).expect("a lock file");
    for (number, program) in programs.iter().enumerate() {
        std::fs::write(folder.join(format!("src/bin/program{number}.rs")), program)
            .expect("a program");
    }
}

/// What a program of the crate prints.
fn run(folder: &Path, number: usize) -> String {
    let target = std::env::var_os("CARGO_TARGET_DIR").map_or(root().join("target"), PathBuf::from);
    let mut cargo = Command::new(env!("CARGO"));
    cargo.current_dir(folder).args(["run", "--quiet", "--offline", "--bin"]);
    cargo.arg(format!("program{number}")).env("CARGO_TARGET_DIR", target.join("fresh-crate"));
    let output = cargo.output().expect("cargo runs");
    assert!(output.status.success(), "{}", String::from_utf8_lossy(&output.stderr));
    String::from_utf8_lossy(&output.stdout).into_owned()
}

#[test]
fn a_crate_of_its_own_solves_a_level_and_searches_a_space() {
    let programs = programs();
    for (program, most) in programs.iter().zip(MOST_LINES) {
        let lines = program.lines().filter(|line| !line.trim().is_empty()).count();
        assert!(lines <= most, "{lines} lines of at most {most}:\n{program}");
    }
    let folder = std::env::temp_dir().join(format!("outwit-newcomer-{}", std::process::id()));
    write_crate(&folder, &programs);
    let answers: Vec<String> = (0..programs.len()).map(|number| run(&folder, number)).collect();
    std::fs::remove_dir_all(&folder).expect("the folder goes away");
    let [solved, searched] = &answers[..] else { panic!("two programs, not {answers:?}") };
    assert!(solved.starts_with("1 push, optimal: R\nrefused: step 1"), "{solved}");
    assert!(searched.starts_with("optimal in 6: [\"fill the 5\", \"5 to 3\""), "{searched}");
}
