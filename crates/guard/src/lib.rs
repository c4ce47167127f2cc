//! Who may do what, and what may be kept.
