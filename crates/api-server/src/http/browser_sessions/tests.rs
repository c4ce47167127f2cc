//! Tests of links, sessions and password attempts.

use super::super::password::tests::InMemoryPasswordStore;
use super::*;
use model::limits;
use std::net::IpAddr;
use std::sync::Arc;
use store::LocalValues;

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

fn sessions() -> BrowserSessions {
    BrowserSessions::new(OwnerToken::new("open-sesame").unwrap())
}

fn at(seconds: i64) -> Moment {
    Moment::from_seconds(seconds)
}

/// Opens a session and returns the headers of its requests.
async fn open(visits: &BrowserSessions, now: Moment) -> HeaderMap {
    let opened = visits.log_in("open-sesame", address(1), now).await.unwrap().unwrap();
    let mut headers = HeaderMap::new();
    headers.insert(COOKIE, opened.cookie.split(';').next().unwrap().parse().unwrap());
    headers
}

async fn is_open(visits: &BrowserSessions, headers: &HeaderMap, now: Moment) -> bool {
    visits.session_of_request(headers, now).await.unwrap().is_some()
}

#[tokio::test]
async fn a_link_works_once_and_only_within_its_lifetime() {
    let visits = sessions();
    let link = visits.create_link(at(0)).await.unwrap();
    assert!(!visits.has_link("other", at(0)).await.unwrap());
    assert_eq!(visits.open_with_link("other", at(0)).await, Ok(None));
    assert!(visits.has_link(&link, at(0)).await.unwrap());
    assert!(visits.open_with_link(&link, at(1)).await.unwrap().is_some());
    assert!(!visits.has_link(&link, at(1)).await.unwrap());
    assert_eq!(visits.open_with_link(&link, at(1)).await, Ok(None));
    let late = visits.create_link(at(0)).await.unwrap();
    assert_eq!(visits.open_with_link(&late, at(LINK_SECONDS)).await, Ok(None));
}

#[tokio::test]
async fn sessions_are_bounded_and_the_oldest_goes() {
    let visits = sessions();
    let first = open(&visits, at(0)).await;
    for second in 1..=ValueKind::LoginSession.most() as i64 {
        open(&visits, at(second)).await;
    }
    assert!(!is_open(&visits, &first, at(50)).await);
}

#[tokio::test]
async fn a_session_ends_when_it_is_idle_and_when_it_is_old() {
    let visits = sessions();
    let idle = open(&visits, at(0)).await;
    assert!(!is_open(&visits, &idle, at(IDLE_SECONDS)).await);
    let busy = open(&visits, at(0)).await;
    let mut now = 0;
    while now < TOTAL_SECONDS {
        assert!(is_open(&visits, &busy, at(now)).await);
        now += IDLE_SECONDS / 2;
    }
    assert!(!is_open(&visits, &busy, at(now)).await);
}

#[tokio::test]
async fn servers_that_share_their_values_share_sessions_and_attempts() {
    let shared = Arc::new(LocalValues::default());
    let hash = Arc::new(InMemoryPasswordStore::default());
    let server = || {
        let values = OwnerValues::new(shared.clone(), OwnerId::me());
        sessions().with_values(values).with_password(OwnerPassword::new(hash.clone()))
    };
    let (one, two) = (server(), server());
    let headers = open(&one, at(0)).await;
    assert!(is_open(&two, &headers, at(1)).await);
    let link = one.create_link(at(0)).await.unwrap();
    assert!(two.open_with_link(&link, at(1)).await.unwrap().is_some());
    let session = two.session_of_request(&headers, at(1)).await.unwrap().unwrap();
    two.end(&session, at(1)).await.unwrap();
    assert!(!is_open(&one, &headers, at(1)).await, "it ended on both");
    for attempt in 0..limits::PASSWORD_RATE.burst as usize {
        let visits = if attempt % 2 == 0 { &one } else { &two };
        assert_eq!(visits.log_in("wrong", address(9), at(2)).await, Ok(None));
    }
    for visits in [&one, &two] {
        let limited = visits.log_in("wrong", address(9), at(2)).await;
        assert!(matches!(limited, Err(LoginError::TooManyAttempts(_))), "{limited:?}");
    }
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
    let session = visits.session_of_request(&headers, Moment(0)).await.unwrap().unwrap();
    assert!(session.accepts_form_token(opened.form_token.as_bytes()));
    assert!(!session.accepts_form_token(b""));
    assert!(visits.end(&session, Moment(0)).await.unwrap().contains("Max-Age=0"));
    assert!(!is_open(&visits, &headers, Moment(0)).await);
}

#[tokio::test]
async fn on_this_machine_a_session_is_valid_under_the_name_of_the_dashboard_only() {
    let visits = BrowserSessions::new(OwnerToken::new("open-sesame").unwrap())
        .for_address(&PublicUrl::new("http://127.0.0.1:7717").unwrap());
    let opened = visits.log_in("open-sesame", address(1), Moment(0)).await.unwrap().unwrap();
    let session_at = async |host: &str| {
        let mut headers = HeaderMap::new();
        headers.insert(COOKIE, opened.cookie.split(';').next().unwrap().parse().unwrap());
        headers.insert(axum::http::header::HOST, host.parse().unwrap());
        is_open(&visits, &headers, Moment(0)).await
    };
    let host = visits.dashboard_host().unwrap().origin_for(&HeaderMap::new());
    assert!(session_at(host.strip_prefix("http://").unwrap()).await);
    for other in ["127.0.0.1:7717", "localhost:7717", "evil.localhost:7717"] {
        assert!(!session_at(other).await, "{other}");
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
    let visits = sessions();
    let (mine, other) = (open(&visits, at(0)).await, open(&visits, at(0)).await);
    let session = visits.session_of_request(&mine, at(1)).await.unwrap();
    visits.end_others(session.as_ref()).await.unwrap();
    assert!(is_open(&visits, &mine, at(1)).await && !is_open(&visits, &other, at(1)).await);
    visits.end_others(None).await.unwrap();
    assert!(!is_open(&visits, &mine, at(1)).await);
}
