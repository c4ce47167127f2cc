//! The binary `quipu`: command line, configuration and wiring.

fn main() {}
