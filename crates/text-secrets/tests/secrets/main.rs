//! What holds for all rules at once: how many secrets are found, how often ordinary text raises a
//! false alarm, and that no input makes any of them panic.

mod corpus;
mod properties;
