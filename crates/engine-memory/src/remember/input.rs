//! What can be said when remembering.

use crate::sessions::SessionRef;
use model::{Failure, JsonMap, LinkKind, MemoryId, Moment, Origin, limits};
use store::OnDuplicate;

/// Something to remember. Only the text is needed; a row or a profile patch may stand in for it.
#[derive(Debug, Clone, PartialEq)]
pub struct Remember {
    /// What to remember.
    pub text: String,
    /// A headline.
    pub title: Option<String>,
    /// The text in short.
    pub summary: Option<String>,
    /// What sort of thing; `note` when missing.
    pub kind: Option<String>,
    /// Labels.
    pub tags: Vec<String>,
    /// Projects, paths or contexts it is meant for.
    pub applies_to: Vec<String>,
    /// The drawer; `memories` when missing.
    pub collection: Option<String>,
    /// The project; the caller's when missing.
    pub project: Option<String>,
    /// The session; the caller's when missing.
    pub session: Option<SessionRef>,
    /// Whether it comes after the memory of its session that was made last.
    pub chained: bool,
    /// 1 to 5.
    pub priority: Option<u8>,
    /// 0 to 1.
    pub confidence: Option<f32>,
    /// Whatever else belongs to it.
    pub metadata: JsonMap,
    /// Links from it to memories that are there.
    pub links: Vec<NewLink>,
    /// Memories that it replaces.
    pub supersedes: Vec<MemoryId>,
    /// Why it replaces them, or why the profile changes.
    pub reason: Option<String>,
    /// From when on it holds; now when missing.
    pub valid_from: Option<Moment>,
    /// Until when it holds.
    pub expires: Option<Moment>,
    /// A row to write with it.
    pub row: Option<NewRow>,
    /// A patch of the profile to write with it.
    pub profile: Option<JsonMap>,
    /// A weaker source than the caller itself: inferred, or quoted from outside. A stronger one is
    /// ignored.
    pub origin: Option<Origin>,
    /// Makes a retry safe.
    pub idempotency_key: Option<String>,
    /// What to do when it is there already; answer with it when missing.
    pub on_duplicate: Option<OnDuplicate>,
    /// Write it although it was forgotten before.
    pub allow_forgotten: bool,
}

impl Default for Remember {
    fn default() -> Self {
        Self::text("")
    }
}

impl Remember {
    /// Just a text.
    #[must_use]
    pub fn text(text: impl Into<String>) -> Self {
        Self {
            text: text.into(),
            title: None,
            summary: None,
            kind: None,
            tags: Vec::new(),
            applies_to: Vec::new(),
            collection: None,
            project: None,
            session: None,
            chained: false,
            priority: None,
            confidence: None,
            metadata: JsonMap::new(),
            links: Vec::new(),
            supersedes: Vec::new(),
            reason: None,
            valid_from: None,
            expires: None,
            row: None,
            profile: None,
            origin: None,
            idempotency_key: None,
            on_duplicate: None,
            allow_forgotten: false,
        }
    }

    /// Holds what the memory itself does not check against its limit.
    pub(super) fn check(&self) -> Result<(), Failure> {
        limits::chars("reason", self.reason.as_deref().unwrap_or(""), limits::REASON_CHARS)?;
        let key = self.idempotency_key.as_deref().unwrap_or("");
        limits::chars("idempotency_key", key, limits::IDEMPOTENCY_KEY_CHARS)?;
        limits::count("links", self.links.len(), limits::LINKS_OUT)?;
        limits::count("supersedes", self.supersedes.len(), limits::IDS)
    }
}

/// A link to a memory that is there.
#[derive(Debug, Clone, Copy, PartialEq)]
pub struct NewLink {
    /// To which.
    pub target: MemoryId,
    /// What the new memory is to it.
    pub kind: LinkKind,
    /// 0 to 1.
    pub weight: f32,
}

/// A row to write.
#[derive(Debug, Clone, PartialEq)]
pub struct NewRow {
    /// The table, in any spelling.
    pub table: String,
    /// What the table is for.
    pub description: Option<String>,
    /// The fields.
    pub data: JsonMap,
}
