//! What a process counts and measures about itself. Every metric is declared in [`catalogue`], with
//! its labels; [`render`] writes them all in the text format of Prometheus. A label is a word of
//! the program, never a text, a name or an id of somebody.

pub mod catalogue;
mod family;
mod render;

pub use family::{MetricFamily, MetricKind, Stopwatch};
pub use render::render;

/// Target of the spans that are exported as traces. Their fields are words of the program and
/// numbers, like the labels of metrics.
pub const TRACE_TARGET: &str = "quipu::trace";
