//! Browser sessions of the owner: the one-time links, the token and the password that open one, and
//! the sessions themselves. Links and sessions are held in memory only, as hashes, bounded in
//! number and in time; a restart ends them all. Knows no page.

use super::client_address::ClientAddress;
use super::dashboard_host::DashboardHost;
use super::password::OwnerPassword;
use super::public_url::PublicUrl;
use super::token::OwnerToken;
use crate::admission::Admission;
use axum::http::HeaderMap;
use axum::http::header::COOKIE;
use engine::ToolClass;
use model::{ContentHash, Moment};
use parking_lot::Mutex;
use std::fmt::Write;
use std::sync::Arc;
use std::time::{Duration, Instant};
use subtle::ConstantTimeEq;

/// Name of the session cookie.
const COOKIE_NAME: &str = "quipu_session";
/// Name of the session cookie over https. Browsers accept the `__Host-` prefix only on a secure
/// cookie of this very host, so no other site and no plain page can have set it.
const SECURE_COOKIE_NAME: &str = "__Host-quipu_session";
/// Number of random bytes in a link, a session and a form token.
const SECRET_BYTES: usize = 32;
/// Lifetime of a link.
const LINK_LIFETIME: Duration = Duration::from_secs(10 * 60);
/// Maximum number of open links; a new one replaces the oldest.
const LINKS_MAX: usize = 16;
/// Lifetime of a session without a request.
const IDLE_LIFETIME: Duration = Duration::from_secs(12 * 3600);
/// Maximum lifetime of a session.
const TOTAL_LIFETIME: Duration = Duration::from_secs(7 * 24 * 3600);
/// Maximum number of sessions; a new one replaces the one that was idle longest.
const SESSIONS_MAX: usize = 32;

/// Open links and sessions of a server. Clones share the same state.
#[derive(Clone)]
pub struct BrowserSessions {
    token: OwnerToken,
    password: Option<OwnerPassword>,
    secure: bool,
    dashboard: Option<DashboardHost>,
    table: Arc<Mutex<SessionTable>>,
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
    #[error("too many wrong passwords; wait {0} seconds, then try again")]
    TooManyAttempts(u32),
}

/// Browser session that a request belongs to. The authorizer attaches it to the request.
#[derive(Debug, Clone)]
pub struct BrowserSession {
    hash: ContentHash,
    /// Token that a request of this session must send when it changes something.
    form_token: String,
}

#[derive(Debug, Default)]
struct SessionTable {
    links: Vec<(ContentHash, Instant)>,
    sessions: Vec<SessionEntry>,
    /// Addresses from which the owner logged in before, the oldest first.
    known: Vec<ClientAddress>,
    admission: Arc<Admission>,
}

#[derive(Debug)]
struct SessionEntry {
    hash: ContentHash,
    form_token: String,
    started: Instant,
    last_seen: Instant,
}

impl BrowserSessions {
    /// Creates an empty set of sessions; the token can open one too.
    #[must_use]
    pub fn new(token: OwnerToken) -> Self {
        Self { token, password: None, secure: false, dashboard: None, table: Arc::default() }
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

    /// Returns the password, where one can be set.
    #[must_use]
    pub fn password(&self) -> Option<&OwnerPassword> {
        self.password.as_ref()
    }

    /// Returns true when a password is set.
    #[must_use]
    pub fn has_password(&self) -> bool {
        self.password.as_ref().is_some_and(|password| password.is_set().unwrap_or(false))
    }

    /// Creates a one-time link and returns its secret. It opens one session, within ten minutes.
    ///
    /// # Errors
    /// Fails when the system provides no random numbers.
    pub fn create_link(&self) -> Result<String, LoginError> {
        let secret = random_secret()?;
        self.with_table(|table| table.add_link(&secret, Instant::now()));
        Ok(secret)
    }

    /// Returns true for the secret of a link that still works.
    #[must_use]
    pub fn has_link(&self, link: &str) -> bool {
        self.with_table(|table| table.has_link(link, Instant::now()))
    }

    /// Opens a session with the secret of a link. A link works once.
    ///
    /// # Errors
    /// Fails when the system provides no random numbers.
    pub fn open_with_link(&self, link: &str) -> Result<Option<LoginOutcome>, LoginError> {
        let known = self.with_table(|table| table.take_link(link, Instant::now()));
        if known { self.create_session().map(Some) } else { Ok(None) }
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
        if is_owner { self.create_session().map(Some) } else { Ok(None) }
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
            self.with_table(|table| table.note_known(from));
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
        let (admission, is_known) =
            self.with_table(|table| (Arc::clone(&table.admission), table.known.contains(&from)));
        let admitted = admission.start_anonymous(from, ToolClass::Guess, now);
        let admitted = admitted.and_then(|()| {
            if is_known { Ok(()) } else { admission.start_unknown(ToolClass::SharedGuess, now) }
        });
        admitted.map_err(|rejected| LoginError::TooManyAttempts(rejected.retry_after_seconds))?;
        Ok(password.verify(typed).await)
    }

    /// Ends every session but this one.
    pub fn end_others(&self, session: Option<&BrowserSession>) {
        self.with_table(|table| {
            table.sessions.retain(|entry| session.is_some_and(|session| entry.hash == session.hash))
        });
    }

    /// Ends a session and returns the cookie that removes it from the browser.
    #[must_use]
    pub fn end(&self, session: &BrowserSession) -> String {
        self.with_table(|table| table.sessions.retain(|entry| entry.hash != session.hash));
        self.set_cookie("", Duration::ZERO)
    }

    /// Counts password attempts with the admission of the server that these sessions belong to.
    pub(super) fn use_admission(&self, admission: &Arc<Admission>) {
        self.with_table(|table| table.admission = Arc::clone(admission));
    }

    /// Returns the session of a request, if it is still valid. Where the dashboard has a host name
    /// of its own, there is no session elsewhere.
    pub(super) fn session_of_request(&self, headers: &HeaderMap) -> Option<BrowserSession> {
        if self.dashboard.as_ref().is_some_and(|dashboard| !dashboard.is_host_of(headers)) {
            return None;
        }
        let presented = cookie_value(headers, self.cookie_name())?;
        self.with_table(|table| table.find_session(presented, Instant::now()))
    }

    fn create_session(&self) -> Result<LoginOutcome, LoginError> {
        let (session, form_token) = (random_secret()?, random_secret()?);
        let (cookie, now) = (self.set_cookie(&session, TOTAL_LIFETIME), Instant::now());
        self.with_table(|table| table.insert_session(&session, form_token.clone(), now));
        Ok(LoginOutcome { cookie, form_token })
    }

    fn cookie_name(&self) -> &'static str {
        if self.secure { SECURE_COOKIE_NAME } else { COOKIE_NAME }
    }

    fn set_cookie(&self, value: &str, life: Duration) -> String {
        // Strict: no link or form of another site brings the session along.
        let (name, secure) = (self.cookie_name(), if self.secure { "; Secure" } else { "" });
        format!(
            "{name}={value}; Path=/; HttpOnly; SameSite=Strict; Max-Age={}{secure}",
            life.as_secs()
        )
    }

    fn with_table<T>(&self, work: impl FnOnce(&mut SessionTable) -> T) -> T {
        work(&mut self.table.lock())
    }
}

impl BrowserSession {
    /// Compares the form token of a request in constant time.
    pub(super) fn accepts_form_token(&self, presented: &[u8]) -> bool {
        self.form_token.as_bytes().ct_eq(presented).into()
    }
}

impl SessionTable {
    fn add_link(&mut self, secret: &str, now: Instant) {
        self.links.retain(|(_, until)| *until > now);
        if self.links.len() >= LINKS_MAX {
            self.links.remove(0);
        }
        self.links.push((hash_secret(secret), now + LINK_LIFETIME));
    }

    fn note_known(&mut self, address: ClientAddress) {
        self.known.retain(|known| *known != address);
        if self.known.len() >= SESSIONS_MAX {
            self.known.remove(0);
        }
        self.known.push(address);
    }

    fn has_link(&self, link: &str, now: Instant) -> bool {
        let hash = hash_secret(link);
        self.links.iter().any(|(stored, until)| *stored == hash && *until > now)
    }

    // Removed whether or not it is still valid: a link works once.
    fn take_link(&mut self, link: &str, now: Instant) -> bool {
        let hash = hash_secret(link);
        let known = self.links.iter().position(|(stored, _)| *stored == hash);
        known.is_some_and(|index| self.links.remove(index).1 > now)
    }

    fn insert_session(&mut self, secret: &str, form_token: String, now: Instant) {
        self.sessions.retain(|session| session.is_valid(now));
        if self.sessions.len() >= SESSIONS_MAX {
            let idlest =
                self.sessions.iter().enumerate().min_by_key(|(_, session)| session.last_seen);
            idlest
                .map(|(index, _)| index)
                .into_iter()
                .for_each(|index| _ = self.sessions.remove(index));
        }
        self.sessions.push(SessionEntry {
            hash: hash_secret(secret),
            form_token,
            started: now,
            last_seen: now,
        });
    }

    fn find_session(&mut self, presented: &str, now: Instant) -> Option<BrowserSession> {
        let hash = hash_secret(presented);
        let session = self
            .sessions
            .iter_mut()
            .find(|session| session.hash == hash && session.is_valid(now))?;
        session.last_seen = now;
        Some(BrowserSession { hash, form_token: session.form_token.clone() })
    }
}

impl SessionEntry {
    fn is_valid(&self, now: Instant) -> bool {
        now.duration_since(self.last_seen) < IDLE_LIFETIME
            && now.duration_since(self.started) < TOTAL_LIFETIME
    }
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
