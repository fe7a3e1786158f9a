//! The store in a PostgreSQL database.

// `sql.rs` is compiled once for each database, with the types that this module names.
#[path = "sql.rs"]
#[allow(clippy::duplicate_mod)]
mod sql;

use super::{DATABASE_PATIENCE, MAX_CONNECTIONS, QUEUE, StoreError};
use apalis_postgres::{PgTask, PostgresStorage};
use sqlx::postgres::{PgConnection, PgPoolOptions};

type Pool = sqlx::PgPool;
type Connection = PgConnection;
type Storage<T> = PostgresStorage<T>;
type Config = apalis_postgres::Config;
type Task = PgTask;

const BEGIN: &str = "BEGIN";
const TIDY_MESSAGES: &str = "DELETE FROM apalis.jobs WHERE status IN ('Done', 'Killed')
    AND done_at < now() - $1 * interval '1 second'";
const TIDY_WORKERS: &str = "DELETE FROM apalis.workers
    WHERE last_seen < now() - $1 * interval '1 second'
    AND NOT EXISTS (SELECT 1 FROM apalis.jobs WHERE lock_by = apalis.workers.id)";

/// Connects to the database.
pub async fn open(url: &str) -> Result<sql::Sql, StoreError> {
    let pool = PgPoolOptions::new()
        .max_connections(MAX_CONNECTIONS)
        .acquire_timeout(DATABASE_PATIENCE)
        .connect(url)
        .await?;
    PostgresStorage::setup(&pool).await.map_err(|error| StoreError::Queue(error.to_string()))?;
    sql::Sql::new(pool).await
}

async fn push(connection: &mut Connection, task: Task) -> Result<(), StoreError> {
    apalis_postgres::queries::push_tasks(connection, QUEUE, vec![task])
        .await
        .map_err(|error| StoreError::Queue(error.to_string()))
}
