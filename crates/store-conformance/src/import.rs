//! Import: items of an export are written unchanged, with their times and authors, and under their
//! ids where those are free.

use super::builders::{
    DEFAULT_AGENT, batch, forget, handoff, moment, provenance, remember, vector,
};
use super::fixture::{StoreFixture, full_page};
use model::{
    AccessStats, AgentName, Claim, Column, ColumnType, Entity, EntityId, ErrorCode, Flag, FlagId,
    Handoff, HandoffId, HandoffState, JsonMap, Kind, Link, LinkKind, Memory, MemoryId, Mention,
    Observation, ObservationId, ProfileVersion, Record, RecordId, Relation, RelationId, Resolution,
    ReviewId, ReviewItem, ReviewKind, ReviewState, Session, SessionId, Status, Table, limits,
};
use serde_json::json;
use store::{
    AttributedRelation, Change, ChangeResult, HandoffQuery, ImportedItem, ImportedMemory,
    MemoryQuery, ReviewQuery,
};

fn import_change(item: ImportedItem) -> Change {
    Change::Import(Box::new(item))
}

/// Builds a memory that was superseded long ago.
fn old_memory(id: i64) -> Memory {
    Memory {
        id: MemoryId(id),
        kind: Kind::correction(),
        title: Some("Port".to_owned()),
        text: format!("The port is {id}."),
        summary: Some("ports".to_owned()),
        collection: "ports".to_owned(),
        session: None,
        project: Some("kiln".to_owned()),
        tags: vec!["b".to_owned(), "a".to_owned()],
        applies_to: vec!["/src".to_owned()],
        priority: 2,
        confidence: 0.5,
        metadata: JsonMap::from_iter([("k".to_owned(), json!(1))]),
        provenance: provenance("bob", moment(-100)),
        valid_from: moment(-200),
        valid_to: Some(moment(900)),
        status: Status::Superseded,
        ended_at: Some(moment(-50)),
        access: AccessStats { count: 4, last: Some(moment(-60)) },
        flags: 1,
        updated_at: moment(-40),
    }
}

fn bare_memory(memory: Memory) -> ImportedItem {
    let memory = Memory { flags: 0, ..memory };
    ImportedItem::Memory(Box::new(ImportedMemory {
        memory,
        vector: None,
        flags: vec![],
        mentions: vec![],
    }))
}

fn entity(id: i64, name: &str) -> Entity {
    Entity {
        id: EntityId(id),
        kind: "tool".to_owned(),
        name: name.to_owned(),
        aliases: vec!["furnace".to_owned()],
        properties: JsonMap::from_iter([("colour".to_owned(), json!("red"))]),
        confidence: 0.75,
        mentions: 0,
        first_seen: moment(-9),
        last_seen: moment(-3),
    }
}

async fn import_item(at: &StoreFixture, what: ImportedItem) -> ChangeResult {
    at.apply_at(5, import_change(what)).await
}

pub async fn an_imported_memory_reads_back_unchanged(at: &StoreFixture) {
    import_item(at, ImportedItem::Entity(entity(7, "kiln"))).await;
    let memory = old_memory(12);
    let flag = |settled, seconds| Flag {
        id: FlagId(0),
        memory: memory.id,
        reason: "wrong".to_owned(),
        by: AgentName::new("eve"),
        at: moment(seconds),
        settled,
    };
    let mention = Mention {
        memory: memory.id,
        entity: EntityId(7),
        kind: "tool".to_owned(),
        name: "Kiln".to_owned(),
        source: "text".to_owned(),
        path: Some("src/kiln.rs".to_owned()),
    };
    let all_of_it = ImportedMemory {
        memory: memory.clone(),
        vector: Some(vector("m", 3)),
        flags: vec![flag(false, -10), flag(true, -20)],
        mentions: vec![mention.clone()],
    };
    assert_eq!(
        import_item(at, ImportedItem::Memory(Box::new(all_of_it))).await,
        ChangeResult::Memory(MemoryId(12))
    );
    assert_eq!(at.store.memories(&at.owner, &[MemoryId(12)]).await.unwrap(), [memory]);
    assert_eq!(at.store.vector(&at.owner, MemoryId(12)).await.unwrap(), Some(vector("m", 3)));
    assert_eq!(at.store.mentions(&at.owner, MemoryId(12)).await.unwrap(), [mention]);
    let flags = at.store.flags(&at.owner, MemoryId(12)).await.unwrap();
    assert_eq!(
        flags.iter().map(|flag| (flag.settled, flag.at)).collect::<Vec<_>>(),
        [(false, moment(-10)), (true, moment(-20))]
    );
    let seen = at.store.entities(&at.owner, &[EntityId(7)]).await.unwrap();
    assert_eq!(seen[0], Entity { mentions: 1, ..entity(7, "kiln") });
}

pub async fn an_imported_item_gets_the_next_id_if_its_own_was_ever_used(at: &StoreFixture) {
    at.commit(batch(vec![remember("one"), remember("two")])).await;
    at.commit(batch(vec![forget(&[MemoryId(1)])])).await;
    assert_eq!(
        import_item(at, bare_memory(old_memory(1))).await,
        ChangeResult::Memory(MemoryId(3))
    );
    assert_eq!(
        import_item(at, bare_memory(old_memory(9))).await,
        ChangeResult::Memory(MemoryId(9))
    );
    assert_eq!(
        import_item(at, bare_memory(old_memory(4))).await,
        ChangeResult::Memory(MemoryId(4))
    );
    assert_eq!(at.apply_at(6, remember("ten")).await, ChangeResult::Memory(MemoryId(10)));
    assert_eq!(
        import_item(at, bare_memory(old_memory(limits::IMPORTED_ID_MAX + 1))).await,
        ChangeResult::Memory(MemoryId(11))
    );
    assert_eq!(
        import_item(at, bare_memory(old_memory(0))).await,
        ChangeResult::Memory(MemoryId(12))
    );
}

pub async fn imported_entities_sessions_and_links_read_back_unchanged(at: &StoreFixture) {
    let session = Session {
        id: SessionId(4),
        key: Some("workshop".to_owned()),
        project: None,
        agent: AgentName::new("eve"),
        metadata: JsonMap::new(),
        started_at: moment(-300),
        ended_at: Some(moment(-200)),
        episode: None,
    };
    assert_eq!(
        import_item(at, ImportedItem::Session(session.clone())).await,
        ChangeResult::Session(SessionId(4))
    );
    assert_eq!(
        import_item(at, ImportedItem::Session(session.clone())).await,
        ChangeResult::Session(SessionId(4))
    );
    assert_eq!(at.store.sessions(&at.owner, full_page()).await.unwrap().items, [session]);
    for id in [1, 2] {
        import_item(at, bare_memory(old_memory(id))).await;
        import_item(at, ImportedItem::Entity(entity(id, &format!("kiln {id}")))).await;
    }
    let link = Link {
        source: MemoryId(1),
        target: MemoryId(2),
        kind: LinkKind::Supports,
        weight: 0.5,
        created_at: moment(-7),
    };
    import_item(at, ImportedItem::Link(link.clone())).await;
    assert_eq!(at.store.links(&at.owner, MemoryId(1)).await.unwrap().outgoing, [link]);
    let said = Observation {
        id: ObservationId(1),
        entity: EntityId(1),
        text: "it is hot".to_owned(),
        memory: Some(MemoryId(1)),
        at: moment(-8),
    };
    import_item(at, ImportedItem::Observation(said.clone())).await;
    import_item(at, ImportedItem::Observation(said.clone())).await;
    let all = at.store.observations(&at.owner, EntityId(1), full_page()).await.unwrap();
    assert_eq!(all.items, [said]);
    let relation = Relation {
        id: RelationId(1),
        source: EntityId(1),
        target: EntityId(2),
        kind: "next_to".to_owned(),
        weight: 2.5,
        confidence: 0.25,
        memory: Some(MemoryId(1)),
        properties: JsonMap::new(),
        first_seen: moment(-6),
        last_seen: moment(-5),
    };
    let relation = AttributedRelation {
        relation,
        stated_in: vec![MemoryId(1), MemoryId(2)],
        unattached: true,
    };
    import_item(at, ImportedItem::Relation(Box::new(relation.clone()))).await;
    import_item(at, ImportedItem::Relation(Box::new(relation.clone()))).await;
    assert_eq!(at.store.relations_after(&at.owner, RelationId(0), 9).await.unwrap(), [relation]);
    assert_eq!(at.store.relations_after(&at.owner, RelationId(1), 9).await.unwrap(), []);
}

pub async fn imported_tables_and_rows_read_back_unchanged(at: &StoreFixture) {
    let table = Table {
        name: "meals".to_owned(),
        description: Some("What I ate".to_owned()),
        columns: vec![Column { name: "food".to_owned(), kind: ColumnType::Json }],
        rows: 1,
        created_at: moment(-90),
        updated_at: moment(-10),
    };
    let record = Record {
        id: RecordId(3),
        table: "meals".to_owned(),
        data: JsonMap::from_iter([("food".to_owned(), json!("soup"))]),
        memory: None,
        created_at: moment(-80),
        updated_at: moment(-20),
    };
    import_item(at, ImportedItem::Table(table.clone())).await;
    assert_eq!(
        import_item(at, ImportedItem::Record(record.clone())).await,
        ChangeResult::Record(RecordId(3))
    );
    assert_eq!(at.store.tables(&at.owner).await.unwrap(), [table]);
    assert_eq!(
        at.store.record(&at.owner, "meals", RecordId(3)).await.unwrap(),
        Some(record.clone())
    );
    assert_eq!(
        import_item(at, ImportedItem::Record(record)).await,
        ChangeResult::Record(RecordId(4))
    );
}

pub async fn imported_handoffs_reviews_and_profile_versions_read_back_unchanged(at: &StoreFixture) {
    let new = handoff("Mend the door");
    let handoff = Handoff {
        id: HandoffId(6),
        title: new.title,
        document: new.document,
        project: new.project,
        cwd: new.cwd,
        harness: new.harness,
        source_ref: new.source_ref,
        tags: new.tags,
        state: HandoffState::Claimed,
        claim: Some(Claim {
            by: AgentName::new("eve"),
            since: moment(-30),
            until: moment(30),
            notes: vec![("run".to_owned(), "7".to_owned())],
        }),
        created_by: AgentName::new("bob"),
        created_at: moment(-60),
        updated_at: moment(-25),
    };
    assert_eq!(
        import_item(at, ImportedItem::Handoff(handoff.clone())).await,
        ChangeResult::Handoff(HandoffId(6))
    );
    let listed = at.store.handoffs(&at.owner, &HandoffQuery::default(), full_page()).await.unwrap();
    assert_eq!(listed.items, [handoff]);
    let resolved = ReviewState::Resolved {
        resolution: Resolution::KeepBoth,
        by: AgentName::new("bob"),
        at: moment(-1),
    };
    let review = ReviewItem {
        id: ReviewId(8),
        kind: ReviewKind::Proposal,
        subject: None,
        against: None,
        reason: "who knows".to_owned(),
        details: JsonMap::from_iter([("field".to_owned(), json!("name"))]),
        raised_by: AgentName::new("eve"),
        raised_at: moment(-2),
        state: resolved,
    };
    assert_eq!(
        import_item(at, ImportedItem::Review(review.clone())).await,
        ChangeResult::Review(ReviewId(8))
    );
    let listed = at.store.reviews(&at.owner, &ReviewQuery::default(), full_page()).await.unwrap();
    assert_eq!(listed.items, [review]);
    let version = ProfileVersion {
        version: 2,
        data: JsonMap::from_iter([("name".to_owned(), json!("Ada"))]),
        changed: vec!["name".to_owned()],
        reason: Some("told".to_owned()),
        provenance: provenance(DEFAULT_AGENT, moment(-70)),
    };
    assert_eq!(
        import_item(at, ImportedItem::Profile(version.clone())).await,
        ChangeResult::Profile(2)
    );
    assert_eq!(at.store.profile(&at.owner).await.unwrap(), Some(version.clone()));
    let again = at.refusal_code(vec![import_change(ImportedItem::Profile(version))]).await;
    assert_eq!(again, ErrorCode::InvalidArgument);
}

pub async fn an_imported_item_that_names_something_unknown_is_refused(at: &StoreFixture) {
    import_item(at, bare_memory(old_memory(1))).await;
    let lost = Memory { session: Some(SessionId(77)), ..old_memory(5) };
    let link = Link {
        source: MemoryId(1),
        target: MemoryId(77),
        kind: LinkKind::Supports,
        weight: 1.0,
        created_at: moment(0),
    };
    for change in [bare_memory(lost), ImportedItem::Link(link)] {
        assert_eq!(at.refusal_code(vec![import_change(change)]).await, ErrorCode::NotFound);
    }
    let all =
        at.store.list_memories(&at.owner, &MemoryQuery::default(), full_page()).await.unwrap();
    assert_eq!(all.total, 1);
}
