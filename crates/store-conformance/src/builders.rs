//! Builders for test data: each returns the simplest valid value of its type, for a test to adjust.
//! The default author is `ada`; times are seconds into one fixed day.

use model::{
    AgentName, AuditEvent, AuditId, AuditOutcome, Author, ConnectionId, ContentHash, Dialect,
    EntityId, HandoffId, JsonMap, LinkKind, MemoryId, Moment, NewEntity, NewHandoff, NewMemory,
    NewReference, NewReview, Origin, Provenance, ReviewKind, Section, Seq, SessionId,
    StoredVectors, VectorModel,
};
use serde_json::Value;
use store::{AddMemory, Batch, Change, HandoffStep, OnDuplicate, OnForgotten, Ref};

/// The default author.
pub const DEFAULT_AGENT: &str = "ada";

/// Returns the moment so many seconds into the tests' day.
#[must_use]
pub fn moment(seconds: i64) -> Moment {
    Moment::from_seconds(1_777_777_777).plus_seconds(seconds)
}

/// Builds the change that gives a derived memory another text, without vectors.
#[must_use]
pub fn remade(memory: MemoryId, text: &str) -> Change {
    let (text, trust) = (text.to_owned(), model::Origin::Inferred.trust());
    Change::RemakeMemory { memory, text, trust, vector: None, erase: false }
}

/// Builds an author that calls the tool `remember` of Quipu's own dialect.
#[must_use]
pub fn author(agent: &str) -> Author {
    Author {
        agent: AgentName::new(agent),
        client: Some("suite 1.0".to_owned()),
        dialect: Dialect::Quipu,
        tool: "remember".to_owned(),
    }
}

/// Builds the provenance of something that this agent wrote on its own.
#[must_use]
pub fn provenance(agent: &str, at: Moment) -> Provenance {
    Provenance { author: author(agent), origin: Origin::Agent, trust: Origin::Agent.trust(), at }
}

/// Builds an event of the default author with the outcome `Done`.
#[must_use]
pub fn event(at: Moment) -> AuditEvent {
    event_by(DEFAULT_AGENT, at)
}

/// Builds an event of this agent with the outcome `Done`.
#[must_use]
pub fn event_by(agent: &str, at: Moment) -> AuditEvent {
    AuditEvent {
        id: AuditId(0),
        seq: Seq::ZERO,
        author: author(agent),
        resource: "memory".to_owned(),
        outcome: AuditOutcome::Done,
        at,
        duration_us: 7,
        arguments: ContentHash::of_bytes(b"arguments"),
        note: "created 1".to_owned(),
    }
}

/// Builds a batch of the default author at the start of the day.
#[must_use]
pub fn batch(changes: Vec<Change>) -> Batch {
    Batch::new(event(moment(0)), changes)
}

/// Builds a batch of this agent at this moment.
#[must_use]
pub fn batch_by(agent: &str, at: Moment, changes: Vec<Change>) -> Batch {
    Batch::new(event_by(agent, at), changes)
}

/// Builds a plain note; a duplicate returns the existing memory, a forgotten text is refused.
#[must_use]
pub fn note(text: &str) -> AddMemory {
    AddMemory {
        memory: NewMemory::note(text, provenance(DEFAULT_AGENT, moment(0))),
        session: None,
        vector: None,
        on_duplicate: OnDuplicate::ReturnExisting,
        on_forgotten: OnForgotten::Refuse,
    }
}

/// Builds a plain note written so many seconds into the day.
#[must_use]
pub fn note_at(seconds: i64, text: &str) -> AddMemory {
    note_with(text, |add| {
        add.memory.provenance.at = moment(seconds);
        add.memory.valid_from = moment(seconds);
    })
}

/// Builds a plain note and lets the caller adjust it.
#[must_use]
pub fn note_with(text: &str, change: impl FnOnce(&mut AddMemory)) -> AddMemory {
    let mut add = note(text);
    change(&mut add);
    add
}

/// Builds the change that writes this memory.
#[must_use]
pub fn add(memory: AddMemory) -> Change {
    Change::AddMemory(Box::new(memory))
}

/// Builds the change that writes a plain note.
#[must_use]
pub fn remember(text: &str) -> Change {
    add(note(text))
}

/// Builds the change that links two memories with weight 0.5.
#[must_use]
pub fn link(source: MemoryId, target: MemoryId, kind: LinkKind) -> Change {
    Change::Link { source: Ref::Id(source), target: Ref::Id(target), kind, weight: 0.5 }
}

/// Builds the change that forgets these memories.
#[must_use]
pub fn forget(memories: &[MemoryId]) -> Change {
    Change::Forget { memories: memories.to_vec() }
}

/// Builds the vectors of one text window in four dimensions; different seeds give different ones.
#[must_use]
pub fn vector(model: &str, seed: u8) -> StoredVectors {
    let mut windows = 0.5_f32.to_le_bytes().to_vec();
    windows.extend([seed, 2, 3, 4]);
    StoredVectors { model: VectorModel { id: model.to_owned(), dimensions: 4 }, data: windows }
}

/// Returns the fields of a JSON object, and an empty map for any other value.
#[must_use]
pub fn fields(value: Value) -> JsonMap {
    if let Value::Object(map) = value { map } else { JsonMap::new() }
}

/// Builds an entity without a kind.
#[must_use]
pub fn entity(name: &str) -> NewEntity {
    NewEntity { kind: None, name: name.to_owned(), properties: JsonMap::new(), confidence: 0.8 }
}

/// Builds the change that records a mention of an entity under this name.
#[must_use]
pub fn mention(memory: MemoryId, entity: EntityId, name: &str) -> Change {
    Change::Mention(store::NewMention {
        memory: Ref::Id(memory),
        entity: Ref::Id(entity),
        kind: "person".to_owned(),
        name: name.to_owned(),
        source: "words".to_owned(),
        path: None,
    })
}

/// Builds the change that writes a row without a memory.
#[must_use]
pub fn record(table: &str, data: Value) -> Change {
    Change::AddRecord {
        table: table.to_owned(),
        description: None,
        data: fields(data),
        memory: None,
    }
}

/// Builds a handoff with a short document.
#[must_use]
pub fn handoff(title: &str) -> NewHandoff {
    NewHandoff {
        title: title.to_owned(),
        document: "## Next\nGo on.".to_owned(),
        ..NewHandoff::default()
    }
}

/// Builds the change that takes a step of a handoff.
#[must_use]
pub fn step(handoff: HandoffId, step: HandoffStep) -> Change {
    Change::MoveHandoff { handoff, step, connection: None }
}

/// Builds the change that takes a step of a handoff in a running session.
#[must_use]
pub fn step_in(process: &str, handoff: HandoffId, step: HandoffStep) -> Change {
    Change::MoveHandoff { handoff, step, connection: Some(ConnectionId::process(process)) }
}

/// Builds the change that claims a handoff until a moment, without notes.
#[must_use]
pub fn claim(handoff: HandoffId, until: Moment) -> Change {
    step(handoff, HandoffStep::Claim { until, notes: Vec::new() })
}

/// Builds the change that stores a document: each section is headed by its number and has no
/// vectors.
#[must_use]
pub fn document(path: &str, sections: &[&str]) -> Change {
    let section = |(number, text): (usize, &&str)| Section {
        heading: vec![format!("{number}")],
        text: (*text).to_owned(),
    };
    let reference = NewReference {
        path: path.to_owned(),
        title: path.to_owned(),
        hash: ContentHash::of_bytes(sections.join("\n").as_bytes()),
        sections: sections.iter().enumerate().map(section).collect(),
    };
    Change::PutReference { reference: Box::new(reference), vectors: vec![None; sections.len()] }
}

/// Builds the change that raises a contradiction between two memories.
#[must_use]
pub fn contradiction(subject: MemoryId, against: MemoryId) -> Change {
    Change::RaiseReview {
        item: NewReview {
            kind: ReviewKind::Contradiction,
            reason: "they disagree".to_owned(),
            details: JsonMap::new(),
        },
        subject: Some(Ref::Id(subject)),
        against: Some(Ref::Id(against)),
    }
}

/// Returns a reference to a session that does not exist.
#[must_use]
pub fn unknown_session() -> Ref<SessionId> {
    Ref::Id(SessionId(987_654))
}
