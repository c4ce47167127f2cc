//! Tokenizer: words with their byte offsets. Apostrophes stay inside a word, full stops and commas
//! inside a number, and `C++` and `C#` keep their suffixes.

/// One word and its byte offset.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) struct Word<'t> {
    pub(crate) text: &'t str,
    pub(crate) start: usize,
}

impl Word<'_> {
    pub(crate) fn end(&self) -> usize {
        self.start + self.text.len()
    }
}

/// Returns the words of `text` in order.
pub(crate) fn words(text: &str) -> impl Iterator<Item = Word<'_>> {
    let mut at = 0;
    std::iter::from_fn(move || {
        let start = at + text[at..].find(is_word_char)?;
        at = start + word_length(&text[start..]);
        Some(Word { text: &text[start..at], start })
    })
}

/// Returns true for characters of words and identifiers.
pub(crate) fn is_word_char(c: char) -> bool {
    c.is_alphanumeric() || c == '_'
}

/// Returns the length of the word at the beginning of `text`.
fn word_length(text: &str) -> usize {
    let mut before = ' ';
    let mut chars = text.char_indices().peekable();
    while let Some((at, c)) = chars.next() {
        let after = chars.peek().map_or(' ', |&(_, next)| next);
        if !is_word_char(c) && !joins_word(before, c, after) {
            return at + suffix_length(&text[at..], before);
        }
        before = c;
    }
    text.len()
}

fn joins_word(before: char, c: char, after: char) -> bool {
    match c {
        '\'' | '\u{2019}' => before.is_alphabetic() && after.is_alphabetic(),
        '.' | ',' => before.is_ascii_digit() && after.is_ascii_digit(),
        // Combining marks form one letter with the one before; zero-width joiners join letters.
        _ => {
            (is_combining_mark(c) || matches!(c, '\u{200c}' | '\u{200d}')) && before.is_alphabetic()
        }
    }
}

/// Returns true for marks that belong to the letter before them although Unicode does not class
/// them as alphabetic: combining accents and the viramas of Indic scripts.
fn is_combining_mark(c: char) -> bool {
    matches!(c, '\u{300}'..='\u{36f}' | '\u{e31}'..='\u{e4e}')
        || matches!(c, '\u{93c}' | '\u{94d}' | '\u{9cd}' | '\u{a4d}' | '\u{acd}' | '\u{b4d}')
        || matches!(c, '\u{bcd}' | '\u{c4d}' | '\u{ccd}' | '\u{d4d}' | '\u{dca}')
}

/// Returns the length of the `++` of `C++` or the `#` of `C#`, when no word character follows.
fn suffix_length(rest: &str, before: char) -> usize {
    let bare = rest.trim_start_matches(['+', '#']);
    let length = rest.len() - bare.len();
    let ends = !bare.starts_with(is_word_char);
    if before.is_ascii_alphabetic() && ends && matches!(&rest[..length], "#" | "++") {
        length
    } else {
        0
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn check(text: &str, expected: &[&str]) {
        assert_eq!(words(text).map(|word| word.text).collect::<Vec<_>>(), expected, "{text}");
    }

    #[test]
    fn apostrophes_decimals_and_suffixes_stay_in_the_word() {
        check("It doesn't cost 1,000.50 euros.", &["It", "doesn't", "cost", "1,000.50", "euros"]);
        check("C++ and C#, not a+b or #tag", &["C++", "and", "C#", "not", "a", "b", "or", "tag"]);
        check("foo_bar über naïve", &["foo_bar", "über", "naïve"]);
        check("the dogs' bowl, 3. June", &["the", "dogs", "bowl", "3", "June"]);
    }

    #[test]
    fn offsets_point_at_the_words() {
        let text = "ein schöner Tag";
        for word in words(text) {
            assert_eq!(&text[word.start..word.end()], word.text);
        }
    }
}
