//! Memories compared with a draft: first by the rules of the comparison, then, where those leave it
//! open, by the cross-encoder, which reads both texts together.

use embed::TextPair;
use engine_core::call::Call;
use model::Memory;
use reading::{LazyText, TextComparison};

/// Maximum number of pairs that the cross-encoder reads for one write.
// Each takes half as long as embedding 50 words; the rarest words are in common with the first.
const READ_TOGETHER_MAX: usize = 4;

/// A memory with its relation to the draft.
pub(super) struct ComparedMemory {
    pub memory: Memory,
    /// Titled text of the memory.
    pub text: String,
    pub comparison: TextComparison,
    /// True if the cross-encoder may alter the comparison.
    open: bool,
}

impl ComparedMemory {
    /// Compares a memory with a text by the rules. Titled notes are left to them, since the
    /// cross-encoder has seen none.
    pub fn by_rules(memory: Memory, draft: &LazyText<'_>, titled: bool) -> Self {
        let text = memory.titled_text().into_owned();
        let (comparison, open) = compare_by_rules(&LazyText::new(&text), draft);
        let open = open && !titled && memory.title.is_none();
        Self { memory, text, comparison, open }
    }

    /// Has the cross-encoder read the pairs that the rules leave open.
    pub async fn read_together(call: &Call<'_>, compared: &mut [Self], draft: &str) {
        let open: Vec<&mut Self> =
            compared.iter_mut().filter(|one| one.open).take(READ_TOGETHER_MAX).collect();
        if open.is_empty() {
            return;
        }
        let pair =
            |one: &&mut Self| TextPair { earlier: one.text.clone(), later: draft.to_owned() };
        let estimates = call.core.change_probabilities(open.iter().map(pair).collect()).await;
        for (one, probability) in open.into_iter().zip(estimates) {
            let Some(probability) = probability else { continue };
            let by_rules = std::mem::replace(&mut one.comparison, TextComparison::unrelated());
            one.comparison = by_rules.with_change_probability(probability);
        }
    }

    /// Returns what differs, in words that quote both texts.
    pub fn reason(&self, draft: &str) -> String {
        self.comparison.describe(&self.text, draft)
    }
}

/// Compares two texts by the rules. Returns whether the cross-encoder may alter the result, too.
fn compare_by_rules(earlier: &LazyText<'_>, later: &LazyText<'_>) -> (TextComparison, bool) {
    let comparison = if later.has_near_sentence(earlier) {
        later.parsed().compare_with(earlier.parsed())
    } else {
        TextComparison::unrelated()
    };
    let open = later.is_open_to_estimate(earlier, &comparison);
    (comparison, open)
}

#[cfg(test)]
mod tests;
