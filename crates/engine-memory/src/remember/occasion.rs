//! Occasions: what happened today may happen again tomorrow in the same words. A text that tells of
//! such an event without naming its day is another event on another day, not a duplicate.

use super::neighbours::memory_with_text;
use engine_core::call::Call;
use engine_core::embedding::speaker;
use model::{Failure, NewMemory};
use reading::ParsedText;

/// Returns whether a memory with the same text is of another day, so that the new one tells of
/// another occasion.
// A text that was forgotten everywhere is no such case: it stays refused.
pub(super) async fn is_other_occasion(call: &Call<'_>, new: &NewMemory) -> Result<bool, Failure> {
    if speaker(&new.metadata).is_some() || !ParsedText::new(&new.text).may_happen_again() {
        return Ok(false);
    }
    let known = memory_with_text(call, new.hash()).await?;
    Ok(known.is_some_and(|known| known.valid_from.day_number() != new.valid_from.day_number()))
}
