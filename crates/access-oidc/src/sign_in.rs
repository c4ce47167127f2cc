//! One sign-in: the browser goes to the provider and comes back with a code, possibly to another
//! server. What must be remembered meanwhile is stored where all servers find it; the secret part
//! stays in a cookie of the browser, so that nobody can finish a sign-in that somebody else began.

use crate::id_token::UnverifiedToken;
use crate::provider_client::ProviderClient;
use crate::provider_documents::{ProviderDocuments, ProviderMetadata};
use crate::sign_in_secret::SignInSecret;
use crate::{ProviderIdentity, ProviderSettings, SignInError};
use base64::Engine;
use base64::engine::general_purpose::STANDARD;
use form_urlencoded::{Serializer, byte_serialize};
use model::{ContentHash, Moment};
use serde::Deserialize;
use store::{ExpiringValue, OwnerValues, ValueKind};
use subtle::ConstantTimeEq;

/// Time that a person has at the provider.
const SIGN_IN_SECONDS: i64 = 10 * 60;
/// Maximum number of characters of the provider's words that are repeated.
const WORDS_CHARS: usize = 200;

/// Sign-in through one provider. Clones share its documents.
#[derive(Clone)]
pub struct SignIn {
    settings: ProviderSettings,
    redirect_uri: String,
    client: ProviderClient,
    documents: ProviderDocuments,
    values: OwnerValues,
}

/// The way to the provider.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct SignInRedirect {
    /// Address of the provider, with the request.
    pub location: String,
    /// Secret for a cookie of the browser.
    pub browser_secret: String,
    /// Lifetime of the cookie.
    pub seconds: i64,
}

/// The parameters with which the provider sends the browser back.
#[derive(Debug, Clone, Default, Deserialize)]
pub struct ProviderResponse {
    pub code: Option<String>,
    pub state: Option<String>,
    pub iss: Option<String>,
    pub error: Option<String>,
    pub error_description: Option<String>,
}

/// Result of a sign-in.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct SignInOutcome {
    pub identity: ProviderIdentity,
    /// Page that the person wanted to open.
    pub next: String,
}

/// The answer of the token endpoint, as far as it is used.
#[derive(Debug, Deserialize)]
struct TokenAnswer {
    id_token: Option<String>,
    error: Option<String>,
    error_description: Option<String>,
}

impl SignIn {
    /// Creates the sign-in through a provider that sends browsers back to `redirect_uri`.
    #[must_use]
    pub fn new(settings: ProviderSettings, redirect_uri: &str, values: OwnerValues) -> Self {
        let client = ProviderClient::new();
        let documents = ProviderDocuments::new(&settings, client.clone());
        Self { settings, redirect_uri: redirect_uri.to_owned(), client, documents, values }
    }

    /// Returns the name of the provider.
    #[must_use]
    pub fn provider_name(&self) -> &str {
        &self.settings.name
    }

    /// Returns the address to which the provider sends browsers back.
    #[must_use]
    pub fn redirect_uri(&self) -> &str {
        &self.redirect_uri
    }

    /// Starts a sign-in; `next` is the page to open after it.
    ///
    /// # Errors
    /// Fails when the provider cannot be reached, or the sign-in cannot be stored.
    pub async fn start(&self, next: &str, now: Moment) -> Result<SignInRedirect, SignInError> {
        let metadata = self.documents.metadata(now).await?;
        let (secret, state) = (SignInSecret::generate()?, SignInSecret::generate()?);
        let value = ExpiringValue {
            text: format!("{} {next}", secret.hash()),
            expires_at: now.plus_seconds(SIGN_IN_SECONDS),
        };
        self.values.put(ValueKind::SignIn, state.hash(), value, now).await?;
        let location = self.authorization_url(&metadata, &secret, state.reveal());
        let browser_secret = secret.reveal().to_owned();
        Ok(SignInRedirect { location, browser_secret, seconds: SIGN_IN_SECONDS })
    }

    fn authorization_url(
        &self,
        metadata: &ProviderMetadata,
        secret: &SignInSecret,
        state: &str,
    ) -> String {
        let endpoint = &metadata.authorization_endpoint;
        let query = Serializer::new(String::new())
            .append_pair("response_type", "code")
            .append_pair("client_id", &self.settings.client_id)
            .append_pair("redirect_uri", &self.redirect_uri)
            .append_pair("scope", format!("openid {}", self.settings.scopes).trim())
            .append_pair("state", state)
            .append_pair("nonce", &secret.nonce())
            .append_pair("code_challenge", &secret.challenge())
            .append_pair("code_challenge_method", "S256")
            .finish();
        let separator = if endpoint.contains('?') { '&' } else { '?' };
        format!("{endpoint}{separator}{query}")
    }

    /// Finishes a sign-in with the parameters that the browser brought back and its cookie. It
    /// works once.
    ///
    /// # Errors
    /// Fails when the sign-in is unknown or of another browser, the provider refuses, or its token
    /// is not valid.
    pub async fn finish(
        &self,
        response: &ProviderResponse,
        browser_secret: Option<&str>,
        now: Moment,
    ) -> Result<SignInOutcome, SignInError> {
        let (secret, next) = self.take_state(response, browser_secret, now).await?;
        if let Some(error) = &response.error {
            return Err(refused(error, response.error_description.as_deref()));
        }
        // A provider that was mixed up with another one says who it is.
        if response.iss.as_ref().is_some_and(|issuer| *issuer != self.settings.issuer) {
            return Err(SignInError::Token("the answer is of another issuer"));
        }
        let code = response.code.as_deref().ok_or(SignInError::UnknownState)?;
        let token = self.exchange(code, &secret, now).await?;
        let identity = self.verify(&token, &secret, now).await?;
        Ok(SignInOutcome { identity, next })
    }

    /// Takes the stored state of a sign-in, if this browser began it.
    async fn take_state(
        &self,
        response: &ProviderResponse,
        browser_secret: Option<&str>,
        now: Moment,
    ) -> Result<(SignInSecret, String), SignInError> {
        let (Some(state), Some(presented)) = (&response.state, browser_secret) else {
            return Err(SignInError::UnknownState);
        };
        let hash = ContentHash::of_bytes(state.as_bytes());
        let stored = self.values.take(ValueKind::SignIn, hash, now).await?;
        let stored = stored.ok_or(SignInError::UnknownState)?;
        let (browser, next) = stored.text.split_once(' ').ok_or(SignInError::UnknownState)?;
        let secret = SignInSecret::presented(presented);
        let presented = secret.hash().to_string();
        if !bool::from(presented.as_bytes().ct_eq(browser.as_bytes())) {
            return Err(SignInError::UnknownState);
        }
        Ok((secret, next.to_owned()))
    }

    /// Exchanges the code for an ID token.
    async fn exchange(
        &self,
        code: &str,
        secret: &SignInSecret,
        now: Moment,
    ) -> Result<String, SignInError> {
        let metadata = self.documents.metadata(now).await?;
        let (form, authorization) = self.token_request(code, secret, &metadata);
        let sent = self.client.post_form(&metadata.token_endpoint, form, authorization);
        let (status, answer): (u16, TokenAnswer) = sent.await?;
        match (status, answer) {
            (200, TokenAnswer { id_token: Some(token), .. }) => Ok(token),
            (_, TokenAnswer { error: Some(error), error_description, .. }) => {
                Err(refused(&error, error_description.as_deref()))
            }
            _ => Err(SignInError::Provider("it sent no ID token".to_owned())),
        }
    }

    /// Returns the form of the exchange, and the header of a client with a secret.
    fn token_request(
        &self,
        code: &str,
        secret: &SignInSecret,
        metadata: &ProviderMetadata,
    ) -> (String, Option<String>) {
        let (client_id, mut form) = (&self.settings.client_id, Serializer::new(String::new()));
        form.append_pair("grant_type", "authorization_code")
            .append_pair("code", code)
            .append_pair("redirect_uri", &self.redirect_uri)
            .append_pair("code_verifier", &secret.verifier());
        match &self.settings.client_secret {
            Some(secret) if !metadata.takes_secret_in_form() => {
                return (form.finish(), Some(basic(client_id, secret)));
            }
            Some(secret) => _ = form.append_pair("client_secret", secret),
            None => {}
        }
        (form.append_pair("client_id", client_id).finish(), None)
    }

    async fn verify(
        &self,
        token: &str,
        secret: &SignInSecret,
        now: Moment,
    ) -> Result<ProviderIdentity, SignInError> {
        let token = UnverifiedToken::parse(token)?;
        let mut keys = self.documents.keys(false, now).await?;
        if token.key(&keys).is_none() {
            keys = self.documents.keys(true, now).await?;
        }
        let key = token.key(&keys).ok_or(SignInError::Token("its key is not known"))?;
        token.verify(key, &self.settings, &secret.nonce(), now)
    }
}

/// Returns the header of a client with a secret; both are encoded first, as the standard says.
fn basic(client_id: &str, secret: &str) -> String {
    let encode = |text: &str| byte_serialize(text.as_bytes()).collect::<String>();
    format!("Basic {}", STANDARD.encode(format!("{}:{}", encode(client_id), encode(secret))))
}

fn refused(error: &str, description: Option<&str>) -> SignInError {
    let words = description.unwrap_or(error).chars().filter(|c| !c.is_control());
    SignInError::Refused(words.take(WORDS_CHARS).collect())
}
