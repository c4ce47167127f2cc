//! The owner's visits to the window in a browser: one-time links that open one, and the sessions they become.
//! Both are kept in memory only, as hashes, few in number and with an end; a restart ends them all. Knows no page.

use super::token::Token;
use axum::http::HeaderMap;
use axum::http::header::COOKIE;
use model::ContentHash;
use std::fmt::Write;
use std::sync::{Arc, Mutex, PoisonError};
use std::time::{Duration, Instant};
use subtle::ConstantTimeEq;

/// The cookie that a session travels in. It carries no `__Host-` prefix, which browsers take over https only.
const COOKIE_NAME: &str = "quipu_session";
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
#[derive(Debug, Clone)]
pub struct Visits {
    token: Token,
    book: Arc<Mutex<Book>>,
}

/// The system gave no random numbers, so no secret can be made.
#[derive(Debug, Clone, Copy, PartialEq, Eq, thiserror::Error)]
#[error("the system gave no random numbers")]
pub struct NoChance;

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
        Self { token, book: Arc::default() }
    }

    /// The secret of a new link. It opens one session, within ten minutes.
    ///
    /// # Errors
    /// When the system gives no random numbers.
    pub fn invite(&self) -> Result<String, NoChance> {
        let secret = secret()?;
        self.with(|book| book.invite(&secret, Instant::now()));
        Ok(secret)
    }

    /// Opens a session with the secret of a link, and answers with the cookie to set. A link opens once.
    ///
    /// # Errors
    /// When the system gives no random numbers.
    pub fn open(&self, link: &str) -> Result<Option<String>, NoChance> {
        let known = self.with(|book| book.take_link(link, Instant::now()));
        if known { self.begin().map(Some) } else { Ok(None) }
    }

    /// Opens a session with the owner's token, and answers with the cookie to set.
    ///
    /// # Errors
    /// When the system gives no random numbers.
    pub fn open_with_token(&self, token: &str) -> Result<Option<String>, NoChance> {
        if self.token.is(token.trim()) { self.begin().map(Some) } else { Ok(None) }
    }

    /// Ends a session, and answers with the cookie that takes it out of the browser.
    #[must_use]
    pub fn end(&self, visit: &Visit) -> String {
        self.with(|book| book.sessions.retain(|session| session.hash != visit.session));
        format!("{COOKIE_NAME}=; Path=/; HttpOnly; SameSite=Strict; Max-Age=0")
    }

    /// The session that a request shows, if it still lasts.
    pub(super) fn shown_in(&self, headers: &HeaderMap) -> Option<Visit> {
        let shown = cookie(headers)?;
        self.with(|book| book.visit(shown, Instant::now()))
    }

    fn begin(&self) -> Result<String, NoChance> {
        let (session, form_token) = (secret()?, secret()?);
        self.with(|book| book.begin(&session, form_token, Instant::now()));
        Ok(format!(
            "{COOKIE_NAME}={session}; Path=/; HttpOnly; SameSite=Strict; Max-Age={}",
            WHOLE_LIFE.as_secs()
        ))
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
            idlest.map(|(place, _)| place).into_iter().for_each(|place| _ = self.sessions.remove(place));
        }
        self.sessions.push(Session { hash: hash(secret), form_token, begun: now, seen: now });
    }

    fn visit(&mut self, shown: &str, now: Instant) -> Option<Visit> {
        let hash = hash(shown);
        let session = self.sessions.iter_mut().find(|session| session.hash == hash && session.lasts(now))?;
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

fn secret() -> Result<String, NoChance> {
    let mut bytes = [0_u8; SECRET_BYTES];
    getrandom::fill(&mut bytes).map_err(|_| NoChance)?;
    Ok(bytes.iter().fold(String::new(), |mut text, byte| {
        // Writing to a String has no way to fail.
        _ = write!(text, "{byte:02x}");
        text
    }))
}

/// The value of our cookie, if the request shows exactly one.
fn cookie(headers: &HeaderMap) -> Option<&str> {
    let lines = headers.get_all(COOKIE).iter().filter_map(|line| line.to_str().ok());
    let pairs = lines.flat_map(|line| line.split(';')).filter_map(|pair| pair.trim().split_once('='));
    let mut ours = pairs.filter(|(name, _)| *name == COOKIE_NAME).map(|(_, value)| value);
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
        assert_eq!(cookie(&headers(&["a=b; quipu_session=x; c=d"])), Some("x"));
        assert_eq!(cookie(&headers(&["quipu_session=x; quipu_session=y"])), None);
        assert_eq!(cookie(&headers(&["quipu_session=x", "quipu_session=y"])), None);
        assert_eq!(cookie(&headers(&["xquipu_session=x"])), None);
    }

    #[test]
    fn only_the_owners_token_opens_a_session() {
        let visits = Visits::new(Token::new("open-sesame").unwrap());
        assert_eq!(visits.open_with_token("open-sesam"), Ok(None));
        let set = visits.open_with_token(" open-sesame ").unwrap().unwrap();
        assert!(set.contains("HttpOnly; SameSite=Strict"), "{set}");
        let mut headers = HeaderMap::new();
        headers.insert(COOKIE, set.split(';').next().unwrap().parse().unwrap());
        let visit = visits.shown_in(&headers).unwrap();
        assert!(visit.is_repeated_by(visit.form_token.as_bytes()));
        assert!(!visit.is_repeated_by(b""));
        assert!(visits.end(&visit).contains("Max-Age=0"));
        assert!(visits.shown_in(&headers).is_none());
    }
}
