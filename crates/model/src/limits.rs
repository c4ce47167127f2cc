//! Every limit by name. Past one, a write is refused with an error that names it; nothing is cut
//! silently.

use crate::{ErrorCode, Failure, JsonMap};
use serde_json::Value;

/// Longest text of a memory, in bytes.
pub const TEXT_BYTES: usize = 64 * 1024;
/// Longest title, in characters.
pub const TITLE_CHARS: usize = 300;
/// Longest summary, in characters.
pub const SUMMARY_CHARS: usize = 2_000;
/// Most tags of one memory.
pub const TAGS: usize = 64;
/// Longest tag, in characters.
pub const TAG_CHARS: usize = 100;
/// Longest metadata, in bytes of JSON.
pub const METADATA_BYTES: usize = 16 * 1024;
/// Deepest nesting of metadata, records and profiles.
pub const JSON_DEPTH: usize = 10;
/// Most links out of one memory.
pub const LINKS_OUT: usize = 4_096;
/// Longest name: project, collection, kind, table, column, session key, entity type, relation.
pub const NAME_CHARS: usize = 200;
/// Longest name of an entity, in characters.
pub const ENTITY_NAME_CHARS: usize = 500;
/// Longest reason, query or free note, in characters.
pub const REASON_CHARS: usize = 2_000;
/// Longest question, in bytes.
pub const QUERY_BYTES: usize = 16 * 1024;
/// Longest record, in bytes of JSON.
pub const RECORD_BYTES: usize = 64 * 1024;
/// Most columns of a table.
pub const COLUMNS: usize = 256;
/// Most tables of an owner.
pub const TABLES: usize = 1_000;
/// Longest profile, in bytes of JSON.
pub const PROFILE_BYTES: usize = 256 * 1024;
/// Longest handoff document, in characters.
pub const HANDOFF_CHARS: usize = 50_000;
/// Longest reference document, in bytes.
pub const REFERENCE_BYTES: usize = 4 * 1024 * 1024;
/// Largest page any listing gives.
pub const PAGE: usize = 1_000;
/// Most ids in one call.
pub const IDS: usize = 1_000;
/// For how many days a key makes a batch happen once; a retry comes within minutes.
pub const IDEMPOTENCY_DAYS: i64 = 30;
/// Longest idempotency key, in characters.
pub const IDEMPOTENCY_KEY_CHARS: usize = 200;
/// Highest number that something from elsewhere may bring along; what comes after it still has
/// room.
pub const NUMBER: i64 = 1_000_000_000_000;
/// Most changes in one batch.
pub const BATCH_CHANGES: usize = 20_000;
/// Most numbers of a vector.
pub const VECTOR_DIMENSIONS: usize = 8_192;
/// Most texts in one request to an embedding endpoint.
pub const ENDPOINT_BATCH: usize = 256;
/// Longest time that one request to an embedding endpoint may take, in seconds.
pub const ENDPOINT_TIMEOUT_SECONDS: u64 = 300;
/// Largest depth of a walk along links.
pub const WALK_DEPTH: usize = 16;
/// Largest file that is read in, and most text that it may unpack to, in bytes.
pub const IMPORT_BYTES: usize = 256 * 1024 * 1024;
/// Most workspaces of an owner.
pub const WORKSPACES: usize = 1_000;
/// Most memories of one workspace.
pub const CONTEXTS: usize = 32;
/// Most memories a walk along links shows.
pub const WALK_MEMORIES: usize = 500;
/// Longest SQL statement, in bytes.
pub const SQL_BYTES: usize = 20_000;
/// Deepest expression of an SQL statement.
pub const SQL_DEPTH: usize = 100;
/// Most calls of functions in an SQL statement.
pub const SQL_CALLS: usize = 200;
/// Longest pattern of LIKE and GLOB, in bytes.
pub const SQL_PATTERN_BYTES: usize = 100;
/// Longest value that an SQL statement may make, in bytes; twice the longest record.
pub const SQL_VALUE_BYTES: usize = 2 * RECORD_BYTES;
/// Most steps of SQLite's machine that a statement may take.
pub const SQL_STEPS: u64 = 200_000_000;
/// How long an SQL statement may run, in milliseconds.
pub const SQL_MILLIS: u64 = 3_000;
/// Most rows that an SQL statement gives.
pub const SQL_ROWS: usize = 10_000;
/// Most bytes that an SQL statement gives.
pub const SQL_RESULT_BYTES: usize = 1024 * 1024;
/// Most memory that an SQL statement may take while it runs, in bytes.
pub const SQL_SCRATCH_BYTES: usize = 64 * 1024 * 1024;
/// Largest copy of the tables that SQL statements of one caller read, in bytes.
pub const SQL_COPY_BYTES: usize = 128 * 1024 * 1024;
/// Most memory for such copies, of all callers together, in bytes.
pub const SQL_COPIES_BYTES: usize = 2 * SQL_COPY_BYTES;

/// How many of the times that a memory was shown are told.
pub const SHOWN: usize = 20;
/// How many questions that found nothing are kept; a new one takes the place of the oldest.
pub const QUESTIONS: usize = 200;
/// Longest question that is kept when it found nothing, in characters; a longer one is only
/// counted.
pub const QUESTION_CHARS: usize = 500;
/// For how many days it is told how much each agent asked for and got.
pub const USAGE_DAYS: i64 = 400;

/// How many calls of one owner wait for their turn.
pub const OWNER_CALLS_WAITING: usize = 128;
/// For how many agents and classes of tool calls are counted at once.
pub const BUCKETS: usize = 10_000;

/// How often an agent may call: so many at once, and then so many a second.
#[derive(Debug, Clone, Copy, PartialEq)]
pub struct Pace {
    /// How many at once.
    pub burst: f64,
    /// How many a second after that.
    pub per_second: f64,
}

/// Tools that look something up.
pub const READS: Pace = Pace { burst: 10_000.0, per_second: 500.0 };
/// Tools that change something.
pub const WRITES: Pace = Pace { burst: 5_000.0, per_second: 200.0 };
/// Statements in SQL.
pub const STATEMENTS: Pace = Pace { burst: 1_000.0, per_second: 20.0 };
/// What is the owner's alone.
pub const ADMINISTRATION: Pace = Pace { burst: 300.0, per_second: 5.0 };
/// Passwords that are tried at the door.
pub const GUESSES: Pace = Pace { burst: 10.0, per_second: 0.1 };
/// Programs that register to ask owners for access.
pub const REGISTRATIONS: Pace = Pace { burst: 30.0, per_second: 0.1 };
/// Codes and tokens that programs exchange and give back.
pub const EXCHANGES: Pace = Pace { burst: 300.0, per_second: 5.0 };

/// Refuses a text of more than `max` bytes.
///
/// # Errors
/// `limit_exceeded`, naming the field, the limit and the size.
pub fn bytes(field: &str, text: &str, max: usize) -> Result<(), Failure> {
    within(field, text.len(), max, "bytes")
}

/// Refuses a text of more than `max` characters.
///
/// # Errors
/// `limit_exceeded`, naming the field, the limit and the size.
pub fn chars(field: &str, text: &str, max: usize) -> Result<(), Failure> {
    // A text never has more characters than bytes, so most texts need no count.
    if text.len() <= max { Ok(()) } else { within(field, text.chars().count(), max, "characters") }
}

/// Refuses more than `max` items.
///
/// # Errors
/// `limit_exceeded`, naming the field, the limit and the count.
pub fn count(field: &str, items: usize, max: usize) -> Result<(), Failure> {
    within(field, items, max, "items")
}

/// Refuses an object of more than `max` bytes or nested deeper than [`JSON_DEPTH`].
///
/// # Errors
/// `limit_exceeded`, naming the field and the limit.
pub fn json(field: &str, object: &JsonMap, max: usize) -> Result<(), Failure> {
    let deepest = object.values().map(depth).max().unwrap_or(0) + 1;
    if deepest > JSON_DEPTH {
        return Err(exceeded(format!(
            "{field} is nested {deepest} levels deep; the limit is {JSON_DEPTH}"
        )));
    }
    // Writing a map of JSON values to a string has no way to fail.
    let size = serde_json::to_string(object).map_or(0, |text| text.len());
    within(field, size, max, "bytes")
}

/// Refuses a number outside `low..=high`.
///
/// # Errors
/// `invalid_argument`, naming the field and the range.
pub fn range(field: &str, value: f64, low: f64, high: f64) -> Result<(), Failure> {
    if value.is_finite() && (low..=high).contains(&value) {
        return Ok(());
    }
    Err(Failure::new(
        ErrorCode::InvalidArgument,
        format!("{field} must lie between {low} and {high}; got {value}"),
    ))
}

fn within(field: &str, size: usize, max: usize, unit: &str) -> Result<(), Failure> {
    if size <= max {
        return Ok(());
    }
    Err(exceeded(format!("{field} has {size} {unit}; the limit is {max}")))
}

fn exceeded(message: String) -> Failure {
    Failure::new(ErrorCode::LimitExceeded, message)
}

/// Levels of nesting, counted without recursion: a hostile value must not exhaust the stack.
fn depth(value: &Value) -> usize {
    let mut deepest = 0;
    let mut open = vec![(value, 1)];
    while let Some((value, level)) = open.pop() {
        match value {
            Value::Array(items) => open.extend(items.iter().map(|item| (item, level + 1))),
            Value::Object(fields) => open.extend(fields.values().map(|item| (item, level + 1))),
            _ => {}
        }
        deepest =
            deepest.max(if value.is_array() || value.is_object() { level } else { level - 1 });
    }
    deepest
}

#[cfg(test)]
mod tests {
    use super::*;
    use serde_json::json;

    #[test]
    fn a_refusal_names_the_field_the_size_and_the_limit() {
        let refusal = bytes("text", &"a".repeat(TEXT_BYTES + 1), TEXT_BYTES).unwrap_err();
        assert_eq!(refusal.code, ErrorCode::LimitExceeded);
        assert_eq!(refusal.message, "text has 65537 bytes; the limit is 65536");
    }

    #[test]
    fn characters_are_counted_not_bytes() {
        assert!(chars("title", &"é".repeat(TITLE_CHARS), TITLE_CHARS).is_ok());
        assert!(chars("title", &"é".repeat(TITLE_CHARS + 1), TITLE_CHARS).is_err());
    }

    #[test]
    fn ten_levels_pass_and_eleven_do_not() {
        let nested = |levels: usize| {
            let mut value = json!(1);
            for _ in 0..levels {
                value = json!({ "a": value });
            }
            value.as_object().unwrap().clone()
        };
        assert!(json("metadata", &nested(10), METADATA_BYTES).is_ok());
        let refusal = json("metadata", &nested(11), METADATA_BYTES).unwrap_err();
        assert!(refusal.message.contains("11 levels"), "{}", refusal.message);
    }

    #[test]
    fn no_number_that_is_not_a_number_passes() {
        assert!(range("confidence", f64::NAN, 0.0, 1.0).is_err());
        assert!(range("confidence", 1.0, 0.0, 1.0).is_ok());
    }
}
