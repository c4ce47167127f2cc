//! Who calls: from the pipe's other end or from the credential of an HTTP request, never from an
//! argument.

use crate::http::repeats;
use crate::way_back::WayBack;
use axum::http::{self, header::USER_AGENT, request::Parts};
use engine::credentials::{Credential, Identity};
use engine::{Caller, Reach, Surroundings};
use model::{AgentName, Dialect, ErrorCode, Failure, JsonMap, OwnerId};
use rmcp::model::Extensions;
use rmcp::model::Implementation;
use rmcp::service::{NotificationContext, RequestContext, RoleServer};
use serde_json::Value;

/// The longest client name and version that is kept, in characters.
const CLIENT_LENGTH_MAX: usize = 200;
/// The header by which a plain request may name its agent.
const AGENT_HEADER: &str = "x-agent-id";

/// Whose agent is at the other end of a pipe, and what is known of where it runs.
#[derive(Debug, Clone)]
pub struct Local {
    /// Whose memory the agent was started for.
    pub owner: OwnerId,
    /// What the client told in the environment it started us with.
    pub surroundings: Surroundings,
}

/// Whom a credential stands for. The gate puts it into every request that it lets in.
#[derive(Debug, Clone)]
pub(crate) struct Principal {
    /// Whose memory the credential opens.
    pub owner: OwnerId,
    /// Which agent it stands for; the owner's own token names none.
    pub agent: Option<AgentName>,
    /// How far it reaches.
    pub reach: Reach,
    /// What was shown, unless it is the owner's own.
    pub credential: Option<Credential>,
}

impl From<Identity> for Principal {
    fn from(identity: Identity) -> Self {
        let Identity { owner, agent, scope, credential } = identity;
        Self {
            owner,
            agent: Some(agent),
            reach: Reach::Credential(scope),
            credential: Some(credential),
        }
    }
}

/// The door that calls come through.
#[derive(Debug, Clone)]
pub(crate) enum Door {
    /// A pipe; the agent is named by the client's own words, as it runs under the owner's account
    /// anyway.
    Pipe(Local),
    /// HTTP; every request carries its principal.
    Http,
}

impl Door {
    /// Who makes this request.
    pub fn caller(
        &self,
        request: &RequestContext<RoleServer>,
        dialect: Dialect,
    ) -> Result<Caller, Failure> {
        match self {
            Self::Pipe(local) => Ok(local.caller(request.client_info().as_ref(), dialect)),
            Self::Http => {
                let (principal, parts) = admitted(&request.extensions)?;
                let (introduced, client) = introduced_over_http(request, parts);
                let mut caller = principal.caller(introduced, parts, dialect)?;
                caller.author.client = client;
                Ok(caller)
            }
        }
    }

    /// Who sends this notification.
    pub fn notifier(
        &self,
        notification: &NotificationContext<RoleServer>,
        dialect: Dialect,
    ) -> Result<Caller, Failure> {
        match self {
            Self::Pipe(local) => {
                let client = notification.peer.peer_info().map(|info| info.client_info.clone());
                Ok(local.caller(client.as_ref(), dialect))
            }
            Self::Http => {
                let (principal, parts) = admitted(&notification.extensions)?;
                let (introduced, client) = by_user_agent(parts);
                let mut caller = principal.caller(introduced, parts, dialect)?;
                caller.author.client = client;
                Ok(caller)
            }
        }
    }
}

impl Local {
    /// The agent at the other end of the pipe, by what it says of itself.
    pub(crate) fn caller(&self, client: Option<&Implementation>, dialect: Dialect) -> Caller {
        let (agent, client) = introduced(client);
        let mut caller = Caller::agent(self.owner.clone(), agent, dialect);
        caller.author.client = client;
        caller.surroundings = self.surroundings.clone();
        caller
    }
}

impl Principal {
    /// The agent that the credential stands for; the one that was introduced when it names none.
    fn caller(
        &self,
        introduced: AgentName,
        parts: &Parts,
        dialect: Dialect,
    ) -> Result<Caller, Failure> {
        let agent = self.agent.clone().unwrap_or(introduced);
        repeats(&parts.headers, &agent)?;
        Ok(Caller::agent(self.owner.clone(), agent, dialect).reaching(self.reach))
    }
}

/// The name under which some contracts let a caller say who it is.
const AGENT_ID: &str = "agent_id";

/// A credential says who somebody is; an argument may only say the same. Without one there is
/// nothing to repeat, and the dialect says that it passed the argument over.
pub(crate) fn only_repeats(caller: &Caller, arguments: &JsonMap) -> Result<(), Failure> {
    let agent = &caller.author.agent;
    match arguments.get(AGENT_ID) {
        None | Some(Value::Null) => Ok(()),
        Some(_) if !matches!(caller.reach, Reach::Credential(_)) => Ok(()),
        Some(said) if said.as_str().is_some_and(|name| name.trim() == agent.as_str()) => Ok(()),
        Some(_) => {
            let message = format!(
                "{AGENT_ID} says otherwise than the credential, which stands for {agent}; leave it out"
            );
            Err(Failure::new(ErrorCode::Forbidden, message))
        }
    }
}

/// Who sent this request to REST or a page: the owner in person, by a visit or the owner's own
/// token, or the agent that another credential stands for.
///
/// # Errors
/// `unauthenticated` when the request did not come through the gate.
pub fn visitor(request: &http::Extensions) -> Result<Caller, Failure> {
    let principal = request.get::<Principal>().ok_or_else(no_credential)?;
    let owner = principal.owner.clone();
    let Some(agent) = principal.agent.clone() else {
        let mut person = Caller::person(owner);
        person.author.dialect = Dialect::Rest;
        return Ok(person);
    };
    Ok(Caller::agent(owner, agent, Dialect::Rest).reaching(principal.reach))
}

/// Who makes a plain request. The credential says for whom; where it names no agent, the client's
/// own words do.
pub(crate) fn rest_caller(parts: &Parts, dialect: Dialect) -> Result<Caller, Failure> {
    let principal = parts.extensions.get::<Principal>().ok_or_else(no_credential)?;
    let (introduced, client) = by_user_agent(parts);
    let named = parts.headers.get(AGENT_HEADER).and_then(|value| value.to_str().ok());
    let mut caller = principal.caller(named.map_or(introduced, AgentName::new), parts, dialect)?;
    caller.author.client = client;
    Ok(caller)
}

fn no_credential() -> Failure {
    Failure::new(ErrorCode::Unauthenticated, "the request carries no credential")
}

/// Where the gate waits to hear what does not belong into the answer.
pub(crate) fn way_back(request: &RequestContext<RoleServer>) -> Option<&WayBack> {
    request.extensions.get::<Parts>()?.extensions.get()
}

/// The principal that the gate found; without one the request did not come through the gate.
fn admitted(extensions: &Extensions) -> Result<(&Principal, &Parts), Failure> {
    let parts = extensions.get::<Parts>();
    let admitted = parts.and_then(|parts| Some((parts.extensions.get::<Principal>()?, parts)));
    admitted.ok_or_else(no_credential)
}

/// The owner's token names no agent, so the client's own words do: those of the request itself
/// (without a session there are no others), or its user agent.
fn introduced_over_http(
    request: &RequestContext<RoleServer>,
    parts: &Parts,
) -> (AgentName, Option<String>) {
    if let Some(client) = request.meta.client_info() {
        return introduced(Some(&client));
    }
    by_user_agent(parts)
}

fn by_user_agent(parts: &Parts) -> (AgentName, Option<String>) {
    let Some(user_agent) = parts.headers.get(USER_AGENT).and_then(|value| value.to_str().ok())
    else {
        return introduced(None);
    };
    let product = user_agent.split(['/', ' ']).next().unwrap_or_default();
    (AgentName::new(product), Some(shown(user_agent)))
}

fn introduced(client: Option<&Implementation>) -> (AgentName, Option<String>) {
    match client {
        Some(client) => {
            let told = format!("{} {}", client.name.trim(), client.version.trim());
            (AgentName::new(&client.name), Some(shown(&told)))
        }
        None => (AgentName::new(""), None),
    }
}

fn shown(told: &str) -> String {
    told.trim().chars().filter(|c| !c.is_control()).take(CLIENT_LENGTH_MAX).collect()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_client_is_its_name_and_version_without_control_characters() {
        let client = Implementation::new("claude-code\u{1b}[2J", " 2.1.325 ");
        let (agent, told) = introduced(Some(&client));
        assert_eq!(agent.as_str(), "claude-code[2J");
        assert_eq!(told.as_deref(), Some("claude-code[2J 2.1.325"));
    }

    #[test]
    fn a_client_that_tells_a_novel_is_cut_short() {
        let client = Implementation::new("n".repeat(10_000), "v".repeat(10_000));
        let (agent, told) = introduced(Some(&client));
        assert_eq!(agent.as_str().chars().count(), AgentName::LENGTH_MAX);
        assert_eq!(told.unwrap().chars().count(), CLIENT_LENGTH_MAX);
    }

    #[test]
    fn a_client_that_tells_nothing_is_unknown() {
        assert_eq!(introduced(None), (AgentName::new("unknown"), None));
    }
}
