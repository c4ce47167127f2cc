//! Collection of results within the limit and the budget. Memories that say the same are shown
//! once, with the ids of the others; two occasions of the same are two.

use super::MemoryHit;
use super::excerpt::ExcerptWords;
use ::recall::{BudgetFit, RankingWeights, ScoreParts, TokenBudget};
use model::Memory;
use reading::{DuplicateFinder, LazyText, TextOccasion};

/// Collects results within the limit and the budget.
pub(super) struct ResultCollector<'t> {
    limit: usize,
    budget: TokenBudget,
    /// Words by which the passage of a long text is chosen.
    words: ExcerptWords,
    dedup: DuplicateFinder<'t>,
    hits: Vec<MemoryHit>,
    /// Hit that shows each admitted text, by the index of the text.
    shown_as: Vec<Option<usize>>,
}

impl<'t> ResultCollector<'t> {
    pub fn new(limit: usize, tokens: usize, words: ExcerptWords) -> Self {
        Self {
            limit,
            budget: TokenBudget::new(tokens),
            words,
            dedup: DuplicateFinder::default(),
            hits: Vec::new(),
            shown_as: Vec::new(),
        }
    }

    /// Adds a memory with its titled text, unless it repeats another or does not fit.
    pub fn offer(
        &mut self,
        memory: Memory,
        text: &'t LazyText<'t>,
        parts: &ScoreParts,
        explain: bool,
    ) {
        // A repetition is attached to the hit that shows the text; it costs no budget.
        match self.dedup.admit(text, occasion_of(&memory)) {
            Err(earlier) => {
                if let Some(hit) = self.shown_as.get(earlier).copied().flatten() {
                    self.hits[hit].repetitions.push(memory.id);
                }
            }
            Ok(_) => {
                let fits = self.hits.len() < self.limit;
                let cut = |text: &str, tokens| self.words.cut(text, tokens);
                let fit = match fits {
                    true => self.budget.take(&memory.text, cut),
                    false => BudgetFit::Omitted,
                };
                let excerpt = match fit {
                    // The text stays known, so that a later repetition of it is not shown in its
                    // place.
                    BudgetFit::Omitted => return self.shown_as.push(None),
                    BudgetFit::Whole => None,
                    BudgetFit::Truncated(text) => Some(text),
                };
                self.shown_as.push(Some(self.hits.len()));
                self.hits.push(hit(memory, excerpt, parts, explain));
            }
        }
    }

    /// Returns the hits, after spending what is left of the budget on the texts that were cut, best
    /// first.
    pub fn finish(mut self) -> Vec<MemoryHit> {
        for hit in &mut self.hits {
            let Some(shown) = &hit.excerpt else { continue };
            let cut = |text: &str, tokens| self.words.cut(text, tokens);
            match self.budget.extend(&hit.memory.text, shown, cut) {
                BudgetFit::Whole => hit.excerpt = None,
                BudgetFit::Truncated(longer) => hit.excerpt = Some(longer),
                BudgetFit::Omitted => {}
            }
        }
        self.hits
    }
}

fn hit(memory: Memory, excerpt: Option<String>, parts: &ScoreParts, explain: bool) -> MemoryHit {
    let weights = RankingWeights::default();
    MemoryHit {
        memory,
        excerpt,
        score: parts.total(),
        similarity: parts.similarity(&weights),
        strength: parts.strength(&weights),
        parts: if explain { parts.by_name() } else { Vec::new() },
        repetitions: Vec::new(),
        newer: None,
        under_review: None,
    }
}

/// Returns the day and details that tell two events apart.
fn occasion_of(memory: &Memory) -> TextOccasion {
    let details = serde_json::Value::Object(memory.metadata.clone());
    let details = format!("{} {details}", memory.valid_from.day_number());
    TextOccasion { details, is_event: memory.table().is_some() }
}
