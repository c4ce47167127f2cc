//! Export and import of everything an owner has, item by item, in an order in which references
//! point backwards. Only the owner in person may do this. File formats are unknown here.

mod into;
mod out;

pub use into::{Import, ImportOptions, Imported};
pub use out::Export;

use model::NewReference;
use store::Kept;

/// One item of an export.
#[derive(Debug, Clone, PartialEq)]
pub enum Item {
    Kept(Box<Kept>),
    Reference(Box<NewReference>),
}

impl Item {
    /// Returns the kind of item, as a word of the vocabulary.
    #[must_use]
    pub fn sort(&self) -> &'static str {
        match self {
            Self::Reference(_) => "reference",
            Self::Kept(kept) => match **kept {
                Kept::Session(_) => "session",
                Kept::Entity(_) => "entity",
                Kept::Memory(_) => "memory",
                Kept::Link(_) => "link",
                Kept::Observation(_) => "observation",
                Kept::Relation(_) => "relation",
                Kept::Table(_) => "table",
                Kept::Record(_) => "record",
                Kept::Profile(_) => "profile",
                Kept::Handoff(_) => "handoff",
                Kept::Review(_) => "review",
            },
        }
    }

    /// Returns a name for messages.
    fn name(&self) -> String {
        let named = |number: i64| format!("{} {number}", self.sort());
        match self {
            Self::Reference(document) => format!("reference {}", document.path),
            Self::Kept(kept) => match &**kept {
                Kept::Session(session) => named(session.id.0),
                Kept::Entity(entity) => named(entity.id.0),
                Kept::Memory(kept) => named(kept.memory.id.0),
                Kept::Link(link) => {
                    format!("link {} {} {}", link.source, link.kind.name(), link.target)
                }
                Kept::Observation(said) => format!("observation of entity {}", said.entity),
                Kept::Relation(kept) => {
                    let edge = &kept.relation;
                    format!("relation {} {} {}", edge.source, edge.kind, edge.target)
                }
                Kept::Table(table) => format!("table {}", table.name),
                Kept::Record(record) => format!("record {}/{}", record.table, record.id),
                Kept::Profile(version) => named(version.version.into()),
                Kept::Handoff(handoff) => named(handoff.id.0),
                Kept::Review(item) => named(item.id.0),
            },
        }
    }
}

impl From<Kept> for Item {
    fn from(kept: Kept) -> Self {
        Self::Kept(Box::new(kept))
    }
}
