//! A real browser for a test: headless Chromium, driven through chromedriver by the WebDriver
//! protocol. Where either is missing there is none, and the test says that it is skipped.

use crate::http;
use serde_json::{Value, json};
use std::io::{BufRead, BufReader};
use std::process::{Child, Command, Stdio};
use std::sync::LazyLock;
use std::time::{Duration, Instant};

/// Upper limit of the starts of a driver until one finds a port.
const DRIVER_STARTS: u32 = 5;
/// Nothing that is waited for takes longer than this.
const PATIENCE: Duration = Duration::from_secs(90);
/// How often it is looked whether it has come.
const GLANCE: Duration = Duration::from_millis(50);

/// Headless, without a sandbox (tests may run as root), and silent on the network.
const FLAGS: [&str; 9] = [
    "--headless",
    "--no-sandbox",
    "--disable-gpu",
    "--disable-dev-shm-usage",
    "--disable-quic",
    "--no-first-run",
    "--disable-background-networking",
    "--disable-component-update",
    "--disable-sync",
];

/// Keys that have no character, as WebDriver writes them.
pub mod key {
    pub const UP: char = '\u{e013}';
    pub const DOWN: char = '\u{e015}';
    pub const LEFT: char = '\u{e012}';
    pub const RIGHT: char = '\u{e014}';
    pub const ENTER: char = '\u{e007}';
    pub const END: char = '\u{e010}';
    pub const HOME: char = '\u{e011}';
    pub const TAB: char = '\u{e004}';
}

/// How large the window is, and whether it is a phone's.
#[derive(Clone, Copy, PartialEq, Eq)]
pub enum Screen {
    Desktop,
    Phone,
}

/// A browser with one window.
pub struct Browser {
    screen: Screen,
    driver: Child,
    host: String,
    session: String,
    /// The browser's process.
    process: Option<u64>,
    _profile: tempfile::TempDir,
}

impl Browser {
    /// Starts one; `None`, and a line that says so, where there is no Chromium.
    pub fn start(screen: Screen) -> Option<Browser> {
        static IS_THERE: LazyLock<bool> = LazyLock::new(programs_are_there);
        if !*IS_THERE {
            println!("skipped: there is no Chromium (scripts/test installs it on Debian)");
            return None;
        }
        let (driver, host) = start_driver();
        let profile = tempfile::tempdir().expect("a folder can be made");
        let mut args: Vec<String> = FLAGS.map(String::from).to_vec();
        args.push(format!("--user-data-dir={}", profile.path().display()));
        let mut options = json!({});
        match screen {
            Screen::Desktop => args.push("--window-size=1400,900".into()),
            Screen::Phone => {
                let metrics =
                    json!({ "width": 360, "height": 740, "pixelRatio": 2, "touch": true });
                options["mobileEmulation"] = json!({ "deviceMetrics": metrics });
            }
        }
        options["args"] = json!(args);
        let wanted = json!({ "browserName": "chrome", "goog:chromeOptions": options,
            "goog:loggingPrefs": { "browser": "ALL" } });
        let session = String::new();
        let mut browser =
            Browser { screen, driver, host, session, process: None, _profile: profile };
        let began = browser.ask("POST", "", json!({ "capabilities": { "alwaysMatch": wanted } }));
        browser.session = format!("/{}", began["sessionId"].as_str().expect("a session"));
        browser.process = began["capabilities"]["goog:processID"].as_u64();
        let patience = json!({ "script": PATIENCE.as_millis() as u64 });
        browser.ask("POST", "/timeouts", patience);
        Some(browser)
    }

    /// The screen that the browser shows pages on.
    pub fn screen(&self) -> Screen {
        self.screen
    }

    /// Replaces its tab with an empty one, and clears the stored data of the page, the console and all settings
    /// of the tab.
    pub fn forget(&self) {
        let origin = self.run("return location.origin");
        let stored = json!({ "origin": origin, "storageTypes": "all" });
        self.devtools("Storage.clearDataForOrigin", stored);
        let tab = self.ask("POST", "/window/new", json!({ "type": "tab" }));
        self.ask("DELETE", "/window", Value::Null);
        self.ask("POST", "/window", json!({ "handle": tab["handle"] }));
        self.complaints();
    }

    /// Sends a command and gives its value.
    fn ask(&self, method: &str, command: &str, body: Value) -> Value {
        let path = format!("/session{}{command}", self.session);
        let body = if method == "POST" { body.to_string() } else { String::new() };
        let headers = ["content-type: application/json; charset=utf-8"];
        let answer = http::send(&self.host, method, &path, &headers, body.as_bytes());
        assert_eq!(answer.status, 200, "{command}: {}", answer.text());
        answer.json()["value"].take()
    }

    /// Opens an address.
    pub fn open(&self, url: &str) {
        self.ask("POST", "/url", json!({ "url": url }));
    }

    /// Runs a script in the page and gives what it returns.
    pub fn run(&self, script: &str) -> Value {
        self.ask("POST", "/execute/sync", json!({ "script": script, "args": [] }))
    }

    /// Runs a script that ends when it calls `done` with what it gives.
    pub fn run_until_done(&self, script: &str) -> Value {
        let script = format!("const done = arguments[0]; {script}");
        self.ask("POST", "/execute/async", json!({ "script": script, "args": [] }))
    }

    /// Gives the page so much room, in pixels; a phone's where it is narrow or low.
    pub fn resize(&self, [width, height]: [u32; 2]) {
        let mobile = width.min(height) < 500;
        let metrics = json!({ "width": width, "height": height, "deviceScaleFactor": 1,
            "mobile": mobile, "screenWidth": width, "screenHeight": height });
        self.devtools("Emulation.setDeviceMetricsOverride", metrics);
        self.devtools("Emulation.setTouchEmulationEnabled", json!({ "enabled": mobile }));
        // A page that is too wide for a phone has more room inside than the screen.
        self.await_true(&format!("screen.width === {width} && innerWidth >= {width}"));
    }

    /// Sets the colours that the system is said to have, `light` or `dark`.
    pub fn set_scheme(&self, scheme: &str) {
        let feature = json!({ "name": "prefers-color-scheme", "value": scheme });
        self.devtools("Emulation.setEmulatedMedia", json!({ "features": [feature] }));
        self.await_true(&format!("document.documentElement.dataset.theme === '{scheme}'"));
    }

    /// Sends a command of Chromium's own protocol.
    fn devtools(&self, command: &str, params: Value) {
        self.ask("POST", "/goog/cdp/execute", json!({ "cmd": command, "params": params }));
    }

    /// The text of an element.
    pub fn text(&self, selector: &str) -> String {
        let script = format!("return document.querySelector({selector:?}).textContent");
        self.run(&script).as_str().unwrap_or_default().to_string()
    }

    /// Waits until an expression in the page is true.
    pub fn await_true(&self, expression: &str) {
        let started = Instant::now();
        let script = format!("try {{ return Boolean({expression}) }} catch {{ return false }}");
        while self.run(&script) != json!(true) {
            let status = "return document.querySelector('#status')?.textContent";
            assert!(
                started.elapsed() < PATIENCE,
                "it does not come: {expression}; the page says {}",
                self.run(status)
            );
            std::thread::sleep(GLANCE);
        }
    }

    /// Waits until an element's text has a part.
    pub fn await_text(&self, selector: &str, part: &str) {
        self.await_true(&format!(
            "document.querySelector({selector:?}).textContent.includes({part:?})"
        ));
    }

    /// Clicks an element, as a user would: it has to be seen, and nothing in front of it.
    pub fn click(&self, selector: &str) {
        let wish = json!({ "using": "css selector", "value": selector });
        let found = self.ask("POST", "/element", wish);
        let id = found.as_object().and_then(|it| it.values().next()?.as_str()).expect("an id");
        self.ask("POST", &format!("/element/{id}/click"), json!({}));
    }

    /// Presses keys one after the other.
    pub fn press(&self, keys: &[char]) {
        let strokes = keys.iter().flat_map(|key| {
            ["keyDown", "keyUp"].map(|kind| json!({ "type": kind, "value": key.to_string() }))
        });
        let strokes: Vec<Value> = strokes.collect();
        let source = json!({ "type": "key", "id": "keyboard", "actions": strokes });
        self.ask("POST", "/actions", json!({ "actions": [source] }));
    }

    /// Presses and lifts a pointer (`mouse` or `touch`) at a point of the window.
    pub fn tap(&self, pointer: &str, [x, y]: [i64; 2]) {
        let actions = json!([
            { "type": "pointerMove", "duration": 0, "x": x, "y": y },
            { "type": "pointerDown", "button": 0 },
            { "type": "pointerUp", "button": 0 },
        ]);
        let source = json!({ "type": "pointer", "id": pointer, "actions": actions,
            "parameters": { "pointerType": pointer } });
        self.ask("POST", "/actions", json!({ "actions": [source] }));
    }

    /// Draws a finger from one point of the window to another.
    pub fn swipe(&self, from: [i64; 2], to: [i64; 2]) {
        self.drag("touch", from, to);
    }

    /// Draws a pointer (`mouse` or `touch`) from one point of the window to another.
    pub fn drag(&self, pointer: &str, [x, y]: [i64; 2], [to_x, to_y]: [i64; 2]) {
        let actions = json!([
            { "type": "pointerMove", "duration": 0, "x": x, "y": y },
            { "type": "pointerDown", "button": 0 },
            { "type": "pointerMove", "duration": 60, "x": to_x, "y": to_y },
            { "type": "pointerUp", "button": 0 },
        ]);
        let source = json!({ "type": "pointer", "id": pointer, "actions": actions,
            "parameters": { "pointerType": pointer } });
        self.ask("POST", "/actions", json!({ "actions": [source] }));
    }

    /// What the console complains about: errors of scripts, breaches of the content security
    /// policy. That a request was answered with a status of the fours is the page's business.
    pub fn complaints(&self) -> Vec<String> {
        let log = self.ask("POST", "/se/log", json!({ "type": "browser" }));
        let entries = log.as_array().cloned().unwrap_or_default();
        let severe = entries.iter().filter(|entry| entry["level"] == "SEVERE");
        let messages = severe.map(|entry| entry["message"].as_str().unwrap_or("?").to_string());
        messages.filter(|message| !message.contains("responded with a status of 4")).collect()
    }
}

impl Drop for Browser {
    fn drop(&mut self) {
        // After a failure the driver may not answer any more, and would leave its browser behind.
        match self.process {
            Some(process) if std::thread::panicking() => {
                let _ = Command::new("kill").arg(process.to_string()).status();
            }
            Some(_) => {
                http::send(&self.host, "DELETE", &format!("/session{}", self.session), &[], b"");
            }
            None => {}
        }
        let _ = Command::new("kill").arg(self.driver.id().to_string()).status();
        let _ = self.driver.wait();
    }
}

/// Whether Chromium and its driver start; prints the name of one that does not.
fn programs_are_there() -> bool {
    ["chromium", "chromedriver"].iter().all(|program| {
        let found = Command::new(program).arg("--version").output();
        let is_there = found.is_ok_and(|output| output.status.success());
        if !is_there {
            println!("{program} does not start");
        }
        is_there
    })
}

/// Starts chromedriver on a port that is free, and gives its host.
fn start_driver() -> (Child, String) {
    (0..DRIVER_STARTS).find_map(|_| try_driver()).expect("chromedriver says its port")
}

/// The same, once. The driver takes a free port of one protocol, then the same of the other, and ends where
/// somebody else was there first.
fn try_driver() -> Option<(Child, String)> {
    let mut driver = Command::new("chromedriver")
        .arg("--port=0")
        .stdin(Stdio::null())
        .stdout(Stdio::piped())
        .stderr(Stdio::null())
        .spawn()
        .expect("chromedriver starts");
    let mut told = BufReader::new(driver.stdout.take().expect("stdout is piped"));
    let port = loop {
        let mut line = String::new();
        if told.read_line(&mut line).expect("stdout can be read") == 0 {
            driver.wait().expect("it has ended");
            return None;
        }
        if let Some((_, port)) = line.trim_end().rsplit_once("successfully on port ") {
            break port.trim_end_matches('.').to_string();
        }
    };
    std::thread::spawn(move || std::io::copy(&mut told, &mut std::io::sink()));
    Some((driver, format!("127.0.0.1:{port}")))
}
