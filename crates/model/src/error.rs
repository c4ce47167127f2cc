//! The single table of error codes: name, HTTP status, JSON-RPC code, retryable flag and hint.
//! Operations have small error enums of their own; at the edge each becomes a [`Failure`] with one
//! of these codes.

use crate::JsonMap;
use std::fmt;

macro_rules! codes {
    ($(
        $(#[$doc:meta])*
        $variant:ident = $name:literal, $http:literal, $rpc:literal, $retry:literal, $hint:literal;
    )*) => {
        /// Machine-readable error code, stable across versions.
        #[derive(Debug, Clone, Copy, PartialEq, Eq, Hash)]
        pub enum ErrorCode {
            $($(#[$doc])* $variant,)*
        }

        impl ErrorCode {
            /// All codes in the order of the table.
            pub const ALL: &'static [Self] = &[$(Self::$variant,)*];

            /// Returns the name used on every surface.
            #[must_use]
            pub fn name(self) -> &'static str {
                match self { $(Self::$variant => $name,)* }
            }

            /// Returns the HTTP status of a response with this error.
            #[must_use]
            pub fn http_status(self) -> u16 {
                match self { $(Self::$variant => $http,)* }
            }

            /// Returns the JSON-RPC code of a protocol error.
            #[must_use]
            pub fn json_rpc(self) -> i32 {
                match self { $(Self::$variant => $rpc,)* }
            }

            /// Returns whether the same call may succeed later.
            #[must_use]
            pub fn retryable(self) -> bool {
                match self { $(Self::$variant => $retry,)* }
            }

            /// Returns advice on recovery, for a reader who has only this text.
            #[must_use]
            pub fn hint(self) -> &'static str {
                match self { $(Self::$variant => $hint,)* }
            }
        }
    };
}

codes! {
    /// An argument is missing, unknown or malformed.
    InvalidArgument = "invalid_argument", 400, -32602, false,
        "Correct the argument named in the message and call again.";
    /// A named limit was exceeded.
    LimitExceeded = "limit_exceeded", 413, -32602, false,
        "Shorten or split the input to fit the limit named in the message.";
    /// The credential is missing or invalid.
    Unauthenticated = "unauthenticated", 401, -31001, false,
        "Send a valid token: Authorization: Bearer <token>.";
    /// The scope of the credential does not cover the call.
    Forbidden = "forbidden", 403, -31003, false,
        "Ask the owner for a key with the scope named in the message.";
    /// The owner has not granted this resource.
    ConsentRequired = "consent_required", 403, -31004, false,
        "Ask the owner to grant the resource named in the message.";
    /// Nothing exists under this id or name.
    NotFound = "not_found", 404, -31005, false,
        "Check the id; list or search to find the right one.";
    /// Another caller was first, or the item is in a different state.
    Conflict = "conflict", 409, -31009, false,
        "Check the current state named in the message, then decide.";
    /// The idempotency key was used before with other arguments.
    IdempotencyMismatch = "idempotency_mismatch", 409, -31010, false,
        "Use a new idempotency key for a new write.";
    /// The text was deliberately forgotten and is not stored again silently.
    Forgotten = "forgotten", 409, -31011, false,
        "The owner asked for this text to be forgotten. Ask before writing it again with \
         allow_forgotten.";
    /// The text contains a secret.
    SecretRefused = "secret_refused", 422, -31012, false,
        "Remove the secret named in the message. Store where to find it, not the secret itself.";
    /// The agent made too many calls.
    RateLimited = "rate_limited", 429, -31013, true,
        "Wait for the time named in the message, then call again.";
    /// The caller cancelled the call.
    Cancelled = "cancelled", 499, -31014, true,
        "The call was cancelled before it had any effect; call again if you still want it.";
    /// Another process held the write lock for too long.
    StoreBusy = "store_busy", 503, -31020, true,
        "Nothing was written. Call again in a moment.";
    /// The disk is full.
    StorageFull = "storage_full", 507, -31021, true,
        "Nothing was written. Free disk space, then call again.";
    /// The store failed or is damaged.
    StorageFailed = "storage_failed", 500, -31022, false,
        "Nothing was written. Run `quipu doctor`.";
    /// The store was written by a newer version.
    VersionTooNew = "version_too_new", 500, -31023, false,
        "Update quipu, or open the store with the version that wrote it.";
    /// The embedder failed.
    EmbedderFailed = "embedder_failed", 502, -31024, true,
        "Recall continues with keyword search only. Run `quipu doctor` to check the embedder.";
    /// An internal error; the log has the cause under the id.
    Internal = "internal", 500, -32603, true,
        "Report the id in the message; the log has the cause under that id.";
}

impl fmt::Display for ErrorCode {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(self.name())
    }
}

/// An error as reported to the caller: the code, and a message about this case.
#[derive(Debug, Clone, PartialEq, Eq, thiserror::Error)]
#[error("{code}: {message}")]
pub struct Failure {
    pub code: ErrorCode,
    /// Message with the names and numbers of this case; safe to show to the caller.
    pub message: String,
    /// The same as fields for programs to act on, such as the holder of a claim.
    pub details: JsonMap,
}

impl Failure {
    /// Creates a failure without details.
    #[must_use]
    pub fn new(code: ErrorCode, message: impl Into<String>) -> Self {
        Self { code, message: message.into(), details: JsonMap::new() }
    }

    /// Adds a detail that a program can act on.
    #[must_use]
    pub fn with_detail(mut self, name: &str, value: impl Into<serde_json::Value>) -> Self {
        self.details.insert(name.to_owned(), value.into());
        self
    }

    /// Creates an `invalid_argument` failure.
    #[must_use]
    pub fn invalid(message: impl Into<String>) -> Self {
        Self::new(ErrorCode::InvalidArgument, message)
    }

    /// Creates a `not_found` failure for this id or name.
    #[must_use]
    pub fn not_found(what: &str, id: impl fmt::Display) -> Self {
        Self::new(ErrorCode::NotFound, format!("there is no {what} {id}"))
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use std::collections::HashSet;

    #[test]
    fn names_are_unique_and_every_code_has_a_hint() {
        let names: HashSet<_> = ErrorCode::ALL.iter().map(|code| code.name()).collect();
        assert_eq!(names.len(), ErrorCode::ALL.len());
        for code in ErrorCode::ALL {
            assert!(code.hint().ends_with('.'), "{code}");
            assert!((400..=599).contains(&code.http_status()), "{code}");
        }
    }

    #[test]
    fn own_json_rpc_codes_stay_out_of_the_reserved_range() {
        for code in ErrorCode::ALL {
            let rpc = code.json_rpc();
            assert!(
                matches!(rpc, -32602 | -32603) || !(-32768..=-32000).contains(&rpc),
                "{code}: {rpc}"
            );
        }
    }
}
