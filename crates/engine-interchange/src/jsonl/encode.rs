//! Conversion of stored items into line types.

use super::line_types::{
    ClaimShape, ColumnShape, EntityLine, ExportLine, FlagShape, HandoffLine, LinkLine, MemoryLine,
    MentionShape, ObservationLine, ProfileLine, ProvenanceShape, RecordLine, ReferenceLine,
    RelationLine, ResolvedShape, ReviewLine, SectionShape, SessionLine, TableLine,
};
use super::timestamp::Timestamp;
use crate::transfer::TransferItem;
use engine::{AttributedRelation, ImportedItem, ImportedMemory};
use model::{
    Claim, Entity, Flag, Handoff, Link, Mention, Moment, NewReference, ProfileVersion, Provenance,
    ReviewItem, ReviewState, Section, Session, Table,
};

/// Returns the line of an item.
pub(super) fn encode_item(item: &TransferItem) -> ExportLine {
    match item {
        TransferItem::Reference(document) => ExportLine::Reference(reference(document)),
        TransferItem::Stored(item) => match &**item {
            ImportedItem::Session(session) => ExportLine::Session(self::session(session)),
            ImportedItem::Entity(entity) => ExportLine::Entity(self::entity(entity)),
            ImportedItem::Memory(imported) => ExportLine::Memory(Box::new(memory(imported))),
            ImportedItem::Link(link) => ExportLine::Link(self::link(link)),
            ImportedItem::Observation(observation) => ExportLine::Observation(ObservationLine {
                entity: observation.entity.0,
                text: observation.text.clone(),
                memory: observation.memory.map(|memory| memory.0),
                at: Timestamp(observation.at),
            }),
            ImportedItem::Relation(imported) => ExportLine::Relation(Box::new(relation(imported))),
            ImportedItem::Table(table) => ExportLine::Table(self::table(table)),
            ImportedItem::Record(record) => ExportLine::Record(RecordLine {
                table: record.table.clone(),
                id: record.id.0,
                data: record.data.clone(),
                memory: record.memory.map(|memory| memory.0),
                created_at: Timestamp(record.created_at),
                updated_at: Timestamp(record.updated_at),
            }),
            ImportedItem::Profile(version) => ExportLine::Profile(Box::new(profile(version))),
            ImportedItem::Handoff(handoff) => ExportLine::Handoff(Box::new(self::handoff(handoff))),
            ImportedItem::Review(item) => ExportLine::Review(Box::new(review(item))),
        },
    }
}

fn timestamp(moment: Option<Moment>) -> Option<Timestamp> {
    moment.map(Timestamp)
}

fn session(session: &Session) -> SessionLine {
    SessionLine {
        id: session.id.0,
        key: session.key.clone(),
        project: session.project.clone(),
        agent: session.agent.to_string(),
        metadata: session.metadata.clone(),
        started_at: Timestamp(session.started_at),
        ended_at: timestamp(session.ended_at),
        episode: session.episode.map(|memory| memory.0),
    }
}

fn entity(entity: &Entity) -> EntityLine {
    EntityLine {
        id: entity.id.0,
        kind: entity.kind.clone(),
        name: entity.name.clone(),
        aliases: entity.aliases.clone(),
        properties: entity.properties.clone(),
        confidence: entity.confidence,
        first_seen: Timestamp(entity.first_seen),
        last_seen: Timestamp(entity.last_seen),
    }
}

fn memory(imported: &ImportedMemory) -> MemoryLine {
    let memory = &imported.memory;
    MemoryLine {
        id: memory.id.0,
        kind: memory.kind.to_string(),
        title: memory.title.clone(),
        text: memory.text.clone(),
        summary: memory.summary.clone(),
        collection: memory.collection.clone(),
        session: memory.session.map(|session| session.0),
        project: memory.project.clone(),
        tags: memory.tags.clone(),
        applies_to: memory.applies_to.clone(),
        priority: memory.priority,
        confidence: memory.confidence,
        metadata: memory.metadata.clone(),
        provenance: provenance(&memory.provenance),
        valid_from: Timestamp(memory.valid_from),
        valid_to: timestamp(memory.valid_to),
        status: memory.status.name().to_owned(),
        ended_at: timestamp(memory.ended_at),
        updated_at: Timestamp(memory.updated_at),
        uses: memory.access.count,
        last_used: timestamp(memory.access.last),
        flags: imported.flags.iter().map(flag).collect(),
        mentions: imported.mentions.iter().map(mention).collect(),
    }
}

fn provenance(from: &Provenance) -> ProvenanceShape {
    ProvenanceShape {
        agent: from.author.agent.to_string(),
        client: from.author.client.clone(),
        dialect: from.author.dialect.name().to_owned(),
        tool: from.author.tool.clone(),
        origin: from.origin.name().to_owned(),
        trust: from.trust.0,
        at: Timestamp(from.at),
    }
}

fn flag(flag: &Flag) -> FlagShape {
    FlagShape {
        by: flag.by.to_string(),
        at: Timestamp(flag.at),
        reason: flag.reason.clone(),
        settled: flag.settled,
    }
}

fn mention(mention: &Mention) -> MentionShape {
    MentionShape {
        entity: mention.entity.0,
        kind: mention.kind.clone(),
        name: mention.name.clone(),
        source: mention.source.clone(),
        path: mention.path.clone(),
    }
}

fn link(link: &Link) -> LinkLine {
    LinkLine {
        source: link.source.0,
        target: link.target.0,
        kind: link.kind.name().to_owned(),
        weight: link.weight,
        created_at: Timestamp(link.created_at),
    }
}

fn relation(attributed: &AttributedRelation) -> RelationLine {
    let relation = &attributed.relation;
    RelationLine {
        source: relation.source.0,
        target: relation.target.0,
        kind: relation.kind.clone(),
        weight: relation.weight,
        confidence: relation.confidence,
        memory: relation.memory.map(|memory| memory.0),
        said_in: attributed.stated_in.iter().map(|memory| memory.0).collect(),
        by_itself: attributed.unattached,
        properties: relation.properties.clone(),
        first_seen: Timestamp(relation.first_seen),
        last_seen: Timestamp(relation.last_seen),
    }
}

fn table(table: &Table) -> TableLine {
    let column = |column: &model::Column| ColumnShape {
        name: column.name.clone(),
        kind: column.kind.name().to_owned(),
    };
    TableLine {
        name: table.name.clone(),
        description: table.description.clone(),
        columns: table.columns.iter().map(column).collect(),
        created_at: Timestamp(table.created_at),
        updated_at: Timestamp(table.updated_at),
    }
}

fn profile(version: &ProfileVersion) -> ProfileLine {
    ProfileLine {
        version: version.version,
        data: version.data.clone(),
        changed: version.changed.clone(),
        reason: version.reason.clone(),
        provenance: provenance(&version.provenance),
    }
}

fn handoff(handoff: &Handoff) -> HandoffLine {
    HandoffLine {
        id: handoff.id.0,
        title: handoff.title.clone(),
        document: handoff.document.clone(),
        project: handoff.project.clone(),
        cwd: handoff.cwd.clone(),
        harness: handoff.harness.clone(),
        source_ref: handoff.source_ref.clone(),
        tags: handoff.tags.clone(),
        state: handoff.state.name().to_owned(),
        claim: handoff.claim.as_ref().map(claim),
        created_by: handoff.created_by.to_string(),
        created_at: Timestamp(handoff.created_at),
        updated_at: Timestamp(handoff.updated_at),
    }
}

fn claim(claim: &Claim) -> ClaimShape {
    ClaimShape {
        by: claim.by.to_string(),
        since: Timestamp(claim.since),
        until: Timestamp(claim.until),
        notes: claim.notes.clone(),
    }
}

fn reference(document: &NewReference) -> ReferenceLine {
    let section = |section: &Section| SectionShape {
        heading: section.heading.clone(),
        text: section.text.clone(),
    };
    ReferenceLine {
        path: document.path.clone(),
        title: document.title.clone(),
        hash: document.hash.to_string(),
        sections: document.sections.iter().map(section).collect(),
    }
}

fn review(item: &ReviewItem) -> ReviewLine {
    let resolved = match &item.state {
        ReviewState::Open => None,
        ReviewState::Resolved { resolution, by, at } => Some(ResolvedShape {
            resolution: resolution.name().to_owned(),
            by: by.to_string(),
            at: Timestamp(*at),
        }),
    };
    ReviewLine {
        id: item.id.0,
        kind: item.kind.name().to_owned(),
        subject: item.subject.map(|memory| memory.0),
        against: item.against.map(|memory| memory.0),
        reason: item.reason.clone(),
        details: item.details.clone(),
        raised_by: item.raised_by.to_string(),
        raised_at: Timestamp(item.raised_at),
        resolved,
    }
}
