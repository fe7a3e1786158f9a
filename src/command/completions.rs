//! `outwit completions`: what a shell completes.

use super::{Answered, Failure, output};
use clap_complete::Shell;

/// Write a script that completes commands and options in a shell
///
/// Where it has to lie is the shell's business: a place that is commonly read is in the examples.
#[derive(clap::Args)]
#[command(after_long_help = "\
EXAMPLES
  mkdir -p completions
  outwit completions bash > completions/outwit       # ~/.local/share/bash-completion/completions
  outwit completions zsh > completions/_outwit       # a folder of $fpath
  outwit completions fish > completions/outwit.fish  # ~/.config/fish/completions

EXIT CODE
  0 done")]
pub struct Args {
    /// The shell
    shell: Shell,
}

/// `program` is the whole command line.
pub fn run(args: &Args, program: &mut clap::Command) -> Result<Answered, Failure> {
    let name = program.get_name().to_string();
    let mut script = Vec::new();
    clap_complete::generate(args.shell, program, name, &mut script);
    output::print(&String::from_utf8_lossy(&script))?;
    Ok(Answered::Yes)
}
