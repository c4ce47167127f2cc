//! A fixed list of lower-cased words that nearly every word of every text is looked up in: only the
//! words with the same first byte are looked at, and of those only the ones of the same length are
//! compared.

/// Words in the order of their first bytes.
pub(crate) struct WordList {
    words: &'static [&'static str],
    /// Where the words that begin with a byte start; one more than there are bytes, for the end of
    /// the last.
    starts: [u16; 257],
}

impl WordList {
    /// A list of words. One that is out of order, or holds a word without letters, does not compile
    /// where it is a constant.
    pub(crate) const fn new(words: &'static [&'static str]) -> Self {
        let mut starts = [0; 257];
        let (mut byte, mut at) = (0, 0);
        while byte < 256 {
            starts[byte] = at as u16;
            while at < words.len() && words[at].as_bytes()[0] as usize == byte {
                at += 1;
            }
            byte += 1;
        }
        starts[256] = at as u16;
        assert!(at == words.len(), "the words are not in the order of their first bytes");
        Self { words, starts }
    }

    /// Whether a word is in the list.
    pub(crate) fn has(&self, word: &str) -> bool {
        let Some(&first) = word.as_bytes().first() else { return false };
        let (from, until) = (self.starts[usize::from(first)], self.starts[usize::from(first) + 1]);
        self.words[usize::from(from)..usize::from(until)].contains(&word)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    static FEW: WordList = WordList::new(&["and", "any", "new zealand", "über"]);

    #[test]
    fn a_list_has_its_words_and_no_others() {
        for word in ["and", "any", "new zealand", "über"] {
            assert!(FEW.has(word), "{word}");
        }
        for word in ["", "a", "an", "anyone", "And", "zebra", "über alles", "ü"] {
            assert!(!FEW.has(word), "{word}");
        }
    }

    #[test]
    #[should_panic(expected = "order")]
    fn a_list_out_of_order_is_refused() {
        let words: &'static [&'static str] = &["beta", "alpha"];
        WordList::new(words);
    }
}
