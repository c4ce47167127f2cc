//! `memorize`: the routing order, where each thing goes, correcting and forgetting.

use super::{each, facts, new_fixture};
use crate::fixture::DialectFixture;
use model::{ErrorCode, OwnerId};
use serde_json::{Value, json};

async fn save(fixture: &DialectFixture, text: &str) -> String {
    let given = json!({"text": text, "storage": "memory", "collection": "journal"});
    fixture.call("memorize", given).await["sourceRef"].as_str().unwrap().to_owned()
}

async fn facts_about(fixture: &DialectFixture, topic: &str) -> Vec<String> {
    let answer = fixture.call("recall", json!({"topic": topic})).await;
    facts(&answer).into_iter().map(str::to_owned).collect()
}

#[tokio::test]
async fn an_empty_text_is_refused_before_anything_else() {
    let fixture = new_fixture().await;
    for given in [
        json!({"text": ""}),
        json!({"text": "  ", "action": "delete"}),
        json!({"text": "", "storage": "memory"}),
        json!({"text": "", "category": "profile", "data": {"a": 1}}),
        json!({"category": "books"}),
    ] {
        assert_eq!(
            fixture.call_refused("memorize", given.clone()).await.code,
            ErrorCode::InvalidArgument,
            "{given}"
        );
    }
}

#[tokio::test]
async fn a_deletion_takes_precedence_over_storage_and_category() {
    let fixture = new_fixture().await;
    save(&fixture, "My locker code word is sunflower").await;
    let given = json!({
        "text": "My locker code word is sunflower", "action": "delete", "storage": "memory",
        "category": "profile",
        "data": {"a": 1},
    });
    let answer = fixture.call("memorize", given).await;
    assert_eq!(answer["deleted"], 1);
    assert_eq!(fixture.call("recall", json!({})).await["profile"], json!(null));
}

#[tokio::test]
async fn storage_memory_takes_precedence_over_profile_and_profile_over_rows() {
    let fixture = new_fixture().await;
    let free = json!({
        "text": "I like walks",
        "storage": "memory",
        "category": "profile",
        "data": {"mood": "calm"},
    });
    let answer = fixture.call("memorize", free).await;
    assert_eq!(answer["collection"], "profile", "the category names the collection");
    assert_eq!(fixture.call("recall", json!({})).await["profile"], json!(null));
    let about = json!({
        "text": "I am calm",
        "category": "Profile",
        "data": {"mood": "calm"},
        "storage": "record",
    });
    assert_eq!(fixture.call("memorize", about).await["profile"]["data"], json!({"mood": "calm"}));
    assert_eq!(fixture.call("list_tables", json!({})).await["tables"], json!([]));
    let row = fixture.call("memorize", json!({"text": "A plain note", "action": "save"})).await;
    assert_eq!(
        (row["table"].as_str(), row["sourceRef"].as_str()),
        (Some("memories"), Some("memories:1"))
    );
}

#[tokio::test]
async fn metadata_is_stored_and_defaults_to_the_data() {
    let fixture = new_fixture().await;
    let search = json!({"mode": "memory", "memory": {"collection": "books", "query": "Dune"}});
    fixture
        .call(
            "memorize",
            json!({
                "text": "Dune is long",
                "storage": "memory",
                "category": "books",
                "data": {"pages": 600},
            }),
        )
        .await;
    assert_eq!(
        fixture.call("recall", search.clone()).await["results"][0]["metadata"],
        json!({"pages": 600})
    );
    let given = json!({
        "text": "Dune is dry",
        "storage": "memory",
        "category": "x",
        "collection": "books",
        "data": {"a": 1},
        "metadata": {"b": 2},
    });
    fixture.call("memorize", given).await;
    let found = fixture.call("recall", search).await;
    assert!(
        found["results"].as_array().unwrap().iter().any(|one| one["metadata"] == json!({"b": 2})),
        "{found}"
    );
}

#[tokio::test]
async fn saving_a_row_or_a_memory_returns_its_source_ref() {
    let fixture = new_fixture().await;
    let row = fixture
        .call(
            "memorize",
            json!({"text": "Ate figs", "category": "meals", "data": {"food": "figs"}}),
        )
        .await;
    for field in ["success", "table", "recordId", "sourceRef", "writeId", "writeStatus", "message"]
    {
        assert!(row.get(field).is_some(), "{field}");
    }
    let memory = fixture
        .call(
            "memorize",
            json!({"text": "Sunny day", "storage": "memory", "collection": "journal"}),
        )
        .await;
    for field in
        ["success", "collection", "vectorId", "sourceRef", "writeId", "writeStatus", "message"]
    {
        assert!(memory.get(field).is_some(), "{field}");
    }
    let profile = fixture
        .call(
            "memorize",
            json!({"text": "I am Ada", "category": "profile", "data": {"name": "Ada"}}),
        )
        .await;
    for field in ["id", "data", "version", "changedBy", "changedFields", "changedAt", "metaId"] {
        assert!(profile["profile"].get(field).is_some(), "{field}");
    }
    assert_eq!(profile["profile"]["changedBy"], "claude");
}

#[tokio::test]
async fn saving_the_same_text_twice_stores_it_once() {
    let fixture = new_fixture().await;
    assert_eq!(save(&fixture, "Sunny day").await, save(&fixture, "Sunny day").await);
    let given = json!({
        "text": "Ate figs",
        "category": "meals",
        "data": {"food": "figs"},
        "idempotencyKey": "k",
    });
    let first = fixture.call("memorize", given.clone()).await;
    assert_eq!(fixture.call("memorize", given).await["recordId"], first["recordId"]);
    let other = json!({"text": "Ate nuts", "category": "meals", "idempotencyKey": "k"});
    assert_eq!(fixture.call_refused("memorize", other).await.code, ErrorCode::IdempotencyMismatch);
    let twice = json!({"text": "Ate figs", "category": "meals", "data": {"food": "figs"}});
    assert_ne!(
        fixture.call("memorize", twice).await["recordId"],
        first["recordId"],
        "two meals are two rows"
    );
}

#[tokio::test]
async fn a_profile_follows_rfc_7396_and_keeps_its_versions() {
    let fixture = new_fixture().await;
    let update = async |data: Value| {
        fixture
            .call("memorize", json!({"text": "an update", "category": "profile", "data": data}))
            .await
    };
    update(json!({"work": {"company": "Acme", "role": "dev"}, "tags": ["a", "b"]})).await;
    let second = update(json!({"work": {"role": null, "city": "Bonn"}, "tags": ["c"]})).await;
    assert_eq!(
        second["profile"]["data"],
        json!({"work": {"company": "Acme", "city": "Bonn"}, "tags": ["c"]})
    );
    assert_eq!(second["profile"]["changedFields"], json!(["tags", "work.city", "work.role"]));
    assert_eq!(
        (second["profile"]["version"].as_i64(), second["sourceRef"].as_str()),
        (Some(2), Some("profile:v2"))
    );
    let none = update(json!({"tags": ["c"]})).await;
    assert_eq!(
        (none["profile"]["version"].as_i64(), none["message"].as_str()),
        (Some(2), Some("nothing in the profile changed"))
    );
}

#[tokio::test]
async fn what_the_owner_typed_is_not_overwritten_by_an_agent() {
    let fixture = new_fixture().await;
    let owner = engine::Caller::person(OwnerId::me());
    let patch = json!({"name": "Ada", "city": "Bonn"}).as_object().unwrap().clone();
    fixture
        .engine
        .profile()
        .patch(&owner, &engine::profile::PatchProfileRequest { patch, reason: None })
        .await
        .unwrap();
    let given = json!({
        "text": "Her name is Eve now",
        "category": "profile",
        "data": {"name": "Eve", "pet": "cat"},
    });
    let answer = fixture.call("memorize", given).await;
    assert_eq!(answer["profile"]["data"], json!({"name": "Ada", "city": "Bonn", "pet": "cat"}));
    assert_eq!(
        (&answer["withheldFields"], &answer["profile"]["changedFields"]),
        (&json!(["name"]), &json!(["pet"]))
    );
    let waiting = fixture.call("review", json!({"action": "list"})).await;
    assert_eq!(waiting["contradictions"][0]["id"], answer["reviewId"]);
    let decide =
        json!({"action": "resolve", "metaId": answer["reviewId"], "resolution": "confirm"});
    assert_eq!(
        fixture.call_refused("review", decide).await.code,
        ErrorCode::ConsentRequired,
        "only the owner may decide"
    );
}

#[tokio::test]
async fn a_source_ref_corrects_exactly_what_it_names() {
    let fixture = new_fixture().await;
    let memory = save(&fixture, "The API listens on port 8080").await;
    let answer = fixture
        .call("memorize", json!({"text": "The API listens on port 9090", "sourceRef": memory}))
        .await;
    assert_eq!(answer["superseded"].as_array().unwrap().len(), 1);
    assert_eq!(facts_about(&fixture, "API port").await, ["The API listens on port 9090"]);
    fixture
        .call(
            "memorize",
            json!({
                "text": "Ate figs",
                "category": "meals",
                "data": {"food": "figs", "calories": 90},
            }),
        )
        .await;
    let row = json!({"text": "Ate many figs", "sourceRef": "meals:1", "data": {"calories": 900}});
    assert_eq!(fixture.call("memorize", row).await["sourceRef"], "meals:1");
    let rows = fixture.call("recall", json!({"mode": "table", "table": "meals"})).await;
    assert_eq!(
        (rows["records"][0]["calories"].as_i64(), rows["total"].as_i64()),
        (Some(900), Some(1))
    );
    assert_eq!(facts_about(&fixture, "figs").await, ["Ate many figs (calories: 900)"]);
    fixture.call("update_profile", json!({"data": {"work": {"company": "Acme"}}})).await;
    let field = json!({"text": "Globex", "sourceRef": "profile:work.company"});
    assert_eq!(
        fixture.call("memorize", field).await["profile"]["data"],
        json!({"work": {"company": "Globex"}})
    );
    for bad in ["nonsense here", "entity:1", "profile:v1"] {
        let failure =
            fixture.call_refused("memorize", json!({"text": "x", "sourceRef": bad})).await;
        assert_eq!(failure.code, ErrorCode::InvalidArgument, "{bad}");
    }
}

#[tokio::test]
async fn a_deletion_by_meaning_forgets_everywhere_and_gives_a_receipt() {
    let fixture = new_fixture().await;
    save(&fixture, "My old address is Elm Street 4").await;
    save(&fixture, "The street lamps were repaired").await;
    let given = json!({"text": "my old address is elm street 4", "action": "delete"});
    let dry = fixture
        .call(
            "memorize",
            json!({"text": "my old address is elm street 4", "action": "delete", "dryRun": true}),
        )
        .await;
    assert_eq!(
        (dry["deleted"].as_i64(), each(&dry["candidates"], "text")),
        (Some(0), vec!["My old address is Elm Street 4"])
    );
    let answer = fixture.call("memorize", given).await;
    assert_eq!(
        (answer["deleted"].as_i64(), answer["receipt"]["memories"].as_i64()),
        (Some(1), Some(1))
    );
    assert_eq!(answer["sourceRefs"], json!(["vectors/journal#1"]));
    assert!(!facts_about(&fixture, "old address").await.iter().any(|fact| fact.contains("Elm")));
    let again = json!({
        "text": "My old address is Elm Street 4",
        "storage": "memory",
        "collection": "journal",
    });
    assert_eq!(fixture.call_refused("memorize", again.clone()).await.code, ErrorCode::Forgotten);
    let mut allowed = again;
    allowed["allowForgotten"] = true.into();
    assert_eq!(fixture.call("memorize", allowed).await["success"], true);
}

#[tokio::test]
async fn a_merely_similar_memory_is_shown_and_stays() {
    let fixture = new_fixture().await;
    let near = save(&fixture, "The dentist appointment is on Friday").await;
    let answer =
        fixture.call("memorize", json!({"text": "forget about doctors", "action": "delete"})).await;
    assert_eq!((answer["deleted"].as_i64(), &answer["sourceRefs"]), (Some(0), &json!([])));
    let answer = fixture
        .call("memorize", json!({"text": "the dentist", "action": "delete", "dryRun": true}))
        .await;
    assert_eq!(answer["deleted"], 0);
    let exact = fixture.call("memorize", json!({"text": near, "action": "delete"})).await;
    assert_eq!(exact["sourceRefs"], json!([near]), "a sourceRef forgets just that");
}
