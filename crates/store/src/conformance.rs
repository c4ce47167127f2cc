//! The suite that every backend runs in its tests.
