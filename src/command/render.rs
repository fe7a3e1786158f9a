//! `outwit render`: pictures of areas and plans.

use super::budget::{CheckBudgetArgs, pool};
use super::input::{AreaArgs, is_standard, refuse_two_stdins};
use super::progress::Bar;
use super::{Answered, Failure, output};
use clap::builder::RangedU64ValueParser;
use outwit::batch::files::replace;
use outwit::certificate::Certificate;
use outwit::check::{CheckError, Searched, searched};
use outwit::diagnostic::Source;
use outwit::games::{Area, PlanError};
use outwit::render::{MAX_CELL, MAX_MOMENTS, Picture, Size, Strip, gif_of};
use outwit::verify::verify_level;
use std::io::{self, IsTerminal, Write};
use std::path::PathBuf;

/// Draw a picture of an area, with the route of a plan over it
///
/// The ending of the output file says what is written: .svg or .png; .gif is the plan as a moving picture. What goes to
/// stdout is SVG where no --format is named. A plan's route is drawn with what is thrown on it, and --strip sets key
/// moments of the plan side by side. With --bound the certificate is checked as `outwit check` does it, and the
/// cells are coloured where its proof has searched: the stronger, the more of its states have the player there,
/// or in Sokoban a box. What is left plain the proof never had to look at.
#[derive(clap::Args)]
#[command(after_long_help = "\
EXAMPLES
  outwit render areas/labyrinth/class-7-spiral-5.txt -o spiral.svg
  outwit render areas/robots/sample-1.txt --legend --scale 40 -o explained.svg
  outwit render areas/robots/sample-1.txt --format png -o - > sample.png
  outwit render areas/robots/sample-1.txt --plan solutions/robots/sample-1.plan -o sample.png

  outwit solve areas/sokoban/pull-7x8-2-1.xsb > best.plan
  outwit render areas/sokoban/pull-7x8-2-1.xsb --plan best.plan -o moving.gif
  outwit render areas/sokoban/pull-7x8-2-1.xsb --plan best.plan --strip 4 -o strip.png

  outwit solve areas/sokoban/pull-7x8-2-1.xsb --optimal --certificate proof.cert > best.plan
  outwit render areas/sokoban/pull-7x8-2-1.xsb --bound proof.cert --legend -o searched.svg

EXIT CODE
  0 done; 1 the plan is not valid, or the claim is not certified; 2 bad input, or the file cannot be written;
  3 the time or the memory ran out before the claim was checked")]
pub struct Args {
    #[command(flatten)]
    area: AreaArgs,

    /// The level of a collection, counted from 1
    #[arg(long, value_name = "N")]
    level: Option<usize>,

    /// Draw the route of this plan
    #[arg(long, value_name = "PLAN")]
    plan: Option<PathBuf>,

    /// Set this many key moments of the plan side by side: the start, the end, and moments between them at which
    /// something besides the player moves
    #[arg(long, value_name = "N", requires = "plan",
          value_parser = RangedU64ValueParser::<usize>::new().range(2..=MAX_MOMENTS as u64))]
    strip: Option<usize>,

    /// Check this certificate, and draw where its proof has searched
    #[arg(long, value_name = "CERTIFICATE", conflicts_with = "strip")]
    bound: Option<PathBuf>,

    #[command(flatten)]
    budget: CheckBudgetArgs,

    /// Explain below the picture what is what; in SVG
    #[arg(long)]
    legend: bool,

    /// Side of a cell, in pixels [default: as large as has room, up to 24]
    #[arg(long, value_name = "N",
          value_parser = RangedU64ValueParser::<u16>::new().range(1..=u64::from(MAX_CELL)))]
    scale: Option<u16>,

    /// Form of the picture [default: by the ending of the file; svg on stdout]
    #[arg(long, value_name = "FORMAT", value_enum)]
    format: Option<Format>,

    /// The picture: FILE.svg, FILE.png, or with a plan FILE.gif; - for stdout
    #[arg(short, long, value_name = "FILE")]
    out: PathBuf,
}

/// Form of a picture.
#[derive(Clone, Copy, PartialEq, Eq, clap::ValueEnum)]
enum Format {
    /// Text that browsers and editors open
    Svg,
    /// Pixels
    Png,
    /// The plan as a moving picture
    Gif,
}

pub fn run(args: &Args) -> Result<Answered, Failure> {
    let format = args.checked_format()?;
    refuse_two_stdins(("FILE", &args.area.file), ("--plan", args.plan.as_deref()))?;
    refuse_two_stdins(("FILE", &args.area.file), ("--bound", args.bound.as_deref()))?;
    if let Some(plan) = &args.plan {
        refuse_two_stdins(("--plan", plan), ("--bound", args.bound.as_deref()))?;
    }
    let file = args.area.read()?;
    let area = file.level(args.level)?;
    let mut steps = Vec::new();
    if let Some(path) = &args.plan {
        let plan = Source::read(path)?;
        match verify_level(area, args.level, &plan) {
            Ok(plan) => {
                let plan = Source::new("the plan", plan.text());
                steps = area.steps(&plan)?.map(|step| step.text).collect();
            }
            Err(PlanError::Unreadable(diagnostic)) => return Err(diagnostic.into()),
            Err(PlanError::Refused(refusal)) => {
                output::say(&format!("the plan is not valid: {refusal}"));
                return Ok(Answered::No);
            }
        }
    }
    let searched = match args.search_of(area)? {
        Ok(searched) => searched,
        Err(error) => {
            output::say(&format!("the claim is not certified: {error}"));
            return Ok(if error.is_open() { Answered::OutOfBudget } else { Answered::No });
        }
    };
    let bytes = args.draw(area, &steps, searched.as_ref(), format)?;
    if is_standard(&args.out) {
        let mut out = io::stdout().lock();
        out.write_all(&bytes)?;
        out.flush()?;
        return Ok(Answered::Yes);
    }
    replace(&args.out, &bytes, "render").map_err(|error| {
        Failure::Usage(format!("{}: cannot be written: {error}", args.out.display()))
    })?;
    Ok(Answered::Yes)
}

impl Args {
    /// The form of the picture, if it fits the other options.
    fn checked_format(&self) -> Result<Format, Failure> {
        let usage = |message: &str| Err(Failure::Usage(message.into()));
        let ending = self.out.extension().and_then(|ending| ending.to_str());
        let format = match (self.format, ending) {
            (Some(format), _) => format,
            (None, _) if is_standard(&self.out) => Format::Svg,
            (None, Some("svg")) => Format::Svg,
            (None, Some("png")) => Format::Png,
            (None, Some("gif")) => Format::Gif,
            _ => return usage("-o: the file must end in .svg, .png or .gif"),
        };
        if format == Format::Gif && (self.plan.is_none() || self.strip.is_some()) {
            return usage("-o: a .gif moves: it needs a --plan, and --strip is not for it");
        }
        if format == Format::Gif && self.bound.is_some() {
            return usage("--bound: a proof does not move: take .svg or .png");
        }
        if self.legend && format != Format::Svg {
            return usage("--legend: only .svg pictures have text");
        }
        if is_standard(&self.out) && io::stdout().is_terminal() {
            return usage("-o -: a picture is not for a terminal: send it to a file or a program");
        }
        Ok(format)
    }

    /// Where the proof of --bound has searched, or why it is none.
    fn search_of(&self, area: &dyn Area) -> Result<Result<Option<Searched>, CheckError>, Failure> {
        let Some(path) = &self.bound else { return Ok(Ok(None)) };
        let certificate = Certificate::read(&Source::read(path)?)?;
        let bar = Bar::new();
        let run = self.budget.run(Some(bar.listener()));
        let searched = pool(&run)?.install(|| searched(area, &certificate, &run));
        bar.clear();
        match searched {
            Err(error @ CheckError::Unsupported(_)) => Err(Failure::Usage(error.to_string())),
            searched => Ok(searched.map(Some)),
        }
    }

    /// Draws an area with the steps of a plan, and where a proof has searched.
    fn draw(
        &self,
        area: &dyn Area,
        steps: &[String],
        searched: Option<&Searched>,
        format: Format,
    ) -> Result<Vec<u8>, Failure> {
        let size = self.scale.map_or(Size::Fitting, Size::Cell);
        if let Some(moments) = self.strip {
            let strip = Strip::of(area, steps, moments, size)?;
            return Ok(match format {
                Format::Svg if self.legend => strip.explained_svg(area).into_bytes(),
                Format::Svg => strip.svg().into_bytes(),
                _ => strip.png()?,
            });
        }
        if format == Format::Gif {
            return Ok(gif_of(area, steps, size)?);
        }
        let mut picture = Picture::of(area, steps, size)?;
        searched.iter().for_each(|searched| picture.mark(searched));
        Ok(match format {
            Format::Svg if self.legend => picture.explained_svg(area).into_bytes(),
            Format::Svg => picture.svg().into_bytes(),
            _ => picture.png()?,
        })
    }
}
