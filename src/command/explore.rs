//! `outwit explore`: the labyrinth's player, on stdin and stdout.

use super::{Answered, Failure, output};
use outwit::games::labyrinth::explorer::client;
use std::io;

/// Play labyrinths against an arbiter on stdin and stdout
///
/// Knows nothing but what the arbiter says: reads the number of games and plays them one after
/// the other. Says on stderr how many were won.
#[derive(clap::Args)]
#[command(after_long_help = "\
EXAMPLES
  outwit referee areas/labyrinth/class-8-spiral-24.txt -- outwit explore

EXIT CODE
  0 all games won; 1 a game lost; 2 the arbiter said something that is not in the protocol")]
pub struct Args {}

pub fn run(_args: &Args) -> Result<Answered, Failure> {
    let tally = client::play(io::stdin().lock(), io::stdout().lock()).map_err(Failure::usage)?;
    output::say(&format!("won {} of {}", tally.won, tally.games));
    Ok(if tally.won == tally.games { Answered::Yes } else { Answered::No })
}
