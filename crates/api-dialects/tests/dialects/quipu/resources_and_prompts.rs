//! Resources and prompts of Quipu's own dialect.

use crate::fixture::DialectFixture;
use dialects::{DialectApi, Quipu};
use engine::Caller;
use model::{AgentName, ErrorCode, Failure, OwnerId};
use serde_json::{Value, json};

fn claude() -> Caller {
    Caller::agent(OwnerId::me(), AgentName::new("claude"), model::Dialect::Quipu)
}

async fn read(fixture: &DialectFixture, uri: &str) -> Result<Value, Failure> {
    Quipu::default().read_resource(&fixture.engine, &claude(), uri).await
}

async fn prompt(fixture: &DialectFixture, name: &str, given: Value) -> Result<String, Failure> {
    let given = given.as_object().unwrap().clone();
    Quipu::default().render_prompt(&fixture.engine, &claude(), name, given).await
}

async fn remember(fixture: &DialectFixture, text: &str, project: &str) -> i64 {
    let given = json!({ "text": text, "kind": "decision", "project": project });
    fixture.call("remember", given).await["id"].as_i64().unwrap()
}

#[tokio::test]
async fn the_briefing_is_the_one_of_recall() {
    let fixture = DialectFixture::new().await;
    remember(&fixture, "We chose PostgreSQL because of row-level security.", "billing").await;
    let briefing = read(&fixture, "quipu://briefing").await.unwrap();
    let recalled = fixture.call("recall", json!({})).await;
    assert_eq!(briefing, recalled["briefing"]);
    assert!(briefing.to_string().contains("PostgreSQL"), "{briefing}");
}

#[tokio::test]
async fn a_memory_is_read_by_its_id() {
    let fixture = DialectFixture::new().await;
    let id = remember(&fixture, "Releases are on Thursdays.", "shop").await;
    let memory = read(&fixture, &format!("quipu://memory/{id}")).await.unwrap();
    assert_eq!(memory["text"], "Releases are on Thursdays.");
    assert_eq!(memory["id"], id);
}

#[tokio::test]
async fn a_project_shows_its_own_memories_and_handoffs() {
    let fixture = DialectFixture::new().await;
    remember(&fixture, "Releases are on Thursdays.", "my shop").await;
    remember(&fixture, "The blog is in Zola.", "blog").await;
    let document = "## Start & intent\na\n## Journey\nb\n## Current state\nc\n## What's left\nd\n\
                    ## Open questions\ne";
    let given = json!({ "action": "store", "title": "Move the cart", "document": document,
                        "project": "my shop" });
    fixture.call("handoff", given).await;
    let shop = read(&fixture, "quipu://project/my%20shop").await.unwrap();
    assert_eq!(shop["memories"].as_array().unwrap().len(), 1, "{shop}");
    assert_eq!(shop["memories"][0]["text"], "Releases are on Thursdays.");
    assert_eq!(shop["open_handoffs"][0]["title"], "Move the cart");
}

#[tokio::test]
async fn an_unknown_address_is_not_found() {
    let fixture = DialectFixture::new().await;
    for uri in [
        "quipu://memory/7",
        "quipu://memory/x",
        "quipu://project/none",
        "quipu://project/%zz",
        "quipu://other",
        "amem://graph/stats",
    ] {
        let failure = read(&fixture, uri).await.unwrap_err();
        assert_eq!(failure.code, ErrorCode::NotFound, "{uri}");
    }
}

#[tokio::test]
async fn another_owner_does_not_find_a_memory() {
    let fixture = DialectFixture::new().await;
    let id = remember(&fixture, "The safe is behind the picture.", "home").await;
    let owner = fixture.create_owner("other").await;
    let stranger = Caller::agent(owner, AgentName::new("claude"), model::Dialect::Quipu);
    let uri = format!("quipu://memory/{id}");
    let failure = Quipu::default().read_resource(&fixture.engine, &stranger, &uri).await;
    assert_eq!(failure.unwrap_err().code, ErrorCode::NotFound);
}

#[tokio::test]
async fn prompts_take_their_argument_or_do_without() {
    let fixture = DialectFixture::new().await;
    for spec in Quipu::default().prompts() {
        let argument = spec.arguments[0].name;
        let with = prompt(&fixture, spec.name, json!({ argument: "the heron team" })).await;
        let with = with.unwrap();
        assert!(with.contains("the heron team"), "{with}");
        for empty in [json!({}), json!({ argument: "" }), json!({ argument: null })] {
            let without = prompt(&fixture, spec.name, empty).await.unwrap();
            assert!(!without.contains("the heron team") && without.contains('`'), "{without}");
        }
    }
    let number = prompt(&fixture, "takeover", json!({ "which": 4 })).await.unwrap();
    assert!(number.contains("handoff: 4"), "{number}");
    let unknown = prompt(&fixture, "dance", json!({})).await.unwrap_err();
    assert_eq!(unknown.code, ErrorCode::NotFound);
}
