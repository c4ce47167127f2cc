//! Collection of results within the limit and the budget. Memories that say the same are shown
//! once, with the ids of the others; two occasions of the same are two.

use super::MemoryHit;
use super::excerpt::{ExcerptQuestion, ExcerptSource, RankedSentences};
use ::recall::{BudgetFit, TextSize, TokenBudget, estimate_tokens};
use model::{AgentName, Kind, Memory, MemoryId, Origin};
use reading::{DuplicateFinder, LazyText, TextOccasion};
use std::cell::OnceCell;
use std::collections::HashMap;

/// Tokens of the name of a field with its punctuation.
const FIELD_NAME_TOKENS: usize = 3;
/// A date as it is rendered.
const DATE_FORM: &str = "2026-01-31";
/// Tokens of the mark and the hint that the results may only be similar.
const WEAK_TOKENS: usize = 24;
/// Tokens of an id with its punctuation.
const ID_TOKENS: usize = 2;
/// Tokens of the mark of an open review, beside the ids of the other memories.
const REVIEW_TOKENS: usize = 12;

/// Bounds of an answer, and what it says beside the results.
pub(super) struct AnswerBounds<'a> {
    pub limit: usize,
    pub tokens: usize,
    /// True if the results are marked as only similar.
    pub is_weak: bool,
    /// Agent that reads the results, and knows its own name.
    pub reader: &'a AgentName,
}

/// Collects results within the limit and the budget.
pub(super) struct ResultCollector<'t> {
    bounds: AnswerBounds<'t>,
    /// Question by which the sentences of a long text are chosen.
    question: ExcerptQuestion,
    /// Similarity of each passage of a memory to the question.
    passages: &'t HashMap<MemoryId, Vec<f32>>,
    dedup: DuplicateFinder<'t>,
    hits: Vec<MemoryHit>,
}

impl<'t> ResultCollector<'t> {
    pub fn new(
        bounds: AnswerBounds<'t>,
        question: ExcerptQuestion,
        passages: &'t HashMap<MemoryId, Vec<f32>>,
    ) -> Self {
        let dedup = DuplicateFinder::default();
        Self { bounds, question, passages, dedup, hits: Vec::new() }
    }

    /// Adds a hit with its titled text, best first. One that repeats another is attached to it; it
    /// costs no budget, and is left out with it.
    pub fn offer(&mut self, hit: MemoryHit, text: &'t LazyText<'t>) {
        match self.dedup.admit(text, occasion_of(&hit.memory)) {
            Err(earlier) => self.hits[earlier].repetitions.push(hit.memory.id),
            Ok(_) => self.hits.push(hit),
        }
    }

    /// Returns the hits that fit. What is left of the budget is spent on the texts that were cut,
    /// best first.
    pub fn finish(mut self) -> Vec<MemoryHit> {
        let offered = std::mem::take(&mut self.hits);
        let sizes: Vec<TextSize> = offered.iter().map(|hit| self.size_of(hit)).collect();
        let mut budget = TokenBudget::new(self.bounds.tokens);
        budget.reserve(if self.bounds.is_weak { WEAK_TOKENS } else { 0 });
        budget.share(&sizes[..sizes.len().min(self.bounds.limit)]);
        let mut hits = Vec::new();
        for (mut hit, size) in offered.into_iter().zip(sizes) {
            if hits.len() == self.bounds.limit {
                break;
            }
            let ranked = OnceCell::new();
            let cut = |_: &str, tokens| self.cut(&hit.memory, &ranked, tokens);
            match budget.take(&hit.memory.text, size, cut) {
                BudgetFit::Omitted => continue,
                BudgetFit::Whole => {}
                BudgetFit::Truncated(excerpt) => hit.excerpt = Some(excerpt),
            }
            hits.push((hit, ranked));
        }
        for (hit, ranked) in &mut hits {
            self.extend(hit, ranked, &mut budget);
        }
        hits.into_iter().map(|(hit, _)| hit).collect()
    }

    fn extend(
        &self,
        hit: &mut MemoryHit,
        ranked: &OnceCell<RankedSentences>,
        budget: &mut TokenBudget,
    ) {
        let Some(shown) = &hit.excerpt else { return };
        let cut = |_: &str, tokens| self.cut(&hit.memory, ranked, tokens);
        match budget.extend(&hit.memory.text, shown, cut) {
            BudgetFit::Whole => hit.excerpt = None,
            BudgetFit::Truncated(longer) => hit.excerpt = Some(longer),
            BudgetFit::Omitted => {}
        }
    }

    /// Cuts the text of a memory, whose sentences are ranked at the first cut.
    fn cut(&self, memory: &Memory, ranked: &OnceCell<RankedSentences>, tokens: usize) -> String {
        let similarities = || self.passages.get(&memory.id);
        let rank = || self.question.rank(&ExcerptSource::new(memory, similarities()));
        ranked.get_or_init(rank).cut(&memory.text, tokens)
    }

    fn size_of(&self, hit: &MemoryHit) -> TextSize {
        let fields = field_tokens(&hit.memory, self.bounds.reader) + mark_tokens(hit);
        TextSize::new(&hit.memory.text, fields)
    }
}

/// Estimates the tokens of the marks of a hit.
fn mark_tokens(hit: &MemoryHit) -> usize {
    let newer = hit.newer.map_or(0, |_| FIELD_NAME_TOKENS + ID_TOKENS);
    let alike = if hit.repetitions.is_empty() { 0 } else { FIELD_NAME_TOKENS };
    let review = hit.under_review.as_ref();
    let review = review.map_or(0, |mark| REVIEW_TOKENS + ID_TOKENS * mark.others.len());
    newer + alike + ID_TOKENS * hit.repetitions.len() + review
}

/// Estimates the tokens of the fields that a memory may have beside its id, text and date.
fn field_tokens(memory: &Memory, reader: &AgentName) -> usize {
    let author = &memory.provenance.author.agent;
    let named = [
        (memory.kind != Kind::note()).then(|| memory.kind.as_str()),
        memory.title.as_deref(),
        (author != reader).then(|| author.as_str()),
        memory.project.as_deref(),
        // Rendered for what agents and the owner did not say.
        (memory.provenance.trust < Origin::Agent.trust()).then(|| memory.provenance.origin.name()),
        memory.valid_to.map(|_| DATE_FORM),
    ];
    let named = named.into_iter().flatten().map(|value| estimate_tokens(value) + FIELD_NAME_TOKENS);
    let tags = memory.tags.iter().map(|tag| estimate_tokens(tag) + 1);
    let tags_name = if memory.tags.is_empty() { 0 } else { FIELD_NAME_TOKENS };
    named.chain(tags).sum::<usize>() + tags_name
}

/// Returns the day and details that tell two events apart.
fn occasion_of(memory: &Memory) -> TextOccasion {
    let details = serde_json::Value::Object(memory.metadata.clone());
    let details = format!("{} {details}", memory.valid_from.day_number());
    TextOccasion { details, is_event: memory.table().is_some() }
}
