//! Tests of links, sessions and password attempts.

use super::super::password::tests::InMemoryPasswordStore;
use super::*;
use model::limits;
use std::net::IpAddr;

fn address(last: u8) -> ClientAddress {
    ClientAddress::from(IpAddr::from([192, 0, 2, last]))
}

#[tokio::test]
async fn wrong_passwords_from_elsewhere_do_not_lock_the_owner_out() {
    let password = OwnerPassword::new(Arc::new(InMemoryPasswordStore::default()));
    password.set("correct-horse").await.unwrap();
    let visits =
        BrowserSessions::new(OwnerToken::new("open-sesame").unwrap()).with_password(password);
    let log_in = |typed: &'static str, last: u8| visits.log_in(typed, address(last), Moment(0));
    assert!(log_in("correct-horse", 1).await.unwrap().is_some());
    let mut from = (2..=u8::MAX).cycle();
    while log_in("wrong", from.next().unwrap()).await.is_ok() {}
    assert!(log_in("correct-horse", 250).await.is_err(), "a new address waits with the others");
    assert!(log_in("correct-horse", 1).await.unwrap().is_some(), "a known one does not");
    assert!(log_in("open-sesame", 250).await.unwrap().is_some(), "and the token never does");
}

#[tokio::test]
async fn one_address_has_few_attempts() {
    let password = OwnerPassword::new(Arc::new(InMemoryPasswordStore::default()));
    let visits =
        BrowserSessions::new(OwnerToken::new("open-sesame").unwrap()).with_password(password);
    for _ in 0..limits::PASSWORD_RATE.burst as usize {
        assert_eq!(visits.log_in("wrong", address(1), Moment(0)).await, Ok(None));
    }
    let limited = visits.log_in("wrong", address(1), Moment(0)).await;
    assert!(matches!(limited, Err(LoginError::TooManyAttempts(_))), "{limited:?}");
    assert_eq!(visits.log_in("wrong", address(2), Moment(0)).await, Ok(None));
}

#[test]
fn a_link_works_once_and_only_within_its_lifetime() {
    let (mut table, now) = (SessionTable::default(), Instant::now());
    table.add_link("one", now);
    assert!(!table.take_link("other", now) && !table.has_link("other", now));
    assert!(table.has_link("one", now) && table.has_link("one", now));
    assert!(table.take_link("one", now) && !table.has_link("one", now));
    assert!(!table.take_link("one", now));
    table.add_link("late", now);
    assert!(!table.take_link("late", now + LINK_LIFETIME));
}

#[test]
fn links_and_sessions_are_bounded_and_the_oldest_goes() {
    let (mut table, now) = (SessionTable::default(), Instant::now());
    (0..100).for_each(|n| table.add_link(&n.to_string(), now));
    assert_eq!(table.links.len(), LINKS_MAX);
    assert!(!table.take_link("0", now));
    assert!(table.take_link("99", now));
    for n in 0..100 {
        table.insert_session(&n.to_string(), String::new(), now + Duration::from_secs(n));
    }
    assert_eq!(table.sessions.len(), SESSIONS_MAX);
    assert!(table.find_session("0", now).is_none());
    assert!(table.find_session("99", now + Duration::from_secs(100)).is_some());
}

#[test]
fn a_session_ends_when_it_is_idle_and_when_it_is_old() {
    let (mut table, now) = (SessionTable::default(), Instant::now());
    table.insert_session("idle", String::new(), now);
    assert!(table.find_session("idle", now + IDLE_LIFETIME).is_none());
    table.insert_session("busy", String::new(), now);
    let mut at = now;
    while at < now + TOTAL_LIFETIME {
        assert!(table.find_session("busy", at).is_some());
        at += IDLE_LIFETIME / 2;
    }
    assert!(table.find_session("busy", at).is_none());
}

#[test]
fn a_request_with_two_session_cookies_has_no_session() {
    let headers = |lines: &[&str]| {
        let mut headers = HeaderMap::new();
        lines.iter().for_each(|line| _ = headers.append(COOKIE, line.parse().unwrap()));
        headers
    };
    assert_eq!(cookie_value(&headers(&["a=b; quipu_session=x; c=d"]), COOKIE_NAME), Some("x"));
    assert_eq!(cookie_value(&headers(&["quipu_session=x; quipu_session=y"]), COOKIE_NAME), None);
    assert_eq!(cookie_value(&headers(&["quipu_session=x", "quipu_session=y"]), COOKIE_NAME), None);
    assert_eq!(cookie_value(&headers(&["xquipu_session=x"]), COOKIE_NAME), None);
}

#[tokio::test]
async fn only_the_owners_token_opens_a_session() {
    let visits = BrowserSessions::new(OwnerToken::new("open-sesame").unwrap());
    assert_eq!(visits.log_in("open-sesam", address(1), Moment(0)).await, Ok(None));
    let opened = visits.log_in(" open-sesame ", address(1), Moment(0)).await.unwrap().unwrap();
    let set = opened.cookie;
    assert!(set.contains("HttpOnly; SameSite=Strict"), "{set}");
    let mut headers = HeaderMap::new();
    headers.insert(COOKIE, set.split(';').next().unwrap().parse().unwrap());
    let session = visits.session_of_request(&headers).unwrap();
    assert!(session.accepts_form_token(opened.form_token.as_bytes()));
    assert!(!session.accepts_form_token(b""));
    assert!(visits.end(&session).contains("Max-Age=0"));
    assert!(visits.session_of_request(&headers).is_none());
}

#[tokio::test]
async fn on_this_machine_a_session_is_valid_under_the_name_of_the_dashboard_only() {
    let visits = BrowserSessions::new(OwnerToken::new("open-sesame").unwrap())
        .for_address(&PublicUrl::new("http://127.0.0.1:7717").unwrap());
    let opened = visits.log_in("open-sesame", address(1), Moment(0)).await.unwrap().unwrap();
    let session_at = |host: &str| {
        let mut headers = HeaderMap::new();
        headers.insert(COOKIE, opened.cookie.split(';').next().unwrap().parse().unwrap());
        headers.insert(axum::http::header::HOST, host.parse().unwrap());
        visits.session_of_request(&headers).is_some()
    };
    let host = visits.dashboard_host().unwrap().origin_for(&HeaderMap::new());
    assert!(session_at(host.strip_prefix("http://").unwrap()));
    for other in ["127.0.0.1:7717", "localhost:7717", "evil.localhost:7717"] {
        assert!(!session_at(other), "{other}");
    }
}

#[tokio::test]
async fn over_https_the_session_cookie_is_secure() {
    let visits = BrowserSessions::new(OwnerToken::new("open-sesame").unwrap());
    let visits = visits.for_address(&PublicUrl::new("https://memory.example").unwrap());
    let opened = visits.log_in("open-sesame", address(1), Moment(0)).await.unwrap().unwrap();
    let set = opened.cookie;
    assert!(set.starts_with("__Host-quipu_session=") && set.ends_with("; Secure"), "{set}");
}

#[tokio::test]
async fn ending_the_other_sessions_keeps_only_ones_own() {
    let (mut table, now) = (SessionTable::default(), Instant::now());
    table.insert_session("mine", String::new(), now);
    table.insert_session("other", String::new(), now);
    let visits = BrowserSessions {
        table: Arc::new(Mutex::new(table)),
        ..BrowserSessions::new(OwnerToken::new("x").unwrap())
    };
    let mine = visits.with_table(|table| table.find_session("mine", now));
    visits.end_others(mine.as_ref());
    assert!(visits.with_table(|table| table.find_session("mine", now)).is_some());
    assert!(visits.with_table(|table| table.find_session("other", now)).is_none());
}
