//! Credentials: who stands behind a key that a client shows, and the keys that an owner gives out
//! and takes back. Access tokens are another room's to read; what owners let in by them is listed
//! and taken back here too.

mod connections;

use engine_core::Core;
use engine_core::call::{Call, internal};
use engine_core::caller::Caller;

use guard::{KeyForm, KeySecret, Resource};
use model::{
    AgentName, Failure, FamilyId, KeyId, KeyInfo, Moment, NewKey, OwnerId, Permission, limits,
};
use std::sync::Arc;
use store::{Clients, Control};

/// How often the last use of a key is written down at most: a note per call would cost a sync to
/// disk each.
const TOUCH_SECONDS: i64 = 60;
/// How long an old key goes on opening after it was rotated, unless told otherwise.
pub const OVERLAP_SECONDS: u32 = 24 * 3600;
/// How long that may be.
const OVERLAP_SECONDS_MAX: u32 = 90 * 24 * 3600;
/// How many keys that are good an owner may have.
const KEYS_MAX: usize = 1_000;

/// Knows who stands behind a secret.
pub struct Credentials {
    control: Arc<dyn Control>,
    clients: Option<Arc<dyn Clients>>,
    core: Arc<Core>,
    epitome: bool,
}

/// Whom a credential stands for.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Identity {
    /// Whose memory it opens.
    pub owner: OwnerId,
    /// Which agent shows it.
    pub agent: AgentName,
    /// How far it reaches at most.
    pub scope: Permission,
    /// What was shown.
    pub credential: Credential,
}

/// A kind of credential, with the number it is kept under.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
#[non_exhaustive]
pub enum Credential {
    /// A key that the owner gave out.
    Key(KeyId),
    /// An access token of a family that the owner agreed to.
    Token(FamilyId),
}

/// A key to make.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct CreateKey {
    /// The agent it stands for.
    pub agent: AgentName,
    /// What people call it.
    pub label: String,
    /// How far it reaches at most: read, or read and write.
    pub scope: Permission,
    /// Until when it is good.
    pub expires_at: Option<Moment>,
    /// How it is written.
    pub form: KeyForm,
}

/// A key to put a new one in the place of.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct RotateKey {
    /// Which.
    pub key: KeyId,
    /// How long the old one goes on opening; [`OVERLAP_SECONDS`] when missing.
    pub overlap_seconds: Option<u32>,
}

/// A key that was made. The secret is shown here and never again.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct KeyCreated {
    /// Its number.
    pub id: KeyId,
    /// The key in clear.
    pub secret: KeySecret,
    /// What is kept of it.
    pub key: NewKey,
}

impl Credentials {
    /// Credentials for the owners that this control side knows.
    #[must_use]
    pub fn new(control: Arc<dyn Control>, core: Arc<Core>) -> Self {
        Self { control, clients: None, core, epitome: false }
    }

    /// The same, with the programs that owners let in over OAuth.
    #[must_use]
    pub fn with_clients(self, clients: Arc<dyn Clients>) -> Self {
        Self { clients: Some(clients), ..self }
    }

    /// The same, with keys of Epitome's form accepted too.
    #[must_use]
    pub fn with_epitome_keys(self, epitome: bool) -> Self {
        Self { epitome, ..self }
    }

    /// Who stands behind a secret; `None` when it opens nothing: unknown, expired and taken back
    /// look the same.
    ///
    /// # Errors
    /// When the store cannot answer.
    pub async fn identify(&self, shown: &str) -> Result<Option<Identity>, Failure> {
        let Some((secret, form)) = KeySecret::read(shown) else { return Ok(None) };
        if form == KeyForm::Epitome && !self.epitome {
            return Ok(None);
        }
        let now = self.core.now();
        let kept = self.control.key(secret.hash()).await?;
        let Some(kept) = kept.filter(|key| key.is_good(now)) else { return Ok(None) };
        self.note_use(&kept, now).await;
        let KeyInfo { id, key, .. } = kept;
        let credential = Credential::Key(id);
        Ok(Some(Identity { owner: key.owner, agent: key.agent, scope: key.scope, credential }))
    }

    /// Makes a key.
    ///
    /// # Errors
    /// `consent_required` for anybody but the owner in person; `invalid_argument` when it could
    /// open nothing.
    pub async fn create_key(
        &self,
        caller: &Caller,
        input: &CreateKey,
    ) -> Result<KeyCreated, Failure> {
        let call = self.begin(caller, input).await?;
        limits::chars("label", &input.label, limits::NAME_CHARS)?;
        if input.scope == Permission::None {
            return Err(Failure::invalid("a key of no scope opens nothing; use read or write"));
        }
        if input.expires_at.is_some_and(|end| end <= call.at) {
            return Err(Failure::invalid("the key would have expired already; give a later end"));
        }
        limits::count("keys", self.good_keys(&call).await?.len() + 1, KEYS_MAX)?;
        let created = self.add(&call, input).await?;
        self.told(&call, created.id, format!("created key {} for {}", created.id, input.agent))
            .await?;
        Ok(created)
    }

    /// The keys of the owner, newest first, good or not.
    ///
    /// # Errors
    /// `consent_required` for anybody but the owner in person.
    pub async fn keys(&self, caller: &Caller) -> Result<Vec<KeyInfo>, Failure> {
        let call = self.begin(caller, &"list").await?;
        let keys = self.control.keys(&caller.owner).await?;
        call.note_shown(format!("listed {} keys", keys.len()), &[]).await;
        Ok(keys)
    }

    /// When a key was last used; `None` before the first time.
    ///
    /// # Errors
    /// `not_found` when the owner has no such key.
    pub async fn used(&self, caller: &Caller, key: KeyId) -> Result<Option<Moment>, Failure> {
        self.begin(caller, &("used", key)).await?;
        let keys = self.control.keys(&caller.owner).await?;
        let found = keys.into_iter().find(|kept| kept.id == key);
        found.map(|kept| kept.last_used_at).ok_or_else(|| Failure::not_found("key", key))
    }

    /// Puts a new key in the place of an old one, which goes on opening for a while, so that no
    /// client is cut off.
    ///
    /// # Errors
    /// `not_found` when the owner has no such key or it is not good any more.
    pub async fn rotate_key(
        &self,
        caller: &Caller,
        input: &RotateKey,
    ) -> Result<KeyCreated, Failure> {
        let call = self.begin(caller, input).await?;
        let overlap = input.overlap_seconds.unwrap_or(OVERLAP_SECONDS);
        limits::range(
            "the overlap's seconds",
            f64::from(overlap),
            0.0,
            f64::from(OVERLAP_SECONDS_MAX),
        )?;
        let good = self.good_keys(&call).await?;
        let old = good.into_iter().find(|kept| kept.id == input.key);
        let old = old.ok_or_else(|| Failure::not_found("good key", input.key))?.key;
        let form = if old.prefix.starts_with("epi_") { KeyForm::Epitome } else { KeyForm::Quipu };
        let (agent, label, scope, expires_at) = (old.agent, old.label, old.scope, old.expires_at);
        let created = self.add(&call, &CreateKey { agent, label, scope, expires_at, form }).await?;
        let end = call.at.plus_seconds(i64::from(overlap));
        self.control.end_key(&caller.owner, input.key, end).await?;
        self.told(&call, created.id, format!("rotated key {} to {}", input.key, created.id))
            .await?;
        Ok(created)
    }

    /// Takes a key back. It opens nothing from the next request on.
    ///
    /// # Errors
    /// `not_found` when the owner has no such key.
    pub async fn revoke_key(&self, caller: &Caller, key: KeyId) -> Result<(), Failure> {
        let call = self.begin(caller, &("revoke", key)).await?;
        if !self.control.revoke_key(&caller.owner, key, call.at).await? {
            return Err(Failure::not_found("key", key));
        }
        call.note_done(format!("revoked key {key}")).await
    }

    async fn begin<'c>(
        &'c self,
        caller: &'c Caller,
        arguments: &impl std::fmt::Debug,
    ) -> Result<Call<'c>, Failure> {
        Call::begin(&self.core, caller, Resource::Administration, Permission::Write, arguments)
            .await
    }

    async fn good_keys(&self, call: &Call<'_>) -> Result<Vec<KeyInfo>, Failure> {
        let mut keys = self.control.keys(&call.caller.owner).await?;
        keys.retain(|kept| kept.is_good(call.at));
        Ok(keys)
    }

    async fn add(&self, call: &Call<'_>, input: &CreateKey) -> Result<KeyCreated, Failure> {
        let secret = KeySecret::new(input.form).map_err(internal)?;
        let key = NewKey {
            owner: call.caller.owner.clone(),
            agent: input.agent.clone(),
            label: input.label.clone(),
            prefix: secret.prefix(),
            hash: secret.hash(),
            scope: input.scope,
            expires_at: input.expires_at,
        };
        let id = self.control.add_key(key.clone(), call.at).await?;
        Ok(KeyCreated { id, secret, key })
    }

    /// Tells of a new key. One that could not be told of must not open anything.
    async fn told(&self, call: &Call<'_>, key: KeyId, note: String) -> Result<(), Failure> {
        let told = call.note_done(note).await;
        if told.is_err() {
            self.control.revoke_key(&call.caller.owner, key, call.at).await?;
        }
        told
    }

    /// A fault here must not keep anybody out.
    async fn note_use(&self, kept: &KeyInfo, now: Moment) {
        if kept.last_used_at.is_some_and(|last| now < last.plus_seconds(TOUCH_SECONDS)) {
            return;
        }
        if let Err(error) = self.control.touch_key(kept.id, now).await {
            tracing::warn!(%error, key = kept.id.0, "the use of a key could not be noted");
        }
    }
}
