//! The desk that clients come to: they register, ask, exchange and give back. What is kept goes
//! through the store's [`Clients`]; codes are under way for a minute and kept here.

use crate::authorize::{Asked, AuthorizeRequest, Turned};
use crate::codes::{Codes, Shown};
use crate::secret::{Secret, hash};
use crate::{Documents, OAuthError, Registered, RegistrationRequest, Site, document, scope};
use model::{
    Client, Consent, FamilyId, Moment, OwnerId, Permission, TokenInfo, TokenPair, TokenUse,
};
use serde::Serialize;
use std::sync::Arc;
use store::{Clients, Rotated};

/// How long an access token is good.
const ACCESS_SECONDS: i64 = 3_600;
/// How long a refresh token is good, if it is not used.
const REFRESH_SECONDS: i64 = 30 * 24 * 3_600;
/// How long a client may stay registered without anybody's consent.
const UNUSED_SECONDS: i64 = 24 * 3_600;
/// How many clients may be registered.
const CLIENTS_MAX: usize = 1_000;
/// What access tokens begin with.
const ACCESS_PREFIX: &str = "qpa_";

/// The desk of one server.
pub struct Desk {
    clients: Arc<dyn Clients>,
    documents: Option<Arc<dyn Documents>>,
    codes: Codes,
    site: Site,
}

/// A code to exchange.
#[derive(Debug, Clone, Default)]
#[allow(missing_docs, reason = "the names are the RFC's")]
pub struct Exchange {
    pub client_id: String,
    pub code: String,
    pub code_verifier: String,
    pub redirect_uri: Option<String>,
    pub resource: Option<String>,
}

/// A refresh token to exchange.
#[derive(Debug, Clone, Default)]
#[allow(missing_docs, reason = "the names are the RFC's")]
pub struct Refresh {
    pub client_id: String,
    pub refresh_token: String,
    pub resource: Option<String>,
}

/// What an exchange gives.
#[derive(Debug, Clone, PartialEq, Eq, Serialize)]
#[allow(missing_docs, reason = "the names are the RFC's")]
pub struct Tokens {
    pub access_token: String,
    pub token_type: &'static str,
    pub expires_in: i64,
    pub refresh_token: String,
    pub scope: &'static str,
}

impl Desk {
    /// The desk of a server at this site.
    #[must_use]
    pub fn new(clients: Arc<dyn Clients>, site: Site) -> Self {
        Self { clients, documents: None, codes: Codes::default(), site }
    }

    /// The same, with programs that are known by the address of a document.
    #[must_use]
    pub fn with_documents(self, documents: Arc<dyn Documents>) -> Self {
        Self { documents: Some(documents), ..self }
    }

    /// Where the server is reached.
    #[must_use]
    pub fn site(&self) -> &Site {
        &self.site
    }

    /// What this server can do, for clients that reach it by this host.
    #[must_use]
    pub fn server_document(&self, host: &str) -> serde_json::Value {
        let mut document = self.site.known_as(host).server_document();
        document["client_id_metadata_document_supported"] = self.documents.is_some().into();
        document
    }

    /// Registers a client.
    ///
    /// # Errors
    /// When it says something of itself that cannot be, or there is no room.
    pub async fn register(
        &self,
        request: RegistrationRequest,
        now: Moment,
    ) -> Result<Registered, OAuthError> {
        let client = request.client(Secret::new("qpc_")?.reveal().to_owned(), now)?;
        self.keep(&client, now).await?;
        Ok(Registered::from(&client))
    }

    /// Reads a request for access that the browser was sent to this host with, for the owner to
    /// decide.
    ///
    /// # Errors
    /// With whom to tell.
    pub async fn ask(
        &self,
        request: &AuthorizeRequest,
        host: &str,
        now: Moment,
    ) -> Result<Asked, Turned> {
        let id = request.client_id.as_deref().unwrap_or_default();
        let client = match &self.documents {
            Some(documents) if document::is_address(id) => {
                self.documented(documents.as_ref(), id, now).await
            }
            _ => self.registered(id).await,
        };
        let issuer = self.site.known_as(host);
        Asked::read(request, client.map_err(Turned::ToPerson)?, &self.site, issuer.issuer())
    }

    async fn registered(&self, id: &str) -> Result<Client, OAuthError> {
        self.clients.client(id).await?.ok_or(OAuthError::InvalidClient)
    }

    /// A program as its document tells of it now; kept, so that its tokens belong to somebody.
    async fn documented(
        &self,
        documents: &dyn Documents,
        address: &str,
        now: Moment,
    ) -> Result<Client, OAuthError> {
        let fetched = documents.fetch(address).await;
        let fetched = fetched.map_err(|error| OAuthError::InvalidMetadata(error.to_string()))?;
        let client = document::client(address, &fetched, now)?;
        self.keep(&client, now).await?;
        Ok(client)
    }

    /// Removes what is over: tokens, what they belonged to, and clients that nobody ever agreed to.
    /// Answers how many clients went.
    ///
    /// # Errors
    /// When the store cannot write.
    pub async fn tidy(&self, now: Moment) -> Result<usize, OAuthError> {
        Ok(self.clients.sweep(now.plus_seconds(-UNUSED_SECONDS)).await?)
    }

    /// Keeps a client. Those that nobody ever agreed to make room first.
    async fn keep(&self, client: &Client, now: Moment) -> Result<(), OAuthError> {
        self.tidy(now).await?;
        if self.clients.add_client(client.clone(), CLIENTS_MAX).await? {
            return Ok(());
        }
        Err(OAuthError::TemporarilyUnavailable)
    }

    /// The owner agreed, up to this scope: where to send the browser.
    ///
    /// # Errors
    /// When too many codes are under way.
    pub fn agree(
        &self,
        asked: &Asked,
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
        Ok(asked.answer(self.codes.issue(asked, consent, now)?.reveal()))
    }

    /// Exchanges a code for tokens. A code that comes a second time ends what the first time gave.
    ///
    /// # Errors
    /// `invalid_grant` when it is not the client's, its proof or address is wrong, or it is too
    /// old.
    pub async fn exchange(&self, input: &Exchange, now: Moment) -> Result<Tokens, OAuthError> {
        self.known(&input.client_id).await?;
        let bound = match self.codes.spend(&input.code, now) {
            Shown::Fresh(bound) => bound,
            Shown::Spent(made) => {
                if let Some((consent, family)) = made {
                    self.end(&consent, family, now).await?;
                }
                return Err(OAuthError::InvalidGrant("the code was used before"));
            }
            Shown::Nothing => {
                return Err(OAuthError::InvalidGrant("the code is unknown or too old"));
            }
        };
        let consent = bound.consent;
        if consent.client != input.client_id {
            return Err(OAuthError::InvalidGrant("the code was made for another client"));
        }
        if input.redirect_uri.as_ref().is_some_and(|asked| *asked != bound.redirect) {
            return Err(OAuthError::InvalidGrant(
                "redirect_uri is not the one that was asked with",
            ));
        }
        if !bound.challenge.is_met_by(&input.code_verifier) {
            return Err(OAuthError::InvalidGrant("code_verifier does not meet the challenge"));
        }
        if input.resource.is_some() && !self.is_meant(input.resource.as_deref(), &consent) {
            return Err(OAuthError::InvalidTarget);
        }
        let (tokens, pair) = pair(consent.scope, now)?;
        let family = self.clients.begin_family(consent.clone(), pair, now).await?;
        if self.codes.became(&input.code, family) {
            self.end(&consent, family, now).await?;
            return Err(OAuthError::InvalidGrant("the code was used before"));
        }
        Ok(tokens)
    }

    /// Exchanges a refresh token for the next pair.
    ///
    /// # Errors
    /// `invalid_grant` when it opens nothing, or was used before; then its whole family has ended.
    pub async fn refresh(&self, input: &Refresh, now: Moment) -> Result<Tokens, OAuthError> {
        self.known(&input.client_id).await?;
        let shown = hash(&input.refresh_token);
        let kept = self.clients.token(shown).await?;
        if let (Some(token), Some(_)) = (&kept, &input.resource)
            && !self.is_meant(input.resource.as_deref(), &token.consent)
        {
            return Err(OAuthError::InvalidTarget);
        }
        let (tokens, pair) = pair(kept.map_or(Permission::None, |token| token.consent.scope), now)?;
        match self.clients.rotate(&input.client_id, shown, pair, now).await? {
            Rotated::Done(_) => Ok(tokens),
            Rotated::UsedBefore(_) => {
                Err(OAuthError::InvalidGrant("the refresh token was used before; ask again"))
            }
            Rotated::Nothing => {
                Err(OAuthError::InvalidGrant("the refresh token is unknown or too old; ask again"))
            }
        }
    }

    /// Gives a token back, with its family. A token that is unknown is given back already.
    ///
    /// # Errors
    /// When the store cannot write.
    pub async fn revoke(&self, client: &str, token: &str, now: Moment) -> Result<(), OAuthError> {
        self.known(client).await?;
        match self.clients.token(hash(token)).await? {
            Some(token) if token.consent.client == client => {
                self.end(&token.consent, token.family, now).await
            }
            _ => Ok(()),
        }
    }

    /// What an access token that is good stands for; `None` when it opens nothing.
    ///
    /// # Errors
    /// When the store cannot answer.
    pub async fn identify(
        &self,
        shown: &str,
        now: Moment,
    ) -> Result<Option<TokenInfo>, OAuthError> {
        if !shown.starts_with(ACCESS_PREFIX) {
            return Ok(None);
        }
        let token = self.clients.token(hash(shown)).await?;
        Ok(token.filter(|token| token.purpose == TokenUse::Access && token.is_good(now)))
    }

    /// Whether a resource is the one that the owner agreed to.
    fn is_meant(&self, resource: Option<&str>, consent: &Consent) -> bool {
        self.site.resource(resource).as_ref() == Some(&consent.resource)
    }

    async fn known(&self, client: &str) -> Result<(), OAuthError> {
        self.registered(client).await.map(|_| ())
    }

    async fn end(
        &self,
        consent: &Consent,
        family: FamilyId,
        now: Moment,
    ) -> Result<(), OAuthError> {
        self.clients.revoke_family(&consent.owner, family, now).await?;
        Ok(())
    }
}

/// A new pair: what the client gets, and what is kept of it.
fn pair(scope: Permission, now: Moment) -> Result<(Tokens, TokenPair), OAuthError> {
    let (access, refresh) = (Secret::new(ACCESS_PREFIX)?, Secret::new("qpr_")?);
    let kept = TokenPair {
        access: access.hash(),
        access_until: now.plus_seconds(ACCESS_SECONDS),
        refresh: refresh.hash(),
        refresh_until: now.plus_seconds(REFRESH_SECONDS),
    };
    let tokens = Tokens {
        access_token: access.reveal().to_owned(),
        token_type: "Bearer",
        expires_in: ACCESS_SECONDS,
        refresh_token: refresh.reveal().to_owned(),
        scope: scope::told(scope),
    };
    Ok((tokens, kept))
}
