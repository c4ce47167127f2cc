//! Tokens of ordinary and odd texts, compared with the reference implementation of the model.

use serde_json::Value;

use super::*;

#[test]
fn odd_texts_get_the_ids_that_the_reference_gives_them() {
    let cases: Vec<Value> =
        serde_json::from_str(include_str!("../../../model/tokens.json")).unwrap();
    assert_eq!(cases.len(), 129);
    for case in cases {
        let ids: Vec<u32> = serde_json::from_value(case["ids"].clone()).unwrap();
        assert_eq!(tokenize(case["text"].as_str().unwrap()), ids, "{}", case["text"]);
    }
}

#[test]
fn golden_texts_get_their_published_ids() {
    let cases: Vec<Value> =
        serde_json::from_str(include_str!("../../../model/golden.json")).unwrap();
    assert_eq!(cases.len(), 30);
    for case in cases {
        let ids: Vec<u32> = serde_json::from_value(case["ids"].clone()).unwrap();
        let tokens = tokenize(case["text"].as_str().unwrap());
        let window = crate::bundled::windows::windows(&tokens).next().unwrap();
        assert_eq!(window, ids, "{}", case["text"]);
    }
}

#[test]
fn a_text_without_words_has_no_pieces() {
    assert!(tokenize(" \t\n\u{3000}").is_empty());
}

#[test]
fn capitals_and_accents_make_no_difference() {
    assert_eq!(tokenize("Résumé ÉCOLE"), tokenize("resume ecole"));
}

#[test]
fn a_word_with_an_unknown_character_is_unknown_as_a_whole() {
    let [before, _, after] = tokenize("before xxყyy after")[..] else { panic!("three pieces") };
    assert_eq!(tokenize("before xxყyy after"), [before, UNKNOWN, after]);
}

#[test]
fn in_a_script_without_spaces_only_the_unknown_character_is_unknown() {
    let [before, after] = ["東京", "大学"].map(tokenize);
    let expected = [&before[..], &[UNKNOWN], &after[..]].concat();
    assert_eq!(tokenize("東京\u{2a6d6}大学"), expected);
}

#[test]
fn a_word_is_cut_where_a_script_without_spaces_begins() {
    let parts = ["東京", "tower", "大学"].map(tokenize).concat();
    assert_eq!(tokenize("東京Tower大学"), parts);
}

#[test]
fn a_word_of_a_hundred_characters_is_split_and_a_longer_one_is_unknown() {
    assert!(tokenize(&"a".repeat(MAX_WORD_CHARS)).len() > 1);
    assert_eq!(tokenize(&"a".repeat(MAX_WORD_CHARS + 1)), [UNKNOWN]);
}
