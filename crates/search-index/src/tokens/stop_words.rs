//! Stop words: so common that they say little about a text. They are indexed all the same and only
//! weighted less.

/// Returns true if the term is a stop word.
#[must_use]
pub fn is_stop_word(term: &str) -> bool {
    if term.is_ascii() { is_english(term) || is_european(term) } else { is_other_script(term) }
}

#[rustfmt::skip]
fn is_english(term: &str) -> bool {
    matches!(term,
        "a" | "about" | "after" | "again" | "all" | "also" | "am" | "an" | "and" | "any" | "are" |
        "arent" | "as" | "at" | "be" | "because" | "been" | "before" | "being" | "but" | "by" |
        "can" | "cant" | "could" | "couldnt" | "did" | "didnt" | "do" | "does" | "doesnt" |
        "doing" | "dont" | "during" | "each" | "else" | "ever" | "for" | "from" | "had" | "hadnt" |
        "has" | "hasnt" | "have" | "havent" | "having" | "he" | "her" | "here" | "hers" | "him" |
        "his" | "how" | "i" | "if" | "in" | "into" | "is" | "isnt" | "it" | "its" | "just" | "me" |
        "might" | "mine" | "most" | "my" | "no" | "nor" | "not" | "of" | "on" | "once" | "only" |
        "or" | "other" | "our" | "ours" | "out" | "own" | "please" | "same" | "shall" | "she" |
        "should" | "shouldnt" | "so" | "some" | "such" | "than" | "that" | "the" | "their" |
        "theirs" | "them" | "then" | "there" | "these" | "they" | "this" | "those" | "through" |
        "to" | "too" | "until" | "up" | "us" | "very" | "was" | "wasnt" | "we" | "were" | "werent" |
        "what" | "when" | "where" | "which" | "while" | "who" | "whom" | "whose" | "why" | "will" |
        "with" | "wont" | "would" | "wouldnt" | "you" | "your" | "yours")
}

/// German, Spanish, French, Italian and Portuguese stop words that are not English content words.
#[rustfmt::skip]
fn is_european(term: &str) -> bool {
    matches!(term,
        "auf" | "avec" | "che" | "com" | "con" | "das" | "dans" | "de" | "del" | "dem" | "der" |
        "des" | "du" | "ein" | "eine" | "el" | "els" | "es" | "est" | "et" | "ich" | "ihr" | "il" |
        "ist" | "je" | "las" | "le" | "les" | "mit" | "nicht" | "nous" | "para" | "pas" | "por" |
        "pour" | "que" | "qui" | "sie" | "und" | "une" | "uno" | "von" | "vous" | "wie" | "wir" |
        "zu")
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
