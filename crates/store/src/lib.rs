//! The storage contract in domain verbs, and the conformance suite that every backend passes.
