//! The record of a question in the usage log: whether it found something, and its words only as
//! far as the owner lets them be kept.

use crate::{Call, Caller, Core};
use model::{Failure, OwnerId};
use store::{LoggedQuestion, ReadEvent, Store};

/// The setting for keeping the words of questions.
pub const QUESTION_RETENTION: &str = "keep_questions";

impl Core {
    /// Returns the entry that the usage log keeps of a question. A question that contains a secret
    /// is only counted.
    pub fn asked(&self, call: &Call<'_>, question: &str, found: usize) -> LoggedQuestion {
        let mut words = question.trim().to_owned();
        let fit = call.screen().text("query", &mut words).is_ok();
        LoggedQuestion { text: fit.then_some(words), hits: found }
    }

    pub async fn retains_questions(&self, caller: &Caller) -> Result<bool, Failure> {
        let stored = self.store_of(&caller.owner).setting(QUESTION_RETENTION).await?;
        Ok(is_allowed(stored.as_ref()))
    }
}

/// Removes the words of questions that are about to be written, unless the owner lets them be kept.
pub(crate) async fn apply_retention(store: &dyn Store, owner: &OwnerId, reads: &mut [ReadEvent]) {
    let has_words = |read: &ReadEvent| read.question.as_ref().is_some_and(|it| it.text.is_some());
    if !reads.iter().any(has_words) {
        return;
    }
    // As late as possible: another process may have turned it off since the questions were asked.
    let stored = store.setting(owner, QUESTION_RETENTION).await;
    if !stored.is_ok_and(|stored| is_allowed(stored.as_ref())) {
        reads.iter_mut().filter_map(|read| read.question.as_mut()).for_each(|it| it.text = None);
    }
}

/// Returns true unless the owner has turned the setting off.
fn is_allowed(stored: Option<&serde_json::Value>) -> bool {
    stored.is_none_or(|value| *value == true)
}
