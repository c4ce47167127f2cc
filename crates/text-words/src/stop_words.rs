//! Stop words: so common that they say little about a text. They are indexed all the same and only
//! weighted less. One list for the search and for reading; the few words on which they disagree are
//! listed beside it.

/// Returns true if the term is a stop word of the search, in any of its languages.
#[must_use]
pub fn is_stop_word(term: &str) -> bool {
    if term.is_ascii() {
        is_english(term) || is_further_in_search(term)
    } else {
        is_other_script(term)
    }
}

/// Returns true if a lower-cased word is an English function word: it names nothing and no topic.
/// Other than in a search, a word that turns a sentence around (`never`, `without`, `must`) is one
/// too. Contractions count as the word before the apostrophe.
#[must_use]
pub fn is_function_word(word: &str) -> bool {
    match word.rsplit_once('\'') {
        None => is_english(word) || is_further_in_reading(word),
        // The list spells "don't" as the tokens of the search do.
        Some((base, "t")) => is_english(&format!("{base}t")),
        Some((base, "d" | "ll" | "m" | "re" | "ve")) => is_english(base),
        Some(_) => false,
    }
}

// Every word of every text is looked up here, and a match compares lengths first: 40 ns a word over
// all lists, where a table by first byte took 50.
#[rustfmt::skip]
fn is_english(term: &str) -> bool {
    matches!(term,
        "a" | "about" | "after" | "again" | "all" | "also" | "am" | "an" | "and" | "any" | "are" |
        "arent" | "as" | "at" | "be" | "because" | "been" | "before" | "being" | "but" | "by" |
        "can" | "cant" | "could" | "couldnt" | "did" | "didnt" | "do" | "does" | "doesnt" |
        "doing" | "dont" | "during" | "each" | "else" | "ever" | "for" | "from" | "had" | "hadnt" |
        "has" | "hasnt" | "have" | "havent" | "having" | "he" | "her" | "here" | "hers" | "him" |
        "his" | "how" | "i" | "if" | "in" | "into" | "is" | "isnt" | "it" | "its" | "just" | "me" |
        "might" | "mine" | "my" | "no" | "nor" | "not" | "of" | "on" | "only" | "or" | "our" |
        "ours" | "out" | "own" | "same" | "shall" | "she" | "should" | "shouldnt" | "so" | "some" |
        "such" | "than" | "that" | "the" | "their" | "theirs" | "them" | "then" | "there" |
        "these" | "they" | "this" | "those" | "through" | "to" | "too" | "until" | "up" | "us" |
        "very" | "was" | "wasnt" | "we" | "were" | "werent" | "what" | "when" | "where" | "which" |
        "while" | "who" | "whom" | "whose" | "why" | "will" | "with" | "wont" | "would" |
        "wouldnt" | "you" | "your" | "yours")
}

/// Further function words, which a search weighs like any other word.
#[rustfmt::skip]
fn is_further_in_reading(term: &str) -> bool {
    matches!(term,
        "cannot" | "done" | "down" | "herself" | "himself" | "itself" | "let" | "may" | "must" |
        "myself" | "neither" | "never" | "off" | "onto" | "ourselves" | "over" | "themselves" |
        "under" | "without" | "yourself" | "yourselves")
}

/// Further stop words of the search: a few English ones, and German, Spanish, French, Italian and
/// Portuguese ones that are not English content words.
#[rustfmt::skip]
fn is_further_in_search(term: &str) -> bool {
    matches!(term,
        "auf" | "avec" | "che" | "com" | "con" | "dans" | "das" | "de" | "del" | "dem" | "der" |
        "des" | "du" | "ein" | "eine" | "el" | "els" | "es" | "est" | "et" | "ich" | "ihr" | "il" |
        "ist" | "je" | "las" | "le" | "les" | "mit" | "most" | "nicht" | "nous" | "once" | "other" |
        "para" | "pas" | "please" | "por" | "pour" | "que" | "qui" | "sie" | "und" | "une" | "uno" |
        "von" | "vous" | "wie" | "wir" | "zu")
}

#[rustfmt::skip]
fn is_other_script(term: &str) -> bool {
    matches!(term,
        "für" | "über" | "à" | "où" | "é" | "и" | "в" | "во" | "не" | "на" | "я" | "что" | "с" |
        "со" | "по" | "это" | "как" | "а" | "то" | "он" | "она" | "они" | "мы" | "вы" | "из" |
        "за" | "у" | "к" | "от" | "для" | "но" | "о" | "же" | "ли" | "في" | "من" | "على" | "الي" |
        "عن" | "ما" | "هل" | "و" | "的" | "了" | "是" | "在" | "我" | "有" | "不" | "和" | "也" | "吗" | "呢" |
        "の" | "は" | "が" | "を" | "に" | "で" | "と" | "も" | "た" | "て" | "し" | "だ" | "か" | "れ" | "る" |
        "い" | "な" | "은" | "는" | "이" | "가" | "을" | "를" | "에" | "의" | "도")
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn contractions_are_function_words_and_possessives_are_not() {
        for word in ["don't", "won't", "i'm", "they've", "she'll", "you're", "never", "the"] {
            assert!(is_function_word(word), "{word}");
        }
        for word in ["ana's", "o'reilly", "port", "most", "der", "t", "'t", ""] {
            assert!(!is_function_word(word), "{word}");
        }
    }

    #[test]
    fn the_search_has_other_languages_and_weighs_negations_in_full() {
        for word in ["the", "dont", "most", "der", "für", "и", "的"] {
            assert!(is_stop_word(word), "{word}");
        }
        for word in ["never", "without", "must", "may"] {
            assert!(!is_stop_word(word), "{word}");
        }
    }
}
