//! One call of a use case: when it began, what it asks for, and how its writes and reads are noted.
//! Every use case starts here, so that none can forget the policy or the audit event.

use crate::caller::Caller;
use crate::screened::{Changed, Screened};
use crate::screening;
use crate::{Core, OwnerStore, OwnerView};
use guard::{Pass, Policy, Reach, Refusal, Resource, Rules, Screen};
use index::Filter;
use model::{
    AuditEvent, AuditId, ContentHash, Dialect, ErrorCode, Failure, Memory, MemoryId, Moment,
    Origin, Outcome, Permission, Provenance, Seq, Sources,
};
use std::sync::Arc;
use store::{
    Asked, Batch, Change, Committed, Idempotency, MemoryQuery, StoreError, Use, WriteError,
};

/// The setting that tells whether agents under the owner's own account need grants too.
pub const GRANTS_ENFORCED: &str = "grants_enforced";

/// A call that the policy let through.
pub struct Call<'e> {
    pub core: &'e Core,
    pub caller: &'e Caller,
    pub policy: Policy,
    pub pass: Pass,
    pub at: Moment,
    /// Where the memories that it may see come from.
    pub readable: Sources,
    arguments: ContentHash,
    changed: Changed,
}

impl<'e> Call<'e> {
    /// Begins a call: asks the policy and notes the time. `arguments` is only hashed, never kept.
    pub async fn begin(
        core: &'e Core,
        caller: &'e Caller,
        resource: Resource,
        permission: Permission,
        arguments: &impl std::fmt::Debug,
    ) -> Result<Self, Failure> {
        Self::begin_any(core, caller, &[resource], permission, arguments).await
    }

    /// Begins a call that has an answer for whoever may reach any of these places; the first one
    /// names it.
    pub async fn begin_any(
        core: &'e Core,
        caller: &'e Caller,
        resources: &[Resource],
        permission: Permission,
        arguments: &impl std::fmt::Debug,
    ) -> Result<Self, Failure> {
        let at = core.clock.now();
        let policy = core.policy(caller).await?;
        let arguments = ContentHash::of_bytes(format!("{arguments:?}").as_bytes());
        let mut refusal = None;
        for resource in resources {
            match policy.admit(resource.clone(), permission) {
                Ok(pass) => {
                    let readable = policy.sources(Permission::Read);
                    let changed = Changed::default();
                    return Ok(Self {
                        core,
                        caller,
                        policy,
                        pass,
                        at,
                        readable,
                        arguments,
                        changed,
                    });
                }
                Err(no) => refusal = refusal.or(Some(no)),
            }
        }
        let refusal = refusal.ok_or_else(|| internal("a call asked for no place at all"))?;
        Err(core.note_refusal(caller, at, arguments, refusal).await)
    }

    /// Asks for one more place on the way.
    pub async fn admit(&self, resource: Resource, permission: Permission) -> Result<Pass, Failure> {
        self.decided(self.policy.admit(resource, permission)).await
    }

    /// Asks for one more place on the way, with everything in it.
    pub async fn admit_whole(
        &self,
        resource: Resource,
        permission: Permission,
    ) -> Result<Pass, Failure> {
        self.decided(self.policy.admit_whole(resource, permission)).await
    }

    async fn decided(&self, decision: Result<Pass, Refusal>) -> Result<Pass, Failure> {
        match decision {
            Ok(pass) => Ok(pass),
            Err(refusal) => {
                Err(self.core.note_refusal(self.caller, self.at, self.arguments, refusal).await)
            }
        }
    }

    /// Where something that this call writes comes from.
    pub fn provenance(&self, origin: Origin) -> Provenance {
        Provenance {
            author: self.caller.author.clone(),
            origin,
            trust: origin.trust(),
            at: self.at,
        }
    }

    /// The audit event of this call.
    pub fn event(&self, note: impl Into<String>) -> AuditEvent {
        let resource = self.pass.resource().to_string();
        self.core.event_of(
            self.caller,
            self.at,
            self.arguments,
            resource,
            Outcome::Done,
            note.into(),
        )
    }

    /// Writes changes as one batch.
    pub async fn write(
        &self,
        note: impl Into<String>,
        changes: Vec<Change>,
    ) -> Result<Committed, Failure> {
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

    /// What every text passes on its way in. What it changes is told by [`Call::notes`] and by the
    /// audit event.
    pub fn screen(&self) -> Screened<'_> {
        self.changed.through(Screen::new(self.core.on_secret))
    }

    /// What was changed on the way in, in sentences; asked for when everything is written.
    pub fn notes(&self) -> Vec<String> {
        self.changed.notes()
    }

    /// The reads of the owner's store, for this call.
    pub fn store(&self) -> OwnerStore<'_> {
        self.core.store_of(&self.caller.owner)
    }

    /// The owner's view, caught up with the store.
    pub async fn view(&self) -> Result<Arc<OwnerView>, Failure> {
        self.core.view(&self.caller.owner).await
    }

    async fn write_batch(&self, mut batch: Batch) -> Result<Committed, Failure> {
        batch.expects.extend(self.caller.expects.clone());
        screening::screen(&mut self.screen(), &mut batch)?;
        for note in self.changed.unlogged() {
            batch.event.note = format!("{}; {note}", batch.event.note);
        }
        self.core.store.write(&self.caller.owner, batch).await.map_err(write_failure)
    }

    /// A search over everything that exists for this caller.
    pub fn filter(&self) -> Filter {
        Filter { sources: self.readable.clone(), ..Filter::default() }
    }

    /// A listing of everything that exists for this caller.
    pub fn query(&self) -> MemoryQuery {
        MemoryQuery { sources: self.readable.clone(), ..MemoryQuery::default() }
    }

    /// A listing of everything that this caller may change.
    pub fn query_to_change(&self) -> MemoryQuery {
        MemoryQuery { sources: self.policy.sources(Permission::Write), ..MemoryQuery::default() }
    }

    /// Whether a memory exists for this caller.
    pub fn shows(&self, memory: &Memory) -> bool {
        self.readable.allows(memory.source())
    }

    /// Whether this caller may change a memory; what it may not is left as it is.
    pub fn may_write(&self, memory: &Memory) -> bool {
        self.policy.may(Resource::of(memory.source()), Permission::Write)
    }

    /// Leaves only what exists for this caller.
    pub fn visible(&self, memories: Vec<Memory>) -> Vec<Memory> {
        memories.into_iter().filter(|memory| self.shows(memory)).collect()
    }

    /// Memories by id, as far as they exist for this caller.
    pub async fn memories(&self, ids: &[MemoryId]) -> Result<Vec<Memory>, Failure> {
        Ok(self.visible(self.memories_unseen(ids).await?))
    }

    /// Memories by id, whether they exist for this caller or not: to decide by, never to show.
    pub async fn memories_unseen(&self, ids: &[MemoryId]) -> Result<Vec<Memory>, Failure> {
        self.store().memories(ids).await
    }

    /// One memory, or the failure that says there is none.
    pub async fn memory(&self, id: MemoryId) -> Result<Memory, Failure> {
        self.memories(&[id]).await?.pop().ok_or_else(|| Failure::not_found("memory", id))
    }

    /// Refuses unless each of these may be changed. What the caller cannot see it cannot be told
    /// of: that is not there.
    pub async fn may_change(&self, memories: &[Memory]) -> Result<(), Failure> {
        for memory in memories {
            if !self.shows(memory) {
                return Err(Failure::not_found("memory", memory.id));
            }
            self.admit(Resource::of(memory.source()), Permission::Write).await?;
        }
        Ok(())
    }

    /// Notes that these memories were shown. A fault here must not take the answer away, so it is
    /// only logged.
    pub async fn note_shown(&self, note: impl Into<String>, memories: &[MemoryId]) {
        let shown = Use::new(self.event(note), self.used(memories));
        self.core.uses.note(&self.caller.owner, shown).await;
    }

    /// The same of a question.
    pub async fn note_asked(&self, note: impl Into<String>, memories: &[MemoryId], asked: Asked) {
        let shown = Use { asked: Some(asked), ..Use::new(self.event(note), self.used(memories)) };
        self.core.uses.note(&self.caller.owner, shown).await;
    }

    /// The memories that are counted as used. What the owner looks through in the window is not: it
    /// would drown what agents were told.
    fn used(&self, memories: &[MemoryId]) -> Vec<MemoryId> {
        let looks = self.caller.in_person && self.caller.author.dialect == Dialect::Rest;
        if looks { Vec::new() } else { memories.to_vec() }
    }

    /// Notes at once that something was done whose change lies outside the owner's own store.
    pub async fn note_done(&self, note: impl Into<String>) -> Result<(), Failure> {
        let done = Use::new(self.event(note), Vec::new());
        self.core.store.note_use(&self.caller.owner, vec![done]).await.map_err(write_failure)
    }
}

impl Core {
    /// What a caller may reach. Grants are read anew for every call: taking one back works at once,
    /// everywhere.
    pub async fn policy(&self, caller: &Caller) -> Result<Policy, Failure> {
        let agent = caller.author.agent.clone();
        let scope = match caller.reach {
            _ if caller.in_person => return Ok(Policy::for_owner(agent)),
            Reach::OwnersToken => return Ok(Policy::for_trusted(agent)),
            Reach::Account if !self.grants_enforced(caller).await? => {
                return Ok(Policy::for_trusted(agent));
            }
            Reach::Account => Permission::Write,
            Reach::Credential(scope) => scope,
        };
        let grants = self.store_of(&caller.owner).grants().await?;
        let rules = Rules::of(grants.iter().filter(|grant| grant.agent == agent));
        Ok(Policy::for_granted(agent, scope, rules))
    }

    pub async fn grants_enforced(&self, caller: &Caller) -> Result<bool, Failure> {
        let kept = self.store_of(&caller.owner).setting(GRANTS_ENFORCED).await?;
        Ok(kept.is_some_and(|value| value == true))
    }

    /// Tells a tool call that failed, before it reached a use case or in one. What the policy
    /// refused was told by the policy itself, with the resource.
    pub async fn note_failed(
        &self,
        caller: &Caller,
        arguments: &impl std::fmt::Debug,
        failure: &Failure,
    ) {
        if matches!(failure.code, ErrorCode::ConsentRequired | ErrorCode::Forbidden) {
            return;
        }
        let arguments = ContentHash::of_bytes(format!("{arguments:?}").as_bytes());
        let resource = format!("tools/{}", caller.author.tool);
        let outcome = if is_ours(failure.code) { Outcome::Failed } else { Outcome::Refused };
        let note = failure.code.name().to_owned();
        let event = self.event_of(caller, self.clock.now(), arguments, resource, outcome, note);
        self.uses.note(&caller.owner, Use::new(event, Vec::new())).await;
    }

    /// Tells a decision of the policy against a caller, and makes it the failure that the caller
    /// gets.
    async fn note_refusal(
        &self,
        caller: &Caller,
        at: Moment,
        arguments: ContentHash,
        refusal: Refusal,
    ) -> Failure {
        let (resource, note) =
            (refusal.resource.to_string(), format!("may not {}", refusal.permission.name()));
        let event = self.event_of(caller, at, arguments, resource, Outcome::Refused, note);
        self.uses.note(&caller.owner, Use::new(event, Vec::new())).await;
        refusal.into()
    }

    fn event_of(
        &self,
        caller: &Caller,
        at: Moment,
        arguments: ContentHash,
        resource: String,
        outcome: Outcome,
        note: String,
    ) -> AuditEvent {
        let took = self.clock.now().0.saturating_sub(at.0);
        let (id, seq, author) = (AuditId(0), Seq::ZERO, caller.author.clone());
        let duration_us = u64::try_from(took).unwrap_or(0);
        // Names that a caller chose stand in both.
        let (resource, note) = (guard::fit_for_log(&resource), guard::fit_for_log(&note));
        AuditEvent { id, seq, author, resource, outcome, at, duration_us, arguments, note }
    }
}

/// Whether a failure is ours, and not a no to what was asked.
fn is_ours(code: ErrorCode) -> bool {
    code.http_status() >= 500
}

/// The failure of a read; the cause goes to the log under an id.
pub fn read_failure(error: StoreError) -> Failure {
    with_cause_logged(error.cause().map(str::to_owned), error.into())
}

/// The failure of a write; the cause goes to the log under an id.
pub fn write_failure(error: WriteError) -> Failure {
    let cause =
        if let WriteError::Store(inner) = &error { inner.cause().map(str::to_owned) } else { None };
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
pub fn internal(cause: impl std::fmt::Display) -> Failure {
    with_cause_logged(
        Some(cause.to_string()),
        Failure::new(ErrorCode::Internal, "something went wrong inside"),
    )
}
