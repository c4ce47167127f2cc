//! Agents page: the known agents, and connecting a new one: choose the client, get the command with
//! a new key, see it connect.

use super::components::{counted, empty_state, form_error, percent_encode, time};
use super::connections;
use super::shell::PageContent;
use super::words;
use crate::api::NoFields;
use crate::request_context::RequestContext;
use engine::activity::AgentUsage;
use maud::{Markup, html};
use model::{Failure, Grant, KeyInfo, Permission};
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
    (
        "vscode",
        "VS Code",
        "code --add-mcp '{\"name\": \"quipu\", \"type\": \"http\", \"url\": \"{url}\", \
         \"headers\": {\"Authorization\": \"Bearer {key}\"}}'",
    ),
    ("agent", "Another MCP client", "{url}\nAuthorization: Bearer {key}"),
];

/// Grants that a new key may come with.
const NEW_GRANTS: [(&str, &str); 4] = [
    ("", "choose later"),
    ("none", "nothing"),
    ("read", "read everything"),
    ("write", "read and write everything"),
];

/// Number of days of usage shown.
const DAYS: usize = 30;

/// Summary of one agent.
#[derive(Default)]
struct AgentSummary {
    memories: usize,
    keys: Vec<KeyInfo>,
    grants: usize,
    usage: Option<AgentUsage>,
}

pub(super) async fn page(
    context: RequestContext,
    _: NoFields,
    _: NoFields,
) -> Result<PageContent, Failure> {
    let agents = agent_summaries(&context).await?;
    let enforced = context.engine.admin().are_grants_enforced(&context.caller).await?;
    let connections = connections::section(&context).await?;
    let matrix = matrix(&context, &agents, enforced).await?;
    let body = html! {
        h1 { "Agents" }
        p.lead { "Who has access, and to what. Calls and tokens cover the last " (DAYS) " days." }
        (connect_form(&context))
        section {
            h2 { "Known agents" }
            @if agents.is_empty() {
                (empty_state("No agent yet", html! {
                    p { "Connect one above; it appears here with everything it wrote." }
                }))
            }
            ul.cards { @for (name, agent) in &agents { (card(name, agent)) } }
        }
        (matrix)
        (connections)
        section {
            h2 { "Agents of your own account" }
            p {
                "An agent that runs " code data-copy { "quipu mcp" }
                " on this machine runs as you. "
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
                } (form_error())
            }
        }
    };
    Ok(PageContent { title: "Agents".into(), nav_path: "/agents", body })
}

/// Returns the names of all known agents.
pub(super) async fn agent_names(context: &RequestContext) -> Result<Vec<String>, Failure> {
    Ok(agent_summaries(context).await?.into_keys().collect())
}

/// Resources of the matrix, with their headings.
const MATRIX: [(&str, &str); 6] = [
    ("vectors", "Memories"),
    ("profile", "Profile"),
    ("tables", "Tables"),
    ("graph", "Entities"),
    ("handoffs", "Handoffs"),
    ("references", "References"),
];

/// Renders what each agent may do with each resource, under all rules together.
async fn matrix(
    context: &RequestContext,
    agents: &BTreeMap<String, AgentSummary>,
    enforced: bool,
) -> Result<Markup, Failure> {
    let grants = context.engine.admin().grants(&context.caller).await?;
    Ok(html! {
        @if !agents.is_empty() {
            section aria-labelledby="matrix" {
                h2 #matrix { "Who may do what" }
                div.scroll tabindex="0" role="region" aria-label="Permissions" {
                    table.stacks #permissions {
                        thead {
                            tr {
                                th scope="col" { "Agent" }
                                @for (_, title) in MATRIX { th scope="col" { (title) } }
                            }
                        }
                        tbody {
                            @for (name, agent) in agents {
                                @let grants = grants.as_slice();
                                @let access = AgentAccess { grants, name, agent, enforced };
                                tr {
                                    th scope="row" data-label="Agent" {
                                        a href={ "/agents/one?agent=" (percent_encode(name)) }
                                            dir="auto" { (name) }
                                    }
                                    @for (resource, title) in MATRIX {
                                        td data-label=(title) { (access.cell(resource)) }
                                    }
                                }
                            }
                        }
                    }
                }
            }
        }
    })
}

/// Rules that apply to one agent.
struct AgentAccess<'a> {
    grants: &'a [Grant],
    name: &'a str,
    agent: &'a AgentSummary,
    enforced: bool,
}

impl AgentAccess<'_> {
    /// Renders the effective permission on a resource, and how many exceptions there are.
    fn cell(&self, resource: &str) -> Markup {
        let is_own = |grant: &&Grant| grant.agent.as_str() == self.name;
        let own: Vec<&Grant> = self.grants.iter().filter(is_own).collect();
        let rule = |wanted: &str| own.iter().find(|grant| grant.resource == wanted);
        let granted = rule(resource).or_else(|| rule("*")).map(|grant| grant.permission);
        // An agent of the own account runs without a key and needs no rules unless required.
        let runs_as_owner = self.agent.keys.is_empty() && own.is_empty() && !self.enforced;
        let word = match granted {
            _ if runs_as_owner => "everything, as you",
            Some(Permission::Write) => "read and write",
            Some(Permission::Read) => "read",
            Some(Permission::None) | None => "nothing",
        };
        let below = format!("{resource}/");
        let exceptions = own.iter().filter(|grant| grant.resource.starts_with(&below)).count();
        html! {
            (word)
            @if exceptions > 0 { " " small { (counted(exceptions, "exception", "exceptions")) } }
        }
    }
}

async fn agent_summaries(
    context: &RequestContext,
) -> Result<BTreeMap<String, AgentSummary>, Failure> {
    // An agent is listed as soon as any of the four sources knows it.
    let mut agents: BTreeMap<String, AgentSummary> = BTreeMap::new();
    for (name, count) in context.engine.memories().overview(&context.caller, 1).await?.agents {
        agents.entry(name).or_default().memories = count;
    }
    for key in context.credentials.keys(&context.caller).await? {
        agents.entry(key.key.agent.to_string()).or_default().keys.push(key);
    }
    for usage in context.engine.admin().activity(&context.caller, DAYS).await?.agents {
        let name = usage.agent.to_string();
        agents.entry(name).or_default().usage = Some(usage);
    }
    for grant in context.engine.admin().grants(&context.caller).await? {
        agents.entry(grant.agent.to_string()).or_default().grants += 1;
    }
    Ok(agents)
}

fn connect_form(context: &RequestContext) -> Markup {
    html! {
        section.call {
            h2 { "Connect an agent" }
            form.inline #connect data-connect data-origin=[context.plain_origin.as_ref()] {
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
                    span { "Tools" }
                    select name="path" {
                        @for served in &context.dialects {
                            option value=(served.path) { (words::way(served.dialect)) }
                        }
                    }
                }
                label {
                    span { "Grants" }
                    select name="grants" {
                        @for (name, title) in NEW_GRANTS { option value=(name) { (title) } }
                    }
                }
                label {
                    span { "Access" }
                    select name="scope" {
                        option value="write" { "read and write" }
                        option value="read" { "read only" }
                    }
                }
                button.primary { "Create key" } (form_error())
            }
            div #connected hidden {
                p {
                    "Run this, or add it to the client's configuration. The key is shown only once."
                }
                pre { code #line {} }
                p { a.button #open-client hidden { "Open the client and add it" } }
                p.status #waiting role="status" { "waiting for the agent to connect …" }
                p { a #granting href="/agents" { "Choose what it may access" } }
            }
        }
    }
}

fn card(name: &str, agent: &AgentSummary) -> Markup {
    let good = agent.keys.iter().filter(|key| key.revoked_at.is_none()).count();
    let usage = agent.usage.as_ref();
    let last = agent
        .keys
        .iter()
        .filter_map(|key| key.last_used_at)
        .chain(usage.map(|usage| usage.last))
        .max();
    html! {
        li.card {
            div {
                p.title {
                    a href={ "/agents/one?agent=" (percent_encode(name)) } dir="auto" { (name) }
                }
                p.about {
                    span { (counted(agent.memories, "memory", "memories")) }
                    span { (counted(good, "key", "keys")) }
                    span { (counted(agent.grants, "rule", "rules")) }
                    @if let Some(usage) = usage {
                        span { (counted(usage.calls, "call", "calls")) }
                        span { (counted(usage.tokens, "token", "tokens")) " served" }
                    }
                    @if let Some(last) = last { span { "last seen " (time(last)) } }
                    @else {
                        span { "not seen yet" }
                    }
                }
            }
        }
    }
}
