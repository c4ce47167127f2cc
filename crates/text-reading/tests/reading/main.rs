//! What holds for every finder at once: no input makes any of them panic.

mod properties;
