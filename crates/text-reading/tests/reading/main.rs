//! Properties of all functions of the crate: no input makes any of them panic.

mod properties;
