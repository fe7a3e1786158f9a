//! Takes jobs from the queue and searches, each on threads of its own.
//!
//! While a search runs the worker reports how far it is, learns whether the job was cancelled, and
//! notices when the job has been given to another. When the process is to end, its searches are
//! stopped and their jobs go back to the queue.

use crate::diagnostic::Source;
use crate::games::{Answer, Area, GameId};
use crate::search::{Budget, Progress};
use crate::service::stopped;
use crate::store::{
    Beat, Claimed, Ending, Handled, Handler, JobProgress, JobResult, Message, Store, StoreError,
};
use crate::verify::{Settled, Verified, settle, verify};
use async_trait::async_trait;
use std::panic::{AssertUnwindSafe, catch_unwind};
use std::sync::atomic::{AtomicBool, Ordering};
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
        if let Err(error) = store.release(&id, &claim).await {
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
                self.store.release(&id, &claim).await?;
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
        let cancel = CancelOnDrop(Arc::default());
        let latest: Arc<Mutex<Option<JobProgress>>> = Arc::default();
        let (id, claim) = (claimed.id.clone(), claimed.claim.clone());
        let (tell, mut found) = oneshot::channel();
        let (flag, progress) = (Arc::clone(&cancel.0), Arc::clone(&latest));
        std::thread::Builder::new()
            .name(format!("solve-{}", id.get(..8).unwrap_or(&id)))
            .stack_size(crate::search::STACK_BYTES)
            .spawn(move || {
                // Who waited for it may be gone.
                let _ = tell.send(solve(&claimed, flag, progress));
            })
            .map_err(|error| StoreError::Queue(format!("cannot start a thread: {error}")))?;
        let mut came = Came::Through;
        let mut ticks = tokio::time::interval(REPORT);
        let stop = &self.stop;
        loop {
            tokio::select! {
                settled = &mut found => {
                    let settled = settled.unwrap_or_else(|_| Err("the planner vanished".into()));
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
            cancel.0.store(true, Ordering::Relaxed);
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
struct CancelOnDrop(Arc<AtomicBool>);

impl Drop for CancelOnDrop {
    fn drop(&mut self) {
        self.0.store(true, Ordering::Relaxed);
    }
}

/// Reads the area, searches, takes the answer through the door.
fn solve(
    claimed: &Claimed,
    cancel: Arc<AtomicBool>,
    latest: Arc<Mutex<Option<JobProgress>>>,
) -> Result<Settled, String> {
    let work = || -> Result<Settled, String> {
        let area = area(claimed)?;
        let given = held(&*area, "the plan to improve", claimed.improve.as_deref());
        let begun = claimed.begun.as_deref().map(|plan| Source::new("the plan so far", plan));
        // An improved plan is compared with the one that was given; from a position on, no plan of
        // the whole area says anything.
        let known = given.clone().or_else(|| match begun {
            Some(_) => None,
            None => held(&*area, "the best one", claimed.known.as_deref()),
        });
        let game = area.game().game();
        let objective = game.objective(claimed.optimal.as_deref()).map_err(|e| e.to_string())?;
        let budget = budget(claimed, cancel, latest);
        let pool = budget.pool().map_err(|error| format!("cannot start threads: {error}"))?;
        let text = known.as_ref().map(Verified::text);
        let search = AssertUnwindSafe(|| {
            pool.install(|| match (&given, &begun) {
                (Some(plan), _) => area.improve(plan.text(), &objective, &budget),
                (None, Some(begun)) => {
                    // It was replayed when the job was submitted.
                    let answer = area.solve_from(begun, &objective, &budget);
                    answer.unwrap_or_else(|_| Answer::nothing())
                }
                (None, None) => area.solve(&objective, text, &budget),
            })
        });
        // A planner that panics has found nothing; what was known before still holds.
        let answer = catch_unwind(search).unwrap_or_else(|_| Answer::nothing());
        Ok(settle(&*area, answer, known, objective.measure))
    };
    let settled = catch_unwind(AssertUnwindSafe(work))
        .unwrap_or_else(|_| Err("a fault of the program: it panicked".into()))?;
    if let Some(error) = &settled.refused {
        tracing::error!(job = claimed.id, ?error, "the rules refuse the planner's plan");
    }
    Ok(settled)
}

fn area(claimed: &Claimed) -> Result<Box<dyn Area>, String> {
    let game: GameId = claimed.game.parse()?;
    let source = Source::new("area", claimed.text.as_str());
    let mut areas = game.game().read(&source).map_err(|diagnostic| diagnostic.to_string())?;
    if areas.len() == 1 { Ok(areas.remove(0)) } else { Err("not one area".into()) }
}

/// A plan that the store has, where it still holds.
fn held(area: &dyn Area, name: &str, plan: Option<&str>) -> Option<Verified> {
    verify(area, &Source::new(name, plan?)).ok()
}

fn budget(
    claimed: &Claimed,
    cancel: Arc<AtomicBool>,
    latest: Arc<Mutex<Option<JobProgress>>>,
) -> Budget {
    let asked = claimed.budget;
    let listen = move |progress: &Progress| {
        *latest.lock().unwrap_or_else(PoisonError::into_inner) = Some(progress.into());
    };
    Budget {
        time: Duration::try_from_secs_f64(asked.seconds).unwrap_or_default(),
        memory: usize::try_from(asked.memory_mib << 20).unwrap_or(usize::MAX),
        nodes: asked.nodes,
        threads: asked.threads.max(1) as usize,
        seed: asked.seed,
        cancel,
        progress: Some(Arc::new(listen)),
        plans: None,
        cluster: None,
    }
}
