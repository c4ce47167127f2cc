//! Sessions, their chains of nodes, their episodes, and resuming from them.

use super::{each, new_fixture};
use serde_json::{Value, json};

#[tokio::test]
async fn session_start_gives_numbers_that_rise_and_keeps_its_metadata() {
    let fixture = new_fixture().await;
    let first = fixture.call("session_start", json!({"metadata": {"task": "billing"}})).await;
    assert_eq!(
        (&first["session_id"], &first["previous_session"], &first["last_episode"]),
        (&json!(1), &json!(null), &json!(null))
    );
    assert_eq!(first["metadata"], json!({"task": "billing"}));
    let second = fixture.call("session_start", json!({})).await;
    assert_eq!(second["session_id"], 2);
    assert_eq!((&second["previous_session"], &second["total_sessions"]), (&json!(1), &json!(2)));
    assert!(second["message"].as_str().unwrap().contains("Session 2"));
}

#[tokio::test]
async fn what_is_added_after_session_start_belongs_to_it_and_begins_a_new_chain() {
    let fixture = new_fixture().await;
    fixture.node("fact", "Before the session.").await;
    let started = fixture.call("session_start", json!({"session_id": 424_242})).await;
    assert_eq!(started["session_id"], 424_242);
    let first = fixture
        .call("memory_add", json!({"event_type": "fact", "content": "In the session."}))
        .await;
    assert_eq!((&first["session_id"], &first["edges_created"]), (&json!(424_242), &json!(0)));
    let second = fixture
        .call("memory_add", json!({"event_type": "fact", "content": "Still in the session."}))
        .await;
    assert_eq!(second["edges_created"], 1);
    let stats = fixture.call("memory_stats", json!({})).await;
    assert_eq!((&stats["current_session"], &stats["session_count"]), (&json!(424_242), &json!(2)));
}

#[tokio::test]
async fn two_agents_at_once_are_in_two_sessions() {
    let fixture = new_fixture().await;
    let add = async |agent: &str, content: &str| {
        let given = json!({"event_type": "fact", "content": content});
        fixture.try_call(agent, "memory_add", given).await.unwrap()["session_id"].clone()
    };
    let (one, other) =
        (add("claude", "Claude was here.").await, add("codex", "Codex was here.").await);
    assert_ne!(one, other);
    assert_eq!(add("claude", "Claude is still here.").await, one);
}

#[tokio::test]
async fn session_end_summarizes_and_links_every_node_to_the_episode() {
    let fixture = new_fixture().await;
    let node = fixture.node("decision", "We ship on Tuesdays.").await;
    let ended = fixture.call("session_end", json!({"summary": "Chose a release day."})).await;
    assert_eq!(ended["summary"], "Chose a release day.");
    let episode = ended["episode_node_id"].clone();
    let around =
        fixture.call("memory_traverse", json!({"start_id": node, "edge_types": ["part_of"]})).await;
    assert_eq!(around["visited"][1]["id"], episode);
    assert_eq!(around["visited"][1]["event_type"], "episode");
    let next = fixture.call("session_start", json!({})).await;
    assert_eq!(next["last_episode"]["summary"], "Chose a release day.");
    assert_eq!(next["last_episode"]["session_id"], ended["session_id"]);
    assert!(next["last_episode"]["created_at"].is_i64());
}

#[tokio::test]
async fn session_end_without_a_summary_extracts_one_from_the_session() {
    let fixture = new_fixture().await;
    fixture.node("decision", "We ship on Tuesdays.").await;
    let ended = fixture.call("session_end", json!({})).await;
    assert!(ended["summary"].as_str().unwrap().contains("We ship on Tuesdays."), "{ended}");
    let again = fixture.call("session_end", json!({"session_id": ended["session_id"]})).await;
    assert_eq!(
        again["episode_node_id"], ended["episode_node_id"],
        "ending twice writes one episode"
    );
}

#[tokio::test]
async fn session_end_of_an_empty_session_still_leaves_its_episode() {
    let fixture = new_fixture().await;
    let started = fixture.call("session_start", json!({})).await;
    let ended = fixture.call("session_end", json!({})).await;
    assert_eq!(ended["session_id"], started["session_id"]);
    assert!(ended["episode_node_id"].is_i64());
}

#[tokio::test]
async fn session_end_creates_no_episode_if_create_episode_is_false() {
    let fixture = new_fixture().await;
    fixture.node("fact", "Something.").await;
    let ended = fixture.call("session_end", json!({"create_episode": false})).await;
    assert_eq!(ended["episode_node_id"], json!(null));
    assert_eq!(fixture.call("memory_stats", json!({})).await["type_counts"]["episode"], 0);
}

#[tokio::test]
async fn an_unknown_session_cannot_end() {
    let fixture = new_fixture().await;
    let ended = fixture.call("session_end", json!({"session_id": 99})).await;
    assert_eq!((&ended["session_id"], &ended["episode_node_id"]), (&Value::Null, &Value::Null));
    assert_eq!(fixture.call("memory_stats", json!({})).await["node_count"], 0);
}

#[tokio::test]
async fn resume_gives_the_last_episode_decisions_facts_and_others_within_its_limit() {
    let fixture = new_fixture().await;
    for number in 0..10 {
        fixture.node("decision", &format!("Decision {number}.")).await;
        fixture.node("fact", &format!("Fact {number}.")).await;
        fixture.node("skill", &format!("Skill {number}.")).await;
    }
    fixture.call("session_end", json!({"summary": "A long day."})).await;
    let started = fixture.call("session_start", json!({})).await;
    let answer = fixture.call("memory_session_resume", json!({})).await;
    assert_eq!(answer["current_session"], started["session_id"]);
    assert_eq!(answer["last_episode"]["summary"], "A long day.");
    assert_eq!(answer["total_loaded"], 15);
    let counts = ["recent_decisions", "recent_facts", "recent_other"]
        .map(|list| answer[list].as_array().unwrap().len());
    assert_eq!(counts.iter().sum::<usize>(), 14);
    assert!(counts.iter().all(|count| *count >= 4), "{counts:?}");
    assert_eq!(answer["recent_other"][0]["event_type"], "skill");
    let one = fixture.call("memory_session_resume", json!({"limit": 1})).await;
    assert_eq!(one["total_loaded"], 1, "a limit is a limit");
}

#[tokio::test]
async fn a_first_resume_starts_a_session_and_says_that_there_is_nothing() {
    let fixture = new_fixture().await;
    let answer = fixture.call("memory_session_resume", json!({})).await;
    assert_eq!((&answer["current_session"], &answer["total_loaded"]), (&json!(1), &json!(0)));
    assert!(answer["message"].as_str().unwrap().starts_with("Nothing to resume"));
    let added =
        fixture.call("memory_add", json!({"event_type": "fact", "content": "Now there is."})).await;
    assert_eq!(added["session_id"], 1);
}

#[tokio::test]
async fn conversation_logs_do_not_crowd_out_facts() {
    let fixture = new_fixture().await;
    fixture.node("fact", "The one real fact.").await;
    for number in 0..30 {
        fixture
            .call("conversation_log", json!({"user_message": format!("Chatter number {number}")}))
            .await;
    }
    let answer = fixture.call("memory_session_resume", json!({"limit": 5})).await;
    assert_eq!(each(&answer["recent_facts"], "content"), ["The one real fact."]);
}

#[tokio::test]
async fn a_corrected_fact_is_not_resumed_but_its_correction_is() {
    let fixture = new_fixture().await;
    let old = fixture.node("fact", "The port is 22.").await;
    fixture
        .call("memory_correct", json!({"old_node_id": old, "new_content": "The port is 2222."}))
        .await;
    let answer = fixture.call("memory_session_resume", json!({})).await;
    assert_eq!(answer["recent_facts"], json!([]));
    assert_eq!(each(&answer["recent_other"], "content"), ["The port is 2222."]);
}

#[tokio::test]
async fn a_node_added_after_session_end_starts_another_session() {
    let fixture = new_fixture().await;
    fixture.node("fact", "Before the end.").await;
    let ended = fixture.call("session_end", json!({"summary": "Done."})).await;
    assert_eq!(fixture.call("memory_stats", json!({})).await["current_session"], json!(null));
    let again = fixture.call("session_end", json!({})).await;
    assert_eq!(
        again["episode_node_id"], ended["episode_node_id"],
        "a retry is answered with what was done"
    );
    let added = fixture
        .call("memory_add", json!({"event_type": "fact", "content": "After the end."}))
        .await;
    assert_eq!((&added["session_id"], &added["edges_created"]), (&json!(2), &json!(0)));
    fixture.call("session_end", json!({})).await;
    let logged = fixture.call("conversation_log", json!({"user_message": "And after that."})).await;
    assert_eq!(logged["session_id"], 3);
}

#[tokio::test]
async fn a_resume_after_session_end_starts_another_session() {
    let fixture = new_fixture().await;
    fixture.node("fact", "Before the end.").await;
    fixture.call("session_end", json!({"summary": "Done."})).await;
    let resumed = fixture.call("memory_session_resume", json!({})).await;
    assert_eq!((&resumed["current_session"], &resumed["previous_session"]), (&json!(2), &json!(1)));
    assert_eq!(resumed["last_episode"]["summary"], "Done.");
    let fact = &resumed["recent_facts"][0];
    for field in ["id", "content", "confidence", "session_id"] {
        assert!(fact.get(field).is_some(), "{field}");
    }
}

#[tokio::test]
async fn an_ended_session_can_be_reopened() {
    let fixture = new_fixture().await;
    fixture.node("fact", "Before the end.").await;
    fixture.call("session_end", json!({})).await;
    let started =
        fixture.call("session_start", json!({"session_id": 1, "metadata": {"task": "more"}})).await;
    assert_eq!(
        (&started["message"], &started["metadata"]["task"]),
        (&json!("Session 1 reopened"), &json!("more"))
    );
    let added =
        fixture.call("memory_add", json!({"event_type": "fact", "content": "Once more."})).await;
    assert_eq!(added["session_id"], 1);
}

#[tokio::test]
async fn a_discarded_summary_is_reported() {
    let fixture = new_fixture().await;
    fixture.node("fact", "Something.").await;
    let without = json!({"create_episode": false, "summary": "A good day."});
    let ended = fixture.call("session_end", without).await;
    assert!(ended["notes"][0].as_str().unwrap().contains("create_episode"), "{ended}");
    let summarized =
        fixture.call("session_end", json!({"session_id": 1, "summary": "A good day."})).await;
    assert_eq!((&summarized["summary"], summarized.get("notes")), (&json!("A good day."), None));
    let other =
        fixture.call("session_end", json!({"session_id": 1, "summary": "A bad day."})).await;
    assert_eq!(other["summary"], "A good day.");
    let note = other["notes"][0].as_str().unwrap();
    assert!(note.contains(&summarized["episode_node_id"].to_string()), "{note}");
    let blank = fixture.call("session_end", json!({"session_id": 1, "summary": " "})).await;
    assert_eq!(blank.get("notes"), None);
}
