//! The embedder against endpoints on loopback over real HTTP: working, slow or failing ones, and
//! ones with invalid responses.

#![expect(clippy::unwrap_used, reason = "a test that cannot go on should fail")]

extern crate quipu_embed_endpoint as embed_endpoint;

mod failing;
mod fixture;
mod invalid_responses;
mod working;
