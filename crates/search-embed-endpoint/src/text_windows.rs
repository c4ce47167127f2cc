//! Splits a text into windows: models read a limited amount at once, and some endpoints reject
//! longer inputs.

/// Maximum number of windows per text. Each counts half as much as the one before it, so a ninth
/// would not matter.
pub(crate) const WINDOWS_MAX: usize = 8;

/// Splits a text into at least one window of at most `chars` characters, at word boundaries where
/// possible.
pub(crate) fn split_into_windows(text: &str, chars: usize) -> Vec<&str> {
    let mut windows = Vec::new();
    let mut rest = text.trim();
    while windows.len() < WINDOWS_MAX {
        let (window, after) = rest.split_at(window_end(rest, chars));
        windows.push(window.trim_end());
        rest = after.trim_start();
        if rest.is_empty() {
            break;
        }
    }
    windows
}

/// Returns the end of the first window in bytes.
fn window_end(text: &str, chars: usize) -> usize {
    let Some((end, _)) = text.char_indices().nth(chars) else { return text.len() };
    // A space in the first half would waste most of the window: then a long word is cut instead.
    let space = text[..end].rfind(char::is_whitespace).filter(|&at| at > end / 2);
    space.unwrap_or(end)
}

/// Estimates the number of tokens of a text, for endpoints that do not report it.
pub(crate) fn estimate_token_count(text: &str) -> u64 {
    const BYTES_PER_TOKEN: u64 = 4;
    text.len() as u64 / BYTES_PER_TOKEN + 1
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_short_text_is_one_window_and_an_empty_one_too() {
        assert_eq!(split_into_windows(" short ", 100), ["short"]);
        assert_eq!(split_into_windows("  ", 100), [""]);
    }

    #[test]
    fn a_long_text_is_split_between_words() {
        assert_eq!(split_into_windows("one two three four", 9), ["one two", "three", "four"]);
    }

    #[test]
    fn an_endless_word_is_split_between_characters_and_no_text_has_more_than_eight_windows() {
        let endless = "é".repeat(1_000);
        let cut = split_into_windows(&endless, 100);
        assert_eq!((cut.len(), cut[0].chars().count()), (WINDOWS_MAX, 100));
    }
}
