//! Operations on access: the dialects served over HTTP, and login links.

use super::json::MessageJson;
use crate::api::{ApiResponse, NoFields};
use crate::login;
use crate::request_context::RequestContext;
use model::{Dialect, ErrorCode, Failure};
use schemars::JsonSchema;
use serde::{Deserialize, Serialize};
use server::BrowserSession;

/// A served dialect.
#[derive(Debug, Serialize, JsonSchema)]
pub(crate) struct DialectJson {
    /// Name of the dialect.
    dialect: &'static str,
    /// Path of its endpoint.
    path: String,
    /// True when it is turned on.
    on: bool,
}

pub(super) async fn dialects(
    context: RequestContext,
    _: NoFields,
    _: NoFields,
) -> Result<ApiResponse<Vec<DialectJson>>, Failure> {
    // Fails for an agent: which dialects are on is the owner's configuration.
    context.engine.admin().are_grants_enforced(&context.caller).await?;
    let mut dialects = Vec::new();
    for served in &context.dialects {
        let owner = &context.caller.owner;
        let on = context.engine.admin().is_dialect_enabled(owner, served.dialect).await;
        let (dialect, path) = (served.dialect.name(), served.path.clone());
        dialects.push(DialectJson { dialect, path, on });
    }
    ApiResponse::new(dialects)
}

/// A switch of a dialect.
#[derive(Debug, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
pub(crate) struct DialectSwitchBody {
    /// Name of the dialect.
    dialect: String,
    /// True to turn it on.
    on: bool,
}

pub(super) async fn switch(
    context: RequestContext,
    _: NoFields,
    input: DialectSwitchBody,
) -> Result<ApiResponse<MessageJson>, Failure> {
    let known = Dialect::parse(&input.dialect);
    let served = known.filter(|known| context.dialects.iter().any(|one| one.dialect == *known));
    let dialect = served.ok_or_else(|| Failure::not_found("dialect", &input.dialect))?;
    context.engine.admin().switch_dialect(&context.caller, dialect, input.on).await?;
    let state = if input.on { "on" } else { "off" };
    ApiResponse::new(MessageJson { said: format!("{} is turned {state}", dialect.name()) })
}

/// A login link.
#[derive(Debug, Serialize, JsonSchema)]
pub(crate) struct LoginLinkJson {
    /// Path that logs in once, within ten minutes.
    path: String,
}

pub(super) async fn link(
    context: RequestContext,
    _: NoFields,
    _: NoFields,
) -> Result<ApiResponse<LoginLinkJson>, Failure> {
    context.engine.admin().note_owner_action(&context.caller, "created a login link").await?;
    // It logs in whoever asks, and nobody else.
    let identity = context.session.as_ref().and_then(BrowserSession::identity);
    if identity.is_none() && context.session.is_none() && !context.is_server_owner() {
        let message = "only a person who is logged in can create a login link";
        return Err(Failure::new(ErrorCode::ConsentRequired, message));
    }
    let secret = context.sessions.create_link_for(identity, context.engine.now()).await;
    let secret = secret.map_err(|error| Failure::new(ErrorCode::Internal, error.to_string()))?;
    ApiResponse::new(LoginLinkJson { path: format!("{}?link={secret}", login::PATH) })
}
