//! Corrections: a new text replaces a wrong one, with a reason. The wrong version stays in the
//! history.

use crate::profile::CorrectedValue;
use crate::remember::{RememberOutcome, RememberRequest, RememberStatus};
use crate::sessions::SessionRef;
use crate::versions::visible_versions;
use crate::{Memories, Profile};
use engine_core::UseCaseFuture;
use engine_core::call::Call;
use engine_core::caller::Caller;
use guard::Resource;
use model::{Failure, JsonMap, Kind, Memory, MemoryId, Permission, Status};

/// Input of [`Memories::correct`].
#[derive(Debug, Clone, PartialEq)]
pub struct CorrectRequest {
    /// The memory to replace.
    pub memory: MemoryId,
    /// The corrected text.
    pub text: String,
    pub reason: Option<String>,
    /// The old title when missing.
    pub title: Option<String>,
    /// The old kind when missing.
    pub kind: Option<String>,
    /// Between 0 and 1; the default of a new memory when missing.
    pub confidence: Option<f32>,
    /// The session of the corrected memory when missing, else the caller's.
    pub session: Option<SessionRef>,
    /// Makes a retry safe.
    pub idempotency_key: Option<String>,
}

impl CorrectRequest {
    /// Creates a correction of the text alone.
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

    /// Returns whether the correction changes anything.
    fn changes(&self, wrong: &Memory) -> bool {
        let other_title = self.title.is_some() && self.title != wrong.title;
        // The tool of one dialect sets the kind `correction` always: that is no change by itself.
        let usual = [wrong.kind.clone(), Kind::correction()];
        let other_kind = self
            .kind
            .as_deref()
            .is_some_and(|kind| usual.iter().all(|known| known.as_str() != kind));
        self.text.trim() != wrong.text.trim() || other_title || other_kind
    }
}

impl<'e> Memories<'e> {
    /// Replaces the current version of a memory: the newest correction wins.
    ///
    /// # Errors
    /// `not_found` when there is no such memory; otherwise as [`Memories::remember`].
    pub fn correct(
        self,
        caller: &'e Caller,
        input: &'e CorrectRequest,
    ) -> UseCaseFuture<'e, RememberOutcome> {
        Box::pin(async move {
            let call =
                Call::begin(self.core, caller, Resource::Memories(None), Permission::Write, input)
                    .await?;
            let wrong = call.memory(input.memory).await?;
            // Before the comparison below: a caller without write access gets the refusal, not
            // advice.
            call.require_changeable(std::slice::from_ref(&wrong)).await?;
            if wrong.status == Status::Active && !input.changes(&wrong) {
                let message = format!(
                    "memory {} already says exactly this; give the corrected text",
                    wrong.id
                );
                return Err(Failure::invalid(message));
            }
            if CorrectedValue::of(&wrong).is_some() {
                return self.correct_profile(caller, &call, wrong, input).await;
            }
            self.remember(caller, &replacement(wrong, input)).await
        })
    }

    /// Changes the value of the profile that a memory states; the memory follows.
    async fn correct_profile(
        self,
        caller: &Caller,
        call: &Call<'_>,
        wrong: Memory,
        input: &CorrectRequest,
    ) -> Result<RememberOutcome, Failure> {
        // The memory may be that of an earlier value.
        let latest = call.memory(visible_versions(call, wrong.id).await?.latest).await?;
        let Some(value) = CorrectedValue::of(&latest) else {
            return Err(Failure::not_found("memory", wrong.id));
        };
        let profile = call.store().profile().await?.map(|version| version.data);
        let patch =
            value.request(&profile.unwrap_or_default(), &input.text, input.reason.clone())?;
        let done = Profile::new(self.core).patch(caller, &patch).await?;
        let now = visible_versions(call, latest.id).await?.latest;
        let status = if done.changed.is_empty() && !done.withheld.is_empty() {
            RememberStatus::Proposed
        } else {
            RememberStatus::Created
        };
        Ok(RememberOutcome {
            id: Some(now),
            status,
            superseded: if now == latest.id { Vec::new() } else { vec![latest.id] },
            proposals: done.review.into_iter().collect(),
            notes: done.notes.clone(),
            profile: Some(done),
            ..RememberOutcome::duplicate_of(&latest)
        })
    }
}

/// Builds the replacement, which keeps collection, project, session, labels, scope and priority.
fn replacement(wrong: Memory, input: &CorrectRequest) -> RememberRequest {
    RememberRequest {
        title: input.title.clone().or(wrong.title),
        kind: Some(input.kind.clone().unwrap_or_else(|| wrong.kind.to_string())),
        tags: wrong.tags,
        applies_to: wrong.applies_to,
        collection: Some(wrong.collection),
        project: wrong.project,
        session: input.session.clone().or(wrong.session.map(SessionRef::Id)),
        priority: Some(wrong.priority),
        confidence: input.confidence,
        metadata: metadata_without_reason(wrong.metadata),
        supersedes: vec![wrong.id],
        reason: input.reason.clone(),
        idempotency_key: input.idempotency_key.clone(),
        ..RememberRequest::text(input.text.clone())
    }
}

/// Removes the reason of an earlier correction, which is not the reason of this one.
fn metadata_without_reason(mut metadata: JsonMap) -> JsonMap {
    metadata.remove("reason");
    metadata
}
