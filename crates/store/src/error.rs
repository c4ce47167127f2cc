//! What can go wrong in a store. Each becomes a [`Failure`] with a code from the one table;
//! the cause of a fault stays inside, for the log.

use model::{ErrorCode, Failure, Handoff, Moment};

/// The store itself cannot answer.
#[derive(Debug, Clone, thiserror::Error)]
pub enum StoreError {
    /// Another process held the store for longer than the busy timeout.
    #[error("the store is busy")]
    Busy,
    /// No room is left on the disk.
    #[error("the disk is full")]
    Full,
    /// The store was written by a newer version.
    #[error("the store has format {found}, this version reads up to {known}")]
    TooNew {
        /// The format of the store.
        found: u32,
        /// The newest this version knows.
        known: u32,
    },
    /// A copy would have to overwrite a file.
    #[error("there is a file of that name already")]
    Taken,
    /// The store is damaged.
    #[error("the store is damaged")]
    Damaged {
        /// What was found, for the log.
        cause: String,
    },
    /// A fault of the disk, the operating system or the driver.
    #[error("the store failed")]
    Failed {
        /// What happened, for the log.
        cause: String,
    },
}

impl StoreError {
    /// The part that goes to the log and never to a caller.
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
            StoreError::Taken => ErrorCode::Conflict,
            StoreError::Damaged { .. } | StoreError::Failed { .. } => ErrorCode::StorageFailed,
        };
        Self::new(code, error.to_string())
    }
}

/// Somebody else was first, or the thing is in another state.
#[derive(Debug, Clone, PartialEq)]
pub enum Conflict {
    /// The handoff is not free for this step; it is shown as it stands.
    Handoff(Box<Handoff>),
    /// The review item was decided before.
    ReviewResolved,
    /// The review item waits: there is no decision to undo.
    ReviewOpen,
    /// It changed since whoever edits it read it.
    Changed,
}

/// A batch that was not applied. Nothing of it was.
#[derive(Debug, Clone, thiserror::Error)]
pub enum WriteError {
    /// The store cannot write.
    #[error(transparent)]
    Store(#[from] StoreError),
    /// A change names something that is not there.
    #[error("there is no {what} {id}")]
    NotFound {
        /// What sort of thing.
        what: &'static str,
        /// Under which id or name.
        id: String,
    },
    /// A change came too late.
    #[error("{}", describe(.0))]
    Conflict(Conflict),
    /// The text was forgotten at that time.
    #[error("this text was forgotten on {}", .at.date())]
    Forgotten {
        /// When.
        at: Moment,
    },
    /// The idempotency key came with another request before.
    #[error("this idempotency key was used for another request")]
    IdempotencyMismatch,
    /// A change is past a limit or malformed.
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
        Conflict::ReviewResolved => "this review item was decided before".to_owned(),
        Conflict::ReviewOpen => "this review item was not decided yet".to_owned(),
        Conflict::Changed => {
            "it changed since you read it; read it again and repeat the edit".to_owned()
        }
        Conflict::Handoff(handoff) => match &handoff.claim {
            Some(claim) => {
                format!(
                    "handoff {} is held by {} since {} until {}",
                    handoff.id, claim.by, claim.since, claim.until
                )
            }
            None => format!("handoff {} is {}", handoff.id, handoff.state.name()),
        },
    }
}
