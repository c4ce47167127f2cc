//! A budget of tokens over a ranked answer: what fits, what is cut, what is left out.

use crate::estimate_tokens;

/// What the names, dates and brackets around a memory cost.
const AROUND_TOKENS: usize = 24;
/// One memory never takes more than this share of the budget, so that one long text does not hide
/// the others.
const SHARE: usize = 3;
/// A cut text keeps at least this much.
const CUT_MIN_TOKENS: usize = 40;

/// How a text goes into the answer.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum Fit {
    /// As it is.
    Whole,
    /// Shortened to this.
    Cut(String),
    /// Not at all.
    Out,
}

/// What is left of a budget.
#[derive(Debug, Clone)]
pub struct Budget {
    left: usize,
    largest: usize,
}

impl Budget {
    /// A budget of so many tokens.
    #[must_use]
    pub fn new(tokens: usize) -> Self {
        Self { left: tokens, largest: (tokens / SHARE).max(CUT_MIN_TOKENS) }
    }

    /// Pays for a text: whole if it fits, cut if it is too long, out when the budget is spent.
    pub fn take(&mut self, text: &str) -> Fit {
        let tokens = estimate_tokens(text);
        let room = self.left.saturating_sub(AROUND_TOKENS).min(self.largest);
        if tokens <= room {
            self.left -= tokens + AROUND_TOKENS;
            return Fit::Whole;
        }
        if room < CUT_MIN_TOKENS {
            return Fit::Out;
        }
        let cut = begin(text, room);
        self.left = self.left.saturating_sub(estimate_tokens(&cut) + AROUND_TOKENS);
        Fit::Cut(cut)
    }
}

/// A text that costs at most so many tokens: whole if it does, otherwise its beginning.
#[must_use]
pub fn shorten(text: &str, tokens: usize) -> String {
    if estimate_tokens(text) <= tokens { text.to_owned() } else { begin(text, tokens) }
}

/// The beginning of a text, ending at a word, with a mark that it goes on.
fn begin(text: &str, tokens: usize) -> String {
    let mut kept = String::new();
    for word in text.split_inclusive(char::is_whitespace) {
        if estimate_tokens(&kept) + estimate_tokens(word) >= tokens {
            break;
        }
        kept.push_str(word);
    }
    if kept.is_empty() {
        // One endless word: cut it where it must be.
        kept = text.chars().take(tokens).collect();
    }
    format!("{}…", kept.trim_end())
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
        let Fit::Cut(cut) = budget.take(&long) else { panic!("a long text is cut") };
        assert!(estimate_tokens(&cut) <= 100, "{}", estimate_tokens(&cut));
        assert!(cut.ends_with("word…"));
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
                Fit::Cut(cut) => spent += estimate_tokens(&cut),
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
