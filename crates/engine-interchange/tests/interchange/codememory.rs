//! Import of the tables of code-memory.

use crate::fixture::{InterchangeFixture, me};
use engine::entities::EntityRef;
use interchange::transfer::ImportOutcome;
use interchange::{CodeMemoryTables, ForeignOptions, import_foreign};
use model::{MemoryId, Moment};
use serde_json::{Value, json};

fn tables(content: &Value) -> CodeMemoryTables {
    let tables = content.as_object().unwrap().iter().map(|(name, rows)| {
        let rows = rows.as_array().unwrap().iter().map(|row| row.as_object().unwrap().clone());
        (name.clone(), rows.collect())
    });
    CodeMemoryTables::new(tables.collect()).unwrap()
}

async fn import(fixture: &InterchangeFixture, content: &Value) -> ImportOutcome {
    let tables = tables(content);
    let options = ForeignOptions::default();
    import_foreign(&fixture.engine, &me(), &tables, options, |_| ()).await.unwrap()
}

fn first_version() -> Value {
    json!({
        "memories": [
            {"id": 4, "session_id": "opencode:1", "kind": "decision",
             "content": "The queue is Kafka.", "summary": "Kafka", "tags": "queue, infra",
             "priority": 1, "metadata": "{\"ticket\":\"MEM-12\"}",
             "created_at": "2026-01-04 10:20:30"},
            {"id": 5, "session_id": "opencode:2", "content": "Retries back off.", "priority": 9}
        ],
        "graph_entities": [
            {"id": 1, "name": "Kafka", "entity_type": "technology",
             "created_at": "2026-01-04 10:20:30"},
            {"id": 2, "name": "billing", "entity_type": "service"}
        ],
        "graph_observations": [{"id": 1, "entity_id": 1, "content": "Three brokers.",
                                "memory_id": 4}],
        "graph_relations": [{"id": 1, "source_id": 2, "target_id": 1,
                             "relation_type": "depends_on"}]
    })
}

#[tokio::test]
async fn a_memory_keeps_its_session_labels_metadata_and_time() {
    let fixture = InterchangeFixture::new().await;
    let outcome = import(&fixture, &first_version()).await;
    assert_eq!((outcome.added["memory"], outcome.added["session"]), (2, 2), "{outcome:?}");
    let stored = fixture.engine.memories().get(&me(), &[MemoryId(4), MemoryId(5)]).await.unwrap();
    let (queue, retries) = (&stored[0], &stored[1]);
    assert_eq!((queue.kind.as_str(), queue.priority), ("decision", 1));
    assert_eq!(
        (queue.tags.join(" "), queue.summary.as_deref()),
        ("queue infra".into(), Some("Kafka"))
    );
    assert_eq!(queue.metadata["ticket"], "MEM-12");
    assert_eq!(queue.provenance.at, Moment::parse("2026-01-04T10:20:30Z").unwrap());
    assert_eq!(retries.priority, 5);
    let ids = [queue.session.unwrap(), retries.session.unwrap()];
    let names = fixture.engine.sessions().session_names(&me(), &ids).await.unwrap();
    assert_eq!((&*names[&ids[0]], &*names[&ids[1]]), ("opencode:1", "opencode:2"));
}

#[tokio::test]
async fn the_graph_comes_along_and_a_second_import_adds_no_memory() {
    let fixture = InterchangeFixture::new().await;
    import(&fixture, &first_version()).await;
    let again = import(&fixture, &first_version()).await;
    assert_eq!(again.added.get("memory"), None, "{again:?}");
    let name = EntityRef::Name("Kafka".into());
    let kafka = fixture.engine.graph().entity(&me(), &name).await.unwrap();
    assert_eq!(kafka.observations.len(), 1, "{kafka:?}");
    assert_eq!(kafka.relations[0].relation.kind, "depends_on");
}

#[tokio::test]
async fn the_later_version_has_its_memories_as_observations() {
    let fixture = InterchangeFixture::new().await;
    let content = json!({
        "entities": [
            {"id": 1, "name": "mem:s:abc", "entity_type": "memory"},
            {"id": 2, "name": "Kafka", "entity_type": "technology"}
        ],
        "observations": [
            {"id": 1, "entity_id": 1, "session_id": "s", "content": "The queue is Kafka.",
             "kind": "decision", "tags": "queue", "priority": 2,
             "created_at": "2026-01-06 10:00:00"},
            {"id": 2, "entity_id": 2, "content": "Three brokers."}
        ],
        "relations": [{"id": 1, "source_id": 1, "target_id": 2, "relation_type": "mentions"}]
    });
    let outcome = import(&fixture, &content).await;
    assert_eq!((outcome.added["memory"], outcome.added["observation"]), (1, 1), "{outcome:?}");
    assert_eq!(outcome.skipped, [], "{outcome:?}");
    assert!(CodeMemoryTables::new(std::collections::BTreeMap::new()).is_none());
}
