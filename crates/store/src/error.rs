//! Errors of a store. Each becomes a [`Failure`] with a code from the one table of error codes;
//! the cause of an internal error goes to the log and never to a caller.

use model::{ErrorCode, Failure, Handoff, MemoryId, Moment};

/// A failure of the store itself, independent of the request.
#[derive(Debug, Clone, thiserror::Error)]
pub enum StoreError {
    /// Another process held the store for longer than the busy timeout.
    #[error("the store is busy")]
    Busy,
    #[error("the disk is full")]
    Full,
    /// The store was written by a newer version.
    #[error("the store has format {found}, but this version supports only up to {known}")]
    TooNew {
        /// The format of the store.
        found: u32,
        /// The newest format that this version supports.
        known: u32,
    },
    /// A copy would have to overwrite a file.
    #[error("a file of that name already exists")]
    FileExists,
    /// A file is missing or empty, although others show that it had content.
    #[error("{found}")]
    Lost {
        /// The finding, for the caller: the missing file, and the files that are still there.
        found: String,
    },
    /// The machine does not let the store work: a read-only disk, a path that is too long, too many
    /// open files.
    #[error("the store cannot be used: {why}")]
    Unusable {
        /// The obstacle and what to do about it, for the caller.
        why: &'static str,
    },
    #[error("the store is damaged")]
    Damaged {
        /// The finding, for the log.
        cause: String,
    },
    /// An error of the disk, the operating system or the driver.
    #[error("the store failed")]
    Failed {
        /// The underlying error, for the log.
        cause: String,
    },
}

impl StoreError {
    /// Returns the part that goes to the log and never to a caller.
    #[must_use]
    pub fn cause(&self) -> Option<&str> {
        match self {
            Self::Damaged { cause } | Self::Failed { cause } => Some(cause),
            _ => None,
        }
    }
}

impl From<StoreError> for Failure {
    fn from(error: StoreError) -> Self {
        let code = match error {
            StoreError::Busy => ErrorCode::StoreBusy,
            StoreError::Full => ErrorCode::StorageFull,
            StoreError::TooNew { .. } => ErrorCode::VersionTooNew,
            StoreError::FileExists => ErrorCode::Conflict,
            StoreError::Lost { .. }
            | StoreError::Unusable { .. }
            | StoreError::Damaged { .. }
            | StoreError::Failed { .. } => ErrorCode::StorageFailed,
        };
        Self::new(code, error.to_string())
    }
}

/// A write that lost against an earlier one, or that does not fit the current state.
#[derive(Debug, Clone, PartialEq)]
pub enum Conflict {
    /// The handoff does not allow this step; carries its current state.
    Handoff(Box<Handoff>),
    /// The review item was decided before.
    ReviewResolved,
    /// The review item is open, so there is no decision to undo.
    ReviewOpen,
    /// An expected version is outdated.
    Changed,
    /// The old memory replaces the new one already, directly or through others.
    SupersessionCycle { old: MemoryId, new: MemoryId },
    /// Neither the new memory nor anything that replaced it is active, and the old one is.
    NoCurrentSuccessor { old: MemoryId, new: MemoryId },
    /// A source of a derived text has changed, so the text has to be made again.
    SourcesChanged,
}

/// The reason why a batch was refused. Nothing of a refused batch is applied.
#[derive(Debug, Clone, thiserror::Error)]
pub enum WriteError {
    #[error(transparent)]
    Store(#[from] StoreError),
    /// A change names something that does not exist.
    #[error("there is no {what} {id}")]
    NotFound {
        /// The noun for messages, such as `memory`.
        what: &'static str,
        /// The id or name that was not found.
        id: String,
    },
    #[error("{}", describe(.0))]
    Conflict(Conflict),
    /// The text of a new memory was forgotten before.
    #[error("this text was forgotten on {}", .at.date())]
    Forgotten { at: Moment },
    /// The idempotency key was used with another fingerprint before.
    #[error("this idempotency key was already used for a different request")]
    IdempotencyMismatch,
    /// A change is malformed or exceeds a limit.
    #[error(transparent)]
    Refused(#[from] Failure),
}

impl From<WriteError> for Failure {
    fn from(error: WriteError) -> Self {
        let code = match error {
            WriteError::Store(error) => return error.into(),
            WriteError::Refused(failure) => return failure,
            WriteError::NotFound { .. } => ErrorCode::NotFound,
            WriteError::Conflict(_) => ErrorCode::Conflict,
            WriteError::Forgotten { .. } => ErrorCode::Forgotten,
            WriteError::IdempotencyMismatch => ErrorCode::IdempotencyMismatch,
        };
        Self::new(code, error.to_string())
    }
}

fn describe(conflict: &Conflict) -> String {
    match conflict {
        Conflict::ReviewResolved => "this review item has already been decided".to_owned(),
        Conflict::ReviewOpen => "this review item has not been decided yet".to_owned(),
        Conflict::Changed => {
            "it has changed since you read it; read it again and repeat the edit".to_owned()
        }
        Conflict::SupersessionCycle { old, new } => format!(
            "memory {new} cannot replace memory {old}, because {old} replaces it already, directly \
             or through others"
        ),
        Conflict::NoCurrentSuccessor { old, new } => format!(
            "memory {new} cannot replace memory {old}, because neither {new} nor a newer version \
             of it is active"
        ),
        Conflict::SourcesChanged => {
            "other writes kept changing the same memories; repeat the call".to_owned()
        }
        Conflict::Handoff(handoff) => match &handoff.claim {
            Some(claim) => {
                let until = claim.end().map(|end| format!(", until {end}")).unwrap_or_default();
                format!(
                    "handoff {} is claimed by {} (since {}{until})",
                    handoff.id, claim.by, claim.since
                )
            }
            None => format!("handoff {} is {}", handoff.id, handoff.state.name()),
        },
    }
}
