//! References: long documents, split by heading and searched on request. They never appear in an
//! ordinary recall.

use crate::{ContentHash, Failure, Moment, ReferenceId, limits};

/// A document that the owner added.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Reference {
    pub id: ReferenceId,
    /// Path below the owner's references, with forward slashes.
    pub path: String,
    /// First heading, or the file name.
    pub title: String,
    /// Hash of the bytes of the document.
    pub hash: ContentHash,
    /// Number of sections.
    pub sections: usize,
    /// Time of the last upload or sync.
    pub updated_at: Moment,
}

/// A document to be added. It replaces one at the same path.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct NewReference {
    pub path: String,
    pub title: String,
    /// Hash of the bytes of the document.
    pub hash: ContentHash,
    /// Sections in document order.
    pub sections: Vec<Section>,
}

impl NewReference {
    /// Checks every field against its limit.
    ///
    /// # Errors
    /// Fails when the path is empty or leaves its directory, or the document is too long.
    pub fn check(&self) -> Result<(), Failure> {
        // The path mirrors a file below the references directory and must not name one outside.
        let escapes =
            self.path.split('/').any(|part| part.is_empty() || part == "." || part == "..");
        if escapes || self.path.contains('\\') {
            return Err(Failure::invalid(format!(
                "`{}` is not a path below the references",
                self.path
            )));
        }
        limits::chars("path", &self.path, limits::REASON_CHARS)?;
        limits::chars("title", &self.title, limits::TITLE_CHARS)?;
        let size: usize = self.sections.iter().map(|section| section.text.len()).sum();
        if size > limits::REFERENCE_BYTES {
            let message =
                format!("{} has {size} bytes; the limit is {}", self.path, limits::REFERENCE_BYTES);
            return Err(Failure::new(crate::ErrorCode::LimitExceeded, message));
        }
        Ok(())
    }
}

/// The text under one heading.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Section {
    /// Enclosing headings and its own, outermost first.
    pub heading: Vec<String>,
    /// Text including the heading line.
    pub text: String,
}

/// A search hit: a section with the document it belongs to.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct SectionHit {
    pub reference: ReferenceId,
    pub path: String,
    /// Position of the section in the document, counted from 0.
    pub ordinal: usize,
    pub section: Section,
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn no_path_leaves_the_references() {
        let at = |path: &str| NewReference {
            path: path.into(),
            title: "t".into(),
            hash: ContentHash::of_bytes(b""),
            sections: vec![],
        };
        for bad in ["", "/etc/passwd", "../x", "a/../b", "a//b", "a\\..\\b", "./a"] {
            assert!(at(bad).check().is_err(), "{bad}");
        }
        assert!(at("api/auth.md").check().is_ok());
    }
}
