//! Corrections of a question by the words of the memories that it searches: misspelt words, names
//! in another spelling or script, and words that are written together in one place and apart in
//! the other. A word that some memory contains is never changed, and an English one is only split.

mod one_edit;

use crate::foreign_question::is_foreign_question;
use crate::near_words::near_words;
use index::{DocSet, QueryTerm, QueryTerms, SpellingMatch, View};
use one_edit::one_edit_away;
use std::cmp::Reverse;
use words::{TextLanguage, TokenForm, each_token_in, is_stop_word, other_number_spelling};

/// Minimum length in characters of each half of a word that is written together.
const HALF_CHARS_MIN: usize = 4;
/// Number of unknown words from which none is corrected: the question is about something else or in
/// another language. Bounds the cost too.
const UNKNOWN_WORDS_MAX: usize = 3;
/// Number of words from which a text is no question, but a document.
const WORDS_MAX: usize = 64;

/// A question as the memories that it searches would spell it.
#[derive(Debug, Clone, PartialEq)]
pub struct CorrectedQuestion {
    /// The question with the corrected words.
    pub text: String,
    /// Terms of the corrected words that the text by itself does not have, because a term is not
    /// always a word.
    pub terms: Vec<QueryTerm>,
}

impl CorrectedQuestion {
    /// Corrects a question; `None` if there is nothing to correct.
    #[must_use]
    pub fn correct(view: &View, within: &DocSet, text: &str) -> Option<Self> {
        if text.split_whitespace().nth(WORDS_MAX).is_some() {
            return None;
        }
        let corrector = Corrector::new(view, within, text);
        let (corrected, terms) = corrector.correct_words(text);
        let all = QueryTerms::parse(&corrected).terms;
        let end = all.last().map_or(0, |last| last.position + 1);
        let plain = terms.into_iter().map(|term| new_term(term, end, TokenForm::Plain));
        let whole = corrector.joined_terms(&corrected).into_iter();
        let whole = whole.map(|term| new_term(term, end, TokenForm::Whole));
        let numbers = corrector.number_terms(&corrected).into_iter();
        let numbers = numbers.map(|term| new_term(term, end, TokenForm::Variant));
        let is_new = |term: &QueryTerm| all.iter().all(|one| one.text != term.text);
        let terms: Vec<QueryTerm> = plain.chain(whole).chain(numbers).filter(is_new).collect();
        (corrected != text || !terms.is_empty()).then_some(Self { text: corrected, terms })
    }
}

fn new_term(text: String, position: u32, form: TokenForm) -> QueryTerm {
    QueryTerm { text, weight: 1.0, position, form, is_stop: false }
}

/// Looks up words in the memories that a question searches.
struct Corrector<'v> {
    view: &'v View,
    within: &'v DocSet,
    is_everything: bool,
    language: Option<TextLanguage>,
}

impl<'v> Corrector<'v> {
    fn new(view: &'v View, within: &'v DocSet, text: &str) -> Self {
        let is_everything = within.count() == view.len();
        Self { view, within, is_everything, language: TextLanguage::detect([text]) }
    }

    /// Returns a text with its unknown words corrected, and the terms of the corrected ones.
    fn correct_words(&self, text: &str) -> (String, Vec<String>) {
        let words: Vec<&str> = text.split_inclusive(char::is_whitespace).collect();
        let unknown_term = |word: &&str| bare_word(word).and_then(|bare| self.unknown_term(bare));
        let unknown: Vec<Option<String>> = words.iter().map(unknown_term).collect();
        let count = unknown.iter().flatten().count();
        if count == 0 || count > UNKNOWN_WORDS_MAX {
            return (text.to_owned(), Vec::new());
        }
        let is_foreign = is_foreign_question(self.view, self.within, text);
        let (mut corrected, mut terms) = (String::with_capacity(text.len()), Vec::new());
        for (at, (word, unknown)) in words.iter().zip(unknown).enumerate() {
            let follows = at > 0 && !words[at - 1].trim_end().ends_with(['.', '?', '!', ':']);
            // A single word may well be a name.
            let may_be_name = follows || words.len() == 1;
            let other = unknown.and_then(|term| match is_foreign {
                true => self.same_name(word, &term, may_be_name),
                false => self.correct_word(word, &term, may_be_name),
            });
            corrected.push_str(other.as_ref().map_or(*word, |(surface, _)| surface.as_str()));
            terms.extend(other.into_iter().flat_map(|(_, terms)| terms));
        }
        (corrected, terms)
    }

    /// Returns a name in the spelling of memories in another language than the question, whose
    /// other words must not become those that happen to be spelt alike.
    fn same_name(
        &self,
        word: &str,
        term: &str,
        may_be_name: bool,
    ) -> Option<(String, Vec<String>)> {
        let bare = bare_word(word)?;
        let found = self.nearest_spelling(bare, term)?;
        let is_latin = |text: &str| text.chars().all(|c| c < '\u{250}');
        let is_same = found.edits == 0 || is_latin(bare) != is_latin(found.term);
        let is_name = may_be_name && bare.starts_with(char::is_uppercase);
        (is_name && is_same && !is_stop_word(found.term)).then(|| {
            let surface = self.surface(bare, term, found.term);
            (word.replacen(bare, &surface, 1), vec![found.term.to_owned()])
        })
    }

    /// Returns a word with its punctuation as the memories spell it, and the term of it.
    fn correct_word(
        &self,
        word: &str,
        term: &str,
        may_be_name: bool,
    ) -> Option<(String, Vec<String>)> {
        let bare = bare_word(word)?;
        let is_english = near_words(term).next().is_some();
        let is_name = may_be_name && bare.starts_with(char::is_uppercase);
        if !is_english && let Some(known) = self.known_by_one_edit(bare) {
            return Some((word.replacen(bare, &known, 1), Vec::new()));
        }
        let near = self.nearest_spelling(bare, term).filter(|found| {
            let is_same_name = is_name && found.edits == 0;
            (is_same_name || !is_english) && !is_stop_word(found.term)
        });
        if let Some(found) = near {
            let surface = self.surface(bare, term, found.term);
            return Some((word.replacen(bare, &surface, 1), vec![found.term.to_owned()]));
        }
        let (first, second) = self.halves(bare)?;
        Some((word.replacen(bare, &format!("{first} {second}"), 1), Vec::new()))
    }

    /// Returns the known term that is nearest to a word. In another script than Latin, endings are
    /// removed by rules that do not fit names, so that the word itself is compared too.
    fn nearest_spelling(&self, bare: &str, term: &str) -> Option<SpellingMatch<'_>> {
        let of_term = self.view.nearest_spelling(term, self.within);
        let of_word = || self.view.nearest_spelling(&bare.to_lowercase(), self.within);
        of_term.or_else(|| if bare.is_ascii() { None } else { of_word() })
    }

    /// Returns the term of a word that none of the memories contains, in no form. `None` for a
    /// known word, a stop word and a compound.
    fn unknown_term(&self, bare: &str) -> Option<String> {
        let (mut plain, mut is_known, mut count) = (None, false, 0);
        each_token_in(self.language, bare, |token| {
            is_known |= token.is_stop || self.is_known(token.text);
            if token.form == TokenForm::Plain {
                count += 1;
                plain = Some(token.text.to_owned());
            }
        });
        plain.filter(|_| !is_known && count == 1)
    }

    fn is_known(&self, term: &str) -> bool {
        self.frequency(term) > 0
    }

    /// Returns the number of searched memories that contain a term.
    fn frequency(&self, term: &str) -> usize {
        match self.view.document_frequency(term) {
            0 => 0,
            frequency if self.is_everything => frequency,
            _ => self.view.frequency_within(term, self.within),
        }
    }

    /// Returns the word one edit away that most memories contain.
    fn known_by_one_edit(&self, bare: &str) -> Option<String> {
        let words = one_edit_away(&bare.to_lowercase()).into_iter();
        let known = words.filter_map(|word| {
            let terms = self.terms_of(&word);
            let term = terms.first().filter(|term| !is_stop_word(term) && !is_stop_word(&word))?;
            let frequency = self.frequency(term);
            (frequency > 0).then_some((Reverse(frequency), word.len(), word))
        });
        known.min().map(|(_, _, word)| word)
    }

    /// Returns the word of a known term: the name of a speaker, or the term with the ending of the
    /// word that it stands for.
    fn surface(&self, bare: &str, term: &str, known: &str) -> String {
        let speakers = self.view.speakers();
        let mut names = speakers.iter().flat_map(|speaker| speaker.split_whitespace());
        if let Some(name) = names.find(|name| self.terms_of(name).iter().any(|one| one == known)) {
            return name.to_owned();
        }
        let ending = bare.to_lowercase().strip_prefix(term).map(str::to_owned).unwrap_or_default();
        let whole = format!("{known}{ending}");
        let is_same = self.terms_of(&whole).iter().any(|one| one == known);
        if is_same { whole } else { known.to_owned() }
    }

    fn terms_of(&self, word: &str) -> Vec<String> {
        let mut terms = Vec::new();
        each_token_in(self.language, word, |token| terms.push(token.text.to_owned()));
        terms
    }

    /// Splits a word into two that the memories contain: "username" into "user name".
    fn halves<'w>(&self, bare: &'w str) -> Option<(&'w str, &'w str)> {
        let starts: Vec<usize> = bare.char_indices().map(|(at, _)| at).collect();
        let last = starts.len().checked_sub(HALF_CHARS_MIN)?;
        let is_word = |half: &str| {
            let terms = self.terms_of(half);
            terms.len() == 1 && !is_stop_word(half) && self.is_known(&terms[0])
        };
        let splits = starts.get(HALF_CHARS_MIN..=last)?.iter().map(|&at| bare.split_at(at));
        splits.into_iter().find(|(first, second)| is_word(first) && is_word(second))
    }

    /// Returns the numbers of a question in their other spelling, where the memories contain it.
    fn number_terms(&self, text: &str) -> Vec<String> {
        let words =
            text.split_whitespace().map(|word| word.trim_matches(|c: char| !c.is_alphanumeric()));
        let others =
            words.filter_map(|word| other_number_spelling(self.language, &word.to_lowercase()));
        others.flat_map(|word| self.terms_of(&word)).filter(|term| self.is_known(term)).collect()
    }

    /// Returns the terms that neighbouring words of a question form together and that the memories
    /// contain: that of "username" for "user name".
    fn joined_terms(&self, text: &str) -> Vec<String> {
        let is_content = |word: &&str| !is_stop_word(&word.to_lowercase());
        let words: Vec<Option<&str>> =
            text.split_whitespace().map(|word| bare_word(word).filter(is_content)).collect();
        let pairs = words.windows(2).filter_map(|pair| Some((pair[0]?, pair[1]?)));
        let joined =
            pairs.map(|(first, second)| self.terms_of(&format!("{first}{second}").to_lowercase()));
        joined
            .filter_map(|terms| terms.into_iter().next())
            .filter(|term| self.is_known(term))
            .collect()
    }
}

/// Returns a word without punctuation around it, if it has letters alone.
fn bare_word(word: &str) -> Option<&str> {
    let bare = word.trim_matches(|c: char| !c.is_alphanumeric());
    let bare = bare.strip_suffix("'s").or(bare.strip_suffix("’s")).unwrap_or(bare);
    let is_word = !bare.is_empty() && bare.chars().all(char::is_alphabetic);
    is_word.then_some(bare)
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::confidence::tests::view_of;
    use index::Filter;
    use model::Moment;

    fn corrected(texts: &[&str], question: &str) -> Option<String> {
        let view = view_of(texts);
        let within = view.filter(&Filter::default(), Moment(0));
        CorrectedQuestion::correct(&view, &within, question).map(|corrected| corrected.text)
    }

    #[test]
    fn misspelt_words_are_written_as_the_memories_do() {
        let texts = ["The scheduler stores jobs in Postgres.", "Kubernetes runs it."];
        assert_eq!(
            corrected(&texts, "Which shceduler uses Postgress?").as_deref(),
            Some("Which scheduler uses postgres?")
        );
        for known in ["Which scheduler uses Postgres?", "Which scheduller uses it?"] {
            assert_eq!(corrected(&texts, known), None, "a stem that is known is spelt well enough");
        }
    }

    #[test]
    fn names_are_found_in_other_spellings_and_scripts() {
        let texts = ["Herr Müller called.", "Alexander is here."];
        assert_eq!(
            corrected(&texts, "What did Mueller say?").as_deref(),
            Some("What did muller say?")
        );
        assert!(corrected(&texts, "Где Александр?").is_some_and(|text| text.contains("alexand")));
    }

    #[test]
    fn a_question_in_another_language_keeps_its_words() {
        let texts = ["Delete the house keys from the bureau.", "Jonas has them, and it is his."];
        for question in ["Что делает он в бюро?", "Wo ist das Haus und das Büro von ihm?"]
        {
            assert_eq!(corrected(&texts, question), None, "{question}");
        }
    }

    #[test]
    fn an_english_word_is_not_misspelt() {
        assert_eq!(corrected(&["The boats are red."], "Are there any goats?"), None);
    }

    #[test]
    fn words_are_joined_and_split_as_the_memories_do() {
        assert_eq!(
            corrected(&["The user has a name."], "the username").as_deref(),
            Some("the user name")
        );
        let view = view_of(&["The username is root."]);
        let within = view.filter(&Filter::default(), Moment(0));
        let found = CorrectedQuestion::correct(&view, &within, "which user name").unwrap();
        assert_eq!(found.terms.iter().map(|term| &*term.text).collect::<Vec<_>>(), ["usernam"]);
    }

    #[test]
    fn numbers_are_looked_for_in_both_spellings() {
        let view = view_of(&["We keep three replicas.", "The backup runs 4 times."]);
        let within = view.filter(&Filter::default(), Moment(0));
        let terms = |question: &str| -> Vec<String> {
            let found = CorrectedQuestion::correct(&view, &within, question);
            found.into_iter().flat_map(|it| it.terms).map(|term| term.text).collect()
        };
        assert_eq!(terms("do we keep 3 replicas?"), ["three"]);
        assert_eq!(terms("does it run four times?"), ["4"]);
        assert!(terms("does it run seven times?").is_empty());
    }
}
