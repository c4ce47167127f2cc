//! Screening of imported items: every text, as if it were written here. Items are destructured
//! field by field, so that a new field does not compile until it is screened.

use guard::Screening;
use model::{
    Author, Claim, Entity, Failure, Flag, Handoff, JsonMap, Memory, Mention, Observation,
    ProfileVersion, Provenance, Record, Relation, ReviewItem, Session, Table,
};
use store::{ImportedItem, ImportedMemory};

/// Screens all texts of an imported item.
pub(super) fn screen_item(screen: &mut Screening, item: &mut ImportedItem) -> Result<(), Failure> {
    match item {
        ImportedItem::Session(session) => self::session(screen, session),
        ImportedItem::Entity(entity) => self::entity(screen, entity),
        ImportedItem::Memory(imported) => memory(screen, imported),
        // A link has ids, a kind and a weight, and no text.
        ImportedItem::Link(_) => Ok(()),
        ImportedItem::Observation(Observation { id: _, entity: _, text, memory: _, at: _ }) => {
            screen.text("observation", text)
        }
        ImportedItem::Relation(imported) => relation(screen, &mut imported.relation),
        ImportedItem::Table(table) => self::table(screen, table),
        ImportedItem::Record(Record {
            id: _,
            table,
            data,
            memory: _,
            created_at: _,
            updated_at: _,
        }) => {
            screen.name("table", table)?;
            screen.object("data", data)
        }
        ImportedItem::Profile(version) => profile(screen, version),
        ImportedItem::Handoff(handoff) => self::handoff(screen, handoff),
        ImportedItem::Review(item) => review(screen, item),
    }
}

fn session(screen: &mut Screening, session: &mut Session) -> Result<(), Failure> {
    let Session { id: _, key, project, agent, metadata, started_at: _, ended_at: _, episode: _ } =
        session;
    screen.optional("session", key)?;
    screen.optional("project", project)?;
    // Names identify something, so a secret in one is refused rather than removed.
    screen.name("agent", agent.as_str())?;
    screen.object("metadata", metadata)
}

fn entity(screen: &mut Screening, entity: &mut Entity) -> Result<(), Failure> {
    let Entity {
        id: _,
        kind,
        name,
        aliases,
        properties,
        confidence: _,
        mentions: _,
        first_seen: _,
        last_seen: _,
    } = entity;
    screen.text("kind", kind)?;
    screen.text("name", name)?;
    screen.texts("aliases", aliases)?;
    screen.object("properties", properties)
}

fn memory(screen: &mut Screening, imported: &mut ImportedMemory) -> Result<(), Failure> {
    let ImportedMemory { memory, vector: _, flags, mentions } = imported;
    let Memory {
        kind,
        title,
        text,
        summary,
        collection,
        project,
        tags,
        applies_to,
        metadata,
        provenance,
        ..
    } = memory;
    for (field, text) in [("title", title), ("summary", summary), ("project", project)] {
        screen.optional(field, text)?;
    }
    screen.text("text", text)?;
    screen.text("collection", collection)?;
    screen.name("kind", kind.as_str())?;
    screen.texts("tags", tags)?;
    screen.texts("applies_to", applies_to)?;
    screen.object("metadata", metadata)?;
    screen_provenance(screen, provenance)?;
    for Flag { id: _, memory: _, reason, by, at: _, settled: _ } in flags {
        screen.name("agent", by.as_str())?;
        screen.text("reason", reason)?;
    }
    for Mention { memory: _, entity: _, kind, name, source, path } in mentions {
        for (field, text) in [("kind", kind), ("name", name), ("source", source)] {
            screen.text(field, text)?;
        }
        screen.optional("path", path)?;
    }
    Ok(())
}

fn screen_provenance(screen: &mut Screening, provenance: &mut Provenance) -> Result<(), Failure> {
    let Author { agent, client, dialect: _, tool } = &mut provenance.author;
    screen.name("agent", agent.as_str())?;
    screen.optional("client", client)?;
    screen.text("tool", tool)
}

fn relation(screen: &mut Screening, relation: &mut Relation) -> Result<(), Failure> {
    screen.text("relation", &mut relation.kind)?;
    screen.object("properties", &mut relation.properties)
}

fn table(screen: &mut Screening, table: &mut Table) -> Result<(), Failure> {
    let Table { name, description, columns, rows: _, created_at: _, updated_at: _ } = table;
    screen.name("table", name)?;
    screen.optional("description", description)?;
    columns.iter().try_for_each(|column| screen.name("column", &column.name))
}

fn profile(screen: &mut Screening, version: &mut ProfileVersion) -> Result<(), Failure> {
    let ProfileVersion { version: _, data, changed, reason, provenance } = version;
    screen.object("profile", data)?;
    screen.texts("changed", changed)?;
    screen.optional("reason", reason)?;
    screen_provenance(screen, provenance)
}

fn handoff(screen: &mut Screening, handoff: &mut Handoff) -> Result<(), Failure> {
    let Handoff {
        title, document, project, cwd, harness, source_ref, tags, claim, created_by, ..
    } = handoff;
    screen.text("title", title)?;
    screen.text("document", document)?;
    for (field, text) in
        [("project", project), ("cwd", cwd), ("harness", harness), ("source_ref", source_ref)]
    {
        screen.optional(field, text)?;
    }
    screen.texts("tags", tags)?;
    screen.name("agent", created_by.as_str())?;
    let Some(Claim { by, since: _, until: _, notes }) = claim else { return Ok(()) };
    screen.name("agent", by.as_str())?;
    for (name, text) in notes {
        screen.text("a note's name", name)?;
        screen.text(&*name, text)?;
    }
    Ok(())
}

fn review(screen: &mut Screening, item: &mut ReviewItem) -> Result<(), Failure> {
    screen.name("agent", item.raised_by.as_str())?;
    screen.text("reason", &mut item.reason)?;
    let details: &mut JsonMap = &mut item.details;
    screen.object("details", details)
}
