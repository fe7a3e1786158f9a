//! Who of the processes gives signs of life.
//!
//! Of a process that is frozen, or behind a network that has come apart, the connections stay open:
//! the kernel answers for it. So each process tells each other, on a connection of its own, that its
//! workers get on ([`Signs`]), and a child tells its parent. Who has told nothing for [`SILENCE`] is
//! lost. Who ends because of that tells the others why, so that all name the same process.

use crate::search::cluster::Signs;
use serde::{Deserialize, Serialize};
use std::io::{ErrorKind, Read, Write};
use std::net::TcpStream;
use std::sync::{Mutex, MutexGuard, PoisonError};
use std::time::{Duration, Instant};

/// Time between two signs of life.
pub(super) const BEAT: Duration = Duration::from_millis(500);
/// Time without a sign of life after which a process is lost. On a machine that has much else to
/// do, or that writes its memory out, a process may get no time for seconds.
pub(super) const SILENCE: Duration = Duration::from_secs(10);
/// Time after the end of a search was asked for from which on the limit is this one instead of
/// [`SILENCE`]: little is lost then.
pub(super) const LAST_SILENCE: Duration = Duration::from_secs(3);
/// Time limit for the last message of a process once its connections are gone.
const LAST_WORDS: Duration = Duration::from_millis(500);
/// First byte of a sign of life.
const SIGN: u8 = 0;
/// First byte of a last message.
const LAST: u8 = 1;
/// Bytes of a last message.
const LAST_BYTES: usize = 13;

/// A process that is lost.
#[derive(Clone, Copy, PartialEq, Eq, Debug, Serialize, Deserialize)]
pub(super) struct Loss {
    pub(super) process: usize,
    /// For how many seconds it gave no sign of life, where it is there and silent.
    pub(super) silent: Option<u64>,
}

impl Loss {
    /// A process that has given no sign of life for that long.
    pub(super) fn by_silence(process: usize, silent: Duration) -> Loss {
        Loss { process, silent: Some(silent.as_secs()) }
    }

    /// The rest of a sentence that begins with `process 2` or `process 2 of 3`.
    pub(super) fn how(&self) -> String {
        match self.silent {
            Some(seconds) => format!("was lost: no sign of life for {seconds} s"),
            None => "is lost".to_string(),
        }
    }

    fn bytes(self) -> [u8; LAST_BYTES] {
        let mut bytes = [LAST; LAST_BYTES];
        bytes[1..5].copy_from_slice(&(self.process as u32).to_le_bytes());
        bytes[5..].copy_from_slice(&self.silent.unwrap_or(u64::MAX).to_le_bytes());
        bytes
    }

    fn read(bytes: &[u8]) -> Option<Loss> {
        let (process, silent) = bytes.strip_prefix(&[LAST])?.split_first_chunk()?;
        let silent = u64::from_le_bytes(silent.try_into().ok()?);
        let silent = (silent != u64::MAX).then_some(silent);
        Some(Loss { process: u32::from_le_bytes(*process) as usize, silent })
    }
}

/// For how long each process has been silent. Time in which who watches did not run itself does not
/// count: it may have been stopped with all others.
pub(super) struct Silence {
    of: Vec<Duration>,
    looked: Instant,
    /// Since when the search is to end.
    ending: Option<Instant>,
}

impl Silence {
    /// The silence of `processes` processes, counted from now on.
    pub(super) fn new(processes: usize) -> Self {
        Silence { of: vec![Duration::ZERO; processes], looked: Instant::now(), ending: None }
    }

    /// Adds the time since the last look for each that was not heard in it.
    pub(super) fn look(&mut self, mut is_heard: impl FnMut(usize) -> bool) {
        let step = self.looked.elapsed().min(2 * BEAT);
        self.looked = Instant::now();
        for (process, silence) in self.of.iter_mut().enumerate() {
            *silence = if is_heard(process) { Duration::ZERO } else { *silence + step };
        }
    }

    /// Notes whether the search is to end.
    pub(super) fn end(&mut self, is_ending: bool) {
        self.ending = is_ending.then(|| self.ending.unwrap_or_else(Instant::now));
    }

    /// The process that has been silent for longest, if for too long.
    pub(super) fn loss(&self) -> Option<Loss> {
        let is_late = self.ending.is_some_and(|since| since.elapsed() >= LAST_SILENCE);
        let most = if is_late { LAST_SILENCE } else { SILENCE };
        let longest = self.of.iter().copied().max()?;
        let process = self.of.iter().position(|&silence| silence == longest)?;
        (longest >= most).then(|| Loss::by_silence(process, longest))
    }
}

/// The connections for signs of life.
pub(super) struct Pulse {
    peers: Mutex<Vec<Peer>>,
}

/// The other end of such a connection.
struct Peer {
    /// The socket; none where the other end is this process, or gone.
    stream: Option<TcpStream>,
    /// Bytes received so far of its last message.
    last: Vec<u8>,
}

impl Pulse {
    /// With the sockets to each process, none to this one.
    ///
    /// # Errors
    /// A socket is of no use.
    pub(super) fn new(sockets: Vec<Option<TcpStream>>) -> std::io::Result<Pulse> {
        sockets.iter().flatten().try_for_each(|socket| socket.set_nonblocking(true))?;
        let peers = sockets.into_iter().map(|stream| Peer { stream, last: Vec::new() });
        Ok(Pulse { peers: Mutex::new(peers.collect()) })
    }

    /// Reports the workers' signs to the others and by `tell`, as long as all workers give some. Returns the first
    /// other process that is silent for too long. `is_ending` says whether the search is to end.
    pub(super) fn watch(
        &self,
        signs: &Signs,
        tell: impl Fn(),
        is_ending: impl Fn() -> bool,
    ) -> Loss {
        let mut silence = Silence::new(self.peers().len());
        let mut seen = Vec::new();
        loop {
            std::thread::sleep(BEAT);
            if signs.are_new(&mut seen) {
                self.peers().iter_mut().for_each(|peer| peer.say(&[SIGN]));
                tell();
            }
            let mut peers = self.peers();
            // One that has ended is missed by the search itself.
            silence.look(|process| peers[process].is_heard() || peers[process].stream.is_none());
            silence.end(is_ending());
            if let Some(loss) = silence.loss() {
                return loss;
            }
        }
    }

    /// Sends the others the reason why this process ends.
    pub(super) fn say_last(&self, loss: Loss) {
        self.peers().iter_mut().for_each(|peer| peer.say(&loss.bytes()));
    }

    /// Which process is to blame where one is gone: that one, or the one that it has named itself.
    pub(super) fn to_blame(&self, gone: usize) -> Loss {
        let started = Instant::now();
        loop {
            let (last, is_there) = self.peers().get_mut(gone).map_or((None, false), |peer| {
                while peer.is_heard() {}
                (Loss::read(&peer.last), peer.stream.is_some())
            });
            match last {
                Some(loss) => return loss,
                None if is_there && started.elapsed() < LAST_WORDS => {
                    std::thread::sleep(BEAT / 50);
                }
                None => return Loss { process: gone, silent: None },
            }
        }
    }

    fn peers(&self) -> MutexGuard<'_, Vec<Peer>> {
        self.peers.lock().unwrap_or_else(PoisonError::into_inner)
    }
}

impl Peer {
    /// Sends a few bytes. Where there is no room for them, the other end does not read.
    fn say(&mut self, bytes: &[u8]) {
        if let Some(stream) = &mut self.stream {
            let _ = stream.write(bytes);
        }
    }

    /// Reads what has come; whether anything has.
    fn is_heard(&mut self) -> bool {
        let Some(stream) = &mut self.stream else { return false };
        let mut bytes = [0; 1024];
        match stream.read(&mut bytes) {
            Ok(0) => {
                self.stream = None;
                false
            }
            Ok(count) => {
                let is_last = |byte: &u8| *byte != SIGN || !self.last.is_empty();
                let start = bytes[..count].iter().position(is_last).unwrap_or(count);
                self.last.extend(&bytes[start..count]);
                self.last.truncate(LAST_BYTES);
                true
            }
            Err(error) => {
                let is_there =
                    matches!(error.kind(), ErrorKind::WouldBlock | ErrorKind::Interrupted);
                self.stream.take_if(|_| !is_there);
                false
            }
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use std::net::TcpListener;

    fn pair() -> (TcpStream, TcpStream) {
        let listener = TcpListener::bind(("127.0.0.1", 0)).unwrap();
        let one = TcpStream::connect(listener.local_addr().unwrap()).unwrap();
        (one, listener.accept().unwrap().0)
    }

    #[test]
    fn who_is_silent_is_lost_and_only_while_somebody_looks() {
        let mut silence = Silence::new(3);
        let look_later = |silence: &mut Silence, seconds: u64, heard: &[usize]| {
            silence.looked -= Duration::from_secs(seconds);
            silence.look(|process| heard.contains(&process));
        };
        look_later(&mut silence, 3600, &[0]);
        assert_eq!(silence.loss(), None, "nobody has looked for an hour");
        for _ in 0..9 {
            look_later(&mut silence, 1, &[0, 1]);
        }
        let found = silence.loss();
        assert_eq!(found, Some(Loss { process: 2, silent: Some(10) }));
        assert_eq!(found.unwrap().how(), "was lost: no sign of life for 10 s");
        look_later(&mut silence, 1, &[2]);
        assert_eq!(silence.loss(), None, "it is back");
    }

    #[test]
    fn a_search_that_ends_waits_less() {
        let mut silence = Silence::new(2);
        for _ in 0..4 {
            silence.looked -= Duration::from_secs(1);
            silence.look(|process| process == 0);
        }
        silence.end(true);
        assert_eq!(silence.loss(), None, "it has just been told");
        silence.ending = silence.ending.map(|since| since - LAST_SILENCE);
        silence.end(true);
        assert_eq!(silence.loss(), Some(Loss { process: 1, silent: Some(4) }));
        silence.end(false);
        assert_eq!(silence.loss(), None, "the next search is not to end");
    }

    #[test]
    fn last_words_say_who_is_to_blame() {
        let ((here, there), (other, _open)) = (pair(), pair());
        let pulse = Pulse::new(vec![None, Some(here), Some(other)]).unwrap();
        let mut peer = Pulse::new(vec![Some(there)]).unwrap();
        let loss = Loss { process: 2, silent: Some(11) };
        for _ in 0..100 {
            peer.peers().iter_mut().for_each(|peer| peer.say(&[SIGN]));
        }
        peer.say_last(loss);
        peer.peers.get_mut().unwrap().clear();
        assert_eq!(pulse.to_blame(1), loss);
        // A process that names no other is to blame itself, whether gone or silent.
        assert_eq!(pulse.to_blame(2), Loss { process: 2, silent: None });
        assert_eq!(pulse.to_blame(0), Loss { process: 0, silent: None });
    }
}
