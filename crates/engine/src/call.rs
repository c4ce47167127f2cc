//! One call of a use case: when it began, what it asks for, and how its writes and reads are noted.
//! Every use case starts here, so that none can forget the policy or the audit event.

use crate::{Caller, Engine};
use guard::{Pass, Policy, Resource};
use model::{
    AuditEvent, AuditId, ContentHash, ErrorCode, Failure, Memory, MemoryId, Moment, Origin, Outcome,
    Permission, Provenance, Seq,
};
use store::{Batch, Change, Committed, Idempotency, StoreError, Use, WriteError};

/// A call that the policy let through.
pub(crate) struct Call<'e> {
    pub engine: &'e Engine,
    pub caller: &'e Caller,
    pub policy: Policy,
    pub pass: Pass,
    pub at: Moment,
    arguments: ContentHash,
}

impl<'e> Call<'e> {
    /// Begins a call: asks the policy and notes the time. `arguments` is only hashed, never kept.
    pub fn begin(
        engine: &'e Engine,
        caller: &'e Caller,
        resource: Resource,
        permission: Permission,
        arguments: &impl std::fmt::Debug,
    ) -> Result<Self, Failure> {
        let policy = caller.policy();
        let pass = policy.admit(resource, permission)?;
        let arguments = ContentHash::of_bytes(format!("{arguments:?}").as_bytes());
        Ok(Self { engine, caller, policy, pass, at: engine.clock.now(), arguments })
    }

    /// Where something that this call writes comes from.
    pub fn provenance(&self, origin: Origin) -> Provenance {
        Provenance { author: self.caller.author.clone(), origin, trust: origin.trust(), at: self.at }
    }

    /// The audit event of this call.
    pub fn event(&self, note: impl Into<String>) -> AuditEvent {
        let took = self.engine.clock.now().0.saturating_sub(self.at.0);
        AuditEvent {
            id: AuditId(0),
            seq: Seq::ZERO,
            author: self.caller.author.clone(),
            resource: self.pass.resource().to_string(),
            outcome: Outcome::Done,
            at: self.at,
            duration_us: u64::try_from(took).unwrap_or(0),
            arguments: self.arguments,
            note: note.into(),
        }
    }

    /// Writes changes as one batch.
    pub async fn write(&self, note: impl Into<String>, changes: Vec<Change>) -> Result<Committed, Failure> {
        self.write_batch(Batch::new(self.event(note), changes)).await
    }

    /// Writes changes as one batch that happens once under the caller's key.
    pub async fn write_once(
        &self,
        note: impl Into<String>,
        changes: Vec<Change>,
        key: Option<String>,
    ) -> Result<Committed, Failure> {
        let mut batch = Batch::new(self.event(note), changes);
        batch.idempotency = key.map(|key| Idempotency { key, fingerprint: self.arguments });
        self.write_batch(batch).await
    }

    async fn write_batch(&self, batch: Batch) -> Result<Committed, Failure> {
        self.engine.store.write(&self.caller.owner, batch).await.map_err(write_failure)
    }

    /// Leaves only what exists for this caller.
    pub fn visible(&self, memories: Vec<Memory>) -> Vec<Memory> {
        memories.into_iter().filter(|memory| self.policy.shows(&self.pass, memory)).collect()
    }

    /// Memories by id, as far as they exist for this caller.
    pub async fn memories(&self, ids: &[MemoryId]) -> Result<Vec<Memory>, Failure> {
        let memories = self.engine.store.memories(&self.caller.owner, ids).await.map_err(read_failure)?;
        Ok(self.visible(memories))
    }

    /// One memory, or the failure that says there is none.
    pub async fn memory(&self, id: MemoryId) -> Result<Memory, Failure> {
        self.memories(&[id]).await?.pop().ok_or_else(|| Failure::not_found("memory", id))
    }

    /// Notes that these memories were shown. A fault here must not take the answer away, so it is only logged.
    pub async fn note_shown(&self, note: impl Into<String>, memories: &[MemoryId]) {
        let shown = Use { event: self.event(note), memories: memories.to_vec() };
        self.engine.uses.note(&self.caller.owner, shown).await;
    }
}

/// The failure of a read; the cause goes to the log under an id.
pub(crate) fn read_failure(error: StoreError) -> Failure {
    with_cause_logged(error.cause().map(str::to_owned), error.into())
}

/// The failure of a write; the cause goes to the log under an id.
pub(crate) fn write_failure(error: WriteError) -> Failure {
    let cause = if let WriteError::Store(inner) = &error { inner.cause().map(str::to_owned) } else { None };
    with_cause_logged(cause, error.into())
}

fn with_cause_logged(cause: Option<String>, failure: Failure) -> Failure {
    let Some(cause) = cause else { return failure };
    let incident = ContentHash::of_bytes(cause.as_bytes()).to_string();
    let incident = incident.get(..8).unwrap_or_default();
    tracing::error!(incident, code = failure.code.name(), cause, "the store failed");
    Failure { message: format!("{} (incident {incident})", failure.message), ..failure }
}

/// A fault of our own, with its cause in the log.
pub(crate) fn internal(cause: impl std::fmt::Display) -> Failure {
    with_cause_logged(
        Some(cause.to_string()),
        Failure::new(ErrorCode::Internal, "something went wrong inside"),
    )
}
