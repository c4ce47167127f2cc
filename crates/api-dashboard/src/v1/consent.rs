//! Letting programs in over OAuth: the owner's answer to one that asks, and those that are in.

use super::grants::{Chosen, Rules};
use super::memories::ById;
use super::shown::{Done, time};
use crate::api::{Answer, Nothing};
use crate::desk::Desk;
use model::{ErrorCode, Failure, Family, FamilyId, Permission};
use oauth::{Asked, AuthorizeRequest, OAuthError, Turned};
use schemars::JsonSchema;
use serde::{Deserialize, Serialize};

/// What a program asks, in the parameters of OAuth. What is not listed is ignored, as the
/// specification wants.
#[derive(Debug, Clone, Default, Deserialize, Serialize, JsonSchema)]
pub(crate) struct ConsentAsked {
    /// Always `code`.
    response_type: Option<String>,
    /// Which program.
    client_id: Option<String>,
    /// Where the answer goes.
    redirect_uri: Option<String>,
    /// The hash of its proof.
    code_challenge: Option<String>,
    /// Always `S256`.
    code_challenge_method: Option<String>,
    /// How far it wants to reach.
    scope: Option<String>,
    /// What it wants to hear again.
    state: Option<String>,
    /// Which endpoint it wants to reach.
    resource: Option<String>,
}

impl ConsentAsked {
    /// As a page sends it back.
    pub fn json(&self) -> String {
        serde_json::json!(self).to_string()
    }
}

impl From<ConsentAsked> for AuthorizeRequest {
    fn from(asked: ConsentAsked) -> Self {
        Self {
            response_type: asked.response_type,
            client_id: asked.client_id,
            redirect_uri: asked.redirect_uri,
            code_challenge: asked.code_challenge,
            code_challenge_method: asked.code_challenge_method,
            scope: asked.scope,
            state: asked.state,
            resource: asked.resource,
        }
    }
}

/// The owner's answer.
#[derive(Debug, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
pub(crate) struct Decision {
    /// What was asked.
    request: ConsentAsked,
    /// `allow` or `deny`.
    decision: String,
    /// How far on each resource: `none`, `read` or `write`; an empty text takes its rule away.
    #[serde(default)]
    grants: Chosen,
}

/// Where the browser goes now.
#[derive(Debug, Serialize, JsonSchema)]
pub(crate) struct Go {
    /// An address of the program.
    go: String,
}

pub(super) async fn decide(desk: Desk, _: Nothing, input: Decision) -> Result<Answer<Go>, Failure> {
    let asked = desk.asked(input.request.into()).await?.map_err(turned)?;
    match input.decision.as_str() {
        "allow" => Answer::of(Go { go: allowed(&desk, &asked, input.grants).await? }),
        "deny" => {
            let note = format!("did not let {} in", asked.agent());
            desk.credentials.note_owners_act(&desk.caller, &asked.client.id, note).await?;
            Answer::of(Go { go: asked.denied() })
        }
        other => Err(Failure::invalid(format!("`{other}` is neither allow nor deny"))),
    }
}

async fn allowed(desk: &Desk, asked: &Asked, chosen: Chosen) -> Result<String, Failure> {
    let agent = asked.agent();
    let Rules { given, taken } = Rules::read(&agent, chosen, asked.scope)?;
    let kept = desk.engine.admin().grants(&desk.caller).await?.into_iter().filter(|grant| {
        let named = |resource: &String| *resource == grant.resource;
        grant.agent == agent
            && !taken.iter().any(named)
            && !given.iter().any(|set| named(&set.resource))
    });
    let reached =
        kept.map(|grant| grant.permission).chain(given.iter().map(|set| set.permission)).max();
    let scope = reached.unwrap_or(Permission::None).min(asked.scope);
    if scope == Permission::None {
        return Err(Failure::invalid(
            "it may do nothing so; choose read or write for something, or say no",
        ));
    }
    let note = format!("let {agent} in to {}", scope.name());
    desk.credentials.note_owners_act(&desk.caller, &asked.client.id, note).await?;
    desk.engine.admin().set_grants(&desk.caller, &given).await?;
    for resource in taken {
        desk.engine.admin().remove_grant(&desk.caller, &agent, &resource).await?;
    }
    let (owner, now) = (desk.caller.owner.clone(), desk.engine.now());
    desk.remote()?.agree(asked, owner, scope, now).map_err(failure)
}

fn turned(turned: Turned) -> Failure {
    match turned {
        Turned::ToPerson(error) => failure(error),
        Turned::ToClient(_) => Failure::invalid("the program asks for something that there is not"),
    }
}

fn failure(error: OAuthError) -> Failure {
    match &error {
        OAuthError::ServerError(cause) => {
            tracing::error!(cause, "OAuth failed inside");
            Failure::new(ErrorCode::Internal, error.to_string())
        }
        OAuthError::TemporarilyUnavailable => {
            Failure::new(ErrorCode::RateLimited, error.to_string())
        }
        _ => Failure::invalid(error.to_string()),
    }
}

/// A program that was let in.
#[derive(Debug, Serialize, JsonSchema)]
pub(crate) struct ConnectionShown {
    /// Its number.
    id: i64,
    /// The agent that it is.
    agent: String,
    /// The id that it registered under.
    client: String,
    /// How far it reaches at most.
    scope: &'static str,
    /// The endpoint that it reaches.
    resource: String,
    /// Since when.
    since: String,
    /// When it last renewed its tokens.
    renewed_at: String,
}

impl From<Family> for ConnectionShown {
    fn from(family: Family) -> Self {
        let consent = family.consent;
        Self {
            id: family.id.0,
            agent: consent.agent.to_string(),
            client: consent.client,
            scope: consent.scope.name(),
            resource: consent.resource,
            since: time(family.since),
            renewed_at: time(family.renewed_at),
        }
    }
}

pub(super) async fn list(
    desk: Desk,
    _: Nothing,
    _: Nothing,
) -> Result<Answer<Vec<ConnectionShown>>, Failure> {
    let connected = desk.credentials.connected(&desk.caller).await?;
    Answer::of(connected.into_iter().map(ConnectionShown::from).collect())
}

pub(super) async fn end(desk: Desk, path: ById, _: Nothing) -> Result<Answer<Done>, Failure> {
    desk.credentials.disconnect(&desk.caller, FamilyId(path.id)).await?;
    Answer::of(Done { said: format!("connection {} opens nothing any more", path.id) })
}
