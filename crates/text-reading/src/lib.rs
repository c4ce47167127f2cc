//! Shallow reading of text: mentions, negations, stated relations, the comparison of two texts,
//! wiki links and markdown sections. Pure functions over text: no I/O, no clock, no panics on any
//! input, and every range falls on character boundaries. It does not know memories, owners or
//! stores. Dates are read by the crate `dates` and credentials by the crate `secrets`.

mod comparison;
mod instruction_trigger;
mod lines;
mod mentions;
mod negation;
mod passages;
mod relations;
mod search_terms;
mod sections;
mod sentences;
mod summary;
mod terms;
mod wiki_links;
mod word_list;
mod word_spans;

pub use comparison::{
    Certainty, DuplicateFinder, LazyText, ParsedText, StatementKind, StatementRelation,
    TextComparison, TextDifference, TextOccasion, compare, statement_kind, without_forget_request,
    without_request,
};
pub use instruction_trigger::instruction_trigger;
pub use mentions::{
    CodeBlock, Declaration, MentionKind, MentionSource, ParsedBlock, TextMention, code_blocks,
    mentions, mentions_with,
};
pub use negation::{Negation, has_negation, negated_terms, negations};
pub use passages::{only_asks, passage_ranges, passages, question_share};
pub use relations::{
    MEDIA_USES, RelationPhrase, RelationQuestion, RelationStatement, RelationSubject, VerbPerson,
    canonical_relation, entity_kind_of_word, media_use_of_word, parse_relation_question,
    relation_in_words, relation_statements, relations_in_profile_field, relations_in_row,
};
pub use search_terms::{contained_terms, has_spaceless_script, search_terms};
pub use sections::{MarkdownSection, sections};
pub use sentences::{contains_all_sentences, sentences};
pub use summary::summary;
pub use terms::{content_terms, light_stem};
pub use wiki_links::wiki_links;

#[cfg(test)]
mod fuzz_tests;
