//! Runs one read-only SELECT over copies of exactly the tables that the caller may read. A
//! [`Sandbox`] is a private in-memory SQLite database with these copies and nothing else, so that a
//! statement which gets past every check still finds nothing to leak and nothing to harm. Knows no
//! owner, no grant and no store: the caller passes in the tables and the limits.

mod authorizer;
mod bounds;
mod cells;
mod error;
mod functions;
mod layout;
mod memory_meter;
mod patterns;
mod postgres;
mod progress_handler;
mod run;
mod sandbox;
mod select_result;

pub use bounds::Bounds;
pub use error::SqlError;
pub use memory_meter::MemoryMeter;
pub use sandbox::Sandbox;
pub use select_result::SelectResult;
