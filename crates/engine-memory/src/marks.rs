//! Marks of memories in an answer: what was folded into a memory, which newer one changed it, and
//! whether a review is open about it. Listings carry them as search results do.

use crate::Memories;
use crate::recall::{MemoryHit, TitledTexts, newer_statements};
use crate::review::{ReviewMark, review_marks};
use engine_core::UseCaseFuture;
use engine_core::call::Call;
use engine_core::caller::Caller;
use guard::Resource;
use model::{Memory, MemoryId, Permission};
use std::collections::HashMap;

/// Number of memories of a listing that are compared with each other.
const COMPARED_MAX: usize = 100;

/// Marks of one memory.
#[derive(Debug, Clone, PartialEq, Default)]
pub struct MemoryMarks {
    /// Memories that say the same, which are not shown.
    pub repetitions: Vec<MemoryId>,
    /// Newer memory that gives another value to the same, or denies it.
    pub newer: Option<MemoryId>,
    /// Open review item about the memory.
    pub under_review: Option<ReviewMark>,
}

impl MemoryHit {
    /// Returns the marks of a search result.
    #[must_use]
    pub fn marks(&self) -> MemoryMarks {
        MemoryMarks {
            repetitions: self.repetitions.clone(),
            newer: self.newer,
            under_review: self.under_review.clone(),
        }
    }
}

impl<'e> Memories<'e> {
    /// Returns the marks of the memories of a listing; those without any are missing.
    ///
    /// # Errors
    /// Fails when the store cannot be read.
    pub fn marks(
        self,
        caller: &'e Caller,
        memories: &'e [Memory],
    ) -> UseCaseFuture<'e, HashMap<MemoryId, MemoryMarks>> {
        Box::pin(async move {
            let ids: Vec<MemoryId> = memories.iter().map(|memory| memory.id).collect();
            let resources = [Resource::Memories(None)];
            let call =
                Call::begin_any(self.core, caller, &resources, Permission::Read, &ids).await?;
            let mut marks: HashMap<MemoryId, MemoryMarks> = HashMap::new();
            let compared = &memories[..memories.len().min(COMPARED_MAX)];
            let texts = TitledTexts::new(compared);
            for (old, new) in newer_statements(compared, &texts.lazy()) {
                marks.entry(old).or_default().newer = Some(new);
            }
            for (memory, mark) in review_marks(&call, &ids).await? {
                marks.entry(memory).or_default().under_review = Some(mark);
            }
            Ok(marks)
        })
    }
}
