//! Tests of the use cases over a real store, one module per use case.

#![allow(
    clippy::unwrap_used,
    clippy::expect_used,
    clippy::panic,
    reason = "a failing helper must end the test"
)]

// The short name by which the other crates know it.
extern crate quipu_engine as engine;

mod activity;
mod backups;
mod briefing;
mod consent;
mod conversations;
mod correct;
mod credentials;
mod curate;
mod current;
mod dialect_switch;
mod early_embedding;
mod embedder;
mod entities;
mod erase;
mod erasure;
mod explore;
mod extracts;
mod first_names;
mod fixture;
mod forget;
mod forgotten_bytes;
mod handoffs;
mod hidden_entities;
mod listing;
mod maintenance;
mod memory_map;
mod near_words;
mod occasions;
mod profile;
mod profile_property;
mod profile_values;
mod proposals;
mod query;
mod recall;
mod remember;
mod review;
mod review_order;
mod rivals;
mod row_events;
mod row_memories;
mod screening;
mod select;
mod sessions;
mod shared_views;
mod similar;
mod since_last_visit;
mod stated_relations;
mod successors;
mod tables;
mod titles;
mod transcripts;
mod undo;
mod updates;
mod verify;
mod views;
mod workspaces;
