//! The use cases: remember, recall, correct, forget and the rest.
