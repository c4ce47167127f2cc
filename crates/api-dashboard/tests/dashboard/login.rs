//! Login: by a link that works once, by the token, by the password, and by nothing else.

use crate::fixture::{DashboardFixture, TOKEN};
use crate::raw_http::RawRequest;
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

#[test]
fn a_link_logs_in_once() {
    let fixture = DashboardFixture::start();
    let link = fixture.link();
    let path = link.split_once(&fixture.address.to_string()).unwrap().1;
    let ask = || RawRequest::new("GET", path).send(fixture.address);
    let browser = fixture.follow_login(&ask());
    assert!(browser.set_cookie.contains("; HttpOnly; SameSite=Strict;"), "{}", browser.set_cookie);
    assert_eq!(browser.next, "/");
    let again = ask();
    assert_eq!((again.status, again.header("set-cookie")), (401, None), "{again:?}");
    for page in PAGES {
        let answer = browser.send(RawRequest::new("GET", page), fixture.address);
        assert_eq!(answer.status, 200, "{page}: {}", answer.body);
    }
}

#[test]
fn a_session_is_valid_under_the_host_of_the_dashboard_only() {
    let fixture = DashboardFixture::start();
    let browser = fixture.log_in();
    let port = fixture.address.port();
    for host in [format!("127.0.0.1:{port}"), format!("localhost:{port}")] {
        let ask = RawRequest::new("GET", "/v1/memories").header("Cookie", browser.cookie());
        assert_eq!(ask.header("Host", &host).send(fixture.address).status, 401, "{host}");
    }
    let foreign = RawRequest::new("GET", "/").header("Host", &format!("other.localhost:{port}"));
    assert_eq!(foreign.send(fixture.address).status, 403);
}

/// A stranger that knew the name could have the browser send its cookie there.
#[test]
fn nobody_is_told_the_host_of_the_dashboard_before_the_login() {
    let fixture = DashboardFixture::start();
    let name = fixture.log_in().host.split('.').next().unwrap().to_owned();
    let wrong = RawRequest::form("/login", "token=wrong&next=/settings");
    let asks = PAGES
        .iter()
        .chain(&["/login", "/login?link=0000", "/login/forward?next=/", "/oauth/authorize?a=b"])
        .map(|path| RawRequest::new("GET", path).header("Accept", "text/html"))
        .chain([wrong]);
    for ask in asks {
        let answer = format!("{:?}", ask.clone().send(fixture.address));
        assert!(!answer.contains(&name), "{ask:?}: {answer}");
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
    assert!(!fixture.follow_login(&typed(TOKEN)).cookie().is_empty());
}

#[test]
fn a_session_changes_nothing_without_its_form_token() {
    let fixture = DashboardFixture::start();
    let browser = fixture.log_in();
    let write = |token: Option<&str>| {
        let ask = RawRequest::json("POST", "/v1/memories", &json!({ "text": "The kiln is blue." }));
        let ask = token.into_iter().fold(ask, |ask, token| ask.header("X-Form-Token", token));
        browser.send(ask, fixture.address).status
    };
    assert_eq!(write(None), 403);
    assert_eq!(write(Some("")), 403);
    assert_eq!(write(Some("0000")), 403);
    assert_eq!(fixture.read("/v1/memories")["total"], 0);
    assert_eq!(write(Some(&browser.form_token)), 200);
}

/// Checks that somebody with nothing but the cookie finds it nowhere.
#[test]
fn no_page_repeats_the_form_token() {
    let fixture = DashboardFixture::start();
    let browser = fixture.log_in();
    for page in PAGES {
        let answer = browser.send(RawRequest::new("GET", page), fixture.address);
        assert!(!answer.body.contains(&browser.form_token), "{page}");
    }
}

#[test]
fn logging_out_ends_the_session() {
    let fixture = DashboardFixture::start();
    let browser = fixture.log_in();
    let leave = RawRequest::new("POST", "/v1/leave").header("X-Form-Token", &browser.form_token);
    assert_eq!(browser.send(leave, fixture.address).status, 200);
    assert_eq!(browser.send(RawRequest::new("GET", "/"), fixture.address).status, 401);
}

#[test]
fn a_foreign_page_reaches_nothing_even_with_the_cookie() {
    let fixture = DashboardFixture::start();
    let browser = fixture.log_in();
    for page in PAGES.iter().chain(&["/login", "/assets/app.js", "/v1/memories"]) {
        let foreign = RawRequest::new("GET", page).header("Origin", "http://evil.example");
        let answer = browser.send(foreign, fixture.address);
        assert_eq!(answer.status, 403, "{page}");
        assert_eq!(answer.header("access-control-allow-origin"), None);
    }
}

#[test]
fn every_page_forbids_framing_inline_scripts_and_referrers_to_others() {
    let fixture = DashboardFixture::start();
    let browser = fixture.log_in();
    for page in PAGES.iter().chain(&["/login"]) {
        let answer = browser.send(RawRequest::new("GET", page), fixture.address);
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
    let browser = fixture.log_in();
    let short =
        fixture.ask(RawRequest::json("PUT", "/v1/password", &json!({ "password": "short" })));
    assert_eq!(short.status, 400, "{short:?}");
    fixture.call("PUT", "/v1/password", &json!({ "password": "correct-horse" }));
    let before = browser.send(RawRequest::new("GET", "/settings"), fixture.address);
    assert_eq!(before.status, 401, "a session from before the change has ended");
    assert_eq!(fixture.follow_login(&typed("correct-horse")).next, "/settings");
    let limited =
        (0..50).map(|_| typed("wrong-horse")).find(|answer| answer.status != 401).unwrap();
    assert_eq!(limited.status, 429, "{limited:?}");
    assert!(limited.header("retry-after").is_some() && limited.header("set-cookie").is_none());
    assert_eq!(typed("correct-horse").status, 429, "a guesser learns nothing more");
    assert_eq!(typed(TOKEN).status, 200, "the token still works");
}

#[test]
fn a_key_in_an_address_is_not_repeated_by_the_redirect_to_the_login() {
    let fixture = DashboardFixture::start();
    let key = fixture.call("POST", "/v1/keys", &json!({ "agent": "codex", "scope": "write" }));
    let key = key["secret"].as_str().unwrap();
    for path in [
        format!("/memories/t/{key}"),
        format!("/t/{key}"),
        format!("/memories?key={key}"),
        format!("/{key}"),
    ] {
        let ask = RawRequest::new("GET", &path).header("Accept", "text/html");
        let answer = ask.send(fixture.address);
        assert_eq!(answer.header("location"), Some("/login"), "{path}: {answer:?}");
        assert!(!format!("{answer:?}").contains(key), "{path}: {answer:?}");
        let bare = RawRequest::new("GET", &path).send(fixture.address);
        assert!(bare.status == 401 && !format!("{bare:?}").contains(key), "{bare:?}");
    }
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
