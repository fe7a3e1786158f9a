//! `outwit report`: a folder of solutions as one HTML file.

use crate::{Folder, OPEN, impossible, outwit};
use outwit::games::GameId;

/// A folder of areas, and a batch of it.
fn batch(folder: &Folder) -> (String, String) {
    folder.put("areas/last-of-us/open.txt", OPEN);
    folder.put("areas/last-of-us/closed.txt", impossible::area(GameId::LastOfUs));
    folder.put("areas/sokoban/one.xsb", "######\n#@$ .#\n######\n");
    let (areas, out) = (folder.at("areas"), folder.at("a <b> & c"));
    let answer = outwit(&["batch", &areas, "--out", &out, "--nodes", "1000", "--certify"]);
    assert_eq!(answer.code, 1, "{}", answer.stderr);
    (areas, out)
}

/// The cells of the row of an area, without their tags; its picture is empty.
fn row(html: &str, name: &str) -> Vec<String> {
    let is_row =
        |line: &&str| line.contains("class=\"name\"") && line.contains(&format!(">{name}<"));
    let row = html.lines().find(is_row).unwrap_or_else(|| panic!("{name}: {html}"));
    let cells = row.split("</td>").map(|cell| cell.rsplit('>').next().unwrap_or("").to_string());
    cells.collect()
}

#[test]
fn a_folder_is_one_file_with_a_summary_and_a_row_for_each_area() {
    let folder = Folder::make();
    let (areas, out) = batch(&folder);
    let file = folder.at("deep/report.html");
    let answer = outwit(&["report", &out, "--areas", &areas, "-o", &file]);
    assert_eq!((answer.code, answer.stdout + &answer.stderr), (0, String::new()));
    let html = folder.get("deep/report.html");
    for part in [
        "<title>a &lt;b&gt; &amp; c</title>",
        "<li><b>3</b> areas</li>",
        "<li><b>2</b> solved</li>",
        "<li><b>1</b> proven impossible</li>",
        "<h2>last-of-us</h2>",
        "prefers-color-scheme: dark",
    ] {
        assert!(html.contains(part), "{part}: {html}");
    }
    assert_eq!(row(&html, "open")[1..8], ["open", "10x10", "length", "optimal", "9", "9", "0.0 %"]);
    assert!(row(&html, "open")[8].ends_with(" s"), "the time");
    assert_eq!(row(&html, "closed")[4..7], ["impossible", "-", "-"]);
    assert_eq!(row(&html, "one")[1..6], ["one", "3x6", "pushes", "optimal", "2"]);
    assert_eq!(row(&html, "one")[9], "yes", "it is certified");
    // It needs nothing else, and has no script.
    assert_eq!(html.matches("src=\"data:image/png;base64,iVBORw0KGgo").count(), 3);
    let foreign = ["<script", "http:", "https:", "<link", "url(", "<b> &"];
    assert!(foreign.iter().all(|word| !html.contains(word)), "{html}");
    for tag in ["table", "tr", "td", "th", "div", "ul", "li", "p", "body", "html"] {
        let (open, close) = (format!("<{tag}"), format!("</{tag}>"));
        let opened = html.split(&open).skip(1).filter(|rest| rest.starts_with([' ', '>']));
        assert_eq!(opened.count(), html.matches(&close).count(), "{tag}");
    }
}

#[test]
fn pictures_are_small_and_may_be_missing() {
    let folder = Folder::make();
    let (areas, out) = batch(&folder);
    let bare = outwit(&["report", &out, "--areas", &folder.put("none.txt", ""), "-o", "-"]);
    assert_eq!(bare.code, 2, "an area that cannot be read is told: {}", bare.stderr);
    assert!(!bare.stdout.contains("<img") && bare.stdout.contains(">open<"), "{}", bare.stdout);
    // A record is not needed: the index goes from machine to machine without it.
    std::fs::remove_file(format!("{out}/.batch.json")).unwrap();
    let titled = ["report", &out, "--areas", &areas, "--title", "x\u{1b}[31m'\"", "-o", "-"];
    let answer = outwit(&titled);
    assert_eq!(answer.code, 0, "{}", answer.stderr);
    assert_eq!(answer.stdout.matches("<img").count(), 2, "the index has what is solved");
    assert!(!answer.stdout.contains('\u{1b}') && answer.stdout.contains("&#39;&quot;</h1>"));
    assert_eq!(row(&answer.stdout, "open")[8], "-", "the time is not known");
    // A large board has a small picture.
    let (rows, cols) = (250, 250);
    let inner = format!("#{}#\n", " ".repeat(cols - 2)).repeat(rows - 3);
    let (wall, first) = ("#".repeat(cols), format!("#@$.{}#\n", " ".repeat(cols - 5)));
    folder.put("big/sokoban/big.xsb", format!("{wall}\n{first}{inner}{wall}\n"));
    let (big, plans) = (folder.at("big"), folder.at("plans"));
    outwit(&["batch", &big, "--out", &plans, "--time", "1"]);
    let answer = outwit(&["report", &plans, "--areas", &big, "-o", "-"]);
    assert_eq!(answer.code, 0, "{}", answer.stderr);
    assert!(answer.stdout.len() < 100_000, "{} bytes", answer.stdout.len());
}

#[test]
fn what_is_no_folder_of_solutions_or_no_file_is_named() {
    let folder = Folder::make();
    let (areas, out) = batch(&folder);
    for (args, words) in [
        (&[&*areas, "-o", "-"][..], "no folder of solutions"),
        (&[&folder.at("nowhere"), "-o", "-"], "no folder of solutions"),
        (&[&out, "--areas", &areas, "-o", &areas], "cannot be written"),
        (&[&out], "--out"),
    ] {
        let answer = outwit(&[&["report"], args].concat());
        assert_eq!((answer.code, answer.stdout.as_str()), (2, ""), "{args:?}: {}", answer.stderr);
        assert!(answer.stderr.contains(words), "{args:?}: {}", answer.stderr);
    }
}
