//! What the usage log keeps of a question: whether it found something, and its words only as far as
//! the owner lets them be kept.

use crate::{Call, Caller, Core};
use model::Failure;
use store::LoggedQuestion;

/// The setting for keeping the words of questions that found nothing.
pub const KEEP_QUESTIONS: &str = "keep_questions";

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
        let kept = found > 0 || self.questions_kept(call.caller).await?;
        let mut words = question.trim().to_owned();
        let fit = kept && call.screen().text("query", &mut words).is_ok();
        Ok(LoggedQuestion { text: fit.then_some(words), hits: found })
    }

    pub async fn questions_kept(&self, caller: &Caller) -> Result<bool, Failure> {
        let kept = self.store_of(&caller.owner).setting(KEEP_QUESTIONS).await?;
        Ok(kept.is_none_or(|value| value == true))
    }
}
