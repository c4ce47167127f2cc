//! Finds the name that was probably meant, for arguments, fields, values and tools that do not
//! exist.

/// Returns the candidate nearest to `name`, if any is near enough to be worth proposing.
pub fn nearest<'c>(name: &str, candidates: impl IntoIterator<Item = &'c str>) -> Option<&'c str> {
    let wanted = normalize(name);
    let near = candidates
        .into_iter()
        .filter_map(|candidate| Some((distance(&wanted, candidate)?, candidate)));
    near.min_by_key(|(distance, _)| *distance).map(|(_, candidate)| candidate)
}

/// Returns the edit distance; `None` when it is too large to be a typing error.
fn distance(wanted: &str, candidate: &str) -> Option<usize> {
    let candidate = normalize(candidate);
    let edits = strsim::osa_distance(wanted, &candidate);
    // One edit for every three letters; more would propose unrelated words.
    let slip = edits <= (wanted.chars().count() / 3).max(1);
    (slip || one_is_prefix(wanted, &candidate)).then_some(edits)
}

/// Returns true when one name is a prefix of the other, as `budget` of `budget_tokens`.
// Below three letters a common prefix is likely to be an accident.
fn one_is_prefix(a: &str, b: &str) -> bool {
    a.len().min(b.len()) >= 3 && (a.starts_with(b) || b.starts_with(a))
}

/// Removes case and punctuation: `budgetTokens`, `budget-tokens` and `budget_tokens` are one name.
fn normalize(name: &str) -> String {
    // No name of ours is longer; the cut keeps the comparison cheap for hostile input.
    const LENGTH_MAX: usize = 100;
    name.chars()
        .filter(|c| c.is_alphanumeric())
        .flat_map(char::to_lowercase)
        .take(LENGTH_MAX)
        .collect()
}

#[cfg(test)]
mod tests {
    use super::*;

    const NAMES: [&str; 5] = ["query", "limit", "budget_tokens", "tags", "as_of"];

    #[track_caller]
    fn check(name: &str, expected: Option<&str>) {
        assert_eq!(nearest(name, NAMES), expected, "{name}");
    }

    #[test]
    fn a_slip_of_the_finger_finds_the_name() {
        check("querry", Some("query"));
        check("qurey", Some("query"));
        check("tag", Some("tags"));
    }

    #[test]
    fn another_way_to_write_the_name_finds_it() {
        check("budgetTokens", Some("budget_tokens"));
        check("AS-OF", Some("as_of"));
    }

    #[test]
    fn the_start_of_a_name_finds_it() {
        check("budget", Some("budget_tokens"));
    }

    #[test]
    fn a_different_word_finds_nothing() {
        check("colour", None);
        check("", None);
        check(&"q".repeat(1_000_000), None);
    }
}
