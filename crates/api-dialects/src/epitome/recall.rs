//! `recall`: all reads, routed by the mode, or else by which arguments are given.

use super::{context, graph, knowledge, memory, shown, tables};
use crate::{Annotations, Tool, arguments, schema};
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
    /// Retrieval depth; default medium.
    budget: Option<knowledge::Budget>,
    /// Route to one data source.
    mode: Option<Mode>,
    /// For mode memory.
    memory: Option<memory::Search>,
    /// For mode graph.
    graph: Option<graph::Query>,
    /// For mode table: a name ("meals") or an object.
    table: Option<Table>,
    /// For mode table: same as table.table.
    table_name: Option<String>,
    /// For mode table: one SELECT.
    sql: Option<String>,
    /// For mode table: {"food": "pizza", "calories": {"gt": 500}}.
    filters: Option<JsonMap>,
    /// For mode table: maximum rows; default 50.
    limit: Option<i64>,
    /// For mode table: rows to skip.
    offset: Option<i64>,
}

/// Data source to read.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Deserialize, JsonSchema)]
#[serde(rename_all = "lowercase")]
enum Mode {
    Context,
    Knowledge,
    Memory,
    Graph,
    Table,
}

impl Mode {
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
enum Table {
    /// Name of the table.
    Name(String),
    /// Query on the table.
    Query(TableQuery),
}

/// Query on a table.
#[derive(Debug, Default, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields, rename_all = "camelCase")]
struct TableQuery {
    table: Option<String>,
    table_name: Option<String>,
    filters: Option<JsonMap>,
    sql: Option<String>,
    limit: Option<i64>,
    offset: Option<i64>,
}

pub(super) fn tool() -> Tool {
    Tool {
        name: "recall",
        title: "Recall",
        description: "Retrieve what is known about the owner, from all data sources. Without \
                      arguments, at the start of a conversation: profile, tables, collections, \
                      entities, recent memories. With a topic: a ranked search across all of \
                      them. Mode memory, graph or table reads one source. Example: \
                      {\"topic\": \"food preferences\"}",
        input: arguments::schema::<Arguments>(),
        output: schema::result(
            "profile?: object|null, tables?: objects, collections?: objects, topEntities?: \
             objects, recentMemories?: objects, hints?: object, access?: object, retrievalPlan?: \
             object, topic?: string, intent?: object, budget?: string, facts?: objects, \
             sourcesQueried?: strings, coverage?: number, coverageDetails?: object, \
             uncertaintyReason?: string, warnings?: strings, timingMs?: number, leftOut?: \
             integer, collection?: string, query?: string, resultCount?: integer, results?: \
             objects, queryType?: string, result?: any, edges?: objects, table?: string, \
             recordCount?: integer, records?: objects, total?: integer, columns?: objects, \
             truncated?: boolean, _meta?: object",
        ),
        annotations: Annotations {
            read_only: true,
            destructive: false,
            idempotent: true,
            open_world: false,
        },
        always_load: true,
    }
}

pub(super) async fn call(
    engine: &Engine,
    caller: &Caller,
    given: JsonMap,
) -> Result<Value, Failure> {
    let arguments: Arguments = arguments::read(given)?;
    let mode = arguments.mode.unwrap_or_else(|| arguments.meant());
    let unused = arguments.unused(mode);
    let answer = match mode {
        // Warnings count against the token limit of the context, so it adds them itself.
        Mode::Context => {
            return context::load(engine, caller, arguments.topic(), context::Gate::Open, unused)
                .await;
        }
        Mode::Knowledge => {
            let topic = arguments
                .topic()
                .ok_or_else(|| Failure::invalid("mode knowledge needs a topic"))?;
            knowledge::search(engine, caller, topic, arguments.budget.unwrap_or_default()).await?
        }
        Mode::Memory => {
            let wanted = arguments.memory.ok_or_else(|| {
                Failure::invalid(
                    "mode memory needs \
                     memory: {\"collection\": \"journal\", \"query\": \"coffee\"}",
                )
            })?;
            memory::search(engine, caller, &wanted).await?
        }
        Mode::Graph => {
            let wanted = arguments.graph.ok_or_else(|| {
                Failure::invalid(
                    "mode graph needs \
                     graph: {\"queryType\": \"pattern\", \"pattern\": \"what food do I like?\"}",
                )
            })?;
            graph::query(engine, caller, &wanted).await?
        }
        Mode::Table => tables::ask(engine, caller, arguments.rows()).await?,
    };
    Ok(shown::warned(answer, &unused))
}

impl Arguments {
    /// Infers the mode: a topic searches all sources, arguments of one source read that one, and no
    /// arguments load the context.
    fn meant(&self) -> Mode {
        let of_tables = self.table.is_some() || self.table_name.is_some() || self.sql.is_some();
        match self.topic() {
            Some(_) => Mode::Knowledge,
            None if self.memory.is_some() => Mode::Memory,
            None if self.graph.is_some() => Mode::Graph,
            None if of_tables || self.filters.is_some() => Mode::Table,
            None => Mode::Context,
        }
    }

    fn topic(&self) -> Option<&str> {
        self.topic.as_deref().map(str::trim).filter(|topic| !topic.is_empty())
    }

    /// Returns a warning that names the arguments that the mode does not use.
    fn unused(&self, mode: Mode) -> Vec<String> {
        let (one_source, of_tables) =
            (matches!(mode, Mode::Memory | Mode::Graph | Mode::Table), mode == Mode::Table);
        let unused = [
            ("topic", self.topic().is_some() && one_source),
            ("memory", self.memory.is_some() && mode != Mode::Memory),
            ("graph", self.graph.is_some() && mode != Mode::Graph),
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
    fn rows(self) -> tables::Ask {
        let inner = match self.table {
            Some(Table::Name(name)) => TableQuery { table: Some(name), ..TableQuery::default() },
            Some(Table::Query(query)) => query,
            None => TableQuery::default(),
        };
        let named = |name: Option<String>| name.filter(|name| !name.trim().is_empty());
        tables::Ask {
            table: named(inner.table).or(named(inner.table_name)).or(named(self.table_name)),
            filters: inner.filters.or(self.filters).unwrap_or_default(),
            sql: named(inner.sql).or(named(self.sql)),
            limit: inner.limit.or(self.limit),
            offset: inner.offset.or(self.offset),
        }
    }
}
