//! Login: by a link that works once, by the token, by the password, and by nothing else.

use crate::fixture::{DashboardFixture, TOKEN};
use crate::raw_http::{RawRequest, RawResponse};
use serde_json::json;

const PAGES: &[&str] = &[
    "/",
    "/memories",
    "/memories/new",
    "/review",
    "/profile",
    "/tables",
    "/tables-console",
    "/graph",
    "/sessions",
    "/handoffs",
    "/references",
    "/settings",
    "/agents",
    "/activity",
    "/sees",
];

/// Logs in with a link and returns the session cookie.
fn log_in(fixture: &DashboardFixture) -> String {
    let link = fixture.link();
    let path = link.split_once(&fixture.address.to_string()).unwrap().1;
    cookie(&RawRequest::new("GET", path).send(fixture.address))
}

fn cookie(answer: &RawResponse) -> String {
    assert_eq!((answer.status, answer.header("location")), (303, Some("/")), "{answer:?}");
    answer.header("set-cookie").unwrap().split(';').next().unwrap().to_owned()
}

fn form_token(page: &str) -> &str {
    page.split(r#"name="form-token" content=""#).nth(1).unwrap().split('"').next().unwrap()
}

#[test]
fn a_link_logs_in_once() {
    let fixture = DashboardFixture::start();
    let link = fixture.link();
    let path = link.split_once(&fixture.address.to_string()).unwrap().1;
    let first = RawRequest::new("GET", path).send(fixture.address);
    let set = first.header("set-cookie").unwrap().to_owned();
    assert!(set.contains("; HttpOnly; SameSite=Strict;"), "{set}");
    let cookie = cookie(&first);
    let again = RawRequest::new("GET", path).send(fixture.address);
    assert_eq!((again.status, again.header("set-cookie")), (401, None), "{again:?}");
    for page in PAGES {
        let answer = RawRequest::new("GET", page).header("Cookie", &cookie).send(fixture.address);
        assert_eq!(answer.status, 200, "{page}: {}", answer.body);
    }
}

#[test]
fn without_a_session_a_browser_is_sent_to_the_login_and_a_script_is_refused() {
    let fixture = DashboardFixture::start();
    for page in PAGES {
        let browser =
            RawRequest::new("GET", page).header("Accept", "text/html").send(fixture.address);
        let next = page.strip_prefix('/').filter(|rest| !rest.is_empty());
        let login = next.map_or("/login".to_owned(), |rest| {
            format!("/login?next=%2F{}", rest.replace('/', "%2F"))
        });
        assert_eq!(
            (browser.status, browser.header("location")),
            (303, Some(login.as_str())),
            "{page}"
        );
        assert_eq!(RawRequest::new("GET", page).send(fixture.address).status, 401, "{page}");
        let forged = RawRequest::new("GET", page)
            .header("Cookie", "quipu_session=0000")
            .send(fixture.address);
        assert_eq!(forged.status, 401, "{page}");
    }
    assert_eq!(RawRequest::new("GET", "/v1/memories").send(fixture.address).status, 401);
}

#[test]
fn the_token_logs_in_and_a_wrong_one_does_not() {
    let fixture = DashboardFixture::start();
    let typed = |token: &str| {
        let ask = RawRequest::form("/login", format!("token={token}"));
        ask.header("Origin", &format!("http://{}", fixture.address)).send(fixture.address)
    };
    assert_eq!(typed("qp_wrong").status, 401);
    assert!(!cookie(&typed(TOKEN)).is_empty());
}

#[test]
fn a_session_changes_nothing_without_its_form_token() {
    let fixture = DashboardFixture::start();
    let cookie = log_in(&fixture);
    let page = RawRequest::new("GET", "/").header("Cookie", &cookie).send(fixture.address).body;
    let write = |token: Option<&str>| {
        let ask = RawRequest::json("POST", "/v1/memories", &json!({ "text": "The kiln is blue." }));
        let ask = ask.header("Cookie", &cookie);
        let ask = token.into_iter().fold(ask, |ask, token| ask.header("X-Form-Token", token));
        ask.send(fixture.address).status
    };
    assert_eq!(write(None), 403);
    assert_eq!(write(Some("")), 403);
    assert_eq!(write(Some("0000")), 403);
    assert_eq!(fixture.read("/v1/memories")["total"], 0);
    assert_eq!(write(Some(form_token(&page))), 200);
}

#[test]
fn logging_out_ends_the_session() {
    let fixture = DashboardFixture::start();
    let cookie = log_in(&fixture);
    let page = RawRequest::new("GET", "/").header("Cookie", &cookie).send(fixture.address).body;
    let leave = RawRequest::new("POST", "/v1/leave").header("Cookie", &cookie);
    assert_eq!(leave.header("X-Form-Token", form_token(&page)).send(fixture.address).status, 200);
    assert_eq!(
        RawRequest::new("GET", "/").header("Cookie", &cookie).send(fixture.address).status,
        401
    );
}

#[test]
fn a_foreign_page_reaches_nothing_even_with_the_cookie() {
    let fixture = DashboardFixture::start();
    let cookie = log_in(&fixture);
    for page in PAGES.iter().chain(&["/login", "/assets/app.js", "/v1/memories"]) {
        let foreign = RawRequest::new("GET", page)
            .header("Cookie", &cookie)
            .header("Origin", "http://evil.example");
        let answer = foreign.send(fixture.address);
        assert_eq!(answer.status, 403, "{page}");
        assert_eq!(answer.header("access-control-allow-origin"), None);
    }
}

#[test]
fn every_page_forbids_framing_inline_scripts_and_referrers_to_others() {
    let fixture = DashboardFixture::start();
    let cookie = log_in(&fixture);
    for page in PAGES.iter().chain(&["/login"]) {
        let answer = RawRequest::new("GET", page).header("Cookie", &cookie).send(fixture.address);
        let policy = answer.header("content-security-policy").unwrap();
        assert!(
            policy.contains("default-src 'none'") && policy.contains("frame-ancestors 'none'"),
            "{policy}"
        );
        assert!(!policy.contains("unsafe"), "{policy}");
        assert_eq!(answer.header("referrer-policy"), Some("same-origin"));
        assert_eq!(answer.header("x-content-type-options"), Some("nosniff"));
        assert_eq!(answer.header("cache-control"), Some("no-store"));
        let inline = ["<script>", " style=", " onclick=", "javascript:"];
        assert!(!inline.iter().any(|mark| answer.body.contains(mark)), "{page}");
    }
}

#[test]
fn the_password_logs_in_once_it_is_set_and_guesses_are_limited() {
    let fixture = DashboardFixture::start();
    let typed = |secret: &str| {
        let ask = RawRequest::form("/login", format!("token={secret}&next=/settings"));
        ask.header("Origin", &format!("http://{}", fixture.address)).send(fixture.address)
    };
    assert_eq!(typed("correct-horse").status, 401);
    let cookie = log_in(&fixture);
    let short =
        fixture.ask(RawRequest::json("PUT", "/v1/password", &json!({ "password": "short" })));
    assert_eq!(short.status, 400, "{short:?}");
    fixture.call("PUT", "/v1/password", &json!({ "password": "correct-horse" }));
    let before =
        RawRequest::new("GET", "/settings").header("Cookie", &cookie).send(fixture.address);
    assert_eq!(before.status, 401, "a session from before the change has ended");
    let opened = typed("correct-horse");
    assert_eq!((opened.status, opened.header("location")), (303, Some("/settings")), "{opened:?}");
    let limited =
        (0..50).map(|_| typed("wrong-horse")).find(|answer| answer.status != 401).unwrap();
    assert_eq!(limited.status, 429, "{limited:?}");
    assert!(limited.header("retry-after").is_some() && limited.header("set-cookie").is_none());
    assert_eq!(typed("correct-horse").status, 429, "a guesser learns nothing more");
    assert_eq!(typed(TOKEN).status, 303, "the token still works");
}

#[test]
fn an_agent_cannot_set_the_password() {
    let fixture = DashboardFixture::start();
    let key = fixture.call("POST", "/v1/keys", &json!({ "agent": "codex", "scope": "write" }));
    let bearer = format!("Bearer {}", key["secret"].as_str().unwrap());
    let ask = RawRequest::json("PUT", "/v1/password", &json!({ "password": "correct-horse" }));
    assert_eq!(ask.header("Authorization", &bearer).send(fixture.address).status, 403);
    assert_eq!(RawRequest::form("/login", "token=correct-horse").send(fixture.address).status, 401);
}
