//! Shared code of the benchmarks: texts that are the same in every run, a store filled with them,
//! and measurements.

mod fill;
mod measure;
mod words;

pub use fill::{Filled, WORDS};
pub use measure::{cpu, cpu_here, cpu_of, median_us, resident_mib, table, unshared_mib_of};
pub use words::{Dice, question, text};
