//! Sessions, their chain, their episodes, and what the next one begins with.

use super::{each, house};
use model::ErrorCode;
use serde_json::json;

#[tokio::test]
async fn session_start_gives_numbers_that_rise_and_keeps_its_metadata() {
    let house = house().await;
    let first = house.call("session_start", json!({"metadata": {"task": "billing"}})).await;
    assert_eq!(
        (&first["session_id"], &first["previous_session"], &first["last_episode"]),
        (&json!(1), &json!(null), &json!(null))
    );
    assert_eq!(first["metadata"], json!({"task": "billing"}));
    let second = house.call("session_start", json!({})).await;
    assert_eq!(second["session_id"], 2);
    assert_eq!((&second["previous_session"], &second["total_sessions"]), (&json!(1), &json!(2)));
    assert!(second["message"].as_str().unwrap().contains("Session 2"));
}

#[tokio::test]
async fn what_is_added_after_session_start_belongs_to_it_and_begins_a_new_chain() {
    let house = house().await;
    house.node("fact", "Before the session.").await;
    let started = house.call("session_start", json!({"session_id": 424_242})).await;
    assert_eq!(started["session_id"], 424_242);
    let first =
        house.call("memory_add", json!({"event_type": "fact", "content": "In the session."})).await;
    assert_eq!((&first["session_id"], &first["edges_created"]), (&json!(424_242), &json!(0)));
    let second = house
        .call("memory_add", json!({"event_type": "fact", "content": "Still in the session."}))
        .await;
    assert_eq!(second["edges_created"], 1);
    let stats = house.call("memory_stats", json!({})).await;
    assert_eq!((&stats["current_session"], &stats["session_count"]), (&json!(424_242), &json!(2)));
}

#[tokio::test]
async fn two_agents_at_once_are_in_two_sessions() {
    let house = house().await;
    let add = async |agent: &str, content: &str| {
        let given = json!({"event_type": "fact", "content": content});
        house.try_call(agent, "memory_add", given).await.unwrap()["session_id"].clone()
    };
    let (one, other) =
        (add("claude", "Claude was here.").await, add("codex", "Codex was here.").await);
    assert_ne!(one, other);
    assert_eq!(add("claude", "Claude is still here.").await, one);
}

#[tokio::test]
async fn session_end_sums_up_and_ties_every_node_to_its_episode() {
    let house = house().await;
    let node = house.node("decision", "We ship on Tuesdays.").await;
    let ended = house.call("session_end", json!({"summary": "Chose a release day."})).await;
    assert_eq!(ended["summary"], "Chose a release day.");
    let episode = ended["episode_node_id"].clone();
    let around =
        house.call("memory_traverse", json!({"start_id": node, "edge_types": ["part_of"]})).await;
    assert_eq!(around["visited"][1]["id"], episode);
    assert_eq!(around["visited"][1]["event_type"], "episode");
    let next = house.call("session_start", json!({})).await;
    assert_eq!(next["last_episode"]["summary"], "Chose a release day.");
    assert_eq!(next["last_episode"]["session_id"], ended["session_id"]);
    assert!(next["last_episode"]["created_at"].is_i64());
}

#[tokio::test]
async fn session_end_without_a_summary_tells_what_the_session_held() {
    let house = house().await;
    house.node("decision", "We ship on Tuesdays.").await;
    let ended = house.call("session_end", json!({})).await;
    assert!(ended["summary"].as_str().unwrap().contains("We ship on Tuesdays."), "{ended}");
    let again = house.call("session_end", json!({"session_id": ended["session_id"]})).await;
    assert_eq!(
        again["episode_node_id"], ended["episode_node_id"],
        "ending twice writes one episode"
    );
}

#[tokio::test]
async fn session_end_of_an_empty_session_still_leaves_its_episode() {
    let house = house().await;
    let begun = house.call("session_start", json!({})).await;
    let ended = house.call("session_end", json!({})).await;
    assert_eq!(ended["session_id"], begun["session_id"]);
    assert!(ended["episode_node_id"].is_i64());
}

#[tokio::test]
async fn session_end_leaves_no_episode_when_told_so() {
    let house = house().await;
    house.node("fact", "Something.").await;
    let ended = house.call("session_end", json!({"create_episode": false})).await;
    assert_eq!(ended["episode_node_id"], json!(null));
    assert_eq!(house.call("memory_stats", json!({})).await["type_counts"]["episode"], 0);
}

#[tokio::test]
async fn a_session_that_never_was_cannot_end() {
    let house = house().await;
    let refusal = house.refused("session_end", json!({"session_id": 99})).await;
    assert_eq!(refusal.code, ErrorCode::NotFound);
    assert!(house.refused("session_end", json!({})).await.message.contains("session_id"));
    assert_eq!(house.call("memory_stats", json!({})).await["node_count"], 0);
}

#[tokio::test]
async fn resume_gives_the_last_episode_decisions_facts_and_others_within_its_limit() {
    let house = house().await;
    for number in 0..10 {
        house.node("decision", &format!("Decision {number}.")).await;
        house.node("fact", &format!("Fact {number}.")).await;
        house.node("skill", &format!("Skill {number}.")).await;
    }
    house.call("session_end", json!({"summary": "A long day."})).await;
    let begun = house.call("session_start", json!({})).await;
    let answer = house.call("memory_session_resume", json!({})).await;
    assert_eq!(answer["current_session"], begun["session_id"]);
    assert_eq!(answer["last_episode"]["summary"], "A long day.");
    assert_eq!(answer["total_loaded"], 15);
    let counts = ["recent_decisions", "recent_facts", "recent_other"]
        .map(|list| answer[list].as_array().unwrap().len());
    assert_eq!(counts.iter().sum::<usize>(), 14);
    assert!(counts.iter().all(|count| *count >= 4), "{counts:?}");
    assert_eq!(answer["recent_other"][0]["event_type"], "skill");
    let one = house.call("memory_session_resume", json!({"limit": 1})).await;
    assert_eq!(one["total_loaded"], 1, "a limit is a limit");
}

#[tokio::test]
async fn a_first_resume_begins_a_session_and_says_that_there_is_nothing() {
    let house = house().await;
    let answer = house.call("memory_session_resume", json!({})).await;
    assert_eq!((&answer["current_session"], &answer["total_loaded"]), (&json!(1), &json!(0)));
    assert!(answer["message"].as_str().unwrap().starts_with("Nothing to resume"));
    let added =
        house.call("memory_add", json!({"event_type": "fact", "content": "Now there is."})).await;
    assert_eq!(added["session_id"], 1);
}

#[tokio::test]
async fn what_was_said_does_not_crowd_out_what_is_known() {
    let house = house().await;
    house.node("fact", "The one real fact.").await;
    for number in 0..30 {
        house
            .call("conversation_log", json!({"user_message": format!("Chatter number {number}")}))
            .await;
    }
    let answer = house.call("memory_session_resume", json!({"limit": 5})).await;
    assert_eq!(each(&answer["recent_facts"], "content"), ["The one real fact."]);
}

#[tokio::test]
async fn a_corrected_fact_is_not_resumed_but_its_correction_is() {
    let house = house().await;
    let old = house.node("fact", "The port is 22.").await;
    house
        .call("memory_correct", json!({"old_node_id": old, "new_content": "The port is 2222."}))
        .await;
    let answer = house.call("memory_session_resume", json!({})).await;
    assert_eq!(answer["recent_facts"], json!([]));
    assert_eq!(each(&answer["recent_other"], "content"), ["The port is 2222."]);
}

#[tokio::test]
async fn what_is_added_after_an_end_begins_another_session() {
    let house = house().await;
    house.node("fact", "Before the end.").await;
    let ended = house.call("session_end", json!({"summary": "Done."})).await;
    assert_eq!(house.call("memory_stats", json!({})).await["current_session"], json!(null));
    let again = house.call("session_end", json!({})).await;
    assert_eq!(
        again["episode_node_id"], ended["episode_node_id"],
        "a retry is answered with what was done"
    );
    let added =
        house.call("memory_add", json!({"event_type": "fact", "content": "After the end."})).await;
    assert_eq!((&added["session_id"], &added["edges_created"]), (&json!(2), &json!(0)));
    house.call("session_end", json!({})).await;
    let logged = house.call("conversation_log", json!({"user_message": "And after that."})).await;
    assert_eq!(logged["session_id"], 3);
}

#[tokio::test]
async fn a_resume_after_an_end_begins_another_session() {
    let house = house().await;
    house.node("fact", "Before the end.").await;
    house.call("session_end", json!({"summary": "Done."})).await;
    let resumed = house.call("memory_session_resume", json!({})).await;
    assert_eq!((&resumed["current_session"], &resumed["previous_session"]), (&json!(2), &json!(1)));
    assert_eq!(resumed["last_episode"]["summary"], "Done.");
    let fact = &resumed["recent_facts"][0];
    for field in ["id", "content", "confidence", "session_id"] {
        assert!(fact.get(field).is_some(), "{field}");
    }
}

#[tokio::test]
async fn an_ended_session_that_is_started_again_goes_on() {
    let house = house().await;
    house.node("fact", "Before the end.").await;
    house.call("session_end", json!({})).await;
    let begun =
        house.call("session_start", json!({"session_id": 1, "metadata": {"task": "more"}})).await;
    assert_eq!(
        (&begun["message"], &begun["metadata"]["task"]),
        (&json!("Session 1 taken up again"), &json!("more"))
    );
    let added =
        house.call("memory_add", json!({"event_type": "fact", "content": "Once more."})).await;
    assert_eq!(added["session_id"], 1);
}

#[tokio::test]
async fn a_summary_that_is_not_kept_is_named() {
    let house = house().await;
    house.node("fact", "Something.").await;
    let without = json!({"create_episode": false, "summary": "A good day."});
    let ended = house.call("session_end", without).await;
    assert!(ended["notes"][0].as_str().unwrap().contains("create_episode"), "{ended}");
    let told = house.call("session_end", json!({"session_id": 1, "summary": "A good day."})).await;
    assert_eq!((&told["summary"], told.get("notes")), (&json!("A good day."), None));
    let other = house.call("session_end", json!({"session_id": 1, "summary": "A bad day."})).await;
    assert_eq!(other["summary"], "A good day.");
    let note = other["notes"][0].as_str().unwrap();
    assert!(note.contains(&told["episode_node_id"].to_string()), "{note}");
    let blank = house.call("session_end", json!({"session_id": 1, "summary": " "})).await;
    assert_eq!(blank.get("notes"), None);
}
