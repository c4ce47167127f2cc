//! A fixed set of lower-cased words, built at compile time. Nearly every word of every text is
//! looked up in one, so the first byte selects a bucket, and only words of the same length in it
//! are compared.

/// A set of words, sorted by their first byte.
pub(crate) struct WordList {
    words: &'static [&'static str],
    /// Index of the first word for each first byte; the extra entry is the end of the last bucket.
    starts: [u16; 257],
}

impl WordList {
    /// Builds the set. In a constant, a list that is out of order or contains an empty word fails
    /// to compile.
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

    /// Returns true if the word is in the set.
    pub(crate) fn contains(&self, word: &str) -> bool {
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
            assert!(FEW.contains(word), "{word}");
        }
        for word in ["", "a", "an", "anyone", "And", "zebra", "über alles", "ü"] {
            assert!(!FEW.contains(word), "{word}");
        }
    }

    #[test]
    #[should_panic(expected = "order")]
    fn a_list_out_of_order_is_refused() {
        let words: &'static [&'static str] = &["beta", "alpha"];
        WordList::new(words);
    }
}
