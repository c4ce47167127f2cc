//! The owner's visits to the window in a browser: one-time links, the token and the password that
//! open one, and the sessions they become. Links and sessions are kept in memory only, as hashes,
//! few in number and with an end; a restart ends them all. Knows no page.

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

/// The cookie that a session travels in.
const COOKIE_NAME: &str = "quipu_session";
/// The same over https: browsers then see to it that no other site and no plain page has set it.
const SECURE_COOKIE_NAME: &str = "__Host-quipu_session";
/// How much chance is in a link, a session and its form token, in bytes.
const SECRET_BYTES: usize = 32;
/// How long a link waits to be opened.
const LINK_LIFE: Duration = Duration::from_secs(10 * 60);
/// How many links wait at once; a new one takes the place of the oldest.
const LINKS: usize = 16;
/// How long a session lasts without a request.
const IDLE_LIFE: Duration = Duration::from_secs(12 * 3600);
/// How long a session lasts at most.
const WHOLE_LIFE: Duration = Duration::from_secs(7 * 24 * 3600);
/// How many sessions there are at once; a new one takes the place of the one that is idle longest.
const SESSIONS: usize = 32;

/// The links that wait and the sessions that last. Every clone is the same.
#[derive(Clone)]
pub struct Visits {
    token: Token,
    password: Option<Password>,
    guesses: Arc<Turnstile>,
    secure: bool,
    book: Arc<Mutex<Book>>,
}

/// Why no session could be opened, whatever was shown.
#[derive(Debug, Clone, Copy, PartialEq, Eq, thiserror::Error)]
pub enum NotOpened {
    /// The system gave no random numbers, so no secret can be made.
    #[error("the system gave no random numbers")]
    NoChance,
    /// Too many passwords were tried.
    #[error("too many passwords were tried; wait {0} seconds, then try again")]
    TooOften(u32),
}

/// A session that this request belongs to. The gate puts it into the request.
#[derive(Debug, Clone)]
pub struct Visit {
    session: ContentHash,
    /// What a request of this session that changes something must repeat.
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
    /// No visit yet; whoever shows this token may begin one too.
    #[must_use]
    pub fn new(token: Token) -> Self {
        Self { token, password: None, guesses: Arc::default(), secure: false, book: Arc::default() }
    }

    /// The same for a window that is known by this address: over https a session travels over
    /// nothing else.
    #[must_use]
    pub fn over(self, address: &PublicUrl) -> Self {
        Self { secure: address.is_https(), ..self }
    }

    /// The same, with a password that opens a session too, once one is set.
    #[must_use]
    pub fn with_password(self, password: Password) -> Self {
        Self { password: Some(password), ..self }
    }

    /// The password, where one can be set.
    #[must_use]
    pub fn password(&self) -> Option<&Password> {
        self.password.as_ref()
    }

    /// Whether a password is set.
    #[must_use]
    pub fn wants_a_password(&self) -> bool {
        self.password.as_ref().is_some_and(|password| password.is_set().unwrap_or(false))
    }

    /// The secret of a new link. It opens one session, within ten minutes.
    ///
    /// # Errors
    /// When the system gives no random numbers.
    pub fn invite(&self) -> Result<String, NotOpened> {
        let secret = secret()?;
        self.with(|book| book.invite(&secret, Instant::now()));
        Ok(secret)
    }

    /// Opens a session with the secret of a link, and answers with the cookie to set. A link opens
    /// once.
    ///
    /// # Errors
    /// When the system gives no random numbers.
    pub fn open(&self, link: &str) -> Result<Option<String>, NotOpened> {
        let known = self.with(|book| book.take_link(link, Instant::now()));
        if known { self.begin().map(Some) } else { Ok(None) }
    }

    /// Opens a session with what somebody typed, the owner's token or the password, and answers
    /// with the cookie to set. Only passwords are counted: nobody guesses a token.
    ///
    /// # Errors
    /// When too many passwords were tried, or the system gives no random numbers.
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
        passed.map_err(|held| NotOpened::TooOften(held.seconds()))?;
        if password.is(typed).await { self.begin().map(Some) } else { Ok(None) }
    }

    /// Ends every session but this one.
    pub fn end_others(&self, visit: Option<&Visit>) {
        self.with(|book| {
            book.sessions.retain(|session| visit.is_some_and(|visit| session.hash == visit.session))
        });
    }

    /// Ends a session, and answers with the cookie that takes it out of the browser.
    #[must_use]
    pub fn end(&self, visit: &Visit) -> String {
        self.with(|book| book.sessions.retain(|session| session.hash != visit.session));
        self.cookie("", Duration::ZERO)
    }

    /// The session that a request shows, if it still lasts.
    pub(super) fn shown_in(&self, headers: &HeaderMap) -> Option<Visit> {
        let shown = cookie(headers, self.cookie_name())?;
        self.with(|book| book.visit(shown, Instant::now()))
    }

    fn begin(&self) -> Result<String, NotOpened> {
        let (session, form_token) = (secret()?, secret()?);
        self.with(|book| book.begin(&session, form_token, Instant::now()));
        Ok(self.cookie(&session, WHOLE_LIFE))
    }

    fn cookie_name(&self) -> &'static str {
        if self.secure { SECURE_COOKIE_NAME } else { COOKIE_NAME }
    }

    fn cookie(&self, value: &str, life: Duration) -> String {
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
    /// Whether a request repeats the form token; in the same time for every wrong one.
    pub(super) fn is_repeated_by(&self, shown: &[u8]) -> bool {
        self.form_token.as_bytes().ct_eq(shown).into()
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

    fn take_link(&mut self, link: &str, now: Instant) -> bool {
        let hash = hash(link);
        let known = self.links.iter().position(|(kept, _)| *kept == hash);
        known.is_some_and(|place| self.links.remove(place).1 > now)
    }

    fn begin(&mut self, secret: &str, form_token: String, now: Instant) {
        self.sessions.retain(|session| session.lasts(now));
        if self.sessions.len() >= SESSIONS {
            let idlest = self.sessions.iter().enumerate().min_by_key(|(_, session)| session.seen);
            idlest
                .map(|(place, _)| place)
                .into_iter()
                .for_each(|place| _ = self.sessions.remove(place));
        }
        self.sessions.push(Session { hash: hash(secret), form_token, begun: now, seen: now });
    }

    fn visit(&mut self, shown: &str, now: Instant) -> Option<Visit> {
        let hash = hash(shown);
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

/// Hashed before it is compared, so that the time a comparison takes tells nothing of the secret.
fn hash(secret: &str) -> ContentHash {
    ContentHash::of_bytes(secret.as_bytes())
}

fn secret() -> Result<String, NotOpened> {
    let mut bytes = [0_u8; SECRET_BYTES];
    getrandom::fill(&mut bytes).map_err(|_| NotOpened::NoChance)?;
    Ok(bytes.iter().fold(String::new(), |mut text, byte| {
        // Writing to a String has no way to fail.
        _ = write!(text, "{byte:02x}");
        text
    }))
}

/// The value of our cookie, if the request shows exactly one.
fn cookie<'h>(headers: &'h HeaderMap, name: &str) -> Option<&'h str> {
    let lines = headers.get_all(COOKIE).iter().filter_map(|line| line.to_str().ok());
    let pairs =
        lines.flat_map(|line| line.split(';')).filter_map(|pair| pair.trim().split_once('='));
    let mut ours = pairs.filter(|(shown, _)| *shown == name).map(|(_, value)| value);
    ours.next().filter(|_| ours.next().is_none())
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_link_opens_once_and_not_after_its_time() {
        let (mut book, now) = (Book::default(), Instant::now());
        book.invite("one", now);
        assert!(!book.take_link("other", now));
        assert!(book.take_link("one", now));
        assert!(!book.take_link("one", now));
        book.invite("late", now);
        assert!(!book.take_link("late", now + LINK_LIFE));
    }

    #[test]
    fn links_and_sessions_are_bounded_and_the_oldest_goes() {
        let (mut book, now) = (Book::default(), Instant::now());
        (0..100).for_each(|n| book.invite(&n.to_string(), now));
        assert_eq!(book.links.len(), LINKS);
        assert!(!book.take_link("0", now));
        assert!(book.take_link("99", now));
        for n in 0..100 {
            book.begin(&n.to_string(), String::new(), now + Duration::from_secs(n));
        }
        assert_eq!(book.sessions.len(), SESSIONS);
        assert!(book.visit("0", now).is_none());
        assert!(book.visit("99", now + Duration::from_secs(100)).is_some());
    }

    #[test]
    fn a_session_ends_when_it_is_idle_and_when_it_is_old() {
        let (mut book, now) = (Book::default(), Instant::now());
        book.begin("idle", String::new(), now);
        assert!(book.visit("idle", now + IDLE_LIFE).is_none());
        book.begin("busy", String::new(), now);
        let mut at = now;
        while at < now + WHOLE_LIFE {
            assert!(book.visit("busy", at).is_some());
            at += IDLE_LIFE / 2;
        }
        assert!(book.visit("busy", at).is_none());
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
        let visit = visits.shown_in(&headers).unwrap();
        assert!(visit.is_repeated_by(visit.form_token.as_bytes()));
        assert!(!visit.is_repeated_by(b""));
        assert!(visits.end(&visit).contains("Max-Age=0"));
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
        let (mut book, now) = (Book::default(), Instant::now());
        book.begin("mine", String::new(), now);
        book.begin("other", String::new(), now);
        let visits =
            Visits { book: Arc::new(Mutex::new(book)), ..Visits::new(Token::new("x").unwrap()) };
        let mine = visits.with(|book| book.visit("mine", now));
        visits.end_others(mine.as_ref());
        assert!(visits.with(|book| book.visit("mine", now)).is_some());
        assert!(visits.with(|book| book.visit("other", now)).is_none());
    }
}
