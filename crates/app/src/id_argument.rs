//! Ids in arguments. A number is enough; `#17` and the letter of its kind (`m17` for a memory) are
//! understood too, since people copy ids with what stands before them.

/// Parses the id of a memory.
///
/// # Errors
/// Fails when it is no id; clap shows the message.
pub fn memory_id(text: &str) -> Result<i64, String> {
    parse(text, "memory", "m")
}

/// Parses the id of a review item.
///
/// # Errors
/// Fails when it is no id; clap shows the message.
pub fn review_id(text: &str) -> Result<i64, String> {
    parse(text, "review item", "r")
}

/// Parses the id of a handoff.
///
/// # Errors
/// Fails when it is no id; clap shows the message.
pub fn handoff_id(text: &str) -> Result<i64, String> {
    parse(text, "handoff", "h")
}

/// Parses the id of a key.
///
/// # Errors
/// Fails when it is no id; clap shows the message.
pub fn key_id(text: &str) -> Result<i64, String> {
    parse(text, "key", "k")
}

fn parse(text: &str, kind: &str, letter: &str) -> Result<i64, String> {
    let lower = text.trim().to_lowercase();
    let rest = lower.strip_prefix(kind).or_else(|| lower.strip_prefix(letter)).unwrap_or(&lower);
    let digits = rest.trim_start_matches([' ', ':', '-']).trim_start_matches('#');
    // `m-5` is memory 5, but `-5` is no id.
    let number = digits.parse::<i64>().ok().filter(|number| *number > 0);
    number
        .filter(|_| !lower.starts_with('-'))
        .ok_or_else(|| format!("`{text}` is not the id of a {kind}; use 17, #17 or {letter}17"))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_number_a_hash_and_a_letter_are_the_same_id() {
        for text in ["17", "#17", "m17", "M17", "m#17", "memory 17", "memory:17", " 17 "] {
            assert_eq!(memory_id(text), Ok(17), "{text}");
        }
        assert_eq!((review_id("r3"), handoff_id("h2"), key_id("#4")), (Ok(3), Ok(2), Ok(4)));
    }

    #[test]
    fn anything_else_is_refused_with_an_example() {
        for text in ["", "r17", "-17", "0", "m", "17a", "99999999999999999999"] {
            assert!(memory_id(text).unwrap_err().contains("m17"), "{text}");
        }
    }
}
