//! `outwit solve`: the plan on stdout, what is known of it on stderr.

mod certificate;
mod events;
#[cfg(feature = "cluster")]
pub mod processes;

use super::budget::{BudgetArgs, Defaults, LIST, pool, print_settings};
use super::input::{AreaArgs, AreaFile, known_plan, refuse_two_stdins};
use super::progress::Bar;
use super::{Answered, Failure, output};
use clap::builder::{PossibleValue, PossibleValuesParser, TypedValueParser};
use events::Events;
use outwit::diagnostic::visible;
use outwit::export::{SokNames, sok_head, sok_level, sok_of};
use outwit::games::{Answer, Area, Entry, GameId, NamedSearch, Objective, UnknownMeasure};
use outwit::search::{Run, Verdict};
use outwit::verify::{Settled, Thoroughness, Verified, pursue, settle};
use std::path::PathBuf;
use std::sync::atomic::Ordering;

/// Least time in seconds that is worth a word when it is left.
const LEAST_WORTH_SAYING: f64 = 1.0;

/// Find a plan for an area: the plan on stdout, the report on stderr
///
/// The plan is printed in the game's own format, ready to submit, after the reference rules have
/// accepted it. Of a collection all levels are solved, each plan below a line `; level N: TITLE`,
/// or the one that --level names. A plan that is found early is proven or shortened for a tenth of the budget
/// (--effort). The first Ctrl-C ends the search with the best plan so far, the
/// second ends the program.
#[derive(clap::Args)]
#[command(after_long_help = "\
EXAMPLES
  outwit solve areas/last-of-us/area-0-sample.txt > sample.plan
  outwit solve areas/last-of-us/area-0-sample.txt --known sample.plan --time 60 > better.plan
  outwit solve - --game robots --time 1 --memory 256 --threads 2 < areas/robots/sample-1.txt
  outwit solve areas/robots/sample-1.txt --nodes 100000 --threads 1 --json | jq .length
  outwit solve areas/robots/sample-1.txt --effort best    # shortens the plan for all of the time
  outwit solve areas/robots/sample-1.txt --search list    # the planner's searches
  outwit solve areas/robots/sample-1.txt --search astar
  outwit solve areas/robots/sample-1.txt --events - | grep plan_facts
  outwit solve areas/robots/sample-1.txt --explain        # what each search made of it
  outwit solve areas/robots/sample-1.txt --set list       # the planner's numbers
  outwit solve areas/robots/sample-1.txt --set beam.first_width=1024
  outwit solve areas/robots/sample-1.txt --optimal --certificate proof.cert > best.plan

  cat areas/sokoban/pull-7x8-*.xsb > levels.xsb           # a collection
  outwit solve levels.xsb --level 2 --optimal=moves
  outwit solve levels.xsb --format sok > solved.sok       # for other Sokoban programs

EXIT CODE
  0 there is a plan; 1 proven that there is none; 2 bad input, be it one level of a collection: the
  others are solved; 3 none found in the budget")]
pub struct Args {
    #[command(flatten)]
    area: AreaArgs,

    #[command(flatten)]
    budget: BudgetArgs,

    /// Spend the budget on a proof that the plan is shortest; in a measure that the game knows
    #[arg(long, value_name = "MEASURE", num_args = 0..=1, require_equals = true,
          default_missing_value = "")]
    optimal: Option<String>,

    /// How to go on from the first plan
    #[arg(long, value_name = "EFFORT", value_parser = efforts(), default_value = "good",
          conflicts_with_all = ["optimal", "search"])]
    effort: Thoroughness,

    /// Solve only this level of a collection, counted from 1
    #[arg(long, value_name = "N")]
    level: Option<usize>,

    /// A valid plan that is known: the answer is never worse
    #[arg(long, value_name = "PLAN")]
    known: Option<PathBuf>,

    /// Run one search of the planner alone, to see what it makes of the area; `list` names them
    #[arg(long, value_name = "NAME")]
    search: Option<String>,

    /// Form of the printed plans
    #[arg(long, value_name = "FORMAT", value_enum, default_value_t = Format::Plain,
          conflicts_with = "json")]
    format: Format,

    #[cfg(feature = "cluster")]
    #[command(flatten)]
    processes: processes::ProcessesArgs,

    /// Write what the search finds as it goes on, each better plan among it, as JSON: one object a line, to
    /// a file or to - for stdout, on which nothing else is printed then
    #[arg(long, value_name = "FILE", conflicts_with_all = ["json", "format"])]
    events: Option<PathBuf>,

    /// Write what was proven to a file as a certificate that `outwit check` accepts: that no plan is shorter
    /// than the bound, or that there is none. The proof is made again by the checker, in the same budget
    #[arg(long, value_name = "FILE")]
    certificate: Option<PathBuf>,

    /// Add a table to the report with a row for each search of the planner: its turns, expansions,
    /// memory, best plan and bound, and why it ended
    #[arg(long)]
    explain: bool,

    /// Print everything as JSON on stdout, one object a line for each level
    #[arg(long)]
    pub json: bool,
}

/// Form of the printed plans.
#[derive(Clone, Copy, PartialEq, Eq, clap::ValueEnum)]
enum Format {
    /// As they are
    Plain,
    /// With their levels, as a .sok file that other Sokoban programs open
    Sok,
}

/// The words of `--effort`, and what each means.
fn efforts() -> impl TypedValueParser<Value = Thoroughness> {
    let words = Thoroughness::ALL.map(|effort| {
        PossibleValue::new(effort.name()).help(match effort {
            Thoroughness::Quick => "Leave it as it is",
            Thoroughness::Best => "Prove or shorten it for all of the budget",
            _ => "Prove or shorten it for a tenth of the budget",
        })
    });
    PossibleValuesParser::new(words).try_map(|word| word.parse::<Thoroughness>())
}

pub fn run(args: &Args) -> Result<Answered, Failure> {
    refuse_two_stdins(("FILE", &args.area.file), ("--known", args.known.as_deref()))?;
    let file = args.area.read()?;
    let levels = file.levels(args.level)?;
    let many = levels.len() > 1;
    let known = args.known_of(&file, many)?;
    let objective = file.game.game().objective(args.optimal.as_deref()).map_err(usage)?;
    if args.search.as_deref() == Some(LIST) {
        return print_searches(file.game);
    }
    if args.budget.asks_for_settings() {
        return print_settings(file.game);
    }
    certificate::try_place(args.certificate.as_deref())?;
    let settings = args.budget.settings([file.game])?;
    let search = args.search_of(file.game)?;
    let mut head = args.head(&file)?;
    let events = args.events.as_deref().map(Events::open).transpose()?;
    let bar = Bar::new();
    let budget = args.budget.budget(&Defaults::default(), Some(bar.listener()));
    let budget = Run { settings, ..budget };
    let pool = pool(&budget)?;
    let mut answered = Answered::Yes;
    let mut unreadable = false;
    for entry in levels {
        let area = match &entry.content {
            Ok(area) => &**area,
            Err(diagnostic) => {
                unreadable = true;
                output::tell_unreadable(entry.number, diagnostic, args.json);
                continue;
            }
        };
        if many && budget.control.cancel.load(Ordering::Relaxed) {
            answered = Answered::OutOfBudget;
            args.print_unsolved(&mut head, entry, area)?;
            continue;
        }
        #[cfg(feature = "cluster")]
        if args.processes.follow(area, &budget)? {
            continue;
        }
        #[cfg(feature = "cluster")]
        let budget = args.processes.join(area, &bar, &budget)?;
        let wish =
            Wish { objective: &objective, known: known.as_ref(), search, effort: args.effort };
        let settled =
            pool.install(|| find((area, entry.number), wish, &budget, events.as_ref()))?;
        bar.clear();
        if let Some(events) = &events {
            events.ended(entry.number, &settled)?;
        }
        args.print(&mut head, (entry, area), &settled, many)?;
        args.say_what_is_left(&settled, &budget);
        let path = args.certificate.as_deref();
        let certify = || certificate::write(path, area, &settled, &objective, &budget, &bar);
        pool.install(certify)?;
        answered = answered.and(answer_of(&settled));
    }
    if unreadable { Err(Failure::Told) } else { Ok(answered) }
}

/// The objective of a level, the known plan, and the one search to run.
#[derive(Clone, Copy)]
struct Wish<'a> {
    objective: &'a Objective,
    known: Option<&'a Verified>,
    /// The one search that is run, where one is named.
    search: Option<&'static NamedSearch>,
    effort: Thoroughness,
}

/// Prints the searches of a game's planner, one a line.
fn print_searches(game: GameId) -> Result<Answered, Failure> {
    let searches = game.game().searches();
    let width = searches.iter().map(|search| search.name.len()).max().unwrap_or(0);
    let line = |search: &NamedSearch| {
        let plan = if search.needs_plan { " (with --known)" } else { "" };
        format!("{:width$}  {}{plan}", search.name, search.about)
    };
    let lines: Vec<_> = searches.iter().map(line).collect();
    output::print(&lines.join("\n"))?;
    Ok(Answered::Yes)
}

/// A search that cannot be run on an area.
fn unfit(area: &dyn Area, name: &str) -> Failure {
    let area = visible(area.name());
    Failure::Usage(format!(
        "--search {name} does not work on {area}: its size, its kind or the memory do not allow it"
    ))
}

/// Searches a level, and writes its events where they are asked for.
fn find(
    (area, level): (&dyn Area, usize),
    wish: Wish<'_>,
    run: &Run,
    events: Option<&Events>,
) -> Result<Settled, Failure> {
    let find = |run: &Run| search_level(area, wish, run);
    match events {
        None => find(run),
        Some(events) => events.during((area, level), run, find)?,
    }
}

/// Searches a level, by the planner or by the one search that is named.
fn search_level(area: &dyn Area, wish: Wish<'_>, run: &Run) -> Result<Settled, Failure> {
    let known = wish.known.cloned();
    let Some(NamedSearch { name, .. }) = wish.search else {
        return Ok(pursue(area, wish.objective, known, run, wish.effort));
    };
    let text = wish.known.map(Verified::text);
    let answer = area.search(name, wish.objective, text, run).ok_or_else(|| unfit(area, name))?;
    Ok(settle(area, answer, known, wish.objective.measure))
}

impl Args {
    /// Prints a level's plan and report in the form that is asked for.
    fn print(
        &self,
        head: &mut String,
        (entry, area): (&Entry, &dyn Area),
        settled: &Settled,
        many: bool,
    ) -> Result<(), Failure> {
        match self.format {
            _ if self.events.as_ref().is_some_and(|path| path.as_os_str() == "-") => {
                output::say_settled(area, settled);
            }
            Format::Plain => print_settled((area, entry.number), many, settled, self.json)?,
            Format::Sok => print_sok(head, entry, area, settled)?,
        }
        if self.explain && !self.json {
            output::say_searches(&settled.answer.searches);
        }
        Ok(())
    }

    /// Says what would make use of the time that is left, where the plan may not be a shortest one.
    fn say_what_is_left(&self, settled: &Settled, run: &Run) {
        let Answer { verdict, effort, .. } = &settled.answer;
        let left = run.limits.time.saturating_sub(effort.elapsed).as_secs_f64();
        let is_open = *verdict == Verdict::Found && effort.stopped.is_none();
        let is_asked = self.search.is_none() && self.effort != Thoroughness::Best && !self.json;
        if is_open && is_asked && run.limits.nodes.is_none() && left >= LEAST_WORTH_SAYING {
            output::say(&format!(
                "{left:.0} s are left: --effort best shortens the plan for as long, --optimal proves it"
            ));
        }
    }

    /// The plan that is known, where there is one.
    fn known_of(&self, file: &AreaFile, many: bool) -> Result<Option<Verified>, Failure> {
        if many && self.certificate.is_some() {
            return Err(Failure::Usage("--certificate is of one level: say its --level".into()));
        }
        match &self.known {
            None => Ok(None),
            Some(_) if many => Err(Failure::Usage("--known is one plan: say its --level".into())),
            Some(path) => known_plan(file.level(self.level)?, self.level, path).map(Some),
        }
    }

    /// The one search that is asked for, where there is one.
    fn search_of(&self, game: GameId) -> Result<Option<&'static NamedSearch>, Failure> {
        let Some(name) = &self.search else { return Ok(None) };
        let searches = game.game().searches();
        let Some(search) = searches.iter().find(|search| search.name == name) else {
            let names: Vec<_> = searches.iter().map(|search| search.name).collect();
            let names = names.join(", ");
            let message = format!("--search {name}: the searches of {game} are {names}");
            return Err(Failure::Usage(message));
        };
        if search.needs_plan && self.known.is_none() {
            let message = format!("--search {name} shortens a plan: give one by --known");
            return Err(Failure::Usage(message));
        }
        Ok(Some(search))
    }

    /// The text before all levels.
    fn head(&self, file: &AreaFile) -> Result<String, Failure> {
        let first = file.collection.readable().next();
        let Some((_, area)) = first.filter(|_| self.format == Format::Sok) else {
            return Ok(String::new());
        };
        sok_of(&**area).map_err(|error| Failure::Usage(format!("--format sok: {error}")))?;
        let (title, author) = (file.collection.title.as_deref(), file.collection.author.as_deref());
        Ok(sok_head(SokNames { title, author }))
    }

    /// Prints a level that was not searched, where levels are printed at all.
    fn print_unsolved(
        &self,
        head: &mut String,
        entry: &Entry,
        area: &dyn Area,
    ) -> Result<(), Failure> {
        match self.format {
            Format::Plain => Ok(()),
            Format::Sok => print_level(head, entry, area, None),
        }
    }
}

/// Prints a level with its solution, and says the report.
fn print_sok(
    head: &mut String,
    entry: &Entry,
    area: &dyn Area,
    settled: &Settled,
) -> Result<(), Failure> {
    print_level(head, entry, area, settled.answer.plan.as_ref())?;
    output::say_settled(area, settled);
    Ok(())
}

/// Prints a level of a `.sok` file, below the file's head where that is not printed yet.
fn print_level(
    head: &mut String,
    entry: &Entry,
    area: &dyn Area,
    plan: Option<&Verified>,
) -> Result<(), Failure> {
    let names = SokNames { title: entry.title.as_deref(), author: entry.author.as_deref() };
    let level = sok_level(area, names, plan).map_err(|error| Failure::Usage(error.to_string()))?;
    Ok(output::print(&(std::mem::take(head) + &level))?)
}

/// A measure that the game does not know is the caller's mistake.
pub fn usage(unknown: UnknownMeasure) -> Failure {
    Failure::Usage(unknown.to_string())
}

/// Prints a plan and its report.
pub fn print_settled(
    (area, number): (&dyn Area, usize),
    many: bool,
    settled: &Settled,
    json: bool,
) -> Result<(), Failure> {
    if json {
        return Ok(output::print_settled_json(area, number, settled)?);
    }
    if many {
        output::print(&format!("; level {number}: {}", visible(area.name())))?;
    }
    if let Some(plan) = &settled.answer.plan {
        output::print(plan.text())?;
    }
    output::say_settled(area, settled);
    Ok(())
}

/// The exit code of what a planner found out.
pub fn answer_of(settled: &Settled) -> Answered {
    match (&settled.answer.plan, settled.answer.verdict) {
        (Some(_), _) => Answered::Yes,
        (None, Verdict::Impossible) => Answered::No,
        (None, _) => Answered::OutOfBudget,
    }
}
