//! The nine tools of Epitome's first contract, which clients set up for it still call. They share
//! the implementation of the three newer ones.

use super::{collections, context, graph, memorize, profile, review, tables};
use crate::{ToolAnnotations, ToolSpec, arguments, schema};
use engine::remember::{NewRow, RememberRequest};
use engine::{Caller, Engine};
use model::{Failure, JsonMap, Record};
use schemars::JsonSchema;
use serde::Deserialize;
use serde_json::Value;

/// Arguments of `get_user_context`.
#[derive(Debug, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
struct GetUserContextArguments {
    /// Topic for relevance ranking.
    topic: Option<String>,
}

/// Arguments of `update_profile`.
#[derive(Debug, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
struct UpdateProfileArguments {
    /// Partial profile data to merge; null removes a field.
    data: JsonMap,
    /// Description of the change.
    reason: Option<String>,
}

/// `list_tables` takes no arguments.
#[derive(Debug, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
struct ListTablesArguments {}

/// Arguments of `query_table`.
#[derive(Debug, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields, rename_all = "camelCase")]
struct QueryTableArguments {
    /// Table name.
    #[serde(alias = "table")]
    table_name: String,
    /// Structured filters: {"food": "pizza", "calories": {"gt": 500}}.
    filters: Option<JsonMap>,
    /// Read-only SQL: one SELECT.
    sql: Option<String>,
    /// Maximum results; default 50, at most 1000.
    limit: Option<i64>,
    /// Results to skip.
    offset: Option<i64>,
}

/// Arguments of `add_record`.
#[derive(Debug, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields, rename_all = "camelCase")]
struct AddRecordArguments {
    /// Table name; the table is created on first use.
    #[serde(alias = "table")]
    table_name: String,
    /// Record data as key-value pairs.
    data: JsonMap,
    /// Purpose of the table.
    table_description: Option<String>,
}

/// Arguments of `save_memory`.
#[derive(Debug, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
struct SaveMemoryArguments {
    /// Collection name.
    collection: String,
    /// Memory text.
    text: String,
    /// Additional metadata.
    metadata: Option<JsonMap>,
}

const READ_ONLY: ToolAnnotations =
    ToolAnnotations { read_only: true, destructive: false, idempotent: true, open_world: false };
const WRITING: ToolAnnotations =
    ToolAnnotations { read_only: false, destructive: false, idempotent: false, open_world: false };

/// Returns the nine tools, in the order of their document.
pub(super) fn tools() -> Vec<ToolSpec> {
    vec![
        tool::<GetUserContextArguments>(
            "get_user_context",
            "Get user context",
            CONTEXT_DESCRIPTION,
            CONTEXT_RESULT,
            READ_ONLY,
        ),
        tool::<UpdateProfileArguments>(
            "update_profile",
            "Update profile",
            PROFILE_DESCRIPTION,
            PROFILE_RESULT,
            WRITING,
        ),
        tool::<ListTablesArguments>(
            "list_tables",
            "List tables",
            "List all tables of the user with their columns and row counts.",
            "tables: objects",
            READ_ONLY,
        ),
        tool::<QueryTableArguments>(
            "query_table",
            "Query table",
            QUERY_DESCRIPTION,
            QUERY_RESULT,
            READ_ONLY,
        ),
        tool::<AddRecordArguments>(
            "add_record",
            "Add record",
            ROW_DESCRIPTION,
            ROW_RESULT,
            WRITING,
        ),
        tool::<collections::CollectionSearch>(
            "search_memory",
            "Search memory",
            SEARCH_DESCRIPTION,
            "collection: string, query: string, resultCount: integer, results: objects",
            READ_ONLY,
        ),
        tool::<SaveMemoryArguments>(
            "save_memory",
            "Save memory",
            SAVE_DESCRIPTION,
            SAVE_RESULT,
            WRITING,
        ),
        tool::<graph::EpitomeGraphQuery>(
            "query_graph",
            "Query graph",
            GRAPH_DESCRIPTION,
            "queryType: string, result: any, edges: objects, truncated?: boolean",
            READ_ONLY,
        ),
        ToolSpec { name: "review_memories", title: "Review memories", ..review::tool() },
    ]
    .into_iter()
    // `review` is loaded from the start; its older alias need not be.
    .map(|tool| ToolSpec { always_load: false, ..tool })
    .collect()
}

const CONTEXT_DESCRIPTION: &str = "Load the user's profile, tables, collections, top entities and \
    recent memories, within about 2000 tokens. Call it at the start of a conversation.";
const CONTEXT_RESULT: &str = "profile: object|null, tables: objects, collections: objects, \
    topEntities: objects, recentMemories: objects, hints: object, access: object, \
    retrievalPlan?: object, _meta?: object";
const PROFILE_DESCRIPTION: &str = "Update the user's profile by a deep merge (RFC 7396): null \
    removes a field, a list replaces the old one.";
const PROFILE_RESULT: &str = "success: boolean, profile: object, sourceRef: string, \
    writeId: string, writeStatus: string, withheldFields?: strings, reviewId?: integer, \
    message: string";
const QUERY_DESCRIPTION: &str =
    "Query the records of a table, with filters or one read-only SELECT.";
const QUERY_RESULT: &str = "table: string, recordCount: integer, records: objects, \
    total?: integer, columns?: objects, truncated?: boolean";
const ROW_DESCRIPTION: &str = "Insert a record into a table; table and columns are created on \
    first use. Keep values atomic: meals have food, restaurant, ingredients, meal_type, calories; \
    workouts have exercise, duration, location.";
const ROW_RESULT: &str = "success: boolean, table: string, recordId: integer, sourceRef: string, \
    writeId: string, writeStatus: string, contradictions?: objects, warnings?: strings, \
    message: string, _meta?: object";
const SEARCH_DESCRIPTION: &str = "Semantic search in one collection of memories.";
const SAVE_DESCRIPTION: &str = "Save a free-text memory to a collection.";
const SAVE_RESULT: &str = "success: boolean, collection: string, vectorId: integer, \
    sourceRef: string, writeId: string, writeStatus: string, contradictions?: objects, \
    warnings?: strings, message: string, _meta?: object";
const GRAPH_DESCRIPTION: &str = "Traverse the graph of people, places and preferences from an \
    entity, or find entities by a pattern: \"what food do I like?\" or \
    {\"entityType\": \"food\", \"relation\": \"likes\"}.";

fn tool<A: JsonSchema>(
    name: &'static str,
    title: &'static str,
    description: &'static str,
    output: &str,
    annotations: ToolAnnotations,
) -> ToolSpec {
    let (input, output) = (arguments::schema::<A>(), schema::result(output));
    ToolSpec { name, title, description, input, output, annotations, always_load: false }
}

pub(super) async fn call(
    engine: &Engine,
    caller: &Caller,
    tool: &str,
    given: JsonMap,
) -> Result<Value, Failure> {
    match tool {
        "get_user_context" => {
            let GetUserContextArguments { topic } = arguments::read(given)?;
            let topic = topic.as_deref().map(str::trim).filter(|topic| !topic.is_empty());
            context::load(engine, caller, topic, context::ProfileGrant::Required, Vec::new()).await
        }
        "update_profile" => {
            let UpdateProfileArguments { data, reason } = arguments::read(given)?;
            profile::update(engine, caller, data, reason)
                .await
                .map(|(_, answer)| Value::Object(answer))
        }
        "list_tables" => {
            let ListTablesArguments {} = arguments::read(given)?;
            tables::list(engine, caller).await
        }
        "query_table" => query_table(engine, caller, arguments::read(given)?).await,
        "add_record" => add_record(engine, caller, arguments::read(given)?).await,
        "search_memory" => collections::search(engine, caller, &arguments::read(given)?).await,
        "save_memory" => {
            let SaveMemoryArguments { collection, text, metadata } = arguments::read(given)?;
            let metadata = metadata.unwrap_or_default();
            collections::save(
                engine,
                caller,
                collections::CollectionEntry {
                    text,
                    collection,
                    metadata,
                    ..collections::CollectionEntry::default()
                },
            )
            .await
        }
        "query_graph" => graph::query(engine, caller, &arguments::read(given)?).await,
        "review_memories" => review::call(engine, caller, given).await,
        _ => Err(Failure::not_found("tool", tool)),
    }
}

async fn query_table(
    engine: &Engine,
    caller: &Caller,
    query: QueryTableArguments,
) -> Result<Value, Failure> {
    let request = tables::TablesRequest {
        table: Some(query.table_name),
        filters: query.filters.unwrap_or_default(),
        sql: query.sql.filter(|sql| !sql.trim().is_empty()),
        limit: query.limit,
        offset: query.offset,
    };
    tables::run(engine, caller, request).await
}

async fn add_record(
    engine: &Engine,
    caller: &Caller,
    row: AddRecordArguments,
) -> Result<Value, Failure> {
    let table = Record::normalize_table_name(&row.table_name)?;
    let input = RememberRequest {
        collection: Some(table.clone()),
        row: Some(NewRow { table, description: row.table_description, data: row.data }),
        ..RememberRequest::default()
    };
    memorize::write_row(engine, caller, &input).await
}
