//! One search of a job: from its row to a verified answer.

use crate::check::certify;
#[cfg(feature = "cluster")]
use crate::cluster::{Wanted, Warn, join};
use crate::diagnostic::Source;
use crate::games::{Answer, Area, GameId, Measure};
use crate::report::CertificateReport;
use crate::search::{Control, Limits, Progress, Run, UnknownWord};
use crate::store::Claimed;
use crate::verify::{Settled, Thoroughness, Verified, improve, pursue, settle, verify};
use std::panic::{AssertUnwindSafe, catch_unwind};
use std::sync::atomic::{AtomicBool, Ordering};
use std::sync::{Arc, Mutex, PoisonError};
use std::time::Duration;

/// What a search and the task that waits for it tell each other.
#[derive(Clone)]
pub struct Watch {
    /// Ends the search.
    pub cancel: Arc<AtomicBool>,
    /// The last report of its progress.
    pub latest: Arc<Mutex<Option<Progress>>>,
    /// Whether the search ends where it loses one of its processes, to begin again.
    #[cfg_attr(not(feature = "cluster"), allow(dead_code))]
    may_begin_again: bool,
    is_bereft: Arc<AtomicBool>,
}

impl Watch {
    /// A watch for a search that has not begun.
    pub fn new(may_begin_again: bool) -> Self {
        let (cancel, latest, is_bereft) = (Arc::default(), Arc::default(), Arc::default());
        Watch { cancel, latest, may_begin_again, is_bereft }
    }

    /// Whether the search has ended to begin again.
    pub fn begins_again(&self) -> bool {
        self.is_bereft.load(Ordering::Relaxed)
    }

    /// A process of the search is lost.
    #[cfg(feature = "cluster")]
    fn lose(&self) {
        if self.may_begin_again {
            self.is_bereft.store(true, Ordering::Relaxed);
            self.cancel.store(true, Ordering::Relaxed);
        }
    }
}

/// Result of a job's search, and of the proof after it.
pub struct Found {
    /// The verified answer.
    pub settled: Settled,
    /// The certificate, if the job asks for one.
    pub certificate: Option<CertificateReport>,
}

/// Reads the area, searches, verifies the answer, and certifies it where that is asked for.
pub fn solve(claimed: &Claimed, watch: &Watch) -> Result<Found, String> {
    let work = || -> Result<Found, String> {
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
        let budget = with_processes(budget(claimed, watch), &*area, claimed, watch)?;
        let pool =
            budget.limits.pool().map_err(|error| format!("cannot start threads: {error}"))?;
        let settled = |answer| settle(&*area, answer, known.clone(), objective.measure);
        let search = AssertUnwindSafe(|| {
            pool.install(|| match (&given, &begun) {
                (Some(plan), _) => improve(&*area, &objective, plan.clone(), &budget),
                (None, Some(begun)) => {
                    // It was replayed when the job was submitted.
                    let answer = area.solve_from(begun, &objective, &budget);
                    settled(answer.unwrap_or_else(|_| Answer::nothing()))
                }
                (None, None) => {
                    pursue(&*area, &objective, known.clone(), &budget, Thoroughness::Good)
                }
            })
        });
        // A planner that panics has found nothing; what was known before still holds.
        let settled = catch_unwind(search).unwrap_or_else(|_| settled(Answer::nothing()));
        let prove = || pool.install(|| certified(&*area, objective.measure, &settled, &budget));
        let certificate = claimed.certify.then(prove);
        Ok(Found { settled, certificate })
    };
    let found = catch_unwind(AssertUnwindSafe(work))
        .unwrap_or_else(|_| Err("a fault of the program: it panicked".into()))?;
    if let Some(error) = &found.settled.refused {
        tracing::error!(job = claimed.id, ?error, "the rules refuse the planner's plan");
    }
    Ok(found)
}

/// Proves what was found from the rules alone, in the search's budget again. A checker that panics has proven nothing.
fn certified(
    area: &dyn Area,
    measure: Option<Measure>,
    settled: &Settled,
    budget: &Run,
) -> CertificateReport {
    let proof = || certify(area, measure, settled.claim(), None, budget);
    match catch_unwind(AssertUnwindSafe(proof)) {
        Ok(certified) => CertificateReport::new(certified),
        Err(_) => CertificateReport { text: None, reason: Some("the checker panicked".into()) },
    }
}

fn area(claimed: &Claimed) -> Result<Box<dyn Area>, String> {
    let unknown = |error: UnknownWord| error.to_string();
    let game: GameId = claimed.game.parse().map_err(unknown)?;
    let source = Source::new("area", claimed.text.as_str());
    let areas = game.game().read(&source).map_err(|diagnostic| diagnostic.to_string())?;
    areas.only().map_err(|error| error.to_string())
}

/// A plan that the store has, where it still holds.
fn held(area: &dyn Area, name: &str, plan: Option<&str>) -> Option<Verified> {
    verify(area, &Source::new(name, plan?)).ok()
}

fn budget(claimed: &Claimed, watch: &Watch) -> Run {
    let asked = claimed.budget;
    let latest = Arc::clone(&watch.latest);
    let listen = move |progress: &Progress| {
        *latest.lock().unwrap_or_else(PoisonError::into_inner) = Some(progress.clone());
    };
    let limits = Limits {
        time: Duration::try_from_secs_f64(asked.seconds).unwrap_or_default(),
        memory: usize::try_from(asked.memory_mib << 20).unwrap_or(usize::MAX),
        nodes: asked.nodes,
        threads: asked.threads.max(1) as usize,
        seed: asked.seed,
    };
    let cancel = Arc::clone(&watch.cancel);
    let control = Control { cancel, listener: Some(Control::progress_listener(listen)) };
    Run { control, ..Run::from(limits) }
}

/// The budget with the processes that the job asks for: children of this one.
#[cfg(feature = "cluster")]
fn with_processes(
    budget: Run,
    area: &dyn Area,
    claimed: &Claimed,
    watch: &Watch,
) -> Result<Run, String> {
    let processes = claimed.budget.processes as usize;
    if processes <= 1 {
        return Ok(budget);
    }
    let (id, watch) = (claimed.id.clone(), watch.clone());
    let lose: Warn = Arc::new(move |why| {
        tracing::warn!(job = id, why, "a search has lost a process");
        watch.lose();
    });
    Ok(join(&budget, area, Wanted::Children(processes), None, &lose))
}

/// A worker without the feature has no processes to give.
#[cfg(not(feature = "cluster"))]
fn with_processes(budget: Run, _: &dyn Area, claimed: &Claimed, _: &Watch) -> Result<Run, String> {
    match claimed.budget.processes {
        0 | 1 => Ok(budget),
        _ => Err("the worker is built without the feature cluster: one process alone".into()),
    }
}
