//! A batch whose areas are searched by the workers of a store's queue.

use crate::batch::{Planner, Task};
use crate::games::{Answer, Objective};
use crate::search::{Budget, Progress, Statistics, StopReason, Verdict};
use crate::store::{
    AreaText, Job, JobBudget, JobResult, JobState, NewJob, Store, StoreError, Submitted,
};
use std::sync::Arc;
use std::sync::atomic::Ordering;
use std::time::Duration;
use tokio::runtime::Handle;

/// How often a job that was put on the queue is looked at.
const LOOK: Duration = Duration::from_millis(200);
/// How long to wait where the queue is full.
const FULL: Duration = Duration::from_secs(1);
/// A store that is away is tried again for this long.
const PATIENCE: Duration = Duration::from_secs(60);

/// Puts areas on the queue and waits for what the workers find.
pub struct OnQueue {
    /// The store.
    pub store: Arc<dyn Store>,
    /// The runtime that waits.
    pub runtime: Handle,
    /// The most jobs that may wait in the queue.
    pub max_queued: u64,
}

impl Planner for OnQueue {
    fn plan(
        &self,
        _worker: usize,
        task: &Task,
        objective: &Objective,
        _known: Option<&str>,
        budget: &Budget,
    ) -> Result<Answer, String> {
        let job = NewJob {
            area: AreaText::new(&*task.area),
            label: task.key.clone(),
            budget: JobBudget {
                seconds: budget.time.as_secs_f64(),
                memory_mib: (budget.memory >> 20) as u64,
                threads: budget.threads as u32,
                processes: 1,
                nodes: budget.nodes,
                seed: budget.seed,
            },
            optimal: objective.word().map(String::from),
            improve: None,
            begun: None,
            key: None,
        };
        let ended = self.runtime.block_on(async {
            let id = self.submit(&job, budget).await?;
            self.wait(&id, budget).await
        });
        match ended.map_err(|error| error.to_string())? {
            Job { result: Some(result), .. } => Ok(answer(result)),
            Job { state: JobState::Failed, error, .. } => Err(error.unwrap_or_default()),
            _ => Err("cancelled before a worker began".into()),
        }
    }
}

impl OnQueue {
    async fn submit(&self, job: &NewJob, budget: &Budget) -> Result<String, StoreError> {
        loop {
            match self.store.submit(job, self.max_queued).await? {
                Submitted::New(job) | Submitted::Known(job) => return Ok(job.id),
                Submitted::Full if budget.cancel.load(Ordering::Relaxed) => return Ok(job.id()),
                Submitted::Full => tokio::time::sleep(FULL).await,
            }
        }
    }

    /// Waits for the end of a job, tells its progress, cancels it when the batch is cancelled.
    async fn wait(&self, id: &str, budget: &Budget) -> Result<Job, StoreError> {
        let mut away = Duration::ZERO;
        loop {
            match self.store.job(id).await {
                Ok(Some(job)) if job.state.is_final() => return Ok(job),
                Ok(Some(job)) => {
                    away = Duration::ZERO;
                    if let (Some(progress), Some(listener)) = (&job.progress, &budget.progress) {
                        listener(&Progress {
                            phase: progress.phase.clone(),
                            nodes: progress.nodes,
                            best: progress.best,
                            bound: progress.bound,
                            fraction: progress.fraction,
                        });
                    }
                    if budget.cancel.load(Ordering::Relaxed) {
                        self.store.cancel(id).await?;
                    }
                }
                Ok(None) => return Err(StoreError::Content(format!("job {id} vanished"))),
                Err(error) if away > PATIENCE => return Err(error),
                Err(_) => away += LOOK,
            }
            tokio::time::sleep(LOOK).await;
        }
    }
}

/// A job's result as a planner's answer, to be verified by whoever gets it.
fn answer(result: JobResult) -> Answer {
    let verdicts = [Verdict::Optimal, Verdict::Found, Verdict::Impossible, Verdict::Unknown];
    let stops = [StopReason::Time, StopReason::Memory, StopReason::Nodes, StopReason::Cancelled];
    let verdict = verdicts.into_iter().find(|verdict| verdict.name() == result.verdict);
    let stopped = result.stopped.as_deref();
    Answer {
        verdict: verdict.unwrap_or(Verdict::Unknown),
        plan: result.plan,
        length: result.length,
        bound: result.bound,
        effort: Statistics {
            expanded: result.expanded,
            generated: 0,
            elapsed: Duration::try_from_secs_f64(result.seconds).unwrap_or_default(),
            memory: result.memory_bytes as usize,
            stopped: stops.into_iter().find(|stop| Some(&*stop.to_string()) == stopped),
        },
        notes: Vec::new(),
    }
}
