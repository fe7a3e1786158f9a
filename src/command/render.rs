//! `outwit render`: pictures of areas and plans.

use super::input::{AreaArgs, refuse_two_stdins};
use super::{Answered, Failure, output};
use outwit::batch::files::replace;
use outwit::diagnostic::Source;
use outwit::games::PlanError;
use outwit::render::Picture;
use outwit::verify::verify_level;
use std::path::PathBuf;

/// Draw a picture of an area, with the route of a plan over it
///
/// The ending of the output file says what is written: .svg or .png.
#[derive(clap::Args)]
#[command(after_long_help = "\
EXAMPLES
  outwit render areas/labyrinth/class-7-spiral-5.txt -o spiral.svg
  outwit render areas/robots/sample-1.txt --plan solutions/robots/sample-1.plan -o sample.png

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

    /// The picture: FILE.svg or FILE.png
    #[arg(short, long, value_name = "FILE")]
    out: PathBuf,
}

pub fn run(args: &Args) -> Result<Answered, Failure> {
    let ending = args.out.extension().and_then(|ending| ending.to_str());
    let Some(ending @ ("svg" | "png")) = ending else {
        return Err(Failure::Usage("-o: the file must end in .svg or .png".into()));
    };
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
    let picture = Picture::new(area, &steps).map_err(Failure::Usage)?;
    let bytes = if ending == "svg" { picture.svg().into_bytes() } else { picture.png()? };
    replace(&args.out, &bytes, "render").map_err(|error| {
        Failure::Usage(format!("{}: cannot be written: {error}", args.out.display()))
    })?;
    Ok(Answered::Yes)
}
