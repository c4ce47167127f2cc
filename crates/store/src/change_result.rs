//! Results of changes, and the text form in which a store saves them under an idempotency key.

use model::{
    EntityId, FlagId, HandoffId, MemoryId, ObservationId, RecordId, ReferenceId, RelationId,
    ReviewId, SessionId, WorkspaceId,
};

/// The result of one change.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum ChangeResult {
    /// The change was applied and created nothing that has an id.
    Done,
    Memory(MemoryId),
    /// Nothing was written, because this memory has the same text.
    Duplicate(MemoryId),
    /// A derived memory that has another text now.
    Remade(MemoryId),
    /// A session, new or resumed.
    Session(SessionId),
    /// An entity, new or found.
    Entity(EntityId),
    /// An observation, new or found.
    Observation(ObservationId),
    /// A relation, new or found.
    Relation(RelationId),
    Record(RecordId),
    /// The newest version of the profile.
    Profile(u32),
    Handoff(HandoffId),
    Reference(ReferenceId),
    Review(ReviewId),
    Flag(FlagId),
    Workspace(WorkspaceId),
    /// The number of a context within its workspace.
    Context(u32),
    Forgotten(ForgetReceipt),
}

/// Proof of a removal: the forgotten memories, and counts of everything that was removed.
#[derive(Debug, Clone, PartialEq, Eq, Default)]
pub struct ForgetReceipt {
    pub memories: Vec<MemoryId>,
    /// Number of removed rows by table: `memories`, `vectors`, `links`, `records`, `mentions`, …
    pub removed: Vec<(String, usize)>,
    /// Places that may still contain the text, and are cleared as soon as they can be.
    pub owed: Vec<String>,
}

impl ForgetReceipt {
    /// Returns a sentence about the places that may still contain the text.
    #[must_use]
    pub fn owed_note(&self) -> Option<String> {
        let places = (!self.owed.is_empty()).then(|| self.owed.join(", "))?;
        Some(format!(
            "{places}: unused bytes may still contain it while another process reads; they are \
             cleared without further action"
        ))
    }

    /// Returns the number of rows removed from a table.
    #[must_use]
    pub fn removed_from(&self, place: &str) -> usize {
        self.removed.iter().find(|(name, _)| name == place).map_or(0, |(_, count)| *count)
    }
}

impl ChangeResult {
    /// Returns the memory that a change created or found.
    #[must_use]
    pub fn memory(&self) -> Option<MemoryId> {
        match self {
            Self::Memory(id) | Self::Duplicate(id) => Some(*id),
            _ => None,
        }
    }

    /// Returns the session that a change created or found.
    #[must_use]
    pub fn session(&self) -> Option<SessionId> {
        if let Self::Session(id) = self { Some(*id) } else { None }
    }

    /// Returns the entity that a change created or found.
    #[must_use]
    pub fn entity(&self) -> Option<EntityId> {
        if let Self::Entity(id) = self { Some(*id) } else { None }
    }

    /// Encodes the result as a line of text. Stored with idempotency keys, so the words and their
    /// order are part of the file format.
    #[must_use]
    pub fn encode(&self) -> String {
        match self {
            Self::Done => "nothing".to_owned(),
            Self::Memory(id) => format!("memory {id}"),
            Self::Duplicate(id) => format!("duplicate {id}"),
            Self::Remade(id) => format!("remade {id}"),
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

    /// Decodes a line written by [`ChangeResult::encode`]; `None` when it is malformed.
    #[must_use]
    pub fn decode(line: &str) -> Option<Self> {
        let (word, rest) = line.split_once(' ').unwrap_or((line, ""));
        let id = || rest.parse::<i64>().ok();
        Some(match word {
            "nothing" => Self::Done,
            "memory" => Self::Memory(MemoryId(id()?)),
            "duplicate" => Self::Duplicate(MemoryId(id()?)),
            "remade" => Self::Remade(MemoryId(id()?)),
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

fn encode_receipt(receipt: &ForgetReceipt) -> String {
    let ids: Vec<String> = receipt.memories.iter().map(ToString::to_string).collect();
    let places: Vec<String> =
        receipt.removed.iter().map(|(name, count)| format!("{name}={count}")).collect();
    format!("forgotten {};{}", ids.join(","), places.join(","))
}

fn decode_receipt(text: &str) -> Option<ForgetReceipt> {
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
    Some(ForgetReceipt { memories, removed: places, owed: Vec::new() })
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_change_result_decodes_as_encoded() {
        let receipt = ForgetReceipt {
            memories: vec![MemoryId(3), MemoryId(9)],
            removed: vec![("links".into(), 4), ("vectors".into(), 2)],
            ..ForgetReceipt::default()
        };
        for made in [
            ChangeResult::Done,
            ChangeResult::Memory(MemoryId(7)),
            ChangeResult::Duplicate(MemoryId(7)),
            ChangeResult::Remade(MemoryId(7)),
            ChangeResult::Profile(2),
            ChangeResult::Context(1),
            ChangeResult::Forgotten(receipt),
            ChangeResult::Forgotten(ForgetReceipt::default()),
        ] {
            assert_eq!(ChangeResult::decode(&made.encode()), Some(made));
        }
        assert_eq!(ChangeResult::decode("memory x"), None);
        assert_eq!(ChangeResult::decode("elephant 1"), None);
    }
}
