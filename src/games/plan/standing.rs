//! The standing of an area in one measure: the verdict, the length of the best plan, the lower bound.
//!
//! Reports, the record and the index of a folder of solutions, the store and comparisons hold a [`Standing`], and
//! write it as the same five fields.

use crate::certificate::Claim;
use crate::search::Verdict;

/// The verdict on an area in one measure, with the length of its best plan and the lower bound.
///
/// In JSON it is an object of `verdict`, `optimal`, `length`, `bound` and `gap`. One that contradicts itself, such
/// as a bound above the length of a plan, is not read.
///
/// ```
/// use outwit::games::Standing;
/// use outwit::search::Verdict;
///
/// let found = Standing::new(Some(12), 10);
/// assert_eq!((found.verdict(), found.gap()), (Verdict::Found, Some(0.2)));
/// assert_eq!(found.raised(12), Standing::Optimal { length: 12 });
/// ```
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
#[cfg_attr(feature = "serde", derive(serde::Serialize, serde::Deserialize))]
#[cfg_attr(feature = "serde", serde(into = "json::Fields", try_from = "json::Fields"))]
pub enum Standing {
    /// A plan, proven to be shortest.
    Optimal {
        /// The plan's length.
        length: u64,
    },
    /// A plan; a shorter one may exist.
    Found {
        /// The plan's length.
        length: u64,
        /// No plan is shorter.
        bound: u64,
    },
    /// It is proven that there is no plan.
    Impossible,
    /// No plan was found.
    Unknown {
        /// No plan is shorter.
        bound: u64,
    },
}

impl Standing {
    /// The standing of an area whose best plan has this length, and no plan of which is shorter than `bound`. A length of
    /// `None` means that no plan is known.
    pub fn new(length: Option<u64>, bound: u64) -> Standing {
        match length {
            Some(length) if length == bound => Standing::Optimal { length },
            Some(length) => Standing::Found { length, bound: bound.min(length) },
            None => Standing::Unknown { bound },
        }
    }

    /// The verdict in one word.
    pub fn verdict(self) -> Verdict {
        match self {
            Standing::Optimal { .. } => Verdict::Optimal,
            Standing::Found { .. } => Verdict::Found,
            Standing::Impossible => Verdict::Impossible,
            Standing::Unknown { .. } => Verdict::Unknown,
        }
    }

    /// The best plan's length.
    pub fn length(self) -> Option<u64> {
        match self {
            Standing::Optimal { length } | Standing::Found { length, .. } => Some(length),
            Standing::Impossible | Standing::Unknown { .. } => None,
        }
    }

    /// No plan is shorter; none where it is proven that there is no plan.
    pub fn bound(self) -> Option<u64> {
        match self {
            Standing::Optimal { length: bound }
            | Standing::Found { bound, .. }
            | Standing::Unknown { bound } => Some(bound),
            Standing::Impossible => None,
        }
    }

    /// The claim about the least length of a plan; none where nothing is claimed.
    pub fn claim(self) -> Option<Claim> {
        let claim = Claim::from_limit(self.bound());
        (claim != Claim::AtLeast(0)).then_some(claim)
    }

    /// Distance of the plan's length from the bound, as a fraction of the bound.
    pub fn gap(self) -> Option<f64> {
        gap(self.length()?, self.bound()?)
    }

    /// The standing where no plan is shorter than `bound`, as far as that does not contradict a
    /// plan.
    #[must_use]
    pub fn raised(self, bound: u64) -> Standing {
        let raised = |own: u64| own.max(bound.min(self.length().unwrap_or(bound)));
        self.bound().map_or(self, |own| Standing::new(self.length(), raised(own)))
    }

    /// The standing that remains once the plan is gone.
    #[must_use]
    pub fn without_plan(self) -> Standing {
        self.bound().map_or(self, |bound| Standing::new(None, bound))
    }

    /// Whether the plan is proven to be shortest.
    pub fn is_optimal(self) -> bool {
        matches!(self, Standing::Optimal { .. })
    }
}

/// How far a plan may be from the shortest, as a part of the bound; 0 for an optimal one, nothing
/// where no bound is known.
///
/// ```
/// use outwit::games::gap;
/// assert_eq!((gap(12, 10), gap(10, 10), gap(12, 0)), (Some(0.2), Some(0.0), None));
/// ```
pub fn gap(length: u64, bound: u64) -> Option<f64> {
    match (length.saturating_sub(bound), bound) {
        (0, _) => Some(0.0),
        (_, 0) => None,
        (above, bound) => Some(above as f64 / bound as f64),
    }
}

#[cfg(feature = "serde")]
pub(super) mod json {
    //! A standing in JSON.

    use super::Standing;
    use crate::search::Verdict;
    use serde::{Deserialize, Serialize};
    use std::fmt;

    /// The fields of a standing.
    #[derive(Debug, Serialize, Deserialize)]
    #[cfg_attr(feature = "service", derive(utoipa::ToSchema), schema(as = PlanStanding))]
    pub struct Fields {
        /// The verdict.
        verdict: Verdict,
        /// Whether the plan is proven to be shortest.
        #[serde(default)]
        #[cfg_attr(feature = "service", schema(required))]
        optimal: bool,
        /// Length of the plan, in the measure that was asked for.
        #[cfg_attr(feature = "service", schema(required))]
        length: Option<u64>,
        /// No plan is shorter; none where it is proven that there is no plan.
        #[cfg_attr(feature = "service", schema(required))]
        bound: Option<u64>,
        /// Distance of the length from the bound, as a fraction of the bound; none where nothing is known.
        #[cfg_attr(feature = "service", schema(required))]
        gap: Option<f64>,
    }

    impl From<Standing> for Fields {
        fn from(standing: Standing) -> Fields {
            Fields {
                verdict: standing.verdict(),
                optimal: standing.is_optimal(),
                length: standing.length(),
                bound: standing.bound(),
                gap: standing.gap(),
            }
        }
    }

    /// The error of a standing whose parts contradict each other.
    #[derive(Debug)]
    pub struct Contradiction {
        verdict: Verdict,
        length: Option<u64>,
        bound: Option<u64>,
    }

    impl fmt::Display for Contradiction {
        fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
            let number =
                |value: Option<u64>| value.map_or("none".into(), |value| value.to_string());
            let Contradiction { verdict, length, bound } = self;
            let (length, bound) = (number(*length), number(*bound));
            write!(f, "the verdict \"{verdict}\" contradicts length {length} or bound {bound}")
        }
    }

    impl TryFrom<Fields> for Standing {
        type Error = Contradiction;

        fn try_from(fields: Fields) -> Result<Standing, Contradiction> {
            let Fields { verdict, length, bound, .. } = fields;
            match (verdict, length, bound) {
                // Records of older versions give no bound where it is the length.
                (Verdict::Optimal, Some(length), None) => Ok(Standing::Optimal { length }),
                (Verdict::Optimal, Some(length), Some(bound)) if bound == length => {
                    Ok(Standing::Optimal { length })
                }
                (Verdict::Found, Some(length), bound) if bound.unwrap_or(0) <= length => {
                    Ok(Standing::new(Some(length), bound.unwrap_or(0)))
                }
                (Verdict::Impossible, None, None) => Ok(Standing::Impossible),
                (Verdict::Unknown, None, bound) => {
                    Ok(Standing::Unknown { bound: bound.unwrap_or(0) })
                }
                _ => Err(Contradiction { verdict, length, bound }),
            }
        }
    }

    #[cfg(feature = "service")]
    impl utoipa::PartialSchema for Standing {
        fn schema() -> utoipa::openapi::RefOr<utoipa::openapi::schema::Schema> {
            Fields::schema()
        }
    }

    #[cfg(feature = "service")]
    impl utoipa::ToSchema for Standing {
        fn name() -> std::borrow::Cow<'static, str> {
            Fields::name()
        }

        fn schemas(
            schemas: &mut Vec<(String, utoipa::openapi::RefOr<utoipa::openapi::schema::Schema>)>,
        ) {
            Fields::schemas(schemas);
        }
    }
}

#[cfg(all(test, feature = "cli"))]
mod tests {
    use super::*;

    #[test]
    fn standings_are_read_as_they_are_written() {
        let all = [
            Standing::Optimal { length: 3 },
            Standing::Found { length: 3, bound: 2 },
            Standing::Impossible,
            Standing::Unknown { bound: 2 },
        ];
        for standing in all {
            let json = serde_json::to_value(standing).unwrap();
            let keys: Vec<&String> = json.as_object().unwrap().keys().collect();
            assert_eq!(keys, ["verdict", "optimal", "length", "bound", "gap"]);
            assert_eq!(serde_json::from_value::<Standing>(json).unwrap(), standing);
        }
    }

    #[test]
    fn contradictions_are_not_read() {
        let read = |json: &str| serde_json::from_str::<Standing>(json);
        assert_eq!(
            read(r#"{"verdict":"optimal","length":3}"#).unwrap(),
            Standing::Optimal { length: 3 }
        );
        for json in [
            r#"{"verdict":"optimal","length":3,"bound":2}"#,
            r#"{"verdict":"optimal","bound":2}"#,
            r#"{"verdict":"found","length":3,"bound":4}"#,
            r#"{"verdict":"found","bound":4}"#,
            r#"{"verdict":"impossible","bound":4}"#,
            r#"{"verdict":"impossible","length":4}"#,
            r#"{"verdict":"unknown","length":4,"bound":1}"#,
        ] {
            let error = read(json).unwrap_err().to_string();
            assert!(error.contains("contradicts"), "{json}: {error}");
        }
    }
}
