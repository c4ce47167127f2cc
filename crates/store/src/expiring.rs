//! Small values that expire: login sessions, one-time links and codes, counts of attempts, leases
//! of jobs. A server over files keeps them in its memory; servers that share a database keep them
//! there, so that any of them answers any request. No value is a secret: keys are hashes.

mod local;
mod owner_values;

pub use local::LocalValues;
pub use owner_values::OwnerValues;

use crate::StoreError;
use async_trait::async_trait;
use model::{ContentHash, Moment, OwnerId, limits};

/// A value with the moment at which it ends.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct ExpiringValue {
    pub text: String,
    pub expires_at: Moment,
}

/// The kinds of values. Each has a bound of its own, so that none pushes out another.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash)]
pub enum ValueKind {
    /// A link that opens one login session.
    LoginLink,
    /// A login session of the dashboard.
    LoginSession,
    /// A sign-in that a browser began at an identity provider.
    SignIn,
    /// An address from which the owner logged in before.
    KnownAddress,
    /// The hash of the owner's password, which does not expire.
    Password,
    /// An authorization code of OAuth.
    OauthCode,
    /// The attempts that a stranger has left.
    Attempts,
    /// The calls that an agent has left on all servers together.
    AgentCalls,
    /// The server that runs a job.
    JobLease,
    /// The state of a job that a person watches.
    Job,
}

impl ValueKind {
    /// Returns the name under which values of the kind are stored.
    #[must_use]
    pub fn name(self) -> &'static str {
        match self {
            Self::LoginLink => "login_link",
            Self::LoginSession => "login_session",
            Self::SignIn => "sign_in",
            Self::KnownAddress => "known_address",
            Self::Password => "password",
            Self::OauthCode => "oauth_code",
            Self::Attempts => "attempts",
            Self::AgentCalls => "agent_calls",
            Self::JobLease => "job_lease",
            Self::Job => "job",
        }
    }

    /// Returns the maximum number of values of an owner; beyond it, those that expire first go.
    #[must_use]
    pub fn most(self) -> usize {
        match self {
            Self::LoginLink => 16,
            // Of all people who log in to a server: beyond it the oldest log in again.
            Self::LoginSession => 2_000,
            Self::KnownAddress | Self::Job => 32,
            Self::Password => 1,
            Self::OauthCode | Self::SignIn | Self::AgentCalls => 1_000,
            Self::Attempts => limits::RATE_BUCKETS,
            Self::JobLease => 100,
        }
    }
}

/// The place of a value.
#[derive(Debug, Clone, PartialEq, Eq, Hash)]
pub struct ValueKey {
    pub owner: OwnerId,
    pub kind: ValueKind,
    pub hash: ContentHash,
}

/// Storage of values that expire.
#[async_trait]
pub trait ExpiringValues: Send + Sync {
    /// Returns a value that has not expired.
    async fn value(&self, key: &ValueKey, now: Moment)
    -> Result<Option<ExpiringValue>, StoreError>;
    /// Replaces a value if its text is still the old one; `None` is the absence of a value. Returns
    /// false, and changes nothing, when another server came first.
    async fn replace_value(
        &self,
        key: &ValueKey,
        old: Option<&str>,
        new: Option<ExpiringValue>,
        now: Moment,
    ) -> Result<bool, StoreError>;
    /// Removes all values of the same owner and kind but this one.
    async fn remove_other_values(&self, key: &ValueKey) -> Result<(), StoreError>;
}
