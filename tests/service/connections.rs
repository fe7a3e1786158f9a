//! Clients that keep the server waiting: who shuts nobody out, and who is hung up on.

use crate::harness::{SAMPLE, Server, Store, on_each_store};
use crate::http::{self, read, read_head};
use serde_json::json;
use std::io::{BufReader, Read, Write};
use std::net::TcpStream;
use std::time::{Duration, Instant};

/// Nothing that is waited for takes longer than this.
const PATIENCE: Duration = Duration::from_secs(60);
/// How a connection of HTTP/2 begins.
const PREFACE: &[u8] = b"PRI * HTTP/2.0\r\n\r\nSM\r\n\r\n";
/// A large text.
const LARGE: &str = "/v1/areas/last-of-us/caves-500x500-1008/text";

/// A server on a store of its own, which goes with it.
struct Own {
    server: Server,
    _store: Store,
}

impl std::ops::Deref for Own {
    type Target = Server;
    fn deref(&self) -> &Server {
        &self.server
    }
}

fn start(args: &[&str]) -> Own {
    let store = Store::in_folder(tempfile::tempdir().expect("a folder can be made"));
    let args = [&["--workers", "0"], args].concat();
    Own { server: Server::start(&store, &args), _store: store }
}

fn connect(server: &Server, first: &[u8]) -> TcpStream {
    let mut stream = TcpStream::connect(&server.host).expect("the server is there");
    stream.set_read_timeout(Some(PATIENCE)).expect("a timeout can be set");
    stream.write_all(first).expect("it can be sent");
    stream
}

/// A frame of HTTP/2.
fn frame(kind: u8, flags: u8, stream: u32, payload: &[u8]) -> Vec<u8> {
    let length = (payload.len() as u32).to_be_bytes();
    let mut frame = vec![length[1], length[2], length[3], kind, flags];
    frame.extend(stream.to_be_bytes());
    frame.extend(payload);
    frame
}

/// Reads to the end, whatever comes; a reset is an end, too.
fn await_end(stream: &mut TcpStream) {
    let mut bytes = [0; 4096];
    while let Ok(read) = stream.read(&mut bytes) {
        if read == 0 {
            return;
        }
    }
    let error = stream.read(&mut bytes).err().map(|error| error.kind());
    assert!(error != Some(std::io::ErrorKind::WouldBlock), "the server does not hang up");
}

#[test]
fn who_sends_no_whole_request_is_hung_up_on() {
    let server = start(&["--patience", "1"]);
    let settings = frame(4, 0, 0, &[]);
    let beginnings: [&[u8]; 6] = [
        b"",
        b"G",
        b"GET / HTTP/1.1\r\nhost: localhost\r\n",
        &PREFACE[..10],
        PREFACE,
        &[PREFACE, &settings].concat(),
    ];
    let mut streams: Vec<_> = beginnings.iter().map(|first| connect(&server, first)).collect();
    for (stream, first) in streams.iter_mut().zip(beginnings) {
        println!("begins with {} bytes", first.len());
        await_end(stream);
        assert_eq!(server.get("/healthz").status, 200);
    }
}

#[test]
fn who_goes_on_sending_a_byte_now_and_then_is_hung_up_on() {
    let server = start(&["--patience", "1"]);
    let mut stream = connect(&server, b"GET / HTTP/1.1\r\nhost: localhost\r\nx: ");
    let started = Instant::now();
    while stream.write_all(b"x").is_ok() {
        assert!(started.elapsed() < PATIENCE, "the server listens on");
        std::thread::sleep(Duration::from_millis(100));
    }
}

#[test]
fn a_slow_body_is_refused_with_408_and_a_long_one_with_413_at_once() {
    let server = start(&["--patience", "1"]);
    let post = |headers: &str, body: &str| {
        let head = format!(
            "POST /v1/verify HTTP/1.1\r\nhost: localhost\r\n\
             content-type: application/json\r\n{headers}\r\n\r\n{body}"
        );
        read(&mut BufReader::new(connect(&server, head.as_bytes())))
    };
    post("content-length: 100", "{\"plan\":").problem(408, "too-slow");
    // Not a byte of it was sent, and the answer is there.
    post("content-length: 4194305", "").problem(413, "too-large");
    let chunks = format!("500001\r\n{}", " ".repeat(0x50_0001));
    post("transfer-encoding: chunked", &chunks).problem(413, "too-large");
    post("content-length: 2\r\ncontent-encoding: gzip", "{}").problem(415, "bad-request");
    post("content-length: 2\r\ncontent-encoding: rot13", "{}").problem(415, "bad-request");
    post("content-length: 2\r\ncontent-encoding: identity", "{}").problem(400, "bad-request");
    assert_eq!(server.get("/healthz").status, 200);
}

#[test]
fn a_full_house_lets_newcomers_in() {
    let limits = ["--max-connections", "20", "--max-connections-each", "20"];
    let each = ["--max-connections", "1000", "--max-connections-each", "10"];
    for limits in [limits, each] {
        let server = start(&[&["--patience", "600"], &limits[..]].concat());
        let asked = format!("GET {LARGE} HTTP/1.1\r\nhost: localhost\r\n\r\n").repeat(100);
        let mut sitting = Vec::new();
        for number in 0..60 {
            let first = if number % 2 == 0 { b"" } else { asked.as_bytes() };
            sitting.push(connect(&server, first));
            if number % 5 == 0 {
                for path in ["/healthz", "/v1/games"] {
                    assert_eq!(
                        status_once_let_in(&server, path),
                        200,
                        "{path}, {number}, {limits:?}"
                    );
                }
            }
        }
        let open = connections(&server);
        assert!((2.0..=20.0).contains(&open), "{open} {limits:?}");
        drop(sitting);
    }
}

/// The status of an answer to a client who comes again while the house is full and nobody in it was quiet for long enough.
fn status_once_let_in(server: &Server, path: &str) -> u16 {
    let started = Instant::now();
    loop {
        let status = server.get(path).status;
        if status != 503 || started.elapsed() > PATIENCE {
            return status;
        }
        std::thread::sleep(Duration::from_millis(50));
    }
}

/// How many connections the server has open, this one's included.
fn connections(server: &Server) -> f64 {
    let metrics = server.get("/metrics").text();
    let line = metrics.lines().find(|line| line.starts_with("outwit_connections "));
    let count = line.and_then(|line| line.rsplit(' ').next()).and_then(|count| count.parse().ok());
    count.unwrap_or_else(|| panic!("it is not told: {metrics}"))
}

#[test]
fn who_never_reads_an_answer_is_hung_up_on() {
    let server = start(&["--patience", "1"]);
    // More than the buffers of both sides hold.
    let asked = format!("GET {LARGE} HTTP/1.1\r\nhost: localhost\r\n\r\n").repeat(200);
    let unread: Vec<_> = (0..8).map(|_| connect(&server, asked.as_bytes())).collect();
    let started = Instant::now();
    while connections(&server) > 1.0 {
        assert!(started.elapsed() < PATIENCE, "{} stay", connections(&server));
        std::thread::sleep(Duration::from_millis(100));
    }
    let whole = 200 * server.get(LARGE).body.len();
    for mut stream in unread {
        let mut came = Vec::new();
        // What was on its way comes; then the end, or a reset.
        let _ = stream.read_to_end(&mut came);
        assert!((1..whole).contains(&came.len()), "{} of {whole} bytes came", came.len());
    }
}

#[test]
fn who_opens_no_window_of_http_2_is_hung_up_on_though_it_answers_pings() {
    let server = start(&["--patience", "1"]);
    // SETTINGS_INITIAL_WINDOW_SIZE is 0: no stream may send a byte.
    let settings = frame(4, 0, 0, &[0, 4, 0, 0, 0, 0]);
    // GET http://localhost/, as HPACK has it.
    let ask = frame(1, 0x5, 1, b"\x82\x86\x84\x41\x09localhost");
    let mut stream = connect(&server, &[PREFACE, &settings, &ask].concat());
    let (mut pings, mut answered) = (0, false);
    let started = Instant::now();
    let mut head = [0; 9];
    while stream.read_exact(&mut head).is_ok() {
        assert!(started.elapsed() < PATIENCE, "the server waits on");
        let length = u32::from_be_bytes([0, head[0], head[1], head[2]]);
        let mut payload = vec![0; length as usize];
        if stream.read_exact(&mut payload).is_err() {
            break;
        }
        match (head[3], head[4]) {
            (1, _) => answered = true,
            (6, 0) => {
                pings += 1;
                let _ = stream.write_all(&frame(6, 1, 0, &payload));
            }
            _ => {}
        }
    }
    println!("{pings} pings");
    assert!(answered, "the head of the answer came");
}

#[test]
fn http_2_is_spoken() {
    let server = start(&[]);
    let ask = frame(1, 0x5, 1, b"\x82\x86\x84\x41\x09localhost");
    let mut stream = connect(&server, &[PREFACE, &frame(4, 0, 0, &[]), &ask].concat());
    let (mut content, mut head) = (0, [0; 9]);
    loop {
        stream.read_exact(&mut head).expect("frames come");
        let length = u32::from_be_bytes([0, head[0], head[1], head[2]]);
        let mut payload = vec![0; length as usize];
        stream.read_exact(&mut payload).expect("the frame is whole");
        if head[3] == 0 {
            content += payload.len();
            if head[4] & 1 == 1 {
                break;
            }
        }
    }
    assert_eq!(content, server.get("/").body.len());
}

#[test]
fn only_its_own_names_are_served_on_a_loopback_address() {
    let server = start(&[]);
    let status =
        |request: &str| read_head(&mut BufReader::new(connect(&server, request.as_bytes()))).0;
    let ask = |host: &str| status(&format!("GET /v1/games HTTP/1.1\r\nhost: {host}\r\n\r\n"));
    assert_eq!((ask("localhost"), ask("127.0.0.1:80"), ask("[::1]")), (200, 200, 200));
    assert_eq!((ask("evil.example"), ask("localhost.evil.example:80")), (421, 421));
    assert_eq!((ask(""), ask("a\r\nhost: b")), (400, 400));
    assert_eq!(status("GET /v1/games HTTP/1.1\r\n\r\n"), 400);
    assert_eq!(status("GET /v1/games HTTP/1.0\r\n\r\n"), 200);
    let server = start(&["--listen", "localhost:0", "--allow-host", "plans.example"]);
    let ask = |host: &str| {
        let request = format!("GET /v1/games HTTP/1.1\r\nhost: {host}\r\n\r\n");
        read_head(&mut BufReader::new(connect(&server, request.as_bytes()))).0
    };
    assert_eq!((ask("plans.example"), ask("localhost"), ask("evil.example")), (200, 200, 421));
}

#[test]
fn the_clients_of_a_trusted_proxy_are_told_apart() {
    let send = |server: &Server, header: &str| {
        http::send(&server.host, "GET", "/v1/openapi.json", &[header], b"").status
    };
    let from = |server: &Server, client: &str| send(server, &format!("x-forwarded-for: {client}"));
    let refused = |server: &Server, client: &str| {
        (0..40).map(|_| from(server, client)).filter(|&status| status == 429).count()
    };
    let server = start(&["--rate", "1", "--trust-forwarded", "127.0.0.0/8"]);
    assert!(refused(&server, "1.2.3.4") > 0);
    assert_eq!(from(&server, "1.2.3.5"), 200, "another client");
    assert_eq!(from(&server, "2001:db8::1"), 200, "another one");
    let trusted = ["--rate", "1", "--trust-forwarded", "127.0.0.1"];
    let server = start(&[&trusted[..], &["--forwarded-header", "forwarded"]].concat());
    let for_one = "forwarded: for=6.6.6.6, for=\"1.2.3.4:80\";proto=http";
    assert!((0..40).any(|_| send(&server, for_one) == 429));
    assert_eq!(send(&server, "forwarded: for=1.2.3.5"), 200, "another client");
    assert!((0..40).any(|last| from(&server, &format!("1.2.4.{last}")) == 429), "not this header");
    let server = start(&["--rate", "1"]);
    assert!(refused(&server, "1.2.3.4") > 0);
    let others = (0..40).map(|last| from(&server, &format!("1.2.4.{last}")));
    assert!(others.filter(|&status| status == 429).count() > 20, "it is one client all the same");
}

#[test]
fn who_asks_for_the_health_among_those_that_wait_is_answered() {
    // Places for two, and both have something in hand: a job is followed.
    let server = start(&["--max-connections", "2"]);
    let body = json!({ "area": { "text": SAMPLE }, "budget": { "seconds": 60.0 } });
    let job = server.post("/v1/jobs", &body).expect(202);
    let path = format!("/v1/jobs/{}/events", job["id"].as_str().unwrap());
    let followers: Vec<_> =
        (0..2).map(|_| http::open(&server.host, "GET", &path, &[], b"")).collect();
    for _ in 0..10 {
        let answer = server.get("/healthz");
        assert_eq!((answer.status, answer.header("connection")), (200, Some("close")));
    }
    drop(followers);
}

#[test]
fn what_a_client_has_is_not_sent_again() {
    on_each_store(|store| {
        let server = Server::start(store, &["--workers", "0"]);
        let area = "/v1/areas/last-of-us/area-0-sample";
        let text = format!("{area}/text");
        for path in ["/", "/app.js", "/v1/openapi.json", LARGE, &text] {
            let get = |headers: &[&str]| http::send(&server.host, "GET", path, headers, b"");
            let plain = get(&[]);
            assert_eq!((plain.status, plain.header("content-encoding")), (200, None), "{path}");
            let tag = plain.header("etag").expect("it has a tag").to_string();
            for encoding in ["gzip", "gzip;q=0.5, br"] {
                let packed = get(&[&format!("accept-encoding: {encoding}")]);
                assert_eq!(packed.header("etag"), Some(tag.as_str()));
                let mut content = Vec::new();
                if packed.header("content-encoding") == Some("gzip") {
                    let mut gzip = flate2::read::GzDecoder::new(&packed.body[..]);
                    gzip.read_to_end(&mut content).expect("it is gzip");
                    assert!(packed.body.len() < plain.body.len());
                } else {
                    assert!(plain.body.len() < 1024, "{path} is packed");
                    content = packed.body;
                }
                assert!(content == plain.body, "{path}: what is packed is the same");
            }
            let same = get(&[&format!("if-none-match: \"other\", {tag}")]);
            assert_eq!((same.status, same.body.len()), (304, 0), "{path}");
            assert_eq!(same.header("etag"), Some(tag.as_str()));
            assert_eq!(get(&["if-none-match: \"other\""]).status, 200);
            let head = http::send_head(&server.host, path);
            assert_eq!(head.status, 200);
            assert_eq!(head.header("content-length"), plain.header("content-length"), "{path}");
        }
        let posted = json!({ "area": { "text": SAMPLE }, "plan": "0\n" });
        assert_eq!(server.post("/v1/verify", &posted).header("etag"), None);
    });
}
