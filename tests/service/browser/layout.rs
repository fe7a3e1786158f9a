//! The page at all sizes, by day and by night: nothing is cut off, everything is reached, and axe
//! finds nothing serious.

use crate::browser::Page;
use crate::browser::webdriver::{Browser, Screen};
use serde_json::Value;
use std::fmt::Write;

/// A desktop, a phone upright and on its side, the narrowest phones.
pub const SIZES: [[u32; 2]; 5] = [[1280, 900], [390, 844], [844, 390], [320, 640], [568, 320]];
pub const TABS: [&str; 5] = ["play", "watch", "check", "solve", "edit"];
const SAMPLE_ID: &str = "last-of-us/area-0-sample";

/// Names what cannot be reached by scrolling, or is cut off, in the whole page.
const FAULTS: &str = include_str!("layout.js");

/// What of the page is cut off or out of reach, a line each.
pub fn faults(browser: &Browser) -> String {
    let found = browser.run(FAULTS);
    let found = found.as_array().expect("a list").iter();
    found.fold(String::new(), |mut text, fault| {
        let _ = write!(text, "\n    {}", fault.as_str().unwrap_or("?"));
        text
    })
}

#[test]
fn everything_is_reached_at_every_size() {
    let Some(page) = Page::open(Screen::Desktop, "") else { return };
    let browser = &page.browser;
    page.await_plan(SAMPLE_ID);
    let areas = ["sokoban/hand-stacks", "robots/robots-2-1-8-1", "monsters/hard-01-all"];
    let large = ["labyrinth/class-10-box-11", SAMPLE_ID];
    let mut all = String::new();
    for area in areas.iter().chain(&large) {
        page.go(area);
        for size in SIZES {
            browser.resize(size);
            for tab in TABS {
                choose(browser, tab);
                let found = faults(browser);
                if !found.is_empty() {
                    let _ = write!(all, "\n{area}, {tab} at {size:?}:{found}");
                }
            }
        }
    }
    for size in SIZES {
        browser.resize(size);
        for (dialog, opens) in DIALOGS {
            browser.run(&format!("return {opens}"));
            let found = faults(browser);
            if !found.is_empty() {
                let _ = write!(all, "\n{dialog} at {size:?}:{found}");
            }
            browser.run("document.querySelector('dialog:modal')?.close()");
        }
    }
    assert!(all.is_empty(), "{all}");
    page.assert_silent();
}

/// On a phone who plays sees the board and the keys at once; on its side the board has most of the height.
#[test]
fn a_phone_shows_board_and_pad_at_once() {
    let Some(page) = Page::open(Screen::Desktop, "") else { return };
    let browser = &page.browser;
    for area in [SAMPLE_ID, "sokoban/hand-stacks", "monsters/hard-01-all", "robots/robots-2-1-8-1"]
    {
        page.go(area);
        browser.resize([390, 844]);
        let ends = "const end = (id) => document.querySelector(id).getBoundingClientRect().bottom; \
            scrollTo(0, 0); return [end('#pad'), end('#board'), innerHeight]";
        let ends = browser.run(ends);
        let [pad, board, height] = [0, 1, 2].map(|at| ends[at].as_f64().expect("a number"));
        assert!(pad <= height && board < pad, "{area}: {ends}");
        browser.resize([844, 390]);
        let share = browser.run("return outwit.board.height / innerHeight");
        assert!(share.as_f64().expect("a number") > 0.55, "{area}: {share}");
    }
    page.assert_silent();
}

/// Goes to a tab, and waits for what it shows.
pub fn choose(browser: &Browser, tab: &str) {
    browser.run(&format!("outwit.choose('{tab}')"));
    if tab == "edit" {
        browser
            .await_true("outwit.edit.draft && document.querySelector('#edit-line').dataset.tone");
    }
    browser.run_until_done("outwit.watch.loading.then(() => requestAnimationFrame(done))");
}

/// Shows the levels of a collection, with short titles and long ones.
const LEVELS: &str = "import('./areas/levels.js').then(({ Collection }) => new Collection('', 'mine', \
    { game: 'sokoban', title: null, author: 'somebody', levels: [1, 2, 3].map((level) => ({ level, \
      title: 'level '.repeat(level * level), facts: { size: '9x9' }, board: ['####', '#@.#'] })) }) \
    .show({ roles: outwit.rolesOf('sokoban'), theme: 'light', open() {} }))";

/// The dialogs, and what opens them. The shelf is one where it does not stand beside the board.
const DIALOGS: [(&str, &str); 8] = [
    ("make", "outwit.making.open()"),
    ("levels", LEVELS),
    ("records", "document.querySelector('#records-open').click()"),
    ("rules", "outwit.showRules()"),
    ("help", "outwit.showHelp()"),
    ("own", "document.querySelector('#own-open').click()"),
    ("shelf", "outwit.openShelf()"),
    ("token", "document.querySelector('#token').showModal()"),
];

/// Waits until nothing moves: colours that are still fading are no colours of the page.
pub fn settle(browser: &Browser) {
    browser.run_until_done(
        "Promise.all(document.getAnimations().map((one) => one.finished.catch(() => {}))) \
         .then(() => requestAnimationFrame(done))",
    );
}

/// What axe calls serious or worse in the page as it is.
pub fn violations(browser: &Browser) -> String {
    let found = browser.run_until_done(
        "axe.run(document, { resultTypes: ['violations'] }).then((found) => done(found.violations \
           .filter(({ impact }) => impact === 'serious' || impact === 'critical') \
           .flatMap(({ id, nodes }) => nodes.map((node) => \
             `${id}: ${node.target.join(' ')}: ${node.failureSummary.replace(/\\s+/g, ' ')}`))), \
           (error) => done([`axe fails: ${error}`]))",
    );
    let found = found.as_array().expect("a list").iter();
    found.filter_map(Value::as_str).fold(String::new(), |text, fault| text + "\n    " + fault)
}

#[test]
fn axe_finds_nothing_serious() {
    let Ok(file) = std::env::var("OUTWIT_TEST_AXE") else {
        eprintln!("skipped: OUTWIT_TEST_AXE names no axe.min.js (scripts/test installs it by npm)");
        return;
    };
    let axe = std::fs::read_to_string(&file).expect("axe can be read");
    let Some(page) = Page::open(Screen::Desktop, "") else { return };
    let browser = &page.browser;
    page.await_plan(SAMPLE_ID);
    browser.run(&axe);
    let mut all = String::new();
    let mut look = |what: &str, size: [u32; 2], scheme: &str| {
        settle(browser);
        let found = violations(browser);
        if !found.is_empty() {
            let _ = write!(all, "\n{what} at {size:?}, {scheme}:{found}");
        }
    };
    for scheme in ["light", "dark"] {
        browser.set_scheme(scheme);
        for size in SIZES {
            browser.resize(size);
            for tab in TABS {
                choose(browser, tab);
                look(tab, size, scheme);
            }
        }
        let size = SIZES[1];
        browser.resize(size);
        for (dialog, opens) in DIALOGS {
            browser.run(&format!("return {opens}"));
            look(dialog, size, scheme);
            browser.run("document.querySelector('dialog:modal')?.close()");
        }
        for (plan, says) in [("1\\nw 0 -1\\n", "Not valid"), ("1\\nq\\n", "Line 2")] {
            browser.run(&format!("outwit.check('{plan}'); outwit.checking.submit(false)"));
            browser.await_text("#verdict", says);
            look(says, size, scheme);
        }
        browser.run("outwit.choose('solve')");
        page.fill("#seconds", "60");
        browser.click("#solve-form button.strong");
        browser.await_text(".job", "Proven shortest");
        look("a job", size, scheme);
        page.go("labyrinth/class-2-box-1");
        browser.run("outwit.choose('play'); document.querySelector('#dark').click()");
        look("the dark", size, scheme);
        browser.run("location.hash = '#own=0'");
        browser.await_text("#area-title", "is not here");
        look("an absent area", size, scheme);
        page.go(SAMPLE_ID);
    }
    assert!(all.is_empty(), "{all}");
}
