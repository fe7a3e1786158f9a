//! `outwit report`: a folder of solutions as one HTML file.

use super::read;
use crate::command::batch::{AREAS, SOLUTIONS};
use crate::command::{Answered, Failure, input, output};
use outwit::batch::files::{replace, try_place};
use outwit::batch::{Inputs, find, html, record};
use outwit::diagnostic::visible;
use std::collections::BTreeMap;
use std::path::{Path, PathBuf};

/// Write a folder of solutions as one HTML file, to be sent to somebody
///
/// The file has a summary of all games and a table of each one: a picture of each area, its size, the verdict, length,
/// bound, time, and whether the claim is certified. It needs nothing else, and goes by the reader's choice of light and
/// dark. What the folder claims is shown, and nothing is searched again.
#[derive(clap::Args)]
#[command(after_long_help = "\
EXAMPLES
  outwit batch areas/robots --out plans
  outwit report plans -o robots.html --title 'Robots, one second each'

  outwit batch
  outwit report -o report.html        # of solutions/, with pictures of areas/

EXIT CODE
  0 done; 2 bad input, or the file cannot be written. Where it is one area that cannot be read, the file is
  written without its picture")]
pub struct Args {
    /// The folder of solutions
    #[arg(value_name = "DIR", default_value = SOLUTIONS)]
    folder: PathBuf,

    /// Folders and files of the areas, for their pictures [default: areas, where it is there]
    #[arg(long, value_name = "DIR")]
    areas: Vec<PathBuf>,

    /// Title of the page [default: the folder's name]
    #[arg(long, value_name = "TEXT")]
    title: Option<String>,

    /// The file; - for stdout
    #[arg(short, long, value_name = "FILE")]
    out: PathBuf,
}

pub fn run(args: &Args) -> Result<Answered, Failure> {
    let unwritable = |error: &dyn std::fmt::Display| {
        Failure::Usage(format!("{}: cannot be written: {error}", args.out.display()))
    };
    let is_stdout = input::is_standard(&args.out);
    if !is_stdout {
        try_place(&args.out).map_err(|error| unwritable(&error))?;
    }
    let claims = read(&args.folder)?;
    // `read` has reported the faults of the records.
    let (records, _) = record::load(&args.folder, &BTreeMap::new());
    let Inputs { tasks, errors, .. } = args.areas();
    errors.iter().for_each(output::tell_diagnostic);
    let page = html::page(&args.title(), &claims, &records, &tasks);
    match is_stdout {
        true => output::print(&page)?,
        false => {
            replace(&args.out, page.as_bytes(), "report").map_err(|error| unwritable(&error))?;
        }
    }
    if errors.is_empty() { Ok(Answered::Yes) } else { Err(Failure::Told) }
}

impl Args {
    /// The areas that are there.
    fn areas(&self) -> Inputs {
        if self.areas.is_empty() && !Path::new(AREAS).exists() {
            output::say(
                "there is no folder areas: name that of the areas by --areas for their pictures",
            );
            return Inputs::default();
        }
        match self.areas.is_empty() {
            true => find(&[AREAS.into()], None),
            false => find(&self.areas, None),
        }
    }

    /// The title of the page.
    fn title(&self) -> String {
        let name = || self.folder.canonicalize().ok()?.file_name().map(|name| name.to_owned());
        let name = || name().map_or("solutions".into(), |name| name.to_string_lossy().into_owned());
        visible(&self.title.clone().unwrap_or_else(name))
    }
}
