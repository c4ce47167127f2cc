//! Quipu's own dialect.

mod invalid_arguments;
mod profile_values;
mod replaced_memories;
mod rows;
mod surface;
mod tools;
