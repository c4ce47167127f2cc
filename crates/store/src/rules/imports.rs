//! Items of an export as new ones, so that the same checks apply to them.

use model::{Handoff, Memory, NewHandoff, NewMemory, Status};

/// Returns an imported memory as a new one, active.
#[must_use]
pub fn as_new_memory(memory: &Memory) -> NewMemory {
    NewMemory {
        kind: memory.kind.clone(),
        title: memory.title.clone(),
        text: memory.text.clone(),
        summary: memory.summary.clone(),
        collection: memory.collection.clone(),
        project: memory.project.clone(),
        tags: memory.tags.clone(),
        applies_to: memory.applies_to.clone(),
        priority: memory.priority,
        confidence: memory.confidence,
        metadata: memory.metadata.clone(),
        provenance: memory.provenance.clone(),
        valid_from: memory.valid_from,
        valid_to: memory.valid_to,
        status: Status::Active,
    }
}

/// Returns an imported handoff as a new one.
#[must_use]
pub fn as_new_handoff(handoff: &Handoff) -> NewHandoff {
    NewHandoff {
        title: handoff.title.clone(),
        document: handoff.document.clone(),
        project: handoff.project.clone(),
        cwd: handoff.cwd.clone(),
        harness: handoff.harness.clone(),
        source_ref: handoff.source_ref.clone(),
        tags: handoff.tags.clone(),
    }
}
