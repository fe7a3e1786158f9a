//! `outwit manual`: the help texts as man pages.

use super::{Answered, Failure};
use outwit::batch::files::replace;
use std::path::{Path, PathBuf};

/// Write the help texts as man pages, one file a command
#[derive(clap::Args)]
#[command(after_long_help = "\
EXAMPLES
  outwit manual man1     # man1/outwit.1, man1/outwit-solve.1, …

EXIT CODE
  0 done; 2 a file cannot be written")]
pub struct Args {
    /// The folder that the pages go to; it is made
    #[arg(value_name = "DIR")]
    out: PathBuf,
}

/// `program` is the whole command line.
pub fn run(args: &Args, mut program: clap::Command) -> Result<Answered, Failure> {
    // Names and usages as they are inside the program: `outwit-solve`, `outwit solve`.
    program.build();
    write_pages(&program, &args.out)?;
    Ok(Answered::Yes)
}

/// Writes the page of a command and those of the commands below it.
fn write_pages(command: &clap::Command, folder: &Path) -> Result<(), Failure> {
    let page = clap_mangen::Man::new(command.clone());
    let mut text = Vec::new();
    page.render(&mut text)?;
    let file = folder.join(page.get_filename());
    replace(&file, &text, "manual").map_err(|error| {
        Failure::Usage(format!("{}: cannot be written: {error}", file.display()))
    })?;
    let shown = |command: &&clap::Command| !command.is_hide_set() && command.get_name() != "help";
    command.get_subcommands().filter(shown).try_for_each(|below| write_pages(below, folder))
}
