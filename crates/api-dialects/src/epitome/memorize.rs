//! `memorize`: all writes and deletions, routed in Epitome's order: refuse an empty text, delete,
//! correct a `sourceRef`, save a free-text memory, update the profile, add a row.

use super::collections::{self, add_contradictions, render_write};
use super::source_ref::SourceRef;
use super::{correct, forget, profile, render};
use crate::arguments;
use crate::tool_table::ToolDefinition;
use engine::remember::{NewRow, RememberOutcome, RememberRequest};
use engine::tables::SameKeyRow;
use engine::{Caller, Engine};
use model::{ErrorCode, Failure, JsonMap, NewMemory, Record};
use schemars::JsonSchema;
use serde::Deserialize;
use serde_json::Value;

/// Arguments of `memorize`.
#[derive(Debug, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields, rename_all = "camelCase")]
struct Arguments {
    /// Fact or experience to save or forget.
    text: String,
    /// Organizer: "books", "meals", "profile"...
    #[schemars(extend("default" = "memories"))]
    category: Option<String>,
    /// Structured fields: {"title": "Dune", "rating": 5}.
    data: Option<JsonMap>,
    /// save or delete.
    #[schemars(extend("default" = "save"))]
    action: Option<MemorizeAction>,
    /// record, or memory for free text without a row.
    #[schemars(extend("default" = "record"))]
    storage: Option<MemorizeStorage>,
    /// For storage memory; default: category.
    collection: Option<String>,
    /// For storage memory; default: data.
    metadata: Option<JsonMap>,
    /// sourceRef from recall: correct or delete just that.
    source_ref: Option<String>,
    /// delete: only show what would be deleted.
    dry_run: Option<bool>,
    /// Makes retries safe: same key, one write.
    idempotency_key: Option<String>,
    /// Save it although the owner had it forgotten. Ask first.
    allow_forgotten: Option<bool>,
}

#[derive(Debug, Clone, Copy, PartialEq, Eq, Deserialize, JsonSchema)]
#[serde(rename_all = "lowercase")]
enum MemorizeAction {
    Save,
    Delete,
}

#[derive(Debug, Clone, Copy, PartialEq, Eq, Deserialize, JsonSchema)]
#[serde(rename_all = "lowercase")]
enum MemorizeStorage {
    Record,
    Memory,
}

pub(super) const TOOL: ToolDefinition = ToolDefinition {
    name: "memorize",
    title: "Memorize",
    description: "Save or delete a fact, experience or event. With a category and data: a \
                  table row and a memory of it. Category profile: merged into the owner's \
                  profile. Storage memory: free text. Action delete forgets for good what the \
                  text states. Keep values atomic. Example: {\"text\": \"Finished reading \
                  Dune\", \"category\": \"books\", \"data\": {\"title\": \"Dune\", \
                  \"rating\": 5}}",
    input: arguments::schema::<Arguments>,
    output: "success?: boolean, table?: string, recordId?: integer, collection?: string, \
             vectorId?: integer, profile?: object, sourceRef?: string, writeId?: string, \
             writeStatus?: string, message?: string, contradictions?: objects, \
             withheldFields?: strings, reviewId?: integer, deleted?: integer, \
             sourceRefs?: strings, receipt?: object, candidates?: objects, superseded?: strings, \
             warnings?: strings, _meta?: object",
    always_load: true,
};

pub(super) async fn call(
    engine: &Engine,
    caller: &Caller,
    given: JsonMap,
) -> Result<Value, Failure> {
    let arguments: Arguments = arguments::read(given)?;
    arguments::check_text("text", &arguments.text)?;
    let source = arguments.parse_source()?;
    let dry_run = arguments.dry_run.unwrap_or(false);
    if arguments.action == Some(MemorizeAction::Delete) {
        return forget::forget(engine, caller, &arguments.text, source, dry_run).await;
    }
    if dry_run {
        return Err(Failure::invalid("dryRun is only for action delete; nothing was saved"));
    }
    let unused = arguments.unused_warnings();
    Ok(render::append_warnings(save(engine, caller, source, arguments).await?, &unused))
}

async fn save(
    engine: &Engine,
    caller: &Caller,
    source: Option<SourceRef>,
    arguments: Arguments,
) -> Result<Value, Failure> {
    match source {
        Some(source) => {
            let Arguments { text, data, idempotency_key, .. } = arguments;
            correct::correct(
                engine,
                caller,
                source,
                text,
                data.unwrap_or_default(),
                idempotency_key,
            )
            .await
        }
        None if arguments.storage == Some(MemorizeStorage::Memory) => {
            collections::save(engine, caller, arguments.into_collection_entry()).await
        }
        None if arguments.category().eq_ignore_ascii_case("profile") => {
            save_profile(engine, caller, arguments).await
        }
        None => save_row(engine, caller, arguments).await,
    }
}

impl Arguments {
    fn category(&self) -> &str {
        self.category
            .as_deref()
            .map(str::trim)
            .filter(|name| !name.is_empty())
            .unwrap_or(NewMemory::DEFAULT_COLLECTION)
    }

    /// Returns the reference to correct or delete. A deletion may give it as the text, too.
    fn parse_source(&self) -> Result<Option<SourceRef>, Failure> {
        let deletes = self.action == Some(MemorizeAction::Delete);
        match &self.source_ref {
            Some(text) => SourceRef::parse(text).map(Some).ok_or_else(|| {
                let shown = arguments::truncate(text);
                Failure::invalid(format!("`{shown}` is not a sourceRef; recall returns them"))
            }),
            None => Ok(SourceRef::parse(&self.text).filter(|_| deletes)),
        }
    }

    /// Returns a warning that names the arguments that only storage memory uses.
    fn unused_warnings(&self) -> Vec<String> {
        if self.storage == Some(MemorizeStorage::Memory) {
            return Vec::new();
        }
        let unused =
            [("collection", self.collection.is_some()), ("metadata", self.metadata.is_some())];
        let names: Vec<&str> =
            unused.iter().filter(|(_, given)| *given).map(|(name, _)| *name).collect();
        let warning = || format!("not saved: {}; only for storage memory", names.join(", "));
        (!names.is_empty()).then(warning).into_iter().collect()
    }

    /// Returns the data if it has any fields.
    fn non_empty_data(&self) -> Option<JsonMap> {
        self.data.clone().filter(|data| !data.is_empty())
    }

    fn into_collection_entry(self) -> collections::CollectionEntry {
        let collection = self.collection.clone().unwrap_or_else(|| self.category().to_owned());
        collections::CollectionEntry {
            collection,
            metadata: self.metadata.or(self.data).unwrap_or_default(),
            text: self.text,
            idempotency_key: self.idempotency_key,
            allow_forgotten: self.allow_forgotten.unwrap_or(false),
        }
    }
}

/// Merges the data into the profile, and stores the sentence as a memory linked to the changed
/// fields: a search finds it as it was said, a later change of the fields supersedes it, and
/// forgetting it erases the fields too.
async fn save_profile(
    engine: &Engine,
    caller: &Caller,
    arguments: Arguments,
) -> Result<Value, Failure> {
    let patch = match arguments.non_empty_data() {
        Some(fields) => fields,
        None => profile_sentence_patch(engine, caller, &arguments.text).await?,
    };
    let text = arguments.text;
    let (changed, answer) = profile::update(engine, caller, patch, Some(text.clone())).await?;
    if changed.changed.is_empty() {
        return Ok(Value::Object(answer));
    }
    let sentence = RememberRequest {
        collection: Some("profile".to_owned()),
        metadata: JsonMap::from_iter([(
            engine::profile::PROFILE_FIELD.to_owned(),
            changed.changed.into(),
        )]),
        idempotency_key: arguments.idempotency_key,
        allow_forgotten: arguments.allow_forgotten.unwrap_or(false),
        ..RememberRequest::text(text)
    };
    match engine.memories().remember(caller, &sentence).await {
        Ok(done) => Ok(add_contradictions(answer, &done)),
        // The profile is already updated; only the sentence could not be stored.
        Err(failure)
            if matches!(failure.code, ErrorCode::ConsentRequired | ErrorCode::Forgotten) =>
        {
            let warning = format!("the sentence itself was not saved: {}", failure.message);
            Ok(render::set_meta_warnings(answer, &[warning]))
        }
        Err(failure) => Err(failure),
    }
}

/// Builds the patch for a sentence without data: it is appended to the field `text` as a new line,
/// unless that already has it.
async fn profile_sentence_patch(
    engine: &Engine,
    caller: &Caller,
    text: &str,
) -> Result<JsonMap, Failure> {
    let profile =
        engine.profile().get(caller).await?.map(|version| version.data).unwrap_or_default();
    let existing = profile.get("text").and_then(Value::as_str).unwrap_or_default();
    let text = text.trim();
    let all = match existing {
        "" => text.to_owned(),
        existing if existing.lines().any(|line| line.eq_ignore_ascii_case(text)) => {
            existing.to_owned()
        }
        existing => format!("{existing}\n{text}"),
    };
    Ok(JsonMap::from_iter([("text".to_owned(), all.into())]))
}

/// Adds a row to the category's table, with a memory that contains the text and the fields that the
/// text does not mention.
async fn save_row(
    engine: &Engine,
    caller: &Caller,
    arguments: Arguments,
) -> Result<Value, Failure> {
    let table = Record::normalize_table_name(arguments.category())?;
    let data = arguments.non_empty_data();
    let text = match &data {
        Some(data) => text_with_fields(&arguments.text, data),
        None => arguments.text.clone(),
    };
    let data =
        data.unwrap_or_else(|| JsonMap::from_iter([("text".to_owned(), arguments.text.into())]));
    let input = RememberRequest {
        collection: Some(table.clone()),
        row: Some(NewRow { table, description: None, data }),
        idempotency_key: arguments.idempotency_key,
        allow_forgotten: arguments.allow_forgotten.unwrap_or(false),
        ..RememberRequest::text(text)
    };
    write_row(engine, caller, &input).await
}

/// Writes a row and renders the result with its `sourceRef`.
pub(super) async fn write_row(
    engine: &Engine,
    caller: &Caller,
    input: &RememberRequest,
) -> Result<Value, Failure> {
    let done = engine.memories().remember(caller, input).await?;
    let mut answer = JsonMap::from_iter([("success".to_owned(), Value::Bool(true))]);
    let Some((table, id)) = done.row.clone() else {
        return Err(Failure::new(ErrorCode::Internal, "no row was written"));
    };
    answer.insert("recordId".into(), id.0.into());
    answer.insert("sourceRef".into(), format!("{table}:{id}").into());
    let message = format!("added row {id} to {table}");
    answer.insert("table".into(), table.into());
    let same = done.same_key.as_ref().map(same_key_warning);
    let notes = done.notes.iter().cloned().chain(same).collect();
    Ok(render_write(answer, &RememberOutcome { notes, ..done }, message))
}

fn same_key_warning(same: &SameKeyRow) -> String {
    let SameKeyRow { table, row, column } = same;
    format!(
        "row {row} has the same {column}; if this replaces it, update that one instead: memorize \
         with sourceRef tables/{table}#{row} and its new data, and delete the row added now"
    )
}

/// Appends the fields that the text does not mention: "Finished reading Dune (rating: 5)".
pub(super) fn text_with_fields(text: &str, data: &JsonMap) -> String {
    let lower = text.to_lowercase();
    let missing: Vec<String> = data
        .iter()
        .filter(|(_, value)| !value.is_null())
        .map(|(name, value)| (name, engine::profile::value_to_text(value)))
        .filter(|(_, words)| !lower.contains(&words.to_lowercase()))
        .map(|(name, words)| format!("{}: {words}", name.replace('_', " ")))
        .collect();
    if missing.is_empty() {
        text.trim().to_owned()
    } else {
        format!("{} ({})", text.trim(), missing.join(", "))
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use serde_json::json;

    #[test]
    fn a_text_is_joined_by_the_fields_it_does_not_say() {
        let data = json!({"title": "Dune", "rating": 5, "author": null});
        assert_eq!(
            text_with_fields("Finished reading Dune", data.as_object().unwrap()),
            "Finished reading Dune (rating: 5)"
        );
        assert_eq!(text_with_fields("Ate", &JsonMap::new()), "Ate");
    }
}
