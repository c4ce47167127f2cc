//! Page of one agent: its permissions for each resource, its keys, its usage, and retiring what it
//! wrote.

use super::components::{form_error, format_count, key_line, percent_encode, time};
use super::rules::{RuleResources, add_rule_form, rule_row};
use super::shell::PageContent;
use crate::api::NoFields;
use crate::request_context::RequestContext;
use engine::activity::AgentUsage;
use maud::{Markup, html};
use model::{AgentName, Failure, KeyInfo, Permission};
use schemars::JsonSchema;
use serde::Deserialize;

/// Number of days of usage shown.
const DAYS: usize = 30;

/// Query of the page.
#[derive(Debug, Deserialize, JsonSchema)]
pub(crate) struct AgentQuery {
    agent: String,
}

pub(super) async fn page(
    context: RequestContext,
    _: NoFields,
    query: AgentQuery,
) -> Result<PageContent, Failure> {
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
    let resources = RuleResources::for_agent(&context, &agent).await?;
    let body = html! {
        p.crumb { a href="/agents" { "Agents" } " / " span dir="auto" { (agent) } }
        h1 dir="auto" { (agent) }
        p.about {
            a href={ "/memories?agent=" (percent_encode(agent.as_str())) } { "What it wrote" }
            a href={ "/activity?agent=" (percent_encode(agent.as_str())) } { "What it did" }
            a href={ "/sees?agent=" (percent_encode(agent.as_str())) } { "What it sees" }
        }
        div.columns {
            section {
                h2 { "What it may do" }
                p.note { "The most specific rule wins. Without a rule, nothing is allowed." }
                (rules_form(&agent, &resources))
            }
            div { (usage_section(usage.as_ref())) (keys_section(&keys)) (retire_section(&agent)) }
        }
    };
    Ok(PageContent { title: agent.to_string(), nav_path: "/agents", body })
}

fn rules_form(agent: &AgentName, resources: &RuleResources) -> Markup {
    const NONE: &str = "no rule";
    let all = resources.global.iter().chain(&resources.individual);
    html! {
        form data-call="PUT /v1/grants" data-nested="grants" data-say="Rules saved." {
            input type="hidden" name="agent" value=(agent);
            (presets())
            div.scroll tabindex="0" role="region" aria-label="Rules" {
                table {
                    thead { tr { th scope="col" { "Resource" } th scope="col" { "Permission" } } }
                    tbody #rules {
                        @for resource in all { (rule_row(resource, NONE, Permission::Write)) }
                    }
                }
            }
            @if resources.left_out > 0 {
                p.note {
                    (format_count(resources.left_out))
                    " more tables and collections are not listed; add them by name."
                }
            }
            (add_rule_form(NONE, Permission::Write))
            (form_error()) button.primary { "Save the rules" }
        }
    }
}

/// Renders the choices that set all rules at once; nothing is saved before the owner says so.
fn presets() -> Markup {
    html! {
        div.actions role="group" aria-label="Presets" {
            span.note { "Set all to" }
            button type="button" data-preset="write" { "Everything" }
            button type="button" data-preset="read" { "Read only" }
            button type="button" data-preset="none" { "Nothing but what I choose" }
        }
    }
}

fn usage_section(usage: Option<&AgentUsage>) -> Markup {
    html! {
        section {
            h2 { "The last " (DAYS) " days" }
            @match usage {
                None => p.note { "No activity." }
                Some(usage) => dl.pairs {
                    dt { "Last seen" } dd { (time(usage.last)) }
                    dt { "Calls" } dd { (format_count(usage.calls)) }
                    dt { "Tokens served" } dd { (format_count(usage.tokens)) }
                    dt { "Questions" }
                    dd {
                        (format_count(usage.recalls)) ", "
                        (format_count(usage.empty)) " without a sure answer"
                    }
                }
            }
        }
    }
}

fn keys_section(keys: &[KeyInfo]) -> Markup {
    html! {
        section { h2 { "Keys" }
            @if keys.is_empty() { p.note { "It has no keys." } }
            ul.plain { @for key in keys { li { (key_line(key)) } } }
        }
    }
}

fn retire_section(agent: &AgentName) -> Markup {
    html! {
        section {
            h2 { "Retire what it wrote" }
            p {
                "Retires everything it wrote since a date, and restores what that had replaced. "
                "You can undo this."
            }
            form.inline data-call="POST /v1/agents/take-back" data-say="Retired."
                data-undo="POST /v1/agents/give-back"
                data-undo-body=(serde_json::json!({ "agent": agent.as_str() })) {
                input type="hidden" name="agent" value=(agent);
                input type="hidden" name="confirm" value="true" data-as="json";
                label { span { "Since (empty: everything)" } input type="date" name="since"; }
                button.danger { "Retire its memories" } (form_error())
            }
            form data-call="POST /v1/agents/give-back" data-say="Undone." {
                input type="hidden" name="agent" value=(agent);
                button.plain { "Undo the last retirement" } (form_error())
            }
        }
    }
}
