//! Conversion of the tables, vectors and profile of an Epitome export. A row and the vector that
//! describes it become one record with one memory.

use super::{is_deleted, moment, object, text, unit_interval};
use crate::foreign_memory::{foreign_memory, memory_item};
use crate::transfer::TransferItem;
use engine::ImportedItem;
use engine::profile::value_to_text;
use model::{
    JsonMap, Memory, MemoryId, Moment, ProfileVersion, Provenance, Record, RecordId, Source, Table,
    infer_columns, limits,
};
use serde_json::Value;
use std::collections::HashMap;

/// Columns that Epitome adds to every table.
const SYSTEM_COLUMNS: [&str; 5] = ["id", "created_at", "updated_at", "_deleted_at", "_meta_id"];

/// Returns the memories, then the tables with their rows.
pub(super) fn items(tables: &Value, vectors: &Value, from: &Provenance) -> Vec<TransferItem> {
    let mut converter =
        TableConverter { memories: Vec::new(), memory_of_row: HashMap::new(), from };
    let entries = vectors.get("entries").and_then(Value::as_object).into_iter().flatten();
    for (collection, texts) in entries {
        texts.as_array().into_iter().flatten().filter(|value| !is_deleted(value)).for_each(
            |value| {
                converter.add_vector(collection, value);
            },
        );
    }
    let mut rows: Vec<TransferItem> = Vec::new();
    for (name, values) in tables.as_object().into_iter().flatten() {
        let Ok(table) = Record::normalize_table_name(name) else { continue };
        let live = values.as_array().into_iter().flatten().filter(|value| !is_deleted(value));
        let records: Vec<Record> =
            live.filter_map(|value| converter.convert_row(&table, value)).collect();
        rows.extend(
            catalogue_entry(&table, &records, from)
                .into_iter()
                .map(|table| ImportedItem::Table(table).into()),
        );
        rows.extend(records.into_iter().map(|record| ImportedItem::Record(record).into()));
    }
    let memories =
        converter.memories.into_iter().map(|memory| memory_item(memory, Vec::new()).into());
    memories.chain(rows).collect()
}

/// Returns the profile as its first version.
pub(super) fn profile(value: &Value, from: &Provenance) -> Option<TransferItem> {
    let data = match value.get("data") {
        Some(Value::Object(data)) if value.get("version").is_some() => data.clone(),
        _ => value.as_object().cloned()?,
    };
    let changed = data.keys().cloned().collect();
    let reason = Some("imported from Epitome".to_owned());
    let version = ProfileVersion { version: 1, data, changed, reason, provenance: from.clone() };
    (!version.data.is_empty()).then(|| ImportedItem::Profile(version).into())
}

struct TableConverter<'p> {
    memories: Vec<Memory>,
    /// Memory that describes a row, by table and row number.
    memory_of_row: HashMap<(String, i64), MemoryId>,
    from: &'p Provenance,
}

impl TableConverter<'_> {
    fn add_vector(&mut self, collection: &str, value: &Value) -> Option<()> {
        let text = text(value, "text")?;
        let mut metadata = object(value, "metadata");
        let row = metadata.get("record_id").and_then(Value::as_i64);
        let table = metadata
            .get("table")
            .and_then(Value::as_str)
            .and_then(|name| Record::normalize_table_name(name).ok());
        let row = table.zip(row);
        if let Some((table, _)) = &row {
            metadata.insert(Source::TABLE_FIELD.to_owned(), table.as_str().into());
        }
        let at = moment(value, "created_at", "createdAt");
        let confidence = unit_interval(value, "confidence", 0.9);
        let id = self.add_memory(text.to_owned(), collection, metadata, at, confidence);
        self.memory_of_row.extend(row.map(|row| (row, id)));
        Some(())
    }

    fn convert_row(&mut self, table: &str, value: &Value) -> Option<Record> {
        let mut data = value.as_object()?.clone();
        data.retain(|name, value| !SYSTEM_COLUMNS.contains(&name.as_str()) && !value.is_null());
        if data.is_empty() {
            return None;
        }
        let id = value.get("id").and_then(Value::as_i64).unwrap_or(0);
        let created = moment(value, "created_at", "createdAt");
        let described_by = self.memory_of_row.get(&(table.to_owned(), id)).copied();
        let memory = described_by.unwrap_or_else(|| {
            let field = (Source::TABLE_FIELD.to_owned(), Value::from(table));
            self.add_memory(
                row_text(table, &data),
                table,
                JsonMap::from_iter([field]),
                created,
                0.9,
            )
        });
        Some(Record {
            id: RecordId(id),
            table: table.to_owned(),
            data,
            memory: Some(memory),
            created_at: created.unwrap_or(self.from.at),
            updated_at: moment(value, "updated_at", "updatedAt")
                .or(created)
                .unwrap_or(self.from.at),
        })
    }

    fn add_memory(
        &mut self,
        text: String,
        collection: &str,
        metadata: JsonMap,
        at: Option<Moment>,
        confidence: f32,
    ) -> MemoryId {
        let id = MemoryId(self.memories.len() as i64 + 1);
        let at = at.unwrap_or(self.from.at);
        self.memories.push(Memory {
            collection: collection.chars().take(limits::NAME_CHARS).collect(),
            confidence,
            metadata,
            ..foreign_memory(id, text, at, self.from)
        });
        id
    }
}

fn catalogue_entry(name: &str, records: &[Record], from: &Provenance) -> Option<Table> {
    let columns =
        records.iter().fold(Vec::new(), |columns, record| infer_columns(&columns, &record.data));
    let first = records.iter().map(|record| record.created_at).min()?;
    Some(Table {
        name: name.to_owned(),
        description: None,
        columns,
        rows: records.len(),
        created_at: first,
        updated_at: records.iter().map(|record| record.updated_at).max().unwrap_or(from.at),
    })
}

/// Returns the text of a row for which there is no vector.
fn row_text(table: &str, data: &JsonMap) -> String {
    let fields: Vec<String> =
        data.iter().map(|(name, value)| format!("{name}: {}", value_to_text(value))).collect();
    format!("{table}: {}", fields.join(", "))
}
