//! The use cases of a memory, one file each, called by every dialect, page and command. Rules that
//! belong to all dialects live and are tested here. Knows no transport, no tool name and no SQL.

pub mod add_memory;
pub mod briefing;
pub mod correct;
pub mod counted_ids;
pub mod counts;
pub mod curate;
pub mod decay;
pub mod edit;
pub mod edit_details;
pub mod entities;
pub mod erasure;
pub mod explore;
pub mod external_search;
pub mod facts;
pub mod forget;
pub mod forget_candidates;
pub mod get;
mod handles;
pub mod handoffs;
pub mod links;
pub mod listing;
pub mod listing_by_source;
pub mod marks;
pub mod overview;
pub mod periods;
pub mod profile;
pub mod quality;
pub mod query;
pub mod recall;
pub mod references;
pub mod relations;
pub mod remember;
pub mod review;
mod search_words;
pub mod sessions;
pub mod similar;
pub mod since_last_visit;
pub mod statistics;
pub mod suggest;
pub mod tables;
pub mod transcripts;
pub mod verify;
pub mod versions;
pub mod workspaces;

pub use handles::{
    Caches, Graph, Handoffs, Memories, Profile, References, Reviews, Sessions, Tables, Workspaces,
};
