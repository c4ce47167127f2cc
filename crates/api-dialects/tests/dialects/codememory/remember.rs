//! `remember`, `list_recent` and `list_entities`.

use super::{SESSION, contents, new_fixture};
use dialects::{CodeMemory, DialectApi};
use model::ErrorCode;
use serde_json::json;

#[tokio::test]
async fn the_result_shows_what_was_stored_not_what_was_sent() {
    let fixture = new_fixture().await;
    let content = "Fixed the API timeout. The pool was too small.\n\nMore detail follows here.";
    let stored = fixture
        .call("remember", json!({"content": content, "session_id": SESSION, "priority": 9}))
        .await;
    assert_eq!((&stored["kind"], &stored["priority"]), (&json!("note"), &json!(5)));
    assert_eq!(stored["tags"], "fix,api");
    assert!(stored["summary"].as_str().unwrap().starts_with("Fixed the API timeout."), "{stored}");
    assert!(stored["notes"][0].as_str().unwrap().contains("priority 9"), "{stored}");
    let listed = fixture.call("list_recent", json!({})).await;
    for name in ["id", "summary", "session_id", "kind", "tags", "priority"] {
        assert_eq!(listed[0][name], stored[name], "{name}");
    }
}

#[tokio::test]
async fn a_duplicate_is_skipped_with_the_reason_and_the_id_of_the_first() {
    let fixture = new_fixture().await;
    let id = fixture.store(SESSION, "We chose Postgres.").await;
    // However long ago and in whatever time zone: the first is still there.
    fixture.clock.advance(90 * 60);
    let again = fixture
        .call("remember", json!({"content": "we chose  postgres.", "session_id": SESSION}))
        .await;
    assert_eq!((&again["status"], &again["reason"]), (&json!("skipped"), &json!("duplicate")));
    assert_eq!(again["id"], id);
    assert_eq!(fixture.call("list_recent", json!({})).await.as_array().unwrap().len(), 1);
}

#[tokio::test]
async fn the_same_text_in_another_session_is_stored_there_too() {
    let fixture = new_fixture().await;
    let first = fixture.store("one", "We chose Postgres.").await;
    let second = fixture.store("two", "We chose Postgres.").await;
    assert_ne!(first, second);
    let found = fixture.search_with(json!({"query": "postgres", "session_id": "two"})).await;
    assert_eq!(found[0]["id"], second);
}

/// Builds the token at run time, so that the source contains no text that looks like a secret.
fn token() -> String {
    format!("ghp_{}", "aB3dE5gH7jK9mN1pQ3sT5vW7yZ9bC1dE3fG5")
}

#[tokio::test]
async fn a_secret_in_any_field_is_skipped_before_anything_is_stored() {
    let fixture = new_fixture().await;
    let secret = token();
    let metadata = json!({ "key": secret }).to_string();
    for given in [
        json!({"content": format!("The token is {secret}"), "session_id": SESSION}),
        json!({"content": "fine", "summary": secret, "session_id": SESSION}),
        json!({"content": "fine", "tags": format!("a,{secret}"), "session_id": SESSION}),
        json!({"content": "fine", "metadata_json": metadata, "session_id": SESSION}),
        json!({"content": "fine", "kind": secret, "session_id": SESSION}),
        json!({"content": "fine", "session_id": secret}),
        json!({"content": format!("Authorization: Bearer {secret}"), "session_id": SESSION}),
    ] {
        let answer = fixture.call("remember", given).await;
        assert_eq!(
            (&answer["status"], &answer["reason"]),
            (&json!("skipped"), &json!("sensitive"))
        );
        assert!(!answer.to_string().contains(&secret), "{answer}");
        assert!(
            answer["message"].as_str().unwrap().contains("store where to find the secret"),
            "{answer}"
        );
    }
    let text = json!({"content": format!("The token is {secret}"), "session_id": SESSION});
    let message = fixture.call("remember", text).await["message"].clone();
    assert!(
        message.as_str().unwrap().starts_with("content appears to contain"),
        "the message names the argument: {message}"
    );
    assert_eq!(fixture.call("list_recent", json!({})).await, json!([]));
    let status = fixture.engine.admin().status(&fixture.caller("claude")).await.unwrap();
    assert_eq!(status.counts.sessions, 0, "not even the session was started");
}

#[tokio::test]
async fn a_secret_in_the_graph_is_refused_and_not_repeated() {
    let fixture = new_fixture().await;
    let secret = token();
    for (tool, given) in [
        (
            "upsert_entity",
            json!({"name": "vault", "observations_json": json!([secret]).to_string()}),
        ),
        ("upsert_entity", json!({"name": secret})),
        ("upsert_entity", json!({"name": "vault", "entity_type": secret})),
        ("add_relation", json!({"source": "vault", "target": secret, "relation_type": "holds"})),
        ("add_relation", json!({"source": "vault", "target": "key", "relation_type": secret})),
    ] {
        let failure = fixture.call_refused(tool, given).await;
        assert_eq!(failure.code, ErrorCode::SecretRefused, "{tool}");
        assert!(!failure.to_string().contains(&secret), "{failure}");
    }
    assert_eq!(fixture.call("diagnostics", json!({})).await["counts"]["entities"], 0);
}

#[tokio::test]
async fn mentioning_a_password_is_not_a_secret() {
    let fixture = new_fixture().await;
    fixture.store(SESSION, "password: see the rotation policy in the wiki").await;
}

#[tokio::test]
async fn metadata_is_an_object_and_comes_back_as_one() {
    let fixture = new_fixture().await;
    let given = json!({
        "content": "a",
        "session_id": SESSION,
        "metadata_json": "{\"ticket\":\"MEM-12\",\"n\":[1]}",
    });
    fixture.call("remember", given).await;
    let listed = fixture.call("list_recent", json!({})).await;
    assert_eq!(listed[0]["metadata"], json!({"ticket": "MEM-12", "n": [1]}));
    for bad in ["{", "[1]", "\"text\""] {
        let given = json!({"content": "b", "session_id": SESSION, "metadata_json": bad});
        let failure = fixture.call_refused("remember", given).await;
        assert_eq!(failure.code, ErrorCode::InvalidArgument, "{bad}");
        assert!(failure.message.contains("metadata_json"), "{failure}");
    }
}

#[tokio::test]
async fn a_session_is_required() {
    let fixture = new_fixture().await;
    for tool in ["remember", "search_memory"] {
        let given = match tool {
            "remember" => json!({"content": "a", "session_id": " "}),
            _ => json!({"query": "a", "session_id": ""}),
        };
        let failure = fixture.call_refused(tool, given).await;
        assert!(failure.message.contains("session_id is required"), "{failure}");
    }
    assert_eq!(
        fixture.call_refused("remember", json!({"content": "a"})).await.code,
        ErrorCode::InvalidArgument
    );
}

#[tokio::test]
async fn an_empty_session_id_defaults_to_the_session_of_the_client() {
    let fixture = new_fixture().await;
    let mut caller = fixture.caller("claude");
    caller.environment.session = Some("from-the-client".into());
    let given = json!({"content": "a", "session_id": ""});
    let stored = fixture.try_call_as(&caller, "remember", given).await.unwrap();
    assert_eq!(stored["session_id"], "from-the-client");
}

#[tokio::test]
async fn list_recent_gives_twenty_of_all_sessions_newest_first() {
    let fixture = new_fixture().await;
    for n in 0..22 {
        fixture.store(if n % 2 == 0 { "even" } else { "odd" }, &format!("Note number {n}.")).await;
        fixture.clock.advance(60);
    }
    let listed = fixture.call("list_recent", json!({})).await;
    let items = listed.as_array().unwrap();
    assert_eq!((items.len(), contents(items)[0]), (20, "Note number 21."));
    assert_eq!((&items[0]["session_id"], &items[1]["session_id"]), (&json!("odd"), &json!("even")));
    for field in [
        "id",
        "session_id",
        "kind",
        "content",
        "summary",
        "tags",
        "priority",
        "metadata",
        "created_at",
    ] {
        assert!(items[0].get(field).is_some(), "{field}");
    }
    assert!(items[0].get("score").is_none() && items[0].get("fts_hit").is_none());
    assert_eq!(fixture.call("list_recent", json!({"limit": 3})).await.as_array().unwrap().len(), 3);
    assert_eq!(
        fixture.call_refused("list_recent", json!({"limit": 0})).await.code,
        ErrorCode::InvalidArgument
    );
}

#[tokio::test]
async fn entities_have_their_type_source_and_path() {
    let fixture = new_fixture().await;
    let content = "PaymentError came from `retry_payment()` in src/billing/retry.rs; see MEM-12 \
                   and https://example.com/runbook. Set QUEUE_SIZE and run `cargo test -p \
                   billing`.\n\n\
                   ```rust src/billing/retry.rs\n\
                   pub struct Größe { n: u8 }\n\
                   impl Größe { fn späße(&self) { for x in y {} } }\n\
                   ```\n";
    let id = fixture.store(SESSION, content).await;
    let listed = fixture.call("list_entities", json!({"memory_id": id})).await;
    let has = |kind: &str, name: &str, source: &str, path: serde_json::Value| {
        let wanted = json!({"entity_type": kind, "name": name, "source": source, "path": path});
        assert!(listed.as_array().unwrap().contains(&wanted), "{wanted} in {listed}");
    };
    has("type", "Größe", "tree-sitter", json!("src/billing/retry.rs"));
    has("function", "späße", "tree-sitter", json!("src/billing/retry.rs"));
    has("file", "src/billing/retry.rs", "path", json!("src/billing/retry.rs"));
    let names: Vec<&str> =
        listed.as_array().unwrap().iter().map(|one| one["name"].as_str().unwrap()).collect();
    for name in [
        "PaymentError",
        "retry_payment",
        "MEM-12",
        "https://example.com/runbook",
        "QUEUE_SIZE",
        "cargo test -p billing",
    ] {
        assert!(names.contains(&name), "{name} in {names:?}");
    }
    assert!(!names.contains(&"for"), "keywords are no entities: {names:?}");
    let unique: std::collections::HashSet<_> =
        listed.as_array().unwrap().iter().map(ToString::to_string).collect();
    assert_eq!(unique.len(), names.len(), "each once");
}

#[tokio::test]
async fn symbols_are_read_in_every_language_of_the_contract() {
    let fixture = new_fixture().await;
    for (fence, code, name) in [
        ("python", "class Handler:\n    def handle(self): ...", "Handler"),
        ("js", "const loadUser = async (id) => fetch(id);", "loadUser"),
        ("ts", "export interface Invoice { total: number }", "Invoice"),
        ("go", "func (h *Handler) Serve() {}", "Serve"),
        ("java", "public class Cart { int total() { return 1; } }", "total"),
        ("c", "static char **names(void) { return 0; }", "names"),
        ("cpp", "namespace shop { class Basket {}; }", "Basket"),
        ("bash", "roll_back() { git revert HEAD; }", "roll_back"),
    ] {
        let id = fixture
            .store(SESSION, &format!("From the review, {fence}:\n```{fence}\n{code}\n```"))
            .await;
        let listed = fixture.call("list_entities", json!({"memory_id": id})).await;
        let found = listed.as_array().unwrap().iter().find(|one| one["name"] == name);
        assert_eq!(
            found.map(|one| &one["source"]),
            Some(&json!("tree-sitter")),
            "{fence}: {listed}"
        );
    }
}

#[tokio::test]
async fn entities_of_an_unknown_memory_are_not_found() {
    let fixture = new_fixture().await;
    assert_eq!(
        fixture.call_refused("list_entities", json!({"memory_id": 99})).await.code,
        ErrorCode::NotFound
    );
    let id = fixture.store(SESSION, "nothing of note").await;
    assert_eq!(fixture.call("list_entities", json!({"memory_id": id})).await, json!([]));
}

#[tokio::test]
async fn insert_memory_of_the_later_version_answers_with_the_hash_of_the_content() {
    let fixture = new_fixture().await;
    let given =
        json!({"content": "The queue is Kafka.", "session_id": SESSION, "kind": "decision"});
    let stored = fixture.call("insert_memory", given.clone()).await;
    for name in ["id", "session_id", "kind", "tags", "priority", "content_hash"] {
        assert!(stored.get(name).is_some(), "{name}: {stored}");
    }
    assert_eq!(stored["content_hash"].as_str().unwrap().len(), 64);
    assert_eq!(fixture.call("insert_memory", given).await["reason"], "duplicate");
    let listed = CodeMemory::default();
    assert!(listed.tools().iter().all(|tool| tool.name != "insert_memory"));
}

#[tokio::test]
async fn a_session_may_be_omitted_where_the_environment_names_one() {
    let fixture = new_fixture().await;
    let mut caller = fixture.caller("claude");
    let given = json!({"content": "The queue is Kafka."});
    let refused = fixture.try_call_as(&caller, "remember", given.clone()).await.unwrap_err();
    assert!(refused.message.contains("session_id is required"), "{refused}");
    caller.environment.session = Some("opencode:7".into());
    let stored = fixture.try_call_as(&caller, "remember", given).await.unwrap();
    assert_eq!(stored["session_id"], "opencode:7");
    let required = |dialect: &CodeMemory| dialect.tools()[0].input["required"].clone();
    assert_eq!(required(&CodeMemory::default()), json!(["content", "session_id"]));
    assert_eq!(required(&CodeMemory::default().with_named_session()), json!(["content"]));
}
