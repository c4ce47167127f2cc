//! `remember`: stores a titled note at once and returns a receipt with its id and what happened to
//! it.

use super::confidence;
use super::shown::{self, CONFIDENCE_NOTE};
use crate::{Annotations, Tool, arguments, schema};
use engine::curate::Curated;
use engine::remember::{Happened, Remember};
use engine::{Caller, Engine};
use model::{Failure, JsonMap, Memory, MemoryId, limits};
use schemars::JsonSchema;
use serde::Deserialize;
use serde_json::{Value, json};

/// Arguments of the original contract that are accepted and ignored, because only the owner may
/// decide them.
const UNBELIEVED: [&str; 3] = ["is_global", "requires_approval", "agent_id"];

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

pub(super) fn tool() -> Tool {
    Tool {
        name: "remember",
        title: "Remember",
        description: "Save a durable fact, preference or decision the moment you learn it, not \
                      small talk. Returns its id; it can be recalled at once. No need to check \
                      first: duplicates are detected, a fuller version replaces the old one, \
                      links are created and contradictions reported. Example: {\"title\": \
                      \"Deploy day\", \"body\": \"We deploy on Tuesdays, see [[Rollback]].\", \
                      \"tags\": [\"ops\"]}",
        input: arguments::open_schema::<Arguments>(),
        output: schema::result(
            "id: string, happened: string, title?: string, confidence?: string, links?: objects, \
             unresolved_links?: strings, linked_from?: strings, similar?: strings, \
             merged?: strings, joined?: strings, conflicts?: objects, proposals?: integers, \
             ignored?: objects, notes?: strings, hint?: string",
        ),
        annotations: Annotations {
            read_only: false,
            destructive: false,
            // A repeated note is recognized as a duplicate.
            idempotent: true,
            open_world: false,
        },
        always_load: true,
    }
}

pub(super) async fn call(
    engine: &Engine,
    caller: &Caller,
    mut given: JsonMap,
) -> Result<Value, Failure> {
    let ignored = shown::unbelieved(&mut given, &UNBELIEVED, caller);
    let arguments: Arguments = arguments::read(given)?;
    let curated = engine.memories().curate(caller, &arguments.input()?).await?;
    let mut answer = told(&arguments, &curated)?;
    if let (Happened::Duplicate, Some(id)) = (curated.remembered.happened, curated.remembered.id) {
        as_it_was(&mut answer, engine.memories().get(caller, &[id]).await?.pop().as_ref());
    }
    shown::listed(&mut answer, "ignored", ignored);
    Ok(Value::Object(answer))
}

impl Arguments {
    fn input(&self) -> Result<Remember, Failure> {
        if self.title.trim().is_empty() {
            return Err(Failure::invalid("title is empty; give a short headline"));
        }
        arguments::keepable("body", &self.body)?;
        let note = self.confidence.as_deref().map(str::trim).filter(|note| !note.is_empty());
        limits::chars("confidence", note.unwrap_or_default(), limits::NAME_CHARS)?;
        let metadata = note.map(|note| (CONFIDENCE_NOTE.to_owned(), Value::from(note)));
        Ok(Remember {
            title: Some(self.title.trim().to_owned()),
            tags: self.tags.clone().unwrap_or_default(),
            applies_to: self.applies_to.clone().unwrap_or_default(),
            confidence: note.and_then(confidence::value_of),
            metadata: metadata.into_iter().collect(),
            ..Remember::text(self.body.clone())
        })
    }
}

fn told(arguments: &Arguments, curated: &Curated) -> Result<JsonMap, Failure> {
    let done = &curated.remembered;
    let id =
        done.id.ok_or_else(|| Failure::invalid("body is empty; give a sentence to remember"))?;
    let mut answer = JsonMap::new();
    answer.insert("id".into(), id.to_string().into());
    answer.insert("happened".into(), happened(curated).into());
    answer.insert("title".into(), arguments.title.trim().into());
    shown::optional(&mut answer, "confidence", arguments.confidence.as_deref().map(Value::from));
    let links =
        curated.links.iter().map(|(written, to)| json!({"link": written, "to": to.to_string()}));
    shown::listed(&mut answer, "links", links.collect());
    shown::listed(&mut answer, "unresolved_links", texts(&curated.unresolved));
    shown::listed(&mut answer, "linked_from", ids(&curated.linked_from));
    shown::listed(&mut answer, "similar", ids(&curated.alike));
    shown::listed(&mut answer, "merged", ids(&done.superseded));
    shown::listed(&mut answer, "joined", texts(&curated.joined));
    let conflicts = done
        .conflicts
        .iter()
        .map(|one| json!({"id": one.memory.to_string(), "body": one.text, "why": one.reason}));
    shown::listed(&mut answer, "conflicts", conflicts.collect());
    shown::listed(&mut answer, "proposals", done.proposals.iter().map(|id| id.0.into()).collect());
    shown::notes(&mut answer, &done.notes);
    shown::optional(&mut answer, "hint", hint(curated).map(Value::from));
    Ok(answer)
}

/// Replaces title and confidence with those of the stored note: a duplicate keeps what it had.
fn as_it_was(answer: &mut JsonMap, known: Option<&Memory>) {
    answer.remove("title");
    answer.remove("confidence");
    let Some(known) = known else { return };
    shown::optional(answer, "title", known.title.as_deref().map(Value::from));
    shown::optional(answer, "confidence", known.metadata.get(CONFIDENCE_NOTE).cloned());
}

fn texts(all: &[String]) -> Vec<Value> {
    all.iter().map(|text| text.as_str().into()).collect()
}

fn ids(all: &[MemoryId]) -> Vec<Value> {
    all.iter().map(|id| id.to_string().into()).collect()
}

fn happened(curated: &Curated) -> &'static str {
    match curated.remembered.happened {
        Happened::Duplicate => "duplicate",
        Happened::Proposed => "proposed",
        _ if !curated.remembered.superseded.is_empty() => "merged",
        _ => "created",
    }
}

fn hint(curated: &Curated) -> Option<&'static str> {
    let done = &curated.remembered;
    match happened(curated) {
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
