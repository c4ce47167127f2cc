//! Results of each tool, called as a model would call it.

use crate::fixture::DialectFixture;
use model::ErrorCode;
use serde_json::{Value, json};

/// A handoff document with its five sections.
const DOCUMENT: &str = "# Start & intent\nMove billing.\n# Journey\nTried two ways.\n\
                        # Current state\nHalf done.\n\
                        # What's left\nTests.\n# Open questions\nNone.";

fn texts(answer: &Value) -> Vec<&str> {
    answer["memories"]
        .as_array()
        .unwrap()
        .iter()
        .map(|memory| memory["text"].as_str().unwrap())
        .collect()
}

#[tokio::test]
async fn what_is_remembered_is_recalled_by_its_meaning() {
    let fixture = DialectFixture::new().await;
    fixture.remember("We chose PostgreSQL for billing because of row-level security.").await;
    fixture.remember("The cat sleeps on the printer.").await;
    let answer =
        fixture.call("recall", json!({"query": "which database do we use for invoices?"})).await;
    assert_eq!(texts(&answer)[0], "We chose PostgreSQL for billing because of row-level security.");
    let first = &answer["memories"][0];
    assert_eq!(first["date"].as_str(), Some("2026-05-03"));
    assert!(first.get("score").is_none(), "no noise without explain");
    assert!(first.get("by").is_none(), "the caller's own name tells nothing");
    let explained =
        fixture.call("recall", json!({"query": "database for invoices", "explain": true})).await;
    assert_eq!(explained["memories"][0]["by"].as_str(), Some("claude"));
}

#[tokio::test]
async fn a_recalled_memory_costs_little_more_than_its_text() {
    let fixture = DialectFixture::new().await;
    let text = "The billing service runs on port 8081 since the move to the new cluster.";
    fixture.remember(text).await;
    let answer = fixture.call("recall", json!({"query": "port of the billing service"})).await;
    let shown = answer["memories"][0].to_string();
    // At most 1.6 times the text and 12 tokens, at four bytes for each token.
    assert!(shown.len() as f64 <= 1.6 * text.len() as f64 + 48.0, "{shown}");
}

#[tokio::test]
async fn recall_without_arguments_returns_the_briefing() {
    let fixture = DialectFixture::new().await;
    fixture
        .call(
            "remember",
            json!({"text": "We ship on Tuesdays.", "kind": "decision", "profile": {"name": "Ada"}}),
        )
        .await;
    let answer = fixture.call("recall", json!({})).await;
    assert_eq!(answer["briefing"]["profile"]["name"], "Ada");
    assert_eq!(answer["briefing"]["decisions"][0]["text"], "We ship on Tuesdays.");
    assert_eq!(answer["briefing"]["exists"]["memories"], 2);
}

#[tokio::test]
async fn a_similar_memory_does_not_look_like_an_answer() {
    let fixture = DialectFixture::new().await;
    fixture.call("remember", json!({"text": "My name is Priya."})).await;
    let answer = fixture.call("recall", json!({"query": "What is my cat's name?"})).await;
    assert_eq!(answer["weak"], json!(true), "{answer}");
    let similar = answer["confidence"].as_f64().unwrap();
    assert!(answer["hint"].as_str().unwrap().starts_with("weak"), "{answer}");
    let answer = fixture.call("recall", json!({"query": "Is my name Priya?"})).await;
    assert_eq!(answer["weak"], json!(null), "{answer}");
    assert!(answer["confidence"].as_f64().unwrap() > similar + 0.1, "{answer}");
}

// The budget did not know of the hints, tags and titles of an answer: it was exceeded by a little,
// and the texts were cut once more, by far too much and without regard to the question.
#[tokio::test]
async fn an_answer_of_long_texts_fits_its_budget_without_a_second_cut() {
    let fixture = DialectFixture::new().await;
    for number in 0..14 {
        let text =
            format!("Shelf {number} holds pigments. {}", "It stands in the cellar. ".repeat(16));
        let tags = json!(["pigments", "cellar", format!("shelf-{number}")]);
        let title = format!("Pigments on shelf {number}");
        let memory = json!({"text": text, "title": title, "tags": tags, "kind": "fact"});
        fixture.call("remember", memory).await;
    }
    for budget in [400, 500, 700, 1_000, 1_500] {
        let ask = json!({"query": "which shelf holds pigments?", "budget_tokens": budget});
        let answer = fixture.call("recall", ask).await.to_string();
        assert!(!answer.contains("[cut:"), "{budget}: {answer}");
        assert!(answer.len() / 4 <= budget, "{budget}: {answer}");
        assert!(answer.len() / 4 >= budget * 7 / 10, "{budget}: {answer}");
    }
}

#[tokio::test]
async fn the_only_memory_is_a_sure_answer_to_a_question_about_it() {
    for (text, question) in [
        (
            "We chose PostgreSQL for billing because of row-level security.",
            "which database for billing?",
        ),
        ("I had sushi with Marta at the harbour.", "with whom did I eat sushi?"),
    ] {
        let fixture = DialectFixture::new().await;
        fixture.call("remember", json!({"text": text})).await;
        let answer = fixture.call("recall", json!({"query": question})).await;
        assert_eq!(answer["weak"], json!(null), "{question}: {answer}");
    }
}

#[tokio::test]
async fn a_question_about_an_unknown_name_is_answered_with_nothing() {
    let fixture = DialectFixture::new().await;
    fixture.call("remember", json!({"text": "My name is Priya and I live in Leeds."})).await;
    let asked = json!({"query": "Which clinic is Samira Lindqvist's surgeon at, and since when?"});
    let answer = fixture.call("recall", asked).await;
    assert_eq!(answer["memories"], json!([]), "{answer}");
    assert!(answer["hint"].as_str().unwrap().starts_with("nothing is known"), "{answer}");
}

#[tokio::test]
async fn an_empty_memory_says_so() {
    let fixture = DialectFixture::new().await;
    let answer = fixture.call("recall", json!({"query": "anything"})).await;
    assert_eq!(answer["memories"], json!([]));
    assert!(answer["hint"].as_str().unwrap().starts_with("nothing is known"));
}

#[tokio::test]
async fn explain_names_the_embedder_and_the_parts() {
    let fixture = DialectFixture::new().await;
    fixture.remember("Releases go out on Tuesday.").await;
    let answer = fixture.call("recall", json!({"query": "release day", "explain": true})).await;
    assert!(answer["embedder"].as_str().unwrap().starts_with("quipu-embed-2"));
    assert!(answer["memories"][0]["parts"].is_object());
}

#[tokio::test]
async fn a_correction_wins_and_the_history_shows_the_reason() {
    let fixture = DialectFixture::new().await;
    let id = fixture.remember("The API listens on port 8080.").await;
    let answer = fixture
        .call(
            "correct",
            json!({"id": id, "text": "The API listens on port 9090.", "reason": "clash"}),
        )
        .await;
    assert_eq!(answer["superseded"], json!([id]));
    let recalled = fixture.call("recall", json!({"query": "API port"})).await;
    assert_eq!(texts(&recalled), ["The API listens on port 9090."]);
    let history = fixture.call("explore", json!({"what": "history", "id": id})).await;
    assert_eq!(history["latest"], answer["id"]);
    assert_eq!(history["memories"][1]["reason"], "clash");
}

#[tokio::test]
async fn forgetting_takes_two_steps_and_gives_a_receipt() {
    let fixture = DialectFixture::new().await;
    let id = fixture.remember("My old address is Elm Street 4.").await;
    let shown = fixture.call("forget", json!({"query": "old address"})).await;
    assert_eq!(shown["would_forget"][0]["id"], id);
    let done = fixture.call("forget", json!({"ids": [id]})).await;
    assert_eq!(done["forgotten"], json!([id]));
    assert_eq!(done["receipt"]["memories"], 1);
    let again =
        fixture.call_refused("remember", json!({"text": "My old address is Elm Street 4."})).await;
    assert_eq!(again.code, ErrorCode::Forgotten);
}

#[tokio::test]
async fn a_contradiction_shows_both_texts_and_is_resolved_with_review() {
    let fixture = DialectFixture::new().await;
    let old = fixture.remember("I eat meat").await;
    let answer = fixture.call("remember", json!({"text": "I do not eat meat"})).await;
    let conflict = &answer["conflicts"][0];
    assert_eq!(
        (conflict["id"].as_i64(), conflict["text"].as_str()),
        (Some(old), Some("I eat meat"))
    );
    let list = fixture.call("review", json!({})).await;
    assert_eq!(list["reviews"][0]["against"]["text"], "I eat meat");
    let id = list["reviews"][0]["id"].clone();
    fixture.call("review", json!({"action": "resolve", "id": id, "resolution": "confirm"})).await;
    let recalled = fixture.call("recall", json!({"query": "do I eat meat"})).await;
    assert_eq!(texts(&recalled), ["I do not eat meat"]);
    assert_eq!(fixture.call("review", json!({})).await["hint"], "nothing needs a decision");
}

/// Remembers three memories, raises a contradiction between each two, and returns their ids.
async fn three_rivals(fixture: &DialectFixture) -> [i64; 3] {
    let ids = [
        fixture.remember("The shed is painted green.").await,
        fixture.remember("Red oil colour covers it by now.").await,
        fixture.remember("A coat of blue went on last.").await,
    ];
    for (newer, older) in [(1, 0), (2, 0), (2, 1)] {
        fixture.contradict(ids[newer], ids[older]).await;
    }
    ids
}

#[tokio::test]
async fn rivals_are_one_review_and_settled_together() {
    let fixture = DialectFixture::new().await;
    let ids = three_rivals(&fixture).await;
    let list = fixture.call("review", json!({})).await;
    assert_eq!(list["reviews"].as_array().unwrap().len(), 1);
    let review = &list["reviews"][0];
    let rivals: Vec<i64> = review["rivals"]
        .as_array()
        .unwrap()
        .iter()
        .map(|one| one["id"].as_i64().unwrap())
        .collect();
    assert_eq!(rivals, [ids[2], ids[1], ids[0]]);
    assert_eq!(review["with_reviews"].as_array().unwrap().len(), 2);
    let resolve = json!({"action": "resolve", "id": review["id"], "resolution": "confirm"});
    fixture.call("review", resolve).await;
    assert_eq!(fixture.call("review", json!({})).await["hint"], "nothing needs a decision");
    let recalled = fixture.call("recall", json!({"query": "colour of the shed"})).await;
    assert_eq!(texts(&recalled), ["A coat of blue went on last."]);
}

#[tokio::test]
async fn a_result_under_review_says_what_it_contradicts() {
    let fixture = DialectFixture::new().await;
    let ids = three_rivals(&fixture).await;
    let recalled = fixture.call("recall", json!({"query": "colour of the shed"})).await;
    let shown = recalled["memories"].as_array().unwrap();
    let newest = shown.iter().find(|memory| memory["id"] == ids[2]).unwrap();
    let mark = newest["under_review"].as_str().unwrap();
    assert!(mark.starts_with(&format!("contradicts {}, {} (review ", ids[1], ids[0])), "{mark}");
}

#[tokio::test]
async fn a_flag_needs_a_memory_and_ranks_it_last() {
    let fixture = DialectFixture::new().await;
    let id = fixture.remember("Restart the indexer when search is stale.").await;
    let answer = fixture
        .call("review", json!({"action": "flag", "memory": id, "reason": "made it worse"}))
        .await;
    assert!(answer["flag"].is_i64());
    let recalled = fixture.call("recall", json!({"query": "stale search"})).await;
    assert_eq!(recalled["memories"][0]["flagged"], 1);
    assert!(
        fixture.call_refused("review", json!({"action": "flag"})).await.message.contains("memory")
    );
}

#[tokio::test]
async fn a_claim_is_verified_with_its_evidence() {
    let fixture = DialectFixture::new().await;
    fixture.remember("The staging database is Postgres 16.").await;
    let answer =
        fixture.call("verify", json!({"claim": "the staging database is Postgres 16"})).await;
    assert_eq!(answer["verdict"], "verified");
    assert_eq!(answer["evidence"][0]["covers"], 1.0);
    let unknown = fixture.call("verify", json!({"claim": "the office has a slide"})).await;
    assert_eq!(unknown["verdict"], "ungrounded");
}

#[tokio::test]
async fn rows_are_added_read_changed_and_removed() {
    let fixture = DialectFixture::new().await;
    for (food, calories) in [("pizza", 800), ("salad", 200), ("ramen", 650)] {
        fixture
            .call(
                "remember",
                json!({"table": "meals", "data": {"food": food, "calories": calories}}),
            )
            .await;
    }
    let list = fixture.call("tables", json!({})).await;
    assert_eq!(list["tables"][0]["rows"], 3);
    let rows = fixture
        .call(
            "tables",
            json!({"table": "meals", "filters": {"calories": {"gt": 500}}, "order": "-calories"}),
        )
        .await;
    assert_eq!(
        (rows["total"].as_i64(), rows["rows"][0]["food"].as_str()),
        (Some(2), Some("pizza"))
    );
    let id = rows["rows"][0]["id"].clone();
    let row = fixture
        .call(
            "tables",
            json!({"action": "update", "table": "meals", "id": id, "data": {"calories": 900}}),
        )
        .await;
    assert_eq!(row["row"]["calories"], 900);
    let recalled = fixture.call("recall", json!({"query": "pizza"})).await;
    assert!(texts(&recalled)[0].contains("900"), "{recalled}");
    fixture.call("tables", json!({"action": "delete", "table": "meals", "id": id})).await;
    assert_eq!(fixture.call("tables", json!({"table": "meals"})).await["total"], 2);
}

#[tokio::test]
async fn rows_are_selected_with_sql() {
    let fixture = DialectFixture::new().await;
    for (food, calories) in [("pizza", 800), ("salad", 200), ("pizza", 650)] {
        fixture
            .call(
                "remember",
                json!({"table": "meals", "data": {"food": food, "calories": calories}}),
            )
            .await;
    }
    let sql = "SELECT food, avg(calories) AS mean FROM meals GROUP BY food ORDER BY mean DESC";
    let answer = fixture.call("tables", json!({ "sql": sql })).await;
    assert_eq!(answer["header"], json!(["food", "mean"]));
    assert_eq!(answer["columns"], json!({"food": "text", "mean": "number"}));
    assert_eq!(
        answer["rows"],
        json!([{"food": "pizza", "mean": 725.0}, {"food": "salad", "mean": 200.0}])
    );
    let cut = fixture
        .call("tables", json!({"sql": "SELECT * FROM meals", "table": "meals", "limit": 2}))
        .await;
    assert_eq!(cut["rows"].as_array().unwrap().len(), 2);
    assert!(cut["hint"].as_str().unwrap().contains("more rows"), "{cut}");
    for mixed in [json!({"filters": {}}), json!({"order": "food"}), json!({"offset": 1})] {
        let mut given = json!({"sql": "SELECT 1"});
        given.as_object_mut().unwrap().extend(mixed.as_object().unwrap().clone());
        let refusal = fixture.call_refused("tables", given).await;
        assert!(refusal.message.contains("into the SELECT"), "{refusal}");
    }
}

#[tokio::test]
async fn a_handoff_is_stored_claimed_once_and_completed() {
    let fixture = DialectFixture::new().await;
    let stored = fixture
        .call("handoff", json!({"action": "store", "title": "Billing move", "document": DOCUMENT}))
        .await;
    let id = stored["handoff"]["id"].clone();
    assert_eq!(fixture.call("handoff", json!({})).await["handoffs"][0]["title"], "Billing move");
    let claimed = fixture.call("handoff", json!({"action": "claim", "id": id})).await;
    assert!(claimed["handoff"]["document"].as_str().unwrap().contains("Half done."));
    let late = fixture
        .try_call("codex", "handoff", json!({"action": "claim", "id": id}))
        .await
        .unwrap_err();
    assert_eq!(late.code, ErrorCode::Conflict);
    assert!(late.message.contains("claude"), "{}", late.message);
    let done = fixture.call("handoff", json!({"action": "complete", "id": id})).await;
    assert_eq!(done["handoff"]["state"], "completed");
}

#[tokio::test]
async fn a_handoff_without_its_sections_names_what_is_missing() {
    let fixture = DialectFixture::new().await;
    let failure = fixture
        .call_refused(
            "handoff",
            json!({"action": "store", "title": "T", "document": "# Journey\nx"}),
        )
        .await;
    assert!(failure.message.contains("Open questions"), "{}", failure.message);
}

#[tokio::test]
async fn a_session_ends_with_an_episode_that_the_next_one_begins_with() {
    let fixture = DialectFixture::new().await;
    let started = fixture.call("session", json!({"action": "start", "session": "monday"})).await;
    let id = started["session"]["id"].clone();
    fixture
        .call(
            "session",
            json!({
                "action": "log",
                "session": id,
                "user": "Why red?",
                "agent": "A race in the tests.",
            }),
        )
        .await;
    fixture
        .call(
            "session",
            json!({"action": "end", "session": "monday", "summary": "Fixed the race."}),
        )
        .await;
    let next = fixture.call("session", json!({"action": "start", "session": "tuesday"})).await;
    assert_eq!(next["last_episode"]["text"], "Fixed the race.");
    assert_eq!(next["previous"]["key"], "monday");
    let resumed = fixture.call("session", json!({})).await;
    assert_eq!(resumed["last_episode"]["text"], "Fixed the race.");
}

#[tokio::test]
async fn links_and_entities_are_explored() {
    let fixture = DialectFixture::new().await;
    let cause = fixture
        .remember("The disk of `db-1` was full because Anna Schmidt paused the cleanup.")
        .await;
    let effect = fixture
        .call(
            "remember",
            json!({
                "text": "Orders failed on Monday.",
                "links": [{"to": cause, "kind": "caused_by"}],
            }),
        )
        .await["id"]
        .clone();
    let causes = fixture.call("explore", json!({"what": "causes", "id": effect})).await;
    assert_eq!(causes["memories"][1]["id"], cause);
    assert_eq!(causes["links"][0]["kind"], "caused_by");
    let entity = fixture.call("explore", json!({"entity": "Anna Schmidt"})).await;
    assert_eq!(entity["memories"][0]["id"], cause);
    let path = fixture.call("explore", json!({"what": "path", "id": cause, "to": effect})).await;
    assert_eq!(path["memories"].as_array().unwrap().len(), 2);
}

#[tokio::test]
async fn references_are_searched_and_never_recalled() {
    let fixture = DialectFixture::new().await;
    let owner = engine::Caller::person(model::OwnerId::me());
    let input = engine::references::FileReferenceRequest {
        path: "billing/numbers.md".into(),
        text: "# Billing\nIntro.\n## Invoice numbers\n\
               Invoices are numbered per year, starting at 1000."
            .into(),
    };
    fixture.engine.references().put(&owner, &input).await.unwrap();
    let found = fixture.call("references", json!({"query": "how are invoices numbered"})).await;
    assert_eq!(found["sections"][0]["path"], "billing/numbers.md");
    assert_eq!(found["sections"][0]["heading"], "Billing > Invoice numbers");
    assert_eq!(
        fixture.call("recall", json!({"query": "invoices numbered"})).await["memories"],
        json!([])
    );
    assert_eq!(fixture.call("references", json!({})).await["documents"][0]["title"], "Billing");
    let agent = engine::Caller::agent(
        model::OwnerId::me(),
        model::AgentName::new("a"),
        model::Dialect::Quipu,
    );
    let denied = fixture.engine.references().put(&agent, &input).await;
    assert_eq!(denied.unwrap_err().code, ErrorCode::ConsentRequired);
}

#[tokio::test]
async fn an_unknown_action_is_refused_with_the_known_ones() {
    let fixture = DialectFixture::new().await;
    for (tool, argument) in [
        ("review", "action"),
        ("tables", "action"),
        ("handoff", "action"),
        ("session", "action"),
        ("explore", "what"),
    ] {
        let failure = fixture.call_refused(tool, json!({argument: "dance"})).await;
        assert!(failure.message.contains("use one of"), "{tool}: {}", failure.message);
    }
}

#[tokio::test]
async fn a_bad_date_is_refused_with_an_example() {
    let fixture = DialectFixture::new().await;
    let failure =
        fixture.call_refused("recall", json!({"query": "x", "since": "last tuesday"})).await;
    assert!(
        failure.message.contains("since") && failure.message.contains("2026-05-03"),
        "{}",
        failure.message
    );
}
