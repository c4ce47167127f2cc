//! References: long documents, cut by heading, searched on request, never recalled by themselves.

use crate::{ContentHash, Failure, Moment, ReferenceId, limits};

/// A document the owner filed.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Reference {
    /// Its number.
    pub id: ReferenceId,
    /// Its path below the owner's references, with forward slashes.
    pub path: String,
    /// Its title: the first heading, or the file name.
    pub title: String,
    /// The hash of its bytes.
    pub hash: ContentHash,
    /// How many sections it was cut into.
    pub sections: usize,
    /// When it was last filed.
    pub updated_at: Moment,
}

/// A document that is about to be filed; one at the same path is replaced.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct NewReference {
    /// Its path below the owner's references.
    pub path: String,
    /// Its title.
    pub title: String,
    /// The hash of its bytes.
    pub hash: ContentHash,
    /// Its sections in order.
    pub sections: Vec<Section>,
}

impl NewReference {
    /// Holds every field against its limit.
    ///
    /// # Errors
    /// When the path is empty or leaves its directory, or the document is too long.
    pub fn check(&self) -> Result<(), Failure> {
        let strays =
            self.path.split('/').any(|part| part.is_empty() || part == "." || part == "..");
        if strays || self.path.contains('\\') {
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

/// What stands under one heading.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Section {
    /// The headings above it and its own, outermost first.
    pub heading: Vec<String>,
    /// The text, heading line included.
    pub text: String,
}

/// A section together with the document it stands in.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct SectionHit {
    /// The document.
    pub reference: ReferenceId,
    /// Its path.
    pub path: String,
    /// Which section, counted from 0.
    pub ordinal: usize,
    /// The section.
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
