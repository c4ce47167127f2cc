//! Cuts long texts inside a value. The mark at the end says how much of the text is shown.

use engine::estimate_tokens;
use serde_json::Value;

/// Number of characters that a text is cut in multiples of.
const PIECE_CHARS: usize = 16;

/// Cuts every text to a number of tokens, except under the given fields. Returns true if any was
/// cut.
pub(super) fn cut_texts(value: &mut Value, tokens: usize, except: &[&str]) -> bool {
    match value {
        Value::String(text) => cut_text(text, tokens),
        Value::Array(items) => {
            items.iter_mut().fold(false, |cut, item| cut_texts(item, tokens, except) | cut)
        }
        Value::Object(fields) => fields
            .iter_mut()
            .filter(|(name, _)| !except.contains(&name.as_str()))
            .fold(false, |cut, (_, inner)| cut_texts(inner, tokens, except) | cut),
        _ => false,
    }
}

fn cut_text(text: &mut String, tokens: usize) -> bool {
    if estimate_tokens(text) <= tokens {
        return false;
    }
    // A text that was cut before is cut again from what is left of it; the first mark, which has
    // the true length, stays.
    let (body, length) = match text.rsplit_once(" … [cut: ").and_then(|(body, mark)| {
        let length = mark.strip_suffix(" characters]")?.rsplit(' ').next()?.parse().ok()?;
        Some((body, length))
    }) {
        Some((body, length)) => (body.to_owned(), length),
        None => (text.clone(), text.chars().count()),
    };
    let kept = beginning(&body, tokens);
    let shown = kept.chars().count();
    *text = format!("{kept} … [cut: {shown} of {length} characters]");
    true
}

/// Returns the beginning of a text within a number of tokens, in one pass.
pub(crate) fn beginning(text: &str, tokens: usize) -> &str {
    let mut pieces = text.char_indices().map(|(at, _)| at).step_by(PIECE_CHARS).skip(1);
    let (mut end, mut spent) = (0, 0);
    loop {
        let next = pieces.next().unwrap_or(text.len());
        spent += estimate_tokens(&text[end..next]);
        if spent > tokens {
            return text[..end].trim_end();
        }
        end = next;
        if end == text.len() {
            return text;
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use serde_json::json;

    #[test]
    fn a_long_text_says_how_much_of_it_is_shown() {
        let mut value = json!({"id": 1, "body": "word ".repeat(1_000), "short": "as it is"});
        assert!(cut_texts(&mut value, 100, &[]));
        let once = value["body"].as_str().unwrap().to_owned();
        assert!(once.ends_with(" of 5000 characters]"), "{once}");
        assert_eq!(value["short"], "as it is");
        assert!(cut_texts(&mut value, 20, &[]));
        let twice = value["body"].as_str().unwrap();
        assert!(twice.ends_with(" of 5000 characters]") && twice.matches("[cut").count() == 1);
        assert!(!cut_texts(&mut json!({"document": "word ".repeat(99)}), 9, &["document"]));
    }
}
