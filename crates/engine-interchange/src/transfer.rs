//! Transfer: the whole memory of an owner, out of one store and into another, one thing at a time
//! and in an order in which nothing is named before it is there. Only the owner does this. Knows no
//! file format.

mod into;
mod out;

pub use into::{Import, ImportOptions, Imported};
pub use out::Export;

use model::NewReference;
use store::Kept;

/// One thing of a memory, as it is kept.
#[derive(Debug, Clone, PartialEq)]
pub enum Item {
    /// Whatever has a number or a place of its own.
    Kept(Box<Kept>),
    /// A document.
    Reference(Box<NewReference>),
}

impl Item {
    /// What sort of thing it is, in the word of the vocabulary.
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

    /// Which one it is, for people.
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
