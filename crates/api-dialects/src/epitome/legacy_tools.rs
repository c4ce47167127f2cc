//! The nine tools of Epitome's first contract, which clients set up for it still call. They share
//! the implementation of the three newer ones.

use super::collections::{self, CollectionEntry, CollectionSearch};
use super::graph::{self, EpitomeGraphQuery};
use super::{context, memorize, profile, review, tables};
use crate::arguments;
use crate::tool_table::ToolDefinition;
use engine::remember::{NewRow, RememberRequest};
use engine::{Caller, Engine};
use model::{Failure, JsonMap, Record, RecordId};
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

pub(super) const GET_USER_CONTEXT: ToolDefinition = ToolDefinition {
    name: "get_user_context",
    title: "Get user context",
    description: "Load the user's profile, tables, collections, top entities and recent memories, \
                  within about 2000 tokens. Call it at the start of a conversation.",
    input: arguments::schema::<GetUserContextArguments>,
    output: "profile: object|null, tables: objects, collections: objects, topEntities: objects, \
             recentMemories: objects, hints: object, access: object, retrievalPlan?: object, \
             _meta?: object",
    always_load: false,
};

pub(super) async fn get_user_context(
    engine: &Engine,
    caller: &Caller,
    given: JsonMap,
) -> Result<Value, Failure> {
    let GetUserContextArguments { topic } = arguments::read(given)?;
    let topic = topic.as_deref().map(str::trim).filter(|topic| !topic.is_empty());
    context::load(engine, caller, topic, context::ProfileGrant::Required, Vec::new()).await
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

pub(super) const UPDATE_PROFILE: ToolDefinition = ToolDefinition {
    name: "update_profile",
    title: "Update profile",
    description: "Update the user's profile by a deep merge (RFC 7396): null removes a field, a \
                  list replaces the old one.",
    input: arguments::schema::<UpdateProfileArguments>,
    output: "success: boolean, profile: object, sourceRef: string, writeId: string, \
             writeStatus: string, withheldFields?: strings, reviewId?: integer, message: string",
    always_load: false,
};

pub(super) async fn update_profile(
    engine: &Engine,
    caller: &Caller,
    given: JsonMap,
) -> Result<Value, Failure> {
    let UpdateProfileArguments { data, reason } = arguments::read(given)?;
    let (_, answer) = profile::update(engine, caller, data, reason).await?;
    Ok(Value::Object(answer))
}

/// `list_tables` takes no arguments.
#[derive(Debug, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
struct ListTablesArguments {}

pub(super) const LIST_TABLES: ToolDefinition = ToolDefinition {
    name: "list_tables",
    title: "List tables",
    description: "List all tables of the user with their columns and row counts.",
    input: arguments::schema::<ListTablesArguments>,
    output: "tables: objects",
    always_load: false,
};

pub(super) async fn list_tables(
    engine: &Engine,
    caller: &Caller,
    given: JsonMap,
) -> Result<Value, Failure> {
    let ListTablesArguments {} = arguments::read(given)?;
    tables::list(engine, caller).await
}

/// Arguments of `query_table`.
#[derive(Debug, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields, rename_all = "camelCase")]
struct QueryTableArguments {
    /// Table name.
    #[serde(alias = "table")]
    table_name: String,
    /// Structured filters: {"food": "pizza", "calories": {"gt": 500}}.
    filters: Option<JsonMap>,
    /// Read-only SQL: one SELECT of SQLite.
    sql: Option<String>,
    /// Maximum results, at most 1000.
    #[schemars(extend("default" = 50))]
    limit: Option<i64>,
    /// Results to skip.
    offset: Option<i64>,
}

pub(super) const QUERY_TABLE: ToolDefinition = ToolDefinition {
    name: "query_table",
    title: "Query table",
    description: "Query the records of a table, with filters or one read-only SELECT.",
    input: arguments::schema::<QueryTableArguments>,
    output: "table: string, recordCount: integer, records: objects, total?: integer, \
             columns?: objects, truncated?: boolean",
    always_load: false,
};

pub(super) async fn query_table(
    engine: &Engine,
    caller: &Caller,
    given: JsonMap,
) -> Result<Value, Failure> {
    let query: QueryTableArguments = arguments::read(given)?;
    let request = tables::TablesRequest {
        table: Some(query.table_name),
        filters: query.filters.unwrap_or_default(),
        sql: query.sql.filter(|sql| !sql.trim().is_empty()),
        limit: query.limit,
        offset: query.offset,
    };
    tables::run(engine, caller, request).await
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

pub(super) const ADD_RECORD: ToolDefinition = ToolDefinition {
    name: "add_record",
    title: "Add record",
    description: "Insert a record into a table; table and columns are created on first use. Keep \
                  values atomic: meals have food, restaurant, ingredients, meal_type, calories; \
                  workouts have exercise, duration, location.",
    input: arguments::schema::<AddRecordArguments>,
    output: "success: boolean, table: string, recordId: integer, record?: object, \
             sourceRef: string, writeId: string, writeStatus: string, contradictions?: objects, \
             warnings?: strings, message: string, _meta?: object",
    always_load: false,
};

pub(super) async fn add_record(
    engine: &Engine,
    caller: &Caller,
    given: JsonMap,
) -> Result<Value, Failure> {
    let row: AddRecordArguments = arguments::read(given)?;
    let table = Record::normalize_table_name(&row.table_name)?;
    let input = RememberRequest {
        collection: Some(table.clone()),
        row: Some(NewRow { table, description: row.table_description, data: row.data }),
        ..RememberRequest::default()
    };
    let mut answer = memorize::write_row(engine, caller, &input).await?;
    let written = answer["table"].as_str().zip(answer["recordId"].as_i64());
    if let Some((table, id)) = written {
        let row = tables::find_row(engine, caller, table, RecordId(id)).await;
        // Whoever may write a table but not read it gets the id alone.
        if let Ok(row) = row {
            answer["record"] = tables::render_row(&row);
        }
    }
    Ok(answer)
}

pub(super) const SEARCH_MEMORY: ToolDefinition = ToolDefinition {
    name: "search_memory",
    title: "Search memory",
    description: "Semantic search in one collection of memories.",
    input: arguments::schema::<CollectionSearch>,
    output: "collection: string, query: string, resultCount: integer, results: objects",
    always_load: false,
};

pub(super) async fn search_memory(
    engine: &Engine,
    caller: &Caller,
    given: JsonMap,
) -> Result<Value, Failure> {
    collections::search(engine, caller, &arguments::read(given)?).await
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

pub(super) const SAVE_MEMORY: ToolDefinition = ToolDefinition {
    name: "save_memory",
    title: "Save memory",
    description: "Save a free-text memory to a collection.",
    input: arguments::schema::<SaveMemoryArguments>,
    output: "success: boolean, collection: string, vectorId: integer, sourceRef: string, \
             writeId: string, writeStatus: string, contradictions?: objects, \
             warnings?: strings, message: string, _meta?: object",
    always_load: false,
};

pub(super) async fn save_memory(
    engine: &Engine,
    caller: &Caller,
    given: JsonMap,
) -> Result<Value, Failure> {
    let SaveMemoryArguments { collection, text, metadata } = arguments::read(given)?;
    let metadata = metadata.unwrap_or_default();
    let entry = CollectionEntry { text, collection, metadata, ..CollectionEntry::default() };
    collections::save(engine, caller, entry).await
}

pub(super) const QUERY_GRAPH: ToolDefinition = ToolDefinition {
    name: "query_graph",
    title: "Query graph",
    description: "Traverse the graph of people, places and preferences from an entity, or find \
                  entities by a pattern: \"what food do I like?\" or {\"entityType\": \"food\", \
                  \"relation\": \"likes\"}.",
    input: arguments::schema::<EpitomeGraphQuery>,
    output: "queryType: string, result: any, edges: objects, truncated?: boolean",
    always_load: false,
};

pub(super) async fn query_graph(
    engine: &Engine,
    caller: &Caller,
    given: JsonMap,
) -> Result<Value, Failure> {
    graph::query(engine, caller, &arguments::read(given)?).await
}

/// Older name of `review`.
pub(super) const REVIEW_MEMORIES: ToolDefinition = ToolDefinition {
    name: "review_memories",
    title: "Review memories",
    // `review` is loaded from the start; its older alias need not be.
    always_load: false,
    ..review::TOOL
};
