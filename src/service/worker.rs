//! Takes jobs from the queue and searches, each on threads of its own.
//!
//! While a search runs the worker reports how far it is, learns whether the job was cancelled, and
//! notices when the job has been given to another. When the process is to end, its searches are
//! stopped and their jobs go back to the queue. So does a job whose search by several processes has
//! lost one of them, once: the second time it goes on without them.

use crate::search::Verdict;
use crate::service::solving::{Watch, solve};
use crate::service::stopped;
use crate::store::{
    Beat, Claimed, Ending, Handled, Handler, JobResult, Message, Store, StoreError,
};
use crate::verify::Settled;
use async_trait::async_trait;
use std::sync::atomic::Ordering;
use std::sync::{Arc, Mutex, PoisonError};
use std::time::Duration;
use tokio::sync::{oneshot, watch};

/// A worker reports this often.
const REPORT: Duration = Duration::from_millis(500);
/// Who has found a plan that a job has.
const SOLVER: &str = "outwit";
/// A job whose workers have died this often is given up: it may be what kills them.
const MAX_ATTEMPTS: u32 = 4;
/// After a failure of the store a worker waits this long.
const AFTER_FAILURE: Duration = Duration::from_secs(1);

/// Works jobs off, so many at a time, until `stop` turns true.
pub async fn run(store: Arc<dyn Store>, at_a_time: usize, stop: watch::Receiver<bool>) {
    let held = Arc::default();
    let solver = Solver { store: Arc::clone(&store), stop: stop.clone(), held: Arc::clone(&held) };
    let solver = Arc::new(solver);
    while !*stop.borrow() {
        // A worker that comes back has another name: what the old one held is handed on.
        let name = format!("outwit-{}-{}", std::process::id(), ulid::Ulid::generate());
        let ended = store.work(&name, at_a_time, solver.clone(), stop.clone()).await;
        if let Err(error) = ended {
            tracing::warn!(%error, "a worker begins again");
        }
        let _ = tokio::time::timeout(AFTER_FAILURE, stopped(stop.clone())).await;
    }
    // A queue that fails drops what it has in its hands.
    let left = std::mem::take(&mut *held.lock().unwrap_or_else(PoisonError::into_inner));
    for Claim { id, claim } in left {
        if let Err(error) = store.release(&id, &claim, false).await {
            tracing::warn!(%error, job = id, "a job waits until its worker is missed");
        }
    }
}

/// A job that is in this process's hands, and by which claim.
#[derive(Clone, PartialEq, Eq)]
struct Claim {
    id: String,
    claim: String,
}

struct Solver {
    store: Arc<dyn Store>,
    stop: watch::Receiver<bool>,
    held: Arc<Mutex<Vec<Claim>>>,
}

#[async_trait]
impl Handler for Solver {
    async fn handle(&self, message: Message) -> Handled {
        match self.work_off(&message).await {
            Ok(handled) => handled,
            Err(error) => {
                tracing::error!(%error, job = message.job, "a job goes back to the queue");
                tokio::time::sleep(AFTER_FAILURE).await;
                Handled::Back
            }
        }
    }
}

/// How a search came to its end.
enum Came {
    /// By itself, or by its budget.
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

impl Solver {
    async fn work_off(&self, message: &Message) -> Result<Handled, StoreError> {
        if *self.stop.borrow() {
            return Ok(Handled::Back);
        }
        let Some(claimed) = self.store.claim(message).await? else { return Ok(Handled::Through) };
        let held = Claim { id: claimed.id.clone(), claim: claimed.claim.clone() };
        self.held.lock().unwrap_or_else(PoisonError::into_inner).push(held.clone());
        let handled = self.work_on(claimed).await;
        if handled.is_ok() {
            let mut all = self.held.lock().unwrap_or_else(PoisonError::into_inner);
            all.retain(|other| *other != held);
        }
        handled
    }

    async fn work_on(&self, claimed: Claimed) -> Result<Handled, StoreError> {
        let (id, claim) = (claimed.id.clone(), claimed.claim.clone());
        if claimed.attempts > MAX_ATTEMPTS {
            let why = format!("given up: {MAX_ATTEMPTS} workers began with it and did not end it");
            self.store.finish(&id, &claim, &Ending::Failed(why)).await?;
            return Ok(Handled::Through);
        }
        tracing::info!(job = id, game = claimed.game, attempt = claimed.attempts, "job begins");
        let area = claimed.area.clone();
        // A bound is the area's where it is in the usual measure and not that of a position.
        let bounds_area =
            claimed.begun.is_none() && claimed.optimal.as_deref().is_none_or(str::is_empty);
        let (came, found) = self.search(claimed).await?;
        match came {
            Came::Lost => tracing::warn!(job = id, "job is another worker's now"),
            Came::Stopped => {
                self.store.release(&id, &claim, false).await?;
                return Ok(Handled::Back);
            }
            Came::Bereft => {
                if let Ok(settled) = &found {
                    self.keep(&area, bounds_area, settled).await?;
                }
                self.store.release(&id, &claim, true).await?;
                return Ok(Handled::Back);
            }
            Came::Through | Came::Cancelled => {
                let ending = match found {
                    Err(why) => Ending::Failed(why),
                    Ok(settled) => {
                        let result = self.keep(&area, bounds_area, &settled).await?;
                        match came {
                            Came::Cancelled => Ending::Cancelled(result),
                            _ => Ending::Done(result),
                        }
                    }
                };
                tell(&id, &ending);
                self.store.finish(&id, &claim, &ending).await?;
            }
        }
        Ok(Handled::Through)
    }

    /// Searches on a thread of its own, and reports until it is through.
    async fn search(
        &self,
        claimed: Claimed,
    ) -> Result<(Came, Result<Settled, String>), StoreError> {
        let watch = CancelOnDrop(Watch::new(claimed.attempts == 1));
        let Watch { cancel, latest, .. } = watch.0.clone();
        let (id, claim) = (claimed.id.clone(), claimed.claim.clone());
        let (tell, mut found) = oneshot::channel();
        let watched = watch.0.clone();
        std::thread::Builder::new()
            .name(format!("solve-{}", id.get(..8).unwrap_or(&id)))
            .stack_size(crate::search::STACK_BYTES)
            .spawn(move || {
                // Who waited for it may be gone.
                let _ = tell.send(solve(&claimed, &watched));
            })
            .map_err(|error| StoreError::Queue(format!("cannot start a thread: {error}")))?;
        let mut came = Came::Through;
        let mut ticks = tokio::time::interval(REPORT);
        let stop = &self.stop;
        loop {
            tokio::select! {
                settled = &mut found => {
                    let settled = settled.unwrap_or_else(|_| Err("the planner vanished".into()));
                    let is_open = settled.as_ref().is_ok_and(is_open);
                    if is_open && watch.0.begins_again() && matches!(came, Came::Through) {
                        came = Came::Bereft;
                    }
                    return Ok((came, settled));
                }
                _ = ticks.tick() => {
                    let progress = latest.lock().unwrap_or_else(PoisonError::into_inner).take();
                    match (self.store.beat(&id, &claim, progress.as_ref()).await, &came) {
                        (Ok(Beat::Cancel), Came::Through) => came = Came::Cancelled,
                        (Ok(Beat::Lost), _) => came = Came::Lost,
                        // A store that is away for a moment is no reason to stop a search.
                        (Err(error), _) => {
                            tracing::warn!(%error, job = id, "a report is lost");
                            continue;
                        }
                        _ => continue,
                    }
                }
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
        area: &str,
        bounds_area: bool,
        settled: &Settled,
    ) -> Result<JobResult, StoreError> {
        let best_known = match &settled.answer.plan {
            Some(plan) if settled.is_new => self.store.keep_plan(area, plan, Some(SOLVER)).await?,
            _ => false,
        };
        if let Some(bound) = settled.answer.bound.filter(|_| bounds_area) {
            self.store.raise_bound(area, bound).await?;
        }
        Ok(JobResult::new(settled, best_known))
    }
}

/// Whether a longer search could tell more.
fn is_open(settled: &Settled) -> bool {
    matches!(settled.answer.verdict, Verdict::Found | Verdict::Unknown)
}

fn tell(id: &str, ending: &Ending) {
    let verdict = match ending {
        Ending::Done(result) | Ending::Cancelled(result) => result.verdict.as_str(),
        Ending::Failed(_) => "failed",
    };
    metrics::counter!("outwit_jobs_ended_total", "verdict" => verdict.to_string()).increment(1);
    if let Ending::Done(result) | Ending::Cancelled(result) = ending {
        metrics::histogram!("outwit_job_search_seconds").record(result.seconds);
        tracing::info!(job = id, verdict, length = result.length, bound = result.bound, "job ends");
    } else if let Ending::Failed(error) = ending {
        tracing::error!(job = id, error, "job fails");
    }
}

/// Stops a search when nobody waits for it any more.
struct CancelOnDrop(Watch);

impl Drop for CancelOnDrop {
    fn drop(&mut self) {
        self.0.cancel.store(true, Ordering::Relaxed);
    }
}
