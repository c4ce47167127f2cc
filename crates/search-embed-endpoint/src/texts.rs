//! A text in windows: models read only so much at a time, and some endpoints refuse what is longer.

/// The most windows of one text. Each counts half as much as the one before it, so a ninth would
/// say nothing.
pub(crate) const WINDOWS_MAX: usize = 8;

/// The windows of a text, at least one, each of at most so many characters and cut between words
/// where that goes.
pub(crate) fn windows(text: &str, chars: usize) -> Vec<&str> {
    let mut windows = Vec::new();
    let mut rest = text.trim();
    while windows.len() < WINDOWS_MAX {
        let (window, after) = rest.split_at(end_of_window(rest, chars));
        windows.push(window.trim_end());
        rest = after.trim_start();
        if rest.is_empty() {
            break;
        }
    }
    windows
}

/// Where the window that a text begins with ends, in bytes.
fn end_of_window(text: &str, chars: usize) -> usize {
    let Some((end, _)) = text.char_indices().nth(chars) else { return text.len() };
    let space = text[..end].rfind(char::is_whitespace).filter(|&at| at > end / 2);
    space.unwrap_or(end)
}

/// About how many tokens a text costs, where the endpoint does not say.
pub(crate) fn tokens(text: &str) -> u64 {
    const BYTES_A_TOKEN: u64 = 4;
    text.len() as u64 / BYTES_A_TOKEN + 1
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_short_text_is_one_window_and_an_empty_one_too() {
        assert_eq!(windows(" short ", 100), ["short"]);
        assert_eq!(windows("  ", 100), [""]);
    }

    #[test]
    fn a_long_text_is_cut_between_words() {
        assert_eq!(windows("one two three four", 9), ["one two", "three", "four"]);
    }

    #[test]
    fn an_endless_word_is_cut_between_characters_and_no_text_has_more_than_eight_windows() {
        let endless = "é".repeat(1_000);
        let cut = windows(&endless, 100);
        assert_eq!((cut.len(), cut[0].chars().count()), (WINDOWS_MAX, 100));
    }
}
