//! Agent preview: the briefing or the recall results that an agent would get under its grants, as a
//! list and as the exact text of each dialect, with its cost in tokens.

use super::components::{counted, empty_state, format_count, memory_line};
use super::shell::PageContent;
use super::words;
use crate::api::NoFields;
use crate::request_context::RequestContext;
use engine::briefing::{Briefing, BriefingRequest};
use engine::recall::{RecallRequest, RecallResults};
use engine::{Caller, CallerAccess, estimate_tokens};
use maud::{Markup, html};
use model::{AgentName, Dialect, Failure, Memory};
use schemars::JsonSchema;
use serde::Deserialize;
use serde_json::Value;
use server::{AnswerPreview, ServedDialect};

/// Client that the audit log names for a preview.
pub(super) const PREVIEW_CLIENT: &str = "the owner's preview";

/// Query of the page.
#[derive(Debug, Deserialize, JsonSchema)]
pub(crate) struct AgentPreviewQuery {
    agent: Option<String>,
    /// Name of the dialect; the first one by default.
    tools: Option<String>,
    #[serde(default)]
    query: String,
    project: Option<String>,
}

impl AgentPreviewQuery {
    fn question(&self) -> Option<&str> {
        Some(self.query.trim()).filter(|question| !question.is_empty())
    }

    fn project(&self) -> Option<String> {
        self.project.clone().filter(|project| !project.trim().is_empty())
    }

    fn served<'c>(&self, context: &'c RequestContext) -> Option<&'c ServedDialect> {
        let named = |served: &&ServedDialect| self.tools.as_deref() == Some(served.dialect.name());
        context.dialects.iter().find(named).or_else(|| context.dialects.first())
    }
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
            "Without a question: what a new session starts with."
        }
        @if agents.is_empty() {
            (empty_state("No agent yet", html! {
                p { a href="/agents" { "Connect one" } "; then you can see what it sees." }
            }))
        }
        (form(&context, &query, &agents))
        @if let Some(preview) = preview { (preview) }
    };
    Ok(PageContent { title: "What an agent sees".into(), nav_path: "/sees", body })
}

fn form(context: &RequestContext, query: &AgentPreviewQuery, agents: &[String]) -> Markup {
    let chosen = query.served(context).map(|served| served.dialect);
    html! {
        form.search action="/sees" {
            div.fields {
                label {
                    span { "Agent" }
                    select name="agent" required {
                        @for name in agents {
                            option value=(name) selected[query.agent.as_ref() == Some(name)] {
                                (name)
                            }
                        }
                    }
                }
                label {
                    span { "Tools" }
                    select name="tools" {
                        @for served in &context.dialects {
                            option value=(served.dialect.name())
                                selected[chosen == Some(served.dialect)] {
                                (words::way(served.dialect))
                            }
                        }
                    }
                }
                label.wide-field {
                    span { "Question" } input name="query" value=(query.query) dir="auto";
                }
                label {
                    span { "Project" }
                    input name="project" value=[query.project.as_deref()] dir="auto";
                }
                div.actions { button.primary { "Preview" } }
            }
        }
    }
}

/// Returns the agent as a caller whose calls are recorded as the owner's preview.
async fn preview_caller(
    context: &RequestContext,
    agent: &str,
    query: &AgentPreviewQuery,
) -> Result<Caller, Failure> {
    let name = AgentName::new(agent);
    let keys = context.credentials.keys(&context.caller).await?;
    // A key caps what its agent may do, so the preview applies its scope too.
    let scope = keys
        .iter()
        .find(|key| key.key.agent == name && key.revoked_at.is_none())
        .map(|key| key.key.scope);
    // No client can introduce itself under this dialect, so none can pass for a preview.
    let caller = Caller::agent(context.caller.owner.clone(), name, Dialect::Rest);
    let mut caller = caller.with_tool("sees").as_preview();
    caller.author.client = Some(PREVIEW_CLIENT.to_owned());
    caller.environment.project = query.project();
    Ok(match scope {
        Some(scope) => caller.with_reach(CallerAccess::Credential(scope)),
        None => caller,
    })
}

/// Renders what the agent would get: the exact text, and the memories in it as a list.
async fn preview(
    context: &RequestContext,
    agent: &str,
    query: &AgentPreviewQuery,
) -> Result<Markup, Failure> {
    let caller = preview_caller(context, agent, query).await?;
    let Some(served) = query.served(context) else {
        return Ok(list(context, &caller, query).await);
    };
    let answer = served.preview_answer(&context.engine, &caller, query.question()).await;
    Ok(html! {
        @match &answer {
            Ok(Some(answer)) => (exact_text(answer)),
            Ok(None) => {}
            Err(refused) => (refusal(refused)),
        }
        @if answer.is_ok() { (list(context, &caller, query).await) }
        (read_first(served))
    })
}

fn refusal(failure: &Failure) -> Markup {
    let reason = words::sentence(&failure.message);
    html! { p.problem role="alert" { "It would be refused: " (reason) } }
}

/// Renders the text of an answer as the agent reads it, with the call that it answers.
fn exact_text(answer: &AnswerPreview) -> Markup {
    let call = format!("{} {}", answer.tool, Value::Object(answer.arguments.clone()));
    html! {
        section aria-labelledby="exact" {
            h2 #exact {
                "The exact text, about " span #exact-tokens {
                    (counted(estimate_tokens(&answer.text), "token", "tokens"))
                }
            }
            p.note { "The answer to " code dir="auto" { (call) } }
            pre #exact-text tabindex="0" { code dir="auto" { (answer.text) } }
        }
    }
}

/// Renders what every client of a dialect reads before its first call.
fn read_first(served: &ServedDialect) -> Markup {
    let (instructions, tools) = (served.instructions(), served.tools_text());
    let tokens = estimate_tokens(instructions) + estimate_tokens(&tools);
    html! {
        details #read-first {
            summary {
                "Before its first call it reads the instructions and the tools, about "
                (counted(tokens, "token", "tokens"))
            }
            pre tabindex="0" { code { (instructions) } }
            p {
                (counted(served.tool_names().count(), "tool", "tools")) ": "
                @for (at, name) in served.tool_names().enumerate() {
                    @if at > 0 { ", " } code { (name) }
                }
            }
        }
    }
}

/// Renders the memories that the agent may read and would get, best first or by section.
async fn list(context: &RequestContext, caller: &Caller, query: &AgentPreviewQuery) -> Markup {
    let memories = context.engine.memories();
    let found = match query.question() {
        None => {
            let request = BriefingRequest { project: query.project(), budget_tokens: None };
            memories.briefing(caller, &request).await.map(|briefing| render_briefing(&briefing))
        }
        Some(question) => {
            let recall = RecallRequest {
                projects: query.project().into_iter().collect(),
                ..RecallRequest::query(question.to_owned())
            };
            memories.recall(caller, &recall).await.map(|recalled| render_results(&recalled))
        }
    };
    html! {
        section aria-labelledby="as-list" {
            h2 #as-list { "As a list" }
            @match found { Ok(list) => (list), Err(refused) => (refusal(&refused)) }
        }
    }
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
                    h3 { (title) }
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
                h3 { "Profile" }
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
                h3 { "Handoffs" }
                ul.plain {
                    @for handoff in &briefing.handoffs { li dir="auto" { (handoff.title) } }
                }
            }
        }
        @if !briefing.entities.is_empty() {
            section {
                h3 { "Entities" }
                ul.inline {
                    @for entity in &briefing.entities {
                        li { span.tag dir="auto" { (entity.name) } }
                    }
                }
            }
        }
    }
}
