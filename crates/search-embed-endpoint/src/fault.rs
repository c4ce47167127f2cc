//! Faults of a request, classified by remedy: waiting, other texts, or a change by the owner.

use std::time::Duration;

/// Reason why a request returned no vectors. Never contains a text or a key.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(crate) enum Fault {
    /// Expected to go away by itself.
    Passing {
        why: String,
        /// Delay requested by the endpoint.
        after: Option<Duration>,
    },
    /// The endpoint rejects these texts.
    Texts(String),
    /// Lasts until the owner changes something.
    Lasting(String),
}

impl Fault {
    /// Creates a transient fault without a requested delay.
    pub fn passing(why: impl Into<String>) -> Self {
        Self::Passing { why: why.into(), after: None }
    }

    /// Returns the reason, with advice where there is any.
    pub fn why(&self) -> &str {
        match self {
            Self::Passing { why, .. } | Self::Texts(why) | Self::Lasting(why) => why,
        }
    }

    /// Returns the delay requested by the endpoint.
    pub fn after(&self) -> Option<Duration> {
        if let Self::Passing { after, .. } = self { *after } else { None }
    }
}
