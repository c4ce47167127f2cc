//! Page of one agent: its permissions for each resource, its keys, its usage, and retiring what it
//! wrote.

use super::parts::{encoded, key_line, number, problem, when};
use super::rules::{Places, another, rule};
use super::shell::Page;
use crate::api::Nothing;
use crate::desk::Desk;
use engine::activity::AgentUse;
use maud::{Markup, html};
use model::{AgentName, Failure, KeyInfo, Permission};
use schemars::JsonSchema;
use serde::Deserialize;

/// Number of days of usage shown.
const DAYS: usize = 30;

/// Query of the page.
#[derive(Debug, Deserialize, JsonSchema)]
pub(crate) struct Named {
    agent: String,
}

pub(super) async fn page(context: Desk, _: Nothing, query: Named) -> Result<Page, Failure> {
    let agent = AgentName::new(&query.agent);
    let mut keys = context.credentials.keys(&context.caller).await?;
    keys.retain(|key| key.key.agent == agent);
    let usage = context
        .engine
        .admin()
        .activity(&context.caller, DAYS)
        .await?
        .agents
        .into_iter()
        .find(|one| one.agent == agent);
    let resources = Places::of(&context, &agent).await?;
    let body = html! {
        p.crumb { a href="/agents" { "Agents" } " / " span dir="auto" { (agent) } }
        h1 dir="auto" { (agent) }
        p.about {
            a href={ "/memories?agent=" (encoded(agent.as_str())) } { "What it wrote" }
            a href={ "/activity?agent=" (encoded(agent.as_str())) } { "What it did" }
            a href={ "/sees?agent=" (encoded(agent.as_str())) } { "What it sees" }
        }
        div.columns {
            section {
                h2 { "What it may do" }
                p.note { "The most specific rule wins. Without a rule, nothing is allowed." }
                (rules(&agent, &resources))
            }
            div { (its_use(usage.as_ref())) (its_keys(&keys)) (take_back(&agent)) }
        }
    };
    Ok(Page { title: agent.to_string(), place: "/agents", body })
}

fn rules(agent: &AgentName, resources: &Places) -> Markup {
    const NONE: &str = "no rule";
    let all = resources.whole.iter().chain(&resources.single);
    html! {
        form data-call="PUT /v1/grants" data-nested="grants" data-say="Rules saved." {
            input type="hidden" name="agent" value=(agent);
            div.scroll tabindex="0" role="region" aria-label="Rules" {
                table {
                    thead { tr { th scope="col" { "Resource" } th scope="col" { "Permission" } } }
                    tbody #rules {
                        @for resource in all { (rule(resource, NONE, Permission::Write)) }
                    }
                }
            }
            @if resources.left_out > 0 {
                p.note {
                    (number(resources.left_out))
                    " more tables and collections are not listed; add them by name."
                }
            }
            (another(NONE, Permission::Write))
            (problem()) button.primary { "Save the rules" }
        }
    }
}

fn its_use(usage: Option<&AgentUse>) -> Markup {
    html! {
        section {
            h2 { "The last " (DAYS) " days" }
            @match usage {
                None => p.note { "No activity." }
                Some(usage) => dl.pairs {
                    dt { "Last seen" } dd { (when(usage.last)) }
                    dt { "Calls" } dd { (number(usage.calls)) }
                    dt { "Tokens served" } dd { (number(usage.tokens)) }
                    dt { "Questions" }
                    dd { (number(usage.recalls)) ", " (number(usage.empty)) " without an answer" }
                }
            }
        }
    }
}

fn its_keys(keys: &[KeyInfo]) -> Markup {
    html! {
        section { h2 { "Keys" }
            @if keys.is_empty() { p.note { "It has no keys." } }
            ul.plain { @for key in keys { li { (key_line(key)) } } }
        }
    }
}

fn take_back(agent: &AgentName) -> Markup {
    html! {
        section {
            h2 { "Retire what it wrote" }
            p {
                "Retires everything it wrote since a date, and restores what that had replaced. "
                "You can undo this."
            }
            form.inline data-call="POST /v1/agents/take-back" data-say="Retired." {
                input type="hidden" name="agent" value=(agent);
                input type="hidden" name="confirm" value="true" data-as="json";
                label { span { "Since (empty: everything)" } input type="date" name="since"; }
                button.danger { "Retire its memories" } (problem())
            }
            form data-call="POST /v1/agents/give-back" data-say="Undone." {
                input type="hidden" name="agent" value=(agent);
                button.plain { "Undo the last retirement" } (problem())
            }
        }
    }
}
