//! Login through an identity provider, and the groups of the people who log in.

use crate::fixture::{BrowserLogin, DashboardFixture};
use crate::raw_http::{RawRequest, RawResponse};
use engine::Caller;
use engine::people::{AddMemberRequest, LoginIdentity};
use model::{AgentName, GroupRole, OwnerId, Permission};
use serde_json::{Value, json};
use testkit::fake_provider::{FakeProvider, ProviderAlgorithm, TokenFault};

fn owner(name: &str) -> OwnerId {
    OwnerId::new(name).unwrap()
}

/// Goes to the provider and back, as a browser does; returns the last answer.
#[track_caller]
fn sign_in(fixture: &DashboardFixture) -> RawResponse {
    let (there, cookie) = start(fixture, "/memories");
    let back = provider_answer(&there);
    RawRequest::new("GET", &back).header("Cookie", &cookie).send(fixture.address)
}

/// Starts a sign-in; returns the address of the provider, and the cookie.
#[track_caller]
fn start(fixture: &DashboardFixture, next: &str) -> (String, String) {
    let ask = RawRequest::new("GET", &format!("/login/provider?next={next}"));
    let led = ask.send(fixture.address);
    assert_eq!(led.status, 303, "{led:?}");
    let set = led.header("set-cookie").unwrap();
    assert!(set.contains("; HttpOnly; SameSite=Lax;"), "{set}");
    let cookie = set.split(';').next().unwrap().to_owned();
    (led.header("location").unwrap().to_owned(), cookie)
}

/// Asks the provider, and returns the path to which it sends the browser back.
#[track_caller]
fn provider_answer(there: &str) -> String {
    let (authority, path) = there.strip_prefix("http://").unwrap().split_once('/').unwrap();
    let asked = RawRequest::new("GET", &format!("/{path}")).send(authority.parse().unwrap());
    assert_eq!(asked.status, 302, "{asked:?}");
    let back = asked.header("location").unwrap();
    format!("/{}", back.splitn(4, '/').nth(3).unwrap())
}

fn change(
    fixture: &DashboardFixture,
    browser: &BrowserLogin,
    method: &str,
    path: &str,
    body: &Value,
) -> RawResponse {
    let ask = RawRequest::json(method, path, body).header("X-Form-Token", &browser.form_token);
    browser.send(ask, fixture.address)
}

#[track_caller]
fn read(fixture: &DashboardFixture, browser: &BrowserLogin, path: &str) -> Value {
    let answer = browser.send(RawRequest::new("GET", path), fixture.address);
    assert_eq!(answer.status, 200, "{path}: {answer:?}");
    answer.json()
}

/// A dashboard where Ada signs in, in her own memory.
fn ada_at_home() -> (FakeProvider, DashboardFixture) {
    let provider = FakeProvider::start(ProviderAlgorithm::Ecdsa);
    let fixture = DashboardFixture::start_with_provider(&provider, true);
    (provider, fixture)
}

#[test]
fn the_login_page_offers_the_provider_and_keeps_the_page_to_open() {
    let (provider, fixture) = ada_at_home();
    let name = provider.issuer().split('/').nth(2).unwrap();
    let page = RawRequest::new("GET", "/login?next=/tables").send(fixture.address);
    assert!(page.body.contains(&format!("Sign in with {name}")), "{}", page.body);
    assert!(page.body.contains(r#"href="/login/provider?next=%2Ftables""#), "{}", page.body);
    let without = DashboardFixture::start();
    let page = RawRequest::new("GET", "/login").send(without.address);
    assert!(!page.body.contains("Sign in with"), "{}", page.body);
}

#[test]
fn a_person_signs_in_to_a_memory_of_their_own() {
    let (_provider, fixture) = ada_at_home();
    let browser = fixture.follow_login(&sign_in(&fixture));
    assert_eq!(browser.next, "/memories");
    let written =
        change(&fixture, &browser, "POST", "/v1/memories", &json!({ "text": "The kiln is blue." }));
    assert_eq!(written.status, 200, "{written:?}");
    assert_eq!(read(&fixture, &browser, "/v1/memories")["total"], 1);
    assert_eq!(fixture.read("/v1/memories")["total"], 0, "the owner of the server sees nothing");
    let choice = read(&fixture, &browser, "/v1/memory");
    assert_eq!((choice["person"].as_str(), choice["shown"].as_str()), (Some("ada"), Some("ada")));
    let again = fixture.follow_login(&sign_in(&fixture));
    assert_eq!(read(&fixture, &again, "/v1/memories")["total"], 1, "the same person");
}

#[test]
fn nobody_is_let_in_with_a_bad_token_or_from_another_browser() {
    let (provider, fixture) = ada_at_home();
    for fault in [TokenFault::NoSignature, TokenFault::WrongNonce, TokenFault::Expired] {
        provider.set_fault(Some(fault));
        let refused = sign_in(&fixture);
        assert_eq!(refused.status, 401, "{fault:?}: {refused:?}");
        assert!(!format!("{refused:?}").contains("quipu_session="), "{fault:?}");
    }
    provider.set_fault(None);
    let (there, _) = start(&fixture, "/");
    let stolen = RawRequest::new("GET", &provider_answer(&there)).send(fixture.address);
    assert_eq!(stolen.status, 401, "{stolen:?}");
    let (there, cookie) = start(&fixture, "/");
    let back = provider_answer(&there);
    let finish = || RawRequest::new("GET", &back).header("Cookie", &cookie).send(fixture.address);
    assert_eq!((finish().status, finish().status), (200, 401), "a sign-in works once");
}

#[test]
fn an_unlinked_login_is_told_how_to_be_linked_and_an_unlinked_person_is_out_at_once() {
    let provider = FakeProvider::start(ProviderAlgorithm::Ed25519);
    let fixture = DashboardFixture::start_with_provider(&provider, false);
    let refused = sign_in(&fixture);
    assert_eq!(refused.status, 403, "{refused:?}");
    assert!(refused.body.contains("--subject") && refused.body.contains("subject-1"));
    let server = Caller::person(OwnerId::me());
    let (issuer, subject) = (provider.issuer().to_owned(), "subject-1".to_owned());
    let login = LoginIdentity { issuer, subject };
    fixture.with_people(async |people| {
        people.link_login(&server, &login, &owner("ada")).await.unwrap();
    });
    let browser = fixture.follow_login(&sign_in(&fixture));
    assert_eq!(read(&fixture, &browser, "/v1/memory")["person"], "ada");
    fixture.with_people(async |people| people.unlink_login(&server, &owner("ada")).await).unwrap();
    let out = browser.send(RawRequest::new("GET", "/v1/memories"), fixture.address);
    assert_eq!(out.status, 401, "{out:?}");
}

/// Somebody may choose any name at the provider, and must not get a memory by it.
#[test]
fn a_chosen_name_opens_no_memory_that_exists() {
    let (provider, fixture) = ada_at_home();
    provider.set_person("subject-9", "me");
    let refused = sign_in(&fixture);
    assert_eq!(refused.status, 409, "{refused:?}");
    provider.set_person("subject-1", "ada");
    fixture.follow_login(&sign_in(&fixture));
    provider.set_person("subject-2", "ada");
    assert_eq!(sign_in(&fixture).status, 409, "the second of the same name");
}

#[test]
fn a_person_who_signed_in_does_not_touch_the_login_of_the_servers_owner() {
    let (_provider, fixture) = ada_at_home();
    let browser = fixture.follow_login(&sign_in(&fixture));
    let body = json!({ "password": "correct-horse" });
    let refused = change(&fixture, &browser, "PUT", "/v1/password", &body);
    assert_eq!(refused.status, 403, "{refused:?}");
    let settings = browser.send(RawRequest::new("GET", "/settings"), fixture.address);
    assert!(settings.status == 200 && !settings.body.contains("/v1/password"), "{settings:?}");
    // A link logs in the person who made it.
    let link = change(&fixture, &browser, "POST", "/v1/login-links", &json!({}));
    let path = link.json()["path"].as_str().unwrap().to_owned();
    let led = RawRequest::new("GET", &path).send(fixture.address);
    let other = fixture.follow_login(&led);
    assert_eq!(read(&fixture, &other, "/v1/memory")["person"], "ada");
}

/// Creates the group `team-x` with Ada in it.
fn group_with_ada(fixture: &DashboardFixture, role: GroupRole, permission: Permission) {
    let team = Caller::person(owner("team-x"));
    fixture.with_people(async |people| {
        people.create_group(&team).await.unwrap();
        let input = AddMemberRequest { person: owner("ada"), role, permission };
        people.add_member(&team, &input).await.unwrap();
    });
}

fn choose(fixture: &DashboardFixture, browser: &BrowserLogin, memory: &str) -> u16 {
    change(fixture, browser, "PUT", "/v1/memory", &json!({ "memory": memory })).status
}

fn remember(fixture: &DashboardFixture, browser: &BrowserLogin, text: &str) -> u16 {
    change(fixture, browser, "POST", "/v1/memories", &json!({ "text": text })).status
}

#[test]
fn a_member_sees_the_group_beside_their_own_memory_and_the_audit_names_them() {
    let (provider, fixture) = ada_at_home();
    let browser = fixture.follow_login(&sign_in(&fixture));
    group_with_ada(&fixture, GroupRole::Admin, Permission::Write);
    assert_eq!(remember(&fixture, &browser, "Mine alone."), 200);
    let page = browser.send(RawRequest::new("GET", "/memories"), fixture.address);
    assert!(page.body.contains("Memory of ada") && page.body.contains(r#"value="team-x""#));
    assert_eq!(choose(&fixture, &browser, "team-x"), 200);
    assert_eq!(read(&fixture, &browser, "/v1/memories")["total"], 0);
    assert_eq!(remember(&fixture, &browser, "The team ships on Fridays."), 200);
    let home = browser.send(RawRequest::new("GET", "/"), fixture.address);
    assert_eq!(home.status, 200, "{home:?}");
    let audit = read(&fixture, &browser, "/v1/audit");
    let of_ada = audit["items"].as_array().unwrap().iter().filter(|one| one["agent"] == "@ada");
    assert!(of_ada.count() >= 2, "{audit}");
    // Somebody else at the same dashboard finds no such group.
    provider.set_person("subject-2", "bo");
    let other = fixture.follow_login(&sign_in(&fixture));
    assert_eq!(choose(&fixture, &other, "team-x"), 404);
    assert_eq!(choose(&fixture, &other, "ada"), 404);
    assert_eq!(read(&fixture, &other, "/v1/memory")["groups"], json!([]));
    assert_eq!(choose(&fixture, &browser, "ada"), 200);
    assert_eq!(read(&fixture, &browser, "/v1/memories")["total"], 1);
}

#[test]
fn a_member_without_the_part_of_an_admin_does_what_grants_allow() {
    let (_provider, fixture) = ada_at_home();
    let browser = fixture.follow_login(&sign_in(&fixture));
    group_with_ada(&fixture, GroupRole::Member, Permission::Read);
    assert_eq!(choose(&fixture, &browser, "team-x"), 200);
    assert_eq!(remember(&fixture, &browser, "Not allowed."), 403);
    for page in ["/", "/memories", "/review", "/tables"] {
        let shown = browser.send(RawRequest::new("GET", page), fixture.address);
        assert_eq!(shown.status, 200, "{page}: {shown:?}");
    }
    for owners in ["/v1/audit", "/v1/grants", "/v1/keys", "/v1/backups"] {
        let refused = browser.send(RawRequest::new("GET", owners), fixture.address);
        assert_eq!(refused.status, 403, "{owners}: {refused:?}");
    }
    group_with_ada(&fixture, GroupRole::Member, Permission::Write);
    assert_eq!(remember(&fixture, &browser, "The team ships on Fridays."), 200);
    let memory = &read(&fixture, &browser, "/v1/memories")["items"][0];
    assert_eq!(
        (&memory["agent"], &memory["origin"]),
        (&json!("@ada"), &json!("typed")),
        "{memory}"
    );
    // The tools, too, are under grants: a session is no way around them.
    let erase = json!({ "ids": [1], "confirm": true });
    let forgot = change(&fixture, &browser, "POST", "/v1/erase", &erase);
    assert!(forgot.status == 403 || forgot.status == 400, "{forgot:?}");
}

#[test]
fn a_removed_member_is_out_with_the_next_request() {
    let (_provider, fixture) = ada_at_home();
    let browser = fixture.follow_login(&sign_in(&fixture));
    group_with_ada(&fixture, GroupRole::Admin, Permission::Write);
    assert_eq!(choose(&fixture, &browser, "team-x"), 200);
    assert_eq!(remember(&fixture, &browser, "The team ships on Fridays."), 200);
    let team = Caller::person(owner("team-x"));
    fixture.with_people(async |people| people.remove_member(&team, &owner("ada")).await).unwrap();
    let choice = read(&fixture, &browser, "/v1/memory");
    assert_eq!((&choice["shown"], &choice["groups"]), (&json!("ada"), &json!([])));
    assert_eq!(read(&fixture, &browser, "/v1/memories")["total"], 0);
    assert_eq!(choose(&fixture, &browser, "team-x"), 404);
}

/// Two pages of one browser share a session; what one of them shows may not be what the other one
/// chose meanwhile.
#[test]
fn a_page_changes_only_the_memory_that_it_shows() {
    let (_provider, fixture) = ada_at_home();
    let browser = fixture.follow_login(&sign_in(&fixture));
    group_with_ada(&fixture, GroupRole::Admin, Permission::Write);
    assert_eq!(choose(&fixture, &browser, "team-x"), 200);
    let page = browser.send(RawRequest::new("GET", "/memories"), fixture.address);
    assert!(page.body.contains(r#"name="memory" content="team-x""#), "{}", page.body);
    let write = |shown: &str| {
        let ask = RawRequest::json("POST", "/v1/memories", &json!({ "text": "For the team." }));
        let ask = ask.header("X-Form-Token", &browser.form_token).header("X-Memory", shown);
        browser.send(ask, fixture.address).status
    };
    assert_eq!((write("ada"), write("team-x")), (409, 200));
}

#[test]
fn a_key_cannot_have_the_name_of_a_person() {
    let fixture = DashboardFixture::start();
    let body = json!({ "agent": "@ada", "scope": "write" });
    let refused = fixture.ask(RawRequest::json("POST", "/v1/keys", &body));
    assert_eq!(refused.status, 400, "{refused:?}");
    assert_eq!(AgentName::of_person(&owner("ada")).person(), Some(owner("ada")));
}
