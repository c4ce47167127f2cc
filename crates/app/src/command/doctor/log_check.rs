//! Checks that the write-ahead log beside the memory belongs to it. Before the memory is opened:
//! SQLite would write the pages of another database into it.

use super::DoctorMode;
use super::check::DoctorCheck;
use crate::setup::Setup;
use store::StoreError;
use store_sqlite::{Options, SqliteStore};

/// Checks the write-ahead log.
pub(super) fn log(setup: &Setup, mode: DoctorMode) -> DoctorCheck {
    let (home, owner) = (setup.home.path(), &setup.config.owner);
    let options = Options { busy_timeout: setup.config.busy_timeout, ..Options::default() };
    let fault = match SqliteStore::check_log(home, owner, &options) {
        Ok(()) => return DoctorCheck::ok("log", "the write-ahead log belongs to the memory"),
        Err(StoreError::Unusable { why }) => why.to_owned(),
        Err(error) => error.to_string(),
    };
    if mode == DoctorMode::Fix
        && let Ok(Some(aside)) = SqliteStore::set_foreign_log_aside(home, owner, &options)
    {
        return DoctorCheck::ok("log", format!("fixed: moved it to {}", aside.display()));
    }
    DoctorCheck::fail("log", fault, "`quipu doctor --fix` moves it away and keeps it.")
}
