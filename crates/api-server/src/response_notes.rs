//! Notes that a call leaves for the HTTP front end besides its result: a retry time, the scope that
//! was missing, the session that begins, and the page where the owner grants more.

use engine::AccessRefusal;
use model::{ErrorCode, Failure, Permission};
use std::sync::{Arc, OnceLock};

/// Key of the failure detail that names the page where the owner grants what was missing.
const GRANT_PAGE_DETAIL: &str = "page";

/// Notes of one request, shared between the front end and the call. Clones refer to the same notes.
#[derive(Debug, Clone, Default)]
pub(crate) struct ResponseNotes(Arc<SharedNotes>);

#[derive(Debug, Default)]
struct SharedNotes {
    // Cells that threads can share, because rmcp runs the call on a task of its own. A request is
    // one call, so the first note is the only one.
    retry_after_seconds: OnceLock<u32>,
    missing_scope: OnceLock<Permission>,
    new_session: OnceLock<String>,
    grant_page: Option<String>,
}

impl ResponseNotes {
    /// Creates the notes of a request whose agent is granted more on this page.
    pub fn with_grant_page(page: Option<String>) -> Self {
        Self(Arc::new(SharedNotes { grant_page: page, ..SharedNotes::default() }))
    }

    /// Notes after how many seconds the client should retry; the front end sends it as
    /// `Retry-After`.
    pub fn set_retry_after(&self, seconds: u32) {
        _ = self.0.retry_after_seconds.set(seconds);
    }

    /// Returns the noted retry time.
    pub fn retry_after_seconds(&self) -> Option<u32> {
        self.0.retry_after_seconds.get().copied()
    }

    /// Notes the id of a session that begins with this request.
    pub fn set_new_session(&self, id: String) {
        _ = self.0.new_session.set(id);
    }

    /// Returns the id of the session that begins.
    pub fn new_session(&self) -> Option<&str> {
        self.0.new_session.get().map(String::as_str)
    }

    /// Notes which scope a failed call lacked, and adds the page to a failure that lacked a grant.
    pub fn annotate(&self, failure: Failure) -> Failure {
        if failure.code == ErrorCode::Forbidden
            && let Some(scope) =
                failure.details.get(AccessRefusal::SCOPE_DETAIL).and_then(|scope| scope.as_str())
            && let Some(scope) = Permission::parse(scope)
        {
            _ = self.0.missing_scope.set(scope);
        }
        match &self.0.grant_page {
            Some(page) if failure.details.contains_key(AccessRefusal::RESOURCE_DETAIL) => {
                failure.with_detail(GRANT_PAGE_DETAIL, page.as_str())
            }
            _ => failure,
        }
    }

    /// Returns the scope that the call lacked.
    pub fn missing_scope(&self) -> Option<Permission> {
        self.0.missing_scope.get().copied()
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_missing_scope_is_noted_and_any_other_refusal_is_not() {
        let notes = ResponseNotes::default();
        notes.annotate(Failure::new(ErrorCode::Forbidden, "another name"));
        notes.annotate(Failure::not_found("memory", 7));
        assert_eq!(notes.missing_scope(), None);
        notes.annotate(
            Failure::new(ErrorCode::Forbidden, "no")
                .with_detail(AccessRefusal::SCOPE_DETAIL, "write"),
        );
        assert_eq!(notes.missing_scope(), Some(Permission::Write));
    }

    #[test]
    fn only_a_missing_grant_names_the_page_where_it_is_given() {
        let notes =
            ResponseNotes::with_grant_page(Some("http://127.0.0.1/agents/one?agent=codex".into()));
        let missing = Failure::new(ErrorCode::ConsentRequired, "no")
            .with_detail(AccessRefusal::RESOURCE_DETAIL, "graph");
        assert_eq!(
            notes.annotate(missing).details[GRANT_PAGE_DETAIL],
            "http://127.0.0.1/agents/one?agent=codex"
        );
        let owners_alone = Failure::new(ErrorCode::ConsentRequired, "no");
        assert!(notes.annotate(owners_alone).details.is_empty());
    }
}
