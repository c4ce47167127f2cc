//! Everything that reads a text of a stranger, on samples that are changed at random.

use crate::{
    StatementRelation, code_blocks, compare, contains_all_sentences, content_terms,
    instruction_trigger, mentions, negations, parse_relation_question, passages,
    relation_statements, search_terms, sections, statement_kind, summary, wiki_links,
};
use fuzz::FuzzTarget;

#[test]
fn no_text_makes_reading_fail() {
    FuzzTarget::new("reading", env!("CARGO_MANIFEST_DIR"), 150).run(|bytes| {
        let text = String::from_utf8_lossy(bytes);
        let entities = mentions(&text);
        assert!(entities.iter().all(|one| !one.name.is_empty()));
        let counts = [
            entities.len(),
            relation_statements(&text).len(),
            negations(&text).len(),
            passages(&text).len(),
            sections(&text).len(),
            wiki_links(&text).len(),
            code_blocks(&text).len(),
        ];
        assert!(summary(&text, 80).chars().count() <= 81);
        let questions = parse_relation_question(&text).is_some();
        let terms = search_terms(&text).len() + content_terms(&text).len();
        (counts, questions, terms > 0, instruction_trigger(&text).is_some())
    });
}

#[test]
fn no_two_texts_make_the_comparison_fail() {
    FuzzTarget::new("reading", env!("CARGO_MANIFEST_DIR"), 40).run(|bytes| {
        let text = String::from_utf8_lossy(bytes);
        let middle = (0..=text.len() / 2).rev().find(|at| text.is_char_boundary(*at));
        let (earlier, later) = text.split_at(middle.unwrap_or(0));
        let compared = compare(earlier, later);
        let kinds =
            [statement_kind(earlier), statement_kind(later)].map(|kind| format!("{kind:?}"));
        (kinds, compared.is_same(), contains_all_sentences(earlier, later))
    });
}

#[test]
fn a_long_sentence_is_compared_for_equality_only() {
    let earlier = format!("The port is 8080 {}", "and the host of the shop is blue ".repeat(3_000));
    let later = earlier.replace("8080", "9090");
    FuzzTarget::check("a long sentence", earlier.as_bytes(), move |bytes| {
        let earlier = String::from_utf8_lossy(bytes);
        assert!(compare(&earlier, &earlier).is_same());
        assert_eq!(compare(&earlier, &later).relation, StatementRelation::Unrelated);
    });
}
