//! Collections of one's own: kept, gone through, with records; and all of it as one file.

use crate::browser::webdriver::Screen;
use crate::browser::{Page, READY};
use serde_json::{Value, json};

/// A collection with a title, an author, and a level that cannot be read.
const LEVELS: &str = "Set: Small ones\nAuthor: Somebody\n\n\
    #####\n#@$.#\n#####\nTitle: one\n\n\
    ######\n#@ $.#\n######\nTitle: two\n\n\
    #####\n#@$ #\n#####\nTitle: without a target\n\n\
    #######\n#@  $.#\n#######\nTitle: three\n";

fn open_levels(page: &Page) {
    page.browser.click("#own-open");
    page.fill("#own-text", LEVELS);
    page.browser.click("#own-form button.strong");
    page.browser.await_text("#levels-list", "three");
}

#[test]
fn a_collection_is_kept_with_what_was_won() {
    let Some(page) = Page::open(Screen::Desktop, "") else { return };
    let browser = &page.browser;
    open_levels(&page);
    browser.await_text("#levels-author", "by Somebody");
    browser.await_text("#levels-won", "0 of 3 won");
    assert_eq!(browser.text("#levels-title"), "Small ones");
    // Each level has a small picture of its board.
    let drawn =
        "return [...document.querySelectorAll('#levels-list canvas')].map((it) => it.width)";
    assert_eq!(browser.run(drawn), json!([5, 6, 7]));
    browser.click("#levels-keep");
    browser.await_text("#levels-keep", "On the shelf");
    browser.click("#levels-next");
    browser.await_text("#area-title", "one");
    browser.run("return outwit.play.act('r')");
    browser.await_text("#won-compare", "first time");
    browser.run("outwit.focusBoard()");
    browser.press(&['u']);
    browser.await_text("#area-title", "two");
    // A longer way first: the record gets better with the shorter one.
    browser.run("return outwit.play.act('r', 'l', 'r', 'r')");
    browser.await_text("#won-length", "1 push, 4 moves");
    browser.click("#restart");
    browser.run("return outwit.play.act('r', 'r')");
    browser.await_text("#won-compare", "1 push, 2 moves");
    // Another day the address leads to the level, and the level to its collection.
    let address = browser.run("return location.hash");
    assert!(address.as_str().is_some_and(|it| it.starts_with("#collection=")), "{address}");
    browser.run("sessionStorage.clear(); location.reload()");
    browser.await_true(&format!("{READY} && outwit.collection"));
    browser.await_text("#area-title", "two");
    browser.click("#levels-open");
    browser.await_text("#levels-won", "2 of 3 won");
    browser.await_text("#levels-list li:nth-child(2)", "1 push, 2 moves");
    browser.await_text("#levels-list li:nth-child(3)", "without a target");
    browser.click("#levels-next");
    browser.await_text("#area-title", "three");
    // From the shelf, too; taken off it is gone.
    browser.run("outwit.areas.renderOwn()");
    browser.await_text("[data-id^='collection:']", "Small ones");
    browser.click("[data-id^='collection:']");
    browser.await_true("document.querySelector('#levels').open");
    browser.click("#levels-keep");
    browser.await_true("!document.querySelector('[data-id^=\"collection:\"]')");
    page.assert_silent();
}

#[test]
fn all_of_ones_own_is_one_file() {
    let Some(page) = Page::open(Screen::Desktop, "") else { return };
    let browser = &page.browser;
    open_levels(&page);
    browser.click("#levels-keep");
    browser.click("#levels-next");
    browser.await_text("#area-title", "one");
    browser.run("return outwit.play.act('r')");
    browser.await_text("#won-compare", "first time");
    browser.run("outwit.choose('edit')");
    browser.await_true("outwit.edit.draft");
    browser.run("outwit.edit.draft.setName('drawn')");
    browser.await_true("document.querySelector('[data-id^=\"draft:\"]')");
    let saved = browser.run_until_done(
        "URL.createObjectURL = (blob) => { blob.text().then(done); return 'blob:x' }; \
         HTMLAnchorElement.prototype.click = () => {}; \
         document.querySelector('#shelf-save').click()",
    );
    let saved = saved.as_str().expect("a text").to_string();
    let file: Value = serde_json::from_str(&saved).expect("it is JSON");
    assert_eq!((&file["format"], &file["version"]), (&json!("outwit-shelf"), &json!(1)));
    browser
        .run("localStorage.clear(); sessionStorage.clear(); location.hash = ''; location.reload()");
    browser.await_true(READY);
    browser.await_true("!document.querySelector('[data-id^=\"draft:\"]')");
    let load = |text: &str| {
        browser.run(&format!(
            "const files = new DataTransfer(); files.items.add(new File([{}], 'mine.json')); \
             const field = document.querySelector('#shelf-load'); field.files = files.files; \
             field.dispatchEvent(new Event('change'))",
            json!(text)
        ));
    };
    load("{");
    browser.await_text("#status", "mine.json cannot be taken in: it is not JSON");
    load("{\"format\":\"other\"}");
    browser.await_text("#status", "was not saved by this page");
    load(&saved.replace("\"version\": 1", "\"version\": 9"));
    browser.await_text("#status", "a later version");
    // What is not as it should be is left out, and does no harm.
    load(
        "{\"format\":\"outwit-shelf\",\"version\":1,\"areas\":[{}],\"won\":{\"x\":\"y\"},\"drawings\":[{\"game\":\"chess\"}],\"collections\":7}",
    );
    browser.await_text("#status", "Taken in: 0 areas, 0 drawings, 0 collections, 0 won");
    load(&saved);
    browser.await_text("#status", "Taken in: 0 areas, 1 drawing, 1 collection, 1 won");
    browser.await_text("[data-id^='draft:']", "drawn");
    browser.click("[data-id^='collection:']");
    browser.await_text("#levels-won", "1 of 3 won");
    page.assert_silent();
}
