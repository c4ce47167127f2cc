//! Parses the results of the dialect's tools and renders them as text. The terminal is one more
//! client of the tool contract: it knows nothing that an agent could not know.

mod memory;
mod remember_output;

pub use memory::MemoryOutput;
pub use remember_output::RememberOutput;

use crate::exit::Problem;
use model::ErrorCode;
use serde::de::DeserializeOwned;
use serde_json::Value;

/// Text about a memory without content, with what to do next.
pub const EMPTY_MEMORY: &str = "\
The memory is empty. Next steps:
  quipu setup               adds it to the agents on this machine
  quipu remember \"…\"        stores a first memory
  quipu import FILE         reads lists, notes and other memories
  quipu demo                shows what it can do";

/// Parses a tool result into the type to render.
///
/// # Errors
/// Fails when the result does not match the type, which is a bug that the tests should have caught.
pub fn parse_result<T: DeserializeOwned>(answer: &Value) -> Result<T, Problem> {
    serde_json::from_value(answer.clone()).map_err(|error| {
        let message = format!("cannot display the result: {error}");
        Problem::new(
            ErrorCode::Internal,
            message,
            "Report this as a bug; --json prints the raw result.",
        )
    })
}

/// Formats a count with its noun: `3 memories`, `1 memory`.
pub fn count_with_noun(count: usize, one: &str, many: &str) -> String {
    format!("{count} {}", if count == 1 { one } else { many })
}

/// Formats names with their counts: `decision 12, note 9`.
pub fn join_counts<'a>(counts: impl IntoIterator<Item = (&'a str, usize)>) -> String {
    let parts: Vec<String> =
        counts.into_iter().map(|(name, count)| format!("{name} {count}")).collect();
    parts.join(", ")
}

/// Formats a number of bytes: `5.0 MiB`.
pub fn human_size(bytes: u64) -> String {
    const UNITS: [&str; 4] = ["KiB", "MiB", "GiB", "TiB"];
    if bytes < 1024 {
        return format!("{bytes} bytes");
    }
    let mut amount = bytes as f64 / 1024.0;
    let mut unit = UNITS[0];
    for larger in &UNITS[1..] {
        if amount >= 1024.0 {
            amount /= 1024.0;
            unit = larger;
        }
    }
    format!("{amount:.1} {unit}")
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn sizes_have_readable_units() {
        for (bytes, read) in
            [(0, "0 bytes"), (1023, "1023 bytes"), (1024, "1.0 KiB"), (5 << 20, "5.0 MiB")]
        {
            assert_eq!(human_size(bytes), read);
        }
        assert_eq!(human_size(u64::MAX), "16777216.0 TiB");
    }

    #[test]
    fn nouns_are_singular_for_one() {
        assert_eq!(count_with_noun(1, "memory", "memories"), "1 memory");
        assert_eq!(count_with_noun(0, "memory", "memories"), "0 memories");
        assert_eq!(join_counts([("note", 2), ("fact", 1)]), "note 2, fact 1");
    }
}
