//! One agent: what it may read and write, place by place; its keys; and taking back what it wrote.

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

/// Of how many days it is told how much the agent asked for and got.
const DAYS: usize = 30;

/// Which agent.
#[derive(Debug, Deserialize, JsonSchema)]
pub(crate) struct Named {
    agent: String,
}

pub(super) async fn page(desk: Desk, _: Nothing, asked: Named) -> Result<Page, Failure> {
    let agent = AgentName::new(&asked.agent);
    let mut keys = desk.credentials.keys(&desk.caller).await?;
    keys.retain(|key| key.key.agent == agent);
    let used = desk
        .engine
        .admin()
        .activity(&desk.caller, DAYS)
        .await?
        .agents
        .into_iter()
        .find(|one| one.agent == agent);
    let places = Places::of(&desk, &agent).await?;
    let body = html! {
        p.crumb { a href="/agents" { "Agents" } " / " span dir="auto" { (agent) } }
        h1 dir="auto" { (agent) }
        p.about { a href={ "/memories?agent=" (encoded(agent.as_str())) } { "What it wrote" } a href={ "/activity?agent=" (encoded(agent.as_str())) } { "What it did" } a href={ "/sees?agent=" (encoded(agent.as_str())) } { "What it sees" } }
        div.columns {
            section { h2 { "What it may do" } p.note { "The most specific rule wins; where none speaks, nothing is allowed." } (rules(&agent, &places)) }
            div { (its_use(used.as_ref())) (its_keys(&keys)) (take_back(&agent)) }
        }
    };
    Ok(Page { title: agent.to_string(), place: "/agents", body })
}

fn rules(agent: &AgentName, places: &Places) -> Markup {
    const NONE: &str = "no rule";
    let all = places.whole.iter().chain(&places.single);
    html! {
        form data-call="PUT /v1/grants" data-nested="grants" data-say="The rules hold from now on." {
            input type="hidden" name="agent" value=(agent);
            div.scroll tabindex="0" role="region" aria-label="Rules" { table {
                thead { tr { th scope="col" { "Place" } th scope="col" { "May" } } }
                tbody #rules { @for place in all { (rule(place, NONE, Permission::Write)) } }
            } }
            @if places.left_out > 0 { p.note { (number(places.left_out)) " more tables and collections are not listed; name them here." } }
            (another(NONE, Permission::Write))
            (problem()) button.primary { "Save the rules" }
        }
    }
}

fn its_use(used: Option<&AgentUse>) -> Markup {
    html! {
        section { h2 { "The last " (DAYS) " days" }
            @match used {
                None => p.note { "It was not here." }
                Some(used) => dl.pairs {
                    dt { "Last seen" } dd { (when(used.last)) }
                    dt { "Calls" } dd { (number(used.calls)) }
                    dt { "Tokens served" } dd { (number(used.tokens)) }
                    dt { "Questions" } dd { (number(used.recalls)) ", " (number(used.empty)) " without an answer" }
                }
            }
        }
    }
}

fn its_keys(keys: &[KeyInfo]) -> Markup {
    html! {
        section { h2 { "Keys" }
            @if keys.is_empty() { p.note { "It has none of its own." } }
            ul.plain { @for key in keys { li { (key_line(key)) } } }
        }
    }
}

fn take_back(agent: &AgentName) -> Markup {
    html! {
        section { h2 { "Take back" }
            p { "Retires what it wrote since a day; what that had replaced holds again. You can undo it." }
            form.inline data-call="POST /v1/agents/take-back" data-say="Taken back." { input type="hidden" name="agent" value=(agent); input type="hidden" name="confirm" value="true" data-as="json";
                label { span { "Since; everything when empty" } input type="date" name="since"; } button.danger { "Take it back" } (problem()) }
            form data-call="POST /v1/agents/give-back" data-say="Undone." { input type="hidden" name="agent" value=(agent); button.plain { "Undo the last taking back" } (problem()) }
        }
    }
}
