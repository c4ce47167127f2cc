//! Agents page: the known agents, and connecting a new one: choose the client, get the command with
//! a new key, see it connect.

use super::connections;
use super::parts::{encoded, nothing, number, problem, when};
use super::shell::Page;
use crate::api::Nothing;
use crate::desk::Desk;
use engine::activity::AgentUse;
use maud::{Markup, html};
use model::{Failure, KeyInfo};
use std::collections::BTreeMap;

/// Supported clients, each with the command or configuration that connects it. The script fills in
/// the address and the key.
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
        "{\"mcpServers\": {\"quipu\": {\"url\": \"{url}\", \
         \"headers\": {\"Authorization\": \"Bearer {key}\"}}}}",
    ),
    ("agent", "Another MCP client", "{url}\nAuthorization: Bearer {key}"),
];

/// Number of days of usage shown.
const DAYS: usize = 30;

/// Summary of one agent.
#[derive(Default)]
struct Known {
    memories: usize,
    keys: Vec<KeyInfo>,
    grants: usize,
    used: Option<AgentUse>,
}

pub(super) async fn page(context: Desk, _: Nothing, _: Nothing) -> Result<Page, Failure> {
    let agents = known(&context).await?;
    let enforced = context.engine.admin().are_grants_enforced(&context.caller).await?;
    let connections = connections::section(&context).await?;
    let body = html! {
        h1 { "Agents" }
        p.lead { "Who has access, and to what. Calls and tokens cover the last " (DAYS) " days." }
        (connect())
        section {
            h2 { "Known agents" }
            @if agents.is_empty() {
                (nothing("No agent yet", html! {
                    p { "Connect one above; it appears here with everything it wrote." }
                }))
            }
            ul.cards { @for (name, agent) in &agents { (card(name, agent)) } }
        }
        (connections)
        section {
            h2 { "Agents of your own account" }
            p {
                "An agent that runs " code { "quipu mcp" } " on this machine runs as you. "
                @if enforced { "It needs grants like every other agent." }
                @else {
                    "It has access to everything."
                }
            }
            form data-call="PUT /v1/grants/enforced" data-say="Changed." {
                input type="hidden" name="enforced" value=(!enforced) data-as="json";
                button {
                    @if enforced { "Give them access to everything" }
                    @else {
                        "Require grants for them too"
                    }
                } (problem())
            }
        }
    };
    Ok(Page { title: "Agents".into(), place: "/agents", body })
}

async fn known(context: &Desk) -> Result<BTreeMap<String, Known>, Failure> {
    // An agent is listed as soon as any of the four sources knows it.
    let mut agents: BTreeMap<String, Known> = BTreeMap::new();
    for (name, count) in context.engine.memories().overview(&context.caller, 1).await?.agents {
        agents.entry(name).or_default().memories = count;
    }
    for key in context.credentials.keys(&context.caller).await? {
        agents.entry(key.key.agent.to_string()).or_default().keys.push(key);
    }
    for usage in context.engine.admin().activity(&context.caller, DAYS).await?.agents {
        let name = usage.agent.to_string();
        agents.entry(name).or_default().used = Some(usage);
    }
    for grant in context.engine.admin().grants(&context.caller).await? {
        agents.entry(grant.agent.to_string()).or_default().grants += 1;
    }
    Ok(agents)
}

fn connect() -> Markup {
    html! {
        section.call {
            h2 { "Connect an agent" }
            form.inline #connect data-connect {
                label {
                    span { "Client" }
                    select name="client" {
                        @for (name, title, line) in CLIENTS {
                            option value=(name) data-line=(line) { (title) }
                        }
                    }
                }
                label {
                    span { "Agent name" }
                    input name="agent" value=(CLIENTS[0].0) required maxlength="100" dir="auto";
                }
                label {
                    span { "Access" }
                    select name="scope" {
                        option value="write" { "read and write" }
                        option value="read" { "read only" }
                    }
                }
                button.primary { "Create key" } (problem())
            }
            div #connected hidden {
                p {
                    "Run this, or add it to the client's configuration. The key is shown only once."
                }
                pre { code #line {} }
                p.status #waiting role="status" { "waiting for the agent to connect …" }
                p { a #granting href="/agents" { "Choose what it may access" } }
            }
        }
    }
}

fn card(name: &str, agent: &Known) -> Markup {
    let good = agent.keys.iter().filter(|key| key.revoked_at.is_none()).count();
    let usage = agent.used.as_ref();
    let last = agent
        .keys
        .iter()
        .filter_map(|key| key.last_used_at)
        .chain(usage.map(|usage| usage.last))
        .max();
    html! {
        li.card {
            div {
                p.title { a href={ "/agents/one?agent=" (encoded(name)) } dir="auto" { (name) } }
                p.about {
                    span { (number(agent.memories)) " memories" } span { (good) " keys" }
                    span { (agent.grants) " grants" }
                    @if let Some(usage) = usage {
                        span { (number(usage.calls)) " calls" }
                        span { (number(usage.tokens)) " tokens served" }
                    }
                    @if let Some(last) = last { span { "last seen " (when(last)) } }
                    @else {
                        span { "not seen yet" }
                    }
                }
            }
        }
    }
}
