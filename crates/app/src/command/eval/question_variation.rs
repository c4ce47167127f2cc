//! Questions changed by rule, to measure how much recall loses by typing errors and by names and
//! numbers in another spelling. The same question always changes in the same way.

use clap::ValueEnum;

/// A way to change a question.
#[derive(Debug, Clone, Copy, PartialEq, Eq, ValueEnum)]
pub(super) enum QuestionVariation {
    /// A typing error in the longest word
    Typo,
    /// Names in another spelling
    Names,
    /// Names in Cyrillic letters
    Script,
    /// Small numbers as words, and number words as digits
    Numbers,
    /// Two neighbouring words written as one
    Joined,
}

/// Minimum length of a word that gets a typing error.
const TYPO_CHARS_MIN: usize = 5;
/// Minimum length of a name that is spelt otherwise, and of words that are joined.
const WORD_CHARS_MIN: usize = 4;
/// Neighbours of each letter on the keyboard, from a to z.
const KEYS: [&str; 26] = [
    "qs", "vn", "xv", "sf", "wr", "dg", "fh", "gj", "uo", "hk", "jl", "k", "n", "bm", "ip", "o",
    "wa", "et", "ad", "ry", "yi", "cb", "qe", "zc", "tu", "x",
];
/// Spellings of the same sound in names.
const SPELLINGS: [(&str, &str); 14] = [
    ("ph", "f"),
    ("ck", "k"),
    ("th", "t"),
    ("ie", "y"),
    ("y", "i"),
    ("c", "k"),
    ("k", "c"),
    ("x", "ks"),
    ("ll", "l"),
    ("nn", "n"),
    ("tt", "t"),
    ("u", "ü"),
    ("o", "ö"),
    ("e", "é"),
];
/// Cyrillic letters for Latin ones, the longest first.
const CYRILLIC: [(&str, &str); 37] = [
    ("sh", "ш"),
    ("ch", "ч"),
    ("th", "т"),
    ("ph", "ф"),
    ("ck", "к"),
    ("ee", "и"),
    ("oo", "у"),
    ("ie", "и"),
    ("qu", "кв"),
    ("x", "кс"),
    ("j", "дж"),
    ("a", "а"),
    ("b", "б"),
    ("c", "к"),
    ("d", "д"),
    ("e", "е"),
    ("f", "ф"),
    ("g", "г"),
    ("h", "х"),
    ("i", "и"),
    ("k", "к"),
    ("l", "л"),
    ("m", "м"),
    ("n", "н"),
    ("o", "о"),
    ("p", "п"),
    ("q", "к"),
    ("r", "р"),
    ("s", "с"),
    ("t", "т"),
    ("u", "у"),
    ("v", "в"),
    ("w", "у"),
    ("y", "и"),
    ("z", "з"),
    ("'", ""),
    ("-", "-"),
];
const NUMBERS: [&str; 11] =
    ["two", "three", "four", "five", "six", "seven", "eight", "nine", "ten", "eleven", "twelve"];

impl QuestionVariation {
    /// Changes the question with this number; `None` if there is nothing to change in it.
    pub fn apply(self, question: &str, number: usize) -> Option<String> {
        let words: Vec<&str> = question.split_whitespace().collect();
        let mut changed: Vec<String> = words.iter().map(|word| (*word).to_owned()).collect();
        match self {
            Self::Typo => {
                let is_long = |at: &usize| is_plain(bare(words[*at]), TYPO_CHARS_MIN);
                let length = |at: &usize| bare(words[*at]).len();
                let longest = (0..words.len()).filter(is_long).max_by_key(length)?;
                replace_bare(&mut changed[longest], |word| misspelt(word, number));
            }
            Self::Joined => {
                let is_joinable = |at: &usize| {
                    let both = [words[*at], bare(words[*at + 1])];
                    both.iter().all(|word| is_plain(word, WORD_CHARS_MIN))
                };
                let at = (0..words.len().saturating_sub(1)).find(is_joinable)?;
                let second = changed.remove(at + 1);
                changed[at].push_str(&second);
            }
            Self::Names | Self::Script => {
                for at in (1..words.len()).filter(|at| is_name(&words, *at)) {
                    replace_bare(&mut changed[at], |name| match self {
                        Self::Script => in_cyrillic(name),
                        _ => respelt(name, number),
                    });
                }
            }
            Self::Numbers => changed.iter_mut().for_each(|word| {
                replace_bare(word, |bare| other_number(bare).unwrap_or_else(|| bare.to_owned()));
            }),
        }
        let changed = changed.join(" ");
        (changed != words.join(" ")).then_some(changed)
    }
}

fn bare(word: &str) -> &str {
    let bare = word.trim_matches(|c: char| !c.is_alphanumeric());
    bare.strip_suffix("'s").unwrap_or(bare)
}

fn replace_bare(word: &mut String, change: impl FnOnce(&str) -> String) {
    let before = bare(word).to_owned();
    if !before.is_empty() {
        *word = word.replacen(&before, &change(&before), 1);
    }
}

fn is_plain(word: &str, chars_min: usize) -> bool {
    word.len() >= chars_min && word.bytes().all(|byte| byte.is_ascii_alphabetic())
}

fn is_name(words: &[&str], at: usize) -> bool {
    let (word, before) = (bare(words[at]), words[at - 1]);
    is_plain(word, WORD_CHARS_MIN)
        && word.starts_with(char::is_uppercase)
        && !before.ends_with(['.', '?', '!', ':'])
}

/// Doubles, removes, swaps or mistypes a letter behind the first.
fn misspelt(word: &str, number: usize) -> String {
    let mut letters: Vec<char> = word.chars().collect();
    let at = 1 + (number * 7) % (letters.len() - 2);
    match number % 4 {
        0 => letters.insert(at, letters[at]),
        1 => drop(letters.remove(at)),
        2 if letters[at] != letters[at + 1] => letters.swap(at, at + 1),
        _ => {
            let key = letters[at].to_ascii_lowercase() as usize - 'a' as usize;
            letters[at] = KEYS[key].chars().next().unwrap_or('x');
        }
    }
    letters.into_iter().collect()
}

/// Writes one sound of a name in another way.
fn respelt(name: &str, number: usize) -> String {
    let rules = (0..SPELLINGS.len()).map(|nth| SPELLINGS[(number + nth) % SPELLINGS.len()]);
    for (letters, others) in rules {
        if let Some(at) = name[1..].find(letters) {
            let (start, rest) = name.split_at(at + 1);
            return format!("{start}{others}{}", &rest[letters.len()..]);
        }
    }
    name.to_owned()
}

fn in_cyrillic(name: &str) -> String {
    let lower = name.to_lowercase();
    let (mut rest, mut written) = (lower.as_str(), String::new());
    while let Some((letters, others)) = CYRILLIC.iter().find(|(one, _)| rest.starts_with(one)) {
        written.push_str(others);
        rest = &rest[letters.len()..];
    }
    let mut letters = written.chars();
    let first: String = letters.next().into_iter().flat_map(char::to_uppercase).collect();
    format!("{first}{}", letters.as_str())
}

fn other_number(word: &str) -> Option<String> {
    let lower = word.to_lowercase();
    if let Some(at) = NUMBERS.iter().position(|one| *one == lower) {
        return Some((at + 2).to_string());
    }
    let number: usize = word.parse().ok()?;
    NUMBERS.get(number.checked_sub(2)?).map(|word| (*word).to_owned())
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_question_is_changed_by_rule() {
        let question = "When did Caroline meet 3 other teachers?";
        for (variation, number, expected) in [
            (QuestionVariation::Typo, 0, "When did Caroline meet 3 other teeachers?"),
            (QuestionVariation::Names, 5, "When did Caröline meet 3 other teachers?"),
            (QuestionVariation::Script, 0, "When did Каролине meet 3 other teachers?"),
            (QuestionVariation::Numbers, 0, "When did Caroline meet three other teachers?"),
            (QuestionVariation::Joined, 0, "When did Carolinemeet 3 other teachers?"),
        ] {
            assert_eq!(variation.apply(question, number).as_deref(), Some(expected));
        }
    }

    #[test]
    fn a_typing_error_is_one_edit_of_one_word() {
        for number in 0..40 {
            let changed = QuestionVariation::Typo.apply("the scheduler?", number).unwrap();
            let word = bare(&changed[4..]).to_owned();
            assert!(word != "scheduler" && word.starts_with('s'), "{word}");
            assert!(word.len().abs_diff(9) <= 1, "{word}");
        }
    }

    #[test]
    fn a_question_without_what_changes_stays_out() {
        for variation in [QuestionVariation::Names, QuestionVariation::Numbers] {
            assert_eq!(variation.apply("Who is it?", 1), None);
        }
        assert_eq!(QuestionVariation::Typo.apply("is it on", 1), None);
    }
}
