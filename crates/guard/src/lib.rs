//! Who may do what, and what may be kept.
//! Every call asks [`Policy::admit`] and every memory that leaves passes [`Policy::shows`]; there is no second way.
//! Knows nothing of stores, transports or tools.

mod keep;
mod policy;
mod resource;

pub use keep::{keep, keep_object, keep_text};
pub use policy::{Pass, Policy, Refusal};
pub use resource::Resource;
