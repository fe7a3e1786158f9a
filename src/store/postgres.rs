//! The store in a PostgreSQL database.

// `sql.rs` is compiled once for each database, with the types that this module names.
#[path = "sql.rs"]
#[allow(clippy::duplicate_mod)]
mod sql;

use super::{CONNECT_PATIENCE, DATABASE_PATIENCE, StoreError};
use sqlx::Connection as _;
use sqlx::postgres::{PgConnectOptions, PgConnection, PgPoolOptions, PgRow};
use tokio::sync::Semaphore;

type Pool = sqlx::PgPool;
type Connection = PgConnection;
type Row = PgRow;

const BEGIN: &str = "BEGIN";
/// Two workers that look for a job at once do not wait for each other.
const SKIP_LOCKED: &str = "FOR UPDATE SKIP LOCKED";
/// Upper limit of the writers at once: none.
const WRITERS: usize = Semaphore::MAX_PERMITS;

/// A database that is asked for by its address is what answers there.
pub struct Place;

impl Place {
    /// Nothing can be told but by asking it.
    fn check(&self) -> Result<(), StoreError> {
        Ok(())
    }
}

/// Connects to the database.
pub async fn open(url: &str, connections: u32) -> Result<sql::Sql, StoreError> {
    let options: PgConnectOptions = url.parse()?;
    // A pool tries again and again, and in the end says no more than that it has: one connection
    // by itself says what is wrong.
    first_connection(&options).await?;
    let pool = PgPoolOptions::new()
        .max_connections(connections)
        .acquire_timeout(CONNECT_PATIENCE)
        .connect_with(options)
        .await?;
    sql::Sql::new(pool, Place).await
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
