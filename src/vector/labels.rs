//! Exact labels of positions: the distance to the end of the game, whether it is lost, and a best step.
//!
//! A search from one position labels others, too: every position along a shortest plan has its distance, and a
//! loss that is proven once need not be proven again. So the positions of a level are labelled one after
//! another, and each is looked up among the known ones first.

use crate::diagnostic::Source;
use crate::games::session::{Session, Status};
use crate::games::{Answer, Area, Objective};
use crate::search::{Control, Event, Limits, Progress, Run, Verdict};
use ahash::HashMap;
use std::sync::atomic::{AtomicUsize, Ordering};
use std::sync::{Arc, Mutex, PoisonError};

/// Upper limit of the positions of one level that are labelled one after another; further ones go to other
/// threads. It does not depend on the number of threads, and so neither do the labels.
const CHUNK: usize = 256;
/// Upper limit of the positions of a level that are remembered.
const MAX_KNOWN: usize = 1 << 20;

/// The label of a position: a field is exact, or `None`.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Label {
    /// The least cost from here to the end of the game, in the measure that was asked for.
    pub distance: Option<u64>,
    /// Whether no plan leads from here to the end.
    pub is_lost: Option<bool>,
    /// The first step of a plan of that cost, as [`Session::act`] takes it.
    pub step: Option<String>,
}

impl Label {
    /// Whether nothing is left to be known.
    pub fn is_exact(&self) -> bool {
        self.is_lost == Some(true) || self.distance.is_some()
    }

    fn lost() -> Label {
        Label { is_lost: Some(true), ..Label::default() }
    }

    fn at(distance: u64, step: Option<String>) -> Label {
        Label { distance: Some(distance), is_lost: Some(false), step }
    }
}

/// A position: an area, and a game on it.
pub type Position<'a> = (&'a dyn Area, Box<dyn Session>);

/// Labels positions on as many threads as the limits say; the labels have the order of the positions. Time,
/// memory and nodes limit each search, which has one thread. Positions of one level (the same area, not an equal
/// one) share what is learned. Once cancelled, the remaining labels are empty.
///
/// ```
/// use outwit::diagnostic::Source;
/// use outwit::games::{GameId, Objective, Session};
/// use outwit::search::{Control, Limits};
/// use outwit::vector::label;
///
/// let level = Source::new("room", "#######\n#@    #\n# $  .#\n#     #\n#######\n");
/// let area = GameId::Sokoban.game().read(&level)?.only()?;
/// let positions = ["r", "rd"].map(|steps| {
///     let mut session = area.session();
///     steps.chars().for_each(|step| session.act(&step.to_string()).expect("a step"));
///     (&*area, session)
/// });
/// let labels = label(positions.into(), &Objective::OPTIMAL, Limits::seconds(1.0), &Control::default());
/// // Three pushes, and a box at a wall without targets.
/// assert_eq!((labels[0].distance, labels[1].is_lost), (Some(3), Some(true)));
/// # Ok::<(), Box<dyn std::error::Error>>(())
/// ```
pub fn label(
    positions: Vec<Position<'_>>,
    objective: &Objective,
    limits: Limits,
    control: &Control,
) -> Vec<Label> {
    label_as_part(positions, objective, limits, control, (0.0, 1.0))
}

/// Labels positions as a part of some larger work: from this fraction of it to that one.
pub(super) fn label_as_part(
    positions: Vec<Position<'_>>,
    objective: &Objective,
    limits: Limits,
    control: &Control,
    part: (f64, f64),
) -> Vec<Label> {
    let count = positions.len();
    let chunks = chunks(positions);
    let objective = Objective { prove: true, ..*objective };
    let run = Run {
        limits: Limits { threads: 1, ..limits },
        control: Control { cancel: Arc::clone(&control.cancel), listener: None },
        ..Run::default()
    };
    let jobs = Jobs { count: chunks.len(), phase: "labelling positions", control, part };
    let labelled = on_threads(limits.threads, jobs, |number| {
        let mut chunk = chunks[number].lock().unwrap_or_else(PoisonError::into_inner);
        let mut labeller = Labeller { objective, run: &run, known: HashMap::default() };
        let mut labels = Vec::with_capacity(chunk.len());
        for (place, (area, session)) in chunk.drain(..) {
            if control.is_cancelled() {
                break;
            }
            labels.push((place, labeller.label(area, &*session)));
        }
        labels
    });
    let mut labels = vec![Label::default(); count];
    for (place, label) in labelled.into_iter().flatten() {
        labels[place] = label;
    }
    labels
}

/// Jobs that are done on several threads.
pub(super) struct Jobs<'a> {
    /// Their number.
    pub count: usize,
    /// What is done, in a few words.
    pub phase: &'a str,
    /// Its listener is told how far the work is.
    pub control: &'a Control,
    /// Which part of the whole work they are: from this fraction of it to that one.
    pub part: (f64, f64),
}

impl Jobs<'_> {
    fn tell(&self, done: usize) {
        let (from, to) = self.part;
        let fraction = from + (to - from) * done as f64 / self.count.max(1) as f64;
        let progress = Progress { phase: self.phase.into(), fraction, ..Progress::default() };
        self.control.tell(&Event::Progress(progress));
    }
}

/// Does the jobs 0 to `count - 1` on several threads, each of which searches alone; the results have the order of
/// the jobs. A panic of a job is passed on.
pub(super) fn on_threads<T: Send>(
    threads: usize,
    jobs: Jobs<'_>,
    work: impl Fn(usize) -> T + Sync,
) -> Vec<T> {
    let results: Vec<Mutex<Option<T>>> = (0..jobs.count).map(|_| Mutex::new(None)).collect();
    let (next, done) = (AtomicUsize::new(0), AtomicUsize::new(0));
    let alone = Limits { threads: 1, ..Limits::default() };
    let take = || {
        while let number = next.fetch_add(1, Ordering::Relaxed)
            && let Some(place) = results.get(number)
        {
            let result = work(number);
            *place.lock().unwrap_or_else(PoisonError::into_inner) = Some(result);
            jobs.tell(done.fetch_add(1, Ordering::Relaxed) + 1);
        }
    };
    std::thread::scope(|scope| {
        for _ in 0..threads.min(jobs.count).max(1) {
            scope.spawn(|| alone.install(take));
        }
    });
    let result =
        |place: Mutex<Option<T>>| place.into_inner().unwrap_or_else(PoisonError::into_inner);
    results.into_iter().filter_map(result).collect()
}

/// Positions with their places.
type Chunk<'a> = Vec<(usize, Position<'a>)>;

/// The positions of each level together, in their order.
fn chunks<'a>(positions: Vec<Position<'a>>) -> Vec<Mutex<Chunk<'a>>> {
    let mut chunks: Vec<Chunk<'a>> = Vec::new();
    let mut open: HashMap<*const (), usize> = HashMap::default();
    for (place, position) in positions.into_iter().enumerate() {
        let area = std::ptr::from_ref(position.0).cast::<()>();
        let chunk = open.get(&area).copied().filter(|&chunk| chunks[chunk].len() < CHUNK);
        let chunk = chunk.unwrap_or(chunks.len());
        if chunk == chunks.len() {
            chunks.push(Vec::new());
            open.insert(area, chunk);
        }
        chunks[chunk].push((place, position));
    }
    chunks.into_iter().map(Mutex::new).collect()
}

/// Labels positions of one level, one after another.
struct Labeller<'a> {
    objective: Objective,
    run: &'a Run,
    /// Exact labels, by [`Session::position`].
    known: HashMap<Vec<u64>, Label>,
}

impl Labeller<'_> {
    fn label(&mut self, area: &dyn Area, session: &dyn Session) -> Label {
        match session.status() {
            Status::Won => return Label::at(0, None),
            Status::Lost(_) => return Label::lost(),
            Status::Playing => {}
        }
        let position = session.position();
        if let Some(label) = self.known.get(&position) {
            return label.clone();
        }
        let answer = session.solve(&self.objective, self.run);
        match answer.verdict {
            Verdict::Impossible => {
                self.learn(position, Label::lost());
                Label::lost()
            }
            Verdict::Optimal => self.follow(area, session, &answer).unwrap_or_default(),
            _ => self.found(area, &answer),
        }
    }

    fn learn(&mut self, position: Vec<u64>, label: Label) {
        if self.known.len() == MAX_KNOWN {
            self.known.clear();
        }
        self.known.insert(position, label);
    }

    /// Follows a shortest plan under the reference rules, and learns the distance of each position on its
    /// way. None if the rules refuse the plan.
    fn follow(&mut self, area: &dyn Area, from: &dyn Session, answer: &Answer) -> Option<Label> {
        let plan = Source::new("plan", answer.plan.as_deref()?);
        let (mut session, mut on_way) = (area.session(), Vec::new());
        for step in area.steps(&plan).ok()? {
            if session.steps() >= from.steps() && session.status() == Status::Playing {
                let spent = session.length(&self.objective);
                on_way.push((session.position(), spent, step.text.clone()));
            }
            session.act(&step.text).ok()?;
        }
        let total = session.length(&self.objective);
        if session.status() != Status::Won || answer.length != Some(total) {
            return None;
        }
        for (position, spent, step) in on_way {
            self.learn(position, Label::at(total - spent, Some(step)));
        }
        self.known.get(&from.position()).cloned()
    }

    /// The label of a position from which a plan leads, perhaps not a shortest one: it is not lost.
    fn found(&self, area: &dyn Area, answer: &Answer) -> Label {
        let plan = answer.plan.as_deref().map(|plan| Source::new("plan", plan));
        let holds = plan.is_some_and(|plan| area.replay(&plan).is_ok());
        Label { is_lost: holds.then_some(false), ..Label::default() }
    }
}
