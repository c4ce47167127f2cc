//! Token budget for a ranked answer: decides which texts are included whole, truncated or omitted.

use crate::estimate_tokens;

/// Tokens for the confidence, the number left out and the hint of an answer. Without them in the
/// account, an answer of a few long texts exceeds its budget and is cut once more where it is
/// rendered, without regard to the question.
const ENVELOPE_TOKENS: usize = 40;
/// A small budget spends at most this part of itself on the envelope.
const ENVELOPE_DIVISOR: usize = 4;
/// Tokens for the names of id, text and date, their punctuation, an id and a date.
const ENTRY_OVERHEAD_TOKENS: usize = 12;
/// Tokens for the mark of a text that was cut.
const CUT_MARK_TOKENS: usize = 3;
/// One memory takes at most the budget divided by this, so that a long text does not crowd out the
/// others.
const SHARE_DIVISOR: usize = 3;
/// Tokens of the passage that a long text is first cut to. With fewer, more memories fit but fewer
/// answer; `docs/recall.md` has the measurements.
const PASSAGE_TOKENS: usize = 150;
/// A passage takes at least the budget divided by this, so that a large budget shows long texts.
const PASSAGE_DIVISOR: usize = 10;
/// The first texts, which answer most often, are not cut below a passage as long as they take at
/// most the budget divided by this.
const FIRST_TEXTS_DIVISOR: usize = 2;
/// Tokens that a later text keeps at least, so that another fits. With fewer, its sentence that
/// answers is often gone; with more, fewer texts fit.
const LATER_TEXT_MIN_TOKENS: usize = 65;
/// Tokens that a text is extended by at least; fewer would add no sentence.
const EXTENSION_MIN_TOKENS: usize = 15;
/// Minimum size of a truncated text; a shorter fragment would say nothing.
const TRUNCATED_MIN_TOKENS: usize = 40;
/// Characters of a text that JSON writes as two.
const ESCAPED: [char; 3] = ['\n', '"', '\\'];

/// Form in which a text is included in the answer.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum BudgetFit {
    Whole,
    /// Cut to this text.
    Truncated(String),
    Omitted,
}

/// Tokens of a text that may be shown.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct TextSize {
    text: usize,
    /// Tokens of all fields beside the text.
    overhead: usize,
}

impl TextSize {
    /// Measures a text; `fields` is the cost of the fields other than id and date.
    #[must_use]
    pub fn new(text: &str, fields: usize) -> Self {
        Self { text: text_tokens(text), overhead: ENTRY_OVERHEAD_TOKENS + fields }
    }
}

/// Remaining part of a token budget.
#[derive(Debug, Clone)]
pub struct TokenBudget {
    remaining: usize,
    /// Maximum of one text while others may follow.
    passage_max: usize,
    /// Maximum of one text.
    entry_max: usize,
    /// Number of texts that may take a passage each.
    first_texts: usize,
    /// Maximum of a later text while others may follow.
    later_max: usize,
}

impl TokenBudget {
    /// Creates a budget of this many tokens.
    #[must_use]
    pub fn new(tokens: usize) -> Self {
        let entry_max = (tokens / SHARE_DIVISOR).max(TRUNCATED_MIN_TOKENS);
        let passage_max = PASSAGE_TOKENS.max(tokens / PASSAGE_DIVISOR).min(entry_max);
        let envelope = ENVELOPE_TOKENS.min(tokens / ENVELOPE_DIVISOR);
        let remaining = tokens - envelope;
        Self { remaining, passage_max, entry_max, first_texts: usize::MAX, later_max: passage_max }
    }

    /// Sets tokens aside for what an answer says beside its texts, at most an eighth of the rest.
    pub fn reserve(&mut self, tokens: usize) {
        self.remaining -= tokens.min(self.remaining / 8);
    }

    /// Shares the budget among the texts that are taken next, best first. Half of it goes to the
    /// first ones as before; each later one is cut so far that as many as possible fit.
    pub fn share(&mut self, sizes: &[TextSize]) {
        let first = self.first_texts_of(sizes);
        let (before, later) = sizes.split_at(first);
        let spent: usize = before.iter().map(|size| self.passage_of(*size) + size.overhead).sum();
        let room = self.remaining.saturating_sub(spent);
        let counts = (1..=later.len()).rev();
        let level = counts.filter_map(|count| self.level_of(&later[..count], room)).next();
        // Two thirds of a passage, since what is left goes to the texts that were cut, best first.
        let most = LATER_TEXT_MIN_TOKENS.max(self.passage_max * 2 / 3);
        let level = level.unwrap_or(0).clamp(LATER_TEXT_MIN_TOKENS, most);
        (self.first_texts, self.later_max) = (first, level.min(self.passage_max));
    }

    /// Returns the number of first texts that take half of the budget, at least one.
    fn first_texts_of(&self, sizes: &[TextSize]) -> usize {
        let half = self.remaining / FIRST_TEXTS_DIVISOR;
        let sums = sizes.iter().scan(0, |sum, size| {
            *sum += self.passage_of(*size) + size.overhead;
            Some(*sum)
        });
        sums.take_while(|sum| *sum <= half).count().max(1).min(sizes.len())
    }

    fn passage_of(&self, size: TextSize) -> usize {
        size.text.min(self.passage_max)
    }

    /// Returns the length that texts are cut to so that all of them fit, the longest ones first.
    /// `None` if one of them would keep too little.
    fn level_of(&self, sizes: &[TextSize], room: usize) -> Option<usize> {
        let overhead: usize = sizes.iter().map(|size| size.overhead + CUT_MARK_TOKENS).sum();
        let mut room = room.checked_sub(overhead)?;
        let mut texts: Vec<usize> = sizes.iter().map(|size| self.passage_of(*size)).collect();
        texts.sort_unstable();
        for (at, text) in texts.iter().enumerate() {
            let share = room / (texts.len() - at);
            if *text > share {
                return (share >= LATER_TEXT_MIN_TOKENS).then_some(share);
            }
            room -= text;
        }
        texts.last().copied()
    }

    /// Spends tokens on a text and the fields beside it: whole if it is short, cut to a passage by
    /// `cut` if it is long, omitted when the budget is exhausted.
    pub fn take(
        &mut self,
        text: &str,
        size: TextSize,
        cut: impl FnOnce(&str, usize) -> String,
    ) -> BudgetFit {
        let TextSize { text: tokens, overhead } = size;
        let available = self.remaining.saturating_sub(overhead);
        let most = if self.first_texts > 0 { self.passage_max } else { self.later_max };
        self.first_texts = self.first_texts.saturating_sub(1);
        if tokens <= available.min(most) {
            self.remaining -= tokens + overhead;
            return BudgetFit::Whole;
        }
        let available = available.saturating_sub(CUT_MARK_TOKENS).min(most);
        if available < TRUNCATED_MIN_TOKENS {
            return BudgetFit::Omitted;
        }
        let passage = cut(text, available);
        let spent = text_tokens(&passage) + overhead + CUT_MARK_TOKENS;
        self.remaining = self.remaining.saturating_sub(spent);
        BudgetFit::Truncated(passage)
    }

    /// Spends what is left on a text that was cut: shows it whole or a longer passage of it.
    /// Omitted if what is shown stays as it is.
    pub fn extend(
        &mut self,
        text: &str,
        shown: &str,
        cut: impl FnOnce(&str, usize) -> String,
    ) -> BudgetFit {
        let (tokens, spent) = (text_tokens(text), text_tokens(shown));
        let available = (spent + self.remaining).min(self.entry_max);
        if tokens <= available {
            self.remaining = (self.remaining + spent).saturating_sub(tokens);
            return BudgetFit::Whole;
        }
        if available < spent + EXTENSION_MIN_TOKENS {
            return BudgetFit::Omitted;
        }
        let passage = cut(text, available);
        let tokens = text_tokens(&passage);
        if tokens <= spent {
            return BudgetFit::Omitted;
        }
        self.remaining = (self.remaining + spent).saturating_sub(tokens);
        BudgetFit::Truncated(passage)
    }
}

/// Estimates the tokens of a text as it is written in JSON.
fn text_tokens(text: &str) -> usize {
    estimate_tokens(text) + text.matches(ESCAPED).count() / 4
}

/// Truncates a text to at most this many tokens.
#[must_use]
pub fn truncate_to_tokens(text: &str, tokens: usize) -> String {
    if estimate_tokens(text) <= tokens { text.to_owned() } else { prefix_of(text, tokens) }
}

/// Returns the beginning of a text, cut at a word boundary, with an ellipsis.
fn prefix_of(text: &str, tokens: usize) -> String {
    let mut prefix = String::new();
    for word in text.split_inclusive(char::is_whitespace) {
        if estimate_tokens(&prefix) + estimate_tokens(word) >= tokens {
            break;
        }
        prefix.push_str(word);
    }
    if prefix.is_empty() {
        // A single endless word, which has to be cut somewhere.
        prefix = text.chars().take(tokens).collect();
    }
    format!("{}…", prefix.trim_end())
}

#[cfg(test)]
mod tests {
    use super::*;

    fn take(budget: &mut TokenBudget, text: &str) -> BudgetFit {
        budget.take(text, TextSize::new(text, 0), truncate_to_tokens)
    }

    #[test]
    fn a_text_that_fits_is_included_whole() {
        let mut budget = TokenBudget::new(1_500);
        assert_eq!(take(&mut budget, "We deploy on Fridays."), BudgetFit::Whole);
    }

    #[test]
    fn one_long_text_is_cut_and_leaves_space_for_others() {
        let mut budget = TokenBudget::new(300);
        let long = "word ".repeat(2_000);
        let BudgetFit::Truncated(passage) = take(&mut budget, &long) else {
            panic!("a long text is cut")
        };
        assert!(estimate_tokens(&passage) <= 100, "{}", estimate_tokens(&passage));
        assert!(passage.ends_with("word…"));
        assert_eq!(take(&mut budget, "short"), BudgetFit::Whole);
    }

    #[test]
    fn what_is_left_shows_more_of_a_long_text() {
        let mut budget = TokenBudget::new(1_500);
        let long = "word ".repeat(240);
        let BudgetFit::Truncated(passage) = take(&mut budget, &long) else {
            panic!("a long text is cut")
        };
        assert!(estimate_tokens(&passage) <= 150);
        assert_eq!(budget.extend(&long, &passage, truncate_to_tokens), BudgetFit::Whole);
        let endless = "word ".repeat(9_000);
        let BudgetFit::Truncated(more) = budget.extend(&endless, &passage, truncate_to_tokens)
        else {
            panic!("an endless text is never shown whole")
        };
        assert!((400..=500).contains(&estimate_tokens(&more)), "{}", estimate_tokens(&more));
        let mut spent = TokenBudget::new(80);
        let BudgetFit::Truncated(passage) = take(&mut spent, &long) else {
            panic!("a long text is cut")
        };
        assert_eq!(spent.extend(&long, &passage, truncate_to_tokens), BudgetFit::Omitted);
    }

    /// Shares a budget among ten texts of this many tokens, and returns the tokens shown of each.
    fn shares(tokens: usize, text_tokens: usize) -> Vec<usize> {
        let mut budget = TokenBudget::new(tokens);
        let text = "word ".repeat(text_tokens * 4 / 5);
        budget.share(&[TextSize::new(&text, 0); 10]);
        let shown = (0..10).map(|_| match take(&mut budget, &text) {
            BudgetFit::Whole => text_tokens,
            BudgetFit::Truncated(passage) => estimate_tokens(&passage),
            BudgetFit::Omitted => 0,
        });
        shown.collect()
    }

    #[test]
    fn later_texts_are_cut_so_that_more_of_them_fit() {
        let shown = shares(1_000, 120);
        assert_eq!(shown[..3], [120; 3]);
        let later = shown[3..].iter().filter(|tokens| (60..100).contains(*tokens)).count();
        assert!(later >= 5, "{shown:?}");
    }

    #[test]
    fn texts_that_all_fit_are_whole() {
        assert_eq!(shares(1_000, 60), [60; 10]);
    }

    #[test]
    fn a_small_budget_shows_one_text_and_a_large_one_long_passages() {
        assert_eq!(shares(250, 80)[..2], [80, 64]);
        assert!(shares(20_000, 3_000).iter().all(|tokens| *tokens > 1_000));
    }

    #[test]
    fn the_budget_is_never_overspent() {
        let mut budget = TokenBudget::new(200);
        let mut spent = 0;
        for _ in 0..50 {
            let text = "a sentence of about ten words that repeats itself";
            match take(&mut budget, text) {
                BudgetFit::Whole => spent += estimate_tokens(text),
                BudgetFit::Truncated(passage) => spent += estimate_tokens(&passage),
                BudgetFit::Omitted => {}
            }
        }
        assert!(spent <= 200, "{spent}");
    }

    #[test]
    fn an_endless_word_is_cut_too() {
        let mut budget = TokenBudget::new(100);
        let fit = take(&mut budget, &"é".repeat(10_000));
        assert!(matches!(fit, BudgetFit::Truncated(_)));
    }
}
