//! Access policy, rate limits, API keys, and the screening of texts. Every call is admitted by
//! [`Policy::admit`]; there is no other way in. Knows nothing of stores, transports or tools.

mod caller_access;
mod grant_rules;
mod key;
mod policy;
mod rate_limit;
mod resource;
mod resource_words;
mod screening;

pub use caller_access::CallerAccess;
pub use grant_rules::{GrantRules, check_permission, normalize_resource};
pub use key::{KeyForm, KeySecret, RandomnessError};
pub use policy::{AccessProof, AccessRefusal, Policy, RefusalReason};
pub use rate_limit::{
    BucketKey, RateLimitExceeded, RateLimiter, StoredBucket, TokenOutcome, ToolClass,
    spend_stored_tokens, take_stored_token,
};
pub use resource::Resource;
pub use resource_words::{resource_from_words, resource_in_words};
pub use screening::{ScreenedText, Screening, SecretPolicy, sanitize_for_log};
