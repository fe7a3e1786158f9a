//! What a site sets: bounds that depend on its machines and its clients.

use crate::search::cores;
use crate::service::client::{Hosts, Proxies};
use crate::service::model::BudgetRequest;
use crate::service::problem::Problem;
use crate::store::JobBudget;
use std::time::Duration;

/// The bounds that a site sets.
#[derive(Debug, Clone)]
pub struct Limits {
    /// The longest time of a job, in seconds.
    pub job_seconds: f64,
    /// The most memory of a job's tables, in MiB, of each process.
    pub job_memory_mib: u64,
    /// The most threads of a job, of each process.
    pub job_threads: u32,
    /// The most processes of a job; more than 1 need the feature `cluster`.
    pub job_processes: u32,
    /// How many jobs may wait.
    pub queue: u64,
    /// Requests a second of one client, on average; none for no limit.
    pub rate: Option<std::num::NonZeroU32>,
    /// The most connections at once.
    pub connections: usize,
    /// The most connections of one client, and the most requests that it has under way.
    pub connections_each: usize,
    /// A client that keeps the server waiting for this long is disconnected: one that sends no
    /// whole request, or does not read its answer.
    pub patience: Duration,
    /// The proxies whose word is taken on who their clients are.
    pub proxies: Proxies,
    /// The names under which the service may be asked.
    pub hosts: Hosts,
}

impl Default for Limits {
    fn default() -> Self {
        Limits {
            job_seconds: 60.0,
            job_memory_mib: 1024,
            job_threads: cores() as u32,
            job_processes: 1,
            queue: 10_000,
            rate: std::num::NonZeroU32::new(2000),
            connections: 1024,
            connections_each: 256,
            patience: Duration::from_secs(15),
            proxies: Proxies::default(),
            hosts: Hosts::new(&[], std::net::Ipv4Addr::LOCALHOST.into()),
        }
    }
}

/// Budget of a job where nothing is said, as far as the site allows it.
const DEFAULT_BUDGET: JobBudget =
    JobBudget { seconds: 10.0, memory_mib: 256, threads: 1, processes: 1, nodes: None, seed: 1 };

impl Limits {
    /// What a job gets where nothing is said.
    pub(super) fn default_budget(&self) -> JobBudget {
        let JobBudget { seconds, memory_mib, threads, .. } = DEFAULT_BUDGET;
        JobBudget {
            seconds: seconds.min(self.job_seconds),
            memory_mib: memory_mib.min(self.job_memory_mib),
            threads: threads.min(self.job_threads),
            ..DEFAULT_BUDGET
        }
    }

    /// The whole budget that a request asks for.
    ///
    /// # Errors
    /// What is more than a job may have, or makes no sense.
    pub fn budget(&self, asked: &BudgetRequest) -> Result<JobBudget, Problem> {
        let default = self.default_budget();
        // The answer shall not depend on the clock where expansions are the limit.
        let time = if asked.nodes.is_some() { self.job_seconds } else { default.seconds };
        let budget = JobBudget {
            seconds: asked.seconds.unwrap_or(time),
            memory_mib: asked.memory_mib.unwrap_or(default.memory_mib),
            threads: asked.threads.unwrap_or(default.threads),
            processes: asked.processes.unwrap_or(default.processes),
            nodes: asked.nodes,
            seed: asked.seed.unwrap_or(default.seed),
        };
        let refused = |what: &str, most: &dyn std::fmt::Display| {
            Err(Problem::bad_request(format!("budget.{what}: more than 0 and at most {most} here")))
        };
        let is_time = budget.seconds > 0.0 && budget.seconds <= self.job_seconds;
        if !is_time {
            return refused("seconds", &self.job_seconds);
        }
        let whole = [
            ("memory_mib", budget.memory_mib, self.job_memory_mib),
            ("threads", budget.threads.into(), self.job_threads.into()),
            ("processes", budget.processes.into(), self.job_processes.into()),
        ];
        match whole.iter().find(|(_, asked, most)| !(1..=*most).contains(asked)) {
            Some((what, _, most)) => refused(what, most),
            None if budget.nodes == Some(0) => {
                Err(Problem::bad_request("budget.nodes: at least 1"))
            }
            None => Ok(budget),
        }
    }
}
