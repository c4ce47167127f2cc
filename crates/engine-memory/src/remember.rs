//! Remember: one text and whatever belongs to it, written in one batch and visible to all at once.
//! A duplicate returns the existing memory; a contradiction raises a review item; a weaker source
//! never replaces a stronger one.

mod chain;
mod compared;
mod draft;
mod neighbours;
mod occasion;
mod outcome;
mod plan_mentions;
mod proposed_before;
mod read_mentions;
mod request;
mod text_analysis;

pub use neighbours::{ReplacedMemory, SimilarMemory};
pub use outcome::{DetectedConflict, IgnoredField, RememberOutcome, RememberStatus};
pub use request::{NewMemoryLink, NewRow, RememberRequest};
pub use text_analysis::TextAnalysis;

use crate::Memories;
use crate::entities::plan_first_names;
use crate::profile::{PatchProfileRequest, is_overtaken, plan_profile};
use crate::relations::plan_relations;
use crate::sessions::join_session;
use crate::tables::{find_same_key, plan_revisions, record_text};
use draft::MemoryDraft;
use engine_core::UseCaseFuture;
use engine_core::call::Call;
use engine_core::caller::Caller;
use engine_core::embedding::{Embeddable, PendingVector};
use engine_core::plan::BatchPlan;
use guard::Resource;
use model::{Failure, NewMemory, Permission, Record, Source};
use neighbours::Neighbours;
use outcome::PendingOutcome;
use reading::RelationStatement;
use store::{Change, Ref};
use text_analysis::DraftAnalysis;

impl<'e> Memories<'e> {
    /// Stores a memory, with its links, row and profile patch.
    ///
    /// # Errors
    /// Fails when an argument is past a limit or refers to nothing, the text contains a secret or
    /// was forgotten, or the store cannot write. Nothing is written then.
    pub fn remember(
        self,
        caller: &'e Caller,
        input: &'e RememberRequest,
    ) -> UseCaseFuture<'e, RememberOutcome> {
        Box::pin(async move {
            let mut attempt = 1;
            loop {
                match self.remember_once(caller, input).await {
                    Err(failure)
                        if input.profile.is_some() && is_overtaken(caller, &failure, attempt) =>
                    {
                        attempt += 1;
                    }
                    done => return done,
                }
            }
        })
    }

    async fn remember_once(
        self,
        caller: &Caller,
        input: &RememberRequest,
    ) -> Result<RememberOutcome, Failure> {
        input.check()?;
        let text = memory_text(input)?;
        // Embedding takes longest, so it starts before the policy is asked; a refused call
        // wastes it.
        let resource = if text.is_some() { source_of(input)? } else { Resource::Profile };
        let pending = text.as_deref().and_then(|text| {
            self.core.start_vector(Embeddable::memory(
                &input.metadata,
                input.title.as_deref(),
                text,
            ))
        });
        let call = Call::begin(self.core, caller, resource, Permission::Write, input).await?;
        if let Some(known) = proposed_before::find(&call, input).await? {
            return Ok(RememberOutcome::duplicate_of(&known));
        }
        let mut plan = BatchPlan::default();
        let mut outcome = PendingOutcome::default();
        let mut relations = Vec::new();
        if let Some(text) = text {
            // The embedder has a thread of its own, so the reads below overlap with it.
            relations = plan_memory(&call, input, text, pending, &mut plan, &mut outcome).await?;
        }
        if let Some(known) = outcome.same_in_other_words().filter(|_| input.only_new) {
            return Ok(RememberOutcome::duplicate_of(&call.memory(known).await?));
        }
        plan_row(&call, &mut plan, input, &mut outcome).await?;
        if let Some(patch) = &input.profile {
            call.admit(Resource::Profile, Permission::Write).await?;
            let input = PatchProfileRequest { patch: patch.clone(), reason: input.reason.clone() };
            outcome.profile = Some(plan_profile(&call, &mut plan, &input).await?);
        }
        if let Some(index) = outcome.memory_at {
            // Last, because their number depends on what is stored: a replayed result is read by
            // indexes, and those before must not shift.
            outcome.replaced.iter().for_each(|earlier| earlier.plan(&mut plan, index));
            plan_relations(&call, &mut plan, index, &relations).await?;
            plan_first_names(&call, &mut plan).await?;
        }
        let committed = call.write_once("remember", plan, input.idempotency_key.clone()).await?;
        Ok(outcome.finish(&committed, call.notes()))
    }
}

/// Adds the memory with its session, mentions, conflicts and replacements to the batch. Returns the
/// relations that its text states.
async fn plan_memory(
    call: &Call<'_>,
    input: &RememberRequest,
    text: String,
    pending: Option<PendingVector>,
    plan: &mut BatchPlan,
    outcome: &mut PendingOutcome,
) -> Result<Vec<RelationStatement>, Failure> {
    let draft = MemoryDraft::prepare(call, input, text, outcome).await?;
    // The store is read while the embedder works.
    let reads = async {
        let joined = join_session(call, plan, input.session.as_ref()).await?;
        let session = joined.map(|joined| joined.reference);
        let follows = chain::find_predecessor(call, input, &draft, session).await?;
        Ok::<_, Failure>((session, follows, DraftAnalysis::analyze(call, input, &draft).await?))
    };
    let vector = call.core.finish_vector(pending, draft.embeddable());
    let (vector, reads) = tokio::join!(vector, reads);
    let (session, follows, found) = reads?;
    let index = draft.plan(plan, session, vector);
    follows.into_iter().for_each(|last| chain::plan_successor(plan, last, index));
    outcome.follows = follows;
    outcome.memory_at = Some(index);
    outcome.session = session;
    found.text.plan_mentions(plan, index);
    let mut neighbours = found.neighbours;
    let similar = std::mem::take(&mut neighbours.similar);
    // A proposal changes nothing by itself, so its neighbours are only named.
    let named =
        if input.proposed { std::mem::take(&mut neighbours) } else { Neighbours::default() };
    let Neighbours { replaced, conflicts, .. } = neighbours;
    outcome.conflicts = conflicts.into_iter().map(|rival| rival.plan(plan, index)).collect();
    outcome.proposals_at = draft.plan_replacements(plan, index);
    if input.proposed && outcome.proposals_at.is_empty() {
        outcome.proposals_at = named.plan_proposals(plan, index);
    }
    outcome.superseded = draft.superseded();
    outcome.superseded.extend(replaced.iter().map(|one| one.memory));
    (outcome.replaced, outcome.similar) = (replaced, similar);
    let mut relations = found.text.relations;
    if input.row.is_none() {
        let rows = plan_revisions(call, plan, draft.replaced(), &draft.memory.text, index).await?;
        relations.extend(rows.relations);
        outcome.row_notes = rows.notes;
    }
    Ok(relations)
}

/// Returns the resource that governs the write: the table of the row, otherwise the collection.
fn source_of(input: &RememberRequest) -> Result<Resource, Failure> {
    let row = input.row.as_ref().map(|row| Record::normalize_table_name(&row.table)).transpose()?;
    // A caller that sets the table field in the metadata needs the grant on that table.
    let from_metadata = input.metadata.get(Source::TABLE_FIELD).and_then(serde_json::Value::as_str);
    let collection = input.collection.as_deref().unwrap_or(NewMemory::DEFAULT_COLLECTION);
    Ok(Resource::for_source(Source::new(collection, row.as_deref().or(from_metadata))))
}

/// Returns the text of the memory; `None` when only the profile changes.
fn memory_text(input: &RememberRequest) -> Result<Option<String>, Failure> {
    if !input.text.trim().is_empty() {
        return Ok(Some(input.text.clone()));
    }
    match (&input.row, &input.profile) {
        (Some(row), _) => {
            Ok(Some(record_text(&Record::normalize_table_name(&row.table)?, &row.data)))
        }
        (None, Some(_)) => Ok(None),
        (None, None) => Err(Failure::invalid("text is empty; give the sentence to remember")),
    }
}

async fn plan_row(
    call: &Call<'_>,
    plan: &mut BatchPlan,
    input: &RememberRequest,
    outcome: &mut PendingOutcome,
) -> Result<(), Failure> {
    let Some(row) = &input.row else { return Ok(()) };
    let table = Record::normalize_table_name(&row.table)?;
    call.admit(Resource::Tables(Some(table.clone())), Permission::Write).await?;
    let mut data = row.data.clone();
    call.screen().object("data", &mut data)?;
    Record::check_data(&data)?;
    outcome.same_key = find_same_key(call, &table, &data).await?;
    let index = plan.push(Change::AddRecord {
        table: table.clone(),
        description: row.description.clone(),
        data,
        memory: outcome.memory_at.map(Ref::ResultOf),
    });
    outcome.row_at = Some((table, index));
    Ok(())
}
