//! `outwit render`: pictures of areas and plans.

use super::input::{AreaArgs, refuse_two_stdins};
use super::{Answered, Failure, output};
use clap::builder::RangedU64ValueParser;
use outwit::batch::files::replace;
use outwit::diagnostic::Source;
use outwit::games::{Area, PlanError};
use outwit::render::{MAX_MOMENTS, Picture, Strip, gif};
use outwit::verify::verify_level;
use std::path::PathBuf;

/// Draw a picture of an area, with the route of a plan over it
///
/// The ending of the output file says what is written: .svg or .png; .gif is the plan as a moving picture. A plan's
/// route is drawn with what is thrown on it, and --strip sets key moments of the plan side by side.
#[derive(clap::Args)]
#[command(after_long_help = "\
EXAMPLES
  outwit render areas/labyrinth/class-7-spiral-5.txt -o spiral.svg
  outwit render areas/robots/sample-1.txt --plan solutions/robots/sample-1.plan -o sample.png

  outwit solve areas/sokoban/pull-7x8-2-1.xsb > best.plan
  outwit render areas/sokoban/pull-7x8-2-1.xsb --plan best.plan -o moving.gif
  outwit render areas/sokoban/pull-7x8-2-1.xsb --plan best.plan --strip 4 -o strip.png

EXIT CODE
  0 done; 1 the plan is not valid; 2 bad input, or the file cannot be written")]
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

    /// The picture: FILE.svg, FILE.png, or with a plan FILE.gif
    #[arg(short, long, value_name = "FILE")]
    out: PathBuf,
}

pub fn run(args: &Args) -> Result<Answered, Failure> {
    let ending = args.out.extension().and_then(|ending| ending.to_str());
    let Some(ending @ ("svg" | "png" | "gif")) = ending else {
        return Err(Failure::Usage("-o: the file must end in .svg, .png or .gif".into()));
    };
    if ending == "gif" && (args.plan.is_none() || args.strip.is_some()) {
        let message = "-o: a .gif moves: it needs a --plan, and --strip is not for it";
        return Err(Failure::Usage(message.into()));
    }
    refuse_two_stdins(("FILE", &args.area.file), ("--plan", args.plan.as_deref()))?;
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
    let bytes = draw(area, &steps, args.strip, ending)?;
    replace(&args.out, &bytes, "render").map_err(|error| {
        Failure::Usage(format!("{}: cannot be written: {error}", args.out.display()))
    })?;
    Ok(Answered::Yes)
}

/// Draws an area with the steps of a plan in the form of a file with this ending.
fn draw(
    area: &dyn Area,
    steps: &[String],
    strip: Option<usize>,
    ending: &str,
) -> Result<Vec<u8>, Failure> {
    if let Some(moments) = strip {
        let strip = Strip::new(area, steps, moments).map_err(Failure::Usage)?;
        return Ok(if ending == "svg" { strip.svg().into_bytes() } else { strip.png()? });
    }
    if ending == "gif" {
        return gif(area, steps).map_err(Failure::Usage);
    }
    let picture = Picture::new(area, steps).map_err(Failure::Usage)?;
    Ok(if ending == "svg" { picture.svg().into_bytes() } else { picture.png()? })
}
