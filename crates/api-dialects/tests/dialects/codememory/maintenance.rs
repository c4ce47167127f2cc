//! `maintenance`, `diagnostics` and `health`.

use super::{SESSION, fixture_with_settings, new_fixture};
use crate::erasure::grant_erase;
use crate::fixture::DialectFixture;
use dialects::{CodeMemory, DialectApi};
use embed::BundledEmbedder;
use engine::review::ResolveReviewRequest;
use engine::{Caller, Engine, Parts, SystemClock};
use interchange::Transfer;
use interchange::intake::{IncomingMemory, IncomingSession};
use model::{AgentName, ErrorCode, JsonMap, OwnerId, Resolution, ReviewId};
use serde_json::json;
use std::sync::Arc;
use testkit::{FailingStore, FailurePoint, TempStore};

const DAY: i64 = 86_400;

async fn recent(fixture: &DialectFixture) -> usize {
    fixture.call("list_recent", json!({"limit": 100})).await.as_array().unwrap().len()
}

#[tokio::test]
async fn vacuum_needs_no_confirmation() {
    let fixture = new_fixture().await;
    fixture.store(SESSION, "a note").await;
    let answer = fixture.call("maintenance", json!({"action": "vacuum"})).await;
    assert_eq!((&answer["status"], &answer["action"]), (&json!("ok"), &json!("vacuum")));
}

#[tokio::test]
async fn deletions_need_confirmation_and_report_what_would_be_deleted() {
    let fixture = new_fixture().await;
    fixture.store(SESSION, "a note").await;
    fixture.clock.advance(10 * DAY);
    for given in [
        json!({"action": "purge_all"}),
        json!({"action": "purge_session", "session_id": SESSION}),
        json!({"action": "prune_older_than", "older_than_days": 5}),
    ] {
        let failure = fixture.call_refused("maintenance", given).await;
        assert_eq!(failure.code, ErrorCode::InvalidArgument);
        assert!(
            failure.message.contains('1') && failure.message.contains("confirm: true"),
            "{failure}"
        );
    }
    let session = fixture
        .call_refused("maintenance", json!({"action": "purge_session", "session_id": SESSION}))
        .await;
    assert!(session.message.contains(SESSION), "{session}");
    assert_eq!(recent(&fixture).await, 1);
}

#[tokio::test]
async fn each_action_names_its_missing_arguments() {
    let fixture = new_fixture().await;
    for (given, named) in [
        (json!({"action": "purge_session", "confirm": true}), "session_id"),
        (json!({"action": "prune_older_than", "confirm": true}), "older_than_days"),
        (
            json!({"action": "prune_older_than", "older_than_days": 0, "confirm": true}),
            "older_than_days",
        ),
        (json!({"action": "defragment"}), "defragment"),
    ] {
        let failure = fixture.call_refused("maintenance", given).await;
        assert!(failure.message.contains(named), "{named}: {failure}");
    }
    let unknown = json!({"action": "purge_session", "session_id": "nobody", "confirm": true});
    assert_eq!(fixture.call_refused("maintenance", unknown).await.code, ErrorCode::NotFound);
}

#[tokio::test]
async fn purging_a_session_deletes_everything_derived_from_it_and_nothing_else() {
    let fixture = new_fixture().await;
    let id = fixture.store("gone", "retry_payment() lives in src/pay.rs.").await;
    fixture
        .call(
            "upsert_entity",
            json!({"name": "payer", "observations_json": "[\"pays\"]", "memory_id": id}),
        )
        .await;
    let related =
        json!({"source": "payer", "target": "bank", "relation_type": "asks", "memory_id": id});
    fixture.call("add_relation", related).await;
    fixture.store("remaining", "send_mail() lives in src/mail.rs.").await;
    let given = json!({"action": "purge_session", "session_id": "gone", "confirm": true});
    let answer = fixture.call("maintenance", given).await;
    assert_eq!((&answer["status"], &answer["deleted"]), (&json!("ok"), &json!(1)));
    assert_eq!(recent(&fixture).await, 1);
    for name in ["retry_payment", "src/pay.rs", "payer", "bank"] {
        assert_eq!(
            fixture.call_refused("get_entity", json!({"name": name})).await.code,
            ErrorCode::NotFound,
            "{name}"
        );
    }
    assert_eq!(
        fixture.call("get_entity", json!({"name": "send_mail"})).await["entity_type"],
        "function"
    );
    assert_eq!(
        fixture.search_with(json!({"query": "retry payment", "session_id": "gone"})).await.len(),
        0
    );
}

#[tokio::test]
async fn pruning_counts_full_days_in_any_time_zone() {
    let fixture = new_fixture().await;
    fixture.store(SESSION, "an old note").await;
    fixture.clock.advance(5 * DAY - 60);
    let given = json!({"action": "prune_older_than", "older_than_days": 5, "confirm": true});
    assert_eq!(
        fixture.call("maintenance", given.clone()).await["deleted"],
        0,
        "a minute short of five days"
    );
    fixture.store(SESSION, "a new note").await;
    fixture.clock.advance(120);
    assert_eq!(fixture.call("maintenance", given).await["deleted"], 1);
    let left = fixture.call("list_recent", json!({})).await;
    assert_eq!(left[0]["content"], "a new note");
}

#[tokio::test]
async fn purging_all_leaves_no_memory_and_no_entity() {
    let fixture = new_fixture().await;
    for n in 0..5 {
        fixture.store(SESSION, &format!("call_{n}_back() is number {n}")).await;
    }
    fixture
        .call("upsert_entity", json!({"name": "alone", "observations_json": "[\"said outright\"]"}))
        .await;
    let answer = fixture.call("maintenance", json!({"action": "purge_all", "confirm": true})).await;
    assert_eq!((&answer["deleted"], &answer["status"]), (&json!(5), &json!("pending_review")));
    let told = answer["message"].as_str().unwrap();
    assert!(told.contains("1 entity"), "nobody recorded who stated it: {told}");
    let proposal = ReviewId(1);
    let accept = ResolveReviewRequest::new(proposal, Resolution::Confirm);
    let owner = Caller::person(OwnerId::me());
    fixture.engine.reviews().resolve(&owner, &accept).await.unwrap();
    let counts = fixture.call("diagnostics", json!({})).await["counts"].clone();
    for place in ["memories", "vectors", "entities", "observations", "relations", "links"] {
        assert_eq!(counts[place], 0, "{place} in {counts}");
    }
}

#[tokio::test]
async fn a_session_of_more_than_a_thousand_memories_is_purged_whole() {
    let fixture = new_fixture().await;
    let writer = fixture.caller("claude");
    let mut intake = Transfer::of(&fixture.engine).open_intake(&writer).await.unwrap();
    let session = IncomingSession { number: 1, key: SESSION.to_owned(), episode: None };
    Transfer::of(&fixture.engine).intake_sessions(&writer, &mut intake, &[session]).await.unwrap();
    for some in 0..6 {
        let memory = |number: u64| IncomingMemory {
            number,
            title: None,
            kind: "note".to_owned(),
            text: format!("call_{number}_back() is number {number}"),
            confidence: 0.9,
            at: fixture.clock.now(),
            session: Some(1),
            metadata: JsonMap::new(),
        };
        let memories: Vec<IncomingMemory> = (some * 200..(some + 1) * 200).map(memory).collect();
        Transfer::of(&fixture.engine)
            .intake_memories(&writer, &mut intake, &memories)
            .await
            .unwrap();
    }
    fixture.store("another", "this one stays").await;
    let purge = json!({"action": "purge_session", "session_id": SESSION, "confirm": true});
    assert_eq!(fixture.call("maintenance", purge.clone()).await["deleted"], 0, "too many at once");
    grant_erase(&fixture, "claude").await;
    assert_eq!(fixture.call("maintenance", purge).await["deleted"], 1_200);
    let counts = fixture.call("diagnostics", json!({})).await["counts"].clone();
    assert_eq!(
        (&counts["memories"], &counts["vectors"], &counts["entities"]),
        (&json!(1), &json!(1), &json!(0))
    );
}

#[tokio::test]
async fn diagnostics_checks_the_store_and_shows_every_documented_field() {
    let fixture = fixture_with_settings(&[("top_k", "7"), ("enable_graph", "1")]).await;
    fixture.store(SESSION, "retry_payment() lives in src/pay.rs.").await;
    let shown = fixture.call("diagnostics", json!({})).await;
    assert_eq!(shown["status"], "ok");
    assert!(shown["db_path"].as_str().unwrap().ends_with("memory.db"));
    assert_eq!(
        shown["flags"],
        json!({"vec": true, "fts": true, "graph": true, "session_scope": true})
    );
    assert_eq!(
        shown["defaults"],
        json!({
            "top_k": 7,
            "top_p": 0.6,
            "recency_weight": 0.2,
            "priority_weight": 0.15,
            "fts_bonus": 0.1,
            "oversample_k": 4,
        })
    );
    assert_eq!(
        (&shown["summary"]["enabled"], &shown["summary"]["auto_install"]),
        (&json!(true), &json!(false))
    );
    for field in ["model", "ctx", "threads", "max_tokens", "temperature"] {
        assert_eq!(
            shown["summary"].get(field),
            Some(&json!(null)),
            "no model writes summaries: {field}"
        );
    }
    assert_eq!(
        (&shown["counts"]["memories"], &shown["counts"]["entities"]),
        (&json!(1), &json!(2))
    );
    assert!(shown["tables"].as_array().unwrap().contains(&json!("memories")));
    assert!(shown["embedding"]["dim"].as_u64().unwrap() > 0 && shown["model"].is_string());
}

#[tokio::test]
async fn health_shows_the_location_of_the_store_and_the_settings() {
    let fixture = new_fixture().await;
    fixture.store(SESSION, "a note").await;
    let shown = fixture.call("health", json!({})).await;
    assert_eq!((&shown["status"], &shown["memories"]), (&json!("ok"), &json!(1)));
    assert!(shown["db_path"].as_str().unwrap().ends_with("memory.db"));
    for (field, value) in [
        ("default_top_k", json!(12)),
        ("default_top_p", json!(0.6)),
        ("recency_weight", json!(0.2)),
        ("priority_weight", json!(0.15)),
        ("fts_bonus", json!(0.1)),
        ("oversample_k", json!(4)),
        ("tree_sitter", json!(true)),
        ("log_file", json!(null)),
    ] {
        assert_eq!(shown[field], value, "{field}");
    }
    assert!(
        shown["embedding_dim"].as_u64().unwrap() > 0
            && shown["flags"].is_object()
            && shown["summary"].is_object()
    );
}

#[tokio::test]
async fn a_failing_store_makes_health_and_diagnostics_fail() {
    let home = TempStore::new().await;
    let store = Arc::new(FailingStore::new(home.clone()));
    let engine = Engine::new(Parts {
        store: Arc::clone(&store) as Arc<dyn store::Store>,
        embedder: Arc::new(BundledEmbedder::new()),
        clock: Arc::new(SystemClock),
        snapshots: None,
    });
    let caller = Caller::agent(OwnerId::me(), AgentName::new("claude"), model::Dialect::CodeMemory);
    for tool in ["health", "diagnostics"] {
        store.fail_nth(1, FailurePoint::Before, store::StoreError::Busy);
        let failure =
            CodeMemory::default().call(&engine, &caller, tool, JsonMap::new()).await.unwrap_err();
        assert_eq!(failure.code, ErrorCode::StoreBusy, "{tool}");
    }
}
