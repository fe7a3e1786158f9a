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
    let options = options(path);
    // A pool says no more than that it had no success in time: a connection by itself says why.
    let first = first_connection(&options).await.map_err(|error| StoreError::Open {
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

fn options(path: &Path) -> SqliteConnectOptions {
    SqliteConnectOptions::new()
        .filename(path)
        .create_if_missing(true)
        .journal_mode(SqliteJournalMode::Wal)
        .synchronous(SqliteSynchronous::Normal)
        .busy_timeout(DATABASE_PATIENCE)
        .foreign_keys(true)
}

/// Turning a new file to write-ahead logging takes it alone, and SQLite does not wait its turn for that:
/// of two processes that open a new file at once, one is told that it is locked, and tries again.
async fn first_connection(options: &SqliteConnectOptions) -> Result<SqliteConnection, sqlx::Error> {
    let mut tries = 1;
    loop {
        match SqliteConnection::connect_with(options).await {
            Err(error) if is_busy(&error) && tries < SETUP_TRIES => tries += 1,
            ended => return ended,
        }
        tokio::time::sleep(SETUP_PAUSE).await;
    }
}

/// Whether somebody else held the file: SQLite's result code, whose low byte is the primary one.
fn is_busy(error: &sqlx::Error) -> bool {
    const SQLITE_BUSY: u32 = 5;
    let sqlx::Error::Database(error) = error else { return false };
    let code = error.code().and_then(|code| code.parse::<u32>().ok());
    code.is_some_and(|code| code & 0xff == SQLITE_BUSY)
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

#[cfg(test)]
mod tests {
    use super::*;
    use sqlx::Executor as _;

    #[tokio::test]
    async fn whoever_is_told_that_a_file_is_locked_tries_again() {
        let folder = tempfile::tempdir().unwrap();
        let path = folder.path().join("new.db");
        // Without this patience SQLite says at once what it says at times in spite of it.
        let options = options(&path).busy_timeout(Duration::ZERO);
        let other = SqliteConnectOptions::new().filename(&path).create_if_missing(true);
        let mut other = SqliteConnection::connect_with(&other).await.unwrap();
        other.execute("BEGIN EXCLUSIVE").await.unwrap();
        assert!(is_busy(&SqliteConnection::connect_with(&options).await.unwrap_err()));
        let opening = tokio::spawn(async move { first_connection(&options).await.map(drop) });
        tokio::time::sleep(3 * SETUP_PAUSE).await;
        assert!(!opening.is_finished());
        other.execute("COMMIT").await.unwrap();
        opening.await.unwrap().unwrap();
    }
}
