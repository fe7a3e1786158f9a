//! The command line: one file per subcommand, no game logic.
//!
//! A command is a file with an `Args` struct, whose doc comment is its help, and a function `run`
//! that answers with an [`Answered`] or a [`Failure`]; a variant of [`Command`] and a line in
//! [`dispatch`] make it known. What several commands share lives in [`common`]: [`budget`] (what a
//! search may spend), [`input`] (files, games, levels), [`output`] (streams, JSON, reports), [`signals`]
//! (what asks the program to end).
//!
//! The contract that scripts rely on: the answer alone on stdout, everything said about it on
//! stderr, or with `--json` all of it as JSON on stdout; and the exit codes of [`Answered`] and
//! [`Failure`].

mod batch;
mod check;
mod common;
mod completions;
mod dataset;
mod explore;
mod export;
mod generate;
mod improve;
mod manual;
mod play;
mod referee;
mod render;
#[cfg(feature = "service")]
mod service;
mod simulate;
mod solutions;
mod solve;
mod verify;

use clap::error::{ContextKind, ContextValue, ErrorKind};
use clap::{CommandFactory, FromArgMatches, Parser, Subcommand};
use common::{budget, input, output, progress, signals, table};
use outwit::diagnostic::Diagnostic;
use outwit::render::PictureError;
use std::error::Error;
use std::ffi::OsString;
use std::io;
use std::num::{IntErrorKind, ParseIntError};
use std::process::ExitCode;

/// Exit code that a shell expects of a program that an interrupt has ended.
const INTERRUPTED: i32 = 130;

/// Plans its way out of deterministic grid games and proves each plan by replaying it.
#[derive(Parser)]
#[command(name = "outwit", version, arg_required_else_help = true)]
#[command(after_long_help = "\
Exit codes: 0 done; 1 the answer is no (invalid plan, no plan exists); 2 bad input or usage;
3 the budget ran out without a plan.")]
struct Cli {
    #[command(subcommand)]
    command: Command,
}

#[derive(Subcommand)]
enum Command {
    Solve(solve::Args),
    Verify(verify::Args),
    Check(check::Args),
    Improve(improve::Args),
    Batch(batch::Args),
    Compare(solutions::compare::Args),
    Report(solutions::report::Args),
    Generate(generate::Args),
    Simulate(simulate::Args),
    Dataset(dataset::Args),
    Export(export::Args),
    Play(play::Args),
    Referee(referee::Args),
    Explore(explore::Args),
    Render(render::Args),
    Completions(completions::Args),
    Manual(manual::Args),
    #[cfg(feature = "cluster")]
    #[command(hide = true)]
    Member(solve::processes::MemberArgs),
    #[cfg(feature = "service")]
    Serve(service::serve::Args),
    #[cfg(feature = "service")]
    Worker(service::worker::Args),
}

fn dispatch(command: Command) -> Result<Answered, Failure> {
    match command {
        Command::Solve(args) => solve::run(&args),
        Command::Verify(args) => verify::run(&args),
        Command::Check(args) => check::run(&args),
        Command::Improve(args) => improve::run(&args),
        Command::Batch(args) => batch::run(&args),
        Command::Compare(args) => solutions::compare::run(&args),
        Command::Report(args) => solutions::report::run(&args),
        Command::Generate(args) => generate::run(&args),
        Command::Simulate(args) => simulate::run(&args),
        Command::Dataset(args) => dataset::run(&args),
        Command::Export(args) => export::run(&args),
        Command::Play(args) => play::run(&args),
        Command::Referee(args) => referee::run(&args),
        Command::Explore(args) => explore::run(&args),
        Command::Render(args) => render::run(&args),
        Command::Completions(args) => completions::run(&args, &mut Cli::command()),
        Command::Manual(args) => manual::run(&args, Cli::command()),
        #[cfg(feature = "cluster")]
        Command::Member(args) => solve::processes::run(&args),
        #[cfg(feature = "service")]
        Command::Serve(args) => service::serve::run(&args),
        #[cfg(feature = "service")]
        Command::Worker(args) => service::worker::run(&args),
    }
}

impl Command {
    /// Whether failures are to be told as JSON, too.
    fn json(&self) -> bool {
        match self {
            Command::Solve(args) => args.json,
            Command::Verify(args) => args.json,
            Command::Check(args) => args.json,
            Command::Improve(args) => args.json,
            Command::Batch(args) => args.json,
            Command::Compare(args) => args.json,
            _ => false,
        }
    }
}

/// How a command that could do its work ended: exit codes 0, 1 and 3.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
enum Answered {
    /// Done.
    Yes,
    /// The answer is no: the plan is invalid, or no plan exists, proven.
    No,
    /// The budget ran out without a plan.
    OutOfBudget,
}

impl Answered {
    /// The answer to two questions asked at once: what is open outweighs what is no.
    fn and(self, other: Answered) -> Answered {
        match (self, other) {
            (Answered::OutOfBudget, _) | (_, Answered::OutOfBudget) => Answered::OutOfBudget,
            (Answered::No, _) | (_, Answered::No) => Answered::No,
            _ => Answered::Yes,
        }
    }
}

/// Why a command could not do its work: exit code 2.
enum Failure {
    /// An input is wrong, and where.
    Input(Box<Diagnostic>),
    /// The wish makes no sense, or a file cannot be written.
    Usage(String),
    /// It has been told already; only the exit code is left to give.
    Told,
    /// A stream of ours failed; a reader that went away is no failure.
    Stream(io::Error),
}

impl Failure {
    /// The failure of a wish that makes no sense, or that cannot be met.
    fn usage(error: impl std::fmt::Display) -> Failure {
        Failure::Usage(error.to_string())
    }
}

impl From<Diagnostic> for Failure {
    fn from(diagnostic: Diagnostic) -> Self {
        Failure::Input(Box::new(diagnostic))
    }
}

impl From<io::Error> for Failure {
    fn from(error: io::Error) -> Self {
        Failure::Stream(error)
    }
}

impl From<PictureError> for Failure {
    fn from(error: PictureError) -> Self {
        Failure::Usage(error.to_string())
    }
}

/// Parses the command line, runs the command, tells failures.
pub fn main() -> ExitCode {
    common::hangup::keep_ignored();
    let cli = parse(join_optimal(std::env::args_os())).unwrap_or_else(|error| error.exit());
    let json = cli.command.json();
    match dispatch(cli.command) {
        Ok(Answered::Yes) => ExitCode::SUCCESS,
        Ok(Answered::No) => ExitCode::from(1),
        Ok(Answered::OutOfBudget) => ExitCode::from(3),
        Err(Failure::Stream(error)) if error.kind() == io::ErrorKind::BrokenPipe => {
            ExitCode::SUCCESS
        }
        Err(failure) => {
            output::tell_failure(&failure, json);
            ExitCode::from(2)
        }
    }
}

/// Parses the command line.
fn parse(args: Vec<OsString>) -> Result<Cli, clap::Error> {
    let mut command = with_negative_numbers(Cli::command());
    let matches = command.try_get_matches_from_mut(args);
    let cli = matches.and_then(|mut matches| Cli::from_arg_matches_mut(&mut matches));
    cli.map_err(|error| no_whole_number(error).format(&mut command))
}

/// Lets `--time -1` be told what times are, in place of being taken for an option `-1`.
fn with_negative_numbers(command: clap::Command) -> clap::Command {
    let takes_values = |arg: clap::Arg| {
        let is_option = !arg.is_positional() && arg.get_action().takes_values();
        if is_option { arg.allow_negative_numbers(true) } else { arg }
    };
    command.mut_args(takes_values).mut_subcommands(with_negative_numbers)
}

/// Says in plain words why the value of an option is not a whole number that it takes.
fn no_whole_number(error: clap::Error) -> clap::Error {
    let parsing = error.source().and_then(|source| source.downcast_ref::<ParseIntError>());
    let text = |kind| match error.get(kind) {
        Some(ContextValue::String(text)) => Some(text.as_str()),
        _ => None,
    };
    match (text(ContextKind::InvalidArg), text(ContextKind::InvalidValue), parsing) {
        (Some(arg), Some(value), Some(parsing)) => {
            let why = match parsing.kind() {
                IntErrorKind::PosOverflow => "the number is too large",
                _ => "not a whole number, without a sign",
            };
            let message = format!("invalid value '{value}' for '{arg}': {why}");
            clap::Error::raw(ErrorKind::ValueValidation, message)
        }
        _ => error,
    }
}

/// Lets `--optimal moves` stand for `--optimal=moves`. The measure is optional, so a parser alone
/// could not tell it from the file that follows: a word of lower-case letters that is no file is
/// the measure.
fn join_optimal(args: impl Iterator<Item = OsString>) -> Vec<OsString> {
    let mut joined: Vec<OsString> = Vec::new();
    for arg in args {
        let is_word = arg.to_str().is_some_and(|word| {
            !word.is_empty() && word.bytes().all(|byte| byte.is_ascii_lowercase())
        });
        match joined.last_mut() {
            Some(last)
                if *last == *"--optimal" && is_word && !std::path::Path::new(&arg).exists() =>
            {
                last.push("=");
                last.push(&arg);
            }
            _ => joined.push(arg),
        }
    }
    joined
}
