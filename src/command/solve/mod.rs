//! `outwit solve`: the plan on stdout, what is known of it on stderr.

mod certificate;
mod events;
mod inputs;
mod plans;
#[cfg(feature = "cluster")]
pub mod processes;

use super::budget::{BudgetArgs, Defaults, LIST, pool, print_settings};
use super::input::{AreasArgs, is_standard, known_plan, refuse_two_stdins};
use super::progress::Bar;
use super::{Answered, Failure, output};
use clap::builder::{PossibleValue, PossibleValuesParser, TypedValueParser};
use events::Events;
use inputs::{Input, Inputs};
use outwit::diagnostic::visible;
use outwit::export::{SokNames, sok_head, sok_level, sok_of};
use outwit::games::{Answer, Area, Entry, GameId, NamedSearch, Objective};
use outwit::search::{Run, Verdict};
use outwit::verify::{Settled, Thoroughness, Verified, pursue, settle};
use plans::Plans;
use std::path::PathBuf;
use std::sync::atomic::Ordering;

/// Least time in seconds that is worth a word when it is left.
const LEAST_WORTH_SAYING: f64 = 1.0;

/// Find a plan for an area: the plan on stdout, the report on stderr
///
/// The plan is printed in the game's own format, ready to submit, after the reference rules have
/// accepted it. Of a collection all levels are solved, each plan below a line `; level N: TITLE`,
/// or the one that --level names; of several files each, their plans below lines `; file NAME` or in files
/// of a folder (--output). A plan that is found early is proven or shortened for a tenth of the budget
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

  outwit solve areas/robots/sample-*.txt --time 1 -o plans    # several files, a folder of plans
  outwit solve areas/robots/sample-1.txt -q -o sample.plan    # no report

  cat areas/sokoban/pull-7x8-*.xsb > levels.xsb           # a collection
  outwit solve levels.xsb --level 2 --optimal=moves
  outwit solve levels.xsb --format sok > solved.sok       # for other Sokoban programs

EXIT CODE
  0 there is a plan; 1 proven that there is none; 2 bad input, be it one of several files or one level of a
  collection: the others are solved; 3 none found in the budget. What is first of 2, 3, 1 counts")]
pub struct Args {
    #[command(flatten)]
    areas: AreasArgs,

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

    /// Write the plans to a file, or those of several files to a folder, as NAME.plan each; - for stdout. A
    /// file for which no plan is found stays as it was [default: -]
    #[arg(short, long, value_name = "FILE")]
    output: Option<PathBuf>,

    /// Say nothing but errors: the plans and the exit code are the answer
    #[arg(short, long, conflicts_with_all = ["json", "explain"])]
    quiet: bool,

    #[cfg(feature = "cluster")]
    #[command(flatten)]
    processes: processes::ProcessesArgs,

    /// Write what the search finds as it goes on, as JSON: one object a line, to a file or to - for stdout, on
    /// which nothing else is printed then. `event` of a line is begun, progress, turn, turned (the beginning and the
    /// end of a search's turn), plan (a better plan), bound (a higher lower bound) or ended (with the report)
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

    /// Print everything as JSON on stdout, one object a line for each level, with its file where there are several
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
    args.refuse_what_is_of_one_file()?;
    let inputs = Inputs::read(&args.areas.files, args.areas.game, args.json)?;
    if args.search.as_deref() == Some(LIST) {
        return print_searches(inputs.only_game("--search list")?);
    }
    if args.budget.asks_for_settings() {
        return print_settings(inputs.only_game("--set list")?);
    }
    let known = args.known_of(&inputs)?;
    let jobs = inputs.all.iter().map(|input| args.job(&inputs, input));
    let jobs = jobs.collect::<Result<Vec<_>, _>>()?;
    certificate::try_place(args.certificate.as_deref())?;
    let settings = args.budget.settings(inputs.games())?;
    let places = Plans::places(args, &inputs)?;
    let events = args.events.as_deref().map(Events::open).transpose()?;
    let bar = if args.quiet { Bar::hidden() } else { Bar::new() };
    let budget = args.budget.budget(&Defaults::default(), Some(bar.listener()));
    let budget = Run { settings, ..budget };
    let pool = pool(&budget)?;
    let run = Solving { args, known, events, bar, budget, pool };
    let mut answered = Answered::Yes;
    let mut is_unreadable = inputs.is_one_unreadable;
    for (job, mut plans) in jobs.into_iter().zip(places) {
        if !job.head.is_empty() {
            plans.put(&job.head)?;
        }
        for entry in job.levels {
            match &entry.content {
                Ok(area) => {
                    answered = answered.and(run.level(&job, (entry, &**area), &mut plans)?)
                }
                Err(diagnostic) => {
                    is_unreadable = true;
                    output::tell_unreadable(entry.number, diagnostic, args.json);
                }
            }
        }
        plans.close()?;
    }
    if is_unreadable { Err(Failure::Told) } else { Ok(answered) }
}

/// The settings and the state that all levels share while they are solved.
struct Solving<'a> {
    args: &'a Args,
    known: Option<Verified>,
    events: Option<Events>,
    bar: Bar,
    budget: Run,
    pool: rayon::ThreadPool,
}

/// A file that is solved.
struct Job<'a> {
    /// The file's name, where there are several files.
    name: Option<&'a str>,
    /// The levels that are solved.
    levels: &'a [Entry],
    objective: Objective,
    search: Option<&'static NamedSearch>,
    /// Author of all levels, where levels are printed without the file's head.
    author: Option<&'a str>,
    /// The lines before the plans of the file.
    head: String,
}

impl Solving<'_> {
    /// Solves a level, puts its plan where it goes, and reports.
    fn level(
        &self,
        job: &Job<'_>,
        (entry, area): (&Entry, &dyn Area),
        plans: &mut Plans,
    ) -> Result<Answered, Failure> {
        let Solving { args, bar, pool, .. } = self;
        let are_many = job.levels.len() > 1;
        let is_one_of_several = are_many || job.name.is_some();
        if is_one_of_several && self.budget.control.cancel.load(Ordering::Relaxed) {
            if args.format == Format::Sok {
                plans.put(&job.sok(entry, area, None)?)?;
            }
            return Ok(Answered::OutOfBudget);
        }
        #[cfg(feature = "cluster")]
        if args.processes.follow(area, &self.budget)? {
            return Ok(Answered::Yes);
        }
        #[cfg(feature = "cluster")]
        let budget = &args.processes.join(area, bar, &self.budget)?;
        #[cfg(not(feature = "cluster"))]
        let budget = &self.budget;
        let (objective, search, known) = (&job.objective, job.search, self.known.as_ref());
        let wish = Wish { objective, known, search, effort: args.effort };
        let events = self.events.as_ref();
        let settled = pool.install(|| find((area, entry.number), wish, budget, events))?;
        bar.clear();
        if let Some(events) = events {
            events.ended(entry.number, &settled)?;
        }
        job.put(args.format, (entry, area), &settled, plans)?;
        args.report(job.name, (entry, area), &settled)?;
        args.say_what_is_left(&settled, budget);
        let path = args.certificate.as_deref();
        let certify = || certificate::write(path, area, &settled, objective, budget, bar);
        let certified = pool.install(certify)?;
        certified.filter(|_| !args.quiet).iter().for_each(|line| output::say(line));
        Ok(answer_of(&settled))
    }
}

impl Job<'_> {
    /// Puts a level's plan where the plans of its file go.
    fn put(
        &self,
        format: Format,
        (entry, area): (&Entry, &dyn Area),
        settled: &Settled,
        plans: &mut Plans,
    ) -> Result<(), Failure> {
        let plan = settled.plan();
        if format == Format::Sok {
            let level = self.sok(entry, area, plan)?;
            let put = if plan.is_some() { Plans::put_plan } else { Plans::put };
            return Ok(put(plans, &level)?);
        }
        if self.levels.len() > 1 {
            plans.put(&format!("; level {}: {}", entry.number, visible(area.name())))?;
        }
        Ok(plan.map_or(Ok(()), |plan| plans.put_plan(plan.text()))?)
    }

    /// A level of a `.sok` file, with its solution where there is one.
    fn sok(
        &self,
        entry: &Entry,
        area: &dyn Area,
        plan: Option<&Verified>,
    ) -> Result<String, Failure> {
        let author = entry.author.as_deref().or(self.author);
        let names = SokNames { title: entry.title.as_deref(), author };
        sok_level(area, names, plan).map_err(Failure::usage)
    }
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
        Some(events) => events.during((area, level), wish.objective.measure, run, find)?,
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
    /// Refuses options that are about one file where there are several.
    fn refuse_what_is_of_one_file(&self) -> Result<(), Failure> {
        let files = &self.areas.files;
        for file in files {
            refuse_two_stdins(("FILE", file), ("--known", self.known.as_deref()))?;
        }
        let of_one = [
            ("--level", self.level.is_some(), "is a number of one file"),
            ("--known", self.known.is_some(), "is a plan of one file"),
            ("--certificate", self.certificate.is_some(), "is of one level"),
            ("--events", self.events.is_some(), "are those of one file"),
        ];
        match of_one.into_iter().find(|(_, is_asked, _)| *is_asked && files.len() > 1) {
            None => Ok(()),
            Some((option, _, why)) => {
                let message = format!("{option} {why}, and there are {}", files.len());
                Err(Failure::Usage(message))
            }
        }
    }

    /// The levels of a file with the objective, the search and the head of its plans.
    fn job<'a>(&self, inputs: &Inputs, input: &'a Input) -> Result<Job<'a>, Failure> {
        let file = &input.file;
        let name = inputs.name_of(input);
        let is_shared = name.is_some() && self.output.as_deref().is_none_or(is_standard);
        let author = file.collection.author.as_deref();
        Ok(Job {
            name,
            levels: file.levels(self.level)?,
            objective: file
                .game
                .game()
                .objective(self.optimal.as_deref())
                .map_err(Failure::usage)?,
            search: self.search_of(file.game)?,
            author: author.filter(|_| is_shared),
            head: self.head(input, is_shared)?,
        })
    }

    /// Reports what a search of a level has found.
    fn report(
        &self,
        file: Option<&str>,
        (entry, area): (&Entry, &dyn Area),
        settled: &Settled,
    ) -> Result<(), Failure> {
        if self.json {
            return Ok(output::print_settled_json(file, (area, entry.number), settled)?);
        }
        if !self.quiet {
            output::say_settled(file, area, settled);
        }
        if self.explain {
            output::say_searches(&settled.answer.searches);
        }
        Ok(())
    }

    /// Says what would make use of the time that is left, where the plan may not be a shortest one.
    fn say_what_is_left(&self, settled: &Settled, run: &Run) {
        let Answer { verdict, effort, .. } = &settled.answer;
        let left = run.limits.time.saturating_sub(effort.elapsed).as_secs_f64();
        let is_open = *verdict == Verdict::Found && effort.stopped.is_none();
        let is_asked = self.search.is_none() && self.effort != Thoroughness::Best;
        let is_said = !self.json && !self.quiet;
        if is_said
            && is_open
            && is_asked
            && run.limits.nodes.is_none()
            && left >= LEAST_WORTH_SAYING
        {
            output::say(&format!(
                "{left:.0} s are left: --effort best shortens the plan for as long, --optimal proves it"
            ));
        }
    }

    /// The plan that is known, where there is one.
    fn known_of(&self, inputs: &Inputs) -> Result<Option<Verified>, Failure> {
        let file = &inputs.all[0].file;
        let are_many = file.levels(self.level)?.len() > 1;
        if are_many && self.certificate.is_some() {
            return Err(Failure::Usage("--certificate is of one level: say its --level".into()));
        }
        match &self.known {
            None => Ok(None),
            Some(_) if are_many => {
                Err(Failure::Usage("--known is one plan: say its --level".into()))
            }
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

    /// The lines before the plans of a file. Where several files share a stream, each has its name there, and
    /// levels with their solutions have no head.
    fn head(&self, input: &Input, is_shared: bool) -> Result<String, Failure> {
        let collection = &input.file.collection;
        if self.format == Format::Plain {
            let name = visible(&input.file.source.name);
            return Ok(if is_shared { format!("; file {name}\n") } else { String::new() });
        }
        for (_, area) in collection.readable() {
            sok_of(&**area).map_err(|error| Failure::Usage(format!("--format sok: {error}")))?;
        }
        let (title, author) = (collection.title.as_deref(), collection.author.as_deref());
        Ok(if is_shared { String::new() } else { sok_head(SokNames { title, author }) })
    }
}

/// The exit code of what a planner found out.
pub fn answer_of(settled: &Settled) -> Answered {
    match (&settled.answer.plan, settled.answer.verdict) {
        (Some(_), _) => Answered::Yes,
        (None, Verdict::Impossible) => Answered::No,
        (None, _) => Answered::OutOfBudget,
    }
}
