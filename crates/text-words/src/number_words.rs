//! Small numbers in words: "three" and 3 are the same number in two spellings. One has none, since
//! its word is mostly an article or a pronoun.

use super::TextLanguage;

/// First number of each row.
const FIRST: usize = 2;

/// Returns the other spelling of a number: digits for a lower-case word of the language, English by
/// default, and the word for digits.
#[must_use]
pub fn other_number_spelling(language: Option<TextLanguage>, word: &str) -> Option<String> {
    let words = words_of(language);
    if let Some(at) = words.iter().position(|one| *one == word) {
        return Some((FIRST + at).to_string());
    }
    let number: usize = word.parse().ok()?;
    words.get(number.checked_sub(FIRST)?).map(|word| (*word).to_owned())
}

fn words_of(language: Option<TextLanguage>) -> [&'static str; 11] {
    match language {
        Some(TextLanguage::German) => [
            "zwei", "drei", "vier", "fünf", "sechs", "sieben", "acht", "neun", "zehn", "elf",
            "zwölf",
        ],
        Some(TextLanguage::Spanish) => [
            "dos", "tres", "cuatro", "cinco", "seis", "siete", "ocho", "nueve", "diez", "once",
            "doce",
        ],
        Some(TextLanguage::French) => [
            "deux", "trois", "quatre", "cinq", "six", "sept", "huit", "neuf", "dix", "onze",
            "douze",
        ],
        Some(TextLanguage::Portuguese) => [
            "dois", "três", "quatro", "cinco", "seis", "sete", "oito", "nove", "dez", "onze",
            "doze",
        ],
        Some(TextLanguage::Italian) => [
            "due", "tre", "quattro", "cinque", "sei", "sette", "otto", "nove", "dieci", "undici",
            "dodici",
        ],
        Some(TextLanguage::Dutch) => [
            "twee", "drie", "vier", "vijf", "zes", "zeven", "acht", "negen", "tien", "elf",
            "twaalf",
        ],
        _ => [
            "two", "three", "four", "five", "six", "seven", "eight", "nine", "ten", "eleven",
            "twelve",
        ],
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_number_has_a_word_and_a_word_has_digits() {
        let german = Some(TextLanguage::German);
        for (language, word, other) in [
            (None, "three", Some("3")),
            (None, "12", Some("twelve")),
            (german, "drei", Some("3")),
            (german, "3", Some("drei")),
            (german, "three", None),
            (None, "1", None),
            (None, "13", None),
            (None, "tree", None),
        ] {
            assert_eq!(other_number_spelling(language, word).as_deref(), other, "{word}");
        }
    }
}
