//! Handoffs: documents that pass unfinished work on. A claim is a lease bound to who claims, with
//! an end; of many that race for one handoff exactly one wins, and the others learn who has it.

mod document;
mod steps;

pub use document::SECTIONS;
pub use steps::{CLAIM_SECONDS, CLAIM_SECONDS_MAX, ClaimHandoff};

use crate::Handoffs;
use engine_core::call::{Call, internal};
use engine_core::caller::Caller;
use guard::Resource;
use model::{
    Failure, Handoff, HandoffId, HandoffState, Listing, NewHandoff, Page, Permission, limits,
};
use store::{Change, HandoffQuery, Made};

/// How many handoffs a listing gives unless told otherwise.
const LISTED: usize = 20;

/// A handoff to store.
#[derive(Debug, Clone, PartialEq, Eq, Default)]
pub struct StoreHandoff {
    /// The document with its headline; project and directory are the client's when missing.
    pub handoff: NewHandoff,
    /// Makes a retry safe.
    pub idempotency_key: Option<String>,
}

/// A handoff that was stored or claimed.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct HandoffStored {
    /// The handoff.
    pub handoff: Handoff,
    /// What was changed on the way in, in sentences.
    pub notes: Vec<String>,
}

/// Which handoffs to list.
#[derive(Debug, Clone, PartialEq, Eq, Default)]
pub struct ListHandoffs {
    /// In these states; when empty, those that anybody may claim now.
    pub states: Vec<HandoffState>,
    /// Of this project.
    pub project: Option<String>,
    /// Written in this directory.
    pub cwd: Option<String>,
    /// Written in this program.
    pub harness: Option<String>,
    /// How many at most; 20 unless told otherwise.
    pub limit: Option<usize>,
    /// How many to pass over first.
    pub offset: usize,
}

/// Handoffs, and how far was looked for them.
#[derive(Debug, Clone, PartialEq)]
pub struct HandoffList {
    /// The handoffs, newest first.
    pub handoffs: Listing<Handoff>,
    /// The project they were narrowed to.
    pub project: Option<String>,
    /// The directory they were narrowed to.
    pub cwd: Option<String>,
    /// Whether nothing waited where the client works, so that it was looked further.
    pub broadened: bool,
}

impl Handoffs<'_> {
    /// Stores a handoff after checking that its five sections are there.
    ///
    /// # Errors
    /// `invalid_argument` naming the sections that are missing or do not belong, with a template.
    pub async fn store(
        self,
        caller: &Caller,
        input: &StoreHandoff,
    ) -> Result<HandoffStored, Failure> {
        let call =
            Call::begin(self.core, caller, Resource::Handoffs, Permission::Write, input).await?;
        let key = input.idempotency_key.clone();
        limits::chars(
            "idempotency_key",
            key.as_deref().unwrap_or(""),
            limits::IDEMPOTENCY_KEY_CHARS,
        )?;
        let new = handoff_to_store(&call, input)?;
        let changes = vec![Change::StoreHandoff(Box::new(new))];
        let committed = call.write_once("stored a handoff", changes, key).await?;
        let id = committed
            .made
            .iter()
            .find_map(|made| if let Made::Handoff(id) = made { Some(*id) } else { None });
        let id = id.ok_or_else(|| internal("the store made no handoff of a StoreHandoff"))?;
        Ok(HandoffStored { handoff: handoff_by_id(&call, id).await?, notes: call.notes() })
    }

    /// Handoffs, newest first. Without a project or a directory it begins where the client works
    /// and looks further when nothing waits there.
    ///
    /// # Errors
    /// When the store cannot answer.
    pub async fn list(self, caller: &Caller, input: &ListHandoffs) -> Result<HandoffList, Failure> {
        let call =
            Call::begin(self.core, caller, Resource::Handoffs, Permission::Read, input).await?;
        let scopes = scopes(caller, input);
        let page = Page { limit: input.limit.unwrap_or(LISTED), offset: input.offset }.capped();
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
    }

    /// One handoff, whatever its state.
    ///
    /// # Errors
    /// `not_found` when there is none of this number.
    pub async fn get(self, caller: &Caller, id: HandoffId) -> Result<Handoff, Failure> {
        let call =
            Call::begin(self.core, caller, Resource::Handoffs, Permission::Read, &id).await?;
        let handoff = handoff_by_id(&call, id).await?;
        call.note_shown(format!("showed handoff {id}"), &[]).await;
        Ok(handoff)
    }
}

/// The handoff as it is kept: guarded, placed where the client works, and checked.
fn handoff_to_store(call: &Call<'_>, input: &StoreHandoff) -> Result<NewHandoff, Failure> {
    let mut new = input.handoff.clone();
    let mut screen = call.screen();
    screen.text("title", &mut new.title)?;
    screen.text("document", &mut new.document)?;
    screen.optional("source_ref", &mut new.source_ref)?;
    screen.texts("tags", &mut new.tags)?;
    let around = &call.caller.surroundings;
    new.project = new.project.or_else(|| around.project.clone());
    new.cwd = new.cwd.or_else(|| around.cwd.clone());
    new.check()?;
    document::check(&new.document)?;
    Ok(new)
}

/// Where to look, nearest first; never empty. Whoever names a scope gets just that one.
fn scopes(caller: &Caller, input: &ListHandoffs) -> Vec<(Option<String>, Option<String>)> {
    let around = &caller.surroundings;
    match (&input.project, &input.cwd, &around.project, &around.cwd) {
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
    input: &ListHandoffs,
    project: Option<String>,
    cwd: Option<String>,
) -> HandoffQuery {
    HandoffQuery {
        states: input.states.clone(),
        free_at: input.states.is_empty().then_some(call.at),
        project,
        cwd,
        harness: input.harness.clone(),
    }
}

async fn handoff_by_id(call: &Call<'_>, id: HandoffId) -> Result<Handoff, Failure> {
    let handoff = call.store().handoff(id).await?;
    handoff.ok_or_else(|| {
        Failure::not_found("handoff", format!("{id}; list the handoffs to see which there are"))
    })
}

#[cfg(test)]
mod tests {
    use super::*;
    use model::{AgentName, Dialect, OwnerId};

    #[test]
    fn a_listing_begins_where_the_client_works_and_a_named_scope_is_kept_to() {
        let mut caller = Caller::agent(OwnerId::me(), AgentName::new("codex"), Dialect::Quipu);
        assert_eq!(scopes(&caller, &ListHandoffs::default()), [(None, None)]);
        caller.surroundings.project = Some("quipu".into());
        assert_eq!(scopes(&caller, &ListHandoffs::default()), [(None, None)]);
        caller.surroundings.cwd = Some("/src".into());
        assert_eq!(scopes(&caller, &ListHandoffs::default()).len(), 3);
        let named = ListHandoffs { project: Some("other".into()), ..ListHandoffs::default() };
        assert_eq!(scopes(&caller, &named), [(Some("other".into()), None)]);
    }
}
