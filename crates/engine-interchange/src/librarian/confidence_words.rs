//! Confidence in words, as The Librarian has it. The words are stored unchanged; well-known ones
//! also set the numeric confidence that filters and reviews use.

/// Well-known notes and their numeric confidence.
const KNOWN_NOTES: [(&str, f32); 17] = [
    ("certain", 1.0),
    ("verified", 1.0),
    ("confirmed", 1.0),
    ("very high", 0.98),
    ("high", 0.95),
    ("confident", 0.95),
    ("likely", 0.75),
    ("probable", 0.75),
    ("medium", 0.7),
    ("moderate", 0.7),
    ("tentative", 0.4),
    ("uncertain", 0.4),
    ("unsure", 0.4),
    ("maybe", 0.4),
    ("low", 0.3),
    ("very low", 0.2),
    ("guess", 0.2),
];

/// Returns the numeric confidence of a note: a well-known word, a number from 0 to 1, or a
/// percentage.
#[must_use]
pub fn confidence_in_words(note: &str) -> Option<f32> {
    let note = note.trim().to_lowercase();
    let usual = KNOWN_NOTES.iter().find(|(word, _)| *word == note).map(|(_, value)| *value);
    usual.or_else(|| parse_number(&note))
}

fn parse_number(note: &str) -> Option<f32> {
    let value = match note.strip_suffix('%') {
        Some(percent) => percent.trim().parse::<f32>().ok()? / 100.0,
        None => note.parse().ok()?,
    };
    (0.0..=1.0).contains(&value).then_some(value)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn words_numbers_and_shares_are_understood_and_others_left_as_they_are() {
        assert_eq!(confidence_in_words(" High "), Some(0.95));
        assert_eq!(confidence_in_words("0.5"), Some(0.5));
        assert_eq!(confidence_in_words("80%"), Some(0.8));
        for other in ["", "NaN", "1.5", "-1", "as far as Ana knows"] {
            assert_eq!(confidence_in_words(other), None, "{other}");
        }
    }
}
