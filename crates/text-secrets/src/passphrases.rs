//! Passphrases: several words beside a name that announces one, as in "passphrase: …" with five
//! words of a dictionary. A sentence about a password contains words that no list of random words
//! does ("see", "the", "required").

use crate::assigned_value::AssignedValue;
use crate::assignments::Separator;
use crate::secret_names::{AnnouncedSecret, SecretName};
use crate::truncate_to;

const PHRASE_BYTES_MAX: usize = 240;
const WORDS_MAX: usize = 24;
/// Numbers of words in the phrases that recover a wallet.
const SEED_WORDS: [usize; 3] = [12, 18, 24];
/// Lengths of the words that passphrases are made of.
const WORD_LENGTHS: std::ops::RangeInclusive<usize> = 3..=10;

/// Returns the passphrase at an offset.
pub(super) fn passphrase_at(
    text: &str,
    name: &SecretName,
    separator: Separator,
    from: usize,
) -> Option<AssignedValue> {
    let enough = match name.announces {
        AnnouncedSecret::Phrase => 3,
        AnnouncedSecret::Password => 4,
        AnnouncedSecret::Key | AnnouncedSecret::Pin => return None,
    };
    let bare = text[from..].trim_start_matches([' ', '\t', '*']);
    let start = text.len() - bare.len();
    let bare = truncate_to(bare, PHRASE_BYTES_MAX);
    let quote = bare.chars().next().filter(|c| matches!(c, '"' | '\'' | '`' | '“'));
    // Without quotes and a separator, a sentence goes on.
    if quote.is_none() && separator == Separator::Weak {
        return None;
    }
    let open = quote.map_or(0, char::len_utf8);
    let close = match quote {
        Some('“') => bare[open..].find('”')?,
        Some(quote) => bare[open..].find(quote)?,
        None => bare.find(['\n', '\r', ',', ';', '(', '<', '|', '"']).unwrap_or(bare.len()),
    };
    let phrase = bare[open..open + close].trim_end_matches(['.', ' ']);
    let unquoted_prose = quote.is_none()
        && (separator == Separator::Prose || name.announces == AnnouncedSecret::Password);
    let enough = if unquoted_prose { enough.max(4) } else { enough };
    let start = start + open;
    is_phrase(phrase, enough).then(|| AssignedValue {
        start,
        end: start + phrase.len(),
        quoted: quote.is_some(),
        is_phrase: true,
    })
}

/// Returns true for at least so many words that are separated by spaces or by hyphens, none of
/// them a word that holds a sentence together or that is said of passwords.
fn is_phrase(phrase: &str, enough: usize) -> bool {
    let separator = if phrase.contains(' ') { ' ' } else { '-' };
    let mut count = 0;
    // The lists of recovery phrases contain ordinary words, too.
    let is_recovery = SEED_WORDS.contains(&phrase.split(separator).count());
    for word in phrase.split(separator) {
        let is_number = word.len() <= 4 && word.bytes().all(|byte| byte.is_ascii_digit());
        if is_number && count > 0 && !word.is_empty() {
            continue;
        }
        let letters = word.bytes().all(|byte| byte.is_ascii_alphabetic())
            && word.bytes().skip(1).all(|byte| byte.is_ascii_lowercase());
        let lower = word.to_ascii_lowercase();
        let is_sentence = !is_recovery && SENTENCE_WORDS.contains(&&*lower);
        if !letters || !WORD_LENGTHS.contains(&word.len()) || is_sentence {
            return false;
        }
        count += 1;
    }
    (enough..=WORDS_MAX).contains(&count)
}

/// Words that hold sentences together, and words that are said of passwords. Sorted by meaning.
#[rustfmt::skip]
const SENTENCE_WORDS: &[&str] = &[
    "the", "and", "for", "with", "from", "that", "this", "these", "those", "you", "your", "our",
    "his", "her", "its", "their", "them", "they", "she", "who", "whom", "which", "what", "when",
    "where", "why", "how", "not", "but", "nor", "yet", "are", "was", "were", "been", "being", "has",
    "have", "had", "does", "did", "can", "could", "will", "would", "shall", "should", "may",
    "might", "must", "than", "then", "there", "here", "into", "onto", "over", "under", "between",
    "before", "after", "until", "unless", "while", "because", "about", "against", "through",
    "during", "without", "within", "only", "also", "just", "never", "always", "still", "already",
    "again", "every", "each", "some", "any", "all", "none", "both", "either", "same", "such",
    "other", "another", "more", "most", "less", "least", "very", "too", "one", "two", "three",
    "let", "pub", "const", "fn", "def", "return", "string", "str", "bool", "int", "type", "null",
    "see", "ask", "use", "used", "using", "set", "get", "got", "put", "read", "write", "store",
    "stored", "stores", "kept", "keep", "hold", "held", "saved", "save", "change", "changed",
    "changes", "reset", "expired", "expires", "expire", "rotate", "rotated", "rotation", "enter",
    "entered", "type", "typed", "forgot", "forgotten", "lost", "wrong", "invalid", "incorrect",
    "valid", "missing", "empty", "required", "optional", "hidden", "masked", "hashed",
    "hash", "encrypted", "plain", "plaintext", "clear", "default", "example", "unknown", "known",
    "same", "different", "weak", "strong", "long", "short", "minimum", "maximum", "least",
    "characters", "character", "letters", "letter", "digits", "digit", "symbols", "symbol",
    "length", "number", "numbers", "words", "word", "policy", "policies", "rules", "manager",
    "vault", "file", "files", "field", "fields", "form", "page", "settings", "setting", "option",
    "options", "environment", "variable", "variables", "config", "command", "line", "prompt",
    "login", "user", "users", "username", "account", "accounts", "admin", "password", "passwords",
    "passphrase", "passphrases", "passwd", "secret", "secrets", "token", "tokens", "key", "keys",
    "credential", "credentials", "authentication", "security", "team", "email", "mail", "server",
    "client", "database", "service", "support", "documentation", "docs", "below", "above",
    "following", "same", "new", "old", "first", "second", "last", "next", "not", "now", "today",
    "protected", "needed", "need", "needs", "given", "gives", "sent", "send", "shown", "show",
    "printed", "written", "shared", "access", "check", "checks", "test", "tests", "please",
];
