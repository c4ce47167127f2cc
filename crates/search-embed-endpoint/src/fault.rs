//! Faults of a request, classified by remedy: waiting, other texts, or a change by the owner.

use std::time::Duration;

/// Reason why a request returned no vectors. Never contains a text or a key.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(crate) enum RequestFault {
    /// Expected to go away by itself.
    Transient {
        reason: String,
        /// Delay requested by the endpoint.
        retry_after: Option<Duration>,
    },
    /// The endpoint rejects these texts.
    RejectedTexts(String),
    /// Lasts until the owner changes something.
    Permanent(String),
}

impl RequestFault {
    /// Creates a transient fault without a requested delay.
    pub fn transient(why: impl Into<String>) -> Self {
        Self::Transient { reason: why.into(), retry_after: None }
    }

    /// Returns the reason, with advice where there is any.
    pub fn reason(&self) -> &str {
        match self {
            Self::Transient { reason: why, .. }
            | Self::RejectedTexts(why)
            | Self::Permanent(why) => why,
        }
    }

    /// Returns the delay requested by the endpoint.
    pub fn retry_after(&self) -> Option<Duration> {
        if let Self::Transient { retry_after: after, .. } = self { *after } else { None }
    }
}
