//! How workers send words to each other: a dataflow of `timely`.
//!
//! The dataflow has one exchange. What is sent at a timestamp arrives at whom it is for, and the
//! engine tells when nothing of that timestamp is under way anywhere: then a step is over for all.
//! A timestamp is the f of the search in its high half and a count of steps in its low half, so the
//! frontier of the dataflow is the bound that is proven.

use super::Traffic;
use serde::{Deserialize, Serialize};
use std::cell::RefCell;
use std::rc::Rc;
use timely::dataflow::channels::pact::Exchange as ByWorker;
use timely::dataflow::operators::generic::operator::Operator;
use timely::dataflow::operators::{Input, Probe};
use timely::dataflow::{InputHandle, ProbeHandle};
use timely::worker::Worker;

/// Words for a worker.
#[derive(Clone, Debug, Serialize, Deserialize)]
struct Parcel {
    from: u32,
    to: u32,
    /// The timestamp it was sent at.
    time: u64,
    words: Vec<u64>,
}

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
}

impl<'w> Exchange<'w> {
    /// A new dataflow; all workers make theirs in the same order.
    pub(super) fn new(worker: &'w mut Worker) -> Self {
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
        Exchange { worker, input, probe, inbox, time: 0, sent: Traffic::default() }
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
        let from = self.index() as u32;
        for (to, words) in out.iter_mut().enumerate().filter(|(_, words)| !words.is_empty()) {
            if to as u32 != from {
                self.sent.words += words.len() as u64;
                self.sent.parcels += 1;
            }
            let (to, words) = (to as u32, std::mem::take(words));
            self.input.send(Parcel { from, to, time: self.time, words });
        }
        self.sent.steps += 1;
        let sent = self.time;
        self.time = (self.time + 1).max(u64::from(f) << STEP_BITS);
        self.input.advance_to(self.time);
        while self.probe.less_than(&self.time) {
            self.worker.step_or_park(None);
        }
        // Who is ahead may have sent something of the next step.
        let mut inbox = self.inbox.borrow_mut();
        let later: Vec<_> = inbox.extract_if(.., |parcel| parcel.time > sent).collect();
        let mut arrived = std::mem::replace(&mut *inbox, later);
        arrived.sort_by_key(|parcel| parcel.from);
        arrived.into_iter().map(|parcel| (parcel.from as usize, parcel.words)).collect()
    }

    /// Sends the same words to all workers; the answer has those of each.
    pub(super) fn share(&mut self, f: u32, words: &[u64]) -> Vec<Vec<u64>> {
        let mut out = vec![words.to_vec(); self.peers()];
        let mut all = vec![Vec::new(); self.peers()];
        for (from, words) in self.swap(f, &mut out) {
            all[from] = words;
        }
        all
    }

    /// Ends the dataflow, as all workers do; what this one has sent.
    pub(super) fn close(self) -> Traffic {
        let Exchange { worker, input, probe, sent, .. } = self;
        drop(input);
        while !probe.done() {
            worker.step_or_park(None);
        }
        sent
    }
}
