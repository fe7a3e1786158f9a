//! Answers a request a line on stdin with a line on stdout: what WebAssembly is compared with.

use outwit_wasm::Desk;
use std::io::{BufRead, Write, stdin, stdout};

fn main() -> std::io::Result<()> {
    let mut desk = Desk::default();
    for line in stdin().lock().lines() {
        writeln!(stdout().lock(), "{}", desk.answer(line?.as_bytes()))?;
    }
    Ok(())
}
