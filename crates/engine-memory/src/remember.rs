//! Remember: one text and whatever belongs to it, written in one batch and visible to all at once.
//! A duplicate returns the existing memory; a contradiction raises a review item; a weaker source
//! never replaces a stronger one.

mod chain;
mod conflicts;
mod draft;
mod found;
mod input;
mod mentioned;
mod mentions;
mod outcome;

pub use found::Told;
pub use input::{NewLink, NewRow, Remember};
pub use outcome::{ConflictSeen, Happened, Ignored, Remembered};

use crate::Memories;
use crate::knots::plan_ties;
use crate::profile::{ProfilePatch, plan_profile};
use crate::sessions::join_session;
use crate::tables::record_text;
use draft::Draft;
use engine_core::call::Call;
use engine_core::caller::Caller;
use engine_core::embedding::{Embeddable, PendingVector};
use engine_core::plan::Plan;
use found::Found;
use guard::Resource;
use model::{Failure, NewMemory, Permission, Record, Source};
use outcome::Outcome;
use reading::Tie;
use store::{Change, Ref};

impl Memories<'_> {
    /// Stores a memory, with its links, row and profile patch.
    ///
    /// # Errors
    /// Fails when an argument is past a limit or refers to nothing, the text contains a secret or
    /// was forgotten, or the store cannot write. Nothing is written then.
    pub async fn remember(self, caller: &Caller, input: &Remember) -> Result<Remembered, Failure> {
        input.check()?;
        let text = text_of(input)?;
        // Embedding takes longest, so it starts before the policy is asked; a refused call wastes
        // it.
        let resource = if text.is_some() { source_of(input)? } else { Resource::Profile };
        let pending = text.as_deref().and_then(|text| {
            self.core.begin_vector(Embeddable::memory(
                &input.metadata,
                input.title.as_deref(),
                text,
            ))
        });
        let call = Call::begin(self.core, caller, resource, Permission::Write, input).await?;
        let mut plan = Plan::default();
        let mut outcome = Outcome::default();
        let mut ties = Vec::new();
        if let Some(text) = text {
            // The embedder has a thread of its own, so the reads below overlap with it.
            ties = plan_memory(&call, input, text, pending, &mut plan, &mut outcome).await?;
        }
        plan_row(&call, &mut plan, input, &mut outcome).await?;
        if let Some(patch) = &input.profile {
            call.admit(Resource::Profile, Permission::Write).await?;
            let input = ProfilePatch { patch: patch.clone(), reason: input.reason.clone() };
            outcome.profile = Some(plan_profile(&call, &mut plan, &input).await?);
        }
        if let Some(place) = outcome.memory_at {
            // Last, because their number depends on the graph: a replayed result is read by
            // indexes, and those before must not shift.
            plan_ties(&call, &mut plan, place, &ties).await?;
        }
        let committed =
            call.write_once("remember", plan.changes, input.idempotency_key.clone()).await?;
        Ok(outcome.finish(&committed, call.notes()))
    }
}

/// Returns the resource that governs the write: the table of a row, the profile when only that
/// changes, otherwise the collection.
async fn plan_memory(
    call: &Call<'_>,
    input: &Remember,
    text: String,
    pending: Option<PendingVector>,
    plan: &mut Plan,
    outcome: &mut Outcome,
) -> Result<Vec<Tie>, Failure> {
    let draft = Draft::prepare(call, input, text, outcome).await?;
    // The store is read while the embedder works.
    let reads = async {
        let joined = join_session(call, plan, input.session.as_ref()).await?;
        let session = joined.map(|joined| joined.reference);
        let follows = chain::find_last(call, input, &draft, session).await?;
        Ok::<_, Failure>((session, follows, Found::read(call, input, &draft).await?))
    };
    let vector = call.core.finish_vector(pending, draft.embeddable());
    let (vector, reads) = tokio::join!(vector, reads);
    let (session, follows, found) = reads?;
    let place = draft.plan(plan, session, vector);
    follows.into_iter().for_each(|last| chain::plan_after(plan, last, place));
    outcome.follows = follows;
    outcome.memory_at = Some(place);
    outcome.session = session;
    found.told.plan_mentions(plan, place);
    outcome.conflicts = found.rivals.into_iter().map(|rival| rival.plan(plan, place)).collect();
    outcome.proposals_at = draft.plan_replacements(plan, place);
    outcome.superseded = draft.superseded();
    Ok(found.told.ties)
}

/// The resource that governs where a memory goes: the table of its row, or its collection.
fn source_of(input: &Remember) -> Result<Resource, Failure> {
    let row = input.row.as_ref().map(|row| Record::table_name(&row.table)).transpose()?;
    // A caller that sets the table field in the metadata needs the grant on that table.
    let told = input.metadata.get(Source::TABLE_FIELD).and_then(serde_json::Value::as_str);
    let collection = input.collection.as_deref().unwrap_or(NewMemory::COLLECTION);
    Ok(Resource::of(Source::new(collection, row.as_deref().or(told))))
}

/// Returns the text of the memory; `None` when only the profile changes.
fn text_of(input: &Remember) -> Result<Option<String>, Failure> {
    if !input.text.trim().is_empty() {
        return Ok(Some(input.text.clone()));
    }
    match (&input.row, &input.profile) {
        (Some(row), _) => Ok(Some(record_text(&Record::table_name(&row.table)?, &row.data))),
        (None, Some(_)) => Ok(None),
        (None, None) => Err(Failure::invalid("text is empty; give the sentence to remember")),
    }
}

async fn plan_row(
    call: &Call<'_>,
    plan: &mut Plan,
    input: &Remember,
    outcome: &mut Outcome,
) -> Result<(), Failure> {
    let Some(row) = &input.row else { return Ok(()) };
    let table = Record::table_name(&row.table)?;
    call.admit(Resource::Tables(Some(table.clone())), Permission::Write).await?;
    let mut data = row.data.clone();
    call.screen().object("data", &mut data)?;
    Record::check_data(&data)?;
    let place = plan.push(Change::AddRecord {
        table: table.clone(),
        description: row.description.clone(),
        data,
        memory: outcome.memory_at.map(Ref::Made),
    });
    outcome.row_at = Some((table, place));
    Ok(())
}
