//! Quipu's own dialect.

mod invalid_arguments;
mod surface;
mod tools;
