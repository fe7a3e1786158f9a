//! A beam by workers of which each holds a part of every layer.
//!
//! The layers are those of [`crate::search::beam`], place by place. Each worker has a stretch of a
//! layer and expands it. A child's key, estimate and cost go to the worker that owns the child's
//! partition, which drops duplicates. Partitions are owned in order, so what the workers choose is the
//! next layer, one stretch after another; one histogram decides the cut. Only then states are built,
//! by who has the parent, and sent to who has chosen them. Links stay where they are made.
//!
//! A layer takes up to six steps of the exchange. While that costs more than it saves, all workers
//! make all layers, alike and without a word ([`super::pace`]).

use super::exchange::{Exchange, spare_bytes};
use super::links::Links;
use super::pace::Pace;
use super::report::{stop_code, stop_of};
use super::{BeamRequest, Orders, Standing, Traffic};
use crate::search::beam::back_pointers::BackPointer;
use crate::search::beam::transposition_table::TranspositionTable;
use crate::search::beam::{
    BINS, Beam, Candidate, Expanded, Goal, Judged, Member, Pick, bytes_of, conclude, distinct,
    former_layers, judge, partition, partitions_of, rank_of, widen,
};
use crate::search::shared::Portable;
use crate::search::{Due, Outcome, Statistics, StopReason};
use std::ops::Range;

/// Number of steps of the exchange that a layer takes.
const STEPS: u32 = 6;
/// Words of a parcel of candidates before their counts.
const HEAD: usize = 5;
/// Words of a candidate.
const CANDIDATE: usize = 3;
/// States between two looks at the memory, and between two signs of life.
const POLL: usize = 64;

/// What a worker tells with its candidates.
struct Head {
    stop: Option<StopReason>,
    is_full: bool,
    generated: u64,
    /// The best goal that it has reached, the action as a word.
    goal: Option<Goal<u64>>,
}

impl Head {
    fn words(&self) -> [u64; HEAD] {
        let goal = self.goal.unwrap_or(Goal { cost: u32::MAX, parent: 0, action: 0 });
        [
            self.stop.map_or(0, |stop| u64::from(stop_code(stop))),
            u64::from(self.is_full),
            self.generated,
            u64::from(goal.cost) | u64::from(goal.parent) << 32,
            goal.action,
        ]
    }

    fn read(words: &[u64; HEAD]) -> Head {
        let [stop, full, generated, reached, action] = *words;
        let (cost, parent) = (reached as u32, (reached >> 32) as u32);
        Head {
            stop: stop_of(stop as u8),
            is_full: full != 0,
            generated,
            goal: (cost != u32::MAX).then_some(Goal { cost, parent, action }),
        }
    }
}

/// The layer that comes next, as this worker knows it before the states are there.
struct Chosen {
    picks: Vec<Pick>,
    /// The places where the workers' stretches begin, and the end.
    starts: Vec<u32>,
    /// Which of the candidates that were sent to each worker it has chosen.
    wanted: Vec<Vec<u32>>,
}

/// One of the workers of a beam.
struct Worker<'a, 'e, 'w, S: Portable> {
    space: &'a S,
    exchange: &'e mut Exchange<'w>,
    request: BeamRequest,
    beam: Beam,
    scratch: S::Scratch,
    /// Whether all workers do the same, each for itself.
    is_alike: bool,
    pace: Pace,
    /// Expansions before this run.
    before: u64,
    /// This worker's stretch of the layer, and the place where it begins.
    layer: Vec<Member<S::State>>,
    first: u32,
    /// States of the whole layer.
    states: usize,
    layer_bytes: usize,
    depth: u32,
    table: TranspositionTable,
    links: Links<S::Action>,
    upper: u64,
    /// Lower bound of the start.
    bound: u32,
    best: Option<(u64, Vec<u64>)>,
    is_complete: bool,
    effort: Statistics,
    traffic: Traffic,
}

/// Searches with the other workers, with wider and wider beams where that is asked for. All have the
/// same outcome, with the plan in words of actions.
pub(super) fn search<S: Portable>(
    space: &S,
    mut exchange: Exchange<'_>,
    request: BeamRequest,
    orders: &mut Option<Box<dyn Orders + '_>>,
) -> (Outcome<u64>, Traffic) {
    let mut traffic = Traffic::default();
    let mut run = |beam: Beam, known: Option<u64>, effort: Statistics| {
        let mut worker = Worker::new(space, &mut exchange, (request, beam), known, effort);
        worker.traffic = traffic;
        let (outcome, is_complete, after) = worker.run(orders);
        traffic = after;
        (outcome, is_complete)
    };
    let upper = (request.upper != u64::MAX).then_some(request.upper);
    let outcome = match request.is_widening {
        true => widen(&request.beam, upper, run),
        false => run(request.beam, upper, Statistics::default()).0,
    };
    exchange.close();
    (outcome, traffic)
}

impl<'a, 'e, 'w, S: Portable> Worker<'a, 'e, 'w, S> {
    fn new(
        space: &'a S,
        exchange: &'e mut Exchange<'w>,
        (request, beam): (BeamRequest, Beam),
        known: Option<u64>,
        effort: Statistics,
    ) -> Self {
        let is_alike = exchange.peers() > 1;
        Worker {
            space,
            request,
            beam: Beam { width: beam.width.clamp(1, u32::MAX as usize), ..beam },
            scratch: space.scratch(),
            is_alike,
            pace: Pace::new(request.opening),
            before: effort.expanded,
            layer: Vec::new(),
            first: 0,
            states: 0,
            layer_bytes: 0,
            depth: 0,
            table: former_layers(beam.width, request.former),
            links: Links::new(exchange.index()),
            upper: known.unwrap_or(u64::MAX),
            bound: space.bound(&space.start()),
            best: None,
            is_complete: true,
            effort,
            traffic: Traffic::default(),
            exchange,
        }
    }

    /// How many share a layer, and which of them this is.
    fn workers(&self) -> (usize, usize) {
        match self.is_alike {
            true => (1, 0),
            false => (self.exchange.peers(), self.exchange.index()),
        }
    }

    /// The answer, whether the beam has run dry without leaving anything out, and what was sent.
    fn run(mut self, orders: &mut Option<Box<dyn Orders + '_>>) -> (Outcome<u64>, bool, Traffic) {
        let start = self.space.start();
        let (bound, known) = (self.bound, self.upper);
        let mut stopped = None;
        if self.space.is_goal(&start) && known > 0 {
            self.best = Some((0, Vec::new()));
        } else if u64::from(bound) < known && bound != u32::MAX {
            self.table.insert_here(&[self.space.key(&start)]);
            self.layer_bytes = size_of::<Member<S::State>>() + self.space.heap_bytes(&start);
            self.states = 1;
            self.layer.push(Member { state: start, cost: 0 });
            // Without others, the stretch of this worker is the layer.
            stopped = self.layers(orders);
        }
        if let (Some(orders), Some((cost, plan))) = (orders, &self.best) {
            orders.take_plan(plan, *cost); // a wider beam does not know it
        }
        self.count();
        let is_complete = self.is_complete && stopped.is_none();
        let effort = Statistics { stopped, ..self.effort };
        (conclude(self.best, (bound, known), effort), is_complete, self.traffic)
    }

    /// Makes layer after layer until one is empty or the budget is spent.
    fn layers(&mut self, orders: &mut Option<Box<dyn Orders + '_>>) -> Option<StopReason> {
        while self.states > 0 {
            if self.depth >= self.beam.layers {
                self.is_complete = false;
                break;
            }
            if self.request.nodes.is_some_and(|most| self.effort.expanded >= most) {
                return Some(StopReason::Nodes);
            }
            let stop = match self.is_alike {
                true => self.look_up(orders),
                false => self.ask(orders),
            };
            if self.is_alike && stop.is_some() {
                return stop;
            }
            if let Some(stop) = self.next_layer(stop) {
                return Some(stop);
            }
            self.depth += 1;
        }
        None
    }

    /// Asks the leader, where it is this worker's, whether to stop; and shows it what there is.
    fn ask(&self, orders: &mut Option<Box<dyn Orders + '_>>) -> Option<StopReason> {
        let orders = orders.as_mut()?;
        if let Some((cost, plan)) = &self.best
            && orders.wants_plan(*cost as u32)
        {
            orders.take_plan(plan, *cost);
        }
        orders.look(&Standing {
            bound: u64::from(self.bound),
            best: (self.upper != u64::MAX).then_some(self.upper),
            expanded: self.effort.expanded,
            memory: self.memory() as u64,
        })
    }

    /// Hears from the first worker, now and then: whether to stop, and whether to share out layers
    /// from here on.
    fn look_up(&mut self, orders: &mut Option<Box<dyn Orders + '_>>) -> Option<StopReason> {
        let expanded = self.effort.expanded - self.before;
        if self.pace.is_over(expanded) {
            self.divide();
            return None;
        }
        if !self.pace.is_due(expanded) {
            return None;
        }
        let is_worth = self.pace.is_worth(self.states, self.exchange.peers(), STEPS);
        let stop = self.ask(orders).map_or(0, |stop| u64::from(stop_code(stop)));
        let told = self.exchange.share(0, &[stop, u64::from(is_worth)]);
        let step = self.exchange.time_step(0);
        self.pace.looked(expanded, step);
        let stop = stop_of(told[0][0] as u8);
        if told[0][1] != 0 && stop.is_none() {
            self.divide();
        }
        stop
    }

    /// Goes on with a stretch of the layer; the others have the rest.
    fn divide(&mut self) {
        self.is_alike = false;
        let (workers, me) = self.workers();
        let place = |worker: usize| self.states * worker / workers;
        let own = place(me)..place(me + 1);
        self.first = own.start as u32;
        self.layer.truncate(own.end);
        self.layer.drain(..own.start);
        self.layer_bytes = self.bytes_of_layer();
    }

    /// Replaces the layer by the next, unless a worker has to stop.
    fn next_layer(&mut self, stop: Option<StopReason>) -> Option<StopReason> {
        let (workers, me) = self.workers();
        let partitions = partitions_of(self.states);
        let owned =
            |worker: usize| partitions * worker / workers..partitions * (worker + 1) / workers;
        let (made, head) = self.expand(partitions, stop);
        let (heads, blocks) = self.swap_candidates(&made, &head, owned);
        let stop = heads[0].stop;
        let stop = stop.or(heads.iter().any(|head| head.is_full).then_some(StopReason::Memory));
        if stop.is_some() {
            return stop;
        }
        self.effort.expanded += self.states as u64;
        self.effort.generated += heads.iter().map(|head| head.generated).sum::<u64>();
        self.note_goal(&heads);
        let picks: Vec<(Vec<Pick>, bool)> = (0..owned(me).len())
            .map(|partition| {
                self.exchange.sign().give();
                distinct(&blocks, partition, self.upper, self.beam.quota)
            })
            .collect();
        let last = self.cut(&picks);
        let kept = |pick: &Pick| pick.rank <= last;
        let picks: Vec<Pick> = picks.into_iter().flat_map(|it| it.0).filter(kept).collect();
        let chosen = self.swap_choices(picks);
        let sent: Vec<Range<usize>> = (0..workers)
            .map(|worker| {
                let Range { start, end } = owned(worker);
                made.starts[start] as usize..made.starts[end] as usize
            })
            .collect();
        self.build(&made, &sent, &blocks, chosen);
        None
    }

    /// Expands this worker's stretch. What comes of it is in order of partitions, and without
    /// duplicates where others get it.
    fn expand(
        &mut self,
        partitions: usize,
        stop: Option<StopReason>,
    ) -> (Expanded<S::Action>, Head) {
        let mut candidates: Vec<Candidate<S::Action>> = Vec::new();
        let mut goal: Option<Goal<S::Action>> = None;
        let (mut generated, mut is_full) = (0, false);
        let (upper, seed, held) = (self.upper, self.request.seed, self.memory());
        for (place, member) in self.layer.iter().enumerate() {
            if place % POLL == 0 {
                self.exchange.sign().give();
                if held + bytes_of(&candidates) > self.request.memory {
                    is_full = true;
                    break;
                }
            }
            let parent = (self.first + place as u32, member.cost);
            let due = Due::below(upper, member.cost);
            self.space.expand_due(&member.state, due, &mut self.scratch, &mut |child| {
                generated += 1;
                match judge(&child, parent, upper, seed) {
                    Judged::Useless => {}
                    Judged::Goal(reached) => {
                        if goal.is_none_or(|goal| reached.cost < goal.cost) {
                            goal = Some(reached);
                        }
                    }
                    Judged::Candidate(candidate) => candidates.push(candidate),
                }
            });
        }
        candidates.retain(|candidate| !self.table.contains(candidate.key));
        let (candidates, starts) = partition(candidates, partitions, self.beam.quota.is_some());
        let mut made = Expanded { candidates, starts, goal, generated, stopped: None };
        if !self.is_alike {
            made = without_duplicates(made, partitions);
        }
        let in_words = |goal: Goal<S::Action>| Goal {
            cost: goal.cost,
            parent: goal.parent,
            action: S::action_word(goal.action),
        };
        (made, Head { stop, is_full, generated, goal: goal.map(in_words) })
    }

    /// Sends each worker the candidates of its partitions; what all have told, and what each has sent
    /// of the partitions of this one.
    fn swap_candidates(
        &mut self,
        made: &Expanded<S::Action>,
        head: &Head,
        owned: impl Fn(usize) -> Range<usize>,
    ) -> (Vec<Head>, Vec<Expanded<()>>) {
        let (workers, me) = self.workers();
        let mut out = vec![Vec::new(); workers];
        for (worker, words) in out.iter_mut().enumerate() {
            words.extend(head.words());
            let partitions = owned(worker);
            let starts = &made.starts[partitions.start..=partitions.end];
            words.extend(starts.iter().map(|start| u64::from(start - starts[0])));
            let sent = starts[0] as usize..starts[starts.len() - 1] as usize;
            for candidate in &made.candidates[sent] {
                let Candidate { key, rank, cost, class, parent, .. } = *candidate;
                words.extend([
                    key,
                    rank >> 32 | u64::from(parent) << 32,
                    u64::from(cost) | u64::from(class) << 32,
                ]);
            }
        }
        let counts = owned(me).len() + 1;
        let seed = self.request.seed;
        let arrived = self.swap(out);
        arrived
            .iter()
            .map(|words| read_candidates(words, counts, seed).expect("candidates"))
            .unzip()
    }

    /// Takes the cheapest goal of the layer, the first of equals; all see the plan.
    fn note_goal(&mut self, heads: &[Head]) {
        let goals = heads.iter().filter_map(|head| head.goal);
        let Some(Goal { cost, mut parent, action }) = goals.min_by_key(|goal| goal.cost) else {
            return;
        };
        let mut plan = vec![action];
        let mut layers = self.links.layers();
        while layers > 0 {
            let (actions, place) = self.links.trace(layers, parent);
            let mut words: Vec<u64> = actions.into_iter().map(S::action_word).collect();
            words.push(u64::from(place));
            if let Some(holder) = self.links.holder(layers - 1, parent) {
                words = std::mem::take(&mut self.exchange.share(0, &words)[holder]);
            }
            let (place, actions) = words.split_last().expect("a place");
            (parent, layers) = (*place as u32, layers - actions.len());
            plan.extend(actions);
        }
        plan.reverse();
        self.upper = u64::from(cost);
        self.best = Some((self.upper, plan));
    }

    /// The rank up to which children are kept, such that the layer is no wider than it may be.
    fn cut(&mut self, picks: &[(Vec<Pick>, bool)]) -> u64 {
        let ranks = || picks.iter().flat_map(|(picks, _)| picks.iter().map(|pick| pick.rank));
        let words = [
            ranks().count() as u64,
            u64::from(picks.iter().any(|(_, cut)| *cut)),
            ranks().min().unwrap_or(u64::MAX),
            ranks().max().unwrap_or(0),
        ];
        let told = self.share(words.to_vec());
        let column = |at: usize| told.iter().map(move |words| words[at]);
        let room = self.request.nodes.map_or(u64::MAX, |most| most - self.effort.expanded);
        let width = self.beam.width.min(usize::try_from(room).unwrap_or(usize::MAX)).max(1);
        let count = column(0).sum::<u64>() as usize;
        self.is_complete &= count <= width && column(1).all(|cut| cut == 0);
        if count <= width {
            return u64::MAX;
        }
        let (least, most) = (column(2).min().unwrap_or(0), column(3).max().unwrap_or(0));
        let bits = u64::BITS - (most - least).leading_zeros();
        let shift = bits.saturating_sub(BINS.trailing_zeros());
        let bin = |rank: u64| ((rank - least) >> shift) as usize;
        let mut bins = vec![0; BINS];
        ranks().for_each(|rank| bins[bin(rank)] += 1);
        let all = self.share(bins);
        let mut below = 0;
        let edge = (0..BINS).find(|&at| {
            below += all.iter().map(|bins| bins[at]).sum::<u64>() as usize;
            below > width
        });
        let Some(edge) = edge else { return u64::MAX };
        below -= all.iter().map(|bins| bins[edge]).sum::<u64>() as usize;
        let at_edge = ranks().filter(|&rank| bin(rank) == edge).collect();
        let mut at_edge = self.share(at_edge).concat();
        // The first that is too many: what ranks before it stays.
        let (_, first_out, _) = at_edge.select_nth_unstable(width - below);
        first_out.saturating_sub(1)
    }

    /// Tells whom the chosen children are from, and all others their keys.
    fn swap_choices(&mut self, picks: Vec<Pick>) -> Chosen {
        let (workers, _) = self.workers();
        let mut wanted = vec![Vec::new(); workers];
        for pick in &picks {
            wanted[pick.block as usize].push(pick.at);
        }
        let out = wanted.iter().map(|wanted: &Vec<u32>| {
            let mut words = vec![picks.len() as u64];
            words.extend(picks.iter().map(|pick| pick.key));
            words.extend(wanted.iter().map(|&at| u64::from(at)));
            words
        });
        let out = out.collect();
        let arrived = self.swap(out);
        let mut chosen = Chosen { picks, starts: vec![0], wanted: Vec::new() };
        let mut states = 0;
        for words in &arrived {
            let (&count, rest) = words.split_first().expect("a count");
            let (keys, wanted) = rest.split_at(count as usize);
            self.table.insert_here(keys);
            states += count as u32;
            chosen.starts.push(states);
            chosen.wanted.push(wanted.iter().map(|&at| at as u32).collect());
        }
        let longest = chosen.starts.windows(2).map(|pair| pair[1] - pair[0]).max().unwrap_or(0);
        self.traffic.states += u64::from(states);
        self.traffic.most_states += u64::from(longest);
        self.traffic.critical += u64::from(longest);
        self.states = states as usize;
        chosen
    }

    /// Builds the children of this worker's states that were chosen, and gets those that it has chosen.
    fn build(
        &mut self,
        made: &Expanded<S::Action>,
        sent: &[Range<usize>],
        blocks: &[Expanded<()>],
        chosen: Chosen,
    ) {
        let (workers, me) = self.workers();
        let mut out = vec![Vec::new(); workers];
        let mut own = Vec::new();
        for (worker, wanted) in chosen.wanted.iter().enumerate() {
            let candidates = &made.candidates[sent[worker].clone()];
            for (number, &at) in wanted.iter().enumerate() {
                if number % POLL == 0 {
                    self.exchange.sign().give();
                }
                let Candidate { parent, action, .. } = candidates[at as usize];
                let from = &self.layer[(parent - self.first) as usize].state;
                let state = self.space.child(from, action, &mut self.scratch);
                if worker == me {
                    own.push((state, action));
                } else {
                    let words = &mut out[worker];
                    let place = words.len();
                    words.extend([0, S::action_word(action)]);
                    self.space.pack(&state, words);
                    words[place] = (words.len() - place - 1) as u64;
                }
            }
        }
        let arrived = self.swap(out);
        let mut rests: Vec<&[u64]> = arrived.iter().map(Vec::as_slice).collect();
        let mut own = own.into_iter();
        let mut layer = Vec::with_capacity(chosen.picks.len());
        let mut links = Vec::with_capacity(chosen.picks.len());
        for (number, pick) in chosen.picks.iter().enumerate() {
            if number % POLL == 0 {
                self.exchange.sign().give();
            }
            let worker = pick.block as usize;
            let Candidate { parent, cost, .. } = blocks[worker].candidates[pick.at as usize];
            let child = match worker == me {
                true => own.next(),
                false => read_state(self.space, &mut rests[worker]),
            };
            let (state, action) = child.expect("the state of a child");
            layer.push(Member { state, cost });
            links.push(BackPointer { parent, action });
        }
        let Chosen { mut starts, .. } = chosen;
        self.first = starts[me];
        starts.truncate(if self.is_alike { 0 } else { workers });
        self.links.push(links, starts);
        let words: usize = arrived.iter().map(bytes_of).sum();
        let bytes = self.memory() + words + bytes_of(&made.candidates);
        (self.layer, self.layer_bytes) = (layer, 0);
        self.layer_bytes = self.bytes_of_layer();
        self.effort.memory = self.effort.memory.max(bytes + self.layer_bytes);
    }

    /// Sends words to the workers and takes theirs, in their order; alone, takes its own.
    fn swap(&mut self, mut out: Vec<Vec<u64>>) -> Vec<Vec<u64>> {
        if self.is_alike {
            return out;
        }
        self.exchange.swap(0, &mut out).into_iter().map(|(_, words)| words).collect()
    }

    /// What all workers tell, in their order.
    fn share(&mut self, words: Vec<u64>) -> Vec<Vec<u64>> {
        if self.is_alike { vec![words] } else { self.exchange.share(0, &words) }
    }

    /// Adds up what all have sent, and finds the most that one holds.
    fn count(&mut self) {
        let Traffic { words, parcels, steps, .. } = self.exchange.sent();
        let memory = self.effort.memory.max(self.memory()) as u64;
        let told = self.exchange.share(0, &[words, parcels, memory]);
        self.traffic.words = told.iter().map(|told| told[0]).sum();
        self.traffic.parcels = told.iter().map(|told| told[1]).sum();
        self.traffic.steps = steps;
        self.effort.memory = told.iter().map(|told| told[2]).max().unwrap_or(0) as usize;
    }

    fn bytes_of_layer(&self) -> usize {
        let heap = self.layer.iter().map(|member| self.space.heap_bytes(&member.state));
        bytes_of(&self.layer) + heap.sum::<usize>()
    }

    /// Bytes held between two layers.
    fn memory(&self) -> usize {
        let space = self.space.scratch_bytes(&self.scratch) + self.space.bytes();
        self.table.bytes() + self.links.bytes() + self.layer_bytes + spare_bytes() + space
    }
}

/// Keeps of children with the same key only the one that counts.
fn without_duplicates<A: Copy>(made: Expanded<A>, partitions: usize) -> Expanded<A> {
    let made = [made];
    let mut starts = vec![0];
    let mut candidates = Vec::new();
    for partition in 0..partitions {
        let (picks, _) = distinct(&made, partition, u64::MAX, None);
        candidates.extend(picks.iter().map(|pick| made[0].candidates[pick.at as usize]));
        starts.push(candidates.len() as u32);
    }
    let [Expanded { goal, generated, .. }] = made;
    Expanded { candidates, starts, goal, generated, stopped: None }
}

/// Reads what a worker has reported, and its candidates with their `counts` starts, one more than
/// there are partitions.
fn read_candidates(words: &[u64], counts: usize, seed: u64) -> Option<(Head, Expanded<()>)> {
    let (head, rest) = words.split_first_chunk::<HEAD>()?;
    let (starts, rest) = rest.split_at_checked(counts)?;
    let starts = starts.iter().map(|&start| start as u32).collect();
    let candidates =
        rest.as_chunks::<CANDIDATE>().0.iter().map(|&[key, second, third]| Candidate {
            key,
            rank: rank_of(second as u32, key, seed),
            cost: third as u32,
            class: (third >> 32) as u32,
            parent: (second >> 32) as u32,
            action: (),
        });
    let candidates = candidates.collect();
    let blocks = Expanded { candidates, starts, goal: None, generated: 0, stopped: None };
    Some((Head::read(head), blocks))
}

/// Reads a state and the action that leads to it.
fn read_state<S: Portable>(space: &S, rest: &mut &[u64]) -> Option<(S::State, S::Action)> {
    let (&count, words) = rest.split_first()?;
    let (child, others) = words.split_at_checked(count as usize)?;
    let (&action, state) = child.split_first()?;
    *rest = others;
    Some((space.unpack(state)?, S::action_of(action)?))
}
