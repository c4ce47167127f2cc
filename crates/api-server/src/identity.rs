//! Identifies the caller: by the other end of a pipe or by the credential of an HTTP request, never
//! by an argument.

use crate::client_roots::ClientRoots;
use crate::connections::{HttpConnection, http_connection};
use crate::response_notes::ResponseNotes;
use crate::sent_environment::add_sent_environment;
use axum::http::{self, HeaderMap, HeaderValue, header::USER_AGENT, request::Parts};
use engine::credentials::{Credential, Identity};
use engine::{Caller, CallerAccess, ClientEnvironment};
use model::{AgentName, ConnectionId, Dialect, ErrorCode, Failure, GroupRole, JsonMap, OwnerId};
use rmcp::model::Extensions;
use rmcp::model::Implementation;
use rmcp::service::{NotificationContext, Peer, RequestContext, RoleServer};
use serde_json::Value;
use std::sync::Arc;

/// Maximum number of characters stored of a client's name and version.
const CLIENT_LENGTH_MAX: usize = 200;
/// Header in which a client may repeat the agent of its credential. Only with the owner's token,
/// which belongs to no agent, may a client of the legacy REST API choose a name by it.
const AGENT_HEADER: &str = "x-agent-id";

/// Owner of the agent at the other end of a pipe, and the environment it runs in.
#[derive(Debug, Clone)]
pub struct LocalClient {
    pub owner: OwnerId,
    /// Values that the client set in the environment it started this process with.
    pub surroundings: ClientEnvironment,
}

/// Identity behind a credential. The authorizer attaches it to every request it accepts.
#[derive(Debug, Clone)]
pub(crate) struct Principal {
    pub owner: OwnerId,
    /// Agent that the credential belongs to; `None` for the owner's own token.
    pub agent: Option<AgentName>,
    pub reach: CallerAccess,
    /// Credential that was presented; `None` for the owner's own token.
    pub credential: Option<Credential>,
    /// Person behind a browser session in the memory of a group, and their part in it.
    pub in_group: Option<(OwnerId, GroupRole)>,
}

impl From<Identity> for Principal {
    fn from(identity: Identity) -> Self {
        let Identity { owner, agent, scope, credential } = identity;
        Self {
            owner,
            agent: Some(agent),
            reach: CallerAccess::Credential(scope),
            credential: Some(credential),
            in_group: None,
        }
    }
}

/// Source of the caller's identity, by transport.
#[derive(Debug, Clone)]
pub(crate) enum CallerSource {
    /// A pipe. The client names its own agent; it runs under the owner's account anyway.
    Pipe(LocalClient, ConnectionId, Arc<ClientRoots>),
    /// HTTP. Every request carries its principal.
    Http,
}

impl CallerSource {
    /// Returns the caller of a request.
    pub fn caller(
        &self,
        request: &RequestContext<RoleServer>,
        dialect: Dialect,
    ) -> Result<Caller, Failure> {
        match self {
            Self::Pipe(local, connection, roots) => {
                let mut caller = local.caller(request.client_info().as_ref(), dialect);
                add_sent_environment(&mut caller.environment, &request.meta, None);
                roots.add_to(&mut caller.environment);
                Ok(caller.over_connection(connection.clone()))
            }
            Self::Http => {
                let (principal, parts) = authorized_parts(&request.extensions)?;
                let (introduced, client) = agent_and_client_over_http(request, parts);
                let mut caller = principal.caller(introduced, parts, dialect)?;
                caller.author.client = client;
                let headers = Some(&parts.headers);
                add_sent_environment(&mut caller.environment, &request.meta, headers);
                Ok(caller)
            }
        }
    }

    /// Asks a client over a pipe for its roots, unless its environment names the project.
    pub async fn ask_for_roots(&self, peer: &Peer<RoleServer>) {
        if let Self::Pipe(local, _, roots) = self
            && local.surroundings.project.is_none()
        {
            roots.ask(peer).await;
        }
    }

    /// Returns the sender of a notification.
    pub fn notifier(
        &self,
        notification: &NotificationContext<RoleServer>,
        dialect: Dialect,
    ) -> Result<Caller, Failure> {
        match self {
            Self::Pipe(local, connection, _) => {
                let client = notification.peer.peer_info().map(|info| info.client_info.clone());
                Ok(local.caller(client.as_ref(), dialect).over_connection(connection.clone()))
            }
            Self::Http => {
                let (principal, parts) = authorized_parts(&notification.extensions)?;
                let (introduced, client) = agent_and_client_by_user_agent(parts);
                let mut caller = principal.caller(introduced, parts, dialect)?;
                caller.author.client = client;
                Ok(caller)
            }
        }
    }
}

impl LocalClient {
    /// Returns the agent at the other end of the pipe, named as it introduced itself.
    pub(crate) fn caller(&self, client: Option<&Implementation>, dialect: Dialect) -> Caller {
        let (agent, client) = agent_and_client(client);
        let mut caller = Caller::agent(self.owner.clone(), agent, dialect);
        caller.author.client = client;
        caller.environment = self.surroundings.clone();
        caller
    }
}

impl Principal {
    /// Returns the agent of the credential, or the introduced one when the credential names none.
    fn caller(
        &self,
        introduced: AgentName,
        parts: &Parts,
        dialect: Dialect,
    ) -> Result<Caller, Failure> {
        if let Some((person, role)) = &self.in_group {
            let mut caller = Caller::in_group(self.owner.clone(), person, *role);
            caller.author.dialect = dialect;
            return Ok(caller);
        }
        let agent = match &self.agent {
            // The authorizer has compared the header with the agent of a credential.
            Some(agent) => agent.clone(),
            None => check_agent_header(&parts.headers, &introduced).map(|()| introduced)?,
        };
        let mut caller = Caller::agent(self.owner.clone(), agent, dialect).with_reach(self.reach);
        caller.connection =
            http_connection(&parts.headers, parts.extensions.get::<HttpConnection>().copied());
        Ok(caller)
    }
}

/// Checks that an `X-Agent-ID` header agrees with the agent of the credential.
pub(crate) fn check_agent_header(headers: &HeaderMap, agent: &AgentName) -> Result<(), Failure> {
    let names = headers.get_all(AGENT_HEADER).iter();
    let is_agent =
        |name: &HeaderValue| name.to_str().is_ok_and(|name| name.trim() == agent.as_str());
    if names.into_iter().all(is_agent) {
        return Ok(());
    }
    let message = format!("X-Agent-ID does not match the credential, which belongs to {agent}");
    Err(Failure::new(ErrorCode::Forbidden, message))
}

/// Argument by which some contracts let a caller name itself.
const AGENT_ID: &str = "agent_id";

/// Checks that an `agent_id` argument agrees with the credential. Without an agent's credential
/// there is nothing to compare with; the dialect then reports that it ignored the argument.
pub(crate) fn check_agent_argument(caller: &Caller, arguments: &JsonMap) -> Result<(), Failure> {
    let agent = &caller.author.agent;
    match arguments.get(AGENT_ID) {
        None | Some(Value::Null) => Ok(()),
        Some(_) if !matches!(caller.reach, CallerAccess::Credential(_)) => Ok(()),
        Some(value) if value.as_str().is_some_and(|name| name.trim() == agent.as_str()) => Ok(()),
        Some(_) => {
            let message = format!(
                "{AGENT_ID} does not match the credential, which belongs to {agent}; omit it"
            );
            Err(Failure::new(ErrorCode::Forbidden, message))
        }
    }
}

/// Returns the sender of a request to the REST API or a page: the owner in person, by a browser
/// session or the owner's token, or the agent that another credential belongs to.
///
/// # Errors
/// `unauthenticated` when the request did not pass the authorizer.
pub fn request_caller(request: &http::Extensions) -> Result<Caller, Failure> {
    let principal = request.get::<Principal>().ok_or_else(no_credential)?;
    let owner = principal.owner.clone();
    let Some(agent) = principal.agent.clone() else {
        let mut person = match &principal.in_group {
            Some((person, role)) => Caller::in_group(owner, person, *role),
            None => Caller::person(owner),
        };
        person.author.dialect = Dialect::Rest;
        return Ok(person);
    };
    Ok(Caller::agent(owner, agent, Dialect::Rest).with_reach(principal.reach))
}

/// Returns the caller of a legacy REST request: the agent of the credential, or the one that the
/// client names where the credential names none.
pub(crate) fn legacy_rest_caller(parts: &Parts, dialect: Dialect) -> Result<Caller, Failure> {
    let principal = parts.extensions.get::<Principal>().ok_or_else(no_credential)?;
    let (introduced, client) = agent_and_client_by_user_agent(parts);
    let named = parts.headers.get(AGENT_HEADER).and_then(|value| value.to_str().ok());
    let mut caller = principal.caller(named.map_or(introduced, AgentName::new), parts, dialect)?;
    caller.author.client = client;
    Ok(caller)
}

fn no_credential() -> Failure {
    Failure::new(ErrorCode::Unauthenticated, "the request carries no credential")
}

/// Returns the notes that the HTTP front end reads after the call.
pub(crate) fn response_notes(request: &RequestContext<RoleServer>) -> Option<&ResponseNotes> {
    request.extensions.get::<Parts>()?.extensions.get()
}

/// Returns the principal that the authorizer attached, and the request it is attached to; without
/// one the request bypassed the authorizer.
fn authorized_parts(extensions: &Extensions) -> Result<(&Principal, &Parts), Failure> {
    let parts = extensions.get::<Parts>();
    let admitted = parts.and_then(|parts| Some((parts.extensions.get::<Principal>()?, parts)));
    admitted.ok_or_else(no_credential)
}

/// Returns the agent and client of an MCP request over HTTP. The owner's token names no agent, so
/// the client's own introduction does: that of the request itself (there is no session that could
/// have another), or its user agent.
fn agent_and_client_over_http(
    request: &RequestContext<RoleServer>,
    parts: &Parts,
) -> (AgentName, Option<String>) {
    if let Some(client) = request.meta.client_info() {
        return agent_and_client(Some(&client));
    }
    agent_and_client_by_user_agent(parts)
}

fn agent_and_client_by_user_agent(parts: &Parts) -> (AgentName, Option<String>) {
    let Some(user_agent) = parts.headers.get(USER_AGENT).and_then(|value| value.to_str().ok())
    else {
        return agent_and_client(None);
    };
    // `codex/0.166.0 (linux)` names the agent `codex`.
    let product = user_agent.split(['/', ' ']).next().unwrap_or_default();
    (AgentName::new(product), Some(clean_client_text(user_agent)))
}

fn agent_and_client(client: Option<&Implementation>) -> (AgentName, Option<String>) {
    match client {
        Some(client) => {
            let client_version = format!("{} {}", client.name.trim(), client.version.trim());
            (AgentName::new(&client.name), Some(clean_client_text(&client_version)))
        }
        None => (AgentName::new(""), None),
    }
}

/// Strips control characters, which could otherwise reach a terminal, and truncates.
fn clean_client_text(text: &str) -> String {
    text.trim().chars().filter(|c| !c.is_control()).take(CLIENT_LENGTH_MAX).collect()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_client_is_its_name_and_version_without_control_characters() {
        let client = Implementation::new("claude-code\u{1b}[2J", " 2.1.325 ");
        let (agent, described) = agent_and_client(Some(&client));
        assert_eq!(agent.as_str(), "claude-code[2J");
        assert_eq!(described.as_deref(), Some("claude-code[2J 2.1.325"));
    }

    #[test]
    fn a_long_client_name_is_truncated() {
        let client = Implementation::new("n".repeat(10_000), "v".repeat(10_000));
        let (agent, described) = agent_and_client(Some(&client));
        assert_eq!(agent.as_str().chars().count(), AgentName::LENGTH_MAX);
        assert_eq!(described.unwrap().chars().count(), CLIENT_LENGTH_MAX);
    }

    #[test]
    fn a_client_without_a_name_is_unknown() {
        assert_eq!(agent_and_client(None), (AgentName::new("unknown"), None));
    }
}
