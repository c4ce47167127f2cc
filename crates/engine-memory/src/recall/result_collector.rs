//! Collection of results within the limit and the budget. Memories that say the same are shown
//! once, with the ids of the others; two occasions of the same are two.

use super::MemoryHit;
use super::excerpt::ExcerptWords;
use ::recall::{BudgetFit, RankingWeights, ScoreParts, TokenBudget, estimate_tokens};
use model::{AgentName, Kind, Memory, Origin};
use reading::{DuplicateFinder, LazyText, TextOccasion};

/// Tokens of the name of a field with its punctuation.
const FIELD_NAME_TOKENS: usize = 3;
/// A date as it is rendered.
const DATE_FORM: &str = "2026-01-31";

/// Collects results within the limit and the budget.
pub(super) struct ResultCollector<'t> {
    limit: usize,
    budget: TokenBudget,
    /// Agent that reads the results, and knows its own name.
    reader: &'t AgentName,
    /// Words by which the passage of a long text is chosen.
    words: ExcerptWords,
    dedup: DuplicateFinder<'t>,
    hits: Vec<MemoryHit>,
    /// Hit that shows each admitted text, by the index of the text.
    shown_as: Vec<Option<usize>>,
}

impl<'t> ResultCollector<'t> {
    pub fn new(limit: usize, tokens: usize, words: ExcerptWords, reader: &'t AgentName) -> Self {
        Self {
            limit,
            budget: TokenBudget::new(tokens),
            reader,
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
                let fields = field_tokens(&memory, self.reader);
                let fit = match fits {
                    true => self.budget.take(&memory.text, fields, cut),
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
