//! Tests over all rules: recall, false positives on ordinary text, and no panic on any input.

mod corpus;
mod ordinary;
mod properties;
mod sample_text;
mod samples;
