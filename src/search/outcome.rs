//! What a search answers.

use super::StopReason;
use std::fmt;
use std::str::FromStr;
use std::time::Duration;

/// The four answers.
#[derive(Clone, Copy, PartialEq, Eq, Hash, Debug)]
#[cfg_attr(feature = "serde", derive(serde::Serialize, serde::Deserialize))]
#[cfg_attr(feature = "serde", serde(rename_all = "lowercase"))]
#[cfg_attr(feature = "service", derive(utoipa::ToSchema), schema(as = SearchVerdict))]
pub enum Verdict {
    /// A plan, proven to be of least cost.
    Optimal,
    /// A plan; a better one may exist.
    Found,
    /// Proven: there is no plan.
    Impossible,
    /// None found within the budget, nothing proven.
    Unknown,
}

impl Verdict {
    /// All verdicts.
    pub const ALL: [Verdict; 4] =
        [Verdict::Optimal, Verdict::Found, Verdict::Impossible, Verdict::Unknown];

    /// One lower-case word for reports and JSON.
    pub fn name(self) -> &'static str {
        match self {
            Verdict::Optimal => "optimal",
            Verdict::Found => "found",
            Verdict::Impossible => "impossible",
            Verdict::Unknown => "unknown",
        }
    }
}

impl fmt::Display for Verdict {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.pad(self.name())
    }
}

impl FromStr for Verdict {
    type Err = UnknownWord;

    fn from_str(word: &str) -> Result<Self, UnknownWord> {
        UnknownWord::find(("verdict", word), &Verdict::ALL, Verdict::name)
    }
}

/// A word that is not one of the expected ones.
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
#[error("unknown {kind} {word:?}; one of {known}")]
pub struct UnknownWord {
    /// The kind of word that was expected, such as `game`.
    pub kind: &'static str,
    /// The word.
    pub word: String,
    /// The expected words, separated by commas.
    pub known: String,
}

impl UnknownWord {
    /// The value whose name is the word.
    pub(crate) fn find<T: Copy>(
        (kind, word): (&'static str, &str),
        all: &[T],
        name: impl Fn(T) -> &'static str,
    ) -> Result<T, UnknownWord> {
        let found = all.iter().copied().find(|&value| name(value) == word);
        found.ok_or_else(|| {
            let known: Vec<_> = all.iter().copied().map(name).collect();
            UnknownWord { kind, word: word.into(), known: known.join(", ") }
        })
    }
}

/// What a search has spent.
#[derive(Clone, Copy, Debug, Default, PartialEq)]
pub struct Statistics {
    /// States expanded.
    pub expanded: u64,
    /// Children generated.
    pub generated: u64,
    /// Wall time.
    pub elapsed: Duration,
    /// The most memory held by the search's own tables, in bytes.
    pub memory: usize,
    /// Why it stopped early, where it did.
    pub stopped: Option<StopReason>,
}

/// A search's answer: a plan or none, what is proven, what it cost.
///
/// ```
/// use outwit::search::{Outcome, Statistics, Verdict};
///
/// // A search that ran out, having proven that no plan costs less than 12.
/// let outcome = Outcome::<char>::unknown(12, Statistics::default());
/// assert_eq!((outcome.verdict, outcome.bound), (Verdict::Unknown, 12));
/// assert!(outcome.plan.is_none());
/// ```
#[derive(Clone, Debug)]
pub struct Outcome<A> {
    /// What is known.
    pub verdict: Verdict,
    /// The actions from the start to a goal; `None` for `Impossible` and `Unknown`, and for
    /// `Optimal` where the plan that the caller knew before is proven to be one.
    pub plan: Option<Vec<A>>,
    /// Cost of the plan; `u64::MAX` without one.
    pub cost: u64,
    /// No plan costs less than this.
    pub bound: u64,
    /// What was spent.
    pub effort: Statistics,
}

impl<A> Outcome<A> {
    /// Nothing found, nothing proven beyond `bound`.
    pub fn unknown(bound: u64, effort: Statistics) -> Self {
        Outcome { verdict: Verdict::Unknown, plan: None, cost: u64::MAX, bound, effort }
    }
}
