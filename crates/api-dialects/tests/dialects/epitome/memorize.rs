//! `memorize`: the routing order, where each thing goes, correcting and forgetting.

use super::{each, facts, house};
use crate::house::House;
use model::{ErrorCode, OwnerId};
use serde_json::{Value, json};

async fn saved(house: &House, text: &str) -> String {
    let given = json!({"text": text, "storage": "memory", "collection": "journal"});
    house.call("memorize", given).await["sourceRef"].as_str().unwrap().to_owned()
}

async fn known(house: &House, topic: &str) -> Vec<String> {
    let answer = house.call("recall", json!({"topic": topic})).await;
    facts(&answer).into_iter().map(str::to_owned).collect()
}

#[tokio::test]
async fn the_text_comes_first_of_all() {
    let house = house().await;
    for given in [
        json!({"text": ""}),
        json!({"text": "  ", "action": "delete"}),
        json!({"text": "", "storage": "memory"}),
        json!({"text": "", "category": "profile", "data": {"a": 1}}),
        json!({"category": "books"}),
    ] {
        assert_eq!(
            house.refused("memorize", given.clone()).await.code,
            ErrorCode::InvalidArgument,
            "{given}"
        );
    }
}

#[tokio::test]
async fn a_deletion_comes_before_any_place_to_save_to() {
    let house = house().await;
    saved(&house, "My locker code word is sunflower").await;
    let given = json!({
        "text": "My locker code word is sunflower", "action": "delete", "storage": "memory", "category": "profile",
        "data": {"a": 1},
    });
    let answer = house.call("memorize", given).await;
    assert_eq!(answer["deleted"], 1);
    assert_eq!(house.call("recall", json!({})).await["profile"], json!(null));
}

#[tokio::test]
async fn storage_memory_comes_before_the_profile_and_the_profile_before_rows() {
    let house = house().await;
    let free = json!({"text": "I like walks", "storage": "memory", "category": "profile", "data": {"mood": "calm"}});
    let answer = house.call("memorize", free).await;
    assert_eq!(answer["collection"], "profile", "the category names the collection");
    assert_eq!(house.call("recall", json!({})).await["profile"], json!(null));
    let about = json!({"text": "I am calm", "category": "Profile", "data": {"mood": "calm"}, "storage": "record"});
    assert_eq!(house.call("memorize", about).await["profile"]["data"], json!({"mood": "calm"}));
    assert_eq!(house.call("list_tables", json!({})).await["tables"], json!([]));
    let row = house.call("memorize", json!({"text": "A plain note", "action": "save"})).await;
    assert_eq!(
        (row["table"].as_str(), row["sourceRef"].as_str()),
        (Some("memories"), Some("memories:1"))
    );
}

#[tokio::test]
async fn metadata_is_kept_and_is_the_data_unless_told_otherwise() {
    let house = house().await;
    let search = json!({"mode": "memory", "memory": {"collection": "books", "query": "Dune"}});
    house
        .call(
            "memorize",
            json!({"text": "Dune is long", "storage": "memory", "category": "books", "data": {"pages": 600}}),
        )
        .await;
    assert_eq!(
        house.call("recall", search.clone()).await["results"][0]["metadata"],
        json!({"pages": 600})
    );
    let given = json!({"text": "Dune is dry", "storage": "memory", "category": "x", "collection": "books", "data": {"a": 1}, "metadata": {"b": 2}});
    house.call("memorize", given).await;
    let found = house.call("recall", search).await;
    assert!(
        found["results"].as_array().unwrap().iter().any(|one| one["metadata"] == json!({"b": 2})),
        "{found}"
    );
}

#[tokio::test]
async fn a_row_answers_with_where_it_stands_and_so_does_a_memory() {
    let house = house().await;
    let row = house
        .call(
            "memorize",
            json!({"text": "Ate figs", "category": "meals", "data": {"food": "figs"}}),
        )
        .await;
    for field in ["success", "table", "recordId", "sourceRef", "writeId", "writeStatus", "message"]
    {
        assert!(row.get(field).is_some(), "{field}");
    }
    let memory = house
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
    let profile = house
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
async fn saving_the_same_twice_is_saving_once() {
    let house = house().await;
    assert_eq!(saved(&house, "Sunny day").await, saved(&house, "Sunny day").await);
    let given = json!({"text": "Ate figs", "category": "meals", "data": {"food": "figs"}, "idempotencyKey": "k"});
    let first = house.call("memorize", given.clone()).await;
    assert_eq!(house.call("memorize", given).await["recordId"], first["recordId"]);
    let other = json!({"text": "Ate nuts", "category": "meals", "idempotencyKey": "k"});
    assert_eq!(house.refused("memorize", other).await.code, ErrorCode::IdempotencyMismatch);
    let twice = json!({"text": "Ate figs", "category": "meals", "data": {"food": "figs"}});
    assert_ne!(
        house.call("memorize", twice).await["recordId"],
        first["recordId"],
        "two meals are two rows"
    );
}

#[tokio::test]
async fn a_profile_follows_rfc_7396_and_keeps_its_versions() {
    let house = house().await;
    let update = async |data: Value| {
        house
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
    let house = house().await;
    let owner = engine::Caller::person(OwnerId::me());
    let patch = json!({"name": "Ada", "city": "Bonn"}).as_object().unwrap().clone();
    house
        .engine
        .profile()
        .patch(&owner, &engine::profile::ProfilePatch { patch, reason: None })
        .await
        .unwrap();
    let given = json!({"text": "Her name is Eve now", "category": "profile", "data": {"name": "Eve", "pet": "cat"}});
    let answer = house.call("memorize", given).await;
    assert_eq!(answer["profile"]["data"], json!({"name": "Ada", "city": "Bonn", "pet": "cat"}));
    assert_eq!(
        (&answer["withheldFields"], &answer["profile"]["changedFields"]),
        (&json!(["name"]), &json!(["pet"]))
    );
    let waiting = house.call("review", json!({"action": "list"})).await;
    assert_eq!(waiting["contradictions"][0]["id"], answer["reviewId"]);
    let decide =
        json!({"action": "resolve", "metaId": answer["reviewId"], "resolution": "confirm"});
    assert_eq!(
        house.refused("review", decide).await.code,
        ErrorCode::ConsentRequired,
        "only the owner may decide"
    );
}

#[tokio::test]
async fn a_source_ref_corrects_just_what_it_names() {
    let house = house().await;
    let memory = saved(&house, "The API listens on port 8080").await;
    let answer = house
        .call("memorize", json!({"text": "The API listens on port 9090", "sourceRef": memory}))
        .await;
    assert_eq!(answer["superseded"].as_array().unwrap().len(), 1);
    assert_eq!(known(&house, "API port").await, ["The API listens on port 9090"]);
    house
        .call(
            "memorize",
            json!({"text": "Ate figs", "category": "meals", "data": {"food": "figs", "calories": 90}}),
        )
        .await;
    let row = json!({"text": "Ate many figs", "sourceRef": "meals:1", "data": {"calories": 900}});
    assert_eq!(house.call("memorize", row).await["sourceRef"], "meals:1");
    let rows = house.call("recall", json!({"mode": "table", "table": "meals"})).await;
    assert_eq!(
        (rows["records"][0]["calories"].as_i64(), rows["total"].as_i64()),
        (Some(900), Some(1))
    );
    assert_eq!(known(&house, "figs").await, ["Ate many figs (calories: 900)"]);
    house.call("update_profile", json!({"data": {"work": {"company": "Acme"}}})).await;
    let field = json!({"text": "Globex", "sourceRef": "profile:work.company"});
    assert_eq!(
        house.call("memorize", field).await["profile"]["data"],
        json!({"work": {"company": "Globex"}})
    );
    for bad in ["nonsense here", "entity:1", "profile:v1"] {
        let failure = house.refused("memorize", json!({"text": "x", "sourceRef": bad})).await;
        assert_eq!(failure.code, ErrorCode::InvalidArgument, "{bad}");
    }
}

#[tokio::test]
async fn a_deletion_by_meaning_forgets_everywhere_and_gives_a_receipt() {
    let house = house().await;
    saved(&house, "My old address is Elm Street 4").await;
    saved(&house, "The street lamps were repaired").await;
    let given = json!({"text": "my old address is elm street 4", "action": "delete"});
    let dry = house
        .call(
            "memorize",
            json!({"text": "my old address is elm street 4", "action": "delete", "dryRun": true}),
        )
        .await;
    assert_eq!(
        (dry["deleted"].as_i64(), each(&dry["candidates"], "text")),
        (Some(0), vec!["My old address is Elm Street 4"])
    );
    let answer = house.call("memorize", given).await;
    assert_eq!(
        (answer["deleted"].as_i64(), answer["receipt"]["memories"].as_i64()),
        (Some(1), Some(1))
    );
    assert_eq!(answer["sourceRefs"], json!(["vectors/journal#1"]));
    assert!(!known(&house, "old address").await.iter().any(|fact| fact.contains("Elm")));
    let again = json!({"text": "My old address is Elm Street 4", "storage": "memory", "collection": "journal"});
    assert_eq!(house.refused("memorize", again.clone()).await.code, ErrorCode::Forgotten);
    let mut allowed = again;
    allowed["allowForgotten"] = true.into();
    assert_eq!(house.call("memorize", allowed).await["success"], true);
}

#[tokio::test]
async fn what_is_only_near_is_shown_and_stays() {
    let house = house().await;
    let near = saved(&house, "The dentist appointment is on Friday").await;
    let answer =
        house.call("memorize", json!({"text": "forget about doctors", "action": "delete"})).await;
    assert_eq!((answer["deleted"].as_i64(), &answer["sourceRefs"]), (Some(0), &json!([])));
    let answer = house
        .call("memorize", json!({"text": "the dentist", "action": "delete", "dryRun": true}))
        .await;
    assert_eq!(answer["deleted"], 0);
    let exact = house.call("memorize", json!({"text": near, "action": "delete"})).await;
    assert_eq!(exact["sourceRefs"], json!([near]), "a sourceRef forgets just that");
}
