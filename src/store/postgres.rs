//! The store in a PostgreSQL database.

// `sql.rs` is compiled once for each database, with the types that this module names.
#[path = "sql.rs"]
#[allow(clippy::duplicate_mod)]
mod sql;

use super::{CONNECT_PATIENCE, DATABASE_PATIENCE, MAX_CONNECTIONS, QUEUE, StoreError};
use apalis_postgres::{PgTask, PostgresStorage};
use sqlx::Connection as _;
use sqlx::postgres::{PgConnectOptions, PgConnection, PgPoolOptions};

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
    let options: PgConnectOptions = url.parse()?;
    // A pool tries again and again, and in the end says no more than that it has: one connection
    // by itself says what is wrong.
    first_connection(&options).await?;
    let pool = PgPoolOptions::new()
        .max_connections(MAX_CONNECTIONS)
        .acquire_timeout(CONNECT_PATIENCE)
        .connect_with(options)
        .await?;
    PostgresStorage::setup(&pool).await.map_err(|error| StoreError::Queue(error.to_string()))?;
    sql::Sql::new(pool).await
}

async fn first_connection(options: &PgConnectOptions) -> Result<(), StoreError> {
    let connecting = PgConnection::connect_with(options);
    let cause = match tokio::time::timeout(DATABASE_PATIENCE, connecting).await {
        Ok(Ok(connection)) => return Ok(connection.close().await?),
        Ok(Err(error)) => error.to_string(),
        Err(_) => format!("no connection within {} s", DATABASE_PATIENCE.as_secs()),
    };
    // Without the password.
    let (user, host, port) = (options.get_username(), options.get_host(), options.get_port());
    let database = options.get_database().unwrap_or(user);
    let store = format!("postgres://{user}@{host}:{port}/{database}");
    Err(StoreError::Open { store, cause })
}

async fn push(connection: &mut Connection, task: Task) -> Result<(), StoreError> {
    apalis_postgres::queries::push_tasks(connection, QUEUE, vec![task])
        .await
        .map_err(|error| StoreError::Queue(error.to_string()))
}
