//! `recall`: all reads, routed by the mode, or else by which arguments are given.

use super::{collections, context, graph, knowledge, render, tables};
use crate::arguments;
use crate::tool_table::ToolDefinition;
use engine::{Caller, Engine};
use model::{Failure, JsonMap};
use schemars::JsonSchema;
use serde::Deserialize;
use serde_json::Value;

/// Arguments of `recall`.
#[derive(Debug, Default, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields, rename_all = "camelCase")]
struct Arguments {
    /// Topic to search for. Empty: load the general context.
    topic: Option<String>,
    /// Retrieval depth.
    #[schemars(extend("default" = "medium"))]
    budget: Option<knowledge::RetrievalBudget>,
    /// Route to one data source.
    mode: Option<RecallMode>,
    /// For mode memory.
    memory: Option<collections::CollectionSearch>,
    /// For mode graph.
    graph: Option<graph::EpitomeGraphQuery>,
    /// For mode table: a name ("meals") or an object.
    table: Option<TableArgument>,
    /// For mode table: same as table.table.
    table_name: Option<String>,
    /// For mode table: one SELECT of SQLite.
    sql: Option<String>,
    /// For mode table: {"food": "pizza", "calories": {"gt": 500}}.
    filters: Option<JsonMap>,
    /// For mode table: maximum rows.
    #[schemars(extend("default" = 50))]
    limit: Option<i64>,
    /// For mode table: rows to skip.
    offset: Option<i64>,
}

/// Data source to read.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Deserialize, JsonSchema)]
#[serde(rename_all = "lowercase")]
enum RecallMode {
    Context,
    Knowledge,
    Memory,
    Graph,
    Table,
}

impl RecallMode {
    fn name(self) -> &'static str {
        match self {
            Self::Context => "context",
            Self::Knowledge => "knowledge",
            Self::Memory => "memory",
            Self::Graph => "graph",
            Self::Table => "table",
        }
    }
}

/// Table by name, or a query on it.
#[derive(Debug, Deserialize, JsonSchema)]
#[serde(untagged)]
enum TableArgument {
    /// Name of the table.
    Name(String),
    /// Query on the table.
    Query(TableQueryArgument),
}

/// Query on a table.
#[derive(Debug, Default, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields, rename_all = "camelCase")]
struct TableQueryArgument {
    table: Option<String>,
    table_name: Option<String>,
    filters: Option<JsonMap>,
    sql: Option<String>,
    limit: Option<i64>,
    offset: Option<i64>,
}

pub(super) const TOOL: ToolDefinition = ToolDefinition {
    name: "recall",
    title: "Recall",
    description: "Retrieve what is known about the owner, from all data sources. Without \
                  arguments, at the start of a conversation: profile, tables, collections, \
                  entities, recent memories. With a topic: a ranked search across all of \
                  them. Mode memory, graph or table reads one source. Example: \
                  {\"topic\": \"food preferences\"}",
    input: arguments::schema::<Arguments>,
    output: "profile?: object|null, tables?: objects, collections?: objects, \
             topEntities?: objects, recentMemories?: objects, hints?: object, access?: object, \
             retrievalPlan?: object, topic?: string, intent?: object, budget?: string, \
             facts?: objects, sourcesQueried?: strings, coverage?: number, \
             coverageDetails?: object, uncertaintyReason?: string, warnings?: strings, \
             timingMs?: number, leftOut?: integer, collection?: string, query?: string, \
             resultCount?: integer, results?: objects, queryType?: string, result?: any, \
             edges?: objects, table?: string, recordCount?: integer, records?: objects, \
             total?: integer, columns?: objects, truncated?: boolean, _meta?: object",
    always_load: true,
};

pub(super) async fn call(
    engine: &Engine,
    caller: &Caller,
    given: JsonMap,
) -> Result<Value, Failure> {
    let arguments: Arguments = arguments::read(given)?;
    let mode = arguments.mode.unwrap_or_else(|| arguments.inferred_mode());
    let unused = arguments.unused_warnings(mode);
    let answer = match mode {
        // Warnings count against the token limit of the context, so it adds them itself.
        RecallMode::Context => {
            return context::load(
                engine,
                caller,
                arguments.topic(),
                context::ProfileGrant::Optional,
                unused,
            )
            .await;
        }
        RecallMode::Knowledge => {
            let topic = arguments
                .topic()
                .ok_or_else(|| Failure::invalid("mode knowledge needs a topic"))?;
            knowledge::search(engine, caller, topic, arguments.budget.unwrap_or_default()).await?
        }
        RecallMode::Memory => {
            let wanted = arguments.memory.ok_or_else(|| {
                Failure::invalid(
                    "mode memory needs \
                     memory: {\"collection\": \"journal\", \"query\": \"coffee\"}",
                )
            })?;
            collections::search(engine, caller, &wanted).await?
        }
        RecallMode::Graph => {
            let wanted = arguments.graph.ok_or_else(|| {
                Failure::invalid(
                    "mode graph needs \
                     graph: {\"queryType\": \"pattern\", \"pattern\": \"what food do I like?\"}",
                )
            })?;
            graph::query(engine, caller, &wanted).await?
        }
        RecallMode::Table => tables::run(engine, caller, arguments.into_tables_request()).await?,
    };
    Ok(render::append_warnings(answer, &unused))
}

impl Arguments {
    /// Infers the mode: a topic searches all sources, arguments of one source read that one, and no
    /// arguments load the context.
    fn inferred_mode(&self) -> RecallMode {
        let of_tables = self.table.is_some() || self.table_name.is_some() || self.sql.is_some();
        match self.topic() {
            Some(_) => RecallMode::Knowledge,
            None if self.memory.is_some() => RecallMode::Memory,
            None if self.graph.is_some() => RecallMode::Graph,
            None if of_tables || self.filters.is_some() => RecallMode::Table,
            None => RecallMode::Context,
        }
    }

    fn topic(&self) -> Option<&str> {
        self.topic.as_deref().map(str::trim).filter(|topic| !topic.is_empty())
    }

    /// Returns a warning that names the arguments that the mode does not use.
    fn unused_warnings(&self, mode: RecallMode) -> Vec<String> {
        let (one_source, of_tables) = (
            matches!(mode, RecallMode::Memory | RecallMode::Graph | RecallMode::Table),
            mode == RecallMode::Table,
        );
        let unused = [
            ("topic", self.topic().is_some() && one_source),
            ("memory", self.memory.is_some() && mode != RecallMode::Memory),
            ("graph", self.graph.is_some() && mode != RecallMode::Graph),
            ("table", self.table.is_some() && !of_tables),
            ("tableName", self.table_name.is_some() && !of_tables),
            ("sql", self.sql.is_some() && !of_tables),
            ("filters", self.filters.is_some() && !of_tables),
            ("limit", self.limit.is_some() && !of_tables),
            ("offset", self.offset.is_some() && !of_tables),
        ];
        let names: Vec<&str> =
            unused.iter().filter(|(_, left)| *left).map(|(name, _)| *name).collect();
        let warning = || {
            format!("not used in mode {}: {}; set the matching mode", mode.name(), names.join(", "))
        };
        (!names.is_empty()).then(warning).into_iter().collect()
    }

    /// Returns the table query. Fields of the object `table` take precedence over top-level
    /// arguments.
    fn into_tables_request(self) -> tables::TablesRequest {
        let inner = match self.table {
            Some(TableArgument::Name(name)) => {
                TableQueryArgument { table: Some(name), ..TableQueryArgument::default() }
            }
            Some(TableArgument::Query(query)) => query,
            None => TableQueryArgument::default(),
        };
        let named = |name: Option<String>| name.filter(|name| !name.trim().is_empty());
        tables::TablesRequest {
            table: named(inner.table).or(named(inner.table_name)).or(named(self.table_name)),
            filters: inner.filters.or(self.filters).unwrap_or_default(),
            sql: named(inner.sql).or(named(self.sql)),
            limit: inner.limit.or(self.limit),
            offset: inner.offset.or(self.offset),
        }
    }
}
