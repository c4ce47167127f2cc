//! Keeps each owner's memory in one SQLite file.
