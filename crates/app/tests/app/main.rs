//! The real binary in homes of its own: what it says, how it ends, and what survives it.

#![expect(clippy::unwrap_used, clippy::panic, reason = "a test that cannot go on should fail")]

mod commands;
mod configuration;
mod crash;
mod eval;
mod help;
mod many;
mod mcp;
mod place;
mod readme;
mod serve;
mod stable;
mod terminal;
