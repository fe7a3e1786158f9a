//! A* by workers of which each owns a part of the states.
//!
//! Hash distributed A* (Kishimoto, Fukunaga, Botea, *Evaluation of a simple, scalable, parallel
//! best-first search strategy*, Artificial Intelligence 195, 2013): a hash names the worker that owns
//! a state, and children are sent to theirs. Here the workers go in step. The search of one process
//! takes states in rounds, and what comes of a round does not depend on who expands which state; so
//! the workers agree on the very same rounds, and the plan, the bound and the expansions are those of
//! one process, for any number of workers.
//!
//! A round is two steps of the exchange. In the first, each worker tells of the best states that it
//! has, and all see which of them are the round ([`super::report`]). In the second, they expand
//! theirs and send the children, each with a stamp: the number of the round, the rank of the parent
//! in it, the number of the child. Who owns a child takes what has come in order of stamps, as one
//! process would have reached it. If expansions learn, the workers exchange their lessons in a third
//! step. Before rounds are worth that, all workers take them alike: `opening`.

mod ahead;
mod opening;

use self::ahead::{AT_A_TIME, Ahead, due};
use self::opening::{Opened, Opening};
use super::exchange::{Exchange, put_aside, spare_bytes};
use super::merge::Merge;
use super::open::{OpenList, Waiting};
use super::report::{Candidates, Goal, Report, Round, share};
use super::table::{BackPointer, Candidate, Table};
use super::{Orders, Request, Standing, Traffic, wire};
use crate::search::astar::round_sizes::RoundSizes;
use crate::search::shared::Portable;
use crate::search::tables::Full;
use crate::search::{Outcome, Statistics, StopReason, Successor, Verdict};
use smallvec::SmallVec;

/// Bits of a stamp for the rank of the parent, and for the number of the child.
const RANK_BITS: u32 = 16;
const CHILD_BITS: u32 = 16;
/// The number that stands for the parent itself, which waits for its other children.
const POSTPONED: u64 = (1 << CHILD_BITS) - 1;

/// States that the memory is asked for together.
const TOUCHED: usize = 16;
/// Tells that a plan begins here.
const END: u64 = u64::MAX;

/// A state of the round.
struct Taken {
    id: u32,
    cost: u32,
    begun: bool,
    rank: u32,
}

/// What comes of a round for a worker's own states.
enum Own<A> {
    Child { parent: u32, cost: u32, child: Successor<A> },
    Postponed { id: u32, cost: u32, later: u32 },
}

impl<A> Own<A> {
    /// The key of the child, where it is one.
    fn key(&self) -> u64 {
        match self {
            Own::Child { child, .. } => child.key,
            Own::Postponed { .. } => 0,
        }
    }
}

/// The stamps and places of one source of what a round has brought.
enum Stamps<'a, A> {
    Sent(wire::Stamps<'a>),
    Own(std::iter::Enumerate<std::slice::Iter<'a, (u64, Own<A>)>>),
}

impl<A> Iterator for Stamps<'_, A> {
    type Item = (u64, usize);

    #[inline]
    fn next(&mut self) -> Option<(u64, usize)> {
        match self {
            Stamps::Sent(sent) => sent.next(),
            Stamps::Own(own) => own.next().map(|(place, (stamp, _))| (*stamp, place)),
        }
    }
}

/// What an expansion counts for.
struct Counted {
    rank: u32,
    expanded: u64,
    generated: u64,
}

/// What all see of a round in what they told each other.
struct Agreed {
    f: u32,
    stop: Option<StopReason>,
    is_through: bool,
    wants_plan: bool,
}

/// The best plan that a worker has found: its cost, the stamp of its last step, and that step, which
/// the start has not.
type Found<A> = ((u32, u64), Option<BackPointer<A>>);

/// One of the workers of a search.
pub(super) struct Worker<'a, 'w, S: Portable> {
    space: &'a S,
    exchange: Exchange<'w>,
    request: Request,
    /// What all workers do alike, as long as they do.
    opening: Option<Opening>,
    scratch: S::Scratch,
    table: Table<S>,
    open: OpenList,
    /// Room for the children of a state.
    children: Vec<Successor<S::Action>>,
    ahead: Ahead<S::Action>,
    own: Vec<(u64, Own<S::Action>)>,
    out: Vec<Vec<u64>>,
    /// Upper limit of the bytes of a round's messages.
    message_bytes: usize,
    round: u64,
    round_sizes: RoundSizes,
    /// The f of the last round.
    f: u32,
    expanded: u64,
    /// Only plans below this cost are of interest.
    upper: u32,
    best: Option<Goal>,
    found: Option<Found<S::Action>>,
    counted: Vec<Counted>,
    effort: Statistics,
    /// See [`Traffic::critical`].
    critical: u64,
    is_full: bool,
    overflowed: bool,
}

impl<'a, 'w, S: Portable> Worker<'a, 'w, S> {
    pub(super) fn new(space: &'a S, exchange: Exchange<'w>, request: Request) -> Self {
        let out = vec![Vec::new(); exchange.peers()];
        Worker {
            space,
            exchange,
            request,
            opening: Some(Opening::new(request.opening)),
            scratch: space.scratch(),
            table: Table::new(),
            open: OpenList::new(),
            children: Vec::new(),
            ahead: Ahead::new(request.memory),
            own: Vec::new(),
            out,
            message_bytes: 0,
            round: 0,
            round_sizes: RoundSizes::new(),
            f: 0,
            expanded: 0,
            upper: request.upper.min(u64::from(u32::MAX)) as u32,
            best: None,
            found: None,
            counted: Vec::new(),
            effort: Statistics::default(),
            critical: 0,
            is_full: false,
            overflowed: false,
        }
    }

    /// Searches with the others; all have the same outcome. The plan is in words of actions.
    pub(super) fn run(
        mut self,
        orders: &mut Option<Box<dyn Orders + '_>>,
    ) -> (Outcome<u64>, Traffic) {
        self.place_start();
        let opened = self.open(orders);
        self.divide();
        let stopped = match opened {
            Opened::Opening => self.rounds(orders),
            Opened::All(stopped) => stopped,
        };
        self.outcome(stopped)
    }

    /// Takes round after round with the others; why it was stopped, where it is not through.
    fn rounds(&mut self, orders: &mut Option<Box<dyn Orders + '_>>) -> Option<StopReason> {
        loop {
            let (agreed, candidates, ranks) = self.agree(orders);
            if agreed.wants_plan {
                self.gather_for(orders);
            }
            if agreed.is_through {
                return None;
            }
            self.f = agreed.f;
            if agreed.stop.is_some() {
                return agreed.stop;
            }
            self.expand_round(candidates, &ranks);
            let arrived = self.exchange.swap(self.f, &mut self.out);
            self.settle(&arrived);
            arrived.into_iter().for_each(|(_, words)| put_aside(words));
            self.learn();
        }
    }

    /// Applies what all workers have learned in a round.
    fn learn(&mut self) {
        if S::LEARNS {
            let mut words = Vec::new();
            self.space.lessons(&mut words);
            let told = self.exchange.share(self.f, &words);
            told.iter().for_each(|words| self.space.hear(words));
        }
        self.space.learn();
    }

    /// Opens the start.
    fn place_start(&mut self) {
        let state = self.space.start();
        let bound = self.space.bound(&state);
        let key = self.space.key(&state);
        self.f = bound;
        if self.space.is_goal(&state) && self.upper > 0 {
            self.upper = 0;
            self.best = Some((0, 0, 0));
            self.found = Some(((0, 0), None));
        }
        if bound >= self.upper {
            self.overflowed |= bound != u32::MAX && self.best.is_none() && !self.is_known();
            return;
        }
        let mut words = Vec::new();
        self.space.pack(&state, &mut words);
        let slot = self.table.make_room(Some(words.len()), |_| usize::MAX).ok().and_then(|()| {
            let candidate = Candidate::Packed(&words);
            self.table.find(self.space, key, &candidate, &mut self.scratch).err()
        });
        if let Some(slot) = slot {
            let id = self.table.insert(slot, (key, 0, bound), None, Some(&words));
            self.note_owner(key);
            self.open.push(bound, bound, Waiting::new(id, 0));
        }
    }

    /// Whether the caller has a plan that costs `upper`.
    fn is_known(&self) -> bool {
        self.request.upper < u64::from(u32::MAX)
    }

    /// Notes who will own the state that was inserted last, while all do the same.
    fn note_owner(&mut self, key: u64) {
        let owner = self.owner(key) as u32;
        if let Some(opening) = &mut self.opening {
            opening.owners.push(owner);
        }
    }

    /// The worker that owns the state of a key.
    fn owner(&self, key: u64) -> usize {
        let hash = u128::from(key ^ 0x2545_f491_4f6c_dd1d);
        let product = hash * 0x9e37_79b9_7f4a_7c15;
        // The low bits of the product and its high ones, as the table of states mixes them, would
        // leave each worker a part of its table: multiplied again, they are of another kind.
        let mixed = ((product >> 64) as u64 ^ product as u64).wrapping_mul(0xd6e8_feb8_6659_fd93);
        ((u128::from(mixed) * self.exchange.peers() as u128) >> 64) as usize
    }

    /// Tells the others what is here and sees what the next round is: what of it is here, and which
    /// ranks that has.
    fn agree(
        &mut self,
        orders: &mut Option<Box<dyn Orders + '_>>,
    ) -> (Agreed, Candidates, Vec<u32>) {
        let (me, peers) = (self.exchange.index(), self.exchange.peers());
        let limit = self.request.nodes.unwrap_or(u64::MAX);
        let mut most = share(self.round_size(u64::MAX), peers);
        let (stop, wants_plan) = self.ask(orders);
        let mut candidates = Candidates::new();
        self.ahead.clear();
        loop {
            candidates.fill(most, &mut self.open, &mut self.table);
            let report = Report { stop, wants_plan, ..self.report_of(&candidates) };
            let words = self.share_and_go_ahead(&report, &candidates);
            let reports = words.iter().map(|words| Report::read(words));
            let reports: Vec<_> = reports.map(|report| report.expect("a report")).collect();
            let agreed = self.take_reports(&reports, limit);
            if agreed.is_through || agreed.stop.is_some() {
                return (agreed, candidates, Vec::new());
            }
            let size = self.round_size(limit);
            let round = Round::new(&reports, me, agreed.f, size);
            if round.is_certain {
                round.first.into_iter().for_each(|h| self.round_sizes.took(agreed.f, h));
                self.critical += round.most as u64;
                return (agreed, candidates, round.ranks);
            }
            most *= 4;
        }
    }

    /// Sends a report to all and has those of all. While they come, those of these states are expanded
    /// that the round will most likely have.
    fn share_and_go_ahead(&mut self, report: &Report, candidates: &Candidates) -> Vec<Vec<u64>> {
        let mean = self.round_size(u64::MAX) / self.exchange.peers();
        // Nothing is expanded ahead in a space that learns: the search of one process would not have had the
        // lessons of an expansion that is discarded.
        let most = if S::LEARNS { 0 } else { Ahead::<S::Action>::nearly_certain(mean) };
        let others = self.bytes_beside_table();
        let memory = self.request.memory;
        let Worker { space, exchange, scratch, table, ahead, .. } = self;
        let sign = exchange.sign();
        let make_room = |table: &mut Table<S>| {
            sign.hold();
            let room = table.make_room(None, |table| memory.saturating_sub(others + table.bytes()));
            sign.give();
            room
        };
        let mut go_ahead = || {
            (0..AT_A_TIME)
                .all(|_| ahead.expand_next(candidates, most, (*space, scratch), table, make_room))
        };
        exchange.share_meanwhile(self.f, &report.words(), &mut go_ahead)
    }

    /// Number of states of the next round, where `limit` may be expanded in all: at most 65 536,
    /// for the rank of a state in its round has 16 bits.
    fn round_size(&self, limit: u64) -> usize {
        self.round_sizes.most(self.expanded).min(limit.saturating_sub(self.expanded)) as usize
    }

    /// What there is to tell of what this worker has, with these states to be taken.
    fn report_of(&self, candidates: &Candidates) -> Report {
        Report {
            f: candidates.f,
            has_more: candidates.has_more,
            is_full: self.is_full,
            wants_plan: false,
            stop: None,
            expanded: self.effort.expanded,
            memory: self.memory() as u64,
            goal: self.found.as_ref().map(|found| found.0),
            ready: candidates.orders(),
        }
    }

    /// Up to `most` of the best states that this worker has.
    fn candidates(&mut self, most: usize) -> Candidates {
        let mut candidates = Candidates::new();
        candidates.fill(most, &mut self.open, &mut self.table);
        candidates
    }

    /// Asks the leader, where it is this worker's.
    fn ask(&self, orders: &mut Option<Box<dyn Orders + '_>>) -> (Option<StopReason>, bool) {
        let Some(orders) = orders else { return (None, false) };
        let standing = Standing {
            bound: u64::from(self.exchange.frontier().unwrap_or(self.f).min(self.upper)),
            best: (self.upper != u32::MAX).then_some(u64::from(self.upper)),
            expanded: self.expanded,
            memory: self.memory() as u64,
        };
        (orders.look(&standing), self.best.is_some_and(|best| orders.wants_plan(best.0)))
    }

    /// What follows from what all have told.
    fn take_reports(&mut self, reports: &[Report], limit: u64) -> Agreed {
        for (worker, report) in reports.iter().enumerate() {
            let Some((cost, stamp)) = report.goal else { continue };
            let goal = (cost, stamp, worker);
            if self.best.map_or(cost < self.upper, |best| goal < best) {
                self.best = Some(goal);
                self.upper = cost;
            }
        }
        self.expanded = reports.iter().map(|report| report.expanded).sum();
        let lowest = reports.iter().map(|report| report.f).min().unwrap_or(u32::MAX);
        let is_full = reports.iter().any(|report| report.is_full);
        // What a full worker has dropped is of the last round's f or above.
        let f = if is_full { self.f } else { lowest };
        let stop = reports[0].stop.filter(|&stop| stop == StopReason::Cancelled);
        let stop = stop.or((self.expanded >= limit).then_some(StopReason::Nodes));
        let stop = stop.or(is_full.then_some(StopReason::Memory)).or(reports[0].stop);
        Agreed {
            f,
            stop,
            is_through: f >= self.upper || (lowest == u32::MAX && !is_full),
            wants_plan: reports[0].wants_plan,
        }
    }

    /// Expands what of a round is here; its children are ready to be sent.
    fn expand_round(&mut self, candidates: Candidates, ranks: &[u32]) {
        let count = if candidates.f == self.f { ranks.len() } else { 0 };
        let taken = candidates.take(count, &mut self.open, &mut self.table);
        self.round += 1;
        self.counted.clear();
        for (place, (waiting, &rank)) in taken.iter().zip(ranks).enumerate() {
            let node = &mut self.table.nodes[waiting.id as usize];
            let (cost, begun) = (node.cost, node.begun);
            node.begun = true;
            let taken = Taken { id: waiting.id, cost, begun, rank };
            if self.make_room(None).is_err() {
                self.is_full = true;
                return;
            }
            self.expand(place, &taken);
        }
    }

    /// Makes room as [`Table::make_room`] does.
    fn make_room(&mut self, words: Option<usize>) -> Result<(), Full> {
        if self.table.has_room(words) {
            return Ok(());
        }
        let others = self.bytes_beside_table();
        let memory = self.request.memory;
        let sign = self.exchange.sign();
        sign.hold();
        let room =
            self.table.make_room(words, |table| memory.saturating_sub(others + table.bytes()));
        sign.give();
        room
    }

    /// Expands the state that was taken at a place, unless that was done ahead; its children go to
    /// where they belong.
    fn expand(&mut self, place: usize, taken: &Taken) {
        self.exchange.sign().give();
        if let Some((range, later)) = self.ahead.of(place, taken) {
            let children = std::mem::take(&mut self.ahead.children);
            self.send_all(taken, &children[range], later);
            self.ahead.children = children;
            return;
        }
        let &Taken { id, cost, begun, .. } = taken;
        self.table.build(self.space, id, &mut self.scratch);
        let mut children = std::mem::take(&mut self.children);
        let visit = &mut |child| children.push(child);
        let due = due(self.f, cost, begun);
        let later = self.space.expand_due(self.table.state(id), due, &mut self.scratch, visit);
        self.send_all(taken, &children, later);
        children.clear();
        self.children = children;
    }

    /// Sends the children of a state to their owners; the others of them are worth `later`.
    fn send_all(&mut self, taken: &Taken, children: &[Successor<S::Action>], later: u32) {
        let &Taken { id, cost, begun, rank } = taken;
        let first = (self.round << RANK_BITS | u64::from(rank)) << CHILD_BITS;
        for (number, child) in children.iter().enumerate() {
            self.send(id, cost, child, first + (number as u64).min(POSTPONED - 1));
        }
        if later != u32::MAX {
            self.own.push((first + POSTPONED, Own::Postponed { id, cost, later }));
        }
        let (expanded, generated) = (u64::from(!begun), children.len() as u64);
        self.effort.expanded += expanded;
        self.effort.generated += generated;
        self.counted.push(Counted { rank, expanded, generated });
    }

    /// Puts a child of node `parent`, which costs `cost`, with what goes to its owner, where a plan
    /// by it may be of interest. Goals stay here.
    fn send(&mut self, parent: u32, cost: u32, child: &Successor<S::Action>, stamp: u64) {
        if child.bound == u32::MAX {
            return;
        }
        let upper = self.found.map_or(self.upper, |found| found.0.0.min(self.upper));
        let bound = if child.goal { 0 } else { child.bound };
        let cost = u64::from(cost) + u64::from(child.cost);
        if cost + u64::from(bound) >= u64::from(upper) {
            self.overflowed |= upper == u32::MAX;
            return;
        }
        let cost = cost as u32;
        let me = self.exchange.index();
        if child.goal {
            let (worker, Successor { cost: step, action, .. }) = (me as u32, *child);
            let last = BackPointer { worker, parent, cost: step, action };
            self.found = Some(((cost, stamp), Some(last)));
            return;
        }
        let owner = self.owner(child.key);
        if owner == me || self.opening.is_some() {
            self.own.push((stamp, Own::Child { parent, cost, child: *child }));
        } else {
            let from = self.table.state(parent);
            let state = self.space.child(from, child.action, &mut self.scratch);
            let origin = wire::Origin { stamp, parent, cost };
            wire::write(self.space, child, origin, &state, &mut self.out[owner]);
        }
    }

    /// Takes in what the round has brought here, in order of stamps.
    fn settle(&mut self, arrived: &[(usize, Vec<u64>)]) {
        let own = std::mem::take(&mut self.own);
        let words: usize = arrived.iter().map(|(_, words)| words.capacity()).sum();
        let bytes = words * size_of::<u64>() + own.capacity() * size_of::<(u64, Own<S::Action>)>();
        self.message_bytes = self.message_bytes.max(bytes);
        let sent = arrived.iter().map(|(_, words)| Stamps::Sent(wire::Stamps::of(words)));
        let mut all = Merge::new(sent.chain([Stamps::Own(own.iter().enumerate())]));
        let mut some = SmallVec::<[((u64, usize), usize); TOUCHED]>::new();
        loop {
            some.clear();
            while some.len() < TOUCHED
                && let Some(next) = all.next()
            {
                some.push(next);
            }
            if some.is_empty() {
                break;
            }
            self.exchange.sign().give();
            let keys = some.iter().map(|&((_, place), parcel)| match arrived.get(parcel) {
                Some((_, words)) => wire::key(words, place),
                None => own[place].1.key(),
            });
            std::hint::black_box(keys.fold(0, |sum, key| sum ^ self.table.touch(key)));
            for &((stamp, place), parcel) in &some {
                let parcel = arrived.get(parcel);
                let words = parcel.map(|(_, words)| wire::state_words(words, place));
                if self.is_full || self.make_room(words).is_err() {
                    self.is_full = true;
                    return;
                }
                match parcel {
                    Some((worker, words)) => self.reach_state(stamp, words, place, *worker),
                    None => self.take_own(stamp, &own[place].1),
                }
            }
        }
        let mut own = own;
        own.clear();
        self.own = own;
    }

    /// Takes in what comes of a round for this worker's own states.
    fn take_own(&mut self, stamp: u64, own: &Own<S::Action>) {
        match own {
            Own::Child { parent, cost, child } => self.reach_child(stamp, *parent, *cost, child),
            Own::Postponed { id, cost, later } => self.postpone(stamp, *id, *cost, *later),
        }
    }

    /// Opens a node again for its children that are worth `later`.
    fn postpone(&mut self, stamp: u64, id: u32, cost: u32, later: u32) {
        let f = u64::from(cost) + u64::from(later);
        if f >= u64::from(self.upper) {
            self.overflowed |= self.upper == u32::MAX;
            return;
        }
        let node = &mut self.table.nodes[id as usize];
        if node.cost == cost {
            node.queued = (f as u32).max(self.f);
            self.open.push(node.queued, node.queued - cost, Waiting::new(id, stamp));
        }
    }

    /// Handles a child of a state that is owned here, too.
    fn reach_child(&mut self, stamp: u64, parent: u32, cost: u32, child: &Successor<S::Action>) {
        let Worker { space, table, scratch, .. } = self;
        let candidate = Candidate::Child(table.state(parent), child);
        let found = table.find(*space, child.key, &candidate, scratch);
        let back_pointer = BackPointer {
            worker: self.exchange.index() as u32,
            parent,
            cost: child.cost,
            action: child.action,
        };
        let f = (cost + child.bound).max(self.f);
        match found {
            Ok(id) => self.improve(id, (cost, f), back_pointer, stamp),
            Err(slot) => {
                let node = (child.key, cost, f);
                let id = self.table.insert(slot, node, Some(back_pointer), None);
                self.note_owner(child.key);
                self.open.push(f, f - cost, Waiting::new(id, stamp));
            }
        }
    }

    /// Handles a state that another worker has sent.
    fn reach_state(&mut self, stamp: u64, words: &[u64], place: usize, worker: usize) {
        let arrival = wire::read::<S>(words, place, worker).expect("a child");
        let wire::Arrival { key, cost, bound, back_pointer, state } = arrival;
        let candidate = Candidate::Packed(state);
        let found = self.table.find(self.space, key, &candidate, &mut self.scratch);
        let f = (cost + bound).max(self.f);
        match found {
            Ok(id) => {
                if cost < self.table.nodes[id as usize].cost {
                    self.table.keep(id, state);
                }
                self.improve(id, (cost, f), back_pointer, stamp);
            }
            Err(slot) => {
                let node = (key, cost, f);
                let id = self.table.insert(slot, node, Some(back_pointer), Some(state));
                self.open.push(f, f - cost, Waiting::new(id, stamp));
            }
        }
    }

    /// Node `id` was reached again: notes it where that is cheaper.
    fn improve(
        &mut self,
        id: u32,
        (cost, f): (u32, u32),
        back_pointer: BackPointer<S::Action>,
        stamp: u64,
    ) {
        let node = &mut self.table.nodes[id as usize];
        if cost < node.cost {
            (node.cost, node.back_pointer, node.queued, node.begun) =
                (cost, Some(back_pointer), f, false);
            self.open.push(f, f - cost, Waiting::new(id, stamp));
        }
    }

    /// Gives the leader the best plan.
    fn gather_for(&mut self, orders: &mut Option<Box<dyn Orders + '_>>) {
        let plan = self.gather();
        if let (Some(orders), Some((plan, cost))) = (orders.as_mut(), plan) {
            orders.take_plan(&plan, cost);
        }
    }

    /// The best plan, as all see it, and what it costs: less than when it was found where a cheaper
    /// way to one of its states was found since.
    fn gather(&mut self) -> Option<(Vec<u64>, u64)> {
        let (.., mut holder) = self.best?;
        let mut next = None;
        let (mut plan, mut cost) = (Vec::new(), 0);
        loop {
            let words = if holder == self.exchange.index() { self.trace(next) } else { Vec::new() };
            let mut told = self.exchange.share(self.f, &words);
            let words = std::mem::take(&mut told[holder]);
            let (&goes_on, rest) = words.split_first()?;
            for step in rest.chunks_exact(2) {
                plan.push(step[0]);
                cost += step[1];
            }
            if goes_on == END {
                plan.reverse();
                return Some((plan, cost));
            }
            (holder, next) = ((goes_on >> 32) as usize, Some(goes_on as u32));
        }
    }

    /// The steps to a node, or to the best goal, from the last back to the first whose parent is
    /// another worker's: first who that is, and its number there.
    fn trace(&self, node: Option<u32>) -> Vec<u64> {
        let mut words = vec![END];
        let mut step = match node {
            Some(id) => self.table.nodes[id as usize].back_pointer,
            None => self.found.as_ref().and_then(|found| found.1),
        };
        while let Some(BackPointer { worker, parent, cost, action }) = step {
            words.extend([S::action_word(action), u64::from(cost)]);
            if worker as usize != self.exchange.index() {
                words[0] = u64::from(worker) << 32 | u64::from(parent);
                break;
            }
            step = self.table.nodes[parent as usize].back_pointer;
        }
        words
    }

    /// What all have spent together; the memory is the most of one.
    fn totals(&mut self) -> (Statistics, Traffic, bool) {
        if let Some((cost, stamp, _)) = self.best
            && cost <= self.f
            && stamp >> (RANK_BITS + CHILD_BITS) == self.round
        {
            // One process would have ended at this goal.
            let last = stamp >> CHILD_BITS & ((1 << RANK_BITS) - 1);
            for counted in self.counted.iter().filter(|it| u64::from(it.rank) > last) {
                self.effort.expanded -= counted.expanded;
                self.effort.generated -= counted.generated;
            }
        }
        let Statistics { expanded, generated, .. } = self.effort;
        let Traffic { words, parcels, steps, .. } = self.exchange.sent();
        let (memory, overflowed) = (self.memory() as u64, u64::from(self.overflowed));
        let states = self.table.nodes.len() as u64;
        let told = [expanded, generated, memory, overflowed, words, parcels, states];
        let mut all = Statistics::default();
        let mut traffic = Traffic { steps, critical: self.critical, ..Traffic::default() };
        let mut any_overflowed = false;
        for words in self.exchange.share(self.f, &told) {
            let [expanded, generated, memory, overflowed, words, parcels, states] = words[..]
            else {
                continue;
            };
            all.expanded += expanded;
            all.generated += generated;
            all.memory = all.memory.max(memory as usize);
            any_overflowed |= overflowed != 0;
            traffic.words += words;
            traffic.parcels += parcels;
            traffic.states += states;
            traffic.most_states = traffic.most_states.max(states);
        }
        (all, traffic, any_overflowed)
    }

    /// The outcome and the traffic, the same for all workers.
    fn outcome(mut self, stopped: Option<StopReason>) -> (Outcome<u64>, Traffic) {
        let (effort, traffic, overflowed) = self.totals();
        let upper = u64::from(self.upper);
        let bound = if stopped.is_none() { upper } else { upper.min(u64::from(self.f)) };
        let effort = Statistics { stopped, ..effort };
        let outcome = match self.gather() {
            Some((plan, cost)) => {
                let optimal = cost <= bound;
                let verdict = if optimal { Verdict::Optimal } else { Verdict::Found };
                let effort = Statistics { stopped: stopped.filter(|_| !optimal), ..effort };
                Outcome { verdict, plan: Some(plan), cost, bound, effort }
            }
            None if self.is_known() && bound == upper => {
                Outcome { verdict: Verdict::Optimal, plan: None, cost: bound, bound, effort }
            }
            None if stopped.is_some() || overflowed => Outcome::unknown(bound, effort),
            None => {
                let (verdict, cost) = (Verdict::Impossible, u64::MAX);
                Outcome { verdict, plan: None, cost, bound: u64::MAX, effort }
            }
        };
        self.exchange.close();
        (outcome, traffic)
    }

    /// Bytes of what is to be sent.
    fn bytes_of_messages(&self) -> usize {
        self.out.iter().map(|words| words.capacity() * size_of::<u64>()).sum::<usize>()
            + self.own.capacity() * size_of::<(u64, Own<S::Action>)>()
            + self.ahead.bytes()
            + spare_bytes()
    }

    /// Bytes of all but the table: the open list, messages, the working memory, and the space's own.
    fn bytes_beside_table(&self) -> usize {
        let messages = self.message_bytes.max(self.bytes_of_messages());
        let space = self.space.scratch_bytes(&self.scratch) + self.space.bytes();
        self.open.bytes() + messages + space
    }

    /// Bytes held.
    fn memory(&self) -> usize {
        self.table.bytes() + self.bytes_beside_table()
    }
}
