//! The program that is tested: the one that Cargo built with the test, or the one that
//! `OUTWIT_TEST_PROGRAM` names (`scripts/test` names the one that users get).

use std::path::PathBuf;

/// Where the program is.
pub fn program() -> PathBuf {
    let named = std::env::var_os("OUTWIT_TEST_PROGRAM");
    named.map_or_else(|| env!("CARGO_BIN_EXE_outwit").into(), PathBuf::from)
}
