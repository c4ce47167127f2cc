//! Runs one read-only SELECT over copies of just the tables the caller may read. A [`Sandbox`] is a
//! private SQLite in memory that holds those copies and nothing else, so that a statement which
//! gets past every check still finds nothing to leak and nothing to harm. Knows no owner, no grant
//! and no store: whoever calls hands the tables in and says how far they reach.

mod answer;
mod bounds;
mod cells;
mod error;
mod functions;
mod gate;
mod layout;
mod meter;
mod patterns;
mod run;
mod sandbox;
mod watch;

pub use answer::Answer;
pub use bounds::Bounds;
pub use error::SqlError;
pub use meter::Meter;
pub use sandbox::Sandbox;
