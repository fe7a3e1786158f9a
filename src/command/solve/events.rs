//! `outwit solve --events`: what a search finds while it goes on, one JSON object a line.

use crate::command::{Failure, output};
use outwit::diagnostic::visible;
use outwit::games::{Area, Measure};
use outwit::report::{EventKind, EventReport, EventReporter};
use outwit::search::{Event, Listener, Run};
use outwit::verify::Settled;
use std::fs::File;
use std::io::{self, Write};
use std::path::{Path, PathBuf};
use std::sync::atomic::{AtomicBool, Ordering};
use std::sync::mpsc::{Receiver, Sender, channel};
use std::sync::{Arc, Mutex, PoisonError};

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
        let reporter = EventReporter::new(area, measure);
        self.write(level, reporter.begun())?;
        let write = |report: EventReport| self.write(level, report);
        let (write, (teller, told)) = (&write, channel());
        // Where the search panics its teller goes with it, so that the writer comes to its end.
        std::thread::scope(move |scope| {
            let writer = scope.spawn(move || write_told(reporter, &told, write));
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
        self.write(level, EventKind::Ended(Box::new(report)).at(seconds))
    }

    /// Writes a line. A file that takes no more is named once: the search is worth more than its events.
    fn write(&self, level: usize, report: EventReport) -> Result<(), Failure> {
        if self.is_full.load(Ordering::Relaxed) {
            return Ok(());
        }
        let line = EventReport { level: Some(level), ..report };
        let mut text = serde_json::to_string(&line).map_err(io::Error::other)?;
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

/// Writes what a search tells until it is over.
fn write_told(
    mut reporter: EventReporter<'_>,
    told: &Receiver<Told>,
    write: &dyn Fn(EventReport) -> Result<(), Failure>,
) -> Result<(), Failure> {
    for told in told {
        match told {
            Told::Over => break,
            Told::Event(event) => {
                if let Some(report) = reporter.report(event) {
                    write(report)?;
                }
            }
        }
    }
    Ok(())
}
