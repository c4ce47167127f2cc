//! Browser sessions of the owner: the one-time links, the token and the password that open one, and
//! the sessions themselves. Links and sessions are held in memory only, as hashes, bounded in
//! number and in time; a restart ends them all. Knows no page.

use super::password::Password;
use super::public::PublicUrl;
use super::token::Token;
use crate::turnstile::Turnstile;
use axum::http::HeaderMap;
use axum::http::header::COOKIE;
use engine::ToolClass;
use model::{ContentHash, Moment};
use std::fmt::Write;
use std::sync::{Arc, Mutex, PoisonError};
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
const LINK_LIFE: Duration = Duration::from_secs(10 * 60);
/// Maximum number of open links; a new one replaces the oldest.
const LINKS: usize = 16;
/// Lifetime of a session without a request.
const IDLE_LIFE: Duration = Duration::from_secs(12 * 3600);
/// Maximum lifetime of a session.
const WHOLE_LIFE: Duration = Duration::from_secs(7 * 24 * 3600);
/// Maximum number of sessions; a new one replaces the one that was idle longest.
const SESSIONS: usize = 32;

/// Open links and sessions of a server. Clones share the same state.
#[derive(Clone)]
pub struct Visits {
    token: Token,
    password: Option<Password>,
    guesses: Arc<Turnstile>,
    secure: bool,
    book: Arc<Mutex<Book>>,
}

/// Error for a session that cannot be opened, whatever credential was given.
#[derive(Debug, Clone, Copy, PartialEq, Eq, thiserror::Error)]
pub enum NotOpened {
    #[error("the system provided no random numbers")]
    NoChance,
    #[error("too many wrong passwords; wait {0} seconds, then try again")]
    TooOften(u32),
}

/// Browser session that a request belongs to. The authorizer attaches it to the request.
#[derive(Debug, Clone)]
pub struct Visit {
    session: ContentHash,
    /// Token that a request of this session must send when it changes something.
    pub form_token: String,
}

#[derive(Debug, Default)]
struct Book {
    links: Vec<(ContentHash, Instant)>,
    sessions: Vec<Session>,
}

#[derive(Debug)]
struct Session {
    hash: ContentHash,
    form_token: String,
    begun: Instant,
    seen: Instant,
}

impl Visits {
    /// Creates an empty set of sessions; the token can open one too.
    #[must_use]
    pub fn new(token: Token) -> Self {
        Self { token, password: None, guesses: Arc::default(), secure: false, book: Arc::default() }
    }

    /// Sets the address that browsers use. Over https the cookie is marked as secure.
    #[must_use]
    pub fn over(self, address: &PublicUrl) -> Self {
        Self { secure: address.is_https(), ..self }
    }

    /// Accepts a password as well, once one is set.
    #[must_use]
    pub fn with_password(self, password: Password) -> Self {
        Self { password: Some(password), ..self }
    }

    /// Returns the password, where one can be set.
    #[must_use]
    pub fn password(&self) -> Option<&Password> {
        self.password.as_ref()
    }

    /// Returns true when a password is set.
    #[must_use]
    pub fn wants_a_password(&self) -> bool {
        self.password.as_ref().is_some_and(|password| password.is_set().unwrap_or(false))
    }

    /// Creates a one-time link and returns its secret. It opens one session, within ten minutes.
    ///
    /// # Errors
    /// When the system provides no random numbers.
    pub fn invite(&self) -> Result<String, NotOpened> {
        let secret = secret()?;
        self.with(|table| table.invite(&secret, Instant::now()));
        Ok(secret)
    }

    /// Opens a session with the secret of a link and returns the cookie to set. A link works once.
    ///
    /// # Errors
    /// When the system provides no random numbers.
    pub fn open(&self, link: &str) -> Result<Option<String>, NotOpened> {
        let known = self.with(|table| table.take_link(link, Instant::now()));
        if known { self.begin().map(Some) } else { Ok(None) }
    }

    /// Opens a session with the owner's token or the password and returns the cookie to set. Only
    /// passwords are rate-limited: nobody guesses a 256-bit token, and so a guesser cannot lock the
    /// owner out.
    ///
    /// # Errors
    /// When too many passwords were tried, or the system provides no random numbers.
    pub async fn open_with_typed(
        &self,
        typed: &str,
        now: Moment,
    ) -> Result<Option<String>, NotOpened> {
        if self.token.is(typed.trim()) {
            return self.begin().map(Some);
        }
        let Some(password) = &self.password else { return Ok(None) };
        let passed = self.guesses.knock(ToolClass::Guess, now);
        passed.map_err(|rejected| NotOpened::TooOften(rejected.seconds()))?;
        if password.is(typed).await { self.begin().map(Some) } else { Ok(None) }
    }

    /// Ends every session but this one.
    pub fn end_others(&self, session: Option<&Visit>) {
        self.with(|table| {
            table
                .sessions
                .retain(|entry| session.is_some_and(|session| entry.hash == session.session))
        });
    }

    /// Ends a session and returns the cookie that removes it from the browser.
    #[must_use]
    pub fn end(&self, session: &Visit) -> String {
        self.with(|table| table.sessions.retain(|entry| entry.hash != session.session));
        self.cookie("", Duration::ZERO)
    }

    /// Returns the session of a request, if it is still valid.
    pub(super) fn shown_in(&self, headers: &HeaderMap) -> Option<Visit> {
        let presented = cookie(headers, self.cookie_name())?;
        self.with(|table| table.visit(presented, Instant::now()))
    }

    fn begin(&self) -> Result<String, NotOpened> {
        let (session, form_token) = (secret()?, secret()?);
        self.with(|table| table.begin(&session, form_token, Instant::now()));
        Ok(self.cookie(&session, WHOLE_LIFE))
    }

    fn cookie_name(&self) -> &'static str {
        if self.secure { SECURE_COOKIE_NAME } else { COOKIE_NAME }
    }

    fn cookie(&self, value: &str, life: Duration) -> String {
        // Strict: no link or form of another site brings the session along.
        let (name, secure) = (self.cookie_name(), if self.secure { "; Secure" } else { "" });
        format!(
            "{name}={value}; Path=/; HttpOnly; SameSite=Strict; Max-Age={}{secure}",
            life.as_secs()
        )
    }

    fn with<T>(&self, work: impl FnOnce(&mut Book) -> T) -> T {
        work(&mut self.book.lock().unwrap_or_else(PoisonError::into_inner))
    }
}

impl Visit {
    /// Compares the form token of a request in constant time.
    pub(super) fn is_repeated_by(&self, presented: &[u8]) -> bool {
        self.form_token.as_bytes().ct_eq(presented).into()
    }
}

impl Book {
    fn invite(&mut self, secret: &str, now: Instant) {
        self.links.retain(|(_, until)| *until > now);
        if self.links.len() >= LINKS {
            self.links.remove(0);
        }
        self.links.push((hash(secret), now + LINK_LIFE));
    }

    // Removed whether or not it is still valid: a link works once.
    fn take_link(&mut self, link: &str, now: Instant) -> bool {
        let hash = hash(link);
        let known = self.links.iter().position(|(stored, _)| *stored == hash);
        known.is_some_and(|index| self.links.remove(index).1 > now)
    }

    fn begin(&mut self, secret: &str, form_token: String, now: Instant) {
        self.sessions.retain(|session| session.lasts(now));
        if self.sessions.len() >= SESSIONS {
            let idlest = self.sessions.iter().enumerate().min_by_key(|(_, session)| session.seen);
            idlest
                .map(|(index, _)| index)
                .into_iter()
                .for_each(|index| _ = self.sessions.remove(index));
        }
        self.sessions.push(Session { hash: hash(secret), form_token, begun: now, seen: now });
    }

    fn visit(&mut self, presented: &str, now: Instant) -> Option<Visit> {
        let hash = hash(presented);
        let session =
            self.sessions.iter_mut().find(|session| session.hash == hash && session.lasts(now))?;
        session.seen = now;
        Some(Visit { session: hash, form_token: session.form_token.clone() })
    }
}

impl Session {
    fn lasts(&self, now: Instant) -> bool {
        now.duration_since(self.seen) < IDLE_LIFE && now.duration_since(self.begun) < WHOLE_LIFE
    }
}

/// Hashes a secret before it is compared, so that the duration of the comparison reveals nothing
/// about it.
fn hash(secret: &str) -> ContentHash {
    ContentHash::of_bytes(secret.as_bytes())
}

fn secret() -> Result<String, NotOpened> {
    let mut bytes = [0_u8; SECRET_BYTES];
    getrandom::fill(&mut bytes).map_err(|_| NotOpened::NoChance)?;
    Ok(bytes.iter().fold(String::new(), |mut text, byte| {
        // Writing to a String cannot fail.
        _ = write!(text, "{byte:02x}");
        text
    }))
}

/// Returns the value of our cookie, if the request has exactly one.
// A second one may have been planted by another site on a parent domain.
fn cookie<'h>(headers: &'h HeaderMap, name: &str) -> Option<&'h str> {
    let lines = headers.get_all(COOKIE).iter().filter_map(|line| line.to_str().ok());
    let pairs =
        lines.flat_map(|line| line.split(';')).filter_map(|pair| pair.trim().split_once('='));
    let mut ours = pairs.filter(|(presented, _)| *presented == name).map(|(_, value)| value);
    ours.next().filter(|_| ours.next().is_none())
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_link_opens_once_and_not_after_its_time() {
        let (mut table, now) = (Book::default(), Instant::now());
        table.invite("one", now);
        assert!(!table.take_link("other", now));
        assert!(table.take_link("one", now));
        assert!(!table.take_link("one", now));
        table.invite("late", now);
        assert!(!table.take_link("late", now + LINK_LIFE));
    }

    #[test]
    fn links_and_sessions_are_bounded_and_the_oldest_goes() {
        let (mut table, now) = (Book::default(), Instant::now());
        (0..100).for_each(|n| table.invite(&n.to_string(), now));
        assert_eq!(table.links.len(), LINKS);
        assert!(!table.take_link("0", now));
        assert!(table.take_link("99", now));
        for n in 0..100 {
            table.begin(&n.to_string(), String::new(), now + Duration::from_secs(n));
        }
        assert_eq!(table.sessions.len(), SESSIONS);
        assert!(table.visit("0", now).is_none());
        assert!(table.visit("99", now + Duration::from_secs(100)).is_some());
    }

    #[test]
    fn a_session_ends_when_it_is_idle_and_when_it_is_old() {
        let (mut table, now) = (Book::default(), Instant::now());
        table.begin("idle", String::new(), now);
        assert!(table.visit("idle", now + IDLE_LIFE).is_none());
        table.begin("busy", String::new(), now);
        let mut at = now;
        while at < now + WHOLE_LIFE {
            assert!(table.visit("busy", at).is_some());
            at += IDLE_LIFE / 2;
        }
        assert!(table.visit("busy", at).is_none());
    }

    #[test]
    fn a_request_that_shows_two_sessions_shows_none() {
        let headers = |lines: &[&str]| {
            let mut headers = HeaderMap::new();
            lines.iter().for_each(|line| _ = headers.append(COOKIE, line.parse().unwrap()));
            headers
        };
        assert_eq!(cookie(&headers(&["a=b; quipu_session=x; c=d"]), COOKIE_NAME), Some("x"));
        assert_eq!(cookie(&headers(&["quipu_session=x; quipu_session=y"]), COOKIE_NAME), None);
        assert_eq!(cookie(&headers(&["quipu_session=x", "quipu_session=y"]), COOKIE_NAME), None);
        assert_eq!(cookie(&headers(&["xquipu_session=x"]), COOKIE_NAME), None);
    }

    #[tokio::test]
    async fn only_the_owners_token_opens_a_session() {
        let visits = Visits::new(Token::new("open-sesame").unwrap());
        assert_eq!(visits.open_with_typed("open-sesam", Moment(0)).await, Ok(None));
        let set = visits.open_with_typed(" open-sesame ", Moment(0)).await.unwrap().unwrap();
        assert!(set.contains("HttpOnly; SameSite=Strict"), "{set}");
        let mut headers = HeaderMap::new();
        headers.insert(COOKIE, set.split(';').next().unwrap().parse().unwrap());
        let session = visits.shown_in(&headers).unwrap();
        assert!(session.is_repeated_by(session.form_token.as_bytes()));
        assert!(!session.is_repeated_by(b""));
        assert!(visits.end(&session).contains("Max-Age=0"));
        assert!(visits.shown_in(&headers).is_none());
    }

    #[tokio::test]
    async fn over_https_a_session_travels_over_nothing_else() {
        let visits = Visits::new(Token::new("open-sesame").unwrap());
        let visits = visits.over(&PublicUrl::new("https://memory.example").unwrap());
        let set = visits.open_with_typed("open-sesame", Moment(0)).await.unwrap().unwrap();
        assert!(set.starts_with("__Host-quipu_session=") && set.ends_with("; Secure"), "{set}");
    }

    #[tokio::test]
    async fn whoever_changes_the_password_stays_and_everybody_else_is_out() {
        let (mut table, now) = (Book::default(), Instant::now());
        table.begin("mine", String::new(), now);
        table.begin("other", String::new(), now);
        let visits =
            Visits { book: Arc::new(Mutex::new(table)), ..Visits::new(Token::new("x").unwrap()) };
        let mine = visits.with(|table| table.visit("mine", now));
        visits.end_others(mine.as_ref());
        assert!(visits.with(|table| table.visit("mine", now)).is_some());
        assert!(visits.with(|table| table.visit("other", now)).is_none());
    }
}
