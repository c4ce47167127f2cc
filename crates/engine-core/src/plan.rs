//! A plan: the changes of one batch as they are gathered, each knowing its place.

use model::{LinkKind, MemoryId};
use store::{Change, Made, Ref};

/// The changes of one batch in the making.
#[derive(Debug, Default)]
pub struct Plan {
    pub changes: Vec<Change>,
}

impl Plan {
    /// Adds a change and answers with its place, for later changes to refer to.
    pub fn push(&mut self, change: Change) -> usize {
        self.changes.push(change);
        self.changes.len() - 1
    }

    /// Links what this batch makes at a place to a memory that is there.
    pub fn link(&mut self, source: usize, target: MemoryId, kind: LinkKind, weight: f32) {
        self.push(Change::Link {
            source: Ref::Made(source),
            target: Ref::Id(target),
            kind,
            weight,
        });
    }
}

/// What the change at a place made.
pub fn made_at(made: &[Made], place: usize) -> &Made {
    made.get(place).unwrap_or(&Made::Nothing)
}
