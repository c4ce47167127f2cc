//! `quipu show`: the full text of a memory, with its links, rows, flags and history.

use crate::command_output::CommandOutput;
use crate::exit::Problem;
use crate::id_argument;
use crate::render::{self, MemoryOutput, count_with_noun};
use crate::setup::{OpenMemory, Setup};
use crate::text_page::TextPage;
use clap::Args;
use engine::get::MemoryDetails;
use engine::versions::MemoryVersions;
use model::{Dialect, Failure, Flag, JsonMap, Link, LinkKind, MemoryId, Mention, Record};
use serde_json::{Value, json};

const EXAMPLES: &str = "\
Examples:
  quipu show 17
  quipu show 17 18 --json";

/// Show memories in full, with links, entities, rows, flags and history
#[derive(Debug, Args)]
#[command(after_long_help = EXAMPLES)]
pub struct ShowArgs {
    /// Ids of the memories
    #[arg(value_name = "ID", required = true, value_parser = id_argument::memory_id)]
    ids: Vec<i64>,
}

impl ShowArgs {
    /// Shows the memories.
    ///
    /// # Errors
    /// Fails when one of them does not exist.
    pub async fn run(self, setup: &Setup) -> Result<CommandOutput, Problem> {
        let mut page = TextPage::new(setup.terminal);
        let shown = setup.with_memory(async |memory| {
            let mut all = Vec::new();
            for id in self.ids {
                page.blank();
                all.push(show(memory, &mut page, MemoryId(id)).await?);
            }
            Ok(all)
        });
        let shown = shown.await?;
        Ok(CommandOutput::new(json!({ "memories": shown }), page))
    }
}

async fn show(memory: &OpenMemory, page: &mut TextPage, id: MemoryId) -> Result<Value, Problem> {
    let caller = memory.caller_for("show");
    let whole = memory.engine.memories().get_details(&caller, id).await?;
    let versions = memory.engine.memories().versions(&caller, id).await?;
    let mut shown =
        recall_by_id(memory, &[id]).await?.pop().ok_or(Failure::not_found("memory", id))?;
    let history = recall_by_id(memory, &other_versions(&versions, id)).await?;
    render(page, &whole, &shown, &history)?;
    if let Value::Object(fields) = &mut shown {
        fields.extend(extra_fields(&whole, history));
    }
    Ok(shown)
}

/// Returns memories in the JSON format of `recall`, so that scripts parse one format only.
async fn recall_by_id(memory: &OpenMemory, ids: &[MemoryId]) -> Result<Vec<Value>, Problem> {
    if ids.is_empty() {
        return Ok(Vec::new());
    }
    let ids: Vec<i64> = ids.iter().map(|id| id.0).collect();
    let mut answer =
        memory.call_tool("recall", JsonMap::from_iter([("ids".to_owned(), json!(ids))])).await?;
    render::parse_result(&answer["memories"].take())
}

fn other_versions(versions: &MemoryVersions, id: MemoryId) -> Vec<MemoryId> {
    versions.all.iter().map(|memory| memory.id).filter(|other| *other != id).collect()
}

/// Returns the JSON fields that only `show` adds.
fn extra_fields(whole: &MemoryDetails, history: Vec<Value>) -> JsonMap {
    let memory = &whole.memory;
    let rows = whole
        .records
        .iter()
        .map(|row| json!({"table": row.table, "id": row.id.0, "data": row.data}));
    let flags = whole.flags.iter().map(|flag| {
        json!({
            "id": flag.id.0,
            "why": flag.reason,
            "by": flag.by.as_str(),
            "date": flag.at.date(),
            "settled": flag.settled,
        })
    });
    let links =
        links(whole).map(|(kind, way, other)| json!({"kind": kind, "way": way, "id": other.0}));
    let entities = whole.mentions.iter().map(|one| json!({"name": one.name, "kind": one.kind}));
    let fields = json!({
        "latest": whole.latest.0,
        "written": memory.provenance.at.to_string(),
        "through": memory.provenance.author.dialect.name(),
        "origin": memory.provenance.origin.name(),
        "priority": memory.priority,
        "confidence": (f64::from(memory.confidence) * 100.0).round() / 100.0,
        "used": memory.access.count,
        "metadata": memory.metadata,
        "links": links.collect::<Vec<_>>(),
        "entities": entities.collect::<Vec<_>>(),
        "rows": rows.collect::<Vec<_>>(),
        "flags": flags.collect::<Vec<_>>(),
        "history": history,
    });
    if let Value::Object(fields) = fields { fields } else { JsonMap::new() }
}

/// Returns the links in both directions.
fn links(whole: &MemoryDetails) -> impl Iterator<Item = (&'static str, &'static str, MemoryId)> {
    let out = whole.links.outgoing.iter().map(|link: &Link| (link.kind.name(), "to", link.target));
    let back =
        whole.links.incoming.iter().map(|link: &Link| (link.kind.name(), "from", link.source));
    out.chain(back)
}

fn render(
    page: &mut TextPage,
    whole: &MemoryDetails,
    memory: &Value,
    history: &[Value],
) -> Result<(), Problem> {
    let memory = render::parse_result::<MemoryOutput>(memory)?;
    memory.render(page);
    page.blank().pairs(&details(whole, &memory));
    if !history.is_empty() {
        page.heading("Other versions");
        for version in history {
            render::parse_result::<MemoryOutput>(version)?.render(page);
        }
    }
    Ok(())
}

/// Returns a link as the rest of a sentence about the memory, or as a sentence about the other one.
fn link_in_words(kind: &str, way: &str, other: MemoryId) -> String {
    let back = LinkKind::parse(kind).unwrap_or(LinkKind::RelatedTo).words();
    let out = back.strip_prefix("is ").unwrap_or(back);
    if way == "to" { format!("{out} {other}") } else { format!("{other} {back} it") }
}

/// Returns the way by which a memory came.
fn way(dialect: Dialect) -> &'static str {
    match dialect {
        Dialect::CommandLine => "the command line",
        Dialect::Rest => "the dashboard",
        Dialect::Import => "an import",
        tools => tools.name(),
    }
}

/// Returns the attributes that are not in the headline.
fn details(whole: &MemoryDetails, rendered: &MemoryOutput) -> Vec<(&'static str, String)> {
    let memory = &whole.memory;
    let used = count_with_noun(memory.access.count as usize, "time", "times");
    let weight =
        format!("priority {}, confidence {:.2}, used {used}", memory.priority, memory.confidence);
    let linked = links(whole).map(|(kind, way, other)| link_in_words(kind, way, other));
    let named = whole.mentions.iter().map(|one: &Mention| format!("{} ({})", one.name, one.kind));
    let object = |fields: &JsonMap| Value::Object(fields.clone()).to_string();
    let mut details = vec![
        ("by", rendered.provenance()),
        (
            "written",
            format!("{} through {}", memory.provenance.at, way(memory.provenance.author.dialect)),
        ),
        ("weight", weight),
        (
            "current version",
            if whole.latest == memory.id { String::new() } else { whole.latest.to_string() },
        ),
        ("links", linked.collect::<Vec<_>>().join(", ")),
        ("mentions", named.collect::<Vec<_>>().join(", ")),
        (
            "metadata",
            if memory.metadata.is_empty() { String::new() } else { object(&memory.metadata) },
        ),
    ];
    let row = |row: &Record| ("row", format!("{} {}: {}", row.table, row.id, object(&row.data)));
    let flag = |flag: &Flag| ("flag", format!("{} ({}, {})", flag.reason, flag.by, flag.at.date()));
    details.extend(whole.records.iter().map(row).chain(whole.flags.iter().map(flag)));
    details.retain(|(_, value)| !value.is_empty());
    details
}
