//! A batch whose areas are searched by the workers of a store's queue.

use crate::batch::{Planner, PlannerError, Task};
use crate::certificate::Certificate;
use crate::diagnostic::Source;
use crate::games::{Answer, Objective};
use crate::report::{Effort, Report};
use crate::search::{Event, Run, Statistics};
use crate::store::{
    AreaText, Job, JobBudget, JobResult, JobState, NewJob, Store, StoreError, Submitted,
};
use std::fmt;
use std::sync::Arc;
use std::sync::atomic::Ordering;
use std::time::{Duration, Instant};
use tokio::runtime::Handle;

/// Time between two looks at a job that was put on the queue.
const LOOK: Duration = Duration::from_millis(200);
/// Time to wait where the queue is full.
const FULL: Duration = Duration::from_secs(1);
/// Time after which a store that is away is tried again.
const AWAY: Duration = Duration::from_secs(1);
/// Time limit of such tries in all.
const PATIENCE: Duration = Duration::from_secs(300);

/// Puts areas on the queue and waits for what the workers find.
pub struct OnQueue {
    /// The store.
    pub store: Arc<dyn Store>,
    /// The runtime that waits.
    pub runtime: Handle,
    /// The most jobs that may wait in the queue.
    pub max_queued: u64,
    /// Whether workers certify what they find.
    pub certifies: bool,
}

impl fmt::Debug for OnQueue {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("OnQueue")
            .field("max_queued", &self.max_queued)
            .field("certifies", &self.certifies)
            .finish_non_exhaustive()
    }
}

impl Planner for OnQueue {
    fn plan(
        &self,
        _worker: usize,
        task: &Task,
        objective: &Objective,
        _known: Option<&str>,
        budget: &Run,
    ) -> Result<Answer, PlannerError> {
        self.done(task, objective, budget).map(|result| answer(result.report))
    }

    /// The certificate of the job that searches an area: a worker has proven what it found. Where that job has ended
    /// it is not done again.
    fn certify(
        &self,
        task: &Task,
        objective: &Objective,
        budget: &Run,
    ) -> Option<Result<Certificate, PlannerError>> {
        self.certifies.then(|| {
            let result = self.done(task, objective, budget)?;
            let reason = "its worker certifies nothing: it is of an older version";
            let certificate = result.certificate.ok_or(reason)?;
            let text = certificate.text.ok_or(certificate.reason.unwrap_or_default())?;
            let source = Source::new("the worker's certificate", text);
            Certificate::read(&source).map_err(|diagnostic| diagnostic.to_string().into())
        })
    }
}

impl OnQueue {
    /// Puts an area on the queue, and waits for the result.
    fn done(
        &self,
        task: &Task,
        objective: &Objective,
        budget: &Run,
    ) -> Result<JobResult, PlannerError> {
        let job = NewJob {
            area: AreaText::new(&*task.area),
            label: task.key.clone(),
            budget: JobBudget {
                seconds: budget.limits.time.as_secs_f64(),
                memory_mib: (budget.limits.memory >> 20) as u64,
                threads: budget.limits.threads as u32,
                processes: 1,
                nodes: budget.limits.nodes,
                seed: budget.limits.seed,
            },
            optimal: objective.word().map(String::from),
            improve: None,
            begun: None,
            certify: self.certifies,
            key: None,
            request: None,
        };
        let ended = self.runtime.block_on(async {
            let id = self.submit(&job, budget).await?;
            self.wait(&id, budget).await
        });
        match ended.map_err(|error| error.to_string())? {
            Job { result: Some(result), .. } => Ok(result),
            Job { state: JobState::Failed, error, .. } => Err(error.unwrap_or_default().into()),
            _ => Err("cancelled before a worker began".into()),
        }
    }

    async fn submit(&self, job: &NewJob, budget: &Run) -> Result<String, StoreError> {
        let is_cancelled = || budget.control.cancel.load(Ordering::Relaxed);
        loop {
            // The same job has the same id: it does not matter which try has come through.
            match in_spite_of_absence(|| self.store.submit(job, self.max_queued), is_cancelled)
                .await?
            {
                Submitted::New(job) | Submitted::Known(job) => return Ok(job.id),
                Submitted::Full if is_cancelled() => return Ok(job.id()),
                Submitted::Full => tokio::time::sleep(FULL).await,
            }
        }
    }

    /// Waits for the end of a job, tells its progress, cancels it when the batch is cancelled.
    async fn wait(&self, id: &str, budget: &Run) -> Result<Job, StoreError> {
        let is_cancelled = || budget.control.cancel.load(Ordering::Relaxed);
        loop {
            match in_spite_of_absence(|| self.store.job(id), is_cancelled).await? {
                Some(job) if job.state.is_final() => return Ok(job),
                Some(job) => {
                    if let Some(progress) = job.progress.clone() {
                        budget.control.tell(&Event::Progress(progress));
                    }
                    if is_cancelled() {
                        // A request that is lost is repeated at the next look.
                        let _ = self.store.cancel(id).await;
                    }
                }
                None => return Err(StoreError::Content(format!("job {id} vanished"))),
            }
            tokio::time::sleep(LOOK).await;
        }
    }
}

/// Asks the store, again and again while it is away, as long as there is patience and the batch is
/// not cancelled.
async fn in_spite_of_absence<T, F: Future<Output = Result<T, StoreError>>>(
    ask: impl Fn() -> F,
    is_cancelled: impl Fn() -> bool,
) -> Result<T, StoreError> {
    let started = Instant::now();
    loop {
        match ask().await {
            Err(error)
                if error.away().is_some() && started.elapsed() < PATIENCE && !is_cancelled() =>
            {
                tokio::time::sleep(AWAY).await;
            }
            told => return told,
        }
    }
}

/// A job's report as a planner's answer, to be verified by the caller.
fn answer(report: Report) -> Answer {
    let Effort { seconds, expanded, generated, memory_bytes, stopped, .. } = report.effort;
    Answer {
        verdict: report.standing.verdict(),
        plan: report.plan,
        length: report.standing.length(),
        bound: report.standing.bound(),
        effort: Statistics {
            expanded,
            generated,
            elapsed: Duration::try_from_secs_f64(seconds).unwrap_or_default(),
            memory: memory_bytes as usize,
            stopped,
        },
        notes: report.notes.0,
        settings: report.settings,
        searches: report.searches,
    }
}
