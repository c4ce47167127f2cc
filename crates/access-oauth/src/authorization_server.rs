//! The authorization server: clients register, request access, exchange codes and revoke tokens.
//! Clients and tokens are persisted through the store's [`Clients`]; codes live for a minute as
//! expiring values.

use crate::authorization_codes::{AuthorizationCodes, PresentedCode};
use crate::consent_request::{AuthorizeRefusal, AuthorizeRequest, ConsentRequest};
use crate::secret::{OauthSecret, hash};
use crate::{
    ClientDocuments, OAuthError, RegistrationRequest, RegistrationResponse, Site, client_document,
    scope,
};
use model::{
    Client, Consent, Moment, OwnerId, Permission, TokenFamilyId, TokenInfo, TokenPair, TokenPurpose,
};
use serde::Serialize;
use std::sync::Arc;
use store::{Clients, OwnerValues, RotationResult};

/// Lifetime of an access token.
const ACCESS_SECONDS: i64 = 3_600;
/// Lifetime of a refresh token that is not used.
const REFRESH_SECONDS: i64 = 30 * 24 * 3_600;
/// Time after which a registered client without any consent is removed.
const UNAPPROVED_CLIENT_SECONDS: i64 = 24 * 3_600;
/// Seconds for which a client without approval is kept when there is no room for another: long
/// enough to be approved, and short enough that nobody fills the table for long.
const CROWDED_CLIENT_SECONDS: i64 = 15 * 60;
/// Refusal of a refresh token that is not stored, or no longer valid.
const UNKNOWN_REFRESH_TOKEN: OAuthError =
    OAuthError::InvalidGrant("the refresh token is unknown or has expired; authorize again");
/// Maximum number of registered clients. Anybody can register one, so the number needs a bound.
const CLIENTS_MAX: usize = 1_000;
/// Prefix of access tokens.
const ACCESS_PREFIX: &str = "qpa_";

/// OAuth authorization server.
pub struct AuthorizationServer {
    clients: Arc<dyn Clients>,
    documents: Option<Arc<dyn ClientDocuments>>,
    codes: AuthorizationCodes,
    values: OwnerValues,
    site: Site,
}

/// Parameters of a code exchange.
#[derive(Debug, Clone, Default)]
#[allow(missing_docs, reason = "the names are the RFC's")]
pub struct CodeExchange {
    pub client_id: String,
    pub code: String,
    pub code_verifier: String,
    pub redirect_uri: Option<String>,
    pub resource: Option<String>,
}

/// Parameters of a refresh.
#[derive(Debug, Clone, Default)]
#[allow(missing_docs, reason = "the names are the RFC's")]
pub struct TokenRefresh {
    pub client_id: String,
    pub refresh_token: String,
    pub resource: Option<String>,
}

/// Response to an exchange or a refresh.
#[derive(Debug, Clone, PartialEq, Eq, Serialize)]
#[allow(missing_docs, reason = "the names are the RFC's")]
pub struct TokenResponse {
    pub access_token: String,
    pub token_type: &'static str,
    pub expires_in: i64,
    pub refresh_token: String,
    pub scope: &'static str,
}

impl AuthorizationServer {
    /// Creates the authorization server of this site.
    #[must_use]
    pub fn new(clients: Arc<dyn Clients>, site: Site) -> Self {
        let values = OwnerValues::local(OwnerId::me());
        let codes = AuthorizationCodes::new(values.clone());
        Self { clients, documents: None, codes, values, site }
    }

    /// Keeps codes and attempts where other servers find them; without it they are in the memory
    /// of this process.
    #[must_use]
    pub fn with_values(self, values: OwnerValues) -> Self {
        Self { codes: AuthorizationCodes::new(values.clone()), values, ..self }
    }

    /// Returns the values that expire, among them the counts of attempts.
    #[must_use]
    pub fn values(&self) -> &OwnerValues {
        &self.values
    }

    /// Enables clients that are identified by the address of a metadata document.
    #[must_use]
    pub fn with_documents(self, documents: Arc<dyn ClientDocuments>) -> Self {
        Self { documents: Some(documents), ..self }
    }

    /// Returns the addresses of the server.
    #[must_use]
    pub fn site(&self) -> &Site {
        &self.site
    }

    /// Returns the server metadata (RFC 8414) for clients that connect to this host.
    #[must_use]
    pub fn server_document(&self, host: &str) -> serde_json::Value {
        let mut document = self.site.for_host(host).server_document();
        document["client_id_metadata_document_supported"] = self.documents.is_some().into();
        document
    }

    /// Registers a client.
    ///
    /// # Errors
    /// Fails when its metadata is invalid, or too many clients are registered.
    pub async fn register(
        &self,
        request: RegistrationRequest,
        now: Moment,
    ) -> Result<RegistrationResponse, OAuthError> {
        let client = request.into_client(OauthSecret::new("qpc_")?.reveal().to_owned(), now)?;
        self.store_client(&client, now).await?;
        Ok(RegistrationResponse::from(&client))
    }

    /// Validates a request for access that the browser brought to this host, for the owner to
    /// decide.
    ///
    /// # Errors
    /// Fails when the request is invalid; the error says who is to be informed.
    pub async fn authorize(
        &self,
        request: &AuthorizeRequest,
        host: &str,
        now: Moment,
    ) -> Result<ConsentRequest, AuthorizeRefusal> {
        let id = request.client_id.as_deref().unwrap_or_default();
        let client = match &self.documents {
            Some(documents) if client_document::is_document_address(id) => {
                self.client_from_document(documents.as_ref(), id, now).await
            }
            _ => self.registered_client(id).await,
        };
        let issuer = self.site.for_host(host);
        ConsentRequest::validate(
            request,
            client.map_err(AuthorizeRefusal::ToPerson)?,
            &self.site,
            issuer.issuer(),
        )
    }

    async fn registered_client(&self, id: &str) -> Result<Client, OAuthError> {
        self.clients.client(id).await?.ok_or(OAuthError::InvalidClient)
    }

    /// Fetches the current document of a client and stores the client, so that its tokens can refer
    /// to it.
    async fn client_from_document(
        &self,
        documents: &dyn ClientDocuments,
        address: &str,
        now: Moment,
    ) -> Result<Client, OAuthError> {
        let fetched = documents.fetch(address).await;
        let fetched = fetched.map_err(|error| OAuthError::InvalidMetadata(error.to_string()))?;
        let client = client_document::parse_client(address, &fetched, now)?;
        self.store_client(&client, now).await?;
        Ok(client)
    }

    /// Removes expired tokens, empty token families, and clients that were never approved. Returns
    /// the number of clients removed.
    ///
    /// # Errors
    /// Fails when the store cannot write.
    pub async fn sweep(&self, now: Moment) -> Result<usize, OAuthError> {
        Ok(self.clients.remove_expired(now.plus_seconds(-UNAPPROVED_CLIENT_SECONDS)).await?)
    }

    /// Stores a client. Clients that were never approved are removed first, to stay within
    /// the limit.
    async fn store_client(&self, client: &Client, now: Moment) -> Result<(), OAuthError> {
        for seconds in [UNAPPROVED_CLIENT_SECONDS, CROWDED_CLIENT_SECONDS] {
            self.clients.remove_expired(now.plus_seconds(-seconds)).await?;
            if self.clients.add_client(client.clone(), CLIENTS_MAX).await? {
                return Ok(());
            }
        }
        Err(OAuthError::TemporarilyUnavailable)
    }

    /// Records the approval of the owner, up to this scope. Returns the address to redirect the
    /// browser to.
    ///
    /// # Errors
    /// Fails when the code cannot be stored.
    pub async fn approve(
        &self,
        asked: &ConsentRequest,
        owner: OwnerId,
        scope: Permission,
        now: Moment,
    ) -> Result<String, OAuthError> {
        let consent = Consent {
            owner,
            agent: asked.agent(),
            client: asked.client.id.clone(),
            resource: asked.resource.clone(),
            scope: scope.min(asked.scope),
        };
        Ok(asked.code_redirect(self.codes.issue(asked, consent, now).await?.reveal()))
    }

    /// Exchanges a code for tokens. A second use of the code revokes the tokens of the first.
    ///
    /// # Errors
    /// `invalid_grant` when the code belongs to another client, the verifier or the redirect
    /// address is wrong, or the code has expired.
    pub async fn exchange(
        &self,
        input: &CodeExchange,
        now: Moment,
    ) -> Result<TokenResponse, OAuthError> {
        // First, so that a removed client gets `invalid_client` and registers again.
        self.require_client(&input.client_id).await?;
        let binding = match self.codes.spend(&input.code, now).await? {
            PresentedCode::Fresh(binding) => binding,
            PresentedCode::Spent(issued) => {
                if let Some((consent, family)) = issued {
                    self.revoke_family(&consent, family, now).await?;
                }
                return Err(OAuthError::InvalidGrant("the code has already been used"));
            }
            PresentedCode::Unknown => {
                return Err(OAuthError::InvalidGrant("the code is unknown or has expired"));
            }
        };
        let consent = binding.consent;
        if consent.client != input.client_id {
            return Err(OAuthError::InvalidGrant("the code was issued to another client"));
        }
        if input.redirect_uri.as_ref().is_some_and(|asked| *asked != binding.redirect) {
            return Err(OAuthError::InvalidGrant(
                "redirect_uri differs from the one in the authorization request",
            ));
        }
        if !binding.challenge.matches_verifier(&input.code_verifier) {
            return Err(OAuthError::InvalidGrant("code_verifier does not match the challenge"));
        }
        if input.resource.is_some()
            && !self.is_approved_resource(input.resource.as_deref(), &consent)
        {
            return Err(OAuthError::InvalidTarget);
        }
        let (tokens, pair) = new_token_pair(consent.scope, now)?;
        let family = self.clients.create_family(consent.clone(), pair, now).await?;
        // Another request may have presented the same code while the family was being stored.
        if self.codes.record_family(&input.code, family, now).await? {
            self.revoke_family(&consent, family, now).await?;
            return Err(OAuthError::InvalidGrant("the code has already been used"));
        }
        Ok(tokens)
    }

    /// Exchanges a refresh token for the next pair.
    ///
    /// # Errors
    /// `invalid_grant` when the token is not valid, or was used before; then its whole family is
    /// revoked.
    pub async fn refresh(
        &self,
        input: &TokenRefresh,
        now: Moment,
    ) -> Result<TokenResponse, OAuthError> {
        self.require_client(&input.client_id).await?;
        let presented = hash(&input.refresh_token);
        // Refused before anything is written, because anybody may present anything.
        let Some(stored) = self.clients.token(presented).await? else {
            return Err(UNKNOWN_REFRESH_TOKEN);
        };
        if input.resource.is_some()
            && !self.is_approved_resource(input.resource.as_deref(), &stored.consent)
        {
            return Err(OAuthError::InvalidTarget);
        }
        let (tokens, pair) = new_token_pair(stored.consent.scope, now)?;
        match self.clients.rotate(&input.client_id, presented, pair, now).await? {
            RotationResult::Rotated(_) => Ok(tokens),
            RotationResult::Reused(_) => Err(OAuthError::InvalidGrant(
                "the refresh token has already been used; authorize again",
            )),
            RotationResult::Invalid => Err(UNKNOWN_REFRESH_TOKEN),
        }
    }

    /// Revokes a token and its family. An unknown token is treated as revoked (RFC 7009).
    ///
    /// # Errors
    /// Fails when the store cannot write.
    pub async fn revoke(&self, client: &str, token: &str, now: Moment) -> Result<(), OAuthError> {
        self.require_client(client).await?;
        match self.clients.token(hash(token)).await? {
            Some(token) if token.consent.client == client => {
                self.revoke_family(&token.consent, token.family, now).await
            }
            _ => Ok(()),
        }
    }

    /// Returns the consent behind a valid access token; `None` for any other token.
    ///
    /// # Errors
    /// Fails when the store cannot be read.
    pub async fn identify(
        &self,
        token: &str,
        now: Moment,
    ) -> Result<Option<TokenInfo>, OAuthError> {
        // The prefix rules out API keys and refresh tokens without a lookup.
        if !token.starts_with(ACCESS_PREFIX) {
            return Ok(None);
        }
        let token = self.clients.token(hash(token)).await?;
        Ok(token.filter(|token| token.purpose == TokenPurpose::Access && token.is_valid(now)))
    }

    /// Returns true if a resource is the one that the owner approved.
    fn is_approved_resource(&self, resource: Option<&str>, consent: &Consent) -> bool {
        self.site.resource(resource).as_ref() == Some(&consent.resource)
    }

    async fn require_client(&self, client: &str) -> Result<(), OAuthError> {
        self.registered_client(client).await.map(|_| ())
    }

    async fn revoke_family(
        &self,
        consent: &Consent,
        family: TokenFamilyId,
        now: Moment,
    ) -> Result<(), OAuthError> {
        self.clients.revoke_family(&consent.owner, family, now).await?;
        Ok(())
    }
}

/// Creates a token pair: the response for the client, and the hashes for the store.
fn new_token_pair(
    scope: Permission,
    now: Moment,
) -> Result<(TokenResponse, TokenPair), OAuthError> {
    let (access, refresh) = (OauthSecret::new(ACCESS_PREFIX)?, OauthSecret::new("qpr_")?);
    let hashes = TokenPair {
        access: access.hash(),
        access_expires_at: now.plus_seconds(ACCESS_SECONDS),
        refresh: refresh.hash(),
        refresh_expires_at: now.plus_seconds(REFRESH_SECONDS),
    };
    let tokens = TokenResponse {
        access_token: access.reveal().to_owned(),
        token_type: "Bearer",
        expires_in: ACCESS_SECONDS,
        refresh_token: refresh.reveal().to_owned(),
        scope: scope::render_scope(scope),
    };
    Ok((tokens, hashes))
}
