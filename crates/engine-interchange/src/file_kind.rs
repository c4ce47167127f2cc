//! The kind of a file to import, by its first bytes and its name.

/// First bytes of each kind that has some.
const AMEM_PREFIX: &[u8] = b"AMEM";
const SQLITE_PREFIX: &[u8] = b"SQLite format 3\0";
const ZIP_PREFIX: &[u8] = b"PK\x03\x04";

/// Kind of a file to import.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum FileKind {
    /// Export of Quipu, as JSON Lines.
    Quipu,
    /// Graph of AgenticMemory.
    Amem,
    /// Database of another program.
    Sqlite,
    /// Archive, which has to be unpacked.
    Zip,
    /// Anything else: a list or an export of another program, whose reader tells more.
    Text,
}

impl FileKind {
    /// Detects the kind; errors show up when the file is read.
    #[must_use]
    pub fn detect(name: &str, bytes: &[u8]) -> Self {
        if name.to_lowercase().ends_with(".amem") || bytes.starts_with(AMEM_PREFIX) {
            Self::Amem
        } else if bytes.starts_with(SQLITE_PREFIX) {
            Self::Sqlite
        } else if bytes.starts_with(ZIP_PREFIX) {
            Self::Zip
        } else if is_quipu(&bytes[..bytes.len().min(64)]) {
            Self::Quipu
        } else {
            Self::Text
        }
    }
}

/// Returns true for the beginning of an export of Quipu, which writes `type` as the first key of
/// every line, and its own name on the first.
fn is_quipu(beginning: &[u8]) -> bool {
    let text = String::from_utf8_lossy(beginning);
    let first = text.trim_start().strip_prefix('{').map(str::trim_start);
    let value = first.and_then(|rest| rest.strip_prefix("\"type\"")).map(str::trim_start);
    let value = value.and_then(|rest| rest.strip_prefix(':')).map(str::trim_start);
    value.is_some_and(|value| value.starts_with("\"quipu\""))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_kind_is_known_by_its_first_bytes_or_its_name() {
        let kinds = [
            ("x.jsonl", &br#"{ "type" : "quipu", "version": 1}"#[..], FileKind::Quipu),
            ("x.jsonl", br#"{"type": "entity"}"#, FileKind::Text),
            ("brain", b"AMEM\x01", FileKind::Amem),
            ("brain.AMEM", b"", FileKind::Amem),
            ("x.db", b"SQLite format 3\0...", FileKind::Sqlite),
            ("x.zip", b"PK\x03\x04...", FileKind::Zip),
            ("x.md", b"- a fact", FileKind::Text),
        ];
        for (name, bytes, kind) in kinds {
            assert_eq!(FileKind::detect(name, bytes), kind, "{name}");
        }
    }
}
