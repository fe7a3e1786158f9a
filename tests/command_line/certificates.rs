//! `outwit solve --certificate` and `outwit check`: true claims are certified, false ones are not.

use super::{Answer, Folder, OPEN, impossible, json, outwit};
use outwit::certificate::{Certificate, Claim};
use outwit::diagnostic::Source;
use outwit::games::GameId;
use outwit::games::sokoban::format::PUSHES;
use outwit::search::{Limits, Run};
use std::path::{Path, PathBuf};
use std::process::Command;

/// Upper limit of the states of certificates that the checker in Python is given.
const FOR_PYTHON: u64 = 500;

fn root() -> &'static Path {
    Path::new(env!("CARGO_MANIFEST_DIR"))
}

fn area(name: &str) -> String {
    root().join("areas").join(name).to_str().expect("a path").to_owned()
}

/// Solves an area, and gives the certificate's path and text.
fn certified(folder: &Folder, area: &str, options: &[&str]) -> (String, String) {
    let file = folder.at("proof.cert");
    let args = [&["solve", area, "--optimal", "--certificate", &file, "--threads", "1"], options];
    let answer = outwit(&args.concat());
    assert_eq!(answer.code, 0, "{}", answer.stderr);
    assert!(answer.stderr.contains("\ncertified: no plan is shorter than "), "{}", answer.stderr);
    (file, folder.get("proof.cert"))
}

/// Checks a certificate that is written to a file first.
fn check(folder: &Folder, area: &str, certificate: &str) -> Answer {
    let file = folder.put("changed.cert", certificate);
    outwit(&["check", area, &file])
}

/// The number after a word at the beginning of a line.
fn number(certificate: &str, word: &str) -> u64 {
    let line = certificate.lines().find_map(|line| line.strip_prefix(word)).expect("the line");
    line.parse().expect("a number")
}

#[test]
fn every_game_has_certificates() {
    let folder = Folder::make();
    for (name, least) in [
        ("sokoban/pull-9x12-5-500.xsb", 17),
        ("robots/sample-1.txt", 5),
        ("monsters/subtask-g-blobs.txt", 0),
        ("labyrinth/class-5-maze-3.txt", 520),
        ("last-of-us/area-0-sample.txt", 13),
    ] {
        let area = area(name);
        let (file, text) = certified(&folder, &area, &[]);
        let claimed = number(&text, "claim no plan is shorter than ");
        assert!(least == 0 || claimed == least, "{name}: {claimed}");
        let checked = outwit(&["check", &area, &file]);
        let line =
            format!("certified: no plan is shorter than {claimed}; the plan has {claimed}\n");
        assert_eq!((checked.code, checked.stdout), (0, line), "{name}: {}", checked.stderr);
        draws_where_it_searched(&area, &file, number(&text, "states "));
        // The plan has this length, so a claim of one more is false.
        let more = text.replace(&format!("than {claimed}"), &format!("than {}", claimed + 1));
        let refused = check(&folder, &area, &more);
        let own = format!(
            "not certified: the claim is false: the certificate's own plan has {claimed}\n"
        );
        assert_eq!((refused.code, refused.stdout), (1, own), "{name}");
        let (head, _) = more.split_once("plan\n").expect("it has a plan");
        let states = number(head, "states ");
        let head = head.replace(&format!("states {states}"), "states 4000000000");
        let refused = check(&folder, &area, &head);
        let found = format!("not certified: the claim is false: a plan of {claimed} exists\n");
        assert_eq!((refused.code, refused.stdout), (1, found), "{name}");
    }
}

/// A proof's picture is that of the area on cells of other colours, and its legend says how many states were closed.
fn draws_where_it_searched(area: &str, certificate: &str, states: u64) {
    let plain = outwit(&["render", area, "-o", "-"]).stdout;
    let with = |options: &[&str]| outwit(&[&["render", area, "-o", "-"], options].concat());
    let bound = with(&["--bound", certificate]).stdout;
    let (head, board) = plain.split_at(plain.match_indices('\n').nth(1).expect("lines").0);
    let cells = bound.strip_prefix(head).and_then(|rest| rest.strip_suffix(board));
    let cells = cells.unwrap_or_else(|| panic!("{area}: {bound}")).lines().count();
    assert_eq!(cells > 1, states > 1, "{area}: {cells}, {states} states");
    let explained = with(&["--bound", certificate, "--legend"]).stdout;
    let line = format!("1 of the {states} states that the proof closed");
    assert_eq!(explained.contains(&line), states > 0, "{area}");
}

#[test]
fn a_picture_of_a_proof_needs_a_proof() {
    let folder = Folder::make();
    let area = area("robots/sample-1.txt");
    let (_, text) = certified(&folder, &area, &[]);
    let drawn = |certificate: &str, options: &[&str]| {
        let args = ["render", &area, "-o", "-", "--bound", certificate];
        let answer = outwit(&[&args, options].concat());
        assert_eq!(answer.stdout, "", "{certificate}");
        (answer.code, answer.stderr)
    };
    let broken = folder.put("broken.cert", "outwit certificate 1\ngame chess\n");
    let (code, said) = drawn(&broken, &[]);
    assert!(code == 2 && said.contains("broken.cert:3:1"), "{said}");
    let states = number(&text, "states ");
    let few = folder.put("few.cert", text.replace(&format!("states {states}\n"), "states 1\n"));
    let (code, said) = drawn(&few, &[]);
    assert!(code == 1 && said.starts_with("the claim is not certified: "), "{said}");
    let (code, said) = drawn(&folder.at("proof.cert"), &["--time", "0.000001"]);
    assert!(code == 3 && said.contains("out of time"), "{said}");
}

#[test]
fn a_certificate_may_be_of_an_abstraction() {
    let folder = Folder::make();
    let area_file = area("last-of-us/keyhole-14x15.txt");
    let (file, text) = certified(&folder, &area_file, &[]);
    let states = number(&text, "abstract states ");
    assert_eq!(outwit(&["check", &area_file, &file]).code, 0);
    let few = text.replace(&format!("abstract states {states}"), "abstract states 1");
    assert_eq!(check(&folder, &area_file, &few).code, 1);
    // The abstraction knows no longer way; the rules need not be asked.
    let claimed = number(&text, "claim no plan is shorter than ");
    let more = text.replace(&format!("than {claimed}"), &format!("than {}", claimed + 1));
    let more = more.replace(&format!("abstract states {states}"), "abstract states 4000000000");
    let (head, _) = more.split_once("plan\n").expect("it has a plan");
    let refused = check(&folder, &area_file, head);
    let found = format!("by the abstraction, in which a way of {claimed} exists\n");
    assert!(refused.stdout.ends_with(&found), "{}", refused.stdout);
    // Other games have none.
    let area_file = area("robots/sample-1.txt");
    let (_, text) = certified(&folder, &area_file, &[]);
    let refused = check(&folder, &area_file, &text.replace("\nstates", "\nabstract states"));
    assert_eq!(refused.code, 2, "{}", refused.stdout);
    assert!(refused.stderr.contains("robots has no abstraction"), "{}", refused.stderr);
}

#[test]
fn a_level_without_a_plan_is_certified_to_have_none() {
    let folder = Folder::make();
    let level = folder.put("stuck.xsb", "########\n#@ $ ..#\n#  #$# #\n########\n");
    let file = folder.at("proof.cert");
    let answer = outwit(&["solve", &level, "--optimal", "--certificate", &file]);
    assert_eq!(answer.code, 1, "{}", answer.stderr);
    let checked = outwit(&["check", &level, &file, "--json"]);
    assert_eq!(checked.code, 0, "{}", checked.stdout);
    let told = json(&checked.stdout);
    assert_eq!((&told["certified"], &told["claim"]), (&true.into(), &"there is no plan".into()));
    assert!(told["length"].is_null() && told["states"].is_u64(), "{told}");
}

#[test]
fn what_is_changed_is_refused() {
    let folder = Folder::make();
    let area_file = area("sokoban/pull-9x12-5-500.xsb");
    let (_, text) = certified(&folder, &area_file, &[]);
    let states = number(&text, "states ");
    assert!(states > 0, "{text}");
    let few = text.replace(&format!("states {states}"), &format!("states {}", states - 1));
    let refused = check(&folder, &area_file, &few);
    assert_eq!(refused.code, 1, "{}", refused.stdout);
    assert!(refused.stdout.contains("is not proven by closing"), "{}", refused.stdout);

    let other = check(&folder, &area("sokoban/pull-7x8-2-0.xsb"), &text);
    assert_eq!(other.code, 1, "{}", other.stdout);
    assert!(other.stdout.contains("of another area"), "{}", other.stdout);
    let other = check(&folder, &area("robots/sample-1.txt"), &text);
    assert!(other.stdout.contains("of another game"), "{}", other.stdout);
    let measure = text.replace("measure pushes", "measure steps");
    let other = check(&folder, &area_file, &measure);
    assert!(other.stdout.contains("of another measure"), "{}", other.stdout);
}

#[test]
fn what_is_no_certificate_is_named_with_its_place() {
    let folder = Folder::make();
    let area_file = area("sokoban/pull-9x12-5-500.xsb");
    let (_, text) = certified(&folder, &area_file, &[]);
    for (from, to, place) in [
        ("outwit certificate 1", "outwit certificate 2", ":1:20: the version is \"2\""),
        ("outwit certificate 1", "plan", ":1:1: a certificate begins with"),
        ("area ", "aria ", ":3:1: a line \"area\""),
        ("readings default", "readings strict", ":5:10: claims are made under"),
        ("claim no plan", "claim some plan", ":6:7: a claim is"),
        ("shorter than ", "shorter than -", ":6:31: a whole number from 0 to"),
        ("states ", "states x", ":7:8: a whole number from 0 to"),
        ("\nplan\n", "\nplans\n", ":8:1: a line \"plan\" or the end"),
    ] {
        let changed = text.replacen(from, to, 1);
        assert_ne!(changed, text, "{from:?} is not there");
        let refused = check(&folder, &area_file, &changed);
        assert_eq!((refused.code, refused.stdout.as_str()), (2, ""), "{}", refused.stderr);
        assert!(refused.stderr.contains(place), "{place}: {}", refused.stderr);
    }
    let both = outwit(&["check", "-", "-"]);
    assert_eq!(both.code, 2, "{}", both.stderr);
}

#[test]
fn a_certificate_that_cannot_be_written_is_said_before_the_search() {
    let folder = Folder::make();
    let file = folder.put("a file", "");
    for place in [folder.at(""), format!("{file}/proof.cert")] {
        let area = area("last-of-us/caves-500x500-1008.txt");
        let args = ["solve", &area, "--time", "3600", "--certificate", &place];
        let answer = outwit(&args);
        assert_eq!((answer.code, answer.stdout.as_str()), (2, ""), "{place}: {}", answer.stderr);
        assert!(answer.stderr.contains("the certificate cannot be written"), "{}", answer.stderr);
    }
    assert_eq!(folder.files().len(), 1, "nothing is left there");
}

#[test]
fn running_out_is_no_answer() {
    let folder = Folder::make();
    let area_file = area("last-of-us/open-500x500-1004.txt");
    // Nobody has to prove it first: what is asked is how a check ends that cannot.
    let other = area("last-of-us/area-0-sample.txt");
    let (_, text) = certified(&folder, &other, &[]);
    let (head, _) = text.split_once("plan\n").expect("it has a plan");
    let refused = check(&folder, &area_file, head).stdout;
    let ours = refused.trim().rsplit(' ').next().expect("a fingerprint").to_owned();
    let theirs = head.lines().find_map(|line| line.strip_prefix("area ")).expect("a line");
    let states = number(head, "states ");
    let head = head.replace(theirs, &ours).replace("than 13", "than 600");
    let head = head.replace(&format!("states {states}"), "states 4000000000");
    let file = folder.put("long.cert", &head);
    for budget in [["--time", "0.05"], ["--memory", "1"]] {
        let answer = outwit(&[&["check", &area_file, &file], &budget[..]].concat());
        assert_eq!(answer.code, 3, "{}{}", answer.stdout, answer.stderr);
        assert!(
            answer.stdout.starts_with("not certified: the check was stopped"),
            "{}",
            answer.stdout
        );
    }
    let args = ["check", &area_file, &file, "--time", "0.05", "--json"];
    assert!(json(&outwit(&args).stdout)["certified"].is_null());
}

#[test]
fn a_certificate_is_of_one_level() {
    let folder = Folder::make();
    let level = |name: &str| std::fs::read_to_string(area(name)).expect("a level");
    let both = level("sokoban/pull-7x8-2-0.xsb") + "\n" + &level("sokoban/pull-7x8-2-1.xsb");
    let levels = folder.put("levels.xsb", both);
    let file = folder.at("proof.cert");
    let refused = outwit(&["solve", &levels, "--optimal", "--certificate", &file]);
    assert_eq!(refused.code, 2);
    assert!(refused.stderr.contains("say its --level"), "{}", refused.stderr);
    certified(&folder, &levels, &["--level", "2"]);
    assert_eq!(outwit(&["check", &levels, &file, "--level", "2"]).code, 0);
    assert_eq!(outwit(&["check", &levels, &file, "--level", "1"]).code, 1);
}

#[test]
fn the_bugs_to_be_planted_fit_the_code() {
    if !has_python() {
        return;
    }
    let script = root().join("scripts/plant");
    let output = Command::new("python3").arg(script).arg("--list").output().expect("python3 runs");
    assert!(output.status.success(), "{}", String::from_utf8_lossy(&output.stdout));
}

/// The smaller levels among the areas.
fn small_levels() -> Vec<PathBuf> {
    let is_small = |path: &PathBuf| {
        let name = path.file_name().unwrap_or_default().to_string_lossy();
        ["pull-7", "pull-8", "pull-9"].iter().any(|size| name.starts_with(size))
    };
    let mut levels: Vec<PathBuf> = std::fs::read_dir(root().join("areas/sokoban"))
        .expect("the areas")
        .map(|entry| entry.expect("an entry").path())
        .filter(is_small)
        .collect();
    levels.sort();
    levels
}

/// Whether there is a Python; where there is none, a line says that the test is skipped.
fn has_python() -> bool {
    let has = Command::new("python3").arg("--version").output().is_ok();
    if !has {
        println!("skipped: there is no python3");
    }
    has
}

/// Runs the checker in Python on a certificate.
fn python(level: &str, certificate: &str) -> Answer {
    let script = root().join("scripts/check.py");
    let args = [script.to_str().expect("a path"), level, certificate];
    let output = Command::new("python3").args(args).output().expect("python3 runs");
    let text = |bytes: &[u8]| String::from_utf8_lossy(bytes).into_owned();
    Answer {
        code: output.status.code().unwrap_or(-1),
        stdout: text(&output.stdout),
        stderr: text(&output.stderr),
    }
}

#[test]
fn both_checkers_agree_on_proofs_by_parts() {
    if !has_python() {
        return;
    }
    let folder = Folder::make();
    let (mut agreed, mut joined) = (0, 0);
    for path in small_levels() {
        let level = path.to_str().expect("a path");
        let area = outwit::read(level).expect("a level").only().expect("one level");
        let name = path.file_stem().expect("a name").to_string_lossy();
        let solution = root().join(format!("solutions/sokoban/{name}.cert"));
        let source = Source::read(&solution).expect("a certificate");
        let honest = Certificate::read(&source).expect("a certificate");
        let cost = honest.claim.limit().expect("a level with a plan");
        let run = Run::from(Limits { nodes: Some(20_000), ..Limits::seconds(600.0) });
        let Some(parts) = area.parts(Some(PUSHES), cost, &run) else { continue };
        joined += usize::from(parts.parts.iter().any(|part| part.members.len() > 1));
        let by_parts = Certificate { parts: Some(parts), states: 100_000, ..honest };
        let file = folder.put("parts.cert", by_parts.to_string());
        let (ours, theirs) = (outwit(&["check", level, &file]), python(level, &file));
        assert_eq!((theirs.code, &theirs.stdout), (0, &ours.stdout), "{level}: {}", theirs.stderr);
        assert_eq!(theirs.stderr, ours.stderr, "{level}");
        // One part costs more, and the plan is left out: it would refute the claim by itself.
        let mut dearer = Certificate { plan: None, ..by_parts };
        dearer.claim = Claim::AtLeast(cost + 1);
        let last = dearer.parts.as_mut().and_then(|parts| parts.parts.last_mut());
        last.expect("a part").cost += 1;
        let file = folder.put("dearer.cert", dearer.to_string());
        let (ours, theirs) = (outwit(&["check", level, &file]), python(level, &file));
        assert_eq!((ours.code, theirs.code), (1, 1), "{level}: {}{}", ours.stdout, theirs.stdout);
        agreed += 1;
    }
    assert!(
        agreed > 10 && joined > 1,
        "{agreed} certificates, {joined} with parts of several boxes"
    );
}

#[test]
fn the_checker_in_python_agrees() {
    if !has_python() {
        return;
    }
    let folder = Folder::make();
    let (mut agreed, mut refuted) = (0, 0);
    for level in small_levels() {
        let is_small =
            level.file_name().is_some_and(|name| name.to_string_lossy().contains("pull-7"));
        let level = level.to_str().expect("a path");
        // Proofs of moves of larger levels take long.
        let measures = ["--optimal=pushes", "--optimal=moves"];
        for measure in &measures[..if is_small { 2 } else { 1 }] {
            let file = folder.at("proof.cert");
            let _ = std::fs::remove_file(&file);
            let args = ["solve", level, measure, "--nodes", "2000", "--certificate", &file];
            outwit(&args);
            let Ok(text) = std::fs::read_to_string(&file) else { continue };
            let states = number(&text, "states ");
            if states > FOR_PYTHON {
                continue;
            }
            let ours = outwit(&["check", level, &file]);
            let theirs = python(level, &file);
            assert_eq!((theirs.code, &theirs.stdout), (0, &ours.stdout), "{}", theirs.stderr);
            assert_eq!(theirs.stderr, ours.stderr, "{level}, {measure}");
            agreed += 1;
            let claimed = number(&text, "claim no plan is shorter than ");
            // Of a plan that is longer than the bound, the next claim may be true. In larger levels it takes long to refute.
            if !is_small || !ours.stdout.ends_with(&format!("the plan has {claimed}\n")) {
                continue;
            }
            let (head, _) = text.split_once("plan\n").expect("it has a plan");
            let more = head.replace(&format!("than {claimed}"), &format!("than {}", claimed + 1));
            let changed = folder.put("changed.cert", more);
            assert_eq!(python(level, &changed).code, 1, "{level}, {measure}");
            refuted += 1;
        }
    }
    assert!(agreed >= 20, "only {agreed} certificates were checked by both");
    assert!(refuted >= 6, "only {refuted} claims were refuted");
}

/// Upper limit of the states of certificates in `solutions` that the tests check.
const FOR_SOLUTIONS: u64 = 60_000;
/// Upper limit of the states of those that are checked on one thread, too.
const FOR_ONE_THREAD: u64 = 8_000;

#[test]
fn solutions_have_certificates_that_hold_to_the_last_state() {
    let is_certificate = |path: &PathBuf| path.extension().is_some_and(|ending| ending == "cert");
    let files = walkdir::WalkDir::new(root().join("solutions")).sort_by_file_name();
    let files = files.into_iter().map(|entry| entry.expect("an entry").into_path());
    let (mut checked, mut left_out) = (0, 0);
    for file in files.filter(is_certificate) {
        let (text, file) = (std::fs::read_to_string(&file).expect("a certificate"), file);
        let word = if text.contains("\nabstract states ") { "abstract states " } else { "states " };
        let states = number(&text, word);
        if states > FOR_SOLUTIONS {
            left_out += 1;
            continue;
        }
        let plan = file.strip_prefix(root().join("solutions")).expect("it is in there");
        let folder = root().join("areas").join(plan.parent().expect("a game"));
        let stem = plan.file_stem().expect("a name");
        let area = std::fs::read_dir(folder).expect("a game's areas").find_map(|entry| {
            let path = entry.expect("an entry").path();
            (path.file_stem() == Some(stem)).then_some(path)
        });
        let (area, file) = (area.expect("an area"), file.to_str().expect("a path").to_owned());
        let area = area.to_str().expect("a path");
        let crews: &[&str] = if states > FOR_ONE_THREAD { &["2"] } else { &["1", "2"] };
        for threads in crews {
            let answer = outwit(&["check", area, &file, "--threads", threads, "--time", "300"]);
            assert_eq!(answer.code, 0, "{file}: {}", answer.stdout);
            assert_eq!(answer.stderr, format!("{states} states closed\n"), "{file}, {threads}");
        }
        checked += 1;
    }
    println!(
        "{checked} certificates hold; {left_out} of more than {FOR_SOLUTIONS} states left out"
    );
    assert!(checked >= 100);
}

#[test]
fn a_batch_certifies_what_it_claims() {
    let folder = Folder::make();
    folder.put("areas/last-of-us/one.txt", OPEN);
    folder.put("areas/last-of-us/closed.txt", impossible::area(GameId::LastOfUs));
    folder.put("areas/sokoban/two.xsb", "#######\n#@ $ .#\n#######\n");
    let (areas, out) = (folder.at("areas"), folder.at("out"));
    let batch = |nodes: &str, more: &[&str]| {
        let args = ["batch", &areas, "--out", &out, "--nodes", nodes, "--json"];
        let answer = outwit(&[&args, more].concat());
        assert_eq!(answer.code, 1, "{}", answer.stderr);
        answer.stdout.lines().filter(|line| json(line)["certified"] == true).count()
    };
    let index = || folder.get("out/INDEX.md");
    assert_eq!(batch("20000", &[]), 0);
    assert!(!index().contains("certificate"), "{}", index());
    assert_eq!(batch("20000", &["--certify"]), 3);
    for name in ["last-of-us/one.txt", "last-of-us/closed.txt", "sokoban/two.xsb"] {
        let (stem, _) = name.split_once('.').expect("an ending");
        let (area, file) =
            (folder.at(&format!("areas/{name}")), folder.at(&format!("out/{stem}.cert")));
        assert_eq!(outwit(&["check", &area, &file]).code, 0, "{name}");
        assert!(index().contains(&format!("](<{stem}.cert>) |")), "{}", index());
    }
    assert!(index().contains("1 areas, 1 solved, 1 proven optimal, 1 certified."), "{}", index());
    // Nothing is lost where the record is, and what has been proven by more is not proven by less.
    let before = index();
    let proof = folder.get("out/sokoban/two.cert");
    std::fs::remove_file(folder.path().join("out/.batch.json")).expect("a record");
    assert_eq!(batch("1", &["--certify"]), 3);
    assert_eq!((index(), folder.get("out/sokoban/two.cert")), (before.clone(), proof.clone()));
    // A certificate that is another, or is gone, is none: it is made again where it is asked for.
    for damage in [Some(proof.replace("states ", "states 1")), None] {
        let file = folder.path().join("out/sokoban/two.cert");
        match &damage {
            Some(text) => drop(folder.put("out/sokoban/two.cert", text)),
            None => std::fs::remove_file(&file).expect("a certificate"),
        }
        assert_eq!(batch("20000", &[]), 2, "{damage:?}");
        assert!(!index().contains("two.cert"), "{}", index());
        assert_eq!(batch("20000", &["--certify"]), 3, "{damage:?}");
        let again = folder.get("out/sokoban/two.cert");
        // One that says more states than are needed is as good.
        assert!(again == proof || damage.as_ref() == Some(&again), "{again}");
    }
    assert_eq!(index(), before);
}
