//! Stored areas, and areas that come as text.

use super::limits::{DEFAULT_PAGE, MAX_AREA_BYTES, MAX_PAGE};
use super::model::{self, AreaPage, AreaRef, AreaWithText, Best, BestPlan};
use super::problem::{Json, Path, Query};
use super::{Problem, Service};
use crate::batch;
use crate::diagnostic::Source;
use crate::games::{self, Area, GameId};
use axum::extract::State;
use axum::http::{StatusCode, header};
use axum::response::{IntoResponse, Response};
use serde::Deserialize;
use std::collections::BTreeMap;
use std::path::PathBuf;
use std::sync::Arc;

/// An area that is stored.
pub struct Stored {
    /// `GAME/NAME`.
    pub id: String,
    /// Its game.
    pub game: GameId,
    /// The area, read.
    pub area: Box<dyn Area>,
    /// Its text.
    pub text: String,
    /// The best plan.
    pub best: Option<(Best, String)>,
}

/// All stored areas by id.
#[derive(Default)]
pub struct Catalogue {
    areas: BTreeMap<String, Arc<Stored>>,
}

impl Catalogue {
    /// Reads folders and files of areas.
    pub fn read(paths: &[PathBuf]) -> Self {
        let inputs = batch::find(paths, None);
        for error in &inputs.errors {
            tracing::warn!(%error, "an area is left out");
        }
        let areas = inputs.tasks.into_iter().map(|task| {
            let game = task.area.game();
            let id = area_id(game, &task.key);
            let text = task.area.text();
            (id.clone(), Arc::new(Stored { id, game, text, area: task.area, best: None }))
        });
        Catalogue { areas: areas.collect() }
    }
}

/// `GAME/NAME` from a batch's key, whose name may have further slashes.
fn area_id(game: GameId, key: &str) -> String {
    let name = key.strip_prefix(game.name()).unwrap_or(key).trim_start_matches('/');
    format!("{game}/{}", name.replace('/', "."))
}

/// An area that a request is about.
pub enum Meant {
    /// A stored one.
    Stored(Arc<Stored>),
    /// One that came as text.
    Text(Box<dyn Area>),
}

impl Meant {
    /// The area itself.
    pub fn area(&self) -> &dyn Area {
        match self {
            Meant::Stored(stored) => &*stored.area,
            Meant::Text(area) => &**area,
        }
    }
}

impl Service {
    /// Finds or reads the area that is meant. Reading takes its time: off the runtime.
    ///
    /// # Errors
    /// What is wrong with the reference or with the text.
    pub fn meant(&self, wish: &AreaRef) -> Result<Meant, Problem> {
        match (&wish.id, &wish.text) {
            (Some(id), None) => Ok(Meant::Stored(self.stored(id)?)),
            (None, Some(text)) => read(wish, text).map(Meant::Text),
            _ => Err(Problem::bad_request("an area is either an `id` or a `text`")),
        }
    }

    fn stored(&self, id: &str) -> Result<Arc<Stored>, Problem> {
        let stored = self.catalogue.areas.get(id).cloned();
        stored.ok_or_else(|| Problem::not_found(format!("there is no stored area {id:?}")))
    }
}

/// Reads an area that came as text.
fn read(wish: &AreaRef, text: &str) -> Result<Box<dyn Area>, Problem> {
    if text.len() > MAX_AREA_BYTES {
        let detail = format!("an area's text has at most {MAX_AREA_BYTES} bytes");
        return Err(Problem::new(StatusCode::PAYLOAD_TOO_LARGE, "too-large", "Too large", detail));
    }
    let source = Source::new("area", text);
    let bad = |diagnostic| Problem::bad_area(&diagnostic);
    let game = match &wish.game {
        Some(name) => model::game_named(name)?,
        None => games::identify(std::path::Path::new("/area"), &source).map_err(bad)?,
    };
    let mut areas = game.game().read(&source).map_err(bad)?;
    let count = areas.len();
    match wish.level {
        None if count == 1 => Ok(areas.remove(0)),
        None => Err(Problem::bad_request(format!("the text has {count} levels: say which one"))),
        Some(level) if (1..=count as u64).contains(&u64::from(level)) => {
            Ok(areas.swap_remove(level as usize - 1))
        }
        Some(level) => {
            Err(Problem::bad_request(format!("level {level}: the text has levels 1 to {count}")))
        }
    }
}

impl Stored {
    fn model(&self) -> model::Area {
        model::Area {
            id: self.id.clone(),
            game: self.game.to_string(),
            name: self.id.split_once('/').map_or("", |(_, name)| name).to_string(),
            title: self.area.name().to_string(),
            facts: model::facts(&self.area.facts()),
            bytes: self.text.len() as u64,
            best: self.best.as_ref().map(|(best, _)| best.clone()),
        }
    }
}

/// The games that are built in
#[utoipa::path(get, path = "/v1/games", tag = "areas", responses((status = OK, body = [model::Game])))]
pub async fn games(State(service): State<Service>) -> Json<Vec<model::Game>> {
    let count =
        |id: GameId| service.catalogue.areas.values().filter(|area| area.game == id).count();
    let game = |&id: &GameId| model::Game {
        name: id.to_string(),
        about: id.game().about().into(),
        measures: id.game().measures().iter().map(|&measure| measure.into()).collect(),
        areas: count(id) as u64,
    };
    Json(GameId::ALL.iter().map(game).collect())
}

/// Which areas to list.
#[derive(Debug, Deserialize, utoipa::IntoParams)]
#[serde(deny_unknown_fields)]
pub struct ListParams {
    /// Only areas of this game.
    game: Option<String>,
    /// How many on a page [default: 100, at most 500].
    limit: Option<u32>,
    /// The page after this id: `next` of the page before.
    after: Option<String>,
}

/// Stored areas and their best known plans
#[utoipa::path(get, path = "/v1/areas", tag = "areas", params(ListParams),
    responses((status = OK, body = AreaPage), (status = 400, body = Problem)))]
pub async fn list(
    State(service): State<Service>,
    Query(params): Query<ListParams>,
) -> Result<Json<AreaPage>, Problem> {
    let game = params.game.as_deref().map(model::game_named).transpose()?;
    let limit = params.limit.unwrap_or(DEFAULT_PAGE).clamp(1, MAX_PAGE) as usize;
    let after = params.after.unwrap_or_default();
    let all = service.catalogue.areas.values();
    let rest = all.filter(|area| area.id > after && game.is_none_or(|game| area.game == game));
    let mut areas: Vec<_> = rest.take(limit + 1).map(|area| area.model()).collect();
    let more = areas.len() > limit;
    areas.truncate(limit);
    let next = areas.last().filter(|_| more).map(|area| area.id.clone());
    Ok(Json(AreaPage { areas, next }))
}

/// One stored area with its text
#[utoipa::path(get, path = "/v1/areas/{game}/{name}", tag = "areas",
    params(("game" = String, Path), ("name" = String, Path)),
    responses((status = OK, body = AreaWithText), (status = 404, body = Problem)))]
pub async fn one(
    State(service): State<Service>,
    Path((game, name)): Path<(String, String)>,
) -> Result<Json<AreaWithText>, Problem> {
    let stored = service.stored(&format!("{game}/{name}"))?;
    Ok(Json(AreaWithText { area: stored.model(), text: stored.text.clone() }))
}

/// The text of a stored area
#[utoipa::path(get, path = "/v1/areas/{game}/{name}/text", tag = "areas",
    params(("game" = String, Path), ("name" = String, Path)),
    responses((status = OK, body = String, content_type = "text/plain"),
        (status = 404, body = Problem)))]
pub async fn text(
    State(service): State<Service>,
    Path((game, name)): Path<(String, String)>,
) -> Result<Response, Problem> {
    Ok(plain(service.stored(&format!("{game}/{name}"))?.text.clone()))
}

/// The best known plan of a stored area
#[utoipa::path(get, path = "/v1/areas/{game}/{name}/plan", tag = "areas",
    params(("game" = String, Path), ("name" = String, Path)),
    responses((status = OK, body = BestPlan), (status = 404, body = Problem)))]
pub async fn plan(
    State(service): State<Service>,
    Path((game, name)): Path<(String, String)>,
) -> Result<Json<BestPlan>, Problem> {
    let stored = service.stored(&format!("{game}/{name}"))?;
    let (best, plan) = stored.best.clone().ok_or_else(no_plan)?;
    Ok(Json(BestPlan { best, plan }))
}

/// The best known plan of a stored area, as the game's text
#[utoipa::path(get, path = "/v1/areas/{game}/{name}/plan/text", tag = "areas",
    params(("game" = String, Path), ("name" = String, Path)),
    responses((status = OK, body = String, content_type = "text/plain"),
        (status = 404, body = Problem)))]
pub async fn plan_text(
    State(service): State<Service>,
    Path((game, name)): Path<(String, String)>,
) -> Result<Response, Problem> {
    let stored = service.stored(&format!("{game}/{name}"))?;
    Ok(plain(stored.best.clone().ok_or_else(no_plan)?.1))
}

fn no_plan() -> Problem {
    Problem::not_found("no plan of this area is known")
}

/// A text as it is.
pub fn plain(text: String) -> Response {
    ([(header::CONTENT_TYPE, "text/plain; charset=utf-8")], text).into_response()
}
