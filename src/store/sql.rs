//! The store's statements, the same for both databases: compiled once in `sqlite` and once in
//! `postgres`, whose types and few differing statements it takes from above.

use super::super::{
    Beat, Best, CONNECT_PATIENCE, Claimed, Ending, Job, JobFilter, JobState, KEEP_WORKERS_MS,
    NewJob, Pulse, Queue, Store, StoreError, StoredArea, Submitted, WORKERS_WITHIN, digest, now_ms,
    rank_text, since_ms,
};
use super::{BEGIN, Connection, Place, Pool, Row, SKIP_LOCKED, WRITERS};
use crate::games::{Facts, GameId, Standing};
use crate::search::{Progress, UnknownWord};
use crate::store::migrations::migrations;
use crate::store::{AreaText, Measure};
use crate::verify::Verified;
use async_trait::async_trait;
use serde::de::DeserializeOwned;
use sqlx::migrate::Migrator;
use sqlx::{Connection as _, FromRow, Row as _};
use std::collections::HashSet;
use std::sync::PoisonError;
use tokio::sync::{Mutex, Semaphore, SemaphorePermit};

/// Upper limit of the unreadable rows that are reported in the log, once each.
const MAX_TOLD: usize = 1000;
/// The columns that a job's row is read from.
const JOB: &str = "id, state, game, label, budget, optimal, progress, result, error, attempts,
    submitted_ms, started_ms, finished_ms";

type Database = <Row as sqlx::Row>::Database;
type Query<'q> = sqlx::query::Query<'q, Database, <Database as sqlx::Database>::Arguments>;

/// The store in a database.
pub struct Sql {
    pool: Pool,
    place: Place,
    /// Turns to write, first come, first served: a database that lets one write at a time lets
    /// anyone of those that wait be next.
    turns: Semaphore,
    /// The connection on which the store is asked how it is; none while it is not.
    watch: Mutex<Option<Connection>>,
    /// Rows that cannot be read and have been told.
    told: std::sync::Mutex<HashSet<String>>,
}

impl Sql {
    /// Makes or renews the tables.
    pub async fn new(pool: Pool, place: Place) -> Result<Self, StoreError> {
        let mut migrations = Migrator::with_migrations(migrations());
        // Other programs may keep theirs in the default table.
        migrations.dangerous_set_table_name("_outwit_migrations");
        migrations.run(&pool).await?;
        let turns = Semaphore::new(WRITERS);
        Ok(Sql { pool, place, turns, watch: Mutex::default(), told: Default::default() })
    }

    /// The pool, where the database is still what was opened.
    fn pool(&self) -> Result<&Pool, StoreError> {
        self.place.check()?;
        Ok(&self.pool)
    }

    /// Waits for a turn to write.
    async fn turn(&self) -> Result<SemaphorePermit<'_>, StoreError> {
        let turn = tokio::time::timeout(CONNECT_PATIENCE, self.turns.acquire()).await;
        let turn = turn.map_err(|_| sqlx::Error::PoolTimedOut)?;
        // The semaphore is never closed.
        turn.map_err(|_| sqlx::Error::PoolClosed.into())
    }

    /// Reads the first `limit` rows that can be read; others take the place of those that cannot.
    /// `page` asks for a number of rows after those that were passed.
    async fn readable_rows<'q, T>(
        &self,
        table: &'static str,
        limit: usize,
        page: impl Fn(i64, i64) -> Query<'q>,
        read: impl Fn(&Row) -> Result<T, StoreError>,
    ) -> Result<Vec<T>, StoreError> {
        let (pool, mut found, mut passed) = (self.pool()?, Vec::new(), 0);
        while found.len() < limit {
            let wanted = limit - found.len();
            let rows = page(wanted as i64, passed).fetch_all(pool).await?;
            found.extend(rows.iter().filter_map(|row| self.readable(table, row, read(row))));
            passed += rows.len() as i64;
            if rows.len() < wanted {
                break;
            }
        }
        Ok(found)
    }

    /// The content of a row; none if it cannot be read, which is counted, and logged once.
    fn readable<T>(
        &self,
        table: &'static str,
        row: &Row,
        read: Result<T, StoreError>,
    ) -> Option<T> {
        let error = match read {
            Ok(read) => return Some(read),
            Err(error) => error,
        };
        metrics::counter!("outwit_unreadable_rows_total", "table" => table).increment(1);
        let id = row.try_get::<String, _>("id").unwrap_or_default();
        let mut told = self.told.lock().unwrap_or_else(PoisonError::into_inner);
        if told.len() < MAX_TOLD && told.insert(format!("{table} {id}")) {
            tracing::error!(%error, table, id, "a row of the store is passed over");
        }
        None
    }
}

/// A row as a type of ours.
fn fields<'r, T: FromRow<'r, Row>>(row: &'r Row) -> Result<T, StoreError> {
    T::from_row(row).map_err(|error| StoreError::Content(error.to_string()))
}

/// Declares a struct that is read from a row whose columns are named like its fields. sqlx's derive would
/// compile both databases, SQLite's C code included, a second time.
macro_rules! row {
    ($(#[$doc:meta])* struct $name:ident { $($field:ident: $type:ty,)* }) => {
        $(#[$doc])*
        struct $name {
            $($field: $type,)*
        }

        impl<'r> FromRow<'r, Row> for $name {
            fn from_row(row: &'r Row) -> sqlx::Result<Self> {
                Ok($name { $($field: row.try_get(stringify!($field))?,)* })
            }
        }
    };
}

row! {
    /// A stored area's row with its best plan's.
    struct AreaRow {
        id: String,
        game: String,
        fingerprint: String,
        title: String,
        facts: String,
        bytes: i64,
        bound: i64,
        length: Option<i64>,
        plan_facts: Option<String>,
        found_ms: Option<i64>,
        found_by: Option<String>,
    }
}

const AREA: &str = "SELECT names.id, names.game, areas.fingerprint, areas.title, areas.facts,
        areas.bytes, areas.bound, plans.length, plans.facts AS plan_facts, plans.found_ms,
        plans.found_by
    FROM names JOIN areas ON areas.fingerprint = names.fingerprint
    LEFT JOIN plans ON plans.area = areas.fingerprint";

impl AreaRow {
    fn read(self) -> Result<StoredArea, StoreError> {
        self.game.parse::<GameId>().map_err(unknown_word)?;
        let best = match (self.length, self.plan_facts) {
            (Some(length), Some(facts)) => {
                let found = (self.found_ms, self.found_by);
                Some(best(length, self.bound, &facts, found)?)
            }
            _ => None,
        };
        Ok(StoredArea {
            id: self.id,
            game: self.game,
            fingerprint: self.fingerprint,
            title: self.title,
            facts: json(&self.facts)?,
            bytes: self.bytes as u64,
            best,
        })
    }
}

/// When a plan was found, and by whom.
type Found = (Option<i64>, Option<String>);

fn best(length: i64, bound: i64, facts: &str, found: Found) -> Result<Best, StoreError> {
    let standing = Standing::new(Some(length as u64), bound as u64);
    let (found_ms, found_by) = found;
    let facts = json(facts)?;
    Ok(Best { standing, facts, found_ms, found_by })
}

fn json<T: DeserializeOwned>(text: &str) -> Result<T, StoreError> {
    Ok(serde_json::from_str(text)?)
}

fn opt_json<T: DeserializeOwned>(text: Option<&str>) -> Result<Option<T>, StoreError> {
    text.map(json).transpose()
}

row! {
    /// A job's row.
    struct JobRow {
        id: String,
        state: String,
        game: String,
        label: String,
        budget: String,
        optimal: Option<String>,
        progress: Option<String>,
        result: Option<String>,
        error: Option<String>,
        attempts: i64,
        submitted_ms: i64,
        started_ms: Option<i64>,
        finished_ms: Option<i64>,
    }
}

impl JobRow {
    fn read(self) -> Result<Job, StoreError> {
        Ok(Job {
            id: self.id,
            state: state(&self.state)?,
            game: self.game,
            area: self.label,
            budget: json(&self.budget)?,
            optimal: self.optimal.map(Measure::named),
            progress: opt_json(self.progress.as_deref())?,
            result: opt_json(self.result.as_deref())?,
            error: self.error,
            attempts: self.attempts as u32,
            submitted_ms: self.submitted_ms,
            started_ms: self.started_ms,
            finished_ms: self.finished_ms,
        })
    }
}

fn state(word: &str) -> Result<JobState, StoreError> {
    word.parse().map_err(unknown_word)
}

fn unknown_word(error: UnknownWord) -> StoreError {
    StoreError::Content(error.to_string())
}

async fn job_row(connection: &mut Connection, id: &str) -> Result<Option<Job>, StoreError> {
    let sql = sqlx::AssertSqlSafe(format!("SELECT {JOB} FROM searches WHERE id = $1"));
    let row = sqlx::query(sql).bind(id).fetch_optional(connection).await?;
    row.map(|row| fields::<JobRow>(&row)?.read()).transpose()
}

async fn insert_area(connection: &mut Connection, area: &AreaText) -> Result<(), StoreError> {
    sqlx::query(
        "INSERT INTO areas (fingerprint, game, title, facts, text, bytes)
         VALUES ($1, $2, $3, $4, $5, $6) ON CONFLICT (fingerprint) DO NOTHING",
    )
    .bind(&area.fingerprint)
    .bind(area.game.name())
    .bind(&area.title)
    .bind(serde_json::to_string(&area.facts)?)
    .bind(&area.text)
    .bind(area.text.len() as i64)
    .execute(connection)
    .await?;
    Ok(())
}

/// Writes the job's row, unless it is there already, and says whether it did.
async fn insert_job(connection: &mut Connection, job: &NewJob) -> Result<bool, StoreError> {
    let written = sqlx::query(
        "INSERT INTO searches (id, area, game, label, budget, optimal, state, round, submitted_ms,
             owner, improve, begun, certify, request)
         VALUES ($1, $2, $3, $4, $5, $6, 'queued', 1, $7, $8, $9, $10, $11, $12)
         ON CONFLICT (id) DO UPDATE SET state = 'queued', round = searches.round + 1, claim = NULL,
             cancel = FALSE, attempts = 0, progress = NULL, result = NULL, error = NULL,
             submitted_ms = excluded.submitted_ms, started_ms = NULL, finished_ms = NULL,
             label = excluded.label, owner = excluded.owner, request = excluded.request,
             worker = NULL
         WHERE searches.state IN ('cancelled', 'failed')",
    )
    .bind(job.id())
    .bind(&job.area.fingerprint)
    .bind(job.area.game.name())
    .bind(&job.label)
    .bind(serde_json::to_string(&job.budget)?)
    .bind(&job.optimal)
    .bind(now_ms())
    .bind(job.key.as_deref().map(|key| digest(&[key])))
    .bind(&job.improve)
    .bind(&job.begun)
    .bind(job.certify)
    .bind(&job.request)
    .execute(connection)
    .await?;
    Ok(written.rows_affected() > 0)
}

row! {
    /// A claimed job's row.
    struct ClaimRow {
        id: String,
        area: String,
        game: String,
        budget: String,
        optimal: Option<String>,
        attempts: i64,
        improve: Option<String>,
        begun: Option<String>,
        certify: bool,
        request: Option<String>,
        submitted_ms: i64,
    }
}

/// Assignments for a job whose worker has given it up: the job waits again, or has ended if it was cancelled
/// meanwhile. `$1` is the time.
const GIVEN_BACK: &str = "state = CASE WHEN cancel THEN 'cancelled' ELSE 'queued' END,
    finished_ms = CASE WHEN cancel THEN $1 END, started_ms = CASE WHEN cancel THEN started_ms END,
    claim = NULL, worker = NULL, progress = NULL";

#[async_trait]
impl Store for Sql {
    async fn ping(&self) -> Result<(), StoreError> {
        self.place.check()?;
        let mut watch = self.watch.lock().await;
        // What is given up in the middle of an answer is not used again.
        let mut connection = match watch.take() {
            Some(connection) => connection,
            None => Connection::connect_with(&self.pool.connect_options()).await?,
        };
        sqlx::query("SELECT id FROM names LIMIT 1").execute(&mut connection).await?;
        *watch = Some(connection);
        Ok(())
    }

    async fn name_areas(&self, areas: &[(String, AreaText)]) -> Result<(), StoreError> {
        let _turn = self.turn().await?;
        let mut tx = self.pool()?.begin_with(BEGIN).await?;
        for (id, area) in areas {
            insert_area(&mut tx, area).await?;
            sqlx::query(
                "INSERT INTO names (id, game, fingerprint) VALUES ($1, $2, $3)
                 ON CONFLICT (id) DO UPDATE SET fingerprint = excluded.fingerprint
                 WHERE names.fingerprint <> excluded.fingerprint",
            )
            .bind(id)
            .bind(area.game.name())
            .bind(&area.fingerprint)
            .execute(&mut *tx)
            .await?;
        }
        tx.commit().await?;
        Ok(())
    }

    async fn count_areas(&self) -> Result<Vec<(String, u64)>, StoreError> {
        let sql = "SELECT game, COUNT(*) FROM names GROUP BY game";
        let rows: Vec<(String, i64)> = sqlx::query_as(sql).fetch_all(self.pool()?).await?;
        Ok(rows.into_iter().map(|(game, count)| (game, count as u64)).collect())
    }

    async fn areas(
        &self,
        game: Option<GameId>,
        after: &str,
        limit: u32,
    ) -> Result<Vec<StoredArea>, StoreError> {
        let sql = format!(
            "{AREA} WHERE names.id > $1 AND ($2 = '' OR names.game = $2)
             ORDER BY names.id LIMIT $3 OFFSET $4"
        );
        let page = |wanted, passed| {
            sqlx::query(sqlx::AssertSqlSafe(sql.as_str()))
                .bind(after)
                .bind(game.map_or("", GameId::name))
                .bind(wanted)
                .bind(passed)
        };
        let read = |row: &Row| fields(row).and_then(AreaRow::read);
        self.readable_rows("areas", limit as usize, page, read).await
    }

    async fn area(&self, id: &str) -> Result<Option<StoredArea>, StoreError> {
        let sql = sqlx::AssertSqlSafe(format!("{AREA} WHERE names.id = $1"));
        let row = sqlx::query(sql).bind(id).fetch_optional(self.pool()?).await?;
        row.map(|row| fields::<AreaRow>(&row)?.read()).transpose()
    }

    async fn text(&self, fingerprint: &str) -> Result<Option<String>, StoreError> {
        let sql = "SELECT text FROM areas WHERE fingerprint = $1";
        let row: Option<(String,)> =
            sqlx::query_as(sql).bind(fingerprint).fetch_optional(self.pool()?).await?;
        Ok(row.map(|(text,)| text))
    }

    async fn best(&self, fingerprint: &str) -> Result<Option<(Best, String)>, StoreError> {
        let sql = "SELECT plans.length, areas.bound, plans.facts, plans.plan, plans.found_ms,
                plans.found_by
            FROM plans JOIN areas ON areas.fingerprint = plans.area WHERE plans.area = $1";
        let row = sqlx::query(sql).bind(fingerprint).fetch_optional(self.pool()?).await?;
        let Some(row) = row else { return Ok(None) };
        let (length, bound, facts, plan, when, by): (i64, i64, String, String, _, _) =
            fields(&row)?;
        Ok(Some((best(length, bound, &facts, (when, by))?, plan)))
    }

    async fn keep_plan(
        &self,
        fingerprint: &str,
        plan: &Verified,
        by: Option<&str>,
    ) -> Result<bool, StoreError> {
        let validation = plan.validation();
        let _turn = self.turn().await?;
        let mut tx = self.pool()?.begin_with(BEGIN).await?;
        // A bound that a valid plan refutes is not kept.
        sqlx::query("UPDATE areas SET bound = 0 WHERE fingerprint = $1 AND bound > $2")
            .bind(fingerprint)
            .bind(validation.length as i64)
            .execute(&mut *tx)
            .await?;
        let kept = sqlx::query(
            "INSERT INTO plans (area, plan, length, facts, rank, found_ms, found_by)
             SELECT $1, $2, $3, $4, $5, $6, $7 FROM areas WHERE fingerprint = $1
             ON CONFLICT (area) DO UPDATE SET plan = excluded.plan, length = excluded.length,
                 facts = excluded.facts, rank = excluded.rank, found_ms = excluded.found_ms,
                 found_by = excluded.found_by
             WHERE excluded.rank < plans.rank",
        )
        .bind(fingerprint)
        .bind(plan.text())
        .bind(validation.length as i64)
        .bind(serde_json::to_string(&Facts::from(&*validation.facts))?)
        .bind(rank_text(&validation.rank))
        // When a plan of a folder was found is not known.
        .bind(by.map(|_| now_ms()))
        .bind(by.filter(|name| !name.is_empty()))
        .execute(&mut *tx)
        .await?;
        tx.commit().await?;
        Ok(kept.rows_affected() > 0)
    }

    async fn raise_bound(&self, fingerprint: &str, bound: u64) -> Result<(), StoreError> {
        let _turn = self.turn().await?;
        // No bound above a plan that is known: the plan is right.
        sqlx::query(
            "UPDATE areas SET bound = $2 WHERE fingerprint = $1 AND bound < $2
             AND NOT EXISTS (SELECT 1 FROM plans WHERE area = $1 AND length < $2)",
        )
        .bind(fingerprint)
        .bind(i64::try_from(bound).unwrap_or(i64::MAX))
        .execute(self.pool()?)
        .await?;
        Ok(())
    }

    async fn submit(&self, job: &NewJob, max_queued: u64) -> Result<Submitted, StoreError> {
        let id = job.id();
        let _turn = self.turn().await?;
        let mut tx = self.pool()?.begin_with(BEGIN).await?;
        if let Some(there) = job_row(&mut tx, &id).await?
            && !matches!(there.state, JobState::Cancelled | JobState::Failed)
        {
            return Ok(Submitted::Known(Box::new(there)));
        }
        let sql = "SELECT COUNT(*) FROM searches WHERE state = 'queued'";
        let (queued,): (i64,) = sqlx::query_as(sql).fetch_one(&mut *tx).await?;
        if queued as u64 >= max_queued {
            return Ok(Submitted::Full);
        }
        insert_area(&mut tx, &job.area).await?;
        let is_new = insert_job(&mut tx, job).await?;
        let there = job_row(&mut tx, &id).await?;
        tx.commit().await?;
        // A job in a file that nobody will find again is not accepted.
        self.place.check()?;
        let there = there.ok_or_else(|| StoreError::Content(format!("job {id} vanished")))?;
        let there = Box::new(there);
        Ok(if is_new { Submitted::New(there) } else { Submitted::Known(there) })
    }

    async fn job(&self, id: &str) -> Result<Option<Job>, StoreError> {
        let mut connection = self.pool()?.acquire().await?;
        job_row(&mut connection, id).await
    }

    async fn is_owner(&self, id: &str, key: &str) -> Result<bool, StoreError> {
        let sql = "SELECT id FROM searches WHERE id = $1 AND owner = $2";
        let row =
            sqlx::query(sql).bind(id).bind(digest(&[key])).fetch_optional(self.pool()?).await?;
        Ok(row.is_some())
    }

    async fn jobs(&self, filter: &JobFilter) -> Result<Vec<Job>, StoreError> {
        let (before_ms, before_id) = filter.before.clone().unwrap_or((i64::MAX, String::new()));
        let sql = format!(
            "SELECT {JOB} FROM searches WHERE ($1 = '' OR state = $1)
             AND (submitted_ms < $2 OR (submitted_ms = $2 AND id > $3))
             AND (NOT $5 OR EXISTS (SELECT 1 FROM names WHERE names.fingerprint = searches.area))
             ORDER BY submitted_ms DESC, id LIMIT $4 OFFSET $6"
        );
        let page = |wanted, passed| {
            sqlx::query(sqlx::AssertSqlSafe(sql.as_str()))
                .bind(filter.state.map_or("", JobState::name))
                .bind(before_ms)
                .bind(&before_id)
                .bind(wanted)
                .bind(filter.named)
                .bind(passed)
        };
        let read = |row: &Row| fields(row).and_then(JobRow::read);
        self.readable_rows("searches", filter.limit as usize, page, read).await
    }

    async fn count_jobs(&self) -> Result<Vec<(Option<JobState>, u64)>, StoreError> {
        let sql = "SELECT state, COUNT(*) FROM searches GROUP BY state";
        let rows = sqlx::query(sql).fetch_all(self.pool()?).await?;
        let count = |row: &Row| {
            let state = row.try_get::<String, _>(0).ok().and_then(|word| state(&word).ok());
            Ok((state, row.try_get::<i64, _>(1)? as u64))
        };
        rows.iter().map(count).collect()
    }

    async fn queue(&self) -> Result<Queue, StoreError> {
        let sql = "SELECT MIN(submitted_ms) FROM searches WHERE state = 'queued'";
        let (first,): (Option<i64>,) = sqlx::query_as(sql).fetch_one(self.pool()?).await?;
        let sql = "SELECT COUNT(*) FROM search_workers WHERE seen_ms > $1";
        let since = now_ms() - WORKERS_WITHIN.as_millis() as i64;
        let (workers,): (i64,) = sqlx::query_as(sql).bind(since).fetch_one(self.pool()?).await?;
        Ok(Queue { oldest: first.map_or_else(Default::default, since_ms), workers: workers as u64 })
    }

    async fn cancel(&self, id: &str) -> Result<bool, StoreError> {
        let _turn = self.turn().await?;
        let waiting = sqlx::query(
            "UPDATE searches SET state = 'cancelled', finished_ms = $2
             WHERE id = $1 AND state = 'queued'",
        )
        .bind(id)
        .bind(now_ms())
        .execute(self.pool()?)
        .await?;
        if waiting.rows_affected() == 0 {
            sqlx::query("UPDATE searches SET cancel = TRUE WHERE id = $1 AND state = 'running'")
                .bind(id)
                .execute(self.pool()?)
                .await?;
        }
        Ok(self.job(id).await?.is_some())
    }

    async fn claim(&self, worker: &str, claim: &str) -> Result<Option<Claimed>, StoreError> {
        let waits = "SELECT id FROM searches WHERE state = 'queued' LIMIT 1";
        // Reading needs no turn.
        if sqlx::query(waits).fetch_optional(self.pool()?).await?.is_none() {
            return Ok(None);
        }
        let sql = format!(
            "UPDATE searches SET state = 'running', claim = $1, worker = $2, started_ms = $3,
                 attempts = attempts + 1, progress = NULL
             WHERE state = 'queued' AND id = (SELECT id FROM searches WHERE state = 'queued'
                 ORDER BY submitted_ms, id LIMIT 1 {SKIP_LOCKED})
             RETURNING id, area, game, budget, optimal, attempts, improve, begun, certify, request,
                 submitted_ms"
        );
        let row = {
            let _turn = self.turn().await?;
            let claiming = sqlx::query(sqlx::AssertSqlSafe(sql)).bind(claim).bind(worker);
            claiming.bind(now_ms()).fetch_optional(self.pool()?).await?
        };
        let Some(row) = row else { return Ok(None) };
        let row: ClaimRow = fields(&row)?;
        let text = self.text(&row.area).await?;
        let known = match self.best(&row.area).await {
            // A plan that cannot be read is none that is known.
            Err(StoreError::Content(_)) => None,
            best => best?,
        };
        Ok(Some(Claimed {
            id: row.id,
            claim: claim.into(),
            attempts: row.attempts as u32,
            text: text.ok_or_else(|| StoreError::Content(format!("area {} vanished", row.area)))?,
            area: row.area,
            game: row.game,
            budget: json(&row.budget)?,
            optimal: row.optimal,
            improve: row.improve,
            begun: row.begun,
            certify: row.certify,
            known: known.map(|(_, plan)| plan),
            request: row.request,
            waited: since_ms(row.submitted_ms),
        }))
    }

    async fn beat(&self, claim: &str, progress: Option<&Progress>) -> Result<Beat, StoreError> {
        let progress = progress.map(serde_json::to_string).transpose()?;
        let _turn = self.turn().await?;
        let row: Option<(bool,)> = sqlx::query_as(
            "UPDATE searches SET progress = COALESCE($2, progress)
             WHERE claim = $1 AND state = 'running' RETURNING cancel",
        )
        .bind(claim)
        .bind(progress)
        .fetch_optional(self.pool()?)
        .await?;
        Ok(match row {
            None => Beat::Lost,
            Some((true,)) => Beat::Cancel,
            Some((false,)) => Beat::GoOn,
        })
    }

    async fn finish(&self, claim: &str, ending: &Ending) -> Result<bool, StoreError> {
        let (state, result, error) = match ending {
            Ending::Done(result) => (JobState::Done, Some(result), None),
            Ending::Cancelled(result) => (JobState::Cancelled, Some(result), None),
            Ending::Failed(why) => (JobState::Failed, None, Some(why.as_str())),
        };
        let result = result.map(serde_json::to_string).transpose()?;
        let _turn = self.turn().await?;
        let done = sqlx::query(
            "UPDATE searches SET state = $2, result = $3, error = $4, finished_ms = $5, claim = NULL,
                 worker = NULL, progress = NULL
             WHERE claim = $1 AND state = 'running'",
        )
        .bind(claim)
        .bind(state.name())
        .bind(result)
        .bind(error)
        .bind(now_ms())
        .execute(self.pool()?)
        .await?;
        Ok(done.rows_affected() > 0)
    }

    async fn release(&self, claim: &str, counts: bool) -> Result<(), StoreError> {
        let sql = format!(
            "UPDATE searches SET {GIVEN_BACK}, attempts = attempts - $2
             WHERE claim = $3 AND state = 'running'"
        );
        let _turn = self.turn().await?;
        let released = sqlx::query(sqlx::AssertSqlSafe(sql)).bind(now_ms());
        released.bind(i64::from(!counts)).bind(claim).execute(self.pool()?).await?;
        Ok(())
    }

    async fn pulse(&self, worker: &str) -> Result<Vec<Pulse>, StoreError> {
        let _turn = self.turn().await?;
        sqlx::query(
            "INSERT INTO search_workers (id, beats, seen_ms) VALUES ($1, 1, $2)
             ON CONFLICT (id) DO UPDATE SET beats = search_workers.beats + 1,
                 seen_ms = excluded.seen_ms",
        )
        .bind(worker)
        .bind(now_ms())
        .execute(self.pool()?)
        .await?;
        let sql = "SELECT DISTINCT COALESCE(searches.worker, ''), COALESCE(beats, 0)
             FROM searches LEFT JOIN search_workers ON search_workers.id = searches.worker
             WHERE searches.state = 'running'";
        let rows: Vec<(String, i64)> = sqlx::query_as(sql).fetch_all(self.pool()?).await?;
        Ok(rows.into_iter().map(|(worker, beats)| Pulse { worker, beats }).collect())
    }

    async fn take_over(&self, lost: &Pulse) -> Result<u64, StoreError> {
        let sql = format!(
            "UPDATE searches SET {GIVEN_BACK}
             WHERE state = 'running' AND COALESCE(worker, '') = $2
             AND NOT EXISTS (SELECT 1 FROM search_workers WHERE id = $2 AND beats <> $3)"
        );
        let _turn = self.turn().await?;
        let taken = sqlx::query(sqlx::AssertSqlSafe(sql)).bind(now_ms());
        let taken = taken.bind(&lost.worker).bind(lost.beats).execute(self.pool()?).await?;
        Ok(taken.rows_affected())
    }

    async fn leave(&self, worker: &str) -> Result<(), StoreError> {
        let _turn = self.turn().await?;
        let sql = "DELETE FROM search_workers WHERE id = $1";
        sqlx::query(sql).bind(worker).execute(self.pool()?).await?;
        Ok(())
    }

    async fn tidy(&self, keep: u64) -> Result<(), StoreError> {
        let keep = i64::try_from(keep).unwrap_or(i64::MAX);
        let _turn = self.turn().await?;
        let mut tx = self.pool()?.begin_with(BEGIN).await?;
        let settled = "('done', 'cancelled', 'failed')";
        let old_jobs = format!(
            "DELETE FROM searches WHERE state IN {settled} AND id NOT IN (
                 SELECT id FROM searches WHERE state IN {settled}
                 ORDER BY submitted_ms DESC, id LIMIT $1)"
        );
        sqlx::query(sqlx::AssertSqlSafe(old_jobs)).bind(keep).execute(&mut *tx).await?;
        for (table, key) in [("plans", "plans.area"), ("areas", "areas.fingerprint")] {
            let sql = format!(
                "DELETE FROM {table}
                 WHERE NOT EXISTS (SELECT 1 FROM names WHERE names.fingerprint = {key})
                 AND NOT EXISTS (SELECT 1 FROM searches WHERE searches.area = {key})"
            );
            sqlx::query(sqlx::AssertSqlSafe(sql)).execute(&mut *tx).await?;
        }
        let old_workers = "DELETE FROM search_workers WHERE seen_ms < $1 AND NOT EXISTS (
             SELECT 1 FROM searches WHERE worker = search_workers.id)";
        sqlx::query(old_workers).bind(now_ms() - KEEP_WORKERS_MS).execute(&mut *tx).await?;
        tx.commit().await?;
        Ok(())
    }
}
