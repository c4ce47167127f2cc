//! Quipu's own dialect.

mod calls;
mod surface;
