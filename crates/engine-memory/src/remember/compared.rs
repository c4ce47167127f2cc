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
    /// Lowest estimate of the cross-encoder that asks, unless none can alter the comparison.
    asked_from: Option<f32>,
}

impl ComparedMemory {
    /// Compares a memory with a text by the rules. Titled notes are left to them, since the
    /// cross-encoder has seen none.
    pub fn by_rules(memory: Memory, draft: &LazyText<'_>, titled: bool) -> Self {
        let text = memory.titled_text().into_owned();
        let (comparison, asked_from) = compare_by_rules(&LazyText::new(&text), draft);
        let asked_from = asked_from.filter(|_| !titled && memory.title.is_none());
        Self { memory, text, comparison, asked_from }
    }

    /// Has the cross-encoder read the pairs that the rules leave open.
    pub async fn read_together(call: &Call<'_>, compared: &mut [Self], draft: &str) {
        let open = compared.iter_mut().filter_map(|one| Some((one.asked_from?, one)));
        let open: Vec<(f32, &mut Self)> = open.take(READ_TOGETHER_MAX).collect();
        if open.is_empty() {
            return;
        }
        let pair = |(_, one): &(f32, &mut Self)| TextPair {
            earlier: one.text.clone(),
            later: draft.to_owned(),
        };
        let estimates = call.core.change_probabilities(open.iter().map(pair).collect()).await;
        for ((asked_from, one), probability) in open.into_iter().zip(estimates) {
            let Some(probability) = probability else { continue };
            let by_rules = std::mem::replace(&mut one.comparison, TextComparison::unrelated());
            one.comparison = by_rules.with_change_probability(probability, asked_from);
        }
    }

    /// Returns what differs, in words that quote both texts.
    pub fn reason(&self, draft: &str) -> String {
        self.comparison.describe(&self.text, draft)
    }
}

/// Compares two texts by the rules. Returns from which estimate of the cross-encoder on it becomes
/// a likely change, too.
fn compare_by_rules(earlier: &LazyText<'_>, later: &LazyText<'_>) -> (TextComparison, Option<f32>) {
    let comparison = if later.has_near_sentence(earlier) {
        later.parsed().compare_with(earlier.parsed())
    } else {
        TextComparison::unrelated()
    };
    let asked_from = later.asked_from(earlier, &comparison);
    (comparison, asked_from)
}

#[cfg(test)]
mod tests;
