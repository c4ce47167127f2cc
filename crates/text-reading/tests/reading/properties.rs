//! Properties for arbitrary text: nothing panics, every range is on character boundaries, and every
//! limit holds.

use std::ops::Range;

use proptest::prelude::*;
use quipu_reading as reading;

/// Texts of fragments that the finders look for, in any order, and of arbitrary characters.
fn texts() -> impl Strategy<Value = String> {
    let piece = prop_oneof![
        3 => prop::sample::select(PIECES.to_vec()).prop_map(str::to_owned),
        1 => any::<String>(),
        1 => "[ -~]{0,12}",
        1 => "\\PC{0,6}",
    ];
    prop::collection::vec(piece, 0..24).prop_map(|pieces| pieces.concat())
}

#[rustfmt::skip]
const PIECES: &[&str] = &[
    " ", " ", " ", "\n", "\n\n", "\r\n", "```", "```rust\n", "~~~\n", "`", "# ", "## ", "---\n",
    "===\n", "[[", "]]", "|", "May", "2024", "last ", " and ", " to ", "before ", "99999", "of ",
    "–", "-", "the ", "not ", "n't", "never ", "no longer ", "instead of ", ", ", "; ", ". ", "? ",
    "! ", "I live in ", "Berlin", "is ", "port: ", "prefer ", " over ", "password", "token",
    "secret", "=", ":", "\"", "'", "Bearer ", "eyJ", "sk-ant-", "ghp_", "qp_", "://", "@", "a:b@c",
    "-----BEGIN ", "PRIVATE KEY-----", "-----END ", "AKIA", "x9K2mP7qR4tV8wYzB3nD6fG1hJ5", "foo()",
    "foo_bar", "HashMap", "a::b", "src/lib.rs", "C:\\x.rs", "HOME_DIR", "TypeError", "E0382",
    "#123", "ABC-12", "https://", "www.", "user@example.com", "@ana", "my friend ", "works at ",
    "lives in ", "Ana", "Smith", "O’Neil", "É", "fn main", "def f(", "class A", "\u{200b}",
    "\u{200d}", "👩", "\u{fe0f}", "\u{202e}", "\u{e0041}", "日本語。", "ñ", "ß", "İ",
];

fn on_boundaries(text: &str, range: &Range<usize>) -> bool {
    range.start <= range.end && text.get(range.clone()).is_some()
}

proptest! {
    #![proptest_config(ProptestConfig {
        cases: 256, failure_persistence: None, ..ProptestConfig::default()
    })]

    #[test]
    fn mentions_are_bounded_and_distinct(text in texts()) {
        let found = reading::mentions(&text);
        prop_assert!(found.len() <= 50);
        let mut seen = std::collections::HashSet::new();
        for mention in found {
            prop_assert!(!mention.name.is_empty() && mention.name.chars().count() <= 200);
            prop_assert!(seen.insert((mention.kind, mention.name.to_lowercase())));
        }
    }

    #[test]
    fn negations_are_on_boundaries_and_terms_are_not_empty(text in texts()) {
        for negation in reading::negations(&text) {
            prop_assert!(on_boundaries(&text, &negation.cue));
            prop_assert!(on_boundaries(&text, &negation.scope));
        }
        for term in reading::content_terms(&text) {
            prop_assert!(!term.is_empty());
            prop_assert!(term.starts_with(reading::light_stem(&term)));
        }
    }

    #[test]
    fn the_same_is_the_same_both_ways_and_differences_are_on_boundaries(
        a in texts(),
        b in texts(),
    ) {
        let forward = reading::compare(&a, &b);
        prop_assert_eq!(forward.is_same(), reading::compare(&b, &a).is_same());
        prop_assert!(reading::compare(&a, &a).is_same());
        for difference in forward.differences {
            prop_assert!(on_boundaries(&a, &difference.earlier));
            prop_assert!(on_boundaries(&b, &difference.later));
        }
    }

    #[test]
    fn sections_cover_the_document_in_order(text in texts()) {
        let mut last = 0;
        for section in reading::sections(&text) {
            prop_assert!(on_boundaries(&text, &section.range) && section.range.start >= last);
            prop_assert!(section.level <= 6 && section.path.len() <= 6);
            last = section.range.end;
        }
        prop_assert!(last == text.len() || text.trim().is_empty());
    }

    #[test]
    fn passages_are_parts_of_the_text_and_the_question_share_is_a_share(text in texts()) {
        let passages = reading::passages(&text);
        prop_assert!(passages.len() != 1 && passages.len() <= 6);
        for passage in passages {
            prop_assert!(text.contains(passage) && !passage.trim().is_empty());
        }
        prop_assert!((0.0..=1.0).contains(&reading::question_share(&text)));
    }

    #[test]
    fn a_trigger_is_a_part_of_its_instruction(text in texts()) {
        let instruction = format!("Always {text} when {text}");
        let trigger = reading::instruction_trigger(&instruction).unwrap_or("when");
        prop_assert!(instruction.contains(trigger) && !trigger.trim().is_empty());
    }

    #[test]
    fn summaries_respect_their_maximum_length(text in texts(), max in 0_usize..200) {
        prop_assert!(reading::summary(&text, max).chars().count() <= max);
        for link in reading::wiki_links(&text) {
            prop_assert!(!link.is_empty() && !link.contains('\n'));
        }
    }
}
