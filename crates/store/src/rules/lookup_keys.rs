//! Keys under which texts and names are looked up in indexes.

use model::ContentHash;
use std::ops::Range;

/// Returns the first eight bytes of a content hash as an index key.
// Enough to find the few candidates; their texts are then compared in full.
#[must_use]
pub fn text_key(hash: ContentHash) -> i64 {
    let [a, b, c, d, e, f, g, h, ..] = hash.0;
    i64::from_be_bytes([a, b, c, d, e, f, g, h])
}

/// Returns a name in lower case with single spaces.
#[must_use]
pub fn fold_name(name: &str) -> String {
    name.split_whitespace().collect::<Vec<_>>().join(" ").to_lowercase()
}

/// Returns the range of folded names that have several words and begin with this one.
#[must_use]
pub fn first_name_range(first: &str) -> Range<String> {
    let first = fold_name(first);
    // `!` is the character after the space, and both backends compare names by their bytes.
    format!("{first} ")..format!("{first}!")
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn names_that_differ_in_case_and_spaces_are_equal() {
        assert_eq!(fold_name("  Ada   LOVELACE "), fold_name("ada lovelace"));
        assert_ne!(fold_name("ada lovelace"), fold_name("adalovelace"));
    }
}
