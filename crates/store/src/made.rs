//! What a change made, in a form that a store can keep beside an idempotency key.

use model::{
    EntityId, FlagId, HandoffId, MemoryId, ObservationId, RecordId, ReferenceId, RelationId,
    ReviewId, SessionId, WorkspaceId,
};

/// What a change made.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum Made {
    /// Nothing that has an id.
    Nothing,
    /// A memory.
    Memory(MemoryId),
    /// Nothing: this memory says the same already.
    Duplicate(MemoryId),
    /// A session, new or taken up again.
    Session(SessionId),
    /// An entity, new or found.
    Entity(EntityId),
    /// An observation, new or found.
    Observation(ObservationId),
    /// A relation, new or found.
    Relation(RelationId),
    /// A row.
    Record(RecordId),
    /// The profile's newest version.
    Profile(u32),
    /// A handoff.
    Handoff(HandoffId),
    /// A document.
    Reference(ReferenceId),
    /// Something to decide.
    Review(ReviewId),
    /// A flag.
    Flag(FlagId),
    /// A workspace.
    Workspace(WorkspaceId),
    /// A context of a workspace, by its number.
    Context(u32),
    /// Memories were forgotten.
    Forgotten(Receipt),
}

/// What forgetting removed, place by place.
#[derive(Debug, Clone, PartialEq, Eq, Default)]
pub struct Receipt {
    /// The memories that are gone.
    pub memories: Vec<MemoryId>,
    /// How many things went from each place: `memories`, `vectors`, `links`, `records`, `mentions`,
    /// …
    pub places: Vec<(String, usize)>,
}

impl Receipt {
    /// How many things went from a place.
    #[must_use]
    pub fn removed_from(&self, place: &str) -> usize {
        self.places.iter().find(|(name, _)| name == place).map_or(0, |(_, count)| *count)
    }
}

impl Made {
    /// The memory a change made or found.
    #[must_use]
    pub fn memory(&self) -> Option<MemoryId> {
        match self {
            Self::Memory(id) | Self::Duplicate(id) => Some(*id),
            _ => None,
        }
    }

    /// The session a change made or found.
    #[must_use]
    pub fn session(&self) -> Option<SessionId> {
        if let Self::Session(id) = self { Some(*id) } else { None }
    }

    /// The entity a change made or found.
    #[must_use]
    pub fn entity(&self) -> Option<EntityId> {
        if let Self::Entity(id) = self { Some(*id) } else { None }
    }

    /// One line that [`Made::decode`] reads back.
    #[must_use]
    pub fn encode(&self) -> String {
        match self {
            Self::Nothing => "nothing".to_owned(),
            Self::Memory(id) => format!("memory {id}"),
            Self::Duplicate(id) => format!("duplicate {id}"),
            Self::Session(id) => format!("session {id}"),
            Self::Entity(id) => format!("entity {id}"),
            Self::Observation(id) => format!("observation {id}"),
            Self::Relation(id) => format!("relation {id}"),
            Self::Record(id) => format!("record {id}"),
            Self::Profile(version) => format!("profile {version}"),
            Self::Handoff(id) => format!("handoff {id}"),
            Self::Reference(id) => format!("reference {id}"),
            Self::Review(id) => format!("review {id}"),
            Self::Flag(id) => format!("flag {id}"),
            Self::Workspace(id) => format!("workspace {id}"),
            Self::Context(number) => format!("context {number}"),
            Self::Forgotten(receipt) => encode_receipt(receipt),
        }
    }

    /// Reads a line written by [`Made::encode`]; `None` when it is not one.
    #[must_use]
    pub fn decode(line: &str) -> Option<Self> {
        let (word, rest) = line.split_once(' ').unwrap_or((line, ""));
        let id = || rest.parse::<i64>().ok();
        Some(match word {
            "nothing" => Self::Nothing,
            "memory" => Self::Memory(MemoryId(id()?)),
            "duplicate" => Self::Duplicate(MemoryId(id()?)),
            "session" => Self::Session(SessionId(id()?)),
            "entity" => Self::Entity(EntityId(id()?)),
            "observation" => Self::Observation(ObservationId(id()?)),
            "relation" => Self::Relation(RelationId(id()?)),
            "record" => Self::Record(RecordId(id()?)),
            "profile" => Self::Profile(rest.parse().ok()?),
            "handoff" => Self::Handoff(HandoffId(id()?)),
            "reference" => Self::Reference(ReferenceId(id()?)),
            "review" => Self::Review(ReviewId(id()?)),
            "flag" => Self::Flag(FlagId(id()?)),
            "workspace" => Self::Workspace(WorkspaceId(id()?)),
            "context" => Self::Context(rest.parse().ok()?),
            "forgotten" => Self::Forgotten(decode_receipt(rest)?),
            _ => return None,
        })
    }
}

fn encode_receipt(receipt: &Receipt) -> String {
    let ids: Vec<String> = receipt.memories.iter().map(ToString::to_string).collect();
    let places: Vec<String> =
        receipt.places.iter().map(|(name, count)| format!("{name}={count}")).collect();
    format!("forgotten {};{}", ids.join(","), places.join(","))
}

fn decode_receipt(text: &str) -> Option<Receipt> {
    let (ids, places) = text.split_once(';')?;
    let items = |list: &str| {
        list.split(',').filter(|item| !item.is_empty()).map(str::to_owned).collect::<Vec<_>>()
    };
    let memories =
        items(ids).iter().map(|id| id.parse().ok()).collect::<Option<Vec<MemoryId>>>()?;
    let place = |item: &String| {
        let (name, count) = item.split_once('=')?;
        Some((name.to_owned(), count.parse().ok()?))
    };
    let places = items(places).iter().map(place).collect::<Option<Vec<_>>>()?;
    Some(Receipt { memories, places })
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn what_was_made_reads_back_as_written() {
        let receipt = Receipt {
            memories: vec![MemoryId(3), MemoryId(9)],
            places: vec![("links".into(), 4), ("vectors".into(), 2)],
        };
        for made in [
            Made::Nothing,
            Made::Memory(MemoryId(7)),
            Made::Duplicate(MemoryId(7)),
            Made::Profile(2),
            Made::Context(1),
            Made::Forgotten(receipt),
            Made::Forgotten(Receipt::default()),
        ] {
            assert_eq!(Made::decode(&made.encode()), Some(made));
        }
        assert_eq!(Made::decode("memory x"), None);
        assert_eq!(Made::decode("elephant 1"), None);
    }
}
