//! Operations on the memory that a login shows: the person's own, or that of a group they are in.

use super::json::MessageJson;
use crate::api::{ApiResponse, NoFields};
use crate::request_context::RequestContext;
use model::{ErrorCode, Failure, OwnerId};
use schemars::JsonSchema;
use serde::{Deserialize, Serialize};
use server::BrowserSession;

/// The memories of a person.
#[derive(Debug, Serialize, JsonSchema)]
pub(crate) struct MemoryChoiceJson {
    /// Name of the person.
    person: String,
    /// Owner of the memory that is shown.
    shown: String,
    /// Groups that the person is in.
    groups: Vec<String>,
}

pub(super) async fn list(
    context: RequestContext,
    _: NoFields,
    _: NoFields,
) -> Result<ApiResponse<MemoryChoiceJson>, Failure> {
    let (_, person) = logged_in(&context)?;
    let groups = context.credentials.people().groups_of(person).await?;
    ApiResponse::new(MemoryChoiceJson {
        person: person.to_string(),
        shown: context.caller.owner.to_string(),
        groups: groups.iter().map(ToString::to_string).collect(),
    })
}

/// A choice.
#[derive(Debug, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
pub(crate) struct ChooseMemoryBody {
    /// Your own name, or that of a group you are in.
    memory: String,
}

pub(super) async fn choose(
    context: RequestContext,
    _: NoFields,
    input: ChooseMemoryBody,
) -> Result<ApiResponse<MessageJson>, Failure> {
    let (session, person) = logged_in(&context)?;
    // A group that the person is not in does not exist for them.
    let unknown = || Failure::not_found("memory", &input.memory);
    let memory = OwnerId::new(&input.memory).map_err(|_| unknown())?;
    let group = if memory == *person {
        None
    } else {
        let role = context.credentials.people().role(&memory, person).await?;
        Some(role.map(|_| memory.clone()).ok_or_else(unknown)?)
    };
    let chosen = context.sessions.choose_memory(session, group, context.engine.now()).await;
    chosen.map_err(|error| Failure::new(ErrorCode::StoreBusy, error.to_string()))?;
    ApiResponse::new(MessageJson { said: format!("This is the memory of {memory}") })
}

/// Returns the session and its person.
fn logged_in(context: &RequestContext) -> Result<(&BrowserSession, &OwnerId), Failure> {
    let session = context.session.as_ref();
    let found = session.and_then(|session| Some((session, session.person()?)));
    found.ok_or_else(|| {
        Failure::new(ErrorCode::Forbidden, "only a person who is logged in chooses a memory")
    })
}
