//! `remember`: stores a memory of a session and returns it as stored, or the reason why it was
//! skipped.

use super::render::{self, SessionNames};
use super::{CodeMemoryContext, auto_tags};
use crate::arguments;
use crate::tool_table::ToolDefinition;
use engine::remember::{RememberOutcome, RememberRequest, RememberStatus};
use engine::{Caller, Engine, OnDuplicate, summary_of};
use model::{ErrorCode, Failure, JsonMap, MemoryId};
use schemars::JsonSchema;
use serde::Deserialize;
use serde_json::{Value, json};

/// Maximum length of a summary that is extracted from the content.
const EXTRACTED_SUMMARY_CHARS: usize = 240;

/// Arguments of `remember`.
#[derive(Debug, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
struct Arguments {
    /// One idea, specific and short. At most 64 KiB.
    content: String,
    /// Your session; the same value for the whole session.
    #[schemars(required)]
    session_id: Option<String>,
    /// decision, bugfix, note...
    #[schemars(extend("default" = "note"))]
    kind: Option<String>,
    /// Short summary; default: the first sentences.
    summary: Option<String>,
    /// Comma-separated: auth,jwt,bugfix; default: derived from the content.
    tags: Option<String>,
    /// 1 (most important) to 5.
    #[schemars(extend("default" = 3))]
    priority: Option<i64>,
    /// JSON object as text: {"repo":"shop","ticket":"MEM-12"}.
    metadata_json: Option<String>,
}

pub(super) const TOOL: ToolDefinition = ToolDefinition {
    name: "remember",
    title: "Remember",
    description: "Store a decision, fix, discovery or note of this session. It can be \
                  searched at once, by words and meaning; list_entities lists the functions, \
                  types, files, commands and tickets in it. Secrets and duplicates are \
                  skipped, with the reason. Example: {\"content\": \"Decision: keep \
                  embeddings on the CPU.\", \"session_id\": \"shop:2026-01-04\", \"kind\": \
                  \"decision\", \"tags\": \"architecture,embeddings\", \"priority\": 1}",
    input: arguments::schema::<Arguments>,
    output: "id?: integer, session_id?: string, kind?: string, summary?: string, tags?: string, \
             priority?: integer, status: string, reason?: string, message?: string, \
             conflicts?: objects, notes?: strings",
    always_load: true,
};

pub(super) async fn call(
    context: &CodeMemoryContext<'_>,
    given: JsonMap,
) -> Result<Value, Failure> {
    let CodeMemoryContext { engine, caller, state: settings } = *context;
    let arguments: Arguments = arguments::read(given)?;
    arguments::check_text("content", &arguments.content)?;
    let mut notes = Vec::new();
    let mut input = arguments.to_request(&mut notes)?;
    let session = arguments.session_id.as_deref().unwrap_or_default();
    input.session = Some(engine.sessions().resolve_session_name(caller, session).await?);
    // A repeated text is a duplicate only where a search would find the first one: within the
    // session, or everywhere if the session scope is off.
    input.on_duplicate =
        settings.enable_session_scope.then_some(OnDuplicate::ReturnExistingInSession);
    match engine.memories().remember(caller, &input).await {
        Ok(done) if done.status == RememberStatus::Duplicate => Ok(render_duplicate(&done)),
        Ok(mut done) => {
            done.notes.append(&mut notes);
            render_stored(engine, caller, &done).await
        }
        Err(failure) => render_skipped(failure),
    }
}

impl Arguments {
    fn to_request(&self, notes: &mut Vec<String>) -> Result<RememberRequest, Failure> {
        Ok(RememberRequest {
            kind: self.kind.clone(),
            summary: Some(
                arguments::non_empty(self.summary.clone())
                    .unwrap_or_else(|| summary_of(&self.content, EXTRACTED_SUMMARY_CHARS)),
            ),
            tags: self.tags(),
            priority: Some(self.priority(notes)),
            metadata: self.metadata()?,
            ..RememberRequest::text(self.content.clone())
        })
    }

    fn tags(&self) -> Vec<String> {
        let given: Vec<String> = self
            .tags
            .iter()
            .flat_map(|tags| tags.split(','))
            .map(|tag| tag.trim().to_owned())
            .filter(|tag| !tag.is_empty())
            .collect();
        if given.is_empty() { auto_tags::infer(&self.content) } else { given }
    }

    /// Returns the priority, clamped to 1 to 5, and notes if it was changed.
    fn priority(&self, notes: &mut Vec<String>) -> u8 {
        let given = self.priority.unwrap_or(3);
        let priority = given.clamp(1, 5);
        if priority != given {
            notes.push(format!("priority {given} is outside 1 to 5; stored as {priority}"));
        }
        priority as u8
    }

    fn metadata(&self) -> Result<JsonMap, Failure> {
        let Some(text) = self.metadata_json.as_deref().filter(|text| !text.trim().is_empty())
        else {
            return Ok(JsonMap::new());
        };
        match serde_json::from_str(text) {
            Ok(Value::Object(fields)) => Ok(fields),
            Ok(_) => Err(metadata_error("must be an object")),
            Err(error) => Err(metadata_error(&format!("is not JSON ({error})"))),
        }
    }
}

async fn render_stored(
    engine: &Engine,
    caller: &Caller,
    done: &RememberOutcome,
) -> Result<Value, Failure> {
    let ids: Vec<MemoryId> = done.id.into_iter().collect();
    let memories = engine.memories().get(caller, &ids).await?;
    let names = SessionNames::load(engine, caller, memories.iter()).await?;
    let memory =
        memories.first().ok_or_else(|| Failure::not_found("memory", "that was just stored"))?;
    let mut answer = names.memory(memory);
    answer.retain(|name, _| {
        ["id", "summary", "session_id", "kind", "tags", "priority"].contains(&name.as_str())
    });
    let status = if done.status == RememberStatus::Proposed { "proposed" } else { "stored" };
    answer.insert("status".into(), status.into());
    let conflicts = done
        .conflicts
        .iter()
        .map(|one| json!({"id": one.memory.0, "content": one.text, "why": one.reason}));
    render::insert_non_empty(&mut answer, "conflicts", conflicts.collect());
    render::insert_notes(&mut answer, &done.sentences());
    Ok(Value::Object(answer))
}

fn render_duplicate(done: &RememberOutcome) -> Value {
    let id = done.id.map(|id| id.0);
    let message = "this memory already says the same; nothing was stored";
    json!({ "status": "skipped", "reason": "duplicate", "id": id, "message": message })
}

fn metadata_error(why: &str) -> Failure {
    Failure::invalid(format!("metadata_json {why}; example: {{\"ticket\":\"MEM-12\"}}"))
}

/// Turns the failures that the contract reports as skipped into results.
fn render_skipped(failure: Failure) -> Result<Value, Failure> {
    let (reason, advice) = match failure.code {
        ErrorCode::SecretRefused => {
            ("sensitive", "nothing was stored; store where to find the secret instead")
        }
        ErrorCode::Forgotten => {
            ("forgotten", "only the owner can store it again, with `quipu remember`")
        }
        _ => return Err(failure),
    };
    // The engine's messages name the field `text`; in this contract it is `content`.
    let message = failure.message.strip_prefix("text ").map(|rest| format!("content {rest}"));
    let message = format!("{}; {advice}", message.unwrap_or(failure.message));
    Ok(json!({ "status": "skipped", "reason": reason, "message": message }))
}
