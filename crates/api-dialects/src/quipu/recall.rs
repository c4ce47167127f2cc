//! `recall`: searches with a query or filters; without any, returns the briefing for a new session.

use super::{parse_date, render};
use crate::answer_budget::{LeftOutFields, fit_answer};
use crate::arguments::{self, SessionName, one_project};
use crate::marks::{self, insert_marks, mark_listing};
use crate::tool_table::ToolDefinition;
use engine::briefing::{BUDGET_TOKENS, Briefing, BriefingRequest};
use engine::recall::{MemoryHit, RecallRequest, RecallResults};
use engine::{Caller, Engine};
use model::{Failure, JsonMap, MemoryId};
use schemars::JsonSchema;
use serde::Deserialize;
use serde_json::{Value, json};

/// Smallest budget; less would leave nothing but the names of the fields.
const BUDGET_TOKENS_MIN: usize = 250;

/// Arguments of `recall`.
#[derive(Debug, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
struct Arguments {
    /// Question or keywords.
    query: Option<String>,
    /// Only this project.
    project: Option<String>,
    /// Only this session.
    session: Option<SessionName>,
    /// Only fact, decision, preference, note, episode...
    kinds: Option<Vec<String>>,
    /// Any of these.
    tags: Option<Vec<String>>,
    /// From this date on.
    since: Option<String>,
    /// Up to this date.
    until: Option<String>,
    /// As known on this date.
    as_of: Option<String>,
    /// These in full.
    ids: Option<Vec<i64>>,
    /// At most 100.
    #[schemars(extend("default" = 10))]
    limit: Option<usize>,
    /// Maximum tokens.
    #[schemars(extend("default" = 1500))]
    budget_tokens: Option<usize>,
    /// Show parts of scores.
    explain: Option<bool>,
}

pub(super) const TOOL: ToolDefinition = ToolDefinition {
    name: "recall",
    title: "Recall from memory",
    description: "Search memory, before you answer or decide: what did we decide, past decisions, \
                  preferences, facts, people, notes, todo from last time; do you remember, what \
                  you remember of this project. No arguments: a briefing for the start of a \
                  session. Example: {\"query\": \"why did we pick Postgres?\"}",
    input: arguments::short_schema::<Arguments>,
    output: "memories?: objects, confidence?: number, weak?: boolean, left_out?: integer, \
             hint?: string, embedder?: string, words_alone?: string, briefing?: object",
    always_load: true,
};

pub(super) async fn call(
    engine: &Engine,
    caller: &Caller,
    given: JsonMap,
) -> Result<Value, Failure> {
    let arguments: Arguments = arguments::read(given)?;
    // Ids name the memories exactly, so a query and filters add nothing.
    if let Some(ids) = &arguments.ids {
        return by_ids(engine, caller, ids).await;
    }
    // Several clients send an empty query instead of none.
    let asks = arguments.query.as_deref().is_some_and(|query| !query.trim().is_empty());
    if !asks && !arguments.has_filters() {
        let input = BriefingRequest {
            project: one_project(arguments.project.clone()),
            budget_tokens: arguments.budget_tokens,
        };
        let briefing = engine.memories().briefing(caller, &input).await?;
        let answer = json!({ "briefing": render_briefing(&briefing) });
        return Ok(within_budget(caller, answer, input.budget_tokens));
    }
    let input = arguments.into_request()?;
    Ok(recall_answer(caller, &engine.memories().recall(caller, &input).await?, &input))
}

/// Renders the results of a recall as the answer that an agent gets, within its budget.
#[must_use]
pub fn recall_answer(caller: &Caller, recalled: &RecallResults, input: &RecallRequest) -> Value {
    let mut answer = render_result(recalled, input);
    if !caller.in_person && !input.explain {
        leave_out_own(&mut answer, caller, input);
    }
    within_budget(caller, answer, input.budget_tokens)
}

/// Removes from the found memories what an agent knows of its own: its name, its project, and the
/// session unless it asked for one. Each costs tokens with every memory.
fn leave_out_own(answer: &mut Value, caller: &Caller, input: &RecallRequest) {
    let project = caller.environment.project.as_deref();
    for memory in answer["memories"].as_array_mut().into_iter().flatten() {
        let Some(fields) = memory.as_object_mut() else { continue };
        let is = |name: &str, own: &str| fields.get(name).and_then(Value::as_str) == Some(own);
        let is_own = is("by", caller.author.agent.as_str());
        let is_here = project.is_some_and(|project| is("project", project));
        let unwanted =
            [(is_own, "by"), (is_here, "project"), (input.sessions.is_empty(), "session")];
        for (_, name) in unwanted.iter().filter(|(unwanted, _)| *unwanted) {
            fields.remove(*name);
        }
    }
}

/// Cuts the answer to an agent to its budget, field names and marks included; the engine has cut
/// the texts only.
fn within_budget(caller: &Caller, answer: Value, tokens: Option<usize>) -> Value {
    if caller.in_person {
        return answer;
    }
    let tokens = tokens.unwrap_or(BUDGET_TOKENS).max(BUDGET_TOKENS_MIN);
    fit_answer(answer, tokens, LeftOutFields::Hint)
}

impl Arguments {
    /// Returns true if anything narrows the search: then a missing query asks for a list, not for
    /// the briefing.
    fn has_filters(&self) -> bool {
        let lists = [&self.kinds, &self.tags];
        let texts = [&self.since, &self.until, &self.as_of];
        self.session.is_some()
            || lists.iter().any(|list| list.is_some())
            || texts.iter().any(|text| text.is_some())
    }

    fn into_request(self) -> Result<RecallRequest, Failure> {
        Ok(RecallRequest {
            projects: one_project(self.project).into_iter().collect(),
            sessions: self.session.as_ref().map(SessionName::session).into_iter().collect(),
            kinds: self.kinds.unwrap_or_default(),
            tags: self.tags.unwrap_or_default(),
            since: parse_date("since", self.since.as_deref())?,
            until: parse_date("until", self.until.as_deref())?,
            as_of: parse_date("as_of", self.as_of.as_deref())?,
            limit: self.limit,
            budget_tokens: self.budget_tokens,
            explain: self.explain.unwrap_or(false),
            ..RecallRequest::query(self.query.unwrap_or_default())
        })
    }
}

/// Returns the newest memories of a project, rendered.
pub(super) async fn newest_of_project(
    engine: &Engine,
    caller: &Caller,
    project: &str,
    limit: usize,
) -> Result<Value, Failure> {
    let request = RecallRequest {
        projects: vec![project.to_owned()],
        limit: Some(limit),
        ..RecallRequest::query("")
    };
    let recalled = engine.memories().recall(caller, &request).await?;
    Ok(recalled.hits.iter().map(|hit| render_hit(hit, false)).collect())
}

async fn by_ids(engine: &Engine, caller: &Caller, ids: &[i64]) -> Result<Value, Failure> {
    let ids: Vec<MemoryId> = ids.iter().copied().map(MemoryId).collect();
    let memories = engine.memories().get(caller, &ids).await?;
    let missing: Vec<String> = ids
        .iter()
        .filter(|id| memories.iter().all(|memory| memory.id != **id))
        .map(ToString::to_string)
        .collect();
    let mut items = render::memories(&memories);
    mark_listing(engine, caller, &memories, &mut items, marks::PLAIN).await?;
    let mut answer = JsonMap::from_iter([("memories".to_owned(), Value::Array(items))]);
    let hint = (!missing.is_empty())
        .then(|| format!("no memory has the id {}", missing.join(", ")).into());
    render::insert_some(&mut answer, "hint", hint);
    Ok(Value::Object(answer))
}

fn render_result(recalled: &RecallResults, input: &RecallRequest) -> Value {
    let mut answer = JsonMap::new();
    answer.insert(
        "memories".into(),
        recalled.hits.iter().map(|hit| render_hit(hit, input.explain)).collect(),
    );
    render::insert_some(&mut answer, "confidence", recalled.confidence.map(render::rounded));
    render::insert_some(&mut answer, "weak", recalled.weak.then_some(Value::Bool(true)));
    render::insert_some(
        &mut answer,
        "left_out",
        (recalled.left_out > 0).then(|| recalled.left_out.into()),
    );
    render::insert_some(&mut answer, "hint", hint(recalled).map(Value::from));
    if input.explain {
        answer.insert(
            "embedder".into(),
            recalled.embedder.clone().unwrap_or_else(|| "none".into()).into(),
        );
        render::insert_some(
            &mut answer,
            "words_alone",
            recalled.words_only_reason.clone().map(Value::from),
        );
    }
    Value::Object(answer)
}

fn render_hit(hit: &MemoryHit, explain: bool) -> Value {
    let mut memory = render::memory(&hit.memory);
    if let Some(cut) = &hit.excerpt {
        memory.insert("text".into(), cut.as_str().into());
        memory.insert("cut".into(), true.into());
    }
    insert_marks(&mut memory, &hit.marks(), marks::PLAIN);
    if explain {
        memory.insert("score".into(), render::rounded(hit.score));
        let parts =
            hit.parts.iter().map(|(name, value)| ((*name).to_owned(), render::rounded(*value)));
        memory.insert("parts".into(), Value::Object(parts.collect()));
    }
    Value::Object(memory)
}

fn hint(recalled: &RecallResults) -> Option<String> {
    if recalled.hits.is_empty() {
        return Some(
            "nothing is known about this; ask the owner, or try other words or fewer filters"
                .to_owned(),
        );
    }
    let weak = recalled.weak.then(|| {
        "weak: these may only be similar; check before you rely on them, or ask the owner"
            .to_owned()
    });
    let hints: Vec<String> = weak.into_iter().chain(incomplete_hint(recalled)).collect();
    (!hints.is_empty()).then(|| hints.join("; "))
}

/// Returns the hint for texts that were cut or left out.
fn incomplete_hint(recalled: &RecallResults) -> Option<String> {
    let cut = recalled.hits.iter().any(|hit| hit.excerpt.is_some());
    match (recalled.left_out, cut) {
        (0, false) => None,
        (0, true) => {
            Some("texts marked cut are shortened; recall with ids returns them in full".to_owned())
        }
        (left, _) => {
            Some(format!("{left} more match; raise limit or budget_tokens, or narrow the query"))
        }
    }
}

fn render_briefing(briefing: &Briefing) -> Value {
    let mut shown = JsonMap::new();
    render::insert_some(
        &mut shown,
        "profile",
        (!briefing.profile.is_empty()).then(|| json!(briefing.profile)),
    );
    let left_out = briefing.profile_left_out.iter().map(|name| name.as_str().into()).collect();
    render::insert_non_empty(&mut shown, "profile_left_out", left_out);
    let episode = briefing.episode.as_ref().map(|memory| Value::Object(render::memory(memory)));
    render::insert_some(&mut shown, "last_session", episode);
    let handoffs = briefing.handoffs.iter().map(super::handoff::render_listed).collect();
    render::insert_non_empty(&mut shown, "open_handoffs", handoffs);
    render::insert_non_empty(&mut shown, "decisions", render::memories(&briefing.decisions));
    render::insert_non_empty(&mut shown, "notable", render::memories(&briefing.notable));
    let entities = briefing.entities.iter().map(|entity| entity.name.as_str().into()).collect();
    render::insert_non_empty(&mut shown, "often_mentioned", entities);
    shown.insert("exists".into(), render_counts(briefing));
    Value::Object(shown)
}

fn render_counts(briefing: &Briefing) -> Value {
    let exists = &briefing.inventory;
    let counted = |list: &[(String, usize)]| -> JsonMap {
        list.iter().map(|(name, count)| (name.clone(), Value::from(*count))).collect()
    };
    let mut shown = JsonMap::from_iter([("memories".to_owned(), Value::from(exists.memories))]);
    let tables: Vec<(String, usize)> =
        exists.tables.iter().map(|table| (table.name.clone(), table.rows)).collect();
    for (name, list) in
        [("kinds", &exists.kinds), ("projects", &exists.projects), ("tables", &tables)]
    {
        render::insert_some(
            &mut shown,
            name,
            (!list.is_empty()).then(|| Value::Object(counted(list))),
        );
    }
    render::insert_some(
        &mut shown,
        "references",
        (exists.references > 0).then(|| exists.references.into()),
    );
    render::insert_some(
        &mut shown,
        "to_review",
        (exists.reviews > 0).then(|| exists.reviews.into()),
    );
    Value::Object(shown)
}
