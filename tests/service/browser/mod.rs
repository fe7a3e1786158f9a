//! The page in a real browser: what a user does with keyboard, mouse and phone, and that the
//! console stays silent.

mod collections;
mod files;
mod layout;
mod library;
mod players;
mod pool;
mod single_file;
mod webdriver;
mod workshop;

use crate::harness::{SAMPLE, SAMPLE_PLAN, Server, Store};
use crate::http;
use pool::Lease;
use serde_json::json;
use std::time::{Duration, Instant};
use webdriver::{Browser, Screen, key};

/// Nothing that is waited for takes longer than this.
const PATIENCE: Duration = Duration::from_secs(90);

/// The page has an area on its desk and waits for the user.
pub const READY: &str = "outwit.play.game.setup && outwit.area.name && outwit.play.game.busy === 0 \
     && document.querySelector('#area-list button')";

/// A page that is open in a browser, on a server of its own.
pub struct Page {
    pub browser: Lease,
    server: Server,
    _store: Store,
}

impl Page {
    /// Opens the page at a place (`#area=…`); nothing where there is no browser.
    pub fn open(screen: Screen, place: &str) -> Option<Page> {
        let page = Page::serve(screen, &[], place)?;
        page.browser.await_true(READY);
        Some(page)
    }

    /// The same on a server with options, without waiting for the page.
    pub fn serve(screen: Screen, options: &[&str], place: &str) -> Option<Page> {
        let browser = Lease::take(screen)?;
        let store = Store::in_folder(tempfile::tempdir().expect("a folder can be made"));
        let server = Server::start(&store, options);
        browser.open(&format!("http://{}/{place}", server.host));
        Some(Page { browser, server, _store: store })
    }

    /// Goes to another area.
    pub fn go(&self, area: &str) {
        self.browser.run(&format!("location.hash = '#area={area}'"));
        self.browser.await_true(&format!("outwit.area.id === '{area}' && {READY}"));
    }

    /// Opens the page with an area on its desk.
    pub fn area(screen: Screen, id: &str) -> Option<Page> {
        let page = Page::open(screen, &format!("#area={id}"))?;
        assert_eq!(page.browser.run("return outwit.area.id"), json!(id));
        Some(page)
    }

    /// Waits until the server has verified the plan that it knows of an area.
    pub fn await_plan(&self, id: &str) {
        let path = format!("/v1/areas/{id}/plan");
        let started = Instant::now();
        while http::send(&self.server.host, "GET", &path, &[], b"").status == 404 {
            assert!(started.elapsed() < PATIENCE, "the plan of {id} does not come");
            std::thread::sleep(Duration::from_millis(50));
        }
    }

    pub fn assert_silent(&self) {
        let complaints = self.browser.complaints();
        assert!(complaints.is_empty(), "the console says: {complaints:#?}");
    }

    /// Types into a field by what it is filled with.
    pub fn fill(&self, selector: &str, text: &str) {
        let script = format!(
            "const field = document.querySelector({selector:?}); field.value = {}; \
             field.dispatchEvent(new Event('input'))",
            json!(text)
        );
        self.browser.run(&script);
    }

    /// Where the middle of a cell is in the window.
    pub fn cell(&self, row: i64, col: i64) -> [i64; 2] {
        let script = format!(
            "const b = outwit.board, box = b.canvas.getBoundingClientRect(); \
             return [box.left + b.x({col} + 0.5) / b.ratio, box.top + b.y({row} + 0.5) / b.ratio]"
        );
        let point = self.browser.run(&script);
        [0, 1].map(|i| point[i].as_f64().expect("a coordinate").round() as i64)
    }
}

/// The keys that play a line of the sample's plan.
pub fn keys_of(line: &str) -> Vec<char> {
    let words: Vec<&str> = line.split(' ').collect();
    let [dx, dy] = [words[1], words[2]].map(|word| word.parse::<i32>().expect("a number"));
    if words[0] == "w" {
        return vec![match (dx, dy) {
            (0, 1) => key::UP,
            (0, -1) => key::DOWN,
            (-1, 0) => key::LEFT,
            (1, 0) => key::RIGHT,
            (-1, 1) => '7',
            (1, 1) => '9',
            (-1, -1) => '1',
            (1, -1) => '3',
            _ => ' ',
        }];
    }
    let across = if dx < 0 { key::LEFT } else { key::RIGHT };
    let along = if dy < 0 { key::DOWN } else { key::UP };
    let mut keys = vec!['b'];
    keys.extend(std::iter::repeat_n(across, dx.unsigned_abs() as usize));
    keys.extend(std::iter::repeat_n(along, dy.unsigned_abs() as usize));
    keys.push(key::ENTER);
    keys
}

/// Plays the sample, takes back and plays again, and has the plan checked.
fn play_the_sample(browser: &Browser) {
    for (number, line) in (1..).zip(SAMPLE_PLAN.lines().skip(1)) {
        browser.press(&keys_of(line));
        browser.await_true(&format!("outwit.play.game.steps.length === {number}"));
    }
    browser.await_text("#status", "You made it: 13 steps");
    assert_eq!(browser.text("#plan-text"), SAMPLE_PLAN);
    browser.press(&['z', 'z']);
    browser.await_text("#plan-title", "11 steps");
    browser.press(&['y', 'y']);
    browser.await_text("#status", "You made it");
    browser.click("#plan-check");
    browser.await_text("#verdict", "Valid: 13 actions");
}

#[test]
fn the_sample_is_played_to_the_exit_by_keyboard() {
    let Some(page) = Page::open(Screen::Desktop, "") else { return };
    let browser = &page.browser;
    assert_eq!(browser.text("#area-title"), "area-0-sample");
    play_the_sample(browser);
    page.assert_silent();
}

#[test]
fn the_rules_refusals_and_losses_are_told() {
    let Some(page) = Page::open(Screen::Desktop, "") else { return };
    let browser = &page.browser;
    browser.press(&[key::DOWN]);
    browser.await_text("#status", "Refused: ");
    assert_eq!(browser.text("#plan-title"), "Plan so far: 0 steps");
    browser.press(&[key::UP, ' ']);
    browser.await_text("#status", "Lost: ");
    browser.press(&['z']);
    browser.await_text("#plan-title", "Plan so far: 1 step");
    page.assert_silent();
}

#[test]
fn the_best_plan_is_watched() {
    let Some(page) = Page::open(Screen::Desktop, "") else { return };
    let browser = &page.browser;
    page.await_plan("last-of-us/area-0-sample");
    browser.click("#tab-watch");
    browser.await_text("#watch-at", "0 / 13 steps");
    browser.press(&[key::RIGHT, key::RIGHT]);
    // The arrows belong to the tabs while one has the focus.
    browser.click("#tab-watch");
    browser.run("outwit.focusBoard()");
    browser.press(&[key::RIGHT]);
    browser.await_text("#watch-at", "1 / 13 steps");
    browser.await_text("#watch-text mark", "w 1 0");
    browser.press(&[key::END]);
    browser.await_text("#status", "Step 13 of 13: out");
    browser.press(&[key::HOME]);
    browser.await_text("#watch-at", "0 / 13 steps");
    browser.press(&[' ']);
    browser.await_text("#status", "Step 13 of 13: out");
    browser.await_text("#watch-play", "Play");
    assert!(
        browser
            .run("return location.hash")
            .as_str()
            .is_some_and(|hash| { hash.contains("tab=watch") && hash.contains("step=13") })
    );
    page.assert_silent();
}

#[test]
fn the_plan_of_every_game_is_watched_with_its_text() {
    let cases = [
        ("sokoban/statement-1", ""),
        ("sokoban/pull-7x8-2-0", ""),
        ("robots/robots-2-1-8-1", "w "),
        ("monsters/hard-01-all", ""),
        ("labyrinth/class-2-box-1", "walk "),
        ("last-of-us/keyhole-14x15", "w "),
    ];
    let Some(page) = Page::area(Screen::Desktop, cases[0].0) else { return };
    let browser = &page.browser;
    for (area, word) in cases {
        page.await_plan(area);
        browser.run(&format!("location.hash = '#area={area}&tab=watch'"));
        browser.await_true(&format!("outwit.area.id === '{area}' && outwit.watch.game?.tape"));
        browser.await_true("outwit.watch.game.busy === 0");
        let places = browser.run("return outwit.watch.game.places.length - outwit.watch.game.tape");
        assert_eq!(places, json!(0), "{area}: each step has its place in the text");
        browser.click("#watch-last");
        browser.await_text("#status", ": out");
        browser.await_text("#watch-text mark", word);
    }
    page.assert_silent();
}

#[test]
fn a_wrong_plan_is_refused_with_its_reason_and_shown_where_it_fails() {
    let Some(page) = Page::open(Screen::Desktop, "#tab=check") else { return };
    let browser = &page.browser;
    page.fill("#check-text", "3\nw 1 0\nw 1 0\nw 0 -1\n");
    browser.click("#check-form button[value=check]");
    browser.await_text("#verdict", "Step 3, line 4");
    let reason = browser.text("#reason");
    assert!(reason.contains("blocked"), "{reason}");
    browser.click("#show-failure");
    browser.await_text("#status", "Step 3 (w 0 -1) is refused");
    browser.await_text("#watch-at", "2 / 3 steps");
    browser.await_text("#facts", "refused");
    browser.click("#tab-check");
    page.fill("#check-text", "2\nw 1 0\nw 1 q\n");
    browser.click("#check-form button[value=check]");
    browser.await_text("#verdict", "Line 3, column 5");
    page.assert_silent();
}

#[test]
fn a_phone_plays_by_touch() {
    let Some(page) = Page::open(Screen::Phone, "") else { return };
    let browser = &page.browser;
    let overflow = "return document.documentElement.scrollWidth - innerWidth";
    assert_eq!(browser.run(overflow), json!(0), "nothing is wider than the phone");
    browser.tap("touch", page.cell(8, 4));
    browser.await_text("#plan-title", "3 steps");
    assert_eq!(browser.run("return outwit.play.game.player"), json!([8, 4]));
    browser.click("#throw");
    browser.tap("touch", page.cell(1, 7));
    browser.await_text("#facts", "bricks 1");
    browser.click("#pad .pad-21");
    browser.await_text("#plan-title", "5 steps");
    assert_eq!(browser.run("return outwit.play.game.player"), json!([8, 3]));
    browser.click("#undo");
    browser.await_text("#plan-title", "4 steps");
    browser.click("#shelf-open");
    page.fill("#search", "hand-stacks");
    browser.click("#area-list button");
    browser.await_text("#area-title", "hand-stacks");
    browser.await_true(READY);
    browser.click("#pad .pad-12");
    browser.await_text("#facts", "pushes 1");
    page.assert_silent();
}

#[test]
fn the_mouse_walks_throws_and_drags() {
    let Some(page) = Page::open(Screen::Desktop, "") else { return };
    let browser = &page.browser;
    browser.tap("mouse", page.cell(8, 4));
    browser.await_text("#plan-title", "3 steps");
    browser.press(&['b']);
    browser.tap("mouse", page.cell(1, 8));
    browser.await_text("#facts", "bricks 1");
    browser.await_text("#facts", "tracing 1");
    // A way past something that wakes is not gone to its end.
    browser.tap("mouse", page.cell(8, 6));
    browser.await_true("outwit.play.game.busy === 0 && !outwit.play.walk");
    let steps = browser.run("return outwit.play.game.steps");
    assert!(steps.as_array().is_some_and(|steps| steps.len() >= 5), "{steps}");
    page.assert_silent();
}

#[test]
fn every_game_is_played_by_its_own_keys() {
    let cases = [
        ("sokoban/hand-stacks", key::UP, "U"),
        ("robots/robots-2-1-8-1", ' ', "w 0 0"),
        ("monsters/hard-01-all", 's', "s"),
        ("labyrinth/class-10-blob-12", key::LEFT, "walk west 1"),
        ("labyrinth/class-2-box-1", 'l', "look around"),
    ];
    let (area, ..) = cases[0];
    let Some(page) = Page::area(Screen::Desktop, area) else { return };
    for (area, stroke, line) in cases {
        page.go(area);
        page.browser.press(&[stroke]);
        page.browser.await_true("outwit.play.game.steps.length === 1");
        page.browser.await_text("#plan-text", line);
    }
    page.assert_silent();
}

#[test]
fn an_area_of_ones_own_is_opened_or_its_fault_is_shown() {
    let Some(page) = Page::open(Screen::Desktop, "") else { return };
    let browser = &page.browser;
    browser.click("#own-open");
    page.fill("#own-text", &SAMPLE.replacen("10 10 2", "10 10 two", 1));
    page.fill("#own-game", "last-of-us");
    browser.click("#own-form button.strong");
    browser.await_text("#own-problem", "Line 2, column 7");
    page.fill("#own-text", &SAMPLE.replacen("area-0-sample", "mine", 1));
    browser.click("#own-form button.strong");
    browser.await_text("#area-title", "mine");
    browser.await_true("!document.querySelector('#own').open");
    browser.press(&[key::RIGHT]);
    browser.await_text("#plan-title", "1 step");
    // It is still there when the page is loaded again, and so are the steps.
    browser.run("location.reload()");
    browser.await_true(READY);
    browser.await_text("#area-title", "mine");
    browser.await_text("#plan-title", "1 step");
    page.assert_silent();
}

#[test]
fn a_plan_is_asked_for_and_watched() {
    let Some(page) = Page::open(Screen::Desktop, "#tab=solve") else { return };
    let browser = &page.browser;
    page.fill("#seconds", "60");
    browser.click("#solve-form button.strong");
    browser.await_text(".job", "Proven shortest");
    browser.await_text(".job .figure-value", "13");
    browser.click(".job summary");
    browser.await_text(".job .searches", "proven");
    browser.click(".job .strong");
    browser.await_text("#watch-at", "0 / 13 steps");
    page.assert_silent();
}

#[test]
fn a_certificate_is_asked_for_and_checked() {
    let Some(page) = Page::open(Screen::Desktop, "#tab=solve") else { return };
    let browser = &page.browser;
    page.fill("#seconds", "60");
    browser.click("#certify");
    browser.click("#solve-form button.strong");
    browser.await_text(".job .certified", "Certified: no plan is shorter than 13");
    let whole = "const { certificate, plan } = [...outwit.solve.jobs.values()][0].job.result; \
        return `${certificate.text}plan\\n${plan}`";
    let whole = browser.run(whole);
    let whole = whole.as_str().expect("a text");
    browser.click("#tab-check");
    page.fill("#check-text", whole);
    browser.click("#check-form button[value=check]");
    browser.await_text("#verdict", "Certified: no plan is shorter than 13");
    browser.await_text("#verdict", "no plan is shorter.");
    page.fill("#check-text", &whole.replace("than 13", "than 14"));
    browser.click("#check-form button[value=check]");
    browser.await_text("#verdict", "Not certified");
    page.fill("#check-text", &whole.replace("certificate 1", "certificate 9"));
    browser.click("#check-form button[value=check]");
    browser.await_text("#verdict", "only 1 is known");
    page.assert_silent();
}

#[test]
fn a_job_is_cancelled() {
    let hard = "last-of-us/caves-500x500-1008";
    let Some(page) = Page::area(Screen::Desktop, hard) else { return };
    let browser = &page.browser;
    browser.click("#tab-solve");
    page.fill("#seconds", "60");
    browser.click("#solve-form button.strong");
    browser.await_text(".job", "Searching");
    browser.await_true("document.querySelector('.job .figures')");
    browser.click(".job [data-name=cancel]");
    browser
        .await_true("['cancelled', 'done'].includes(document.querySelector('.job').dataset.state)");
    page.assert_silent();
}

#[test]
fn a_game_that_the_server_gave_up_goes_on() {
    let Some(page) = Page::open(Screen::Desktop, "") else { return };
    let browser = &page.browser;
    browser.press(&[key::RIGHT, key::RIGHT]);
    browser.await_text("#plan-title", "2 steps");
    let token = browser.run("return outwit.play.game.token");
    let path = format!("/v1/play/{}", token.as_str().expect("a token"));
    assert_eq!(http::send(&page.server.host, "DELETE", &path, &[], b"").status, 204);
    browser.press(&[key::RIGHT]);
    browser.await_text("#plan-title", "3 steps");
    assert_eq!(browser.run("return outwit.play.game.player"), json!([8, 4]));
    page.assert_silent();
}

#[test]
fn a_server_that_is_gone_is_told() {
    let Some(page) = Page::open(Screen::Desktop, "") else { return };
    let Page { browser, server, .. } = page;
    drop(server);
    browser.press(&[key::RIGHT]);
    browser.await_text("#status", "The server cannot be reached");
    browser.await_true("!document.querySelector('#offline').hidden");
}

#[test]
fn everything_is_reached_by_the_tab_key() {
    let Some(page) = Page::open(Screen::Desktop, "") else { return };
    let browser = &page.browser;
    // From the top of the page: a browser goes on from where it was, be it the area of the address.
    browser.run(
        "document.body.tabIndex = -1; document.body.focus(); \
         document.body.removeAttribute('tabindex'); window.reached = new Set()",
    );
    let mut order = Vec::new();
    for _ in 0..400 {
        browser.press(&[key::TAB]);
        let at = browser.run(
            "const it = document.activeElement; \
             const seen = it === document.body || window.reached.has(it); \
             window.reached.add(it); return seen ? null : it.id || it.className || it.tagName",
        );
        match at.as_str() {
            Some(at) => order.push(at.to_string()),
            None => break,
        }
    }
    for id in ["search", "own-open", "theme", "board", "tab-play", "throw", "step-text"] {
        assert!(order.iter().any(|one| one == id), "{id} is not among {order:?}");
    }
    page.assert_silent();
}

/// Chooses a file in a field for files, by its name and content.
fn choose_file(browser: &Browser, selector: &str, name: &str, bytes: &[u8]) {
    browser.run(&format!(
        "const files = new DataTransfer(); files.items.add(new File([new Uint8Array({})], {})); \
         const field = document.querySelector({selector:?}); \
         field.files = files.files; field.dispatchEvent(new Event('change'))",
        json!(bytes),
        json!(name),
    ));
}

#[test]
fn names_in_all_scripts_are_kept() {
    let folder = tempfile::tempdir().expect("a folder can be made");
    let games = folder.path().join("last-of-us");
    std::fs::create_dir(&games).expect("a folder can be made");
    std::fs::write(games.join("höhle 迷宮.txt"), SAMPLE).expect("an area can be written");
    let areas = folder.path().display().to_string();
    let place = "#area=last-of-us/h%C3%B6hle%20%E8%BF%B7%E5%AE%AE";
    let Some(page) = Page::serve(Screen::Desktop, &["--areas", &areas], place) else { return };
    let browser = &page.browser;
    browser.await_true(READY);
    assert_eq!(browser.text("#area-title"), "höhle 迷宮");
    // One's own, by the name of its file: on the board, in the address, and in what is saved.
    browser.click("#own-open");
    choose_file(browser, "#own-file", "Räume — пещера 洞窟.txt", SAMPLE.as_bytes());
    browser.await_true("document.querySelector('#own-text').value !== ''");
    browser.click("#own-form button.strong");
    browser.await_text("#area-title", "Räume — пещера 洞窟");
    let hash = browser.run("return new URLSearchParams(location.hash.slice(1)).get('name')");
    assert_eq!(hash, "Räume — пещера 洞窟");
    browser.run("location.reload()");
    browser.await_true(READY);
    assert_eq!(browser.text("#area-title"), "Räume — пещера 洞窟");
    browser.run("outwit.focusBoard()");
    browser.press(&[key::RIGHT]);
    browser.await_text("#plan-title", "1 step");
    browser.run(
        "HTMLAnchorElement.prototype.click = function () { window.saved = this.download }; \
         document.querySelector('#plan-save').click()",
    );
    browser.await_true("window.saved");
    assert_eq!(browser.run("return window.saved"), "Räume-—-пещера-洞窟.plan");
    // A level by its own title.
    browser.click("#own-open");
    let levels = "#####\n#@$.#\n#####\nTitle: One\n\n#####\n#.$@#\n#####\nTitle: Käfig 倉庫番\n";
    page.fill("#own-text", levels);
    page.fill("#own-game", "sokoban");
    page.fill("#own-level", "2");
    browser.click("#own-form button.strong");
    browser.await_text("#area-title", "Käfig 倉庫番");
    page.assert_silent();
}

#[test]
fn a_link_to_an_area_that_is_not_here_says_so() {
    let place = "#own=1x2y3z&name=H%C3%B6hle";
    let Some(page) = Page::serve(Screen::Desktop, &[], place) else { return };
    let browser = &page.browser;
    browser.await_text("#status", "“Höhle” is not here");
    browser.await_text("#absent", "kept only in the browser tab");
    let nothing = "!outwit.area && !outwit.board.game && document.querySelector('#desk').inert";
    browser.await_true(nothing);
    browser.await_true("document.querySelector('#area-list button')");
    browser.click("#area-list button");
    browser.await_true(READY);
    browser.await_true(
        "document.querySelector('#absent').hidden && !outwit.area.key.startsWith('own')",
    );
    let open = |name: &str| {
        browser.click("#own-open");
        page.fill("#own-text", &SAMPLE.replacen("area-0-sample", name, 1));
        page.fill("#own-game", "last-of-us");
        browser.click("#own-form button.strong");
        browser.await_text("#area-title", name);
        browser.await_true(&format!("decodeURIComponent(location.hash).includes('{name}')"));
        browser.run("return location.hash")
    };
    // Each link leads to its own area, whatever was opened since.
    let first = open("erste");
    open("zweite");
    browser.run(&format!("location.hash = {first}"));
    browser.await_text("#area-title", "erste");
    browser.run("location.hash = '#own=0&name=dritte'");
    browser.await_text("#area-title", "“dritte” is not here");
    browser.await_true(nothing);
    browser.run("location.hash = '#area=last-of-us/nowhere'");
    browser.await_text("#absent", "nowhere");
    browser.run("history.back()");
    browser.await_text("#area-title", "“dritte” is not here");
    page.go("sokoban/hand-stacks");
    page.assert_silent();
}

#[test]
fn nothing_is_won_beside_a_plan_that_is_not_valid() {
    let Some(page) = Page::open(Screen::Desktop, "") else { return };
    let browser = &page.browser;
    let steps: Vec<&str> = SAMPLE_PLAN.lines().skip(1).collect();
    browser.run(&format!("outwit.play.act(...{})", json!(steps)));
    browser.await_text("#facts", "won");
    // It reaches the exit, and goes on.
    let plan = format!("{}\n{}\nw 0 0\n", steps.len() + 1, steps.join("\n"));
    browser.click("#tab-check");
    page.fill("#check-text", &plan);
    browser.click("#check-form button[value=check]");
    browser.await_text("#verdict", "Not valid");
    let plates = browser.text("#facts");
    assert!(!plates.contains("won"), "{plates}");
    browser.click("#show-failure");
    browser.await_text("#status", "is refused");
    browser.await_text("#facts", "refused");
    let plates = browser.text("#facts");
    assert!(!plates.contains("won"), "{plates}");
    browser.click("#tab-play");
    browser.await_text("#facts", "won");
    page.assert_silent();
}

/// How many pixels of the board have the colour of a role.
fn pixels(browser: &Browser, role: &str) -> u64 {
    let script = format!(
        "const {{ board }} = outwit; board.drawNow(); \
         const [r, g, b] = [1, 3, 5].map((at) => parseInt(board.palette['{role}'].slice(at, at + 2), 16)); \
         const {{ data }} = board.context.getImageData(0, 0, board.canvas.width, board.canvas.height); \
         let count = 0; \
         for (let i = 0; i < data.length; i += 4) count += data[i] === r && data[i + 1] === g && data[i + 2] === b; \
         return count"
    );
    browser.run(&script).as_u64().expect("a count")
}

#[test]
fn the_dark_hides_what_was_not_seen_and_shows_the_rest() {
    let Some(page) = Page::area(Screen::Desktop, "labyrinth/class-5-maze-3") else { return };
    let browser = &page.browser;
    browser.run("document.querySelector('#board-words').open = true");
    let areas = ["class-2-box-1", "class-5-maze-3", "class-7-spiral-5", "class-10-blob-12"];
    for area in areas {
        page.go(&format!("labyrinth/{area}"));
        browser.run("outwit.board.fit()");
        assert!(pixels(browser, "Goal") > 0, "{area}: by day the exit is seen");
        browser.click("#dark");
        browser.await_true("outwit.board.fog");
        browser.await_text("#status", "It is dark");
        for tab in ["solve", "check", "play"] {
            browser.click(&format!("#tab-{tab}"));
            browser.run("outwit.board.fit()");
            assert_eq!(pixels(browser, "Goal"), 0, "{area}, {tab}: the exit is seen in the dark");
            assert!(pixels(browser, "Player") > 50, "{area}, {tab}: the board is blank");
        }
        let words = browser.text("#board-text") + &browser.text("#legend");
        assert!(!words.contains('E') && !words.contains("exit"), "{area}: {words}");
        assert!(words.contains("?O?"), "{area}: {words}");
        browser.run("outwit.play.act('look around')");
        browser.await_text("#plan-title", "1 step");
        browser.await_true(
            "outwit.board.known(outwit.play.game.player[0] - 1, outwit.play.game.player[1])",
        );
        assert!(pixels(browser, "floor") > 200, "{area}: what was seen is not shown");
        browser.click("#dark");
    }
    // Who looks along its row sees the exit, and nothing behind it.
    page.go("labyrinth/class-2-box-1");
    browser.click("#dark");
    browser.run(
        "const { game } = outwit.play, exit = game.setup.goal, [row, col] = game.player; \
         const [down, across] = [exit[0] - row, exit[1] - col]; \
         outwit.play.act(`walk ${down < 0 ? 'north' : 'south'} ${Math.abs(down)}`, \
           `look ${across < 0 ? 'west' : 'east'} ${Math.abs(across) + 5}`)",
    );
    browser.await_true("outwit.board.known(...outwit.play.game.setup.goal)");
    browser.run("outwit.board.fit()");
    assert!(pixels(browser, "Goal") > 0, "the exit was seen");
    let beyond = "const [row, col] = outwit.play.game.setup.goal; \
        return [1, -1].map((step) => outwit.board.known(row, col + step))";
    assert_eq!(
        browser
            .run(beyond)
            .as_array()
            .map(|sides| sides.iter().filter(|it| **it == json!(true)).count()),
        Some(1)
    );
    page.assert_silent();
}

#[test]
fn the_form_knows_the_limits_of_the_site() {
    let options = ["--max-time", "7", "--max-memory", "96", "--max-threads", "3"];
    let Some(page) = Page::serve(Screen::Desktop, &options, "#tab=solve") else { return };
    let browser = &page.browser;
    browser.await_true(READY);
    let field = |id: &str| {
        let script =
            format!("const it = document.querySelector('#{id}'); return [it.value, it.max]");
        browser.run(&script)
    };
    assert_eq!(field("seconds"), json!(["7", "7"]));
    assert_eq!(field("memory"), json!(["96", "96"]));
    assert_eq!(field("threads"), json!(["1", "3"]));
    assert_eq!(browser.text("#seconds-most"), "up to 7");
    page.fill("#seconds", "8");
    browser.click("#solve-form button.strong");
    let invalid =
        "return [...document.querySelectorAll('#solve-form :invalid')].map((it) => it.id)";
    assert_eq!(browser.run(invalid), json!(["seconds"]));
    assert_eq!(browser.text("#jobs"), "", "nothing was asked for");
    page.fill("#seconds", "7");
    browser.click("#solve-form button.strong");
    browser.await_text(".job", "7 s · 96 MiB");
    browser.click("#own-open");
    page.fill("#own-text", &"#".repeat((1 << 20) + 1));
    browser.click("#own-form button.strong");
    browser.await_text("#own-problem", "areas up to 1 MiB are taken here");
    page.assert_silent();
}

#[test]
fn progress_moves_while_the_search_says_nothing() {
    let place = "#area=last-of-us/caves-500x500-1008&tab=solve";
    // The search outlasts the test, however busy the machine is.
    let Some(page) = Page::serve(Screen::Desktop, &["--max-time", "3600"], place) else { return };
    let browser = &page.browser;
    browser.await_true(READY);
    page.fill("#seconds", "3600");
    browser.click("#solve-form button.strong");
    browser.await_true("document.querySelector('.job progress').value > 0");
    // From now on no news comes, as within one phase of a search.
    browser.run("for (const job of outwit.solve.jobs.values()) job.unfollow()");
    let bar = "document.querySelector('.job progress').value";
    for _ in 0..3 {
        let before = browser.run(&format!("return {bar}"));
        let before = before.as_f64().expect("a number");
        assert!(before < 1.0, "an hour is not over");
        browser.await_true(&format!("{bar} > {before}"));
    }
    browser.await_text(".job .spent", " s");
    page.assert_silent();
}

#[test]
fn a_wrong_token_is_told_from_a_missing_one() {
    let folder = tempfile::tempdir().expect("a folder can be made");
    let file = folder.path().join("token");
    std::fs::write(&file, "open sesame\n").expect("a token can be written");
    let options = ["--token-file", &file.display().to_string()];
    let Some(page) = Page::serve(Screen::Desktop, &options, "#tab=solve") else { return };
    let browser = &page.browser;
    browser.await_true(READY);
    browser.await_text("#solve-form .guarded:not([hidden])", "token");
    page.fill("#seconds", "60");
    browser.click("#solve-form button.strong");
    let asks =
        "document.querySelector('#token').open && document.querySelector('#token-wrong').hidden";
    browser.await_true(asks);
    for _ in 0..5 {
        page.fill("#token-text", "open sesam");
        browser.click("#token button.strong");
        browser.await_true("document.querySelector('#token').open && document.querySelector('#token-text').value === ''");
        browser.await_true("!document.querySelector('#token-wrong').hidden");
    }
    page.fill("#token-text", "open sesame");
    browser.click("#token button.strong");
    browser.await_text(".job", "Proven shortest");
    page.assert_silent();
}
