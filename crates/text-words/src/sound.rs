//! Sound keys: one spelling for names that are written in several, such as Müller and Mueller,
//! Katherine and Catherine, Александр and Aleksandr. Letters that sound alike in most European
//! languages become one; Cyrillic and Greek are written in Latin letters first.

use super::fold;

/// Returns a lower-case word by its sound. Words of one sound in Latin, Cyrillic and Greek letters
/// have the same key; other scripts stay as they are.
#[must_use]
pub fn sound_key(word: &str) -> String {
    let latin = in_latin_letters(word);
    let mut key = String::with_capacity(latin.len());
    let mut rest = latin.as_str();
    while let Some(first) = rest.chars().next() {
        let at_start = rest.len() == latin.len();
        let (sound, length) = next_sound(rest, first, at_start);
        // Doubled letters are the most frequent difference between two spellings.
        sound.chars().for_each(|c| {
            if !key.ends_with(c) {
                key.push(c);
            }
        });
        rest = &rest[length..];
    }
    key
}

/// Returns the sound that a text begins with, and the length of the letters that write it.
fn next_sound(rest: &str, first: char, at_start: bool) -> (&str, usize) {
    if let Some((letters, sound)) = DIGRAPHS.iter().find(|(letters, _)| rest.starts_with(letters)) {
        return (sound, letters.len());
    }
    let is_soft = rest[first.len_utf8()..].starts_with(['e', 'i', 'y']);
    let sound = match first {
        'c' if is_soft => "s",
        'c' | 'q' => "k",
        'x' => "ks",
        'z' => "s",
        'w' => "v",
        'j' | 'y' => "i",
        'h' if !at_start => "",
        _ => &rest[..first.len_utf8()],
    };
    (sound, first.len_utf8())
}

/// Letters that write one sound together; the longest come first.
const DIGRAPHS: [(&str, &str); 17] = [
    ("dzh", "i"),
    ("sch", "s"),
    ("dj", "i"),
    ("ph", "f"),
    ("ck", "k"),
    ("ch", "k"),
    ("tz", "s"),
    ("ts", "s"),
    ("cz", "s"),
    ("ae", "a"),
    ("oe", "o"),
    ("ue", "u"),
    ("ou", "u"),
    ("oo", "u"),
    ("ee", "i"),
    ("ie", "i"),
    ("ey", "i"),
];

fn in_latin_letters(word: &str) -> String {
    if word.is_ascii() {
        return word.to_owned();
    }
    let plain = fold::without_accents(word);
    let mut latin = String::with_capacity(plain.len());
    for c in plain.chars() {
        match latin_letters(c) {
            Some(letters) => latin.push_str(letters),
            None => latin.push(c),
        }
    }
    latin
}

/// Returns the Latin letters for a Cyrillic or Greek one without accents.
fn latin_letters(c: char) -> Option<&'static str> {
    let place = |first: char| (u32::from(c) - u32::from(first)) as usize;
    Some(match c {
        'а'..='я' => CYRILLIC[place('а')],
        'є' => "e",
        'і' | 'ї' | 'ј' => "i",
        'ђ' | 'џ' => "dzh",
        'љ' => "l",
        'њ' => "n",
        'ћ' => "ch",
        'ґ' => "g",
        'α'..='ω' => GREEK[place('α')],
        _ => return None,
    })
}

/// Letters from а to я.
const CYRILLIC: [&str; 32] = [
    "a", "b", "v", "g", "d", "e", "zh", "z", "i", "i", "k", "l", "m", "n", "o", "p", "r", "s", "t",
    "u", "f", "kh", "ts", "ch", "sh", "sch", "", "y", "", "e", "yu", "ya",
];
/// Letters from α to ω.
const GREEK: [&str; 25] = [
    "a", "b", "g", "d", "e", "z", "i", "th", "i", "k", "l", "m", "n", "x", "o", "p", "r", "s", "s",
    "t", "y", "f", "ch", "ps", "o",
];

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn spellings_of_one_name_have_one_key() {
        for (one, other) in [
            ("müller", "mueller"),
            ("müller", "muller"),
            ("katherine", "catherine"),
            ("philip", "filip"),
            ("александр", "aleksandr"),
            ("дмитрий", "dmitri"),
            ("юрий", "yuri"),
            ("джон", "john"),
            ("νίκος", "nikos"),
            ("sarah", "sara"),
            ("françois", "francois"),
        ] {
            assert_eq!(sound_key(one), sound_key(other), "{one} {other}");
        }
    }

    #[test]
    fn other_names_have_other_keys() {
        for (one, other) in [("john", "jane"), ("müller", "miller"), ("анна", "ivan"), ("猫", "犬")]
        {
            assert_ne!(sound_key(one), sound_key(other), "{one} {other}");
        }
    }
}
