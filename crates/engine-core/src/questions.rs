//! The record of a question in the usage log: whether it found something, and its words only as
//! far as the owner lets them be kept.

use crate::{Call, Caller, Core};
use model::Failure;
use store::LoggedQuestion;

/// The setting for keeping the words of questions that found nothing.
pub const QUESTION_RETENTION: &str = "keep_questions";

impl Core {
    /// Returns the entry that the usage log keeps of a question. A question that contains a secret
    /// is only counted.
    pub async fn asked(
        &self,
        call: &Call<'_>,
        question: &str,
        found: usize,
    ) -> Result<LoggedQuestion, Failure> {
        // A question with results is always passed on: it removes the stored unanswered one.
        let wanted = found > 0 || self.retains_questions(call.caller).await?;
        let mut words = question.trim().to_owned();
        let fit = wanted && call.screen().text("query", &mut words).is_ok();
        Ok(LoggedQuestion { text: fit.then_some(words), hits: found })
    }

    pub async fn retains_questions(&self, caller: &Caller) -> Result<bool, Failure> {
        let stored = self.store_of(&caller.owner).setting(QUESTION_RETENTION).await?;
        Ok(stored.is_none_or(|value| value == true))
    }
}
