//! Setting up clients in a temporary home directory, and undoing it.

#![expect(clippy::unwrap_used, reason = "a test that cannot go on should fail")]

mod file_shapes;
mod home;
mod other_memories;
mod refusals;
mod round_trip;
mod shared_files;
