//! A program that plays, over pipes.
//!
//! A program is not trusted: it may hang, die, never read, or never stop writing. Its lines are
//! read by one thread through a bounded channel, its answers are written by another, and the
//! arbiter waits for either no longer than the time limit. It has a process group of its own, so
//! that in the end nothing is left of it or of what it has started.

use crate::command::{Failure, INTERRUPTED};
use outwit::games::labyrinth::program::{Gone, Player, next_line};
use outwit::games::labyrinth::state::State;
use std::io::{BufReader, Write};
use std::process::{Child, ChildStdin, ChildStdout, ExitStatus, Stdio};
use std::sync::mpsc::{Receiver, RecvTimeoutError, SyncSender, sync_channel};
use std::thread;
use std::time::{Duration, Instant};

/// Number of the program's lines that are read ahead.
const LINES_AHEAD: usize = 64;
/// Time for the program to end by itself once the last game is over or its output closed.
const GRACE: Duration = Duration::from_secs(2);
/// Pause between two looks whether the program has ended.
const GRACE_STEP: Duration = Duration::from_millis(5);

/// A program over pipes.
pub struct Program {
    child: Child,
    timeout: Duration,
    lines: Receiver<String>,
    texts: Option<SyncSender<Vec<u8>>>,
    told: Receiver<()>,
}

impl Program {
    pub fn start(words: &[String], timeout: Duration) -> Result<Program, Failure> {
        let mut command = std::process::Command::new(&words[0]);
        command.args(&words[1..]).stdin(Stdio::piped()).stdout(Stdio::piped());
        #[cfg(unix)]
        std::os::unix::process::CommandExt::process_group(&mut command, 0);
        let mut child = command
            .spawn()
            .map_err(|error| Failure::Usage(format!("{}: cannot be started: {error}", words[0])))?;
        let (Some(stdin), Some(stdout)) = (child.stdin.take(), child.stdout.take()) else {
            return Err(Failure::Usage("the program has no pipes".into()));
        };
        let leader = child.id();
        // A key that ends the arbiter does not reach another process group.
        let _ = ctrlc::set_handler(move || {
            kill_group(leader);
            std::process::exit(INTERRUPTED);
        });
        let (line_sender, lines) = sync_channel(LINES_AHEAD);
        let (texts, text_receiver) = sync_channel(1);
        let (told_sender, told) = sync_channel(1);
        thread::spawn(move || read_lines(stdout, &line_sender));
        thread::spawn(move || write_texts(stdin, &text_receiver, &told_sender));
        Ok(Program { child, timeout, lines, texts: Some(texts), told })
    }

    /// Ends the program: by closing its input, and by force where that does not help. What it has
    /// started and left behind is ended, too.
    pub fn end(&mut self) {
        self.texts = None;
        self.ends_by_itself();
        kill_group(self.child.id());
        let _ = self.child.kill();
        let _ = self.child.wait();
    }

    /// How the program ends, where it does within [`GRACE`].
    fn ends_by_itself(&mut self) -> Option<ExitStatus> {
        let started = Instant::now();
        loop {
            match self.child.try_wait() {
                Ok(None) if started.elapsed() < GRACE => {}
                status => return status.ok().flatten(),
            }
            // Its last lines are let pass, so that it does not wait for a reader.
            while self.lines.try_recv().is_ok() {}
            thread::sleep(GRACE_STEP);
        }
    }

    /// Why its output is closed. A program that ends closes its output first.
    fn died(&mut self) -> Gone {
        match self.ends_by_itself() {
            Some(status) => format!("The program ended ({status})."),
            None => "The program closed its output.".into(),
        }
    }
}

/// Ends all processes of the group that a process leads. Elsewhere than on Unix there are none.
fn kill_group(leader: u32) {
    #[cfg(unix)]
    if let Ok(leader) = i32::try_from(leader) {
        use nix::sys::signal::{Signal, killpg};
        // That none is left is no failure.
        let _ = killpg(nix::unistd::Pid::from_raw(leader), Signal::SIGKILL);
    }
    #[cfg(not(unix))]
    let _ = leader;
}

impl Player for Program {
    fn tell(&mut self, text: Vec<u8>) -> Result<(), Gone> {
        let sent = self.texts.as_ref().is_some_and(|texts| texts.send(text).is_ok());
        match self.told.recv_timeout(self.timeout) {
            Ok(()) if sent => Ok(()),
            Err(RecvTimeoutError::Timeout) => {
                Err(format!("The program did not read for {:?}.", self.timeout))
            }
            // It may have said its last lines before: they are still to be heard.
            _ => Ok(()),
        }
    }

    fn hear(&mut self, _game: &State) -> Result<String, Gone> {
        match self.lines.recv_timeout(self.timeout) {
            Ok(line) => Ok(line),
            Err(RecvTimeoutError::Timeout) => {
                Err(format!("The program was silent for {:?}.", self.timeout))
            }
            Err(RecvTimeoutError::Disconnected) => Err(self.died()),
        }
    }
}

/// Hands on the program's lines, until there are no more or the receiver is gone.
fn read_lines(stdout: ChildStdout, lines: &SyncSender<String>) {
    let mut stdout = BufReader::new(stdout);
    while let Ok(Some(line)) = next_line(&mut stdout) {
        if lines.send(line).is_err() {
            break;
        }
    }
}

/// Writes texts to the program, and tells of each when it is through.
fn write_texts(mut stdin: ChildStdin, texts: &Receiver<Vec<u8>>, told: &SyncSender<()>) {
    for text in texts {
        if stdin.write_all(&text).and_then(|()| stdin.flush()).is_err() || told.send(()).is_err() {
            break;
        }
    }
}
