//! A batch under construction: changes, each with an index that later ones can refer to.

use model::{LinkKind, MemoryId};
use store::{Change, ChangeResult, ExpectedVersion, Ref};

/// The changes of one batch.
#[derive(Debug, Default)]
pub struct BatchPlan {
    pub changes: Vec<Change>,
    /// Versions that the changes were planned for; the batch is refused when one has changed.
    pub expected_versions: Vec<ExpectedVersion>,
}

impl From<Vec<Change>> for BatchPlan {
    fn from(changes: Vec<Change>) -> Self {
        Self { changes, expected_versions: Vec::new() }
    }
}

impl BatchPlan {
    /// Appends a change and returns its index, for later changes to refer to.
    pub fn push(&mut self, change: Change) -> usize {
        self.changes.push(change);
        self.changes.len() - 1
    }

    /// Links the memory created at an index to an existing one.
    pub fn link(&mut self, source: usize, target: MemoryId, kind: LinkKind, weight: f32) {
        self.push(Change::Link {
            source: Ref::ResultOf(source),
            target: Ref::Id(target),
            kind,
            weight,
        });
    }
}

/// Returns the result of the change at an index.
// A batch replayed by idempotency key has the results of the first call, which may be fewer.
pub fn result_at(results: &[ChangeResult], index: usize) -> &ChangeResult {
    results.get(index).unwrap_or(&ChangeResult::Done)
}
