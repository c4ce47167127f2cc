//! Ranking of search results: retrieves candidates from the view, scores, diversifies and
//! deduplicates them and fits them into a token budget. Pure functions without I/O or clock: the
//! same input gives the same output. Knows nothing of owners, stores or tools.

mod budget;
mod candidates;
mod confidence;
mod context;
mod corrections;
mod diversify;
mod events;
mod foreign_question;
mod near_words;
mod query_wording;
mod rank;
mod ranking_part;
mod recall_query;
mod token_estimate;
mod update_order;
mod weights;
mod wording_phrases;

pub use budget::{BudgetFit, TextSize, TokenBudget, truncate_to_tokens};
pub use confidence::{AnswerConfidence, QuestionWord};
pub use corrections::CorrectedQuestion;
pub use events::{EventSide, QueryEvent};
pub use near_words::{NEAR_COSINE_MIN, near_words};
pub use rank::{RankedMemory, ScoreParts, passage_similarities, rank};
pub use ranking_part::{RankingPart, UnknownPart};
pub use recall_query::{CosineScale, RecallQuery, without_speaker_names};
pub use token_estimate::estimate_tokens;
pub use update_order::{DatedResult, newer_restatement};
pub use weights::RankingWeights;
