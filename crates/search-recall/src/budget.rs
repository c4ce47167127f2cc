//! Token budget for a ranked answer: decides which texts are included whole, truncated or omitted.

use crate::estimate_tokens;

/// Tokens for the field names, dates and punctuation around each memory.
const AROUND_TOKENS: usize = 24;
/// One memory takes at most the budget divided by this, so that a long text does not crowd out the
/// others.
const SHARE: usize = 3;
/// Minimum size of a truncated text; a shorter fragment would say nothing.
const CUT_MIN_TOKENS: usize = 40;

/// Form in which a text is included in the answer.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum Fit {
    Whole,
    /// Truncated to this text.
    Cut(String),
    Out,
}

/// Remaining part of a token budget.
#[derive(Debug, Clone)]
pub struct Budget {
    left: usize,
    largest: usize,
}

impl Budget {
    /// Creates a budget of this many tokens.
    #[must_use]
    pub fn new(tokens: usize) -> Self {
        Self { left: tokens, largest: (tokens / SHARE).max(CUT_MIN_TOKENS) }
    }

    /// Spends tokens on a text: whole if it fits, truncated if it is too long, omitted when the
    /// budget is exhausted.
    pub fn take(&mut self, text: &str) -> Fit {
        let tokens = estimate_tokens(text);
        let available = self.left.saturating_sub(AROUND_TOKENS).min(self.largest);
        if tokens <= available {
            self.left -= tokens + AROUND_TOKENS;
            return Fit::Whole;
        }
        if available < CUT_MIN_TOKENS {
            return Fit::Out;
        }
        let truncated = begin(text, available);
        self.left = self.left.saturating_sub(estimate_tokens(&truncated) + AROUND_TOKENS);
        Fit::Cut(truncated)
    }
}

/// Truncates a text to at most this many tokens.
#[must_use]
pub fn shorten(text: &str, tokens: usize) -> String {
    if estimate_tokens(text) <= tokens { text.to_owned() } else { begin(text, tokens) }
}

/// Returns the beginning of a text, cut at a word boundary, with an ellipsis.
fn begin(text: &str, tokens: usize) -> String {
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
    fn what_fits_goes_in_whole() {
        let mut budget = Budget::new(1_500);
        assert_eq!(budget.take("We deploy on Fridays."), Fit::Whole);
    }

    #[test]
    fn one_long_text_is_cut_and_leaves_room_for_others() {
        let mut budget = Budget::new(300);
        let long = "word ".repeat(2_000);
        let Fit::Cut(truncated) = budget.take(&long) else { panic!("a long text is truncated") };
        assert!(estimate_tokens(&truncated) <= 100, "{}", estimate_tokens(&truncated));
        assert!(truncated.ends_with("word…"));
        assert_eq!(budget.take("short"), Fit::Whole);
    }

    #[test]
    fn the_budget_is_never_overspent() {
        let mut budget = Budget::new(200);
        let mut spent = 0;
        for _ in 0..50 {
            match budget.take("a sentence of about ten words that repeats itself") {
                Fit::Whole => {
                    spent += estimate_tokens("a sentence of about ten words that repeats itself")
                }
                Fit::Cut(truncated) => spent += estimate_tokens(&truncated),
                Fit::Out => {}
            }
        }
        assert!(spent <= 200, "{spent}");
    }

    #[test]
    fn an_endless_word_is_cut_too() {
        let mut budget = Budget::new(100);
        assert!(matches!(budget.take(&"é".repeat(10_000)), Fit::Cut(_)));
    }
}
