//! Properties of all functions of the crate: no input makes any of them panic.

mod corpus;
mod properties;
