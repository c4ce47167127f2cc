//! Engram: its export, or the tables of its SQLite file. Observations become memories with their
//! session, project, type and title; prompts are not statements and stay out.

use super::field_values::{moment, rows, text};
use super::json_records::rows_under;
use crate::foreign::{ForeignItems, ForeignMemory, ForeignNote, ItemList};
use model::{JsonMap, Provenance};
use serde_json::Value;
use std::collections::BTreeMap;

/// Sessions and observations of Engram.
#[derive(Debug, Clone, PartialEq)]
pub(super) struct EngramRows {
    sessions: Vec<JsonMap>,
    observations: Vec<JsonMap>,
}

impl EngramRows {
    /// Returns the rows of an export.
    pub fn from_document(document: &Value) -> Option<Self> {
        let fields = document.as_object()?;
        let observations = rows(fields, "observations");
        let sessions = rows_under(fields, &["sessions"]);
        let is_export = fields.contains_key("sessions") && fields.contains_key("observations");
        (is_export && observations.iter().all(is_its_own))
            .then_some(Self { sessions, observations })
    }

    /// Returns the rows of its SQLite file.
    pub fn from_tables(tables: &BTreeMap<String, Vec<JsonMap>>) -> Option<Self> {
        let observations = tables.get("observations")?;
        let sessions = tables.get("sessions").cloned().unwrap_or_default();
        let found = observations.first().is_some_and(is_its_own);
        found.then(|| Self { sessions, observations: observations.clone() })
    }
}

fn is_its_own(row: &JsonMap) -> bool {
    row.contains_key("content") && row.contains_key("session_id") && !row.contains_key("entity_id")
}

impl ForeignMemory for EngramRows {
    fn program(&self) -> &'static str {
        "Engram"
    }

    fn convert(&self, from: &Provenance) -> ForeignItems {
        let mut items = ItemList::new(from);
        for row in &self.sessions {
            if let Some(id) = text(row, &["id"]) {
                let at = moment(row, &["started_at", "created_at"]);
                items.session(&format!("engram:{id}"), at, text(row, &["summary"]).as_deref());
            }
        }
        for row in self.observations.iter().filter(|row| moment(row, &["deleted_at"]).is_none()) {
            add_observation(&mut items, row);
        }
        items.finish()
    }
}

fn add_observation(items: &mut ItemList, row: &JsonMap) {
    let name = format!("observation {}", text(row, &["id"]).unwrap_or_default());
    let Some(content) = text(row, &["content"]) else { return items.skip(name, "it has no text") };
    let at = moment(row, &["created_at"]);
    let session =
        text(row, &["session_id"]).map(|id| items.session(&format!("engram:{id}"), at, None));
    items.add(ForeignNote {
        name,
        text: content,
        title: text(row, &["title"]),
        kind: text(row, &["type"]),
        tags: text(row, &["topic_key"]).into_iter().collect(),
        project: text(row, &["project"]),
        at,
        updated: moment(row, &["updated_at"]),
        session,
        ..ForeignNote::default()
    });
}
