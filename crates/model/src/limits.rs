//! All limits by name. A write that exceeds one is refused with an error that names it; nothing is
//! truncated silently.

use crate::{ErrorCode, Failure, JsonMap};
use serde_json::Value;

/// Maximum length of the text of a memory, in bytes.
pub const TEXT_BYTES: usize = 64 * 1024;
/// Maximum length of a title, in characters.
pub const TITLE_CHARS: usize = 300;
/// Maximum length of a summary, in characters.
pub const SUMMARY_CHARS: usize = 2_000;
/// Maximum number of tags of one memory.
pub const TAGS: usize = 64;
/// Maximum length of a tag, in characters.
pub const TAG_CHARS: usize = 100;
/// Maximum size of metadata, in bytes of JSON.
pub const METADATA_BYTES: usize = 16 * 1024;
/// Maximum nesting depth of metadata, records and profiles.
pub const JSON_DEPTH: usize = 10;
/// Maximum number of links out of one memory.
pub const LINKS_OUT: usize = 4_096;
/// Maximum length of a name, in characters: project, collection, kind, table, column, session key,
/// entity type, relation.
pub const NAME_CHARS: usize = 200;
/// Maximum length of the name of an entity, in characters.
pub const ENTITY_NAME_CHARS: usize = 500;
/// Maximum length of a reason, a path or a free note, in characters.
pub const REASON_CHARS: usize = 2_000;
/// Maximum length of a recall query, in bytes.
pub const QUERY_BYTES: usize = 16 * 1024;
/// Maximum size of a record, in bytes of JSON.
pub const RECORD_BYTES: usize = 64 * 1024;
/// Maximum number of columns of a table.
pub const TABLE_COLUMNS: usize = 256;
/// Maximum number of tables of an owner.
pub const TABLES: usize = 1_000;
/// Maximum size of a profile, in bytes of JSON.
pub const PROFILE_BYTES: usize = 256 * 1024;
/// Maximum number of values of a profile that recall finds; the others are only read with the
/// profile itself.
// Each is a memory with a vector of its own.
pub const PROFILE_VALUES: usize = 1_000;
/// Maximum length of a handoff document, in characters.
pub const HANDOFF_CHARS: usize = 50_000;
/// Maximum size of a reference document, in bytes.
pub const REFERENCE_BYTES: usize = 4 * 1024 * 1024;
/// Maximum number of items on a page of any listing.
pub const PAGE_ITEMS: usize = 1_000;
/// Maximum size of the details of a review item, in bytes of JSON.
pub const REVIEW_DETAILS_BYTES: usize = 2 * 1024 * 1024;
/// Maximum number of memories that one proposal to erase names.
// An id has at most 12 digits and a comma, so their list fits into the details of a review item.
pub const PROPOSED_ERASURES: usize = 100_000;
/// Number of its own memories that an agent may delete at once without asking the owner.
pub const ERASED_AT_ONCE: usize = 20;
/// Maximum number of ids in one call.
pub const IDS_PER_CALL: usize = 1_000;
/// Number of days for which an idempotency key is remembered.
// Retries come within minutes; the rest is a safety margin.
pub const IDEMPOTENCY_DAYS: i64 = 30;
/// Maximum length of an idempotency key, in characters.
pub const IDEMPOTENCY_KEY_CHARS: usize = 200;
/// Highest id that an import or a client may bring along.
// Far below `i64::MAX`, so that ids assigned after an import cannot overflow.
pub const IMPORTED_ID_MAX: i64 = 1_000_000_000_000;
/// Maximum number of changes in one batch.
pub const BATCH_CHANGES: usize = 20_000;
/// Maximum number of dimensions of a vector.
pub const VECTOR_DIMENSIONS: usize = 8_192;
/// Maximum number of texts in one request to an embedding endpoint.
pub const ENDPOINT_BATCH: usize = 256;
/// Maximum timeout of a request to an embedding endpoint, in seconds.
pub const ENDPOINT_TIMEOUT_SECONDS: u64 = 300;
/// Maximum depth of a graph walk along links.
pub const WALK_DEPTH: usize = 16;
/// Maximum size of an imported file, before and after decompression, in bytes.
pub const IMPORT_BYTES: usize = 256 * 1024 * 1024;
/// Maximum number of workspaces of an owner.
pub const WORKSPACES: usize = 1_000;
/// Maximum number of contexts of one workspace.
pub const WORKSPACE_CONTEXTS: usize = 32;
/// Maximum number of memories that a graph walk returns.
pub const WALK_MEMORIES: usize = 500;
/// Maximum length of an SQL statement, in bytes.
pub const SQL_BYTES: usize = 20_000;
/// Maximum depth of an expression in an SQL statement.
pub const SQL_DEPTH: usize = 100;
/// Maximum number of function calls in an SQL statement.
pub const SQL_CALLS: usize = 200;
/// Maximum length of a LIKE or GLOB pattern, in bytes.
pub const SQL_PATTERN_BYTES: usize = 100;
/// Maximum size of a value that an SQL statement computes, in bytes: twice the largest record.
pub const SQL_VALUE_BYTES: usize = 2 * RECORD_BYTES;
/// Maximum number of SQLite virtual-machine steps of a statement.
pub const SQL_STEPS: u64 = 200_000_000;
/// Maximum running time of an SQL statement, in milliseconds.
pub const SQL_TIMEOUT_MS: u64 = 3_000;
/// Maximum number of rows in an SQL result.
pub const SQL_ROWS: usize = 10_000;
/// Maximum size of an SQL result, in bytes.
pub const SQL_RESULT_BYTES: usize = 1024 * 1024;
/// Maximum working memory of a running SQL statement, in bytes.
pub const SQL_SCRATCH_BYTES: usize = 64 * 1024 * 1024;
/// Maximum size of the table copy that the SQL statements of one caller read, in bytes.
pub const SQL_COPY_BYTES: usize = 128 * 1024 * 1024;
/// Maximum size of the table copies of all callers together, in bytes.
pub const SQL_COPIES_BYTES: usize = 2 * SQL_COPY_BYTES;

/// Number of recent recalls listed for a memory.
pub const RECALLS_LISTED: usize = 20;
/// Maximum number of unanswered questions stored; a new one replaces the oldest.
pub const UNANSWERED_QUESTIONS: usize = 200;
/// Maximum length of a question that is stored, in characters; a longer one is only counted.
pub const STORED_QUESTION_CHARS: usize = 500;
/// Number of questions whose words are stored beside their audit events; a new one replaces the
/// oldest.
pub const RECENT_QUESTIONS: usize = 200;
/// Number of days for which usage statistics per agent are retained.
pub const USAGE_DAYS: i64 = 400;

/// Maximum number of queued calls of one owner.
pub const QUEUED_CALLS_PER_OWNER: usize = 128;
/// Maximum number of token buckets, one per agent and class of tools.
// Agent names come from clients, so the table of buckets needs a bound.
pub const RATE_BUCKETS: usize = 10_000;

/// Rate limit of a token bucket.
#[derive(Debug, Clone, Copy, PartialEq)]
pub struct RateLimit {
    /// Capacity of the bucket.
    pub burst: f64,
    /// Tokens added per second.
    pub per_second: f64,
}

/// Rate limit of tools that only read.
pub const READ_RATE: RateLimit = RateLimit { burst: 10_000.0, per_second: 500.0 };
/// Rate limit of tools that write.
pub const WRITE_RATE: RateLimit = RateLimit { burst: 5_000.0, per_second: 200.0 };
/// Rate limit of SQL statements.
pub const SQL_RATE: RateLimit = RateLimit { burst: 1_000.0, per_second: 20.0 };
/// Rate limit of administrative calls, which only the owner may make.
pub const ADMIN_RATE: RateLimit = RateLimit { burst: 300.0, per_second: 5.0 };
/// Rate limit of password attempts from one address.
pub const PASSWORD_RATE: RateLimit = RateLimit { burst: 10.0, per_second: 0.1 };
/// Rate limit of password attempts from all addresses together that never logged in.
pub const SHARED_PASSWORD_RATE: RateLimit = RateLimit { burst: 100.0, per_second: 1.0 };
/// Rate limit of OAuth client registrations from one address.
pub const REGISTRATION_RATE: RateLimit = RateLimit { burst: 30.0, per_second: 0.1 };
/// Rate limit of OAuth code and token exchanges and revocations from one address that fail.
pub const TOKEN_RATE: RateLimit = RateLimit { burst: 300.0, per_second: 5.0 };

/// Refuses a text of more than `max` bytes.
///
/// # Errors
/// `limit_exceeded`, naming the field, the limit and the size.
pub fn bytes(field: &str, text: &str, max: usize) -> Result<(), Failure> {
    check_size(field, text.len(), max, "bytes")
}

/// Refuses a text of more than `max` characters.
///
/// # Errors
/// `limit_exceeded`, naming the field, the limit and the size.
pub fn chars(field: &str, text: &str, max: usize) -> Result<(), Failure> {
    // A text never has more characters than bytes, so most texts need no count.
    if text.len() <= max {
        Ok(())
    } else {
        check_size(field, text.chars().count(), max, "characters")
    }
}

/// Refuses more than `max` items.
///
/// # Errors
/// `limit_exceeded`, naming the field, the limit and the count.
pub fn count(field: &str, items: usize, max: usize) -> Result<(), Failure> {
    check_size(field, items, max, "items")
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
    // Serialising a map of JSON values to a string cannot fail.
    let size = serde_json::to_string(object).map_or(0, |text| text.len());
    check_size(field, size, max, "bytes")
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
        format!("{field} must be between {low} and {high}; got {value}"),
    ))
}

fn check_size(field: &str, size: usize, max: usize, unit: &str) -> Result<(), Failure> {
    if size <= max {
        return Ok(());
    }
    Err(exceeded(format!("{field} has {size} {unit}; the limit is {max}")))
}

fn exceeded(message: String) -> Failure {
    Failure::new(ErrorCode::LimitExceeded, message)
}

/// Returns the nesting depth of a value.
// Without recursion: a hostile value must not exhaust the stack.
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
    fn ten_levels_of_nesting_are_allowed_and_eleven_are_not() {
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
    fn nan_is_out_of_every_range() {
        assert!(range("confidence", f64::NAN, 0.0, 1.0).is_err());
        assert!(range("confidence", 1.0, 0.0, 1.0).is_ok());
    }
}
