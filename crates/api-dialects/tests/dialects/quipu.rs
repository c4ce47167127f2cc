//! Quipu's own dialect.

mod invalid_arguments;
mod profile_values;
mod replaced_memories;
mod resources_and_prompts;
mod rows;
mod surface;
mod tools;
