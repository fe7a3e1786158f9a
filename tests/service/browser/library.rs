//! The served page with the library in WebAssembly: games are stepped in the browser, and verdicts
//! stay the server's. `OUTWIT_TEST_WASM` names the library (`scripts/test` makes it by
//! `scripts/wasm`).

use crate::browser::webdriver::{Browser, Screen, key};
use crate::browser::{Page, READY, play_the_sample};
use serde_json::json;

/// How often the page has asked for something since its notes were cleared.
fn asked(browser: &Browser, path: &str) -> u64 {
    let script = format!(
        "return performance.getEntriesByType('resource') \
         .filter((it) => new URL(it.name).pathname.startsWith('{path}')).length"
    );
    browser.run(&script).as_u64().expect("a count")
}

#[test]
fn a_step_costs_no_round_trip_and_the_server_judges() {
    let Ok(file) = std::env::var("OUTWIT_TEST_WASM") else {
        eprintln!("skipped: OUTWIT_TEST_WASM names no library (scripts/test makes it)");
        return;
    };
    let Some(page) = Page::serve(Screen::Desktop, &["--wasm", &file], "") else { return };
    let browser = &page.browser;
    browser.await_true(READY);
    // A game that has begun on the server goes on in the browser once the library is here.
    browser.await_true("(outwit.play.game.look(), 'clerk' in outwit.play.game.stepper)");
    browser.await_true(READY);
    browser.run("performance.clearResourceTimings()");
    play_the_sample(browser);
    assert_eq!(asked(browser, "/v1/play"), 0, "steps are done here");
    assert_eq!(asked(browser, "/v1/verify"), 3, "the server judges both wins and the plan");
    page.await_plan("last-of-us/area-0-sample");
    browser.run("outwit.choose('watch')");
    browser.run("return outwit.reloadArea()");
    browser.await_text("#watch-at", "0 / 13 steps");
    browser.click("#watch-last");
    browser.await_text("#status", "Step 13 of 13: out");
    assert_eq!(asked(browser, "/v1/play"), 0, "plans are watched here");
    // Where the library stops the server goes on.
    browser.run("outwit.choose('play'); outwit.play.game.stepper.fault()");
    browser.run("outwit.focusBoard()");
    browser.press(&['z']);
    browser.await_text("#plan-title", "12 steps");
    assert!(asked(browser, "/v1/play") > 0, "the server steps now");
    page.assert_silent();
}

#[test]
fn a_library_that_does_not_work_is_done_without() {
    let folder = tempfile::tempdir().expect("a folder can be made");
    let file = folder.path().join("outwit.wasm");
    std::fs::write(&file, b"\0asm, and nothing that is").expect("a file can be written");
    let options = ["--wasm", &file.display().to_string()];
    let Some(page) = Page::serve(Screen::Desktop, &options, "") else { return };
    let browser = &page.browser;
    browser.await_true(READY);
    browser.await_true(
        "performance.getEntriesByType('resource').some((it) => it.name.endsWith('/outwit.wasm'))",
    );
    browser.press(&[key::RIGHT]);
    browser.await_text("#plan-title", "1 step");
    assert_eq!(browser.run("return 'clerk' in outwit.play.game.stepper"), json!(false));
    page.assert_silent();
}
