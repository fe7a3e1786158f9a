//! Files as people have them, chosen in the page: `tests/cases/files`. The served page has its server read
//! them; the page in one file reads them with its own library. A script in the page does all the steps for
//! a file at once, because there are many files.

use super::single_file;
use super::webdriver::{Browser, Screen};
use super::{Page, READY};
use crate::cases::{self, Case};
use serde_json::{Value, json};

/// Chooses a file in the page, opens it, and returns what the page shows.
const CHOOSE: &str = include_str!("files.js");

#[test]
fn every_file_is_opened_from_the_served_page() {
    let Some(page) = Page::open(Screen::Desktop, "") else { return };
    open_all(&page.browser);
    page.assert_silent();
}

#[test]
fn every_file_is_opened_from_the_page_on_disk() {
    let Some(browser) = single_file::open("") else { return };
    open_all(&browser);
    single_file::assert_silent(&browser);
}

fn open_all(browser: &Browser) {
    let cases = cases::areas();
    for case in &cases {
        println!("{}", case.file);
        let told = choose(browser, case);
        if case.readable.is_empty() {
            // The window stays open and shows the reason.
            assert_eq!(told["isOpen"], true, "{}", case.file);
        } else {
            assert_opened(case, &told);
        }
    }
    eprintln!("{} files of areas were chosen in the page", cases.len());
}

/// The number of the level to choose from the list: the last one that can be read; `None` if the file has
/// only one level and the page shows no list.
fn chosen_level(case: &Case) -> Option<usize> {
    case.readable.last().copied().filter(|_| case.levels > 1)
}

/// The plan that the page has to judge valid.
fn plan(case: &Case) -> Option<&str> {
    Some(case.plan.as_str()).filter(|plan| !["", "impossible"].contains(plan))
}

/// Opens the file in the page.
fn choose(browser: &Browser, case: &Case) -> Value {
    let file = json!({
        "name": case.file,
        "bytes": std::fs::read(&case.path).expect("the file can be read"),
        "game": case.game.name(),
        "isRefused": case.readable.is_empty(),
        "level": chosen_level(case),
        "plan": plan(case),
    });
    let told = browser.run_until_done(&format!(
        "const file = {file}, isReady = () => {READY}; \
         (async () => {{ {CHOOSE} }})().then(done, (error) => done({{ fails: String(error) }}))"
    ));
    assert_eq!(told["fails"], Value::Null, "{}", case.file);
    told
}

/// An area is on the desk by its name, where that is known, and a plan of it is judged.
fn assert_opened(case: &Case, told: &Value) {
    let title = match chosen_level(case) {
        // An area alone goes by the name of its file.
        None => case.file.rsplit_once('.').map(|(name, _)| name),
        Some(level) => {
            assert_listed(case, told["levels"].as_array().expect("a list"));
            case.titles.get(level - 1).map(String::as_str).filter(|title| !title.is_empty())
        }
    };
    if let Some(title) = title {
        assert_eq!(told["title"], title, "{}", case.file);
    }
    assert_eq!(told["game"], case.game.name(), "{}", case.file);
    if plan(case).is_some() {
        let verdict = told["verdict"].as_str().expect("a verdict");
        assert!(verdict.starts_with("Valid: "), "{}: {verdict}", case.file);
    }
}

/// Every level is listed, those that cannot be read with the reason.
fn assert_listed(case: &Case, listed: &[Value]) {
    assert_eq!(listed.len(), case.levels, "{}: {listed:?}", case.file);
    for (number, level) in (1..).zip(listed) {
        let is_good = case.readable.contains(&number);
        assert_eq!(level["isGood"], is_good, "{}: {level}", case.file);
        let about = level["about"].as_str().unwrap_or_default();
        assert!(!about.is_empty(), "{}: {level}", case.file);
        let title = case.titles.get(number - 1).filter(|title| is_good && !title.is_empty());
        if let Some(title) = title {
            assert_eq!(level["title"], title.as_str(), "{}", case.file);
        }
    }
}
