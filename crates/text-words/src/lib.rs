//! Words of a text: turns text into index terms, for memories and queries alike, and holds the stop
//! words. Pure functions, and the only crate that stems by the rules of a language, which it
//! recognises by the stop words of a text.
//!
//! Different spellings of the same thing share a term: `getUserName`, `get_user_name` and "user
//! name", `café` and "cafe", `node.js` and "nodejs". Nothing is dropped (stop words are only
//! recognised as such), and every text is valid input. Term weights are not known here.

mod compound;
mod fold;
mod language;
mod number_words;
mod scan;
mod sound;
mod stem;
mod stop_lists;
mod stop_words;
#[cfg(test)]
mod tests;
mod word_cache;

use compound::TokenEmitter;
use unicode_normalization::{IsNormalized, UnicodeNormalization, is_nfkc_quick};

pub use language::TextLanguage;
pub use number_words::other_number_spelling;
pub use scan::is_unsegmented;
pub use sound::sound_key;
pub use stop_words::{is_function_word, is_stop_word};
pub use word_cache::WordCache;

/// Version of the analysis, part of a snapshot's key. Must be raised whenever the same text yields
/// different terms.
pub const VERSION: u32 = 3;

/// Maximum length of a term in bytes; a longer one is truncated and ends in a digest of the whole.
pub const TERM_BYTES_MAX: usize = 64;

/// Relation of a token to the text at its position.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash)]
pub enum TokenForm {
    /// The word, number, character or part of an identifier itself: exactly one per position.
    Plain,
    /// A compound of several positions that starts here: an identifier, a path, a character bigram.
    Whole,
    /// An alternative spelling of the word at this position: without accents, without the article,
    /// or as English rules stem a word of another language.
    Variant,
}

/// One term of a text with its position.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct IndexToken<'t> {
    /// Normalised term: lower case, stemmed.
    pub text: &'t str,
    /// Number of plain tokens before it.
    pub position: u32,
    pub form: TokenForm,
    /// True if the word is so common in its language that it says little about a text.
    pub is_stop: bool,
    /// Number of the word in the [`WordCache`], if there is one and the term is plain.
    pub cached: Option<u32>,
}

/// Calls `sink` with every token of the text, in ascending order of position.
pub fn each_token(text: &str, sink: impl FnMut(IndexToken<'_>)) {
    each_token_in(TextLanguage::detect([text]), text, sink);
}

/// Calls `sink` with every token of a text in a known language, which may be that of a longer text
/// that this one belongs to.
pub fn each_token_in(language: Option<TextLanguage>, text: &str, sink: impl FnMut(IndexToken<'_>)) {
    emit_tokens(TokenEmitter::new(language, sink), text);
}

/// Calls `sink` with the same tokens, and takes those of words that were analysed before from the
/// cache.
pub fn each_token_cached(
    cache: &mut WordCache,
    language: Option<TextLanguage>,
    text: &str,
    sink: impl FnMut(IndexToken<'_>),
) {
    emit_tokens(TokenEmitter::new(language, sink).with_cache(cache), text);
}

fn emit_tokens<F: FnMut(IndexToken<'_>)>(mut emitter: TokenEmitter<'_, F>, text: &str) {
    // Nearly every text is in NFKC already, and the quick check avoids a copy of it.
    if text.is_ascii() || is_nfkc_quick(text.chars()) == IsNormalized::Yes {
        scan::scan_runs(text, &mut emitter);
    } else {
        let normal: String = text.nfkc().collect();
        scan::scan_runs(&normal, &mut emitter);
    }
}
