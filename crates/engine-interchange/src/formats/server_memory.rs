//! The graph file of server-memory, the reference memory of the Model Context Protocol: JSON Lines
//! with entities, their observations, and relations. Each observation and each relation becomes a
//! memory that names its entities, so that it is found by a question.

use super::field_values::{text, texts};
use crate::foreign::{ForeignItems, ForeignMemory, ForeignNote, ItemList};
use model::{JsonMap, Provenance};
use serde_json::Value;

/// Lines of a graph file.
#[derive(Debug, Clone, PartialEq)]
pub(super) struct ServerMemoryGraph {
    entities: Vec<JsonMap>,
    relations: Vec<JsonMap>,
}

impl ServerMemoryGraph {
    /// Returns the graph of a list of lines, or of one document with `entities` and `relations`.
    pub fn from_document(document: &Value) -> Option<Self> {
        let of_type = |kind: &str| {
            let lines = document.as_array().into_iter().flatten().filter_map(Value::as_object);
            let lines = lines.filter(|line| line.get("type").is_some_and(|found| found == kind));
            lines.cloned().collect::<Vec<JsonMap>>()
        };
        let listed = |name: &str| {
            let list = document.get(name).and_then(Value::as_array).into_iter().flatten();
            list.filter_map(Value::as_object).cloned().collect::<Vec<JsonMap>>()
        };
        let (entities, relations) = match document {
            Value::Array(_) => (of_type("entity"), of_type("relation")),
            _ => (listed("entities"), listed("relations")),
        };
        let is_its_own =
            |row: &JsonMap| row.contains_key("entityType") || row.contains_key("relationType");
        let found = entities.iter().chain(&relations).next().is_some_and(is_its_own);
        found.then_some(Self { entities, relations })
    }
}

impl ForeignMemory for ServerMemoryGraph {
    fn program(&self) -> &'static str {
        "server-memory"
    }

    fn convert(&self, from: &Provenance) -> ForeignItems {
        let mut items = ItemList::new(from);
        for entity in &self.entities {
            add_entity(&mut items, entity);
        }
        for relation in &self.relations {
            add_relation(&mut items, relation);
        }
        items.finish()
    }
}

fn add_entity(items: &mut ItemList, row: &JsonMap) {
    let Some(name) = text(row, &["name"]) else {
        return items.skip("an entity", "it has no name");
    };
    let kind = text(row, &["entityType"]);
    let Some(entity) = items.entity(&name, kind.as_deref()) else { return };
    for observation in texts(row, &["observations"]) {
        let note = ForeignNote {
            name: format!("observation of {name}"),
            text: about(&name, &observation),
            kind: Some("fact".to_owned()),
            ..ForeignNote::default()
        };
        if let Some(memory) = items.add(note) {
            items.mention(memory, entity);
        }
    }
}

/// Returns an observation as a sentence that names its subject.
fn about(name: &str, observation: &str) -> String {
    let names_it = observation.to_lowercase().contains(&name.replace('_', " ").to_lowercase());
    if names_it {
        observation.to_owned()
    } else {
        format!("{}: {observation}", name.replace('_', " "))
    }
}

fn add_relation(items: &mut ItemList, row: &JsonMap) {
    let ends = (text(row, &["from"]), text(row, &["to"]), text(row, &["relationType"]));
    let (Some(source), Some(target), Some(kind)) = ends else {
        return items.skip("a relation", "it lacks an end or a type");
    };
    let written = |name: &str| name.replace('_', " ");
    let note = ForeignNote {
        name: format!("relation of {source}"),
        text: format!("{} {} {}.", written(&source), written(&kind), written(&target)),
        kind: Some("fact".to_owned()),
        ..ForeignNote::default()
    };
    let (from, to) = (items.entity(&source, None), items.entity(&target, None));
    if let (Some(memory), Some(from), Some(to)) = (items.add(note), from, to) {
        items.mention(memory, from);
        items.mention(memory, to);
        items.relate(from, &kind, to, memory);
    }
}
