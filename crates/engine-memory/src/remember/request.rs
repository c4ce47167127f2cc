//! Input of [`Memories::remember`](crate::Memories::remember).

use crate::sessions::SessionRef;
use model::{Failure, JsonMap, LinkKind, MemoryId, Moment, Origin, limits};
use store::OnDuplicate;

/// A memory to store. Only the text is required; a row or a profile patch may replace it.
#[derive(Debug, Clone, PartialEq)]
pub struct RememberRequest {
    pub text: String,
    pub title: Option<String>,
    pub summary: Option<String>,
    /// `note` when missing.
    pub kind: Option<String>,
    pub tags: Vec<String>,
    /// Projects, paths or contexts that it applies to.
    pub applies_to: Vec<String>,
    /// `memories` when missing.
    pub collection: Option<String>,
    /// The caller's project when missing.
    pub project: Option<String>,
    /// The caller's session when missing.
    pub session: Option<SessionRef>,
    /// Links it to the previous memory of its session.
    pub chained: bool,
    /// From 1, most important, to 5.
    pub priority: Option<u8>,
    /// Between 0 and 1.
    pub confidence: Option<f32>,
    pub metadata: JsonMap,
    /// Links to existing memories.
    pub links: Vec<NewMemoryLink>,
    /// Memories that it replaces.
    pub supersedes: Vec<MemoryId>,
    /// Reason for the replacement or for the change of the profile.
    pub reason: Option<String>,
    /// Start of validity; now when missing.
    pub valid_from: Option<Moment>,
    /// End of validity.
    pub expires: Option<Moment>,
    pub row: Option<NewRow>,
    /// Patch of the profile to apply with it.
    pub profile: Option<JsonMap>,
    /// A weaker origin than the caller's: inferred, or quoted from outside. A stronger one is
    /// ignored.
    pub origin: Option<Origin>,
    /// Makes a retry safe.
    pub idempotency_key: Option<String>,
    /// Returns the existing memory when missing.
    pub on_duplicate: Option<OnDuplicate>,
    /// Stores the text even if it was forgotten before.
    pub allow_forgotten: bool,
    /// Waits for a decision, even if it replaces nothing.
    pub proposed: bool,
    /// Stores nothing if a memory says the same in other words, or it was proposed before.
    pub only_new: bool,
}

impl Default for RememberRequest {
    fn default() -> Self {
        Self::text("")
    }
}

impl RememberRequest {
    /// Creates a request with a text alone.
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
            proposed: false,
            only_new: false,
        }
    }

    /// Checks the limits of fields that the memory itself does not check.
    pub(super) fn check(&self) -> Result<(), Failure> {
        limits::chars("reason", self.reason.as_deref().unwrap_or(""), limits::REASON_CHARS)?;
        let key = self.idempotency_key.as_deref().unwrap_or("");
        limits::chars("idempotency_key", key, limits::IDEMPOTENCY_KEY_CHARS)?;
        // Checked before anything is embedded, which costs far more.
        limits::count("links", self.links.len(), limits::LINKS_OUT)?;
        limits::count("supersedes", self.supersedes.len(), limits::IDS_PER_CALL)
    }
}

/// A link to an existing memory.
#[derive(Debug, Clone, Copy, PartialEq)]
pub struct NewMemoryLink {
    pub target: MemoryId,
    pub kind: LinkKind,
    /// Between 0 and 1.
    pub weight: f32,
}

/// A row to write.
#[derive(Debug, Clone, PartialEq)]
pub struct NewRow {
    /// Name in any spelling.
    pub table: String,
    /// Purpose of the table.
    pub description: Option<String>,
    pub data: JsonMap,
}
