//! The workshop: areas are drawn, solved as they are drawn, played, and never lost.

use crate::browser::webdriver::{Browser, Screen, key};
use crate::browser::{Page, READY};
use serde_json::{Value, json};

const DELETE: char = '\u{e017}';

/// Waits until the line below a drawing says something, and until the drawing is kept.
fn await_line(browser: &Browser, part: &str) {
    browser.await_text("#edit-line", part);
    browser.await_true("!outwit.edit.keeping");
}

/// The rows of the drawing.
fn rows(browser: &Browser) -> Value {
    browser.run("return outwit.edit.draft.drawing.rows")
}

fn choose_brush(browser: &Browser, about: &str) {
    browser.run(&format!("document.querySelector('#brushes [aria-label=\"{about}\"]').click()"));
}

/// An area of each game is taken up, solved, and played as it was drawn.
#[test]
fn areas_of_every_game_are_drawn_further() {
    let cases = [
        ("sokoban/hand-stacks", "Solvable in 6 pushes"),
        ("last-of-us/area-0-sample", "Solvable in 13 actions"),
        ("robots/robots-2-1-8-1", "Solvable in"),
        ("monsters/hard-01-all", "Solvable in"),
        ("labyrinth/class-2-box-1", "Solvable in"),
    ];
    let Some(page) = Page::area(Screen::Desktop, cases[0].0) else { return };
    let browser = &page.browser;
    for (area, line) in cases {
        page.go(area);
        browser.run("outwit.choose('edit')");
        browser.await_text("#edit-line", line);
        // Nothing was drawn: the area on the desk is the stored one.
        browser.run("outwit.choose('play')");
        browser.await_true(&format!("outwit.area.id === '{area}' && outwit.tab === 'play'"));
        browser.run("outwit.choose('edit')");
        browser.await_text("#edit-line", line);
        browser.run("outwit.edit.draft.setName('mine')");
        browser.click("#edit-test");
        browser.await_true(&format!("outwit.tab === 'play' && !outwit.area.id && {READY}"));
        browser.await_text("#area-title", "mine");
    }
    // What is too large to be drawn gives an empty board, and the way back.
    page.go("last-of-us/caves-500x500-1008");
    browser.run("outwit.choose('edit')");
    browser.await_text("#status", "Here is an empty board");
    browser.run("outwit.choose('play')");
    browser.await_true("outwit.tab === 'play' && outwit.area.id.endsWith('1008')");
    page.assert_silent();
}

#[test]
fn a_level_is_drawn_by_mouse_solved_at_once_and_never_lost() {
    let Some(page) = Page::area(Screen::Desktop, "sokoban/hand-stacks") else { return };
    let browser = &page.browser;
    browser.click("#draw-open");
    await_line(browser, "Not an area yet");
    page.fill("#edit-rows", "5");
    page.fill("#edit-cols", "7");
    browser.run("document.querySelector('#edit-cols').dispatchEvent(new Event('change'))");
    browser.click("#edit-clear");
    assert_eq!(rows(browser)[4], json!("#######"), "a frame around the new size");
    for (brush, cell) in [("player", [2, 1]), ("box", [2, 3]), ("target", [2, 5])] {
        choose_brush(browser, brush);
        browser.tap("mouse", page.cell(cell[0], cell[1]));
    }
    await_line(browser, "Solvable in 2 pushes, proven shortest");
    // A target below a box and one below the player are letters of their own.
    choose_brush(browser, "target");
    browser.tap("mouse", page.cell(2, 3));
    assert_eq!(rows(browser)[2], json!("#@ * .#"));
    browser.click("#edit-undo");
    // A box in a corner is dead, and marked.
    choose_brush(browser, "box");
    browser.tap("mouse", page.cell(1, 1));
    choose_brush(browser, "target");
    browser.tap("mouse", page.cell(3, 5));
    await_line(browser, "Dead: 1 thing");
    assert_eq!(
        browser.run("return [...outwit.edit.draft.marks.get('stuck').keys()]"),
        json!(["1:1"])
    );
    browser.click("#edit-undo");
    browser.click("#edit-undo");
    // The player cannot pass the box, which stands on its only way.
    page.fill("#edit-name", "Käfig 迷");
    browser.run("document.querySelector('#edit-name').dispatchEvent(new Event('change'))");
    await_line(browser, "Solvable in 2 pushes");
    // Loaded again, in another tab, or after the way back: it is there.
    let drawn = rows(browser);
    browser.run("sessionStorage.clear(); location.reload()");
    browser.await_true("outwit.edit.draft");
    assert_eq!(rows(browser), drawn);
    browser.await_text("#area-title", "Käfig 迷");
    page.go("sokoban/hand-stacks");
    browser.await_text("#filter", "Yours 1");
    browser.click("[data-id^='draft:']");
    browser.await_true("outwit.tab === 'edit' && outwit.edit.draft");
    assert_eq!(rows(browser), drawn);
    // Tested, won, and its record kept.
    browser.click("#edit-test");
    browser.await_true(&format!("outwit.tab === 'play' && {READY}"));
    browser.run("return outwit.play.act('r', 'r', 'r')");
    browser.await_text("#won-length", "2 pushes, 3 moves");
    browser.await_text("#won-compare", "first time");
    // Discarded at the second click.
    browser.click("#tab-edit");
    browser.await_true("outwit.board.game === outwit.edit.draft");
    browser.click("#edit-discard");
    browser.click("#edit-discard");
    browser.await_true("!document.querySelector('[data-id^=\"draft:\"]')");
    page.assert_silent();
}

#[test]
fn strokes_turns_and_moves_are_taken_back_one_by_one() {
    let Some(page) = Page::area(Screen::Desktop, "monsters/hard-01-all") else { return };
    let browser = &page.browser;
    browser.run("outwit.choose('edit')");
    browser.await_true("outwit.edit.draft");
    let first = rows(browser);
    let mut states = vec![first];
    // A stroke paints all cells on its way, and the board stays where it is.
    let [from, to] = [page.cell(1, 1), page.cell(1, 6)];
    browser.drag("mouse", from, to);
    states.push(rows(browser));
    assert!(states[1][1].as_str().expect("a row").starts_with("#######"), "{}", states[1]);
    for tool in ["#edit-mirror", "#edit-flip", "#edit-down", "#edit-left"] {
        browser.click(tool);
        states.push(rows(browser));
    }
    // Sentinels turn with the board.
    let letters = |rows: &Value, letter: char| rows.to_string().matches(letter).count();
    assert_eq!(letters(&states[1], '>'), letters(&states[2], '<'));
    assert_eq!(letters(&states[1], 'v'), letters(&states[3], '^'));
    for state in states.iter().rev().skip(1) {
        browser.click("#edit-undo");
        assert_eq!(&rows(browser), state);
    }
    browser.await_true("document.querySelector('#edit-undo').disabled");
    for state in &states[1..] {
        browser.click("#edit-redo");
        assert_eq!(&rows(browser), state);
    }
    // Four quarter turns are none.
    browser.run("outwit.edit.draft.resize(12, 12)");
    let square = rows(browser);
    for _ in 0..4 {
        browser.click("#edit-turn");
    }
    assert_eq!(rows(browser), square);
    page.assert_silent();
}

#[test]
fn a_level_is_drawn_by_keyboard_alone() {
    let Some(page) = Page::area(Screen::Desktop, "last-of-us/area-0-sample") else { return };
    let browser = &page.browser;
    browser.run("outwit.focusBoard()");
    browser.press(&['[']);
    browser.await_true("outwit.tab === 'edit' && outwit.edit.draft");
    browser.press(&[key::RIGHT, key::DOWN, key::RIGHT, '1', ' ']);
    browser.await_text("#status", "Row 2, column 2: wall");
    browser.press(&[DELETE]);
    browser.await_text("#status", "Row 2, column 2: floor");
    browser.press(&['4', ' ']);
    browser.await_text("#status", "Row 2, column 2: exit");
    let exits = browser.run("return outwit.edit.draft.drawing.rows.join('').split('X').length - 1");
    assert_eq!(exits, json!(1), "a board has one exit");
    await_line(browser, "Solvable in");
    browser.press(&['z', 'z', 'z']);
    browser.await_true("outwit.edit.draft.past.length === 0");
    browser.press(&['y', 'y', 'y', 't']);
    browser.await_true("outwit.tab === 'play' && !outwit.area.id");
    page.assert_silent();
}

/// A drawing that is not an area yet keeps nobody from the area on the desk.
#[test]
fn what_is_not_an_area_yet_is_kept_and_left() {
    let Some(page) = Page::area(Screen::Desktop, "sokoban/hand-stacks") else { return };
    let browser = &page.browser;
    browser.run("outwit.choose('edit')");
    browser.await_true("outwit.edit.draft");
    choose_brush(browser, "floor");
    browser.tap("mouse", page.cell(6, 4));
    await_line(browser, "Not an area yet: ");
    browser.click("#edit-test");
    browser.await_text("#status", "Not an area yet: ");
    assert_eq!(browser.run("return outwit.tab"), json!("edit"));
    browser.click("#tab-play");
    browser.await_text("#status", "This is hand-stacks");
    assert_eq!(
        browser.run("return [outwit.tab, outwit.area.id]"),
        json!(["play", "sokoban/hand-stacks"])
    );
    browser.click("#tab-edit");
    await_line(browser, "Not an area yet: ");
    // A link carries what is an area.
    browser.click("#edit-undo");
    await_line(browser, "Solvable in 6 pushes");
    let link = browser.run_until_done(
        "navigator.clipboard.writeText = (text) => { done(text); return Promise.resolve() }; \
         document.querySelector('#edit-link').click()",
    );
    let link = link.as_str().expect("a link").to_string();
    browser.open("about:blank");
    browser.open(&link);
    browser.await_true(READY);
    browser.await_text("#area-title", "hand-stacks");
    assert_eq!(browser.run("return outwit.area.id"), Value::Null);
    page.assert_silent();
}

#[test]
fn a_finger_paints_and_two_move_the_board() {
    let Some(page) = Page::area(Screen::Phone, "sokoban/hand-stacks") else { return };
    let browser = &page.browser;
    browser.run("outwit.choose('edit')");
    browser.await_true("outwit.edit.draft");
    let [from, to] = [page.cell(1, 2), page.cell(1, 6)];
    browser.swipe(from, to);
    assert_eq!(rows(browser)[1], json!("# ##### #"));
    browser.swipe(from, to);
    assert_eq!(rows(browser)[1], json!("#       #"), "the same stroke rubs out");
    page.assert_silent();
}
