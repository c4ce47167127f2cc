//! Addresses of all pages of a filled memory.

use crate::fixture::DashboardFixture;
use crate::raw_http::RawRequest;
use serde_json::json;

/// Returns every page of a filled memory, and the consent page for a program of this name.
pub(super) fn pages(fixture: &DashboardFixture, name: &str) -> Vec<String> {
    let table = fixture.read("/v1/tables")[0]["name"].as_str().unwrap().to_owned();
    let plain = PAGES.iter().map(ToString::to_string);
    plain
        .chain([format!("/tables/{}", percent_encode(&table)), consent_page(fixture, name)])
        .collect()
}

/// Returns the consent page of a program. Its name and its redirect address are its own choice, so
/// both are hostile.
fn consent_page(fixture: &DashboardFixture, name: &str) -> String {
    let name: String = name.chars().take(100).collect();
    let redirect = "http://127.0.0.1:4711/callback?%3Cscript%3Ewindow.ran=true%3C/script%3E";
    let program = json!({ "client_name": name, "redirect_uris": [redirect] });
    let registered = fixture.ask(RawRequest::json("POST", "/oauth/register", &program));
    assert_eq!(registered.status, 201, "{}", registered.body);
    let (challenge, resource) =
        ("E9Melhoa2OwvFrEMTJguCHaoeK1t8URWbuGJSstw-cM", format!("http://{}/mcp", fixture.address));
    let parameters = [
        ("response_type", "code"),
        ("client_id", registered.json()["client_id"].as_str().unwrap()),
        ("redirect_uri", redirect),
        ("code_challenge", challenge),
        ("code_challenge_method", "S256"),
        ("scope", "read write"),
        ("state", name.as_str()),
        ("resource", resource.as_str()),
    ]
    .map(|(name, value)| format!("{name}={}", percent_encode(value)));
    format!("/oauth/consent?{}", parameters.join("&"))
}

fn percent_encode(text: &str) -> String {
    text.bytes().map(|byte| format!("%{byte:02X}")).collect()
}

const PAGES: &[&str] = &[
    "/",
    "/memories",
    "/memories?query=kiln&explain=1",
    "/memories?status=any",
    "/memories/new",
    "/memories/1",
    "/memories/2",
    "/review",
    "/review?decided=1",
    "/profile",
    "/tables",
    "/tables-console",
    "/graph",
    "/graph?memories=1&since=2001-01-01",
    "/entities/1",
    "/sessions",
    "/handoffs",
    "/handoffs/1",
    "/references",
    "/references?query=kiln",
    "/settings",
    "/agents",
    "/agents/one?agent=codex",
    "/activity",
    "/sees?agent=codex&query=kiln",
    "/sees?agent=codex",
];
