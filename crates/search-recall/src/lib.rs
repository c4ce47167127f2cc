//! Ranking of search results: retrieves candidates from the view, scores, diversifies and
//! deduplicates them and fits them into a token budget. Pure functions without I/O or clock: the
//! same input gives the same output. Knows nothing of owners, stores or tools.

mod alike;
mod budget;
mod candidates;
mod context;
mod events;
mod near_words;
mod part;
mod question;
mod rank;
mod tokens;
mod variety;
mod weights;
mod wording;

pub use alike::Alike;
pub use budget::{Budget, Fit, shorten};
pub use events::{Event, Side};
pub use near_words::{NEAR_FROM, near_words};
pub use part::{NoSuchPart, Part};
pub use question::{Likeness, Question, without_names};
pub use rank::{Parts, Ranked, rank};
pub use tokens::estimate_tokens;
pub use weights::Weights;
