//! Groups over two servers and one PostgreSQL: people sign in at a provider through one server and
//! act through the other, and what is taken from them is gone at both with the next request.

use crate::owner_browser::{BrowserResponse, http_request};
use crate::server_process::ServerProcess;
use crate::teams::{SITE, address, second_server, send_to_site};
use crate::test_env::{TestEnv, run_to_end};
use serde_json::{Value, json};
use std::sync::atomic::{AtomicBool, Ordering};
use testkit::fake_provider::{CLIENT_ID, CLIENT_SECRET, FakeProvider, ProviderAlgorithm};

const JSON: (&str, &str) = ("Content-Type", "application/json");

/// Two servers over one database, and the provider that people sign in at.
pub(crate) struct GroupTeam {
    servers: [ServerProcess; 2],
    homes: [TestEnv; 2],
    provider: FakeProvider,
    store: String,
}

/// The browser of a person who signed in.
pub(crate) struct MemberBrowser {
    cookie: String,
    form_token: String,
}

impl GroupTeam {
    pub(crate) fn start(test: &str) -> Option<Self> {
        let store = address(test)?;
        let provider = FakeProvider::start(ProviderAlgorithm::Ecdsa);
        let first = TestEnv::new();
        run_on(&first, &store, &["migrate"]);
        let second = second_server(&first);
        let words = ["--store", &store, "--public-url", SITE];
        let homes = [first, second];
        let servers = [0, 1].map(|at: usize| {
            configure(&homes[at], &provider);
            ServerProcess::start_with(&homes[at], &words)
        });
        Some(Self { servers, homes, provider, store })
    }

    /// Starts a team in which Ada has signed in and is in the group `team-x`.
    pub(crate) fn with_ada(test: &str, part: &[&str]) -> Option<(Self, MemberBrowser)> {
        let team = Self::start(test)?;
        let ada = team.sign_in("subject-1", "ada", [0, 1]);
        team.run(&["owners", "create", "team-x", "--group"]);
        team.run(&[&["groups", "add", "team-x", "ada"], part].concat());
        Some((team, ada))
    }

    pub(crate) fn run(&self, words: &[&str]) -> String {
        run_on(&self.homes[0], &self.store, words)
    }

    pub(crate) fn send(
        &self,
        server: usize,
        request: &str,
        more: &[(&str, &str)],
        body: &str,
    ) -> BrowserResponse {
        send_to_site(&self.servers[server], request, more, body)
    }

    /// Signs a person in: away from one server, and back to another.
    #[track_caller]
    pub(crate) fn sign_in(&self, subject: &str, name: &str, path: [usize; 2]) -> MemberBrowser {
        self.provider.set_person(subject, name);
        let led = self.send(path[0], "GET /login/provider?next=/memories", &[], "");
        assert_eq!(led.status, 303, "{}", led.body);
        let secret = led.headers["set-cookie"].split(';').next().unwrap();
        let there = led.headers["location"].strip_prefix("http://").unwrap();
        let (provider, request) = there.split_once('/').unwrap();
        let back = http_request(provider, "GET", &format!("/{request}"), &[], "");
        let back = back.headers["location"].strip_prefix(SITE).unwrap();
        let opened = self.send(path[1], &format!("GET {back}"), &[("Cookie", secret)], "");
        assert_eq!(opened.status, 200, "{}", opened.body);
        let mut cookies = opened.headers["set-cookie"].lines();
        let cookie = cookies.find(|cookie| cookie.contains("quipu_session=")).unwrap();
        let cookie = cookie.split(';').next().unwrap().to_owned();
        let token = opened.body.split(r#"name="form-token" content=""#).nth(1).unwrap();
        MemberBrowser { cookie, form_token: token.split('"').next().unwrap().to_owned() }
    }

    /// Sends a request of a person's browser.
    pub(crate) fn ask(
        &self,
        who: &MemberBrowser,
        server: usize,
        request: &str,
        body: &Value,
    ) -> BrowserResponse {
        let session = [("Cookie", &*who.cookie), ("X-Form-Token", &*who.form_token), JSON];
        let body = if request.starts_with("GET") { String::new() } else { body.to_string() };
        self.send(server, request, &session, &body)
    }

    #[track_caller]
    pub(crate) fn read(&self, who: &MemberBrowser, server: usize, path: &str) -> Value {
        let answer = self.ask(who, server, &format!("GET {path}"), &Value::Null);
        assert_eq!(answer.status, 200, "{path}: {}", answer.body);
        serde_json::from_str(&answer.body).unwrap()
    }

    pub(crate) fn choose(&self, who: &MemberBrowser, server: usize, memory: &str) -> u16 {
        self.ask(who, server, "PUT /v1/memory", &json!({ "memory": memory })).status
    }

    pub(crate) fn remember(&self, who: &MemberBrowser, server: usize, text: &str) -> u16 {
        self.ask(who, server, "POST /v1/memories", &json!({ "text": text })).status
    }

    /// Returns the number of memories that a person sees.
    #[track_caller]
    pub(crate) fn total(&self, who: &MemberBrowser, server: usize) -> u64 {
        self.read(who, server, "/v1/memories")["total"].as_u64().unwrap()
    }
}

fn run_on(env: &TestEnv, store: &str, words: &[&str]) -> String {
    let mut command = env.command(words);
    command.env("QUIPU_STORE", store);
    run_to_end(&mut command, "").success()
}

/// Writes the settings of the provider, the same on every server.
fn configure(env: &TestEnv, provider: &FakeProvider) {
    let secret = env.home().join("oidc-secret");
    std::fs::write(&secret, CLIENT_SECRET).unwrap();
    let settings = format!(
        "oidc_issuer = {:?}\noidc_client_id = {CLIENT_ID:?}\noidc_client_secret_file = {:?}\n\
         oidc_create_owners = true\n",
        provider.issuer(),
        secret.display().to_string(),
    );
    std::fs::write(env.home().join("config.toml"), settings).unwrap();
}

#[test]
fn a_member_signs_in_through_one_server_and_acts_through_the_other() {
    let Some((team, ada)) = GroupTeam::with_ada("group_member", &["--admin"]) else { return };
    assert_eq!(team.remember(&ada, 1, "Mine alone."), 200);
    assert_eq!(team.choose(&ada, 0, "team-x"), 200);
    assert_eq!(team.read(&ada, 1, "/v1/memory")["shown"], "team-x", "chosen at the other one");
    assert_eq!(team.remember(&ada, 1, "The team ships on Fridays."), 200);
    assert_eq!(team.remember(&ada, 0, "The team rests on Sundays."), 200);
    assert_eq!((team.total(&ada, 0), team.total(&ada, 1)), (2, 2));
    for server in [0, 1] {
        let audit = team.read(&ada, server, "/v1/audit");
        let items = audit["items"].as_array().unwrap();
        let written = |item: &&Value| item["agent"] == "@ada" && item["note"] == "remember";
        assert_eq!(items.iter().filter(written).count(), 2, "{audit}");
    }
    assert_eq!(team.choose(&ada, 1, "ada"), 200);
    assert_eq!((team.total(&ada, 0), team.total(&ada, 1)), (1, 1));
    team.run(&["--owner", "team-x", "audit", "verify"]);
}

#[test]
fn a_person_sees_their_own_memory_and_their_groups_in_one_dashboard() {
    let Some((team, ada)) = GroupTeam::with_ada("group_dashboard", &["--read-only"]) else {
        return;
    };
    team.run(&["owners", "create", "team-y", "--group"]);
    let bo = team.sign_in("subject-2", "bo", [1, 0]);
    team.run(&["groups", "add", "team-y", "bo"]);
    for server in [0, 1] {
        let page = team.ask(&ada, server, "GET /memories", &Value::Null).body;
        assert!(page.contains("Memory of ada") && page.contains(r#"value="team-x""#), "{page}");
        assert!(!page.contains("team-y"), "a group of others is not there: {page}");
        let choice = team.read(&bo, server, "/v1/memory");
        assert_eq!(choice["person"], "bo");
        assert!(choice["groups"].to_string().contains("team-y"), "{choice}");
        assert!(!choice.to_string().contains("team-x"), "{choice}");
        assert_eq!(team.choose(&bo, server, "team-x"), 404);
        assert_eq!(team.choose(&bo, server, "ada"), 404);
    }
}

#[test]
fn a_removed_member_is_refused_at_once_by_both_servers() {
    let Some((team, ada)) = GroupTeam::with_ada("group_removal", &["--admin"]) else { return };
    assert_eq!(team.choose(&ada, 0, "team-x"), 200);
    assert_eq!((team.total(&ada, 0), team.total(&ada, 1)), (0, 0));
    let removed = AtomicBool::new(false);
    let written = std::thread::scope(|scope| {
        let writers = [0, 1].map(|server| {
            let (team, ada, removed) = (&team, &ada, &removed);
            scope.spawn(move || write_until_refused(team, ada, server, removed))
        });
        std::thread::sleep(std::time::Duration::from_secs(2));
        team.run(&["groups", "remove", "team-x", "ada"]);
        removed.store(true, Ordering::SeqCst);
        writers.map(|writer| writer.join().unwrap())
    });
    assert!(written.iter().all(|count| *count > 0), "{written:?}");
    for server in [0, 1] {
        let choice = team.read(&ada, server, "/v1/memory");
        assert_eq!((&choice["shown"], &choice["groups"]), (&json!("ada"), &json!([])));
        assert_eq!(team.total(&ada, server), 0, "of the group nothing is shown");
        assert_eq!(team.choose(&ada, server, "team-x"), 404);
    }
    let status = team.run(&["--owner", "team-x", "status", "--json"]);
    let status: Value = serde_json::from_str(&status).unwrap();
    assert_eq!(status["memories"]["active"], json!(written.iter().sum::<u64>()), "{status}");
}

/// Writes to the group until a server refuses it; a write that began after the removal must be.
fn write_until_refused(
    team: &GroupTeam,
    ada: &MemberBrowser,
    server: usize,
    removed: &AtomicBool,
) -> u64 {
    let shown = ("X-Memory", "team-x");
    let session = [("Cookie", &*ada.cookie), ("X-Form-Token", &*ada.form_token), JSON, shown];
    for number in 0.. {
        let was_removed = removed.load(Ordering::SeqCst);
        let body = json!({ "text": format!("Crate {number} of server {server} left the dock.") });
        let answer = team.send(server, "POST /v1/memories", &session, &body.to_string());
        match answer.status {
            200 => assert!(!was_removed, "server {server} wrote for somebody who is removed"),
            429 => std::thread::sleep(std::time::Duration::from_millis(50)),
            409 => return number,
            other => panic!("{other}: {}", answer.body),
        }
    }
    unreachable!("the loop ends with a refusal")
}

#[test]
fn what_grants_take_from_a_member_is_gone_at_both_servers() {
    let Some((team, ada)) = GroupTeam::with_ada("group_grants", &[]) else { return };
    assert_eq!(team.choose(&ada, 1, "team-x"), 200);
    for (server, text) in ["The kiln is in the cellar.", "Bo has the key."].iter().enumerate() {
        assert_eq!(team.remember(&ada, server, text), 200);
    }
    team.run(&["groups", "add", "team-x", "ada", "--read-only"]);
    for server in [0, 1] {
        assert_eq!(team.remember(&ada, server, &format!("Refused through {server}.")), 403);
        assert_eq!(team.total(&ada, server), 2, "reading is still allowed");
        let audit = team.ask(&ada, server, "GET /v1/audit", &Value::Null);
        assert_eq!(audit.status, 403, "{}", audit.body);
    }
}

#[test]
fn a_person_whose_login_is_unlinked_is_out_at_both_servers() {
    let Some((team, ada)) = GroupTeam::with_ada("group_unlinked", &["--admin"]) else { return };
    assert_eq!((team.total(&ada, 0), team.total(&ada, 1)), (0, 0));
    team.run(&["owners", "unlink", "ada"]);
    for server in [0, 1] {
        let out = team.ask(&ada, server, "GET /v1/memories", &Value::Null);
        assert_eq!(out.status, 401, "server {server}: {}", out.body);
    }
}
