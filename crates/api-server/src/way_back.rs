//! What a call and the gate tell each other beside the request and its answer: when to come again,
//! which scope was missing, and on which page the owner grants more.

use engine::Refusal;
use model::{ErrorCode, Failure, Permission};
use std::sync::atomic::{AtomicU32, Ordering};
use std::sync::{Arc, OnceLock};

/// The detail of a failure that names the page where the owner grants what was missing.
const PAGE: &str = "page";

/// The way back to the client. Every clone is the same.
#[derive(Debug, Clone, Default)]
pub(crate) struct WayBack(Arc<Notes>);

#[derive(Debug, Default)]
struct Notes {
    seconds: AtomicU32,
    scope: OnceLock<Permission>,
    page: Option<String>,
}

impl WayBack {
    /// The way back of a request whose agent is granted more on this page.
    pub fn with_page(page: Option<String>) -> Self {
        Self(Arc::new(Notes { page, ..Notes::default() }))
    }

    /// Says after how many seconds the client should come again; the gate puts it on the answer.
    pub fn tell_seconds(&self, seconds: u32) {
        self.0.seconds.store(seconds.max(1), Ordering::Relaxed);
    }

    /// What was said of that.
    pub fn seconds(&self) -> Option<u32> {
        Some(self.0.seconds.load(Ordering::Relaxed)).filter(|seconds| *seconds > 0)
    }

    /// Notes which scope a failed call lacked, and tells one that lacked a grant where the owner
    /// gives it.
    pub fn pass(&self, failure: Failure) -> Failure {
        if failure.code == ErrorCode::Forbidden
            && let Some(scope) =
                failure.details.get(Refusal::SCOPE).and_then(|scope| scope.as_str())
            && let Some(scope) = Permission::parse(scope)
        {
            // A request is one call; were it more, one missing scope is as good as the other.
            _ = self.0.scope.set(scope);
        }
        match &self.0.page {
            Some(page) if failure.details.contains_key(Refusal::RESOURCE) => {
                failure.with_detail(PAGE, page.as_str())
            }
            _ => failure,
        }
    }

    /// The scope that a call lacked.
    pub fn scope(&self) -> Option<Permission> {
        self.0.scope.get().copied()
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_missing_scope_is_noted_and_any_other_refusal_is_not() {
        let way_back = WayBack::default();
        way_back.pass(Failure::new(ErrorCode::Forbidden, "another name"));
        way_back.pass(Failure::not_found("memory", 7));
        assert_eq!(way_back.scope(), None);
        way_back
            .pass(Failure::new(ErrorCode::Forbidden, "no").with_detail(Refusal::SCOPE, "write"));
        assert_eq!(way_back.scope(), Some(Permission::Write));
    }

    #[test]
    fn only_what_can_be_granted_names_the_page_where_it_is() {
        let way_back = WayBack::with_page(Some("http://127.0.0.1/agents/one?agent=codex".into()));
        let missing =
            Failure::new(ErrorCode::ConsentRequired, "no").with_detail(Refusal::RESOURCE, "graph");
        assert_eq!(way_back.pass(missing).details[PAGE], "http://127.0.0.1/agents/one?agent=codex");
        let owners_alone = Failure::new(ErrorCode::ConsentRequired, "no");
        assert!(way_back.pass(owners_alone).details.is_empty());
    }
}
