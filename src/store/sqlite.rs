//! The store in a file of SQLite.

// `sql.rs` is compiled once for each database, with the types that this module names.
#[path = "sql.rs"]
#[allow(clippy::duplicate_mod)]
mod sql;

use super::{CONNECT_PATIENCE, DATABASE_PATIENCE, StoreError};
use sqlx::Connection as _;
use sqlx::sqlite::{
    SqliteConnectOptions, SqliteConnection, SqliteJournalMode, SqlitePoolOptions, SqliteRow,
    SqliteSynchronous,
};
use std::path::{Path, PathBuf};
use std::time::Duration;

type Pool = sqlx::SqlitePool;
type Connection = SqliteConnection;
type Row = SqliteRow;

/// Number of times that a new file is tried to be set up.
const SETUP_TRIES: u32 = 40;
/// Pause between two such tries.
const SETUP_PAUSE: Duration = Duration::from_millis(100);
/// One writer at a time: a transaction that will write says so at once, and waits its turn.
const BEGIN: &str = "BEGIN IMMEDIATE";
/// There is one writer: nothing that is found can be locked.
const SKIP_LOCKED: &str = "";
/// Number of this process's writers that wait at a time for those of other processes.
const WRITERS: usize = 1;

/// The file that was opened, to be told from whatever has its name later.
pub struct Place {
    path: PathBuf,
    file: Option<FileId>,
}

impl Place {
    fn new(path: &Path) -> Self {
        // A name that is relative means another file after a change of the folder.
        let path = std::path::absolute(path).unwrap_or_else(|_| path.into());
        Place { file: file_id(&path), path }
    }

    /// Refuses where the file was deleted or replaced: what is written to the open one is never
    /// read.
    fn check(&self) -> Result<(), StoreError> {
        match file_id(&self.path) {
            now if now.is_some() && now == self.file => Ok(()),
            _ => Err(StoreError::Gone(self.path.display().to_string())),
        }
    }
}

/// Device and number of a file.
#[cfg(unix)]
type FileId = (u64, u64);

#[cfg(unix)]
fn file_id(path: &Path) -> Option<FileId> {
    use std::os::unix::fs::MetadataExt;
    let file = std::fs::metadata(path).ok()?;
    Some((file.dev(), file.ino()))
}

/// No identity is needed: an open file cannot be deleted here.
#[cfg(not(unix))]
type FileId = ();

#[cfg(not(unix))]
fn file_id(path: &Path) -> Option<FileId> {
    path.exists().then_some(())
}

/// Opens the file, or makes it.
pub async fn open(path: &Path, connections: u32) -> Result<sql::Sql, StoreError> {
    let options = options(path);
    // A pool says no more than that it had no success in time: a connection by itself says why.
    let first = first_connection(&options).await.map_err(|error| StoreError::Open {
        store: path.display().to_string(),
        cause: error.to_string(),
    })?;
    let pool = SqlitePoolOptions::new()
        .max_connections(connections)
        .acquire_timeout(CONNECT_PATIENCE)
        // A file that is deleted later is missed, not made again.
        .connect_with(options.create_if_missing(false))
        .await?;
    first.close().await?;
    // Two processes that set up a new file at once may meet: the second looks again and finds the
    // tables there.
    let mut tries = 1;
    loop {
        match sql::Sql::new(pool.clone(), Place::new(path)).await {
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

/// Turning a new file to write-ahead logging takes it alone, and SQLite does not wait its turn for
/// that: of two processes that open a new file at once, one finds it locked and tries again.
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

/// Whether another connection held the file: SQLite's result code, whose low byte is the primary
/// one.
fn is_busy(error: &sqlx::Error) -> bool {
    const SQLITE_BUSY: u32 = 5;
    let sqlx::Error::Database(error) = error else { return false };
    let code = error.code().and_then(|code| code.parse::<u32>().ok());
    code.is_some_and(|code| code & 0xff == SQLITE_BUSY)
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
