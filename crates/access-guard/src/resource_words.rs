//! Names of resources as people say them. Grants and the audit log keep the names that agents know
//! from Epitome, `vectors` and `graph`; a person reads and writes "memories" and "entities".

/// Areas with the word that a person uses for each.
const WORDS: [(&str, &str); 4] =
    [("*", "everything"), ("vectors", "memories"), ("graph", "entities"), ("memory", "review")];

/// Further words that people try.
const SYNONYMS: [(&str, &str); 5] = [
    ("*", "all"),
    ("vectors", "collections"),
    ("vectors", "collection"),
    ("tables", "table"),
    ("erase", "deleting"),
];

/// Returns the stored name of a resource that is written in a person's words; others are unchanged.
#[must_use]
pub fn resource_from_words(written: &str) -> String {
    let (area, name) =
        written.split_once('/').map_or((written, None), |(area, name)| (area, Some(name)));
    let is_word = |word: &str| word.eq_ignore_ascii_case(area);
    let stored = WORDS.iter().chain(&SYNONYMS).find(|(_, word)| is_word(word));
    let area = stored.map_or(area, |(stored, _)| *stored);
    name.map_or_else(|| area.to_owned(), |name| format!("{area}/{name}"))
}

/// Returns a stored resource in the words that a person may also write.
#[must_use]
pub fn resource_in_words(stored: &str) -> String {
    let (area, name) =
        stored.split_once('/').map_or((stored, None), |(area, name)| (area, Some(name)));
    let word = WORDS.iter().find(|(known, _)| *known == area).map_or(area, |(_, word)| *word);
    name.map_or_else(|| word.to_owned(), |name| format!("{word}/{name}"))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn words_of_people_and_stored_names_mean_the_same() {
        for (words, stored) in [
            ("memories", "vectors"),
            ("memories/work", "vectors/work"),
            ("entities", "graph"),
            ("review", "memory"),
            ("everything", "*"),
            ("tables/meals", "tables/meals"),
            ("profile", "profile"),
        ] {
            assert_eq!(resource_from_words(words), stored, "{words}");
            assert_eq!(resource_in_words(stored), words, "{stored}");
            assert_eq!(resource_from_words(stored), stored, "a stored name stays");
        }
        assert_eq!(resource_from_words("Memories"), "vectors");
        assert_eq!(resource_from_words("collections/work"), "vectors/work");
    }
}
