//! Agent preview: the briefing or the recall results that an agent would get under its grants, with
//! their cost in tokens.

use super::components::{counted, empty_state, format_count, memory_line};
use super::shell::PageContent;
use crate::api::NoFields;
use crate::request_context::RequestContext;
use engine::briefing::{Briefing, BriefingRequest};
use engine::recall::{RecallRequest, RecallResults};
use engine::{Caller, CallerAccess, estimate_tokens};
use maud::{Markup, html};
use model::{AgentName, Dialect, Failure, Memory};
use schemars::JsonSchema;
use serde::Deserialize;

/// Client that the audit log names for a preview.
pub(super) const PREVIEW_CLIENT: &str = "the owner's preview";

/// Query of the page.
#[derive(Debug, Deserialize, JsonSchema)]
pub(crate) struct AgentPreviewQuery {
    agent: Option<String>,
    #[serde(default)]
    query: String,
    project: Option<String>,
}

pub(super) async fn page(
    context: RequestContext,
    _: NoFields,
    query: AgentPreviewQuery,
) -> Result<PageContent, Failure> {
    let agents = super::agents::agent_names(&context).await?;
    let agent = query.agent.as_deref().filter(|agent| !agent.trim().is_empty());
    let preview = match agent {
        Some(agent) if agents.iter().any(|known| known == agent) => {
            Some(preview(&context, agent, &query).await?)
        }
        // A typing error must not look like an agent that sees everything.
        Some(unknown) => Some(html! {
            p.problem role="alert" { "No agent is called “" span dir="auto" { (unknown) } "”." }
        }),
        None => None,
    };
    let body = html! {
        h1 { "What an agent sees" }
        p.lead {
            "Ask a question as one of your agents. "
            "Without a question: the briefing that a new session starts with."
        }
        @if agents.is_empty() {
            (empty_state("No agent yet", html! {
                p { a href="/agents" { "Connect one" } "; then you can see what it sees." }
            }))
        }
        form.search action="/sees" {
            div.fields {
                label {
                    span { "Agent" }
                    select name="agent" required {
                        @for name in &agents {
                            option value=(name) selected[agent == Some(name.as_str())] { (name) }
                        }
                    }
                }
                label { span { "Question" } input name="query" value=(query.query) dir="auto"; }
                label {
                    span { "Project" }
                    input name="project" value=[query.project.as_deref()] dir="auto";
                }
                div.actions { button.primary { "Preview" } }
            }
        }
        @if let Some(preview) = preview { (preview) }
    };
    Ok(PageContent { title: "What an agent sees".into(), nav_path: "/sees", body })
}

/// Runs the query as the agent. The audit log records that it was the owner's preview.
async fn preview(
    context: &RequestContext,
    agent: &str,
    query: &AgentPreviewQuery,
) -> Result<Markup, Failure> {
    let name = AgentName::new(agent);
    let keys = context.credentials.keys(&context.caller).await?;
    // A key caps what its agent may do, so the preview applies its scope too.
    let scope = keys
        .iter()
        .find(|key| key.key.agent == name && key.revoked_at.is_none())
        .map(|key| key.key.scope);
    let mut agent_caller = Caller::agent(context.caller.owner.clone(), name, Dialect::Rest)
        .with_tool("sees")
        .as_preview();
    agent_caller.author.client = Some(PREVIEW_CLIENT.to_owned());
    let agent_caller = scope.map_or(agent_caller.clone(), |scope| {
        agent_caller.with_reach(CallerAccess::Credential(scope))
    });
    let project = query.project.clone().filter(|project| !project.trim().is_empty());
    let preview = if query.query.trim().is_empty() {
        context
            .engine
            .memories()
            .briefing(&agent_caller, &BriefingRequest { project, budget_tokens: None })
            .await
            .map(|briefing| render_briefing(&briefing))
    } else {
        let recall = RecallRequest {
            projects: project.into_iter().collect(),
            ..RecallRequest::query(query.query.clone())
        };
        context
            .engine
            .memories()
            .recall(&agent_caller, &recall)
            .await
            .map(|recalled| render_results(&recalled))
    };
    Ok(preview.unwrap_or_else(
        |refused| html! { p.problem role="alert" { "It would be refused: " (super::words::sentence(&refused.message)) } },
    ))
}

fn render_results(recalled: &RecallResults) -> Markup {
    let text = |hit: &engine::recall::MemoryHit| {
        hit.excerpt.clone().unwrap_or_else(|| hit.memory.text.clone())
    };
    let tokens: usize = recalled.hits.iter().map(|hit| estimate_tokens(&text(hit))).sum();
    html! {
        p.found {
            "About " (counted(tokens, "token", "tokens")) " in "
            (counted(recalled.hits.len(), "memory", "memories"))
            @if recalled.left_out > 0 {
                ", " (format_count(recalled.left_out)) " more match and are left out"
            }
        }
        @if recalled.hits.is_empty() {
            (empty_state(
                "Nothing found",
                html! { p { "No memory that it may read answers this." } },
            ))
        }
        ol.cards {
            @for hit in &recalled.hits {
                li.card {
                    div {
                        (memory_line(&hit.memory))
                        @if hit.excerpt.is_some() { p.note { "truncated to fit its budget" } }
                    }
                }
            }
        }
    }
}

fn render_briefing(briefing: &Briefing) -> Markup {
    let part = |title: &str, memories: &[&Memory]| {
        html! {
            @if !memories.is_empty() {
                section {
                    h2 { (title) }
                    ul.cards {
                        @for memory in memories { li.card { div { (memory_line(memory)) } } }
                    }
                }
            }
        }
    };
    html! {
        p.found { "About " (counted(briefing.tokens, "token", "tokens")) }
        @if !briefing.profile.is_empty() {
            section {
                h2 { "Profile" }
                pre {
                    code dir="auto" {
                        (serde_json::to_string_pretty(&briefing.profile).unwrap_or_default())
                    }
                }
            }
        }
        (part("The last session", &briefing.episode.iter().collect::<Vec<_>>()))
        (part("Decisions", &briefing.decisions.iter().collect::<Vec<_>>()))
        (part("Notable", &briefing.notable.iter().collect::<Vec<_>>()))
        @if !briefing.handoffs.is_empty() {
            section {
                h2 { "Handoffs" }
                ul.plain {
                    @for handoff in &briefing.handoffs { li dir="auto" { (handoff.title) } }
                }
            }
        }
        @if !briefing.entities.is_empty() {
            section {
                h2 { "Entities" }
                ul.inline {
                    @for entity in &briefing.entities {
                        li { span.tag dir="auto" { (entity.name) } }
                    }
                }
            }
        }
    }
}
