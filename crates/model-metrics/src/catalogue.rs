//! The metrics of Quipu.

use crate::{MetricFamily, MetricKind};

/// Bounds of durations, in seconds.
const SECONDS: &[f64] =
    &[0.001, 0.0025, 0.005, 0.01, 0.025, 0.05, 0.1, 0.25, 0.5, 1.0, 2.5, 5.0, 10.0];
/// Bounds of the numbers of requests in one transaction.
const GROUP_SIZES: &[f64] = &[1.0, 2.0, 4.0, 8.0, 16.0, 32.0, 64.0, 128.0, 256.0];

/// Tool calls by dialect, tool and outcome: `ok` or the code of the error.
pub static CALLS: MetricFamily = MetricFamily::new(
    "quipu_calls_total",
    "Tool calls by dialect, tool and outcome.",
    MetricKind::Counter,
);
/// Duration of tool calls, from their admission to their result.
pub static CALL_SECONDS: MetricFamily = MetricFamily::new(
    "quipu_call_seconds",
    "Duration of tool calls.",
    MetricKind::Histogram(SECONDS),
);
/// Search views that were asked for, by what they needed: `nothing`, `catching_up`, `loading` from
/// a snapshot, `building` from the store.
pub static VIEWS: MetricFamily = MetricFamily::new(
    "quipu_views_total",
    "Search views asked for, by what they needed: nothing, catching_up, loading, building.",
    MetricKind::Counter,
);
/// Time that a call waited for a connection to the database.
pub static POOL_WAIT_SECONDS: MetricFamily = MetricFamily::new(
    "quipu_pool_wait_seconds",
    "Time until a call had a connection to the database.",
    MetricKind::Histogram(SECONDS),
);
/// Number of requests that shared one transaction.
pub static WRITE_GROUP_SIZE: MetricFamily = MetricFamily::new(
    "quipu_write_group_size",
    "Requests of an owner that shared one transaction.",
    MetricKind::Histogram(GROUP_SIZES),
);
/// Duration of a group of writes, with all attempts.
pub static WRITE_GROUP_SECONDS: MetricFamily = MetricFamily::new(
    "quipu_write_group_seconds",
    "Duration of a group of writes, with all attempts.",
    MetricKind::Histogram(SECONDS),
);
/// Writes that were sent without asking the database first: `kept`, or `overtaken` by another
/// server, an equal text or an earlier request, and made once more.
pub static PLANNED_WRITES: MetricFamily = MetricFamily::new(
    "quipu_planned_writes_total",
    "Writes sent without asking the database first: kept, overtaken.",
    MetricKind::Counter,
);
/// Number of planned writes, each of another owner, that shared one transaction.
pub static PLANNED_GROUP_SIZE: MetricFamily = MetricFamily::new(
    "quipu_planned_group_size",
    "Planned writes, each of another owner, that shared one transaction.",
    MetricKind::Histogram(GROUP_SIZES),
);
/// Errors of the database: `connection`, `serialization`, `in_doubt`, `busy` or `other`.
pub static DATABASE_ERRORS: MetricFamily = MetricFamily::new(
    "quipu_database_errors_total",
    "Errors of the database: connection, serialization, in_doubt, busy, other.",
    MetricKind::Counter,
);

/// All metrics, in the order in which they are written.
pub(crate) static ALL: [&MetricFamily; 9] = [
    &CALLS,
    &CALL_SECONDS,
    &VIEWS,
    &POOL_WAIT_SECONDS,
    &WRITE_GROUP_SIZE,
    &WRITE_GROUP_SECONDS,
    &PLANNED_WRITES,
    &PLANNED_GROUP_SIZE,
    &DATABASE_ERRORS,
];
