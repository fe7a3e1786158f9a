//! `outwit solve` of several files, and where plans go: `--output` and `--quiet`.

use super::{Folder, OPEN, OPEN_PLAN, impossible, json, outwit, outwit_reading, with_budget};
use outwit::games::GameId;

const LEVEL: &str = "; one\n######\n#@$ .#\n######\n";
const TWO: &str = "#####\n#@$.#\n#####\nTitle: a\n\n######\n#@$ .#\n######\nTitle: b\n";

#[test]
fn each_of_several_files_is_named_on_both_streams() {
    let folder = Folder::make();
    let (open, pair) = (folder.put("last-of-us/open.txt", OPEN), folder.put("pair.xsb", TWO));
    let answer = outwit(&with_budget(&["solve", &open, &pair]));
    assert_eq!(answer.code, 0, "{}", answer.stderr);
    let plans =
        format!("; file {open}\n{OPEN_PLAN}; file {pair}\n; level 1: a\nR\n; level 2: b\nRR\n");
    assert_eq!(answer.stdout, plans);
    let files: Vec<_> = answer.stderr.lines().filter(|line| line.starts_with("file ")).collect();
    assert_eq!(files.len(), 3, "{}", answer.stderr);
    assert!(files[0].ends_with("open.txt") && files[2].ends_with("pair.xsb"), "{files:?}");
    let lines = outwit(&with_budget(&["solve", &open, &pair, "--json"]));
    let lines: Vec<_> = lines.stdout.lines().map(json).collect();
    let told: Vec<_> = lines.iter().map(|line| (&line["file"], &line["level"])).collect();
    let (open, pair) = (open.into(), pair.into());
    assert_eq!(told, [(&open, &1.into()), (&pair, &1.into()), (&pair, &2.into())]);
    let alone = outwit(&with_budget(&["solve", open.as_str().unwrap(), "--json"])).stdout;
    assert_eq!(json(&alone).get("file"), None);
}

#[test]
fn the_worst_of_several_files_is_the_exit_code() {
    let folder = Folder::make();
    let open = folder.put("last-of-us/open.txt", OPEN);
    let closed = folder.put("last-of-us/closed.txt", impossible::area(GameId::LastOfUs));
    let bad = folder.put("last-of-us/bad.txt", "what is this\n");
    let out = folder.at("out");
    for (files, code) in [
        (&[&open][..], 0),
        (&[&closed, &open], 1),
        (&[&open, &bad, &closed], 2),
        (&[&bad, &folder.at("no-such-file")], 2),
    ] {
        let files = files.iter().map(|file| file.as_str());
        let args: Vec<_> = ["solve", "-q"].into_iter().chain(files).collect();
        let answer = outwit(&with_budget(&args));
        assert_eq!(answer.code, code, "{args:?}: {}", answer.stderr);
        assert_eq!(answer.stderr.is_empty(), code != 2, "errors alone: {}", answer.stderr);
        assert_eq!(answer.stdout.contains(OPEN_PLAN), args.contains(&&*open), "{args:?}");
    }
    let answer = outwit(&with_budget(&["solve", &closed, &bad, &open, "-o", &out]));
    assert_eq!((answer.code, answer.stdout.as_str()), (2, ""), "{}", answer.stderr);
    assert_eq!(folder.get("out/open.plan"), OPEN_PLAN);
    assert!(!folder.path().join("out/closed.plan").exists(), "it has no plan");
}

#[test]
fn plans_go_to_a_file_or_a_folder() {
    let folder = Folder::make();
    let (open, pair) = (folder.put("last-of-us/open.txt", OPEN), folder.put("pair.xsb", TWO));
    let (file, out) = (folder.put("new.plan", "an old one"), folder.at("deep/out"));
    let answer = outwit(&with_budget(&["solve", &open, "-o", &file, "--quiet"]));
    assert_eq!((answer.code, answer.stdout + &answer.stderr), (0, String::new()));
    assert_eq!(folder.get("new.plan"), OPEN_PLAN);
    let shown = outwit(&with_budget(&["solve", &open, "-o", "-"]));
    assert_eq!(shown.stdout, OPEN_PLAN);
    let args = with_budget(&["solve", &pair, "-", "--output", &out, "--json"]);
    let answer = outwit_reading(&args, LEVEL);
    assert_eq!((answer.code, answer.stdout.lines().count()), (0, 3), "{}", answer.stdout);
    assert_eq!(folder.get("deep/out/pair.plan"), "; level 1: a\nR\n; level 2: b\nRR\n");
    assert_eq!(folder.get("deep/out/stdin.plan"), "RR\n");
    assert_eq!(folder.files().len(), 5, "nothing unfinished stays: {:?}", folder.files());
    let sok = with_budget(&["solve", &pair, "-", "--output", &out, "--format", "sok"]);
    assert_eq!(outwit_reading(&sok, LEVEL).code, 0);
    let sok = folder.at("deep/out/pair.sok");
    assert_eq!(outwit(&["verify", &sok]).code, 0);
    // A plan that is there stays where none is found.
    let closed = folder.put("last-of-us/closed.txt", impossible::area(GameId::LastOfUs));
    assert_eq!(outwit(&with_budget(&["solve", &closed, "-o", &file])).code, 1);
    assert_eq!(folder.get("new.plan"), OPEN_PLAN);
    // Events are on stdout, plans in the file.
    let both = outwit(&with_budget(&["solve", &open, "--events", "-", "-o", &folder.at("e.plan")]));
    assert!(both.stdout.lines().all(|line| json(line)["event"].is_string()));
    assert_eq!(folder.get("e.plan"), OPEN_PLAN);
}

#[test]
fn levels_of_several_files_are_one_sok_file_on_stdout() {
    let folder = Folder::make();
    let (one, pair) = (folder.put("one.xsb", LEVEL), folder.put("pair.xsb", TWO));
    let answer = outwit(&with_budget(&["solve", &one, &pair, "--format", "sok", "-q"]));
    assert_eq!((answer.code, answer.stderr.as_str()), (0, ""));
    let verified = outwit(&["verify", &folder.put("all.sok", answer.stdout)]);
    assert_eq!(verified.code, 0, "{}", verified.stderr);
    assert_eq!(verified.stdout.matches("valid").count(), 3, "{}", verified.stdout);
}

/// All that cannot be done is refused before anything is searched for or written.
#[test]
fn what_makes_no_sense_of_several_files_is_refused() {
    let folder = Folder::make();
    let (one, same) = (folder.put("a/open.txt", OPEN), folder.put("b/Open.area", OPEN));
    let (plan, out) = (folder.put("open.plan", OPEN_PLAN), folder.at("out"));
    let game = ["--game", "last-of-us"];
    for (args, words) in [
        (&[&*one, &same, "-o", &out][..], "would both go to"),
        (&[&one, &same, "--level", "1"], "--level is a number of one file, and there are 2"),
        (&[&one, &same, "--known", &plan], "--known is a plan of one file"),
        (&[&one, &same, "--certificate", &out], "--certificate is of one level"),
        (&[&one, &same, "--events", "-"], "--events are those of one file"),
        (&["-", "-"], "standard input can be read once"),
        (&[&one, "-", "--known", "-"], "FILE and --known are both -"),
        (&[&one, "-o", &one], "is the file of FILE"),
        (&[&one, "-o", &out, "--events", &out], "is the file of --events"),
        (&[&one, "-o", &folder.at("a")], "the plan cannot be written"),
        (&[&one, &plan, "-o", &plan], "cannot be written"),
        (&[&one, "-q", "--json"], "cannot be used with"),
    ] {
        let answer = outwit(&with_budget(&[&["solve"][..], args, &game].concat()));
        assert_eq!((answer.code, answer.stdout.as_str()), (2, ""), "{args:?}");
        assert!(answer.stderr.contains(words), "{args:?}: {}", answer.stderr);
    }
    assert_eq!(folder.get("a/open.txt"), OPEN);
    let pair = folder.put("pair.xsb", TWO);
    let answer = outwit(&["solve", &one, &pair, "--search", "list"]);
    assert_eq!(answer.code, 2);
    assert!(answer.stderr.contains("of several games"), "{}", answer.stderr);
}
