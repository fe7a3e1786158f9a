//! The command line from outside, one file for each command or promise.

#[cfg(target_os = "linux")]
mod budgets;
#[path = "../shared/cases.rs"]
mod cases;
mod certificates;
#[cfg(unix)]
mod examples;
mod export;
mod files;
mod generate;
#[cfg(target_os = "linux")]
#[path = "../shared/hang_ups.rs"]
mod hang_ups;
mod hostile;
#[path = "../shared/impossible.rs"]
mod impossible;
mod kill;
mod many;
mod packaging;
#[cfg(feature = "cluster")]
mod processes;
#[path = "../shared/program.rs"]
mod program;
#[path = "../shared/reports.rs"]
mod reports;
#[cfg(target_os = "linux")]
mod signals;
mod simulate;
mod solve;
mod usage;
mod verify;
mod watch;

use assert_cmd::Command;
use outwit::games::{GameId, GenerateOptions, Generated};
use program::program;
use std::path::{Path, PathBuf};

/// A small area of the Last of Us: nobody in the way, nine steps along the diagonal.
pub const OPEN: &str = "\
open
10 10 1
E.........
..........
..........
..........
..........
..........
..........
..........
..........
.........X
";

/// The only shortest plan of [`OPEN`].
pub const OPEN_PLAN: &str =
    "9\nw 1 -1\nw 1 -1\nw 1 -1\nw 1 -1\nw 1 -1\nw 1 -1\nw 1 -1\nw 1 -1\nw 1 -1\n";

/// The commands of the help text. What is said of one may go on in a line that stands further in.
pub fn commands() -> Vec<String> {
    let help = outwit(&["--help"]).stdout;
    let listed = help.lines().skip_while(|line| *line != "Commands:").skip(1);
    let listed = listed.take_while(|line| !line.is_empty());
    let named = listed.filter_map(|line| line.strip_prefix("  "));
    let named = named.filter(|line| !line.starts_with(' '));
    let names = named.filter_map(|line| line.split_whitespace().next().map(String::from));
    names.filter(|name| name != "help").collect()
}

/// What a command has answered.
pub struct Answer {
    /// The exit code.
    pub code: i32,
    pub stdout: String,
    pub stderr: String,
}

/// Runs `outwit` with these arguments.
pub fn outwit(args: &[&str]) -> Answer {
    outwit_reading(args, "")
}

/// Runs `outwit` with these arguments and this on stdin.
pub fn outwit_reading(args: &[&str], stdin: impl Into<Vec<u8>>) -> Answer {
    let mut command = Command::new(program());
    let output = command.args(args).write_stdin(stdin).output().unwrap();
    let text = |bytes: &[u8]| String::from_utf8(bytes.to_vec()).unwrap();
    let answer = Answer {
        code: output.status.code().unwrap_or(-1),
        stdout: text(&output.stdout),
        stderr: text(&output.stderr),
    };
    assert!(!answer.stderr.contains("panicked"), "{args:?}: {}", answer.stderr);
    assert!(!answer.stderr.contains('\u{1b}'), "colours without a terminal: {}", answer.stderr);
    assert!(!answer.stdout.contains('\u{1b}'), "colours without a terminal: {}", answer.stdout);
    answer
}

/// A folder for one test.
pub struct Folder(tempfile::TempDir);

impl Folder {
    pub fn make() -> Self {
        Folder(tempfile::tempdir().unwrap())
    }

    pub fn path(&self) -> &Path {
        self.0.path()
    }

    /// The path of a file in it, as an argument.
    pub fn at(&self, name: &str) -> String {
        self.path().join(name).to_str().unwrap().to_string()
    }

    /// Writes a file, and the folders above it.
    pub fn put(&self, name: &str, content: impl AsRef<[u8]>) -> String {
        let path = self.path().join(name);
        std::fs::create_dir_all(path.parent().unwrap()).unwrap();
        std::fs::write(&path, content).unwrap();
        self.at(name)
    }

    pub fn get(&self, name: &str) -> String {
        std::fs::read_to_string(self.path().join(name)).unwrap()
    }

    /// All files below, by name.
    pub fn files(&self) -> Vec<PathBuf> {
        let entries = walkdir::WalkDir::new(self.path()).sort_by_file_name().into_iter();
        let files = entries.map(Result::unwrap).filter(|entry| entry.file_type().is_file());
        files.map(walkdir::DirEntry::into_path).collect()
    }
}

/// An area of a game, and a plan for it, from its generator.
pub fn generated(game: GameId) -> Generated {
    game.game().generate(&GenerateOptions { seed: 3, ..GenerateOptions::default() }).unwrap()
}

/// A number in a line of JSON.
pub fn json(line: &str) -> serde_json::Value {
    serde_json::from_str(line).unwrap_or_else(|error| panic!("{error}: {line}"))
}
