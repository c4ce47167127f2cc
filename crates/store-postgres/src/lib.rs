//! The storage contract on PostgreSQL. The rows of all owners are in the same tables; the owner is
//! the first column of every key, the first parameter of every statement, and the condition of
//! row-level security. Any number of servers may use one database: writers of one owner follow each
//! other at its clock row, readers wait for nobody, and nothing is cached that another server can
//! make stale. An acknowledged write is on disk.

#![allow(
    clippy::useless_vec,
    reason = "lists of parameters are of one type, whatever their length"
)]

mod address;
mod apply;
mod backup;
mod clients;
mod connect;
mod control;
mod driver_runtime;
mod error;
mod expiring;
mod group_commit;
mod health;
mod job_files;
mod known_clocks;
mod load;
mod master_key;
mod migrate;
mod options;
mod owner_transaction;
mod planned_commit;
mod planned_queue;
mod planned_transaction;
mod postgres_store;
mod read;
mod replace_owner;
mod retention;
mod row;
mod size;
mod snapshots;
mod sql_value;
mod start_checks;
mod statement_plan;
mod store_impl;
mod stored_row;
mod tls;
mod transaction;
mod view_segments;
mod write_queue;

pub use address::{InvalidAddress, check_address};
pub use load::LoadOutcome;
pub use migrate::SchemaState;
pub use options::{Options, new_audit_key};
pub use postgres_store::{OpenError, PostgresStore};
pub use replace_owner::{OwnerReplacement, ReplaceOutcome};
