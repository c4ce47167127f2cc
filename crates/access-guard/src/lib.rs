//! Access policy, rate limits, API keys, and the screening of texts. Every call is admitted by
//! [`Policy::admit`]; there is no other way in. Knows nothing of stores, transports or tools.

mod buckets;
mod keep;
mod key;
mod policy;
mod reach;
mod resource;
mod rules;

pub use buckets::{Buckets, ToolClass, Wait};
pub use keep::{OnSecret, Passed, Screen, fit_for_log};
pub use key::{KeyForm, KeySecret, NoChance};
pub use policy::{Lacking, Pass, Policy, Refusal};
pub use reach::Reach;
pub use resource::Resource;
pub use rules::{Rules, granted_resource};
