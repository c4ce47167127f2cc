//! Titles of memories. A title is part of what a memory states: "Retention is 30 days" says one
//! thing under "Alpha service" and another under "Beta service".

use crate::{Memory, NewMemory};
use std::borrow::Cow;
use std::collections::BTreeSet;

/// Words that name nothing in a title. A single letter is not among them: it tells "Crane A" from
/// "Crane B".
const EMPTY_WORDS: [&str; 12] =
    ["an", "and", "for", "in", "info", "memo", "note", "notes", "of", "on", "the", "untitled"];

impl Memory {
    /// Returns the text with the title before it, unless the text begins with the title.
    #[must_use]
    pub fn titled_text(&self) -> Cow<'_, str> {
        titled(self.title.as_deref(), &self.text)
    }
}

impl NewMemory {
    /// Returns the text with the title before it, unless the text begins with the title.
    #[must_use]
    pub fn titled_text(&self) -> Cow<'_, str> {
        titled(self.title.as_deref(), &self.text)
    }

    /// Returns whether a memory with this text and the given title can be about the same: both
    /// titles agree, or this title names nothing that the text does not name.
    #[must_use]
    pub fn is_titled_like(&self, known: Option<&str>) -> bool {
        can_title(known, self.title.as_deref().unwrap_or_default(), &self.text)
    }
}

/// Returns whether a text under a known title can be about what it is about under another.
fn can_title(known: Option<&str>, title: &str, text: &str) -> bool {
    let own = subject_words(title, text);
    let known = known.map(|known| subject_words(known, text));
    own.is_empty() || known.is_some_and(|known| agree(&own, &known))
}

/// Returns whether two titles can name the same subject: one is missing, or has all the words of
/// the other.
#[must_use]
pub fn titles_agree(one: Option<&str>, other: Option<&str>) -> bool {
    let (Some(one), Some(other)) = (one, other) else { return true };
    agree(&subject_words(one, ""), &subject_words(other, ""))
}

fn agree(one: &BTreeSet<String>, other: &BTreeSet<String>) -> bool {
    one.is_subset(other) || other.is_subset(one)
}

/// Returns the words of a title that name something and are not in the text.
fn subject_words(title: &str, text: &str) -> BTreeSet<String> {
    let in_text: BTreeSet<String> = words(text).collect();
    words(title)
        .filter(|word| !EMPTY_WORDS.contains(&word.as_str()) && !in_text.contains(word))
        .collect()
}

/// Returns the lower-cased words of a text, without the ending of a plural.
fn words(text: &str) -> impl Iterator<Item = String> {
    let words = text.split(|c: char| !c.is_alphanumeric()).filter(|word| !word.is_empty());
    words.map(|word| {
        let word = word.to_lowercase();
        let singular = word.strip_suffix('s').filter(|stem| stem.len() > 2 && !stem.ends_with('s'));
        singular.map(str::to_owned).unwrap_or(word)
    })
}

fn titled<'t>(title: Option<&str>, text: &'t str) -> Cow<'t, str> {
    match title.map(str::trim).filter(|title| !title.is_empty()) {
        Some(title) if !begins_with(text, title) => {
            format!("{}: {text}", title.trim_end_matches(':')).into()
        }
        _ => text.into(),
    }
}

fn begins_with(text: &str, title: &str) -> bool {
    let mut text = text.trim_start().chars().flat_map(char::to_lowercase);
    title.chars().flat_map(char::to_lowercase).all(|expected| text.next() == Some(expected))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_title_stands_before_the_text_once() {
        assert_eq!(titled(Some("Host:"), "blue"), "Host: blue");
        assert_eq!(titled(Some("Host"), "host is blue"), "host is blue");
        assert_eq!(titled(Some(" "), "blue"), "blue");
        assert_eq!(titled(None, "blue"), "blue");
    }

    #[test]
    fn titles_agree_when_one_has_the_words_of_the_other() {
        for (one, other, expected) in [
            (Some("Alpha service"), Some("Beta service"), false),
            (Some("Staging database"), Some("Production database"), false),
            (Some("Retention"), Some("The retention policy"), true),
            (Some("Deploys"), Some("deploy"), true),
            (Some("Note"), Some("Crane A"), true),
            (Some("Alpha service"), None, true),
        ] {
            assert_eq!(titles_agree(one, other), expected, "{one:?} {other:?}");
            assert_eq!(titles_agree(other, one), expected, "{other:?} {one:?}");
        }
    }

    #[test]
    fn equal_texts_are_about_the_same_unless_a_title_names_something_else() {
        for (title, text, known, expected) in [
            ("Crane B", "It stands in the yard.", Some("Crane A"), false),
            ("Crane B", "It stands in the yard.", None, false),
            ("Staging host", "The staging host is blue.", None, true),
            ("Staging host", "The staging host is blue.", Some("Note"), true),
            ("Release day", "We deploy on Tuesdays.", Some("Deploy day"), true),
        ] {
            assert_eq!(can_title(known, title, text), expected, "{title} {known:?}");
        }
    }
}
