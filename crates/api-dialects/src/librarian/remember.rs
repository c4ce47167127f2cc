//! `remember`: stores a titled note at once and returns a receipt with its id and what happened to
//! it.

use super::render::{self, CONFIDENCE_NOTE};
use crate::arguments;
use crate::tool_table::ToolDefinition;
use engine::curate::CurateOutcome;
use engine::remember::{RememberOutcome, RememberRequest, RememberStatus};
use engine::{Caller, Engine, OnDuplicate};
use model::{Failure, JsonMap, Memory, MemoryId, limits};
use schemars::JsonSchema;
use serde::Deserialize;
use serde_json::{Value, json};

/// Arguments of `remember`.
#[derive(Debug, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
struct Arguments {
    /// Short headline to find it by later, at most 300 characters.
    title: String,
    /// The full fact, preference or decision, self-contained. [[Title]] and [[id]] become links.
    body: String,
    /// Projects, paths or contexts it applies to.
    applies_to: Option<Vec<String>>,
    /// Your confidence: high, medium, tentative, or in your own words.
    confidence: Option<String>,
    /// At most 64.
    tags: Option<Vec<String>>,
}

pub(super) const TOOL: ToolDefinition = ToolDefinition {
    name: "remember",
    title: "Remember",
    description: "Save a durable fact, preference or decision the moment you learn it, not \
                  small talk. Returns its id; it can be recalled at once. No need to check \
                  first: duplicates are detected, a fuller version replaces the old one, \
                  links are created and contradictions reported. Example: {\"title\": \
                  \"Deploy day\", \"body\": \"We deploy on Tuesdays, see [[Rollback]].\", \
                  \"tags\": [\"ops\"]}",
    input: arguments::open_schema::<Arguments>,
    output: "id: string, happened: string, title?: string, confidence?: string, links?: objects, \
             unresolved_links?: strings, linked_from?: strings, similar?: strings, \
             merged?: strings, joined?: strings, earlier_title?: string, conflicts?: objects, \
             proposals?: integers, ignored?: objects, notes?: strings, hint?: string",
    always_load: true,
};

pub(super) async fn call(
    engine: &Engine,
    caller: &Caller,
    mut given: JsonMap,
) -> Result<Value, Failure> {
    let ignored = render::take_ignored_arguments(&mut given, &[], caller);
    let arguments: Arguments = arguments::read(given)?;
    let curated = engine.memories().curate(caller, &arguments.to_request()?).await?;
    let mut answer = render_result(&arguments, &curated)?;
    if let (RememberStatus::Duplicate, Some(id)) =
        (curated.remembered.status, curated.remembered.id)
    {
        show_stored(&mut answer, engine.memories().get(caller, &[id]).await?.pop().as_ref());
    }
    render::insert_non_empty(&mut answer, "ignored", ignored);
    Ok(Value::Object(answer))
}

impl Arguments {
    fn to_request(&self) -> Result<RememberRequest, Failure> {
        if self.title.trim().is_empty() {
            return Err(Failure::invalid("title is empty; give a short headline"));
        }
        arguments::check_text("body", &self.body)?;
        let note = self.confidence.as_deref().map(str::trim).filter(|note| !note.is_empty());
        limits::chars("confidence", note.unwrap_or_default(), limits::NAME_CHARS)?;
        let metadata = note.map(|note| (CONFIDENCE_NOTE.to_owned(), Value::from(note)));
        Ok(RememberRequest {
            title: Some(self.title.trim().to_owned()),
            tags: self.tags.clone().unwrap_or_default(),
            applies_to: self.applies_to.clone().unwrap_or_default(),
            confidence: note.and_then(interchange::confidence_in_words),
            metadata: metadata.into_iter().collect(),
            // The note says how sure the writer is; it does not make the text another one.
            on_duplicate: Some(OnDuplicate::ReturnExisting),
            ..RememberRequest::text(self.body.clone())
        })
    }
}

fn render_result(arguments: &Arguments, curated: &CurateOutcome) -> Result<JsonMap, Failure> {
    let done = &curated.remembered;
    let id =
        done.id.ok_or_else(|| Failure::invalid("body is empty; give a sentence to remember"))?;
    let mut answer = JsonMap::new();
    answer.insert("id".into(), id.to_string().into());
    answer.insert("happened".into(), outcome_name(curated).into());
    answer.insert("title".into(), arguments.title.trim().into());
    render::insert_some(
        &mut answer,
        "confidence",
        arguments.confidence.as_deref().map(Value::from),
    );
    let links =
        curated.links.iter().map(|(written, to)| json!({"link": written, "to": to.to_string()}));
    render::insert_non_empty(&mut answer, "links", links.collect());
    render::insert_non_empty(&mut answer, "unresolved_links", texts(&curated.unresolved));
    render::insert_non_empty(&mut answer, "linked_from", ids(&curated.linked_from));
    render::insert_non_empty(&mut answer, "similar", ids(&curated.similar));
    render::insert_non_empty(&mut answer, "merged", ids(&merged(done)));
    render::insert_non_empty(&mut answer, "joined", texts(&curated.labels_added));
    render::insert_some(
        &mut answer,
        "earlier_title",
        curated.earlier_title.as_deref().map(Value::from),
    );
    let conflicts = done
        .conflicts
        .iter()
        .map(|one| json!({"id": one.memory.to_string(), "body": one.text, "why": one.reason}));
    render::insert_non_empty(&mut answer, "conflicts", conflicts.collect());
    render::insert_non_empty(
        &mut answer,
        "proposals",
        done.proposals.iter().map(|id| id.0.into()).collect(),
    );
    render::insert_notes(&mut answer, &done.sentences());
    render::insert_some(&mut answer, "hint", hint(curated).map(Value::from));
    Ok(answer)
}

/// Replaces title and confidence with those of the stored note: a duplicate keeps what it had.
fn show_stored(answer: &mut JsonMap, known: Option<&Memory>) {
    answer.remove("title");
    answer.remove("confidence");
    let Some(known) = known else { return };
    render::insert_some(answer, "title", known.title.as_deref().map(Value::from));
    render::insert_some(answer, "confidence", known.metadata.get(CONFIDENCE_NOTE).cloned());
}

fn texts(all: &[String]) -> Vec<Value> {
    all.iter().map(|text| text.as_str().into()).collect()
}

fn ids(all: &[MemoryId]) -> Vec<Value> {
    all.iter().map(|id| id.to_string().into()).collect()
}

/// Returns the notes whose content the new one has; not those whose value it changed.
fn merged(done: &RememberOutcome) -> Vec<MemoryId> {
    let changed = |id: &&MemoryId| done.replaced.iter().any(|one| one.memory == **id);
    done.superseded.iter().filter(|id| !changed(id)).copied().collect()
}

fn outcome_name(curated: &CurateOutcome) -> &'static str {
    match curated.remembered.status {
        RememberStatus::Duplicate => "duplicate",
        RememberStatus::Proposed => "proposed",
        _ if !merged(&curated.remembered).is_empty() => "merged",
        _ => "created",
    }
}

fn hint(curated: &CurateOutcome) -> Option<&'static str> {
    let done = &curated.remembered;
    match outcome_name(curated) {
        "duplicate" if curated.earlier_title.is_some() => {
            Some("the note with this id already says it, and has your title now")
        }
        "duplicate" => Some("the note with this id already says it; nothing was added"),
        "proposed" => {
            Some("this would replace a stronger source, so it waits for the owner's review")
        }
        "merged" => Some("it says all that the merged notes said, and replaces them"),
        _ if !done.conflicts.is_empty() => {
            Some("both are stored; flag the wrong one with flag_memory")
        }
        _ => None,
    }
}
