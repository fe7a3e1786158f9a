//! The service from outside: the real binary, real connections, both stores.
//!
//! PostgreSQL is the one that `OUTWIT_TEST_POSTGRES` names (`scripts/test` starts a private one);
//! without it each test says that its second half is skipped.

mod api;
mod batch;
mod browser;
#[path = "../shared/cases.rs"]
mod cases;
mod connections;
#[cfg(target_os = "linux")]
#[path = "../shared/hang_ups.rs"]
mod hang_ups;
mod harness;
mod http;
#[path = "../shared/impossible.rs"]
mod impossible;
mod jobs;
mod limits;
mod load;
mod making;
#[cfg(unix)]
mod operators;
#[path = "../shared/plain_sokoban.rs"]
mod plain_sokoban;
mod play;
#[cfg(feature = "cluster")]
mod processes;
#[path = "../shared/program.rs"]
mod program;
mod readme;
#[path = "../shared/reports.rs"]
mod reports;
mod site;
#[cfg(unix)]
mod stores;
mod workers;
