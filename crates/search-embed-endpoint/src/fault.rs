//! What can go wrong with one request, told apart by what helps: waiting, other texts, or the
//! owner.

use std::time::Duration;

/// Why a request brought no vectors. The reason holds no text and no key.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(crate) enum Fault {
    /// It passes by itself; after this long, if the endpoint said so.
    Passing {
        /// What went wrong.
        why: String,
        /// How long the endpoint wants to be left alone.
        after: Option<Duration>,
    },
    /// The endpoint does not take these texts.
    Texts(String),
    /// It stays until the owner changes something.
    Lasting(String),
}

impl Fault {
    /// A fault that passes, nobody knows when.
    pub fn passing(why: impl Into<String>) -> Self {
        Self::Passing { why: why.into(), after: None }
    }

    /// What went wrong.
    pub fn why(&self) -> &str {
        match self {
            Self::Passing { why, .. } | Self::Texts(why) | Self::Lasting(why) => why,
        }
    }

    /// How long the endpoint wants to be left alone, if it said so.
    pub fn after(&self) -> Option<Duration> {
        if let Self::Passing { after, .. } = self { *after } else { None }
    }
}
