//! Keys: what an agent shows to be let in. The secret is shown once, when the key is made.

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
    /// Its number.
    id: i64,
    /// The agent it stands for.
    agent: String,
    /// What people call it.
    label: String,
    /// Its first characters.
    prefix: String,
    /// How far it reaches at most: `read` or `write`.
    scope: &'static str,
    /// When it was made.
    created_at: String,
    /// When it was last used.
    last_used_at: Option<String>,
    /// Until when it is good.
    expires_at: Option<String>,
    /// When it was taken back.
    revoked_at: Option<String>,
}

impl From<KeyInfo> for KeyShown {
    fn from(kept: KeyInfo) -> Self {
        Self {
            id: kept.id.0,
            agent: kept.key.agent.to_string(),
            label: kept.key.label,
            prefix: kept.key.prefix,
            scope: kept.key.scope.name(),
            created_at: time(kept.created_at),
            last_used_at: kept.last_used_at.map(time),
            expires_at: kept.key.expires_at.map(time),
            revoked_at: kept.revoked_at.map(time),
        }
    }
}

pub(super) async fn list(
    desk: Desk,
    _: Nothing,
    _: Nothing,
) -> Result<Answer<Vec<KeyShown>>, Failure> {
    Answer::of(desk.credentials.keys(&desk.caller).await?.into_iter().map(KeyShown::from).collect())
}

/// A key to make.
#[derive(Debug, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
pub(crate) struct NewKey {
    /// The agent it stands for.
    agent: String,
    /// What people call it; the agent's name when missing.
    label: Option<String>,
    /// How far it reaches at most: `read` or `write`.
    scope: String,
    /// Until when it is good; for ever when missing.
    expires: Option<String>,
}

/// A key that was made, with its secret.
#[derive(Debug, Serialize, JsonSchema)]
pub(crate) struct NewSecret {
    /// Its number.
    id: i64,
    /// The key itself. It is not shown again.
    secret: String,
    /// The agent it stands for.
    agent: String,
}

impl From<KeyCreated> for NewSecret {
    fn from(created: KeyCreated) -> Self {
        let secret = created.secret.reveal().to_owned();
        Self { id: created.id.0, secret, agent: created.key.agent.to_string() }
    }
}

/// How far something reaches, by its name.
pub(super) fn permission(name: &str) -> Result<Permission, Failure> {
    Permission::parse(name)
        .ok_or_else(|| Failure::invalid(format!("`{name}` is none of none, read, write")))
}

pub(super) async fn create(
    desk: Desk,
    _: Nothing,
    input: NewKey,
) -> Result<Answer<NewSecret>, Failure> {
    let agent = AgentName::new(&input.agent);
    let create = CreateKey {
        label: input.label.unwrap_or_else(|| agent.to_string()),
        agent,
        scope: permission(&input.scope)?,
        expires_at: moment(input.expires.as_deref())?,
        form: KeyForm::Quipu,
    };
    Answer::of(desk.credentials.create_key(&desk.caller, &create).await?.into())
}

pub(super) async fn rotate(
    desk: Desk,
    path: ById,
    _: Nothing,
) -> Result<Answer<NewSecret>, Failure> {
    let rotate = RotateKey { key: KeyId(path.id), overlap_seconds: None };
    Answer::of(desk.credentials.rotate_key(&desk.caller, &rotate).await?.into())
}

pub(super) async fn revoke(desk: Desk, path: ById, _: Nothing) -> Result<Answer<Done>, Failure> {
    desk.credentials.revoke_key(&desk.caller, KeyId(path.id)).await?;
    Answer::of(Done { said: format!("key {} opens nothing any more", path.id) })
}
