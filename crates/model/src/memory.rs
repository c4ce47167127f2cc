//! A memory: one remembered statement with its attributes, and its vectors.

use crate::{ContentHash, Failure, JsonMap, MemoryId, Moment, Provenance, SessionId, limits};
use std::fmt;

/// Kind of a memory. The set is open; [`Kind::COMMON`] lists the usual ones.
#[derive(Debug, Clone, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub struct Kind(String);

impl Kind {
    /// Kinds offered by default.
    pub const COMMON: [&'static str; 8] =
        ["fact", "decision", "preference", "inference", "correction", "skill", "episode", "note"];

    /// Normalises a name: lower case, dashes for spaces; an empty name becomes `note`.
    ///
    /// # Errors
    /// Fails when the name is too long.
    pub fn new(name: &str) -> Result<Self, Failure> {
        let name = name.trim().to_lowercase().replace(char::is_whitespace, "-");
        limits::chars("kind", &name, limits::NAME_CHARS)?;
        Ok(Self(if name.is_empty() { "note".to_owned() } else { name }))
    }

    /// Default kind.
    #[must_use]
    pub fn note() -> Self {
        Self("note".to_owned())
    }

    /// Kind of the memory that summarises a session.
    #[must_use]
    pub fn episode() -> Self {
        Self("episode".to_owned())
    }

    /// Kind of a memory that replaces a wrong one.
    #[must_use]
    pub fn correction() -> Self {
        Self("correction".to_owned())
    }

    /// Returns the name.
    #[must_use]
    pub fn as_str(&self) -> &str {
        &self.0
    }
}

impl fmt::Display for Kind {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(&self.0)
    }
}

/// Status of a memory. A recall returns only active ones unless it asks for history.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash)]
pub enum Status {
    Active,
    /// It waits for a decision in the review list.
    Proposed,
    Superseded,
    /// It was found to be wrong.
    Rejected,
    Retired,
}

impl Status {
    /// All statuses.
    pub const ALL: [Self; 5] =
        [Self::Active, Self::Proposed, Self::Superseded, Self::Rejected, Self::Retired];

    /// Returns the name stored and used in dialects.
    #[must_use]
    pub fn name(self) -> &'static str {
        match self {
            Self::Active => "active",
            Self::Proposed => "proposed",
            Self::Superseded => "superseded",
            Self::Rejected => "rejected",
            Self::Retired => "retired",
        }
    }

    /// Returns the status with this name.
    #[must_use]
    pub fn parse(name: &str) -> Option<Self> {
        Self::ALL.into_iter().find(|status| status.name() == name)
    }
}

/// Recall statistics of a memory.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default)]
pub struct AccessStats {
    /// Number of recalls that returned it.
    pub count: u32,
    /// Time of the last recall that returned it.
    pub last: Option<Moment>,
}

/// One remembered thing.
#[derive(Debug, Clone, PartialEq)]
pub struct Memory {
    /// Number unique per owner and never reused.
    pub id: MemoryId,
    pub kind: Kind,
    pub title: Option<String>,
    pub text: String,
    pub summary: Option<String>,
    /// Name of its collection; `memories` by default.
    pub collection: String,
    /// Session in which it was written.
    pub session: Option<SessionId>,
    pub project: Option<String>,
    pub tags: Vec<String>,
    /// Projects, paths or contexts that it applies to.
    pub applies_to: Vec<String>,
    /// From 1 (most important) to 5.
    pub priority: u8,
    /// Between 0 and 1, as stated by the writer.
    pub confidence: f32,
    /// Further fields attached by the writer.
    pub metadata: JsonMap,
    pub provenance: Provenance,
    /// Start of its validity; the time of writing by default.
    pub valid_from: Moment,
    pub valid_to: Option<Moment>,
    pub status: Status,
    /// Time at which it left `active`.
    pub ended_at: Option<Moment>,
    pub access: AccessStats,
    /// Number of open flags on it.
    pub flags: u32,
    /// Time of the last change to any field.
    pub updated_at: Moment,
}

/// A memory to be written. The store assigns the id.
#[derive(Debug, Clone, PartialEq)]
pub struct NewMemory {
    pub kind: Kind,
    pub title: Option<String>,
    pub text: String,
    pub summary: Option<String>,
    pub collection: String,
    pub project: Option<String>,
    pub tags: Vec<String>,
    /// Projects, paths or contexts that it applies to.
    pub applies_to: Vec<String>,
    /// From 1 (most important) to 5.
    pub priority: u8,
    /// Between 0 and 1.
    pub confidence: f32,
    /// Further fields attached by the writer.
    pub metadata: JsonMap,
    pub provenance: Provenance,
    pub valid_from: Moment,
    pub valid_to: Option<Moment>,
    /// `Active` or `Proposed`.
    pub status: Status,
}

impl NewMemory {
    /// Default collection.
    pub const DEFAULT_COLLECTION: &'static str = "memories";

    /// Creates a note with every other field at its default.
    #[must_use]
    pub fn note(text: impl Into<String>, provenance: Provenance) -> Self {
        Self {
            kind: Kind::note(),
            title: None,
            text: text.into(),
            summary: None,
            collection: Self::DEFAULT_COLLECTION.to_owned(),
            project: None,
            tags: Vec::new(),
            applies_to: Vec::new(),
            priority: 3,
            confidence: 0.9,
            metadata: JsonMap::new(),
            valid_from: provenance.at,
            provenance,
            valid_to: None,
            status: Status::Active,
        }
    }

    /// Returns the hash by which the store recognises the same text.
    #[must_use]
    pub fn hash(&self) -> ContentHash {
        ContentHash::of_text(&self.text)
    }

    /// Checks every field against its limit.
    ///
    /// # Errors
    /// Names the first field that is empty, too long or out of range.
    pub fn check(&self) -> Result<(), Failure> {
        if self.text.trim().is_empty() {
            return Err(Failure::invalid("text is empty; state in a sentence what to remember"));
        }
        limits::bytes("text", &self.text, limits::TEXT_BYTES)?;
        limits::chars("title", self.title.as_deref().unwrap_or(""), limits::TITLE_CHARS)?;
        limits::chars("summary", self.summary.as_deref().unwrap_or(""), limits::SUMMARY_CHARS)?;
        limits::chars("collection", &self.collection, limits::NAME_CHARS)?;
        limits::chars("project", self.project.as_deref().unwrap_or(""), limits::NAME_CHARS)?;
        self.check_lists()?;
        limits::range("priority", f64::from(self.priority), 1.0, 5.0)?;
        limits::range("confidence", f64::from(self.confidence), 0.0, 1.0)?;
        limits::json("metadata", &self.metadata, limits::METADATA_BYTES)
    }

    fn check_lists(&self) -> Result<(), Failure> {
        for (field, list) in [("tags", &self.tags), ("applies_to", &self.applies_to)] {
            limits::count(field, list.len(), limits::TAGS)?;
            list.iter().try_for_each(|item| limits::chars(field, item, limits::TAG_CHARS))?;
        }
        Ok(())
    }
}

/// Model that computed a vector. Vectors of two models are never compared.
#[derive(Debug, Clone, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub struct VectorModel {
    /// Name with a digest of the weights and the preprocessing.
    pub id: String,
    /// Number of components of a vector.
    pub dimensions: usize,
}

/// The quantised vectors of one memory in their stored form, one after another: that of the whole
/// text first, then those of its passages, if any.
#[derive(Debug, Clone, PartialEq)]
pub struct StoredVectors {
    pub model: VectorModel,
    /// Each vector: a little-endian f32 scale, then one signed byte per dimension.
    pub data: Vec<u8>,
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::{AgentName, Author, Dialect, ErrorCode, Origin};

    fn note(text: &str) -> NewMemory {
        let author = Author {
            agent: AgentName::new("test"),
            client: None,
            dialect: Dialect::Quipu,
            tool: "remember".into(),
        };
        let origin = Origin::Agent;
        NewMemory::note(text, Provenance { author, origin, trust: origin.trust(), at: Moment(0) })
    }

    #[test]
    fn an_empty_text_is_refused() {
        assert_eq!(note(" \n").check().unwrap_err().code, ErrorCode::InvalidArgument);
        assert!(note("a").check().is_ok());
    }

    #[test]
    fn each_limit_is_enforced() {
        let refused = |change: fn(&mut NewMemory)| {
            let mut memory = note("a");
            change(&mut memory);
            memory.check().unwrap_err().message
        };
        assert!(refused(|m| m.text = "a".repeat(65_537)).starts_with("text has"));
        assert!(refused(|m| m.title = Some("a".repeat(301))).starts_with("title has"));
        assert!(refused(|m| m.tags = vec!["a".into(); 65]).starts_with("tags has 65"));
        assert!(refused(|m| m.tags = vec!["a".repeat(101)]).starts_with("tags has 101"));
        assert!(refused(|m| m.priority = 6).starts_with("priority must"));
        assert!(refused(|m| m.confidence = 1.5).starts_with("confidence must"));
        assert!(
            refused(|m| {
                m.metadata.insert("a".into(), "b".repeat(16_385).into());
            })
            .starts_with("metadata has")
        );
    }

    #[test]
    fn a_kind_is_normalised() {
        assert_eq!(Kind::new(" Bug Fix ").unwrap().as_str(), "bug-fix");
        assert_eq!(Kind::new("").unwrap(), Kind::note());
    }
}
