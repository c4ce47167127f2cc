//! An endpoint that is asked over real HTTP on loopback: one that answers, one that is slow or
//! fails, one that lies.

#![expect(clippy::unwrap_used, reason = "a test that cannot go on should fail")]

extern crate quipu_embed_endpoint as embed_endpoint;

mod answers;
mod fails;
mod lies;
mod server;
