//! Browser sessions of the owner: the one-time links, the token and the password that open one, and
//! the sessions themselves. Links and sessions are stored as hashes, bounded in number and in time,
//! where all servers of a team find them; a server over files keeps them in its memory, and a
//! restart ends them all. Knows no page.

mod session_record;

use super::client_address::ClientAddress;
use super::dashboard_host::DashboardHost;
use super::password::OwnerPassword;
use super::public_url::PublicUrl;
use super::stranger_rates::{self, StrangerError};
use super::token::OwnerToken;
use axum::http::HeaderMap;
use axum::http::header::COOKIE;
use engine::ToolClass;
use model::{ContentHash, Moment, OwnerId};
use session_record::SessionRecord;
use std::fmt::Write;
use store::{ExpiringValue, OwnerValues, StoreError, ValueKind};
use subtle::ConstantTimeEq;

/// Name of the session cookie.
const COOKIE_NAME: &str = "quipu_session";
/// Name of the session cookie over https. Browsers accept the `__Host-` prefix only on a secure
/// cookie of this very host, so no other site and no plain page can have set it.
const SECURE_COOKIE_NAME: &str = "__Host-quipu_session";
/// Names of the cookie of a sign-in at an identity provider, plain and over https.
const SIGN_IN_COOKIE_NAMES: [&str; 2] = ["quipu_sign_in", "__Host-quipu_sign_in"];
/// Number of random bytes in a link, a session and a form token.
const SECRET_BYTES: usize = 32;
/// Lifetime of a link.
const LINK_SECONDS: i64 = 10 * 60;
/// Lifetime of a session without a request.
const IDLE_SECONDS: i64 = 12 * 3600;
/// Maximum lifetime of a session.
const TOTAL_SECONDS: i64 = 7 * 24 * 3600;
/// Time for which an address is known after a login.
const KNOWN_SECONDS: i64 = 90 * 24 * 3600;
/// Time after which the last request of a session is noted again. Not at each request: that would
/// be a write for every image of a page.
const NOTED_SECONDS: i64 = 60;

/// Open links and sessions of a server. Clones share the same state.
#[derive(Clone)]
pub struct BrowserSessions {
    token: OwnerToken,
    password: Option<OwnerPassword>,
    secure: bool,
    dashboard: Option<DashboardHost>,
    has_sign_in: bool,
    values: OwnerValues,
}

/// Result of a login: a session that was just opened.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct LoginOutcome {
    /// Value of the header that sets the cookie.
    pub cookie: String,
    /// Token that the pages of the session send when they change something. It is handed out this
    /// once, for the browser to store apart from its cookies: these go to every port of a host.
    pub form_token: String,
}

/// Error for a session that cannot be opened, whatever credential was given.
#[derive(Debug, Clone, Copy, PartialEq, Eq, thiserror::Error)]
pub enum LoginError {
    #[error("the system provided no random numbers")]
    NoRandomness,
    #[error("too many attempts to log in; wait {0} seconds, then try again")]
    TooManyAttempts(u32),
    #[error("the sessions cannot be read or stored at the moment; try again")]
    NotStored,
}

impl From<StoreError> for LoginError {
    fn from(error: StoreError) -> Self {
        tracing::error!(%error, cause = error.cause(), "login sessions cannot be stored");
        Self::NotStored
    }
}

/// Browser session that a request belongs to. The authorizer attaches it to the request.
#[derive(Debug, Clone)]
pub struct BrowserSession {
    hash: ContentHash,
    /// Hash of the token that a request of this session must send when it changes something.
    form_token: ContentHash,
    /// Login at an identity provider; `None` for the owner of the server.
    identity: Option<ContentHash>,
    /// Group whose memory the person chose.
    memory: Option<OwnerId>,
    /// Person, once the authorizer has found them.
    person: Option<OwnerId>,
}

impl BrowserSessions {
    /// Creates an empty set of sessions; the token can open one too.
    #[must_use]
    pub fn new(token: OwnerToken) -> Self {
        let values = OwnerValues::local(OwnerId::me());
        Self { token, password: None, secure: false, dashboard: None, has_sign_in: false, values }
    }

    /// Keeps links and sessions where other servers find them; without it they are in the memory
    /// of this process.
    #[must_use]
    pub fn with_values(self, values: OwnerValues) -> Self {
        Self { values, ..self }
    }

    /// Sets the address that browsers use. Over https the cookie is marked as secure; on this
    /// machine the dashboard has a host name of its own.
    #[must_use]
    pub fn for_address(self, address: &PublicUrl) -> Self {
        let secure = address.is_https();
        let named = address.is_local() && !secure;
        let dashboard = named.then(|| DashboardHost::from_token(&self.token));
        Self { secure, dashboard, ..self }
    }

    /// Returns the host name of the dashboard, where it has one of its own.
    #[must_use]
    pub fn dashboard_host(&self) -> Option<&DashboardHost> {
        self.dashboard.as_ref()
    }

    /// Accepts a password as well, once one is set.
    #[must_use]
    pub fn with_password(self, password: OwnerPassword) -> Self {
        Self { password: Some(password), ..self }
    }

    /// Says that people can sign in at an identity provider, so that no password is needed.
    #[must_use]
    pub fn with_sign_in(self) -> Self {
        Self { has_sign_in: true, ..self }
    }

    /// Returns true when a person on another machine can log in.
    pub(super) async fn can_log_in(&self) -> bool {
        self.has_sign_in || self.has_password().await
    }

    /// Returns the password, where one can be set.
    #[must_use]
    pub fn password(&self) -> Option<&OwnerPassword> {
        self.password.as_ref()
    }

    /// Returns true when a password is set.
    #[must_use]
    pub async fn has_password(&self) -> bool {
        match &self.password {
            Some(password) => password.is_set().await.unwrap_or(false),
            None => false,
        }
    }

    /// Creates a one-time link for the owner of the server and returns its secret. It opens one
    /// session, within ten minutes.
    ///
    /// # Errors
    /// Fails when the system provides no random numbers, or the link cannot be stored.
    pub async fn create_link(&self, now: Moment) -> Result<String, LoginError> {
        self.create_link_for(None, now).await
    }

    /// Creates a one-time link for whoever has this login; `None` is the owner of the server.
    ///
    /// # Errors
    /// Fails when the system provides no random numbers, or the link cannot be stored.
    pub async fn create_link_for(
        &self,
        identity: Option<ContentHash>,
        now: Moment,
    ) -> Result<String, LoginError> {
        let secret = random_secret()?;
        let expires_at = now.plus_seconds(LINK_SECONDS);
        let text = identity.map_or(String::new(), |hash| hash.to_string());
        let link = ExpiringValue { text, expires_at };
        self.values.put(ValueKind::LoginLink, hash_secret(&secret), link, now).await?;
        Ok(secret)
    }

    /// Returns true for the secret of a link that still works.
    ///
    /// # Errors
    /// Fails when the links cannot be read.
    pub async fn has_link(&self, link: &str, now: Moment) -> Result<bool, LoginError> {
        let found = self.values.find(ValueKind::LoginLink, hash_secret(link), now).await?;
        Ok(found.is_some())
    }

    /// Opens a session with the secret of a link. A link works once.
    ///
    /// # Errors
    /// Fails when the system provides no random numbers, or the session cannot be stored.
    pub async fn open_with_link(
        &self,
        link: &str,
        now: Moment,
    ) -> Result<Option<LoginOutcome>, LoginError> {
        let Some(link) = self.values.take(ValueKind::LoginLink, hash_secret(link), now).await?
        else {
            return Ok(None);
        };
        match (link.text.is_empty(), ContentHash::parse(&link.text)) {
            (true, _) => self.create_session(None, now).await.map(Some),
            (false, Some(identity)) => self.create_session(Some(identity), now).await.map(Some),
            (false, None) => Ok(None),
        }
    }

    /// Opens a session with the owner's token or the password.
    ///
    /// # Errors
    /// Fails when too many passwords were tried, or the system provides no random numbers.
    pub async fn log_in(
        &self,
        typed: &str,
        from: ClientAddress,
        now: Moment,
    ) -> Result<Option<LoginOutcome>, LoginError> {
        let is_owner = self.is_owner(typed, from, now).await?;
        if is_owner { self.create_session(None, now).await.map(Some) } else { Ok(None) }
    }

    /// Opens a session for whoever has this login at an identity provider.
    ///
    /// # Errors
    /// Fails when the system provides no random numbers, or the session cannot be stored.
    pub async fn open_for_login(
        &self,
        identity: ContentHash,
        now: Moment,
    ) -> Result<LoginOutcome, LoginError> {
        self.create_session(Some(identity), now).await
    }

    /// Counts a sign-in that somebody begins at an identity provider.
    ///
    /// # Errors
    /// Fails when there were too many from this address.
    pub async fn count_sign_in(&self, from: ClientAddress, now: Moment) -> Result<(), LoginError> {
        let who = format!("sign-in {from}");
        let counted = stranger_rates::count(&self.values, &who, ToolClass::Guess, now).await;
        counted.map_err(login_error)
    }

    /// Returns the cookie that keeps the secret of a sign-in. It comes along when the provider
    /// sends the browser back, which a session cookie does not.
    #[must_use]
    pub fn sign_in_cookie(&self, secret: &str, seconds: i64) -> String {
        let (name, secure) =
            (self.sign_in_cookie_name(), if self.secure { "; Secure" } else { "" });
        format!("{name}={secret}; Path=/; HttpOnly; SameSite=Lax; Max-Age={seconds}{secure}")
    }

    /// Returns the secret of a sign-in that a browser presents.
    #[must_use]
    pub fn sign_in_secret<'h>(&self, headers: &'h HeaderMap) -> Option<&'h str> {
        cookie_value(headers, self.sign_in_cookie_name())
    }

    fn sign_in_cookie_name(&self) -> &'static str {
        SIGN_IN_COOKIE_NAMES[usize::from(self.secure)]
    }

    /// Returns true for the owner's token and the password. Only passwords are rate-limited: nobody
    /// guesses a 256-bit token. Each address has its own limit, and all that never logged in share
    /// another, so a guesser elsewhere cannot lock the owner out.
    ///
    /// # Errors
    /// Fails when too many passwords were tried.
    pub async fn is_owner(
        &self,
        typed: &str,
        from: ClientAddress,
        now: Moment,
    ) -> Result<bool, LoginError> {
        let is_owner =
            self.token.matches(typed.trim()) || self.is_password(typed, from, now).await?;
        if is_owner {
            let expires_at = now.plus_seconds(KNOWN_SECONDS);
            let known = ExpiringValue { text: String::new(), expires_at };
            self.values.put(ValueKind::KnownAddress, hash_address(from), known, now).await?;
        }
        Ok(is_owner)
    }

    async fn is_password(
        &self,
        typed: &str,
        from: ClientAddress,
        now: Moment,
    ) -> Result<bool, LoginError> {
        let Some(password) = &self.password else { return Ok(false) };
        self.count_guess(from, now).await.map_err(login_error)?;
        Ok(password.verify(typed).await)
    }

    async fn count_guess(&self, from: ClientAddress, now: Moment) -> Result<(), StrangerError> {
        let (values, hash) = (&self.values, hash_address(from));
        stranger_rates::count(values, &from.to_string(), ToolClass::Guess, now).await?;
        if values.find(ValueKind::KnownAddress, hash, now).await?.is_none() {
            stranger_rates::count(values, EVERYBODY, ToolClass::SharedGuess, now).await?;
        }
        Ok(())
    }

    /// Ends every session but this one.
    ///
    /// # Errors
    /// Fails when the sessions cannot be changed.
    pub async fn end_others(&self, session: Option<&BrowserSession>) -> Result<(), LoginError> {
        // No session has this hash, so that all end.
        let kept = session.map_or(ContentHash([0; 32]), |session| session.hash);
        Ok(self.values.remove_others(ValueKind::LoginSession, kept).await?)
    }

    /// Ends a session and returns the cookie that removes it from the browser.
    ///
    /// # Errors
    /// Fails when the sessions cannot be changed.
    pub async fn end(&self, session: &BrowserSession, now: Moment) -> Result<String, LoginError> {
        self.values.take(ValueKind::LoginSession, session.hash, now).await?;
        Ok(self.set_cookie("", 0))
    }

    /// Returns the session of a request, if it is still valid. Where the dashboard has a host name
    /// of its own, there is no session elsewhere.
    pub(super) async fn session_of_request(
        &self,
        headers: &HeaderMap,
        now: Moment,
    ) -> Result<Option<BrowserSession>, LoginError> {
        if self.dashboard.as_ref().is_some_and(|dashboard| !dashboard.is_host_of(headers)) {
            return Ok(None);
        }
        match cookie_value(headers, self.cookie_name()) {
            Some(presented) => self.find_session(hash_secret(presented), now).await,
            None => Ok(None),
        }
    }

    async fn find_session(
        &self,
        hash: ContentHash,
        now: Moment,
    ) -> Result<Option<BrowserSession>, LoginError> {
        let found = self.values.find(ValueKind::LoginSession, hash, now).await?;
        let Some(record) = found.as_ref().and_then(SessionRecord::parse) else { return Ok(None) };
        if record.last_seen.plus_seconds(NOTED_SECONDS) <= now {
            // Only where it still is: the owner may have ended it meanwhile.
            let note = |found: Option<&ExpiringValue>| (found.map(|_| record.seen(now)), ());
            self.values.update(ValueKind::LoginSession, hash, now, note).await?;
        }
        let SessionRecord { form_token, identity, memory, .. } = record;
        Ok(Some(BrowserSession { hash, form_token, identity, memory, person: None }))
    }

    /// Chooses the memory that a session shows: that of a group, or the person's own.
    ///
    /// # Errors
    /// Fails when the sessions cannot be changed.
    pub async fn choose_memory(
        &self,
        session: &BrowserSession,
        memory: Option<OwnerId>,
        now: Moment,
    ) -> Result<(), LoginError> {
        let choose = |found: Option<&ExpiringValue>| {
            let record = found.and_then(SessionRecord::parse);
            (record.map(|record| record.showing(memory.clone())), ())
        };
        Ok(self.values.update(ValueKind::LoginSession, session.hash, now, choose).await?)
    }

    async fn create_session(
        &self,
        identity: Option<ContentHash>,
        now: Moment,
    ) -> Result<LoginOutcome, LoginError> {
        let (session, form_token) = (random_secret()?, random_secret()?);
        let record = SessionRecord::new(hash_secret(&form_token), identity, now);
        let (kind, hash) = (ValueKind::LoginSession, hash_secret(&session));
        self.values.put(kind, hash, record.value(), now).await?;
        Ok(LoginOutcome { cookie: self.set_cookie(&session, TOTAL_SECONDS), form_token })
    }

    fn cookie_name(&self) -> &'static str {
        if self.secure { SECURE_COOKIE_NAME } else { COOKIE_NAME }
    }

    fn set_cookie(&self, value: &str, seconds: i64) -> String {
        // Strict: no link or form of another site brings the session along.
        let (name, secure) = (self.cookie_name(), if self.secure { "; Secure" } else { "" });
        format!("{name}={value}; Path=/; HttpOnly; SameSite=Strict; Max-Age={seconds}{secure}")
    }
}

impl BrowserSession {
    /// Returns the login at an identity provider; `None` for the owner of the server.
    #[must_use]
    pub fn identity(&self) -> Option<ContentHash> {
        self.identity
    }

    /// Returns the person who logged in.
    #[must_use]
    pub fn person(&self) -> Option<&OwnerId> {
        self.person.as_ref()
    }

    /// Returns the group whose memory the person chose.
    pub(super) fn memory(&self) -> Option<&OwnerId> {
        self.memory.as_ref()
    }

    /// Adds the person who logged in.
    pub(super) fn of_person(self, person: OwnerId) -> Self {
        Self { person: Some(person), ..self }
    }

    /// Compares the form token of a request in constant time.
    pub(super) fn accepts_form_token(&self, presented: &[u8]) -> bool {
        self.form_token.0.ct_eq(&ContentHash::of_bytes(presented).0).into()
    }
}

/// Name under which the attempts of all addresses that never logged in are counted.
const EVERYBODY: &str = "unknown addresses together";

fn login_error(error: StrangerError) -> LoginError {
    match error {
        StrangerError::TooMany(seconds) => LoginError::TooManyAttempts(seconds),
        StrangerError::Store(error) => error.into(),
    }
}

fn hash_address(address: ClientAddress) -> ContentHash {
    hash_secret(&address.to_string())
}

/// Hashes a secret before it is compared, so that the duration of the comparison reveals nothing
/// about it.
fn hash_secret(secret: &str) -> ContentHash {
    ContentHash::of_bytes(secret.as_bytes())
}

fn random_secret() -> Result<String, LoginError> {
    let mut bytes = [0_u8; SECRET_BYTES];
    getrandom::fill(&mut bytes).map_err(|_| LoginError::NoRandomness)?;
    Ok(bytes.iter().fold(String::new(), |mut text, byte| {
        // Writing to a String cannot fail.
        _ = write!(text, "{byte:02x}");
        text
    }))
}

/// Returns the value of our cookie, if the request has exactly one.
// A second one may have been planted by another site on a parent domain.
fn cookie_value<'h>(headers: &'h HeaderMap, name: &str) -> Option<&'h str> {
    let lines = headers.get_all(COOKIE).iter().filter_map(|line| line.to_str().ok());
    let pairs =
        lines.flat_map(|line| line.split(';')).filter_map(|pair| pair.trim().split_once('='));
    let mut ours = pairs.filter(|(presented, _)| *presented == name).map(|(_, value)| value);
    ours.next().filter(|_| ours.next().is_none())
}

#[cfg(test)]
mod tests;
