//! Quipu's own dialect.

mod calls;
mod odd;
mod surface;
