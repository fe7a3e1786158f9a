//! Games played by hand or watched, step by step, under the reference rules.
//!
//! A client begins a game with an area and gets a token; each further request does steps and is
//! told what has changed on the part of the board that it shows. Games are a cache: what is not
//! touched for a while, or is too much for the memory, is given up, of the client that holds the
//! most, and a client whose token is gone begins again with the steps it knows. So nothing that clients do can make the server hold
//! more than its limits, and a restart is no more than a slow step.

use crate::play::{MoveRequest, Play, Played, Unfit};
use crate::service::areas::Meant;
use crate::service::cache::{Bounds, Cache};
use crate::service::client::Client;
use crate::service::document::{Gone, NotFound, PlayToken, Unreadable};
use crate::service::limits::{
    MAX_ONE_PLAY_BYTES, MAX_PLAY_BYTES, MAX_PLAY_STEPS, MAX_PLAYS, PLAY_EXPIRY, PLAY_TIME,
    PLAY_TOKEN_DIGITS, TRACE_TIME,
};
use crate::service::model::PlayRequest;
use crate::service::problem::{Json, Path};
use crate::service::routes::plans::plan_source;
use crate::service::{Problem, Service, areas};
use crate::verify::steps;
use axum::Extension;
use axum::extract::State;
use axum::http::StatusCode;
use axum::response::Response;
use rand::RngExt;
use std::sync::{Arc, Mutex};
use std::time::Instant;

/// Number of steps after which a game's memory is estimated again.
const WEIGHED_EVERY: usize = 64;

/// Whether a game may go on for another step: why not, or that the request takes too long.
fn may_go_on(until: Instant) -> impl FnMut(&Play) -> Result<Option<String>, Problem> {
    move |play| {
        if play.done().len() as u64 >= MAX_PLAY_STEPS {
            return Ok(Some(format!("a game here has at most {MAX_PLAY_STEPS} steps")));
        }
        if Instant::now() > until {
            return Err(too_much());
        }
        let is_weighed = play.done().len().is_multiple_of(WEIGHED_EVERY);
        let is_too_long = is_weighed && play.weight() > MAX_ONE_PLAY_BYTES;
        Ok(is_too_long.then(|| "this game has become too long for its board".into()))
    }
}

impl From<Unfit> for Problem {
    fn from(unfit: Unfit) -> Self {
        Problem::unfit(unfit.to_string())
    }
}

fn too_much() -> Problem {
    Problem::new(
        StatusCode::UNPROCESSABLE_ENTITY,
        "too-much",
        "Too much for one request",
        "the steps took too long: do them in several requests",
    )
}

/// The games that are held, by token.
pub type Plays = Cache<Arc<Mutex<Play>>>;

/// A cache of games with the service's limits.
pub fn plays() -> Plays {
    Cache::new(Bounds { count: MAX_PLAYS, weight: MAX_PLAY_BYTES, expiry: PLAY_EXPIRY })
}

/// Tells words that never were a token from tokens of games that are gone.
fn check_token(token: &str) -> Result<(), Problem> {
    let is_digit = |byte: u8| matches!(byte, b'0'..=b'9' | b'a'..=b'f');
    if token.len() == PLAY_TOKEN_DIGITS && token.bytes().all(is_digit) {
        return Ok(());
    }
    Err(Problem::not_found("that is no token of a game"))
}

fn find(plays: &Plays, token: &str) -> Result<Arc<Mutex<Play>>, Problem> {
    check_token(token)?;
    plays.get(token).ok_or_else(|| {
        Problem::new(
            StatusCode::GONE,
            "game-gone",
            "The game is gone",
            "begin again with the steps done so far",
        )
    })
}

fn new_token() -> String {
    format!("{:0PLAY_TOKEN_DIGITS$x}", rand::rng().random::<u128>())
}

/// Begins a game that is played by hand or watched
#[utoipa::path(post, path = "/v1/play", tag = "play", operation_id = "beginGame",
    request_body = PlayRequest,
    responses((status = OK, body = Played, description = "The game, with all that its board needs.",
        links(("goOn" = (operation_id = "goOn",
                parameters(("token" = "$response.body#/token")))),
            ("getGamePlan" = (operation_id = "getGamePlan",
                parameters(("token" = "$response.body#/token")))),
            ("giveUp" = (operation_id = "giveUp",
                parameters(("token" = "$response.body#/token")))))),
        NotFound, Unreadable))]
pub async fn begin(
    State(service): State<Service>,
    Extension(client): Extension<Client>,
    Json(request): Json<PlayRequest>,
) -> Result<Json<Played>, Problem> {
    let work = service.work.clone();
    let Meant { area, level, .. } = service.meant(request.area).await?;
    let begin = move || {
        let until = Instant::now() + PLAY_TIME;
        let tape = match &request.plan {
            None => None,
            Some(plan) => {
                let steps = steps(&*area, level, &plan_source(plan)?);
                let steps = steps.map_err(|diagnostic| Problem::bad_plan(&diagnostic))?;
                // One more than may be done, so that it is said where the plan is too long.
                Some(steps.take(MAX_PLAY_STEPS as usize + 1).collect())
            }
        };
        let mut play = Play::new(&*area, tape);
        play.trace(may_go_on(Instant::now() + TRACE_TIME));
        let done = play.begin(&request.steps, may_go_on(until))?;
        let token = new_token();
        let played = play.told(&token, request.show, true, done);
        let weight = play.weight();
        service.plays.put_for(client.owner(), &token, Arc::new(Mutex::new(play)), weight);
        Ok(played)
    };
    work.run(begin).await.map(Json)
}

/// Goes on with a game: steps, steps taken back, a place in the plan that is watched
#[utoipa::path(post, path = "/v1/play/{token}", tag = "play", operation_id = "goOn",
    request_body = MoveRequest,
    params(("token" = PlayToken, Path, description = "The game's token.")),
    responses((status = OK, body = Played, description = "The game after that."),
        NotFound, Gone, Unreadable))]
pub async fn go_on(
    State(service): State<Service>,
    Path(token): Path<String>,
    Extension(client): Extension<Client>,
    Json(request): Json<MoveRequest>,
) -> Result<Json<Played>, Problem> {
    let held = find(&service.plays, &token)?;
    let work = service.work.clone();
    let go_on = move || {
        let until = Instant::now() + PLAY_TIME;
        // A game that a panic has left in the middle of a step is not gone on with.
        let Ok(mut play) = held.lock() else {
            service.plays.forget(&token);
            return Err(Problem::fault(&"a game was left in the middle of a step"));
        };
        let done = play.go_on(&request, may_go_on(until))?;
        let played = play.told(&token, request.show, request.setup, done);
        let weight = play.weight();
        drop(play);
        service.plays.put_for(client.owner(), &token, held, weight);
        Ok(played)
    };
    work.run(go_on).await.map(Json)
}

/// The plan of a game so far, in the game's own format
#[utoipa::path(get, path = "/v1/play/{token}/plan", tag = "play", operation_id = "getGamePlan",
    params(("token" = PlayToken, Path, description = "The game's token.")),
    responses((status = OK, body = String, content_type = "text/plain",
        description = "The plan."), NotFound, Gone))]
pub async fn plan(
    State(service): State<Service>,
    Path(token): Path<String>,
) -> Result<Response, Problem> {
    let held = find(&service.plays, &token)?;
    let plan = move || {
        let play = held.lock().map_err(|_| Problem::fault(&"a game was left in the middle"))?;
        Ok(play.plan())
    };
    service.work.run(plan).await.map(areas::plain)
}

/// Gives a game up
#[utoipa::path(delete, path = "/v1/play/{token}", tag = "play", operation_id = "giveUp",
    params(("token" = PlayToken, Path, description = "The game's token.")),
    responses((status = NO_CONTENT, description = "The game is gone."), NotFound))]
pub async fn give_up(
    State(service): State<Service>,
    Path(token): Path<String>,
) -> Result<StatusCode, Problem> {
    check_token(&token)?;
    service.plays.forget(&token);
    Ok(StatusCode::NO_CONTENT)
}
