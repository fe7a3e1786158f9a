//! The binary: parses the command line, calls one command, turns errors into exit codes.
#![forbid(unsafe_code)]

mod command;

fn main() -> std::process::ExitCode {
    command::main()
}
