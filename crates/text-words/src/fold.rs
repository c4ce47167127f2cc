//! Case and accent folding: lower case, and one spelling where several are in use. Knows scripts,
//! not languages.

use unicode_normalization::UnicodeNormalization;
use unicode_normalization::char::is_combining_mark;

/// Characters used as an apostrophe inside a word.
pub(super) const APOSTROPHES: [char; 3] = ['\'', '\u{2019}', '\u{2bc}'];

/// Returns true if the character only modifies the previous one, or is invisible.
pub(super) fn is_mark(c: char) -> bool {
    is_combining_mark(c) || matches!(c, '\u{ad}' | '\u{200c}' | '\u{200d}')
}

/// Appends the text in lower case, with Arabic, Hebrew and Cyrillic letters in their simplest
/// spelling.
pub(super) fn lower_into(text: &str, out: &mut String) {
    if text.is_ascii() {
        out.extend(text.bytes().map(|b| char::from(b.to_ascii_lowercase())));
    } else {
        out.extend(text.chars().flat_map(char::to_lowercase).filter_map(normalise_letter));
    }
}

/// Appends the text in lower case without joints: `get_user_name`, `utf-8`, `O'Reilly` as one word.
pub(super) fn joined_into(text: &str, out: &mut String) {
    let is_joint = |c: char| matches!(c, '_' | '-' | '.') || APOSTROPHES.contains(&c);
    text.split(is_joint).for_each(|part| lower_into(part, out));
}

/// Appends the text in lower case without dots, except next to digits: `nodejs`, but `3.14`.
pub(super) fn dotted_into(text: &str, out: &mut String) {
    let numeric = text.split('.').any(|part| part.starts_with(|c: char| c.is_ascii_digit()));
    if numeric { lower_into(text, out) } else { joined_into(text, out) }
}

/// Appends the text in lower case with a single slash for every separator of a path.
pub(super) fn path_into(text: &str, out: &mut String) {
    let segments = text.split(['/', '\\', ':', '@']).filter(|segment| !segment.is_empty());
    for (nth, segment) in segments.enumerate() {
        if nth > 0 {
            out.push('/');
        }
        lower_into(segment, out);
    }
}

/// Writes an alternative spelling of a lower-case word that a query may use. Returns true if there
/// is one.
pub(super) fn variant_into(word: &str, out: &mut String) -> bool {
    out.clear();
    if word.is_ascii() {
        return false;
    }
    match word.chars().next() {
        Some('\u{600}'..='\u{6ff}') => out.push_str(without_article(word)),
        Some(first) if has_foldable_accents(first) => fold_accents_into(word, out),
        _ => {}
    }
    !out.is_empty() && out != word
}

/// Returns a lower-case word without accents.
pub(super) fn without_accents(word: &str) -> String {
    let mut out = String::with_capacity(word.len());
    fold_accents_into(word, &mut out);
    out
}

fn fold_accents_into(word: &str, out: &mut String) {
    out.extend(word.nfd().filter(|c| !is_mark(*c)).flat_map(unaccented));
}

/// Returns true for a lower-case letter of the Latin script.
pub(super) fn is_latin_letter(c: char) -> bool {
    matches!(c, 'a'..='z' | '\u{df}'..='\u{24f}' | '\u{1e00}'..='\u{1eff}')
}

/// Removes what writers often leave out: vowel points, tatweel, hamza seats, the dots of ё.
fn normalise_letter(c: char) -> Option<char> {
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

/// Strips the Arabic article and the particle before it, if at least two letters remain.
fn without_article(word: &str) -> &str {
    const ARTICLES: [&str; 6] = ["وال", "بال", "كال", "فال", "ال", "لل"];
    let rest = ARTICLES.iter().find_map(|article| word.strip_prefix(article)).unwrap_or(word);
    if rest.chars().nth(1).is_some() { rest } else { word }
}

/// Returns true for Latin and Greek, which are searched without accents. In other scripts a mark
/// makes a different letter.
fn has_foldable_accents(c: char) -> bool {
    matches!(
        c,
        'a'..='z'
            | '0'..='9'
            | '\u{c0}'..='\u{24f}'
            | '\u{370}'..='\u{3ff}'
            | '\u{1e00}'..='\u{1fff}'
    )
}

/// Returns the plain letters for those that Unicode does not decompose.
fn unaccented(c: char) -> impl Iterator<Item = char> {
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
