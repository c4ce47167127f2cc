//! Operations on keys, with which agents authenticate. The secret is shown once, when the key is
//! created.

use super::memories::{ById, moment};
use super::shown::{Done, time};
use crate::api::{Answer, Nothing};
use crate::desk::Desk;
use engine::KeyForm;
use engine::credentials::{CreateKey, KeyCreated, RotateKey};
use model::{AgentName, Failure, KeyId, KeyInfo, Permission};
use schemars::JsonSchema;
use serde::{Deserialize, Serialize};

/// A key, without its secret.
#[derive(Debug, Serialize, JsonSchema)]
pub(crate) struct KeyShown {
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

impl From<KeyInfo> for KeyShown {
    fn from(info: KeyInfo) -> Self {
        Self {
            id: info.id.0,
            agent: info.key.agent.to_string(),
            label: info.key.label,
            prefix: info.key.prefix,
            scope: info.key.scope.name(),
            created_at: time(info.created_at),
            last_used_at: info.last_used_at.map(time),
            expires_at: info.key.expires_at.map(time),
            revoked_at: info.revoked_at.map(time),
        }
    }
}

pub(super) async fn list(
    context: Desk,
    _: Nothing,
    _: Nothing,
) -> Result<Answer<Vec<KeyShown>>, Failure> {
    Answer::of(
        context.credentials.keys(&context.caller).await?.into_iter().map(KeyShown::from).collect(),
    )
}

/// A key to create.
#[derive(Debug, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
pub(crate) struct NewKey {
    /// Agent that the key belongs to.
    agent: String,
    /// Label of the key; default: the agent's name.
    label: Option<String>,
    /// Maximum permission: `read` or `write`.
    scope: String,
    /// Expiry time; default: never.
    expires: Option<String>,
}

/// A created key with its secret.
#[derive(Debug, Serialize, JsonSchema)]
pub(crate) struct NewSecret {
    /// Id of the key.
    id: i64,
    /// Secret of the key. It is not shown again.
    secret: String,
    /// Agent that the key belongs to.
    agent: String,
}

impl From<KeyCreated> for NewSecret {
    fn from(created: KeyCreated) -> Self {
        let secret = created.secret.reveal().to_owned();
        Self { id: created.id.0, secret, agent: created.key.agent.to_string() }
    }
}

/// Parses a permission.
pub(super) fn permission(name: &str) -> Result<Permission, Failure> {
    Permission::parse(name)
        .ok_or_else(|| Failure::invalid(format!("`{name}` must be one of none, read, write")))
}

pub(super) async fn create(
    context: Desk,
    _: Nothing,
    input: NewKey,
) -> Result<Answer<NewSecret>, Failure> {
    let agent = AgentName::new(&input.agent);
    let create = CreateKey {
        // Evaluated before `agent` is moved into its field.
        label: input.label.unwrap_or_else(|| agent.to_string()),
        agent,
        scope: permission(&input.scope)?,
        expires_at: moment(input.expires.as_deref())?,
        form: KeyForm::Quipu,
    };
    Answer::of(context.credentials.create_key(&context.caller, &create).await?.into())
}

pub(super) async fn rotate(
    context: Desk,
    path: ById,
    _: Nothing,
) -> Result<Answer<NewSecret>, Failure> {
    let rotate = RotateKey { key: KeyId(path.id), overlap_seconds: None };
    Answer::of(context.credentials.rotate_key(&context.caller, &rotate).await?.into())
}

pub(super) async fn revoke(context: Desk, path: ById, _: Nothing) -> Result<Answer<Done>, Failure> {
    context.credentials.revoke_key(&context.caller, KeyId(path.id)).await?;
    Answer::of(Done { said: format!("key {} is revoked", path.id) })
}
