//! Shared code of the benchmarks: texts that are the same in every run, a store filled with them,
//! and measurements.

mod fill;
mod measure;
mod synthetic_text;

pub use fill::{MEMORY_WORDS, StoreFiller};
pub use measure::{
    cpu_time_of, median_us, print_table, private_mib_of, process_cpu_time, resident_mib,
    thread_cpu_time,
};
pub use synthetic_text::{Xorshift, question, text};
