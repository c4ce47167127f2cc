//! Agents: who is let in, and letting one in: choose the client, get the line with a fresh key, see
//! it connect.

use super::connections;
use super::parts::{encoded, nothing, number, problem, when};
use super::shell::Page;
use crate::api::Nothing;
use crate::desk::Desk;
use engine::activity::AgentUse;
use maud::{Markup, html};
use model::{Failure, KeyInfo};
use std::collections::BTreeMap;

/// The clients that can be connected, each with the line that does it; the address and the key are
/// filled in.
const CLIENTS: &[(&str, &str, &str)] = &[
    (
        "claude-code",
        "Claude Code",
        "claude mcp add -s user -t http quipu {url} -H \"Authorization: Bearer {key}\"",
    ),
    (
        "codex",
        "Codex",
        "export QUIPU_KEY={key}; codex mcp add quipu --url {url} --bearer-token-env-var QUIPU_KEY",
    ),
    (
        "cursor",
        "Cursor",
        "{\"mcpServers\": {\"quipu\": {\"url\": \"{url}\", \"headers\": {\"Authorization\": \"Bearer {key}\"}}}}",
    ),
    ("agent", "Another MCP client", "{url}\nAuthorization: Bearer {key}"),
];

/// Of how many days it is told how much an agent asked for and got.
const DAYS: usize = 30;

/// What is known of one agent.
#[derive(Default)]
struct Known {
    memories: usize,
    keys: Vec<KeyInfo>,
    grants: usize,
    used: Option<AgentUse>,
}

pub(super) async fn page(desk: Desk, _: Nothing, _: Nothing) -> Result<Page, Failure> {
    let known = known(&desk).await?;
    let enforced = desk.engine.admin().are_grants_enforced(&desk.caller).await?;
    let connections = connections::section(&desk).await?;
    let body = html! {
        h1 { "Agents" }
        p.lead { "Who may come in, and how far. Calls and tokens are those of the last " (DAYS) " days." }
        (connect())
        section { h2 { "Known agents" }
            @if known.is_empty() { (nothing("No agent yet", html! { p { "Connect one above; it appears here with everything it wrote." } })) }
            ul.cards { @for (name, agent) in &known { (card(name, agent)) } }
        }
        (connections)
        section { h2 { "Agents of your own account" }
            p { "An agent that runs " code { "quipu mcp" } " on this machine runs as you. " @if enforced { "It needs grants, as every other." } @else { "It reaches everything." } }
            form data-call="PUT /v1/grants/enforced" data-say="Changed." { input type="hidden" name="enforced" value=(!enforced) data-as="json"; button { @if enforced { "Let them reach everything" } @else { "Ask grants of them too" } } (problem()) }
        }
    };
    Ok(Page { title: "Agents".into(), place: "/agents", body })
}

async fn known(desk: &Desk) -> Result<BTreeMap<String, Known>, Failure> {
    let mut known: BTreeMap<String, Known> = BTreeMap::new();
    for (name, count) in desk.engine.memories().overview(&desk.caller, 1).await?.agents {
        known.entry(name).or_default().memories = count;
    }
    for key in desk.credentials.keys(&desk.caller).await? {
        known.entry(key.key.agent.to_string()).or_default().keys.push(key);
    }
    for used in desk.engine.admin().activity(&desk.caller, DAYS).await?.agents {
        let name = used.agent.to_string();
        known.entry(name).or_default().used = Some(used);
    }
    for grant in desk.engine.admin().grants(&desk.caller).await? {
        known.entry(grant.agent.to_string()).or_default().grants += 1;
    }
    Ok(known)
}

fn connect() -> Markup {
    html! {
        section.call { h2 { "Connect an agent" }
            form.inline #connect data-connect {
                label { span { "Client" } select name="client" { @for (name, title, line) in CLIENTS { option value=(name) data-line=(line) { (title) } } } }
                label { span { "Its name here" } input name="agent" value=(CLIENTS[0].0) required maxlength="100" dir="auto"; }
                label { span { "It may" } select name="scope" { option value="write" { "read and write" } option value="read" { "only read" } } }
                button.primary { "Make its key" } (problem())
            }
            div #connected hidden {
                p { "Run this, or put it where the client wants it. The key is shown only now." }
                pre { code #line {} }
                p.status #waiting role="status" { "waiting for it to connect …" }
                p { a #granting href="/agents" { "Say what it may see" } }
            }
        }
    }
}

fn card(name: &str, agent: &Known) -> Markup {
    let good = agent.keys.iter().filter(|key| key.revoked_at.is_none()).count();
    let used = agent.used.as_ref();
    let last = agent
        .keys
        .iter()
        .filter_map(|key| key.last_used_at)
        .chain(used.map(|used| used.last))
        .max();
    html! {
        li.card { div {
            p.title { a href={ "/agents/one?agent=" (encoded(name)) } dir="auto" { (name) } }
            p.about { span { (number(agent.memories)) " memories" } span { (good) " keys" } span { (agent.grants) " grants" }
                @if let Some(used) = used { span { (number(used.calls)) " calls" } span { (number(used.tokens)) " tokens served" } }
                @if let Some(last) = last { span { "last seen " (when(last)) } } @else { span { "not seen yet" } } }
        } }
    }
}
