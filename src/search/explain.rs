//! Summaries of the searches that a planner ran, gathered from the events of the run. They show why a
//! planner gave up.

use super::control::{Control, Ended, Event, TurnReport};
use std::sync::{Arc, Mutex, PoisonError};

/// Summary of one search, over all of its turns in a run.
#[derive(Clone, Debug, PartialEq)]
#[cfg_attr(feature = "serde", derive(serde::Serialize, serde::Deserialize))]
#[cfg_attr(feature = "service", derive(utoipa::ToSchema))]
pub struct SearchSummary {
    /// Name of the search.
    pub name: String,
    /// Turns that it has played.
    pub turns: u64,
    /// States expanded.
    pub expanded: u64,
    /// Successors generated.
    pub generated: u64,
    /// Wall time of its turns, in seconds; searches that play at once count each their own.
    pub seconds: f64,
    /// The most memory that it held after a turn, in bytes.
    pub memory_bytes: u64,
    /// Length of its best plan.
    #[cfg_attr(feature = "service", schema(required))]
    pub length: Option<u64>,
    /// Its best lower bound.
    #[cfg_attr(feature = "service", schema(required))]
    pub bound: Option<u64>,
    /// How its last turn ended.
    #[cfg_attr(feature = "service", schema(value_type = String))]
    pub ended: Ended,
}

impl SearchSummary {
    fn new(name: &str) -> Self {
        SearchSummary {
            name: name.into(),
            turns: 0,
            expanded: 0,
            generated: 0,
            seconds: 0.0,
            memory_bytes: 0,
            length: None,
            bound: None,
            ended: Ended::Resting,
        }
    }

    fn add(&mut self, turn: &TurnReport) {
        self.append(SearchSummary {
            name: String::new(),
            turns: 1,
            expanded: turn.expanded,
            generated: turn.generated,
            seconds: turn.seconds,
            memory_bytes: turn.memory,
            length: turn.length,
            bound: turn.bound,
            ended: turn.ended,
        });
    }

    /// Adds what the search of the same name did in a later run.
    fn append(&mut self, later: SearchSummary) {
        self.turns += later.turns;
        self.expanded += later.expanded;
        self.generated += later.generated;
        self.seconds += later.seconds;
        self.memory_bytes = self.memory_bytes.max(later.memory_bytes);
        self.length = [self.length, later.length].into_iter().flatten().min();
        self.bound = self.bound.max(later.bound);
        self.ended = later.ended;
    }

    /// Expansions a second.
    pub fn rate(&self) -> f64 {
        self.expanded as f64 / self.seconds.max(1e-9)
    }
}

/// The summaries of two runs, one after the other: a row for each search.
pub fn joined(mut first: Vec<SearchSummary>, later: Vec<SearchSummary>) -> Vec<SearchSummary> {
    for summary in later {
        match first.iter_mut().find(|known| known.name == summary.name) {
            Some(known) => known.append(summary),
            None => first.push(summary),
        }
    }
    first
}

/// Gathers summaries from the events of a run. Clones gather together.
///
/// ```
/// use outwit::games::Objective;
/// use outwit::search::{Run, explain::Explanation};
///
/// let level = outwit::parse("######\n#@$ .#\n######\n")?.only()?;
/// let explanation = Explanation::default();
/// let run = Run::seconds(10.0);
/// let run = Run { control: explanation.listen_to(&run.control), ..run };
/// outwit::solve(&*level, &Objective::OPTIMAL, &run);
/// assert_eq!(explanation.searches()[0].name, "astar");
/// # Ok::<(), outwit::Error>(())
/// ```
#[derive(Clone, Debug, Default)]
pub struct Explanation(Arc<Mutex<Vec<SearchSummary>>>);

impl Explanation {
    /// The same control, whose events are gathered here, too.
    pub fn listen_to(&self, control: &Control) -> Control {
        let gathered = Arc::clone(&self.0);
        control.heard_by(Arc::new(move |event| {
            if let Event::TurnEnded { search, turn } = event {
                let mut searches = gathered.lock().unwrap_or_else(PoisonError::into_inner);
                let known = searches.iter().position(|summary| summary.name == *search);
                let at = known.unwrap_or_else(|| {
                    searches.push(SearchSummary::new(search));
                    searches.len() - 1
                });
                searches[at].add(turn);
            }
        }))
    }

    /// The summaries, in the order in which the searches first came to the end of a turn.
    pub fn searches(&self) -> Vec<SearchSummary> {
        self.0.lock().unwrap_or_else(PoisonError::into_inner).clone()
    }
}
