//! Handling of texts that the owner had forgotten before. The tombstone of a forgotten text stops
//! agents from quietly capturing it again; whether a file of the owner brings it back is the
//! owner's choice, made once for the whole file.

/// Handling of texts that the owner had forgotten before.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default)]
pub enum ForgottenTexts {
    /// Not imported, only counted.
    #[default]
    Skip,
    /// Imported like any other text.
    Include,
}

/// Returns a sentence about the number of forgotten texts that were not imported; `None` when there
/// are none.
#[must_use]
pub fn describe_forgotten(count: usize) -> Option<String> {
    match count {
        0 => None,
        1 => Some("1 text was not imported, because it was forgotten before".to_owned()),
        _ => Some(format!("{count} texts were not imported, because they were forgotten before")),
    }
}
