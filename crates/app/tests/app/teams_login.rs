//! Logins and OAuth over several servers: what one server began, another goes on with, and attempts
//! count for all of them together.

use crate::owner_browser::BrowserResponse;
use crate::server_process::ServerProcess;
use crate::teams::{SITE, address, second_server, send_to_site};
use crate::test_env::{TestEnv, run_to_end};
use serde_json::{Value, json};

const FORM: (&str, &str) = ("Content-Type", "application/x-www-form-urlencoded");
const JSON: (&str, &str) = ("Content-Type", "application/json");
const CALLBACK: &str = "http://127.0.0.1:4711/callback";
const CHALLENGE: &str = "E9Melhoa2OwvFrEMTJguCHaoeK1t8URWbuGJSstw-cM";
const VERIFIER: &str = "dBjftJeZ4CVP-mB92K27uhbUJU1p1r_wW1gFWFOEjXk";

/// Two servers of a team behind the same public address, with a password.
struct LoginTeam {
    servers: [ServerProcess; 2],
    _homes: [TestEnv; 2],
}

impl LoginTeam {
    fn start(test: &str) -> Option<Self> {
        let store = address(test)?;
        let first = TestEnv::new();
        // The password is set once, and not in a file of a server.
        let mut command = first.command(&["password", "set"]);
        command.env("QUIPU_STORE", &store).stdin(std::process::Stdio::piped());
        run_to_end(&mut command, "correct-horse\n").success();
        assert!(!first.home().join("owners/me/password").exists());
        let second = second_server(&first);
        let words = ["--store", &store, "--public-url", SITE];
        let servers = [&first, &second].map(|env| ServerProcess::start_with(env, &words));
        Some(Self { servers, _homes: [first, second] })
    }

    fn ask(
        &self,
        server: usize,
        request: &str,
        more: &[(&str, &str)],
        body: &str,
    ) -> BrowserResponse {
        send_to_site(&self.servers[server], request, more, body)
    }

    fn type_password(&self, server: usize, password: &str, from: &str) -> BrowserResponse {
        let more = [FORM, ("X-Forwarded-For", from)];
        self.ask(server, "POST /login", &more, &format!("token={password}&next=/"))
    }

    /// Logs in through a server, and returns the cookie and the form token.
    fn log_in(&self, server: usize) -> (String, String) {
        let opened = self.type_password(server, "correct-horse", "192.0.2.1");
        assert_eq!(opened.status, 200, "{}", opened.body);
        let cookie = opened.headers["set-cookie"].split(';').next().unwrap().to_owned();
        let token = opened.body.split(r#"name="form-token" content=""#).nth(1).unwrap();
        (cookie, token.split('"').next().unwrap().to_owned())
    }
}

#[test]
fn a_login_through_one_server_is_one_on_all() {
    let Some(team) = LoginTeam::start("shared_login") else { return };
    let (cookie, form_token) = team.log_in(0);
    let open = |server: usize| {
        let page = [("Cookie", &*cookie), ("Accept", "text/html")];
        team.ask(server, "GET /settings", &page, "").status
    };
    assert_eq!((open(0), open(1)), (200, 200));
    let end = [("Cookie", &*cookie), ("X-Form-Token", &*form_token), JSON];
    let wrong = [("Cookie", &*cookie), ("X-Form-Token", "wrong"), JSON];
    assert_eq!(team.ask(1, "POST /v1/leave", &wrong, "{}").status, 403);
    assert_eq!(team.ask(1, "POST /v1/leave", &end, "{}").status, 200);
    assert_eq!((open(0), open(1)), (303, 303), "both lead to the login page");
}

#[test]
fn wrong_passwords_count_on_all_servers_together() {
    let Some(team) = LoginTeam::start("shared_attempts") else { return };
    let guess = |number: usize| team.type_password(number % 2, "wrong-horse", "192.0.2.7").status;
    let begun = std::time::Instant::now();
    let wrong = (0..).take_while(|number| guess(*number) == 401).count();
    // On a slow machine further ones are allowed meanwhile, one every ten seconds.
    let later = begun.elapsed().as_secs() as usize / 10 + 1;
    assert!((10..=10 + later).contains(&wrong), "{wrong} guesses, {later} of them later");
    assert_eq!(team.type_password(1, "wrong-horse", "192.0.2.9").status, 401, "another address");
    assert_eq!(team.type_password(0, "correct-horse", "192.0.2.8").status, 200);
}

#[test]
fn an_oauth_client_that_began_with_one_server_goes_on_with_another() {
    let Some(team) = LoginTeam::start("shared_oauth") else { return };
    let (cookie, form_token) = team.log_in(0);
    let client = json!({ "redirect_uris": [CALLBACK], "client_name": "Painter" });
    let registered = team.ask(1, "POST /oauth/register", &[JSON], &client.to_string());
    let client: Value = serde_json::from_str(&registered.body).unwrap();
    let id = client["client_id"].as_str().unwrap();
    let request = json!({
        "response_type": "code", "client_id": id, "redirect_uri": CALLBACK,
        "code_challenge": CHALLENGE, "code_challenge_method": "S256", "scope": "read write",
        "resource": format!("{SITE}/mcp"),
    });
    let decision =
        json!({ "request": request, "decision": "allow", "grants": { "memory": "write" } });
    let page = [("Cookie", &*cookie), ("X-Form-Token", &*form_token), JSON];
    let allowed = team.ask(0, "POST /v1/consent", &page, &decision.to_string());
    assert_eq!(allowed.status, 200, "{}", allowed.body);
    let code = allowed.body.split("code=").nth(1).unwrap().split(['&', '"']).next().unwrap();
    let exchange = format!(
        "grant_type=authorization_code&client_id={id}&code={code}&code_verifier={VERIFIER}"
    );
    let given = team.ask(1, "POST /oauth/token", &[FORM], &exchange);
    assert_eq!(given.status, 200, "{}", given.body);
    let tokens: Value = serde_json::from_str(&given.body).unwrap();
    let credential = format!("Bearer {}", tokens["access_token"].as_str().unwrap());
    let ping = json!({ "jsonrpc": "2.0", "id": 1, "method": "ping" }).to_string();
    let call = |server: usize| {
        let accept = ("Accept", "application/json, text/event-stream");
        let headers = [("Authorization", &*credential), JSON, accept];
        team.ask(server, "POST /mcp", &headers, &ping).status
    };
    assert_eq!((call(0), call(1)), (200, 200));
    // The code was used on the second server; to use it again on the first revokes the tokens.
    let again = team.ask(0, "POST /oauth/token", &[FORM], &exchange);
    assert!(again.status == 400 && again.body.contains("already been used"), "{}", again.body);
    assert_eq!((call(0), call(1)), (401, 401));
}
