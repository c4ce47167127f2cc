//! Adds a memory written by a use case other than `remember`: an exchange, an episode, the text of
//! a row.

use engine_core::call::{Call, internal};
use engine_core::embedding::Embeddable;
use engine_core::plan::BatchPlan;
use model::{Failure, NewMemory, SessionId};
use store::{AddMemory, Change, ChangeResult, OnDuplicate, OnForgotten, Ref};

/// A memory to add to a batch.
#[derive(Debug)]
pub(crate) struct MemoryAddition {
    pub memory: NewMemory,
    pub session: Option<Ref<SessionId>>,
    pub on_duplicate: OnDuplicate,
    pub on_forgotten: OnForgotten,
}

impl MemoryAddition {
    /// Screens and validates the memory, embeds it and appends it to the batch. Returns its index
    /// there.
    pub async fn plan(mut self, call: &Call<'_>, plan: &mut BatchPlan) -> Result<usize, Failure> {
        call.screen().memory(&mut self.memory)?;
        self.memory.check()?;
        // Embedded only after screening, so that no vector is made of a removed secret.
        let text = Embeddable::memory(
            &self.memory.metadata,
            self.memory.title.as_deref(),
            &self.memory.text,
        );
        let add = AddMemory {
            vector: call.core.vector_of(text).await,
            memory: self.memory,
            session: self.session,
            on_duplicate: self.on_duplicate,
            on_forgotten: self.on_forgotten,
        };
        Ok(plan.push(Change::AddMemory(Box::new(add))))
    }
}

/// Returns the session that a batch started or resumed.
pub(crate) fn session_of(results: &[ChangeResult]) -> Result<SessionId, Failure> {
    results
        .iter()
        .find_map(ChangeResult::session)
        .ok_or_else(|| internal("the store returned no session for StartSession"))
}
