//! Import of Epitome exports.

use crate::fixture::{InterchangeFixture, me};
use engine::entities::{EntityRef, GraphPatternRequest};
use engine::recall::RecallRequest;
use engine::tables::QueryTableRequest;
use interchange::{EpitomeExport, ForeignOptions, TransferProgress, import_foreign};
use model::{Moment, Origin};
use serde_json::{Value, json};

fn document() -> Value {
    json!({
        "data": {
            "exportedAt": "2026-02-24T10:00:00.000Z",
            "userId": "5b1f",
            "profile": {"name": "Ada", "work": {"company": "Acme"}},
            "tables": {
                "meals": [
                    {"id": 1, "food": "ramen", "calories": 700,
                     "created_at": "2026-02-12 08:30:00+00",
                     "updated_at": "2026-02-12 08:30:00+00", "_deleted_at": null, "_meta_id": 4},
                    {"id": 2, "food": "soup", "calories": null,
                     "created_at": "2026-02-13T08:30:00Z", "_deleted_at": null},
                    {"id": 3, "food": "regret", "_deleted_at": "2026-02-14T00:00:00Z"}
                ],
                "to-do": [{"id": 1, "task": "call Eva", "created_at": "2026-02-12T08:30:00Z"}]
            },
            "vectors": {
                "collections": [{"collection": "journal"}, {"collection": "meals"}],
                "entries": {
                    "journal": [
                        {"id": 5, "text": "Had a wonderful sunset walk",
                         "metadata": {"mood": "calm"},
                         "created_at": "2026-02-20T19:00:00Z", "confidence": 0.3},
                        {"id": 6, "text": "I was wrong about this", "status": "rejected"}
                    ],
                    "meals": [
                        {"id": 7, "text": "meals: food: ramen, calories: 700",
                         "metadata": {"source": "add_record", "table": "meals", "record_id": 1}}
                    ]
                }
            },
            "graph": {
                "entities": [
                    {"id": 1, "type": "person", "name": "Ada",
                     "properties": {"is_owner": true}, "confidence": 1},
                    {"id": 2, "type": "food", "name": "ramen", "properties": {},
                     "confidence": "0.8", "mention_count": 3,
                     "first_seen": "2026-02-12T08:30:00Z", "last_seen": "2026-02-20T08:30:00Z"}
                ],
                "edges": [{"id": 1, "source_id": 1, "target_id": 2, "relation": "ate",
                           "weight": "2.5", "confidence": 0.6}]
            },
            "memory_quality": [],
            "meta": {"counts": {}}
        },
        "meta": {"format": "json", "version": "1.0"}
    })
}

fn read(document: &Value) -> EpitomeExport {
    EpitomeExport::read(document.to_string().as_bytes()).unwrap()
}

#[tokio::test]
async fn an_epitome_export_is_imported_completely() {
    let fixture = InterchangeFixture::new().await;
    let mut steps: Vec<TransferProgress> = Vec::new();
    let imported = import_foreign(
        &fixture.engine,
        &me(),
        &read(&document()),
        ForeignOptions::default(),
        |step| steps.push(step),
    )
    .await
    .unwrap();
    assert_eq!(imported.skipped, []);
    let added: Vec<(&str, usize)> =
        imported.added.iter().map(|(sort, count)| (*sort, *count)).collect();
    assert_eq!(
        added,
        [
            ("entity", 2),
            ("memory", 4),
            ("profile", 1),
            ("record", 3),
            ("relation", 1),
            ("table", 2)
        ]
    );
    assert_eq!(steps.last().map(|step| step.done), steps.last().map(|step| step.total));
    let walk = fixture
        .engine
        .memories()
        .recall(&me(), &RecallRequest::query("sunset walk"))
        .await
        .unwrap()
        .hits
        .remove(0)
        .memory;
    assert_eq!((walk.collection.as_str(), &walk.metadata["mood"]), ("journal", &json!("calm")));
    assert_eq!(walk.valid_from, Moment::parse("2026-02-20T19:00:00Z").unwrap());
    assert_eq!(walk.provenance.origin, Origin::Imported);
    let profile = fixture.engine.profile().get(&me()).await.unwrap().unwrap();
    assert_eq!(Value::Object(profile.data), json!({"name": "Ada", "work": {"company": "Acme"}}));
}

#[tokio::test]
async fn imported_memories_mention_what_their_texts_name() {
    let fixture = InterchangeFixture::new().await;
    let mut document = document();
    document["data"]["vectors"]["entries"]["journal"][0]["text"] =
        json!("In the evening we met Marta Kowalska, who likes ramen and Redis");
    import_foreign(&fixture.engine, &me(), &read(&document), ForeignOptions::default(), |_| ())
        .await
        .unwrap();
    let marta = EntityRef::Name("Marta Kowalska".into());
    let marta = fixture.engine.graph().entity(&me(), &marta).await.unwrap();
    assert_eq!((marta.memories.total, marta.entity.mentions), (1, 1));
    let redis = EntityRef::Name("Redis".into());
    let redis = fixture.engine.graph().entity(&me(), &redis).await.unwrap();
    assert_eq!(redis.entity.kind, "tool");
}

#[tokio::test]
async fn rows_keep_their_ids_and_their_memories() {
    let fixture = InterchangeFixture::new().await;
    import_foreign(&fixture.engine, &me(), &read(&document()), ForeignOptions::default(), |_| ())
        .await
        .unwrap();
    let query = QueryTableRequest { table: "meals".to_owned(), ..QueryTableRequest::default() };
    let rows = fixture.engine.tables().query(&me(), &query).await.unwrap().rows;
    let ids: Vec<i64> = rows.iter().map(|row| row.id.0).collect();
    assert_eq!(ids, [2, 1], "deleted rows are skipped");
    let texts: Vec<String> = texts_of(&fixture, rows.iter().filter_map(|row| row.memory)).await;
    assert_eq!(texts, ["meals: food: soup", "meals: food: ramen, calories: 700"]);
    let to_do = QueryTableRequest { table: "to_do".to_owned(), ..QueryTableRequest::default() };
    assert_eq!(
        fixture.engine.tables().query(&me(), &to_do).await.unwrap().rows[0].data["task"],
        "call Eva"
    );
}

async fn texts_of(
    fixture: &InterchangeFixture,
    ids: impl Iterator<Item = model::MemoryId>,
) -> Vec<String> {
    let mut texts = Vec::new();
    for id in ids {
        texts.push(fixture.engine.memories().get(&me(), &[id]).await.unwrap().remove(0).text);
    }
    texts
}

#[tokio::test]
async fn the_owner_entity_is_mapped_to_the_owner() {
    let fixture = InterchangeFixture::new().await;
    import_foreign(&fixture.engine, &me(), &read(&document()), ForeignOptions::default(), |_| ())
        .await
        .unwrap();
    let ramen =
        fixture.engine.graph().entity(&me(), &EntityRef::Name("ramen".to_owned())).await.unwrap();
    let relation = &ramen.relations[0];
    assert_eq!((relation.source.as_str(), relation.relation.kind.as_str()), ("me", "ate"));
    assert_eq!(relation.relation.weight, 2.5);
}

#[tokio::test]
async fn importing_an_epitome_export_twice_adds_nothing() {
    let fixture = InterchangeFixture::new().await;
    import_foreign(&fixture.engine, &me(), &read(&document()), ForeignOptions::default(), |_| ())
        .await
        .unwrap();
    let again = import_foreign(
        &fixture.engine,
        &me(),
        &read(&document()),
        ForeignOptions::default(),
        |_| (),
    )
    .await
    .unwrap();
    let fresh = |sort: &str| again.added.get(sort).copied().unwrap_or(0);
    assert_eq!((fresh("memory"), fresh("record"), fresh("profile")), (0, 0, 0));
    let found =
        fixture.engine.memories().recall(&me(), &RecallRequest::query("ramen")).await.unwrap();
    assert_eq!(found.hits.iter().filter(|hit| hit.memory.text.contains("ramen")).count(), 1);
}

#[test]
fn other_documents_are_refused() {
    for (bytes, message) in [
        (&b"[]"[..], "not an Epitome export"),
        (b"{}", "not an Epitome export"),
        (b"{\"data\": 4}", "not an Epitome export"),
        (b"{\"tables\": ", "not JSON"),
    ] {
        assert!(EpitomeExport::read(bytes).unwrap_err().to_string().contains(message));
    }
}

#[tokio::test]
async fn invalid_values_are_skipped() {
    let fixture = InterchangeFixture::new().await;
    let odd = json!({
        "profile": [1, 2],
        "tables": {
            "": [{"a": 1}],
            "x": "none",
            "y": [null, 3, {"id": 1}, {"id": -9, "a": {"b": [1]}}],
        },
        "vectors": {"entries": {"j": [
            null,
            {"text": ""},
            {"text": 5},
            {"text": "Fine.", "metadata": 3, "confidence": "lots"},
        ]}},
        "graph": {
            "entities": [{"name": "no number"}, 4],
            "edges": [{"source_id": 1, "target_id": 2, "relation": "likes"}],
        },
    });
    let imported =
        import_foreign(&fixture.engine, &me(), &read(&odd), ForeignOptions::default(), |_| ())
            .await
            .unwrap();
    assert_eq!((imported.added.get("memory"), imported.added.get("record")), (Some(&2), Some(&1)));
    assert_eq!(imported.skipped.len(), 1, "{:?}", imported.skipped);
}

#[tokio::test]
async fn an_imported_profile_is_found_by_recall_and_in_the_graph() {
    let fixture = InterchangeFixture::new().await;
    let bytes = document().to_string().into_bytes();
    let export = EpitomeExport::read(&bytes).unwrap();
    for _ in 0..2 {
        import_foreign(&fixture.engine, &me(), &export, ForeignOptions::default(), |_| ())
            .await
            .unwrap();
        let check = fixture.engine.profile().check(&me()).await.unwrap();
        assert!(check.is_consistent(), "{check:?}");
    }
    let input = RecallRequest::query("which company do I work for");
    let found = fixture.engine.memories().recall(&me(), &input).await.unwrap();
    assert_eq!(found.hits[0].memory.text, "work company: Acme");
    assert_eq!(found.hits[0].memory.provenance.origin, Origin::Imported);
    let pattern = GraphPatternRequest::from_question("where do I work?").unwrap();
    let asked = fixture.engine.graph().graph_pattern(&me(), &pattern).await.unwrap();
    assert_eq!(asked.entities[0].name, "Acme");
}
