//! Labyrinth from outside: the arbiter against good, bad and broken players, and what is in the
//! shop window.

use assert_cmd::Command;
use assert_cmd::cargo::cargo_bin;
use predicates::prelude::*;
use std::path::PathBuf;

const TWO_ROOMS: &str = "2\n\
    4 3 0 3 3 0\n0 0 6 0\n0 6 6 6\n0 1 0 5\n6 1 6 5\n\
    8 0 10 10 10 1\n0 0 20 0\n0 20 20 20\n0 0 0 20\n20 0 20 20\n\
    8 8 12 8\n8 12 12 12\n8 8 8 12\n12 8 12 12\n";

fn outwit() -> Command {
    Command::new(cargo_bin("outwit"))
}

fn file(folder: &tempfile::TempDir, name: &str, text: &str) -> PathBuf {
    let path = folder.path().join(name);
    std::fs::write(&path, text).unwrap();
    path
}

/// Runs the arbiter on two small rooms, with a player written in shell.
fn against(folder: &tempfile::TempDir, player: &str) -> assert_cmd::assert::Assert {
    let mazes = file(folder, "mazes.txt", TWO_ROOMS);
    let mut command = outwit();
    command.args(["referee", "--quiet", "--timeout", "1"]).arg(mazes);
    command.args(["--", "sh", "-c", player]).timeout(std::time::Duration::from_secs(60)).assert()
}

#[test]
fn the_explorer_wins_over_pipes_under_every_reading() {
    let folder = tempfile::tempdir().unwrap();
    let mazes = file(&folder, "mazes.txt", TWO_ROOMS);
    let readings =
        ["--y-up", "--look-past-exit", "--stop-on-exit", "--own-cell-costs", "--exit-burns"];
    for bits in 0..32 {
        let chosen = readings.iter().enumerate().filter(|(i, _)| bits >> i & 1 == 1);
        let mut command = outwit();
        command.args(["referee", "--quiet"]).args(chosen.map(|(_, flag)| flag)).arg(&mazes);
        command.arg("--").arg(cargo_bin("outwit")).arg("explore");
        command.assert().success().stdout(
            predicate::str::contains("game 1: won").and(predicate::str::contains("game 2: won")),
        );
    }
}

#[test]
fn the_dialogue_is_the_statements() {
    let folder = tempfile::tempdir().unwrap();
    let mazes = file(&folder, "mazes.txt", TWO_ROOMS);
    let log = folder.path().join("log");
    let player = "printf 'look around\\nlook north 4\\nwalk north 3\\nuse dynamite\\nhop\\n'; cat >/dev/null";
    let mut command = outwit();
    command.args(["referee", "--log"]).arg(&log).arg(mazes).args(["--", "sh", "-c", player]);
    command.assert().code(1);
    let expected = "2\n\
        You wake up with a headache, completely lost in a dark maze.\n\
        In your pockets you find a torch and 0 sticks of dynamite.\n\
        look around\nThe maze around you looks like this:\n...\n.O.\n...\n\
        look north 4\nThe maze around you looks like this:\nXEX\n...\n...\n.O.\n...\n\
        walk north 3\n\
        Against all odds, you have found the exit. Congratulations!\n\
        You wake up with a headache, completely lost in a dark maze.\n\
        In your pockets you find a torch and 1 stick of dynamite.\n\
        use dynamite\nYou light up a stick of dynamite.\n\
        The explosion knocks you to the ground, but amazingly you survive.\n\
        hop\nSTOP. This is no command: unknown command \"hop\".\n";
    assert_eq!(std::fs::read_to_string(log).unwrap(), expected);
}

#[test]
fn lines_that_are_piped_in_play_as_a_program_does() {
    let folder = tempfile::tempdir().unwrap();
    let mut command = outwit();
    command.arg("referee").arg(file(&folder, "mazes.txt", TWO_ROOMS));
    command.write_stdin("walk north 3\nhelp\n").assert().code(1).stdout(
        predicate::str::contains("game 1: won, 1 commands, 30 oxygen")
            .and(predicate::str::contains("STOP. This is no command: unknown command \"help\".")),
    );
}

#[test]
fn a_wall_ends_one_game_and_not_the_next() {
    let folder = tempfile::tempdir().unwrap();
    let player =
        "printf 'walk south 3\\nwalk east 1\\nwalk east 1\\nwalk east 1\\n'; cat >/dev/null";
    against(&folder, player).code(1).stdout(
        predicate::str::contains("game 1: lost, 1 commands, 0 oxygen")
            .and(predicate::str::contains("The walk leads into the wall at (3, 6)."))
            .and(predicate::str::contains("The walk leads into the wall at (12, 10).")),
    );
}

#[test]
fn broken_players_lose_and_do_no_harm() {
    let folder = tempfile::tempdir().unwrap();
    for (player, verdict) in [
        ("exit 3", "The program ended (exit status: 3)."),
        ("sleep 30", "The program was silent for 1s."),
        ("exec sleep 30 0<&-", "The program was silent for 1s."),
        ("while :; do echo nonsense; done", "This is no command"),
        ("tr '\\0' x < /dev/zero", "The program was silent for 1s."),
        ("printf 'look aro'", "This is no command"),
        ("printf '\\377\\376\\n'; cat > /dev/null", "This is no command"),
        ("exec 1>&-; cat > /dev/null", "The program closed its output."),
    ] {
        against(&folder, player).code(1).stdout(
            predicate::str::contains("game 2: lost").and(predicate::str::contains(verdict)),
        );
    }
    let mut command = outwit();
    let mazes = file(&folder, "mazes.txt", TWO_ROOMS);
    command.arg("referee").arg(mazes).args(["--", "/no/such/program"]).assert().code(2);
}

#[test]
#[cfg(unix)]
fn nothing_that_the_program_started_outlives_the_referee() {
    let folder = tempfile::tempdir().unwrap();
    let survived = folder.path().join("survived");
    for ending in ["cat > /dev/null; wait", "exit 0", "while :; do sleep 1; done"] {
        // Whoever is alive holds the referee's stderr open, which is read to its end here.
        let player = format!("(sleep 20; touch '{}') & {ending}", survived.display());
        against(&folder, &player).code(1);
        assert!(!survived.exists(), "{ending}");
    }
}

#[test]
fn bad_labyrinths_are_placed() {
    let folder = tempfile::tempdir().unwrap();
    let bad = file(&folder, "bad.txt", "1\n1 0 0 1 1 0\n0 0 3 3\n");
    let told = predicate::str::contains("bad.txt:3:1: the segment is neither horizontal");
    outwit().arg("referee").arg(bad).args(["--", "true"]).assert().code(2).stderr(told);
}

#[test]
fn plans_are_solved_verified_and_drawn() {
    let folder = tempfile::tempdir().unwrap();
    let areas = folder.path().join("labyrinth");
    std::fs::create_dir(&areas).unwrap();
    let area = areas.join("maze.txt");
    let mut generate = outwit();
    generate.args(["generate", "labyrinth", "--class", "10", "--seed", "4", "-o"]).arg(&area);
    generate.assert().success();
    let solved = outwit().arg("solve").arg(&area).assert().success().get_output().stdout.clone();
    let plan = folder.path().join("solved.plan");
    std::fs::write(&plan, solved).unwrap();
    outwit().arg("verify").arg(&area).arg(&plan).assert().success();
    for (name, begin) in [("a.svg", &b"<svg"[..]), ("a.png", &b"\x89PNG"[..])] {
        let picture = folder.path().join(name);
        let mut render = outwit();
        render.arg("render").arg(&area).arg("--plan").arg(&plan).arg("-o").arg(&picture);
        render.assert().success();
        assert!(std::fs::read(&picture).unwrap().starts_with(begin));
    }
    // To scale, walls and route would be 0.03 pixels wide.
    let svg = std::fs::read_to_string(folder.path().join("a.svg")).unwrap();
    let sizes =
        ["\" width=\"", " height=\"", "stroke-width=\""].map(|name| svg.split(name).skip(1));
    let thin = sizes.into_iter().flatten().filter(|rest| {
        let number = rest.split('"').next().unwrap();
        number.parse::<f64>().unwrap() < 3.0
    });
    assert!(svg.contains("stroke-width") && thin.count() == 0);
    std::fs::write(&plan, "walk north 60000\n").unwrap();
    outwit().arg("verify").arg(&area).arg(&plan).assert().code(1);
}

/// What `outwit` says on both outputs about an area and a plan, and its exit code.
fn said(command: &str, area: &PathBuf, plan: Option<&PathBuf>) -> (String, Option<i32>) {
    let output = outwit().arg(command).arg(area).args(plan).output().unwrap();
    let text = [output.stdout, output.stderr].concat();
    (String::from_utf8(text).unwrap(), output.status.code())
}

#[test]
fn a_box_that_only_dynamite_beside_the_exit_opens_is_not_called_impossible() {
    let folder = tempfile::tempdir().unwrap();
    let area = "1\n4 0 0 1 1 1\n0 0 2 0\n0 2 2 2\n0 0 0 2\n2 0 2 2\n";
    let area = file(&folder, "labyrinth.txt", area);
    let plan = file(&folder, "plan", "use dynamite\nwalk north 1\nwalk west 1\n");
    for (text, code) in [said("solve", &area, None), said("verify", &area, Some(&plan))] {
        assert_eq!(code, Some(0), "{text}");
        assert!(text.contains("1020") && text.contains("robust no"), "{text}");
    }
}

#[test]
fn a_plan_that_leaves_out_dynamite_beside_the_exit_is_not_called_optimal() {
    let folder = tempfile::tempdir().unwrap();
    let area = "1\n4 0 0 1 1 1\n0 0 4 0\n0 4 4 4\n0 0 0 4\n4 0 4 4\n";
    let area = file(&folder, "labyrinth.txt", area);
    let dearer = file(&folder, "dearer", "walk east 1\nuse dynamite\nwalk north 1\nwalk west 2\n");
    let cheaper = file(&folder, "cheaper", "use dynamite\nwalk north 1\nwalk west 1\n");
    let (text, _) = said("verify", &area, Some(&dearer));
    assert!(text.contains("1040") && text.contains("robust yes"), "{text}");
    let improved = [&dearer, &cheaper].map(|plan| said("improve", &area, Some(plan)));
    for (text, code) in improved.into_iter().chain([said("solve", &area, None)]) {
        assert_eq!(code, Some(0), "{text}");
        assert!(text.contains("1020") && text.contains("optimal"), "{text}");
        assert!(!text.contains("fault"), "{text}");
    }
}

#[test]
fn the_shop_window_is_legal_and_its_transcripts_hold() {
    let root = PathBuf::from(env!("CARGO_MANIFEST_DIR"));
    let mut areas = 0;
    for entry in std::fs::read_dir(root.join("areas/labyrinth")).unwrap() {
        let area = entry.unwrap().path();
        let plan =
            root.join("solutions/labyrinth").join(area.with_extension("plan").file_name().unwrap());
        outwit().arg("verify").arg(&area).arg(&plan).assert().success();
        areas += 1;
    }
    assert!(areas >= 12, "only {areas} areas");
}
