//! Stored areas, and areas that come as text.

use crate::batch::index::Claim;
use crate::batch::{self, index, plan_file};
use crate::diagnostic::{Diagnostic, Source};
use crate::games::{self, Area, Collection, GameId, LevelError};
use crate::render::Picture;
use crate::search::UnknownWord;
use crate::service::document::{Known, NotFound, Png, page_size};
use crate::service::limits::{MAX_AREA_BYTES, MAX_PAGE, NAME_EXPIRY};
use crate::service::middleware::packed::tag;
use crate::service::model::{self, AreaPage, AreaRef, AreaWithText, BestPlan, TextRef};
use crate::service::problem::{Json, Path, Query};
use crate::service::work::Work;
use crate::service::{Problem, Service};
use crate::store::{AreaText, StoredArea, TOLD_APART, area_ids};
use crate::verify::verify;
use axum::body::Bytes;
use axum::extract::State;
use axum::http::{StatusCode, header};
use axum::response::{IntoResponse, Response};
use serde::Deserialize;
use std::collections::{BTreeMap, BTreeSet};
use std::path::{Path as FilePath, PathBuf};
use std::sync::Arc;
use std::time::Instant;

/// The media type of texts.
const PLAIN: &str = "text/plain; charset=utf-8";
const JSON: &str = "application/json";
const PNG: &str = "image/png";
/// The longest side of a small picture, in pixels.
const THUMBNAIL_SIDE: usize = 88;

/// An area that a request is about.
#[derive(Debug, Clone)]
pub struct Meant {
    /// The area itself.
    pub area: Arc<dyn Area>,
    /// `GAME/NAME` where it is a stored one.
    pub id: Option<String>,
    /// Its number, from 1, where it was named as one level of a text.
    pub level: Option<usize>,
}

/// Areas that were stored under their names.
#[derive(Debug)]
pub struct NamedAreas {
    /// The batch's key of each area, by the area's id.
    pub keys: BTreeMap<String, String>,
    /// Diagnostics of files without areas.
    pub errors: Vec<Diagnostic>,
}

impl Service {
    /// Finds or reads the area that is meant.
    ///
    /// # Errors
    /// What is wrong with the reference or with the text.
    pub async fn meant(&self, wish: AreaRef) -> Result<Meant, Problem> {
        match wish {
            AreaRef::Stored(wish) => {
                let stored = self.named(&wish.id).await?;
                let area = self.read_stored(&stored, &self.work).await?;
                Ok(Meant { area, id: Some(stored.id), level: None })
            }
            AreaRef::Text(wish) => {
                let level = wish.level.map(|level| level as usize);
                let read = move || Ok(Meant { area: read(&wish)?.into(), id: None, level });
                self.work.run(read).await
            }
        }
    }

    async fn stored(&self, id: &str) -> Result<StoredArea, Problem> {
        // PostgreSQL's texts cannot have it, so no name has.
        let stored = if id.contains('\0') { None } else { self.store.area(id).await? };
        stored.ok_or_else(|| Problem::not_found(format!("there is no stored area {id:?}")))
    }

    /// The area that an id stands for. What else is known of it may be a moment old.
    async fn named(&self, id: &str) -> Result<StoredArea, Problem> {
        if let Some((looked, stored)) = self.named_areas.get(id)
            && looked.elapsed() < NAME_EXPIRY
        {
            return Ok(stored);
        }
        let stored = self.stored(id).await?;
        self.named_areas.put(id, (Instant::now(), stored.clone()), 1);
        Ok(stored)
    }

    /// The text of an area that is stored.
    async fn text_of(&self, fingerprint: &str) -> Result<String, Problem> {
        let text = self.store.text(fingerprint).await?;
        text.ok_or_else(|| Problem::fault(&format!("the text of {fingerprint} is missing")))
    }

    /// Reads a stored area, on some threads, or takes it as it was read before.
    async fn read_stored(
        &self,
        stored: &StoredArea,
        threads: &Work,
    ) -> Result<Arc<dyn Area>, Problem> {
        let name = stored.fingerprint.clone();
        if let Some(area) = self.read_areas.get(&name) {
            return Ok(area);
        }
        let text = self.text_of(&name).await?;
        let game: GameId =
            stored.game.parse().map_err(|unknown: UnknownWord| Problem::fault(&unknown))?;
        let cache = Arc::clone(&self.read_areas);
        let read = move || {
            let weight = text.len() as u64;
            let areas = game.game().read(&Source::new("area", text));
            let area = areas.map_err(|diagnostic| Problem::fault(&diagnostic))?.only();
            let area = area.map_err(|error| Problem::fault(&error))?;
            let area: Arc<dyn Area> = area.into();
            cache.put(&name, Arc::clone(&area), weight);
            Ok(area)
        };
        threads.run(read).await
    }

    /// Stores the areas of folders and files under their names, and says what is wrong with the
    /// others.
    ///
    /// # Errors
    /// What the store says.
    pub async fn name_areas(
        &self,
        paths: Vec<PathBuf>,
    ) -> Result<NamedAreas, crate::store::StoreError> {
        let read = tokio::task::spawn_blocking(move || {
            let inputs = batch::find(&paths, None);
            let text = |task: &batch::Task| (task.key.clone(), AreaText::new(&*task.area));
            (inputs.tasks.iter().map(text).collect::<Vec<_>>(), inputs.errors)
        });
        let (areas, errors) = read.await.unwrap_or_default();
        let ids = area_ids(&areas);
        let mut keys = BTreeMap::new();
        let mut named = Vec::new();
        for ((key, area), id) in areas.into_iter().zip(ids) {
            if id.contains(TOLD_APART) {
                tracing::warn!(key, id, "another area has the plain id");
            }
            keys.insert(id.clone(), key);
            named.push((id, area));
        }
        self.store.name_areas(&named).await?;
        Ok(NamedAreas { keys, errors })
    }

    /// Takes the plans of a folder of solutions for best known ones, where they are better, and
    /// what the folder's index says is proven. `keys` are the batch's keys of areas, by id; those
    /// of other areas are their ids.
    ///
    /// # Errors
    /// What the store or the service says.
    pub async fn keep_solutions(
        &self,
        folder: &FilePath,
        keys: &BTreeMap<String, String>,
    ) -> Result<u64, Problem> {
        let (mut kept, mut after) = (0, String::new());
        let index = tokio::fs::read_to_string(folder.join(index::FILE)).await.unwrap_or_default();
        let claims = index::parse(&index);
        // An area is who it is by its content, whatever it is called there.
        let usual = claims.iter().filter(|claim| claim.is_usual());
        let claims: BTreeMap<String, &Claim> =
            usual.filter_map(|claim| Some((claim.area?.to_string(), claim))).collect();
        loop {
            let page = self.store.areas(None, &after, MAX_PAGE).await?;
            let Some(last) = page.last() else { return Ok(kept) };
            after = last.id.clone();
            for stored in page {
                let claim = claims.get(&stored.fingerprint);
                let key = keys.get(&stored.id).unwrap_or(&stored.id);
                let keys: BTreeSet<&String> =
                    claim.map(|claim| &claim.key).into_iter().chain([key]).collect();
                for key in keys {
                    kept += u64::from(self.keep_solution(&plan_file(folder, key), &stored).await?);
                }
                if let Some(claim) = claim {
                    self.keep_bound(&stored.fingerprint, claim).await?;
                }
            }
        }
    }

    /// Remembers what is proven of an area. It counts where it is of the text that is stored, and
    /// in the measure of the plan that is.
    async fn keep_bound(&self, fingerprint: &str, claim: &Claim) -> Result<(), Problem> {
        let best = self.store.best(fingerprint).await?;
        if let (Some((best, _)), Some(bound)) = (best, claim.standing.bound())
            && claim.standing.length() == best.standing.length()
        {
            self.store.raise_bound(fingerprint, bound).await?;
        }
        Ok(())
    }

    async fn keep_solution(&self, file: &FilePath, stored: &StoredArea) -> Result<bool, Problem> {
        let Ok(plan) = Source::read(file) else { return Ok(false) };
        let best = self.store.best(&stored.fingerprint).await?;
        if best.is_some_and(|(_, known)| known == plan.text) {
            return Ok(false);
        }
        let area = self.read_stored(stored, &self.chores).await?;
        let verified = self.chores.run(move || Ok(verify(&*area, &plan))).await?;
        match verified {
            Ok(plan) => Ok(self.store.keep_plan(&stored.fingerprint, &plan, None).await?),
            Err(error) => {
                tracing::warn!(area = stored.id, ?error, "a solution does not hold");
                Ok(false)
            }
        }
    }
}

/// Reads all areas of a text, of a game that is said or told by its content.
///
/// # Errors
/// What is wrong with it.
pub fn read_all(text: &str, game: Option<GameId>) -> Result<(GameId, Collection), Problem> {
    if text.len() > MAX_AREA_BYTES {
        let detail = format!("an area's text has at most {MAX_AREA_BYTES} bytes");
        return Err(Problem::new(StatusCode::PAYLOAD_TOO_LARGE, "too-large", "Too large", detail));
    }
    let source = Source::new("area", text);
    let bad = |diagnostic| Problem::bad_area(&diagnostic);
    let game = match game {
        Some(game) => game,
        None => games::identify(FilePath::new("/area"), &source).map_err(|diagnostic| {
            let names: Vec<_> = GameId::ALL.iter().map(|id| id.name()).collect();
            bad(diagnostic.help(format!("say `game`: one of {}", names.join(", "))))
        })?,
    };
    Ok((game, game.game().read(&source).map_err(bad)?))
}

/// Reads an area that came as text.
fn read(wish: &TextRef) -> Result<Box<dyn Area>, Problem> {
    let (_, areas) = read_all(&wish.text, wish.game)?;
    areas.into_area(wish.level.map(|level| level as usize)).map_err(|error| match error {
        LevelError::Unreadable(diagnostic) => Problem::bad_area(&diagnostic),
        error => Problem::unfit(error.to_string()),
    })
}

/// The games that are built in
#[utoipa::path(get, path = "/v1/games", tag = "areas", operation_id = "listGames",
    responses((status = OK, body = [model::Game], description = "The games.")))]
pub async fn games(State(service): State<Service>) -> Result<Json<Vec<model::Game>>, Problem> {
    let counts = service.store.count_areas().await?;
    let game = |&id: &GameId| model::Game {
        name: id,
        about: id.game().about().into(),
        description: id.game().description(),
        measures: id.game().measures().iter().map(|measure| measure.name().into()).collect(),
        parameters: id.game().parameters().iter().map(model::Parameter::from).collect(),
        legend: id.game().legend().into(),
        areas: counts.iter().find(|(game, _)| game == id.name()).map_or(0, |&(_, count)| count),
    };
    Ok(Json(GameId::ALL.iter().map(game).collect()))
}

/// A stored area, by its path.
#[derive(Debug, Deserialize, utoipa::IntoParams)]
#[into_params(parameter_in = Path)]
pub struct AreaPath {
    /// The game.
    #[param(value_type = GameId)]
    game: String,
    /// The area's name within the game.
    name: String,
}

impl AreaPath {
    /// `GAME/NAME`.
    fn id(&self) -> String {
        format!("{}/{}", self.game, self.name)
    }
}

/// Which areas to list.
#[derive(Debug, Deserialize, utoipa::IntoParams)]
#[serde(deny_unknown_fields)]
pub struct ListParams {
    /// Only areas of this game.
    game: Option<GameId>,
    /// How many on a page [default: 100, at most 500].
    #[param(schema_with = page_size)]
    limit: Option<u32>,
    /// The page after this id: `next` of the page before.
    after: Option<String>,
}

/// Stored areas and their best known plans
#[utoipa::path(get, path = "/v1/areas", tag = "areas", operation_id = "listAreas",
    params(ListParams),
    responses((status = OK, body = AreaPage, description = "A page of areas.")))]
pub async fn list(
    State(service): State<Service>,
    Query(params): Query<ListParams>,
) -> Result<Json<AreaPage>, Problem> {
    let page = super::Page::new(params.limit)?;
    let after = params.after.unwrap_or_default().replace('\0', "");
    let mut areas = service.store.areas(params.game, &after, page.wanted()).await?;
    let next = page.cut(&mut areas, |area| area.id.clone());
    Ok(Json(AreaPage { areas: areas.into_iter().map(model::Area::from).collect(), next }))
}

/// One stored area with its text
#[utoipa::path(get, path = "/v1/areas/{game}/{name}", tag = "areas", operation_id = "getArea",
    params(AreaPath),
    responses((status = OK, body = AreaWithText, description = "The area.",
            headers(("ETag" = String, description = "What the content goes by."))),
        Known, NotFound))]
pub async fn one(
    State(service): State<Service>,
    Path(area): Path<AreaPath>,
) -> Result<Response, Problem> {
    let stored = service.stored(&area.id()).await?;
    let fingerprint = stored.fingerprint.clone();
    let area = model::Area::from(stored);
    let told = serde_json::to_string(&area).map_err(|error| Problem::fault(&error))?;
    let tag = tag(&[&told, &fingerprint]);
    if let Some(packed) = service.packed(&tag, JSON) {
        return Ok(packed);
    }
    let text = service.text_of(&fingerprint).await?;
    let content = move || {
        let whole = serde_json::to_vec(&AreaWithText { area, text });
        Ok(Bytes::from(whole.map_err(|error| Problem::fault(&error))?))
    };
    service.constant(tag, JSON, content).await
}

/// The text of a stored area
#[utoipa::path(get, path = "/v1/areas/{game}/{name}/text", tag = "areas", operation_id = "getAreaText",
    params(AreaPath),
    responses((status = OK, body = String, content_type = "text/plain",
            description = "The area in its game's own format.",
            headers(("ETag" = String, description = "What the content goes by."))),
        Known, NotFound))]
pub async fn text(
    State(service): State<Service>,
    Path(area): Path<AreaPath>,
) -> Result<Response, Problem> {
    let fingerprint = service.named(&area.id()).await?.fingerprint;
    let tag = tag(&[&fingerprint]);
    if let Some(packed) = service.packed(&tag, PLAIN) {
        return Ok(packed);
    }
    let text = service.text_of(&fingerprint).await?;
    service.constant(tag, PLAIN, move || Ok(text.into())).await
}

/// A small picture of a stored area at its start
#[utoipa::path(get, path = "/v1/areas/{game}/{name}/thumbnail", tag = "areas",
    operation_id = "getThumbnail",
    params(AreaPath),
    responses((status = OK, body = Png, content_type = "image/png",
            description = "The picture.",
            headers(("ETag" = String, description = "What the content goes by."))),
        Known, NotFound))]
pub async fn thumbnail(
    State(service): State<Service>,
    Path(area): Path<AreaPath>,
) -> Result<Response, Problem> {
    let stored = service.named(&area.id()).await?;
    let tag = tag(&["thumbnail", &stored.fingerprint]);
    if let Some(packed) = service.packed(&tag, PNG) {
        return Ok(packed);
    }
    let area = service.read_stored(&stored, &service.packing).await?;
    let draw = move || {
        let picture = Picture::new(&*area, &[]).map_err(|why| Problem::fault(&why))?;
        let drawn = picture.thumbnail(THUMBNAIL_SIDE).map_err(|error| Problem::fault(&error))?;
        Ok(Bytes::from(drawn))
    };
    service.constant(tag, PNG, draw).await
}

/// The best known plan of a stored area
#[utoipa::path(get, path = "/v1/areas/{game}/{name}/plan", tag = "areas", operation_id = "getBestPlan",
    params(AreaPath),
    responses((status = OK, body = BestPlan, description = "The plan."), NotFound))]
pub async fn plan(
    State(service): State<Service>,
    Path(area): Path<AreaPath>,
) -> Result<Json<BestPlan>, Problem> {
    let stored = service.stored(&area.id()).await?;
    let (best, plan) = service.store.best(&stored.fingerprint).await?.ok_or_else(no_plan)?;
    Ok(Json(BestPlan { best, plan }))
}

/// The best known plan of a stored area, as the game's text
#[utoipa::path(get, path = "/v1/areas/{game}/{name}/plan/text", tag = "areas", operation_id = "getBestPlanText",
    params(AreaPath),
    responses((status = OK, body = String, content_type = "text/plain",
        description = "The plan in the game's own format."), NotFound))]
pub async fn plan_text(
    State(service): State<Service>,
    Path(area): Path<AreaPath>,
) -> Result<Response, Problem> {
    let stored = service.stored(&area.id()).await?;
    let best = service.store.best(&stored.fingerprint).await?;
    Ok(plain(best.ok_or_else(no_plan)?.1))
}

fn no_plan() -> Problem {
    Problem::not_found("no plan of this area is known")
}

/// A text as it is.
pub fn plain(text: String) -> Response {
    ([(header::CONTENT_TYPE, PLAIN)], text).into_response()
}
