//! One report of a search, told everywhere: by commands as JSON, in jobs and their store, in
//! WebAssembly, in Python, to the page.
//!
//! Its JSON Schema is `docs/report.schema.json`; a test holds all who write reports to it.

mod events;

pub use events::{EventKind, EventReport, EventReporter};

#[cfg(feature = "certificates")]
use crate::certificate::{Certificate, Claim};
#[cfg(feature = "certificates")]
use crate::check::{Certified, CheckError};
use crate::games::{Facts, PlanError, Standing};
use crate::search::explain::SearchSummary;
use crate::search::{Settings, Statistics, StopReason};
use crate::verify::Settled;
use serde::{Deserialize, Serialize};

/// What a search has found and proven of an area, and what it has spent.
///
/// ```
/// use outwit::diagnostic::Source;
/// use outwit::games::{GameId, Objective, Standing};
/// use outwit::report::Report;
/// use outwit::search::Run;
/// use outwit::verify::settle;
///
/// let level = Source::new("corridor", "######\n#@$ .#\n######\n");
/// let area = GameId::Sokoban.game().read(&level).expect("a file").only().expect("a level");
/// let answer = area.solve(&Objective::OPTIMAL, None, &Run::seconds(10.0));
/// let report = Report::new(&settle(area.as_ref(), answer, None, None));
/// assert_eq!(report.standing, Standing::Optimal { length: 2 });
/// let json = serde_json::to_value(&report).expect("it is JSON");
/// assert_eq!(json["plan_facts"]["moves"], 2);
/// ```
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
#[cfg_attr(feature = "service", derive(utoipa::ToSchema))]
pub struct Report {
    /// The verdict after the search, with length and bound in the measure that was asked for.
    #[serde(flatten)]
    pub standing: Standing,
    /// The verified plan in the game's own format.
    #[cfg_attr(feature = "service", schema(required))]
    pub plan: Option<String>,
    /// Measures of the plan, from its replay: pushes, moves, bricks.
    pub plan_facts: Facts,
    /// Why the rules refuse the planner's plan, which is a fault of the planner.
    #[serde(default)]
    #[cfg_attr(feature = "service", schema(required))]
    pub refused: Option<String>,
    /// What the search has spent.
    pub effort: Effort,
    /// What else the planner reports.
    pub notes: Facts,
    /// Numbers of the planner that were set for this run.
    #[serde(default, skip_serializing_if = "Settings::is_empty")]
    pub settings: Settings,
    /// A summary of each search that the planner ran, in the order in which their first turns ended.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub searches: Vec<SearchSummary>,
}

/// A certificate that was asked for, or the reason why there is none.
#[cfg(feature = "certificates")]
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
#[cfg_attr(feature = "service", derive(utoipa::ToSchema))]
pub struct CertificateReport {
    /// The certificate, where the checker has accepted it, without its plan, which the report of the search has:
    /// a line `plan` and the plan may be added.
    #[cfg_attr(feature = "service", schema(required))]
    pub text: Option<String>,
    /// Why what was found is not certified.
    #[cfg_attr(feature = "service", schema(required))]
    pub reason: Option<String>,
}

#[cfg(feature = "certificates")]
impl CertificateReport {
    /// Reports a proof.
    pub fn new(certified: Result<Certificate, CheckError>) -> CertificateReport {
        match certified {
            Ok(certificate) => {
                let text = Certificate { plan: None, ..certificate }.to_string();
                CertificateReport { text: Some(text), reason: None }
            }
            Err(error) => CertificateReport { text: None, reason: Some(error.to_string()) },
        }
    }
}

/// Result of checking a certificate.
#[cfg(feature = "certificates")]
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
#[cfg_attr(feature = "service", derive(utoipa::ToSchema))]
pub struct CheckReport {
    /// Whether the claim is proven; none where the time or the memory ran out.
    #[cfg_attr(feature = "service", schema(required))]
    pub certified: Option<bool>,
    /// The claim: `no plan is shorter than 97`, `there is no plan`.
    pub claim: String,
    /// Length of the certificate's plan, where it has one and the claim is proven.
    #[cfg_attr(feature = "service", schema(required))]
    pub length: Option<u64>,
    /// Whether that plan is as short as the claim says that plans are at least.
    pub optimal: bool,
    /// States that were closed to prove the claim.
    #[cfg_attr(feature = "service", schema(required))]
    pub states: Option<u64>,
    /// Why the claim is not proven.
    #[cfg_attr(feature = "service", schema(required))]
    pub reason: Option<String>,
}

#[cfg(feature = "certificates")]
impl CheckReport {
    /// Reports a check.
    pub fn new(claim: Claim, checked: &Result<Certified, CheckError>) -> CheckReport {
        let certified = checked.as_ref().ok();
        CheckReport {
            certified: match checked {
                Ok(_) => Some(true),
                Err(error) if error.is_open() => None,
                Err(_) => Some(false),
            },
            claim: claim.to_string(),
            length: certified.and_then(Certified::length),
            optimal: certified.is_some_and(Certified::is_optimal),
            states: certified.map(Certified::states),
            reason: checked.as_ref().err().map(CheckError::to_string),
        }
    }
}

/// What a search has spent.
#[derive(Debug, Clone, Copy, PartialEq, Serialize, Deserialize)]
#[cfg_attr(feature = "service", derive(utoipa::ToSchema))]
pub struct Effort {
    /// Wall time, in seconds.
    pub seconds: f64,
    /// States expanded.
    pub expanded: u64,
    /// Children generated.
    pub generated: u64,
    /// The most memory that the search's tables held, in bytes.
    pub memory_bytes: u64,
    /// The most memory that the whole process has held so far, in bytes, where the system reports
    /// it.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub peak_bytes: Option<u64>,
    /// What ended the search early; none where it came to its end.
    #[cfg_attr(feature = "service", schema(required))]
    pub stopped: Option<StopReason>,
}

impl Report {
    /// The report of a planner's answer whose plan was verified.
    pub fn new(settled: &Settled) -> Self {
        let answer = &settled.answer;
        let plan = answer.plan.as_ref();
        Report {
            standing: answer.standing(),
            plan: plan.map(|plan| plan.text().to_string()),
            plan_facts: plan
                .map_or_else(Facts::default, |plan| plan.validation().facts.clone().into()),
            refused: settled.refused.as_ref().map(PlanError::to_string),
            effort: Effort::new(&answer.effort),
            notes: answer.notes.clone().into(),
            settings: answer.settings.clone(),
            searches: answer.searches.clone(),
        }
    }

    /// The claim about all plans of the area.
    #[cfg(feature = "certificates")]
    pub fn claim(&self) -> Claim {
        Claim::from_limit(self.standing.bound())
    }
}

impl Effort {
    /// What a search has spent.
    pub fn new(effort: &Statistics) -> Self {
        Effort {
            seconds: effort.elapsed.as_secs_f64(),
            expanded: effort.expanded,
            generated: effort.generated,
            memory_bytes: effort.memory as u64,
            peak_bytes: None,
            stopped: effort.stopped,
        }
    }
}
