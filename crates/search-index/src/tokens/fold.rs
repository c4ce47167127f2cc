//! Spelling: lower case, and the same letters where several ways of writing them mean the same.
//! Knows scripts, not languages.

use unicode_normalization::UnicodeNormalization;
use unicode_normalization::char::is_combining_mark;

/// The characters that stand for an apostrophe inside a word.
pub(super) const APOSTROPHES: [char; 3] = ['\'', '\u{2019}', '\u{2bc}'];

/// Whether the character only changes the one before it, or cannot be seen.
pub(super) fn is_mark(c: char) -> bool {
    is_combining_mark(c) || matches!(c, '\u{ad}' | '\u{200c}' | '\u{200d}')
}

/// Lower case; Arabic, Hebrew and Cyrillic letters in their plainest spelling.
pub(super) fn lower_into(text: &str, out: &mut String) {
    if text.is_ascii() {
        out.extend(text.bytes().map(|b| char::from(b.to_ascii_lowercase())));
    } else {
        out.extend(text.chars().flat_map(char::to_lowercase).filter_map(plainest));
    }
}

/// Lower case without the joints: `get_user_name`, `utf-8` and `O'Reilly` as one word.
pub(super) fn joined_into(text: &str, out: &mut String) {
    let is_joint = |c: char| matches!(c, '_' | '-' | '.') || APOSTROPHES.contains(&c);
    text.split(is_joint).for_each(|part| lower_into(part, out));
}

/// Lower case without the dots, unless they stand beside digits: `nodejs`, but `3.14`.
pub(super) fn dotted_into(text: &str, out: &mut String) {
    let numeric = text.split('.').any(|part| part.starts_with(|c: char| c.is_ascii_digit()));
    if numeric { lower_into(text, out) } else { joined_into(text, out) }
}

/// Lower case with one slash for every joint between segments, whatever was written.
pub(super) fn path_into(text: &str, out: &mut String) {
    let segments = text.split(['/', '\\', ':', '@']).filter(|segment| !segment.is_empty());
    for (nth, segment) in segments.enumerate() {
        if nth > 0 {
            out.push('/');
        }
        lower_into(segment, out);
    }
}

/// Writes another spelling of a lower-case word that someone may search by; tells whether there is
/// one.
pub(super) fn variant_into(word: &str, out: &mut String) -> bool {
    out.clear();
    if word.is_ascii() {
        return false;
    }
    match word.chars().next() {
        Some('\u{600}'..='\u{6ff}') => out.push_str(without_article(word)),
        Some(first) if has_foldable_accents(first) => {
            out.extend(word.nfd().filter(|c| !is_mark(*c)).flat_map(base))
        }
        _ => {}
    }
    !out.is_empty() && out != word
}

/// The letter without what writers leave out: vowel points, stretching, hamza seats, the dots of ё.
fn plainest(c: char) -> Option<char> {
    Some(match c {
        // Tatweel, harakat, superscript alef, niqqud, invisible joiners.
        '\u{640}' | '\u{64b}'..='\u{65f}' | '\u{670}' | '\u{591}'..='\u{5c7}' => return None,
        '\u{ad}' | '\u{200c}' | '\u{200d}' => return None,
        '\u{622}' | '\u{623}' | '\u{625}' | '\u{671}' => '\u{627}',
        '\u{649}' => '\u{64a}',
        '\u{629}' => '\u{647}',
        'ё' => 'е',
        'ς' => 'σ',
        _ => c,
    })
}

/// An Arabic word without its article and the particle before it, when enough of it is left.
fn without_article(word: &str) -> &str {
    const ARTICLES: [&str; 6] = ["وال", "بال", "كال", "فال", "ال", "لل"];
    let rest = ARTICLES.iter().find_map(|article| word.strip_prefix(article)).unwrap_or(word);
    if rest.chars().nth(1).is_some() { rest } else { word }
}

/// Latin and Greek are searched without accents; in other scripts a mark makes another letter.
fn has_foldable_accents(c: char) -> bool {
    matches!(c, 'a'..='z' | '0'..='9' | '\u{c0}'..='\u{24f}' | '\u{370}'..='\u{3ff}' | '\u{1e00}'..='\u{1fff}')
}

/// The plain letters for those that do not decompose.
fn base(c: char) -> impl Iterator<Item = char> {
    let (first, second) = match c {
        'ß' => ('s', Some('s')),
        'æ' => ('a', Some('e')),
        'œ' => ('o', Some('e')),
        'þ' => ('t', Some('h')),
        'ø' => ('o', None),
        'đ' | 'ð' => ('d', None),
        'ł' => ('l', None),
        'ı' => ('i', None),
        _ => (c, None),
    };
    std::iter::once(first).chain(second)
}
