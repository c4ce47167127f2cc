//! Operations on OAuth access: the owner's decision on a request, and the connected programs.

use super::grants::{PermissionChoices, RuleChanges};
use super::json::{MessageJson, format_time};
use super::memories::IdPath;
use crate::api::{ApiResponse, NoFields};
use crate::request_context::RequestContext;
use model::{ErrorCode, Failure, Permission, TokenFamily, TokenFamilyId};
use oauth::{AuthorizeRefusal, AuthorizeRequest, ConsentRequest, OAuthError};
use schemars::JsonSchema;
use serde::{Deserialize, Serialize};

/// Parameters of an OAuth authorization request. Unknown ones are ignored, as the specification
/// requires.
#[derive(Debug, Clone, Default, Deserialize, Serialize, JsonSchema)]
pub(crate) struct ConsentQuery {
    /// Always `code`.
    response_type: Option<String>,
    /// Id of the client.
    client_id: Option<String>,
    /// Redirect address.
    redirect_uri: Option<String>,
    /// PKCE code challenge.
    code_challenge: Option<String>,
    /// Always `S256`.
    code_challenge_method: Option<String>,
    /// Requested scope.
    scope: Option<String>,
    /// State, returned unchanged to the client.
    state: Option<String>,
    /// Requested endpoint.
    resource: Option<String>,
    /// Host that the program used, where the browser was led to another one of this server.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub via: Option<String>,
}

impl ConsentQuery {
    /// Encodes the request for a form field.
    pub fn json(&self) -> String {
        serde_json::json!(self).to_string()
    }
}

impl From<ConsentQuery> for AuthorizeRequest {
    fn from(request: ConsentQuery) -> Self {
        Self {
            response_type: request.response_type,
            client_id: request.client_id,
            redirect_uri: request.redirect_uri,
            code_challenge: request.code_challenge,
            code_challenge_method: request.code_challenge_method,
            scope: request.scope,
            state: request.state,
            resource: request.resource,
        }
    }
}

/// Decision of the owner.
#[derive(Debug, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
pub(crate) struct ConsentBody {
    /// The access request.
    request: ConsentQuery,
    /// `allow` or `deny`.
    decision: String,
    /// Permission for each resource: `none`, `read` or `write`; an empty text removes the rule.
    #[serde(default)]
    grants: PermissionChoices,
}

/// A redirect.
#[derive(Debug, Serialize, JsonSchema)]
pub(crate) struct RedirectJson {
    /// Redirect address of the program.
    go: String,
}

pub(super) async fn decide(
    context: RequestContext,
    _: NoFields,
    input: ConsentBody,
) -> Result<ApiResponse<RedirectJson>, Failure> {
    let request = context.parse_authorization(input.request).await?.map_err(rejected_request)?;
    match input.decision.as_str() {
        "allow" => {
            ApiResponse::new(RedirectJson { go: allow(&context, &request, input.grants).await? })
        }
        "deny" => {
            let note = format!("did not let {} in", request.agent());
            context
                .credentials
                .note_owner_action(&context.caller, &request.client.id, note)
                .await?;
            ApiResponse::new(RedirectJson { go: request.denied_redirect() })
        }
        other => Err(Failure::invalid(format!("`{other}` is neither allow nor deny"))),
    }
}

async fn allow(
    context: &RequestContext,
    request: &ConsentRequest,
    chosen: PermissionChoices,
) -> Result<String, Failure> {
    let agent = request.agent();
    let RuleChanges { set, removed } = RuleChanges::parse(&agent, chosen, request.scope)?;
    let remaining =
        context.engine.admin().grants(&context.caller).await?.into_iter().filter(|grant| {
            let named = |resource: &String| *resource == grant.resource;
            grant.agent == agent
                && !removed.iter().any(named)
                && !set.iter().any(|rule| named(&rule.resource))
        });
    let reached =
        remaining.map(|grant| grant.permission).chain(set.iter().map(|rule| rule.permission)).max();
    // The token reaches as far as the grants do, and never further than was requested.
    let scope = reached.unwrap_or(Permission::None).min(request.scope);
    if scope == Permission::None {
        return Err(Failure::invalid(
            "nothing is allowed; choose read or write for a resource, or deny the request",
        ));
    }
    // The note comes first: a failure in between leaves a note without a grant, never the reverse.
    let note = format!("let {agent} in to {}", scope.name());
    context.credentials.note_owner_action(&context.caller, &request.client.id, note).await?;
    context.engine.admin().set_grants(&context.caller, &set).await?;
    for resource in removed {
        context.engine.admin().remove_grant(&context.caller, &agent, &resource).await?;
    }
    let (owner, now) = (context.caller.owner.clone(), context.engine.now());
    let approved = context.authorization_server()?.approve(request, owner, scope, now).await;
    approved.map_err(oauth_failure)
}

fn rejected_request(rejected: AuthorizeRefusal) -> Failure {
    match rejected {
        AuthorizeRefusal::ToPerson(error) => oauth_failure(error),
        AuthorizeRefusal::ToClient(_) => {
            Failure::invalid("the program requests something that does not exist")
        }
    }
}

fn oauth_failure(error: OAuthError) -> Failure {
    match &error {
        OAuthError::ServerError(cause) => {
            tracing::error!(cause, "an OAuth request failed with an internal error");
            Failure::new(ErrorCode::Internal, error.to_string())
        }
        OAuthError::TemporarilyUnavailable => {
            Failure::new(ErrorCode::RateLimited, error.to_string())
        }
        _ => Failure::invalid(error.to_string()),
    }
}

/// A program connected over OAuth.
#[derive(Debug, Serialize, JsonSchema)]
pub(crate) struct ConnectionJson {
    /// Id of the connection.
    id: i64,
    /// Agent name of the program.
    agent: String,
    /// Id of the client.
    client: String,
    /// Maximum permission.
    scope: &'static str,
    /// Endpoint of the connection.
    resource: String,
    /// Time of the consent.
    since: String,
    /// Time its tokens were last renewed.
    renewed_at: String,
}

impl From<TokenFamily> for ConnectionJson {
    fn from(family: TokenFamily) -> Self {
        let consent = family.consent;
        Self {
            id: family.id.0,
            agent: consent.agent.to_string(),
            client: consent.client,
            scope: consent.scope.name(),
            resource: consent.resource,
            since: format_time(family.granted_at),
            renewed_at: format_time(family.renewed_at),
        }
    }
}

pub(super) async fn list(
    context: RequestContext,
    _: NoFields,
    _: NoFields,
) -> Result<ApiResponse<Vec<ConnectionJson>>, Failure> {
    let connected = context.credentials.connections(&context.caller).await?;
    ApiResponse::new(connected.into_iter().map(ConnectionJson::from).collect())
}

pub(super) async fn disconnect(
    context: RequestContext,
    path: IdPath,
    _: NoFields,
) -> Result<ApiResponse<MessageJson>, Failure> {
    context.credentials.disconnect(&context.caller, TokenFamilyId(path.id)).await?;
    ApiResponse::new(MessageJson { said: format!("connection {} is closed", path.id) })
}
