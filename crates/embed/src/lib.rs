//! Turns text into vectors with the bundled model.
