//! Conversion of line types into stored items. Names of enum values are checked here; the engine
//! checks limits and references.

use super::line_types::{
    ClaimShape, EntityLine, ExportLine, FlagShape, HandoffLine, LinkLine, MemoryLine, MentionShape,
    ObservationLine, ProfileLine, ProvenanceShape, RecordLine, ReferenceLine, RelationLine,
    ReviewLine, SectionShape, SessionLine, TableLine,
};
use super::timestamp::Timestamp;
use crate::transfer::TransferItem;
use engine::{AttributedRelation, ImportedItem, ImportedMemory};
use model::{
    AccessStats, AgentName, Author, Claim, Column, ColumnType, ContentHash, Dialect, Entity,
    EntityId, Flag, FlagId, Handoff, HandoffId, HandoffState, Kind, Link, LinkKind, Memory,
    MemoryId, Mention, Moment, NewReference, Observation, ObservationId, Origin, ProfileVersion,
    Provenance, Record, RecordId, Relation, RelationId, Resolution, ReviewId, ReviewItem,
    ReviewKind, ReviewState, Section, Session, SessionId, Status, Table, Trust,
};

type DecodeResult<T> = Result<T, String>;

/// Returns the item of a line.
pub(super) fn decode_line(line: ExportLine) -> DecodeResult<TransferItem> {
    Ok(match line {
        ExportLine::Quipu(_) => {
            return Err("the header is only allowed on the first line".to_owned());
        }
        ExportLine::Session(line) => ImportedItem::Session(session(line)).into(),
        ExportLine::Entity(line) => ImportedItem::Entity(entity(line)).into(),
        ExportLine::Memory(line) => ImportedItem::Memory(Box::new(memory(*line)?)).into(),
        ExportLine::Link(line) => ImportedItem::Link(link(&line)?).into(),
        ExportLine::Observation(line) => ImportedItem::Observation(observation(line)).into(),
        ExportLine::Relation(line) => ImportedItem::Relation(Box::new(relation(*line))).into(),
        ExportLine::Table(line) => ImportedItem::Table(table(line)?).into(),
        ExportLine::Record(line) => ImportedItem::Record(record(line)).into(),
        ExportLine::Profile(line) => ImportedItem::Profile(profile(*line)?).into(),
        ExportLine::Handoff(line) => ImportedItem::Handoff(handoff(*line)?).into(),
        ExportLine::Reference(line) => TransferItem::Reference(Box::new(reference(line)?)),
        ExportLine::Review(line) => ImportedItem::Review(review(*line)?).into(),
    })
}

/// Parses the name of an enum value.
fn parse_name<T>(
    field: &str,
    text: &str,
    parse: impl FnOnce(&str) -> Option<T>,
) -> DecodeResult<T> {
    let shortened = || text.chars().take(40).collect::<String>();
    parse(text).ok_or_else(|| format!("`{}` is not a valid {field}", shortened()))
}

fn moment(when: Option<Timestamp>) -> Option<Moment> {
    when.map(|when| when.0)
}

fn session(line: SessionLine) -> Session {
    Session {
        id: SessionId(line.id),
        key: line.key,
        project: line.project,
        agent: AgentName::new(&line.agent),
        metadata: line.metadata,
        started_at: line.started_at.0,
        ended_at: moment(line.ended_at),
        episode: line.episode.map(MemoryId),
    }
}

fn entity(line: EntityLine) -> Entity {
    Entity {
        id: EntityId(line.id),
        kind: line.kind,
        name: line.name,
        aliases: line.aliases,
        properties: line.properties,
        confidence: line.confidence,
        mentions: 0,
        first_seen: line.first_seen.0,
        last_seen: line.last_seen.0,
    }
}

fn memory(line: MemoryLine) -> DecodeResult<ImportedMemory> {
    let id = MemoryId(line.id);
    let open = line.flags.iter().filter(|flag| !flag.settled).count();
    let memory = Memory {
        id,
        kind: Kind::new(&line.kind).map_err(|failure| failure.message)?,
        title: line.title,
        text: line.text,
        summary: line.summary,
        collection: line.collection,
        session: line.session.map(SessionId),
        project: line.project,
        tags: line.tags,
        applies_to: line.applies_to,
        priority: line.priority,
        confidence: line.confidence,
        metadata: line.metadata,
        provenance: provenance(line.provenance)?,
        valid_from: line.valid_from.0,
        valid_to: moment(line.valid_to),
        status: parse_name("status", &line.status, Status::parse)?,
        ended_at: moment(line.ended_at),
        access: AccessStats { count: line.uses, last: moment(line.last_used) },
        flags: u32::try_from(open).unwrap_or(u32::MAX),
        updated_at: line.updated_at.0,
    };
    let flags = line.flags.into_iter().map(|line| flag(id, line)).collect();
    let mentions = line.mentions.into_iter().map(|line| mention(id, line)).collect();
    Ok(ImportedMemory { memory, vector: None, flags, mentions })
}

fn provenance(line: ProvenanceShape) -> DecodeResult<Provenance> {
    let author = Author {
        agent: AgentName::new(&line.agent),
        client: line.client,
        dialect: parse_name("dialect", &line.dialect, Dialect::parse)?,
        tool: line.tool,
    };
    let origin = parse_name("origin", &line.origin, Origin::parse)?;
    // A file may lower the trust of an item, but not raise it above that of its origin.
    let trust = Trust(line.trust).combine(origin.trust());
    Ok(Provenance { author, origin, trust, at: line.at.0 })
}

fn flag(memory: MemoryId, line: FlagShape) -> Flag {
    Flag {
        id: FlagId(0),
        memory,
        reason: line.reason,
        by: AgentName::new(&line.by),
        at: line.at.0,
        settled: line.settled,
    }
}

fn mention(memory: MemoryId, line: MentionShape) -> Mention {
    Mention {
        memory,
        entity: EntityId(line.entity),
        kind: line.kind,
        name: line.name,
        source: line.source,
        path: line.path,
    }
}

fn link(line: &LinkLine) -> DecodeResult<Link> {
    Ok(Link {
        source: MemoryId(line.source),
        target: MemoryId(line.target),
        kind: parse_name("link kind", &line.kind, LinkKind::parse)?,
        weight: line.weight,
        created_at: line.created_at.0,
    })
}

fn observation(line: ObservationLine) -> Observation {
    Observation {
        id: ObservationId(0),
        entity: EntityId(line.entity),
        text: line.text,
        memory: line.memory.map(MemoryId),
        at: line.at.0,
    }
}

fn relation(line: RelationLine) -> AttributedRelation {
    let relation = Relation {
        id: RelationId(0),
        source: EntityId(line.source),
        target: EntityId(line.target),
        kind: line.kind,
        weight: line.weight,
        confidence: line.confidence,
        memory: line.memory.map(MemoryId),
        properties: line.properties,
        first_seen: line.first_seen.0,
        last_seen: line.last_seen.0,
    };
    let said_in = line.said_in.into_iter().map(MemoryId).collect();
    AttributedRelation { relation, stated_in: said_in, unattached: line.by_itself }
}

fn table(line: TableLine) -> DecodeResult<Table> {
    let columns = line.columns.into_iter().map(|column| {
        let kind = parse_name("column type", &column.kind, ColumnType::parse)?;
        Ok(Column { name: column.name, kind })
    });
    Ok(Table {
        columns: columns.collect::<DecodeResult<_>>()?,
        name: line.name,
        description: line.description,
        rows: 0,
        created_at: line.created_at.0,
        updated_at: line.updated_at.0,
    })
}

fn record(line: RecordLine) -> Record {
    Record {
        id: RecordId(line.id),
        table: line.table,
        data: line.data,
        memory: line.memory.map(MemoryId),
        created_at: line.created_at.0,
        updated_at: line.updated_at.0,
    }
}

fn profile(line: ProfileLine) -> DecodeResult<ProfileVersion> {
    Ok(ProfileVersion {
        version: line.version,
        data: line.data,
        changed: line.changed,
        reason: line.reason,
        provenance: provenance(line.provenance)?,
    })
}

fn handoff(line: HandoffLine) -> DecodeResult<Handoff> {
    Ok(Handoff {
        id: HandoffId(line.id),
        title: line.title,
        document: line.document,
        project: line.project,
        cwd: line.cwd,
        harness: line.harness,
        source_ref: line.source_ref,
        tags: line.tags,
        state: parse_name("handoff state", &line.state, HandoffState::parse)?,
        claim: line.claim.map(claim),
        created_by: AgentName::new(&line.created_by),
        created_at: line.created_at.0,
        updated_at: line.updated_at.0,
    })
}

fn claim(line: ClaimShape) -> Claim {
    Claim {
        by: AgentName::new(&line.by),
        since: line.since.0,
        until: line.until.0,
        notes: line.notes,
    }
}

fn reference(line: ReferenceLine) -> DecodeResult<NewReference> {
    let section = |line: SectionShape| Section { heading: line.heading, text: line.text };
    Ok(NewReference {
        hash: parse_name("hash", &line.hash, ContentHash::parse)?,
        path: line.path,
        title: line.title,
        sections: line.sections.into_iter().map(section).collect(),
    })
}

fn review(line: ReviewLine) -> DecodeResult<ReviewItem> {
    let state = match line.resolved {
        None => ReviewState::Open,
        Some(resolved) => ReviewState::Resolved {
            resolution: parse_name("resolution", &resolved.resolution, Resolution::parse)?,
            by: AgentName::new(&resolved.by),
            at: resolved.at.0,
        },
    };
    Ok(ReviewItem {
        id: ReviewId(line.id),
        kind: parse_name("review kind", &line.kind, ReviewKind::parse)?,
        subject: line.subject.map(MemoryId),
        against: line.against.map(MemoryId),
        reason: line.reason,
        details: line.details,
        raised_by: AgentName::new(&line.raised_by),
        raised_at: line.raised_at.0,
        state,
    })
}
