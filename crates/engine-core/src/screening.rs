//! Screening of a batch before it is written: every text of every change passes the guard's screen
//! here, whatever the use case. A use case that reads a text before it writes it (to embed it, to
//! find mentions) screens it first by itself; nothing is found here again then.
//!
//! The match destructures every change by name, so that a new field does not compile until it is
//! screened.

mod imported_item;

use guard::Screening;
use model::{Failure, NewEntity, NewHandoff, NewReference, NewReview, NewSession};
use store::{
    AddMemory, Batch, Change, EntityEdit, HandoffStep, MemoryEdit, NewMention, NewObservation,
    NewRelation,
};

/// Screens every text that a batch would store.
pub fn screen_batch(screen: &mut Screening, batch: &mut Batch) -> Result<(), Failure> {
    for change in &mut batch.changes {
        screen_change(screen, change)?;
    }
    if let Some(idempotency) = &batch.idempotency {
        // Never changed but refused: a changed key would not match the client's retry.
        screen.name("idempotency key", &idempotency.key)?;
    }
    screen.optional("client", &mut batch.event.author.client)
}

/// Screens every text that a change would store.
pub fn screen_change(screen: &mut Screening, change: &mut Change) -> Result<(), Failure> {
    match change {
        Change::AddMemory(add) => {
            let AddMemory { memory, session: _, vector: _, on_duplicate: _, on_forgotten: _ } =
                add.as_mut();
            screen.optional("client", &mut memory.provenance.author.client)?;
            screen.memory(memory)
        }
        Change::EditMemory { memory: _, edit } => memory_edit(screen, edit),
        Change::StartSession(session) => new_session(screen, session),
        Change::PutEntity(entity) => new_entity(screen, entity),
        Change::EditEntity { entity: _, edit } => entity_edit(screen, edit),
        Change::Mention(mention) => new_mention(screen, mention),
        Change::Observe(NewObservation { entity: _, text, memory: _ }) => {
            screen.text("observation", text)
        }
        Change::Relate(relation) => new_relation(screen, relation),
        Change::AddRecord { table, description, data, memory: _ } => {
            screen.name("table", table)?;
            screen.optional("description", description)?;
            screen.object("data", data)
        }
        Change::UpdateRecord { table: _, record: _, patch }
        | Change::ReviseRecord { table: _, record: _, patch, memory: _ } => {
            screen.object("patch", patch)
        }
        Change::PatchProfile { patch, reason, provenance } => {
            screen.optional("client", &mut provenance.author.client)?;
            screen.optional("reason", reason)?;
            screen.object("profile", patch)
        }
        Change::StoreHandoff(handoff) => new_handoff(screen, handoff),
        Change::MoveHandoff { handoff: _, step, connection: _ } => handoff_step(screen, step),
        Change::PutReference { reference, vectors: _ } => new_reference(screen, reference),
        Change::RaiseReview { item, subject: _, against: _ } => new_review(screen, item),
        Change::Flag { memory: _, reason } => screen.text("reason", reason),
        Change::PutGrant(grant) => screen.name("resource", &grant.resource),
        Change::CreateWorkspace { name } => screen.text("name", name),
        Change::AddContext { workspace: _, source: _, role: _, label } => {
            screen.text("label", label)
        }
        Change::Import(item) => imported_item::screen_item(screen, item),
        Change::PutSetting { name, value } => {
            screen.name("setting", name)?;
            screen.value(name, value)
        }
        // These refer to existing items by id and store no text.
        Change::SetStatus { .. }
        // Made of stored texts, which were screened before.
        | Change::RemakeMemory { .. }
        | Change::Supersede { .. }
        | Change::SetVector { .. }
        | Change::Link { .. }
        | Change::Unlink { .. }
        | Change::EndSession { .. }
        | Change::MergeEntities { .. }
        | Change::UndoMerge { .. }
        | Change::DeleteEntity(_)
        | Change::DeleteRecord { .. }
        | Change::RemoveReference { .. }
        | Change::ResolveReview { .. }
        | Change::SaveUndoState { .. }
        | Change::ReopenReview { .. }
        | Change::RestoreStatus { .. }
        | Change::ReopenFlags { .. }
        | Change::EraseEverything
        | Change::DropQuestions { .. }
        | Change::SettleFlags { .. }
        | Change::Forget { .. }
        | Change::EraseProfile { .. }
        | Change::RevokeGrant { .. } => Ok(()),
    }
}

fn memory_edit(screen: &mut Screening, edit: &mut MemoryEdit) -> Result<(), Failure> {
    let MemoryEdit {
        kind,
        title,
        summary,
        collection,
        project,
        tags,
        applies_to,
        priority: _,
        confidence: _,
        metadata,
        valid_to: _,
    } = edit;
    for (field, text) in [("title", title), ("summary", summary), ("project", project)] {
        text.as_mut().map_or(Ok(()), |text| screen.optional(field, text))?;
    }
    screen.optional("collection", collection)?;
    for (field, texts) in [("tags", tags), ("applies_to", applies_to)] {
        texts.as_mut().map_or(Ok(()), |texts| screen.texts(field, texts))?;
    }
    metadata.as_mut().map_or(Ok(()), |metadata| screen.object("metadata", metadata))?;
    kind.as_ref().map_or(Ok(()), |kind| screen.name("kind", kind.as_str()))
}

fn new_session(screen: &mut Screening, session: &mut NewSession) -> Result<(), Failure> {
    let NewSession { id: _, key, project, metadata } = session;
    screen.optional("session", key)?;
    screen.optional("project", project)?;
    screen.object("metadata", metadata)
}

fn new_entity(screen: &mut Screening, entity: &mut NewEntity) -> Result<(), Failure> {
    let NewEntity { kind, name, properties, confidence: _ } = entity;
    screen.optional("kind", kind)?;
    screen.text("name", name)?;
    screen.object("properties", properties)
}

fn entity_edit(screen: &mut Screening, edit: &mut EntityEdit) -> Result<(), Failure> {
    let EntityEdit { name, kind, properties } = edit;
    screen.optional("name", name)?;
    screen.optional("kind", kind)?;
    screen.object("properties", properties)
}

fn new_mention(screen: &mut Screening, mention: &mut NewMention) -> Result<(), Failure> {
    let NewMention { memory: _, entity: _, kind, name, source, path } = mention;
    for (field, text) in [("kind", kind), ("name", name), ("source", source)] {
        screen.text(field, text)?;
    }
    screen.optional("path", path)
}

fn new_relation(screen: &mut Screening, relation: &mut NewRelation) -> Result<(), Failure> {
    let NewRelation {
        kind,
        properties,
        // Numbers and ids contain no text.
        source: _,
        target: _,
        weight: _,
        confidence: _,
        memory: _,
    } = relation;
    screen.text("relation", kind)?;
    screen.object("properties", properties)
}

fn new_handoff(screen: &mut Screening, handoff: &mut NewHandoff) -> Result<(), Failure> {
    let NewHandoff { title, document, project, cwd, harness, source_ref, tags } = handoff;
    screen.text("title", title)?;
    screen.text("document", document)?;
    for (field, text) in
        [("project", project), ("cwd", cwd), ("harness", harness), ("source_ref", source_ref)]
    {
        screen.optional(field, text)?;
    }
    screen.texts("tags", tags)
}

fn handoff_step(screen: &mut Screening, step: &mut HandoffStep) -> Result<(), Failure> {
    let HandoffStep::Claim { until: _, notes } = step else { return Ok(()) };
    for (name, text) in notes {
        screen.text("a note's name", name)?;
        screen.text(&*name, text)?;
    }
    Ok(())
}

fn new_reference(screen: &mut Screening, reference: &mut NewReference) -> Result<(), Failure> {
    let NewReference { path, title, hash: _, sections } = reference;
    screen.text("path", path)?;
    screen.text("title", title)?;
    for section in sections {
        screen.texts("heading", &mut section.heading)?;
        screen.text("document", &mut section.text)?;
    }
    Ok(())
}

fn new_review(screen: &mut Screening, item: &mut NewReview) -> Result<(), Failure> {
    let NewReview { kind: _, reason, details } = item;
    screen.text("reason", reason)?;
    screen.object("details", details)
}
