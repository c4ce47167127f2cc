//! The conformance suite of the storage contract.

use crate::fixture::{is_available, open};
use quipu_store_postgres::PostgresStore;

store_conformance::conformance_suite!(open, when: is_available);
store_conformance::snapshot_suite!(open, PostgresStore::clone, when: is_available);
