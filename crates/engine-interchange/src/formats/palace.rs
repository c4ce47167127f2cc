//! MemPalace: the drawers in the SQLite file of its vector store. Each document is stored there as
//! one row for each of its fields; a wing becomes the project and a room a tag.

use super::field_values::{moment_of, text};
use crate::foreign::{ForeignItems, ForeignMemory, ForeignNote, ItemList};
use model::{JsonMap, Provenance};
use serde_json::Value;
use std::collections::BTreeMap;

/// Name of the field with the text.
const DOCUMENT: &str = "chroma:document";

/// Fields of the drawers, by their number.
#[derive(Debug, Clone, PartialEq)]
pub(super) struct PalaceDrawers(BTreeMap<i64, JsonMap>);

impl PalaceDrawers {
    /// Returns the drawers; `None` when the file has no documents.
    pub fn from_tables(tables: &BTreeMap<String, Vec<JsonMap>>) -> Option<Self> {
        let mut drawers: BTreeMap<i64, JsonMap> = BTreeMap::new();
        for row in tables.get("embedding_metadata")? {
            let (id, key) = (row.get("id").and_then(Value::as_i64)?, text(row, &["key"])?);
            let value =
                ["string_value", "int_value", "float_value"].iter().find_map(|name| row.get(*name));
            if let Some(value) = value {
                drawers.entry(id).or_default().insert(key, value.clone());
            }
        }
        let has_texts = drawers.values().any(|fields| fields.contains_key(DOCUMENT));
        has_texts.then_some(Self(drawers))
    }
}

impl ForeignMemory for PalaceDrawers {
    fn program(&self) -> &'static str {
        "MemPalace"
    }

    fn convert(&self, from: &Provenance) -> ForeignItems {
        let mut items = ItemList::new(from);
        for (number, fields) in &self.0 {
            let source =
                text(fields, &["source_file"]).map(|file| ("source_file".to_owned(), file.into()));
            items.add(ForeignNote {
                name: format!("drawer {number}"),
                text: text(fields, &[DOCUMENT]).unwrap_or_default(),
                tags: text(fields, &["room"]).into_iter().collect(),
                project: text(fields, &["wing"]),
                agent: text(fields, &["added_by", "agent"]),
                at: fields.get("filed_at").and_then(moment_of),
                metadata: source.into_iter().collect(),
                ..ForeignNote::default()
            });
        }
        items.finish()
    }
}
