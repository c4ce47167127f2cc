//! Stems a word in place: English by Porter2 (the English Snowball stemmer), Russian by its
//! Snowball stemmer. Other words stay unchanged.
//!
//! Every English word of every text passes through here, so the English rules are implemented by
//! hand on the bytes of the word. The general Snowball implementation costs five times as much
//! (measured); the tests compare the two.

use super::TERM_BYTES_MAX;
use rust_stemmers::{Algorithm, Stemmer};

/// Stems a lower-case word.
pub(super) fn stem_word(word: &mut String) {
    // Overlong words are not prose: they are truncated with a digest later, which must see all of
    // them.
    if word.len() > TERM_BYTES_MAX {
        return;
    }
    if word.bytes().all(|b| b.is_ascii_lowercase()) {
        stem_english(word);
    } else if word.chars().all(|c| matches!(c, 'а'..='я')) {
        let stem = Stemmer::create(Algorithm::Russian).stem(word).into_owned();
        *word = stem;
    }
}

fn stem_english(word: &mut String) {
    if let Some(stem) = irregular(word) {
        word.clear();
        word.push_str(stem);
        return;
    }
    if word.len() < 3 {
        return;
    }
    let regions = PorterRegions::find(word.as_bytes());
    step_1a(word);
    if !is_invariant(word) {
        step_1b(word, &regions);
        step_1c(word);
        step_2(word, &regions);
        step_3(word, &regions);
        step_4(word, &regions);
        step_5(word, &regions);
    }
}

/// Regions R1 and R2 of Porter2, as start offsets: after the first and after the second change from
/// a vowel to a consonant. Most suffixes are only removed inside one of them.
struct PorterRegions {
    r1: usize,
    r2: usize,
}

impl PorterRegions {
    fn find(word: &[u8]) -> Self {
        // Exceptions of Porter2, without which "general" and "generous" would share a stem.
        let special =
            [&b"gener"[..], b"commun", b"arsen"].into_iter().find(|start| word.starts_with(start));
        let first = special.map_or_else(|| after_vowel_and_consonant(word, 0), <[u8]>::len);
        Self { r1: first, r2: after_vowel_and_consonant(word, first) }
    }
}

fn after_vowel_and_consonant(word: &[u8], start: usize) -> usize {
    let vowel = (start..word.len()).find(|&at| is_vowel(word, at));
    let consonant = vowel.and_then(|vowel| (vowel..word.len()).find(|&at| !is_vowel(word, at)));
    consonant.map_or(word.len(), |at| at + 1)
}

/// Returns true for a vowel. A `y` is a consonant at the start of a word and after a vowel.
fn is_vowel(word: &[u8], at: usize) -> bool {
    match word[at] {
        b'a' | b'e' | b'i' | b'o' | b'u' => true,
        b'y' => at > 0 && !is_vowel(word, at - 1),
        _ => false,
    }
}

fn has_vowel(word: &[u8]) -> bool {
    (0..word.len()).any(|at| is_vowel(word, at))
}

/// Returns true if the word ends in a short syllable: one vowel between consonants, or a vowel that
/// opens a word of two letters.
fn ends_in_short_syllable(word: &[u8]) -> bool {
    let Some(last) = word.len().checked_sub(1) else { return false };
    match last {
        0 => false,
        1 => is_vowel(word, 0) && !is_vowel(word, 1),
        _ => {
            let closes = !is_vowel(word, last) && !matches!(word[last], b'w' | b'x' | b'y');
            closes && is_vowel(word, last - 1) && !is_vowel(word, last - 2)
        }
    }
}

/// Removes plural endings.
fn step_1a(word: &mut String) {
    let len = word.len();
    let bytes = word.as_bytes();
    if bytes.ends_with(b"sses") {
        word.truncate(len - 2);
    } else if bytes.ends_with(b"ied") || bytes.ends_with(b"ies") {
        word.truncate(if len > 4 { len - 2 } else { len - 1 });
    } else if bytes.ends_with(b"s")
        && !bytes.ends_with(b"us")
        && !bytes.ends_with(b"ss")
        && has_vowel(&bytes[..len - 2])
    {
        word.truncate(len - 1);
    }
}

/// Past and progressive forms: `-ed`, `-ing`, `-edly`, `-ingly`.
fn step_1b(word: &mut String, regions: &PorterRegions) {
    let Some((suffix, _)) = longest_suffix(
        word,
        &[("eedly", ""), ("ingly", ""), ("edly", ""), ("eed", ""), ("ing", ""), ("ed", "")],
    ) else {
        return;
    };
    let start = word.len() - suffix.len();
    if suffix.starts_with("eed") {
        if start >= regions.r1 {
            word.truncate(start + 2);
        }
    } else if has_vowel(&word.as_bytes()[..start]) {
        word.truncate(start);
        restore_stem(word, regions);
    }
}

/// Restores the `e`, or removes the doubled letter, that came with the suffix: "hoping", "hopping".
fn restore_stem(word: &mut String, regions: &PorterRegions) {
    let bytes = word.as_bytes();
    match bytes {
        [.., b'a', b't'] | [.., b'b', b'l'] | [.., b'i', b'z'] => word.push('e'),
        [.., x, y] if x == y && b"bdfgmnprt".contains(x) => word.truncate(bytes.len() - 1),
        _ if bytes.len() == regions.r1 && ends_in_short_syllable(bytes) => word.push('e'),
        _ => {}
    }
}

/// Final `y` after a consonant becomes `i`.
fn step_1c(word: &mut String) {
    let bytes = word.as_bytes();
    let len = bytes.len();
    if len > 2 && bytes[len - 1] == b'y' && !is_vowel(bytes, len - 2) {
        word.truncate(len - 1);
        word.push('i');
    }
}

/// Long derivational suffixes, such as `-ization`.
fn step_2(word: &mut String, regions: &PorterRegions) {
    #[rustfmt::skip]
    const SUFFIXES: &[(&str, &str)] = &[
        ("ational", "ate"), ("fulness", "ful"), ("iveness", "ive"), ("ization", "ize"),
        ("ousness", "ous"), ("biliti", "ble"), ("lessli", "less"), ("tional", "tion"),
        ("alism", "al"), ("aliti", "al"), ("ation", "ate"), ("entli", "ent"), ("fulli", "ful"),
        ("iviti", "ive"), ("ousli", "ous"), ("abli", "able"), ("alli", "al"), ("anci", "ance"),
        ("ator", "ate"), ("enci", "ence"), ("izer", "ize"), ("bli", "ble"), ("ogi", "og"),
        ("li", ""),
    ];
    let Some((suffix, replacement)) = longest_suffix(word, SUFFIXES) else { return };
    let start = word.len() - suffix.len();
    let before = word.as_bytes()[..start].last();
    let fits = match suffix {
        "ogi" => before == Some(&b'l'),
        "li" => before.is_some_and(|b| b"cdeghkmnrt".contains(b)),
        _ => true,
    };
    if start >= regions.r1 && fits {
        replace(word, start, replacement);
    }
}

/// Suffixes that step 2 leaves, such as `-icate` and `-ness`.
fn step_3(word: &mut String, regions: &PorterRegions) {
    #[rustfmt::skip]
    const SUFFIXES: &[(&str, &str)] = &[
        ("ational", "ate"), ("tional", "tion"), ("alize", "al"), ("ative", ""), ("icate", "ic"),
        ("iciti", "ic"), ("ical", "ic"), ("ness", ""), ("ful", ""),
    ];
    let Some((suffix, replacement)) = longest_suffix(word, SUFFIXES) else { return };
    let start = word.len() - suffix.len();
    let region = if suffix == "ative" { regions.r2.max(regions.r1) } else { regions.r1 };
    if start >= region {
        replace(word, start, replacement);
    }
}

/// Short derivational suffixes inside R2, such as `-ment`.
fn step_4(word: &mut String, regions: &PorterRegions) {
    #[rustfmt::skip]
    const SUFFIXES: &[(&str, &str)] = &[
        ("ement", ""), ("able", ""), ("ance", ""), ("ence", ""), ("ible", ""), ("ment", ""),
        ("ant", ""), ("ate", ""), ("ent", ""), ("ion", ""), ("ism", ""), ("iti", ""), ("ive", ""),
        ("ize", ""), ("ous", ""), ("al", ""), ("er", ""), ("ic", ""),
    ];
    let Some((suffix, _)) = longest_suffix(word, SUFFIXES) else { return };
    let start = word.len() - suffix.len();
    let before = word.as_bytes()[..start].last();
    let fits = suffix != "ion" || matches!(before, Some(b's' | b't'));
    if start >= regions.r2 && fits {
        word.truncate(start);
    }
}

/// Final `e` and double `l`.
fn step_5(word: &mut String, regions: &PorterRegions) {
    let bytes = word.as_bytes();
    let Some((&last, rest)) = bytes.split_last() else { return };
    let start = rest.len();
    let is_removed = match last {
        b'e' => start >= regions.r2 || start >= regions.r1 && !ends_in_short_syllable(rest),
        b'l' => start >= regions.r2 && rest.last() == Some(&b'l'),
        _ => false,
    };
    if is_removed {
        word.truncate(start);
    }
}

/// Returns the first of the suffixes, which are sorted by descending length, that the word ends in.
fn longest_suffix(
    word: &str,
    suffixes: &'static [(&str, &str)],
) -> Option<(&'static str, &'static str)> {
    let word = word.as_bytes();
    let last = *word.last()?;
    suffixes.iter().copied().find(|(suffix, _)| {
        suffix.as_bytes().last() == Some(&last) && word.ends_with(suffix.as_bytes())
    })
}

fn replace(word: &mut String, start: usize, replacement: &str) {
    word.truncate(start);
    word.push_str(replacement);
}

/// Exceptions with a fixed stem.
fn irregular(word: &str) -> Option<&'static str> {
    Some(match word {
        "skis" => "ski",
        "skies" | "sky" => "sky",
        "dying" => "die",
        "lying" => "lie",
        "tying" => "tie",
        "idly" => "idl",
        "gently" => "gentl",
        "ugly" => "ugli",
        "early" => "earli",
        "only" => "onli",
        "singly" => "singl",
        "news" => "news",
        "howe" => "howe",
        "atlas" => "atlas",
        "cosmos" => "cosmos",
        "bias" => "bias",
        "andes" => "andes",
        _ => return None,
    })
}

/// Words that are their own stem once the plural is removed.
fn is_invariant(word: &str) -> bool {
    matches!(
        word,
        "inning" | "outing" | "canning" | "herring" | "earring" | "proceed" | "exceed" | "succeed"
    )
}

#[cfg(test)]
mod tests {
    use super::*;
    use proptest::prelude::*;

    fn check(word: &str) {
        let mut ours = word.to_owned();
        stem_word(&mut ours);
        let theirs = Stemmer::create(Algorithm::English).stem(word).into_owned();
        assert_eq!(ours, theirs, "{word}");
    }

    #[test]
    fn real_words_are_stemmed_as_snowball_does() {
        let words = "generate generously communication arsenal skies dying news herrings \
            proceeding agreed agreedly caresses ties cries gas this kiwis hoping hopped fizzed \
            conflated troubled sized falling hissing failing filing happy sky enjoy relational \
            conditional rational valency hesitancy digitizer conformably radically differently \
            vilely analogously vietnamization predication operator feudalism decisiveness \
            hopefulness callousness formality sensitivity sensibility theology geology triplicate \
            formative formalize electricity electrical goodness revival allowance inference \
            airliner gyroscopic adjustable defensible irritant replacement adjustment dependent \
            adoption communism activate angularity homologous effective bowdlerize probate rate \
            cease controlling rolling yes youth boyish sayings employ yearly flyer by bye eye bees";
        words.split_whitespace().for_each(check);
    }

    proptest! {
        #[test]
        fn synthetic_words_are_stemmed_as_snowball_does(
            start in "[a-z]{0,6}",
            suffixes in prop::collection::vec(prop::sample::select(SUFFIXES), 0..3),
        ) {
            check(&format!("{start}{}", suffixes.concat()));
        }
    }

    #[rustfmt::skip]
    const SUFFIXES: &[&str] = &[
        "s", "es", "ed", "eed", "ing", "ingly", "edly", "ly", "y", "ies", "ied", "sses", "us",
        "tional", "ational", "enci", "abli", "entli", "izer", "ization", "ator", "alism", "aliti",
        "fulness", "ousli", "iviti", "biliti", "ogi", "logi", "lessli", "alize", "icate", "ical",
        "ful", "ness", "ative", "al", "ance", "er", "ic", "ement", "ment", "ent", "ism", "ate",
        "ous", "ive", "ize", "ion", "sion", "tion", "e", "ll", "tt", "yy", "x", "w",
    ];
}
