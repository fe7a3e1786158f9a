//! `outwit solve --events`: what a search finds while it goes on, one JSON object a line.

use crate::command::{Failure, output};
use outwit::diagnostic::{Source, visible};
use outwit::games::{Area, Facts, GameId, Measure};
use outwit::report::Report;
use outwit::search::{Event, Listener, Progress, Run, TurnReport};
use outwit::verify::{Settled, Verified, verify};
use serde::Serialize;
use std::fs::File;
use std::io::{self, Write};
use std::path::{Path, PathBuf};
use std::sync::atomic::{AtomicBool, Ordering};
use std::sync::mpsc::{Receiver, Sender, channel};
use std::sync::{Arc, Mutex, PoisonError};
use std::time::{Duration, Instant};

/// Least time between two events of progress in which neither the phase nor the best plan nor the bound
/// has changed.
const PAUSE: Duration = Duration::from_millis(200);

/// Where events go.
pub struct Events {
    path: PathBuf,
    out: Mutex<Box<dyn Write + Send>>,
    /// Whether the file could not be written: then no more events go there.
    is_full: AtomicBool,
}

/// A message from the threads of a search to the one that writes events.
enum Told {
    Event(Event),
    /// The search is over.
    Over,
}

/// A line.
#[derive(Serialize)]
struct Line<'a> {
    event: &'static str,
    level: usize,
    /// Time since the search of this level began.
    seconds: f64,
    #[serde(flatten)]
    what: What<'a>,
}

#[derive(Serialize)]
#[serde(untagged)]
enum What<'a> {
    Begun { game: GameId, area: &'a str, facts: Facts },
    Progress(Progress),
    Plan { length: u64, plan: &'a str, plan_facts: Facts },
    Bound { bound: u64 },
    Turn { search: &'a str },
    Turned { search: &'a str, turn: TurnReport },
    Ended(Box<Report>),
}

impl Events {
    /// Opens the file, or standard output where it is `-`.
    pub fn open(path: &Path) -> Result<Self, Failure> {
        let out: Box<dyn Write + Send> = if path.as_os_str() == "-" {
            Box::new(io::stdout())
        } else {
            Box::new(File::create(path).map_err(|error| failure(path, &error))?)
        };
        let is_full = AtomicBool::new(false);
        Ok(Events { path: path.to_path_buf(), out: Mutex::new(out), is_full })
    }

    /// Whether events go to standard output, where nothing else goes then.
    fn are_on_stdout(&self) -> bool {
        self.path.as_os_str() == "-"
    }

    /// Searches, and writes what the search finds meanwhile, each plan after it is verified.
    pub fn during<T: Send>(
        &self,
        (area, level): (&dyn Area, usize),
        measure: Option<Measure>,
        run: &Run,
        search: impl FnOnce(&Run) -> T,
    ) -> Result<T, Failure> {
        let started = Instant::now();
        let line = |event: &'static str, what: What<'_>| {
            let seconds = started.elapsed().as_secs_f64();
            self.write(&Line { event, level, seconds, what })
        };
        let (game, facts) = (area.game(), area.facts().into());
        line("begun", What::Begun { game, area: area.name(), facts })?;
        let (line, (teller, told)) = (&line, channel());
        // Where the search panics its teller goes with it, so that the writer comes to its end.
        std::thread::scope(move |scope| {
            let writer = scope.spawn(move || write_told((area, measure), &told, line));
            let found = search(&listening(run, &teller));
            let _ = teller.send(Told::Over);
            let written = writer.join().unwrap_or(Ok(()));
            written.map(|()| found)
        })
    }

    /// Writes the report at the end.
    pub fn ended(&self, level: usize, settled: &Settled) -> Result<(), Failure> {
        let report = output::report(settled);
        let seconds = report.effort.seconds;
        self.write(&Line { event: "ended", level, seconds, what: What::Ended(Box::new(report)) })
    }

    /// Writes a line. A file that takes no more is named once: the search is worth more than its events.
    fn write(&self, line: &Line<'_>) -> Result<(), Failure> {
        if self.is_full.load(Ordering::Relaxed) {
            return Ok(());
        }
        let mut text = serde_json::to_string(line).map_err(io::Error::other)?;
        text.push('\n');
        let mut out = self.out.lock().unwrap_or_else(PoisonError::into_inner);
        let written = out.write_all(text.as_bytes()).and_then(|()| out.flush());
        match written {
            Err(error) if self.are_on_stdout() => Err(Failure::Stream(error)),
            Err(error) => {
                self.is_full.store(true, Ordering::Relaxed);
                let path = visible(&self.path.display().to_string());
                output::say(&format!("--events {path}: {error}; the search goes on without them"));
                Ok(())
            }
            Ok(()) => Ok(()),
        }
    }
}

fn failure(path: &Path, error: &io::Error) -> Failure {
    Failure::Usage(format!("--events {}: {error}", path.display()))
}

/// A run whose events are told, too.
fn listening(run: &Run, teller: &Sender<Told>) -> Run {
    let teller = teller.clone();
    let listener: Listener = Arc::new(move |event| {
        let _ = teller.send(Told::Event(event.clone()));
    });
    Run { control: run.control.heard_by(listener), ..run.clone() }
}

/// Writes what a search tells until it is over; of its plans those that are better than all before.
fn write_told(
    (area, measure): (&dyn Area, Option<Measure>),
    told: &Receiver<Told>,
    line: &dyn Fn(&'static str, What<'_>) -> Result<(), Failure>,
) -> Result<(), Failure> {
    let mut last: Option<(Instant, Progress)> = None;
    let mut best: Option<Verified> = None;
    for told in told {
        match told {
            Told::Over => break,
            Told::Event(Event::Progress(now)) => {
                let is_news = last.as_ref().is_none_or(|(when, last)| {
                    let same = (&last.phase, last.best, last.bound);
                    when.elapsed() >= PAUSE || same != (&now.phase, now.best, now.bound)
                });
                if is_news {
                    line("progress", What::Progress(now.clone()))?;
                    last = Some((Instant::now(), now));
                }
            }
            Told::Event(Event::PlanFound { plan: text, .. }) => {
                // A plan of an abstraction may not hold: then it is none.
                let Ok(plan) = verify(area, &Source::new("plan", text)) else { continue };
                if best.as_ref().is_some_and(|best| !plan.beats_in(best, measure)) {
                    continue;
                }
                let (length, plan_facts) = (plan.length(measure), plan.validation().facts.clone());
                let plan_facts = plan_facts.into();
                line("plan", What::Plan { length, plan: plan.text(), plan_facts })?;
                best = Some(plan);
            }
            Told::Event(Event::BoundRaised { bound }) => line("bound", What::Bound { bound })?,
            Told::Event(Event::TurnBegun { search }) => line("turn", What::Turn { search })?,
            Told::Event(Event::TurnEnded { search, turn }) => {
                line("turned", What::Turned { search, turn })?;
            }
            Told::Event(_) => {}
        }
    }
    Ok(())
}
