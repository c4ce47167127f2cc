//! Shallow reading of text: mentions, negations, stated relations, contradictions, wiki links and
//! markdown sections. Pure functions over text: no I/O, no clock, no panics on any input, and every
//! range falls on character boundaries. It does not know memories, owners or stores. Dates are read
//! by the crate `dates` and credentials by the crate `secrets`.

mod contradiction;
mod lines;
mod mentions;
mod negation;
mod occasion;
mod passages;
mod sameness;
mod sections;
mod sentences;
mod summary;
mod terms;
mod ties;
mod wiki_links;
mod word_list;
mod words;

pub use contradiction::{Reason, Statements, contradicts};
pub use mentions::{
    CodeBlock, Declared, Mention, MentionKind, ParsedBlock, Source, code_blocks, mentions,
    mentions_with,
};
pub use negation::{Negation, negated, negated_terms, negations};
pub use occasion::occasion;
pub use passages::{asking, passages};
pub use sameness::says_the_same;
pub use sections::{Section, sections};
pub use sentences::says_all_of;
pub use summary::summary;
pub use terms::{content_terms, root};
pub use ties::{
    Asked, Party, Tie, asked, kind_of_word, relation_named, ties, ties_in_field, ties_in_row,
};
pub use wiki_links::wiki_links;
