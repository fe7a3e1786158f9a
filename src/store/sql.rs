//! The store's statements, the same for both databases: compiled once in `sqlite` and once in
//! `postgres`, whose types and few differing statements it takes from above.

use super::super::{
    Beat, Best, Claimed, Ending, HEARTBEAT, Handled, Handler, Job, JobFilter, JobProgress,
    JobResult, JobState, KEEP_MESSAGES_SECONDS, MAX_DELIVERIES, MISSED_HEARTBEATS, Message, NewJob,
    POLL, QUEUE, Store, StoreError, StoredArea, Submitted, digest, now_ms, rank_text,
};
use super::{BEGIN, Config, Connection, Pool, Storage, TIDY_MESSAGES, TIDY_WORKERS};
use crate::games::GameId;
use crate::search::Verdict;
use crate::store::AreaText;
use crate::verify::Verified;
use apalis::prelude::{
    BackendExt, BoxDynError, Data, TaskBuilder, WorkerBuilder, WorkerBuilderExt,
};
use async_trait::async_trait;
use serde::de::DeserializeOwned;
use sqlx::{Connection as _, FromRow};
use std::sync::Arc;
use tokio::runtime::Handle;
use tokio::sync::{Mutex, watch};

/// Workers that were not seen for this long and have nothing locked are forgotten, in seconds.
const KEEP_WORKERS_SECONDS: i64 = 24 * 3600;
/// What a job's row is read as.
const JOB: &str = "id, state, game, label, budget, optimal, progress, result, error, attempts,
    submitted_ms, started_ms, finished_ms";

/// The store in a database.
pub struct Sql {
    pool: Pool,
    /// The connection on which the store is asked how it is; none while it is not.
    watch: Mutex<Option<Connection>>,
}

impl Sql {
    /// Makes or renews the tables.
    pub async fn new(pool: Pool) -> Result<Self, StoreError> {
        let mut migrations = sqlx::migrate!("src/store/migrations");
        // The queue has its own migrations in the default table.
        migrations.dangerous_set_table_name("_outwit_migrations");
        migrations.run(&pool).await?;
        Ok(Sql { pool, watch: Mutex::default() })
    }
}

/// A stored area's row with its best plan's.
#[derive(FromRow)]
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

const AREA: &str = "SELECT names.id, names.game, areas.fingerprint, areas.title, areas.facts,
        areas.bytes, areas.bound, plans.length, plans.facts AS plan_facts, plans.found_ms,
        plans.found_by
    FROM names JOIN areas ON areas.fingerprint = names.fingerprint
    LEFT JOIN plans ON plans.area = areas.fingerprint";

impl AreaRow {
    fn read(self) -> Result<StoredArea, StoreError> {
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
    let (length, bound) = (length as u64, bound as u64);
    let (found_ms, found_by) = found;
    let facts = json(facts)?;
    Ok(Best { length, bound, optimal: length == bound, facts, found_ms, found_by })
}

fn json<T: DeserializeOwned>(text: &str) -> Result<T, StoreError> {
    Ok(serde_json::from_str(text)?)
}

fn opt_json<T: DeserializeOwned>(text: Option<&str>) -> Result<Option<T>, StoreError> {
    text.map(json).transpose()
}

/// A job's row.
#[derive(FromRow)]
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

impl JobRow {
    fn read(self) -> Result<Job, StoreError> {
        let mut result: Option<JobResult> = opt_json(self.result.as_deref())?;
        // Older versions have written a number where there is no bound.
        if let Some(result) = result.as_mut().filter(|r| r.verdict == Verdict::Impossible.name()) {
            result.bound = None;
        }
        Ok(Job {
            id: self.id,
            state: state(&self.state)?,
            game: self.game,
            area: self.label,
            budget: json(&self.budget)?,
            optimal: self.optimal,
            progress: opt_json(self.progress.as_deref())?,
            result,
            error: self.error,
            attempts: self.attempts as u32,
            submitted_ms: self.submitted_ms,
            started_ms: self.started_ms,
            finished_ms: self.finished_ms,
        })
    }
}

fn state(word: &str) -> Result<JobState, StoreError> {
    word.parse().map_err(StoreError::Content)
}

async fn job_row(connection: &mut Connection, id: &str) -> Result<Option<Job>, StoreError> {
    let sql = sqlx::AssertSqlSafe(format!("SELECT {JOB} FROM searches WHERE id = $1"));
    let row: Option<JobRow> = sqlx::query_as(sql).bind(id).fetch_optional(connection).await?;
    row.map(JobRow::read).transpose()
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

/// Writes the job's row; the number of this submission, or none where it is there already.
async fn insert_job(connection: &mut Connection, job: &NewJob) -> Result<Option<i64>, StoreError> {
    let round: Option<(i64,)> = sqlx::query_as(
        "INSERT INTO searches (id, area, game, label, budget, optimal, state, round, submitted_ms,
             owner, improve, begun)
         VALUES ($1, $2, $3, $4, $5, $6, 'queued', 1, $7, $8, $9, $10)
         ON CONFLICT (id) DO UPDATE SET state = 'queued', round = searches.round + 1, claim = NULL,
             cancel = FALSE, attempts = 0, progress = NULL, result = NULL, error = NULL,
             submitted_ms = excluded.submitted_ms, started_ms = NULL, finished_ms = NULL,
             label = excluded.label, owner = excluded.owner
         WHERE searches.state IN ('cancelled', 'failed')
         RETURNING round",
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
    .fetch_optional(connection)
    .await?;
    Ok(round.map(|(round,)| round))
}

/// A claimed job's row.
#[derive(FromRow)]
struct ClaimRow {
    area: String,
    game: String,
    budget: String,
    optimal: Option<String>,
    attempts: i64,
    improve: Option<String>,
    begun: Option<String>,
}

#[async_trait]
impl Store for Sql {
    async fn ping(&self) -> Result<(), StoreError> {
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
        let mut tx = self.pool.begin_with(BEGIN).await?;
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
        let rows: Vec<(String, i64)> = sqlx::query_as(sql).fetch_all(&self.pool).await?;
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
             ORDER BY names.id LIMIT $3"
        );
        let rows: Vec<AreaRow> = sqlx::query_as(sqlx::AssertSqlSafe(sql))
            .bind(after)
            .bind(game.map_or("", GameId::name))
            .bind(i64::from(limit))
            .fetch_all(&self.pool)
            .await?;
        rows.into_iter().map(AreaRow::read).collect()
    }

    async fn area(&self, id: &str) -> Result<Option<StoredArea>, StoreError> {
        let sql = sqlx::AssertSqlSafe(format!("{AREA} WHERE names.id = $1"));
        let row: Option<AreaRow> = sqlx::query_as(sql).bind(id).fetch_optional(&self.pool).await?;
        row.map(AreaRow::read).transpose()
    }

    async fn text(&self, fingerprint: &str) -> Result<Option<String>, StoreError> {
        let sql = "SELECT text FROM areas WHERE fingerprint = $1";
        let row: Option<(String,)> =
            sqlx::query_as(sql).bind(fingerprint).fetch_optional(&self.pool).await?;
        Ok(row.map(|(text,)| text))
    }

    async fn best(&self, fingerprint: &str) -> Result<Option<(Best, String)>, StoreError> {
        let sql = "SELECT plans.length, areas.bound, plans.facts, plans.plan, plans.found_ms,
                plans.found_by
            FROM plans JOIN areas ON areas.fingerprint = plans.area WHERE plans.area = $1";
        let row: Option<(i64, i64, String, String, Option<i64>, Option<String>)> =
            sqlx::query_as(sql).bind(fingerprint).fetch_optional(&self.pool).await?;
        let Some((length, bound, facts, plan, when, by)) = row else { return Ok(None) };
        Ok(Some((best(length, bound, &facts, (when, by))?, plan)))
    }

    async fn keep_plan(
        &self,
        fingerprint: &str,
        plan: &Verified,
        by: Option<&str>,
    ) -> Result<bool, StoreError> {
        let validation = plan.validation();
        let mut tx = self.pool.begin_with(BEGIN).await?;
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
        .bind(serde_json::to_string(&crate::store::facts(&validation.facts))?)
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
        // No bound above a plan that is known: the plan is right.
        sqlx::query(
            "UPDATE areas SET bound = $2 WHERE fingerprint = $1 AND bound < $2
             AND NOT EXISTS (SELECT 1 FROM plans WHERE area = $1 AND length < $2)",
        )
        .bind(fingerprint)
        .bind(i64::try_from(bound).unwrap_or(i64::MAX))
        .execute(&self.pool)
        .await?;
        Ok(())
    }

    async fn submit(&self, job: &NewJob, max_queued: u64) -> Result<Submitted, StoreError> {
        let id = job.id();
        let mut tx = self.pool.begin_with(BEGIN).await?;
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
        let round = insert_job(&mut tx, job).await?;
        if let Some(round) = round {
            let message = serde_json::to_vec(&Message { job: id.clone(), round })?;
            let task = TaskBuilder::new(message).max_attempts(MAX_DELIVERIES).build();
            super::push(&mut tx, task).await?;
        }
        let there = job_row(&mut tx, &id).await?;
        tx.commit().await?;
        let there = there.ok_or_else(|| StoreError::Content(format!("job {id} vanished")))?;
        Ok(match round {
            Some(_) => Submitted::New(Box::new(there)),
            None => Submitted::Known(Box::new(there)),
        })
    }

    async fn job(&self, id: &str) -> Result<Option<Job>, StoreError> {
        let mut connection = self.pool.acquire().await?;
        job_row(&mut connection, id).await
    }

    async fn is_owner(&self, id: &str, key: &str) -> Result<bool, StoreError> {
        let sql = "SELECT id FROM searches WHERE id = $1 AND owner = $2";
        let row = sqlx::query(sql).bind(id).bind(digest(&[key])).fetch_optional(&self.pool).await?;
        Ok(row.is_some())
    }

    async fn jobs(&self, filter: &JobFilter) -> Result<Vec<Job>, StoreError> {
        let (before_ms, before_id) = filter.before.clone().unwrap_or((i64::MAX, String::new()));
        let sql = format!(
            "SELECT {JOB} FROM searches WHERE ($1 = '' OR state = $1)
             AND (submitted_ms < $2 OR (submitted_ms = $2 AND id > $3))
             AND (NOT $5 OR EXISTS (SELECT 1 FROM names WHERE names.fingerprint = searches.area))
             ORDER BY submitted_ms DESC, id LIMIT $4"
        );
        let rows: Vec<JobRow> = sqlx::query_as(sqlx::AssertSqlSafe(sql))
            .bind(filter.state.map_or("", JobState::name))
            .bind(before_ms)
            .bind(before_id)
            .bind(i64::from(filter.limit))
            .bind(filter.named)
            .fetch_all(&self.pool)
            .await?;
        rows.into_iter().map(JobRow::read).collect()
    }

    async fn count_jobs(&self) -> Result<Vec<(JobState, u64)>, StoreError> {
        let sql = "SELECT state, COUNT(*) FROM searches GROUP BY state";
        let rows: Vec<(String, i64)> = sqlx::query_as(sql).fetch_all(&self.pool).await?;
        rows.into_iter().map(|(word, count)| Ok((state(&word)?, count as u64))).collect()
    }

    async fn cancel(&self, id: &str) -> Result<bool, StoreError> {
        let waiting = sqlx::query(
            "UPDATE searches SET state = 'cancelled', finished_ms = $2
             WHERE id = $1 AND state = 'queued'",
        )
        .bind(id)
        .bind(now_ms())
        .execute(&self.pool)
        .await?;
        if waiting.rows_affected() == 0 {
            sqlx::query("UPDATE searches SET cancel = TRUE WHERE id = $1 AND state = 'running'")
                .bind(id)
                .execute(&self.pool)
                .await?;
        }
        Ok(self.job(id).await?.is_some())
    }

    async fn claim(&self, message: &Message) -> Result<Option<Claimed>, StoreError> {
        let mut tx = self.pool.begin_with(BEGIN).await?;
        // Cancelled while a worker had it that has died since: it ends here.
        sqlx::query(
            "UPDATE searches SET state = 'cancelled', finished_ms = $3, claim = NULL, progress = NULL
             WHERE id = $1 AND round = $2 AND state = 'running' AND cancel",
        )
        .bind(&message.job)
        .bind(message.round)
        .bind(now_ms())
        .execute(&mut *tx)
        .await?;
        let claim = ulid::Ulid::generate().to_string();
        let row: Option<ClaimRow> = sqlx::query_as(
            "UPDATE searches SET state = 'running', claim = $3, attempts = attempts + 1,
                 started_ms = $4, progress = NULL
             WHERE id = $1 AND round = $2 AND state IN ('queued', 'running')
             RETURNING area, game, budget, optimal, attempts, improve, begun",
        )
        .bind(&message.job)
        .bind(message.round)
        .bind(&claim)
        .bind(now_ms())
        .fetch_optional(&mut *tx)
        .await?;
        tx.commit().await?;
        let Some(row) = row else { return Ok(None) };
        let text = self.text(&row.area).await?;
        let known = self.best(&row.area).await?;
        Ok(Some(Claimed {
            id: message.job.clone(),
            claim,
            attempts: row.attempts as u32,
            text: text.ok_or_else(|| StoreError::Content(format!("area {} vanished", row.area)))?,
            area: row.area,
            game: row.game,
            budget: json(&row.budget)?,
            optimal: row.optimal,
            improve: row.improve,
            begun: row.begun,
            known: known.map(|(_, plan)| plan),
        }))
    }

    async fn beat(
        &self,
        id: &str,
        claim: &str,
        progress: Option<&JobProgress>,
    ) -> Result<Beat, StoreError> {
        let progress = progress.map(serde_json::to_string).transpose()?;
        let row: Option<(bool,)> = sqlx::query_as(
            "UPDATE searches SET progress = COALESCE($3, progress)
             WHERE id = $1 AND claim = $2 AND state = 'running' RETURNING cancel",
        )
        .bind(id)
        .bind(claim)
        .bind(progress)
        .fetch_optional(&self.pool)
        .await?;
        Ok(match row {
            None => Beat::Lost,
            Some((true,)) => Beat::Cancel,
            Some((false,)) => Beat::GoOn,
        })
    }

    async fn finish(&self, id: &str, claim: &str, ending: &Ending) -> Result<bool, StoreError> {
        let (state, result, error) = match ending {
            Ending::Done(result) => (JobState::Done, Some(result), None),
            Ending::Cancelled(result) => (JobState::Cancelled, Some(result), None),
            Ending::Failed(why) => (JobState::Failed, None, Some(why.as_str())),
        };
        let result = result.map(serde_json::to_string).transpose()?;
        let done = sqlx::query(
            "UPDATE searches SET state = $3, result = $4, error = $5, finished_ms = $6, claim = NULL,
                 progress = NULL
             WHERE id = $1 AND claim = $2 AND state = 'running'",
        )
        .bind(id)
        .bind(claim)
        .bind(state.name())
        .bind(result)
        .bind(error)
        .bind(now_ms())
        .execute(&self.pool)
        .await?;
        Ok(done.rows_affected() > 0)
    }

    async fn release(&self, id: &str, claim: &str, counts: bool) -> Result<(), StoreError> {
        sqlx::query(
            "UPDATE searches SET state = 'queued', claim = NULL, attempts = attempts - $3,
                 started_ms = NULL, progress = NULL
             WHERE id = $1 AND claim = $2 AND state = 'running'",
        )
        .bind(id)
        .bind(claim)
        .bind(i64::from(!counts))
        .execute(&self.pool)
        .await?;
        Ok(())
    }

    async fn tidy(&self, keep: u64) -> Result<(), StoreError> {
        let keep = i64::try_from(keep).unwrap_or(i64::MAX);
        let mut tx = self.pool.begin_with(BEGIN).await?;
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
        sqlx::query(TIDY_MESSAGES).bind(KEEP_MESSAGES_SECONDS).execute(&mut *tx).await?;
        sqlx::query(TIDY_WORKERS).bind(KEEP_WORKERS_SECONDS).execute(&mut *tx).await?;
        tx.commit().await?;
        Ok(())
    }

    async fn work(
        &self,
        name: &str,
        at_a_time: usize,
        handler: Arc<dyn Handler>,
        stop: watch::Receiver<bool>,
    ) -> Result<(), StoreError> {
        let (pool, name, runtime) = (self.pool.clone(), name.to_string(), Handle::current());
        // The queue's loop has a thread of its own: its future is not one that can be moved.
        let worker = move || runtime.block_on(work(&pool, &name, at_a_time, Hands(handler), stop));
        let ended = tokio::task::spawn_blocking(worker).await;
        ended.map_err(|panicked| StoreError::Queue(panicked.to_string()))?
    }
}

/// The handler, in a type that the queue can carry.
#[derive(Clone)]
struct Hands(Arc<dyn Handler>);

async fn work(
    pool: &Pool,
    name: &str,
    at_a_time: usize,
    hands: Hands,
    mut stop: watch::Receiver<bool>,
) -> Result<(), StoreError> {
    // One message at a time: what waits in a worker's hands could be done by another.
    let config = Config::default()
        .queue(QUEUE)
        .batch_size(1)
        .heartbeat_interval(HEARTBEAT)
        .missed_heartbeats(MISSED_HEARTBEATS);
    let backend = Storage::<Message>::new(pool).with_config(config).poll_with_interval(POLL);
    let worker =
        WorkerBuilder::new(name).backend(backend).concurrency(at_a_time).data(hands).build(handle);
    let stopped = async move {
        // A sender that is gone means the same.
        let _ = stop.wait_for(|&stop| stop).await;
        Ok::<(), std::io::Error>(())
    };
    worker.run_until(stopped).await.map_err(|error| StoreError::Queue(error.to_string()))
}

/// Hands a message to the handler; an error puts it back on the queue.
async fn handle(message: Message, hands: Data<Hands>) -> Result<(), BoxDynError> {
    match hands.0.0.handle(message).await {
        Handled::Through => Ok(()),
        Handled::Back => Err("given back".into()),
    }
}
