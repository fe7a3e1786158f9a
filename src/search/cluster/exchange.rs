//! How workers send words to each other: a dataflow of `timely`.
//!
//! The dataflow has one exchange. In a step each worker sends one parcel to each other, be it empty;
//! for whom all have come the step is over. The engine tells the same by its frontier, but a way
//! there and back later. A timestamp is the f of the search in its high half and a count of steps in
//! its low half, so the frontier of the dataflow is the bound that is proven.

use super::Traffic;
use super::signs::{Sign, WAIT};
use serde::de::{Error, Visitor};
use serde::{Deserialize, Deserializer, Serialize, Serializer};
use std::cell::RefCell;
use std::rc::Rc;
use std::time::{Duration, Instant};
use timely::dataflow::channels::pact::Exchange as ByWorker;
use timely::dataflow::operators::generic::operator::Operator;
use timely::dataflow::operators::{Input, Probe};
use timely::dataflow::{InputHandle, ProbeHandle};
use timely::worker::Worker;
use zerocopy::IntoBytes;

/// Words for a worker.
#[derive(Clone, Debug, Serialize, Deserialize)]
struct Parcel {
    from: u32,
    to: u32,
    /// The timestamp it was sent at.
    time: u64,
    words: Words,
}

/// Words that travel as one piece of bytes, in this machine's byte order: processes of another are not
/// let in.
#[derive(Clone, Debug)]
struct Words(Vec<u64>);

impl Words {
    fn take(&mut self) -> Vec<u64> {
        std::mem::take(&mut self.0)
    }
}

impl Drop for Words {
    fn drop(&mut self) {
        put_aside(self.take());
    }
}

impl Serialize for Words {
    fn serialize<S: Serializer>(&self, serializer: S) -> Result<S::Ok, S::Error> {
        serializer.serialize_bytes(self.0.as_bytes())
    }
}

impl<'de> Deserialize<'de> for Words {
    fn deserialize<D: Deserializer<'de>>(deserializer: D) -> Result<Self, D::Error> {
        struct OfBytes;
        impl Visitor<'_> for OfBytes {
            type Value = Words;

            fn expecting(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
                f.write_str("the bytes of words")
            }

            fn visit_bytes<E: Error>(self, bytes: &[u8]) -> Result<Words, E> {
                let (chunks, rest) = bytes.as_chunks();
                if !rest.is_empty() {
                    return Err(E::invalid_length(bytes.len(), &self));
                }
                let mut words = room_for_words();
                words.extend(chunks.iter().map(|word| u64::from_ne_bytes(*word)));
                Ok(Words(words))
            }
        }
        deserializer.deserialize_bytes(OfBytes)
    }
}

/// Number of parcels whose memory a worker keeps for the next ones: they come and go in every step.
const SPARE: usize = 8;

thread_local! {
    static SPARES: RefCell<Vec<Vec<u64>>> = const { RefCell::new(Vec::new()) };
}

/// Room for words that another parcel had, or new room.
fn room_for_words() -> Vec<u64> {
    SPARES.with_borrow_mut(Vec::pop).unwrap_or_default()
}

/// Keeps the room of words for others.
pub(super) fn put_aside(mut words: Vec<u64>) {
    if words.capacity() > 0 {
        words.clear();
        SPARES.with_borrow_mut(|spares| {
            if spares.len() < SPARE {
                spares.push(words);
            }
        });
    }
}

/// Bytes of the room that this worker keeps.
pub(super) fn spare_bytes() -> usize {
    SPARES.with_borrow(|spares| spares.iter().map(Vec::capacity).sum::<usize>()) * size_of::<u64>()
}

/// Time for which a worker that waits does not sleep.
const WAKEFUL: Duration = Duration::from_micros(200);

/// Bits of a timestamp below the f.
const STEP_BITS: u32 = 32;

/// The exchange of one search, as one worker sees it.
pub(super) struct Exchange<'w> {
    worker: &'w mut Worker,
    input: InputHandle<u64, timely::container::CapacityContainerBuilder<Vec<Parcel>>>,
    probe: ProbeHandle<u64>,
    inbox: Rc<RefCell<Vec<Parcel>>>,
    time: u64,
    /// What went to other workers.
    sent: Traffic,
    sign: &'w Sign,
}

impl<'w> Exchange<'w> {
    /// A new dataflow; all workers make theirs in the same order.
    pub(super) fn new(worker: &'w mut Worker, sign: &'w Sign) -> Self {
        let mut input = InputHandle::new();
        let probe = ProbeHandle::new();
        let inbox = Rc::new(RefCell::new(Vec::new()));
        let arrived = Rc::clone(&inbox);
        worker.dataflow(|scope| {
            let pact = ByWorker::new(|parcel: &Parcel| u64::from(parcel.to));
            scope
                .input_from(&mut input)
                .unary::<timely::container::CapacityContainerBuilder<Vec<()>>, _, _, _>(
                    pact,
                    "inbox",
                    |_, _| {
                        move |input, _output| {
                            input.for_each(|_, parcels: &mut Vec<Parcel>| {
                                arrived.borrow_mut().append(parcels);
                            });
                        }
                    },
                )
                .probe_with(&probe);
        });
        Exchange { worker, input, probe, inbox, time: 0, sent: Traffic::default(), sign }
    }

    /// The worker's signs of life: it gives them itself while it waits for others, and whoever has it
    /// work, while that lasts.
    pub(super) fn sign(&self) -> &'w Sign {
        self.sign
    }

    /// This worker's number.
    pub(super) fn index(&self) -> usize {
        self.worker.index()
    }

    /// How many workers there are.
    pub(super) fn peers(&self) -> usize {
        self.worker.peers()
    }

    /// The f that the frontier has come to: no worker has anything under way below it.
    pub(super) fn frontier(&self) -> Option<u32> {
        let first = self.probe.with_frontier(|frontier| frontier.iter().next().copied());
        first.map(|time| (time >> STEP_BITS) as u32)
    }

    /// Sends words to each worker and waits for what is for this one: all workers do it at the same
    /// step. The answer is in order of who has sent it. No later step is of a lower f.
    pub(super) fn swap(&mut self, f: u32, out: &mut [Vec<u64>]) -> Vec<(usize, Vec<u64>)> {
        self.swap_meanwhile(f, out, &mut || false)
    }

    /// Sends and waits as [`Exchange::swap`]. While it waits it does pieces of other work, of some
    /// microseconds each, as long as there is any.
    fn swap_meanwhile(
        &mut self,
        f: u32,
        out: &mut [Vec<u64>],
        work: &mut dyn FnMut() -> bool,
    ) -> Vec<(usize, Vec<u64>)> {
        let me = self.index();
        let own = std::mem::take(&mut out[me]);
        for (to, words) in out.iter_mut().enumerate().filter(|(to, _)| *to != me) {
            self.sent.words += words.len() as u64;
            self.sent.parcels += 1;
            let words = Words(std::mem::replace(words, room_for_words()));
            let (from, to) = (me as u32, to as u32);
            self.input.send(Parcel { from, to, time: self.time, words });
        }
        self.sent.steps += 1;
        let sent = self.time;
        self.time = (self.time + 1).max(u64::from(f) << STEP_BITS);
        self.input.advance_to(self.time);
        self.wait_for(sent, work);
        // A worker that is ahead may have sent something of the next step.
        let mut inbox = self.inbox.borrow_mut();
        let later: Vec<_> = inbox.extract_if(.., |parcel| parcel.time > sent).collect();
        let arrived = std::mem::replace(&mut *inbox, later);
        let mut arrived: Vec<_> = arrived
            .into_iter()
            .map(|mut parcel| (parcel.from as usize, parcel.words.take()))
            .collect();
        arrived.push((me, own));
        arrived.sort_by_key(|parcel| parcel.0);
        arrived
    }

    /// Works for the engine until the parcels of a step are here. A thread that sleeps takes longer to
    /// wake up than most parcels to come, so it gives way to others for a while before it does.
    fn wait_for(&mut self, time: u64, work: &mut dyn FnMut() -> bool) {
        let others = self.peers() - 1;
        let mut started = Instant::now();
        let mut has_work = true;
        while self.arrived(time) < others {
            self.sign.give();
            if has_work {
                self.worker.step();
                has_work = work();
                started = Instant::now();
            } else if started.elapsed() < WAKEFUL {
                self.worker.step();
                std::thread::yield_now();
            } else {
                self.worker.step_or_park(Some(WAIT));
            }
        }
        self.sign.give();
    }

    /// How many parcels of a step are here.
    fn arrived(&self, time: u64) -> usize {
        self.inbox.borrow().iter().filter(|parcel| parcel.time == time).count()
    }

    /// Sends the same words to all workers; the answer has those of each.
    pub(super) fn share(&mut self, f: u32, words: &[u64]) -> Vec<Vec<u64>> {
        self.share_meanwhile(f, words, &mut || false)
    }

    /// Sends the same words to all workers, as [`Exchange::share`]. While it waits it does pieces
    /// of other work, as long as there is any.
    pub(super) fn share_meanwhile(
        &mut self,
        f: u32,
        words: &[u64],
        work: &mut dyn FnMut() -> bool,
    ) -> Vec<Vec<u64>> {
        let mut out = vec![words.to_vec(); self.peers()];
        let mut all = vec![Vec::new(); self.peers()];
        for (from, words) in self.swap_meanwhile(f, &mut out, work) {
            all[from] = words;
        }
        all
    }

    /// Time of a step just after another one: no worker waits for another's work then.
    pub(super) fn time_step(&mut self, f: u32) -> Duration {
        let started = Instant::now();
        self.share(f, &[]);
        started.elapsed()
    }

    /// What this worker has sent so far.
    pub(super) fn sent(&self) -> Traffic {
        self.sent
    }

    /// Ends the dataflow, as all workers do.
    pub(super) fn close(self) {
        let Exchange { worker, input, probe, sign, .. } = self;
        drop(input);
        while !probe.done() {
            sign.give();
            worker.step_or_park(Some(WAIT));
        }
    }
}
