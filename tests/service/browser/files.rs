//! Files as people have them, chosen in the page: `tests/cases/files`. The served page asks its server
//! what is in them, the page in one file its own library.

use super::single_file;
use super::webdriver::{Browser, Screen};
use super::{Page, READY, choose_file};
use crate::cases::{self, Case};
use serde_json::json;

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
        let has_one = case.levels == 1 && !case.readable.is_empty();
        choose(browser, case);
        match (case.readable.is_empty(), has_one) {
            (true, _) => refused(browser, case),
            // An area alone goes by the name of its file.
            (false, true) => {
                opened(browser, case, case.file.rsplit_once('.').map(|(name, _)| name))
            }
            (false, false) => chosen_from_a_list(browser, case),
        }
    }
    eprintln!("{} files of areas were chosen in the page", cases.len());
}

/// Chooses the file in the window for one's own area, and opens it.
fn choose(browser: &Browser, case: &Case) {
    let bytes = std::fs::read(&case.path).expect("the file can be read");
    browser.run(
        "document.querySelectorAll('dialog[open]').forEach((it) => it.close()); \
         outwit.areas.ownName = null; outwit.area.key = ''",
    );
    browser.click("#own-open");
    choose_file(browser, "#own-file", &case.file, &bytes);
    browser.await_true("outwit.areas.ownName !== null");
    let game = json!(case.game.name());
    browser.run(&format!("document.querySelector('#own-game').value = {game}"));
    browser.click("#own-form button.strong");
}

/// What is wrong is told in the window, which stays open.
fn refused(browser: &Browser, case: &Case) {
    browser.await_true("document.querySelector('#own-problem').textContent !== ''");
    assert_eq!(browser.run("return document.querySelector('#own').open"), true, "{}", case.file);
}

/// An area is on the desk by its name, where that is known, and a plan of it is judged.
fn opened(browser: &Browser, case: &Case, name: Option<&str>) {
    browser.await_true(&format!("outwit.area.key !== '' && {READY}"));
    if let Some(name) = name {
        assert_eq!(browser.text("#area-title"), name, "{}", case.file);
    }
    assert_eq!(browser.run("return outwit.area.game"), case.game.name(), "{}", case.file);
    if !["", "impossible"].contains(&case.plan.as_str()) {
        browser.run(&format!("outwit.check({}); outwit.checking.submit(false)", json!(case.plan)));
        browser.await_true("/alid: /.test(document.querySelector('#status').textContent)");
        let told = browser.text("#status");
        assert!(told.starts_with("Valid: "), "{}: {told}", case.file);
        browser.run("outwit.choose('play'); document.querySelector('#status').textContent = ''");
    }
}

/// Every level is listed, those that cannot be read with the reason; the last of the others is opened.
fn chosen_from_a_list(browser: &Browser, case: &Case) {
    browser.await_true("document.querySelector('#levels').open");
    let listed = browser.run(
        "return [...document.querySelectorAll('#levels-list li')].map((it) => \
         [it.querySelector('button') !== null, it.querySelector('span').textContent, \
          it.querySelector('small').textContent])",
    );
    let listed = listed.as_array().expect("a list");
    assert_eq!(listed.len(), case.levels, "{}: {listed:?}", case.file);
    for (number, level) in (1..).zip(listed) {
        let is_good = case.readable.contains(&number);
        assert_eq!(level[0], is_good, "{}: {level}", case.file);
        assert!(level[2].as_str().is_some_and(|told| !told.is_empty()), "{}: {level}", case.file);
        let title = case.titles.get(number - 1).filter(|title| is_good && !title.is_empty());
        if let Some(title) = title {
            assert_eq!(level[1], title.as_str(), "{}", case.file);
        }
    }
    let last = case.readable.last().expect("one can be read");
    browser.click(&format!("#levels-list li:nth-child({last}) button"));
    let title = case.titles.get(last - 1).filter(|title| !title.is_empty());
    opened(browser, case, title.map(String::as_str));
}
