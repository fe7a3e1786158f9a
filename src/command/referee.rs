//! `outwit referee`: the labyrinth's arbiter, against a program over pipes or a person.
//!
//! A program is not trusted: it may hang, die, never read, or never stop writing. Its lines are
//! read by one thread through a bounded channel, its answers are written by another, and the
//! arbiter waits for either no longer than the time limit. It has a process group of its own, so
//! that in the end nothing is left of it or of what it has started.

use super::{Answered, Failure, INTERRUPTED, output};
use outwit::diagnostic::Source;
use outwit::games::labyrinth::format::{Maze, read_mazes};
use outwit::games::labyrinth::protocol::{Command, LOOKS_LIKE, Readings};
use outwit::games::labyrinth::referee::{Arbiter, Ending, MAX_LINE_BYTES};
use outwit::games::labyrinth::state::State;
use std::fs::File;
use std::io::{self, BufRead, BufReader, BufWriter, IsTerminal, Write};
use std::path::PathBuf;
use std::process::{Child, ChildStdin, ChildStdout, ExitStatus, Stdio};
use std::sync::mpsc::{Receiver, RecvTimeoutError, SyncSender, sync_channel};
use std::thread;
use std::time::{Duration, Instant};

/// Lines of the program that are read ahead.
const LINES_AHEAD: usize = 64;
/// How long the program has to end by itself once the last game is over or its output closed.
const GRACE: Duration = Duration::from_secs(2);
/// Pause between two looks whether it has.
const GRACE_STEP: Duration = Duration::from_millis(5);

/// Referee labyrinths: play a file of them against a program, or by hand
///
/// The program talks to the arbiter on its stdin and stdout. The dialogue goes to stderr, or to
/// --log; a verdict for each game goes to stdout. Without a program you play: at a terminal you
/// are told what you have spent, and what is no command is asked for again instead of ending the
/// game. (`outwit play FILE` draws a map of what you have seen.)
#[derive(clap::Args)]
#[command(after_long_help = "\
EXAMPLES
  outwit referee areas/labyrinth/class-9-maze-9.txt -- outwit explore
  outwit referee --log dialogue.txt areas/labyrinth/class-2-box-1.txt -- outwit explore
  outwit referee areas/labyrinth/class-2-box-1.txt         # you play

EXIT CODE
  0 all games won; 1 a game lost; 2 bad input, or the program cannot be started")]
pub struct Args {
    /// File with labyrinths; - for stdin
    #[arg(value_name = "FILE")]
    file: PathBuf,

    /// The program that plays, and its arguments
    #[arg(last = true, value_name = "PROGRAM")]
    program: Vec<String>,

    /// Seconds that the program has for a line, and for reading an answer
    #[arg(long, value_name = "S", default_value_t = 10.0)]
    timeout: f64,

    /// Where the dialogue goes instead of stderr
    #[arg(long, value_name = "FILE", conflicts_with = "quiet")]
    log: Option<PathBuf>,

    /// Do not show the dialogue
    #[arg(long)]
    quiet: bool,

    /// y grows northward in the file
    #[arg(long)]
    y_up: bool,

    /// A look does not end at the exit
    #[arg(long)]
    look_past_exit: bool,

    /// Only a walk that ends on the exit wins
    #[arg(long)]
    stop_on_exit: bool,

    /// Your own cell costs oxygen, too, when you look
    #[arg(long)]
    own_cell_costs: bool,

    /// Dynamite beside the exit destroys it
    #[arg(long)]
    exit_burns: bool,
}

pub fn run(args: &Args) -> Result<Answered, Failure> {
    if !(args.timeout > 0.0 && args.timeout < 1e9) {
        return Err(Failure::Usage("--timeout: a number of seconds above 0".into()));
    }
    let source = Source::read(&args.file)?;
    let mut mazes = read_mazes(&source)?;
    if args.y_up {
        mazes.iter_mut().for_each(|maze| *maze = maze.upside_down());
    }
    let readings = Readings {
        exit_ends_look: !args.look_past_exit,
        exit_wins_in_passing: !args.stop_on_exit,
        own_cell_costs: args.own_cell_costs,
        exit_survives: !args.exit_burns,
    };
    if args.program.is_empty() {
        return judge(&mazes, readings, &mut Person::new(), &mut io::sink());
    }
    let mut log = dialogue(args)?;
    let timeout = Duration::from_secs_f64(args.timeout);
    let mut program = Program::start(&args.program, timeout)?;
    let answered = judge(&mazes, readings, &mut program, &mut log);
    program.end();
    log.flush()?;
    answered
}

/// Where the dialogue goes.
fn dialogue(args: &Args) -> Result<Box<dyn Write>, Failure> {
    Ok(match &args.log {
        _ if args.quiet => Box::new(io::sink()),
        None => Box::new(io::stderr()),
        Some(path) => {
            let file = File::create(path).map_err(|error| {
                Failure::Usage(format!("{}: cannot be written: {error}", path.display()))
            })?;
            Box::new(BufWriter::new(file))
        }
    })
}

/// Why nothing more comes from a player.
type Gone = String;

/// Somebody who plays.
trait Player {
    /// Says something to the player.
    fn tell(&mut self, text: Vec<u8>) -> Result<(), Gone>;
    /// The player's next line in a game.
    fn hear(&mut self, game: &State) -> Result<String, Gone>;
}

/// Plays all games, with a verdict line for each.
fn judge(
    mazes: &[Maze],
    readings: Readings,
    player: &mut dyn Player,
    log: &mut dyn Write,
) -> Result<Answered, Failure> {
    let mut answered = Answered::Yes;
    let mut gone = None;
    say(player, log, format!("{}\n", mazes.len()).into_bytes(), &mut gone)?;
    for (number, maze) in (1..).zip(mazes) {
        let mut arbiter = Arbiter::new(maze, readings);
        let started = Instant::now();
        if gone.is_none() {
            say(player, log, arbiter.greeting().into_bytes(), &mut gone)?;
        }
        while arbiter.ending().is_none() {
            let line = match &gone {
                Some(reason) => Err(reason.clone()),
                None => player.hear(arbiter.state()),
            };
            let answer = match line {
                Ok(line) => {
                    writeln!(log, "{line}")?;
                    arbiter.answer(&line)
                }
                Err(reason) => {
                    let stop = arbiter.stop(reason.clone());
                    gone = Some(reason);
                    log.write_all(&stop)?;
                    break;
                }
            };
            say(player, log, answer, &mut gone)?;
        }
        let (line, won) = verdict(number, maze, &arbiter, started.elapsed());
        output::print(&line)?;
        if !won {
            answered = Answered::No;
        }
    }
    Ok(answered)
}

/// Says something to the player and to the log; notes where the player is gone.
fn say(
    player: &mut dyn Player,
    log: &mut dyn Write,
    text: Vec<u8>,
    gone: &mut Option<Gone>,
) -> io::Result<()> {
    log.write_all(&text)?;
    if let Err(reason) = player.tell(text) {
        *gone = Some(reason);
    }
    Ok(())
}

/// The verdict on a game, and whether it was won.
fn verdict(number: usize, maze: &Maze, arbiter: &Arbiter, time: Duration) -> (String, bool) {
    let state = arbiter.state();
    let used = maze.sticks - state.sticks();
    let spent = format!(
        "{} commands, {} oxygen, {used} of {} dynamite, {:.2} s",
        state.commands(),
        state.oxygen(),
        maze.sticks,
        time.as_secs_f64()
    );
    match arbiter.ending() {
        Some(Ending::Won) => (format!("game {number}: won, {spent}"), true),
        Some(Ending::Lost(problem)) => (format!("game {number}: lost, {spent}: {problem}"), false),
        None => (format!("game {number}: broken off, {spent}"), false),
    }
}

/// What a person at the terminal is told.
const HELP: &str = "\
You may say: walk DIR K, look DIR K, look around, use dynamite.
DIR is north, east, south or west, K a number of cells.
A walk into a wall loses the game. help says this again, quit (or Ctrl-D) leaves.";
/// More equal rows or columns of a picture than these are folded for a person.
const MAX_EQUAL: usize = 12;
/// How many of them are left at each end.
const EQUAL_SHOWN: usize = 3;

/// A person, or a script that is piped in. At a terminal lines are asked for, and a slip of the
/// keyboard does not end the game.
struct Person {
    at_terminal: bool,
}

impl Person {
    fn new() -> Person {
        let at_terminal = io::stdin().is_terminal();
        if at_terminal {
            output::say(HELP);
        }
        Person { at_terminal }
    }

    /// A command from the terminal; `None` where the person leaves.
    fn ask(&self, game: &State) -> io::Result<Option<String>> {
        loop {
            let (commands, oxygen, sticks) = (game.commands(), game.oxygen(), game.sticks());
            let mut err = io::stderr();
            write!(err, "[{commands} commands, {oxygen} oxygen, {sticks} dynamite] > ")?;
            err.flush()?;
            let Some(line) = next_line(&mut io::stdin().lock())? else {
                writeln!(err)?;
                return Ok(None);
            };
            match line.trim() {
                "" => {}
                "quit" => return Ok(None),
                "help" => output::say(HELP),
                _ => match line.parse::<Command>() {
                    Ok(_) => return Ok(Some(line)),
                    Err(wrong) => {
                        output::say(&format!("{} (help lists the commands)", wrong.message))
                    }
                },
            }
        }
    }
}

/// An answer with long stretches of equal rows or columns of its picture folded.
fn folded(text: &[u8]) -> String {
    let text = String::from_utf8_lossy(text);
    let Some((head, picture)) = text.split_once('\n').filter(|(head, _)| *head == LOOKS_LIKE)
    else {
        return text.into_owned();
    };
    let rows: Vec<&str> = picture.lines().collect();
    let is_wide = rows.len() == 3;
    let column = |i: usize| rows.iter().map(|row| char::from(row.as_bytes()[i])).collect();
    let slices: Vec<String> = match is_wide {
        true => (0..rows[0].len()).map(column).collect(),
        false => rows.iter().map(|row| row.to_string()).collect(),
    };
    let (mut kept, mut folds) = (Vec::new(), Vec::new());
    for run in slices.chunk_by(|a, b| a == b) {
        if run.len() <= MAX_EQUAL {
            kept.extend_from_slice(run);
            continue;
        }
        kept.extend_from_slice(&run[..EQUAL_SHOWN]);
        kept.push("~~~".into());
        kept.extend_from_slice(&run[..EQUAL_SHOWN]);
        folds.push((run.len() - 2 * EQUAL_SHOWN).to_string());
    }
    if is_wide {
        let row = |i: usize| kept.iter().map(|slice| char::from(slice.as_bytes()[i])).collect();
        kept = (0..3).map(row).collect();
    }
    if !folds.is_empty() {
        let kind = if is_wide { "columns" } else { "rows" };
        kept.push(format!("(~ stands for equal {kind}: {})", folds.join(", ")));
    }
    format!("{head}\n{}\n", kept.join("\n"))
}

impl Player for Person {
    fn tell(&mut self, mut text: Vec<u8>) -> Result<(), Gone> {
        if self.at_terminal {
            text = folded(&text).into_bytes();
        }
        let mut out = io::stdout().lock();
        let told = out.write_all(&text).and_then(|()| out.flush());
        told.map_err(|_| "The player does not listen any more.".into())
    }

    fn hear(&mut self, game: &State) -> Result<String, Gone> {
        let line = match self.at_terminal {
            true => self.ask(game),
            false => next_line(&mut io::stdin().lock()),
        };
        line.ok().flatten().ok_or_else(|| "The player left.".into())
    }
}

/// A program over pipes.
struct Program {
    child: Child,
    timeout: Duration,
    lines: Receiver<String>,
    texts: Option<SyncSender<Vec<u8>>>,
    told: Receiver<()>,
}

impl Program {
    fn start(words: &[String], timeout: Duration) -> Result<Program, Failure> {
        let mut command = std::process::Command::new(&words[0]);
        command.args(&words[1..]).stdin(Stdio::piped()).stdout(Stdio::piped());
        #[cfg(unix)]
        std::os::unix::process::CommandExt::process_group(&mut command, 0);
        let mut child = command
            .spawn()
            .map_err(|error| Failure::Usage(format!("{}: cannot be started: {error}", words[0])))?;
        let (Some(stdin), Some(stdout)) = (child.stdin.take(), child.stdout.take()) else {
            return Err(Failure::Usage("the program has no pipes".into()));
        };
        let leader = child.id();
        // A key that ends the arbiter does not reach another process group.
        let _ = ctrlc::set_handler(move || {
            kill_group(leader);
            std::process::exit(INTERRUPTED);
        });
        let (line_sender, lines) = sync_channel(LINES_AHEAD);
        let (texts, text_receiver) = sync_channel(1);
        let (told_sender, told) = sync_channel(1);
        thread::spawn(move || read_lines(stdout, &line_sender));
        thread::spawn(move || write_texts(stdin, &text_receiver, &told_sender));
        Ok(Program { child, timeout, lines, texts: Some(texts), told })
    }

    /// Ends the program: by closing its input, and by force where that does not help. What it has
    /// started and left behind is ended, too.
    fn end(&mut self) {
        self.texts = None;
        self.ends_by_itself();
        kill_group(self.child.id());
        let _ = self.child.kill();
        let _ = self.child.wait();
    }

    /// How the program ends, where it does within [`GRACE`].
    fn ends_by_itself(&mut self) -> Option<ExitStatus> {
        let started = Instant::now();
        loop {
            match self.child.try_wait() {
                Ok(None) if started.elapsed() < GRACE => {}
                status => return status.ok().flatten(),
            }
            // Its last lines are let pass, so that it does not wait for a reader.
            while self.lines.try_recv().is_ok() {}
            thread::sleep(GRACE_STEP);
        }
    }

    /// Why its output is closed. A program that ends closes its output first.
    fn died(&mut self) -> Gone {
        match self.ends_by_itself() {
            Some(status) => format!("The program ended ({status})."),
            None => "The program closed its output.".into(),
        }
    }
}

/// Ends all processes of the group that a process leads. Elsewhere than on Unix there are none.
fn kill_group(leader: u32) {
    #[cfg(unix)]
    if let Ok(leader) = i32::try_from(leader) {
        use nix::sys::signal::{Signal, killpg};
        // That none is left is no failure.
        let _ = killpg(nix::unistd::Pid::from_raw(leader), Signal::SIGKILL);
    }
    #[cfg(not(unix))]
    let _ = leader;
}

impl Player for Program {
    fn tell(&mut self, text: Vec<u8>) -> Result<(), Gone> {
        let sent = self.texts.as_ref().is_some_and(|texts| texts.send(text).is_ok());
        match self.told.recv_timeout(self.timeout) {
            Ok(()) if sent => Ok(()),
            Err(RecvTimeoutError::Timeout) => {
                Err(format!("The program did not read for {:?}.", self.timeout))
            }
            // It may have said its last lines before: they are still to be heard.
            _ => Ok(()),
        }
    }

    fn hear(&mut self, _game: &State) -> Result<String, Gone> {
        match self.lines.recv_timeout(self.timeout) {
            Ok(line) => Ok(line),
            Err(RecvTimeoutError::Timeout) => {
                Err(format!("The program was silent for {:?}.", self.timeout))
            }
            Err(RecvTimeoutError::Disconnected) => Err(self.died()),
        }
    }
}

/// Hands on the program's lines, until there are no more or nobody wants them.
fn read_lines(stdout: ChildStdout, lines: &SyncSender<String>) {
    let mut stdout = BufReader::new(stdout);
    while let Ok(Some(line)) = next_line(&mut stdout) {
        if lines.send(line).is_err() {
            break;
        }
    }
}

/// Writes texts to the program, and tells of each when it is through.
fn write_texts(mut stdin: ChildStdin, texts: &Receiver<Vec<u8>>, told: &SyncSender<()>) {
    for text in texts {
        if stdin.write_all(&text).and_then(|()| stdin.flush()).is_err() || told.send(()).is_err() {
            break;
        }
    }
}

/// Reads a line without its end; of a line that is too long only the beginning.
fn next_line(input: &mut impl BufRead) -> io::Result<Option<String>> {
    let (mut line, mut any) = (Vec::new(), false);
    loop {
        let bytes = input.fill_buf()?;
        if bytes.is_empty() {
            return Ok(any.then(|| text(&line)));
        }
        any = true;
        let end = bytes.iter().position(|&byte| byte == b'\n');
        let part = &bytes[..end.unwrap_or(bytes.len())];
        line.extend_from_slice(&part[..part.len().min(MAX_LINE_BYTES - line.len())]);
        let consumed = end.map_or(bytes.len(), |end| end + 1);
        input.consume(consumed);
        if end.is_some() {
            return Ok(Some(text(&line)));
        }
    }
}

fn text(line: &[u8]) -> String {
    String::from_utf8_lossy(line).trim_end_matches('\r').to_string()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn long_pictures_are_folded_and_others_are_not() {
        let tall = format!("{LOOKS_LIKE}\nXXX\n{}.O.\n...\n", "...\n".repeat(100));
        let told =
            "XXX\n...\n...\n...\n~~~\n...\n...\n...\n.O.\n...\n(~ stands for equal rows: 94)\n";
        assert_eq!(folded(tall.as_bytes()), format!("{LOOKS_LIKE}\n{told}"));
        let (wall, free) = ("X".repeat(50), ".".repeat(49));
        let wide = format!("{LOOKS_LIKE}\n{wall}.\n.O{free}\n{wall}X\n");
        let told = "XXXXX~XXX.\n.O...~....\nXXXXX~XXXX\n(~ stands for equal columns: 42)\n";
        assert_eq!(folded(wide.as_bytes()), format!("{LOOKS_LIKE}\n{told}"));
        for text in ["1\n".into(), format!("{LOOKS_LIKE}\n...\n.O.\nXEX\n")] {
            assert_eq!(folded(text.as_bytes()), text);
        }
    }
}
