//! What players want of the page: rules, the way from area to area, a win that counts, links.

use crate::browser::webdriver::{Screen, key};
use crate::browser::{Page, READY, keys_of};
use crate::harness::{SAMPLE, SAMPLE_PLAN};
use serde_json::json;

const SAMPLE_ID: &str = "last-of-us/area-0-sample";

/// Plays the sample to its exit by keyboard.
fn win_the_sample(page: &Page) {
    for (number, line) in (1..).zip(SAMPLE_PLAN.lines().skip(1)) {
        page.browser.press(&keys_of(line));
        page.browser.await_true(&format!("outwit.play.game.steps.length === {number}"));
    }
}

#[test]
fn each_game_tells_its_rules_with_the_signs_of_its_board() {
    let cases = [
        (SAMPLE_ID, "clicker", "C"),
        ("sokoban/hand-stacks", "box", "$"),
        ("robots/robots-2-1-8-1", "debris", "*"),
        ("labyrinth/class-2-box-1", "oxygen", "E"),
        ("monsters/hard-01-all", "seeker", "*"),
    ];
    let Some(page) = Page::area(Screen::Desktop, SAMPLE_ID) else { return };
    let browser = &page.browser;
    for (area, word, letter) in cases {
        page.go(area);
        browser.press(&['i']);
        browser.await_true("document.querySelector('#rules').open");
        assert!(browser.text("#rules").contains(word), "{area}: {}", browser.text("#rules"));
        let signs = "return [...document.querySelectorAll('#rules-signs code')].map((it) => it.textContent)";
        let signs = browser.run(signs);
        assert!(
            signs.as_array().is_some_and(|all| all.contains(&json!(letter))),
            "{area}: {signs}"
        );
        // What is drawn beside a sign is what the board draws, and not an empty tile.
        let drawn = "return [...document.querySelectorAll('#rules-signs canvas')].every((it) => \
            it.matches('.wall, .floor') || \
            it.getContext('2d').getImageData(0, 0, 28, 28).data.some((part) => part > 0))";
        assert_eq!(browser.run(drawn), json!(true), "{area}");
        browser.click("#rules [data-close]");
    }
    page.assert_silent();
}

/// Title, goal, units, size and what can be typed are told as the game describes itself.
#[test]
fn each_game_is_told_in_its_own_words() {
    let cases = [
        (SAMPLE_ID, "Last of Us", "10 × 10", "Reach the exit", ""),
        ("sokoban/pull-7x8-2-0", "Sokoban", "8 × 7", "Push every box", ""),
        ("robots/robots-2-1-8-1", "Robots", "robots", "Make the robots crash", "t 16 15"),
        ("labyrinth/class-2-box-1", "Labyrinth", "size", "Find the exit", "walk north 120"),
        ("monsters/hard-01-all", "Monsters", "size", "Reach the border", ""),
    ];
    let Some(page) = Page::area(Screen::Desktop, SAMPLE_ID) else { return };
    let browser = &page.browser;
    for (area, title, facts, goal, typed) in cases {
        page.go(area);
        browser.await_text("#area-game", title);
        browser.await_text("#area-facts", facts);
        browser.await_text("#status", goal);
        assert!(
            browser.text("#step-hint").contains(typed),
            "{area}: {}",
            browser.text("#step-hint")
        );
    }
    let order = "return document.querySelector('#area-facts [title]')?.title";
    page.go("sokoban/pull-7x8-2-0");
    assert_eq!(browser.run(order), json!("width × height"));
    page.go(SAMPLE_ID);
    assert_eq!(browser.run(order), json!("rows × columns"));
    assert_eq!(browser.text("#throw"), "Throw a brick b");
    page.assert_silent();
}

/// A step that cannot be seen in a field is done by the name of its key.
#[test]
fn a_blank_step_is_typed_by_the_name_of_its_key() {
    let Some(page) = Page::area(Screen::Desktop, "monsters/hard-01-all") else { return };
    let browser = &page.browser;
    page.fill("#step-text", "space");
    browser.run("document.querySelector('#step-form').requestSubmit()");
    browser.await_true("outwit.play.game.steps.length === 1");
    assert_eq!(browser.run("return outwit.play.game.steps"), json!([" "]));
    browser.await_text("#status", "Step 1: wait");
    page.assert_silent();
}

#[test]
fn a_win_is_shown_submitted_and_remembered() {
    let Some(page) = Page::area(Screen::Desktop, SAMPLE_ID) else { return };
    let browser = &page.browser;
    page.await_plan(SAMPLE_ID);
    browser.run("return outwit.reloadArea()");
    win_the_sample(&page);
    browser.await_text("#won-length", "13 actions");
    browser.await_text("#won-compare", "As short as");
    browser.click("#won-submit");
    browser.await_text("#won-compare", "Submitted");
    browser.await_text(&format!("[data-id='{SAMPLE_ID}'] .done"), "★");
    // The last step back is no win any more; done again it is one again.
    browser.run("outwit.focusBoard()");
    browser.press(&['z']);
    browser.await_true("document.querySelector('#won').hidden");
    browser.press(&['y']);
    browser.await_true("!document.querySelector('#won').hidden");
    browser.click("#won-next");
    browser.await_true(&format!("outwit.area.id !== '{SAMPLE_ID}' && {READY}"));
    assert_eq!(browser.run("return document.querySelector('#won').hidden"), json!(true));
    browser.run("sessionStorage.clear(); location.reload()");
    browser.await_true(READY);
    browser.await_text(&format!("[data-id='{SAMPLE_ID}'] .done"), "★");
    browser.run(
        "document.querySelector('#order').value = 'open'; \
         document.querySelector('#order').dispatchEvent(new Event('change'))",
    );
    let is_there = format!("return Boolean(document.querySelector(\"[data-id='{SAMPLE_ID}']\"))");
    assert_eq!(browser.run(&is_there), json!(false), "it is won");
    page.assert_silent();
}

#[test]
fn the_list_shows_boards_and_how_hard_they_are() {
    let Some(page) = Page::area(Screen::Desktop, SAMPLE_ID) else { return };
    let browser = &page.browser;
    page.await_plan(SAMPLE_ID);
    page.await_plan("last-of-us/area-1-reconstructed");
    browser.run("return outwit.areas.load()");
    browser.await_text(&format!("[data-id='{SAMPLE_ID}'] .difficulty"), "easy");
    browser.await_true(
        "[...document.querySelectorAll('.thumbnail')].slice(0, 5).every((it) => it.naturalWidth > 8)",
    );
    let first = "return document.querySelector('#area-list button').dataset.id";
    let by_name = browser.run(first);
    browser.run(
        "document.querySelector('#order').value = 'easy'; \
         document.querySelector('#order').dispatchEvent(new Event('change'))",
    );
    let lengths = browser.run(
        "return outwit.areas.found().filter((it) => it.game === 'last-of-us' && it.best) \
         .map((it) => it.best.length)",
    );
    let lengths: Vec<_> =
        lengths.as_array().expect("a list").iter().map(|it| it.as_u64()).collect();
    assert!(lengths.is_sorted() && lengths.len() > 1, "{by_name}: {lengths:?}");
    page.assert_silent();
}

#[test]
fn one_goes_from_area_to_area() {
    let Some(page) = Page::area(Screen::Desktop, SAMPLE_ID) else { return };
    let browser = &page.browser;
    let beside =
        |by: i64| browser.run(&format!("return outwit.areas.beside(outwit.area.id, {by})?.id"));
    let next = beside(1);
    browser.click("#next");
    browser.await_true(&format!("outwit.area.id === {next} && {READY}"));
    assert_eq!(beside(-1), json!(SAMPLE_ID));
    browser.run("outwit.focusBoard()");
    browser.press(&['p']);
    browser.await_true(&format!("outwit.area.id === '{SAMPLE_ID}' && {READY}"));
    browser.run("return outwit.pick({ id: outwit.areas.found().at(-1).id })");
    browser.await_true("document.querySelector('#next').disabled");
    page.assert_silent();
}

#[test]
fn control_and_z_take_back() {
    let Some(page) = Page::area(Screen::Desktop, SAMPLE_ID) else { return };
    let browser = &page.browser;
    let press = |name: &str, shift: bool| {
        browser.run(&format!(
            "document.body.dispatchEvent(new KeyboardEvent('keydown', \
             {{ key: '{name}', ctrlKey: true, shiftKey: {shift}, bubbles: true, cancelable: true }}))"
        ));
    };
    for line in SAMPLE_PLAN.lines().skip(1).take(2) {
        browser.press(&keys_of(line));
    }
    browser.await_text("#plan-title", "2 steps");
    press("z", false);
    browser.await_text("#plan-title", "1 step");
    press("Z", true);
    browser.await_text("#plan-title", "2 steps");
    page.assert_silent();
}

#[test]
fn a_box_is_brought_where_one_clicks() {
    let Some(page) = Page::area(Screen::Desktop, "sokoban/hand-stacks") else { return };
    let browser = &page.browser;
    browser.tap("mouse", page.cell(2, 2));
    browser.await_text("#status", "Where shall this box go");
    browser.tap("mouse", page.cell(3, 2));
    browser.await_text("#facts", "pushes 1");
    browser.await_true("outwit.play.game.role(3, 2) === 'Settled' && !outwit.play.walk");
    // It is taken back as one, a single step is taken back by itself, and the whole comes again.
    let steps = || browser.run("return outwit.play.game.steps.length").as_u64().expect("a number");
    let count = steps();
    assert!(count > 3, "{count}");
    browser.run("outwit.focusBoard()");
    browser.press(&['z']);
    browser.await_text("#facts", "pushes 0");
    assert_eq!(steps(), 0);
    browser.press(&['y']);
    browser.await_text("#plan-title", &format!("{count} steps"));
    browser.press(&['Z']);
    browser.await_text("#plan-title", &format!("{} steps", count - 1));
    browser.press(&['y']);
    browser.await_text("#facts", "pushes 1");
    // Keys that come before the answers to the ones before them do the same.
    browser.press(&['Z', 'Z', 'z', 'y', 'y', 'Z', 'y', 'y']);
    browser.await_true("outwit.play.game.busy === 0");
    browser.await_text("#facts", "pushes 1");
    assert_eq!(steps(), count);
    // From a wall's side nothing can be pushed away from it.
    browser.tap("mouse", page.cell(5, 6));
    browser.tap("mouse", page.cell(0, 0));
    browser.await_text("#status", "cannot be brought there");
    page.assert_silent();
}

#[test]
fn a_phone_is_swiped() {
    let Some(page) = Page::area(Screen::Phone, "sokoban/hand-stacks") else { return };
    let browser = &page.browser;
    let [x, y] = page.cell(4, 4);
    browser.swipe([x, y], [x - 70, y + 9]);
    browser.await_text("#plan-text", "l");
    browser.swipe([x, y], [x + 5, y - 80]);
    browser.await_text("#plan-title", "2 steps");
    // On a part of a board a finger moves the board.
    browser.run("outwit.board.zoom(2)");
    browser.swipe([x, y], [x - 70, y]);
    browser.run_until_done("requestAnimationFrame(() => done())");
    assert_eq!(browser.run("return outwit.play.game.steps.length"), json!(2));
    page.assert_silent();
}

#[test]
fn a_link_carries_an_area_and_a_plan() {
    let Some(page) = Page::open(Screen::Desktop, "") else { return };
    let browser = &page.browser;
    let mine = SAMPLE.replacen("area-0-sample", "größer", 1);
    let link = browser.run_until_done(&format!(
        "import('./areas/share.js').then((share) => share.link( \
         {{ id: null, ref: {{ text: {}, game: 'last-of-us' }}, name: 'größer' }}, {})).then(done)",
        json!(mine),
        json!(SAMPLE_PLAN),
    ));
    let link = link.as_str().expect("a link").to_string();
    // As somebody else gets it.
    browser.run("sessionStorage.clear()");
    browser.open("about:blank");
    browser.open(&link);
    browser.await_text("#area-title", "größer");
    browser.await_text("#watch-at", "0 / 13 steps");
    browser.await_text("#watch-label", "of the link");
    browser.open("about:blank");
    browser.open(&link.replace("text=", "text=x"));
    browser.await_text("#area-title", "This link cannot be read");
    page.assert_silent();
}

#[test]
fn a_hint_tells_the_way_from_here_or_that_it_is_lost() {
    let Some(page) = Page::area(Screen::Desktop, "sokoban/hand-stacks") else { return };
    let browser = &page.browser;
    page.await_plan("sokoban/hand-stacks");
    browser.run("return outwit.reloadArea()");
    browser.click("#hint");
    browser.await_text("#status", "on the best known plan");
    // Elsewhere the position is solved.
    browser.run("return outwit.play.act('l', 'r', 'l', 'r')");
    browser.await_text("#plan-title", "4 steps");
    browser.run("outwit.focusBoard()");
    browser.press(&['h']);
    browser.await_text("#status", "to go)");
    assert_eq!(browser.run("return Boolean(outwit.board.preview)"), json!(true));
    // A box against the outer wall comes to no target any more.
    browser.click("#restart");
    browser.await_text("#plan-title", "0 steps");
    browser.run("return outwit.play.act(...'lllUUURU'.toLowerCase())");
    browser.await_text("#facts", "pushes 1");
    browser.await_text("#status", "Lost: this box reaches no target any more");
    browser.await_text("#facts", "lost");
    browser.click("#hint");
    browser.await_text("#status", "Lost from here");
    // Also where the board does not say all there is to the position.
    for (area, steps, shown) in [
        (SAMPLE_ID, "'w 1 0', 'w 1 0', 'w 1 1', 'b 2 6', 'w 0 0'", "tracing 1"),
        ("robots/robots-2-1-8-1", "'w 0 0', 'w 0 0', 'w 0 0'", "move 3"),
        ("labyrinth/class-2-box-1", "'look around', 'walk east 3'", "commands 2"),
    ] {
        page.go(area);
        browser.run(&format!("return outwit.play.act({steps})"));
        browser.await_text("#facts", shown);
        browser.click("#hint");
        browser.await_text("#status", "to go)");
    }
    page.assert_silent();
}

#[test]
fn an_area_is_made_and_a_collection_is_gone_through() {
    let Some(page) = Page::open(Screen::Desktop, "") else { return };
    let browser = &page.browser;
    browser.click("#make-open");
    page.fill("#make-game", "sokoban");
    browser.run("document.querySelector('#make-game').dispatchEvent(new Event('change'))");
    page.fill("#make-fields [name=boxes]", "30");
    browser.click("#make-form button.strong");
    browser.await_text("#make-problem", "at most 12");
    // One limit is said, and it is that of this site.
    browser.await_text("#make-boxes-about", "to 12");
    page.fill("#make-fields [name=boxes]", "2");
    browser.click("#make-form button.strong");
    browser.await_true("outwit.area.game === 'sokoban' && !outwit.area.id");
    browser.await_text("#status", "Made: it can be solved in");
    let level = |title: &str| format!("#####\n#@$.#\n#####\nTitle: {title}\n\n");
    browser.click("#own-open");
    page.fill("#own-text", &(level("one") + &level("two") + &level("three")));
    browser.click("#own-form button.strong");
    browser.await_text("#levels-list", "three");
    browser.click("#levels-list li:nth-child(2) button");
    browser.await_text("#area-title", "two");
    browser.click("#next");
    browser.await_text("#area-title", "three");
    browser.await_true("document.querySelector('#next').disabled");
    browser.press(&['p']);
    browser.await_text("#area-title", "two");
    // Won, and on to the next level.
    browser.run("outwit.focusBoard()");
    browser.press(&[key::RIGHT]);
    browser.await_text("#won-length", "1 push, 1 move");
    browser.click("#won-next");
    browser.await_text("#area-title", "three");
    page.assert_silent();
}

#[test]
fn an_area_of_ones_own_is_put_on_the_shelf() {
    let Some(page) = Page::area(Screen::Desktop, SAMPLE_ID) else { return };
    let browser = &page.browser;
    browser.await_true("document.querySelector('#keep').hidden");
    browser.click("#own-open");
    page.fill("#own-text", "#####\n#@$.#\n#####\nTitle: Mine\n");
    browser.click("#own-form button.strong");
    browser.await_text("#area-title", "Mine");
    browser.click("#keep");
    browser.await_text("#status", "On the shelf");
    browser.await_text("#filter", "Yours 1");
    browser.run("outwit.focusBoard()");
    browser.press(&[key::RIGHT]);
    browser.await_text("#won-length", "1 push, 1 move");
    // Another day it is still there, won, in the list and on the way from area to area.
    browser.run("sessionStorage.clear(); location.hash = ''; location.reload()");
    browser.await_true(READY);
    browser.await_true("!outwit.area.key.startsWith('own:')");
    browser.await_text("[data-id^='own:'] .done", "★");
    browser.await_true("document.querySelector(\"[data-id^='own:'] .thumbnail\").naturalWidth > 8");
    browser.click("[data-id^='own:']");
    browser.await_text("#area-title", "Mine");
    browser.press(&['n']);
    browser.await_true("outwit.area.id !== null");
    browser.press(&['p']);
    browser.await_text("#area-title", "Mine");
    browser.click("#keep");
    browser.await_text("#status", "Taken off the shelf");
    browser.await_true("!document.querySelector(\"[data-id^='own:']\")");
    page.assert_silent();
}

#[test]
fn a_plan_that_was_checked_is_shortened() {
    let Some(page) = Page::area(Screen::Desktop, SAMPLE_ID) else { return };
    let browser = &page.browser;
    let steps: Vec<_> = SAMPLE_PLAN.lines().skip(1).collect();
    let long = format!("{}\nw 1 0\nw -1 0\n{}\n", steps.len() + 2, steps.join("\n"));
    browser.run("outwit.choose('check')");
    page.fill("#check-text", &long);
    browser.click("#check-form button[value=check]");
    browser.await_text("#verdict", "Valid: 15 actions");
    browser.click("#shorten");
    browser.await_text(".job .figure-value", "13");
    page.assert_silent();
}

#[test]
fn whoever_finds_a_best_plan_is_named() {
    let empty = tempfile::tempdir().expect("a folder can be made");
    let folder = empty.path().to_str().expect("it is text");
    let Some(page) = Page::serve(Screen::Desktop, &["--solutions", folder], "#tab=check") else {
        return;
    };
    let browser = &page.browser;
    browser.await_true(READY);
    browser.click("#records-open");
    browser.await_text("#records-none", "Nobody");
    browser.click("#records [data-close]");
    page.fill("#finder", "Zoë");
    browser.run("document.querySelector('#finder').dispatchEvent(new Event('change'))");
    page.fill("#check-text", SAMPLE_PLAN);
    browser.click("#check-form button[value=submit]");
    browser.await_text("#verdict", "best known plan of this area from now on");
    browser.await_text("#area-facts", "by Zoë");
    browser.click("#records-open");
    browser.await_text("#records-list", "Zoë");
    browser.click("#records-list .link");
    browser.await_text("#watch-label", "13 actions");
    page.assert_silent();
}

/// A plan that is pasted is played; single letters are typed in a row.
#[test]
fn a_pasted_plan_is_played_and_snapshots_lead_back() {
    let Some(page) = Page::area(Screen::Desktop, "sokoban/hand-stacks") else { return };
    let browser = &page.browser;
    let paste = |text: &str| {
        browser.run(&format!(
            "const carried = new DataTransfer(); carried.setData('text', {}); \
             document.body.dispatchEvent(new ClipboardEvent('paste', \
             {{ clipboardData: carried, bubbles: true, cancelable: true }}))",
            json!(text)
        ));
    };
    page.fill("#step-text", "UrdrU");
    browser.run("document.querySelector('#step-form').requestSubmit()");
    browser.await_text("#facts", "pushes 2");
    browser.click("#snapshot");
    browser.await_text("#snapshots", "5");
    paste("UrdrUllldlUluuuurDrurDrurD");
    browser.await_text("#status", "You made it: 26 steps");
    browser.click("#snapshots button");
    browser.await_text("#plan-title", "5 steps");
    browser.await_text("#plan-text", "UrdrU");
    paste("this is no plan");
    browser.await_text("#status", "What was pasted is no plan of this game");
    page.go("monsters/hard-01-all");
    browser.run("return outwit.play.act(' ', 's')");
    browser.await_text("#plan-text", "·");
    // What is copied has the wait as the format writes it.
    let plan = browser.run_until_done("outwit.play.game.plan().then(done)");
    assert_eq!(plan, json!(" \ns\n"));
    page.assert_silent();
}

#[test]
fn dead_squares_are_marked_unless_one_does_not_want_to_know() {
    let Some(page) = Page::area(Screen::Desktop, "sokoban/hand-stacks") else { return };
    let browser = &page.browser;
    browser.await_text("#legend", "a box here reaches no target");
    let dead = "[...outwit.play.game.marks.get('dead').keys()].length";
    browser.await_true(&format!("{dead} > 0"));
    browser.run("document.querySelector('#warns').click()");
    browser.run("return outwit.play.act(...'llluuuru')");
    browser.await_text("#status", "Step 8");
    let plates = browser.text("#facts");
    assert!(!plates.contains("lost"), "{plates}");
    browser.run("location.reload()");
    browser.await_true(READY);
    assert_eq!(browser.run("return document.querySelector('#warns').checked"), json!(false));
    browser.run("document.querySelector('#warns').click()");
    browser.await_text("#facts", "lost");
    page.assert_silent();
}

/// Floor outside the walls is not drawn, and what moves is seen on its way.
#[test]
fn outside_is_nothing_and_pieces_move() {
    let Some(page) = Page::area(Screen::Desktop, "sokoban/hand-stacks") else { return };
    let browser = &page.browser;
    let text = "   #####\n####  .#\n#@ $   #\n########\nTitle: step\n";
    browser.run(&format!("return outwit.openRef({{ text: {} }})", json!(text)));
    browser.await_text("#area-title", "step");
    let colour = "const { board } = outwit; board.drawNow(); const at = (row, col) => \
        [...board.context.getImageData(board.x(col + 0.5), board.y(row + 0.5), 1, 1).data].join(); \
        return [at(0, 0), at(-0.6, 0), at(1, 4)]";
    let colours = browser.run(colour);
    assert_eq!(colours[0], colours[1], "outside is as the ground around the board");
    assert_ne!(colours[0], colours[2], "floor is floor");
    browser.run("outwit.play.act('r')");
    browser.await_true("outwit.board.motion.goesOn || outwit.play.game.steps.length === 1");
    browser.await_true("!outwit.board.motion.goesOn");
    page.assert_silent();
}

/// The way of a plan is seen on the floor by day and by night: contrast as WCAG 2 has it for graphics, 3 to 1.
#[test]
fn routes_stand_out_from_the_floor() {
    let Some(page) = Page::open(Screen::Desktop, "") else { return };
    let contrasts = page.browser.run_until_done(
        "const part = (one) => (one <= 0.03928 ? one / 12.92 : ((one + 0.055) / 1.055) ** 2.4); \
         const light = (colour) => [0.2126, 0.7152, 0.0722].reduce((sum, weight, i) => \
           sum + weight * part(parseInt(colour.slice(1 + 2 * i, 3 + 2 * i), 16) / 255), 0); \
         const contrast = (a, b) => { const [x, y] = [light(a), light(b)].sort((p, q) => q - p); \
           return (x + 0.05) / (y + 0.05); }; \
         import('./board/tiles.js').then(({ PALETTES }) => done(Object.values(PALETTES) \
           .flatMap((one) => ['trail', 'trailAhead', 'push'].map((way) => contrast(one[way], one.floor)))))",
    );
    let contrasts = contrasts.as_array().expect("a list");
    assert_eq!(contrasts.len(), 6);
    assert!(contrasts.iter().all(|one| one.as_f64().expect("a number") >= 3.0), "{contrasts:?}");
}
