//! Text to terms: what the postings are made of, and how a question is read.
//!
//! Memories and questions go through the same function, so what was written one way is found
//! another: `getUserName`, `get_user_name` and "user name" meet, as do `café` and "cafe", `C#`,
//! `node.js` and "nodejs". Nothing is dropped (a stop word is only known as one) and nothing is
//! parsed: any text is fine. What a term is worth is not known here.

mod compound;
mod fold;
mod scan;
mod stem;
mod stop;
#[cfg(test)]
mod tests;

use compound::Emitter;
use unicode_normalization::{IsNormalized, UnicodeNormalization, is_nfkc_quick};

pub use stop::is_stop_word;

/// Changes whenever the same text yields other terms; part of a snapshot's key.
pub const VERSION: u32 = 1;

/// The longest term in bytes; a longer one is cut and ends in a digest of the whole.
pub const TERM_BYTES_MAX: usize = 64;

/// What a token is to the text at its position.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash)]
pub enum Form {
    /// The word, number, character or part of an identifier itself: exactly one a position.
    Plain,
    /// Several positions read as one, starting here: an identifier, a path, a pair of characters.
    Whole,
    /// Another spelling of the word at this position: without its accents, or without its article.
    Variant,
}

/// One term of a text, and where it stands.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Token<'t> {
    /// The term as the index knows it: lower case, stemmed.
    pub text: &'t str,
    /// The number of plain tokens before it.
    pub position: u32,
    /// What it is to the text there.
    pub form: Form,
}

/// Calls `sink` with every token of the text, in order of position.
pub fn each_token(text: &str, sink: impl FnMut(Token<'_>)) {
    let mut emitter = Emitter::new(sink);
    if text.is_ascii() || is_nfkc_quick(text.chars()) == IsNormalized::Yes {
        scan::runs(text, &mut emitter);
    } else {
        let normal: String = text.nfkc().collect();
        scan::runs(&normal, &mut emitter);
    }
}
