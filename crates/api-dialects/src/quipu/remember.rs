//! `remember`: stores a memory, a table row, a profile patch, or several of them at once, and
//! reports what happened.

use super::{parse_date, parse_link_kind, render};
use crate::arguments::{self, SessionName, one_project};
use crate::tool_table::ToolDefinition;
use engine::remember::{NewMemoryLink, NewRow, RememberOutcome, RememberRequest, RememberStatus};
use engine::tables::SameKeyRow;
use engine::{Caller, Engine};
use model::{Failure, JsonMap, MemoryId, Origin};
use schemars::JsonSchema;
use serde::Deserialize;
use serde_json::Value;

/// Arguments of `remember`.
#[derive(Debug, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
struct Arguments {
    /// One self-contained idea, at most 64 KiB.
    text: Option<String>,
    /// At most 300 characters.
    title: Option<String>,
    /// fact, decision, preference, skill, note or any word.
    #[schemars(extend("default" = "note"))]
    kind: Option<String>,
    /// At most 64.
    tags: Option<Vec<String>>,
    /// Default: where you run.
    project: Option<String>,
    /// Default: yours.
    session: Option<SessionName>,
    /// 1 is highest.
    #[schemars(range(min = 1, max = 5), extend("default" = 3))]
    priority: Option<u8>,
    /// 0 to 1.
    #[schemars(extend("default" = 0.9))]
    confidence: Option<f32>,
    links: Option<Vec<LinkArgument>>,
    /// Ids that it replaces.
    supersedes: Option<Vec<i64>>,
    /// Applies until this date.
    expires: Option<String>,
    /// Date it is about.
    when: Option<String>,
    /// Table of `data`, made on first use.
    table: Option<String>,
    /// Row: {"food": "pizza", "calories": 800}.
    data: Option<JsonMap>,
    /// Merged into the profile, null removes: {"diet": "vegan"}.
    profile: Option<JsonMap>,
    /// inferred, or outside (a page or file); default: said.
    source: Option<String>,
    /// The same key writes once.
    idempotency_key: Option<String>,
    /// Store what was forgotten. Ask first.
    allow_forgotten: Option<bool>,
}

#[derive(Debug, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
struct LinkArgument {
    to: i64,
    /// caused_by, derived_from, supports, contradicts, related_to, part_of.
    kind: String,
}

pub(super) const TOOL: ToolDefinition = ToolDefinition {
    name: "remember",
    title: "Save to memory",
    description: "Remember this in memory: save, store, note or log what we decide, decisions, \
                  preferences, facts, fixes, lessons, a todo for next time, a table row or \
                  profile field. Example: {\"text\": \"We chose Postgres over MySQL for JSONB.\", \
                  \"kind\": \"decision\"}",
    input: arguments::short_schema::<Arguments>,
    output: "id?: integer, happened: string, session?: integer, superseded?: integers, \
             replaced?: objects, similar?: objects, conflicts?: objects, row?: object, \
             profile?: object, proposals?: integers, \
             ignored?: objects, notes?: strings, hint?: string",
    always_load: true,
};

pub(super) async fn call(
    engine: &Engine,
    caller: &Caller,
    given: JsonMap,
) -> Result<Value, Failure> {
    let arguments: Arguments = arguments::read(given)?;
    let input = arguments.into_request()?;
    Ok(render_outcome(&engine.memories().remember(caller, &input).await?))
}

impl Arguments {
    fn into_request(self) -> Result<RememberRequest, Failure> {
        Ok(RememberRequest {
            title: self.title,
            kind: self.kind,
            tags: self.tags.unwrap_or_default(),
            project: one_project(self.project),
            session: self.session.as_ref().map(SessionName::session),
            priority: self.priority,
            confidence: self.confidence,
            links: self
                .links
                .unwrap_or_default()
                .iter()
                .map(parse_link)
                .collect::<Result<_, _>>()?,
            supersedes: self.supersedes.unwrap_or_default().into_iter().map(MemoryId).collect(),
            expires: parse_date("expires", self.expires.as_deref())?,
            valid_from: parse_date("when", self.when.as_deref())?,
            row: parse_row(self.table, self.data)?,
            profile: self.profile,
            origin: parse_origin(self.source.as_deref())?,
            idempotency_key: self.idempotency_key,
            allow_forgotten: self.allow_forgotten.unwrap_or(false),
            ..RememberRequest::text(self.text.unwrap_or_default())
        })
    }
}

fn parse_link(given: &LinkArgument) -> Result<NewMemoryLink, Failure> {
    Ok(NewMemoryLink {
        target: MemoryId(given.to),
        kind: parse_link_kind(&given.kind)?,
        weight: 1.0,
    })
}

fn parse_row(table: Option<String>, data: Option<JsonMap>) -> Result<Option<NewRow>, Failure> {
    match (table, data) {
        (Some(table), Some(data)) => Ok(Some(NewRow { table, description: None, data })),
        (None, None) => Ok(None),
        (Some(_), None) => Err(Failure::invalid(
            "table needs data: {\"table\": \"meals\", \"data\": {\"food\": \"pizza\"}}",
        )),
        (None, Some(_)) => Err(Failure::invalid(
            "data needs table: {\"table\": \"meals\", \"data\": {\"food\": \"pizza\"}}",
        )),
    }
}

fn parse_origin(source: Option<&str>) -> Result<Option<Origin>, Failure> {
    let Some(source) = source else { return Ok(None) };
    let known = Origin::parse(source);
    known.map(Some).ok_or_else(|| {
        Failure::invalid(format!(
            "source must be inferred or outside, not `{}`",
            arguments::truncate(source)
        ))
    })
}

/// Renders the outcome of a write. `correct` uses it too.
pub(super) fn render_outcome(done: &RememberOutcome) -> Value {
    let mut answer = JsonMap::new();
    render::insert_some(&mut answer, "id", done.id.map(|id| id.0.into()));
    answer.insert("happened".into(), outcome_name(done).into());
    render::insert_some(&mut answer, "session", done.session.map(|session| session.0.into()));
    render::insert_non_empty(
        &mut answer,
        "superseded",
        done.superseded.iter().map(|id| id.0.into()).collect(),
    );
    let replaced = done
        .replaced
        .iter()
        .map(|one| serde_json::json!({"id": one.memory.0, "text": one.text, "why": one.reason}));
    render::insert_non_empty(&mut answer, "replaced", replaced.collect());
    let similar = done.similar.iter().map(
        |one| serde_json::json!({"id": one.memory.0, "text": one.text, "relation": one.relation}),
    );
    render::insert_non_empty(&mut answer, "similar", similar.collect());
    let conflicts = done.conflicts.iter().map(|conflict| {
        let review = conflict.review.map(|review| review.0);
        serde_json::json!({
            "id": conflict.memory.0, "text": conflict.text, "why": conflict.reason, "review": review
        })
    });
    render::insert_non_empty(&mut answer, "conflicts", conflicts.collect());
    let row = done.row.as_ref().map(|(table, id)| serde_json::json!({"table": table, "id": id.0}));
    render::insert_some(&mut answer, "row", row);
    let profile = done.profile.as_ref().map(|changed| {
        serde_json::json!({
            "version": changed.version, "changed": changed.changed, "withheld": changed.withheld,
            "review": changed.review.map(|review| review.0)
        })
    });
    render::insert_some(&mut answer, "profile", profile);
    render::insert_non_empty(
        &mut answer,
        "proposals",
        done.proposals.iter().map(|id| id.0.into()).collect(),
    );
    let ignored =
        done.ignored.iter().map(|one| serde_json::json!({"field": one.field, "why": one.why}));
    render::insert_non_empty(&mut answer, "ignored", ignored.collect());
    render::insert_notes(&mut answer, &done.notes);
    render::insert_some(&mut answer, "hint", hint(done).map(Value::from));
    Value::Object(answer)
}

fn same_key_hint(same: &SameKeyRow) -> String {
    let SameKeyRow { table, row, column } = same;
    format!(
        "row {row} of {table} has the same {column}; if this replaces it, update that one with \
         tables, action update, id {row}, and delete the row added now"
    )
}

fn outcome_name(done: &RememberOutcome) -> &'static str {
    match (done.replayed, done.status) {
        (true, _) => "already done under this idempotency key",
        (_, RememberStatus::Created) => "created",
        (_, RememberStatus::Duplicate) => "duplicate",
        (_, RememberStatus::Proposed) => "proposed",
        (_, RememberStatus::ProfileOnly) => "profile changed",
    }
}

fn hint(done: &RememberOutcome) -> Option<String> {
    let fixed = if done.status == RememberStatus::Duplicate {
        Some("this memory already says the same; nothing was stored")
    } else if done.status == RememberStatus::Proposed {
        Some("this would replace a stronger source, so it waits for the owner's review")
    } else if done.profile.as_ref().is_some_and(|changed| !changed.withheld.is_empty()) {
        Some("withheld fields did not change; ask the owner to run `quipu review` or open Review")
    } else if !done.replaced.is_empty() {
        Some(
            "the earlier value is kept in the history; if both hold, restore it with the owner's \
             `quipu retire --undo`",
        )
    } else if !done.conflicts.is_empty() {
        Some("both are stored; if yours replaces the other, correct it or resolve it with review")
    } else if !done.similar.is_empty() {
        Some("similar memories exist; if one of them is this, forget yours or correct the other")
    } else {
        None
    };
    fixed.map(str::to_owned).or_else(|| done.same_key.as_ref().map(same_key_hint))
}
