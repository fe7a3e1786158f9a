//! `outwit play`: a game in the terminal, played by hand or watched.

use super::input::{AreaFile, AreasArgs, is_standard, refuse_stdin_twice, refuse_two_stdins};
use super::{Answered, Failure, output};
use outwit::batch::files;
use outwit::diagnostic::Source;
use outwit::games::{Area, PlanError, Status};
use outwit::terminal::{self, App};
use outwit::verify::{steps, verify};
use std::io::{self, IsTerminal};
use std::path::{Path, PathBuf};
use std::sync::Arc;
use std::sync::atomic::{AtomicBool, Ordering};
use std::time::Duration;

/// Play a game in the terminal, or watch a plan
///
/// Keys act without Enter; ? shows them all, h gives a hint. Steps can be taken back and done again without limit. Of
/// several levels and files n is the next one.
#[derive(clap::Args)]
#[command(after_long_help = "\
EXAMPLES
  outwit play areas/monsters/subtask-g-blobs.txt
  outwit play areas/sokoban/pull-7x8-*.xsb
  outwit play areas/robots/sample-1.txt --plan solutions/robots/sample-1.plan --speed 8
  outwit play areas/last-of-us/area-0-sample.txt --save mine.plan

EXIT CODE
  0 left, won or not; 2 bad input, or no terminal")]
pub struct Args {
    #[command(flatten)]
    areas: AreasArgs,

    /// Play only this level of a collection, counted from 1
    #[arg(long, value_name = "N")]
    level: Option<usize>,

    /// Watch this plan; it can be left at any step to play on by hand
    #[arg(long, value_name = "PLAN")]
    plan: Option<PathBuf>,

    /// Steps a second while watching; + and - change it
    #[arg(long, value_name = "STEPS", default_value_t = 4.0)]
    speed: f64,

    /// When the game is won, write the plan to this file on leaving; of several levels, that of the one that is left
    #[arg(long, value_name = "FILE")]
    save: Option<PathBuf>,
}

/// Time to leave in after a signal: the terminal is given back, the plan saved.
const GRACE: Duration = Duration::from_secs(3);

pub fn run(args: &Args) -> Result<Answered, Failure> {
    if !args.speed.is_finite() || args.speed <= 0.0 {
        return Err(Failure::Usage("--speed must be a positive number".into()));
    }
    let files = args.read()?;
    let areas = args.levels(&files)?;
    let Some((first, others)) = areas.split_first() else { return Err(Failure::Told) };
    let watched = match &args.plan {
        Some(path) => {
            let plan = Source::read(path)?;
            Some(steps(*first, args.level, &plan)?.map(|step| step.text).collect())
        }
        None => None,
    };
    args.refuse_without_terminal()?;
    let mut app = match watched {
        Some(steps) => App::watching(*first, steps, args.speed),
        None => App::first_of(*first, others),
    };
    let stop = stop_on_signals();
    terminal::run(&mut app, &stop)?;
    tell_end(&app);
    if let (Some(path), Status::Won) = (&args.save, app.status()) {
        save(app.area(), app.plan(), path)?;
    }
    Ok(Answered::Yes)
}

impl Args {
    /// Reads the files.
    fn read(&self) -> Result<Vec<AreaFile>, Failure> {
        let files = &self.areas.files;
        for file in files {
            refuse_two_stdins(("FILE", file), ("--plan", self.plan.as_deref()))?;
        }
        refuse_stdin_twice(files)?;
        if files.len() > 1 && (self.plan.is_some() || self.level.is_some()) {
            let message = "--plan and --level are of one file: name one FILE";
            return Err(Failure::Usage(message.into()));
        }
        files.iter().map(|file| AreaFile::read(file, self.areas.game)).collect()
    }

    /// The levels that are played: the one that is named or that a plan is of, or all that can be read.
    fn levels<'a>(&self, files: &'a [AreaFile]) -> Result<Vec<&'a dyn Area>, Failure> {
        if let ([file], true) = (files, self.level.is_some() || self.plan.is_some()) {
            return Ok(vec![file.level(self.level)?]);
        }
        let mut levels: Vec<&dyn Area> = Vec::new();
        for file in files {
            for entry in &file.collection.entries {
                match &entry.content {
                    Ok(area) => levels.push(&**area),
                    Err(diagnostic) => output::tell_unreadable(entry.number, diagnostic, false),
                }
            }
        }
        Ok(levels)
    }

    /// The keys come from the terminal even where the area comes from stdin.
    fn refuse_without_terminal(&self) -> Result<(), Failure> {
        let usage =
            |stream| Failure::Usage(format!("a game is played in a terminal: {stream} is none"));
        if !io::stdout().is_terminal() {
            return Err(usage("stdout"));
        }
        if !io::stdin().is_terminal() && !self.areas.files.iter().any(|file| is_standard(file)) {
            return Err(usage("stdin"));
        }
        Ok(())
    }
}

/// A flag that is raised when the process is asked to end.
///
/// A terminal that has gone away can hold the loop within its wait for keys for good: who has not
/// left a while after the signal is taken out.
fn stop_on_signals() -> Arc<AtomicBool> {
    let stop = Arc::new(AtomicBool::new(false));
    let raised = Arc::clone(&stop);
    // Without a handler a signal ends the process at once, which is no reason not to play.
    let _ = ctrlc::set_handler(move || {
        raised.store(true, Ordering::Relaxed);
        std::thread::sleep(GRACE);
        std::process::exit(1);
    });
    stop
}

fn tell_end(app: &App<'_>) {
    let steps = app.progress().0;
    output::say(&match app.status() {
        Status::Playing => format!("left {} after {steps} steps", app.name()),
        Status::Won => format!("won {} in {steps} steps", app.name()),
        Status::Lost(why) => format!("lost {} after {steps} steps: {why}", app.name()),
    });
}

fn save(area: &dyn Area, plan: String, path: &Path) -> Result<(), Failure> {
    let verified = verify(area, &Source::new("the game played", plan)).map_err(|e| match e {
        PlanError::Unreadable(diagnostic) => Failure::from(diagnostic),
        PlanError::Refused(refusal) => Failure::Usage(refusal.to_string()),
    })?;
    files::replace(path, verified.text().as_bytes(), "play")?;
    output::say(&format!("the plan is in {}", path.display()));
    Ok(())
}
