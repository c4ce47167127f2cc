//! Statements of a user's message that are worth keeping: decisions, preferences, corrections,
//! standing rules, facts about the user, and whatever the user asks to remember. Only explicit ones
//! are found, by the words that open them, in English, German, Spanish, French and Chinese: one
//! that is missed can be made again, one that was never meant spoils the memory. Pure functions
//! over text; memories and sessions are not known here.

mod chinese;
mod doubt;
mod english;
mod lead_in;
mod other_languages;
mod own_words;
mod pattern;
mod self_contained;
mod sentence;
mod user_statement;

pub use user_statement::{UserStatement, UserStatementKind, user_statements};

#[cfg(test)]
mod fuzz_tests;
