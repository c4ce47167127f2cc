//! Resources and prompts of the original.

use super::new_fixture;
use crate::fixture::DialectFixture;
use dialects::{Agentic, DialectApi};
use engine::Caller;
use model::{AgentName, ErrorCode, Failure, OwnerId};
use serde_json::{Value, json};

fn claude() -> Caller {
    Caller::agent(OwnerId::me(), AgentName::new("claude"), model::Dialect::Agentic)
}

async fn read(fixture: &DialectFixture, uri: &str) -> Result<Value, Failure> {
    Agentic::default().read_resource(&fixture.engine, &claude(), uri).await
}

async fn prompt(fixture: &DialectFixture, name: &str, given: Value) -> Result<String, Failure> {
    let given = given.as_object().unwrap().clone();
    Agentic::default().render_prompt(&fixture.engine, &claude(), name, given).await
}

#[test]
fn the_resources_and_prompts_are_those_of_the_original() {
    let agentic = Agentic::default();
    let uris: Vec<&str> = agentic.resources().iter().map(|one| one.uri).collect();
    assert_eq!(
        uris,
        [
            "amem://graph/stats",
            "amem://graph/recent",
            "amem://graph/important",
            "amem://node/{id}",
            "amem://session/{id}",
            "amem://types/{type}"
        ]
    );
    assert_eq!(agentic.resources().iter().filter(|one| one.is_template()).count(), 3);
    let prompts: Vec<String> = agentic
        .prompts()
        .iter()
        .map(|one| {
            let arguments = one.arguments.iter().map(|argument| {
                let mark = if argument.required { "!" } else { "" };
                format!("{}{mark}", argument.name)
            });
            format!("{}({})", one.name, arguments.collect::<Vec<_>>().join(", "))
        })
        .collect();
    assert_eq!(
        prompts,
        [
            "remember(information!, context)",
            "reflect(topic!, node_id)",
            "correct(old_belief!, new_information!, reason)",
            "summarize(session_id)"
        ]
    );
}

#[tokio::test]
async fn every_resource_can_be_read() {
    let fixture = new_fixture().await;
    let fact = fixture.node("fact", "The sky is blue.").await;
    let decision = fixture.node_to("decision", "Paint it blue.", "caused_by", fact).await;
    assert_eq!(read(&fixture, "amem://graph/stats").await.unwrap()["node_count"], 2);
    for uri in ["amem://graph/recent", "amem://graph/important"] {
        assert_eq!(read(&fixture, uri).await.unwrap()["count"], 2, "{uri}");
    }
    let node = read(&fixture, &format!("amem://node/{decision}")).await.unwrap();
    assert_eq!(node["outgoing_edges"][0]["target_id"], fact);
    assert_eq!(node["incoming_edges"][0]["edge_type"], "temporal_next");
    let session = read(&fixture, "amem://session/1").await.unwrap();
    assert_eq!((&session["session_id"], &session["count"]), (&json!(1), &json!(2)));
    let types = read(&fixture, "amem://types/decision").await.unwrap();
    assert_eq!(types["nodes"][0]["id"], decision);
}

#[tokio::test]
async fn resources_have_the_fields_of_the_original() {
    let fixture = new_fixture().await;
    let fact = fixture.node("fact", "The sky is blue.").await;
    let created = json!(fixture.clock.now().0);
    fixture.clock.advance(60);
    fixture.node_to("decision", "Paint it blue.", "caused_by", fact).await;
    let node = read(&fixture, &format!("amem://node/{fact}")).await.unwrap();
    assert_eq!((&node["last_accessed"], &node["created_at"]), (&created, &created));
    assert_eq!(node["access_count"], 0);
    let used = json!(fixture.clock.now().0);
    fixture.engine.flush().await;
    let node = read(&fixture, &format!("amem://node/{fact}")).await.unwrap();
    assert_eq!((&node["last_accessed"], &node["access_count"]), (&used, &json!(1)));
    assert_eq!(read(&fixture, "amem://session/1").await.unwrap()["node_count"], 2);
    let types = read(&fixture, "amem://types/fact").await.unwrap();
    assert_eq!((&types["event_type"], &types["count"]), (&json!("fact"), &json!(1)));
}

#[tokio::test]
async fn an_unknown_address_is_not_found() {
    let fixture = new_fixture().await;
    for uri in [
        "amem://graph/nothing",
        "amem://node/x",
        "amem://node/7",
        "amem://session/7",
        "file:///etc/passwd",
        "",
    ] {
        let refusal = read(&fixture, uri).await.unwrap_err();
        assert_eq!(refusal.code, ErrorCode::NotFound, "{uri}");
    }
    assert_eq!(
        read(&fixture, "amem://types/opinion").await.unwrap_err().code,
        ErrorCode::InvalidArgument
    );
}

#[tokio::test]
async fn a_prompt_contains_its_arguments_and_names_the_tools_to_use() {
    let fixture = new_fixture().await;
    let given = json!({"old_belief": "Port 22", "new_information": "Port 2222", "reason": "moved"});
    let words = prompt(&fixture, "correct", given).await.unwrap();
    for part in ["Port 22", "Port 2222", "moved", "memory_correct", "memory_causal"] {
        assert!(words.contains(part), "{part}");
    }
    let long = json!({"information": "ü".repeat(4_000), "context": "天気".repeat(1_000)});
    assert!(prompt(&fixture, "remember", long).await.unwrap().contains("memory_add"));
    let words =
        prompt(&fixture, "reflect", json!({"topic": "ports", "node_id": "7"})).await.unwrap();
    assert!(words.contains("node 7"));
}

#[tokio::test]
async fn a_summary_lists_a_session_in_any_script() {
    let fixture = new_fixture().await;
    fixture.node("fact", &"天".repeat(500)).await;
    fixture.node("fact", "Straße ß é ✂️").await;
    let words = prompt(&fixture, "summarize", json!({})).await.unwrap();
    assert!(
        words.contains("#1 fact") && words.contains("Straße ß é") && words.contains("session_end"),
        "{words}"
    );
    assert!(prompt(&fixture, "summarize", json!({"session_id": "1"})).await.is_ok());
}

#[tokio::test]
async fn a_prompt_without_what_it_needs_is_refused_by_name() {
    let fixture = new_fixture().await;
    let refusal = prompt(&fixture, "remember", json!({})).await.unwrap_err();
    assert!(refusal.message.contains("`information`"), "{refusal}");
    assert_eq!(prompt(&fixture, "sing", json!({})).await.unwrap_err().code, ErrorCode::NotFound);
}

#[tokio::test]
async fn a_new_connection_starts_a_new_session_and_a_closed_one_is_summarized() {
    let fixture = new_fixture().await;
    let agentic = Agentic::default();
    fixture.node("decision", "We ship on Tuesdays.").await;
    agentic.client_disconnected(&fixture.engine, &claude()).await.unwrap();
    let listed = fixture.call("memory_query", json!({"event_types": ["episode"]})).await;
    assert!(listed["nodes"][0]["content"].as_str().unwrap().contains("We ship on Tuesdays."));
    agentic.client_connected(&fixture.engine, &claude()).await.unwrap();
    let added = fixture.call("memory_add", json!({"event_type": "fact", "content": "Anew."})).await;
    assert_eq!((&added["session_id"], &added["edges_created"]), (&json!(2), &json!(0)));
}
