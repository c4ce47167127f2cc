//! Tags for a memory that was stored without any: those of the contract's ten words that occur in
//! the text as whole words.

/// Tags, each with the other word forms that produce it.
const TAG_WORDS: [(&str, &[&str]); 10] = [
    ("bug", &["bugs", "bugfix", "bugfixes"]),
    ("error", &["errors"]),
    ("fix", &["fixes", "fixed", "fixing"]),
    ("database", &["databases", "db"]),
    ("api", &["apis"]),
    ("frontend", &["front-end"]),
    ("backend", &["back-end"]),
    ("ui", &["uis"]),
    ("test", &["tests", "tested", "testing"]),
    ("deploy", &["deploys", "deployed", "deploying", "deployment", "deployments"]),
];
/// Tag of a text that contains none of the words.
const DEFAULT_TAG: &str = "general";

/// Returns the tags of a text.
pub(super) fn infer(text: &str) -> Vec<String> {
    let lower = text.to_lowercase();
    let has = |wanted: &str| words(&lower).any(|word| word == wanted);
    let found =
        TAG_WORDS.iter().filter(|(word, forms)| has(word) || forms.iter().any(|form| has(form)));
    let mut tags: Vec<String> = found.map(|(word, _)| (*word).to_owned()).collect();
    if tags.is_empty() {
        tags.push(DEFAULT_TAG.to_owned());
    }
    tags
}

fn words(lower: &str) -> impl Iterator<Item = &str> {
    // A hyphen is part of a word, so that "front-end" is one word.
    lower.split(|c: char| !c.is_alphanumeric() && c != '-').map(|word| word.trim_matches('-'))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn only_whole_words_count() {
        assert_eq!(infer("We build the latest contest guide quickly"), ["general"]);
        assert_eq!(
            infer("Fixed the API: its DB tests failed."),
            ["fix", "database", "api", "test"]
        );
        assert_eq!(infer("The front-end shows an error"), ["error", "frontend"]);
        assert_eq!(infer(""), ["general"]);
    }
}
