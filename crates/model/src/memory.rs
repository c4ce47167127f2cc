//! A memory: one remembered thing with everything that is known about it.

use crate::{ContentHash, Failure, JsonMap, MemoryId, Moment, Provenance, SessionId, limits};
use std::fmt;

/// What sort of thing is remembered. An open set; the constants are the usual ones.
#[derive(Debug, Clone, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub struct Kind(String);

impl Kind {
    /// The usual kinds.
    pub const USUAL: [&'static str; 8] =
        ["fact", "decision", "preference", "inference", "correction", "skill", "episode", "note"];

    /// A kind by its name: lower-cased, spaces made dashes; empty becomes `note`.
    ///
    /// # Errors
    /// When the name is longer than a name may be.
    pub fn new(name: &str) -> Result<Self, Failure> {
        let name = name.trim().to_lowercase().replace(char::is_whitespace, "-");
        limits::chars("kind", &name, limits::NAME_CHARS)?;
        Ok(Self(if name.is_empty() { "note".to_owned() } else { name }))
    }

    /// What a memory is when nobody says otherwise.
    #[must_use]
    pub fn note() -> Self {
        Self("note".to_owned())
    }

    /// The memory that sums a session up.
    #[must_use]
    pub fn episode() -> Self {
        Self("episode".to_owned())
    }

    /// The memory that replaces a wrong one.
    #[must_use]
    pub fn correction() -> Self {
        Self("correction".to_owned())
    }

    /// The name.
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

/// Where a memory stands. Only an active one appears in a recall that does not ask for history.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash)]
pub enum Status {
    /// It holds.
    Active,
    /// It waits for a decision.
    Proposed,
    /// A newer memory replaced it.
    Superseded,
    /// It was found wrong.
    Rejected,
    /// It was taken out of use.
    Retired,
}

impl Status {
    /// Every status.
    pub const ALL: [Self; 5] =
        [Self::Active, Self::Proposed, Self::Superseded, Self::Rejected, Self::Retired];

    /// The name.
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

    /// The status of a name.
    #[must_use]
    pub fn parse(name: &str) -> Option<Self> {
        Self::ALL.into_iter().find(|status| status.name() == name)
    }
}

/// How often and when a memory was used.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default)]
pub struct Access {
    /// How often it was recalled.
    pub count: u32,
    /// When last.
    pub last: Option<Moment>,
}

/// One remembered thing.
#[derive(Debug, Clone, PartialEq)]
pub struct Memory {
    /// Its number, per owner, never used again.
    pub id: MemoryId,
    /// What sort of thing it is.
    pub kind: Kind,
    /// A headline.
    pub title: Option<String>,
    /// What is remembered.
    pub text: String,
    /// The text in short.
    pub summary: Option<String>,
    /// The drawer it lies in; `memories` when nobody says otherwise.
    pub collection: String,
    /// The stretch of work it was made in.
    pub session: Option<SessionId>,
    /// The project it belongs to.
    pub project: Option<String>,
    /// Labels.
    pub tags: Vec<String>,
    /// Projects, paths or contexts it is meant for.
    pub applies_to: Vec<String>,
    /// 1 (most important) to 5.
    pub priority: u8,
    /// 0 to 1, as its writer said.
    pub confidence: f32,
    /// Whatever else its writer attached.
    pub metadata: JsonMap,
    /// Who wrote it and from what.
    pub provenance: Provenance,
    /// From when on it holds; when it was written, if nobody says otherwise.
    pub valid_from: Moment,
    /// Until when it holds.
    pub valid_to: Option<Moment>,
    /// Where it stands.
    pub status: Status,
    /// When it left `active`.
    pub ended_at: Option<Moment>,
    /// How often it was used.
    pub access: Access,
    /// How many open flags complain about it.
    pub flags: u32,
    /// When anything of it last changed.
    pub updated_at: Moment,
}

/// A memory that is about to be written. The id comes from the store.
#[derive(Debug, Clone, PartialEq)]
pub struct NewMemory {
    /// What sort of thing it is.
    pub kind: Kind,
    /// A headline.
    pub title: Option<String>,
    /// What is remembered.
    pub text: String,
    /// The text in short.
    pub summary: Option<String>,
    /// The drawer it lies in.
    pub collection: String,
    /// The project it belongs to.
    pub project: Option<String>,
    /// Labels.
    pub tags: Vec<String>,
    /// Projects, paths or contexts it is meant for.
    pub applies_to: Vec<String>,
    /// 1 (most important) to 5.
    pub priority: u8,
    /// 0 to 1.
    pub confidence: f32,
    /// Whatever else its writer attached.
    pub metadata: JsonMap,
    /// Who writes it and from what.
    pub provenance: Provenance,
    /// From when on it holds.
    pub valid_from: Moment,
    /// Until when it holds.
    pub valid_to: Option<Moment>,
    /// Where it stands; `Active` or `Proposed`.
    pub status: Status,
}

impl NewMemory {
    /// The drawer a memory lies in when nobody names one.
    pub const COLLECTION: &'static str = "memories";

    /// A plain note with every other field at its default.
    #[must_use]
    pub fn note(text: impl Into<String>, provenance: Provenance) -> Self {
        Self {
            kind: Kind::note(),
            title: None,
            text: text.into(),
            summary: None,
            collection: Self::COLLECTION.to_owned(),
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

    /// How this text is known again.
    #[must_use]
    pub fn hash(&self) -> ContentHash {
        ContentHash::of(&self.text)
    }

    /// Holds every field against its limit.
    ///
    /// # Errors
    /// The first field that is empty, too long or out of range.
    pub fn check(&self) -> Result<(), Failure> {
        if self.text.trim().is_empty() {
            return Err(Failure::invalid("text is empty; say in a sentence what to remember"));
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

/// Which model made a vector. Vectors of two models are never compared.
#[derive(Debug, Clone, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub struct VectorModel {
    /// The model's name with a digest of its weights and preprocessing.
    pub id: String,
    /// How many numbers a vector has.
    pub dimensions: usize,
}

/// The vectors of one memory as the store keeps them: one quantised vector after another, that of
/// the whole text first, then those of its passages, if it has any.
#[derive(Debug, Clone, PartialEq)]
pub struct StoredVector {
    /// The model that made them.
    pub model: VectorModel,
    /// Each vector: a little-endian f32 scale, then one signed byte a dimension.
    pub windows: Vec<u8>,
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
    fn each_limit_is_held() {
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
    fn a_kind_is_folded_to_one_spelling() {
        assert_eq!(Kind::new(" Bug Fix ").unwrap().as_str(), "bug-fix");
        assert_eq!(Kind::new("").unwrap(), Kind::note());
    }
}
