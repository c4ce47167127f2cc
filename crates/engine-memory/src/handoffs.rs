//! Handoffs: documents that pass on unfinished work. A claim belongs to one running session
//! of an agent; of several that race for a handoff exactly one wins, and the others learn who holds
//! it.

mod document;
mod steps;

pub use document::SECTIONS;
pub use steps::{CLAIM_SECONDS, CLAIM_SECONDS_MAX, ClaimHandoffRequest};

use crate::Handoffs;
use engine_core::UseCaseFuture;
use engine_core::call::{Call, internal};
use engine_core::caller::Caller;
use guard::Resource;
use model::{
    Failure, Handoff, HandoffId, HandoffState, Listing, NewHandoff, Page, Permission, limits,
};
use store::{Change, ChangeResult, HandoffQuery};

/// Default number of handoffs in a listing.
const LISTED: usize = 20;

/// Input of [`Handoffs::store`].
#[derive(Debug, Clone, PartialEq, Eq, Default)]
pub struct StoreHandoffRequest {
    /// Project and directory are the client's when missing.
    pub handoff: NewHandoff,
    /// Makes a retry safe.
    pub idempotency_key: Option<String>,
}

/// A handoff that was stored or claimed.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct HandoffOutcome {
    pub handoff: Handoff,
    /// Sentences about what screening changed.
    pub notes: Vec<String>,
}

/// Input of [`Handoffs::list`].
#[derive(Debug, Clone, PartialEq, Eq, Default)]
pub struct ListHandoffsRequest {
    /// States to include; when empty, those that can be claimed now.
    pub states: Vec<HandoffState>,
    pub project: Option<String>,
    /// Directory in which it was written.
    pub cwd: Option<String>,
    /// Program in which it was written.
    pub harness: Option<String>,
    /// 20 when missing.
    pub limit: Option<usize>,
    pub offset: usize,
}

/// Handoffs, with the scope in which they were found.
#[derive(Debug, Clone, PartialEq)]
pub struct HandoffList {
    /// Newest first.
    pub handoffs: Listing<Handoff>,
    /// Project that the listing was narrowed to.
    pub project: Option<String>,
    /// Directory that the listing was narrowed to.
    pub cwd: Option<String>,
    /// True when the client's own scope had none, so that a wider one was searched.
    pub broadened: bool,
}

impl<'e> Handoffs<'e> {
    /// Stores a handoff after checking its five sections.
    ///
    /// # Errors
    /// `invalid_argument` naming missing and surplus sections, with a template.
    pub fn store(
        self,
        caller: &'e Caller,
        input: &'e StoreHandoffRequest,
    ) -> UseCaseFuture<'e, HandoffOutcome> {
        Box::pin(async move {
            let call = Call::begin(self.core, caller, Resource::Handoffs, Permission::Write, input)
                .await?;
            let key = input.idempotency_key.clone();
            limits::chars(
                "idempotency_key",
                key.as_deref().unwrap_or(""),
                limits::IDEMPOTENCY_KEY_CHARS,
            )?;
            let new = handoff_to_store(&call, input)?;
            let changes = vec![Change::StoreHandoff(Box::new(new))];
            let committed = call.write_once("stored a handoff", changes, key).await?;
            let id = committed.results.iter().find_map(|result| {
                if let ChangeResult::Handoff(id) = result { Some(*id) } else { None }
            });
            let id =
                id.ok_or_else(|| internal("the store returned no handoff for StoreHandoff"))?;
            Ok(HandoffOutcome { handoff: handoff_by_id(&call, id).await?, notes: call.notes() })
        })
    }

    /// Lists handoffs, newest first. Without a project or a directory it starts with the client's
    /// and widens the scope while nothing is found.
    ///
    /// # Errors
    /// Fails when the store cannot be read.
    pub fn list(
        self,
        caller: &'e Caller,
        input: &'e ListHandoffsRequest,
    ) -> UseCaseFuture<'e, HandoffList> {
        Box::pin(async move {
            let call =
                Call::begin(self.core, caller, Resource::Handoffs, Permission::Read, input).await?;
            let scopes = scopes(caller, input);
            let page = Page { limit: input.limit.unwrap_or(LISTED), offset: input.offset }.capped();
            // The last scope is returned even when it is empty.
            let last = scopes.len() - 1;
            for (tried, (project, cwd)) in scopes.into_iter().enumerate() {
                let query = query(&call, input, project.clone(), cwd.clone());
                let handoffs = call.store().handoffs(&query, page).await?;
                if handoffs.total > 0 || tried == last {
                    call.note_shown(format!("listed {} handoffs", handoffs.items.len()), &[]).await;
                    return Ok(HandoffList { handoffs, project, cwd, broadened: tried > 0 });
                }
            }
            Err(internal("a listing of handoffs had no scope"))
        })
    }

    /// Returns one handoff in any state.
    ///
    /// # Errors
    /// `not_found` when there is none.
    pub fn get(self, caller: &'e Caller, id: HandoffId) -> UseCaseFuture<'e, Handoff> {
        Box::pin(async move {
            let call =
                Call::begin(self.core, caller, Resource::Handoffs, Permission::Read, &id).await?;
            let handoff = handoff_by_id(&call, id).await?;
            call.note_shown(format!("showed handoff {id}"), &[]).await;
            Ok(handoff)
        })
    }
}

/// Screens and checks the handoff, and fills in the client's project and directory.
fn handoff_to_store(call: &Call<'_>, input: &StoreHandoffRequest) -> Result<NewHandoff, Failure> {
    let mut new = input.handoff.clone();
    let mut screen = call.screen();
    screen.text("title", &mut new.title)?;
    screen.text("document", &mut new.document)?;
    screen.optional("source_ref", &mut new.source_ref)?;
    screen.texts("tags", &mut new.tags)?;
    let environment = &call.caller.environment;
    new.project = new.project.or_else(|| environment.project.clone());
    new.cwd = new.cwd.or_else(|| environment.cwd.clone()).map(without_trailing_slash);
    new.check()?;
    // After screening, which may have changed a heading.
    document::check(&new.document)?;
    Ok(new)
}

/// Returns the scopes to search, narrowest first; never empty. A scope given by the caller is the
/// only one.
fn scopes(caller: &Caller, input: &ListHandoffsRequest) -> Vec<(Option<String>, Option<String>)> {
    let environment = &caller.environment;
    match (&input.project, &input.cwd, &environment.project, &environment.cwd) {
        (None, None, Some(project), Some(cwd)) => {
            vec![
                (Some(project.clone()), Some(cwd.clone())),
                (Some(project.clone()), None),
                (None, None),
            ]
        }
        (project, cwd, _, _) => vec![(project.clone(), cwd.clone())],
    }
}

fn query(
    call: &Call<'_>,
    input: &ListHandoffsRequest,
    project: Option<String>,
    cwd: Option<String>,
) -> HandoffQuery {
    HandoffQuery {
        states: input.states.clone(),
        // A claim that has expired counts as free, so the store needs the time.
        free_at: input.states.is_empty().then_some(call.at),
        project,
        cwd: cwd.map(without_trailing_slash),
        harness: input.harness.clone(),
    }
}

/// Returns the path of a directory in the one form in which it is stored and looked up.
fn without_trailing_slash(path: String) -> String {
    match path.trim_end_matches(['/', '\\']) {
        "" => path,
        shorter => shorter.to_owned(),
    }
}

async fn handoff_by_id(call: &Call<'_>, id: HandoffId) -> Result<Handoff, Failure> {
    let handoff = call.store().handoff(id).await?;
    handoff.ok_or_else(|| {
        Failure::not_found("handoff", format!("{id}; list the handoffs to see their ids"))
    })
}

#[cfg(test)]
mod tests {
    use super::*;
    use model::{AgentName, Dialect, OwnerId};

    #[test]
    fn a_listing_starts_with_the_clients_scope_and_a_given_scope_is_the_only_one() {
        let mut caller = Caller::agent(OwnerId::me(), AgentName::new("codex"), Dialect::Quipu);
        assert_eq!(scopes(&caller, &ListHandoffsRequest::default()), [(None, None)]);
        caller.environment.project = Some("quipu".into());
        assert_eq!(scopes(&caller, &ListHandoffsRequest::default()), [(None, None)]);
        caller.environment.cwd = Some("/src".into());
        assert_eq!(scopes(&caller, &ListHandoffsRequest::default()).len(), 3);
        let named =
            ListHandoffsRequest { project: Some("other".into()), ..ListHandoffsRequest::default() };
        assert_eq!(scopes(&caller, &named), [(Some("other".into()), None)]);
    }
}
