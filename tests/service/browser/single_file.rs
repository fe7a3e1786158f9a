//! The page as one file, opened from disk: no server answers, and the library in it judges and
//! solves. `OUTWIT_TEST_FILE` names the file (`scripts/test` makes it by `scripts/page`).

use crate::browser::layout::{SIZES, TABS, choose, faults, settle, violations};
use crate::browser::pool::Lease;
use crate::browser::webdriver::{Browser, Screen};
use crate::browser::{READY, play_the_sample};
use crate::reports::assert_report;
use serde_json::json;
use std::fmt::Write;

/// Where this variable is set, the page is looked at by night at every size, too.
const EVERY_NIGHT: &str = "OUTWIT_TEST_EVERY_NIGHT";

/// The page from disk at a place (`#area=…`); nothing where there is no browser or no file.
pub fn open(place: &str) -> Option<Lease> {
    let Ok(file) = std::env::var("OUTWIT_TEST_FILE") else {
        eprintln!("skipped: OUTWIT_TEST_FILE names no page (scripts/test makes it)");
        return None;
    };
    let file = std::fs::canonicalize(file).expect("the page is there");
    let browser = Lease::take(Screen::Desktop)?;
    browser.open(&format!("file://{}{place}", file.display()));
    browser.await_true(READY);
    Some(browser)
}

/// The console has nothing to complain about.
pub fn assert_silent(browser: &Browser) {
    let complaints = browser.complaints();
    assert!(complaints.is_empty(), "the console says: {complaints:#?}");
}

#[test]
fn the_sample_is_played_checked_and_submitted_from_disk() {
    let Some(browser) = open("") else { return };
    assert_eq!(browser.run("return location.protocol"), json!("file:"));
    assert_eq!(browser.text("#area-title"), "area-0-sample");
    play_the_sample(&browser);
    browser.run("outwit.check('1\\nw 0 -1\\n'); outwit.checking.submit(false)");
    browser.await_text("#verdict", "Not valid");
    browser.run("outwit.check('1\\nq\\n'); outwit.checking.submit(false)");
    browser.await_text("#verdict", "Line 2");
    assert_silent(&browser);
}

#[test]
fn a_better_plan_is_kept_in_the_browser() {
    let Some(browser) = open("#area=sokoban/hand-stacks") else { return };
    // A plan that is worse than the best is not kept, and one for an area without any is.
    let worse = "return outwit.watch.loading.then(() => { \
        const best = outwit.area.best.length; outwit.choose('check'); return best })";
    let best = browser.run(worse).as_u64().expect("a length");
    browser.click("#check-best");
    browser.await_true("document.querySelector('#check-text').value !== ''");
    browser.click("#check-form button[value=submit]");
    browser.await_text("#verdict", &format!("of {best} pushes, stays"));
    // Someone has kept a longer one here before.
    browser.run(
        "const plan = document.querySelector('#check-text').value; \
         localStorage.setItem('outwit:best:sokoban/hand-stacks', JSON.stringify({ plan: \
           'lr'.repeat(2) + plan, best: { ...outwit.area.best, found_ms: 1, found_by: 'me' } }))",
    );
    browser.click("#check-form button[value=submit]");
    browser.await_text("#verdict", "It is the best known plan");
    browser.await_true("outwit.area.best.found_ms > 1");
    assert_silent(&browser);
}

#[test]
fn a_certificate_is_made_and_checked_without_a_server() {
    let Some(browser) = open("#area=sokoban/hand-stacks&tab=solve") else { return };
    browser.click("#certify");
    browser.click("#solve-form button.strong");
    browser.await_text(".job .certified", "Certified: no plan is shorter than ");
    browser.run(
        "const { certificate, plan } = [...outwit.solve.jobs.values()][0].job.result; \
         outwit.check(`${certificate.text}plan\\n${plan}`); outwit.checking.submit(false)",
    );
    browser.await_text("#verdict", "Certified: no plan is shorter than ");
    browser.run(
        "const field = document.querySelector('#check-text'); \
         outwit.check(field.value.split('plan\\n')[0].replace('than ', 'than 9')); \
         outwit.checking.submit(false)",
    );
    browser.await_text("#verdict", "Not certified");
    assert_silent(&browser);
}

#[test]
fn a_worker_solves_and_is_cancelled() {
    let Some(browser) = open("#tab=solve") else { return };
    browser.click("#solve-form button.strong");
    browser.await_text(".job", "Proven shortest");
    browser.run("location.hash = '#area=last-of-us/caves-500x500-1008&tab=solve'");
    browser.await_true(&format!("outwit.area.id.endsWith('1008') && {READY}"));
    let ask = "document.querySelector('#seconds').value = 600; \
        document.querySelector('#solve-form').requestSubmit()";
    browser.run(ask);
    browser.await_text(".job", "nodes");
    // The page lives on while the worker searches.
    browser.run("outwit.choose('play')");
    let steps = "outwit.play.game.act('w 0 0').then(() => done(outwit.play.game.position))";
    assert_eq!(browser.run_until_done(steps), json!(1));
    browser.run("outwit.choose('solve')");
    browser.click(".job [data-name=cancel]");
    browser.await_text(".job", "Cancelled");
    assert_jobs_report(&browser);
    // The best plan so far stays, on an area of which none is known.
    browser.run(
        "location.hash = '#area=last-of-us/pillars-41x41'; \
         document.querySelector('#seconds').value = 600",
    );
    browser.await_true(&format!("outwit.area.id.endsWith('pillars-41x41') && {READY}"));
    browser.run(
        "return outwit.openRef({ text: outwit.area.text, game: 'last-of-us' }, { tab: 'solve' })",
    );
    browser.await_true("outwit.area.id === null");
    browser.click("#solve-form button.strong");
    browser.await_true("document.querySelector('.job .figure-value')?.textContent > 0");
    browser.click(".job [data-name=cancel]");
    browser.await_text(".job header", "Cancelled");
    browser.await_text("#status", "the best plan so far has");
    browser.click(".job .strong");
    browser.await_true("outwit.watch.game?.tape > 0");
    browser.click("#watch-last");
    browser.await_text("#status", ": out");
    assert_jobs_report(&browser);
    assert_silent(&browser);
}

/// The results of all jobs on the desk are reports.
fn assert_jobs_report(browser: &Browser) {
    let results = "return [...outwit.solve.jobs.values()].map(({ job }) => job.result)";
    let results = browser.run(results);
    let results = results.as_array().expect("a list");
    assert!(!results.is_empty(), "there is no job");
    results.iter().for_each(|result| assert_report(result, "a job of the page"));
}

#[test]
fn areas_are_made_pasted_and_hinted_without_a_server() {
    let Some(browser) = open("") else { return };
    browser.click("#make-open");
    browser.run("document.querySelector('#make-seed').value = 7");
    browser.click("#make-form button.strong");
    browser.await_true("!outwit.area.id && outwit.area.game === 'last-of-us'");
    browser.click("#own-open");
    let levels = "#####\\n#@$.#\\n#####\\n\\n######\\n#@ $.#\\n######\\n";
    browser.run(&format!("document.querySelector('#own-text').value = '{levels}'"));
    browser.click("#own-form button.strong");
    browser.await_true("document.querySelectorAll('#levels-list button').length === 2");
    browser.run("document.querySelectorAll('#levels-list button')[1].click()");
    browser.await_true("outwit.area.game === 'sokoban' && outwit.area.ref.level === 2");
    browser.click("#hint");
    browser.await_text("#status", "Hint: ");
    assert_silent(&browser);
}

#[test]
fn every_stored_plan_is_replayed_to_its_end() {
    let Some(browser) = open("") else { return };
    let count = browser.run("return outwit.areas.areas.length").as_u64().expect("a number");
    let files = walkdir::WalkDir::new(crate::harness::areas()).into_iter();
    let files = files.filter(|file| file.as_ref().is_ok_and(|file| file.file_type().is_file()));
    assert_eq!(count, files.count() as u64, "all areas are in the file");
    for number in 0..count {
        let told = browser.run_until_done(&format!(
            "(async () => {{ const area = outwit.areas.areas[{number}]; \
               await outwit.openRef({{ id: area.id }}, {{ tab: 'watch' }}); \
               await outwit.watch.loading; const game = outwit.watch.game; \
               await game.seek(game.tape); \
               return [area.id, game.status, game.position === game.tape, game.refused] }})() \
             .then(done, (error) => done([{number}, String(error)]))"
        ));
        assert_eq!(told[1], json!("won"), "{told}");
        assert_eq!(told[2], json!(true), "{told}");
        assert!(told[3].is_null(), "{told}");
    }
    assert_silent(&browser);
}

#[test]
fn it_is_whole_at_every_size_by_day_and_by_night() {
    let Some(browser) = open("") else { return };
    let axe = std::env::var("OUTWIT_TEST_AXE").ok();
    match &axe {
        Some(file) => {
            browser.run(&std::fs::read_to_string(file).expect("axe can be read"));
        }
        None => eprintln!("skipped in part: OUTWIT_TEST_AXE names no axe.min.js"),
    }
    let mut all = String::new();
    // The served page has the same colours at all sizes; `layout` looks at them by night, too.
    let by_night = if std::env::var_os(EVERY_NIGHT).is_some() { &SIZES[..] } else { &SIZES[1..2] };
    for (scheme, sizes) in [("light", &SIZES[..]), ("dark", by_night)] {
        browser.set_scheme(scheme);
        for &size in sizes {
            browser.resize(size);
            for tab in TABS {
                choose(&browser, tab);
                settle(&browser);
                let mut found = faults(&browser);
                if axe.is_some() {
                    found += &violations(&browser);
                }
                if !found.is_empty() {
                    let _ = write!(all, "\n{tab} at {size:?}, {scheme}:{found}");
                }
            }
        }
    }
    assert!(all.is_empty(), "{all}");
    assert_silent(&browser);
}

/// Measures how soon the line of a drawing says whether a level can be solved, on the levels of the file that
/// `OUTWIT_LEVELS` names: from a change to the first answer, and to the last.
#[test]
#[ignore = "a measurement, of the levels that OUTWIT_LEVELS names"]
fn the_line_of_a_drawing_is_timed() {
    let Ok(levels) = std::env::var("OUTWIT_LEVELS") else {
        eprintln!("skipped: OUTWIT_LEVELS names no file of Sokoban levels");
        return;
    };
    let levels = std::fs::read_to_string(levels).expect("levels can be read");
    let Some(browser) = open("") else { return };
    let mut times = Vec::new();
    for level in 1.. {
        let time = browser.run_until_done(&format!(
            "(async () => {{ const line = document.querySelector('#edit-line'); \
               const rest = (ms) => new Promise((wake) => setTimeout(wake, ms)); \
               const says = /Solvable|cannot be solved|Not known|Dead/; \
               const isOpen = () => !says.test(line.textContent) || /looking/.test(line.textContent); \
               await outwit.openRef({{ text: {}, game: 'sokoban', level: {level} }}, {{ tab: 'edit' }}); \
               while (!outwit.edit.draft || isOpen()) await rest(4); \
               line.textContent = ''; \
               const began = performance.now(); outwit.edit.draft.setName('timed'); \
               let first = null; \
               while (first === null || isOpen()) {{ await rest(2); \
                 if (says.test(line.textContent)) first ??= performance.now() - began; }} \
               const last = performance.now() - began; \
               outwit.edit.discard(); outwit.edit.discard(); \
               return [first, last] }})().then(done, () => done(null))",
            json!(levels)
        ));
        if time.is_null() {
            break;
        }
        times.push(time);
    }
    assert!(!times.is_empty(), "no level was read");
    for (what, at) in [("the first answer", 0), ("the last answer", 1)] {
        let mut all: Vec<f64> = times.iter().filter_map(|it| it[at].as_f64()).collect();
        all.sort_by(f64::total_cmp);
        let soon = all.iter().filter(|&&time| time <= 300.0).count();
        let (count, median, most) = (all.len(), all[all.len() / 2], all[all.len() - 1]);
        println!("{what}: median {median:.0} ms, most {most:.0} ms, {soon} of {count} in 300 ms");
    }
}
