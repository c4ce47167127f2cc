//! `search_memory`: scope, scores, filters and switches.

use super::{SESSION, contents, fixture_with_settings, new_fixture};
use engine::remember::RememberRequest;
use model::ErrorCode;
use serde_json::json;

const DAY: i64 = 86_400;

#[tokio::test]
async fn a_search_covers_its_session_and_memories_without_one() {
    let fixture = new_fixture().await;
    fixture.store("one", "The queue of session one is Kafka.").await;
    fixture.store("two", "The queue of session two is RabbitMQ.").await;
    let caller = fixture.caller("claude");
    fixture
        .engine
        .memories()
        .remember(&caller, &RememberRequest::text("The queue of nobody is Redis."))
        .await
        .unwrap();
    let found =
        fixture.search_with(json!({"query": "queue", "session_id": "one", "top_p": 1.0})).await;
    let mut found = contents(&found);
    found.sort_unstable();
    assert_eq!(found, ["The queue of nobody is Redis.", "The queue of session one is Kafka."]);
}

#[tokio::test]
async fn a_full_limit_is_found_in_the_session_however_many_others_match_better() {
    let fixture = new_fixture().await;
    for n in 0..40 {
        fixture.store("loud", &format!("queue queue queue number {n} of the loud session")).await;
    }
    for n in 0..5 {
        fixture.store("quiet", &format!("One more word on a queue, {n}.")).await;
    }
    let found = fixture
        .search_with(json!({"query": "queue", "session_id": "quiet", "limit": 5, "top_p": 1.0}))
        .await;
    assert_eq!(found.len(), 5);
    assert!(found.iter().all(|item| item["session_id"] == "quiet"));
}

#[tokio::test]
async fn an_unknown_session_yields_an_empty_list_and_no_error() {
    let fixture = new_fixture().await;
    fixture.store("one", "The queue is Kafka.").await;
    assert_eq!(
        fixture.call("search_memory", json!({"query": "queue", "session_id": "new"})).await,
        json!([])
    );
}

#[tokio::test]
async fn a_session_of_another_dialect_is_named_by_its_number() {
    let fixture = new_fixture().await;
    let caller = fixture.caller("claude");
    let started = fixture
        .engine
        .sessions()
        .start(&caller, &engine::sessions::StartSessionRequest::default())
        .await
        .unwrap();
    let input = RememberRequest {
        session: Some(engine::sessions::SessionRef::Id(started.session.id)),
        ..RememberRequest::text("The queue is Kafka.")
    };
    fixture.engine.memories().remember(&caller, &input).await.unwrap();
    let number = started.session.id.to_string();
    let found = fixture.search_with(json!({"query": "queue", "session_id": number})).await;
    assert_eq!((found.len(), &found[0]["session_id"]), (1, &json!(number)));
}

#[tokio::test]
async fn a_query_may_contain_any_punctuation() {
    let fixture = new_fixture().await;
    fixture
        .store(
            SESSION,
            "module_api.py raises error: timeout in src/net/client.rs (it's the proxy's fault).",
        )
        .await;
    for query in [
        "module_api.py",
        "error: timeout",
        "src/net/client.rs",
        "it's the proxy",
        "\"timeout",
        "time-out timeout",
        "timeout*",
        "NEAR(timeout",
        "timeout AND",
        "-timeout",
        "content:timeout",
        "timeout ^ 2",
    ] {
        let found = fixture.search(query).await;
        assert_eq!(found.len(), 1, "{query}");
        assert_eq!(found[0]["fts_hit"], json!(true), "{query}");
    }
    for query in ["", "   "] {
        assert_eq!(fixture.search(query).await.len(), 1, "an empty query gives the newest");
    }
}

#[tokio::test]
async fn items_have_every_documented_field() {
    let fixture = new_fixture().await;
    let given = json!({
        "content": "The queue is Kafka.", "session_id": SESSION, "kind": "decision",
        "summary": "Kafka",
        "tags": "queue, infra", "priority": 2, "metadata_json": "{\"ticket\":\"A-1\"}"
    });
    fixture.call("remember", given).await;
    let item = &fixture.search("queue").await[0];
    for (field, value) in [
        ("session_id", json!(SESSION)),
        ("kind", json!("decision")),
        ("content", json!("The queue is Kafka.")),
        ("summary", json!("Kafka")),
        ("tags", json!("queue,infra")),
        ("priority", json!(2)),
        ("metadata", json!({"ticket": "A-1"})),
        ("created_at", json!("2026-05-03T12:00:00Z")),
        ("fts_hit", json!(true)),
    ] {
        assert_eq!(item[field], value, "{field}");
    }
    assert!(item["id"].is_i64() && item["score"].is_number());
}

#[tokio::test]
async fn the_exact_match_has_the_lowest_score_and_comes_first() {
    let fixture = new_fixture().await;
    for content in [
        "Embedding dimensions must match the model that made them.",
        "The embedding cache is warmed at start.",
        "Unrelated: the cat sleeps on the printer.",
    ] {
        fixture.store(SESSION, content).await;
    }
    let query = "Embedding dimensions must match the model that made them.";
    let found =
        fixture.search_with(json!({"query": query, "session_id": SESSION, "top_p": 1.0})).await;
    assert_eq!(contents(&found)[0], query);
    let scores: Vec<f64> = found.iter().map(|item| item["score"].as_f64().unwrap()).collect();
    assert!(scores.is_sorted(), "{scores:?}");
    assert!(scores[0] < 0.3, "{scores:?}");
}

#[tokio::test]
async fn a_match_by_words_alone_does_not_rank_behind_a_weaker_one() {
    let fixture = fixture_with_settings(&[("enable_vec", "0")]).await;
    fixture.store(SESSION, "zanzibar quokka flywheel").await;
    fixture
        .store(
            SESSION,
            "A long note that mentions a flywheel in passing, \
             among many other parts of the engine.",
        )
        .await;
    let found = fixture.search("zanzibar quokka flywheel").await;
    assert_eq!(contents(&found)[0], "zanzibar quokka flywheel");
}

/// Notes that have one word in common.
const PAYMENT_NOTES: [&str; 3] = [
    "The payment dashboard shows a graph.",
    "Refunds are listed below each payment.",
    "Ana owns the payment reports.",
];

#[tokio::test]
async fn the_recency_filter_keeps_the_newest_share_and_never_hides_the_best_match() {
    let fixture = new_fixture().await;
    fixture
        .store(SESSION, "Retry the payment with exponential backoff and a cap of five minutes.")
        .await;
    for note in PAYMENT_NOTES {
        fixture.clock.advance(10 * DAY);
        fixture.store(SESSION, note).await;
    }
    let query = "retry payment exponential backoff";
    let half =
        fixture.search_with(json!({"query": query, "session_id": SESSION, "top_p": 0.5})).await;
    assert!(contents(&half)[0].starts_with("Retry the payment"), "{half:?}");
    assert_eq!(half.len(), 3, "the best and the two newest of four: {half:?}");
    assert!(!contents(&half).contains(&PAYMENT_NOTES[0]));
    let usual = fixture.search(query).await;
    assert!(contents(&usual)[0].starts_with("Retry the payment"));
    let all = fixture.search_with(json!({"query": query, "session_id": SESSION, "top_p": 1})).await;
    assert_eq!(all.len(), 4);
}

#[tokio::test]
async fn priority_and_age_only_break_ties() {
    let fixture = new_fixture().await;
    for (content, priority) in
        [("alpha queue rule one", 5), ("alpha queue rule two", 1), ("alpha queue rule six", 3)]
    {
        fixture
            .call(
                "remember",
                json!({"content": content, "session_id": SESSION, "priority": priority}),
            )
            .await;
    }
    let found = fixture
        .search_with(json!({"query": "alpha queue rule", "session_id": SESSION, "top_p": 1}))
        .await;
    let priorities: Vec<i64> =
        found.iter().map(|item| item["priority"].as_i64().unwrap()).collect();
    assert_eq!(priorities, [1, 3, 5]);
    fixture.clock.advance(365 * DAY);
    fixture.store(SESSION, "Something quite different about cats.").await;
    let found = fixture
        .search_with(json!({"query": "alpha queue rule", "session_id": SESSION, "top_p": 1}))
        .await;
    assert_eq!(found[0]["priority"], 1, "age is a soft term");
}

#[tokio::test]
async fn scores_of_one_memory_do_not_depend_on_what_else_was_found() {
    let fixture = new_fixture().await;
    fixture.store(SESSION, "alpha queue rule").await;
    fixture.clock.advance(30 * DAY);
    let alone = fixture.search("alpha queue rule").await[0]["score"].as_f64().unwrap();
    fixture.store(SESSION, "beta stack custom").await;
    let beside = fixture.search("alpha queue rule").await[0]["score"].as_f64().unwrap();
    assert!((alone - beside).abs() < 0.05, "{alone} {beside}");
}

#[tokio::test]
async fn a_flagged_memory_comes_last() {
    let fixture = new_fixture().await;
    let wrong = fixture.store(SESSION, "The queue is Kafka, queue of queues.").await;
    fixture.store(SESSION, "A queue may be slow.").await;
    let input = engine::review::FlagMemoryRequest {
        memory: model::MemoryId(wrong),
        reason: "it is RabbitMQ".into(),
    };
    fixture.engine.reviews().flag(&fixture.caller("claude"), &input).await.unwrap();
    let found = fixture
        .search_with(json!({"query": "queue kafka", "session_id": SESSION, "top_p": 1}))
        .await;
    assert_eq!(found.last().unwrap()["id"], wrong);
}

#[tokio::test]
async fn limits_have_their_default_and_bounds() {
    let fixture = new_fixture().await;
    for n in 0..15 {
        fixture.store(SESSION, &format!("queue entry {n} of many words {}", n * 7)).await;
    }
    let usual = fixture
        .search_with(json!({"query": "queue entry", "session_id": SESSION, "top_p": 1}))
        .await;
    assert_eq!(usual.len(), 12);
    for bad in
        [json!({"limit": 0}), json!({"limit": 101}), json!({"top_p": 0}), json!({"top_p": 1.5})]
    {
        let mut given = json!({"query": "queue", "session_id": SESSION});
        given.as_object_mut().unwrap().extend(bad.as_object().unwrap().clone());
        assert_eq!(
            fixture.call_refused("search_memory", given).await.code,
            ErrorCode::InvalidArgument,
            "{bad}"
        );
    }
    let three = fixture_with_settings(&[("top_k", "3"), ("top_p", "1")]).await;
    for n in 0..5 {
        three.store(SESSION, &format!("queue entry {n} of many words {}", n * 7)).await;
    }
    assert_eq!(three.search("queue entry").await.len(), 3);
}

#[tokio::test]
async fn without_vectors_only_words_find_and_without_words_only_meaning() {
    let words = fixture_with_settings(&[("enable_vec", "0")]).await;
    let meaning = fixture_with_settings(&[("enable_fts", "0")]).await;
    for fixture in [&words, &meaning] {
        fixture
            .store(SESSION, "We chose PostgreSQL for billing because of row-level security.")
            .await;
    }
    assert_eq!(words.search("which database do we use for invoices").await.len(), 0);
    assert_eq!(words.search("postgresql").await[0]["fts_hit"], true);
    let found = meaning.search("which database do we use for invoices").await;
    assert_eq!(found[0]["fts_hit"], false, "{found:?}");
    let neither = fixture_with_settings(&[("enable_vec", "0"), ("enable_fts", "0")]).await;
    neither.store(SESSION, "anything").await;
    assert_eq!(neither.search("something else").await.len(), 1, "the newest");
}

#[tokio::test]
async fn without_session_scope_searches_and_duplicates_span_all_sessions() {
    let fixture = fixture_with_settings(&[("enable_session_scope", "false")]).await;
    let id = fixture.store("one", "The queue is Kafka.").await;
    assert_eq!(fixture.search_with(json!({"query": "queue", "session_id": "two"})).await.len(), 1);
    let again = fixture
        .call("remember", json!({"content": "The queue is Kafka.", "session_id": "two"}))
        .await;
    assert_eq!(again["id"], id);
}

#[tokio::test]
async fn what_other_dialects_wrote_in_their_sessions_is_found() {
    let fixture = new_fixture().await;
    fixture.store("elsewhere", "The queue of another session is RabbitMQ.").await;
    let agentic = fixture.sharing_memory(dialects::Agentic::default());
    let mut caller = agentic.caller("claude");
    caller.environment.session = Some("process 7".into());
    let node = json!({"event_type": "decision", "content": "The queue of the shop is Kafka."});
    agentic.try_call_as(&caller, "memory_add", node).await.unwrap();
    let found = fixture.search("which queue does the shop use").await;
    assert_eq!(contents(&found), ["The queue of the shop is Kafka."]);
}
