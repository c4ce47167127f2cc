//! Token budget for a ranked answer: decides which texts are included whole, truncated or omitted.

use crate::estimate_tokens;

/// Tokens for the confidence, the number left out and the hints of an answer. Without them in the
/// account, an answer of a few long texts exceeds its budget and is cut once more where it is
/// rendered, without regard to the question.
const ENVELOPE_TOKENS: usize = 64;
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

/// Remaining part of a token budget.
#[derive(Debug, Clone)]
pub struct TokenBudget {
    remaining: usize,
    /// Maximum of one text while others may follow.
    passage_max: usize,
    /// Maximum of one text.
    entry_max: usize,
}

impl TokenBudget {
    /// Creates a budget of this many tokens.
    #[must_use]
    pub fn new(tokens: usize) -> Self {
        let entry_max = (tokens / SHARE_DIVISOR).max(TRUNCATED_MIN_TOKENS);
        let passage_max = PASSAGE_TOKENS.max(tokens / PASSAGE_DIVISOR).min(entry_max);
        let envelope = ENVELOPE_TOKENS.min(tokens / ENVELOPE_DIVISOR);
        Self { remaining: tokens - envelope, passage_max, entry_max }
    }

    /// Spends tokens on a text and the fields beside it: whole if it is short, cut to a passage by
    /// `cut` if it is long, omitted when the budget is exhausted. `fields` is the cost of the
    /// fields other than id and date.
    pub fn take(
        &mut self,
        text: &str,
        fields: usize,
        cut: impl FnOnce(&str, usize) -> String,
    ) -> BudgetFit {
        let (tokens, overhead) = (text_tokens(text), ENTRY_OVERHEAD_TOKENS + fields);
        let available = self.remaining.saturating_sub(overhead);
        if tokens <= available.min(self.passage_max) {
            self.remaining -= tokens + overhead;
            return BudgetFit::Whole;
        }
        let available = available.saturating_sub(CUT_MARK_TOKENS).min(self.passage_max);
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
        if available < spent + TRUNCATED_MIN_TOKENS {
            return BudgetFit::Omitted;
        }
        let passage = cut(text, available);
        self.remaining = (self.remaining + spent).saturating_sub(text_tokens(&passage));
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

    #[test]
    fn a_text_that_fits_is_included_whole() {
        let mut budget = TokenBudget::new(1_500);
        assert_eq!(budget.take("We deploy on Fridays.", 0, truncate_to_tokens), BudgetFit::Whole);
    }

    #[test]
    fn one_long_text_is_cut_and_leaves_space_for_others() {
        let mut budget = TokenBudget::new(300);
        let long = "word ".repeat(2_000);
        let BudgetFit::Truncated(passage) = budget.take(&long, 0, truncate_to_tokens) else {
            panic!("a long text is cut")
        };
        assert!(estimate_tokens(&passage) <= 100, "{}", estimate_tokens(&passage));
        assert!(passage.ends_with("word…"));
        assert_eq!(budget.take("short", 0, truncate_to_tokens), BudgetFit::Whole);
    }

    #[test]
    fn what_is_left_shows_more_of_a_long_text() {
        let mut budget = TokenBudget::new(1_500);
        let long = "word ".repeat(240);
        let BudgetFit::Truncated(passage) = budget.take(&long, 0, truncate_to_tokens) else {
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
        let BudgetFit::Truncated(passage) = spent.take(&long, 0, truncate_to_tokens) else {
            panic!("a long text is cut")
        };
        assert_eq!(spent.extend(&long, &passage, truncate_to_tokens), BudgetFit::Omitted);
    }

    #[test]
    fn the_budget_is_never_overspent() {
        let mut budget = TokenBudget::new(200);
        let mut spent = 0;
        for _ in 0..50 {
            let text = "a sentence of about ten words that repeats itself";
            match budget.take(text, 0, truncate_to_tokens) {
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
        let fit = budget.take(&"é".repeat(10_000), 0, truncate_to_tokens);
        assert!(matches!(fit, BudgetFit::Truncated(_)));
    }
}
