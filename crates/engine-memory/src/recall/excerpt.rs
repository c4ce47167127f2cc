//! Excerpts: the sentences of a long text that bear most on the question, with an ellipsis for each
//! gap, instead of its beginning. Words are compared as the beginnings of words, which costs less
//! than stemming a long text and finds the same.

use ::recall::{QuestionWord, estimate_tokens, truncate_to_tokens};
use model::Memory;
use std::collections::BTreeSet;
use std::ops::Range;

// Of the weights that were compared, none is better than these by more than a standard error;
// `docs/recall.md` has the measurements.
/// Weight of the similarity in meaning of a sentence; the share of the question's words that it has
/// weighs 1.
const MEANING_WEIGHT: f32 = 0.5;
/// Subtracted from a sentence that only asks, which says nothing.
const ASKING_PENALTY: f32 = 0.15;
/// Subtracted from the last sentence, and less from earlier ones: a text says early what it is
/// about.
const POSITION_PENALTY: f32 = 0.05;
/// Marks of what is left out before and after an excerpt.
const ENDS_TOKENS: usize = 2;

/// A question as the sentences of a text are compared with it.
#[derive(Debug, Default)]
pub(super) struct ExcerptQuestion {
    /// Beginnings of the words of the question, with the share of each.
    words: Vec<(String, f32)>,
}

/// Sentences of a text by their relevance, so that it is read once however often it is cut. Empty
/// for a text that has nothing of the question.
#[derive(Debug, Default)]
pub(super) struct RankedSentences {
    sentences: Vec<Range<usize>>,
    /// Tokens of each sentence.
    costs: Vec<usize>,
    /// Indices of the sentences, most relevant first.
    order: Vec<usize>,
}

/// A text that may be cut to an excerpt.
pub(super) struct ExcerptSource<'m> {
    text: &'m str,
    /// Passages of the text with the similarity of each to the question.
    passages: Vec<(Range<usize>, f32)>,
}

impl<'m> ExcerptSource<'m> {
    /// Finds the passages that the similarities of a memory belong to; a text alone without any.
    pub fn new(memory: &'m Memory, similarities: Option<&Vec<f32>>) -> Self {
        let text = memory.text.as_str();
        let titled = memory.titled_text();
        let title = titled.len() - text.len();
        let passages = similarities.map(|all| passages_of(&titled, title, all)).unwrap_or_default();
        Self { text, passages }
    }

    /// Returns the similarity of a sentence. One that was not embedded counts as the least similar.
    fn similarity(&self, sentence: &Range<usize>) -> f32 {
        let holds =
            |passage: &Range<usize>| passage.start <= sentence.start && sentence.end <= passage.end;
        let own = self.passages.iter().find(|(passage, _)| holds(passage));
        let least = || self.passages.iter().map(|(_, similarity)| *similarity).reduce(f32::min);
        own.map(|(_, similarity)| *similarity).or_else(least).unwrap_or(0.0)
    }
}

/// Returns the passages of a text behind a title of so many bytes, with their similarities.
fn passages_of(titled: &str, title: usize, similarities: &[f32]) -> Vec<(Range<usize>, f32)> {
    let ranges = reading::passage_ranges(titled);
    // An occasion has a vector of its own behind those of the passages; fewer vectors than passages
    // are of another split.
    if similarities.len() < ranges.len() {
        return Vec::new();
    }
    let of_text = |range: Range<usize>| range.start.saturating_sub(title)..range.end - title;
    let passages = ranges.into_iter().zip(similarities).filter(|(range, _)| range.end > title);
    passages.map(|(range, similarity)| (of_text(range), *similarity)).collect()
}

impl ExcerptQuestion {
    /// Weighs the words of a question; a rare one counts more.
    pub fn new(words: &[QuestionWord]) -> Self {
        let weight = |word: &QuestionWord| 1.0 / (2.0 + word.frequency as f32).log2();
        let total = words.iter().map(weight).sum::<f32>().max(f32::MIN_POSITIVE);
        // Stemming writes "story" as "stori", of which the last letter is in no word.
        let start = |word: &QuestionWord| word.term.trim_end_matches('i').to_owned();
        Self { words: words.iter().map(|word| (start(word), weight(word) / total)).collect() }
    }

    /// Ranks the sentences of a text by their relevance.
    pub fn rank(&self, source: &ExcerptSource<'_>) -> RankedSentences {
        let text = source.text;
        let sentences: Vec<Range<usize>> = reading::sentences(text).collect();
        let shares: Vec<f32> =
            sentences.iter().map(|one| self.shared_words(&text[one.clone()])).collect();
        if source.passages.is_empty() && shares.iter().all(|share| *share <= 0.0) {
            return RankedSentences::default();
        }
        let step = POSITION_PENALTY / sentences.len().max(1) as f32;
        let relevance = |at: usize| {
            let sentence = &sentences[at];
            let asks = reading::only_asks(&text[sentence.clone()]);
            shares[at] + MEANING_WEIGHT * source.similarity(sentence)
                - if asks { ASKING_PENALTY } else { 0.0 }
                - step * at as f32
        };
        let relevance: Vec<f32> = (0..sentences.len()).map(relevance).collect();
        let mut order: Vec<usize> = (0..sentences.len()).collect();
        order.sort_by(|one, other| relevance[*other].total_cmp(&relevance[*one]));
        let costs = sentences.iter().map(|one| estimate_tokens(&text[one.clone()])).collect();
        RankedSentences { sentences, costs, order }
    }

    /// Returns the share of the question's words that a sentence has.
    fn shared_words(&self, sentence: &str) -> f32 {
        let lower = sentence.to_lowercase();
        let begins_word = |at: usize| !lower[..at].ends_with(char::is_alphanumeric);
        let contains = |word: &str| lower.match_indices(word).any(|(at, _)| begins_word(at));
        self.words.iter().filter(|(word, _)| contains(word)).map(|(_, share)| share).sum()
    }
}

impl RankedSentences {
    /// Cuts the text to at most this many tokens: the most relevant sentences that fit.
    pub fn cut(&self, text: &str, tokens: usize) -> String {
        let Some(&best) = self.order.first() else { return truncate_to_tokens(text, tokens) };
        let kept = self.fitting(tokens.saturating_sub(ENDS_TOKENS));
        match kept.is_empty() {
            true => beginning_of(text, &self.sentences, best, tokens),
            false => join(text, &self.sentences, &kept),
        }
    }

    /// Returns the sentences that fit, tried in their order. None if the first one does not.
    fn fitting(&self, tokens: usize) -> BTreeSet<usize> {
        let mut kept = BTreeSet::new();
        let mut spent = 0;
        for &at in &self.order {
            let is_next_to_another = kept.contains(&(at + 1)) || at > 0 && kept.contains(&(at - 1));
            let gap = usize::from(!is_next_to_another && !kept.is_empty());
            // White space between sentences costs as much as the mark of a gap.
            let cost = self.costs[at] + gap;
            if spent + cost <= tokens {
                kept.insert(at);
                spent += cost;
            } else if kept.is_empty() {
                break;
            }
        }
        kept
    }
}

/// Returns the beginning of a sentence that is too long by itself.
fn beginning_of(text: &str, sentences: &[Range<usize>], at: usize, tokens: usize) -> String {
    let before = if at > 0 { "… " } else { "" };
    let tokens = tokens.saturating_sub(ENDS_TOKENS);
    format!("{before}{}", truncate_to_tokens(&text[sentences[at].clone()], tokens))
}

/// Joins the kept sentences; neighbours stay as they are in the text.
fn join(text: &str, sentences: &[Range<usize>], kept: &BTreeSet<usize>) -> String {
    let mut excerpt = String::new();
    let mut last: Option<usize> = None;
    for &at in kept {
        let start = match last {
            Some(last) if last + 1 == at => sentences[last].end,
            _ => {
                let gap = if last.is_some() { " … " } else { "… " };
                excerpt.push_str(if at > 0 { gap } else { "" });
                sentences[at].start
            }
        };
        excerpt.push_str(&text[start..sentences[at].end]);
        last = Some(at);
    }
    if last.is_some_and(|last| last + 1 < sentences.len()) {
        excerpt.push_str(" …");
    }
    excerpt
}

#[cfg(test)]
mod tests {
    use super::*;

    fn question(terms: &[&str]) -> ExcerptQuestion {
        let word =
            |term: &&str| QuestionWord { term: (*term).to_owned(), frequency: 1, is_name: false };
        ExcerptQuestion::new(&terms.iter().map(word).collect::<Vec<_>>())
    }

    fn cut(question: &ExcerptQuestion, text: &str, tokens: usize) -> String {
        question.rank(&ExcerptSource { text, passages: Vec::new() }).cut(text, tokens)
    }

    fn long_text() -> String {
        let filler = "Nothing of interest is said in this sentence. ".repeat(20);
        format!("{filler}The backup runs at four. Its stories are long. {filler}")
    }

    #[test]
    fn the_sentence_with_the_words_of_the_question_is_shown() {
        let wanted = [
            (["backup", "four"], "The backup runs at four."),
            (["stori", "unknown"], "Its stories are long."),
        ];
        for (terms, sentence) in wanted {
            let excerpt = cut(&question(&terms), &long_text(), 40);
            assert!(excerpt.contains(sentence), "{excerpt}");
            assert!(excerpt.ends_with('…'), "{excerpt}");
            assert!(estimate_tokens(&excerpt) <= 40, "{excerpt}");
        }
    }

    #[test]
    fn sentences_far_apart_are_shown_with_a_mark_for_each_gap() {
        let filler = "Something else was said for a long time after that. ".repeat(9);
        let text = format!("{filler}The backup runs at four. {filler}The backup is in Ghent.");
        let excerpt = cut(&question(&["backup"]), &text, 16);
        assert_eq!(excerpt, "… The backup runs at four. … The backup is in Ghent.");
    }

    #[test]
    fn a_sentence_that_only_asks_goes_first() {
        let text = "Do you know a good backup? I keep the backup in a box. Can you help me?";
        let excerpt = cut(&question(&["backup"]), text, 10);
        assert_eq!(excerpt, "… I keep the backup in a box. …");
    }

    #[test]
    fn a_sentence_without_the_words_is_found_by_its_meaning() {
        let text = "The sky was grey on that day. She adopted a kitten. We had soup for dinner.";
        let passages = reading::passage_ranges(text).into_iter().zip([0.1, 0.7, 0.1]).collect();
        let excerpt = question(&["cat"]).rank(&ExcerptSource { text, passages }).cut(text, 9);
        assert_eq!(excerpt, "… She adopted a kitten. …");
    }

    #[test]
    fn a_passage_that_begins_in_the_title_belongs_to_the_first_sentence() {
        let (title, text) = ("Cats\n", "She adopted a kitten. We had soup for dinner.");
        let titled = format!("{title}{text}");
        // The last vector is of an occasion.
        let passages = passages_of(&titled, title.len(), &[0.7, 0.1, 0.9]);
        let shown: Vec<_> =
            passages.iter().map(|(at, value)| (&text[at.clone()], *value)).collect();
        assert_eq!(shown, [("She adopted a kitten.", 0.7), ("We had soup for dinner.", 0.1)]);
        assert!(passages_of(&titled, title.len(), &[0.7]).is_empty());
    }

    #[test]
    fn a_text_without_the_words_is_cut_at_its_end() {
        let excerpt = cut(&question(&["zebra"]), &long_text(), 40);
        assert!(excerpt.starts_with("Nothing") && excerpt.ends_with('…'), "{excerpt}");
        assert_eq!(cut(&ExcerptQuestion::default(), "short", 40), "short");
    }

    #[test]
    fn a_sentence_that_is_too_long_is_cut() {
        let text = format!("Short one. The backup {}", "word ".repeat(400));
        let excerpt = cut(&question(&["backup"]), &text, 40);
        assert!(excerpt.starts_with("… The backup") && excerpt.ends_with('…'), "{excerpt}");
        assert!(estimate_tokens(&excerpt) <= 42);
    }
}
