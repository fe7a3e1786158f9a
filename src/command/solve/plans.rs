//! `outwit solve --output`: where the plans of each file go.

use super::inputs::{Input, Inputs};
use super::{Args, Format};
use crate::command::input::is_standard;
use crate::command::{Failure, output};
use outwit::batch::files;
use std::collections::BTreeMap;
use std::fmt::Display;
use std::io;
use std::path::{Path, PathBuf};

/// Where the plans of a file go.
pub enum Plans {
    /// Standard output, as they are found.
    Stdout,
    /// A file, once all levels have been searched.
    File {
        /// The file's path.
        path: PathBuf,
        /// The text for it so far.
        text: String,
        /// Whether the text has a plan.
        has_plan: bool,
    },
    /// Nowhere, since something else is on standard output.
    Nowhere,
}

impl Plans {
    /// Finds out where the plans of each file go, and whether they can be written there.
    ///
    /// # Errors
    /// Two files whose plans would go to one file, and places that cannot be written.
    pub fn places(args: &Args, inputs: &Inputs) -> Result<Vec<Plans>, Failure> {
        let Some(out) = args.output.as_deref().filter(|out| !is_standard(out)) else {
            let is_taken = args.json || args.events.as_deref().is_some_and(is_standard);
            let place = || if is_taken { Plans::Nowhere } else { Plans::Stdout };
            return Ok(inputs.all.iter().map(|_| place()).collect());
        };
        let paths: Vec<PathBuf> = match inputs.are_several {
            true => inputs.all.iter().map(|input| place_in(out, input, args.format)).collect(),
            false => vec![out.to_path_buf()],
        };
        refuse_shared(&inputs.all, &paths)?;
        refuse_taken(args, &inputs.all, &paths)?;
        for path in &paths {
            files::try_place(path).map_err(|error| unwritable(path, &error))?;
        }
        let place = |path| Plans::File { path, text: String::new(), has_plan: false };
        Ok(paths.into_iter().map(place).collect())
    }

    /// Puts a line or a level there that is no plan by itself.
    pub fn put(&mut self, more: &str) -> io::Result<()> {
        match self {
            Plans::Stdout => output::print(more),
            Plans::Nowhere => Ok(()),
            Plans::File { text, .. } => {
                text.push_str(more);
                if !more.ends_with('\n') {
                    text.push('\n');
                }
                Ok(())
            }
        }
    }

    /// Puts a text with a plan there.
    pub fn put_plan(&mut self, plan: &str) -> io::Result<()> {
        if let Plans::File { has_plan, .. } = self {
            *has_plan = true;
        }
        self.put(plan)
    }

    /// Writes the file, where there is one and a plan for it.
    pub fn close(self) -> Result<(), Failure> {
        match self {
            Plans::File { path, text, has_plan: true } => {
                files::replace(&path, text.as_bytes(), "solve")
                    .map_err(|error| unwritable(&path, &error))
            }
            _ => Ok(()),
        }
    }
}

/// The file in a folder for the plans of an input.
fn place_in(folder: &Path, input: &Input, format: Format) -> PathBuf {
    let mut path = folder.join(input.stem());
    path.as_mut_os_string().push(match format {
        Format::Plain => ".plan",
        Format::Sok => ".sok",
    });
    path
}

/// Refuses inputs whose plans would go to one file. Case does not count, since it does not on every system.
fn refuse_shared(inputs: &[Input], paths: &[PathBuf]) -> Result<(), Failure> {
    let mut known: BTreeMap<String, &Input> = BTreeMap::new();
    for (input, path) in inputs.iter().zip(paths) {
        if let Some(other) = known.insert(path.to_string_lossy().to_lowercase(), input) {
            let (one, two) = (other.path.display(), input.path.display());
            let message = format!(
                "--output: the plans of {one} and {two} would both go to {}; `outwit batch` gives each area \
                 a file of its own",
                path.display()
            );
            return Err(Failure::Usage(message));
        }
    }
    Ok(())
}

/// Refuses to write plans over an input, or where another option of the command reads or writes.
fn refuse_taken(args: &Args, inputs: &[Input], paths: &[PathBuf]) -> Result<(), Failure> {
    let others = [("--certificate", &args.certificate), ("--events", &args.events)];
    let named = others.into_iter().filter_map(|(name, path)| Some((name, path.as_deref()?)));
    let read = inputs.iter().map(|input| ("FILE", &*input.path));
    for (name, taken) in named.chain(read) {
        if let Some(path) = paths.iter().find(|path| is_same(path, taken)) {
            let message = format!("--output: {} is the file of {name}", path.display());
            return Err(Failure::Usage(message));
        }
    }
    Ok(())
}

/// Whether two paths name the same file.
fn is_same(one: &Path, other: &Path) -> bool {
    let real = |path: &Path| std::fs::canonicalize(path).ok();
    one == other || real(one).is_some_and(|path| Some(path) == real(other))
}

fn unwritable(path: &Path, error: &dyn Display) -> Failure {
    Failure::Usage(format!("{}: the plan cannot be written: {error}", path.display()))
}
