//! What holds for every finder at once: how many secrets are found, how often ordinary text raises a false
//! alarm, and that no input makes any of them panic.

mod properties;
mod secrets_corpus;
