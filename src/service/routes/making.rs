//! Areas that come from elsewhere than the shelf: made on request, or levels of a collection.

use crate::diagnostic::Source;
use crate::games::{Drawing, Game, GenerateOptions};
use crate::play::Draft;
use crate::service::document::{NotFound, Unreadable};
use crate::service::limits::MOST_OF;
use crate::service::model::{
    DraftRequest, DrawingRequest, GenerateRequest, Level, Levels, LevelsRequest, Made,
};
use crate::service::problem::Json;
use crate::service::routes::areas::read_all;
use crate::service::{Problem, Service};
use crate::verify::verify;
use axum::extract::State;

/// Makes an area, with a plan that proves it solvable: the same request makes the same area
#[utoipa::path(post, path = "/v1/generate", tag = "areas", operation_id = "generateArea",
    request_body = GenerateRequest,
    responses((status = OK, body = Made, description = "The area and its plan."), Unreadable))]
pub async fn generate(
    State(service): State<Service>,
    Json(request): Json<GenerateRequest>,
) -> Result<Json<Made>, Problem> {
    let game = request.game.game();
    check(game, &request)?;
    let options = GenerateOptions { seed: request.seed.unwrap_or(1), values: request.values };
    let make = move || {
        let made = game.generate(&options).map_err(|error| Problem::unfit(error.to_string()))?;
        let fault = |what: &dyn std::fmt::Display| Problem::fault(&format!("generator: {what}"));
        let source = Source::new(made.name.as_str(), made.area.as_str());
        let area = game.read(&source).map_err(|error| fault(&error))?.only();
        let area = area.map_err(|error| fault(&error))?;
        let plan = verify(&*area, &Source::new("its plan", made.plan.as_str()));
        let plan = plan.map_err(|error| fault(&format!("{error:?}")))?;
        Ok(Made {
            game: request.game,
            name: made.name,
            text: made.area,
            length: plan.validation().length,
            facts: plan.validation().facts.clone().into(),
            plan: plan.text().into(),
        })
    };
    service.making.run(make).await.map(Json)
}

/// Refuses what the game's generator cannot be told, and what would take it too long.
fn check(game: &dyn Game, request: &GenerateRequest) -> Result<(), Problem> {
    for (name, value) in &request.values {
        let Some(parameter) = game.parameters().iter().find(|known| known.name == name) else {
            let known: Vec<_> = game.parameters().iter().map(|known| known.name).collect();
            let known = known.join(", ");
            return Err(Problem::unfit(format!("values.{name}: {} knows {known}", request.game)));
        };
        let wrong = |what| Problem::unfit(format!("values.{name}: {what}"));
        parameter.check(value).map_err(wrong)?;
        let most = MOST_OF.iter().find(|(limited, _)| limited == name).map(|&(_, most)| most);
        let number: Option<u64> = value.parse().ok();
        if let (Some(most), Some(number)) = (most, number)
            && number > most
        {
            return Err(Problem::unfit(format!("values.{name}: at most {most} here")));
        }
    }
    Ok(())
}

/// The levels of a text: an area is one, a collection has many
#[utoipa::path(post, path = "/v1/levels", tag = "areas", operation_id = "listLevels",
    request_body = LevelsRequest,
    responses((status = OK, body = Levels, description = "The levels, in their order."),
        Unreadable))]
pub async fn levels(
    State(service): State<Service>,
    Json(request): Json<LevelsRequest>,
) -> Result<Json<Levels>, Problem> {
    let list = move || {
        let (game, areas) = read_all(&request.text, request.game)?;
        let levels = areas.entries.iter().map(Level::from).collect();
        Ok(Levels { game, title: areas.title, author: areas.author, levels })
    };
    service.work.run(list).await.map(Json)
}

/// An area as an editor draws it: its board in letters and the values beside it
#[utoipa::path(post, path = "/v1/drawings", tag = "areas", operation_id = "drawArea",
    request_body = DrawingRequest,
    responses((status = OK, body = Drawing, description = "The drawing."), NotFound, Unreadable))]
pub async fn drawing(
    State(service): State<Service>,
    Json(request): Json<DrawingRequest>,
) -> Result<Json<Drawing>, Problem> {
    let meant = service.meant(request.area).await?;
    let draw = move || meant.area.drawing().map_err(|large| Problem::unfit(large.to_string()));
    service.work.run(draw).await.map(Json)
}

/// The text of a drawn area, and what is wrong with it where it is not an area yet
#[utoipa::path(post, path = "/v1/drafts", tag = "areas", operation_id = "composeArea",
    request_body = DraftRequest,
    responses((status = OK, body = Draft, description = "The text."), Unreadable))]
pub async fn draft(
    State(service): State<Service>,
    Json(DraftRequest { game, drawing }): Json<DraftRequest>,
) -> Result<Json<Draft>, Problem> {
    let compose =
        move || Draft::new(game, &drawing).map_err(|large| Problem::unfit(large.to_string()));
    service.work.run(compose).await.map(Json)
}
