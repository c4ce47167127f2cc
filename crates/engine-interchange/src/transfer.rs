//! Export and import of everything an owner has, item by item, in an order in which references
//! point backwards. Only the owner in person may do this. File formats are unknown here.

mod export;
mod import;

pub use export::ExportState;
pub use import::{ImportOptions, ImportOutcome, ImportState};

use model::NewReference;
use store::ImportedItem;

/// One item of an export.
#[derive(Debug, Clone, PartialEq)]
pub enum TransferItem {
    Stored(Box<ImportedItem>),
    Reference(Box<NewReference>),
}

impl TransferItem {
    /// Returns the kind of item, as a word of the vocabulary.
    #[must_use]
    pub fn kind(&self) -> &'static str {
        match self {
            Self::Reference(_) => "reference",
            Self::Stored(item) => match **item {
                ImportedItem::Session(_) => "session",
                ImportedItem::Entity(_) => "entity",
                ImportedItem::Memory(_) => "memory",
                ImportedItem::Link(_) => "link",
                ImportedItem::Observation(_) => "observation",
                ImportedItem::Relation(_) => "relation",
                ImportedItem::Table(_) => "table",
                ImportedItem::Record(_) => "record",
                ImportedItem::Profile(_) => "profile",
                ImportedItem::Handoff(_) => "handoff",
                ImportedItem::Review(_) => "review",
            },
        }
    }

    /// Returns a name for messages.
    fn name(&self) -> String {
        let named = |number: i64| format!("{} {number}", self.kind());
        match self {
            Self::Reference(document) => format!("reference {}", document.path),
            Self::Stored(item) => match &**item {
                ImportedItem::Session(session) => named(session.id.0),
                ImportedItem::Entity(entity) => named(entity.id.0),
                ImportedItem::Memory(imported) => named(imported.memory.id.0),
                ImportedItem::Link(link) => {
                    format!("link {} {} {}", link.source, link.kind.name(), link.target)
                }
                ImportedItem::Observation(said) => format!("observation of entity {}", said.entity),
                ImportedItem::Relation(imported) => {
                    let edge = &imported.relation;
                    format!("relation {} {} {}", edge.source, edge.kind, edge.target)
                }
                ImportedItem::Table(table) => format!("table {}", table.name),
                ImportedItem::Record(record) => format!("record {}/{}", record.table, record.id),
                ImportedItem::Profile(version) => named(version.version.into()),
                ImportedItem::Handoff(handoff) => named(handoff.id.0),
                ImportedItem::Review(item) => named(item.id.0),
            },
        }
    }
}

impl From<ImportedItem> for TransferItem {
    fn from(item: ImportedItem) -> Self {
        Self::Stored(Box::new(item))
    }
}
