//! Games played by hand or watched, step by step, under the reference rules.
//!
//! A client begins a game with an area and gets a token; each further request does steps and is
//! told what has changed on the part of the board that it shows. Games are a cache: what is not
//! touched for a while, or is too much for the memory, is given up, and a client whose token is
//! gone begins again with the steps it knows. So nothing that clients do can make the server hold
//! more than its limits, and a restart is no more than a slow step.

use crate::games::{Area, Session, Window};
use crate::service::cache::{Bounds, Cache};
use crate::service::document::{Gone, NotFound, PlayToken, Unreadable};
use crate::service::limits::{
    MAX_INLINE_PLAN_BYTES, MAX_ONE_PLAY_BYTES, MAX_PLAY_BYTES, MAX_PLAY_STEPS, MAX_PLAYS,
    MAX_VIEW_CELLS, PLAY_EXPIRY, PLAY_TIME, PLAY_TOKEN_DIGITS,
};
use crate::service::model::{
    self, Marks, MoveRequest, PlayRequest, Played, RefusedStep, Setup, Show, View,
};
use crate::service::problem::{Json, Path};
use crate::service::routes::plans::{plan_source, shown, standing};
use crate::service::{Problem, Service, areas};
use crate::store::{Fact, facts};
use axum::extract::State;
use axum::http::StatusCode;
use axum::response::Response;
use rand::RngExt;
use std::collections::BTreeSet;
use std::sync::{Arc, Mutex};
use std::time::Instant;

/// What a cell of a board costs in each copy that a game keeps of its past, in bytes.
const CELL_BYTES: u64 = 16;
/// What a step costs in each copy, in bytes.
const STEP_BYTES: u64 = 32;
/// A game keeps a copy about once in this many steps, up to [`MOST_COPIES`].
const STEPS_PER_COPY: u64 = 32;
/// The most copies that a game keeps, with the one that is played.
const MOST_COPIES: u64 = 66;
/// Boards from this many cells on are not held cell by cell.
const SPARSE_CELLS: u64 = 1 << 20;
/// What such a board costs at most, in bytes: the longest walls that can be read. Copies share it.
const SPARSE_BYTES: u64 = 16 << 20;
/// A game is weighed once in so many steps.
const WEIGHED_EVERY: usize = 64;

/// A game in progress.
pub struct Play {
    title: String,
    game: &'static str,
    session: Box<dyn Session>,
    /// The steps done.
    done: Vec<String>,
    /// The plan that is watched.
    tape: Option<Vec<String>>,
    /// What the client was sent last.
    sent: Option<Sent>,
    revision: u64,
}

/// What a client was sent.
struct Sent {
    window: Window,
    rows: Vec<String>,
    marks_window: Window,
    marks: Marks,
}

impl Play {
    fn new(area: &dyn Area, tape: Option<Vec<String>>) -> Self {
        Play {
            title: area.name().to_string(),
            game: area.game().name(),
            session: area.session(),
            done: Vec::new(),
            tape,
            sent: None,
            revision: 0,
        }
    }

    /// Does steps until one is refused.
    fn act(&mut self, steps: &[String], until: Instant) -> Result<Option<RefusedStep>, Problem> {
        for step in steps {
            if self.session.steps() >= MAX_PLAY_STEPS {
                let reason = format!("a game here has at most {MAX_PLAY_STEPS} steps");
                return Ok(Some(RefusedStep { step: step.clone(), reason }));
            }
            if Instant::now() > until {
                return Err(too_much());
            }
            if self.done.len().is_multiple_of(WEIGHED_EVERY) && self.weight() > MAX_ONE_PLAY_BYTES {
                let reason = "this game has become too long for its board".to_string();
                return Ok(Some(RefusedStep { step: step.clone(), reason }));
            }
            if let Err(reason) = self.session.act(step) {
                return Ok(Some(RefusedStep { step: step.clone(), reason }));
            }
            self.done.push(step.clone());
        }
        Ok(None)
    }

    /// Goes to the board after so many steps of the plan that is watched.
    fn seek(&mut self, step: u64, until: Instant) -> Result<Option<RefusedStep>, Problem> {
        let Some(tape) = self.tape.take() else {
            return Err(Problem::unfit("no plan is watched: begin with a `plan`"));
        };
        let step = (step as usize).min(tape.len());
        let same = self.done.iter().zip(&tape[..step]).take_while(|(a, b)| a == b).count();
        self.rewind(same as u64);
        let refused = self.act(&tape[same..step], until);
        self.tape = Some(tape);
        refused
    }

    fn rewind(&mut self, steps: u64) {
        self.session.rewind(steps);
        self.done.truncate(steps as usize);
    }

    /// An estimate of the memory held, in bytes: the past as the games keep it.
    fn weight(&self) -> u64 {
        let board = self.session.extent().0;
        let cells = u64::from(board.rows) * u64::from(board.cols);
        let steps = self.session.steps();
        let copies = MOST_COPIES.min(2 + steps / STEPS_PER_COPY);
        let board = if cells < SPARSE_CELLS { cells * copies * CELL_BYTES } else { SPARSE_BYTES };
        let texts = self.done.iter().chain(self.tape.iter().flatten());
        let texts: usize = texts.map(|step| step.len() + size_of::<String>()).sum();
        let shown = if self.sent.is_some() { cells.min(MAX_VIEW_CELLS) } else { 0 };
        board + steps * copies * STEP_BYTES + texts as u64 + shown
    }

    fn setup(&self) -> Setup {
        let letters = (' '..='~').map(|c| (c, model::role_name(self.session.role(c))));
        let walls = self.session.walls();
        Setup {
            game: self.game,
            title: self.title.clone(),
            keys: self.session.keys().into_iter().map(model::Key::from).collect(),
            roles: letters.collect(),
            aims: self.session.aim(0, 0).is_some(),
            walls: walls.map(|walls| walls.into_iter().map(model::Window::from).collect()),
        }
    }

    /// What to tell: all of the window, or what has changed in it since the client's revision.
    fn look(&mut self, show: Show) -> (View, Option<Marks>, Vec<Fact>) {
        let window = shown(&*self.session, show.window);
        let seen = self.session.view(window);
        let marks_window = show.marks.map_or(window, |marks| Window::from(marks).cut(window));
        let marks = gather(&seen.marks, marks_window);
        let last = self.sent.take().filter(|_| show.revision == Some(self.revision));
        let last = last.filter(|last| last.window == window && last.marks_window == marks_window);
        let changed = last.as_ref().map(|last| changes(window, &last.rows, &seen.rows));
        let told = match &last {
            None => Some(marks.clone()),
            Some(last) if last.marks == marks => None,
            Some(last) => Some(changed_marks(&last.marks, &marks)),
        };
        self.revision += 1;
        let view = View {
            revision: self.revision,
            window: window.into(),
            rows: changed.is_none().then(|| seen.rows.clone()),
            changed,
        };
        let beside = facts(&seen.facts);
        self.sent = Some(Sent { window, rows: seen.rows, marks_window, marks });
        (view, told, beside)
    }

    fn played(
        &mut self,
        token: &str,
        show: Show,
        setup: bool,
        done: Vec<String>,
        refused: Option<RefusedStep>,
    ) -> Played {
        let (view, marks, facts) = self.look(show);
        let (extent, player) = self.session.extent();
        let (status, why) = standing(&self.session.status());
        let plan = Some(self.session.plan()).filter(|plan| plan.len() <= MAX_INLINE_PLAN_BYTES);
        Played {
            token: token.into(),
            steps: self.session.steps(),
            status,
            why,
            refused,
            done,
            player: player.map(|(row, col)| [row, col]),
            extent: extent.into(),
            facts,
            plan,
            tape: self.tape.as_ref().map(|tape| tape.len() as u64),
            view,
            marks,
            setup: setup.then(|| self.setup()),
        }
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

/// The pieces of rows that differ.
fn changes(window: Window, old: &[String], new: &[String]) -> Vec<(i64, i64, String)> {
    let mut pieces = Vec::new();
    for (row, (old, new)) in (window.row..).zip(old.iter().zip(new)) {
        if old == new {
            continue;
        }
        let mut piece: Option<(i64, String)> = None;
        for (col, (was, is)) in (window.col..).zip(old.chars().zip(new.chars())) {
            match (was == is, &mut piece) {
                (true, _) => pieces.extend(piece.take().map(|(from, text)| (row, from, text))),
                (false, Some((_, text))) => text.push(is),
                (false, None) => piece = Some((col, is.to_string())),
            }
        }
        pieces.extend(piece.map(|(from, text)| (row, from, text)));
    }
    pieces
}

/// Marks by kind, cells as runs.
fn gather(marks: &[crate::games::Mark], window: Window) -> Marks {
    let mut gathered = Marks { whole: true, ..Marks::default() };
    let mut cells: Vec<_> = Vec::new();
    for mark in marks {
        match mark.to {
            Some((row, col)) => {
                let lines = gathered.lines.entry(mark.kind.into()).or_default();
                lines.push((mark.row, mark.col, row, col));
            }
            None if window.contains(mark.row, mark.col) => {
                cells.push((mark.kind, mark.row, mark.col));
            }
            None => {}
        }
    }
    cells.sort_unstable();
    cells.dedup();
    for (kind, row, col) in cells {
        let runs = gathered.cells.entry(kind.into()).or_default();
        match runs.last_mut() {
            Some((at, from, length)) if *at == row && *from + i64::from(*length) == col => {
                *length += 1;
            }
            _ => runs.push((row, col, 1)),
        }
    }
    gathered
}

/// What turns the old marks into the new ones. Both have their runs in order.
fn changed_marks(old: &Marks, new: &Marks) -> Marks {
    let mut changed = Marks { lines: new.lines.clone(), ..Marks::default() };
    let nothing = Vec::new();
    let kinds: BTreeSet<&String> = old.cells.keys().chain(new.cells.keys()).collect();
    for kind in kinds {
        let was = old.cells.get(kind).unwrap_or(&nothing);
        let is = new.cells.get(kind).unwrap_or(&nothing);
        let fresh: Vec<_> =
            is.iter().filter(|run| was.binary_search(run).is_err()).copied().collect();
        let begins = |&(row, col, _): &(i64, i64, u32)| (row, col);
        let gone = was.iter().map(begins).filter(|at| is.binary_search_by_key(at, begins).is_err());
        let gone: Vec<_> = gone.collect();
        if !fresh.is_empty() {
            changed.cells.insert(kind.clone(), fresh);
        }
        if !gone.is_empty() {
            changed.gone.insert(kind.clone(), gone);
        }
    }
    changed
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
    Json(request): Json<PlayRequest>,
) -> Result<Json<Played>, Problem> {
    let work = service.work.clone();
    let area = service.meant(request.area).await?.area;
    let begin = move || {
        let until = Instant::now() + PLAY_TIME;
        let tape = match &request.plan {
            None => None,
            Some(plan) => {
                let steps = area.steps(&plan_source(plan)?);
                let steps = steps.map_err(|diagnostic| Problem::bad_plan(&diagnostic))?;
                // One more than may be done, so that it is said where the plan is too long.
                Some(steps.take(MAX_PLAY_STEPS as usize + 1).collect())
            }
        };
        let mut play = Play::new(&*area, tape);
        let refused = play.act(&request.steps, until)?;
        let token = new_token();
        let done = play.done.clone();
        let played = play.played(&token, request.show, true, done, refused);
        let weight = play.weight();
        service.plays.put(&token, Arc::new(Mutex::new(play)), weight);
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
        let before = play.session.steps().saturating_sub(request.undo);
        if request.undo > 0 {
            play.rewind(before);
        }
        let mut refused = match request.seek {
            Some(step) => play.seek(step, until)?,
            None => None,
        };
        let from = play.done.len();
        if refused.is_none() {
            refused = play.act(&request.steps, until)?;
        }
        if let (None, Some([row, col])) = (&refused, request.aim) {
            let step = play.session.aim(row, col);
            let step = step.ok_or_else(|| Problem::unfit("nothing is aimed in this game"))?;
            refused = play.act(&[step], until)?;
        }
        let done = play.done[from..].to_vec();
        let played = play.played(&token, request.show, request.setup, done, refused);
        let weight = play.weight();
        drop(play);
        service.plays.put(&token, held, weight);
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
        Ok(play.session.plan())
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
