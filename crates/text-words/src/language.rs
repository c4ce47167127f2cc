//! Language of a text, as far as its stems and stop words depend on it. Decided by stop words and
//! letters alone, so that the same text always has the same terms; a text without any is treated
//! as English, which every term is indexed as besides.

use crate::stop_lists::{LISTS, SHARED_WITH_ENGLISH};
use crate::stop_words::is_english;
use crate::word_cache::{CachedNumber, WordCache};
use foldhash::{HashMap, HashMapExt};
use rust_stemmers::{Algorithm, Stemmer};
use std::borrow::Cow;
use std::sync::LazyLock;

/// A language in Latin script with stems and stop words of its own. Other scripts need no such
/// decision: their words cannot be mistaken for those of another language.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash)]
pub enum TextLanguage {
    German,
    Spanish,
    French,
    Portuguese,
    Italian,
    Dutch,
}

/// Number of words after which a language is decided.
const WORDS_MAX: usize = 64;
/// Bytes of the longest stop word; a longer word of ASCII letters speaks for no language.
const STOP_BYTES_MAX: usize = 16;
/// Score of a word that only one language has; shared words divide it.
const EXCLUSIVE: u32 = 12;
/// Score of a word with a letter that hardly any other language has.
const LETTER: u32 = 6;

impl TextLanguage {
    /// Every language, in the order in which equal scores are decided.
    pub const ALL: [Self; 6] =
        [Self::German, Self::Spanish, Self::French, Self::Portuguese, Self::Italian, Self::Dutch];

    /// Returns the language of a text, given in any number of pieces; `None` for English, for other
    /// scripts, and where too little speaks for any.
    #[must_use]
    pub fn detect<'t>(pieces: impl IntoIterator<Item = &'t str>) -> Option<Self> {
        let mut scores = LanguageScores::default();
        words_of(pieces).take(WORDS_MAX).for_each(|word| scores.add(WordVotes::of(word)));
        scores.best()
    }

    /// Returns the same, and takes the votes of words that were analysed before from the cache.
    /// Calls `on_cached` with the number of each of these.
    #[must_use]
    pub fn detect_cached<'t>(
        cache: &WordCache,
        pieces: impl IntoIterator<Item = &'t str>,
        mut on_cached: impl FnMut(u32),
    ) -> Option<Self> {
        // Looked up one directly after the other, many words are fetched from memory at a time;
        // with the search for the end of a word in between, each is waited for.
        let mut words = [""; WORDS_MAX];
        let places = words.iter_mut().zip(words_of(pieces));
        let count = places.map(|(place, word)| *place = word).count();
        let mut scores = LanguageScores::default();
        for word in &words[..count] {
            let cached = cache.get(None, word);
            cached.into_iter().for_each(|cached| on_cached(cached.number()));
            scores.add(cached.map_or_else(|| WordVotes::of(word), CachedNumber::votes));
        }
        scores.best()
    }

    /// Returns true if a lower-case word is a stop word of the language.
    #[must_use]
    pub fn is_stop_word(self, word: &str) -> bool {
        VOTES.get(word).is_some_and(|votes| votes & self.bit() != 0)
    }

    /// Returns the stem of a lower-case word.
    pub(crate) fn stem(self, word: &str) -> String {
        let algorithm = match self {
            Self::German => Algorithm::German,
            Self::Spanish => Algorithm::Spanish,
            Self::French => Algorithm::French,
            Self::Portuguese => Algorithm::Portuguese,
            Self::Italian => Algorithm::Italian,
            Self::Dutch => Algorithm::Dutch,
        };
        Stemmer::create(algorithm).stem(word).into_owned()
    }

    fn bit(self) -> u16 {
        1 << self as u16
    }
}

/// Bit of English in [`VOTES`].
const ENGLISH: u16 = 1 << TextLanguage::ALL.len();

/// Languages of each stop word, one bit each.
static VOTES: LazyLock<HashMap<&'static str, u16>> = LazyLock::new(|| {
    let mut votes: HashMap<&'static str, u16> = HashMap::new();
    for (language, list) in TextLanguage::ALL.into_iter().zip(LISTS) {
        for word in list.split_whitespace() {
            *votes.entry(word).or_default() |= language.bit();
        }
    }
    for (word, languages) in &mut votes {
        if is_english(word) {
            *languages |= ENGLISH;
        }
    }
    for word in SHARED_WITH_ENGLISH.split_whitespace() {
        *votes.entry(word).or_default() |= ENGLISH;
    }
    votes
});

fn words_of<'t>(pieces: impl IntoIterator<Item = &'t str>) -> impl Iterator<Item = &'t str> {
    let words = |piece: &'t str| piece.split(|c: char| !c.is_alphabetic());
    pieces.into_iter().flat_map(words).filter(|word| !word.is_empty())
}

/// Languages that a word speaks for: one bit each if it is a stop word of theirs, and above those
/// the number of the language, from 1, of which it has a letter.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) struct WordVotes(pub(crate) u16);

impl WordVotes {
    /// Number of bits that are used.
    pub(crate) const BITS: u32 = Self::LETTER_SHIFT + 3;
    const LETTER_SHIFT: u32 = TextLanguage::ALL.len() as u32 + 1;

    /// Returns the votes of a word.
    pub(crate) fn of(word: &str) -> Self {
        if word.len() > STOP_BYTES_MAX && word.is_ascii() {
            return Self(0);
        }
        let mut buffer = [0; STOP_BYTES_MAX];
        let lower = lower_case(word, &mut buffer);
        if let Some(votes) = VOTES.get(&*lower) {
            return Self(*votes);
        }
        if lower.is_ascii() {
            return Self(if is_english(&lower) { ENGLISH } else { 0 });
        }
        let language = lower.chars().find_map(language_of_letter);
        Self(language.map_or(0, |language| (language as u16 + 1) << Self::LETTER_SHIFT))
    }

    fn languages(self) -> u16 {
        self.0 & ((1 << Self::LETTER_SHIFT) - 1)
    }

    /// Returns the language of which the word has a letter.
    fn language_of_letter(self) -> Option<TextLanguage> {
        let number = usize::from(self.0 >> Self::LETTER_SHIFT);
        TextLanguage::ALL.get(number.checked_sub(1)?).copied()
    }
}

#[derive(Default)]
struct LanguageScores {
    of_language: [u32; TextLanguage::ALL.len()],
    english: u32,
}

impl LanguageScores {
    fn add(&mut self, votes: WordVotes) {
        // Most words speak for none.
        if votes == WordVotes(0) {
            return;
        }
        let languages = votes.languages();
        let each = EXCLUSIVE / languages.count_ones().max(1);
        for language in TextLanguage::ALL {
            self.of_language[language as usize] +=
                if languages & language.bit() == 0 { 0 } else { each };
        }
        self.english += if languages & ENGLISH == 0 { 0 } else { each };
        if let Some(language) = votes.language_of_letter() {
            self.of_language[language as usize] += LETTER;
        }
    }

    fn best(&self) -> Option<TextLanguage> {
        let score = |language: &TextLanguage| self.of_language[*language as usize];
        let best = TextLanguage::ALL.into_iter().rev().max_by_key(score)?;
        (score(&best) >= EXCLUSIVE && score(&best) > self.english).then_some(best)
    }
}

/// Returns a word in lower case. Most words need no allocation for it.
fn lower_case<'w>(word: &'w str, buffer: &'w mut [u8; STOP_BYTES_MAX]) -> Cow<'w, str> {
    if word.bytes().all(|byte| byte.is_ascii_lowercase()) {
        return Cow::Borrowed(word);
    }
    match buffer.get_mut(..word.len()).filter(|_| word.is_ascii()) {
        Some(lower) => {
            lower.copy_from_slice(word.as_bytes());
            lower.make_ascii_lowercase();
            // ASCII is always valid.
            Cow::Borrowed(std::str::from_utf8(lower).unwrap_or_default())
        }
        None => Cow::Owned(word.to_lowercase()),
    }
}

/// Returns the language of a letter that the others do not have.
fn language_of_letter(letter: char) -> Option<TextLanguage> {
    Some(match letter {
        'ß' | 'ä' | 'ö' | 'ü' => TextLanguage::German,
        'ñ' => TextLanguage::Spanish,
        'œ' | 'ê' | 'è' => TextLanguage::French,
        'ã' | 'õ' => TextLanguage::Portuguese,
        _ => return None,
    })
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn no_stop_word_is_longer_than_the_longest() {
        assert!(VOTES.keys().all(|word| word.len() <= STOP_BYTES_MAX));
        assert!(!is_english(&"a".repeat(STOP_BYTES_MAX + 1)));
    }

    #[test]
    fn the_case_of_a_word_does_not_change_its_language() {
        for text in ["DER HUND LIEGT UNTER DEM TISCH", "Für Die Größe", "El Perro Está Aquí"] {
            assert_eq!(
                TextLanguage::detect([text]),
                TextLanguage::detect([&*text.to_lowercase()]),
                "{text}"
            );
        }
    }

    fn detect(text: &str) -> Option<TextLanguage> {
        TextLanguage::detect([text])
    }

    #[test]
    fn a_sentence_is_recognised_by_its_stop_words() {
        for (text, language) in [
            ("Wo liegen die Rechnungen vom letzten Jahr?", TextLanguage::German),
            ("Die Datenbank läuft auf Port 5432 und wird nachts gesichert.", TextLanguage::German),
            ("¿Dónde se guardan las facturas del año pasado?", TextLanguage::Spanish),
            ("El servidor de pruebas está en Madrid.", TextLanguage::Spanish),
            ("Où sont les factures de l'année dernière ?", TextLanguage::French),
            ("Le serveur de test est dans la salle du fond.", TextLanguage::French),
            ("Onde ficam as faturas do ano passado?", TextLanguage::Portuguese),
            ("O servidor de testes não está na sala.", TextLanguage::Portuguese),
            ("Dove sono le fatture dell'anno scorso?", TextLanguage::Italian),
            ("Il server di prova è nella stanza in fondo.", TextLanguage::Italian),
            ("Waar staan de facturen van vorig jaar?", TextLanguage::Dutch),
            ("Het testsysteem draait niet op de oude machine.", TextLanguage::Dutch),
        ] {
            assert_eq!(detect(text), Some(language), "{text}");
        }
    }

    #[test]
    fn english_and_other_scripts_and_bare_names_have_none() {
        for text in [
            "Where are the invoices of last year?",
            "We moved to Los Angeles and El Paso in the spring.",
            "Pour the water and let it die down",
            "Postgres 16, port 5432",
            "Müller GmbH",
            "Где лежат счета за прошлый год?",
            "去年的发票在哪里？",
            "getUserById(id)",
            "",
        ] {
            assert_eq!(detect(text), None, "{text}");
        }
    }

    #[test]
    fn an_english_text_with_a_foreign_phrase_stays_english() {
        let text = "She said that \"wo ist der Bahnhof\" is all that she remembers from the \
                    course, and that the rest was of no use to her in the end";
        assert_eq!(detect(text), None);
    }

    #[test]
    fn only_the_beginning_of_a_long_text_decides() {
        let long = format!("{} {}", "Die Katze ist im Garten. ".repeat(20), "the ".repeat(500));
        assert_eq!(detect(&long), Some(TextLanguage::German));
    }
}
