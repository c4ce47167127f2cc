//! What an agent sees: the briefing or the answer that it would get, under its grants, with what it
//! costs.

use super::parts::{memory_line, nothing, number};
use super::shell::Page;
use crate::api::Nothing;
use crate::desk::Desk;
use engine::briefing::{Brief, Briefing};
use engine::recall::{Recall, Recalled};
use engine::{Caller, Reach, estimate_tokens};
use maud::{Markup, html};
use model::{AgentName, Dialect, Failure, Memory};
use schemars::JsonSchema;
use serde::Deserialize;

/// Who looks, and at what.
#[derive(Debug, Deserialize, JsonSchema)]
pub(crate) struct Asked {
    agent: Option<String>,
    #[serde(default)]
    query: String,
    project: Option<String>,
}

pub(super) async fn page(desk: Desk, _: Nothing, asked: Asked) -> Result<Page, Failure> {
    let agents = desk.engine.memories().overview(&desk.caller, 1).await?.agents;
    let agent = asked.agent.as_deref().filter(|agent| !agent.trim().is_empty());
    let seen = match agent {
        Some(agent) => Some(look(&desk, agent, &asked).await?),
        None => None,
    };
    let body = html! {
        h1 { "What an agent sees" }
        p.lead { "The same question, asked as one of your agents. Without a question: the briefing a new session starts with." }
        form.search action="/sees" {
            div.fields {
                label { span { "Agent" } input name="agent" list="agents" value=[agent] required dir="auto"; }
                datalist #agents { @for (name, _) in &agents { option value=(name) {} } }
                label { span { "Question" } input name="query" value=(asked.query) dir="auto"; }
                label { span { "Project" } input name="project" value=[asked.project.as_deref()] dir="auto"; }
                div.actions { button.primary { "Look" } }
            }
        }
        @if let Some(seen) = seen { (seen) }
    };
    Ok(Page { title: "What an agent sees".into(), place: "/sees", body })
}

/// Looks as the agent would. The log says that it was the owner who looked.
async fn look(desk: &Desk, agent: &str, asked: &Asked) -> Result<Markup, Failure> {
    let name = AgentName::new(agent);
    let keys = desk.credentials.keys(&desk.caller).await?;
    let scope = keys
        .iter()
        .find(|key| key.key.agent == name && key.revoked_at.is_none())
        .map(|key| key.key.scope);
    let mut eyes = Caller::agent(desk.caller.owner.clone(), name, Dialect::Rest).using("sees");
    eyes.author.client = Some("the owner, looking with its eyes".to_owned());
    let eyes = scope.map_or(eyes.clone(), |scope| eyes.reaching(Reach::Credential(scope)));
    let project = asked.project.clone().filter(|project| !project.trim().is_empty());
    let seen = if asked.query.trim().is_empty() {
        desk.engine
            .memories()
            .briefing(&eyes, &Brief { project, budget_tokens: None })
            .await
            .map(|briefing| briefed(&briefing))
    } else {
        let recall = Recall {
            projects: project.into_iter().collect(),
            ..Recall::query(asked.query.clone())
        };
        desk.engine.memories().recall(&eyes, &recall).await.map(|recalled| answered(&recalled))
    };
    Ok(seen.unwrap_or_else(
        |refused| html! { p.problem role="alert" { "It would be refused: " (refused.message) } },
    ))
}

fn answered(recalled: &Recalled) -> Markup {
    let text =
        |hit: &engine::recall::Hit| hit.cut.clone().unwrap_or_else(|| hit.memory.text.clone());
    let tokens: usize = recalled.hits.iter().map(|hit| estimate_tokens(&text(hit))).sum();
    html! {
        p.found { "About " (number(tokens)) " tokens in " (recalled.hits.len()) " memories" @if recalled.left_out > 0 { ", " (number(recalled.left_out)) " more match and are left out" } }
        @if recalled.hits.is_empty() { (nothing("It sees nothing", html! { p { "No memory that it may read answers this." } })) }
        ol.cards { @for hit in &recalled.hits { li.card { div { (memory_line(&hit.memory)) @if hit.cut.is_some() { p.note { "cut to fit its budget" } } } } } }
    }
}

fn briefed(briefing: &Briefing) -> Markup {
    let part = |title: &str, memories: &[&Memory]| {
        html! { @if !memories.is_empty() { section { h2 { (title) } ul.cards { @for memory in memories { li.card { div { (memory_line(memory)) } } } } } } }
    };
    html! {
        p.found { "About " (number(briefing.tokens)) " tokens" }
        @if !briefing.profile.is_empty() { section { h2 { "Profile" } pre { code dir="auto" { (serde_json::to_string_pretty(&briefing.profile).unwrap_or_default()) } } } }
        (part("The last session", &briefing.episode.iter().collect::<Vec<_>>()))
        (part("Decisions", &briefing.decisions.iter().collect::<Vec<_>>()))
        (part("Notable", &briefing.notable.iter().collect::<Vec<_>>()))
        @if !briefing.handoffs.is_empty() { section { h2 { "Handoffs" } ul.plain { @for handoff in &briefing.handoffs { li dir="auto" { (handoff.title) } } } } }
        @if !briefing.entities.is_empty() { section { h2 { "Who and what" } ul.inline { @for entity in &briefing.entities { li { span.tag dir="auto" { (entity.name) } } } } } }
    }
}
