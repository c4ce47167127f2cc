//! Text that is made from memories and kept as a memory itself: the extract that sums up a session.
//! Its sources are the memories that are part of it. Whenever a batch corrects, retires, rejects or
//! forgets one of them, the extract is made again from what stands then, in the same batch, under
//! the same id. Text that somebody wrote is never changed here.

mod batch_effects;
mod extract;
mod remake;

pub use extract::{
    Quote, TURN_KIND, extract, extract_trust, has_extract_form, is_extract, without_quotes,
};

use crate::call::{Call, write_failure};
use batch_effects::BatchEffects;
use index::{Direction, LinkKinds, View};
use metrics::TRACE_TARGET;
use model::{Failure, LinkKind, MemoryId};
use remake::{ExtractSources, with_remade};
use std::collections::BTreeSet;
use store::{Batch, ChangeResult, CommittedBatch, Conflict, WriteError};
use tracing::Instrument;
use tracing::field::Empty;

/// Links from a part to the extract that quotes it.
const PART_OF: LinkKinds = LinkKinds::only(LinkKind::PartOf);
/// Number of times that a batch is put together again because others changed its sources.
const ATTEMPTS: usize = 16;

/// Returns the memories that may be extracts of these, or of versions that these replaced.
#[must_use]
pub fn extracts_of(view: &View, memories: &[MemoryId]) -> BTreeSet<MemoryId> {
    let mut extracts = BTreeSet::new();
    for &memory in memories {
        let older = view.all_older_versions(memory, None);
        for version in std::iter::once(memory).chain(older) {
            extracts.extend(view.links(version, Direction::Out, PART_OF).iter().map(|e| e.target));
        }
    }
    extracts.retain(|&id| is_episode(view, id));
    extracts
}

/// Returns the newest versions of the parts of an extract.
#[must_use]
pub fn sources_of(view: &View, extract: MemoryId) -> BTreeSet<MemoryId> {
    let parts = view.links(extract, Direction::In, PART_OF);
    parts.iter().map(|edge| view.newest_version(edge.source, None)).collect()
}

fn is_episode(view: &View, id: MemoryId) -> bool {
    view.doc(id).is_some_and(|doc| view.facts(doc).kind == "episode")
}

impl Call<'_> {
    /// Makes those of these extracts again whose text no longer follows from their sources, and
    /// removes every trace of the old texts. Returns them.
    ///
    /// # Errors
    /// Fails when the store cannot be read or written.
    pub async fn refresh_extracts(&self, ids: &[MemoryId]) -> Result<Vec<MemoryId>, Failure> {
        let (effects, ids) = (BatchEffects::default(), ids.iter().copied().collect());
        for _ in 0..ATTEMPTS {
            let view = self.view().await?;
            let sources = view.read(|view| ExtractSources::read(view, &effects, &ids));
            let changes = sources.remade(self, &effects, true).await?;
            if changes.is_empty() {
                return Ok(Vec::new());
            }
            let note = format!("made {} extracts again", ids.len());
            let mut batch = Batch::new(self.event(note), changes);
            batch.expected_versions.extend([sources.expected(), self.expected_store()]);
            match self.write_traced(batch).await {
                Err(WriteError::Conflict(Conflict::SourcesChanged)) => {}
                written => return Ok(remade_in(&written.map_err(write_failure)?)),
            }
        }
        Err(write_failure(WriteError::Conflict(Conflict::SourcesChanged)))
    }

    async fn write_traced(&self, batch: Batch) -> Result<CommittedBatch, WriteError> {
        // The store records how many requests shared the transaction.
        let span = tracing::info_span!(
            target: TRACE_TARGET, "store.write", changes = batch.changes.len(),
            group_size = Empty, error.type = Empty,
        );
        let write = self.core.store.write(&self.caller.owner, batch).instrument(span.clone());
        write.await.inspect_err(|error| {
            span.record("error.type", Failure::from(error.clone()).code.name());
        })
    }

    /// Writes a batch together with the extracts that it changes.
    pub(crate) async fn write_with_extracts(
        &self,
        batch: Batch,
    ) -> Result<CommittedBatch, Failure> {
        let effects = BatchEffects::read(&batch.changes);
        if effects.is_empty() {
            return self.write_traced(batch).await.map_err(write_failure);
        }
        for _ in 0..ATTEMPTS {
            let whole = Box::pin(with_remade(self, &effects, batch.clone())).await?;
            match self.write_traced(whole).await {
                // Made from something that another write has changed meanwhile.
                Err(WriteError::Conflict(Conflict::SourcesChanged)) => {}
                written => return written.map_err(write_failure),
            }
        }
        Err(write_failure(WriteError::Conflict(Conflict::SourcesChanged)))
    }
}

/// Returns the derived memories that a batch made again.
#[must_use]
pub fn remade_in(committed: &CommittedBatch) -> Vec<MemoryId> {
    let remade = |result: &ChangeResult| match result {
        ChangeResult::Remade(id) => Some(*id),
        _ => None,
    };
    committed.results.iter().filter_map(remade).collect()
}
