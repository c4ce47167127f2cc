//! API keys: identifying the agent behind a key, and creating, rotating and revoking keys. OAuth
//! access tokens are verified elsewhere; the connections they belong to are listed and ended here.

mod connections;

use crate::people::People;
use engine_core::Core;
use engine_core::UseCaseFuture;
use engine_core::call::{Call, internal};
use engine_core::caller::Caller;

use guard::{KeyForm, KeySecret, Resource};
use model::{
    AgentName, Failure, KeyId, KeyInfo, Moment, NewKey, OwnerId, Permission, TokenFamilyId, limits,
};
use std::sync::Arc;
use store::{Clients, Control};

// At most one note of a key's use per minute: each costs a sync to disk.
const TOUCH_SECONDS: i64 = 60;
/// Default time that an old key stays valid after it was rotated.
pub const OVERLAP_SECONDS: u32 = 24 * 3600;
/// Longest time that an old key may stay valid.
const OVERLAP_SECONDS_MAX: u32 = 90 * 24 * 3600;
/// Largest number of valid keys of an owner.
const KEYS_MAX: usize = 1_000;

/// Identifies and manages the keys of owners.
pub struct Credentials {
    control: Arc<dyn Control>,
    clients: Option<Arc<dyn Clients>>,
    core: Arc<Core>,
    epitome: bool,
}

/// Owner and agent behind a credential.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Identity {
    pub owner: OwnerId,
    pub agent: AgentName,
    /// Upper bound of what the credential allows.
    pub scope: Permission,
    pub credential: Credential,
}

/// Kind of credential, with its id.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
#[non_exhaustive]
pub enum Credential {
    /// An API key.
    Key(KeyId),
    /// An access token of a consent.
    Token(TokenFamilyId),
}

/// Input of [`Credentials::create_key`].
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct CreateKeyRequest {
    pub agent: AgentName,
    /// Name for people to recognize the key by.
    pub label: String,
    /// Upper bound of what the key allows: read, or read and write.
    pub scope: Permission,
    pub expires_at: Option<Moment>,
    /// Prefix and format of the key.
    pub form: KeyForm,
}

/// Input of [`Credentials::rotate_key`].
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct RotateKeyRequest {
    pub key: KeyId,
    /// Seconds that the old key stays valid; [`OVERLAP_SECONDS`] when missing.
    pub overlap_seconds: Option<u32>,
}

/// A created key. The secret is available here and never again.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct CreateKeyOutcome {
    pub id: KeyId,
    /// The key in clear text.
    pub secret: KeySecret,
    /// The stored part of the key.
    pub key: NewKey,
}

impl Credentials {
    /// Creates the key management over a control store.
    #[must_use]
    pub fn new(control: Arc<dyn Control>, core: Arc<Core>) -> Self {
        Self { control, clients: None, core, epitome: false }
    }

    /// Adds the OAuth clients that owners have connected.
    #[must_use]
    pub fn with_clients(self, clients: Arc<dyn Clients>) -> Self {
        Self { clients: Some(clients), ..self }
    }

    /// Sets whether keys in Epitome's format are accepted.
    #[must_use]
    pub fn with_epitome_keys(self, epitome: bool) -> Self {
        Self { epitome, ..self }
    }

    /// Returns the people of the server and their groups.
    #[must_use]
    pub fn people(&self) -> People<'_> {
        People::new(&self.core, &*self.control)
    }

    /// Returns the current time of the memory.
    #[must_use]
    pub fn now(&self) -> Moment {
        self.core.now()
    }

    /// Returns the identity behind a secret; `None` when it is not valid.
    ///
    /// # Errors
    /// Fails when the store cannot be read.
    pub fn identify<'e>(&'e self, shown: &'e str) -> UseCaseFuture<'e, Option<Identity>> {
        Box::pin(async move {
            // Unknown, expired and revoked keys look the same, so that nothing can be probed.
            let Some((secret, form)) = KeySecret::parse(shown) else { return Ok(None) };
            if form == KeyForm::Epitome && !self.epitome {
                return Ok(None);
            }
            let now = self.core.now();
            let info = self.control.key(secret.hash()).await?;
            let Some(info) = info.filter(|key| key.is_valid(now)) else { return Ok(None) };
            self.note_use(&info, now).await;
            let KeyInfo { id, key, .. } = info;
            let credential = Credential::Key(id);
            Ok(Some(Identity { owner: key.owner, agent: key.agent, scope: key.scope, credential }))
        })
    }

    /// Creates a key.
    ///
    /// # Errors
    /// `consent_required` for anybody but the owner in person; `invalid_argument` when the key
    /// would allow nothing.
    pub fn create_key<'e>(
        &'e self,
        caller: &'e Caller,
        input: &'e CreateKeyRequest,
    ) -> UseCaseFuture<'e, CreateKeyOutcome> {
        Box::pin(async move {
            let call = self.begin(caller, input).await?;
            limits::chars("label", &input.label, limits::NAME_CHARS)?;
            if input.agent.as_str().starts_with('@') {
                return Err(Failure::invalid("names with @ stand for people; choose another one"));
            }
            if input.scope == Permission::None {
                return Err(Failure::invalid("a key needs the scope read or write"));
            }
            if input.expires_at.is_some_and(|end| end <= call.at) {
                return Err(Failure::invalid("expires_at is in the past; give a later time"));
            }
            // Only valid keys count; expired ones stay listed for the record.
            limits::count("keys", self.valid_keys(&call).await?.len() + 1, KEYS_MAX)?;
            let created = self.add(&call, input).await?;
            self.log_or_revoke(
                &call,
                created.id,
                format!("created key {} for {}", created.id, input.agent),
            )
            .await?;
            Ok(created)
        })
    }

    /// Returns all keys of the owner, valid or not, newest first.
    ///
    /// # Errors
    /// `consent_required` for anybody but the owner in person.
    pub fn keys<'e>(&'e self, caller: &'e Caller) -> UseCaseFuture<'e, Vec<KeyInfo>> {
        Box::pin(async move {
            let call = self.begin(caller, &"list").await?;
            let keys = self.control.keys(&caller.owner).await?;
            call.note_shown(format!("listed {} keys", keys.len()), &[]).await;
            Ok(keys)
        })
    }

    /// Returns the time a key was last used; `None` if it never was.
    ///
    /// # Errors
    /// `not_found` when the owner has no such key.
    pub fn last_used<'e>(
        &'e self,
        caller: &'e Caller,
        key: KeyId,
    ) -> UseCaseFuture<'e, Option<Moment>> {
        Box::pin(async move {
            self.begin(caller, &("used", key)).await?;
            let keys = self.control.keys(&caller.owner).await?;
            let found = keys.into_iter().find(|info| info.id == key);
            found.map(|info| info.last_used_at).ok_or_else(|| Failure::not_found("key", key))
        })
    }

    /// Replaces a key. The old one stays valid for a while, so that no client is cut off.
    ///
    /// # Errors
    /// `not_found` when the owner has no such key or it is not valid any more.
    pub fn rotate_key<'e>(
        &'e self,
        caller: &'e Caller,
        input: &'e RotateKeyRequest,
    ) -> UseCaseFuture<'e, CreateKeyOutcome> {
        Box::pin(async move {
            let call = self.begin(caller, input).await?;
            let overlap = input.overlap_seconds.unwrap_or(OVERLAP_SECONDS);
            limits::range(
                "overlap_seconds",
                f64::from(overlap),
                0.0,
                f64::from(OVERLAP_SECONDS_MAX),
            )?;
            let valid = self.valid_keys(&call).await?;
            let old = valid.into_iter().find(|info| info.id == input.key);
            let old = old.ok_or_else(|| Failure::not_found("valid key", input.key))?.key;
            let form =
                if old.prefix.starts_with("epi_") { KeyForm::Epitome } else { KeyForm::Quipu };
            let (agent, label, scope, expires_at) =
                (old.agent, old.label, old.scope, old.expires_at);
            let created = self
                .add(&call, &CreateKeyRequest { agent, label, scope, expires_at, form })
                .await?;
            // The new key exists before the old one ends: a crash in between leaves both valid,
            // never none.
            let end = call.at.plus_seconds(i64::from(overlap));
            self.control.expire_key(&caller.owner, input.key, end).await?;
            self.log_or_revoke(
                &call,
                created.id,
                format!("rotated key {} to {}", input.key, created.id),
            )
            .await?;
            Ok(created)
        })
    }

    /// Revokes a key. It is refused from the next request on.
    ///
    /// # Errors
    /// `not_found` when the owner has no such key.
    pub fn revoke_key<'e>(&'e self, caller: &'e Caller, key: KeyId) -> UseCaseFuture<'e, ()> {
        Box::pin(async move {
            let call = self.begin(caller, &("revoke", key)).await?;
            if !self.control.revoke_key(&caller.owner, key, call.at).await? {
                return Err(Failure::not_found("key", key));
            }
            call.note_done(format!("revoked key {key}")).await
        })
    }

    async fn begin<'c>(
        &'c self,
        caller: &'c Caller,
        arguments: &(dyn std::fmt::Debug + Sync),
    ) -> Result<Call<'c>, Failure> {
        Call::begin(&self.core, caller, Resource::Administration, Permission::Write, arguments)
            .await
    }

    async fn valid_keys(&self, call: &Call<'_>) -> Result<Vec<KeyInfo>, Failure> {
        let mut keys = self.control.keys(&call.caller.owner).await?;
        keys.retain(|info| info.is_valid(call.at));
        Ok(keys)
    }

    async fn add(
        &self,
        call: &Call<'_>,
        input: &CreateKeyRequest,
    ) -> Result<CreateKeyOutcome, Failure> {
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
        Ok(CreateKeyOutcome { id, secret, key })
    }

    /// Logs a new key, and revokes it if that fails: a key that is not in the log must not work.
    async fn log_or_revoke(
        &self,
        call: &Call<'_>,
        key: KeyId,
        note: String,
    ) -> Result<(), Failure> {
        let noted = call.note_done(note).await;
        if noted.is_err() {
            self.control.revoke_key(&call.caller.owner, key, call.at).await?;
        }
        noted
    }

    // A failure to note the use must not refuse the request.
    async fn note_use(&self, key: &KeyInfo, now: Moment) {
        if key.last_used_at.is_some_and(|last| now < last.plus_seconds(TOUCH_SECONDS)) {
            return;
        }
        if let Err(error) = self.control.touch_key(key.id, now).await {
            tracing::warn!(%error, key = key.id.0, "could not note the use of a key");
        }
    }
}
