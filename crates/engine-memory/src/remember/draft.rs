//! The memory before it is written: screened, checked, with what it replaces.

use super::occasion::is_other_occasion;
use super::outcome::{IgnoredField, PendingOutcome};
use super::request::{NewMemoryLink, RememberRequest};
use crate::profile::CorrectedValue;
use crate::versions::visible_versions;
use engine_core::call::Call;
use engine_core::embedding::Embeddable;
use engine_core::plan::BatchPlan;
use model::{
    ContentHash, Failure, JsonMap, Kind, Memory, MemoryId, NewMemory, NewReview, Record,
    ReviewKind, SessionId, Source, Status, StoredVectors, limits,
};
use std::collections::HashSet;
use store::{AddMemory, Change, OnDuplicate, OnForgotten, Ref};

/// A memory to add to a batch.
pub(super) struct MemoryDraft {
    pub memory: NewMemory,
    on_duplicate: OnDuplicate,
    on_forgotten: OnForgotten,
    links: Vec<NewMemoryLink>,
    /// Replaced memories: each one named, and its current version.
    replaces: Vec<Memory>,
}

impl MemoryDraft {
    /// Prepares everything except the vector.
    pub async fn prepare(
        call: &Call<'_>,
        input: &RememberRequest,
        text: String,
        outcome: &mut PendingOutcome,
    ) -> Result<Self, Failure> {
        let mut memory = compose(call, input, text, outcome)?;
        call.screen().memory(&mut memory)?;
        memory.check()?;
        // All checks come before the first change is planned: a refused call writes nothing.
        let replaces = find_replaced(call, input).await?;
        call.require_changeable(&replaces).await?;
        if let Some(value) = replaces.iter().find_map(CorrectedValue::of) {
            return Err(value.refusal());
        }
        check_link_targets(call, input).await?;
        // A weaker source may not replace a stronger one: its memory becomes a proposal.
        let is_weaker = |old: &Memory| old.provenance.trust > memory.provenance.trust;
        if input.proposed || replaces.iter().any(is_weaker) {
            memory.status = Status::Proposed;
        }
        let mut on_duplicate = on_duplicate(input, &memory, &replaces);
        let usual = input.on_duplicate.is_none() && replaces.is_empty();
        if usual && is_other_occasion(call, &memory).await? {
            on_duplicate = OnDuplicate::Insert;
        }
        Ok(Self {
            on_duplicate,
            // Equal rows are events of their own: one that was forgotten keeps no other out.
            on_forgotten: if input.allow_forgotten || describes_event_row(memory.source()) {
                OnForgotten::Allow
            } else {
                OnForgotten::Refuse
            },
            links: input.links.clone(),
            memory,
            replaces,
        })
    }

    /// Returns the texts to embed.
    pub fn embeddable(&self) -> Embeddable {
        Embeddable::memory(&self.memory.metadata, self.memory.title.as_deref(), &self.memory.text)
    }

    /// Adds the memory and its links to the batch. Returns the index of the memory.
    pub fn plan(
        &self,
        plan: &mut BatchPlan,
        session: Option<Ref<SessionId>>,
        vector: Option<StoredVectors>,
    ) -> usize {
        let add = AddMemory {
            memory: self.memory.clone(),
            session,
            vector,
            on_duplicate: self.on_duplicate,
            on_forgotten: self.on_forgotten,
        };
        let index = plan.push(Change::AddMemory(Box::new(add)));
        for link in &self.links {
            plan.link(index, link.target, link.kind, link.weight);
        }
        index
    }

    /// Returns whether the memory waits for a decision instead of replacing anything.
    pub fn is_proposal(&self) -> bool {
        self.memory.status == Status::Proposed
    }

    /// Returns what to do with a duplicate.
    pub fn on_duplicate(&self) -> OnDuplicate {
        self.on_duplicate
    }

    /// Returns the memories that it supersedes; none while it is a proposal.
    pub fn superseded(&self) -> Vec<MemoryId> {
        if self.is_proposal() { Vec::new() } else { self.replaces().collect() }
    }

    /// Returns the memories that it replaces or proposes to replace.
    pub fn replaces(&self) -> impl Iterator<Item = MemoryId> + '_ {
        self.replaces.iter().map(|memory| memory.id)
    }

    /// Returns the memories that it replaces or proposes to replace, as they are now.
    pub fn replaced(&self) -> &[Memory] {
        &self.replaces
    }

    /// Supersedes the replaced memories, or raises proposals. Returns the indexes of the proposals.
    pub fn plan_replacements(&self, plan: &mut BatchPlan, index: usize) -> Vec<usize> {
        if !self.is_proposal() {
            for old in self.replaces() {
                plan.push(Change::Supersede { old, new: Ref::ResultOf(index) });
            }
            return Vec::new();
        }
        let propose = |old: &Memory| Change::RaiseReview {
            item: NewReview {
                kind: ReviewKind::Proposal,
                reason: format!(
                    "wants to replace memory {}, which a stronger source wrote",
                    old.id
                ),
                details: JsonMap::new(),
            },
            subject: Some(Ref::ResultOf(index)),
            against: Some(Ref::Id(old.id)),
        };
        self.replaces
            .iter()
            .filter(|old| old.status == Status::Active)
            .map(|old| plan.push(propose(old)))
            .collect()
    }
}

fn compose(
    call: &Call<'_>,
    input: &RememberRequest,
    text: String,
    outcome: &mut PendingOutcome,
) -> Result<NewMemory, Failure> {
    let mut memory = NewMemory::note(text, call.provenance(origin_of(call, input, outcome)));
    memory.kind = Kind::new(input.kind.as_deref().unwrap_or_default())?;
    memory.title.clone_from(&input.title);
    memory.summary.clone_from(&input.summary);
    memory.collection = input.collection.clone().unwrap_or(memory.collection);
    memory.project = input.project.clone().or_else(|| call.caller.environment.project.clone());
    memory.tags = normalize_labels(&input.tags);
    memory.applies_to = normalize_labels(&input.applies_to);
    memory.priority = input.priority.unwrap_or(memory.priority);
    memory.confidence = input.confidence.unwrap_or(memory.confidence);
    memory.metadata = input.metadata.clone();
    if let Some(row) = &input.row {
        // The grant on the table then governs the memory that describes the row too.
        memory.metadata.insert(
            Source::TABLE_FIELD.to_owned(),
            Record::normalize_table_name(&row.table)?.into(),
        );
    }
    if let Some(reason) = &input.reason {
        memory.metadata.insert("reason".to_owned(), reason.clone().into());
    }
    memory.valid_from = input.valid_from.unwrap_or(memory.valid_from);
    memory.valid_to = input.expires;
    if memory.valid_to.is_some_and(|end| end <= memory.valid_from) {
        return Err(Failure::invalid("expires is before the start of the memory's validity"));
    }
    Ok(memory)
}

/// Returns the origin. A writer may name a weaker source than itself, never a stronger one.
fn origin_of(
    call: &Call<'_>,
    input: &RememberRequest,
    outcome: &mut PendingOutcome,
) -> model::Origin {
    let own = call.caller.origin();
    match input.origin {
        Some(said) if said.trust() <= own.trust() => said,
        Some(said) => {
            let why =
                format!("{} is stronger than the caller; {} was used", said.name(), own.name());
            outcome.ignored.push(IgnoredField { field: "origin".into(), why });
            own
        }
        None => own,
    }
}

/// Trims labels and removes empty and repeated ones, in the given order.
fn normalize_labels(labels: &[String]) -> Vec<String> {
    let mut unique: Vec<String> = Vec::new();
    for label in labels.iter().map(|label| label.trim()).filter(|label| !label.is_empty()) {
        if !unique.iter().any(|known| known == label) {
            unique.push(label.to_owned());
        }
    }
    unique
}

/// Returns whether a memory of this source states an event: a row of a table, of which there may be
/// many alike. The table that has the name of the default collection has sentences instead.
fn describes_event_row(source: Source<'_>) -> bool {
    matches!(source, Source::Table(table) if table != NewMemory::DEFAULT_COLLECTION)
}

fn on_duplicate(input: &RememberRequest, memory: &NewMemory, replaces: &[Memory]) -> OnDuplicate {
    // Two equal rows are two events; two equal statements are one, unless their metadata differ.
    if matches!(memory.source(), Source::Table(_)) {
        return OnDuplicate::Insert;
    }
    let replaces_something = !replaces.is_empty() || input.reason.is_some();
    let usual = if input.metadata.is_empty() || replaces_something {
        OnDuplicate::ReturnExisting
    } else {
        OnDuplicate::ReturnExistingWithMetadata
    };
    let respelt = replaces.iter().any(|old| differs_in_form_only(memory, old));
    if respelt { OnDuplicate::Insert } else { input.on_duplicate.unwrap_or(usual) }
}

/// Returns whether a memory differs from the one it replaces only in case, white space, title or
/// kind. Such a correction has the same hash and would be lost as a duplicate of what it corrects.
fn differs_in_form_only(memory: &NewMemory, old: &Memory) -> bool {
    old.status == Status::Active
        && memory.hash() == ContentHash::of_text(&old.text)
        && (memory.text.trim(), &memory.title, &memory.kind)
            != (old.text.trim(), &old.title, &old.kind)
}

/// Refuses links to memories that the caller may not read.
async fn check_link_targets(call: &Call<'_>, input: &RememberRequest) -> Result<(), Failure> {
    let targets: Vec<MemoryId> = input.links.iter().map(|link| link.target).collect();
    for some in targets.chunks(limits::IDS_PER_CALL) {
        let known: HashSet<MemoryId> =
            call.memories(some).await?.iter().map(|memory| memory.id).collect();
        if let Some(missing) = some.iter().find(|target| !known.contains(target)) {
            return Err(Failure::not_found("memory", missing));
        }
    }
    Ok(())
}

/// Returns each named memory and its current version: the newest correction wins.
async fn find_replaced(call: &Call<'_>, input: &RememberRequest) -> Result<Vec<Memory>, Failure> {
    let mut replaced: Vec<Memory> = Vec::new();
    for &id in &input.supersedes {
        call.memory(id).await?;
        let versions = visible_versions(call, id).await?;
        for memory in versions.all {
            let counts = memory.id == id || memory.status == Status::Active;
            if counts && !replaced.iter().any(|known| known.id == memory.id) {
                replaced.push(memory);
            }
        }
    }
    Ok(replaced)
}
