//! Operations on keys, with which agents authenticate. The secret is shown once, when the key is
//! created.

use super::json::{MessageJson, format_time};
use super::memories::{IdPath, parse_moment};
use crate::api::{ApiResponse, NoFields};
use crate::request_context::RequestContext;
use engine::KeyForm;
use engine::credentials::{CreateKeyOutcome, CreateKeyRequest, RotateKeyRequest};
use engine::grants::SetGrantRequest;
use model::{AgentName, Failure, KeyId, KeyInfo, Permission};
use schemars::JsonSchema;
use serde::{Deserialize, Serialize};

/// A key, without its secret.
#[derive(Debug, Serialize, JsonSchema)]
pub(crate) struct KeyJson {
    /// Id of the key.
    id: i64,
    /// Agent that the key belongs to.
    agent: String,
    /// Label of the key.
    label: String,
    /// First characters of the key.
    prefix: String,
    /// Maximum permission: `read` or `write`.
    scope: &'static str,
    /// Creation time.
    created_at: String,
    /// Time of the last use.
    last_used_at: Option<String>,
    /// Expiry time.
    expires_at: Option<String>,
    /// Revocation time.
    revoked_at: Option<String>,
}

impl From<KeyInfo> for KeyJson {
    fn from(info: KeyInfo) -> Self {
        Self {
            id: info.id.0,
            agent: info.key.agent.to_string(),
            label: info.key.label,
            prefix: info.key.prefix,
            scope: info.key.scope.name(),
            created_at: format_time(info.created_at),
            last_used_at: info.last_used_at.map(format_time),
            expires_at: info.key.expires_at.map(format_time),
            revoked_at: info.revoked_at.map(format_time),
        }
    }
}

pub(super) async fn list(
    context: RequestContext,
    _: NoFields,
    _: NoFields,
) -> Result<ApiResponse<Vec<KeyJson>>, Failure> {
    ApiResponse::new(
        context.credentials.keys(&context.caller).await?.into_iter().map(KeyJson::from).collect(),
    )
}

/// A key to create.
#[derive(Debug, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
pub(crate) struct CreateKeyBody {
    /// Agent that the key belongs to.
    agent: String,
    /// Label of the key; default: the agent's name.
    label: Option<String>,
    /// Maximum permission: `read` or `write`.
    scope: String,
    /// Expiry time; default: never.
    expires: Option<String>,
    /// Permission that the agent gets for everything: `none`, `read` or `write`; default: its
    /// grants stay as they are.
    grants: Option<String>,
}

/// A created key with its secret.
#[derive(Debug, Serialize, JsonSchema)]
pub(crate) struct CreatedKeyJson {
    /// Id of the key.
    id: i64,
    /// Secret of the key. It is not shown again.
    secret: String,
    /// Agent that the key belongs to.
    agent: String,
}

impl From<CreateKeyOutcome> for CreatedKeyJson {
    fn from(created: CreateKeyOutcome) -> Self {
        let secret = created.secret.reveal().to_owned();
        Self { id: created.id.0, secret, agent: created.key.agent.to_string() }
    }
}

/// Parses a permission.
pub(super) fn parse_permission(name: &str) -> Result<Permission, Failure> {
    Permission::parse(name)
        .ok_or_else(|| Failure::invalid(format!("`{name}` must be one of none, read, write")))
}

pub(super) async fn create(
    context: RequestContext,
    _: NoFields,
    input: CreateKeyBody,
) -> Result<ApiResponse<CreatedKeyJson>, Failure> {
    let agent = AgentName::new(&input.agent);
    let grants = grants_for_everything(&agent, input.grants.as_deref())?;
    let create = CreateKeyRequest {
        // Evaluated before `agent` is moved into its field.
        label: input.label.unwrap_or_else(|| agent.to_string()),
        agent,
        scope: parse_permission(&input.scope)?,
        expires_at: parse_moment(input.expires.as_deref())?,
        form: KeyForm::Quipu,
    };
    // Grants first: if they fail, no key exists that was never shown to anybody.
    context.engine.admin().set_grants(&context.caller, &grants).await?;
    ApiResponse::new(context.credentials.create_key(&context.caller, &create).await?.into())
}

/// Returns the grant that a new key comes with, if one was chosen.
fn grants_for_everything(
    agent: &AgentName,
    chosen: Option<&str>,
) -> Result<Vec<SetGrantRequest>, Failure> {
    let chosen = chosen.filter(|word| !word.is_empty()).map(parse_permission).transpose()?;
    let grant = chosen.map(|permission| SetGrantRequest {
        agent: agent.clone(),
        resource: "*".to_owned(),
        permission,
    });
    Ok(grant.into_iter().collect())
}

pub(super) async fn rotate(
    context: RequestContext,
    path: IdPath,
    _: NoFields,
) -> Result<ApiResponse<CreatedKeyJson>, Failure> {
    let rotate = RotateKeyRequest { key: KeyId(path.id), overlap_seconds: None };
    ApiResponse::new(context.credentials.rotate_key(&context.caller, &rotate).await?.into())
}

pub(super) async fn revoke(
    context: RequestContext,
    path: IdPath,
    _: NoFields,
) -> Result<ApiResponse<MessageJson>, Failure> {
    context.credentials.revoke_key(&context.caller, KeyId(path.id)).await?;
    ApiResponse::new(MessageJson { said: format!("key {} is revoked", path.id) })
}
