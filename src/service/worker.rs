//! Takes jobs from the store's queue and searches, each on threads of its own.
//!
//! While a search runs the worker reports how far it is, learns whether the job was cancelled, and
//! notices when the job has been given to another. It also counts that it lives, and gives the jobs
//! of workers that are lost back to the queue. A store that is away ends no search: the worker
//! delivers what it has found once the store is back. When the process is to end, its searches are
//! stopped and their jobs go back to the queue. So does a job whose search by several processes has
//! lost one of them, once: the second time it goes on without them.

use crate::games::Standing;
use crate::search::Progress;
use crate::service::solving::{Found, Watch, solve};
use crate::service::stopped;
use crate::store::{Beat, Claimed, Ending, JobResult, LOOK, Pulse, Store, StoreError, Watchman};
use crate::verify::Settled;
use futures_util::FutureExt;
use std::panic::AssertUnwindSafe;
use std::sync::atomic::Ordering;
use std::sync::{Arc, Mutex, PoisonError};
use std::time::{Duration, Instant};
use tokio::sync::{Semaphore, oneshot, watch};
use tokio::task::JoinSet;
use tokio::time::{MissedTickBehavior, interval, sleep, timeout};
use tracing::Instrument;

/// Time between two reports of a worker.
const REPORT: Duration = Duration::from_millis(500);
/// Time between two looks of an idle worker for jobs.
const POLL: Duration = Duration::from_millis(200);
/// Name under which the plans of a job's search are found.
const SOLVER: &str = "outwit";
/// Upper limit of the workers that may be lost with a job: it may be what kills them.
const MAX_ATTEMPTS: u32 = 4;
/// Time limit for an answer of the store; one that takes longer is taken for away.
const ANSWER: Duration = Duration::from_secs(10);
/// Time after which a store that is away is tried again.
const AFTER_FAILURE: Duration = Duration::from_millis(500);
/// Time that a worker which is to end waits for a store that is away.
const LAST_PATIENCE: Duration = Duration::from_secs(5);

/// Works jobs off, `at_a_time` at a time, until `stop` turns true.
pub async fn run(store: Arc<dyn Store>, at_a_time: usize, stop: watch::Receiver<bool>) {
    // A worker that comes back has another name: what the old one held is missed.
    metrics::gauge!("outwit_worker_places").set(at_a_time as f64);
    metrics::gauge!("outwit_jobs_in_hand").increment(0.0);
    let name = format!("outwit-{}-{}", std::process::id(), ulid::Ulid::generate());
    let worker = Arc::new(Worker { store, name, stop });
    let pulse = tokio::spawn(Arc::clone(&worker).keep_watch());
    Arc::clone(&worker).take_jobs(at_a_time).await;
    pulse.abort();
    if let Err(error) = in_time(worker.store.leave(&worker.name)).await {
        tracing::debug!(%error, "a worker goes without a word");
    }
}

/// The store's answer within the time limit.
async fn in_time<T>(asked: impl Future<Output = Result<T, StoreError>>) -> Result<T, StoreError> {
    timeout(ANSWER, asked).await.unwrap_or(Err(StoreError::Silent(ANSWER)))
}

/// How a search came to its end.
enum Came {
    /// It came to its end by itself, or by its budget.
    Through,
    /// It was cancelled.
    Cancelled,
    /// The process is to end.
    Stopped,
    /// It has lost one of its processes, and may begin again.
    Bereft,
    /// The job is another's now.
    Lost,
}

/// A job that this process works on, until it is dropped.
struct Counted;

impl Counted {
    fn new() -> Self {
        metrics::gauge!("outwit_jobs_in_hand").increment(1.0);
        Counted
    }
}

impl Drop for Counted {
    fn drop(&mut self) {
        metrics::gauge!("outwit_jobs_in_hand").decrement(1.0);
    }
}

/// State shared by the jobs of this process.
struct Worker {
    store: Arc<dyn Store>,
    name: String,
    stop: watch::Receiver<bool>,
}

impl Worker {
    /// Counts that the worker lives, and gives the jobs of others that do not back to the queue.
    async fn keep_watch(self: Arc<Self>) {
        let mut watchman = Watchman::default();
        let mut looks = interval(LOOK);
        // Looks that were missed are not made up for: the others may have missed theirs, too.
        looks.set_missed_tick_behavior(MissedTickBehavior::Delay);
        loop {
            looks.tick().await;
            match in_time(self.store.pulse(&self.name)).await {
                Ok(found) => {
                    for lost in watchman.look(found) {
                        self.take_over(&lost).await;
                    }
                }
                Err(error) => {
                    tracing::debug!(%error, "a worker could not count");
                    watchman.fail();
                }
            }
        }
    }

    async fn take_over(&self, lost: &Pulse) {
        match in_time(self.store.take_over(lost)).await {
            Ok(0) => {}
            Ok(jobs) => {
                metrics::counter!("outwit_workers_lost_total").increment(1);
                tracing::warn!(worker = lost.worker, jobs, "a worker is lost");
            }
            Err(error) => tracing::warn!(%error, worker = lost.worker, "a lost worker is left"),
        }
    }

    /// Takes jobs while there are any and hands are free, until the process is to end and all are
    /// given back.
    async fn take_jobs(self: Arc<Self>, at_a_time: usize) {
        let hands = Arc::new(Semaphore::new(at_a_time));
        let mut jobs = JoinSet::new();
        loop {
            let hand = tokio::select! {
                () = stopped(self.stop.clone()) => break,
                hand = Arc::clone(&hands).acquire_owned() => hand,
            };
            while jobs.try_join_next().is_some() {}
            match self.claim().await {
                Some(claimed) => {
                    let worker = Arc::clone(&self);
                    let span = tracing::info_span!("work", request = claimed.request.as_deref());
                    let work = async move {
                        worker.work_off(claimed).await;
                        drop(hand);
                    };
                    jobs.spawn(work.instrument(span));
                }
                None => drop(timeout(POLL, stopped(self.stop.clone())).await),
            }
        }
        while jobs.join_next().await.is_some() {}
    }

    /// Claims a job, where one waits and can be had.
    async fn claim(&self) -> Option<Claimed> {
        let claim = ulid::Ulid::generate().to_string();
        let error = match in_time(self.store.claim(&self.name, &claim)).await {
            Ok(claimed) => return claimed,
            Err(error) => error,
        };
        // The job may be in our hands for all that.
        let given_back = match error.away() {
            Some(_) => self.deliver(&claim, || self.store.release(&claim, false)).await,
            None => {
                let ending = Ending::Failed(error.to_string());
                self.deliver(&claim, || self.store.finish(&claim, &ending)).await.map(drop)
            }
        };
        if let Err(error) = given_back {
            tracing::warn!(%error, "what became of a claim is not known");
        }
        None
    }

    /// Repeats a request as long as the store is away.
    ///
    /// # Errors
    /// Any error of the store but that it is away; that one, too, once the process is to end.
    async fn deliver<T, F: Future<Output = Result<T, StoreError>>>(
        &self,
        job: &str,
        act: impl Fn() -> F,
    ) -> Result<T, StoreError> {
        let mut is_told = false;
        let over = async {
            stopped(self.stop.clone()).await;
            sleep(LAST_PATIENCE).await;
        };
        tokio::pin!(over);
        loop {
            let error = match in_time(act()).await {
                Ok(done) if is_told => {
                    tracing::info!(job, "the store is back");
                    return Ok(done);
                }
                Ok(done) => return Ok(done),
                Err(error) if error.away().is_none() => return Err(error),
                Err(error) => error,
            };
            if !std::mem::replace(&mut is_told, true) {
                tracing::warn!(%error, job, "the worker waits for the store");
            }
            tokio::select! {
                () = &mut over => return Err(error),
                () = sleep(AFTER_FAILURE) => {}
            }
        }
    }

    /// Does a claimed job, and gives it back where that fails.
    async fn work_off(&self, claimed: Claimed) {
        let (id, claim) = (claimed.id.clone(), claimed.claim.clone());
        let (_counted, begun) = (Counted::new(), Instant::now());
        if claimed.attempts == 1 {
            metrics::histogram!("outwit_job_wait_seconds").record(claimed.waited.as_secs_f64());
        }
        let working = AssertUnwindSafe(self.work_on(claimed)).catch_unwind();
        let worked = working.await;
        metrics::histogram!("outwit_job_seconds").record(begun.elapsed().as_secs_f64());
        let failure = match worked {
            Ok(Ok(())) => return,
            Ok(Err(error)) => error.to_string(),
            Err(_) => "a fault of the program: it panicked".into(),
        };
        tracing::error!(job = id, failure, "a job could not be brought to its end");
        let ending = Ending::Failed(failure);
        if let Err(error) = in_time(self.store.finish(&claim, &ending)).await {
            tracing::warn!(%error, job = id, "a job waits until its worker is missed");
        }
    }

    async fn work_on(&self, claimed: Claimed) -> Result<(), StoreError> {
        let (id, claim) = (claimed.id.clone(), claimed.claim.clone());
        if claimed.attempts > MAX_ATTEMPTS {
            let why = format!("given up: {MAX_ATTEMPTS} workers that had it were lost");
            let ending = Ending::Failed(why);
            return self.deliver(&id, || self.store.finish(&claim, &ending)).await.map(drop);
        }
        tracing::info!(job = id, game = claimed.game, attempt = claimed.attempts, "job begins");
        let area = claimed.area.clone();
        // A bound is the area's where it is in the usual measure and not that of a position.
        let bounds_area =
            claimed.begun.is_none() && claimed.optimal.as_deref().is_none_or(str::is_empty);
        let (came, found) = self.search(claimed).await?;
        match came {
            Came::Lost => {
                tracing::warn!(job = id, "job is another worker's now");
                Ok(())
            }
            Came::Stopped => {
                metrics::counter!("outwit_jobs_given_back_total").increment(1);
                self.deliver(&id, || self.store.release(&claim, false)).await
            }
            Came::Bereft => {
                metrics::counter!("outwit_jobs_given_back_total").increment(1);
                if let Ok(found) = &found {
                    self.keep(&id, &area, bounds_area, found).await?;
                }
                self.deliver(&id, || self.store.release(&claim, true)).await
            }
            Came::Through | Came::Cancelled => {
                let ending = match found {
                    Err(why) => Ending::Failed(why),
                    Ok(found) => {
                        let result = self.keep(&id, &area, bounds_area, &found).await?;
                        match came {
                            Came::Cancelled => Ending::Cancelled(result),
                            _ => Ending::Done(result),
                        }
                    }
                };
                if self.deliver(&id, || self.store.finish(&claim, &ending)).await? {
                    tell(&id, &ending);
                }
                Ok(())
            }
        }
    }

    /// Searches on a thread of its own, and reports until it is through.
    async fn search(&self, claimed: Claimed) -> Result<(Came, Result<Found, String>), StoreError> {
        let watch = CancelOnDrop(Watch::new(claimed.attempts == 1));
        let Watch { cancel, latest, .. } = watch.0.clone();
        let (id, claim) = (claimed.id.clone(), claimed.claim.clone());
        let (tell, mut found) = oneshot::channel();
        let watched = watch.0.clone();
        let thread = std::thread::Builder::new()
            .name(format!("solve-{}", id.get(..8).unwrap_or(&id)))
            .stack_size(crate::search::STACK_BYTES)
            .spawn(move || {
                // The task that waited for it may be gone.
                let _ = tell.send(solve(&claimed, &watched));
            });
        if let Err(error) = thread {
            return Ok((Came::Through, Err(format!("cannot start a thread: {error}"))));
        }
        let mut came = Came::Through;
        let mut ticks = interval(REPORT);
        ticks.set_missed_tick_behavior(MissedTickBehavior::Delay);
        let mut reports = Reports { worker: self, id: &id, claim: &claim, is_away: false };
        let stop = &self.stop;
        loop {
            tokio::select! {
                found = &mut found => {
                    let found = found.unwrap_or_else(|_| Err("the planner vanished".into()));
                    let is_open = found.as_ref().is_ok_and(|found| is_open(&found.settled));
                    if is_open && watch.0.begins_again() && matches!(came, Came::Through) {
                        came = Came::Bereft;
                    }
                    return Ok((came, found));
                }
                _ = ticks.tick() => match (reports.send(&latest).await, &came) {
                    (Some(Beat::Cancel), Came::Through) => came = Came::Cancelled,
                    (Some(Beat::Lost), _) => came = Came::Lost,
                    _ => continue,
                },
                () = stopped(stop.clone()), if !matches!(came, Came::Stopped) => {
                    came = Came::Stopped;
                }
            }
            cancel.store(true, Ordering::Relaxed);
        }
    }

    /// Keeps what was found where it is the best known.
    async fn keep(
        &self,
        id: &str,
        area: &str,
        bounds_area: bool,
        Found { settled, certificate }: &Found,
    ) -> Result<JobResult, StoreError> {
        let best_known = match &settled.answer.plan {
            Some(plan) if settled.is_new => {
                self.deliver(id, || self.store.keep_plan(area, plan, Some(SOLVER))).await?
            }
            _ => false,
        };
        if let Some(bound) = settled.answer.bound.filter(|_| bounds_area) {
            self.deliver(id, || self.store.raise_bound(area, bound)).await?;
        }
        Ok(JobResult::new(settled, certificate.clone(), best_known))
    }
}

/// The reports of a running search.
struct Reports<'a> {
    worker: &'a Worker,
    id: &'a str,
    claim: &'a str,
    /// Whether the last one did not come through.
    is_away: bool,
}

impl Reports<'_> {
    /// Tells how far the search is; none where the store is away, which is no reason to stop it.
    async fn send(&mut self, latest: &Mutex<Option<Progress>>) -> Option<Beat> {
        let progress = latest.lock().unwrap_or_else(PoisonError::into_inner).take();
        let told = in_time(self.worker.store.beat(self.claim, progress.as_ref())).await;
        let was_away = std::mem::replace(&mut self.is_away, told.is_err());
        match told {
            Ok(beat) => return Some(beat),
            Err(error) if !was_away => {
                tracing::warn!(%error, job = self.id, "reports are lost, the search goes on");
            }
            Err(_) => {}
        }
        None
    }
}

/// Whether a longer search could tell more.
fn is_open(settled: &Settled) -> bool {
    matches!(settled.answer.standing(), Standing::Found { .. } | Standing::Unknown { .. })
}

fn tell(id: &str, ending: &Ending) {
    let verdict = match ending {
        Ending::Done(result) | Ending::Cancelled(result) => result.report.standing.verdict().name(),
        Ending::Failed(_) => "failed",
    };
    metrics::counter!("outwit_jobs_ended_total", "verdict" => verdict).increment(1);
    if let Ending::Done(JobResult { report, .. }) | Ending::Cancelled(JobResult { report, .. }) =
        ending
    {
        metrics::histogram!("outwit_job_search_seconds").record(report.effort.seconds);
        let (length, bound) = (report.standing.length(), report.standing.bound());
        tracing::info!(job = id, verdict, length, bound, "job ends");
    } else if let Ending::Failed(error) = ending {
        tracing::error!(job = id, error, "job fails");
    }
}

/// Stops a search when it is dropped: the answer is not waited for any more.
struct CancelOnDrop(Watch);

impl Drop for CancelOnDrop {
    fn drop(&mut self) {
        self.0.cancel.store(true, Ordering::Relaxed);
    }
}
