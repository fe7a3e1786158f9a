//! As much of an HTTP client as the tests need, on a plain socket.

use serde_json::Value;
use std::io::{BufRead, BufReader, Read, Write};
use std::net::TcpStream;
use std::time::Duration;

/// Nothing here takes longer than this.
const PATIENCE: Duration = Duration::from_secs(60);

/// An answer, read to its end.
#[derive(Debug)]
pub struct Answer {
    pub status: u16,
    pub headers: Vec<(String, String)>,
    pub body: Vec<u8>,
}

impl Answer {
    pub fn header(&self, name: &str) -> Option<&str> {
        let found = self.headers.iter().find(|(one, _)| one.eq_ignore_ascii_case(name));
        found.map(|(_, value)| value.as_str())
    }

    pub fn text(&self) -> String {
        String::from_utf8(self.body.clone()).expect("the body is text")
    }

    pub fn json(&self) -> Value {
        serde_json::from_slice(&self.body).unwrap_or_else(|error| {
            panic!("{error}: {} {}", self.status, String::from_utf8_lossy(&self.body))
        })
    }

    /// The JSON of an answer that has to have a status.
    pub fn expect(self, status: u16) -> Value {
        assert_eq!(self.status, status, "{}", String::from_utf8_lossy(&self.body));
        self.json()
    }

    /// The problem of an answer that has to be one.
    pub fn problem(self, status: u16, kind: &str) -> Value {
        assert_eq!(self.header("content-type"), Some("application/problem+json"), "{self:?}");
        let problem = self.expect(status);
        assert_eq!(problem["type"], format!("/problems/{kind}"), "{problem}");
        assert_eq!(problem["status"], status);
        problem
    }
}

/// Sends a request and reads the whole answer.
pub fn send(host: &str, method: &str, path: &str, headers: &[&str], body: &[u8]) -> Answer {
    let mut stream = open(host, method, path, headers, body);
    read(&mut stream)
}

/// Sends a request to a server that may be away; none where no whole answer comes.
pub fn try_send(
    host: &str,
    method: &str,
    path: &str,
    headers: &[&str],
    body: &[u8],
) -> Option<Answer> {
    let mut stream = TcpStream::connect(host).ok()?;
    stream.set_read_timeout(Some(PATIENCE)).ok()?;
    stream.write_all(&head(host, method, path, headers, body.len())).ok()?;
    stream.write_all(body).ok()?;
    let mut answer = Vec::new();
    stream.read_to_end(&mut answer).ok()?;
    let text = String::from_utf8(answer).ok()?;
    let (head, body) = text.split_once("\r\n\r\n")?;
    let status = head.split(' ').nth(1)?.parse().ok()?;
    let fields = head.lines().skip(1).filter_map(|line| line.split_once(": "));
    let headers = fields.map(|(name, value)| (name.into(), value.into())).collect();
    let answer = Answer { status, headers, body: body.into() };
    let length: Option<usize> = answer.header("content-length").and_then(|it| it.parse().ok());
    length.is_some_and(|length| length == answer.body.len()).then_some(answer)
}

/// The head of a request that is the only one of its connection.
fn head(host: &str, method: &str, path: &str, headers: &[&str], length: usize) -> Vec<u8> {
    let mut head = format!("{method} {path} HTTP/1.1\r\nhost: {host}\r\nconnection: close\r\n");
    head += &format!("content-length: {length}\r\n");
    headers.iter().for_each(|header| head += &format!("{header}\r\n"));
    head += "\r\n";
    head.into_bytes()
}

/// Sends a request and gives the stream that the answer will come on.
pub fn open(
    host: &str,
    method: &str,
    path: &str,
    headers: &[&str],
    body: &[u8],
) -> BufReader<TcpStream> {
    let mut stream = TcpStream::connect(host).expect("the server is there");
    stream.set_read_timeout(Some(PATIENCE)).expect("a timeout can be set");
    let head = head(host, method, path, headers, body.len());
    stream.write_all(&head).expect("the head can be sent");
    // A server that refuses a long body may not read it to its end.
    let _ = stream.write_all(body);
    BufReader::new(stream)
}

/// Asks for the head of an answer only.
pub fn send_head(host: &str, path: &str) -> Answer {
    let mut stream = open(host, "HEAD", path, &[], b"");
    let (status, headers) = read_head(&mut stream);
    Answer { status, headers, body: Vec::new() }
}

/// Reads a whole answer.
pub fn read(stream: &mut BufReader<TcpStream>) -> Answer {
    let (status, headers) = read_head(stream);
    let mut answer = Answer { status, headers, body: Vec::new() };
    if answer.header("transfer-encoding").is_some_and(|it| it.contains("chunked")) {
        answer.body = read_chunks(stream);
    } else if let Some(length) = answer.header("content-length").map(str::parse::<usize>) {
        answer.body = vec![0; length.expect("a length is a number")];
        stream.read_exact(&mut answer.body).expect("the whole body comes");
    } else {
        // The connection closes after the answer; a reset after it is complete is no matter.
        let _ = stream.read_to_end(&mut answer.body);
    }
    answer
}

/// Reads status and headers.
pub fn read_head(stream: &mut BufReader<TcpStream>) -> (u16, Vec<(String, String)>) {
    let mut line = String::new();
    stream.read_line(&mut line).expect("an answer comes");
    let status = line.split(' ').nth(1).and_then(|word| word.parse().ok());
    let status = status.unwrap_or_else(|| panic!("no status: {line:?}"));
    let mut headers = Vec::new();
    loop {
        let mut line = String::new();
        stream.read_line(&mut line).expect("headers come");
        match line.trim_end().split_once(':') {
            Some((name, value)) => headers.push((name.into(), value.trim_start().into())),
            None => return (status, headers),
        }
    }
}

fn read_chunks(stream: &mut BufReader<TcpStream>) -> Vec<u8> {
    let mut body = Vec::new();
    loop {
        let mut line = String::new();
        stream.read_line(&mut line).expect("a chunk comes");
        let length = usize::from_str_radix(line.trim(), 16).expect("a chunk has a length");
        let mut chunk = vec![0; length + 2];
        stream.read_exact(&mut chunk).expect("the chunk is whole");
        if length == 0 {
            return body;
        }
        body.extend_from_slice(&chunk[..length]);
    }
}
