//! Notes that a call leaves for the HTTP front end besides its result: a retry time, the scope that
//! was missing, and the page where the owner grants more.

use engine::Refusal;
use model::{ErrorCode, Failure, Permission};
use std::sync::atomic::{AtomicU32, Ordering};
use std::sync::{Arc, OnceLock};

/// Key of the failure detail that names the page where the owner grants what was missing.
const PAGE: &str = "page";

/// Notes of one request, shared between the front end and the call. Clones refer to the same notes.
#[derive(Debug, Clone, Default)]
pub(crate) struct WayBack(Arc<Notes>);

#[derive(Debug, Default)]
struct Notes {
    // Zero means that nothing was noted.
    // Atomics, because rmcp runs the call on a task of its own.
    seconds: AtomicU32,
    scope: OnceLock<Permission>,
    page: Option<String>,
}

impl WayBack {
    /// Creates the notes of a request whose agent is granted more on this page.
    pub fn with_page(page: Option<String>) -> Self {
        Self(Arc::new(Notes { page, ..Notes::default() }))
    }

    /// Notes after how many seconds the client should retry; the front end sends it as
    /// `Retry-After`.
    pub fn tell_seconds(&self, seconds: u32) {
        self.0.seconds.store(seconds.max(1), Ordering::Relaxed);
    }

    /// Returns the noted retry time.
    pub fn seconds(&self) -> Option<u32> {
        Some(self.0.seconds.load(Ordering::Relaxed)).filter(|seconds| *seconds > 0)
    }

    /// Notes which scope a failed call lacked, and adds the page to a failure that lacked a grant.
    pub fn pass(&self, failure: Failure) -> Failure {
        if failure.code == ErrorCode::Forbidden
            && let Some(scope) =
                failure.details.get(Refusal::SCOPE).and_then(|scope| scope.as_str())
            && let Some(scope) = Permission::parse(scope)
        {
            // A request is one call, so the first missing scope is the only one.
            _ = self.0.scope.set(scope);
        }
        match &self.0.page {
            Some(page) if failure.details.contains_key(Refusal::RESOURCE) => {
                failure.with_detail(PAGE, page.as_str())
            }
            _ => failure,
        }
    }

    /// Returns the scope that the call lacked.
    pub fn scope(&self) -> Option<Permission> {
        self.0.scope.get().copied()
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_missing_scope_is_noted_and_any_other_refusal_is_not() {
        let notes = WayBack::default();
        notes.pass(Failure::new(ErrorCode::Forbidden, "another name"));
        notes.pass(Failure::not_found("memory", 7));
        assert_eq!(notes.scope(), None);
        notes.pass(Failure::new(ErrorCode::Forbidden, "no").with_detail(Refusal::SCOPE, "write"));
        assert_eq!(notes.scope(), Some(Permission::Write));
    }

    #[test]
    fn only_what_can_be_granted_names_the_page_where_it_is() {
        let notes = WayBack::with_page(Some("http://127.0.0.1/agents/one?agent=codex".into()));
        let missing =
            Failure::new(ErrorCode::ConsentRequired, "no").with_detail(Refusal::RESOURCE, "graph");
        assert_eq!(notes.pass(missing).details[PAGE], "http://127.0.0.1/agents/one?agent=codex");
        let owners_alone = Failure::new(ErrorCode::ConsentRequired, "no");
        assert!(notes.pass(owners_alone).details.is_empty());
    }
}
