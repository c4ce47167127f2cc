//! Rules that every backend applies alike: limits of a change, steps of a handoff, codes and text
//! forms of stored values. They read no storage, so that a backend adds only its statements.

pub mod checks;
pub mod codes;
pub mod encoding;
mod entity_kinds;
pub mod handoff_steps;
pub mod imports;
mod lookup_keys;
pub mod merges;
mod narrowing;
pub mod profile_erasure;
mod receipt_builder;
mod write_size;

pub use entity_kinds::{
    KIND_NAME, KIND_TOOL, KIND_UNKNOWN, is_vague_kind, may_be_tool, may_have_proper_name,
};
pub use lookup_keys::{first_name_range, fold_name, text_key};
pub use narrowing::ColumnNarrowing;
pub use receipt_builder::ReceiptBuilder;
pub use write_size::{SMALL_CHANGE_BYTES, change_bytes, erases_text};
