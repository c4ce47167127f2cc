//! Quipu's own dialect.

mod invalid_arguments;
mod replaced_memories;
mod surface;
mod tools;
