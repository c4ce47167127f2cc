//! Quipu's own dialect.

mod invalid_arguments;
mod profile_values;
mod rows;
mod surface;
mod tools;
