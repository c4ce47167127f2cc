//! Runs one read-only SELECT over copies of exactly the tables that the caller may read. A
//! [`Sandbox`] is a private in-memory SQLite database with these copies and nothing else, so that a
//! statement which gets past every check still finds nothing to leak and nothing to harm. Knows no
//! owner, no grant and no store: the caller passes in the tables and the limits.

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
