//! Adding a memory that a use case other than `remember` makes: a log, an episode, the words of a
//! row.

use engine_core::call::{Call, internal};
use engine_core::embedding::Embeddable;
use engine_core::plan::Plan;
use model::{Failure, NewMemory, SessionId};
use store::{AddMemory, Change, Made, OnDuplicate, OnForgotten, Ref};

/// A memory on its way into a batch.
#[derive(Debug)]
pub(crate) struct Adding {
    /// The memory.
    pub memory: NewMemory,
    /// The session it is made in.
    pub session: Option<Ref<SessionId>>,
    /// What to do when it is there already.
    pub on_duplicate: OnDuplicate,
}

impl Adding {
    /// Guards and checks the memory, makes its vectors and adds it to the batch; answers with its
    /// place there.
    pub async fn plan(mut self, call: &Call<'_>, plan: &mut Plan) -> Result<usize, Failure> {
        call.screen().memory(&mut self.memory)?;
        self.memory.check()?;
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
            on_forgotten: OnForgotten::Refuse,
        };
        Ok(plan.push(Change::AddMemory(Box::new(add))))
    }
}

/// The session that a batch made or took up.
pub(crate) fn session_of(made: &[Made]) -> Result<SessionId, Failure> {
    made.iter()
        .find_map(Made::session)
        .ok_or_else(|| internal("the store made no session of a StartSession"))
}
