//! How a search tells of plans before it has come to its end.

use std::any::Any;
use std::sync::Arc;

/// Takes a plan of any type.
type Hear = dyn Fn(&dyn Any) + Send + Sync;

/// Hears each better plan of a search while that goes on, on the search's thread.
///
/// A search's plans are of its own type. A game's planner gets a listener by
/// [`PlanListener::written`], which writes them as text: that is what [`PlanListener::texts`] hears.
/// Such a text is not verified yet.
///
/// ```
/// use outwit::search::{Budget, PlanListener};
/// use std::sync::{Arc, Mutex};
///
/// let heard = Arc::new(Mutex::new(Vec::new()));
/// let ear = Arc::clone(&heard);
/// let plans = PlanListener::texts(move |text| ear.lock().unwrap().push(text));
/// // What a game does for its planner, whose plans are of numbers here.
/// let plans = plans.written(|plan: &Vec<u8>| format!("{plan:?}"));
/// let budget = Budget { plans: Some(plans), ..Budget::default() };
/// budget.start().found(|| vec![1u8, 2]);
/// assert_eq!(*heard.lock().unwrap(), ["[1, 2]"]);
/// ```
#[derive(Clone)]
pub struct PlanListener(Arc<Hear>);

impl PlanListener {
    /// Hears the texts of plans.
    pub fn texts(hear: impl Fn(String) + Send + Sync + 'static) -> Self {
        PlanListener(Arc::new(move |plan| {
            if let Some(text) = plan.downcast_ref::<String>() {
                hear(text.clone());
            }
        }))
    }

    /// A listener for plans of one type that passes their texts on to this one. It does not hear
    /// plans of other types.
    pub fn written<P: 'static>(
        self,
        write: impl Fn(&P) -> String + Send + Sync + 'static,
    ) -> PlanListener {
        PlanListener(Arc::new(move |plan| {
            if let Some(plan) = plan.downcast_ref::<P>() {
                (self.0)(&write(plan));
            }
        }))
    }

    /// Takes a plan.
    pub fn hear<P: 'static>(&self, plan: &P) {
        (self.0)(plan);
    }
}
