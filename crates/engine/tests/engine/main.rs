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
mod begun;
mod briefing;
mod choose;
mod consent;
mod correct;
mod credentials;
mod curate;
mod current;
mod embedder;
mod entities;
mod erase;
mod explore;
mod fixture;
mod forget;
mod handoffs;
mod listing;
mod maintenance;
mod near_words;
mod news;
mod picture;
mod profile;
mod recall;
mod remember;
mod review;
mod screening;
mod select;
mod sessions;
mod similar;
mod spoken;
mod tables;
mod ties;
mod undo;
mod verify;
mod views;
mod workspaces;
