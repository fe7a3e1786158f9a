//! Any text is a certificate or a diagnostic; and no text at all gets a false claim certified.

use super::input;
use outwit::certificate::Certificate;
use outwit::check::check;
use outwit::diagnostic::Source;
use outwit::games::Area;
use outwit::search::{Limits, Run};
use outwit::verify::verify;
use std::time::Duration;

/// Upper limit of the states of a check.
const MOST_STATES: u64 = 300;

/// Checks a certificate of an area: two texts.
pub fn run(data: &[u8]) {
    let (area, text) = input::split(data);
    let source = Source::new("certificate", input::text(text));
    let certificate = match Certificate::read(&source) {
        Ok(certificate) => certificate,
        Err(diagnostic) => {
            assert!(!diagnostic.report(false).is_empty());
            return;
        }
    };
    let again = Certificate::read(&Source::new("again", certificate.to_string()));
    assert_eq!(again.as_ref(), Ok(&certificate));
    let states = certificate.states.min(MOST_STATES);
    let certificate = Certificate { states, ..certificate };
    input::areas(&area).iter().for_each(|area| try_on(&**area, &certificate));
}

/// Checks a certificate of an area, and of the same area by name, whatever it says.
fn try_on(area: &dyn Area, certificate: &Certificate) {
    // The clock decides nothing.
    let time = Duration::from_secs(3600);
    let limits = Limits { time, memory: 64 << 20, threads: 1, ..Limits::default() };
    let Ok(certified) = check(area, certificate, &Run::from(limits)) else { return };
    let measure =
        certificate.measure.as_deref().and_then(|name| area.game().game().measure(name).ok());
    let limit = certified.claim().limit().unwrap_or(u64::MAX);
    let plan = certificate.plan.as_ref().map(|plan| Source::new("plan", plan.as_str()));
    if let Some(Ok(plan)) = plan.map(|plan| verify(area, &plan)) {
        assert!(plan.length(measure) >= limit, "{certified:?}");
    }
}
