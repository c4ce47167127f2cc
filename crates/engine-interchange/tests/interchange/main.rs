//! Tests of import and export: round trips, the layout of files, and hostile input.

#![allow(
    clippy::unwrap_used,
    clippy::expect_used,
    clippy::panic,
    reason = "a failing helper fails the test"
)]

// The short name under which every other crate depends on it.
extern crate quipu_interchange as interchange;

mod amem_fidelity;
mod amem_layout;
mod amem_roundtrip;
mod codememory;
mod epitome;
mod erasure_proposals;
mod extracts;
mod fixture;
mod foreign_formats;
mod forgotten_texts;
mod hostile_amem;
mod jsonl;
mod librarian_vault;
mod note_vault;
mod rows_and_profile;
mod synthetic;
