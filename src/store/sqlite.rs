//! The store in a file of SQLite.

// `sql.rs` is compiled once for each database, with the types that this module names.
#[path = "sql.rs"]
#[allow(clippy::duplicate_mod)]
mod sql;

use super::{CONNECT_PATIENCE, DATABASE_PATIENCE, MAX_CONNECTIONS, QUEUE, StoreError};
use apalis_sqlite::{SqliteStorage, SqliteTask};
use sqlx::Connection as _;
use sqlx::sqlite::{
    SqliteConnectOptions, SqliteConnection, SqliteJournalMode, SqlitePoolOptions, SqliteSynchronous,
};
use std::path::Path;
use std::time::Duration;

type Pool = sqlx::SqlitePool;
type Connection = SqliteConnection;
type Storage<T> = SqliteStorage<T>;
type Config = apalis_sqlite::Config;
type Task = SqliteTask;

/// How often a new file is tried to be set up.
const SETUP_TRIES: u32 = 40;
/// The pause between two tries.
const SETUP_PAUSE: Duration = Duration::from_millis(100);
/// One writer at a time: a transaction that will write says so at once, and waits its turn.
const BEGIN: &str = "BEGIN IMMEDIATE";
const TIDY_MESSAGES: &str = "DELETE FROM Jobs WHERE status IN ('Done', 'Killed')
    AND done_at < CAST(strftime('%s', 'now') AS INTEGER) - $1";
const TIDY_WORKERS: &str = "DELETE FROM Workers
    WHERE last_seen < CAST(strftime('%s', 'now') AS INTEGER) - $1
    AND NOT EXISTS (SELECT 1 FROM Jobs WHERE lock_by = Workers.id)";

/// Opens the file, or makes it.
pub async fn open(path: &Path) -> Result<sql::Sql, StoreError> {
    let options = SqliteConnectOptions::new()
        .filename(path)
        .create_if_missing(true)
        .journal_mode(SqliteJournalMode::Wal)
        .synchronous(SqliteSynchronous::Normal)
        .busy_timeout(DATABASE_PATIENCE)
        .foreign_keys(true);
    // A pool says no more than that it had no success in time: a connection by itself says why.
    let first = SqliteConnection::connect_with(&options).await;
    let first = first.map_err(|error| StoreError::Open {
        store: path.display().to_string(),
        cause: error.to_string(),
    })?;
    let pool = SqlitePoolOptions::new()
        .max_connections(MAX_CONNECTIONS)
        .acquire_timeout(CONNECT_PATIENCE)
        .connect_with(options)
        .await?;
    first.close().await?;
    // Two processes that set up a new file at once may meet: whoever comes second looks again and
    // finds the tables there.
    let mut tries = 1;
    loop {
        match set_up(&pool).await {
            Err(StoreError::Migration(_)) if tries < SETUP_TRIES => tries += 1,
            ended => return ended,
        }
        tokio::time::sleep(SETUP_PAUSE).await;
    }
}

async fn set_up(pool: &Pool) -> Result<sql::Sql, StoreError> {
    // Not `setup`: that would also turn off the syncing that keeps the file whole.
    SqliteStorage::migrations().run(pool).await?;
    sql::Sql::new(pool.clone()).await
}

async fn push(connection: &mut Connection, task: Task) -> Result<(), StoreError> {
    apalis_sqlite::queries::push_tasks(connection, QUEUE, &[task])
        .await
        .map_err(|error| StoreError::Queue(error.to_string()))
}
