//! `outwit simulate`: the statements' own programs.

use super::{Answered, Failure};
use outwit::diagnostic::{Diagnostic, skip_byte_order_mark};
use outwit::games::{GameId, SimulateError};
use std::fs::File;
use std::io::{self, BufRead, BufReader, BufWriter, Write};
use std::path::{Path, PathBuf};

/// Run the program that a game's statement asks for, byte for byte
///
/// Reads stdin where no FILE is given. What is wrong with the input is told on stderr, after
/// whatever came out before it.
#[derive(clap::Args)]
#[command(after_long_help = "\
EXAMPLES
  outwit simulate robots < areas/robots/sample-1.txt > sample.out
  printf '3 6\\n######\\n#wb.+#\\n######\\nRR\\n0 0\\n' | outwit simulate sokoban
  outwit simulate monsters areas/monsters/subtask-g-blobs.txt
  cat areas/monsters/subtask-g-blobs.txt - | outwit simulate monsters    # then one key a line

EXIT CODE
  0 done; 2 bad input, or the game has no such program")]
pub struct Args {
    /// The game
    game: GameId,

    /// Input of the program; - or nothing for stdin
    #[arg(value_name = "FILE")]
    file: Option<PathBuf>,
}

pub fn run(args: &Args) -> Result<Answered, Failure> {
    let path = args.file.as_deref().filter(|path| *path != Path::new("-"));
    let (name, mut input): (String, Box<dyn BufRead>) = match path {
        None => ("<stdin>".into(), Box::new(io::stdin().lock())),
        Some(path) => {
            let name = path.display().to_string();
            let file = File::open(path)
                .map_err(|error| Failure::Usage(format!("{name}: cannot be read: {error}")))?;
            (name, Box::new(BufReader::new(file)))
        }
    };
    skip_byte_order_mark(&mut *input)?;
    let mut output = BufWriter::new(io::stdout().lock());
    let mut warn = |warning: Diagnostic| {
        anstream::eprintln!("{}", Diagnostic { file: name.clone(), ..warning }.warning(true));
    };
    let ended = args.game.game().simulate(&mut *input, &mut output, &mut warn);
    output.flush()?;
    match ended {
        Ok(()) => Ok(Answered::Yes),
        Err(SimulateError::Input(mut diagnostic)) => {
            diagnostic.file = name;
            Err(diagnostic.into())
        }
        Err(SimulateError::Stream(error)) if error.kind() == io::ErrorKind::InvalidData => {
            Err(Failure::Usage(format!("{name}: this is not text: {error}")))
        }
        Err(SimulateError::Stream(error)) => Err(error.into()),
        Err(missing @ SimulateError::Missing(_)) => Err(Failure::Usage(missing.to_string())),
    }
}
