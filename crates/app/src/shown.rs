//! Parses the results of the dialect's tools and renders them as text. The terminal is one more
//! client of the tool contract: it knows nothing that an agent could not know.

mod memory;
mod remembered;

pub use memory::Memory;
pub use remembered::Remembered;

use crate::exit::Problem;
use model::ErrorCode;
use serde::de::DeserializeOwned;
use serde_json::Value;

/// Parses a tool result into the type to render.
///
/// # Errors
/// When the result does not match the type, which is a bug that the tests should have caught.
pub fn read<T: DeserializeOwned>(answer: &Value) -> Result<T, Problem> {
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
pub fn counted(count: usize, one: &str, many: &str) -> String {
    format!("{count} {}", if count == 1 { one } else { many })
}

/// Formats names with their counts: `decision 12, note 9`.
pub fn tallied<'a>(counts: impl IntoIterator<Item = (&'a str, usize)>) -> String {
    let parts: Vec<String> =
        counts.into_iter().map(|(name, count)| format!("{name} {count}")).collect();
    parts.join(", ")
}

/// Formats a number of bytes: `5.0 MiB`.
pub fn size(bytes: u64) -> String {
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
    fn sizes_read_well() {
        for (bytes, read) in
            [(0, "0 bytes"), (1023, "1023 bytes"), (1024, "1.0 KiB"), (5 << 20, "5.0 MiB")]
        {
            assert_eq!(size(bytes), read);
        }
        assert_eq!(size(u64::MAX), "16777216.0 TiB");
    }

    #[test]
    fn one_thing_is_not_many() {
        assert_eq!(counted(1, "memory", "memories"), "1 memory");
        assert_eq!(counted(0, "memory", "memories"), "0 memories");
        assert_eq!(tallied([("note", 2), ("fact", 1)]), "note 2, fact 1");
    }
}
