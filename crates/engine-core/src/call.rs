//! One call of a use case: its time, its policy decision, and its audit events. Every use case
//! begins here, so that none can skip the policy or the audit event.

use crate::caller::Caller;
use crate::plan::BatchPlan;
use crate::screening;
use crate::screening_notes::{CallScreen, ScreeningNotes};
use crate::{Core, OwnerStore, OwnerView};
use guard::{AccessProof, AccessRefusal, CallerAccess, GrantRules, Policy, Resource, Screening};
use index::Filter;
use model::{
    AuditEvent, AuditId, AuditOutcome, ContentHash, Dialect, ErrorCode, Failure, Memory, MemoryId,
    Moment, Origin, Permission, Provenance, Seq, SourceFilter,
};
use std::sync::Arc;
use store::{
    Batch, Change, CommittedBatch, ExpectedVersion, Idempotency, LoggedQuestion, MemoryQuery,
    ReadEvent, StoreError, WriteError,
};

/// Key of the setting that requires grants for agents under the owner's own account too.
// It is stored and must not change.
pub const GRANTS_ENFORCED: &str = "grants_enforced";

/// A call that the policy admitted.
pub struct Call<'e> {
    pub core: &'e Core,
    pub caller: &'e Caller,
    pub policy: Policy,
    pub pass: AccessProof,
    pub at: Moment,
    /// Sources of the memories that the caller may read.
    pub readable: SourceFilter,
    arguments: ContentHash,
    /// Identity of the store that everything is decided on.
    store_id: [u8; 16],
    screening_notes: ScreeningNotes,
}

impl<'e> Call<'e> {
    /// Begins a call: asks the policy and takes the time. `arguments` is hashed, never stored.
    pub async fn begin(
        core: &'e Core,
        caller: &'e Caller,
        resource: Resource,
        permission: Permission,
        arguments: &(dyn std::fmt::Debug + Sync),
    ) -> Result<Self, Failure> {
        Self::begin_any(core, caller, &[resource], permission, arguments).await
    }

    /// Begins a call for which access to any of these resources is enough. The audit event names
    /// the one that was admitted.
    pub async fn begin_any(
        core: &'e Core,
        caller: &'e Caller,
        resources: &[Resource],
        permission: Permission,
        arguments: &(dyn std::fmt::Debug + Sync),
    ) -> Result<Self, Failure> {
        let at = core.clock.now();
        // Before anything is read that a write may depend on.
        let store_id = core.store_of(&caller.owner).identity().await?;
        let policy = core.policy(caller).await?;
        let arguments = ContentHash::of_bytes(format!("{arguments:?}").as_bytes());
        let mut refusal = None;
        for resource in resources {
            match policy.admit(resource.clone(), permission) {
                Ok(pass) => {
                    let readable = policy.sources(Permission::Read);
                    return Ok(Self {
                        core,
                        caller,
                        policy,
                        pass,
                        at,
                        readable,
                        arguments,
                        store_id,
                        screening_notes: ScreeningNotes::default(),
                    });
                }
                // The first refusal is the one reported: it names the resource that the caller
                // asked for first.
                Err(no) => refusal = refusal.or(Some(no)),
            }
        }
        let refusal = refusal.ok_or_else(|| internal("a call named no resource"))?;
        Err(core.note_refusal(caller, at, arguments, refusal).await)
    }

    /// Requires access to one more resource.
    pub async fn admit(
        &self,
        resource: Resource,
        permission: Permission,
    ) -> Result<AccessProof, Failure> {
        self.check_decision(self.policy.admit(resource, permission)).await
    }

    /// Requires access to one more resource and everything below it.
    pub async fn admit_whole(
        &self,
        resource: Resource,
        permission: Permission,
    ) -> Result<AccessProof, Failure> {
        self.check_decision(self.policy.admit_whole(resource, permission)).await
    }

    async fn check_decision(
        &self,
        decision: Result<AccessProof, AccessRefusal>,
    ) -> Result<AccessProof, Failure> {
        match decision {
            Ok(pass) => Ok(pass),
            Err(refusal) => {
                Err(self.core.note_refusal(self.caller, self.at, self.arguments, refusal).await)
            }
        }
    }

    /// Returns the provenance of what this call writes.
    pub fn provenance(&self, origin: Origin) -> Provenance {
        Provenance {
            author: self.caller.author.clone(),
            origin,
            trust: origin.trust(),
            at: self.at,
        }
    }

    /// Builds the audit event of this call.
    pub fn event(&self, note: impl Into<String>) -> AuditEvent {
        let resource = self.pass.resource().to_string();
        self.core.build_event(
            self.caller,
            self.at,
            self.arguments,
            resource,
            AuditOutcome::Done,
            note.into(),
        )
    }

    /// Writes changes as one batch.
    pub async fn write(
        &self,
        note: impl Into<String>,
        changes: Vec<Change>,
    ) -> Result<CommittedBatch, Failure> {
        self.write_batch(Batch::new(self.event(note), changes)).await
    }

    /// Writes a planned batch, if the versions that it was planned for still hold.
    pub async fn write_plan(
        &self,
        note: impl Into<String>,
        plan: BatchPlan,
    ) -> Result<CommittedBatch, Failure> {
        self.write_once(note, plan, None).await
    }

    /// Writes a planned batch that takes effect once per idempotency key.
    pub async fn write_once(
        &self,
        note: impl Into<String>,
        plan: impl Into<BatchPlan>,
        key: Option<String>,
    ) -> Result<CommittedBatch, Failure> {
        let plan = plan.into();
        let mut batch = Batch::new(self.event(note), plan.changes);
        batch.expected_versions = plan.expected_versions;
        batch.idempotency = key.map(|key| Idempotency { key, fingerprint: self.arguments });
        self.write_batch(batch).await
    }

    /// Returns the screen for incoming texts. Its changes appear in [`Call::notes`] and in the
    /// audit event.
    pub fn screen(&self) -> CallScreen<'_> {
        self.screening_notes.wrap(Screening::new(self.core.on_secret))
    }

    /// Returns sentences about what screening changed; complete only after the write.
    pub fn notes(&self) -> Vec<String> {
        self.screening_notes.notes()
    }

    /// The reads of the owner's store, for this call.
    pub fn store(&self) -> OwnerStore<'_> {
        self.core.store_of(&self.caller.owner)
    }

    /// The owner's view, caught up with the store.
    pub async fn view(&self) -> Result<Arc<OwnerView>, Failure> {
        self.core.view(&self.caller.owner).await
    }

    async fn write_batch(&self, mut batch: Batch) -> Result<CommittedBatch, Failure> {
        batch.expected_versions.extend(self.caller.expected_version.clone());
        batch.expected_versions.push(self.expected_store());
        // Screened here as well as in the use cases, so that no use case can forget a field.
        screening::screen_batch(&mut self.screen(), &mut batch)?;
        for note in self.screening_notes.unlogged() {
            batch.event.note = format!("{}; {note}", batch.event.note);
        }
        self.write_with_extracts(batch).await
    }

    /// Returns the identity of the store that this call reads. A cache that it fills is of no use
    /// for another store, also at the same sequence number.
    pub fn store_id(&self) -> [u8; 16] {
        self.store_id
    }

    /// Returns the condition that the store was not replaced by a backup since the call began.
    pub(crate) fn expected_store(&self) -> ExpectedVersion {
        ExpectedVersion::Store(self.store_id)
    }

    /// Returns a filter for everything the caller may read.
    pub fn filter(&self) -> Filter {
        Filter { sources: self.readable.clone(), ..Filter::default() }
    }

    /// Returns a query for everything the caller may read.
    pub fn query(&self) -> MemoryQuery {
        MemoryQuery { sources: self.readable.clone(), ..MemoryQuery::default() }
    }

    /// Returns a query for everything the caller may change.
    pub fn writable_query(&self) -> MemoryQuery {
        MemoryQuery { sources: self.policy.sources(Permission::Write), ..MemoryQuery::default() }
    }

    /// Returns whether the caller may read a memory.
    pub fn can_read(&self, memory: &Memory) -> bool {
        self.readable.allows(memory.source())
    }

    /// Returns whether the caller may change a memory.
    pub fn can_write(&self, memory: &Memory) -> bool {
        self.policy.allows(Resource::for_source(memory.source()), Permission::Write)
    }

    /// Keeps only the memories that the caller may read.
    pub fn visible(&self, memories: Vec<Memory>) -> Vec<Memory> {
        memories.into_iter().filter(|memory| self.can_read(memory)).collect()
    }

    /// Returns memories by id, without those that the caller may not read.
    pub async fn memories(&self, ids: &[MemoryId]) -> Result<Vec<Memory>, Failure> {
        Ok(self.visible(self.memories_unchecked(ids).await?))
    }

    /// Returns memories by id without a permission check: for decisions, never for output.
    pub async fn memories_unchecked(&self, ids: &[MemoryId]) -> Result<Vec<Memory>, Failure> {
        self.store().memories(ids).await
    }

    /// Returns one memory that the caller may read.
    pub async fn memory(&self, id: MemoryId) -> Result<Memory, Failure> {
        self.memories(&[id]).await?.pop().ok_or_else(|| Failure::not_found("memory", id))
    }

    /// Refuses unless the caller may change all of these. One that the caller may not read is
    /// reported as missing, so that a refusal does not reveal that it exists.
    pub async fn require_changeable(&self, memories: &[Memory]) -> Result<(), Failure> {
        for memory in memories {
            if !self.can_read(memory) {
                return Err(Failure::not_found("memory", memory.id));
            }
            self.admit(Resource::for_source(memory.source()), Permission::Write).await?;
        }
        Ok(())
    }

    /// Returns whether the caller may delete what others wrote without asking the owner: the owner
    /// in person, and an agent with the grant `erase`, whether or not it needs grants otherwise.
    pub async fn may_erase(&self) -> Result<bool, Failure> {
        if self.caller.in_person {
            return Ok(true);
        }
        let rules = self.core.grant_rules(self.caller).await?;
        Ok(rules.permission(&Resource::Erase) == Permission::Write)
    }

    /// Logs that these memories were shown.
    pub async fn note_shown(&self, note: impl Into<String>, memories: &[MemoryId]) {
        // A failure to log must not take the answer away, so the usage log only warns about it.
        let shown = ReadEvent::new(self.event(note), self.counted_uses(memories));
        self.core.uses.add(&self.caller.owner, shown).await;
    }

    /// Logs that these memories answered a question.
    pub async fn note_question(
        &self,
        note: impl Into<String>,
        memories: &[MemoryId],
        asked: LoggedQuestion,
    ) {
        let shown = ReadEvent {
            question: Some(asked),
            ..ReadEvent::new(self.event(note), self.counted_uses(memories))
        };
        self.core.uses.add(&self.caller.owner, shown).await;
    }

    /// Returns the memories that count as used. What the owner browses in the dashboard does not
    /// count: it would drown what agents were shown.
    fn counted_uses(&self, memories: &[MemoryId]) -> Vec<MemoryId> {
        if self.is_browsing() { Vec::new() } else { memories.to_vec() }
    }

    /// Returns whether the owner only looks: in the dashboard, or at what an agent would get.
    #[must_use]
    pub fn is_browsing(&self) -> bool {
        let caller = self.caller;
        caller.is_preview || (caller.is_human() && caller.author.dialect == Dialect::Rest)
    }

    /// Logs at once an action whose change is outside of the owner's store.
    pub async fn note_done(&self, note: impl Into<String>) -> Result<(), Failure> {
        let done = ReadEvent::new(self.event(note), Vec::new());
        self.core.store.log_reads(&self.caller.owner, vec![done]).await.map_err(write_failure)
    }
}

impl Core {
    /// Returns the policy of a caller.
    pub async fn policy(&self, caller: &Caller) -> Result<Policy, Failure> {
        let agent = caller.author.agent.clone();
        // Grants are read for every call: revoking one takes effect at once, in every process.
        let scope = match caller.reach {
            _ if caller.in_person => return Ok(Policy::for_owner(agent)),
            CallerAccess::OwnerToken => return Ok(Policy::for_trusted(agent)),
            CallerAccess::Account if !self.grants_enforced(caller).await? => {
                return Ok(Policy::for_trusted(agent));
            }
            CallerAccess::Account => Permission::Write,
            CallerAccess::Credential(scope) => scope,
        };
        Ok(Policy::for_granted(agent, scope, self.grant_rules(caller).await?))
    }

    /// Returns the rules of the caller's agent.
    async fn grant_rules(&self, caller: &Caller) -> Result<GrantRules, Failure> {
        let grants = self.store_of(&caller.owner).grants().await?;
        let own = grants.iter().filter(|grant| grant.agent == caller.author.agent);
        Ok(GrantRules::from_grants(own))
    }

    pub async fn grants_enforced(&self, caller: &Caller) -> Result<bool, Failure> {
        let stored = self.store_of(&caller.owner).setting(GRANTS_ENFORCED).await?;
        Ok(stored.is_some_and(|value| value == true))
    }

    /// Logs a tool call that failed before or inside a use case.
    pub async fn note_failed(
        &self,
        caller: &Caller,
        arguments: &(dyn std::fmt::Debug + Sync),
        failure: &Failure,
    ) {
        // The policy has logged its own refusals already, with the resource.
        if matches!(failure.code, ErrorCode::ConsentRequired | ErrorCode::Forbidden) {
            return;
        }
        let arguments = ContentHash::of_bytes(format!("{arguments:?}").as_bytes());
        let resource = format!("tools/{}", caller.author.tool);
        let outcome = if is_server_fault(failure.code) {
            AuditOutcome::Failed
        } else {
            AuditOutcome::Refused
        };
        let note = failure.code.name().to_owned();
        let event = self.build_event(caller, self.clock.now(), arguments, resource, outcome, note);
        self.uses.add(&caller.owner, ReadEvent::new(event, Vec::new())).await;
    }

    /// Logs that a client of an agent has connected.
    pub async fn note_connected(&self, caller: &Caller) {
        let caller = &caller.clone().with_tool("connect");
        let (resource, note) = ("tools/connect".to_owned(), "connected".to_owned());
        let (at, arguments) = (self.clock.now(), ContentHash::of_bytes(&[]));
        let event = self.build_event(caller, at, arguments, resource, AuditOutcome::Done, note);
        self.uses.add(&caller.owner, ReadEvent::new(event, Vec::new())).await;
    }

    /// Logs a refusal of the policy and turns it into the failure for the caller.
    async fn note_refusal(
        &self,
        caller: &Caller,
        at: Moment,
        arguments: ContentHash,
        refusal: AccessRefusal,
    ) -> Failure {
        let (resource, note) =
            (refusal.resource.to_string(), format!("may not {}", refusal.permission.name()));
        let event = self.build_event(caller, at, arguments, resource, AuditOutcome::Refused, note);
        self.uses.add(&caller.owner, ReadEvent::new(event, Vec::new())).await;
        refusal.into()
    }

    fn build_event(
        &self,
        caller: &Caller,
        at: Moment,
        arguments: ContentHash,
        resource: String,
        outcome: AuditOutcome,
        note: String,
    ) -> AuditEvent {
        let took = self.clock.now().0.saturating_sub(at.0);
        let (id, seq, author) = (AuditId(0), Seq::ZERO, caller.author.clone());
        let duration_us = u64::try_from(took).unwrap_or(0);
        // A caller may have chosen names in them that contain a secret or invisible characters.
        let (resource, note) = (guard::sanitize_for_log(&resource), guard::sanitize_for_log(&note));
        AuditEvent { id, seq, author, resource, outcome, at, duration_us, arguments, note }
    }
}

/// Returns whether a failure is a fault of the server rather than of the request.
fn is_server_fault(code: ErrorCode) -> bool {
    code.http_status() >= 500
}

/// Converts a failed read; the cause is logged under an incident id.
pub fn read_failure(error: StoreError) -> Failure {
    with_cause_logged(error.cause().map(str::to_owned), error.into())
}

/// Converts a failed write; the cause is logged under an incident id.
pub fn write_failure(error: WriteError) -> Failure {
    let cause =
        if let WriteError::Store(inner) = &error { inner.cause().map(str::to_owned) } else { None };
    with_cause_logged(cause, error.into())
}

// The caller gets an id to quote and no cause: a driver's message may contain paths or SQL.
fn with_cause_logged(cause: Option<String>, failure: Failure) -> Failure {
    let Some(cause) = cause else { return failure };
    let incident = ContentHash::of_bytes(cause.as_bytes()).to_string();
    let incident = incident.get(..8).unwrap_or_default();
    tracing::error!(incident, code = failure.code.name(), cause, "the store failed");
    Failure { message: format!("{} (incident {incident})", failure.message), ..failure }
}

/// Returns an internal error and logs its cause.
pub fn internal(cause: impl std::fmt::Display) -> Failure {
    with_cause_logged(
        Some(cause.to_string()),
        Failure::new(ErrorCode::Internal, "an internal error occurred"),
    )
}
