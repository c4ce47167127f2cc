//! claude-mem: its export, or the tables of its SQLite file. Observations become memories with
//! their narrative and facts, and summaries of sessions become episodes.

use super::field_values::{moment, rows, text, texts};
use super::json_records::rows_under;
use crate::foreign::{ForeignItems, ForeignMemory, ForeignNote, ItemList};
use model::{JsonMap, Provenance};
use serde_json::Value;
use std::collections::BTreeMap;

/// Parts of a summary, with the words before them.
const SUMMARY_PARTS: [(&str, &str); 6] = [
    ("request", "Request"),
    ("investigated", "Investigated"),
    ("learned", "Learned"),
    ("completed", "Completed"),
    ("next_steps", "Next steps"),
    ("notes", "Notes"),
];
const TIMES: [&str; 2] = ["created_at_epoch", "created_at"];

/// Observations and summaries of claude-mem.
#[derive(Debug, Clone, PartialEq)]
pub(super) struct ClaudeMemRows {
    observations: Vec<JsonMap>,
    summaries: Vec<JsonMap>,
}

impl ClaudeMemRows {
    /// Returns the rows of an export.
    pub fn from_document(document: &Value) -> Option<Self> {
        let fields = document.as_object()?;
        let is_export = fields.contains_key("totalObservations")
            || (fields.contains_key("observations") && fields.contains_key("summaries"));
        let observations = rows(fields, "observations");
        let summaries = rows_under(fields, &["summaries", "session_summaries"]);
        is_export.then_some(Self { observations, summaries })
    }

    /// Returns the rows of its SQLite file.
    pub fn from_tables(tables: &BTreeMap<String, Vec<JsonMap>>) -> Option<Self> {
        let summaries = tables.get("session_summaries")?.clone();
        let observations = tables.get("observations").cloned().unwrap_or_default();
        Some(Self { observations, summaries })
    }
}

impl ForeignMemory for ClaudeMemRows {
    fn program(&self) -> &'static str {
        "claude-mem"
    }

    fn convert(&self, from: &Provenance) -> ForeignItems {
        let mut items = ItemList::new(from);
        self.observations.iter().for_each(|row| add_observation(&mut items, row));
        self.summaries.iter().for_each(|row| add_summary(&mut items, row));
        items.finish()
    }
}

fn add_observation(items: &mut ItemList, row: &JsonMap) {
    let name = format!("observation {}", text(row, &["id"]).unwrap_or_default());
    let narrative = text(row, &["narrative", "text", "subtitle"]);
    let facts = texts(row, &["facts"]).into_iter().map(|fact| format!("- {fact}"));
    let parts: Vec<String> = narrative.into_iter().chain(facts).collect();
    if parts.is_empty() && text(row, &["title"]).is_none() {
        return items.skip(name, "it has no text");
    }
    let title = text(row, &["title"]);
    let text_of =
        if parts.is_empty() { title.clone().unwrap_or_default() } else { parts.join("\n") };
    let note = ForeignNote { title, tags: texts(row, &["concepts"]), ..common(items, row, name) };
    items.add(ForeignNote { text: text_of, kind: text(row, &["type"]), ..note });
}

fn add_summary(items: &mut ItemList, row: &JsonMap) {
    let name = format!("summary {}", text(row, &["id"]).unwrap_or_default());
    let part = |(field, words): &(&str, &str)| Some(format!("{words}: {}", text(row, &[field])?));
    let parts: Vec<String> = SUMMARY_PARTS.iter().filter_map(part).collect();
    let kind = Some("episode".to_owned());
    let note = common(items, row, name);
    items.add(ForeignNote { text: parts.join("\n"), kind, ..note });
}

/// Returns a note with the fields that observations and summaries share.
fn common(items: &mut ItemList, row: &JsonMap, name: String) -> ForeignNote {
    let at = moment(row, &TIMES);
    let session = text(row, &["memory_session_id", "sdk_session_id", "session_id"]);
    let session = session.map(|id| items.session(&format!("claude-mem:{id}"), at, None));
    ForeignNote { name, project: text(row, &["project"]), at, session, ..ForeignNote::default() }
}
