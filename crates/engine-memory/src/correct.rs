//! Correct: a new text in place of a wrong one, with the reason. What was wrong stays in the
//! history.

use crate::Memories;
use crate::remember::Remember;
use crate::remember::Remembered;
use crate::sessions::SessionRef;
use engine_core::call::Call;
use engine_core::caller::Caller;
use guard::Resource;
use model::{Failure, JsonMap, Kind, Memory, MemoryId, Permission, Status};

/// A correction.
#[derive(Debug, Clone, PartialEq)]
pub struct Correct {
    /// What is wrong.
    pub memory: MemoryId,
    /// What is right.
    pub text: String,
    /// Why.
    pub reason: Option<String>,
    /// A new headline; the old one stays when missing.
    pub title: Option<String>,
    /// A new kind; the old one stays when missing.
    pub kind: Option<String>,
    /// 0 to 1; as a new memory's when missing.
    pub confidence: Option<f32>,
    /// The session it is made in; the caller's when missing.
    pub session: Option<SessionRef>,
    /// Makes a retry safe.
    pub idempotency_key: Option<String>,
}

impl Correct {
    /// Just a new text.
    #[must_use]
    pub fn new(memory: MemoryId, text: impl Into<String>) -> Self {
        Self {
            memory,
            text: text.into(),
            reason: None,
            title: None,
            kind: None,
            confidence: None,
            session: None,
            idempotency_key: None,
        }
    }

    /// Whether it says anything else. That it is of the kind `correction` only tells how it came
    /// about.
    fn changes(&self, wrong: &Memory) -> bool {
        let other_title = self.title.is_some() && self.title != wrong.title;
        let usual = [wrong.kind.clone(), Kind::correction()];
        let other_kind = self
            .kind
            .as_deref()
            .is_some_and(|kind| usual.iter().all(|known| known.as_str() != kind));
        self.text.trim() != wrong.text.trim() || other_title || other_kind
    }
}

impl Memories<'_> {
    /// Corrects. Whatever version of the memory holds now is replaced: the newest correction wins.
    ///
    /// # Errors
    /// `not_found` when there is no such memory; otherwise as [`Memories::remember`].
    pub async fn correct(self, caller: &Caller, input: &Correct) -> Result<Remembered, Failure> {
        let call =
            Call::begin(self.core, caller, Resource::Memories(None), Permission::Write, input)
                .await?;
        let wrong = call.memory(input.memory).await?;
        call.may_change(std::slice::from_ref(&wrong)).await?;
        if wrong.status == Status::Active && !input.changes(&wrong) {
            let message =
                format!("memory {} says exactly that already; give the corrected text", wrong.id);
            return Err(Failure::invalid(message));
        }
        self.remember(caller, &replacement(wrong, input)).await
    }
}

/// The corrected memory keeps its place: collection, project, labels, scope and importance.
fn replacement(wrong: Memory, input: &Correct) -> Remember {
    Remember {
        title: input.title.clone().or(wrong.title),
        kind: Some(input.kind.clone().unwrap_or_else(|| wrong.kind.to_string())),
        tags: wrong.tags,
        applies_to: wrong.applies_to,
        collection: Some(wrong.collection),
        project: wrong.project,
        session: input.session.clone(),
        priority: Some(wrong.priority),
        confidence: input.confidence,
        metadata: kept_metadata(wrong.metadata),
        supersedes: vec![wrong.id],
        reason: input.reason.clone(),
        idempotency_key: input.idempotency_key.clone(),
        ..Remember::text(input.text.clone())
    }
}

/// The reason of an earlier correction is not the reason of this one.
fn kept_metadata(mut metadata: JsonMap) -> JsonMap {
    metadata.remove("reason");
    metadata
}
