//! Messages of a child to its parent, sent by a thread of its own.
//!
//! A parent that is stopped, by Ctrl-Z say, reads nothing; its children go on until it does. So no
//! message makes a worker wait, and of messages that are repeated only the last is kept.

use super::LOST;
use super::message::{ProcessMessage, write};
use std::collections::VecDeque;
use std::io::{self, Write};
use std::mem::{Discriminant, discriminant};
use std::sync::{Arc, Condvar, Mutex, MutexGuard, PoisonError};
use std::time::Duration;

/// Time limit for the parent to read a child's last message.
const LAST_WORDS: Duration = Duration::from_secs(1);

/// Messages that wait to be written.
#[derive(Default)]
pub(super) struct Outbox {
    queue: Mutex<Queue>,
    changed: Condvar,
}

#[derive(Default)]
struct Queue {
    waiting: VecDeque<ProcessMessage>,
    is_writing: bool,
}

impl Outbox {
    /// Writes the messages to stdout. Once stdout is closed, the process ends: it is not needed any
    /// more.
    ///
    /// # Errors
    /// The system gives no thread.
    pub(super) fn start() -> io::Result<Arc<Outbox>> {
        let outbox = Arc::new(Outbox::default());
        let told = Arc::clone(&outbox);
        std::thread::Builder::new().spawn(move || {
            told.write_all(&mut io::stdout());
            std::process::exit(LOST);
        })?;
        Ok(outbox)
    }

    /// Queues a message.
    pub(super) fn tell(&self, tells: ProcessMessage) {
        let mut queue = self.queue();
        if is_again(&tells) {
            let kind: Discriminant<ProcessMessage> = discriminant(&tells);
            queue.waiting.retain(|other| discriminant(other) != kind);
        }
        queue.waiting.push_back(tells);
        self.changed.notify_all();
    }

    /// Queues a message and waits until it is written, but not for long: the process ends then.
    pub(super) fn tell_last(&self, tells: ProcessMessage) {
        self.tell(tells);
        let is_full = |queue: &mut Queue| queue.is_writing || !queue.waiting.is_empty();
        let told = self.changed.wait_timeout_while(self.queue(), LAST_WORDS, is_full);
        drop(told);
    }

    /// Writes the messages, until that cannot be done.
    fn write_all(&self, to: &mut impl Write) {
        loop {
            let mut queue = self.queue();
            queue.is_writing = false;
            self.changed.notify_all();
            let tells = loop {
                if let Some(tells) = queue.waiting.pop_front() {
                    break tells;
                }
                queue = self.changed.wait(queue).unwrap_or_else(PoisonError::into_inner);
            };
            queue.is_writing = true;
            drop(queue);
            if write(to, &tells).is_err() {
                return;
            }
        }
    }

    fn queue(&self) -> MutexGuard<'_, Queue> {
        self.queue.lock().unwrap_or_else(PoisonError::into_inner)
    }
}

/// Whether a message replaces an earlier one of its kind.
fn is_again(tells: &ProcessMessage) -> bool {
    matches!(
        tells,
        ProcessMessage::Alive | ProcessMessage::Standing { .. } | ProcessMessage::Plan { .. }
    )
}

#[cfg(test)]
mod tests {
    use super::*;

    /// Collects what is written, and fails after as many writes as its second field says.
    struct Reader(Vec<u8>, usize);

    impl Write for Reader {
        fn write(&mut self, bytes: &[u8]) -> io::Result<usize> {
            if self.1 == 0 {
                return Err(io::ErrorKind::BrokenPipe.into());
            }
            self.1 -= 1;
            self.0.extend(bytes);
            Ok(bytes.len())
        }

        fn flush(&mut self) -> io::Result<()> {
            Ok(())
        }
    }

    #[test]
    fn while_nobody_reads_only_the_last_is_kept() {
        let outbox = Outbox::default();
        outbox.tell(ProcessMessage::Ready);
        for expanded in 0..1000 {
            outbox.tell(ProcessMessage::Standing { bound: 1, best: None, expanded, memory: 0 });
            outbox.tell(ProcessMessage::Alive);
            outbox.tell(ProcessMessage::Plan { words: vec![expanded], cost: 7 });
        }
        outbox.tell(ProcessMessage::Failed("first".into()));
        outbox.tell(ProcessMessage::Failed("second".into()));
        let mut reader = Reader(Vec::new(), 6);
        outbox.tell(ProcessMessage::Ready); // cannot be written any more
        outbox.write_all(&mut reader);
        let text = String::from_utf8(reader.0).unwrap();
        let told: Vec<&str> = text.lines().collect();
        assert_eq!(told.len(), 6, "{text}");
        assert!(told[1].contains("999") && told[3].contains("999"), "{text}");
        assert!(told[4].contains("first") && told[5].contains("second"), "{text}");
    }
}
