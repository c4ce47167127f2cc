//! Splits compounds at paths, dots, dashes, camel case and digits. Each level emits the whole next
//! to its parts, so that an identifier is found by either.

use super::word_cache::{CachedTerm, CachedWord, WordCache};
use super::{IndexToken, TERM_BYTES_MAX, TextLanguage, TokenForm, fold, stem, stop_words};
use xxhash_rust::xxh3::xxh3_64;

/// Normalises tokens, counts positions and passes the tokens to the caller's sink.
pub(super) struct TokenEmitter<'c, F> {
    language: Option<TextLanguage>,
    sink: F,
    cache: Option<&'c mut WordCache>,
    position: u32,
    spelled: String,
    variant: String,
}

impl<'c, F: FnMut(IndexToken<'_>)> TokenEmitter<'c, F> {
    pub(super) fn new(language: Option<TextLanguage>, sink: F) -> Self {
        let (spelled, variant) = (String::new(), String::new());
        Self { language, sink, cache: None, position: 0, spelled, variant }
    }

    /// Takes the terms of words from this cache, and adds new ones to it.
    pub(super) fn with_cache(self, cache: &'c mut WordCache) -> Self {
        Self { cache: Some(cache), ..self }
    }

    /// Emits a run of words and joints.
    pub(super) fn emit_compound(&mut self, text: &str) {
        // Fast path: most runs are plain lower-case or capitalised ASCII words.
        let tail = text.strip_prefix(|c: char| c.is_ascii_uppercase()).unwrap_or(text);
        if tail.bytes().all(|b| b.is_ascii_lowercase()) {
            self.emit_word(text);
        } else {
            self.split_path(text);
        }
    }

    /// Emits a name together with its sign, at the position of the compound just emitted.
    pub(super) fn emit_with_sign(&mut self, text: &str) {
        let position = self.position.saturating_sub(1);
        self.emit_whole(text, position, fold::lower_into);
    }

    /// Emits a stretch of a script without spaces as single characters and character bigrams.
    pub(super) fn emit_unsegmented(&mut self, text: &str) {
        let mut starts =
            text.char_indices().filter(|&(_, c)| !fold::is_mark(c)).map(|(at, _)| at).peekable();
        let mut last: Option<usize> = None;
        while let Some(start) = starts.next() {
            let end = starts.peek().copied().unwrap_or(text.len());
            if let Some(last) = last {
                self.emit(&text[last..end], self.position - 1, TokenForm::Whole);
            }
            self.emit(&text[start..end], self.position, TokenForm::Plain);
            self.position += 1;
            last = Some(start);
        }
    }

    fn split_path(&mut self, text: &str) {
        self.split_and_emit(text, &['/', '\\', ':', '@'], fold::path_into, Self::split_dots);
    }

    fn split_dots(&mut self, text: &str) {
        let text = &*remove_digit_grouping(text);
        self.split_and_emit(text, &['.'], fold::dotted_into, Self::split_dashes);
    }

    fn split_dashes(&mut self, text: &str) {
        self.split_and_emit(text, &['-', '_'], fold::joined_into, Self::split_apostrophes);
    }

    fn split_apostrophes(&mut self, text: &str) {
        let Some((base, suffix)) = text.rsplit_once(fold::APOSTROPHES) else {
            return self.split_camel_case(text);
        };
        // English clitics are dropped; "don't" becomes the stop word "dont"; other apostrophes join
        // two words, as in "l'hôtel".
        match suffix.to_ascii_lowercase().as_str() {
            "s" | "re" | "ve" | "ll" | "d" | "m" => self.split_apostrophes(base),
            "t" => self.emit_word(&text.replace(fold::APOSTROPHES, "")),
            _ => self.split_and_emit(
                text,
                &fold::APOSTROPHES,
                fold::joined_into,
                Self::split_camel_case,
            ),
        }
    }

    /// Splits camel case: `getUserName` at each capital, `HTTPServer` before the last capital of a
    /// series; `LLMs` yields "llm" and "llms".
    fn split_camel_case(&mut self, text: &str) {
        let position = self.position;
        if let Some(acronym) = text.strip_suffix('s').filter(|rest| is_acronym(rest)) {
            self.emit_whole(text, position, fold::joined_into);
            return self.emit_word(acronym);
        }
        let mut start = 0;
        for end in camel_case_boundaries(text) {
            if start == 0 {
                self.emit_whole(text, position, fold::joined_into);
            }
            self.split_digits(&text[start..end]);
            start = end;
        }
        self.split_digits(&text[start..]);
    }

    /// Splits `python3` and `10km` at their single change between letters and digits; `k8s` and
    /// `v2` stay one word.
    fn split_digits(&mut self, text: &str) {
        match digit_boundary(text) {
            Some(at) => {
                self.emit_whole(text, self.position, fold::joined_into);
                self.emit_word(&text[..at]);
                self.emit_word(&text[at..]);
            }
            None => self.emit_word(text),
        }
    }

    /// Emits the whole if there are several parts, then each part one level deeper.
    fn split_and_emit(
        &mut self,
        text: &str,
        joints: &[char],
        spell: fn(&str, &mut String),
        deeper: fn(&mut Self, &str),
    ) {
        if text.contains(joints) {
            self.emit_whole(text, self.position, spell);
            text.split(joints).filter(|part| !part.is_empty()).for_each(|part| deeper(self, part));
        } else {
            deeper(self, text);
        }
    }

    fn emit_whole(&mut self, text: &str, position: u32, spell: fn(&str, &mut String)) {
        let mut spelled = std::mem::take(&mut self.spelled);
        spelled.clear();
        spell(text, &mut spelled);
        stem::stem_word(&mut spelled);
        if !spelled.is_empty() {
            self.emit(&spelled, position, TokenForm::Whole);
        }
        self.spelled = spelled;
    }

    fn emit_word(&mut self, text: &str) {
        let cache = self.cache.as_deref();
        let known = cache.and_then(|cache| Some((cache, cache.get(self.language, text)?)));
        let Some((cache, number)) = known else { return self.emit_new_word(text) };
        let position = self.position;
        (self.sink)(IndexToken {
            text: &cache.word(number).plain.text,
            position,
            form: TokenForm::Plain,
            is_stop: number.is_stop(),
            cached: Some(number.number()),
        });
        if number.has_variant()
            && let Some(CachedTerm { text, is_stop }) = &cache.word(number).variant
        {
            let (form, is_stop) = (TokenForm::Variant, *is_stop);
            (self.sink)(IndexToken { text, position, form, is_stop, cached: None });
        }
        self.position += 1;
    }

    /// Analyses a word and emits its terms.
    fn emit_new_word(&mut self, text: &str) {
        let mut spelled = std::mem::take(&mut self.spelled);
        spelled.clear();
        fold::lower_into(text, &mut spelled);
        if spelled.is_empty() {
            return; // Only marks, which folding removes.
        }
        let mut variant = std::mem::take(&mut self.variant);
        let mut varies = fold::variant_into(&spelled, &mut variant);
        let is_stop_here = self.language.is_some_and(|language| language.is_stop_word(&spelled));
        if varies {
            stem::stem_word(&mut variant);
        }
        // A stop word is not stemmed: "does" must not become "doe" and lose its low weight.
        if !is_stop_here && !stop_words::is_stop_word(&spelled) {
            let stem = self.language.and_then(|language| foreign_stem(language, &spelled));
            stem::stem_word(&mut spelled);
            if let Some(stem) = stem {
                if !varies {
                    variant.clone_from(&spelled);
                }
                spelled = stem;
                varies = variant != spelled;
            }
        }
        let is_stop = |term: &str| is_stop_here || stop_words::is_stop_word(term);
        let plain = (&*spelled, is_stop(&spelled));
        let other = varies.then(|| (&*variant, is_stop(&variant)));
        let number = self.add_to_cache(text, plain, other);
        self.emit_term(plain, self.position, TokenForm::Plain, number);
        if let Some(other) = other {
            self.emit_term(other, self.position, TokenForm::Variant, None);
        }
        self.position += 1;
        self.spelled = spelled;
        self.variant = variant;
    }

    fn add_to_cache(
        &mut self,
        text: &str,
        plain: (&str, bool),
        variant: Option<(&str, bool)>,
    ) -> Option<u32> {
        // A term that would be truncated is not worth it.
        let fits = |term: (&str, bool)| term.0.len() <= TERM_BYTES_MAX;
        let cache = self.cache.as_mut().filter(|_| fits(plain) && variant.is_none_or(fits))?;
        cache.add(self.language, text, || CachedWord {
            plain: CachedTerm::new(plain),
            variant: variant.map(CachedTerm::new),
        })
    }

    fn emit(&mut self, text: &str, position: u32, form: TokenForm) {
        self.emit_term((text, stop_words::is_stop_word(text)), position, form, None);
    }

    fn emit_term(
        &mut self,
        (text, is_stop): (&str, bool),
        position: u32,
        form: TokenForm,
        cached: Option<u32>,
    ) {
        if text.len() <= TERM_BYTES_MAX {
            (self.sink)(IndexToken { text, position, form, is_stop, cached });
        } else {
            let text = &truncate_with_digest(text);
            (self.sink)(IndexToken { text, position, form, is_stop, cached });
        }
    }
}

/// Returns the stem of a lower-case word in Latin script by the rules of a language, without
/// accents.
fn foreign_stem(language: TextLanguage, word: &str) -> Option<String> {
    let is_prose = word.len() <= TERM_BYTES_MAX && word.chars().all(fold::is_latin_letter);
    is_prose.then(|| fold::without_accents(&language.stem(word)))
}

fn is_acronym(text: &str) -> bool {
    text.len() > 1 && text.bytes().all(|b| b.is_ascii_uppercase())
}

/// Iterates over the offsets at which a new part of a camel-case word starts.
fn camel_case_boundaries(text: &str) -> impl Iterator<Item = usize> + '_ {
    let mut chars = text.char_indices().peekable();
    let mut last = None;
    std::iter::from_fn(move || {
        while let Some((at, c)) = chars.next() {
            let before = last.replace(c);
            let next = chars.peek().map(|&(_, c)| c);
            let rises = before.is_some_and(char::is_lowercase);
            let falls = before.is_some() && next.is_some_and(char::is_lowercase);
            if c.is_uppercase() && (rises || falls) {
                return Some(at);
            }
        }
        None
    })
}

/// Returns the offset of the change between letters and digits, if there is exactly one and at
/// least two letters.
fn digit_boundary(text: &str) -> Option<usize> {
    let bytes = text.as_bytes();
    let starts_with_digit = bytes.first()?.is_ascii_digit();
    let at = bytes.iter().position(|b| b.is_ascii_digit() != starts_with_digit)?;
    let changes_again = bytes[at..].iter().any(|b| b.is_ascii_digit() == starts_with_digit);
    let letters = if starts_with_digit { &text[at..] } else { &text[..at] };
    (!changes_again && letters.chars().nth(1).is_some()).then_some(at)
}

/// Removes the commas that group digits.
fn remove_digit_grouping(text: &str) -> std::borrow::Cow<'_, str> {
    if text.contains(',') { text.replace(',', "").into() } else { text.into() }
}

/// Truncates an overlong term and appends a digest of the whole, so that different terms stay
/// different.
fn truncate_with_digest(text: &str) -> String {
    let digest = xxh3_64(text.as_bytes());
    let fits = TERM_BYTES_MAX - 17;
    let end = (0..=fits).rev().find(|&at| text.is_char_boundary(at)).unwrap_or(0);
    format!("{}~{digest:016x}", &text[..end])
}
