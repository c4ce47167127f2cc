//! Token budget for a ranked answer: decides which texts are included whole, truncated or omitted.

use crate::estimate_tokens;

/// Tokens for the field names, dates and punctuation around each memory.
const ENTRY_OVERHEAD_TOKENS: usize = 24;
/// One memory takes at most the budget divided by this, so that a long text does not crowd out the
/// others.
const SHARE_DIVISOR: usize = 3;
/// Minimum size of a truncated text; a shorter fragment would say nothing.
const TRUNCATED_MIN_TOKENS: usize = 40;

/// Form in which a text is included in the answer.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum BudgetFit {
    Whole,
    /// Truncated to this text.
    Truncated(String),
    Omitted,
}

/// Remaining part of a token budget.
#[derive(Debug, Clone)]
pub struct TokenBudget {
    remaining: usize,
    entry_max: usize,
}

impl TokenBudget {
    /// Creates a budget of this many tokens.
    #[must_use]
    pub fn new(tokens: usize) -> Self {
        Self { remaining: tokens, entry_max: (tokens / SHARE_DIVISOR).max(TRUNCATED_MIN_TOKENS) }
    }

    /// Spends tokens on a text: whole if it fits, truncated if it is too long, omitted when the
    /// budget is exhausted.
    pub fn take(&mut self, text: &str) -> BudgetFit {
        let tokens = estimate_tokens(text);
        let available = self.remaining.saturating_sub(ENTRY_OVERHEAD_TOKENS).min(self.entry_max);
        if tokens <= available {
            self.remaining -= tokens + ENTRY_OVERHEAD_TOKENS;
            return BudgetFit::Whole;
        }
        if available < TRUNCATED_MIN_TOKENS {
            return BudgetFit::Omitted;
        }
        let truncated = prefix_of(text, available);
        self.remaining =
            self.remaining.saturating_sub(estimate_tokens(&truncated) + ENTRY_OVERHEAD_TOKENS);
        BudgetFit::Truncated(truncated)
    }
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
        assert_eq!(budget.take("We deploy on Fridays."), BudgetFit::Whole);
    }

    #[test]
    fn one_long_text_is_truncated_and_leaves_space_for_others() {
        let mut budget = TokenBudget::new(300);
        let long = "word ".repeat(2_000);
        let BudgetFit::Truncated(truncated) = budget.take(&long) else {
            panic!("a long text is truncated")
        };
        assert!(estimate_tokens(&truncated) <= 100, "{}", estimate_tokens(&truncated));
        assert!(truncated.ends_with("word…"));
        assert_eq!(budget.take("short"), BudgetFit::Whole);
    }

    #[test]
    fn the_budget_is_never_overspent() {
        let mut budget = TokenBudget::new(200);
        let mut spent = 0;
        for _ in 0..50 {
            match budget.take("a sentence of about ten words that repeats itself") {
                BudgetFit::Whole => {
                    spent += estimate_tokens("a sentence of about ten words that repeats itself")
                }
                BudgetFit::Truncated(truncated) => spent += estimate_tokens(&truncated),
                BudgetFit::Omitted => {}
            }
        }
        assert!(spent <= 200, "{spent}");
    }

    #[test]
    fn an_endless_word_is_truncated_too() {
        let mut budget = TokenBudget::new(100);
        assert!(matches!(budget.take(&"é".repeat(10_000)), BudgetFit::Truncated(_)));
    }
}
