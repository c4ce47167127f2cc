//! Applies the changes of one batch inside a transaction that is already open. Preconditions are
//! checked here, under the write lock, where nothing can change between check and write. Does not
//! know when the transaction begins, commits or rolls back.

pub(crate) mod ahead;
mod audit;
mod counters;
mod entity;
mod erase_all;
mod expected_version;
mod fact;
mod forget;
mod grant;
mod handoff;
pub(crate) mod idempotency;
mod import;
mod link;
mod memory;
mod merge;
mod numbers;
mod profile;
mod record;
mod record_versions;
mod reference;
mod remake;
mod review;
mod session;
mod setting;
mod supersession;
mod undo_merge;
pub(crate) mod usage;
mod vector;
mod workspace;

pub(crate) use audit::log_reads;
pub(crate) use counters::{ClockCounters, add_checkpoint, unknown_owner};
pub(crate) use erase_all::{erase_memory_rows, erase_owner_rows};

use crate::error::{ChangeError, SqlResult};
use crate::job_files;
use crate::owner_transaction::OwnerTransaction;
use crate::sql_value::IntoParameters;
use crate::view_segments;
use model::{AgentName, EntityId, MemoryId, Moment, Seq, SessionId, limits};
use std::collections::{HashMap, HashSet};
use store::rules::erases_text;
use store::{Batch, Change, ChangeResult, CommittedBatch, Ref};

type ApplyOutcome<T> = Result<T, ChangeError>;

/// Applies a batch, or returns the results of an earlier one under the same idempotency key.
pub(crate) fn apply_batch(
    conn: &OwnerTransaction,
    counters: &mut ClockCounters,
    batch: &Batch,
) -> ApplyOutcome<CommittedBatch> {
    limits::count("changes", batch.changes.len(), limits::BATCH_CHANGES)?;
    let agent = &batch.event.author.agent;
    // Before the expected versions: a retry must succeed although the first attempt changed them.
    if let Some(committed) = idempotency::replay(conn, agent, batch.idempotency.as_ref())? {
        return Ok(committed);
    }
    let seq = counters.next_seq();
    let mut applying = BatchTransaction::new(conn, counters, seq, batch);
    batch
        .expected_versions
        .iter()
        .try_for_each(|version| applying.check_expected_version(version))?;
    for change in &batch.changes {
        let result = applying.change(change)?;
        applying.results.push(result);
        // Later changes must not read what was true before this one.
        conn.drop_ahead();
    }
    if batch.changes.iter().any(erases_text) {
        applying.counters.text_erased();
        applying.remove_view_segments()?;
        // An export that waits to be downloaded may contain it too.
        job_files::remove_exports(conn)?;
    }
    applying.write_audit_event(&batch.event)?;
    let results = applying.results;
    idempotency::store_results(conn, agent, batch.idempotency.as_ref(), seq, &results)?;
    Ok(CommittedBatch { seq, results, replayed: false, traces_owed: false })
}

/// Place of view snapshots in a receipt.
const VIEW_SNAPSHOT: &str = "view snapshot";

/// A batch that is being applied.
struct BatchTransaction<'t> {
    conn: &'t OwnerTransaction,
    counters: &'t mut ClockCounters,
    seq: Seq,
    at: Moment,
    agent: &'t AgentName,
    /// Results of the changes so far.
    results: Vec<ChangeResult>,
    // Memories that are known to exist and have the batch's sequence number already. An import
    // touches the same memory hundreds of times; each is checked and updated once.
    touched: HashSet<MemoryId>,
    /// Number of links out of a memory, cached.
    links_out: HashMap<MemoryId, usize>,
}

impl<'t> BatchTransaction<'t> {
    fn new(
        conn: &'t OwnerTransaction,
        counters: &'t mut ClockCounters,
        seq: Seq,
        batch: &'t Batch,
    ) -> Self {
        Self {
            conn,
            counters,
            seq,
            at: batch.event.at,
            agent: &batch.event.author.agent,
            results: Vec::with_capacity(batch.changes.len()),
            touched: HashSet::new(),
            links_out: HashMap::new(),
        }
    }

    /// Removes the snapshot of the search view, which may contain what was erased.
    fn remove_view_segments(&mut self) -> ApplyOutcome<()> {
        let existed = view_segments::remove(self.conn)? > 0;
        let receipts = self.results.iter_mut().filter_map(|result| match result {
            ChangeResult::Forgotten(receipt) => Some(receipt),
            _ => None,
        });
        for receipt in receipts.take(usize::from(existed)) {
            receipt.removed.push((VIEW_SNAPSHOT.to_owned(), 1));
        }
        Ok(())
    }

    fn change(&mut self, change: &Change) -> ApplyOutcome<ChangeResult> {
        match change {
            Change::AddMemory(add) => self.add_memory(add),
            Change::EditMemory { memory, edit } => self.edit_memory(*memory, edit),
            Change::SetStatus { memory, status } => self.set_status(*memory, *status),
            Change::Supersede { old, new } => self.supersede(*old, *new),
            Change::RemakeMemory { memory, text, trust, vector, erase: _ } => {
                self.remake_memory(*memory, text, *trust, vector.as_ref())
            }
            Change::SetVector { memory, vector } => self.set_vector(*memory, vector),
            Change::Link { source, target, kind, weight } => {
                self.link(*source, *target, *kind, *weight)
            }
            Change::Unlink { source, target, kind } => self.unlink(*source, *target, *kind),
            Change::StartSession(session) => self.start_session(session),
            Change::EndSession { session, episode } => self.end_session(*session, *episode),
            Change::PutEntity(entity) => self.put_entity(entity),
            Change::EditEntity { entity, edit } => self.edit_entity(*entity, edit),
            Change::MergeEntities { from, into } => self.merge_entities(*from, *into),
            Change::UndoMerge { entity } => self.undo_merge(*entity),
            Change::DeleteEntity(entity) => self.delete_entity(*entity),
            Change::Mention(mention) => self.mention(mention),
            Change::Observe(observation) => self.observe(observation),
            Change::Relate(relation) => self.relate(relation),
            Change::AddRecord { table, description, data, memory } => {
                self.add_record(table, description.as_deref(), data, *memory)
            }
            Change::UpdateRecord { table, record, patch } => {
                self.update_record(table, *record, patch)
            }
            Change::ReviseRecord { table, record, patch, memory } => {
                self.revise_record(table, *record, patch, *memory)
            }
            Change::DeleteRecord { table, record } => self.delete_record(table, *record),
            Change::PatchProfile { patch, reason, provenance } => {
                self.patch_profile(patch, reason.as_deref(), provenance)
            }
            Change::EraseProfile { fields } => self.erase_profile(fields),
            Change::StoreHandoff(handoff) => self.store_handoff(handoff),
            Change::MoveHandoff { handoff, step, connection } => {
                self.move_handoff(*handoff, step, connection.as_ref())
            }
            Change::PutReference { reference, vectors } => self.put_reference(reference, vectors),
            Change::RemoveReference { path } => self.remove_reference(path),
            Change::RaiseReview { item, subject, against } => {
                self.raise_review(item, *subject, *against)
            }
            Change::ResolveReview { review, resolution } => {
                self.resolve_review(*review, *resolution)
            }
            Change::SaveUndoState { review, before } => self.save_undo_state(*review, before),
            Change::ReopenReview { review } => self.reopen_review(*review),
            Change::RestoreStatus { memory, status, ended_at } => {
                self.restore_status(*memory, *status, *ended_at)
            }
            Change::ReopenFlags { memory, flags } => self.reopen_flags(*memory, flags),
            Change::Flag { memory, reason } => self.flag(*memory, reason),
            Change::SettleFlags { memory } => self.settle_flags(*memory),
            Change::Forget { memories } => self.forget(memories),
            Change::EraseEverything => self.erase_everything(),
            Change::DropQuestions { questions } => self.drop_questions(questions),
            Change::PutGrant(grant) => self.put_grant(grant),
            Change::RevokeGrant { agent, resource } => self.revoke_grant(agent, resource),
            Change::CreateWorkspace { name } => self.create_workspace(name),
            Change::AddContext { workspace, source, role, label } => {
                self.add_context(*workspace, source, *role, label)
            }
            Change::Import(item) => self.import(item),
            Change::PutSetting { name, value } => self.put_setting(name, value),
        }
    }

    /// Sends a statement whose answer nobody needs.
    fn send<'v>(&self, sql: &'static str, params: impl IntoParameters<'v>) -> SqlResult<()> {
        self.conn.send(sql, params)
    }

    /// Runs a statement and returns the number of rows it changed.
    fn execute<'v>(&self, sql: &'static str, params: impl IntoParameters<'v>) -> SqlResult<usize> {
        self.conn.execute(sql, params)
    }

    fn resolve_memory(&self, reference: Ref<MemoryId>) -> ApplyOutcome<MemoryId> {
        self.resolve(reference, ChangeResult::memory, "a memory")
    }

    fn resolve_session(&self, reference: Ref<SessionId>) -> ApplyOutcome<SessionId> {
        self.resolve(reference, ChangeResult::session, "a session")
    }

    fn resolve_entity(&self, reference: Ref<EntityId>) -> ApplyOutcome<EntityId> {
        self.resolve(reference, ChangeResult::entity, "an entity")
    }

    fn resolve<T: Copy>(
        &self,
        reference: Ref<T>,
        of: fn(&ChangeResult) -> Option<T>,
        what: &str,
    ) -> ApplyOutcome<T> {
        match reference {
            Ref::Id(id) => Ok(id),
            Ref::ResultOf(position) => self.results.get(position).and_then(of).ok_or_else(|| {
                ChangeError::invalid(format!(
                    "change {position} of the batch does not result in {what}"
                ))
            }),
        }
    }

    /// Gives a memory the batch's sequence number, so that search indexes read it again. Fails when
    /// there is no such memory.
    fn touch(&mut self, memory: MemoryId) -> ApplyOutcome<()> {
        if self.touched.contains(&memory) {
            return Ok(());
        }
        if self.execute(
            "UPDATE memories SET seq = $3 WHERE owner = $1 AND id = $2",
            (memory.0, self.seq.0),
        )? == 0
        {
            return Err(ChangeError::not_found("memory", memory));
        }
        self.touched.insert(memory);
        Ok(())
    }
}
